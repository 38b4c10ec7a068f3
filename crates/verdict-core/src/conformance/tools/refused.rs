//! Arguments that the published schema forbids are not served.

use super::calls::{CALLS, callable, sound, untried};
use super::faults::{KINDS, words};
use crate::check::Check;
use crate::conformance::list::reach::unwalked;
use crate::context::Context;
use crate::facts::List;
use crate::record::{Answer, Record};
use crate::refusal::{answered, name_of};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::cut;
use serde_json::{Value, json};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should("tools.arguments-not-object", "A call whose arguments are a text is refused")
        .spec("schema#CallToolRequestParams")
        .why("The tool runs with whatever a broken call happens to mean.")
        .fix("Check that `arguments` is an object, and answer -32602 (invalid params) otherwise.")
        .probes(&[&CALLS])
        .judge(not_object),
    Check::must("tools.invalid-args-rejected", "Arguments that break the input schema are not served")
        .opt_in()
        .spec("tools#security-considerations")
        .why("Models make arguments up; a tool that runs with them deletes, sends or pays the wrong thing and says that all is well.")
        .fix("Validate the arguments against inputSchema before the tool runs, and answer a misfit with isError: true.")
        .probes(&[&CALLS])
        .judge(rejected),
    Check::should("tools.invalid-args-as-result", "Arguments that break the input schema are told of in a result with isError: true")
        .opt_in()
        .spec("tools#error-handling")
        .why("A result reaches the model, which can mend its arguments; many clients keep errors to themselves.")
        .fix("Answer arguments that do not fit with a result that has isError: true and says what is wrong.")
        .probes(&[&CALLS])
        .judge(as_result),
];

fn not_object(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Tools) {
        return ruling;
    }
    let real = callable(cx)
        .into_iter()
        .find_map(|tool| cx.record(&format!("{}/text/{}", CALLS.name, tool.name())));
    if let Some(record) = real
        && let Ok(record) = answered(cx, &record.exchange.name)
    {
        let ruling = text_served(record, "a tool");
        if !ruling.is_met() {
            return ruling;
        }
    }
    match answered(cx, "tools.calls/text-absent") {
        Err(ruling) => ruling,
        Ok(record) => text_served(record, "a tool that does not exist"),
    }
}

fn text_served(record: &Record, what: &str) -> Ruling {
    let Answer::Result(result) = record.answer() else {
        return match record.answer() {
            Answer::Error(_) => Ruling::met("refused with an error"),
            _ => Ruling::skip("the answer holds no JSON-RPC response"),
        };
    };
    let message = format!("a call of {what} whose `arguments` are a text");
    let finding = if result.get("isError") == Some(&json!(true)) {
        Finding::noted(format!(
            "{message} is answered with isError: true; a JSON-RPC error (-32602) would reach the client's author"
        ))
    } else if what != "a tool" {
        Finding::noted(format!("{message} is served; expected an error"))
    } else {
        Finding::broken(format!("{message} is served; expected an error (-32602)"))
    };
    finding.seen_in(record).at("/result").into()
}

/// What became of one faulty call.
enum Came {
    /// A result that tells of an error.
    Told,
    /// A JSON-RPC error.
    Refused(Option<i64>),
    /// A result as if nothing was wrong.
    Served,
    /// A question, or something that comes later.
    Open,
}

struct Tried<'c> {
    tool: &'c str,
    kind: &'static str,
    record: &'c Record,
    came: Came,
}

/// The faulty calls; a ruling where there are none.
fn tried<'c>(cx: &Context<'c>) -> Result<Vec<Tried<'c>>, Ruling> {
    let mut all = Vec::new();
    let mut network = None;
    for (tool, _) in sound(cx) {
        for kind in KINDS {
            let name = format!("{}/{kind}/{}", CALLS.name, tool.name());
            if cx.record(&name).is_none() {
                continue;
            }
            match answered(cx, &name) {
                Err(ruling) => network = Some(ruling),
                Ok(record) => all.extend(came(record).map(|came| Tried {
                    tool: tool.name(),
                    kind,
                    record,
                    came,
                })),
            }
        }
    }
    if !all.is_empty() {
        return Ok(all);
    }
    Err(match network {
        Some(ruling) => ruling,
        None if sound(cx).next().is_some() => Ruling::skip(
            "the input schemas of the tools that were called forbid nothing that could be tried",
        ),
        None => untried(cx),
    })
}

fn came(record: &Record) -> Option<Came> {
    Some(match record.answer() {
        Answer::Error(code) => Came::Refused(code),
        Answer::Result(result) => match result.get("resultType").and_then(Value::as_str) {
            None | Some("complete") if result.get("isError") == Some(&json!(true)) => Came::Told,
            None | Some("complete") => Came::Served,
            Some(_) => Came::Open,
        },
        _ => return None,
    })
}

fn rejected(cx: &Context) -> Ruling {
    let tried = match tried(cx) {
        Ok(tried) => tried,
        Err(ruling) => return ruling,
    };
    let count = tried.len();
    let findings = tried.into_iter().filter_map(|one| {
        let what = words(one.kind);
        let finding = match one.came {
            Came::Served => Finding::broken(format!(
                "a call {what} is served; the input schema forbids it: expected isError: true or error -32602"
            ))
            .at("/result"),
            Came::Refused(Some(code)) if code != -32602 => Finding::noted(format!(
                "a call {what} is refused with {code}{}; usual are isError: true and -32602",
                name_of(code)
            ))
            .at("/error/code"),
            _ => return None,
        };
        Some(finding.seen_in(one.record).about(cut(one.tool, 200)))
    });
    Ruling::of(
        findings.collect(),
        format!("{count} faulty calls are not served"),
    )
}

fn as_result(cx: &Context) -> Ruling {
    let tried = match tried(cx) {
        Ok(tried) => tried,
        Err(ruling) => return ruling,
    };
    let (mut told, mut served) = (0, false);
    let mut findings = Vec::new();
    for one in tried {
        match one.came {
            Came::Told => told += 1,
            Came::Refused(code) => {
                let code = code.map_or("an error".to_owned(), |code| {
                    format!("error {code}{}", name_of(code))
                });
                let message = format!(
                    "a call {} is answered with {code}; a result with isError: true would reach the model",
                    words(one.kind)
                );
                let finding = Finding::noted(message).seen_in(one.record);
                findings.push(finding.about(cut(one.tool, 200)).at("/error"));
            }
            Came::Served => served = true,
            Came::Open => {}
        }
    }
    if (told == 0 || served) && findings.is_empty() {
        return Ruling::skip("not every faulty call was refused (tools.invalid-args-rejected)");
    }
    Ruling::of(
        findings,
        format!("{told} faulty calls are told of in results"),
    )
}

#[cfg(test)]
mod tests {
    use crate::testing::shows;

    #[test]
    fn served_faults_are_found() {
        shows(&[
            ("unknown-tool-result", "tools.arguments-not-object", "info"),
            (
                "arguments-text-served",
                "tools.arguments-not-object",
                "warn",
            ),
            ("arguments-unchecked", "tools.invalid-args-rejected", "fail"),
            ("arguments-refused", "tools.invalid-args-as-result", "info"),
        ]);
    }
}
