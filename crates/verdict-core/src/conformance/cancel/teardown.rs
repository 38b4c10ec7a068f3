//! A server that is told to stop ends its listens in good order. Only with `--intrusive`, and over HTTP only for a
//! server that we started or know how to stop; its end is the end of the run.

use crate::ask::{Ask, Lane, Patience, Probe, Stage};
use crate::check::Check;
use crate::conformance::stdio::process::object;
use crate::conformance::subscribe::listening::{acknowledgement, declared, listen, undeclared};
use crate::context::Context;
use crate::record::Record;
use crate::ruling::{Finding, Ruling};
use verdict_model::transcript::End;

/// The process that is told to stop.
pub(crate) const LANE: &str = "teardown";

/// Opens a listen on a process of its own, which is sent a signal when the run closes down.
pub(crate) const PROCESS: Probe = Probe {
    name: "cancel.teardown",
    stage: Stage::Main,
    next: |cx, round| open(cx, round, false),
};

/// Over HTTP the listen is opened last, and the server told to stop when the run closes down.
pub(crate) const SERVER: Probe = Probe {
    name: "cancel.stop",
    stage: Stage::Door,
    next: |cx, round| open(cx, round, true),
};

fn open(cx: &Context, round: usize, http: bool) -> Vec<Ask> {
    let filter = declared(cx);
    let stops = !http || can_stop(cx);
    let goes = cx.is_http() == http && cx.settings.config.intrusive && cx.facts.is_modern();
    if round > 0 || !goes || !stops || filter.is_empty() {
        return vec![];
    }
    let ask = listen(cx, "listen", &filter).over(Lane::Own(LANE));
    vec![ask.patience(Patience::Hold(u64::MAX))]
}

/// Whether there is a way to stop an HTTP server.
fn can_stop(cx: &Context) -> bool {
    let server = &cx.settings.config.server;
    server.start.is_some() || server.stop.is_some()
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::should("cancel.teardown", "Open subscriptions are closed in good order on shutdown")
    .intrusive()
    .spec("subs#graceful-closure")
    .why("A client that gets no last word cannot tell an orderly end from a crash, and may start the server again.")
    .fix("On SIGTERM answer each open subscriptions/listen with its result, then exit.")
    .probes(&[&PROCESS, &SERVER])
    .judge(closed)];

fn closed(cx: &Context) -> Ruling {
    if let Some(ruling) = undeclared(cx) {
        return ruling;
    }
    if cx.is_http() && !can_stop(cx) {
        return Ruling::skip("say how the server is started or stopped (server.stop) to try this");
    }
    let probe = if cx.is_http() { &SERVER } else { &PROCESS };
    let Some(record) = cx.record(&format!("{}/listen", probe.name)) else {
        return Ruling::skip("not reached");
    };
    if acknowledgement(record).is_none() {
        return Ruling::skip("no listen is acknowledged (subscribe.ack-first)");
    }
    let number = record.exchange.channel.unwrap_or_default();
    let log = cx.recording.channels.get(number as usize);
    let Some(log) = log.filter(|log| log.terminated_ms.is_some()) else {
        return Ruling::skip("the listen was over before the server was told to stop");
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
    // A stream that ended was closed by the server; one that did not was closed by us.
    let closed = cx.is_http() && !matches!(record.exchange.end, End::Closed | End::Unfinished);
    if log.ended_ms.is_none() && !closed {
        return Ruling::skip("the server did not stop when it was told to");
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
    use verdict_model::config::Words;

    #[test]
    fn listens_get_a_last_word() {
        let ruled = |server: &Server, intrusive, stdio| {
            let mut config = config();
            config.intrusive = intrusive;
            config.server.start = Some(Words::Line("ledger".to_owned()));
            word(&ruling("cancel.teardown", server, config, stdio))
        };
        let silent = Server::with("ends-silently").expect("a defect");
        assert_eq!(ruled(&Server::correct(), true, true), "met");
        assert_eq!(ruled(&silent, true, true), "broken");
        assert_eq!(ruled(&silent, false, true), "skip");
        assert_eq!(ruled(&Server::correct(), true, false), "met");
        assert_eq!(ruled(&silent, true, false), "broken");
    }
}
