//! What the passive rules of this area look at, and how they tell what they found.

use crate::ask::META_VERSION;
use crate::context::Context;
use crate::facts::OURS;
use crate::record::{Answer, Record, Several, several};
use crate::refusal::{answered, served};
use crate::ruling::{Finding, Ruling};
use crate::wire::rpc::{Envelope, Kind};
use serde_json::Value;
use std::collections::BTreeMap;
use verdict_model::transcript::{End, HttpExchange, Message, Standing};

/// Modern POSTs, without what a server that also speaks an earlier revision may treat as such (G3).
pub(crate) fn posts<'c>(cx: &Context<'c>) -> Several<&'c Record> {
    let dual = cx.facts.is_dual();
    several(cx.recording.modern().filter(|record| {
        record.exchange.http.as_ref().is_some_and(is_post) && !(dual && may_be_legacy(record))
    }))
}

fn is_post(http: &HttpExchange) -> bool {
    http.verb == "POST"
}

/// Whether a faulty request names no version of this revision, so that older rules may have answered it.
fn may_be_legacy(record: &Record) -> bool {
    record.exchange.standing == Standing::Faulty && version(record) != Some(OURS)
}

fn version(record: &Record) -> Option<&str> {
    let meta = record.request()?.params()?.get("_meta")?;
    meta.get(META_VERSION)?.as_str()
}

/// POSTs of one request whose header fields are without fault, and not refused by somebody before MCP.
///
/// What a probe does to the fields, or to the form of the message, its own rule judges.
pub(crate) fn requests<'c>(cx: &Context<'c>) -> Several<&'c Record> {
    let known: Vec<&str> = cx
        .settings
        .headers
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    several(posts(cx).filter(|record| {
        let refused_before = matches!(record.status(), Some(401 | 403 | 429 | 500..=599));
        is_request(record) && !refused_before && plain_fields(record, &known)
    }))
}

/// Whether what was sent is one JSON-RPC request.
fn is_request(record: &Record) -> bool {
    record.request().is_some_and(|request| {
        request.members.get("jsonrpc").and_then(Value::as_str) == Some("2.0")
            && request.method().is_some()
            && matches!(request.id(), Some(Value::String(_) | Value::Number(_)))
    })
}

/// Whether the header fields are those of an ordinary request, and say what the body says.
fn plain_fields(record: &Record, known: &[&str]) -> bool {
    // Requests that differ in their fields alone are judged by header.rejection-body.
    if record.exchange.name.starts_with("header.") {
        return false;
    }
    let Some(http) = &record.exchange.http else {
        return false;
    };
    http.request_headers
        .iter()
        .all(|(name, value)| match name.to_ascii_lowercase().as_str() {
            "content-type" => value == "application/json",
            "accept" => value == "application/json, text/event-stream",
            "mcp-method" => Some(value.as_str()) == record.method(),
            "mcp-protocol-version" => version(record).is_none_or(|version| version == value),
            "mcp-name" => true,
            _ => known.iter().any(|field| field.eq_ignore_ascii_case(name)),
        })
}

/// Answers that came as an event stream; listens among them.
pub(crate) fn streams<'c>(cx: &Context<'c>) -> Several<&'c Record> {
    several(posts(cx).filter(|record| is_stream(record)))
}

/// Whether an answer is an event stream.
pub(crate) fn is_stream(record: &Record) -> bool {
    let media = record
        .exchange
        .http
        .as_ref()
        .and_then(HttpExchange::media_type);
    media.as_deref() == Some("text/event-stream")
}

/// Whether a request opens a subscription, whose stream has rules of its own (`subscribe.*`).
pub(crate) fn is_listen(record: &Record) -> bool {
    record.method() == Some("subscriptions/listen")
}

/// The JSON-RPC messages of an answer, in order.
pub(crate) fn messages(record: &Record) -> Several<(&Message, &Envelope, Kind)> {
    several(record.replies().filter_map(|(message, parsed)| {
        let envelope = parsed.envelope()?;
        let kind = envelope.kind();
        (kind != Kind::Neither).then_some((message, envelope, kind))
    }))
}

