//! Messages that are no requests, and bodies that are no JSON, are refused in order.

use crate::ask::{Ask, Patience, Payload, Probe, Stage};
use crate::check::Check;
use crate::conformance::legacy::removed::odd_lane;
use crate::context::Context;
use crate::facts::OURS;
use crate::record::{Answer, Record};
use crate::refusal::{answered, served};
use crate::ruling::{Finding, Ruling};
use serde_json::{Value, json};
use verdict_model::transcript::End;

/// Milliseconds that a process has for refusing what is no request.
const PATIENCE_MS: u64 = 2_000;

/// Sends requests without a method, of another JSON-RPC version and with a null id; over HTTP also
/// half a JSON text.
///
/// On stdio a good request goes first, so that the time limit is not spent on the start of the process,
/// and the first message that is dropped in silence is the last: the others would only wait as well.
pub const MALFORMED: Probe = Probe {
    name: "errors.malformed",
    stage: Stage::Main,
    next: malformed,
};

const CASES: [(&str, &str); 3] = [
    ("no-method", "without method"),
    ("json-rpc-1", "with jsonrpc \"1.0\""),
    ("null-id", "with id null"),
];

fn malformed(cx: &Context, round: usize) -> Vec<Ask> {
    if cx.is_http() {
        let requests = CASES
            .iter()
            .map(|(step, _)| request(step).over(odd_lane(cx)));
        return match round {
            0 => requests.chain([half()]).collect(),
            1 => vec![Ask::request("after", "server/discover", json!({}))],
            _ => vec![],
        };
    }
    let Some(at) = round.checked_sub(1) else {
        return vec![Ask::request("awake", "server/discover", json!({})).over(odd_lane(cx))];
    };
    let before = at.checked_sub(1).and_then(|before| CASES.get(before));
    let dropped = before.is_some_and(|(step, _)| {
        let record = cx.record(&format!("errors.malformed/{step}"));
        record.is_none_or(|record| is_silent(record) || is_cut_off(cx, record))
    });
    match CASES.get(at) {
        Some((step, _)) if !dropped => {
            vec![
                request(step)
                    .over(odd_lane(cx))
                    .patience(Patience::Glimpse(PATIENCE_MS)),
            ]
        }
        _ => vec![],
    }
}

/// A request that is none.
fn request(step: &str) -> Ask {
    let mut ask = Ask::request(step, "server/discover", json!({})).faulty();
    if let Payload::Message(message) = &mut ask.payload {
        match step {
            "no-method" => message.shift_remove("method"),
            "json-rpc-1" => message.insert("jsonrpc".to_owned(), json!("1.0")),
            _ => return ask.id(Value::Null),
        };
    }
    ask
}

/// Whether the server closed the connection, or ended, rather than answer, and is still there.
fn is_cut_off(cx: &Context, record: &Record) -> bool {
    let lost = matches!(record.answer(), Answer::Nothing(End::Lost(_)));
    lost && (!cx.is_http() || served(cx, "errors.malformed/after").is_ok())
}

/// Whether nothing came back at all.
fn is_silent(record: &Record) -> bool {
    match record.answer() {
        Answer::Nothing(End::Closed | End::TimedOut) => true,
        // What a process says meanwhile is no answer.
        Answer::Foreign => record.status().is_none() && record.response().is_none(),
        _ => false,
    }
}

