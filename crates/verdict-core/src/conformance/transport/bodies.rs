//! The bodies of answers: their media type, one JSON object each, UTF-8, under a status that fits.
//!
//! Passive: looks at what every other probe got back. Servers fail here whose framework puts pages of its
//! own in place of JSON-RPC errors, or that stream newline-delimited JSON.

use super::traffic::{
    is_listen, is_stream, is_whole, listed, messages, posts, requests, told_once,
};
use crate::check::Check;
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::{JsonFault, cut};
use crate::wire::rpc::{Kind, Parsed};
use std::collections::BTreeSet;
use verdict_model::transcript::{Carrier, HttpExchange, Sender};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("transport.content-type", "Requests are answered as application/json or text/event-stream")
        .http()
        .spec("http#sending-messages")
        .why("Clients choose how to read an answer by its media type; one they do not know is an error, whatever the body says.")
        .fix("Set Content-Type to application/json on every JSON answer, refusals among them, and to text/event-stream on streams.")
        .judge(content_type),
    Check::must("transport.json-single-object", "A JSON answer is exactly one object")
        .http()
        .spec("http#sending-messages")
        .why("Clients parse the body as one message; an array, an empty body or a second document makes the whole answer unreadable.")
        .fix("Write one JSON-RPC object as the body. Use text/event-stream when there is more than one message to send.")
        .judge(single_object),
    Check::must("transport.utf8", "Messages are valid UTF-8")
        .spec("transports#messages")
        .why("Other encodings lose or mix up every letter outside ASCII, or make clients refuse the message.")
        .fix("Encode JSON as UTF-8 without a byte order mark, whatever the locale of the process is.")
        .judge(utf8),
    Check::advisory("transport.status-2xx-result", "A result comes under a 2xx status")
        .http()
        .spec("http#message-flow")
        .why("Clients and gateways take other statuses for failures and drop the result.")
        .fix("Answer results with HTTP 200.")
        .judge(status_of_results),
    Check::may("transport.answer-mode", "Which methods are answered with JSON and which with a stream")
        .http()
        .spec("http#sending-messages")
        .why("Both are fine; clients must read either. This line tells what was seen.")
        .fix("Nothing to mend.")
        .judge(answer_mode),
];

fn media(record: &Record) -> Option<String> {
    record
        .exchange
        .http
        .as_ref()
        .and_then(HttpExchange::media_type)
}

/// A page under 400 or 404 without a message is the gateway's, where there is one (G9).
fn is_gateways(cx: &Context, record: &Record) -> bool {
    cx.settings.config.behind_gateway
        && matches!(record.status(), Some(400 | 404))
        && record.answer() == Answer::Foreign
}

fn content_type(cx: &Context) -> Ruling {
    let mut seen = 0;
    let mut findings = Vec::new();
    // A listen has no end, but its head is there.
    for record in requests(cx).filter(|record| is_whole(record) || is_listen(record)) {
        let Some(status) = record.status() else {
            continue;
        };
        seen += 1;
        let media = media(record);
        if let Some("application/json" | "text/event-stream") = media.as_deref() {
            continue;
        }
        let got = match &media {
            Some(media) if !media.is_empty() => format!("as {}", cut(media, 80)),
            _ => "without a Content-Type".to_owned(),
        };
        let message = format!(
            "a request is answered {got} (HTTP {status}); expected application/json or text/event-stream"
        );
        let finding = if is_gateways(cx, record) {
            Finding::unproven(format!("{message}; a gateway may have answered"))
        } else {
            Finding::broken(message)
        };
        findings.push(finding.seen_in(record));
    }
    if seen == 0 {
        return Ruling::skip("no request was answered");
    }
    Ruling::of(
        told_once(findings),
        format!("{seen} answers have the right media type"),
    )
}

