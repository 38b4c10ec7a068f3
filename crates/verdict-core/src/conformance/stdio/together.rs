//! Many things at once on one process: requests that are written together, and listens that share the pipe.
//!
//! Servers fail here that read the next line only when the last one is answered and forgotten.

use super::process::{SECOND, declared_changes, object};
use super::unasked::SILENCE;
use crate::ask::{Ask, Lane, Patience, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::facts::describe_end;
use crate::record::{Answer, Record};
use crate::refusal::answered;
use crate::ruling::{Finding, Ruling};
use crate::wire::json::cut;
use crate::wire::rpc::{Envelope, Kind, is_form_of};
use serde_json::json;
use verdict_model::transcript::End;

/// Five requests in one go.
pub const AT_ONCE: Probe = Probe {
    name: "stdio.concurrent",
    stage: Stage::Main,
    next: at_once,
};

/// Two listens in one go; they stay open until the input of the process is closed.
pub const LISTENS: Probe = Probe {
    name: "stdio.listens",
    stage: Stage::Main,
    next: listens,
};

const COUNT: usize = 5;

fn at_once(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || cx.is_http() {
        return vec![];
    }
    let method = cx
        .facts
        .first_list()
        .map_or("server/discover", |list| list.method());
    let ask = |number: usize| {
        Ask::request(number.to_string(), method, json!({}))
            .over(Lane::Own(SECOND))
            .alongside()
            .once()
    };
    (1..=COUNT).map(ask).collect()
}

fn listens(cx: &Context, round: usize) -> Vec<Ask> {
    let filter = declared_changes(cx);
    if round > 0 || cx.is_http() || filter.is_empty() {
        return vec![];
    }
    let ask = |step: &str| {
        Ask::request(
            step,
            "subscriptions/listen",
            json!({"notifications": filter}),
        )
        .over(Lane::Own(SECOND))
        .alongside()
        .patience(Patience::Hold(u64::MAX))
        .once()
    };
    STEPS.map(ask).into()
}

const STEPS: [&str; 2] = ["one", "two"];

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should("stdio.concurrent", "Five requests that are written at once get five answers")
        .stdio()
        .spec("basic#statelessness")
        .why("Clients do not wait for one answer before they ask the next; a lost answer leaves a call hanging.")
        .fix("Read the next line while earlier requests are still at work, and keep everything about a request in variables of that request.")
        .probes(&[&SILENCE, &AT_ONCE])
        .judge(concurrent),
    Check::must("stdio.listen-per-id-order", "The acknowledgement of each listen comes before its other messages")
        .stdio()
        .spec("subs#acknowledgment")
        .why("Clients learn from the acknowledgement what they will hear; what comes before it belongs to nothing they know.")
        .fix("Write the acknowledgement as soon as a listen is accepted, before its first notification can be queued.")
        .probes(&[&SILENCE, &LISTENS])
        .judge(ack_order),
];

fn concurrent(cx: &Context) -> Ruling {
    let records: Vec<&Record> = (1..=COUNT)
        .filter_map(|number| cx.record(&format!("stdio.concurrent/{number}")))
        .collect();
    let unasked =
        |record: &&Record| matches!(record.exchange.end, End::Unreachable(_) | End::Unfinished);
    if records.len() < COUNT || records.iter().any(unasked) {
        return Ruling::skip(match &cx.recording.cut_off {
            Some(why) => format!("not reached: {why}"),
            None => "the second process could not be asked".to_owned(),
        });
    }
    let lost: Vec<&&Record> = records
        .iter()
        .filter(|record| record.response().is_none())
        .collect();
    let mut findings = Vec::new();
    if let Some(first) = lost.first() {
        let message = format!(
            "of {COUNT} requests that were written at once {} had no answer: the server {}",
            lost.len(),
            describe_end(&first.exchange.end)
        );
        findings.push(Finding::broken(message).seen_in(first));
    }
    let doubled = records.iter().find(|record| is_doubled(cx, record));
    if let Some(record) = doubled {
        let message =
            format!("of {COUNT} requests that were written at once one was answered twice");
        findings.push(Finding::broken(message).seen_in(record));
    }
    Ruling::of(findings, format!("{COUNT} requests, {COUNT} answers"))
}

/// Whether a stray line answers a request that has its answer.
fn is_doubled(cx: &Context, record: &Record) -> bool {
    let sent = record.request().and_then(Envelope::id);
    let log = record
        .exchange
        .channel
        .and_then(|number| cx.recording.channels.get(number as usize));
    let strays = log.into_iter().flat_map(|log| &log.stray);
    strays.filter_map(object).any(|envelope| {
        envelope.kind() == Kind::Response
            && matches!((sent, envelope.id()), (Some(sent), Some(got)) if is_form_of(sent, got))
    })
}

/// Whether a message acknowledges a listen.
pub(crate) fn is_ack(envelope: &Envelope) -> bool {
    envelope.method() == Some("notifications/subscriptions/acknowledged")
}

/// A listen of the probe, when it was acknowledged; a ruling when it was not.
pub(crate) fn listen<'c>(cx: &Context<'c>, step: &str) -> Result<&'c Record, Ruling> {
    if declared_changes(cx).is_empty() {
        return Err(Ruling::not_applicable(
            "the server declares no change notifications",
        ));
    }
    let name = format!("stdio.listens/{step}");
    let record = match cx.record(&name) {
        Some(record) if record.replies().next().is_some() => record,
        _ => answered(cx, &name).map_err(|ruling| match ruling {
            Ruling::Error(why) => Ruling::skip(why),
            other => other,
        })?,
    };
    if matches!(record.answer(), Answer::Error(_)) && !has_ack(record) {
        return Err(Ruling::not_applicable(
            "the listen is refused (subscribe.available)",
        ));
    }
    Ok(record)
}

