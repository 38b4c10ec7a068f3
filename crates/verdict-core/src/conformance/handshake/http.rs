//! Streamable HTTP as revision 2025-11-25 has it: answers, sessions, header fields, the stream of a GET.

use super::session::{ASKS, END, HTTP, each, exchanges, had, opening, session, twin, version_of};
use crate::check::Check;
use crate::conformance::transport::origin::kept_out;
use crate::conformance::transport::traffic::came_to;
use crate::context::Context;
use crate::passive::Slips;
use crate::record::{Answer, Record};
use crate::refusal::served;
use crate::ruling::{Finding, Ruling};
use crate::wire::json::shortened;
use crate::wire::rpc::{Envelope, Kind};
use serde_json::Value;
use verdict_model::transcript::HttpExchange;

/// The first revision with a header field for the version.
const WITH_HEADER: &str = "2025-06-18";

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("handshake.accepted", "A notification is accepted with HTTP 202 and no body")
        .http()
        .spec("transports#sending-messages-to-the-server")
        .why("Clients wait for 202 before they go on; other answers end the handshake.")
        .fix("Answer notifications with HTTP 202 and an empty body.")
        .probes(&[&ASKS])
        .judge(accepted),
    Check::must("handshake.content-type", "A request is answered with JSON or an event stream")
        .http()
        .spec("transports#sending-messages-to-the-server")
        .why("Clients choose by Content-Type how to read the answer.")
        .fix("Answer requests as application/json or text/event-stream, and say which.")
        .judge(content_type),
    Check::advisory("handshake.accept", "Accept is read as a list, in any order and with weights")
        .http()
        .spec("transports#sending-messages-to-the-server")
        .why("Clients and proxies write Accept differently; a server that compares the text turns them away.")
        .fix("Look for the two media types in Accept instead of comparing the whole field.")
        .probes(&[&HTTP])
        .judge(accept),
    Check::must("handshake.get", "A GET opens an event stream without responses, or is refused with 405")
        .http()
        .spec("transports#listening-for-messages-from-the-server")
        .why("Clients open this stream for messages of the server; other answers look like an outage.")
        .fix("Answer a GET with text/event-stream, or with HTTP 405 where you offer no such stream.")
        .probes(&[&HTTP])
        .judge(get),
    Check::must("handshake.origin", "A request with a foreign Origin is refused with HTTP 403")
        .http()
        .spec("transports#security-warning")
        .why("Without this check any web page can call a server on its visitor's machine (DNS rebinding).")
        .fix("Compare Origin with the origins that you allow, and answer HTTP 403 to all others.")
        .probes(&[&HTTP])
        .judge(|cx| match had(cx, "handshake.http/foreign") {
            Err(_) if status(cx, "foreign") == Some(403) => Ruling::met("refused with HTTP 403"),
            Ok(record) => kept_out(cx, record),
            Err(ruling) => ruling,
        }),
    Check::must("handshake.version-header", "An invalid MCP-Protocol-Version is refused with HTTP 400")
        .http()
        .spec("transports#protocol-version-header")
        .why("A server that ignores the header serves clients by other rules than they believe.")
        .fix("Answer HTTP 400 to a version that you do not support.")
        .probes(&[&HTTP])
        .judge(version),
    Check::must("handshake.session-id", "The session id is made of visible ASCII")
        .http()
        .spec("transports#session-management")
        .why("Clients send the id back in a header field, which cannot carry anything else.")
        .fix("Make session ids of the characters 0x21 to 0x7E, for example a UUID.")
        .judge(session_id),
    Check::should("handshake.session-required", "A request without its session is refused with HTTP 400")
        .http()
        .spec("transports#session-management")
        .why("By this status clients learn that they must send the session id.")
        .fix("Answer HTTP 400 to requests without Mcp-Session-Id, other than initialize.")
        .probes(&[&HTTP])
        .judge(required),
    Check::must("handshake.session-ended", "A session that was ended is answered with HTTP 404")
        .http()
        .spec("transports#session-management")
        .why("By this status clients learn that they must begin a new session.")
        .fix("Answer HTTP 404 to the id of a session that is over; refuse DELETE with 405 if sessions cannot be ended.")
        .probes(&[&END])
        .judge(ended),
];

fn status(cx: &Context, step: &str) -> Option<u16> {
    cx.record(&format!("handshake.http/{step}"))?.status()
}

fn accepted(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    for name in ["handshake/initialized", "handshake.asks/cancelled"] {
        let record = match had(cx, name) {
            Ok(record) => record,
            Err(ruling) if findings.is_empty() => return ruling,
            Err(_) => continue,
        };
        let body = record.replies().next().map(|(message, _)| message);
        let blank = body.is_none_or(|body| body.text.as_str().trim().is_empty());
        let finding = match record.status().unwrap_or_default() {
            202 if body.is_none() => continue,
            202 if blank => Finding::unproven("202 comes with a blank body; expected none"),
            202 => Finding::broken("202 comes with a body; expected none"),
            _ => Finding::broken(format!(
                "answered with {}; expected HTTP 202",
                came_to(record)
            )),
        };
        findings.push(finding.seen_in(record));
    }
    Ruling::of(findings, "notifications are accepted with 202 and no body")
}

