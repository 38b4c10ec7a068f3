//! Messages of revision 2025-11-25, over either transport: their form, and the answers to what is unknown.

use super::session::{ASKS, READS, each, exchanges, had, twin};
use crate::check::Check;
use crate::conformance::stdio::{process::object, strays::sort};
use crate::context::Context;
use crate::facts::{Declared, OPENING};
use crate::passive::{Slips, pattern};
use crate::record::{Answer, Record};
use crate::refusal::Refusal;
use crate::ruling::{Finding, Ruling, Weight};
use crate::shape::{self, Violation};
use crate::wire::json::{cut, shortened};
use crate::wire::rpc::{Envelope, Kind, Parsed, same_id};
use serde_json::Value;
use std::borrow::Cow;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("handshake.responses", "Every answer is one JSON-RPC response to its request")
        .spec("basic#responses")
        .why("Clients find the request that an answer belongs to by its id alone.")
        .fix("Answer with jsonrpc \"2.0\", the request's id, and either result or error.")
        .probes(&[&ASKS])
        .judge(responses),
    Check::must("handshake.shapes", "Everything that the server sends has the shape of the schema")
        .spec("schema")
        .why("Typed clients refuse the whole message when one member is missing or of another type.")
        .fix("Correct the member at the given place.")
        .probes(&[&ASKS, &READS])
        .judge(shapes),
    Check::must("handshake.capabilities-used", "The server uses only what was negotiated")
        .spec("lifecycle#operation")
        .why("A client that declared no such capability cannot answer, and the server waits in vain.")
        .fix("Look at the client's capabilities before asking it, and declare logging before sending logs.")
        .judge(capabilities),
    Check::must("handshake.ping", "ping is answered with an empty result")
        .spec("ping#behavior-requirements")
        .why("Clients take a server that does not answer pings for dead.")
        .fix("Answer ping with the result {}.")
        .probes(&[&ASKS])
        .judge(ping),
    Check::must("handshake.unknown-method", "An unknown method is refused with -32601")
        .spec("basic#messages")
        .why("By this code clients tell a method that is not there from one that failed.")
        .fix("Refuse methods that you do not have with -32601 (method not found).")
        .probes(&[&ASKS])
        .judge(|cx| refused(cx, "method", "for a method that does not exist", -32601)),
    Check::should("handshake.cursor", "An unknown cursor is refused with -32602")
        .spec("pagination#error-handling")
        .why("A client whose cursor is ignored gets the first page again and again.")
        .fix("Refuse cursors that you did not make with -32602, also where all fits on one page.")
        .probes(&[&ASKS])
        .judge(|cx| refused(cx, "cursor", "with an unknown cursor", -32602)),
    Check::should("handshake.missing-resource", "A resource that does not exist is refused with -32002")
        .spec("resources#error-handling")
        .why("By this code clients tell a wrong URI from a server that is broken.")
        .fix("Refuse unknown URIs with -32002 (resource not found).")
        .probes(&[&ASKS])
        .judge(|cx| refused(cx, "resource", "for a resource that does not exist", -32002)),
    Check::should("handshake.unknown-prompt", "A prompt that does not exist is refused with -32602")
        .spec("prompts#error-handling")
        .why("By this code clients tell a wrong name from a server that is broken.")
        .fix("Refuse unknown prompts with -32602 (invalid params).")
        .probes(&[&ASKS])
        .judge(|cx| refused(cx, "prompt", "for a prompt that does not exist", -32602)),
    Check::must("handshake.stdout", "Standard output carries messages and nothing else")
        .stdio()
        .spec("transports#stdio")
        .why("Clients read every line as a message; a stray one breaks the connection.")
        .fix("Write logs to standard error, and each message on one line.")
        .judge(stdout),
    Check::must("handshake.notification-unanswered", "A notification gets no response")
        .stdio()
        .spec("basic#notifications")
        .why("A notification has no id, so no client can tell what the response answers.")
        .fix("Send no response where the message has no id.")
        .probes(&[&ASKS])
        .judge(unanswered),
];

/// A message of the server, with the exchange it came in, if any.
pub(crate) struct Sent<'c> {
    /// The exchange.
    pub(crate) record: Option<&'c Record>,
    /// When it was complete.
    pub(crate) at_ms: u64,
    /// What it says.
    pub(crate) envelope: Cow<'c, Envelope>,
}

impl Sent<'_> {
    /// A finding about it.
    pub(crate) fn found(&self, finding: Finding) -> Finding {
        let finding = match self.envelope.method() {
            Some(method) => finding.about(cut(method, 120)),
            None => finding,
        };
        match self.record {
            Some(record) => finding.seen_in(record),
            None => finding,
        }
    }
}

