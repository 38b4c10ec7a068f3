//! Many nights in a row, with the baseline that they make.

use super::{Change, Random, play, standard_suite, target};
use crate::gate::baseline::{Baseline, Entry, FirstPass, Key, Origin, SessionCounts, entered};
use crate::gate::counts::amount;
use crate::gate::rule::Rule;
use crate::gate::session::{Case, Ruling, Session};
use std::collections::BTreeMap;
use verdict_model::gate::Decision;

/// Nights in a row.
const NIGHTS: u32 = 60;
/// First passes that the baseline begins with.
const BEGINNING: u32 = 3;

/// What the nights are like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Plan {
    /// The four flaky cases are perfect from the 15th night on.
    pub mended: bool,
    /// Good cases have targets of their own, as in [`super::Setting`].
    pub with_targets: bool,
    /// Nights that warn for an unstable target alone stay out of the pools too: not what the gate does.
    pub only_pass_enters: bool,
}

/// How some rows of sixty nights went.
#[derive(Debug, Clone, Copy, Default)]
pub struct Years {
    /// Rows.
    pub rows: u32,
    /// Nights that failed, of all.
    pub failed: u32,
    /// Nights that warned.
    pub warned: u32,
    /// Of those, for an unstable target alone.
    pub unstable: u32,
    /// Nights whose first pass entered.
    pub entered: u32,
    /// Nights until the pools were full, in all rows; sixty where they never were.
    pub filling: u32,
    /// By how much the pools of the cases that pass at least 95 of 100 runs lie above the truth at the end, on average
    /// over those cases; the sum over all rows.
    pub above: f64,
    /// Rows with at least one.
    pub with_failure: u32,
    /// Times that the pools were raised.
    pub raised: u32,
    /// Rows in which they were raised by the 45th night.
    pub raised_by_45: u32,
}

impl Years {
    /// Both together.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self {
            rows: self.rows + other.rows,
            failed: self.failed + other.failed,
            warned: self.warned + other.warned,
            unstable: self.unstable + other.unstable,
            entered: self.entered + other.entered,
            filling: self.filling + other.filling,
            above: self.above + other.above,
            with_failure: self.with_failure + other.with_failure,
            raised: self.raised + other.raised,
            raised_by_45: self.raised_by_45 + other.raised_by_45,
        }
    }
}

/// Plays the rows `from` to before `to`.
pub fn years(plan: Plan, seed: u64, from: u32, to: u32) -> Years {
    let mut tally = Years::default();
    for row in from..to {
        let mut random = Random::new(seed, u64::from(row));
        tally = tally.join(one_row(plan, &mut random));
    }
    tally
}

fn one_row(plan: Plan, random: &mut Random) -> Years {
    let rule = Rule::default();
    let suite = standard_suite();
    let mut better = suite.clone();
    better
        .iter_mut()
        .filter(|p| (0.5..0.9).contains(*p))
        .for_each(|p| *p = 1.0);
    let mut baseline = Baseline::empty();
    for _ in 0..BEGINNING {
        let mut learning = Session::new(rule.clone(), cases(&baseline, &suite, false));
        let ruling = play(&mut learning, &Change::Nothing.apply(&suite), random);
        baseline = entered(&baseline, &rule, &counts(&ruling, true)).0;
    }
    let mut tally = Years {
        rows: 1,
        filling: NIGHTS,
        ..Years::default()
    };
    for night in 1..=NIGHTS {
        let truth = if plan.mended && night >= 15 {
            &better
        } else {
            &suite
        };
        let cases = cases(&baseline, &suite, plan.with_targets);
        let ruling = play(&mut Session::new(rule.clone(), cases), truth, random);
        let green = ruling.is_green() && !(plan.only_pass_enters && ruling.is_unstable());
        let (next, entry) = entered(&baseline, &rule, &counts(&ruling, green));
        baseline = next;
        tally.failed += u32::from(ruling.decision == Decision::Fail);
        tally.warned += u32::from(ruling.decision == Decision::Warn);
        tally.unstable += u32::from(ruling.is_unstable());
        tally.entered += u32::from(green);
        if is_full(&baseline, &rule) {
            tally.filling = tally.filling.min(night);
        }
        if matches!(entry, Entry::Raised { .. }) {
            tally.raised += 1;
            tally.raised_by_45 += u32::from(night <= 45 && tally.raised == 1);
        }
    }
    tally.with_failure = u32::from(tally.failed > 0);
    tally.above = above(&baseline, &suite);
    tally
}

fn is_full(baseline: &Baseline, rule: &Rule) -> bool {
    let pools = baseline.suites.iter().flat_map(|suite| &suite.cases);
    pools
        .map(|case| case.runs.pool.runs)
        .all(|runs| runs >= rule.full_pool())
}

/// How far the pools of the good cases lie above the truth, on average.
fn above(baseline: &Baseline, truth: &[f64]) -> f64 {
    let good = cases(baseline, truth, false).into_iter().zip(truth);
    let good = good.filter(|(_, p)| **p >= 0.95);
    let away: Vec<f64> = good
        .filter_map(|(case, p)| Some(case.pool?.rate() - p))
        .collect();
    away.iter().sum::<f64>() / amount(away.len().max(1))
}

fn key() -> Key {
    Key {
        suite: "suite".to_owned(),
        model: "model".to_owned(),
        harness: "harness".to_owned(),
    }
}

fn id(place: usize) -> String {
    format!("case-{place}")
}

fn cases(baseline: &Baseline, truth: &[f64], with_targets: bool) -> Vec<Case> {
    let suite = baseline.suite(&key());
    let case = |(place, p): (usize, &f64)| Case {
        kind: target(*p).filter(|_| with_targets),
        pool: suite
            .and_then(|suite| suite.case(&id(place), ""))
            .map(|case| case.runs.pool),
        planned: None,
    };
    truth.iter().enumerate().map(case).collect()
}

fn counts(ruling: &Ruling, green: bool) -> SessionCounts {
    SessionCounts {
        key: key(),
        origin: Origin::default(),
        judge: None,
        tools: Vec::new(),
        decision: ruling.decision,
        green,
        curtailed: false,
        cases: ruling
            .cases
            .iter()
            .enumerate()
            .map(|(place, case)| FirstPass {
                id: id(place),
                hash: String::new(),
                runs: case.first,
                metrics: BTreeMap::new(),
            })
            .collect(),
    }
}
