//! Answers on stdio: the same rules as over HTTP, and how soon the first one comes.

use crate::check::Check;
use crate::context::Context;
use crate::ruling::{Finding, Ruling};
use crate::wire::rpc::Kind;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("stdio.same-answers", "Errors about header fields do not occur on stdio")
        .stdio()
        .spec("basic#error-codes")
        .why("There is no header layer on stdio; a client that reads -32020 looks for a fault that it cannot have made.")
        .fix("Compare header fields with the body in the HTTP transport alone.")
        .judge(same_answers),
    Check::advisory("stdio.discover-latency", "The first answer comes within ten seconds of the start")
        .stdio()
        .spec("stdio#backward-compatibility")
        .why("Clients that also speak older revisions take a slow server for an old one and begin its handshake.")
        .fix("Answer server/discover before slow work is done: load data and connect to other services later.")
        .judge(latency),
];

/// Seconds after which clients commonly fall back to the handshake.
const SLOW_MS: u64 = 10_000;

fn same_answers(cx: &Context) -> Ruling {
    let mut seen = 0;
    for record in cx.recording.modern() {
        for envelope in record.replies().filter_map(|(_, parsed)| parsed.envelope()) {
            if envelope.kind() != Kind::Response {
                continue;
            }
            seen += 1;
            if envelope.error_code() == Some(-32020) {
                let message = "the error is -32020 (HeaderMismatch), which is about HTTP header fields; there are none on stdio";
                return Finding::broken(message).seen_in(record).into();
            }
        }
    }
    if seen == 0 {
        return Ruling::skip("no answer was received");
    }
    Ruling::met(format!("no -32020 in {seen} answers"))
}

fn latency(cx: &Context) -> Ruling {
    let Some(record) = cx.record("era/discover") else {
        return Ruling::skip("the run was over before the server was asked");
    };
    let opened = record
        .exchange
        .channel
        .and_then(|number| cx.recording.channels.get(number as usize))
        .map(|log| log.opened_ms);
    let (Some(opened), Some(answered)) = (opened, record.exchange.answered_ms) else {
        return Ruling::skip("server/discover was not answered");
    };
    let took = answered.saturating_sub(opened);
    let message = format!(
        "the first answer came {}.{} s after the start",
        took / 1000,
        took % 1000 / 100
    );
    let finding = if took > SLOW_MS {
        Finding::unproven(format!("{message}; many clients wait no longer than 10 s"))
    } else {
        Finding::noted(message)
    };
    finding.seen_in(record).into()
}

#[cfg(test)]
mod tests {
    use super::super::process::sample::{exchange, process, request, ruling};
    use super::*;
    use crate::ruling::Weight;

    #[test]
    fn header_errors_have_no_place_here() {
        let with = |code: i64| {
            let answer =
                format!(r#"{{"jsonrpc":"2.0","id":"a","error":{{"code":{code},"message":"no"}}}}"#);
            let asked = exchange("a", (0, 1), &request("a", "x"), &[&answer]);
            ruling("stdio.same-answers", vec![asked], vec![process(vec![])])
        };
        assert!(with(-32601).is_met());
        assert!(with(-32020).is_broken());
    }

    #[test]
    fn slow_starts_are_warned_of() {
        let with = |ms: u64| {
            let asked = exchange("era/discover", (1, ms), &request("a", "x"), &[]);
            match ruling("stdio.discover-latency", vec![asked], vec![process(vec![])]) {
                Ruling::Found(findings) => Some((findings[0].weight, findings[0].message.clone())),
                _ => None,
            }
        };
        let quick = with(1_250).expect("a finding");
        assert_eq!(quick.0, Weight::Noted);
        assert!(quick.1.contains("1.2 s"), "{}", quick.1);
        assert_eq!(with(12_000).map(|found| found.0), Some(Weight::Unproven));
    }
}
