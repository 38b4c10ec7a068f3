//! What a reader of the gate has to know beside its numbers.

use super::Judged;
use crate::gate::absolute::strict_false_red;
use crate::gate::rule::HardMode;
use crate::gate::session::CaseRuling;
use std::collections::BTreeSet;
use verdict_model::behavior::Kind;

/// The sentences about one model's part.
pub(super) fn of(judged: &Judged<'_>) -> Vec<String> {
    let model = &judged.model.id;
    let notes = [
        common(judged),
        gone(judged),
        few(judged),
        strict(judged),
        early(judged),
    ];
    let notes = notes.into_iter().flatten();
    notes.map(|note| format!("{model}: {note}")).collect()
}

fn common(judged: &Judged<'_>) -> Option<String> {
    let (common, all) = (judged.ruling.common(), judged.ruling.cases.len());
    let some = common > 0 && common < all;
    some.then(|| {
        let runs = judged.rule.min_pool;
        format!("{common} of {all} cases have a pool of {runs} runs and count in the evidence")
    })
}

fn gone(judged: &Judged<'_>) -> Option<String> {
    let here: BTreeSet<&str> = judged
        .model
        .cases
        .iter()
        .map(|case| case.id.as_str())
        .collect();
    let pooled: BTreeSet<&str> = judged
        .suite?
        .cases
        .iter()
        .map(|case| case.id.as_str())
        .collect();
    let number = pooled.difference(&here).count();
    (number > 0).then(|| {
        let cases = if number == 1 { "case" } else { "cases" };
        format!("{number} {cases} of the baseline did not run, and did not count")
    })
}

fn few(judged: &Judged<'_>) -> Option<String> {
    let few = matches!(judged.ruling.common(), 1 | 2);
    few.then(|| {
        "with one or two cases a small loss of the whole suite cannot be seen; more cases would show it".to_owned()
    })
}

fn strict(judged: &Judged<'_>) -> Option<String> {
    if judged.rule.hard_mode != HardMode::Strict {
        return None;
    }
    let hard = judged.cases().filter(|(case, _)| case.kind == Kind::Hard);
    let means: Vec<f64> = hard
        .filter_map(|(_, ruled): (_, &CaseRuling)| ruled.believed)
        .collect();
    (!means.is_empty()).then(|| {
        let rate = 100.0 * strict_false_red(&means);
        format!("strict hard cases are red in {rate:.0} of 100 sessions with nothing changed")
    })
}

fn early(judged: &Judged<'_>) -> Option<String> {
    judged.ruling.curtailed.then(|| {
        "cases stopped as soon as they were decided, so rates are biased and not shown, and this run enters no baseline"
            .to_owned()
    })
}
