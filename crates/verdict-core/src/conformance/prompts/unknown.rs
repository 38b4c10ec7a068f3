//! `prompts/get` for a prompt that the server does not have, or without a name.

use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::conformance::list::reach::unwalked;
use crate::context::Context;
use crate::facts::{Declared, List};
use crate::record::{Answer, Record};
use crate::refusal::Refusal;
use crate::ruling::Ruling;
use serde_json::json;

/// Gets a prompt that no server has, and one without a name.
pub const UNKNOWN: Probe = Probe {
    name: "prompts.unknown",
    stage: Stage::Main,
    next: unknown,
};

fn unknown(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || cx.facts.declares("prompts") != Declared::Yes {
        return vec![];
    }
    let named = json!({"name": cx.absent("prompt")});
    vec![
        Ask::request("absent", "prompts/get", named),
        Ask::request("nameless", "prompts/get", json!({})).faulty(),
    ]
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should(
        "prompts.unknown-code",
        "An unknown prompt is refused with -32602",
    )
    .spec("prompts#error-handling")
    .why(
        "A client cannot tell from another code, or from a made-up prompt, that its list is stale.",
    )
    .fix("Look the prompt up first, and answer an unknown name with -32602 (invalid params).")
    .probes(&[&UNKNOWN])
    .judge(|cx| refused(cx, "for a prompt that does not exist", "absent", &[])),
    Check::should(
        "prompts.no-name",
        "prompts/get without a name is refused with -32602",
    )
    .spec("schema#GetPromptRequestParams")
    .why("A client's slip comes back as an internal error, and is looked for in the wrong place.")
    .fix("Check that `name` is a string, and answer -32602 (invalid params) otherwise.")
    .probes(&[&UNKNOWN])
    .judge(|cx| {
        // Over HTTP the missing Mcp-Name is as good a reason.
        let also: &[i64] = if cx.is_http() { &[-32020] } else { &[] };
        refused(cx, "for a prompt without `name`", "nameless", also)
    }),
];

fn refused(cx: &Context, fault: &str, step: &str, also: &[i64]) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Prompts) {
        return ruling;
    }
    let probe = format!("{}/{step}", UNKNOWN.name);
    if cx.record(&probe).map(Record::answer) == Some(Answer::Foreign) {
        // What is no response at all is for transport.* and errors.* to tell.
        return Ruling::skip("the answer holds no JSON-RPC response");
    }
    Refusal {
        fault,
        probe: &probe,
        twin: "survey.prompts/1",
        code: -32602,
        near: &[],
        also,
        status: None,
    }
    .judge(cx)
}
