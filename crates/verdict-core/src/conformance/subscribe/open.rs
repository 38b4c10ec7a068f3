//! Listens that are open: they stay so, and one does not end another.

use super::listening::{
    HOLD_MS, LISTENS, acknowledged, acknowledgement, granted, is_set, tag, undeclared, unopened,
};
use crate::check::Check;
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::ruling::{Finding, Ruling};
use crate::wire::rpc::{Envelope, Kind, same_id};
use verdict_model::transcript::End;

/// Milliseconds after the acknowledgement within which an end means that nothing is listened to.
const AT_ONCE_MS: u64 = 1_000;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("subscribe.concurrent", "Two listens can be open at the same time")
        .spec("subs#multiple-concurrent-subscriptions")
        .why("Clients open one listen for lists and another for resources; the loss of one goes unnoticed.")
        .fix("Keep subscriptions by the id of their request and their connection, not one for the whole server.")
        .probes(&[&LISTENS])
        .judge(concurrent),
    Check::must("subscribe.stays-open", "A listen stays open")
        .spec("subs")
        .why("A client whose listen ends has to open another, and misses what changes in between.")
        .fix("Keep the stream open until the client ends it; where you must end it, send its result first. Raise time limits for idle responses.")
        .probes(&[&LISTENS])
        .judge(stays_open),
];

fn concurrent(cx: &Context) -> Ruling {
    if let Some(ruling) = undeclared(cx) {
        return ruling;
    }
    let (Some(first), Some(second)) = (cx.record("subscribe/text"), cx.record("subscribe/number"))
    else {
        return unopened(cx);
    };
    if acknowledgement(first).is_none() {
        return unopened(cx);
    }
    let Some(ack) = acknowledgement(second) else {
        let message = match second.answer() {
            Answer::Locked(_) | Answer::Busy(_) => {
                return Ruling::skip("the server limits how often it is asked");
            }
            Answer::Error(code) => format!(
                "while one listen is open a second one is refused{}",
                code.map_or_else(String::new, |code| format!(" with {code}"))
            ),
            _ if second.exchange.end == End::TimedOut => {
                "while one listen is open a second one is not acknowledged".to_owned()
            }
            _ => return Ruling::skip("the second listen came to no answer"),
        };
        return Finding::unproven(message).seen_in(second).into();
    };
    let id = first.request().and_then(Envelope::id);
    if matches!((id, tag(ack.params())), (Some(id), Some(got)) if same_id(id, got)) {
        let message = "the acknowledgement of the second listen has the id of the first";
        return Finding::broken(message).seen_in(second).into();
    }
    if ended(cx, first).is_some() && is_replaced(first, second) && ended(cx, second).is_none() {
        let message = "a listen ends when a second one is opened";
        return Finding::broken(message).seen_in(first).into();
    }
    Ruling::met("two listens are open side by side")
}

/// Whether a listen ended in the moment in which a later one was opened.
fn is_replaced(listen: &Record, later: &Record) -> bool {
    let opened = later.exchange.sent_ms;
    (opened..=opened + AT_ONCE_MS).contains(&over_ms(listen))
}

/// When a listen was over for the client.
fn over_ms(record: &Record) -> u64 {
    record
        .exchange
        .answered_ms
        .unwrap_or(record.exchange.ended_ms)
}

/// How the server ended a listen: with a result or without one. None where it did not.
fn ended(cx: &Context, record: &Record) -> Option<bool> {
    let exchange = &record.exchange;
    let closes = record.response().is_some();
    if cx.is_http() {
        let over = matches!(
            exchange.end,
            End::Complete | End::LeftOpen | End::Lost(_) | End::Malformed(_)
        );
        return (closes || over).then_some(closes);
    }
    let log = cx.recording.channels.get(exchange.channel? as usize)?;
    // What is said when the input ends is a good end.
    let before = |at: u64| log.input_closed_ms.is_none_or(|closed| at < closed);
    let mut messages = record
        .replies()
        .filter_map(|(message, parsed)| Some((message.at_ms, parsed.envelope()?)));
    messages.find_map(|(at, envelope)| {
        let response = envelope.kind() == Kind::Response;
        let cancels = envelope.method() == Some("notifications/cancelled");
        (before(at) && (response || cancels)).then_some(response)
    })
}

