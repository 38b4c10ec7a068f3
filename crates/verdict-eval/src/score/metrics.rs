//! Rates over the runs of a report, and which descriptions collide.

use super::text::fold;
use super::wilson::{suite_again, wilson};
use crate::golden::{Case, Expect};
use crate::tool::Tool;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use verdict_model::behavior::{CaseResult, Collision, Metric, Rate, Run, RunOutcome};

/// How many shared words are shown of a collision.
const SHARED: usize = 8;

/// Each metric over the valid runs of the first pass, with its interval "this suite again" (gate design, section 7). For
/// `overTrigger` the count is of runs that called something. A metric that no run defines is absent.
pub fn metrics(cases: &[CaseResult]) -> BTreeMap<Metric, Rate> {
    let mut rates = BTreeMap::new();
    for metric in Metric::ALL {
        let counts: Vec<(u64, u64)> = cases.iter().map(|case| count(&case.runs, metric)).collect();
        let (count, of) = counts.iter().fold((0, 0), |(count, of), (more, runs)| {
            (count + more, of + runs)
        });
        if of > 0 {
            let rate = Rate {
                count,
                of,
                rate: Some(share(count, of)),
                interval: suite_again(&counts),
            };
            rates.insert(metric, rate);
        }
    }
    rates
}

/// Passed runs of the valid runs of the first pass, and Wilson's interval; nothing where there is none.
pub fn pass_rate(runs: &[Run]) -> (Option<f64>, Option<[f64; 2]>) {
    let valid: Vec<_> = first_pass(runs).collect();
    let passed = valid
        .iter()
        .filter(|run| run.outcome == RunOutcome::Passed)
        .count();
    let (passed, of) = (number(passed), number(valid.len()));
    if of == 0 {
        return (None, None);
    }
    let rate = share(passed, of);
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of runs stay far below 2^52"
    )]
    let interval = wilson(passed as f64, of as f64);
    (Some(rate), interval)
}

fn first_pass(runs: &[Run]) -> impl Iterator<Item = &Run> {
    runs.iter()
        .filter(|run| run.wave == 0 && run.outcome != RunOutcome::Invalid)
}

fn count(runs: &[Run], metric: Metric) -> (u64, u64) {
    let scores: Vec<bool> = first_pass(runs)
        .filter_map(|run| run.scores.get(&metric).copied())
        .collect();
    let count = scores.iter().filter(|score| **score).count();
    (number(count), number(scores.len()))
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
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
    let words = Words::of(case, tools);
    let mut collisions: Vec<_> = counts
        .into_iter()
        .map(|((expected, called), runs)| Collision {
            expected: expected.to_owned(),
            called: called.to_owned(),
            runs,
            shared: words.shared(expected, called),
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

/// The words of all tools on offer, and of the prompt.
struct Words<'a> {
    by_tool: BTreeMap<&'a str, BTreeSet<String>>,
    prompt: BTreeSet<String>,
}

impl<'a> Words<'a> {
    fn of(case: &Case, tools: &'a [Tool]) -> Self {
        let by_tool = tools.iter().map(|tool| {
            let text = format!("{} {}", tool.name(), tool.description().unwrap_or_default());
            (tool.name(), words(&text))
        });
        Self {
            by_tool: by_tool.collect(),
            prompt: words(&case.prompt),
        }
    }

    /// The words that two tools share: those of the prompt first, then those that the fewest tools have.
    fn shared(&self, one: &str, two: &str) -> Vec<String> {
        let (Some(one), Some(two)) = (self.by_tool.get(one), self.by_tool.get(two)) else {
            return Vec::new();
        };
        let mut shared: Vec<&String> = one.intersection(two).collect();
        let spread = |word: &String| self.by_tool.values().filter(|it| it.contains(word)).count();
        shared.sort_by_key(|word| (!self.prompt.contains(*word), spread(word)));
        shared.into_iter().take(SHARED).cloned().collect()
    }
}

/// Words that tell nothing about a tool.
const EMPTY: [&str; 16] = [
    "all", "and", "any", "are", "can", "for", "from", "has", "its", "not", "that", "the", "this",
    "when", "with", "you",
];

/// The words of a text, folded. Words of one or two ASCII letters carry no meaning of their own.
fn words(text: &str) -> BTreeSet<String> {
    fold(text)
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.len() > 2 && !EMPTY.contains(word))
        .map(ToOwned::to_owned)
        .collect()
}
