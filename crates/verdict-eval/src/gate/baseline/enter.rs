//! What moves a baseline: a green session, the ratchet, and a person with a reason.

use super::{Baseline, Key, Origin, Pool, Pooled, Suite};
use crate::gate::belief::Beliefs;
use crate::gate::counts::{Counts, amount};
use crate::gate::evidence::{Direction, Pair, Scale};
use crate::gate::rule::Rule;
use crate::tool::Tool;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use verdict_model::behavior::{CaseResult, Metric, RunOutcome};
use verdict_model::gate::Decision;

/// What a session has for the baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionCounts {
    /// What its pools belong to.
    pub key: Key,
    /// Where it comes from.
    pub origin: Origin,
    /// Hash of the judge's model and prompt, where one judged.
    pub judge: Option<String>,
    /// The tools as the server listed them.
    pub tools: Vec<Tool>,
    /// What the gate decided.
    pub decision: Decision,
    /// Whether that is green: it passed, it is learning, or it warns of unstable targets alone.
    pub green: bool,
    /// Its first pass stopped early in some case: its rates are biased.
    pub curtailed: bool,
    /// The first pass of every case.
    pub cases: Vec<FirstPass>,
}

/// The fresh first pass of one case: no confirmations, which were bought because something looked bad, and no runs
/// whose answers came from the cache.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FirstPass {
    /// The case's id.
    pub id: String,
    /// Hash over prompt and expectations.
    pub hash: String,
    /// Its valid runs.
    pub runs: Counts,
    /// By metric, of the runs that define it; `overTrigger` as its complement.
    pub metrics: BTreeMap<Metric, Counts>,
}

impl FirstPass {
    /// From a case of a report.
    pub fn of(case: &CaseResult) -> Self {
        Self::with(case, false)
    }

    /// The same with the runs whose answers came from the cache: to compare, never to enter.
    pub fn whole(case: &CaseResult) -> Self {
        Self::with(case, true)
    }

    fn with(case: &CaseResult, reused: bool) -> Self {
        let mut first = Self {
            id: case.id.clone(),
            hash: case.hash.clone(),
            ..Self::default()
        };
        let wanted = |run: &&verdict_model::behavior::Run| run.wave == 0 && (reused || !run.reused);
        for run in case.runs.iter().filter(wanted) {
            if run.outcome == RunOutcome::Invalid {
                continue;
            }
            first.runs = first
                .runs
                .plus(Counts::of([run.outcome == RunOutcome::Passed]));
            for (metric, score) in &run.scores {
                let counts = first.metrics.entry(*metric).or_default();
                *counts = counts.plus(Counts::of([good(*metric, *score)]));
            }
        }
        first
    }
}

/// Whether a score is the good one: a call where none was wanted is not.
pub(crate) fn good(metric: Metric, score: bool) -> bool {
    score != (metric == Metric::OverTrigger)
}

/// What became of a session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Entry {
    /// It did not enter.
    Refused(Refusal),
    /// It entered.
    Added,
    /// It entered, and the green sessions since the pools were frozen became the new pools.
    Raised {
        /// How many times better "it got better" explains them.
        evidence: f64,
    },
}

/// Why a session does not enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It failed, it is undecided, or it is incomplete.
    NotGreen(Decision),
    /// Its first pass stopped early in some case.
    Curtailed,
    /// It has no fresh first pass.
    NothingFresh,
}

/// The baseline with a session in it, and what became of the session.
pub fn entered(baseline: &Baseline, rule: &Rule, session: &SessionCounts) -> (Baseline, Entry) {
    let stale = || session.cases.iter().all(|case| case.runs.runs == 0);
    let refusal = if !session.green {
        Some(Refusal::NotGreen(session.decision))
    } else if session.curtailed {
        Some(Refusal::Curtailed)
    } else {
        stale().then_some(Refusal::NothingFresh)
    };
    let mut next = baseline.clone();
    next.sort();
    if let Some(refusal) = refusal {
        return (next, Entry::Refused(refusal));
    }
    next.origin = session.origin.clone();
    next.tools.clone_from(&session.tools);
    let suite = suite_of(&mut next, session);
    suite.last = totals(&session.cases);
    enter_all(suite, &session.cases, rule);
    let raised = raise(suite, rule);
    next.sort();
    (
        next,
        raised.map_or(Entry::Added, |evidence| Entry::Raised { evidence }),
    )
}

fn suite_of<'a>(baseline: &'a mut Baseline, session: &SessionCounts) -> &'a mut Suite {
    let found = baseline
        .suites
        .iter()
        .position(|suite| suite.key == session.key);
    let place = found.unwrap_or(baseline.suites.len());
    if found.is_none() {
        baseline.suites.push(Suite {
            key: session.key.clone(),
            judge: session.judge.clone(),
            last: BTreeMap::new(),
            cases: Vec::new(),
        });
    }
    let suite = &mut baseline.suites[place];
    if suite.judge != session.judge {
        // What another judge said is not comparable.
        suite.judge.clone_from(&session.judge);
        for case in &mut suite.cases {
            case.metrics.remove(&Metric::Completion);
        }
    }
    suite
}

/// Enters first passes; those of new cases at the end, and then all in the order of the file.
fn enter_all(suite: &mut Suite, cases: &[FirstPass], rule: &Rule) {
    let mut new = Vec::new();
    for first in cases.iter().filter(|case| case.runs.runs > 0) {
        if let Ok(place) = suite.place(&first.id, &first.hash) {
            suite.cases[place].enter(first, rule);
        } else {
            let mut case = Pooled {
                id: first.id.clone(),
                hash: first.hash.clone(),
                ..Pooled::default()
            };
            case.enter(first, rule);
            new.push(case);
        }
    }
    suite.cases.append(&mut new);
}