fn stays_open(cx: &Context) -> Ruling {
    let listens = match acknowledged(cx) {
        Ok(listens) => listens,
        Err(ruling) => return ruling,
    };
    // On stdio the last one is cancelled by us, and an empty grant may end at once.
    let watched: Vec<(&Record, u64)> = listens
        .into_iter()
        .filter(|(record, ack)| {
            let ours = !cx.is_http() && record.exchange.name == "subscribe/zero";
            !ours && granted(ack).is_some_and(|granted| granted.values().any(is_set))
        })
        .map(|(record, _)| (record, acknowledged_ms(record)))
        .collect();
    if watched.is_empty() {
        return Ruling::skip("no listen was granted anything");
    }
    let stayed = |record: &Record| ended(cx, record).is_none();
    if watched
        .iter()
        .all(|(record, at)| stayed(record) && !lasted(cx, record, *at))
    {
        return Ruling::skip("the run was over, or the process gone, before the wait was");
    }
    let mut findings = Vec::new();
    let mut at_once = 0;
    for (record, at) in &watched {
        let Some(closed) = ended(cx, record) else {
            continue;
        };
        // One listen that ends another is told by subscribe.concurrent.
        let others = watched.iter().filter(|(other, _)| stayed(other));
        if others.clone().any(|(other, _)| is_replaced(record, other)) {
            continue;
        }
        let after = over_ms(record).saturating_sub(*at);
        if !closed && after < AT_ONCE_MS {
            at_once += 1;
        }
        let how = if closed {
            "with a result"
        } else {
            "without a result"
        };
        findings.push(
            Finding::unproven(format!(
                "an idle listen ends {how} {:.1} s after its acknowledgement",
                seconds(after)
            ))
            .seen_in(record),
        );
    }
    if at_once == watched.len() && at_once > 1 {
        let message = format!(
            "{at_once} of {at_once} listens end without a result within a second of their acknowledgement"
        );
        return Finding::broken(message).seen_in(watched[0].0).into();
    }
    findings.truncate(1);
    Ruling::of(findings, format!("open for {} s", HOLD_MS / 1000))
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of one run")]
fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}

fn acknowledged_ms(record: &Record) -> u64 {
    let mut replies = record.replies();
    let ack = replies.find(|(_, parsed)| {
        parsed
            .envelope()
            .is_some_and(crate::conformance::stdio::together::is_ack)
    });
    ack.map_or(0, |(message, _)| message.at_ms)
}

/// Whether a listen was watched for the whole time.
fn lasted(cx: &Context, record: &Record, at: u64) -> bool {
    // The wait is of one step, and on stdio the parts of it add up.
    let wait = cx.record("subscribe/idle");
    let waited = wait.is_some_and(|wait| wait.exchange.end == End::Silent);
    if cx.is_http() {
        waited && record.exchange.ended_ms >= at + HOLD_MS
    } else {
        waited && wait.is_some_and(|wait| wait.exchange.channel == record.exchange.channel)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{config, ruling, word};
    use verdict_fixture::Server;

    #[test]
    fn listens_stay_open_side_by_side() {
        for stdio in [false, true] {
            for id in ["subscribe.concurrent", "subscribe.stays-open"] {
                let ruling = ruling(id, &Server::correct(), config(), stdio);
                assert!(ruling.is_met(), "{id}, stdio: {stdio}: {ruling:?}");
            }
        }
        let ruled = |id: &str, defect: &str| {
            let server = Server::with(defect).expect("a defect");
            word(&ruling(id, &server, config(), false))
        };
        assert_eq!(ruled("subscribe.concurrent", "listen-one-only"), "unproven");
        assert_eq!(ruled("subscribe.stays-open", "listen-one-only"), "met");
        assert_eq!(ruled("subscribe.stays-open", "listen-ends"), "broken");
        assert_eq!(ruled("subscribe.stays-open", "listen-not-served"), "skip");
    }
}
