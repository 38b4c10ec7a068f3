//! Progress is reported at all, at a bearable rate, and within its total.

use crate::check::Check;
use crate::conformance::progress::called::{CALLS, named};
use crate::conformance::progress::notices::{
    NAME_ONE, looks_like, progress, token_in, token_of, unseen,
};
use crate::context::Context;
use crate::record::Record;
use crate::refusal::answered;
use crate::ruling::{Finding, Ruling};
use crate::traffic::distinct;
use std::collections::BTreeMap;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::advisory("progress.total", "Progress stays within its total")
        .spec("progress#progress-flow")
        .why("Bars that pass one hundred per cent look broken.")
        .fix("Raise total as the work grows, or leave it out.")
        .probes(&[&CALLS])
        .judge(total),
    Check::may("progress.sent", "Requests that carry a token get progress")
        .spec("progress#behavior-requirements")
        .why("Reports whether there was progress to look at.")
        .fix("Nothing to mend: progress is optional.")
        .probes(&[&CALLS])
        .judge(sent),
    Check::advisory("progress.flood", "Progress comes at a bearable rate")
        .spec("progress#implementation-notes")
        .why("More than fifty notifications a second slow the call down and help nobody.")
        .fix("Report at most a few times a second.")
        .probes(&[&CALLS])
        .judge(flood),
];

fn total(cx: &Context) -> Ruling {
    if let Some(ruling) = unseen(cx) {
        return ruling;
    }
    let found = progress(cx).filter_map(|notice| {
        let number = |member: &str| notice.params()?.get(member)?.as_f64();
        let (value, total) = (number("progress")?, number("total")?);
        (value > total).then(|| {
            notice
                .found_in(Finding::noted(format!("progress is {value} of {total}")))
                .at("/params/progress")
        })
    });
    Ruling::of(distinct(found), "progress stays within its total")
}

fn sent(cx: &Context) -> Ruling {
    if named(cx).is_empty() {
        return Ruling::skip(NAME_ONE);
    }
    let called = ["progress/number-0", "progress/text-0"].map(|name| answered(cx, name));
    let asked: Vec<&Record> = called
        .iter()
        .filter_map(|call| Some(*call.as_ref().ok()?))
        .filter(|record| record.result().is_some())
        .collect();
    if asked.is_empty() {
        let [first, _] = called;
        return first
            .err()
            .unwrap_or_else(|| Ruling::skip("the calls came to no result"));
    }
    let told = |record: &&&Record| {
        progress(cx).any(|notice| {
            let token = token_in(&notice);
            token
                .zip(token_of(record))
                .is_some_and(|(token, sent)| looks_like(sent, token))
        })
    };
    let count = asked.iter().filter(told).count();
    let message = format!(
        "{count} of {} requests with a token got progress",
        asked.len()
    );
    if count > 0 {
        return Ruling::met(message);
    }
    // Optional, yet the other rules of progress had nothing to look at.
    Finding::noted(message).seen_in(asked[0]).into()
}

/// Notifications within one second that are still bearable.
const BEARABLE: usize = 50;

fn flood(cx: &Context) -> Ruling {
    if let Some(ruling) = unseen(cx) {
        return ruling;
    }
    let mut times: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let mut findings = Vec::new();
    for notice in progress(cx) {
        let Some(token) = token_in(&notice) else {
            continue;
        };
        let times = times.entry(token.to_string()).or_default();
        times.push(notice.at_ms);
        let first = times.len().checked_sub(BEARABLE + 1).map(|at| times[at]);
        if first.is_some_and(|first| notice.at_ms.saturating_sub(first) < 1_000) {
            let message = "more than 50 progress notifications came for one token within a second";
            findings.push(notice.found_in(Finding::noted(message)));
        }
    }
    Ruling::of(distinct(findings), "progress comes at a bearable rate")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::progress::notices::tests::full;
    use crate::testing::ruling;
    use verdict_fixture::Server;

    #[test]
    fn odd_amounts_are_noted() {
        for (id, defect) in [
            ("progress.total", "progress-beyond-total"),
            ("progress.sent", "progress-never"),
            ("progress.flood", "progress-floods"),
        ] {
            for stdio in [false, true] {
                assert!(
                    ruling(id, &Server::correct(), full(), stdio).is_met(),
                    "{id}"
                );
                let server = Server::with(defect).expect("a defect");
                let found = ruling(id, &server, full(), stdio);
                assert!(matches!(found, Ruling::Found(_)), "{defect}: {found:?}");
            }
        }
    }
}
