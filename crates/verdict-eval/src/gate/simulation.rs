//! The gate in many made-up nights: how often it fails with nothing changed, and how often with something broken.
//!
//! Only tests and `cargo xtask bench gate` build this. It is the one place of the gate with random numbers: they are
//! its own, so that a seed gives the same nights everywhere.

mod random;
mod years;

pub use random::Random;
pub use years::{Plan, Years, years};

use super::absolute::Target;
use super::attribution::{Arm, Experiment, Next};
use super::belief::{Belief, Beliefs};
use super::counts::{Counts, amount};
use super::literal::standing;
use super::rule::{HardMode, Rule};
use super::session::{Case, Ruling, Session, Step};
use verdict_model::behavior::{Kind, Standing};
use verdict_model::gate::{Cause, Decision};

/// True pass probabilities of the standard suite.
pub fn standard_suite() -> Vec<f64> {
    [
        [1.0].as_slice(),
        &[0.995; 11],
        &[0.97; 8],
        &[0.85, 0.85, 0.70, 0.70, 0.10],
    ]
    .concat()
}

/// What is different tonight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// Nothing.
    Nothing,
    /// The first case has this pass probability.
    First(f64),
    /// The second and following cases, this many, lose this much.
    Some(usize, f64),
    /// Every case gains this much; negative for a loss.
    All(f64),
}

impl Change {
    /// The true pass probabilities of tonight.
    pub fn apply(self, suite: &[f64]) -> Vec<f64> {
        let moved = |(place, p): (usize, &f64)| match self {
            Self::First(to) if place == 0 => to,
            Self::Some(cases, loss) if (1..=cases).contains(&place) => p - loss,
            Self::All(gain) => p + gain,
            _ => *p,
        };
        let moved = suite.iter().enumerate().map(moved);
        moved.map(|p| p.clamp(0.0, 1.0)).collect()
    }
}

/// What is simulated.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The rule.
    pub rule: Rule,
    /// True pass probabilities while the pools were filled.
    pub suite: Vec<f64>,
    /// Runs of every pool.
    pub pool_runs: u32,
    /// Good cases have targets of their own: `hard` those that pass at least 95 of 100 runs, `soft` at least 80.
    pub with_targets: bool,
}

impl Setting {
    /// The standard suite with pools of fifty runs.
    pub fn standard(rule: Rule) -> Self {
        Self {
            rule,
            suite: standard_suite(),
            pool_runs: 50,
            with_targets: false,
        }
    }

    /// Plays one night with fresh pools.
    pub fn night(&self, tonight: &[f64], random: &mut Random) -> Ruling {
        let mut cases = cases(&self.suite, self.pool_runs, random);
        if self.with_targets {
            for (case, p) in cases.iter_mut().zip(&self.suite) {
                case.kind = target(*p);
            }
        }
        play(&mut Session::new(self.rule.clone(), cases), tonight, random)
    }
}

/// Cases with pools of so many runs, and no targets of their own.
fn cases(suite: &[f64], pool_runs: u32, random: &mut Random) -> Vec<Case> {
    let pool = |p: &f64| Counts::new(random.binomial(pool_runs, *p), pool_runs);
    let pools = suite.iter().map(pool);
    let case = |pool| Case {
        kind: None,
        pool: Some(pool),
        planned: None,
    };
    pools.map(case).collect()
}

/// The target that a case with such a pass probability would be given.
fn target(p: f64) -> Option<Kind> {
    match p {
        0.95.. => Some(Kind::Hard),
        0.80.. => Some(Kind::Soft),
        _ => None,
    }
}

/// Plays a session with these true pass probabilities to its end.
pub(crate) fn play(session: &mut Session, tonight: &[f64], random: &mut Random) -> Ruling {
    loop {
        match session.step() {
            Step::Done(ruling) => return *ruling,
            Step::Run(purchases) => {
                for purchase in purchases {
                    for index in purchase.from..purchase.from + purchase.runs {
                        let passed = random.chance(tonight[purchase.case]);
                        session.record(purchase.case, index, purchase.wave, Some(passed));
                    }
                }
            }
        }
    }
}

