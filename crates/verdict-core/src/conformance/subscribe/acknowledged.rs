//! How a listen is opened: it is served, as an event stream, and its first message says what it will bring.

use super::listening::{
    HELD, LISTENS, TAG_PLACE, acknowledged, acknowledgement, held, tag, undeclared, unopened,
};
use crate::check::Check;
use crate::conformance::stdio::together::{is_ack, is_tagged};
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::refusal::{answered, name_of};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::{cut, shortened};
use crate::wire::rpc::same_id;
use verdict_model::transcript::{End, HttpExchange};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("subscribe.available", "A server that declares changes serves subscriptions/listen")
        .spec("subs#opening-a-stream")
        .why("Clients trust the declaration and wait for news that never come; their lists grow stale.")
        .fix("Serve subscriptions/listen, or leave listChanged and subscribe out of the capabilities.")
        .official(&["sep-2575-server-sends-subscription-ack"])
        .probes(&[&LISTENS])
        .judge(available),
    Check::must("subscribe.sse", "A listen is answered with an event stream")
        .http()
        .spec("http#receiving-messages")
        .why("Clients read notifications from text/event-stream; another form is dropped as unreadable.")
        .fix("Answer subscriptions/listen with Content-Type: text/event-stream and send each message as an event.")
        .probes(&[&LISTENS])
        .judge(sse),
    Check::must("subscribe.ack-first", "The first message of a listen is its acknowledgement")
        .spec("subs#acknowledgment")
        .why("Clients learn from it that they are heard, and of what they will hear; without it they wait or give up.")
        .fix("Send notifications/subscriptions/acknowledged as soon as a listen is accepted, before anything else, and flush the stream.")
        .official(&["sep-2575-server-sends-subscription-ack"])
        .probes(&[&LISTENS])
        .judge(ack_first),
    Check::must("subscribe.ack-id", "The acknowledgement names the id of its listen, in the same JSON type")
        .spec("subs#receiving-notifications")
        .why("Clients find the subscription by this id; a number that became text is another id.")
        .fix("Copy the id of the request unchanged to io.modelcontextprotocol/subscriptionId in _meta; do not make text of it, and take 0 for an id.")
        .official(&["sep-2575-server-tags-subscription-id"])
        .probes(&[&LISTENS])
        .judge(ack_id),
];

fn available(cx: &Context) -> Ruling {
    if let Some(ruling) = undeclared(cx) {
        return ruling;
    }
    if held(cx).any(|record| acknowledgement(record).is_some()) {
        return Ruling::met("a listen is acknowledged");
    }
    let record = match answered(cx, "subscribe/text") {
        Ok(record) => record,
        // Silence is no refusal.
        Err(Ruling::Error(_)) => return unopened(cx),
        Err(ruling) => return ruling,
    };
    let again = cx.record("subscribe/number").map(Record::answer);
    let finding = match record.answer() {
        Answer::Error(Some(-32601)) => {
            Finding::broken("changes are declared, but subscriptions/listen is unknown (-32601)")
        }
        Answer::Error(Some(-32603)) => Finding::unproven(
            "a listen for what is declared is refused with -32603 (internal error); there may be too many",
        ),
        Answer::Error(code) => {
            let code = code.map_or_else(
                || "an error".to_owned(),
                |code| format!("{code}{}", name_of(code)),
            );
            let message = format!("a listen for what is declared is refused with {code}");
            match again {
                Some(Answer::Error(_)) => Finding::broken(format!("{message}, twice")),
                _ => Finding::unproven(message),
            }
        }
        Answer::Foreign if matches!(record.status(), Some(400..)) => {
            let status = record.status().unwrap_or_default();
            let message = format!(
                "changes are declared, but a listen is answered HTTP {status} without a JSON-RPC error"
            );
            if cx.settings.config.behind_gateway {
                Finding::unproven(message)
            } else {
                Finding::broken(message)
            }
        }
        _ => return unopened(cx),
    };
    finding.seen_in(record).into()
}

fn sse(cx: &Context) -> Ruling {
    if let Some(ruling) = undeclared(cx) {
        return ruling;
    }
    let served = |record: &&Record| {
        let fine = record
            .status()
            .is_some_and(|status| (200..300).contains(&status));
        fine && !matches!(record.answer(), Answer::Error(_))
    };
    let Some(record) = held(cx).find(served) else {
        return unopened(cx);
    };
    let media = record
        .exchange
        .http
        .as_ref()
        .and_then(HttpExchange::media_type);
    let got = match media.as_deref() {
        Some("text/event-stream") => return Ruling::met("listens are event streams"),
        Some(media) => format!("as {}", cut(media, 80)),
        None => "without a Content-Type".to_owned(),
    };
    Finding::broken(format!(
        "a listen is answered {got}; expected text/event-stream"
    ))
    .seen_in(record)
    .into()
}

/// Whether an answer over HTTP is no event stream; `subscribe.sse` tells of it.
fn is_other_form(record: &Record) -> bool {
    let http = record.exchange.http.as_ref();
    http.is_some_and(|http| {
        http.status.is_some() && http.media_type().as_deref() != Some("text/event-stream")
    })
}

