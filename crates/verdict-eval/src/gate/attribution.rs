//! Descriptions or model: what made it worse.
//!
//! Where the tool list is unchanged, descriptions are cleared at no cost. Where it is not, the suspected cases are run
//! with the tool list of the baseline (arm B) and with today's (arm C), in turns, with the same model in the same hour.
//! If only C is bad, it is the descriptions; if both are, it is the model.

mod likelihood;

use super::belief::Beliefs;
use super::counts::Counts;
use super::evidence::Evidence;
use super::session::Ruling;
use verdict_model::gate::Cause;

/// Suspected cases of an experiment, when the suspicion lies in few.
const MOST_CASES: usize = 5;
/// A case is chosen from this ratio on.
const CHOSEN_AT: f64 = 3.0;

/// Where the suspicion lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// In few cases.
    Concentrated,
    /// In the whole suite.
    SuiteWide,
}

impl Spread {
    /// Runs of each arm and case in one round.
    pub fn runs(self) -> u32 {
        match self {
            Self::Concentrated => 5,
            Self::SuiteWide => 2,
        }
    }

    /// Most rounds.
    pub fn rounds(self) -> u32 {
        match self {
            Self::Concentrated => 4,
            Self::SuiteWide => 8,
        }
    }
}

/// What is run with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arm {
    /// The tool list of the baseline.
    Baseline,
    /// Today's tool list.
    Current,
}

/// How likely each explanation is; the four sum to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chances {
    /// Nothing got worse.
    pub noise: f64,
    /// Names, descriptions or schemas.
    pub description: f64,
    /// The model.
    pub model: f64,
    /// Both.
    pub both: f64,
}

/// Before anything was run.
pub const PRIOR: Chances = Chances {
    noise: 0.05,
    description: 0.425,
    model: 0.425,
    both: 0.10,
};

/// The same where the provider's fingerprint is that of the baseline too.
pub const PRIOR_SAME_FINGERPRINT: Chances = Chances {
    noise: 0.05,
    description: 0.75,
    model: 0.15,
    both: 0.05,
};

/// What is found to be the cause.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Finding {
    /// The cause.
    pub cause: Cause,
    /// It is likely, and not certain.
    pub probable: bool,
    /// The four numbers behind it; `None` where no experiment was needed.
    pub chances: Option<Chances>,
    /// Runs spent on it, both arms.
    pub runs: u32,
}

/// The cause where the tool list is that of the baseline: the results of the tools where they are known to differ for
/// equal arguments, else the model.
pub fn without_experiment(tool_results_differ: bool) -> Finding {
    Finding {
        cause: if tool_results_differ {
            Cause::ServerBehaviour
        } else {
            Cause::ModelDrift
        },
        probable: false,
        chances: None,
        runs: 0,
    }
}

/// A case of the experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Chosen {
    place: usize,
    pool: Counts,
    baseline: Counts,
    current: Counts,
}

/// What an experiment does next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// Run each of these cases this often in each arm, in turns.
    Run {
        /// The cases, by their place in the suite.
        cases: Vec<usize>,
        /// Runs of each arm and case.
        each: u32,
    },
    /// It is over.
    Done(Finding),
}

/// The control experiment.
#[derive(Debug, Clone)]
pub struct Experiment {
    spread: Spread,
    prior: Chances,
    beliefs: Beliefs,
    chosen: Vec<Chosen>,
    rounds: u32,
}

impl Experiment {
    /// Chooses the cases of an experiment from a session that ended in `Fail` or `Warn`; `None` where no case has
    /// enough of a pool.
    pub fn of(ruling: &Ruling, same_fingerprint: bool) -> Option<Self> {
        let pools: Vec<(usize, Counts)> = ruling
            .cases
            .iter()
            .enumerate()
            .filter(|(_, case)| case.ratios.is_some())
            .filter_map(|(place, case)| Some((place, case.pool?)))
            .collect();
        let evidence = Evidence {
            concentrated: ruling.concentrated,
            diffuse: ruling.diffuse,
            cases: ruling.cases.iter().filter_map(|case| case.ratios).collect(),
        };
        Self::choose(&pools, &evidence, same_fingerprint)
    }

    /// The same from the pools of the cases that counted, each with its place, and the evidence over them.
    pub fn choose(
        pools: &[(usize, Counts)],
        evidence: &Evidence,
        same_fingerprint: bool,
    ) -> Option<Self> {
        let spread = if evidence.concentrated >= evidence.diffuse {
            Spread::Concentrated
        } else {
            Spread::SuiteWide
        };
        let places = match spread {
            Spread::Concentrated => suspects(evidence),
            Spread::SuiteWide => {
                let good = |(_, pool): &(usize, Counts)| {
                    u64::from(pool.passes) * 10 >= u64::from(pool.runs) * 9
                };
                (0..pools.len()).filter(|at| good(&pools[*at])).collect()
            }
        };
        let cases: Vec<_> = places
            .into_iter()
            .filter_map(|at| pools.get(at).copied())
            .collect();
        let pools = pools.iter().map(|(_, pool)| *pool);
        (!cases.is_empty()).then(|| Self::with(spread, pools, &cases, same_fingerprint))
    }

