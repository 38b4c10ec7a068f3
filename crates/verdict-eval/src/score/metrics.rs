//! Rates over the runs of a report, and which descriptions collide.

use crate::gate::Counts;
use crate::gate::numbers::{of_case, suite_again};
use crate::golden::{Case, Expect};
use crate::lexical::shared_words;
use crate::tool::Tool;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use verdict_model::behavior::{CaseResult, Collision, Metric, Rate, Run, RunOutcome};

/// Each metric over the valid runs of the first pass, with its interval "this suite again" (gate design, section 7). For
/// `overTrigger` the count is of runs that called something. A metric that no run defines is absent.
pub fn metrics(cases: &[CaseResult]) -> BTreeMap<Metric, Rate> {
    rates(|metric| cases.iter().map(|case| count(&case.runs, metric)).collect())
}

/// The same from the counts of each case, in the order of the cases.
pub fn rates(counts: impl Fn(Metric) -> Vec<Counts>) -> BTreeMap<Metric, Rate> {
    let rated = Metric::ALL
        .into_iter()
        .filter_map(|metric| Some((metric, rate(&counts(metric))?)));
    rated.collect()
}

/// The rate of all cases together, with its interval "this suite again"; nothing where there is no run.
pub(crate) fn rate(counts: &[Counts]) -> Option<Rate> {
    let (count, of) = counts.iter().fold((0, 0), |(count, of), more| {
        (count + u64::from(more.passes), of + u64::from(more.runs))
    });
    (of > 0).then(|| Rate {
        count,
        of,
        rate: Some(share(count, of)),
        interval: suite_again(counts).map(|rated| rated.interval),
    })
}

/// The rate of one case, and Wilson's interval; nothing where there is no run.
pub(crate) fn rate_of_case(counts: Counts) -> (Option<f64>, Option<[f64; 2]>) {
    if counts.runs == 0 {
        return (None, None);
    }
    (Some(counts.rate()), Some(of_case(counts)))
}

/// Passed runs of the valid runs of the first pass, and Wilson's interval; nothing where there is none.
pub fn pass_rate(runs: &[Run]) -> (Option<f64>, Option<[f64; 2]>) {
    let passed = first_pass(runs).map(|run| run.outcome == RunOutcome::Passed);
    rate_of_case(Counts::of(passed))
}

fn first_pass(runs: &[Run]) -> impl Iterator<Item = &Run> {
    runs.iter()
        .filter(|run| run.wave == 0 && run.outcome != RunOutcome::Invalid)
}

fn count(runs: &[Run], metric: Metric) -> Counts {
    Counts::of(first_pass(runs).filter_map(|run| run.scores.get(&metric).copied()))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of runs stay far below 2^52"
)]
fn share(count: u64, of: u64) -> f64 {
    count as f64 / of as f64
}

/// Which tools on offer were called in place of expected ones, over all valid runs of one case, most frequent first.
pub fn collisions(case: &Case, runs: &[Run], tools: &[Tool]) -> Vec<Collision> {
    let mut counts: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let valid = runs.iter().filter(|run| run.outcome != RunOutcome::Invalid);
    for run in valid.filter(|run| run.scores.get(&Metric::Selection) == Some(&false)) {
        for (expected, called) in taken(case, run, tools) {
            *counts.entry((expected, called)).or_default() += 1;
        }
    }
    let named = |name: &str| tools.iter().find(|tool| tool.name() == name);
    let mut collisions: Vec<_> = counts
        .into_iter()
        .map(|((expected, called), runs)| Collision {
            expected: expected.to_owned(),
            called: called.to_owned(),
            runs,
            shared: match (named(expected), named(called)) {
                (Some(one), Some(two)) => shared_words(&case.prompt, one, two),
                _ => Vec::new(),
            },
        })
        .collect();
    collisions.sort_by_key(|it| Reverse(it.runs));
    collisions
}

/// The expected tools of one run that were not called, each with a tool that was called and is not expected.
fn taken<'a>(case: &'a Case, run: &Run, tools: &'a [Tool]) -> BTreeSet<(&'a str, &'a str)> {
    let steps: Vec<Vec<&str>> = match &case.expect {
        Expect::Tool { names, .. } => vec![names.iter().map(String::as_str).collect()],
        Expect::Sequence { steps, .. } => {
            steps.iter().map(|step| vec![step.tool.as_str()]).collect()
        }
        Expect::Nothing | Expect::Anything => return BTreeSet::new(),
    };
    let is_called = |name: &str| run.calls.iter().any(|call| call.tool == name);
    let missing = steps
        .iter()
        .filter(|names| !names.iter().any(|name| is_called(name)));
    let is_expected = |name: &str| steps.iter().flatten().any(|it| *it == name);
    let wrong: Vec<&str> = tools
        .iter()
        .map(Tool::name)
        .filter(|name| is_called(name) && !is_expected(name))
        .collect();
    missing
        .filter_map(|names| names.first())
        .flat_map(|expected| wrong.iter().map(|called| (*expected, *called)))
        .collect()
}
