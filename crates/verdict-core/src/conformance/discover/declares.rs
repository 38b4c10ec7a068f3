//! What `server/discover` declares is what is served: no feature undeclared, none declared in vain.

use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::conformance::completion::asking::{ABSENT, ASKING, asked};
use crate::conformance::list::visits::{VISITS, opened, read};
use crate::context::Context;
use crate::facts::{Declared, List};
use crate::record::{Answer, Record};
use crate::refusal::{answered, name_of};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::shortened;
use serde_json::{Value, json};

/// Asks for what is not declared.
pub const UNDECLARED: Probe = Probe {
    name: "discover.undeclared",
    stage: Stage::Main,
    next: undeclared,
};

/// The lists that have a capability of their own.
const LISTS: [List; 3] = [List::Tools, List::Resources, List::Prompts];
const COMPLETIONS: &str = "completions";

fn undeclared(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 {
        return vec![];
    }
    let missing = |capability: &str| cx.facts.declares(capability) == Declared::No;
    let mut asks: Vec<Ask> = LISTS
        .into_iter()
        .filter(|list| missing(list.capability()))
        .map(|list| Ask::request(list.member(), list.method(), json!({})))
        .collect();
    if missing(COMPLETIONS) {
        asks.push(completion(cx, COMPLETIONS));
    }
    asks
}

/// Asks for completions of a prompt that no server has.
pub fn completion(cx: &Context, step: &str) -> Ask {
    let params = json!({
        "ref": {"type": "ref/prompt", "name": cx.absent("prompt")},
        "argument": {"name": "argument", "value": ""},
    });
    Ask::request(step, "completion/complete", params)
}

const DECLARE_WHY: &str = "Clients ask only for what is declared, so the feature is never used.";
const HONOUR_WHY: &str = "Clients ask for what is declared and show the error to their users.";

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("discover.declares-tools", "A server that lists tools declares the tools capability")
        .spec("tools#capabilities")
        .why(DECLARE_WHY)
        .fix("Add \"tools\": {} to the capabilities in the server/discover result, or stop serving tools/list.")
        .official(&["sep-2575-discover-capabilities-match-handlers"])
        .probes(&[&UNDECLARED])
        .judge(|cx| declares(cx, List::Tools)),
    Check::must("discover.declares-resources", "A server that lists resources declares the resources capability")
        .spec("resources#capabilities")
        .why(DECLARE_WHY)
        .fix("Add \"resources\": {} to the capabilities in the server/discover result, or stop serving resources/list.")
        .probes(&[&UNDECLARED])
        .judge(|cx| declares(cx, List::Resources)),
    Check::must("discover.declares-prompts", "A server that lists prompts declares the prompts capability")
        .spec("prompts#capabilities")
        .why(DECLARE_WHY)
        .fix("Add \"prompts\": {} to the capabilities in the server/discover result, or stop serving prompts/list.")
        .official(&["sep-2575-server-declares-prompts-in-discover"])
        .probes(&[&UNDECLARED])
        .judge(|cx| declares(cx, List::Prompts)),
    Check::must("discover.declares-completions", "A server that completes arguments declares the completions capability")
        .spec("completion#capabilities")
        .why(DECLARE_WHY)
        .fix("Add \"completions\": {} to the capabilities in the server/discover result, or stop serving completion/complete.")
        .probes(&[&UNDECLARED])
        .judge(declares_completions),
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
    Check::must("discover.undeclared-rejected", "A list that is not declared is refused with -32601")
        .spec("http#protocol-version-header")
        .why("Another code tells a client that it asked in the wrong way, not that the feature is missing.")
        .fix("Treat the methods of a feature that is not offered as unknown methods: -32601 (method not found).")
        .official(&["sep-2575-discover-capabilities-match-handlers"])
        .probes(&[&UNDECLARED])
        .judge(rejected),
    Check::advisory("discover.templates-answer", "A server with resources answers resources/templates/list")
        .spec("resources#resource-templates")
        .why("Clients ask for both lists; an error for one of them is often shown as a fault.")
        .fix("Answer resources/templates/list with an empty `resourceTemplates` array.")
        .official(&["sep-2549-resources-templates-list-caching-hints"])
        .judge(templates),
];

