//! The HTTP statuses that four error codes must come under.
//!
//! Servers fail here that answer every JSON-RPC error with 200, or pick the status before the method is
//! looked up.

use super::traffic::{messages, posts, told_once};
use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::refusal::{answered, name_of, served};
use crate::ruling::{Finding, Ruling};
use crate::wire::rpc::Kind;
use serde_json::json;

/// Calls a method that no server has.
pub const UNKNOWN_METHOD: Probe = Probe {
    name: "transport.unknown-method",
    stage: Stage::Main,
    next: unknown_method,
};

fn unknown_method(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || !cx.is_http() {
        return vec![];
    }
    vec![Ask::request("call", &cx.absent("method"), json!({})).faulty()]
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("transport.method-not-found-404", "An unknown method is refused with -32601 under HTTP 404")
        .headline(6)
        .http()
        .spec("http#protocol-version-header")
        .why("The status tells gateways and clients at once that the method is missing; the JSON-RPC body tells it apart from a wrong URL.")
        .fix("Answer -32601 (method not found) with HTTP status 404 and the JSON-RPC error as the body.")
        .official(&["sep-2575-http-server-method-not-found-404"])
        .probes(&[&UNKNOWN_METHOD])
        .judge(method_not_found),
    Check::must("transport.status-error-mandated", "-32020, -32021 and -32022 come under HTTP 400, -32601 under 404")
        .headline(6)
        .http()
        .spec("http#server-validation")
        .why("Gateways, and clients that look at the status first, take a refusal under another status for a success or for a fault of the server.")
        .fix("Set the HTTP status from the error code: 400 for -32020, -32021 and -32022, 404 for -32601.")
        .official(&["sep-2575-missing-capability-http-400"])
        .judge(mandated),
];

/// A finding about a status; a gateway may have changed it (G9), and a stream's was fixed before (F6).
fn wrong_status(cx: &Context, record: &Record, message: String) -> Finding {
    let finding = if record.in_stream() {
        Finding::unproven(format!(
            "{message}; the stream had begun, so the status could not change any more"
        ))
    } else if cx.settings.config.behind_gateway {
        Finding::unproven(format!("{message}; a gateway may have changed it"))
    } else {
        Finding::broken(message)
    };
    finding.seen_in(record)
}

fn method_not_found(cx: &Context) -> Ruling {
    if let Err(ruling) = served(cx, "era/discover") {
        return ruling;
    }
    let record = match answered(cx, "transport.unknown-method/call") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let status = record.status().unwrap_or_default();
    match record.answer() {
        Answer::Error(Some(-32601)) if status == 404 => {
            Ruling::met("refused with -32601 under HTTP 404")
        }
        Answer::Error(Some(-32601)) => {
            let message = format!(
                "an unknown method is refused with -32601 under HTTP {status}; expected 404"
            );
            wrong_status(cx, record, message).into()
        }
        Answer::Foreign if status == 404 => {
            let message = "an unknown method is answered with HTTP 404 but without a JSON-RPC error; clients cannot tell it from a wrong URL";
            let finding = if cx.settings.config.behind_gateway {
                Finding::unproven(format!("{message} (a gateway may have answered)"))
            } else {
                Finding::broken(message)
            };
            finding.seen_in(record).into()
        }
        _ => {
            Ruling::skip("the unknown method was not refused with -32601 (errors.method-not-found)")
        }
    }
}

/// The status that a code must come under.
fn due(code: i64) -> Option<u16> {
    match code {
        -32022..=-32020 => Some(400),
        -32601 => Some(404),
        _ => None,
    }
}

/// Exchanges whose status has a rule of its own.
fn has_own_rule(cx: &Context, record: &Record, code: i64) -> bool {
    let name = record.exchange.name.as_str();
    match code {
        -32601 => record.method() == Some(cx.absent("method").as_str()),
        // tools.capability-http-400 looks at all of them.
        -32021 => true,
        -32022 => name == "version.unsupported/past",
        _ => false,
    }
}

fn mandated(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    let mut seen = 0;
    for record in posts(cx) {
        let Some(status) = record.status() else {
            continue;
        };
        for (_, envelope, kind) in messages(record) {
            let code = envelope.error_code().filter(|_| kind == Kind::Response);
            let Some((code, due)) = code.and_then(|code| Some((code, due(code)?))) else {
                continue;
            };
            if has_own_rule(cx, record, code) || !envelope.members.contains_key("jsonrpc") {
                continue;
            }
            seen += 1;
            if status != due {
                let message = format!(
                    "{code}{} comes under HTTP {status}; expected {due}",
                    name_of(code)
                );
                findings.push(wrong_status(cx, record, message));
            }
        }
    }
    if seen == 0 {
        return Ruling::skip("none of these codes was seen outside the rules that own it");
    }
    Ruling::of(
        told_once(findings),
        format!("{seen} refusals came under the right status"),
    )
}

#[cfg(test)]
mod tests {
    use super::super::traffic::sample::{body, faulty, found, ruling, ruling_in, stream};
    use super::*;
    use crate::facts::EraFinding;
    use crate::ruling::Weight;
    use crate::testing;
    use verdict_fixture::Server;

    fn refusal(status: u16, code: i64) -> verdict_model::transcript::Exchange {
        let error = json!({"jsonrpc": "2.0", "id": "a", "error": {"code": code, "message": "no"}});
        faulty(body("a", status, "application/json", &error.to_string()))
    }

    #[test]
    fn statuses_follow_codes() {
        let id = "transport.status-error-mandated";
        for (code, due) in [(-32020, 400), (-32022, 400), (-32601, 404)] {
            assert!(ruling(id, vec![refusal(due, code)]).is_met(), "{code}");
            assert!(ruling(id, vec![refusal(200, code)]).is_broken(), "{code}");
        }
        assert!(matches!(
            ruling(id, vec![refusal(200, -32602)]),
            Ruling::Skip(_)
        ));
        let ruled = ruling_in(id, vec![refusal(500, -32020)], EraFinding::Modern, true);
        assert_eq!(found(&ruled)[0].0, Weight::Unproven);
    }

    #[test]
    fn a_status_that_was_fixed_before_is_not_proven() {
        let note = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
        let error = r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32020,"message":"no"}}"#;
        let ruled = ruling(
            "transport.status-error-mandated",
            vec![stream("a", &[note, error])],
        );
        assert_eq!(found(&ruled)[0].0, Weight::Unproven);
        let bare = ruling(
            "transport.status-error-mandated",
            vec![stream("a", &[error])],
        );
        assert!(bare.is_broken());
    }

    #[test]
    fn an_unknown_method_is_404() {
        let ruled = |server: &Server| {
            testing::ruling(
                "transport.method-not-found-404",
                server,
                testing::config(),
                false,
            )
        };
        assert!(ruled(&Server::correct()).is_met());
        let broken = Server::with("unknown-method-200").expect("a defect");
        assert!(ruled(&broken).is_broken());
    }
}
