//! How many times better "something got worse" explains the counts than "nothing changed".
//!
//! A mixture likelihood ratio: its bar does not depend on how often or where one looked, so runs may be bought for
//! whichever case looks odd. Sums and products go over cases in the order of their counts, so that the order of the
//! cases does not show in the last bit either.

use super::belief::{Beliefs, SUPPORT, Weights, dot, pass_chances};
use super::counts::{Counts, amount};
use super::rule::Rule;
use std::collections::BTreeMap;

/// Shares of its passes that a case loses when it falls off a cliff.
const CLIFF: &[f64] = &[0.3, 0.6, 0.9];
/// Shares that it loses when it gets noticeably worse.
const FEW: &[f64] = &[0.15, 0.30];
/// A probability is never taken as 0 or 1.
const LEAST: f64 = 1e-6;
/// Ratios are kept finite, so that they can be multiplied and written.
const MOST: f64 = 1e300;

/// Which way a change is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Losses: the gate.
    Worse,
    /// Gains: the ratchet of the baseline.
    Better,
}

/// How many times better a change explains the counts of one case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratios {
    /// This case fell off a cliff.
    pub cliff: f64,
    /// This case got noticeably worse.
    pub few: f64,
    /// Every case lost a little.
    pub diffuse: f64,
}

impl Ratios {
    /// The larger of those that suspect this case alone.
    pub fn own(self) -> f64 {
        self.cliff.max(self.few)
    }
}

/// The evidence of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// In few cases.
    pub concentrated: f64,
    /// In the whole suite.
    pub diffuse: f64,
    /// One entry a case, in the order in which they were given.
    pub cases: Vec<Ratios>,
}

impl Evidence {
    /// Both together: the `n` of "n : 1".
    pub fn total(&self) -> f64 {
        (self.concentrated + self.diffuse).min(MOST)
    }
}

/// A case: its pool, and its counts of this session.
pub type Pair = (Counts, Counts);

/// Weighs counts against pools. Keeps what it has worked out for counts it has met.
#[derive(Debug, Clone)]
pub struct Scale {
    rho: f64,
    delta: f64,
    direction: Direction,
    met: BTreeMap<Counts, Shapes>,
}

impl Scale {
    /// For the gate.
    pub fn new(rule: &Rule) -> Self {
        Self::with(rule.rho, rule.delta, Direction::Worse)
    }

    /// With these numbers; `rho` and `delta` as in [`Rule`].
    pub fn with(rho: f64, delta: f64, direction: Direction) -> Self {
        Self {
            rho,
            delta,
            direction,
            met: BTreeMap::new(),
        }
    }

    /// The evidence of some cases. Those whose pool was not in the fit of `beliefs` weigh nothing.
    pub fn weigh(&mut self, beliefs: &Beliefs, cases: &[Pair]) -> Evidence {
        let mut kinds: BTreeMap<Pair, (f64, Ratios)> = BTreeMap::new();
        for pair in cases {
            let entry = kinds.entry(*pair);
            entry
                .or_insert_with(|| (0.0, self.ratios(beliefs, *pair)))
                .0 += 1.0;
        }
        let number = amount(cases.len());
        let (mut cliff, mut few, mut diffuse) = (0.0, 0.0, 0.0);
        for (times, ratios) in kinds.values() {
            cliff += times * (ratios.cliff / number);
            few += times * libm::log(0.85 + 0.15 * ratios.few);
            diffuse += times * libm::log(ratios.diffuse);
        }
        Evidence {
            concentrated: (0.4 * cliff + 0.2 * libm::exp(few)).min(MOST),
            diffuse: (0.4 * libm::exp(diffuse)).min(MOST),
            cases: cases
                .iter()
                .filter_map(|pair| kinds.get(pair).map(|kind| kind.1))
                .collect(),
        }
    }

