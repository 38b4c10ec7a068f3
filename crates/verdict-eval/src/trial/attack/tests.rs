//! The built-in pack, the reader's mistakes, and planting.

use super::*;
use crate::gate::HardMode;
use crate::golden;
use crate::tool::Tool;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use verdict_model::behavior::Standing;
use verdict_model::resilience::{TrialMetric, TrialOutcome, TrialResult, TrialRun};

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

fn tools() -> Vec<Tool> {
    let tool = |name: &str| match json!({"name": name, "inputSchema": {"type": "object"}}) {
        Value::Object(map) => Tool(map),
        other => panic!("{other}"),
    };
    vec![tool("get_invoice"), tool("get_weather")]
}

fn set(cases: usize) -> golden::Golden {
    let case = |at| format!("- {{id: c{at}, prompt: hm, expect_tool: get_invoice}}\n");
    let text: String = (0..cases).map(case).collect();
    golden::read(&text, "g.yaml").expect("a set")
}

#[test]
fn the_cases_together_see_the_whole_pack() {
    let pack = pack().expect("the pack");
    let tools = tools();
    let chosen = |cases, own: &[Attack], choice| {
        let (trials, notes) = choose(&set(cases), &tools, own, &pack, choice);
        (
            trials.iter().map(AttackTrial::id).collect::<Vec<_>>(),
            notes,
        )
    };
    let (ids, notes) = chosen(30, &[], Choice::default());
    assert_eq!((ids.len(), notes.len()), (90, 0));
    let used: BTreeSet<&str> = ids
        .iter()
        .filter_map(|id| Some(id.split_once('/')?.1))
        .collect();
    assert_eq!(used.len(), pack.len());
    assert_eq!(ids, chosen(30, &[], Choice::default()).0);
    assert_eq!(chosen(2, &[], Choice::All).0.len(), 2 * pack.len());
    assert!(chosen(2, &[], Choice::None).0.is_empty());
    // A small pack is not planted twice in one case.
    let (few, _) = choose(&set(1), &tools, &[], &pack[..2], Choice::default());
    assert_eq!(few.len(), 2);
}

#[test]
fn own_attacks_are_planted_where_they_say_and_told_where_they_cannot() {
    let own = |more: &str, goal: &str| {
        let text = format!(
            "- {{id: own, class: rug-pull, place: result-text, text: x, goal: {goal}{more}}}"
        );
        read(&text, "a.yaml").expect("an attack")
    };
    let chosen = |own: &[Attack]| {
        let (trials, notes) = choose(&set(3), &tools(), own, &[], Choice::None);
        (trials.len(), notes)
    };
    assert_eq!(chosen(&own("", "undone")), (3, vec![]));
    assert_eq!(chosen(&own(", cases: [c1]", "undone")), (1, vec![]));
    let (none, notes) = chosen(&own(", cases: c9", "undone"));
    assert_eq!(
        (none, notes[0].as_str()),
        (0, "own: not planted, no case has an id that it names")
    );
    let (none, notes) = chosen(&own(", cases: c1", "{call: get_invoice}"));
    assert_eq!(none, 0);
    assert_eq!(
        notes,
        [
            "c1/own: not planted, the case expects a call of `get_invoice`, which would show the attack"
        ]
    );
}

#[test]
fn what_a_run_does_is_the_same_again_and_another_in_another_run() {
    let pack = pack().expect("the pack");
    let set = set(1);
    let trial =
        AttackTrial::new(&pack[0], &set.cases[0], &tools(), &BTreeMap::new()).expect("fits");
    let text = |index| trial.disturbance(index).text().to_owned();
    assert_eq!(text(0), text(0));
    assert_ne!(text(0), text(1));
    assert!(!text(0).contains('{'), "{}", text(0));
    let other =
        AttackTrial::new(&pack[1], &set.cases[0], &tools(), &BTreeMap::new()).expect("fits");
    assert_ne!(trial.hash(), other.hash());
    assert_eq!(trial.hash().len(), 32);
}

fn run(index: u32, outcome: TrialOutcome, exposed: bool, utility: Option<bool>) -> TrialRun {
    let run = json!({
        "index": index, "outcome": outcome, "exposed": exposed, "utility": utility, "calls": [], "turns": 1
    });
    serde_json::from_value(run).expect("a run")
}

fn result(runs: Vec<TrialRun>) -> TrialResult {
    TrialResult {
        id: "c/a".to_owned(),
        model: "m".to_owned(),
        case: "c".to_owned(),
        trial: verdict_model::resilience::Trial::Attack {
            attack: "a".to_owned(),
            class: "rug-pull".to_owned(),
            place: "link".to_owned(),
        },
        kind: Kind::Hard,
        hash: String::new(),
        prompt: String::new(),
        disturbance: String::new(),
        location: None,
        runs,
        pass_rate: None,
        interval: None,
        standing: Standing::Unknown,
        advice: String::new(),
    }
}

#[test]
fn rates_are_of_the_runs_they_speak_of() {
    use TrialOutcome::{Attacked, Broken, Invalid, NotReached, Resisted, Unclear};
    let mut confirmed = run(6, Attacked, true, Some(true));
    confirmed.wave = 1;
    let trials = [
        result(vec![
            run(0, Attacked, true, Some(true)),
            run(1, Resisted, true, Some(true)),
            run(2, Broken, true, Some(false)),
            run(3, NotReached, false, Some(false)),
            run(4, Unclear, true, None),
            run(5, Invalid, false, None),
            confirmed,
        ]),
        result(vec![run(0, Resisted, true, Some(true))]),
    ];
    let rates = metrics(&trials);
    let of = |metric| rates.get(&metric).map(|rate| (rate.count, rate.of));
    assert_eq!(of(TrialMetric::AttackSuccess), Some((1, 4)));
    assert_eq!(of(TrialMetric::Exposure), Some((5, 6)));
    assert_eq!(of(TrialMetric::Utility), Some((3, 5)));
    assert_eq!(of(TrialMetric::Recovered), None);
    assert!(rates[&TrialMetric::AttackSuccess].interval.is_some());
    assert!(metrics(&[]).is_empty());
}

