//! A process that is told to stop ends its listens in good order. Only with `--intrusive`, and on stdio.

use crate::ask::{Lane, Probe, Stage};
use crate::check::Check;
use crate::conformance::stdio::process::object;
use crate::conformance::subscribe::listening::{acknowledgement, declared, listen, undeclared};
use crate::context::Context;
use crate::record::Record;
use crate::ruling::{Finding, Ruling};

/// The process that is told to stop.
pub(crate) const LANE: &str = "teardown";

/// Opens a listen on a process of its own, which is sent a signal when the run closes down.
pub(crate) const TEARDOWN: Probe = Probe {
    name: "cancel.teardown",
    stage: Stage::Main,
    next: |cx, round| {
        let filter = declared(cx);
        if round > 0 || cx.is_http() || !cx.settings.config.intrusive || filter.is_empty() {
            return vec![];
        }
        vec![listen(cx, "listen", &filter).over(Lane::Own(LANE))]
    },
};

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::should("cancel.teardown", "Open subscriptions are closed in good order on shutdown")
    .intrusive()
    .spec("subs#graceful-closure")
    .why("A client that gets no last word cannot tell an orderly end from a crash, and may start the server again.")
    .fix("On SIGTERM answer each open subscriptions/listen with its result, then exit.")
    .probes(&[&TEARDOWN])
    .judge(closed)];

fn closed(cx: &Context) -> Ruling {
    if let Some(ruling) = undeclared(cx) {
        return ruling;
    }
    if cx.is_http() {
        return Ruling::skip(
            "tried on stdio alone: over HTTP the stop of a server ends the whole run",
        );
    }
    let Some(record) = cx.record("cancel.teardown/listen") else {
        return Ruling::skip("not reached");
    };
    if acknowledgement(record).is_none() {
        return Ruling::skip("no listen is acknowledged (subscribe.ack-first)");
    }
    let number = record.exchange.channel.unwrap_or_default();
    let log = cx.recording.channels.get(number as usize);
    let Some(log) = log.filter(|log| log.terminated_ms.is_some()) else {
        return Ruling::skip("the process was gone before it was told to stop");
    };
    if said_goodbye(record)
        || log
            .stray
            .iter()
            .filter_map(object)
            .any(|one| is_cancel(&one))
    {
        return Ruling::met("the listen got its last word");
    }
    if log.ended_ms.is_none() {
        return Ruling::skip("the process did not stop when it was told to");
    }
    Finding::broken("told to stop, the server ends without a result or notifications/cancelled for an open listen")
        .seen_in(record)
        .into()
}

fn is_cancel(envelope: &crate::wire::rpc::Envelope) -> bool {
    envelope.method() == Some("notifications/cancelled")
}

fn said_goodbye(record: &Record) -> bool {
    let mut replies = record.replies().filter_map(|(_, parsed)| parsed.envelope());
    record.response().is_some() || replies.any(is_cancel)
}

#[cfg(test)]
mod tests {
    use crate::testing::{config, ruling, word};
    use verdict_fixture::Server;

    #[test]
    fn listens_get_a_last_word() {
        let ruled = |server: &Server, intrusive, stdio| {
            let mut config = config();
            config.intrusive = intrusive;
            word(&ruling("cancel.teardown", server, config, stdio))
        };
        let silent = Server::with("ends-silently").expect("a defect");
        assert_eq!(ruled(&Server::correct(), true, true), "met");
        assert_eq!(ruled(&silent, true, true), "broken");
        assert_eq!(ruled(&silent, false, true), "skip");
        assert_eq!(ruled(&silent, true, false), "skip");
    }
}
