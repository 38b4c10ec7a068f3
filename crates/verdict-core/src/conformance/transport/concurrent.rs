//! Several requests at one time: each is answered, with its own id.
//!
//! Servers fail here that keep the request at hand in one place for all connections.

use crate::ask::{Ask, Lane, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::facts::{describe_busy, describe_end};
use crate::record::{Answer, Record};
use crate::refusal::served;
use crate::ruling::{Finding, Ruling};
use crate::wire::json::shortened;
use crate::wire::rpc::{Envelope, is_form_of};
use serde_json::json;
use verdict_model::transcript::End;

/// Asks for a list four times at once, and a second time where an answer is missing (G2).
pub const CONCURRENT: Probe = Probe {
    name: "transport.concurrent",
    stage: Stage::Main,
    next: concurrent,
};

const AT_ONCE: usize = 4;
const TRIES: [&str; 2] = ["", "again-"];

fn concurrent(cx: &Context, round: usize) -> Vec<Ask> {
    let again = round > 0 && matches!(outcome(cx, round - 1), Outcome::Missing(..));
    if !cx.is_http() || round >= TRIES.len() || (round > 0 && !again) {
        return vec![];
    }
    let method = cx
        .facts
        .first_list()
        .map_or("server/discover", |list| list.method());
    let ask = |number| {
        Ask::request(format!("{}{number}", TRIES[round]), method, json!({}))
            .over(Lane::Fresh)
            .once()
            .faulty()
    };
    (1..=AT_ONCE).map(ask).collect()
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("transport.concurrent", "Requests that come at the same time are each answered with their own id")
        .http()
        .spec("basic#statelessness")
        .why("Clients send several requests at once; an answer that is lost or crossed gives one user what another asked for.")
        .fix("Keep everything about a request in variables of that request, and none in the server as a whole.")
        .official(&["server-accepts-multiple-post-streams", "server-sse-streams-functional"])
        .probes(&[&CONCURRENT])
        .judge(judge),
];

enum Outcome<'c> {
    Unsent,
    Answered,
    Crossed(&'c Record),
    /// How many, one of them, and what came of it.
    Missing(usize, &'c Record, String),
    Refused(String),
}

/// What one try came to.
fn outcome<'c>(cx: &Context<'c>, round: usize) -> Outcome<'c> {
    let records: Vec<&Record> = (1..=AT_ONCE)
        .filter_map(|number| cx.record(&format!("transport.concurrent/{}{number}", TRIES[round])))
        .collect();
    let mut missing: Vec<(&Record, String)> = Vec::new();
    for record in &records {
        match record.answer() {
            Answer::Result(_) | Answer::Error(_) => {
                if is_crossed(record) {
                    return Outcome::Crossed(record);
                }
            }
            Answer::Busy(status) | Answer::Fault(status @ 503) => {
                return Outcome::Refused(describe_busy(status));
            }
            Answer::Locked(status) => {
                return Outcome::Refused(format!("HTTP {status}: the server wants credentials"));
            }
            Answer::Fault(status) => missing.push((record, format!("answered HTTP {status}"))),
            Answer::Foreign => missing.push((record, "answered without a message".to_owned())),
            Answer::Nothing(End::Unfinished) => {
                return Outcome::Refused("the run was over first".to_owned());
            }
            Answer::Nothing(end) => missing.push((record, describe_end(end))),
        }
    }
    match missing.pop() {
        _ if records.is_empty() => Outcome::Unsent,
        None => Outcome::Answered,
        Some((record, why)) => Outcome::Missing(missing.len() + 1, record, why),
    }
}

/// Whether the answer has the id of another request; one that came back damaged is result.id-echo's.
fn is_crossed(record: &Record) -> bool {
    let sent = record.request().and_then(Envelope::id);
    match (sent, record.response().and_then(Envelope::id)) {
        (Some(sent), Some(got)) if !got.is_null() => !is_form_of(sent, got),
        _ => false,
    }
}