fn totals(cases: &[FirstPass]) -> BTreeMap<Metric, Counts> {
    let mut totals: BTreeMap<Metric, Counts> = BTreeMap::new();
    for (metric, counts) in cases.iter().flat_map(|case| &case.metrics) {
        let sum = totals.entry(*metric).or_default();
        *sum = sum.plus(*counts);
    }
    totals
}

impl Pooled {
    fn enter(&mut self, first: &FirstPass, rule: &Rule) {
        self.runs.enter(first.runs, rule);
        for (metric, counts) in &first.metrics {
            self.metrics
                .entry(*metric)
                .or_default()
                .enter(*counts, rule);
        }
    }

    fn lower(&mut self, first: &FirstPass) {
        self.runs = Pool::only(first.runs);
        let metrics = first.metrics.iter();
        self.metrics = metrics
            .map(|(metric, counts)| (*metric, Pool::only(*counts)))
            .collect();
    }
}

impl Pool {
    fn only(counts: Counts) -> Self {
        Self {
            pool: counts,
            recent: Vec::new(),
        }
    }

    fn enter(&mut self, counts: Counts, rule: &Rule) {
        if self.pool.runs < rule.full_pool() {
            self.pool = self.pool.plus(counts);
            return;
        }
        self.recent.push(counts);
        let window = rule.green_sessions as usize;
        let surplus = self.recent.len().saturating_sub(window);
        self.recent.drain(..surplus);
    }

    fn total(&self) -> Counts {
        self.recent
            .iter()
            .fold(Counts::default(), |sum, counts| sum.plus(*counts))
    }

    fn raise(&mut self) {
        let total = self.total();
        if total.runs > 0 {
            self.pool = total;
            self.recent.clear();
        }
    }
}

/// Makes the green sessions since the pools were frozen the new pools where they are clearly better; the evidence then.
fn raise(suite: &mut Suite, rule: &Rule) -> Option<f64> {
    let window = rule.green_sessions as usize;
    let full = |case: &&mut Pooled| window > 0 && case.runs.recent.len() >= window;
    let mut cases: Vec<&mut Pooled> = suite.cases.iter_mut().filter(full).collect();
    let pairs: Vec<Pair> = cases
        .iter()
        .map(|case| (case.runs.pool, case.runs.total()))
        .collect();
    let number = amount(pairs.len());
    let mean =
        |of: fn(&Pair) -> Counts| pairs.iter().map(|pair| of(pair).rate()).sum::<f64>() / number;
    if pairs.is_empty() || mean(|pair| pair.1) <= mean(|pair| pair.0) {
        return None;
    }
    let beliefs = Beliefs::fit(pairs.iter().map(|pair| pair.0));
    let rho = rule.rho / f64::from(rule.green_sessions);
    let evidence = Scale::with(rho, rule.delta, Direction::Better)
        .weigh(&beliefs, &pairs)
        .total();
    if evidence < rule.fail_at {
        return None;
    }
    for case in &mut cases {
        case.runs.raise();
        case.metrics.values_mut().for_each(Pool::raise);
    }
    Some(evidence)
}

/// A time that somebody lowered the baseline on purpose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Acceptance {
    /// When, as RFC 3339 has it.
    pub at: String,
    /// Who.
    pub who: String,
    /// Why.
    pub reason: String,
    /// The ids of the cases whose pools were lowered.
    #[serde(default)]
    pub cases: Vec<String>,
}

/// Nothing that could be lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NothingToAccept {
    /// No reason was given.
    #[error("lowering the baseline takes a reason: say it with --reason")]
    NoReason,
    /// The session was cut off, or its cases stopped early: its rates are not those of the model.
    #[error(
        "this report is not of a whole run, so its rates are no baseline; run again to the end"
    )]
    NotWhole,
    /// The session has no case below its pool.
    #[error(
        "no case of this report is below its pool, so there is nothing to accept; a better score enters by itself"
    )]
    NothingLower,
}

/// The baseline with the pools of some cases lowered to what `session` measured; the others stay. Without `only`
/// these are all cases that passed less often than their pool. A lowered pool is short until further green sessions
/// fill it, and does not count in the evidence until then.
///
/// # Errors
/// Why nothing was lowered.
pub fn accepted(
    baseline: &Baseline,
    session: &SessionCounts,
    only: &[String],
    acceptance: Acceptance,
) -> Result<Baseline, NothingToAccept> {
    if acceptance.reason.trim().is_empty() {
        return Err(NothingToAccept::NoReason);
    }
    if session.decision == Decision::Incomplete || session.curtailed {
        return Err(NothingToAccept::NotWhole);
    }
    let mut next = baseline.clone();
    next.sort();
    let mut lowered = Vec::new();
    let suite = suite_of(&mut next, session);
    for first in session.cases.iter().filter(|case| case.runs.runs > 0) {
        let wanted = only.is_empty() || only.contains(&first.id);
        let Ok(place) = suite.place(&first.id, &first.hash) else {
            continue;
        };
        let case = &mut suite.cases[place];
        if wanted && first.runs.rate() < case.runs.pool.rate() {
            case.lower(first);
            lowered.push(first.id.clone());
        }
    }
    if lowered.is_empty() {
        return Err(NothingToAccept::NothingLower);
    }
    suite.last = totals(&session.cases);
    next.origin = session.origin.clone();
    next.tools.clone_from(&session.tools);
    lowered.sort();
    next.accepted.push(Acceptance {
        cases: lowered,
        ..acceptance
    });
    next.sort();
    Ok(next)
}
