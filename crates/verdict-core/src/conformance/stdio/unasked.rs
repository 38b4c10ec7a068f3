//! What a process says that nobody asked for: requests of its own, words before the first request, and
//! notifications while nothing is going on.

use super::process::{SECOND, exchanges, is_core, object, processes};
use crate::ask::{Ask, Lane, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::record::Record;
use crate::ruling::{Finding, Ruling, Weight};
use crate::wire::json::cut;
use crate::wire::rpc::{Envelope, Kind};
use verdict_model::transcript::{Channel, End, Stray};

/// Starts a process and listens without a word; everything else on this process comes after it.
pub const SILENCE: Probe = Probe {
    name: "stdio.silence",
    stage: Stage::Main,
    next: silence,
};

const SILENCE_MS: u64 = 2_000;
/// Messages cross on the pipe: so long after an answer, or after our own cancel, nothing is held against it.
const GRACE_MS: u64 = 1_000;

fn silence(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || cx.is_http() {
        return vec![];
    }
    vec![Ask::silence("start", SILENCE_MS).over(Lane::Own(SECOND))]
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("stdio.no-server-requests", "The server sends no requests")
        .stdio()
        .spec("stdio#receiving-messages")
        .why("Clients of this revision cannot answer a request, so a server that waits for the answer waits for ever.")
        .fix("Return an input_required result with the questions in inputRequests; the client sends the request again with its answers.")
        .judge(no_requests),
    Check::must("stdio.silent-before-request", "Nothing is sent before the first request")
        .stdio()
        .spec("stdio#receiving-messages")
        .why("Nothing can belong to a request that was not sent; clients drop such messages or end the connection.")
        .fix("Wait for the first request. Write what you want to say at the start to standard error.")
        .probes(&[&SILENCE])
        .judge(silent),
    Check::must("stdio.unsolicited", "Notifications come only while a request or a listen is open")
        .stdio()
        .spec("stdio#receiving-messages")
        .why("Clients hand notifications to the request they belong to; others are lost, or taken for something else.")
        .fix("Send change notices to open subscriptions/listen requests alone, and nothing for requests that are answered.")
        .judge(unsolicited),
];

fn no_requests(cx: &Context) -> Ruling {
    let (mut seen, mut findings) = (0, Vec::new());
    let mut told = Vec::new();
    let mut note = |method: &str, record: Option<&Record>| {
        if told.iter().any(|other| other == method) {
            return;
        }
        told.push(method.to_owned());
        let message = format!("the server sends a request of its own, {}", cut(method, 80));
        let finding = Finding::broken(message);
        findings.push(match record {
            Some(record) => finding.seen_in(record),
            None => finding,
        });
    };
    for (number, log) in processes(cx) {
        for record in exchanges(cx, number) {
            for envelope in record.replies().filter_map(|(_, parsed)| parsed.envelope()) {
                seen += 1;
                if envelope.kind() == Kind::Request {
                    note(envelope.method().unwrap_or_default(), Some(record));
                }
            }
        }
        for envelope in log.stray.iter().filter_map(object) {
            if envelope.kind() == Kind::Request {
                note(envelope.method().unwrap_or_default(), None);
            }
        }
    }
    if seen == 0 && findings.is_empty() {
        return Ruling::skip("no message was received");
    }
    Ruling::of(findings, "no message of the server is a request")
}

fn silent(cx: &Context) -> Ruling {
    let Some(record) = cx.record("stdio.silence/start") else {
        return Ruling::skip(match &cx.recording.cut_off {
            Some(why) => format!("not reached: {why}"),
            None => "no second process was started".to_owned(),
        });
    };
    let log = record
        .exchange
        .channel
        .and_then(|number| cx.recording.channels.get(number as usize));
    let Some(log) = log else {
        return Ruling::skip("a second process could not be started");
    };
    let early = log
        .stray
        .iter()
        .filter(|stray| stray.at_ms < record.exchange.ended_ms)
        .filter_map(object);
    let mut findings: Vec<Finding> = Vec::new();
    for envelope in early {
        if let Some(finding) = too_early(cx, &envelope)
            && !findings
                .iter()
                .any(|other| other.message == finding.message)
        {
            findings.push(finding);
        }
    }
    match &record.exchange.end {
        _ if !findings.is_empty() => Ruling::Found(findings),
        End::Silent => Ruling::met(format!("silent for {} s", SILENCE_MS / 1000)),
        End::Lost(why) => Ruling::skip(format!("the second process did not stay: {why}")),
        End::Unreachable(why) => {
            Ruling::skip(format!("a second process could not be started: {why}"))
        }
        _ => Ruling::skip("the run was over before the wait was"),
    }
}

/// What is wrong with a message that came before anything was asked.
fn too_early(cx: &Context, envelope: &Envelope) -> Option<Finding> {
    let method = envelope.method().unwrap_or_default();
    let what = match envelope.kind() {
        Kind::Response => "a response".to_owned(),
        Kind::Request => format!("a request ({})", cut(method, 80)),
        Kind::Notification => cut(method, 80),
        Kind::Neither => return None,
    };
    let message = format!("before any request was sent, the server sends {what}");
    // 2025-11-25 tolerates these two before its handshake.
    let tolerated = cx.facts.is_dual() && matches!(method, "ping" | "notifications/message");
    let unknown = envelope.kind() == Kind::Notification && !is_core(method);
    Some(if tolerated {
        Finding::unproven(format!("{message}, which earlier revisions tolerate"))
    } else if unknown {
        Finding::unproven(format!("{message}, which this revision does not define"))
    } else {
        Finding::broken(message)
    })
}

fn unsolicited(cx: &Context) -> Ruling {
    let mut findings: Vec<(Finding, usize)> = Vec::new();
    for (number, log) in processes(cx) {
        let records: Vec<&Record> = exchanges(cx, number).collect();
        for stray in &log.stray {
            let Some(envelope) = object(stray).filter(|one| one.kind() == Kind::Notification)
            else {
                continue;
            };
            if is_excused(stray, log, &records) {
                continue;
            }
            let method = envelope.method().unwrap_or_default();
            let weight = if is_core(method) {
                Weight::Broken
            } else {
                Weight::Unproven
            };
            let message = format!("{} comes while no request is open", cut(method, 80));
            match findings
                .iter_mut()
                .find(|(other, _)| other.message == message)
            {
                Some((_, count)) => *count += 1,
                None => findings.push((Finding::new(weight, message), 1)),
            }
        }
    }
    let told = findings.into_iter().map(|(mut finding, count)| {
        if count > 1 {
            finding.message = format!("{}; {count} times", finding.message);
        }
        finding
    });
    Ruling::of(told.collect(), "nothing came while no request was open")
}

/// Whether something was open when the line came, or had just been.
fn is_excused(stray: &Stray, log: &Channel, records: &[&Record]) -> bool {
    let closing = log
        .input_closed_ms
        .is_some_and(|closed| stray.at_ms >= closed);
    closing
        || records.iter().any(|record| {
            let exchange = &record.exchange;
            let until = match record.request() {
                // Before the first request: judged by stdio.silent-before-request.
                None if exchange.messages.is_empty() => exchange.ended_ms,
                // A notification can own nothing, but what it cancels may still be on its way.
                Some(request) if request.id().is_none() => exchange.sent_ms + GRACE_MS,
                _ => exchange.ended_ms + GRACE_MS,
            };
            (exchange.sent_ms..=until).contains(&stray.at_ms)
        })
}

#[cfg(test)]
mod tests {
    use super::super::process::sample::{
        at_command, exchange, process, request, ruling, ruling_in, stray,
    };
    use super::*;
    use crate::facts::EraFinding;
    use crate::testing::{self, config};
    use verdict_fixture::Server;
    use verdict_model::transcript::Exchange;

    fn weights(ruling: &Ruling) -> Vec<Weight> {
        match ruling {
            Ruling::Found(findings) => findings.iter().map(|finding| finding.weight).collect(),
            _ => vec![],
        }
    }

    fn note(method: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#)
    }

    fn silence() -> Exchange {
        Exchange {
            end: End::Silent,
            ..exchange("stdio.silence/start", (0, 2_000), "", &[])
        }
    }

    #[test]
    fn nothing_comes_before_the_first_request() {
        let settings = at_command(&["server"]);
        let with = |text: &str, era: EraFinding| {
            let logs = vec![process(vec![stray(500, text), stray(2_500, &note("x"))])];
            let id = "stdio.silent-before-request";
            weights(&ruling_in(id, vec![silence()], logs, era, &settings))
        };
        let (modern, dual) = (|| EraFinding::Modern, || EraFinding::Dual);
        assert_eq!(with("hello", modern()), []);
        for text in [
            &note("notifications/tools/list_changed"),
            &note("notifications/message"),
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ] {
            assert_eq!(with(text, modern()), [Weight::Broken], "{text}");
        }
        assert_eq!(
            with(&note("notifications/odd"), modern()),
            [Weight::Unproven]
        );
        assert_eq!(
            with(&note("notifications/message"), dual()),
            [Weight::Unproven]
        );
        let progress = note("notifications/progress");
        assert_eq!(with(&progress, dual()), [Weight::Broken]);
    }

    #[test]
    fn notifications_need_an_open_request() {
        let list = || exchange("a", (0, 100), &request("a", "tools/list"), &[]);
        let with = |at: u64, method: &str| {
            let logs = vec![process(vec![stray(at, &note(method))])];
            weights(&ruling("stdio.unsolicited", vec![list()], logs))
        };
        let changed = "notifications/tools/list_changed";
        assert_eq!(with(50, changed), []);
        assert_eq!(with(1_100, changed), []);
        assert_eq!(with(1_101, changed), [Weight::Broken]);
        assert_eq!(with(5_000, "notifications/odd"), [Weight::Unproven]);
        let legacy = vec![list(), {
            let mut shake = exchange("i", (0, 10), &request("i", "initialize"), &[]);
            shake.standing = verdict_model::transcript::Standing::Legacy;
            shake
        }];
        let logs = vec![process(vec![stray(5_000, &note(changed))])];
        assert!(ruling("stdio.unsolicited", legacy, logs).is_met());
    }

    #[test]
    fn requests_of_the_server_are_found() {
        let ping = r#"{"jsonrpc":"2.0","id":"s","method":"ping"}"#;
        let id = "stdio.no-server-requests";
        let with = |got: &[&str], strays| {
            let list = exchange("a", (0, 100), &request("a", "tools/list"), got);
            ruling(id, vec![list], vec![process(strays)])
        };
        assert!(with(&[&note("x")], vec![]).is_met());
        assert!(with(&[ping], vec![]).is_broken());
        assert!(with(&[], vec![stray(900, ping)]).is_broken());
    }

    #[test]
    fn the_fixture_agrees() {
        let ruled = |id: &str, server: &Server| testing::ruling(id, server, config(), true);
        for (id, defect) in [
            ("stdio.silent-before-request", "speaks-first"),
            ("stdio.unsolicited", "speaks-unasked"),
            ("stdio.no-server-requests", "stdout-request"),
        ] {
            assert!(ruled(id, &Server::correct()).is_met(), "{id}");
            let server = Server::with(defect).expect("a defect");
            assert!(ruled(id, &server).is_broken(), "{id}");
        }
    }
}