/// Whether an answer ended in good order, or was ended by us.
pub(crate) fn is_whole(record: &Record) -> bool {
    matches!(
        record.exchange.end,
        End::Complete | End::LeftOpen | End::Closed
    )
}

/// An exchange that provokes the server, whatever came of it: a fault, a closed connection or silence are
/// answers too, since the same server answers other requests.
///
/// # Errors
/// The ruling instead: the twin was not served, a rate limit, or no connection.
pub(crate) fn provoked<'c>(cx: &Context<'c>, name: &str) -> Result<&'c Record, Ruling> {
    served(cx, "era/discover")?;
    match cx.record(name) {
        Some(record)
            if !matches!(
                record.answer(),
                Answer::Busy(_) | Answer::Nothing(End::Unreachable(_) | End::Unfinished)
            ) =>
        {
            Ok(record)
        }
        _ => answered(cx, name),
    }
}

/// What came of an exchange, in words that fit after "answered with".
pub(crate) fn came_to(record: &Record) -> String {
    match (&record.exchange.end, record.status(), record.answer()) {
        (End::Lost(_), ..) => "a closed connection".to_owned(),
        (End::TimedOut, ..) => "silence".to_owned(),
        (_, Some(status), Answer::Error(Some(code))) => format!("HTTP {status} and {code}"),
        (_, Some(status), _) => format!("HTTP {status}"),
        (End::Malformed(why), ..) => format!("something that cannot be read ({why})"),
        _ => "nothing".to_owned(),
    }
}

/// What a rule on streams says when there was none.
pub(crate) fn no_stream(cx: &Context) -> Option<Ruling> {
    if streams(cx).next().is_some() {
        return None;
    }
    let why = "no answer of this run came as an event stream";
    let listens = cx.facts.capabilities().is_some_and(|all| {
        let flags = ["listChanged", "subscribe"];
        let mut features = all.values();
        features.any(|feature| {
            flags
                .iter()
                .any(|flag| feature.get(flag) == Some(&Value::Bool(true)))
        })
    });
    // A listen would have been a stream.
    Some(if listens {
        Ruling::skip(why)
    } else {
        Ruling::not_applicable(why)
    })
}

/// The same slip in many answers is one slip: one finding for each message, with its count and methods.
pub(crate) fn told_once(findings: impl IntoIterator<Item = Finding>) -> Vec<Finding> {
    let mut told: Vec<(Finding, Vec<String>, usize)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for finding in findings {
        let place = *places.entry(finding.message.clone()).or_insert(told.len());
        let subject = finding.subject.clone();
        if place == told.len() {
            told.push((finding, Vec::new(), 0));
        }
        let (_, subjects, count) = &mut told[place];
        *count += 1;
        if let Some(subject) = subject
            && !subjects.contains(&subject)
        {
            subjects.push(subject);
        }
    }
    let counted = told.into_iter().map(|(mut finding, subjects, count)| {
        if subjects.len() > 1 {
            finding.message = format!(
                "{}; {count} answers, to {}",
                finding.message,
                listed(&subjects)
            );
            finding.subject = None;
        } else if count > 1 {
            finding.message = format!("{}; {count} times", finding.message);
        }
        finding
    });
    counted.collect()
}

