//! How a session ended, with all that is printed of it.

use super::{Case, Session, amount};
use crate::gate::absolute::Held;
use crate::gate::belief::Belief;
use crate::gate::counts::Counts;
use crate::gate::evidence::{Evidence, Ratios};
use crate::gate::numbers::{self, Drop, Paired};
use verdict_model::gate::Decision;

/// Why a session ended as it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The evidence reached the bar.
    Evidence,
    /// A case's own target is red.
    RedTarget,
    /// The evidence fell below the lower bar, and every target that acts is met.
    Quiet,
    /// Nothing got worse, but a case missed its own target without being red.
    UnstableTarget,
    /// The evidence is between the bars, and the rounds of confirmation are spent.
    RoundsSpent,
    /// The evidence is between the bars, and further runs would exceed the budget.
    BudgetSpent,
    /// The evidence is between the bars, and no case can be run again.
    NothingToConfirm,
    /// The evidence is between the bars, and a finished report cannot be confirmed.
    CannotConfirm,
    /// Too few cases have enough of a pool.
    Learning,
    /// Too few valid runs.
    Outage,
}

/// What a session has spent, in runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spending {
    /// Runs tried in the first pass.
    pub first_pass: u32,
    /// Runs tried as confirmations.
    pub confirmation: u32,
    /// Runs of the first pass that were planned and not needed.
    pub saved: u32,
    /// Of those tried, not runs: the provider or we failed.
    pub invalid: u32,
}

impl Spending {
    /// All that were tried.
    pub fn total(self) -> u32 {
        self.first_pass.saturating_add(self.confirmation)
    }
}

/// How one case came out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CaseRuling {
    /// Its pool, where it has one.
    pub pool: Option<Counts>,
    /// Valid runs of the first pass.
    pub first: Counts,
    /// All valid runs.
    pub all: Counts,
    /// How it stands against its own target; `None` where it has none.
    pub held: Option<Held>,
    /// How many times better a change explains its counts; `None` where it did not count in the evidence.
    pub ratios: Option<Ratios>,
    /// Mean pass probability that its pool believes in.
    pub believed: Option<f64>,
}

impl CaseRuling {
    /// Its pool has never seen it pass.
    pub fn is_known_failing(&self) -> bool {
        self.pool
            .is_some_and(|pool| pool.runs > 0 && pool.passes == 0)
    }
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ruling {
    /// The decision.
    pub decision: Decision,
    /// Why.
    pub reason: Reason,
    /// The evidence; `None` while learning.
    pub evidence: Option<f64>,
    /// Its part that lies in few cases.
    pub concentrated: f64,
    /// Its part that lies in the whole suite.
    pub diffuse: f64,
    /// Rounds of confirmation.
    pub rounds: u32,
    /// What was spent.
    pub spending: Spending,
    /// Every case, in the order of the suite.
    pub cases: Vec<CaseRuling>,
    /// The first pass stopped early in some case, so its rates are biased: it enters no pool.
    pub curtailed: bool,
}

impl Ruling {
    /// Whether its first pass may enter the pools: it passed, it is learning without anything red, or all it warns of is an
    /// unstable target.
    ///
    /// The last belongs in: a `hard` case that fails one run of five on a night with nothing changed is what its pool
    /// is to know. Without such nights the pools would hold lucky ones alone.
    pub fn is_green(&self) -> bool {
        let quiet = matches!(self.decision, Decision::Pass | Decision::Learning);
        (quiet || self.is_unstable()) && !self.curtailed
    }

    /// Whether it warns of unstable targets alone: the evidence says that nothing got worse.
    pub fn is_unstable(&self) -> bool {
        self.decision == Decision::Warn && self.reason == Reason::UnstableTarget
    }

    /// Cases that counted in the evidence.
    pub fn common(&self) -> usize {
        self.cases
            .iter()
            .filter(|case| case.ratios.is_some())
            .count()
    }

    /// The cases that a change explains best, at most `most`, by their place in the suite; ties by place.
    pub fn suspects(&self, most: usize) -> Vec<usize> {
        let ratio = |place: &usize| self.cases[*place].ratios.map_or(0.0, Ratios::own);
        let mut places: Vec<usize> = (0..self.cases.len()).collect();
        places.retain(|place| self.cases[*place].ratios.is_some());
        places.sort_by(|one, other| ratio(other).total_cmp(&ratio(one)));
        places.truncate(most);
        places
    }

    /// The drop against the pools, over the cases that counted in the evidence; `None` without such a case.
    pub fn drop(&self) -> Option<Drop> {
        let cases = self.cases.iter().filter(|case| case.ratios.is_some());
        let pairs: Option<Vec<Paired>> = cases
            .map(|case| {
                Some(Paired {
                    pool: case.pool?,
                    tonight: case.first,
                    believed: case.believed?,
                })
            })
            .collect();
        numbers::drop_against_pool(&pairs?)
    }

    /// The mean pass rate of the first pass, over all cases with a valid run; `None` without one.
    pub fn score(&self) -> Option<f64> {
        let rates: Vec<f64> = self
            .cases
            .iter()
            .filter(|case| case.first.runs > 0)
            .map(|case| case.first.rate())
            .collect();
        (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / amount(rates.len()))
    }
}

impl Session {
    pub(super) fn rule_on(
        &self,
        decision: Decision,
        reason: Reason,
        evidence: Option<&Evidence>,
    ) -> Ruling {
        let mut cases: Vec<CaseRuling> = (0..self.cases.len())
            .map(|place| self.case(place))
            .collect();
        for (place, ratios) in self
            .eligible
            .iter()
            .zip(evidence.iter().flat_map(|all| &all.cases))
        {
            cases[*place].ratios = Some(*ratios);
        }
        let spending = self.spending();
        Ruling {
            decision,
            reason,
            evidence: evidence.map(Evidence::total),
            concentrated: evidence
                .as_ref()
                .map_or(0.0, |evidence| evidence.concentrated),
            diffuse: evidence.map_or(0.0, |evidence| evidence.diffuse),
            rounds: self.waves(),
            spending,
            cases,
            curtailed: self.rule.curtail && spending.saved > 0,
        }
    }

    fn case(&self, place: usize) -> CaseRuling {
        let Case { pool, .. } = self.cases[place];
        CaseRuling {
            pool,
            first: Counts::of(self.first(place)),
            all: self.counts(place),
            held: self.held(place),
            ratios: None,
            believed: pool
                .and_then(|pool| self.beliefs.of(pool))
                .map(Belief::mean),
        }
    }

    fn spending(&self) -> Spending {
        let mut spending = Spending::default();
        for place in 0..self.cases.len() {
            let first = self.tried_first(place);
            spending.first_pass += first;
            spending.confirmation += self.tried(place) - first;
            spending.saved += self.planned(place).saturating_sub(first);
            spending.invalid += self.tried(place) - self.counts(place).runs;
        }
        spending
    }
}
