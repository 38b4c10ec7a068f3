//! What a reader of the gate has to know beside its numbers.

use super::Judged;
use crate::gate::absolute::strict_false_red;
use crate::gate::rule::HardMode;
use crate::gate::session::CaseRuling;
use std::collections::BTreeSet;
use verdict_model::behavior::{CaseResult, Kind, Metric};
use verdict_model::gate::{Decision, Measured, MetricChange};

/// Cases that a sentence names.
const NAMED: usize = 5;

/// What to do where the judged metric alone moved: the baseline holds counts, and nothing that could be judged again.
const JUDGE_ALONE: &str = "completion, the judge's metric, moved alone: the model's answers got worse, or the judge reads them \
     otherwise. The baseline keeps no transcripts to judge again: compare those of this run with those of a green one \
     (`transcripts/` beside its report), and name a dated version of the judge";

/// The sentences about one model's part.
pub(super) fn of(
    judged: &Judged<'_>,
    decision: Decision,
    per_metric: &[MetricChange],
) -> Vec<String> {
    let model = &judged.model.id;
    let worse = matches!(decision, Decision::Fail | Decision::Warn);
    let notes = [
        (worse && only_the_judge(per_metric)).then(|| JUDGE_ALONE.to_owned()),
        common(judged),
        changed(judged),
        known_failing(judged),
        cannot_hold(judged),
        gone(judged),
        few(judged),
        strict(judged),
        early(judged),
    ];
    let notes = notes.into_iter().flatten();
    notes.map(|note| format!("{model}: {note}")).collect()
}

/// Whether the judged metric moved and no other.
pub(in crate::gate) fn only_the_judge(per_metric: &[MetricChange]) -> bool {
    let moved = |change: &&MetricChange| matches!(change.decision, Decision::Fail | Decision::Warn);
    let mut moved = per_metric.iter().filter(moved).peekable();
    moved.peek().is_some()
        && moved.all(|change| change.metric == Measured::Case(Metric::Completion))
}

/// Some ids in a sentence.
fn named<'a>(ids: impl Iterator<Item = &'a str>) -> Option<String> {
    let ids: Vec<&str> = ids.collect();
    let more = ids.len().saturating_sub(NAMED);
    let told = ids.get(..NAMED).unwrap_or(&ids).join(", ");
    match more {
        0 if ids.is_empty() => None,
        0 => Some(told),
        more => Some(format!("{told} and {more} more")),
    }
}

fn changed(judged: &Judged<'_>) -> Option<String> {
    let suite = judged.suite?;
    let changed = |case: &&CaseResult| suite.is_changed(&case.id, &case.hash);
    let cases = judged.model.cases.iter().filter(changed);
    let told = named(cases.map(|case| case.id.as_str()))?;
    let runs = judged.rule.min_pool;
    Some(format!(
        "golden case changed: {told}; with another prompt or other expectations it is a new case, which counts in the evidence \
         from {runs} runs in its pool on"
    ))
}

fn known_failing(judged: &Judged<'_>) -> Option<String> {
    let cases = judged.cases().filter(|(_, case)| case.is_known_failing());
    let told = named(cases.map(|(stored, _)| stored.id.as_str()))?;
    Some(format!(
        "known failing, since no run in the pool passed: {told}"
    ))
}

fn cannot_hold(judged: &Judged<'_>) -> Option<String> {
    let cases = judged.cases().filter_map(|(stored, case)| {
        let told = case.held?.cannot_hold && !case.is_known_failing();
        let pool = case.pool.filter(|_| told)?;
        Some(format!("{} (pool {pool})", stored.id))
    });
    let cases: Vec<String> = cases.collect();
    let told = named(cases.iter().map(String::as_str))?;
    Some(format!(
        "cannot hold the target of its own by what its pool shows, so the target decides nothing: {told}"
    ))
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
