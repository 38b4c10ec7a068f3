//! What is served is declared: `server/discover` names every feature, and what it does not name is refused.

use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::facts::{Declared, List};
use crate::record::Answer;
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
    Check::must("discover.undeclared-rejected", "A list that is not declared is refused with -32601")
        .spec("http#protocol-version-header")
        .why("Another code tells a client that it asked in the wrong way, not that the feature is missing.")
        .fix("Treat the methods of a feature that is not offered as unknown methods: -32601 (method not found).")
        .official(&["sep-2575-discover-capabilities-match-handlers"])
        .probes(&[&UNDECLARED])
        .judge(rejected),
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

#[cfg(test)]
mod tests {
    use crate::testing::told::{says, told};
    use serde_json::{Value, json};

    fn undeclared(
        step: &'static str,
        method: &'static str,
        answer: Value,
    ) -> crate::record::Recording {
        told(&json!({}), &[(step, method, json!({}), answer)])
    }

    #[test]
    fn what_is_served_is_declared() {
        for (answer, due) in [
            (json!({"error": {"code": -32601, "message": "no"}}), "met"),
            (
                json!({"result": {"resultType": "complete", "tools": [{"name": "a"}]}}),
                "broken",
            ),
            (
                json!({"result": {"resultType": "complete", "tools": []}}),
                "unproven",
            ),
        ] {
            let recording = undeclared("discover.undeclared/tools", "tools/list", answer.clone());
            assert_eq!(says("discover.declares-tools", &recording), due, "{answer}");
        }
        for (answer, due, unsupported) in [
            (
                json!({"error": {"code": -32601, "message": "no"}}),
                "met",
                "met",
            ),
            (
                json!({"error": {"code": -32602, "message": "no"}}),
                "unproven",
                "broken",
            ),
            (
                json!({"error": {"code": -32603, "message": "no"}}),
                "met",
                "broken",
            ),
            (
                json!({"result": {"completion": {"values": ["a"]}}}),
                "broken",
                "skip",
            ),
            (
                json!({"result": {"completion": {"values": []}}}),
                "unproven",
                "skip",
            ),
        ] {
            let step = "discover.undeclared/completions";
            let recording = undeclared(step, "completion/complete", answer.clone());
            assert_eq!(
                says("discover.declares-completions", &recording),
                due,
                "{answer}"
            );
            assert_eq!(
                says("completion.unsupported", &recording),
                unsupported,
                "{answer}"
            );
        }
    }
}