    /// An experiment with these cases, each with its place and pool; `pools` are those of all cases.
    pub fn with(
        spread: Spread,
        pools: impl IntoIterator<Item = Counts>,
        cases: &[(usize, Counts)],
        same_fingerprint: bool,
    ) -> Self {
        let chosen = cases.iter().map(|(place, pool)| Chosen {
            place: *place,
            pool: *pool,
            baseline: Counts::default(),
            current: Counts::default(),
        });
        Self {
            spread,
            prior: if same_fingerprint {
                PRIOR_SAME_FINGERPRINT
            } else {
                PRIOR
            },
            beliefs: Beliefs::fit(pools),
            chosen: chosen.collect(),
            rounds: 0,
        }
    }

    /// Where the suspicion lies.
    pub fn spread(&self) -> Spread {
        self.spread
    }

    /// Records fresh runs of one case in one arm; runs of the session itself do not belong here.
    pub fn record(&mut self, place: usize, arm: Arm, counts: Counts) {
        for case in self.chosen.iter_mut().filter(|case| case.place == place) {
            match arm {
                Arm::Baseline => case.baseline = case.baseline.plus(counts),
                Arm::Current => case.current = case.current.plus(counts),
            }
        }
    }

    /// What to run next, or what was found. A round that was asked for counts as one, however many of its runs were
    /// valid.
    pub fn step(&mut self) -> Next {
        if self.rounds > 0
            && let Some(finding) = self.found()
        {
            return Next::Done(finding);
        }
        self.rounds += 1;
        Next::Run {
            cases: self.chosen.iter().map(|case| case.place).collect(),
            each: self.spread.runs(),
        }
    }

    fn found(&self) -> Option<Finding> {
        let chances = self.chances();
        let (description, model) = (
            chances.description + chances.both,
            chances.model + chances.both,
        );
        let certain = if chances.noise >= 0.9 {
            Some(Cause::Noise)
        } else if chances.both >= 0.8 {
            Some(Cause::Both)
        } else if description >= 0.95 && model <= 0.2 {
            Some(Cause::DescriptionChange)
        } else if model >= 0.95 && description <= 0.2 {
            Some(Cause::ModelDrift)
        } else {
            None
        };
        if certain.is_none() && self.rounds < self.spread.rounds() {
            return None;
        }
        let likely = [
            (chances.noise, Cause::Noise),
            (chances.description, Cause::DescriptionChange),
            (chances.model, Cause::ModelDrift),
            (chances.both, Cause::Both),
        ];
        let likely = likely.into_iter().find(|(chance, _)| *chance >= 0.6);
        let cause = certain.or(likely.map(|(_, cause)| cause));
        let runs = self
            .chosen
            .iter()
            .map(|case| case.baseline.runs + case.current.runs);
        Some(Finding {
            cause: cause.unwrap_or(Cause::Undetermined),
            probable: certain.is_none() && cause.is_some(),
            chances: Some(chances),
            runs: runs.sum(),
        })
    }

    /// How likely each explanation is after the runs so far.
    pub fn chances(&self) -> Chances {
        let mut cases = self.chosen.clone();
        cases.sort_by_key(|case| (case.pool, case.baseline, case.current));
        let logs = match self.spread {
            Spread::Concentrated => self.concentrated(&cases),
            Spread::SuiteWide => self.suite_wide(&cases),
        };
        let prior = [
            self.prior.noise,
            self.prior.description,
            self.prior.model,
            self.prior.both,
        ];
        let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut weights = [0.0; 4];
        for (place, weight) in weights.iter_mut().enumerate() {
            *weight = prior[place] * libm::exp(logs[place] - best);
        }
        let sum: f64 = weights.iter().sum();
        let [noise, description, model, both] = weights.map(|weight| weight / sum);
        Chances {
            noise,
            description,
            model,
            both,
        }
    }
}

/// The cases that a change explains best, by their place in the evidence: up to five from a ratio of 3 on, else the
/// first alone.
fn suspects(evidence: &Evidence) -> Vec<usize> {
    let ratio = |place: &usize| evidence.cases[*place].own();
    let mut places: Vec<usize> = (0..evidence.cases.len()).collect();
    places.sort_by(|one, other| ratio(other).total_cmp(&ratio(one)));
    let strong = places
        .iter()
        .filter(|place| ratio(place) >= CHOSEN_AT)
        .count();
    places.truncate(strong.clamp(1, MOST_CASES));
    places
}
