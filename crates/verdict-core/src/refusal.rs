//! Negative probes: a faulty request must be refused for the right reason, its fault-free twin served.
//!
//! One place for what all of them share, so that each check says only which code refuses its fault.

use crate::context::Context;
use crate::facts::{describe_busy, describe_end};
use crate::record::{Answer, Record};
use crate::ruling::{Finding, Ruling};
use verdict_model::transcript::End;

/// What must happen to a faulty request.
#[derive(Debug, Clone, Copy)]
pub struct Refusal<'a> {
    /// The fault, in words that fit after "a request".
    pub fault: &'a str,
    /// The exchange that carried the fault.
    pub probe: &'a str,
    /// The fault-free twin, which must be served (G1).
    pub twin: &'a str,
    /// The code that refuses it.
    pub code: i64,
    /// Codes that refuse it for another reason that is near enough: not proven.
    pub near: &'a [i64],
    /// Codes that refuse it for an equally good reason.
    pub also: &'a [i64],
    /// The HTTP status that must come with the refusal, where this rule owns it.
    pub status: Option<u16>,
}

impl Refusal<'_> {
    /// Judges the refusal.
    pub fn judge(&self, cx: &Context) -> Ruling {
        if let Err(ruling) = served(cx, self.twin) {
            return ruling;
        }
        let record = match answered(cx, self.probe) {
            Ok(record) => record,
            Err(ruling) => return ruling,
        };
        match self.find(record) {
            None => Ruling::met(format!("refused with {}", self.code)),
            Some(finding) => finding.into(),
        }
    }

    /// What is wrong with the answer to the faulty request, if anything.
    pub fn find(&self, record: &Record) -> Option<Finding> {
        let (fault, code) = (self.fault, self.code);
        let finding = match record.answer() {
            Answer::Error(Some(got)) if got == code || self.also.contains(&got) => {
                match (self.status, record.status()) {
                    (Some(due), Some(status)) if status != due => Finding::broken(format!(
                        "a request {fault} is refused with {got}, but under HTTP {status} instead of {due}"
                    )),
                    _ => return None,
                }
            }
            Answer::Error(Some(got)) if self.near.contains(&got) => Finding::unproven(format!(
                "a request {fault} is refused with {got}, not with {code}: the refusal may have another reason"
            )),
            Answer::Error(Some(got)) => Finding::broken(format!(
                "a request {fault} must be refused with {code}{}; it was refused with {got}{}",
                name_of(code),
                draft_note(got)
            )),
            Answer::Error(None) => Finding::broken(format!(
                "a request {fault} must be refused with {code}{}; the error has no integer code",
                name_of(code)
            )),
            Answer::Result(_) => Finding::broken(format!(
                "a request {fault} must be refused with {code}{}; it was served",
                name_of(code)
            )),
            Answer::Foreign => {
                let status = record
                    .status()
                    .map_or_else(String::new, |status| format!(" HTTP {status}"));
                let text = format!(
                    "a request {fault} must be refused with {code}{}; the answer{status} holds no JSON-RPC error",
                    name_of(code)
                );
                Finding::broken(text)
            }
            Answer::Locked(_) | Answer::Busy(_) | Answer::Fault(_) | Answer::Nothing(_) => {
                return None;
            }
        };
        Some(finding.seen_in(record))
    }
}

/// The twin of a negative probe; a ruling when it was not served.
///
/// # Errors
/// The [`Ruling`] that the rule gets instead.
pub fn served<'c>(cx: &Context<'c>, twin: &str) -> Result<&'c Record, Ruling> {
    let record = answered(cx, twin)?;
    match record.answer() {
        Answer::Result(_) => Ok(record),
        _ => Err(Ruling::skip(format!(
            "the same request without the fault ({}) is not served either, so a refusal proves nothing",
            record.method().unwrap_or(twin)
        ))),
    }
}

