//! Event streams: what an event holds, one response that ends the stream, and fields around it.
//!
//! Passive. Servers fail here that print by themselves onto a stream, send a response twice, or keep a stream
//! open although nothing can follow.

use super::traffic::{
    is_listen, is_stream, listed, messages, no_stream, posts, streams, told_once,
};
use crate::check::Check;
use crate::context::Context;
use crate::engine::LINGER_MS;
use crate::record::Record;
use crate::ruling::{Finding, Ruling};
use crate::wire::json::cut;
use crate::wire::rpc::{Envelope, Kind, Parsed, is_form_of, same_id};
use verdict_model::transcript::{Carrier, End};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("transport.sse-parse", "Every event with data is one JSON-RPC message")
        .http()
        .spec("http#receiving-messages")
        .why("Clients parse each event as one message; anything else breaks the stream, or is lost without a trace.")
        .fix("Send one JSON-RPC object as the data of each event, in the default event type; keep connections alive with comment lines (a line that begins with a colon).")
        .official(&["server-sse-streams-functional"])
        .judge(parse),
    Check::must("transport.sse-one-response", "A stream carries exactly one response: that of its request")
        .http()
        .spec("http#receiving-messages")
        .why("A client waits for the one response to its request: without it the call hangs or fails, and a second one is taken for an answer to something else.")
        .fix("End every stream with the response that has the request's id, and send it once.")
        .judge(one_response),
    Check::should("transport.sse-closes", "The response ends its stream")
        .http()
        .spec("http#receiving-messages")
        .why("Each stream that stays open holds a connection on both sides; clients run out of them.")
        .fix("Close the stream right after its response.")
        .judge(closes),
    Check::must("transport.sse-nothing-after-response", "Nothing follows the response on its stream")
        .http()
        .spec("http#receiving-messages")
        .why("Clients stop reading at the response; what comes later is lost.")
        .fix("Send notifications before the response, and none for a request that is answered.")
        .judge(nothing_after),
    Check::should("transport.sse-x-accel", "Streams are sent with X-Accel-Buffering: no")
        .http()
        .spec("http#receiving-messages")
        .why("A reverse proxy such as nginx collects events without it, and clients see progress only when all is over.")
        .fix("Set the response header field X-Accel-Buffering: no on every text/event-stream answer.")
        .judge(x_accel),
    Check::advisory("transport.sse-event-ids", "Events have no id")
        .http()
        .spec("http#receiving-messages")
        .why("Streams cannot be resumed in this revision, so an id promises what nobody can use.")
        .fix("Leave the `id` field of events out.")
        .judge(event_ids),
];

/// Streams that answer one request, and were not given up for a second try.
fn answers<'c>(cx: &Context<'c>) -> impl Iterator<Item = &'c Record> + use<'c> {
    streams(cx).filter(|record| !is_listen(record) && !record.exchange.name.contains('~'))
}

fn parse(cx: &Context) -> Ruling {
    if let Some(ruling) = no_stream(cx) {
        return ruling;
    }
    let mut findings = Vec::new();
    for record in streams(cx) {
        for (message, parsed) in record.replies() {
            let Carrier::Event { event, .. } = &message.carrier else {
                continue;
            };
            if message.text.as_str().trim().is_empty() {
                continue;
            }
            let default = event.as_deref().is_none_or(|name| name == "message");
            let finding = match (default, parsed) {
                (true, Parsed::Object(envelope)) if envelope.kind() != Kind::Neither => continue,
                (true, Parsed::Object(_)) => {
                    Finding::broken("an event holds an object that is no JSON-RPC message")
                }
                (true, Parsed::Other(what)) => Finding::broken(format!(
                    "an event holds {what}; expected one JSON-RPC object"
                )),
                (true, Parsed::Broken(_)) => {
                    Finding::broken("an event holds data that is not JSON")
                }
                (false, _) => Finding::unproven(format!(
                    "an event of type {} carries data; clients read the default type alone",
                    cut(event.as_deref().unwrap_or_default(), 60)
                )),
            };
            findings.push(finding.seen_in(record));
        }
    }
    Ruling::of(told_once(findings), "every event is one message")
}