fn ack_first(cx: &Context) -> Ruling {
    if let Some(ruling) = undeclared(cx) {
        return ruling;
    }
    let (mut seen, mut findings) = (0, Vec::new());
    for record in held(cx).filter(|record| !is_other_form(record)) {
        let mut messages = record.replies().filter_map(|(_, parsed)| parsed.envelope());
        // On stdio all share the channel, and only the tag tells what belongs to a listen.
        let first = messages.find(|one| cx.is_http() || is_ack(one) || is_tagged(record, one));
        let what = match first {
            Some(first) if is_ack(first) => {
                seen += 1;
                continue;
            }
            Some(first) if first.error().is_some() => continue,
            Some(first) => match first.method() {
                Some(method) => format!("{} comes first", cut(method, 80)),
                None => "the result comes first".to_owned(),
            },
            None => match &record.exchange.end {
                End::TimedOut if is_ignored(cx) => {
                    let seconds = cx.settings.timeout_ms / 1000;
                    format!("none came within {seconds} s, twice")
                }
                End::Complete if record.status() == Some(200) => {
                    "the stream ends without one".to_owned()
                }
                _ => continue,
            },
        };
        let buffered = first.is_none() && cx.settings.config.behind_gateway;
        let message = format!("a listen must begin with its acknowledgement; {what}");
        let finding = if buffered {
            Finding::unproven(format!("{message}, or a gateway held it back"))
        } else {
            Finding::broken(message)
        };
        if findings.is_empty() {
            findings.push(finding.seen_in(record));
        }
    }
    if seen == 0 && findings.is_empty() {
        return unopened(cx);
    }
    Ruling::of(findings, format!("{seen} listens begin with it"))
}

/// Whether no listen was answered in time, and other requests were: a slow machine proves nothing.
fn is_ignored(cx: &Context) -> bool {
    let served = |step: &str| {
        let record = cx.record(&format!("subscribe/{step}"));
        record.is_some_and(|record| record.result().is_some())
    };
    let listens = ["text", "number"].map(|step| cx.record(&format!("subscribe/{step}")));
    let silent = |record: &Record| record.exchange.end == End::TimedOut;
    served("before") && served("again") && listens.iter().all(|one| one.is_some_and(silent))
}

fn ack_id(cx: &Context) -> Ruling {
    let listens = match acknowledged(cx) {
        Ok(listens) => listens,
        Err(ruling) => return ruling,
    };
    let mut findings = Vec::new();
    for (record, ack) in &listens {
        let Some(id) = record.request().and_then(|request| request.id()) else {
            continue;
        };
        let got = tag(ack.params());
        if got.is_some_and(|got| same_id(id, got)) {
            continue;
        }
        let shown = shortened(id, 80);
        let message = match got {
            None => format!("the acknowledgement of listen {shown} has no subscriptionId"),
            Some(got) => format!(
                "the acknowledgement of listen {shown} has subscriptionId {}",
                shortened(got, 80)
            ),
        };
        findings.push(Finding::broken(message).seen_in(record).at(TAG_PLACE));
    }
    let kinds = listens.len();
    let missing = HELD.len() - kinds;
    let note = match missing {
        0 => format!("{kinds} kinds of ids come back as they are"),
        _ => format!(
            "{kinds} of {} kinds of ids come back as they are",
            HELD.len()
        ),
    };
    Ruling::of(findings, note)
}

#[cfg(test)]
mod tests {
    use crate::ruling::Ruling;
    use crate::testing::{config, ruling, word};
    use verdict_fixture::Server;

    fn ruled(id: &str, server: &Server, stdio: bool) -> Ruling {
        ruling(id, server, config(), stdio)
    }

    #[test]
    fn the_correct_server_opens_listens() {
        for stdio in [false, true] {
            for id in [
                "subscribe.available",
                "subscribe.ack-first",
                "subscribe.ack-id",
            ] {
                let ruling = ruled(id, &Server::correct(), stdio);
                assert!(ruling.is_met(), "{id}, stdio: {stdio}: {ruling:?}");
            }
        }
        assert!(ruled("subscribe.sse", &Server::correct(), false).is_met());
    }

    #[test]
    fn faults_are_found() {
        for (id, defect, due) in [
            ("subscribe.available", "listen-not-served", "broken"),
            ("subscribe.ack-first", "listen-not-served", "skip"),
            ("subscribe.ack-first", "listen-notice-first", "broken"),
            ("subscribe.ack-id", "listen-id-text", "broken"),
        ] {
            let server = Server::with(defect).expect("a defect");
            for stdio in [false, true] {
                let ruling = ruled(id, &server, stdio);
                assert_eq!(
                    word(&ruling),
                    due,
                    "{id}, {defect}, stdio: {stdio}: {ruling:?}"
                );
            }
        }
        let lines = Server::with("listen-lines").expect("a defect");
        assert!(ruled("subscribe.sse", &lines, false).is_broken());
    }
}