/// An exchange that came to an answer of the server's own; a ruling for what else it may have come to.
///
/// # Errors
/// The [`Ruling`] that the rule gets instead: skip for what could not be tried, error for the network.
pub fn answered<'c>(cx: &Context<'c>, name: &str) -> Result<&'c Record, Ruling> {
    let Some(record) = cx.record(name) else {
        return Err(Ruling::skip(match &cx.recording.cut_off {
            Some(why) => format!("not reached: {why}"),
            None => "the probe had nothing to send here".to_owned(),
        }));
    };
    match record.answer() {
        Answer::Result(_) | Answer::Error(_) | Answer::Foreign => Ok(record),
        Answer::Locked(status) => Err(Ruling::skip(format!(
            "HTTP {status}: the server wants credentials for this request"
        ))),
        Answer::Busy(status) => Err(busy(cx, record, status)),
        Answer::Fault(status) => Err(Ruling::Error(format!(
            "the server answered HTTP {status}, twice"
        ))),
        Answer::Nothing(end) => Err(Ruling::Error(match (end, &cx.recording.cut_off) {
            (End::Unfinished, Some(why)) => {
                format!("not answered before the run was cut off: {why}")
            }
            _ => format!("the server {}", describe_end(end)),
        })),
    }
}

/// What a refusal for the time being comes to: no rule was tried. A list that is never served is more than a rate
/// limit, so the run has no verdict.
fn busy(cx: &Context, record: &Record, status: u16) -> Ruling {
    let why = describe_busy(status);
    let method = record.method().unwrap_or_default();
    let is_core = method == "server/discover" || method.ends_with("/list");
    let mut asked = cx.recording.conforming();
    let served = asked.any(|other| other.method() == Some(method) && other.result().is_some());
    if is_core && !served {
        return Ruling::Error(format!("{why} whenever {method} was asked for, to the end"));
    }
    Ruling::skip(why)
}

/// A code with its name, for messages.
pub fn name_of(code: i64) -> &'static str {
    match code {
        -32700 => " (parse error)",
        -32600 => " (invalid request)",
        -32601 => " (method not found)",
        -32602 => " (invalid params)",
        -32603 => " (internal error)",
        -32020 => " (HeaderMismatch)",
        -32021 => " (MissingRequiredClientCapability)",
        -32022 => " (UnsupportedProtocolVersion)",
        _ => "",
    }
}

/// The codes of earlier drafts are the most common slip; say so where one is seen.
pub fn draft_note(code: i64) -> &'static str {
    match code {
        -32001 => " (HeaderMismatch in drafts; renumbered to -32020)",
        -32003 => " (MissingRequiredClientCapability in drafts; renumbered to -32021)",
        -32004 => " (UnsupportedProtocolVersion in drafts; renumbered to -32022)",
        -32002 => " (resource not found in earlier revisions; retired)",
        _ => name_of(code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Facts;
    use crate::testing::{config, replied, settings};
    use serde_json::json;

    #[test]
    fn a_list_that_is_never_served_is_no_rate_limit() {
        let refusal = ("tools/list", 429, json!({}));
        let served = json!({"jsonrpc": "2.0", "id": "given/2", "result": {}});
        let says = |replies: &[(&str, u16, serde_json::Value)]| {
            let recording = replied(replies);
            let settings = settings(config(), false);
            let facts = Facts::read(&recording);
            let cx = Context {
                settings: &settings,
                recording: &recording,
                facts: &facts,
            };
            answered(&cx, "given/1").expect_err("busy")
        };
        assert!(
            matches!(says(std::slice::from_ref(&refusal)), Ruling::Error(why) if why.contains("HTTP 429"))
        );
        let both = [refusal, ("tools/list", 200, served)];
        assert!(matches!(says(&both), Ruling::Skip(_)));
        assert!(matches!(
            says(&[("tools/call", 429, json!({}))]),
            Ruling::Skip(_)
        ));
    }
}
