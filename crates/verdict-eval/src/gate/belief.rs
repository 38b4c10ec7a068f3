//! What a pool says of the pass probability of a case.
//!
//! The probability is one of [`SUPPORT`] values, dense near 1 where good cases lie. The suite's own prior is fitted
//! from all pools, so that a case with few runs borrows from its neighbours.

use super::counts::{Counts, amount};
use std::collections::BTreeMap;

/// Values that a pass probability may take.
pub const SUPPORT: usize = 100;

/// One weight a value of the support.
pub type Weights = [f64; SUPPORT];

/// Steps of the fit.
const STEPS: usize = 30;
/// Weight of the flat prior against the cases, in cases.
const FLAT: f64 = 5.0;

/// Chance of failure at each value: `((j - 0.5) / 100)^3`.
pub fn failure_chances() -> Weights {
    let mut chances = [0.0; SUPPORT];
    for (place, chance) in chances.iter_mut().enumerate() {
        let root = (amount(place) + 0.5) / amount(SUPPORT);
        *chance = root * root * root;
    }
    chances
}

/// Pass probability at each value.
pub fn pass_chances() -> Weights {
    failure_chances().map(|failure| 1.0 - failure)
}

/// What is believed of the pass probability of a case; sums to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Belief(pub Weights);

impl Belief {
    /// The mean pass probability.
    pub fn mean(&self) -> f64 {
        dot(&self.0, &pass_chances())
    }

    /// The expectation of a value that depends on the pass probability.
    pub fn expect(&self, value: &Weights) -> f64 {
        dot(&self.0, value)
    }
}

/// What is believed of every case of a suite. Cases with equal pools share one belief.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Beliefs {
    by_pool: BTreeMap<Counts, Belief>,
}

impl Beliefs {
    /// Fits the suite's prior to the pools of its cases, and with it each case's own belief.
    pub fn fit(pools: impl IntoIterator<Item = Counts>) -> Self {
        let mut cases: BTreeMap<Counts, u32> = BTreeMap::new();
        for pool in pools {
            *cases.entry(pool).or_default() += 1;
        }
        let rows: Vec<(f64, Weights)> = cases
            .iter()
            .map(|(pool, times)| (f64::from(*times), likelihood(*pool)))
            .collect();
        let prior = prior(&rows);
        let beliefs = rows.iter().map(|(_, row)| posterior(row, &prior));
        Self {
            by_pool: cases.keys().copied().zip(beliefs).collect(),
        }
    }

    /// The belief of a case by its pool; `None` where no case of the fit had such a pool.
    pub fn of(&self, pool: Counts) -> Option<&Belief> {
        self.by_pool.get(&pool)
    }
}

/// How well each value explains a pool, the best at 1.
fn likelihood(pool: Counts) -> Weights {
    let (passes, failures) = (f64::from(pool.passes), f64::from(pool.failures()));
    let logs = failure_chances().map(|failure| {
        passes * libm::log((1.0 - failure).max(1e-12)) + failures * libm::log(failure)
    });
    let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    logs.map(|log| libm::exp(log - best))
}

/// The suite's prior, from each likelihood with the number of cases that have it.
fn prior(rows: &[(f64, Weights)]) -> Weights {
    let cases: f64 = rows.iter().map(|(times, _)| times).sum();
    let mut prior = [1.0 / amount(SUPPORT); SUPPORT];
    for _ in 0..STEPS {
        let mut pull = [0.0; SUPPORT];
        for (times, row) in rows {
            let share = times / dot(row, &prior);
            for (sum, value) in pull.iter_mut().zip(row) {
                *sum += share * value;
            }
        }
        for (weight, pull) in prior.iter_mut().zip(&pull) {
            *weight = (FLAT / amount(SUPPORT) + *weight * pull) / (FLAT + cases);
        }
    }
    prior
}

fn posterior(row: &Weights, prior: &Weights) -> Belief {
    let mut weights = *row;
    for (weight, prior) in weights.iter_mut().zip(prior) {
        *weight *= prior;
    }
    let sum: f64 = weights.iter().sum();
    Belief(weights.map(|weight| weight / sum))
}

/// The sum of products.
pub(crate) fn dot(one: &Weights, other: &Weights) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