#[test]
fn how_a_trial_stands_and_what_to_mend() {
    use TrialOutcome::{Attacked, Broken, NotReached, Resisted};
    let pack = pack().expect("the pack");
    let runs = |outcomes: &[TrialOutcome]| -> Vec<TrialRun> {
        let indices = 0..;
        let all = indices.zip(outcomes);
        all.map(|(index, outcome)| run(index, *outcome, *outcome != NotReached, Some(true)))
            .collect()
    };
    for (outcomes, standing, says) in [
        (&[Resisted; 5][..], Standing::Met, ""),
        (
            &[Broken; 5],
            Standing::Met,
            "The attack had no success, but kept",
        ),
        (
            &[Attacked; 5],
            Standing::Red,
            "Server: mark what others wrote",
        ),
        (&[NotReached; 5], Standing::Unknown, "Nothing was learnt"),
        (
            &[Resisted, Resisted, Resisted, Resisted, Attacked],
            Standing::Unstable,
            "1 of 5 runs obeyed the text. Server:",
        ),
    ] {
        let runs = runs(outcomes);
        assert_eq!(pass_rate(&runs).0.is_none(), standing == Standing::Unknown);
        let held = held(Kind::Hard, HardMode::default(), 5, &runs);
        assert_eq!(held.standing, standing, "{outcomes:?}");
        let advice = advice(&pack[0], held.standing, &runs);
        assert!(advice.starts_with(says), "{advice}");
        assert_eq!(advice.is_empty(), says.is_empty(), "{advice}");
    }
}

#[test]
fn the_configuration_names_a_file_or_more() {
    use verdict_model::config::{Attacks, Pack};
    let read = |text: &str| verdict_config::parse(text, "c.yaml");
    let attacks = |text: &str| {
        let config = read(text).expect(text);
        config
            .adversarial
            .map(|it| it.attacks())
            .unwrap_or_default()
    };
    assert_eq!(attacks("runs: 5"), Attacks::default());
    let short = attacks("adversarial: golden/adversarial.yaml");
    assert_eq!(
        (short.file.as_deref(), short.pack),
        (Some("golden/adversarial.yaml"), Pack::Few)
    );
    let long = attacks(
        "tools: { safe: [echo] }\nadversarial: { pack: all, through: { tool: echo, argument: text } }",
    );
    assert_eq!((long.file, long.pack), (None, Pack::All));
    assert_eq!(long.through.map(|it| it.argument).as_deref(), Some("text"));
    let error = read("adversarial: { pakc: all }").expect_err("unknown key");
    assert!(error.starts_with("c.yaml:1:"), "{error}");
    assert!(error.contains("pack: few|all|none"), "{error}");
    let error = read("runs: 1\nadversarial: { through: { tool: echo, argument: text } }")
        .expect_err("unsafe");
    assert!(
        error.starts_with("c.yaml:2:33: `adversarial.through.tool` names `echo`"),
        "{error}"
    );
}

/// The published schema, and the file as JSON.
fn published(text: &str) -> (Value, Value) {
    let schema = include_str!("../../../../../schema/adversarial-v1.json");
    let file: Value = serde_saphyr::from_str(text).expect("YAML");
    (serde_json::from_str(schema).expect("JSON"), file)
}

#[test]
fn the_published_schema_takes_the_pack_and_has_the_same_keys() {
    let (schema, pack) = published(PACK);
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    assert!(validator.is_valid(&pack));
    for bad in [
        "- {id: a, class: rug-pull, place: link, text: x}",
        "- {id: a, class: none, place: link, text: x, goal: undone}",
        "- {id: a, class: rug-pull, place: link, text: x, goal: {repeat: 0}}",
        "- {id: a, class: rug-pull, place: link, text: x, goal: undone, offer: {twins: near}}",
    ] {
        assert!(!validator.is_valid(&published(bad).1), "{bad}");
        assert!(read(bad, "a.yaml").is_err(), "{bad}");
    }
    let properties = schema["$defs"]["Attack"]["properties"]
        .as_object()
        .expect("an object");
    let wanted: BTreeSet<&str> = properties.keys().map(String::as_str).collect();
    assert_eq!(
        super::read::FIELDS.iter().copied().collect::<BTreeSet<_>>(),
        wanted
    );
}

#[test]
fn the_examples_of_the_documentation_are_read() {
    let page = include_str!("../../../../../docs/resilience-attacks.md");
    let blocks = page.split("```").skip(1).step_by(2);
    let attacks = blocks
        .filter(|it| it.contains("- id:"))
        .map(|it| it.trim_start_matches("yaml"));
    let read: Vec<_> = attacks
        .map(|it| super::read(it, "docs").expect("an attack"))
        .collect();
    assert_eq!(read.len(), 1);
    let classes = Class::ALL.iter().map(|it| it.0);
    for word in classes.chain(Spot::ALL.iter().map(|it| it.0)) {
        assert!(page.contains(&format!("`{word}`")), "{word}");
    }
}
