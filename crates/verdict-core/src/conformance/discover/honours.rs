//! What `server/discover` declares is served: each declared list is answered, and so are completions.

use crate::check::Check;
use crate::conformance::completion::asking::{ABSENT, ASKING, asked};
use crate::conformance::list::visits::{VISITS, opened, read};
use crate::context::Context;
use crate::facts::{Declared, List};
use crate::record::{Answer, Record};
use crate::refusal::{answered, name_of};
use crate::ruling::{Finding, Ruling};
use serde_json::Value;

const COMPLETIONS: &str = "completions";
const HONOUR_WHY: &str = "Clients ask for what is declared and show the error to their users.";

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("discover.honours-tools", "A server that declares tools answers tools/list")
        .spec("tools#capabilities")
        .why(HONOUR_WHY)
        .fix("Answer tools/list with a `tools` array, empty where there are none, or do not declare the capability.")
        .official(&["sep-2575-discover-capabilities-match-handlers", "tools-list"])
        .probes(&[&VISITS])
        .judge(|cx| honours(cx, List::Tools)),
    Check::must("discover.honours-resources", "A server that declares resources answers resources/list")
        .spec("resources#capabilities")
        .why(HONOUR_WHY)
        .fix("Answer resources/list with a `resources` array, empty where there are only templates, or do not declare the capability.")
        .official(&["resources-list"])
        .probes(&[&VISITS])
        .judge(|cx| honours(cx, List::Resources)),
    Check::must("discover.honours-prompts", "A server that declares prompts answers prompts/list")
        .spec("prompts#capabilities")
        .why(HONOUR_WHY)
        .fix("Answer prompts/list with a `prompts` array, empty where there are none, or do not declare the capability.")
        .official(&["prompts-list"])
        .probes(&[&VISITS])
        .judge(|cx| honours(cx, List::Prompts)),
    Check::must("discover.honours-completions", "A server that declares completions answers completion/complete")
        .reads()
        .spec("completion#capabilities")
        .why(HONOUR_WHY)
        .fix("Answer completion/complete, with an empty list of values where there are none, or do not declare the capability.")
        .official(&["completion-complete"])
        .probes(&[&ASKING])
        .judge(honours_completions),
    Check::advisory("discover.templates-answer", "A server with resources answers resources/templates/list")
        .spec("resources#resource-templates")
        .why("Clients ask for both lists; an error for one of them is often shown as a fault.")
        .fix("Answer resources/templates/list with an empty `resourceTemplates` array.")
        .official(&["sep-2549-resources-templates-list-caching-hints"])
        .judge(templates),
];

fn honours(cx: &Context, list: List) -> Ruling {
    let (capability, method) = (list.capability(), list.method());
    match cx.facts.declares(capability) {
        Declared::No => {
            return Ruling::not_applicable(format!("the server does not declare {capability}"));
        }
        Declared::Unknown => return Ruling::skip("capabilities is not an object (discover.shape)"),
        Declared::Yes => {}
    }
    let record = match answered(cx, &format!("survey.{}/1", list.member())) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    if !read(cx, list, "a1").pages.is_empty() && record.result().is_none() {
        return Finding::unproven(format!(
            "{method} was refused once and served the next time"
        ))
        .seen_in(record)
        .into();
    }
    match record.answer() {
        Answer::Result(result) => match result.get(list.member()) {
            Some(Value::Array(items)) => {
                Ruling::met(format!("{method} lists {} items", items.len()))
            }
            Some(_) => Ruling::skip(format!(
                "`{}` is no array ({capability}.list-shape)",
                list.member()
            )),
            None => Finding::broken(format!(
                "the result of {method} has no `{}`; expected an array",
                list.member()
            ))
            .seen_in(record)
            .at("/result")
            .into(),
        },
        _ => refused(cx, list, record),
    }
}

fn honours_completions(cx: &Context) -> Ruling {
    match cx.facts.declares(COMPLETIONS) {
        Declared::No => {
            return Ruling::not_applicable("the server does not declare completions");
        }
        Declared::Unknown => return Ruling::skip("capabilities is not an object (discover.shape)"),
        Declared::Yes => {}
    }
    let first = asked(cx)
        .next()
        .map_or(ABSENT, |record| record.exchange.name.as_str());
    let record = match answered(cx, first) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    match record.answer() {
        Answer::Error(Some(-32601)) => Finding::broken(
            "completion/complete is refused with -32601 (method not found), although completions is declared; expected a result",
        )
        .seen_in(record)
        .into(),
        Answer::Result(_) | Answer::Error(_) => Ruling::met("completion/complete is answered"),
        _ => Ruling::skip("completion/complete was not answered with a JSON-RPC response"),
    }
}

/// A declared list that is not served.
fn refused(cx: &Context, list: List, record: &Record) -> Ruling {
    let capability = list.capability();
    let got = match record.answer() {
        Answer::Error(Some(code)) => format!("refused with {code}{}", name_of(code)),
        Answer::Error(None) => "refused with an error without a code".to_owned(),
        _ => format!(
            "answered with HTTP {} and no JSON-RPC response",
            record.status().unwrap_or_default()
        ),
    };
    let message = format!(
        "{} is {got}, although {capability} is declared; expected a result",
        list.method()
    );
    let page = matches!(record.answer(), Answer::Foreign)
        && matches!(record.status(), Some(400 | 404))
        && cx.settings.config.behind_gateway;
    let again = cx.record(&opened(list)).map(Record::answer);
    // G2: what failed once is asked again before it counts.
    let proven = !page && !matches!(again, Some(Answer::Locked(_) | Answer::Busy(_)));
    let finding = if proven {
        Finding::broken(message)
    } else {
        Finding::unproven(message)
    };
    finding.seen_in(record).into()
}

fn templates(cx: &Context) -> Ruling {
    match cx.facts.declares("resources") {
        Declared::No => return Ruling::not_applicable("the server does not declare resources"),
        Declared::Unknown => return Ruling::skip("capabilities is not an object (discover.shape)"),
        Declared::Yes => {}
    }
    let record = match answered(cx, "survey.resourceTemplates/1") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    match record.answer() {
        Answer::Result(_) => Ruling::met("resources/templates/list is answered"),
        Answer::Error(Some(-32601)) => Finding::noted(
            "resources/templates/list is refused with -32601; nothing obliges a server to have templates",
        )
        .seen_in(record)
        .into(),
        _ => Ruling::skip("resources/templates/list is answered with another error than -32601"),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::told::{page, says, told};
    use serde_json::{Value, json};

    #[test]
    fn what_is_declared_is_served() {
        let list = |answer: Value| {
            let asked = ("survey.tools/1", "tools/list", json!({}), answer);
            told(&json!({"tools": {}}), &[asked])
        };
        for (answer, due) in [
            (json!({"result": {"tools": []}}), "met"),
            (json!({"result": {"items": []}}), "broken"),
            (json!({"result": {"tools": {}}}), "skip"),
            (
                json!({"error": {"code": -32603, "message": "no"}}),
                "broken",
            ),
        ] {
            let recording = list(answer.clone());
            assert_eq!(says("discover.honours-tools", &recording), due, "{answer}");
        }
        let refused = json!({"error": {"code": -32603, "message": "no"}});
        let recording = told(
            &json!({"tools": {}}),
            &[
                ("survey.tools/1", "tools/list", json!({}), refused),
                page("list.visits/tools.a1/1", None, &["a"], None),
            ],
        );
        assert_eq!(says("discover.honours-tools", &recording), "unproven");
    }
}
