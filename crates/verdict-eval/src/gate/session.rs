//! Which runs to buy, and when to stop.
//!
//! What was run goes in, one record a run; [`Session::step`] says what to run next, or how the session ends. It is a
//! function of the records alone: neither the order in which they came nor earlier calls matter, so a session that was
//! cut off goes on from its stored runs, and a finished one is judged again to the same end.

mod ruling;

pub use ruling::{CaseRuling, Reason, Ruling, Spending};

use super::absolute::{self, Held, Target};
use super::belief::{Belief, Beliefs};
use super::counts::{Counts, MOST_RUNS, amount};
use super::evidence::{Evidence, Scale};
use super::rule::Rule;
use std::collections::BTreeMap;
use verdict_model::behavior::{Kind, Standing};
use verdict_model::gate::Decision;

/// A case of the suite, before anything was run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// How strictly its own target is held; `None` for no target of its own.
    pub kind: Option<Kind>,
    /// Its pool; `None` for a new case.
    pub pool: Option<Counts>,
    /// Planned runs of its first pass, where they differ from the rule's.
    pub planned: Option<u32>,
}

impl Case {
    /// The rate of a pool that is too short for a belief, where it says that the case fails every second time at least: as
    /// after a lowering on purpose. Held against its target, such a case would be red for ever, and its pool never fill.
    fn failing(&self) -> Option<f64> {
        let pool = self.pool.filter(|pool| pool.runs > 0)?;
        (pool.passes * 2 <= pool.runs).then(|| pool.rate())
    }
}

/// Runs to buy for one case, all before [`Session::step`] is asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purchase {
    /// The case, by its place in the suite.
    pub case: usize,
    /// Index of the first of them; the others follow.
    pub from: u32,
    /// How many.
    pub runs: u32,
    /// 0 for the first pass, then the round of confirmation.
    pub wave: u32,
}

/// What a session does next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Run these.
    Run(Vec<Purchase>),
    /// It is over.
    Done(Box<Ruling>),
}

#[derive(Debug, Clone, Copy)]
struct Record {
    wave: u32,
    /// `None`: not a run.
    passed: Option<bool>,
}

/// One session of one model with one suite.
#[derive(Debug, Clone)]
pub struct Session {
    rule: Rule,
    cases: Vec<Case>,
    records: Vec<BTreeMap<u32, Record>>,
    /// Cases with enough of a pool, by their place.
    eligible: Vec<usize>,
    beliefs: Beliefs,
    scale: Scale,
}

impl Session {
    /// A session in which nothing was run yet.
    pub fn new(rule: Rule, cases: Vec<Case>) -> Self {
        let enough = |pool: &Counts| pool.runs >= rule.min_pool && pool.runs > 0;
        let eligible: Vec<usize> = (0..cases.len())
            .filter(|place| cases[*place].pool.as_ref().is_some_and(enough))
            .collect();
        let beliefs = Beliefs::fit(eligible.iter().filter_map(|place| cases[*place].pool));
        Self {
            records: vec![BTreeMap::new(); cases.len()],
            scale: Scale::new(&rule),
            rule,
            cases,
            eligible,
            beliefs,
        }
    }

    /// Records one run of a case: its index, its wave (0 for the first pass), and whether it passed; `None` where it is
    /// not a run, since the provider or we failed. A second record of an index replaces the first; indices
    /// beyond any session's are passed over.
    pub fn record(&mut self, case: usize, index: u32, wave: u32, passed: Option<bool>) {
        if let Some(records) = self.records.get_mut(case).filter(|_| index < MOST_RUNS) {
            records.insert(index, Record { wave, passed });
        }
    }

    /// What to run next, or how the session ends.
    pub fn step(&mut self) -> Step {
        let missing = self.missing_first_pass();
        if missing.is_empty() {
            return self.after_first_pass();
        }
        // Between waves of the first pass only what is certain ends it.
        let between = self.records.iter().any(|records| !records.is_empty());
        if between && self.any(Standing::Red, |case| case.kind == Some(Kind::Never)) {
            return self.done(Decision::Fail, Reason::RedTarget, None);
        }
        if between && self.rule.fail_fast && !self.learning() {
            let evidence = self.evidence();
            if evidence.total() >= self.rule.fail_at {
                return self.done(Decision::Fail, Reason::Evidence, Some(&evidence));
            }
        }
        Step::Run(missing)
    }

    /// How the session ends if nothing more can be run: the form for a finished report.
    pub fn ruling(&mut self) -> Ruling {
        let evidence = (!self.learning()).then(|| self.evidence());
        let total = evidence.as_ref().map(Evidence::total);
        let (decision, reason) = if let Some(early) = self.early() {
            early
        } else {
            self.end(total, Reason::CannotConfirm)
        };
        self.rule_on(decision, reason, evidence.as_ref())
    }