fn declares(cx: &Context, list: List) -> Ruling {
    let capability = list.capability();
    match cx.facts.declares(capability) {
        Declared::Yes => return Ruling::met(format!("{capability} is declared")),
        Declared::Unknown => return Ruling::skip("capabilities is not an object (discover.shape)"),
        Declared::No => {}
    }
    let record = match answered(cx, &format!("{}/{}", UNDECLARED.name, list.member())) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let Answer::Result(result) = record.answer() else {
        return Ruling::met(format!("{capability} is neither declared nor served"));
    };
    let items = result.get(list.member()).and_then(Value::as_array);
    let method = list.method();
    let finding = match items {
        Some(items) if !items.is_empty() => Finding::broken(format!(
            "{method} lists {} items, but capabilities.{capability} is not declared",
            items.len()
        )),
        _ => Finding::unproven(format!(
            "{method} is answered without any item, but capabilities.{capability} is not declared; expected -32601"
        )),
    };
    finding
        .seen_in(record)
        .at(format!("/result/{}", list.member()))
        .into()
}

fn declares_completions(cx: &Context) -> Ruling {
    match cx.facts.declares(COMPLETIONS) {
        Declared::Yes => return Ruling::met("completions is declared"),
        Declared::Unknown => return Ruling::skip("capabilities is not an object (discover.shape)"),
        Declared::No => {}
    }
    let record = match answered(cx, &format!("{}/{COMPLETIONS}", UNDECLARED.name)) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let finding = match record.answer() {
        Answer::Result(result) => {
            let values = result
                .pointer("/completion/values")
                .and_then(Value::as_array);
            match values {
                Some(values) if !values.is_empty() => Finding::broken(format!(
                    "completion/complete gives values ({}), but capabilities.completions is not declared",
                    shortened(&values[0], 60)
                ))
                .at("/result/completion/values"),
                _ => Finding::unproven(
                    "completion/complete is answered without any value, but capabilities.completions is not declared; expected -32601",
                ),
            }
        }
        Answer::Error(Some(-32602)) => Finding::unproven(
            "completion/complete is refused with -32602, so it is known, but capabilities.completions is not declared; expected -32601",
        ),
        _ => return Ruling::met("completions is neither declared nor served"),
    };
    finding.seen_in(record).into()
}

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
    let proven = !page && !matches!(again, Some(Answer::Locked(_) | Answer::Busy));
    let finding = if proven {
        Finding::broken(message)
    } else {
        Finding::unproven(message)
    };
    finding.seen_in(record).into()
}

fn rejected(cx: &Context) -> Ruling {
    if cx.facts.capabilities().is_none() {
        return Ruling::skip("capabilities is not an object (discover.shape)");
    }
    let undeclared: Vec<List> = LISTS
        .into_iter()
        .filter(|list| cx.facts.declares(list.capability()) == Declared::No)
        .collect();
    if undeclared.is_empty() {
        return Ruling::not_applicable("tools, resources and prompts are all declared");
    }
    let mut findings = Vec::new();
    let mut refused = Vec::new();
    let mut missing = None;
    for list in undeclared {
        let method = list.method();
        let record = match answered(cx, &format!("{}/{}", UNDECLARED.name, list.member())) {
            Ok(record) => record,
            Err(ruling) => {
                missing = Some(ruling);
                continue;
            }
        };
        let got = match record.answer() {
            Answer::Result(_) => continue,
            Answer::Error(Some(-32601)) => {
                refused.push(method);
                continue;
            }
            Answer::Error(Some(code)) => format!("with {code}{}", name_of(code)),
            _ => "without a JSON-RPC error".to_owned(),
        };
        let message = format!(
            "{method} is refused {got}, while {} is not declared; expected -32601 (method not found)",
            list.capability()
        );
        findings.push(Finding::unproven(message).seen_in(record));
    }
    match missing {
        Some(ruling) if findings.is_empty() && refused.is_empty() => ruling,
        _ if findings.is_empty() && refused.is_empty() => {
            Ruling::skip("what is not declared is served all the same (discover.declares-*)")
        }
        _ => Ruling::of(
            findings,
            format!("refused with -32601: {}", refused.join(", ")),
        ),
    }
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