/// Names in a sentence, at most six of them.
pub(crate) fn listed(names: &[String]) -> String {
    const SHOWN: usize = 6;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Exchanges made up for tests, and the ruling on them.
#[cfg(test)]
pub(crate) mod sample {
    use crate::ask::Ask;
    use crate::context::Context;
    use crate::facts::{EraFinding, Facts};
    use crate::record::Recording;
    use crate::ruling::Ruling;
    use crate::testing::{config, settings};
    use serde_json::json;
    use verdict_model::transcript::{
        Carrier, End, Exchange, HttpExchange, Message, Sender, Standing, Transcript,
    };

    /// A POST of a request and its answer.
    pub(crate) fn exchange(name: &str, method: &str, status: u16, media: &str) -> Exchange {
        let ask = Ask::request("x", method, json!({}));
        let fields = ask
            .headers
            .iter()
            .map(|(name, value)| (name.clone(), String::from_utf8_lossy(value).into_owned()));
        let mut exchange = Exchange {
            name: name.to_owned(),
            channel: Some(0),
            http: Some(HttpExchange {
                verb: "POST".to_owned(),
                path: "/mcp".to_owned(),
                request_headers: fields.collect(),
                status: Some(status),
                headers: vec![("Content-Type".to_owned(), media.to_owned())],
                redirects: vec![],
                comments: 0,
            }),
            end: End::Complete,
            answered_ms: Some(1),
            ended_ms: 1,
            ..Exchange::default()
        };
        let body = crate::engine::body_of(&ask, name);
        exchange.messages.push(Message {
            from: Sender::Client,
            at_ms: 0,
            carrier: Carrier::Body,
            text: String::from_utf8_lossy(&body).into_owned().into(),
            invalid_utf8: false,
        });
        exchange
    }

    /// An answer with one body.
    pub(crate) fn body(name: &str, status: u16, media: &str, text: &str) -> Exchange {
        let mut exchange = exchange(name, "tools/list", status, media);
        if !text.is_empty() {
            exchange.messages.push(said(Carrier::Body, text));
        }
        exchange
    }

    /// An answer with a stream of events of the default type.
    pub(crate) fn stream(name: &str, events: &[&str]) -> Exchange {
        let mut exchange = exchange(name, "tools/list", 200, "text/event-stream");
        for text in events {
            let carrier = Carrier::Event {
                event: None,
                id: None,
            };
            exchange.messages.push(said(carrier, text));
        }
        exchange
    }

    pub(crate) fn said(carrier: Carrier, text: &str) -> Message {
        Message {
            from: Sender::Server,
            at_ms: 1,
            carrier,
            text: text.into(),
            invalid_utf8: false,
        }
    }

    /// A response with an empty result.
    pub(crate) fn response(id: &str) -> String {
        json!({"jsonrpc": "2.0", "id": id, "result": {}}).to_string()
    }

    pub(crate) fn faulty(mut exchange: Exchange) -> Exchange {
        exchange.standing = Standing::Faulty;
        exchange
    }

    /// What the check of this id rules on a modern server's exchanges.
    pub(crate) fn ruling(id: &str, exchanges: Vec<Exchange>) -> Ruling {
        ruling_in(id, exchanges, EraFinding::Modern, false)
    }

    /// The same, for a server of this era, and behind a gateway or not.
    pub(crate) fn ruling_in(
        id: &str,
        exchanges: Vec<Exchange>,
        era: EraFinding,
        behind_gateway: bool,
    ) -> Ruling {
        let transcript = Transcript {
            exchanges,
            ..Transcript::default()
        };
        let mut config = config();
        config.behind_gateway = behind_gateway;
        let settings = settings(config, false);
        let recording = Recording::from_transcript(transcript);
        let mut facts = Facts::read(&recording);
        facts.era = era;
        let context = Context {
            settings: &settings,
            recording: &recording,
            facts: &facts,
        };
        let check = crate::conformance::checks()
            .find(|check| check.rule.id == id)
            .expect("a check of this id");
        (check.judge)(&context)
    }

    /// Weights and messages of the findings, for comparing.
    pub(crate) fn found(ruling: &Ruling) -> Vec<(crate::ruling::Weight, String)> {
        match ruling {
            Ruling::Found(findings) => findings
                .iter()
                .map(|finding| (finding.weight, finding.message.clone()))
                .collect(),
            _ => vec![],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_told_once_with_its_methods() {
        let slip = |subject: &str| Finding::broken("it is odd").about(subject);
        let told = told_once([slip("a"), slip("b"), slip("a")]);
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].message, "it is odd; 3 answers, to a, b");
        assert_eq!(told_once([slip("a")])[0].message, "it is odd");
    }
}