/// How many nights came out how.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Nights.
    pub nights: u32,
    /// That failed.
    pub failed: u32,
    /// That warned.
    pub warned: u32,
    /// Of those, for an unstable target alone.
    pub unstable: u32,
    /// With a confirmation run.
    pub rerun: u32,
    /// Rounds of confirmation in all.
    pub rounds: u32,
    /// Runs of each night.
    pub calls: Vec<u32>,
}

impl Tally {
    /// Counts a night.
    pub fn add(&mut self, ruling: &Ruling) {
        self.nights += 1;
        self.failed += u32::from(ruling.decision == Decision::Fail);
        self.warned += u32::from(ruling.decision == Decision::Warn);
        self.unstable += u32::from(ruling.is_unstable());
        self.rerun += u32::from(ruling.spending.confirmation > 0);
        self.rounds += ruling.rounds;
        self.calls.push(ruling.spending.total());
    }

    /// Takes in other nights.
    pub fn join(&mut self, other: Self) {
        self.nights += other.nights;
        self.failed += other.failed;
        self.warned += other.warned;
        self.unstable += other.unstable;
        self.rerun += other.rerun;
        self.rounds += other.rounds;
        self.calls.extend(other.calls);
    }

    /// A share of the nights.
    pub fn share(&self, of: u32) -> f64 {
        f64::from(of) / f64::from(self.nights.max(1))
    }

    /// Runs of a night, on average.
    pub fn mean_calls(&self) -> f64 {
        let sum: f64 = self.calls.iter().map(|calls| f64::from(*calls)).sum();
        sum / amount(self.calls.len().max(1))
    }

    /// Runs that 95 of 100 nights stay within.
    pub fn most_calls(&self) -> u32 {
        let mut calls = self.calls.clone();
        calls.sort_unstable();
        calls
            .get(calls.len() * 95 / 100)
            .or(calls.last())
            .copied()
            .unwrap_or(0)
    }
}

/// Plays the nights `from` to before `to` of a setting. A night's random numbers depend on the seed and its number
/// alone, so nights may be shared out between threads.
pub fn nights(setting: &Setting, change: Change, seed: u64, from: u32, to: u32) -> Tally {
    let tonight = change.apply(&setting.suite);
    let mut tally = Tally::default();
    for night in from..to {
        let mut random = Random::new(seed, u64::from(night));
        tally.add(&setting.night(&tonight, &mut random));
    }
    tally
}