/// All messages of the server in faultless exchanges, then those that came to none.
pub(crate) fn messages<'c>(cx: &Context<'c>) -> Vec<Sent<'c>> {
    let mut all = Vec::new();
    for record in exchanges(cx) {
        for (message, parsed) in record.replies() {
            all.extend(parsed.envelope().map(|envelope| Sent {
                record: Some(record),
                at_ms: message.at_ms,
                envelope: Cow::Borrowed(envelope),
            }));
        }
    }
    for stray in cx.recording.channels.iter().flat_map(|log| &log.stray) {
        all.extend(object(stray).map(|envelope| Sent {
            record: None,
            at_ms: stray.at_ms,
            envelope: Cow::Owned(*envelope),
        }));
    }
    all
}

/// A place that does not have its shape, as a finding.
pub(crate) fn misshapen(violation: &Violation) -> Finding {
    let weight = if violation.soft {
        Weight::Unproven
    } else {
        Weight::Broken
    };
    let place = violation.pointer.trim_start_matches('/').replace('/', ".");
    let message = format!(
        "{place} is {}; expected {}",
        violation.actual, violation.expected
    );
    Finding::new(weight, message).at(violation.pointer.clone())
}

fn responses(cx: &Context) -> Ruling {
    let mut slips = Slips::default();
    for record in exchanges(cx) {
        let Some(sent) = record.request().and_then(Envelope::id) else {
            continue;
        };
        // Pages that come with an error status are no messages.
        let refused = record.status().is_some_and(|status| status >= 300);
        for (message, parsed) in record.replies() {
            let envelope = parsed.envelope();
            let page = refused && !envelope.is_some_and(|one| one.members.contains_key("jsonrpc"));
            // An event without data only carries an id, for who wants to resume the stream.
            if page || message.text.as_str().trim().is_empty() {
                continue;
            }
            let wrong = match parsed {
                Parsed::Object(envelope) => unlike(envelope, sent),
                Parsed::Other(what) => Some(format!("{what}; expected one JSON object")),
                Parsed::Broken(_) => Some("no JSON".to_owned()),
            };
            if let Some(wrong) = wrong {
                slips.add(wrong.clone(), || {
                    Finding::broken(format!("the answer is {wrong}")).seen_in(record)
                });
            }
        }
    }
    slips.ruling("every answer is a response to its request")
}

/// What an object is instead of a response to the request of this id, if it is none; only responses count.
fn unlike(envelope: &Envelope, sent: &Value) -> Option<String> {
    let member = |name: &str| envelope.members.get(name);
    if member("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Some("a message without jsonrpc \"2.0\"".to_owned());
    }
    match envelope.kind() {
        Kind::Request | Kind::Notification => None,
        Kind::Neither => Some("an object with neither result nor error".to_owned()),
        Kind::Response if envelope.result.is_some() && member("error").is_some() => {
            Some("a response with both result and error".to_owned())
        }
        Kind::Response => match envelope.id() {
            Some(id) if same_id(sent, id) => None,
            Some(id) => Some(format!(
                "a response with id {}; expected that of the request",
                if id.is_string() {
                    "of another request or type".to_owned()
                } else {
                    shortened(id, 60)
                }
            )),
            None => Some("a response without id".to_owned()),
        },
    }
}

fn shapes(cx: &Context) -> Ruling {
    let mut slips = Slips::default();
    for sent in messages(cx) {
        let envelope = &*sent.envelope;
        let method = sent.record.and_then(Record::method).unwrap_or_default();
        let violations = match (envelope.kind(), &envelope.result, envelope.error()) {
            // That result has a check of its own.
            (Kind::Response, Some(_), _) if method == "initialize" => vec![],
            (Kind::Response, Some(result), _) => shape::handshake::result(method, result),
            (Kind::Response, None, Some(error)) => shape::handshake::error(error),
            (Kind::Notification, ..) => {
                let method = envelope.method().unwrap_or_default();
                shape::handshake::notification(method, envelope.params())
            }
            _ => vec![],
        };
        for violation in violations {
            let key = format!(
                "{method} {} {}",
                pattern(&violation.pointer),
                violation.actual
            );
            slips.add(key, || sent.found(misshapen(&violation)));
        }
    }
    slips.ruling("all messages have their shape")
}

fn capabilities(cx: &Context) -> Ruling {
    let mut slips = Slips::default();
    for sent in messages(cx) {
        let method = sent.envelope.method().unwrap_or_default();
        let why = match sent.envelope.kind() {
            Kind::Request if method != "ping" => {
                "the server asks this of a client that declared no capabilities"
            }
            Kind::Notification
                if method == "notifications/message"
                    && cx.facts.declares("logging") == Declared::No =>
            {
                "the server sends logs and does not declare logging"
            }
            _ => continue,
        };
        slips.add(method, || sent.found(Finding::broken(why)));
    }
    slips.ruling("nothing was used that was not negotiated")
}