fn has_ack(record: &Record) -> bool {
    let mut replies = record.replies();
    replies.any(|(_, parsed)| parsed.envelope().is_some_and(is_ack))
}

fn ack_order(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    for step in STEPS {
        let record = match listen(cx, step) {
            Ok(record) => record,
            Err(ruling) => return ruling,
        };
        let first = record
            .replies()
            .filter_map(|(_, parsed)| parsed.envelope())
            .find(|envelope| is_ack(envelope) || is_tagged(record, envelope));
        if let Some(early) = first.filter(|envelope| !is_ack(envelope)) {
            let what = early
                .method()
                .map_or_else(|| "the result".to_owned(), |method| cut(method, 80));
            let message = format!("{what} of a listen comes before its acknowledgement");
            if findings.is_empty() {
                findings.push(Finding::broken(message).seen_in(record));
            }
        }
    }
    Ruling::of(findings, "both listens were acknowledged first")
}

/// Whether a message carries the id of the listen: in `_meta`, or as the id of its result.
pub(crate) fn is_tagged(record: &Record, envelope: &Envelope) -> bool {
    let sent = record.request().and_then(Envelope::id);
    let key = "io.modelcontextprotocol/subscriptionId";
    let tag = envelope
        .params()
        .and_then(|params| params.get("_meta")?.get(key));
    let result = envelope.result.is_some().then(|| envelope.id()).flatten();
    sent.is_some_and(|sent| {
        [tag, result]
            .into_iter()
            .flatten()
            .any(|got| is_form_of(sent, got))
    })
}

#[cfg(test)]
mod tests {
    use super::super::process::sample::{exchange, process, request, ruling, stray};
    use super::*;
    use crate::testing::{self, config};
    use verdict_fixture::Server;
    use verdict_model::transcript::Exchange;

    fn answer(id: &str) -> String {
        json!({"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete"}}).to_string()
    }

    fn asked(number: usize, got: &[&str]) -> Exchange {
        let name = format!("stdio.concurrent/{number}");
        let mut exchange = exchange(&name, (0, 1), &request(&name, "tools/list"), got);
        if got.is_empty() {
            exchange.end = End::TimedOut;
        }
        exchange
    }

    #[test]
    fn five_requests_have_five_answers() {
        let all = |lost: usize| -> Vec<Exchange> {
            (1..=COUNT)
                .map(|number| {
                    let text = answer(&format!("stdio.concurrent/{number}"));
                    let got = [text.as_str()];
                    asked(number, if number > lost { &got } else { &[] })
                })
                .collect()
        };
        let id = "stdio.concurrent";
        assert!(ruling(id, all(0), vec![process(vec![])]).is_met());
        assert!(ruling(id, all(2), vec![process(vec![])]).is_broken());
        let mut cut = all(1);
        cut[0].end = End::Unfinished;
        let cut = ruling(id, cut, vec![process(vec![])]);
        assert!(matches!(cut, Ruling::Skip(_)));
        let again = stray(5, &answer("stdio.concurrent/3"));
        assert!(ruling(id, all(0), vec![process(vec![again])]).is_broken());
    }

    #[test]
    fn each_listen_begins_with_its_acknowledgement() {
        let tagged = |method: &str, id: &str| {
            let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
            json!({"jsonrpc": "2.0", "method": method, "params": {"_meta": meta}}).to_string()
        };
        let ack = |id: &str| tagged("notifications/subscriptions/acknowledged", id);
        let changed = tagged("notifications/tools/list_changed", "stdio.listens/one");
        let discover = json!({"jsonrpc": "2.0", "id": "era/discover", "result": {
            "resultType": "complete",
            "capabilities": {"tools": {"listChanged": true}},
        }})
        .to_string();
        let with = |first: &[&str]| {
            let listen = |step: &str, got: &[&str]| {
                let name = format!("stdio.listens/{step}");
                let wrote = request(&name, "subscriptions/listen");
                exchange(&name, (0, 9), &wrote, got)
            };
            let (one, two) = (
                listen("one", first),
                listen("two", &[&ack("stdio.listens/two")]),
            );
            let asked = request("era/discover", "server/discover");
            let era = exchange("era/discover", (0, 1), &asked, &[&discover]);
            let id = "stdio.listen-per-id-order";
            ruling(id, vec![era, one, two], vec![process(vec![])])
        };
        let ack = ack("stdio.listens/one");
        assert!(with(&[&ack, &changed]).is_met());
        assert!(with(&[&changed, &ack]).is_broken());
        assert!(with(&[&answer("stdio.listens/one"), &ack]).is_broken());
        let refused =
            r#"{"jsonrpc":"2.0","id":"stdio.listens/one","error":{"code":-32601,"message":""}}"#;
        assert!(matches!(with(&[refused]), Ruling::NotApplicable(_)));
    }

    #[test]
    fn the_fixture_agrees() {
        let ruled = |id: &str, server: &Server| testing::ruling(id, server, config(), true);
        let id = "stdio.concurrent";
        assert!(ruled(id, &Server::correct()).is_met());
        assert!(ruled(id, &Server::with("concurrent-lost").expect("a defect")).is_broken());
        assert!(ruled("stdio.listen-per-id-order", &Server::correct()).is_met());
    }
}
