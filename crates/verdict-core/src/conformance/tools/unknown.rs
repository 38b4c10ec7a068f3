//! Calls that name no tool of the server's, or none at all.

use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::conformance::list::reach::unwalked;
use crate::context::Context;
use crate::facts::{Declared, List};
use crate::record::{Answer, Record};
use crate::refusal::{Refusal, answered, name_of};
use crate::ruling::{Finding, Ruling};
use serde_json::json;

/// Calls a tool that no server has, and calls without a name. No listed tool is touched.
pub const UNKNOWN: Probe = Probe {
    name: "tools.unknown",
    stage: Stage::Main,
    next: unknown,
};

fn unknown(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || cx.facts.declares("tools") != Declared::Yes {
        return vec![];
    }
    let named = json!({"name": cx.absent("tool"), "arguments": {}});
    vec![
        Ask::request("absent", "tools/call", named),
        Ask::request("nameless", "tools/call", json!({"arguments": {}})).faulty(),
    ]
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should("tools.unknown-tool-error", "A call of an unknown tool is refused with a JSON-RPC error")
        .spec("tools#error-handling")
        .why("A result goes to the model, which takes a missing tool for a failed one and tries again; the client never learns that its list is stale.")
        .fix("Look the tool up first, and answer an unknown name with error -32602 instead of a result.")
        .probes(&[&UNKNOWN])
        .judge(error),
    Check::should("tools.unknown-tool-code", "The error for an unknown tool is -32602")
        .spec("schema#InvalidParamsError")
        .why("Clients take -32601 for a missing tools/call, and -32603 for a fault that may pass.")
        .fix("Answer an unknown tool name with -32602 (invalid params).")
        .probes(&[&UNKNOWN])
        .judge(code),
    Check::should("tools.call-without-name", "A call without a tool's name is refused with -32602")
        .spec("tools#error-handling")
        .why("A client's slip comes back as a result or an internal error, and is looked for in the wrong place.")
        .fix("Check that `name` is a string, and answer -32602 (invalid params) otherwise.")
        .probes(&[&UNKNOWN])
        .judge(nameless),
];

/// The answer to the call of an unknown tool, on a server that lists its tools.
fn absent<'c>(cx: &Context<'c>) -> Result<&'c Record, Ruling> {
    match unwalked(cx, List::Tools) {
        Some(ruling) => Err(ruling),
        None => answered(cx, "tools.unknown/absent"),
    }
}

fn error(cx: &Context) -> Ruling {
    let record = match absent(cx) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let message = match record.answer() {
        Answer::Error(_) => return Ruling::met("an unknown tool is refused with an error"),
        Answer::Result(result) if result.get("isError") == Some(&json!(true)) => {
            "the call of a tool that does not exist is answered with a result that has isError: true; expected a JSON-RPC error"
        }
        Answer::Result(_) => {
            "the call of a tool that does not exist SUCCEEDS: the server runs something under any name; expected a JSON-RPC error"
        }
        _ => {
            "the call of a tool that does not exist is answered without a JSON-RPC response; expected an error"
        }
    };
    Finding::broken(message).seen_in(record).into()
}

fn code(cx: &Context) -> Ruling {
    let record = match absent(cx) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let got = match record.answer() {
        Answer::Error(Some(-32602)) => return Ruling::met("-32602"),
        Answer::Error(Some(code)) => format!("{code}{}", name_of(code)),
        Answer::Error(None) => "no integer".to_owned(),
        _ => {
            return Ruling::not_applicable(
                "the unknown tool was not refused with an error (tools.unknown-tool-error)",
            );
        }
    };
    Finding::broken(format!(
        "the error for an unknown tool has code {got}; expected -32602 (invalid params)"
    ))
    .seen_in(record)
    .at("/error/code")
    .into()
}

fn nameless(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Tools) {
        return ruling;
    }
    if cx.record("tools.unknown/nameless").map(Record::answer) == Some(Answer::Foreign) {
        return Ruling::skip("the answer holds no JSON-RPC response");
    }
    Refusal {
        fault: "to call a tool without `name`",
        probe: "tools.unknown/nameless",
        twin: "survey.tools/1",
        code: -32602,
        near: &[],
        // Over HTTP the missing Mcp-Name is as good a reason.
        also: if cx.is_http() { &[-32020] } else { &[] },
        status: None,
    }
    .judge(cx)
}