fn one_response(cx: &Context) -> Ruling {
    if let Some(ruling) = no_stream(cx) {
        return ruling;
    }
    let mut findings = Vec::new();
    let mut lost = Vec::new();
    for record in answers(cx) {
        // Crossed answers to simultaneous requests are judged by transport.concurrent.
        if record.exchange.name.starts_with("transport.concurrent/") {
            continue;
        }
        match responses(record) {
            (0, 0) => match &record.exchange.end {
                End::Complete => {
                    findings.push(broken(record, "the stream ends without a response"));
                }
                End::Malformed(_) if ends_inside_event(record) => findings.push(broken(
                    record,
                    "the stream ends inside an event: without an empty line after its data, clients drop it and there is no response",
                )),
                End::Lost(_) => lost.push(record.method().unwrap_or_default().to_owned()),
                _ => {}
            },
            (own, foreign) => {
                if own > 1 {
                    findings.push(broken(record, "the stream carries its response more than once"));
                }
                if foreign > 0 {
                    let message = "the stream carries a response with another id than its request has";
                    findings.push(broken(record, message));
                }
            }
        }
    }
    if findings.is_empty() && !lost.is_empty() {
        return Ruling::Error(format!(
            "the stream was cut off before its response, twice: {}",
            listed(&lost)
        ));
    }
    Ruling::of(told_once(findings), "every stream carries its one response")
}

fn broken(record: &Record, message: &str) -> Finding {
    Finding::broken(message).seen_in(record)
}

fn ends_inside_event(record: &Record) -> bool {
    matches!(&record.exchange.end, End::Malformed(why) if why.contains("inside an event"))
}

/// How many responses are the request's own, and how many are of another; ids that came back damaged, null
/// or not at all are judged by result.id-echo and errors.id-echo.
fn responses(record: &Record) -> (usize, usize) {
    let sent = record.request().and_then(Envelope::id);
    let of_another = |envelope: &Envelope| match (sent, envelope.id()) {
        (Some(sent), Some(got)) if !got.is_null() => !is_form_of(sent, got),
        _ => false,
    };
    let all = messages(record).filter(|(_, _, kind)| *kind == Kind::Response);
    all.fold((0, 0), |(own, foreign), (_, envelope, _)| {
        if of_another(envelope) {
            (own, foreign + 1)
        } else {
            (own + 1, foreign)
        }
    })
}

fn closes(cx: &Context) -> Ruling {
    if let Some(ruling) = no_stream(cx) {
        return ruling;
    }
    let seconds = LINGER_MS / 1000;
    let open = answers(cx).filter(|record| record.exchange.end == End::LeftOpen);
    let findings = open.map(|record| {
        let message = format!("the stream stays open for more than {seconds} s after its response");
        Finding::broken(message).seen_in(record)
    });
    Ruling::of(
        told_once(findings),
        "every stream closes after its response",
    )
}

fn nothing_after(cx: &Context) -> Ruling {
    if let Some(ruling) = no_stream(cx) {
        return ruling;
    }
    let mut findings = Vec::new();
    for record in answers(cx) {
        let sent = record.request().and_then(Envelope::id);
        let own = |envelope: &Envelope| matches!((sent, envelope.id()), (Some(sent), Some(got)) if same_id(sent, got));
        let all: Vec<_> = messages(record).collect();
        let place = |only_own: bool| {
            all.iter().position(|(_, envelope, kind)| {
                *kind == Kind::Response && (!only_own || own(envelope))
            })
        };
        let Some(response) = place(true).or_else(|| place(false)) else {
            continue;
        };
        for (_, envelope, kind) in &all[response + 1..] {
            let what = match (kind, envelope.method()) {
                (Kind::Response, _) => "another response".to_owned(),
                (_, Some(method)) => cut(method, 80),
                _ => continue,
            };
            findings.push(broken(record, &format!("{what} follows the response")));
        }
    }
    Ruling::of(told_once(findings), "nothing follows a response")
}

fn x_accel(cx: &Context) -> Ruling {
    if let Some(ruling) = no_stream(cx) {
        return ruling;
    }
    if cx.settings.config.behind_gateway {
        return Ruling::skip("a gateway may consume the field (--behind-gateway)");
    }
    let findings = streams(cx).filter_map(|record| {
        let got = record.header("x-accel-buffering");
        if got.is_some_and(|value| value.trim().eq_ignore_ascii_case("no")) {
            return None;
        }
        let message = match got {
            None => "a stream comes without X-Accel-Buffering; expected `no`".to_owned(),
            Some(other) => format!(
                "a stream comes with X-Accel-Buffering: {}; expected `no`",
                cut(other, 60)
            ),
        };
        Some(Finding::broken(message).seen_in(record))
    });
    Ruling::of(
        told_once(findings),
        "every stream has X-Accel-Buffering: no",
    )
}