    fn after_first_pass(&mut self) -> Step {
        let evidence = (!self.learning()).then(|| self.evidence());
        if let Some((decision, reason)) = self.early() {
            return self.done(decision, reason, evidence.as_ref());
        }
        let mut stopped = Reason::Quiet;
        if let Some(evidence) = &evidence {
            if evidence.total() >= self.rule.fail_at {
                return self.done(Decision::Fail, Reason::Evidence, Some(evidence));
            }
            if evidence.total() >= self.rule.pass_below {
                match self.confirmation(evidence) {
                    Ok(purchases) => return Step::Run(purchases),
                    Err(reason) => stopped = reason,
                }
            }
        }
        let wanted = self.wanted_by_targets();
        if !wanted.is_empty() {
            return Step::Run(wanted);
        }
        let total = evidence.as_ref().map(Evidence::total);
        let (decision, reason) = self.end(total, stopped);
        self.done(decision, reason, evidence.as_ref())
    }

    /// What ends a session whatever the evidence says.
    fn early(&self) -> Option<(Decision, Reason)> {
        if self.any(Standing::Red, |case| case.kind == Some(Kind::Never)) {
            return Some((Decision::Fail, Reason::RedTarget));
        }
        if self.outage() {
            return Some((Decision::Incomplete, Reason::Outage));
        }
        self.any(Standing::Red, |_| true)
            .then_some((Decision::Fail, Reason::RedTarget))
    }

    /// The decision once no further run will be bought; `undecided` says why not.
    fn end(&self, total: Option<f64>, undecided: Reason) -> (Decision, Reason) {
        let Some(total) = total else {
            return (Decision::Learning, Reason::Learning);
        };
        if total >= self.rule.fail_at {
            (Decision::Fail, Reason::Evidence)
        } else if total >= self.rule.pass_below {
            (Decision::Warn, undecided)
        } else if (0..self.cases.len()).any(|place| self.unstable(place)) {
            (Decision::Warn, Reason::UnstableTarget)
        } else {
            (Decision::Pass, Reason::Quiet)
        }
    }

    fn unstable(&self, place: usize) -> bool {
        self.held(place)
            .is_some_and(|held| held.standing == Standing::Unstable && !held.cannot_hold)
    }

    fn any(&self, standing: Standing, of: impl Fn(&Case) -> bool) -> bool {
        (0..self.cases.len()).any(|place| {
            of(&self.cases[place])
                && self
                    .held(place)
                    .is_some_and(|held| held.standing == standing)
        })
    }

    /// Fewer pools than half the cases: only their own targets act.
    fn learning(&self) -> bool {
        2 * self.eligible.len() < self.cases.len() || self.eligible.is_empty()
    }

    /// Too few valid runs in the first pass to say anything.
    fn outage(&self) -> bool {
        let (mut planned, mut valid) = (0, 0);
        for place in 0..self.cases.len() {
            let (tried, first) = (self.tried_first(place), self.first(place));
            let decided = self.rule.curtail && self.decided(place);
            if first.len() < absolute::least(self.planned(place)) && !decided {
                return true;
            }
            planned += if decided { tried } else { self.planned(place) };
            valid += first.len();
        }
        let valid = u32::try_from(valid).unwrap_or(u32::MAX);
        planned == 0 || u64::from(planned.saturating_sub(valid)) * 10 > u64::from(planned)
    }

    fn planned(&self, place: usize) -> u32 {
        self.cases[place]
            .planned
            .unwrap_or(self.rule.first_pass)
            .max(1)
    }

    fn tried_first(&self, place: usize) -> u32 {
        let first = self.records[place]
            .values()
            .filter(|record| record.wave == 0);
        u32::try_from(first.count()).unwrap_or(u32::MAX)
    }

    fn tried(&self, place: usize) -> u32 {
        u32::try_from(self.records[place].len()).unwrap_or(u32::MAX)
    }

    fn results(&self, place: usize, wanted: impl Fn(u32) -> bool) -> Vec<bool> {
        let records = self.records[place].values();
        let wanted = records.filter(|record| wanted(record.wave));
        wanted.filter_map(|record| record.passed).collect()
    }

    fn first(&self, place: usize) -> Vec<bool> {
        self.results(place, |wave| wave == 0)
    }

    fn counts(&self, place: usize) -> Counts {
        Counts::of(self.results(place, |_| true))
    }

    /// How a case stands against its own target; `None` where it has none.
    fn held(&self, place: usize) -> Option<Held> {
        self.stand(place).map(|(held, _)| held)
    }

    /// Whether the first pass already decides whether a case meets its target.
    fn decided(&self, place: usize) -> bool {
        self.stand(place).is_some_and(|(_, decided)| decided)
    }

    fn stand(&self, place: usize) -> Option<(Held, bool)> {
        let case = &self.cases[place];
        let kind = case.kind?;
        let belief = case.pool.and_then(|pool| self.beliefs.of(pool));
        let target = Target {
            kind,
            mode: self.rule.hard_mode,
            planned: self.planned(place),
            first: &self.first(place),
            confirmation: &self.results(place, |wave| wave > 0),
            pool_mean: belief.map(Belief::mean).or_else(|| case.failing()),
        };
        Some((target.held(), target.decided()))
    }

