//! The built-in pack, the reader's mistakes, and planting.

use super::*;
use std::collections::BTreeSet;

#[test]
fn the_built_in_pack_is_right_and_has_every_class() {
    let pack = pack().unwrap_or_else(|mistakes| panic!("{}", mistakes[0]));
    assert!(pack.len() >= 40, "{}", pack.len());
    let classes: BTreeSet<Class> = pack.iter().map(|it| it.class).collect();
    let spots: BTreeSet<Spot> = pack.iter().map(|it| it.spot).collect();
    for (word, class) in Class::ALL {
        assert!(classes.contains(class), "{word}");
    }
    for (word, spot) in Spot::ALL {
        assert!(spots.contains(spot), "{word}");
    }
    assert!(pack.iter().all(|it| it.kind == Kind::Hard));
}

/// The first mistake of a file, as it is shown.
fn mistake(text: &str) -> String {
    let mistakes = read(text, "a.yaml").expect_err(text);
    mistakes[0].to_string()
}

#[test]
fn mistakes_are_told_at_their_places() {
    let whole = "- {id: a, class: rug-pull, place: changed-description, text: x, goal: undone";
    for (text, expected) in [
        ("", "a.yaml:1:1: there is no attack here; write a list of attacks, each with `id`, `class`, `place`, `text` and `goal`".to_owned()),
        ("id: a", "a.yaml:1:1: a single mapping stands here, and no list of attacks; put `- ` before each attack".to_owned()),
        (&format!("{whole}}}\n{whole}}}"), "a.yaml:2:8: the id `a` is there twice, first in line 1; rename one".to_owned()),
        ("- {id: a, class: rugpull, place: link, text: x, goal: undone}", "a.yaml:1:18: `class` is one of ".to_owned()),
        ("- {id: a, class: rug-pull, place: link, text: 'say {canery}', goal: undone}", "a.yaml:1:47: nothing stands for `{canery}` here; write `{canary}` if that is meant".to_owned()),
        ("- {id: a, class: rug-pull, place: link, text: x, goal: call}", "a.yaml:1:56: a call of the offered tool is the goal, and none is offered; say which with `offer`, or write `{ call: [NAME] }`".to_owned()),
        ("- {id: a, class: rug-pull, place: link, text: x, goal: {argument: canary}}", "a.yaml:1:47: the canary is looked for, and the text has none; put `{canary}`, `{address}` or `{url}` into the text".to_owned()),
        ("- {id: a, class: rug-pull, place: link, text: x, goal: {repeat: 0}}", "a.yaml:1:65: `repeat` is a whole number from 1 to 100, and this is `0`; write it in digits, without quotes".to_owned()),
        ("- {id: a, class: rug-pull, place: link, text: x}", "a.yaml:1:3: this attack has no `goal`; write what the attacker wants: ".to_owned()),
        ("- {id: a, class: rug-pull, place: link, text: x, goal: parameter}", "a.yaml:1:56: a planted parameter is spoken of, and none is planted; plant the text in a parameter, or choose another goal".to_owned()),
        ("- {id: a, class: rug-pull, place: link, text: x, goal: changed}", "a.yaml:1:56: a changed tool is the goal, and none changes; write `place: changed-description`, or choose another goal".to_owned()),
        ("- {id: a, class: rug-pull, place: instructions, text: x, goal: undone, secret: result}", "a.yaml:1:80: the secret stands in a result, and the text in none; write `secret: system`, or plant the text in a result".to_owned()),
        ("- {id: a, class: rug-pull, place: link, text: '{hidden}', goal: undone}", "a.yaml:1:47: `hidden` and `{hidden}` go together; write the part as `hidden`, and `{hidden}` in the text where it stands".to_owned()),
        ("- {id: a, class: rug-pull, place: link, text: x, goal: undone, when: 1}", "a.yaml:1:64: there is no key `when` here; there are id, class, place, ".to_owned()),
        ("- {id: a, class: rug-pull, place: link, text: x, goal: undone, offer: {twin: near, name: b}}", "a.yaml:1:71: a tool is offered by its `name`, or as a `twin` of the expected one; write one of the two".to_owned()),
    ] {
        let told = mistake(text);
        assert!(told.starts_with(&expected), "{text}\n{told}\n{expected}");
    }
    let attacks = read(
        &format!("attacks:\n{whole}, cases: [b], kind: soft}}\n"),
        "a.yaml",
    )
    .expect("no mistake");
    assert_eq!(
        (attacks[0].cases.as_slice(), attacks[0].kind),
        (&["b".to_owned()][..], Kind::Soft)
    );
}