fn judge(cx: &Context) -> Ruling {
    let twin = match cx.facts.first_list() {
        Some(list) => format!("survey.{}/1", list.member()),
        None => "era/discover".to_owned(),
    };
    if let Err(ruling) = served(cx, &twin) {
        return ruling;
    }
    let first = outcome(cx, 0);
    let second = outcome(cx, 1);
    match (first, second) {
        (Outcome::Unsent, _) => Ruling::skip(match &cx.recording.cut_off {
            Some(why) => format!("not reached: {why}"),
            None => "nothing was sent".to_owned(),
        }),
        (Outcome::Refused(why), _) | (_, Outcome::Refused(why)) => Ruling::skip(why),
        (Outcome::Crossed(record), _) | (_, Outcome::Crossed(record)) => {
            let got = record.response().and_then(Envelope::id);
            let message = format!(
                "of {AT_ONCE} requests at the same time one is answered with the id {}; expected {:?}",
                got.map_or_else(|| "of another".to_owned(), |id| shortened(id, 80)),
                record.exchange.name
            );
            Finding::broken(message).seen_in(record).into()
        }
        (Outcome::Missing(AT_ONCE, _, why), Outcome::Missing(AT_ONCE, ..)) => Ruling::Error(
            format!("none of {AT_ONCE} requests at the same time was answered: the server {why}"),
        ),
        (Outcome::Missing(..), Outcome::Missing(count, record, why)) => {
            let message = format!(
                "of {AT_ONCE} requests at the same time {count} had no answer, in two tries: the server {why}"
            );
            Finding::broken(message).seen_in(record).into()
        }
        (Outcome::Missing(..), Outcome::Unsent) => {
            Ruling::skip("an answer was missing, and the run was over before the second try")
        }
        _ => Ruling::met(format!("{AT_ONCE} requests at the same time were answered")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::traffic::sample::{body, response, ruling};
    use super::*;
    use crate::testing::{self, config};
    use verdict_fixture::Server;
    use verdict_model::transcript::Exchange;

    const JSON: &str = "application/json";

    fn ask(number: usize, round: usize, answer: Option<&str>) -> Exchange {
        let name = format!("transport.concurrent/{}{number}", TRIES[round]);
        let text = answer.map_or(String::new(), |id| {
            response(if id.is_empty() { &name } else { id })
        });
        let mut exchange = body(&name, 200, JSON, &text);
        if answer.is_none() {
            exchange.end = End::TimedOut;
        }
        exchange
    }

    fn ruled(tries: &[[Option<&str>; 4]]) -> Ruling {
        let mut all = vec![body("era/discover", 200, JSON, &response("era/discover"))];
        for (round, answers) in tries.iter().enumerate() {
            let numbered = answers.iter().enumerate();
            all.extend(numbered.map(|(at, answer)| ask(at + 1, round, *answer)));
        }
        ruling("transport.concurrent", all)
    }

    #[test]
    fn each_has_its_own_answer() {
        let good = Some("");
        assert!(ruled(&[[good; 4]]).is_met());
        assert!(ruled(&[[good, good, None, good], [good; 4]]).is_met());
        assert!(ruled(&[[good, good, None, good], [good, None, None, good]]).is_broken());
        let other = Some("transport.concurrent/3");
        assert!(ruled(&[[good, other, good, good]]).is_broken());
        assert!(matches!(ruled(&[[None; 4], [None; 4]]), Ruling::Error(_)));
        assert!(matches!(
            ruled(&[[good, None, good, good]]),
            Ruling::Skip(_)
        ));
    }

    #[test]
    fn the_fixture_agrees() {
        let ruled =
            |server: &Server| testing::ruling("transport.concurrent", server, config(), false);
        assert!(ruled(&Server::correct()).is_met());
        assert!(ruled(&Server::with("concurrent-crossed").expect("a defect")).is_broken());
    }
}
