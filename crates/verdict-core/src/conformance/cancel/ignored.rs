//! Cancellations that cancel nothing are passed over; stdio only.

use crate::ask::{Ask, Lane, Patience, Probe, Stage};
use crate::check::Check;
use crate::conformance::stdio::notices::NOTIFY;
use crate::conformance::stdio::process::NOTICES;
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::refusal::served;
use crate::ruling::{Finding, Ruling};
use crate::wire::rpc::Kind;
use serde_json::json;

/// Cancels a request that was answered, then nothing at all, and asks whether the process is still there.
///
/// A request that was never sent is cancelled by [`NOTIFY`], on the same process.
pub const NOTES: Probe = Probe {
    name: "cancel.notes",
    stage: Stage::Main,
    next: notes,
};

const WAIT_MS: u64 = 300;

fn notes(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || cx.is_http() {
        return vec![];
    }
    let note = |step: &str, params| {
        Ask::notification(step, "notifications/cancelled", params)
            .patience(Patience::Watch(WAIT_MS))
            .once()
            .faulty()
            .over(Lane::Own(NOTICES))
    };
    vec![
        note("finished", json!({"requestId": "stdio.notices/discover"})),
        note("malformed", json!({})),
        Ask::request("after", "server/discover", json!({}))
            .once()
            .over(Lane::Own(NOTICES)),
    ]
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::should("cancel.unknown-ignored", "Cancellations that cancel nothing are passed over")
    .stdio()
    .spec("cancel#error-handling")
    .why("A cancellation and the response cross on their way; a server that takes offence ends connections that are well.")
    .fix("Drop notifications/cancelled that name no request at work, or none at all, without an answer.")
    .probes(&[&NOTIFY, &NOTES])
    .judge(ignored)];

fn ignored(cx: &Context) -> Ruling {
    let first = match served(cx, "stdio.notices/discover") {
        Ok(record) => record,
        Err(Ruling::Error(why)) => return Ruling::skip(why),
        Err(ruling) => return ruling,
    };
    let cases = [
        (
            "stdio.notices/cancelled",
            "of a request that was never sent",
        ),
        ("cancel.notes/finished", "of a request that was answered"),
        ("cancel.notes/malformed", "that names no request"),
    ];
    let here = |record: &Record| record.exchange.channel == first.exchange.channel;
    let mut findings = Vec::new();
    let mut last = None;
    for (name, what) in cases {
        let Some(record) = cx.record(name).filter(|record| here(record)) else {
            break;
        };
        last = Some((record, what));
        let mut messages = record.replies().filter_map(|(_, parsed)| parsed.envelope());
        if messages.any(|envelope| envelope.kind() == Kind::Response) {
            let message = format!("a cancellation {what} is answered; expected nothing");
            findings.push(Finding::broken(message).seen_in(record));
        }
    }
    if !findings.is_empty() {
        return Ruling::Found(findings);
    }
    let Some(after) = cx.record("cancel.notes/after") else {
        return Ruling::skip("not reached");
    };
    match (here(after), after.answer(), last) {
        (true, Answer::Result(_), _) => Ruling::met("three cancellations of nothing, no answer"),
        (_, _, Some((record, what))) if has_ended(cx, first) => {
            let message = format!("the process ended after a cancellation {what}");
            Finding::broken(message).seen_in(record).into()
        }
        _ => Ruling::skip("the process could not be asked afterwards (transport.survives)"),
    }
}

/// Whether the process of an exchange ended by itself.
fn has_ended(cx: &Context, record: &Record) -> bool {
    let channel = record.exchange.channel;
    let log = channel.and_then(|number| cx.recording.channels.get(number as usize));
    log.is_some_and(|log| log.ended_ms.is_some() && log.input_closed_ms.is_none())
}

#[cfg(test)]
mod tests {
    use super::super::super::stdio::process::sample;
    use super::*;
    use crate::testing::{config, ruling, word};
    use verdict_fixture::Server;
    use verdict_model::transcript::{Channel, End, Exchange};

    #[test]
    fn the_fixture_agrees() {
        let ruled =
            |server: &Server| word(&ruling("cancel.unknown-ignored", server, config(), true));
        assert_eq!(ruled(&Server::correct()), "met");
        for defect in ["notification-answered", "cancelled-unknown-refused"] {
            assert_eq!(ruled(&Server::with(defect).expect("a defect")), "broken");
        }
    }

    #[test]
    fn a_process_that_dies_is_found() {
        let id = "stdio.notices/discover";
        let wrote = sample::request(id, "server/discover");
        let got = json!({"jsonrpc": "2.0", "id": id, "result": {}}).to_string();
        let discover = sample::exchange(id, (0, 1), &wrote, &[&got]);
        let note = |name: &str, end| Exchange {
            end,
            ..sample::exchange(name, (2, 3), r#"{"method":"notifications/cancelled"}"#, &[])
        };
        let after = Exchange {
            channel: Some(1),
            ..sample::exchange("cancel.notes/after", (4, 5), "{}", &[])
        };
        let exchanges = vec![
            discover,
            note("stdio.notices/cancelled", End::Silent),
            note("cancel.notes/finished", End::Lost("gone".to_owned())),
            after,
        ];
        let dead = Channel {
            ended_ms: Some(3),
            ..sample::process(vec![])
        };
        let channels = vec![dead, sample::process(vec![])];
        let ruling = sample::ruling("cancel.unknown-ignored", exchanges, channels);
        assert!(ruling.is_broken(), "{ruling:?}");
    }
}