fn single_object(cx: &Context) -> Ruling {
    let mut seen = 0;
    let mut findings = Vec::new();
    let json = |record: &&Record| media(record).as_deref() == Some("application/json");
    for record in requests(cx).filter(|record| is_whole(record)).filter(json) {
        seen += 1;
        let body = record.replies().next();
        let what = match body {
            None => "is empty".to_owned(),
            Some((_, Parsed::Object(_))) => continue,
            Some((_, Parsed::Other(what))) => format!("is {what}"),
            Some((_, Parsed::Broken(JsonFault::Empty))) => "is blank".to_owned(),
            Some((message, Parsed::Broken(_))) if documents(&message.text.as_str()) > 1 => {
                "holds several documents".to_owned()
            }
            Some((_, Parsed::Broken(fault @ (JsonFault::TooDeep | JsonFault::TooMany)))) => {
                let finding = Finding::unproven(format!("the body cannot be read: {fault}"));
                findings.push(finding.seen_in(record));
                continue;
            }
            Some((_, Parsed::Broken(JsonFault::Syntax(why) | JsonFault::Number(why)))) => {
                format!("is not JSON ({})", cut(why, 120))
            }
        };
        let message = format!("the application/json body {what}; expected one JSON object");
        let finding = if is_gateways(cx, record) {
            Finding::unproven(format!("{message}; a gateway may have answered"))
        } else {
            Finding::broken(message)
        };
        findings.push(finding.seen_in(record));
    }
    if seen == 0 {
        return Ruling::not_applicable("no answer of this run came as application/json");
    }
    Ruling::of(
        told_once(findings),
        format!("{seen} bodies are one object each"),
    )
}

/// How many JSON values stand one after the other at the beginning of a text.
pub(crate) fn documents(text: &str) -> usize {
    // Values are not kept, and depth is bounded by the reader that looked at the text before.
    let read = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    read.take_while(Result::is_ok).take(1_000).count()
}

fn utf8(cx: &Context) -> Ruling {
    let mut seen = 0;
    let mut findings = Vec::new();
    for record in cx.recording.modern() {
        for (message, parsed) in record.replies() {
            // Pages of a framework are no messages.
            let json = media(record).as_deref() == Some("application/json");
            if message.carrier == Carrier::Body && !json && parsed.envelope().is_none() {
                continue;
            }
            seen += 1;
            if message.invalid_utf8 {
                let message = "the message holds bytes that are not UTF-8";
                findings.push(Finding::broken(message).seen_in(record));
            } else if message.text.as_str().starts_with('\u{FEFF}') && cx.is_http() {
                let message =
                    "the message begins with a byte order mark, which many readers of JSON refuse";
                findings.push(Finding::unproven(message).seen_in(record));
            }
        }
    }
    if seen == 0 {
        return Ruling::skip("no message was received");
    }
    Ruling::of(told_once(findings), format!("{seen} messages are UTF-8"))
}

fn status_of_results(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    let mut seen = 0;
    for record in posts(cx) {
        let Some(status) = record.status() else {
            continue;
        };
        for (_, envelope, kind) in messages(record) {
            if kind != Kind::Response || envelope.result.is_none() {
                continue;
            }
            seen += 1;
            if !(200..300).contains(&status) {
                let message = format!("a result comes under HTTP {status}; expected 200");
                findings.push(Finding::broken(message).seen_in(record));
            }
        }
    }
    if seen == 0 {
        return Ruling::skip("no result was received");
    }
    Ruling::of(
        told_once(findings),
        format!("{seen} results came under 2xx"),
    )
}

fn answer_mode(cx: &Context) -> Ruling {
    let (mut json, mut streamed) = (BTreeSet::new(), BTreeSet::new());
    for record in cx.recording.conforming() {
        let (Some(method), Answer::Result(_)) = (record.method(), record.answer()) else {
            continue;
        };
        if is_stream(record) {
            streamed.insert(method.to_owned());
        } else if record
            .replies()
            .any(|(message, _)| message.from == Sender::Server)
        {
            json.insert(method.to_owned());
        }
    }
    let both: Vec<String> = json.intersection(&streamed).cloned().collect();
    let only = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
        one.difference(other).cloned().collect::<Vec<String>>()
    };
    let parts = [
        ("JSON", only(&json, &streamed)),
        ("event streams", only(&streamed, &json)),
        ("either", both),
    ];
    let said: Vec<String> = parts
        .iter()
        .filter(|(_, methods)| !methods.is_empty())
        .map(|(how, methods)| format!("{how} for {}", all(methods)))
        .collect();
    if said.is_empty() {
        return Ruling::skip("no result was received");
    }
    Finding::noted(format!("answers come as {}", said.join("; "))).into()
}

