//! How a run failed otherwise than by a wrong choice, and whose doing that is.

use super::trace::Trace;
use crate::chat::End;
use crate::golden::{Case, Expect};
use crate::tool::Tool;
use serde_json::Value;
use std::collections::BTreeMap;
use verdict_model::behavior::{RunFault, Who};

/// A fault, and whether it fails the run.
pub(super) struct Fault {
    pub(super) fault: RunFault,
    /// Whether the run fails by it.
    pub(super) is_failing: bool,
}

impl Fault {
    fn of_model(what: &str, message: &str) -> Self {
        Self {
            fault: RunFault {
                who: Who::Model,
                what: what.to_owned(),
                message: message.to_owned(),
            },
            is_failing: true,
        }
    }
}

/// Whether the provider took the answer away: then there is nothing to score.
pub(super) fn is_filtered(trace: &Trace) -> bool {
    trace.end == End::Filtered
}

/// Whether the limit of tokens ended the run within a call, so that its arguments may be half of what was meant.
pub(super) fn is_cut_in_call(trace: &Trace) -> bool {
    trace.end == End::CutOff
        && trace
            .calls
            .last()
            .is_some_and(|it| it.result_from.is_none())
}

/// What went wrong, where something did; `is_right` says that all gating checks passed.
pub(super) fn of(
    case: &Case,
    trace: &Trace,
    tools: &BTreeMap<&str, &Tool>,
    is_right: bool,
) -> Option<Fault> {
    by_end(case, trace, is_right)
        .or_else(|| by_arguments(trace))
        .or_else(|| {
            (trace.end == End::Calls).then(|| {
                let message =
                    "the model still wanted to call tools when the limit of turns ended the run";
                Fault::of_model("turn-limit", message)
            })
        })
        .or_else(|| {
            if is_right {
                None
            } else {
                by_calls(case, trace, tools)
            }
        })
}

fn by_end(case: &Case, trace: &Trace, is_right: bool) -> Option<Fault> {
    match &trace.end {
        End::Filtered => Some(Fault {
            fault: RunFault {
                who: Who::Provider,
                what: "filtered".to_owned(),
                message: "the provider's filter took the answer away".to_owned(),
            },
            is_failing: true,
        }),
        End::CutOff => {
            let is_done = is_right
                && case.rubric.is_none()
                && !is_cut_in_call(trace)
                && !trace.answer.trim().is_empty();
            let mut fault = Fault::of_model(
                "cut-off",
                if is_done {
                    "the limit of tokens cut off the last words, after all that the case looks at was done"
                } else {
                    "the limit of tokens cut the answer off: raise it, or see why the model writes so much"
                },
            );
            fault.is_failing = !is_done;
            Some(fault)
        }
        End::Refused if wants_calls(case) => {
            Some(Fault::of_model("refused", "the model refused the task"))
        }
        End::Other(word) => by_word(word),
        End::Stop | End::Calls | End::Empty | End::Refused => None,
    }
}

/// Reasons in a provider's own words that are the model's doing.
fn by_word(word: &str) -> Option<Fault> {
    let (what, message) = match word.to_ascii_lowercase().as_str() {
        "malformed_function_call" => (
            "bad-arguments",
            "the model wrote a call that the provider could not read",
        ),
        "unexpected_tool_call" => (
            "unknown-tool",
            "the model called a tool that was not on offer",
        ),
        "too_many_tool_calls" => (
            "turn-limit",
            "the model made more calls than the provider allows",
        ),
        "model_context_window_exceeded" => (
            "context-overflow",
            "the conversation outgrew the model's window",
        ),
        _ => return None,
    };
    Some(Fault::of_model(what, message))
}

fn by_arguments(trace: &Trace) -> Option<Fault> {
    let error = trace.calls.iter().find_map(|it| it.call.object().err())?;
    Some(Fault::of_model("bad-arguments", &error.to_string()))
}

/// What explains a wrong choice.
fn by_calls(case: &Case, trace: &Trace, tools: &BTreeMap<&str, &Tool>) -> Option<Fault> {
    let is_unknown = |name: &str| !tools.contains_key(name);
    if trace.calls.iter().any(|it| is_unknown(&it.call.name)) {
        return Some(Fault::of_model(
            "unknown-tool",
            "the model called a tool that is not on offer",
        ));
    }
    if !trace.calls.is_empty() || !wants_calls(case) {
        return None;
    }
    if is_call_as_text(&trace.answer, tools) {
        let message =
            "the model wrote a call as text: its chat template, or its server's, loses the calls";
        return Some(Fault::of_model("call-as-text", message));
    }
    let is_empty = trace.end == End::Empty || trace.answer.trim().is_empty();
    is_empty.then(|| Fault::of_model("empty", "the model gave neither words nor a call"))
}

fn wants_calls(case: &Case) -> bool {
    matches!(case.expect, Expect::Tool { .. } | Expect::Sequence { .. })
}

/// Whether a text holds a JSON object that names a tool on offer: `{"name": "x", "arguments": {…}}`, alone, fenced or
/// within words.
fn is_call_as_text(text: &str, tools: &BTreeMap<&str, &Tool>) -> bool {
    // The first brace of each of a few candidates: an answer is a stranger's, and may be all braces.
    let starts = text.match_indices('{').map(|(at, _)| at).take(20);
    starts.into_iter().any(|at| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        let Some(Ok(Value::Object(object))) = values.next() else {
            return false;
        };
        let name = object
            .get("name")
            .or_else(|| object.get("function"))
            .and_then(Value::as_str);
        let has_arguments = ["arguments", "parameters", "input"]
            .iter()
            .any(|it| object.contains_key(*it));
        has_arguments && name.is_some_and(|name| tools.contains_key(name))
    })
}