fn half() -> Ask {
    Ask::post("half", Payload::Raw(br#"{"jsonrpc": "2.0","#.to_vec()))
        .header("MCP-Protocol-Version", OURS)
        .header("Mcp-Method", "server/discover")
        .faulty()
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should("errors.invalid-request", "A message that is no request is refused")
        .spec("schema#InvalidRequestError")
        .why("A client with a slip in its messages waits for an answer that never comes, or never learns of the slip.")
        .fix("Answer JSON that is no JSON-RPC 2.0 request with -32600 (invalid request).")
        .probes(&[&MALFORMED])
        .judge(invalid_request),
    Check::should("errors.parse", "A body that is no JSON is refused with -32700 and a 4xx status")
        .http()
        .spec("schema#ParseError")
        .why("With a 2xx the client takes its broken request for accepted; with a 5xx it blames the server and tries again.")
        .fix("Answer a body that cannot be parsed with HTTP 400 and -32700 (parse error).")
        .probes(&[&MALFORMED])
        .judge(parse),
    Check::advisory("errors.null-id", "An error to an unreadable request leaves the id out")
        .http()
        .spec("schema#JSONRPCErrorResponse")
        .why("The schema of this revision allows no null id, although JSON-RPC itself does; strict clients refuse the message.")
        .fix("Leave the id out of errors to requests whose id could not be read.")
        .probes(&[&MALFORMED])
        .judge(null_id),
];

fn invalid_request(cx: &Context) -> Ruling {
    if let Err(ruling) = served(cx, "era/discover") {
        return ruling;
    }
    let mut findings = Vec::new();
    let mut untried = None;
    for (step, fault) in CASES {
        let name = format!("errors.malformed/{step}");
        match outcome(cx, &name, fault) {
            Ok(found) => findings.extend(found),
            Err(ruling) => untried = Some(ruling),
        }
    }
    match untried {
        Some(ruling) if findings.is_empty() => ruling,
        _ => Ruling::of(findings, "messages that are no requests are refused"),
    }
}

/// What is wrong with the answer to a message that is no request.
fn outcome(cx: &Context, name: &str, fault: &str) -> Result<Option<Finding>, Ruling> {
    let record = match cx.record(name) {
        Some(record) if is_silent(record) && !cx.is_http() => {
            let message =
                format!("a message {fault} is not answered; expected -32600 (invalid request)");
            // What has no id to answer to may be dropped.
            let finding = if name.ends_with("null-id") {
                Finding::noted(message)
            } else {
                Finding::broken(message)
            };
            return Ok(Some(finding.about(fault).seen_in(record)));
        }
        Some(record) if is_cut_off(cx, record) => {
            let what = if cx.is_http() {
                "connection"
            } else {
                "process"
            };
            let message =
                format!("a message {fault} ends the {what}; expected -32600 (invalid request)");
            return Ok(Some(Finding::broken(message).about(fault).seen_in(record)));
        }
        Some(record) if matches!(record.answer(), Answer::Fault(_)) => record,
        _ => answered(cx, name)?,
    };
    let message = match (record.answer(), record.status()) {
        (Answer::Error(_), _) | (Answer::Foreign, Some(400..=499)) => return Ok(None),
        (Answer::Result(_), _) => {
            format!("a message {fault} is served; expected -32600 (invalid request)")
        }
        (_, Some(status)) => format!(
            "a message {fault} is answered with HTTP {status} and no JSON-RPC error; expected -32600 (invalid request)"
        ),
        (_, None) => format!(
            "a message {fault} is answered with no JSON-RPC error; expected -32600 (invalid request)"
        ),
    };
    Ok(Some(Finding::broken(message).about(fault).seen_in(record)))
}

/// The answer to half a JSON text.
fn unparsed<'c>(cx: &Context<'c>) -> Result<&'c Record, Ruling> {
    served(cx, "era/discover")?;
    match cx.record("errors.malformed/half") {
        Some(record) if matches!(record.answer(), Answer::Fault(_)) || is_cut_off(cx, record) => {
            Ok(record)
        }
        _ => answered(cx, "errors.malformed/half"),
    }
}

fn parse(cx: &Context) -> Ruling {
    let record = match unparsed(cx) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let finding = match (record.status().unwrap_or_default(), record.answer()) {
        (_, Answer::Nothing(_)) => Finding::broken(
            "half a JSON text ends the connection; expected a 4xx with -32700 (parse error)",
        ),
        (status @ 400..=499, Answer::Error(Some(-32700))) => {
            return Ruling::met(format!("HTTP {status} with -32700"));
        }
        (status @ 400..=499, Answer::Error(Some(code))) => Finding::noted(format!(
            "half a JSON text is refused with HTTP {status} and {code}; -32700 (parse error) would say more"
        )),
        (status @ 400..=499, _) => Finding::noted(format!(
            "half a JSON text is refused with HTTP {status} without a JSON-RPC error; -32700 (parse error) would say more"
        )),
        (status, _) => Finding::broken(format!(
            "half a JSON text is answered with HTTP {status}; expected a 4xx with -32700 (parse error)"
        )),
    };
    finding
        .about("a body that is no JSON")
        .seen_in(record)
        .into()
}

fn null_id(cx: &Context) -> Ruling {
    let record = match unparsed(cx) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let Some(response) = record
        .response()
        .filter(|_| matches!(record.answer(), Answer::Error(_)))
    else {
        return Ruling::skip("half a JSON text is not answered with a JSON-RPC error");
    };
    match response.id() {
        Some(Value::Null) => Finding::noted(
            "the error to a body that is no JSON has id null; the schema leaves the id out",
        )
        .about("a body that is no JSON")
        .seen_in(record)
        .at("/id")
        .into(),
        Some(_) => Ruling::met("the error does not have a null id"),
        None => Ruling::met("the error has no id"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruling::Weight;
    use crate::testing::{config, ruling};
    use verdict_fixture::{Server, Variant};

    fn weight(id: &str, defect: &str) -> Option<Weight> {
        let server = Server::with(defect).expect("a defect");
        match ruling(id, &server, config(), false) {
            Ruling::Found(findings) => findings.first().map(|finding| finding.weight),
            _ => None,
        }
    }

    #[test]
    fn correct_servers_refuse_in_order() {
        for check in CHECKS {
            for variant in [Variant::Full, Variant::DualEra] {
                for stdio in [false, true] {
                    if stdio && check.rule.scope == verdict_model::Scope::Http {
                        continue;
                    }
                    let ruling = ruling(check.rule.id, &Server::of(variant), config(), stdio);
                    assert!(!ruling.is_broken(), "{}: {ruling:?}", check.rule.id);
                }
            }
        }
    }

    #[test]
    fn other_answers_are_weighed() {
        assert_eq!(
            weight("errors.invalid-request", "json-rpc-1-served"),
            Some(Weight::Broken)
        );
        assert_eq!(
            weight("errors.parse", "parse-error-200"),
            Some(Weight::Broken)
        );
        assert_eq!(weight("errors.null-id", "null-id"), Some(Weight::Noted));
    }
}
