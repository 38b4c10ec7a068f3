//! Cancellations that cancel nothing are passed over; stdio only.

use crate::ask::{Ask, Lane, Patience, Probe, Stage};
use crate::check::Check;
use crate::conformance::stdio::{notices::NOTIFY, process::NOTICES};
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::refusal::served;
use crate::ruling::{Finding, Ruling};
use crate::wire::rpc::Kind;
use serde_json::json;
use verdict_model::transcript::End;

/// Cancels a request that was answered, then nothing at all, and asks whether the process is still there.
///
/// A request that was never sent is cancelled by [`NOTIFY`].
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
    };
    let method = cx
        .facts
        .first_list()
        .map_or("server/discover", |list| list.method());
    let asks = vec![
        Ask::request("before", method, json!({})),
        note("finished", json!({"requestId": "cancel.notes/before"})),
        note("malformed", json!({})),
        Ask::request("after", "server/discover", json!({})).once(),
    ];
    asks.into_iter()
        .map(|ask| ask.over(Lane::Own(NOTICES)))
        .collect()
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
    for twin in ["stdio.notices/first", "cancel.notes/before"] {
        match served(cx, twin) {
            Ok(_) => {}
            Err(Ruling::Error(why)) => return Ruling::skip(why),
            Err(ruling) => return ruling,
        }
    }
    let cases = [
        (
            "stdio.notices/cancelled",
            "of a request that was never sent",
        ),
        ("cancel.notes/finished", "of a request that was answered"),
        ("cancel.notes/malformed", "that names no request"),
    ];
    let mut findings = Vec::new();
    for (name, what) in cases {
        let Some(record) = cx.record(name) else {
            continue;
        };
        let mut messages = record.replies().filter_map(|(_, parsed)| parsed.envelope());
        let message = if messages.any(|envelope| envelope.kind() == Kind::Response) {
            format!("a cancellation {what} is answered; expected nothing")
        } else if matches!(record.exchange.end, End::Lost(_)) {
            format!("the process ended after a cancellation {what}")
        } else {
            continue;
        };
        findings.push(Finding::broken(message).seen_in(record));
    }
    if !findings.is_empty() {
        return Ruling::Found(findings);
    }
    match cx.record("cancel.notes/after").map(Record::answer) {
        Some(Answer::Result(_)) => Ruling::met("three cancellations of nothing, no answer"),
        _ => Ruling::skip("the process could not be asked afterwards (transport.survives)"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::stdio::process::sample;
    use super::*;
    use crate::testing::{config, ruling, word};
    use verdict_fixture::Server;
    use verdict_model::transcript::Exchange;

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
        let served = |id: &str| {
            let wrote = sample::request(id, "server/discover");
            let got = json!({"jsonrpc": "2.0", "id": id, "result": {}}).to_string();
            sample::exchange(id, (0, 1), &wrote, &[&got])
        };
        let note = |name: &str, end| Exchange {
            end,
            ..sample::exchange(name, (2, 3), r#"{"method":"notifications/cancelled"}"#, &[])
        };
        let with = |end| {
            let exchanges = vec![
                served("stdio.notices/first"),
                served("cancel.notes/before"),
                note("stdio.notices/cancelled", End::Silent),
                note("cancel.notes/finished", end),
                served("cancel.notes/after"),
            ];
            sample::ruling(
                "cancel.unknown-ignored",
                exchanges,
                vec![sample::process(vec![])],
            )
        };
        assert!(with(End::Silent).is_met());
        assert!(with(End::Lost("gone".to_owned())).is_broken());
    }
}