fn all(methods: &[String]) -> String {
    if methods.len() > 6 {
        listed(methods)
    } else {
        methods.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::traffic::sample::{body, faulty, found, response, ruling, ruling_in, stream};
    use super::*;
    use crate::facts::EraFinding;
    use crate::ruling::Weight;

    const JSON: &str = "application/json; charset=utf-8";

    #[test]
    fn answers_need_one_of_two_media_types() {
        let id = "transport.content-type";
        let good = response("a");
        assert!(ruling(id, vec![body("a", 200, JSON, &good), stream("b", &[])]).is_met());
        let bad = ruling(
            id,
            vec![
                body("a", 200, "text/plain", &good),
                body("b", 404, "text/html", "<h1>Not found</h1>"),
            ],
        );
        assert_eq!(found(&bad).len(), 2, "{bad:?}");
        assert!(bad.is_broken());
        // Refused before MCP, or with a fault in the fields: not judged here.
        for status in [401, 403, 429, 502] {
            let page = body("a", status, "text/html", "no");
            assert!(!ruling(id, vec![page, body("b", 200, JSON, &good)]).is_broken());
        }
        let mut odd = faulty(body("a", 406, "text/plain", "Not Acceptable"));
        if let Some(http) = &mut odd.http {
            http.request_headers[1].1 = "application/json".to_owned();
        }
        assert!(ruling(id, vec![odd, body("b", 200, JSON, &good)]).is_met());
    }

    #[test]
    fn a_gateways_page_is_not_held_against_the_server() {
        let page = body("a", 404, "text/html", "no such page");
        let ruled = ruling_in(
            "transport.content-type",
            vec![page],
            EraFinding::Modern,
            true,
        );
        assert_eq!(found(&ruled)[0].0, Weight::Unproven);
    }

    #[test]
    fn a_json_body_is_one_object() {
        let id = "transport.json-single-object";
        let good = response("a");
        assert!(ruling(id, vec![body("a", 200, JSON, &good)]).is_met());
        for (text, what) in [
            (String::new(), "is empty"),
            (" \n".to_owned(), "is blank"),
            (format!("[{good}]"), "is an array"),
            (format!("{good}\n{good}\n"), "holds several documents"),
            ("{\"jsonrpc\":".to_owned(), "is not JSON"),
        ] {
            let ruled = ruling(id, vec![body("a", 200, JSON, &text)]);
            assert!(ruled.is_broken(), "{text}");
            assert!(found(&ruled)[0].1.contains(what), "{text}: {ruled:?}");
        }
        assert!(matches!(
            ruling(id, vec![stream("a", &[])]),
            Ruling::NotApplicable(_)
        ));
    }

    #[test]
    fn messages_are_utf8_without_a_mark() {
        let id = "transport.utf8";
        let good = response("a");
        assert!(ruling(id, vec![body("a", 200, JSON, &good)]).is_met());
        let mut latin = body("a", 200, JSON, &good);
        latin.messages[1].invalid_utf8 = true;
        assert!(ruling(id, vec![latin]).is_broken());
        let marked = ruling(id, vec![body("a", 200, JSON, &format!("\u{FEFF}{good}"))]);
        assert_eq!(found(&marked)[0].0, Weight::Unproven);
        let mut page = body("a", 404, "text/html", "<p>caf\u{FFFD}</p>");
        page.messages[1].invalid_utf8 = true;
        assert!(matches!(ruling(id, vec![page]), Ruling::Skip(_)));
    }

    #[test]
    fn results_come_under_2xx() {
        let id = "transport.status-2xx-result";
        let good = response("a");
        assert!(ruling(id, vec![body("a", 200, JSON, &good)]).is_met());
        assert!(ruling(id, vec![body("a", 409, JSON, &good)]).is_broken());
    }

    #[test]
    fn the_answer_mode_is_told() {
        let result = response("b");
        let ruled = ruling(
            "transport.answer-mode",
            vec![
                body("a", 200, JSON, &response("a")),
                stream("b", &[&result]),
            ],
        );
        assert_eq!(
            found(&ruled),
            [(
                Weight::Noted,
                "answers come as either for tools/list".to_owned()
            )]
        );
    }
}