    fn evidence(&mut self) -> Evidence {
        let pair = |place: &usize| {
            (
                self.cases[*place].pool.unwrap_or_default(),
                self.counts(*place),
            )
        };
        let pairs: Vec<_> = self.eligible.iter().map(pair).collect();
        self.scale.weigh(&self.beliefs, &pairs)
    }

    /// Runs of the first pass that are still to be made; in waves of one a case where something may end it early.
    fn missing_first_pass(&self) -> Vec<Purchase> {
        let open = |place: usize| {
            let missing = self.planned(place).saturating_sub(self.tried_first(place));
            let decided = self.rule.curtail && self.decided(place);
            if decided { 0 } else { missing }
        };
        let one = self.rule.fail_fast || self.rule.curtail;
        let purchases = (0..self.cases.len()).filter_map(|place| {
            let missing = open(place);
            let runs = if one { missing.min(1) } else { missing };
            (runs > 0).then(|| self.purchase(place, runs, 0))
        });
        purchases.collect()
    }

    fn purchase(&self, case: usize, runs: u32, wave: u32) -> Purchase {
        let last = self.records[case].keys().next_back();
        Purchase {
            case,
            from: last.map_or(0, |last| last.saturating_add(1)),
            runs,
            wave,
        }
    }

    fn waves(&self) -> u32 {
        let waves = self.records.iter().flat_map(BTreeMap::values);
        waves.map(|record| record.wave).max().unwrap_or(0)
    }

    /// The confirmation runs that the evidence asks for, or why there will be none.
    fn confirmation(&self, evidence: &Evidence) -> Result<Vec<Purchase>, Reason> {
        if self.waves() >= self.rule.rounds {
            return Err(Reason::RoundsSpent);
        }
        let mut wanted = Vec::new();
        if evidence.diffuse > evidence.concentrated {
            let good = |place: &usize| {
                let pool = self.cases[*place].pool.unwrap_or_default();
                u64::from(pool.passes) * 10 >= u64::from(pool.runs) * 9
            };
            let good: Vec<usize> = self.eligible.iter().copied().filter(good).collect();
            let enough = good.len() * 2 >= self.eligible.len();
            let chosen = if enough { good } else { self.eligible.clone() };
            wanted.extend(chosen.into_iter().map(|place| (place, self.rule.per_case)));
        } else {
            let suspects = self.eligible.iter().zip(&evidence.cases);
            let suspects = suspects.filter(|(_, ratios)| ratios.own() >= 1.0);
            wanted.extend(suspects.map(|(place, _)| (*place, self.rule.per_suspect)));
        }
        let purchases = self.within_most(wanted);
        if purchases.is_empty() {
            return Err(Reason::NothingToConfirm);
        }
        let spent: u64 = self
            .eligible
            .iter()
            .map(|place| u64::from(self.tried(*place)))
            .sum();
        if self.affordable(spent, &purchases, &self.eligible) {
            Ok(purchases)
        } else {
            Err(Reason::BudgetSpent)
        }
    }

    fn within_most(&self, wanted: Vec<(usize, u32)>) -> Vec<Purchase> {
        let wave = self.waves().saturating_add(1);
        let most = self.rule.most_runs;
        let purchases = wanted.into_iter().filter_map(|(place, runs)| {
            let runs = runs.min(most.saturating_sub(self.tried(place)));
            (runs > 0).then(|| self.purchase(place, runs, wave))
        });
        purchases.collect()
    }

    #[expect(clippy::cast_precision_loss, reason = "numbers of runs")]
    fn affordable(&self, spent: u64, purchases: &[Purchase], of: &[usize]) -> bool {
        let added: u64 = purchases
            .iter()
            .map(|purchase| u64::from(purchase.runs))
            .sum();
        let planned: u64 = of.iter().map(|place| u64::from(self.planned(*place))).sum();
        (spent + added) as f64 <= self.rule.budget * planned as f64 + 1e-9
    }

    /// Confirmation runs that the cases' own targets ask for, if the budget has room for them.
    fn wanted_by_targets(&self) -> Vec<Purchase> {
        let all: Vec<usize> = (0..self.cases.len()).collect();
        let needs = |place: &usize| self.held(*place).map_or(0, |held| held.needs);
        let wanted = all.iter().map(|place| (*place, needs(place)));
        let purchases = self.within_most(wanted.collect());
        let spent: u64 = all.iter().map(|place| u64::from(self.tried(*place))).sum();
        if self.affordable(spent, &purchases, &all) {
            purchases
        } else {
            Vec::new()
        }
    }

    fn done(&self, decision: Decision, reason: Reason, evidence: Option<&Evidence>) -> Step {
        Step::Done(Box::new(self.rule_on(decision, reason, evidence)))
    }
}