fn event_ids(cx: &Context) -> Ruling {
    if let Some(ruling) = no_stream(cx) {
        return ruling;
    }
    let with_id = posts(cx).filter(|record| {
        is_stream(record)
            && record
                .replies()
                .any(|(message, _)| matches!(&message.carrier, Carrier::Event { id: Some(_), .. }))
    });
    let findings = with_id.map(|record| {
        let message = "events have an `id`, although streams of this revision cannot be resumed";
        Finding::noted(message).seen_in(record)
    });
    Ruling::of(told_once(findings), "no event has an id")
}

#[cfg(test)]
mod tests {
    use super::super::traffic::sample::{body, found, response, ruling, said, stream};
    use super::*;
    use crate::ruling::Weight;
    use serde_json::json;
    use verdict_model::transcript::Exchange;

    const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;

    fn with_type(kind: &str, text: &str) -> Exchange {
        let mut exchange = stream("a", &[]);
        let carrier = Carrier::Event {
            event: Some(kind.to_owned()),
            id: None,
        };
        exchange.messages.push(said(carrier, text));
        exchange
    }

    fn ended(end: End, events: &[&str]) -> Exchange {
        Exchange {
            end,
            ..stream("a", events)
        }
    }

    #[test]
    fn events_are_messages() {
        let id = "transport.sse-parse";
        let good = response("a");
        assert!(ruling(id, vec![stream("a", &[NOTE, " ", &good])]).is_met());
        assert!(ruling(id, vec![with_type("message", &good)]).is_met());
        for bad in ["one moment", "[]", "{\"level\":\"info\"}", "42"] {
            assert!(
                ruling(id, vec![stream("a", &[bad, &good])]).is_broken(),
                "{bad}"
            );
        }
        let odd = ruling(id, vec![with_type("ping", "{}")]);
        assert_eq!(found(&odd)[0].0, Weight::Unproven);
        let json = ruling(id, vec![body("a", 200, "application/json", &good)]);
        assert!(matches!(json, Ruling::NotApplicable(_)));
    }

    #[test]
    fn a_stream_carries_its_one_response() {
        let id = "transport.sse-one-response";
        let good = response("a");
        assert!(ruling(id, vec![stream("a", &[NOTE, &good])]).is_met());
        let unread =
            json!({"jsonrpc": "2.0", "error": {"code": -32700, "message": "?"}}).to_string();
        assert!(ruling(id, vec![stream("a", &[&unread])]).is_met());
        for events in [
            &[NOTE][..],
            &[&good, &good],
            &[&response("other"), &good],
            &[&response("other")],
        ] {
            assert!(
                ruling(id, vec![stream("a", events)]).is_broken(),
                "{events:?}"
            );
        }
        let inside = End::Malformed("the stream ended inside an event".to_owned());
        assert!(ruling(id, vec![ended(inside, &[])]).is_broken());
        let cut = End::Lost("closed".to_owned());
        assert!(matches!(
            ruling(id, vec![ended(cut, &[])]),
            Ruling::Error(_)
        ));
        assert!(ruling(id, vec![ended(End::Closed, &[])]).is_met());
    }

    #[test]
    fn the_response_ends_its_stream() {
        let good = response("a");
        let id = "transport.sse-closes";
        assert!(ruling(id, vec![stream("a", &[&good])]).is_met());
        assert!(ruling(id, vec![ended(End::LeftOpen, &[&good])]).is_broken());
        let id = "transport.sse-nothing-after-response";
        assert!(ruling(id, vec![stream("a", &[NOTE, &good])]).is_met());
        assert!(ruling(id, vec![stream("a", &[&response("other"), &good])]).is_met());
        assert!(ruling(id, vec![stream("a", &[&good, NOTE])]).is_broken());
        assert!(ruling(id, vec![stream("a", &[&good, &good])]).is_broken());
    }

    #[test]
    fn the_fields_around_a_stream() {
        let good = response("a");
        let id = "transport.sse-x-accel";
        let mut open = stream("a", &[&good]);
        let bare = ruling(id, vec![stream("a", &[&good]), stream("b", &[&good])]);
        assert_eq!(found(&bare).len(), 1, "{bare:?}");
        if let Some(http) = &mut open.http {
            http.headers
                .push(("X-Accel-Buffering".to_owned(), "no".to_owned()));
        }
        assert!(ruling(id, vec![open]).is_met());

        let id = "transport.sse-event-ids";
        let mut numbered = stream("a", &[]);
        let carrier = Carrier::Event {
            event: None,
            id: Some("1".to_owned()),
        };
        numbered.messages.push(said(carrier, &good));
        assert_eq!(found(&ruling(id, vec![numbered]))[0].0, Weight::Noted);
        assert!(ruling(id, vec![stream("a", &[&good])]).is_met());
    }
}