/// The share of failing nights with nothing changed, for each of `number` random sets of pools, in rising order.
pub fn anchors(pool_runs: u32, seed: u64, number: u32, nights: u32) -> Vec<f64> {
    let suite = standard_suite();
    let rule = Rule::default();
    let mut rates: Vec<f64> = (0..number)
        .map(|stream| {
            let mut random = Random::new(seed, u64::from(stream));
            let session = Session::new(rule.clone(), cases(&suite, pool_runs, &mut random));
            let mut failed = 0;
            for _ in 0..nights {
                let ruling = play(&mut session.clone(), &suite, &mut random);
                failed += u32::from(ruling.decision == Decision::Fail);
            }
            f64::from(failed) / f64::from(nights.max(1))
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    rates
}

/// Nights in which a `hard` case of the good ones was red, with the pool condition and without.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hard {
    /// Nights.
    pub nights: u32,
    /// Red with confirmation, as the gate is by default.
    pub confirmed: u32,
    /// Red if any failure were, and only cases acted whose pool believes in them.
    pub strict_believed: u32,
    /// Red if any failure were.
    pub strict: u32,
}

/// Plays nights of the `hard` target alone, on the cases that pass at least 95 of 100 runs.
pub fn hard(change: Change, seed: u64, from: u32, to: u32) -> Hard {
    let suite = standard_suite();
    let tonight = change.apply(&suite);
    let mut tally = Hard::default();
    for night in from..to {
        let mut random = Random::new(seed, u64::from(night));
        let pools: Vec<Counts> = suite
            .iter()
            .map(|p| Counts::new(random.binomial(50, *p), 50))
            .collect();
        let beliefs = Beliefs::fit(pools.iter().copied());
        let mut red = [false; 3];
        for (place, _) in suite.iter().enumerate().filter(|(_, p)| **p >= 0.95) {
            let runs: Vec<bool> = (0..10).map(|_| random.chance(tonight[place])).collect();
            let mean = beliefs.of(pools[place]).map(Belief::mean);
            let is_red = |mode, pool_mean| {
                let first = Target {
                    kind: Kind::Hard,
                    mode,
                    planned: 5,
                    first: &runs[..5],
                    confirmation: &[],
                    pool_mean,
                };
                let needed = first.held().needs as usize;
                let whole = Target {
                    confirmation: &runs[5..5 + needed],
                    ..first
                };
                whole.held().standing == Standing::Red
            };
            let strict = is_red(HardMode::Strict, None);
            red[0] |= is_red(HardMode::Confirmed, mean);
            red[1] |= strict && mean.is_none_or(|mean| mean >= 0.98);
            red[2] |= strict;
        }
        tally.nights += 1;
        tally.confirmed += u32::from(red[0]);
        tally.strict_believed += u32::from(red[1]);
        tally.strict += u32::from(red[2]);
    }
    tally
}

/// What a control experiment found, over many failing nights.
#[derive(Debug, Clone, Copy, Default)]
pub struct Causes {
    /// Failing nights.
    pub nights: u32,
    /// Found: noise, description, model, both, undetermined.
    pub found: [u32; 5],
    /// Runs of both arms in all.
    pub calls: u32,
}

/// Plays nights until `wanted` have failed, and the control experiment of each. The true cause is the descriptions,
/// or else the model.
pub fn causes(change: Change, by_description: bool, seed: u64, wanted: u32) -> Causes {
    let setting = Setting::standard(Rule::default());
    let tonight = change.apply(&setting.suite);
    let mut tally = Causes::default();
    let mut night = 0;
    while tally.nights < wanted {
        let mut random = Random::new(seed, night);
        night += 1;
        let ruling = setting.night(&tonight, &mut random);
        if ruling.decision != Decision::Fail {
            continue;
        }
        let Some(mut experiment) = Experiment::of(&ruling, false) else {
            continue;
        };
        let before = if by_description {
            &setting.suite
        } else {
            &tonight
        };
        let found = loop {
            match experiment.step() {
                Next::Done(found) => break found,
                Next::Run { cases, each } => {
                    for case in cases {
                        for (arm, truth) in [(Arm::Baseline, before), (Arm::Current, &tonight)] {
                            let passes = random.binomial(each, truth[case]);
                            experiment.record(case, arm, Counts::new(passes, each));
                        }
                    }
                }
            }
        };
        let place = match found.cause {
            Cause::Noise => 0,
            Cause::DescriptionChange => 1,
            Cause::ModelDrift => 2,
            Cause::Both => 3,
            _ => 4,
        };
        tally.nights += 1;
        tally.found[place] += 1;
        tally.calls += found.runs;
    }
    tally
}

/// Nights of the plain rule against one earlier run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plain {
    /// Nights.
    pub nights: u32,
    /// That failed by a drop of the score of more than 0.02.
    pub dropped: u32,
    /// That failed by that, or by a case that missed its target: 5 of 5 where it passes at least 95 of 100 runs,
    /// 4 of 5 where it passes at least 80; none else.
    pub failed: u32,
}

/// Plays nights of the plain rule.
pub fn plain(change: Change, seed: u64, from: u32, to: u32) -> Plain {
    let suite = standard_suite();
    let tonight = change.apply(&suite);
    let mut tally = Plain::default();
    for night in from..to {
        let mut random = Random::new(seed, u64::from(night));
        let mut total =
            |truth: &[f64]| -> Vec<u32> { truth.iter().map(|p| random.binomial(5, *p)).collect() };
        let (before, now) = (total(&suite), total(&tonight));
        let score = |passes: &[u32]| {
            amount(passes.iter().sum::<u32>() as usize) / (5.0 * amount(suite.len()))
        };
        let dropped = score(&before) - score(&now) > 0.02 + 1e-9;
        let missed = suite.iter().zip(&now).any(|(p, passes)| {
            let kind = target(*p);
            kind.is_some_and(|kind| standing(kind, Counts::new(*passes, 5)) == Standing::Red)
        });
        tally.nights += 1;
        tally.dropped += u32::from(dropped);
        tally.failed += u32::from(dropped || missed);
    }
    tally
}

#[cfg(test)]
mod tests;