fn ping(cx: &Context) -> Ruling {
    each(
        cx,
        "handshake.asks/ping",
        "ping is answered",
        |_, record| match record.answer() {
            Answer::Result(result) => {
                let extra = result
                    .as_object()
                    .is_some_and(|members| members.keys().any(|name| name != "_meta"));
                extra.then(|| Finding::unproven("the result of ping is not empty").at("/result"))
            }
            Answer::Error(Some(code)) => Some(Finding::broken(format!(
                "ping is refused with {code}; expected an empty result"
            ))),
            _ => Some(Finding::broken(
                "ping gets no JSON-RPC result; expected an empty one",
            )),
        },
    )
}

/// Judges a request for what does not exist.
fn refused(cx: &Context, step: &str, fault: &str, code: i64) -> Ruling {
    let probe = format!("handshake.asks/{step}");
    if cx.record(&probe).is_none() && cx.recording.cut_off.is_none() {
        return Ruling::not_applicable("the server does not declare the feature");
    }
    if let Err(ruling) = had(cx, &probe) {
        return ruling;
    }
    let list = twin(cx);
    Refusal {
        fault,
        probe: &probe,
        twin: if step == "cursor" { &list } else { OPENING },
        code,
        near: if code == -32601 {
            &[-32600, -32602]
        } else {
            &[]
        },
        also: &[],
        status: None,
    }
    .judge(cx)
}

fn stdout(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    for log in &cx.recording.channels {
        let sorted = sort(log);
        let split = sorted.split.iter().map(|(stray, _)| *stray);
        let lines = sorted.noise.iter().copied().chain(split);
        for stray in lines.chain(sorted.joined.iter().copied()) {
            let shown = Value::from(cut(stray.text.trim(), 120));
            findings.push(Finding::broken(format!(
                "standard output holds a line that is not one message: {shown}"
            )));
        }
    }
    findings.truncate(10);
    Ruling::of(findings, "every line is a message")
}

fn unanswered(cx: &Context) -> Ruling {
    for name in ["handshake/initialized", "handshake.asks/cancelled"] {
        let Some(record) = cx.record(name) else {
            return Ruling::skip("no notification was sent");
        };
        let mut answers = record.replies().filter_map(|(_, parsed)| parsed.envelope());
        if answers.any(|envelope| envelope.kind() == Kind::Response) {
            let message = "a notification is answered with a JSON-RPC response";
            return Finding::broken(message).seen_in(record).into();
        }
    }
    Ruling::met("no response came")
}

#[cfg(test)]
mod tests {
    use crate::record::Recording;
    use crate::testing::{config, record, ruling_on, settings, word};
    use verdict_fixture::Server;
    use verdict_model::LEGACY_REVISION;
    use verdict_model::transcript::{Carrier, Exchange, Message, Sender};

    /// What a check rules when the exchange of the ping is another one.
    fn with_ping(id: &str, stdio: bool, bend: fn(&mut Exchange)) -> &'static str {
        let mut config = config();
        config.revision = Some(LEGACY_REVISION.to_owned());
        let settings = settings(config, stdio);
        let mut transcript = record(&Server::legacy_only(), &settings).into_transcript();
        let mut all = transcript.exchanges.iter_mut();
        let ping = all.find(|one| one.name == "handshake.asks/ping");
        bend(ping.expect("a ping"));
        word(&ruling_on(id, &Recording::from_transcript(transcript)))
    }

    fn add(exchange: &mut Exchange, text: &str) {
        exchange.messages.push(Message {
            from: Sender::Server,
            at_ms: 0,
            carrier: Carrier::Body,
            text: text.to_owned().into(),
            invalid_utf8: false,
        });
    }

    #[test]
    fn an_event_without_data_is_no_message() {
        let id = "handshake.responses";
        assert_eq!(with_ping(id, false, |ping| add(ping, "")), "met");
        assert_eq!(with_ping(id, false, |ping| add(ping, "{")), "broken");
        assert_eq!(with_ping(id, false, |ping| add(ping, "[]")), "broken");
    }

    #[test]
    fn another_process_has_no_session() {
        let id = "handshake.ping";
        assert_eq!(with_ping(id, true, |_| {}), "met");
        assert_eq!(with_ping(id, true, |ping| ping.channel = Some(99)), "skip");
    }

    #[test]
    fn a_member_more_is_not_proof_of_a_fault() {
        let more = |ping: &mut Exchange| {
            ping.messages.truncate(1);
            add(
                ping,
                r#"{"jsonrpc":"2.0","id":"handshake.asks/ping","result":{"ok":true}}"#,
            );
        };
        assert_eq!(with_ping("handshake.ping", false, more), "unproven");
    }
}
