//! Every result says of which type it is: `resultType`.
//!
//! A server that takes its results from an earlier revision leaves it out; clients of this revision refuse
//! a type that they do not know.

use crate::check::Check;
use crate::context::Context;
use crate::passive::{Seen, Slips, nothing_seen, results};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::shortened;

/// The extension whose results may be of type `task`.
pub const TASKS: &str = "io.modelcontextprotocol/tasks";

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("result.type-present", "Every result has a resultType")
        .headline(4)
        .spec("basic#result-responses")
        .why("Clients choose by resultType how to read a result; one without it is read as that of an earlier revision, or refused.")
        .fix("Put \"resultType\": \"complete\" into every result, in the one place where results are written.")
        .official(&["sep-2322-result-type-included", "wire-schema-valid"])
        .judge(present),
    Check::must("result.type-string", "A resultType is a string")
        .headline(4)
        .spec("schema#ResultType")
        .why("Typed clients refuse a result whose type is no string.")
        .fix("Send resultType as a string: \"complete\" or \"input_required\".")
        .official(&["wire-schema-valid"])
        .judge(string),
    Check::must("result.type-known", "A resultType is one that the client knows")
        .headline(4)
        .spec("basic#resulttype")
        .why("A client must treat a result of a type it does not know as invalid, so the answer is lost.")
        .fix("Send \"complete\" or \"input_required\"; types of an extension only to requests that declared the extension.")
        .judge(known),
];

/// The results that are objects; `result.object` speaks of the others.
fn objects<'c>(cx: &Context<'c>) -> impl Iterator<Item = Seen<'c>> + use<'c> {
    results(cx).filter(|seen| seen.result.is_object())
}

fn present(cx: &Context) -> Ruling {
    let mut slips = Slips::default();
    let mut count = 0;
    for seen in objects(cx) {
        count += 1;
        if seen.result.get("resultType").is_none() {
            slips.add(seen.method, || {
                let method = seen.method;
                Finding::broken(format!(
                    "the result of {method} has no resultType; expected \"complete\""
                ))
                .seen_in(seen.record)
                .at("/result")
            });
        }
    }
    if count == 0 {
        return nothing_seen(cx, "result");
    }
    slips.ruling(format!("{count} results have one"))
}

fn string(cx: &Context) -> Ruling {
    let mut slips = Slips::default();
    let mut count = 0;
    for seen in objects(cx) {
        let Some(kind) = seen.result.get("resultType") else {
            continue;
        };
        count += 1;
        if !kind.is_string() {
            slips.add(seen.method, || {
                let (method, got) = (seen.method, shortened(kind, 60));
                Finding::broken(format!(
                    "resultType of {method} is {got}; expected a string"
                ))
                .seen_in(seen.record)
                .at("/result/resultType")
            });
        }
    }
    if count == 0 {
        return nothing_seen(cx, "resultType");
    }
    slips.ruling(format!("{count} results have a string"))
}

fn known(cx: &Context) -> Ruling {
    let mut slips = Slips::default();
    let (mut count, mut open) = (0, 0);
    for seen in objects(cx) {
        let Some(kind) = seen.kind() else { continue };
        match verdict(cx, &seen, kind) {
            Standing::Known => count += 1,
            Standing::Unsure => open += 1,
            Standing::Unknown(why) => slips.add(format!("{} {kind}", seen.method), || {
                let (method, kind) = (seen.method, crate::wire::json::cut(kind, 60));
                Finding::broken(format!(
                    "resultType of {method} is \"{kind}\"{why}; expected \"complete\" or \"input_required\""
                ))
                .seen_in(seen.record)
                .at("/result/resultType")
            }),
        }
    }
    let findings = slips.findings();
    match (findings.is_empty(), count, open) {
        (true, 0, 0) => nothing_seen(cx, "resultType"),
        (true, 0, _) => Ruling::skip(
            "the only types seen are those of an extension that was declared and is not known here",
        ),
        _ => Ruling::of(findings, format!("{count} results are of a known type")),
    }
}

enum Standing {
    Known,
    /// The request declared an extension whose types are not known here.
    Unsure,
    /// Why, in words that fit after the type.
    Unknown(&'static str),
}

fn verdict(cx: &Context, seen: &Seen, kind: &str) -> Standing {
    if matches!(kind, "complete" | "input_required") {
        return Standing::Known;
    }
    let declared = seen
        .capability("/extensions")
        .and_then(|extensions| extensions.as_object());
    let asked_for = |id: &str| declared.is_some_and(|declared| declared.contains_key(id));
    if kind == "task" {
        return match (asked_for(TASKS), cx.facts.advertises(TASKS)) {
            (true, true) => Standing::Known,
            (true, false) => {
                Standing::Unknown(", of an extension that the server does not advertise")
            }
            (false, _) => Standing::Unknown(", of an extension that the request did not declare"),
        };
    }
    let others = declared.is_some_and(|declared| {
        declared
            .keys()
            .any(|id| id != TASKS && cx.facts.advertises(id))
    });
    if others {
        Standing::Unsure
    } else {
        Standing::Unknown("")
    }
}

#[cfg(test)]
mod tests {
    use crate::ask::META_CAPABILITIES;
    use crate::testing::told::{says, told};
    use serde_json::{Value, json};

    fn call(kind: Value, declares: bool, advertises: bool) -> crate::record::Recording {
        let mut meta = crate::ask::meta(verdict_model::REVISION);
        if declares {
            meta[META_CAPABILITIES] = json!({"extensions": {super::TASKS: {}}});
        }
        let mut result = json!({"content": []});
        if !kind.is_null() {
            result["resultType"] = kind;
        }
        let capabilities = if advertises {
            json!({"extensions": {super::TASKS: {}}})
        } else {
            json!({})
        };
        let params = json!({"name": "a", "_meta": meta});
        told(
            &capabilities,
            &[("given/1", "tools/call", params, json!({"result": result}))],
        )
    }

    #[test]
    fn types_are_there_and_known() {
        for (kind, present, string, known) in [
            (json!("complete"), "met", "met", "met"),
            (json!("input_required"), "met", "met", "met"),
            (json!(null), "broken", "met", "met"),
            (json!(true), "met", "broken", "met"),
            (json!("partial"), "met", "met", "broken"),
        ] {
            let recording = call(kind.clone(), false, false);
            assert_eq!(says("result.type-present", &recording), present, "{kind}");
            assert_eq!(says("result.type-string", &recording), string, "{kind}");
            assert_eq!(says("result.type-known", &recording), known, "{kind}");
        }
    }

    #[test]
    fn tasks_are_for_those_who_asked() {
        for (declares, advertises, known, negotiated) in [
            (true, true, "met", "met"),
            (true, false, "broken", "met"),
            (false, true, "broken", "broken"),
        ] {
            let recording = call(json!("task"), declares, advertises);
            assert_eq!(says("result.type-known", &recording), known);
            assert_eq!(says("ext.task-unnegotiated", &recording), negotiated);
        }
    }

    #[test]
    fn only_three_methods_ask() {
        let question = json!({"result": {"resultType": "input_required", "requestState": "s"}});
        for (method, due) in [
            ("tools/call", "met"),
            ("prompts/get", "met"),
            ("tools/list", "broken"),
        ] {
            let recording = told(
                &json!({}),
                &[("given/1", method, json!({}), question.clone())],
            );
            assert_eq!(says("mrtr.not-elsewhere", &recording), due, "{method}");
            assert_eq!(says("result.type-known", &recording), "met", "{method}");
        }
    }
}
