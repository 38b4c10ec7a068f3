//! Listens without a filter, and listens for nothing.

use super::listening::{LISTENS, acknowledged, acknowledgement};
use crate::check::Check;
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::refusal::{answered, draft_note};
use crate::ruling::{Finding, Ruling};
use verdict_model::transcript::End;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should(
        "subscribe.filter-missing",
        "A listen without a filter is refused with -32602",
    )
    .spec("schema#SubscriptionsListenRequestParams")
    .why("The filter is required; a client that lost it would wait for news that nobody will send.")
    .fix("Answer -32602 (invalid params) where `notifications` is missing or no object.")
    .probes(&[&LISTENS])
    .judge(missing),
    Check::advisory(
        "subscribe.filter-empty",
        "What the server does with a listen for nothing",
    )
    .spec("subs#notification-filter")
    .why("Nothing is said about it, so clients have to be ready for either answer.")
    .fix("Nothing has to be mended: acknowledge with an empty filter, or refuse.")
    .probes(&[&LISTENS])
    .judge(empty),
];

/// The answer to one of the two; a ruling when there is none.
fn answer<'c>(cx: &Context<'c>, name: &str) -> Result<&'c Record, Ruling> {
    acknowledged(cx)?;
    match cx.record(name) {
        Some(record) if record.replies().next().is_some() => Ok(record),
        Some(record) if matches!(record.exchange.end, End::Silent | End::TimedOut) => {
            Err(Ruling::skip("it is not answered in time"))
        }
        _ => answered(cx, name),
    }
}

fn missing(cx: &Context) -> Ruling {
    let record = match answer(cx, "subscribe/missing") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let twin = cx.record("subscribe/number").and_then(acknowledgement);
    if twin.is_none() {
        return Ruling::skip("a second listen is refused anyway (subscribe.concurrent)");
    }
    let what = match record.answer() {
        Answer::Error(Some(-32602)) => return Ruling::met("refused with -32602"),
        Answer::Error(Some(code)) => format!("is refused with {code}{}", draft_note(code)),
        Answer::Error(None) => "is refused with an error without code".to_owned(),
        Answer::Locked(_) | Answer::Busy(_) => {
            return Ruling::skip("the server does not take the request");
        }
        _ if acknowledgement(record).is_some() => "is acknowledged".to_owned(),
        Answer::Result(_) => "is answered with a result".to_owned(),
        _ => "is answered without a JSON-RPC error".to_owned(),
    };
    Finding::broken(format!(
        "a listen without `notifications` {what}; expected -32602 (invalid params)"
    ))
    .seen_in(record)
    .into()
}

fn empty(cx: &Context) -> Ruling {
    let record = match answer(cx, "subscribe/empty") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let what = match record.answer() {
        Answer::Error(Some(code)) => format!("is refused with {code}{}", draft_note(code)),
        Answer::Result(_) if acknowledgement(record).is_some() => {
            "is acknowledged and ended with a result".to_owned()
        }
        _ if acknowledgement(record).is_some() => "is acknowledged and stays open".to_owned(),
        Answer::Result(_) => "is answered with a result".to_owned(),
        _ => return Ruling::skip("the answer is no message that could be read"),
    };
    Finding::noted(format!("a listen for nothing {what}"))
        .seen_in(record)
        .into()
}

#[cfg(test)]
mod tests {
    use crate::testing::{config, ruling, word};
    use verdict_fixture::Server;

    #[test]
    fn filters_are_looked_at() {
        let without = Server::with("listen-without-filter").expect("a defect");
        let none = Server::with("listen-not-served").expect("a defect");
        for stdio in [false, true] {
            let ruled = |id: &str, server: &Server| word(&ruling(id, server, config(), stdio));
            assert_eq!(ruled("subscribe.filter-missing", &Server::correct()), "met");
            assert_eq!(ruled("subscribe.filter-missing", &without), "broken");
            assert_eq!(ruled("subscribe.filter-missing", &none), "skip");
            assert_eq!(ruled("subscribe.filter-empty", &Server::correct()), "noted");
        }
    }
}