fn media_type(record: &Record) -> String {
    let http = record.exchange.http.as_ref();
    http.and_then(HttpExchange::media_type).unwrap_or_default()
}

fn content_type(cx: &Context) -> Ruling {
    let mut slips = Slips::default();
    for record in exchanges(cx) {
        let success = record.status().is_some_and(|status| status < 300);
        if !success || record.request().and_then(Envelope::id).is_none() {
            continue;
        }
        let kind = media_type(record);
        if kind != "application/json" && kind != "text/event-stream" {
            slips.add(kind.clone(), || {
                let kind = shortened(&Value::from(kind), 60);
                let message = format!(
                    "Content-Type is {kind}; expected application/json or text/event-stream"
                );
                Finding::broken(message).seen_in(record)
            });
        }
    }
    slips.ruling("answers are JSON or event streams")
}

/// Whether the request without the fault is served; a ruling when it is not.
fn with_twin<'c>(cx: &Context<'c>, step: &str) -> Result<&'c Record, Ruling> {
    served(cx, &twin(cx))?;
    had(cx, &format!("handshake.http/{step}"))
}

fn accept(cx: &Context) -> Ruling {
    match with_twin(cx, "accept") {
        Ok(record) if record.result().is_none() => Finding::broken(format!(
            "with both media types in another order and with weights, the answer is {}",
            came_to(record)
        ))
        .about("Accept")
        .seen_in(record)
        .into(),
        Ok(_) => Ruling::met("served"),
        Err(ruling) => ruling,
    }
}

fn get(cx: &Context) -> Ruling {
    let Some(status) = status(cx, "get") else {
        return Ruling::skip("a GET got no answer");
    };
    if status == 405 {
        return Ruling::met("refused with 405");
    }
    each(cx, "handshake.http/get", "an event stream", |cx, record| {
        let mut messages = record.replies().filter_map(|(_, parsed)| parsed.envelope());
        let success = record.status().is_some_and(|status| status < 300);
        if success && media_type(record) == "text/event-stream" {
            let response = messages.any(|message| message.kind() == Kind::Response);
            return response.then(|| Finding::broken("the stream of a GET carries a response"));
        }
        let message = format!(
            "a GET is answered with {}; expected text/event-stream, or HTTP 405",
            came_to(record)
        );
        let gateway = cx.settings.config.behind_gateway && messages.next().is_none();
        Some(if gateway {
            Finding::unproven(message)
        } else {
            Finding::broken(message)
        })
    })
}

fn version(cx: &Context) -> Ruling {
    if opening(cx).is_some_and(|opening| version_of(opening) < WITH_HEADER) {
        return Ruling::not_applicable("the header is newer than the version that was agreed on");
    }
    match with_twin(cx, "version") {
        Ok(record) if record.status() != Some(400) => Finding::broken(format!(
            "MCP-Protocol-Version: no-version is answered with {}; expected HTTP 400",
            came_to(record)
        ))
        .about("MCP-Protocol-Version")
        .seen_in(record)
        .into(),
        Ok(_) => Ruling::met("refused with 400"),
        Err(ruling) => ruling,
    }
}

/// What a rule about sessions gets where there is none.
fn no_session(cx: &Context) -> Option<Ruling> {
    let none = session(cx).is_none();
    none.then(|| Ruling::not_applicable("the server keeps no sessions"))
}

fn session_id(cx: &Context) -> Ruling {
    let Some(id) = session(cx) else {
        return Ruling::not_applicable("the server keeps no sessions");
    };
    if !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ruling::met("visible ASCII");
    }
    let message = "Mcp-Session-Id is empty or holds other characters than 0x21 to 0x7E";
    let finding = Finding::broken(message).about("Mcp-Session-Id");
    match opening(cx) {
        Some(record) => finding.seen_in(record).into(),
        None => finding.into(),
    }
}

fn required(cx: &Context) -> Ruling {
    if let Some(ruling) = no_session(cx) {
        return ruling;
    }
    let record = match with_twin(cx, "without") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let finding = match (record.status(), record.answer()) {
        (Some(400), _) => return Ruling::met("refused with 400"),
        // Only a server that needs the id is to insist on it.
        (_, Answer::Result(_)) => {
            Finding::noted("the server gives out session ids, and serves without")
        }
        _ => Finding::broken(format!(
            "a request without Mcp-Session-Id is answered with {}; expected HTTP 400",
            came_to(record)
        )),
    };
    finding.about("Mcp-Session-Id").seen_in(record).into()
}

fn ended(cx: &Context) -> Ruling {
    if let Some(ruling) = no_session(cx) {
        return ruling;
    }
    let delete = match had(cx, "handshake.end/delete") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    match delete.status().unwrap_or_default() {
        405 => return Ruling::not_applicable("the server does not let clients end sessions (405)"),
        200..300 => {}
        _ => {
            let message = format!(
                "DELETE is answered with {}; expected 2xx, or HTTP 405",
                came_to(delete)
            );
            return Finding::unproven(message).seen_in(delete).into();
        }
    }
    each(
        cx,
        "handshake.end/after",
        "answered with 404",
        |_, record| {
            (record.status() != Some(404)).then(|| {
                Finding::broken(format!(
                    "after DELETE the session is answered with {}; expected HTTP 404",
                    came_to(record)
                ))
            })
        },
    )
}
