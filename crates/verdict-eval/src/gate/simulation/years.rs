//! Many nights in a row, with the baseline that they make.

use super::{Change, Random, play, standard_suite};
use crate::gate::baseline::{Baseline, Entry, FirstPass, Key, Origin, SessionCounts, entered};
use crate::gate::rule::Rule;
use crate::gate::session::{Case, Ruling, Session};
use std::collections::BTreeMap;
use verdict_model::gate::Decision;

/// Nights in a row.
const NIGHTS: u32 = 60;
/// First passes that the baseline begins with.
const BEGINNING: u32 = 3;

/// How some rows of sixty nights went.
#[derive(Debug, Clone, Copy, Default)]
pub struct Years {
    /// Rows.
    pub rows: u32,
    /// Nights that failed, of all.
    pub failed: u32,
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
            with_failure: self.with_failure + other.with_failure,
            raised: self.raised + other.raised,
            raised_by_45: self.raised_by_45 + other.raised_by_45,
        }
    }
}

/// Plays the rows `from` to before `to`; with `mended`, the four flaky cases are perfect from the 15th night on.
pub fn years(mended: bool, seed: u64, from: u32, to: u32) -> Years {
    let mut tally = Years::default();
    for row in from..to {
        let mut random = Random::new(seed, u64::from(row));
        let (failed, raised) = one_row(mended, &mut random);
        tally.rows += 1;
        tally.failed += failed;
        tally.with_failure += u32::from(failed > 0);
        tally.raised += u32::try_from(raised.len()).unwrap_or(u32::MAX);
        tally.raised_by_45 += u32::from(raised.first().is_some_and(|night| *night <= 45));
    }
    tally
}

fn one_row(mended: bool, random: &mut Random) -> (u32, Vec<u32>) {
    let rule = Rule::default();
    let suite = standard_suite();
    let mut better = suite.clone();
    better
        .iter_mut()
        .filter(|p| (0.5..0.9).contains(*p))
        .for_each(|p| *p = 1.0);
    let mut baseline = Baseline::empty();
    for _ in 0..BEGINNING {
        let mut learning = Session::new(
            rule.clone(),
            vec![
                Case {
                    kind: None,
                    pool: None,
                    planned: None
                };
                suite.len()
            ],
        );
        let ruling = play(&mut learning, &Change::Nothing.apply(&suite), random);
        baseline = entered(&baseline, &rule, &counts(&ruling)).0;
    }
    let (mut failed, mut raised) = (0, Vec::new());
    for night in 1..=NIGHTS {
        let truth = if mended && night >= 15 {
            &better
        } else {
            &suite
        };
        let mut session = Session::new(rule.clone(), cases(&baseline, suite.len()));
        let ruling = play(&mut session, truth, random);
        failed += u32::from(ruling.decision == Decision::Fail);
        let (next, entry) = entered(&baseline, &rule, &counts(&ruling));
        baseline = next;
        if matches!(entry, Entry::Raised { .. }) {
            raised.push(night);
        }
    }
    (failed, raised)
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

fn cases(baseline: &Baseline, number: usize) -> Vec<Case> {
    let suite = baseline.suite(&key());
    (0..number)
        .map(|place| Case {
            kind: None,
            pool: suite
                .and_then(|suite| suite.case(&id(place), ""))
                .map(|case| case.runs.pool),
            planned: None,
        })
        .collect()
}

fn counts(ruling: &Ruling) -> SessionCounts {
    SessionCounts {
        key: key(),
        origin: Origin::default(),
        judge: None,
        tools: Vec::new(),
        decision: ruling.decision,
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
