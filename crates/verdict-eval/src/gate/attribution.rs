//! Descriptions or model: what made it worse.
//!
//! Where the tool list is unchanged, descriptions are cleared at no cost. Where it is not, the suspected cases are run
//! with the tool list of the baseline (arm B) and with today's (arm C), in turns, with the same model in the same hour.
//! If only C is bad, it is the descriptions; if both are, it is the model.

use super::belief::{Beliefs, Weights, pass_chances};
use super::counts::{Counts, amount};
use super::evidence::{Evidence, log_likelihood};
use super::session::Ruling;
use verdict_model::gate::Cause;

/// Shares of its passes that a suspected case may have lost.
const SHARES: [f64; 4] = [0.15, 0.3, 0.6, 0.9];
/// What every case of the suite may have lost.
const LOSSES: [f64; 3] = [0.05, 0.10, 0.20];
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
    pub fn next(&mut self) -> Next {
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

    /// Logarithms of the four likelihoods; each case may have lost another share, or nothing.
    fn concentrated(&self, cases: &[Chosen]) -> [f64; 4] {
        let mut logs = [0.0; 4];
        for case in cases {
            let lost = SHARES.map(|share| pass_chances().map(|p| p * (1.0 - share)));
            let four = self.four(case, &lost);
            // The best of them is brought to 1: what is far below it may vanish, what counts does not.
            let best = four.noise.max(four.most());
            let noise = libm::exp(four.noise - best);
            logs[0] += four.noise;
            for (log, cause) in logs[1..].iter_mut().zip(four.means(best)) {
                *log += best + libm::log(0.25 * noise + 0.75 * cause);
            }
        }
        logs
    }

    /// The same where every case lost equally: the mean over losses comes after the product over cases.
    fn suite_wide(&self, cases: &[Chosen]) -> [f64; 4] {
        let mut sum = Four::default();
        for case in cases {
            let lost = LOSSES.map(|loss| pass_chances().map(|p| (p - loss).max(0.0)));
            sum.add(&self.four(case, &lost));
        }
        let best = sum.noise.max(sum.most());
        let means = sum.means(best).map(|mean| best + libm::log(mean));
        [sum.noise, means[0], means[1], means[2]]
    }

    /// Logarithms of a case's likelihoods: unchanged, and for each size of a loss by cause.
    fn four(&self, case: &Chosen, lost: &[Weights]) -> Four {
        let unchanged = Arms::of(case, &pass_chances());
        let lost: Vec<Arms> = lost.iter().map(|chances| Arms::of(case, chances)).collect();
        let belief = self.beliefs.of(case.pool);
        let expect = |baseline: &Weights, current: &Weights| {
            let mut sums = *baseline;
            sums.iter_mut()
                .zip(current)
                .for_each(|(sum, log)| *sum += log);
            let best = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let mean = belief.map_or(1.0, |belief| {
                belief.expect(&sums.map(|sum| libm::exp(sum - best)))
            });
            best + libm::log(mean)
        };
        let mut four = Four {
            noise: expect(&unchanged.baseline, &unchanged.current),
            ..Four::default()
        };
        for (place, one) in lost.iter().enumerate() {
            four.description
                .push(expect(&unchanged.baseline, &one.current));
            four.model.push(expect(&one.baseline, &one.current));
            // Both: descriptions took more than the model did.
            for other in &lost[place + 1..] {
                four.both.push(expect(&one.baseline, &other.current));
            }
        }
        four
    }
}

/// Logarithms of the plain binomial likelihoods of both arms.
struct Arms {
    baseline: Weights,
    current: Weights,
}

impl Arms {
    fn of(case: &Chosen, chances: &Weights) -> Self {
        Self {
            baseline: chances.map(|p| log_likelihood(case.baseline, p, 0.0)),
            current: chances.map(|p| log_likelihood(case.current, p, 0.0)),
        }
    }
}

/// Logarithms of likelihoods by cause, one for each size of a loss.
#[derive(Default)]
struct Four {
    noise: f64,
    description: Vec<f64>,
    model: Vec<f64>,
    both: Vec<f64>,
}

impl Four {
    fn add(&mut self, other: &Self) {
        self.noise += other.noise;
        for (sums, logs) in [
            (&mut self.description, &other.description),
            (&mut self.model, &other.model),
            (&mut self.both, &other.both),
        ] {
            sums.resize(logs.len(), 0.0);
            sums.iter_mut().zip(logs).for_each(|(sum, log)| *sum += log);
        }
    }

    fn most(&self) -> f64 {
        let all = [&self.description, &self.model, &self.both];
        all.into_iter()
            .flatten()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max)
    }

    /// The mean likelihood of description, model and both, with `best` brought to 1.
    fn means(&self, best: f64) -> [f64; 3] {
        [&self.description, &self.model, &self.both].map(|logs| {
            let sum: f64 = logs.iter().map(|log| libm::exp(log - best)).sum();
            sum / amount(logs.len())
        })
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