    fn ratios(&mut self, beliefs: &Beliefs, (pool, tonight): Pair) -> Ratios {
        let Some(belief) = beliefs.of(pool) else {
            return Ratios {
                cliff: 1.0,
                few: 1.0,
                diffuse: 1.0,
            };
        };
        let (rho, delta, direction) = (self.rho, self.delta, self.direction);
        let shapes = self
            .met
            .entry(tonight)
            .or_insert_with(|| Shapes::of(tonight, rho, delta, direction));
        let unchanged = dot(&belief.0, &shapes.unchanged);
        let ratio = |shape: &Weights| {
            let ratio = dot(&belief.0, shape) / unchanged;
            if ratio.is_nan() {
                1.0
            } else {
                ratio.clamp(1.0 / MOST, MOST)
            }
        };
        Ratios {
            cliff: ratio(&shapes.cliff),
            few: ratio(&shapes.few),
            diffuse: ratio(&shapes.diffuse),
        }
    }
}

/// The likelihoods of some counts under the four predictions, up to one common factor.
#[derive(Debug, Clone)]
struct Shapes {
    unchanged: Weights,
    cliff: Weights,
    few: Weights,
    diffuse: Weights,
}

impl Shapes {
    fn of(counts: Counts, rho: f64, delta: f64, direction: Direction) -> Self {
        let moved = |shares: &[f64]| -> Vec<Weights> {
            let at = |share: f64| pass_chances().map(|p| scaled(p, share, direction));
            shares.iter().map(|share| at(*share)).collect()
        };
        let shifted = pass_chances().map(|p| match direction {
            Direction::Worse => (p - delta).max(0.0),
            Direction::Better => (p + delta).min(1.0),
        });
        let logs = |chances: Vec<Weights>| -> Vec<Weights> {
            let log = |row: Weights| row.map(|p| log_likelihood(counts, p, rho));
            chances.into_iter().map(log).collect()
        };
        let unchanged = logs(vec![pass_chances()]);
        let (cliff, few, diffuse) = (logs(moved(CLIFF)), logs(moved(FEW)), logs(vec![shifted]));
        let all = [&unchanged, &cliff, &few, &diffuse];
        let best = all.iter().copied().flatten().flatten().copied();
        let best = best.fold(f64::NEG_INFINITY, f64::max);
        Self {
            unchanged: mean_of_exponentials(&unchanged, best),
            cliff: mean_of_exponentials(&cliff, best),
            few: mean_of_exponentials(&few, best),
            diffuse: mean_of_exponentials(&diffuse, best),
        }
    }
}

fn scaled(p: f64, share: f64, direction: Direction) -> f64 {
    match direction {
        Direction::Worse => p * (1.0 - share),
        Direction::Better => 1.0 - (1.0 - p) * (1.0 - share),
    }
}

fn mean_of_exponentials(rows: &[Weights], best: f64) -> Weights {
    let mut mean = [0.0; SUPPORT];
    for row in rows {
        for (sum, log) in mean.iter_mut().zip(row) {
            *sum += libm::exp(log - best) / amount(rows.len());
        }
    }
    mean
}

/// Logarithm of the beta-binomial likelihood of some counts with mean `p` and correlation `rho`, without the factors
/// that do not depend on `p`: they cancel in every ratio. With `rho` 0 it is the plain binomial.
pub fn log_likelihood(counts: Counts, p: f64, rho: f64) -> f64 {
    let p = p.clamp(LEAST, 1.0 - LEAST);
    if rho <= 0.0 {
        let (passes, failures) = (f64::from(counts.passes), f64::from(counts.failures()));
        return passes * libm::log(p) + failures * libm::log(1.0 - p);
    }
    let size = (1.0 - rho) / rho;
    log_rising(p * size, counts.passes) + log_rising((1.0 - p) * size, counts.failures())
}

/// Logarithm of `from (from + 1) ... (from + terms - 1)`, which is the quotient of two gamma functions.
fn log_rising(from: f64, terms: u32) -> f64 {
    let (mut log, mut product) = (0.0, 1.0);
    for term in 0..terms {
        product *= from + f64::from(term);
        // Sixteen factors of at most a million each, and one that may be tiny, stay far within range.
        if term % 16 == 15 {
            log += libm::log(product);
            product = 1.0;
        }
    }
    log + libm::log(product)
}
