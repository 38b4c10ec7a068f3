//! How well each cause explains the runs of both arms.

use super::{Chosen, Experiment};
use crate::gate::belief::{Weights, pass_chances};
use crate::gate::counts::amount;
use crate::gate::evidence::log_likelihood;

/// Shares of its passes that a suspected case may have lost.
const SHARES: [f64; 4] = [0.15, 0.3, 0.6, 0.9];
/// What every case of the suite may have lost.
const LOSSES: [f64; 3] = [0.05, 0.10, 0.20];
impl Experiment {
    /// Logarithms of the four likelihoods; each case may have lost another share, or nothing.
    pub(super) fn concentrated(&self, cases: &[Chosen]) -> [f64; 4] {
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
    pub(super) fn suite_wide(&self, cases: &[Chosen]) -> [f64; 4] {
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
