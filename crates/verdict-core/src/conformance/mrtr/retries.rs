//! An answered question leads on: with the right answers, from wherever they come.

use super::answers::are_configured;
use super::asked::nothing_asked;
use super::cases::Case;
use super::outcome::{Outcome, outcome};
use super::trigger::{MOST_ROUNDS, TRIGGER, asking, question, retry};
use crate::check::Check;
use crate::context::Context;
use crate::record::Record;
use crate::refusal::answered;
use crate::ruling::{Finding, Ruling};
use crate::wire::endpoint::Endpoint;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("mrtr.retry-completes", "A request completes once its questions are answered")
        .opt_in()
        .spec("mrtr#basic-workflow")
        .why("The user answers, and gets nothing for it.")
        .fix("Take inputResponses and requestState of the retry, and go on where the question was asked.")
        .official(&["sep-2322-elicitation-complete", "sep-2322-sampling-complete", "sep-2322-list-roots-complete", "sep-2322-request-state-complete", "sep-2322-multiple-inputs-complete", "sep-2322-multi-round-r1", "sep-2322-multi-round-r2", "sep-2322-multi-round-r3", "sep-2322-non-tool-incomplete", "sep-2322-non-tool-complete"])
        .probes(&[&TRIGGER])
        .judge(completes),
    Check::must("mrtr.retry-fresh-connection", "An answer may come over another connection than its question")
        .opt_in()
        .spec("mrtr#basic-workflow")
        .why("Users take minutes to answer; by then the connection is gone, and so is the question.")
        .fix("Keep what the retry needs in requestState, or under a key in it, not with the connection.")
        .probes(&[&TRIGGER])
        .judge(fresh),
];

/// The first retry; a ruling where the trigger asked nothing that could be answered.
pub(super) fn first<'c>(cx: &Context<'c>) -> Result<&'c Record, Ruling> {
    if let Some(record) = retry(cx, 1) {
        answered(cx, &record.exchange.name)?;
        return Ok(record);
    }
    Err(match question(cx).and_then(asking) {
        Some(_) => Ruling::skip(
            "nothing could be made up that answers the question (mrtr.answers gives the values of its fields)",
        ),
        None if question(cx).is_some_and(|record| outcome(record) == Outcome::Asked) => {
            Ruling::skip("the question of mrtr.trigger cannot be answered as it is")
        }
        None => nothing_asked(cx),
    })
}

/// The first retry, when the server went on with it; otherwise other retries prove nothing.
pub(super) fn working(cx: &Context) -> Result<Outcome, Ruling> {
    let came = outcome(first(cx)?);
    if came.works() {
        return Ok(came);
    }
    Err(Ruling::skip(format!(
        "the right answer is {} as well (mrtr.retry-completes)",
        came.words()
    )))
}

fn completes(cx: &Context) -> Ruling {
    if let Err(ruling) = first(cx) {
        return ruling;
    }
    let mut rounds = 0;
    let mut last = None;
    while let Some(record) = retry(cx, rounds + 1) {
        rounds += 1;
        last = Some(record);
    }
    let Some(record) = last else {
        return nothing_asked(cx);
    };
    let came = outcome(record);
    let finding = match came {
        Outcome::Done | Outcome::Told | Outcome::Other => {
            return Ruling::met(format!("completes after {rounds} rounds"));
        }
        Outcome::Asked if rounds < MOST_ROUNDS => {
            return Ruling::met("the answer leads to another question");
        }
        Outcome::Asked => Finding::unproven(format!("the server still asks after {rounds} rounds")),
        Outcome::Silent => {
            return match answered(cx, &record.exchange.name) {
                Err(ruling) => ruling,
                Ok(_) => Ruling::skip("the answer to the retry holds no JSON-RPC response"),
            };
        }
        Outcome::Refused(code) => {
            let configured = question(cx)
                .and_then(asking)
                .is_some_and(|result| are_configured(cx, result));
            let twice = rounds == 1 && Case::Again.record(cx).map(outcome) == Some(came);
            let message = format!("the retry with an answer is {}", came.words());
            if !configured {
                Finding::unproven(format!(
                    "{message}; the answer was made up (mrtr.answers gives the values of its fields)"
                ))
            } else if twice && code != Some(-32603) {
                Finding::broken(format!(
                    "{message}, twice, although mrtr.answers gives the answers; expected a result"
                ))
            } else {
                Finding::unproven(format!("{message}; expected a result"))
            }
        }
    };
    finding.seen_in(record).into()
}

fn fresh(cx: &Context) -> Ruling {
    let came = match working(cx) {
        Ok(came) => came,
        Err(ruling) => return ruling,
    };
    let Some(record) = Case::Fresh.record(cx) else {
        return Ruling::skip("the question came without a state, or could not be had again");
    };
    if let Err(ruling) = answered(cx, &record.exchange.name) {
        return ruling;
    }
    let over = if cx.is_http() {
        "a new connection"
    } else {
        "a second process"
    };
    let failed = |record: &Record| {
        let other = outcome(record);
        !other.works() || came == Outcome::Done && other != Outcome::Done
    };
    if !failed(record) {
        return Ruling::met(format!(
            "an answer over {over} is {}",
            outcome(record).words()
        ));
    }
    let message = format!(
        "an answer over {over} is {}; over the connection of the question it is {}",
        outcome(record).words(),
        came.words()
    );
    let again = |case: Case| case.record(cx).map(outcome);
    let twice = again(Case::FreshAgain).is_some_and(|other| !other.works())
        && again(Case::Again).is_some_and(Outcome::works);
    // Several instances may stand behind one address, and a process need not know of another.
    let local = cx.endpoint().is_some_and(Endpoint::is_loopback);
    let finding = if twice && local && !outcome(record).works() {
        Finding::broken(format!("{message}; tried twice"))
    } else if !cx.is_http() {
        // States sealed with a key of the process are common, and a restart between the two is rare.
        Finding::noted(message)
    } else {
        Finding::unproven(message)
    };
    finding.seen_in(record).into()
}

#[cfg(test)]
mod tests {
    use crate::testing::shows;

    #[test]
    fn retries_that_fail_are_found() {
        shows(&[
            ("retry-fails", "mrtr.retry-completes", "fail"),
            (
                "retry-needs-connection",
                "mrtr.retry-fresh-connection",
                "fail",
            ),
        ]);
    }
}
