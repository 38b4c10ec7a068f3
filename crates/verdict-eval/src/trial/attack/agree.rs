//! What the parts of an attack have to do with one another.

use super::{Attack, Goal, Secret, Spot, Token};
use crate::golden::read::Sink;
use crate::golden::read::fields::{Fields, place_of};

/// Tells where the parts of an attack do not go together.
pub(super) fn agree(attack: &Attack, own: &Fields, sink: &mut Sink) {
    for (is_wrong, at, message, mend) in offered(attack).into_iter().chain(planted(attack)) {
        if is_wrong {
            let place = own.get(at).map_or(own.place, place_of);
            sink.note(place, message, mend);
        }
    }
}

/// Whether something is wrong, under which key, what it is, and the mend.
type Rule = (bool, &'static str, &'static str, &'static str);

fn all_text(attack: &Attack) -> String {
    format!("{}\n{}", attack.text, attack.hidden)
}

fn offered(attack: &Attack) -> [Rule; 3] {
    let none = attack.offer.is_none();
    [
        (
            none && all_text(attack).contains("{canary_tool}"),
            "text",
            "the text names a tool that is offered, and none is",
            "say which with `offer`, for example `offer: mail`",
        ),
        (
            none && attack.goals.contains(&Goal::Call(Vec::new())),
            "goal",
            "a call of the offered tool is the goal, and none is offered",
            "say which with `offer`, or write `{ call: [NAME] }`",
        ),
        (
            none && attack.spot == Spot::OfferedTool,
            "place",
            "the text stands in a tool that is offered, and none is",
            "say which with `offer`",
        ),
    ]
}

fn planted(attack: &Attack) -> [Rule; 6] {
    let text = all_text(attack);
    let of_parameter = attack.goals.contains(&Goal::Parameter) || text.contains("{parameter}");
    let of_canary = |goal: &Goal| {
        matches!(
            goal,
            Goal::Argument(Token::Canary) | Goal::Answer(Token::Canary) | Goal::Url(Token::Canary)
        )
    };
    let has_canary = ["{canary}", "{address}", "{url}"]
        .iter()
        .any(|name| text.contains(name));
    [
        (
            attack.hidden.is_empty() == attack.text.contains("{hidden}"),
            "text",
            "`hidden` and `{hidden}` go together",
            "write the part as `hidden`, and `{hidden}` in the text where it stands",
        ),
        (
            attack.hidden.contains("{hidden}"),
            "hidden",
            "the hidden part cannot hold itself",
            "leave `{hidden}` out of it",
        ),
        (
            of_parameter && !attack.spot.is_parameter(),
            "goal",
            "a planted parameter is spoken of, and none is planted",
            "plant the text in a parameter, or choose another goal",
        ),
        (
            attack.goals.contains(&Goal::Changed) && attack.spot != Spot::ChangedDescription,
            "goal",
            "a changed tool is the goal, and none changes",
            "write `place: changed-description`, or choose another goal",
        ),
        (
            attack.secret == Secret::Result && !attack.spot.needs_call(),
            "secret",
            "the secret stands in a result, and the text in none",
            "write `secret: system`, or plant the text in a result",
        ),
        (
            attack.goals.iter().any(of_canary) && !has_canary,
            "text",
            "the canary is looked for, and the text has none",
            "put `{canary}`, `{address}` or `{url}` into the text",
        ),
    ]
}
