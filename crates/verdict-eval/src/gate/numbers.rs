//! The rates, intervals and drops that are printed. None of them gates, but in the plain rule.

use super::counts::{Counts, amount};
use super::student::{NORMAL_975, normal_above, quantile_975};

/// A 95 % interval is made with this many standard deviations.
pub const Z: f64 = NORMAL_975;

/// A rate with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rated {
    /// The rate: the mean over cases at run level.
    pub rate: f64,
    /// From, to.
    pub interval: [f64; 2],
}

/// The Wilson interval of `passes` of `runs` at `z` standard deviations. Fractions of a pass are taken as they are;
/// without a run the interval is everything.
pub fn wilson(passes: f64, runs: f64, z: f64) -> [f64; 2] {
    if runs <= 0.0 {
        return [0.0, 1.0];
    }
    let rate = (passes / runs).clamp(0.0, 1.0);
    let squared = z * z;
    let scale = 1.0 + squared / runs;
    let centre = (rate + squared / (2.0 * runs)) / scale;
    let spread = rate * (1.0 - rate) / runs + squared / (4.0 * runs * runs);
    let half = z * spread.sqrt() / scale;
    // At the ends the formula gives 0 and 1 but for the last bit.
    let low = if rate <= 0.0 { 0.0 } else { centre - half };
    let high = if rate >= 1.0 { 1.0 } else { centre + half };
    [low.max(0.0), high.min(1.0)]
}

/// The 95 % Wilson interval of one case.
pub fn of_case(counts: Counts) -> [f64; 2] {
    wilson(f64::from(counts.passes), f64::from(counts.runs), Z)
}

/// "This suite again": what the same cases would score on another night. Cases without a run are left out; `None`
/// where none has one.
pub fn suite_again(counts: &[Counts]) -> Option<Rated> {
    let suite = Suite::of(counts)?;
    let mut variance = 0.0;
    for case in suite.cases.iter().filter(|case| case.runs > 1) {
        let rate = case.rate();
        variance += rate * (1.0 - rate) / (f64::from(case.runs) - 1.0);
    }
    variance /= suite.number() * suite.number();
    Some(suite.rated(variance, suite.runs, 4.0 * suite.runs, Z))
}

/// "Prompts like these": what other cases of the same kind would score. Never gates. `None` with fewer than two cases.
pub fn prompts_like_these(counts: &[Counts]) -> Option<Rated> {
    let suite = Suite::of(counts)?;
    if suite.cases.len() < 2 {
        return None;
    }
    let squares = suite.cases.iter().map(|case| {
        let away = case.rate() - suite.mean;
        away * away
    });
    let variance = squares.sum::<f64>() / (suite.number() - 1.0) / suite.number();
    let freedom = u32::try_from(suite.cases.len() - 1).unwrap_or(u32::MAX);
    Some(suite.rated(variance, 1.0, suite.runs, quantile_975(freedom)))
}

/// The cases of a suite that have a run.
struct Suite {
    cases: Vec<Counts>,
    mean: f64,
    runs: f64,
}

impl Suite {
    fn of(counts: &[Counts]) -> Option<Self> {
        let mut cases: Vec<Counts> = counts
            .iter()
            .copied()
            .filter(|case| case.runs > 0)
            .collect();
        if cases.is_empty() {
            return None;
        }
        // So that the order of the cases does not show in the last bit.
        cases.sort_unstable();
        let mean = cases.iter().map(|case| case.rate()).sum::<f64>() / amount(cases.len());
        let runs = cases.iter().map(|case| f64::from(case.runs)).sum();
        Some(Self { cases, mean, runs })
    }

    fn number(&self) -> f64 {
        amount(self.cases.len())
    }

    /// Wilson with as many independent runs as the variance speaks for, within bounds; all runs without variance.
    fn rated(&self, variance: f64, least: f64, most: f64, z: f64) -> Rated {
        let independent = if variance > 0.0 {
            (self.mean * (1.0 - self.mean) / variance).clamp(least.min(most), most)
        } else {
            self.runs
        };
        Rated {
            rate: self.mean,
            interval: wilson(self.mean * independent, independent, z),
        }
    }
}

/// A case of both the pool and tonight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paired {
    /// Its pool.
    pub pool: Counts,
    /// Its first pass of tonight.
    pub tonight: Counts,
    /// Mean pass probability that the pool believes in.
    pub believed: f64,
}

/// How much lower the score is than the pools', over common cases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drop {
    /// The mean loss of a case; negative for a gain.
    pub drop: f64,
    /// What a drop is within in 95 of 100 sessions with nothing changed.
    pub noise: f64,
    /// Cases of both.
    pub common: usize,
}

impl Drop {
    /// The smallest true drop that the first pass alone shows as more than noise in 8 of 10 sessions.
    pub fn smallest_visible(&self) -> f64 {
        // 0.841621 is the quantile 0.8 of the normal distribution.
        self.noise * (1.0 + 0.841_621 / Z)
    }

    /// The chance that the true drop is above `size`, from the measured drop and its noise alone.
    pub fn chance_above(&self, size: f64) -> f64 {
        let deviation = self.noise / Z;
        if deviation > 0.0 {
            normal_above((size - self.drop) / deviation)
        } else {
            f64::from(u8::from(self.drop > size))
        }
    }
}

/// The drop against the pool; cases without a run on either side are left out, `None` where none is left.
pub fn drop_against_pool(cases: &[Paired]) -> Option<Drop> {
    let mut common: Vec<&Paired> = cases
        .iter()
        .filter(|case| case.pool.runs > 0 && case.tonight.runs > 0)
        .collect();
    if common.is_empty() {
        return None;
    }
    common.sort_by_key(|case| (case.pool, case.tonight));
    let number = amount(common.len());
    let (mut drop, mut variance) = (0.0, 0.0);
    for case in &common {
        drop += case.pool.rate() - case.tonight.rate();
        let believed = case.believed;
        let runs = 1.0 / f64::from(case.tonight.runs) + 1.0 / f64::from(case.pool.runs);
        variance += believed * (1.0 - believed) * runs;
    }
    Some(Drop {
        drop: drop / number,
        noise: 1.96 * variance.sqrt() / number,
        common: common.len(),
    })
}

/// pass^k: the chance that `k` runs of a case all pass, as a mean over the cases with at least `k` runs. `None` where
/// there is no such case, or `k` is 0.
pub fn pass_all(counts: &[Counts], k: u32) -> Option<f64> {
    let mut cases: Vec<Counts> = counts
        .iter()
        .copied()
        .filter(|case| case.runs >= k)
        .collect();
    if cases.is_empty() || k == 0 {
        return None;
    }
    cases.sort_unstable();
    let chance = |case: &Counts| -> f64 {
        let ways = (0..k).map(|taken| {
            f64::from(case.passes.saturating_sub(taken)) / f64::from(case.runs - taken)
        });
        ways.product()
    };
    Some(cases.iter().map(chance).sum::<f64>() / amount(cases.len()))
}

/// How often the plain rule fails an unchanged suite against one earlier run, from the mean pass probabilities that
/// the pools believe in, with `runs` runs of every case.
pub fn literal_false_alarms(believed: &[f64], runs: u32, max_drop: f64) -> f64 {
    let number = amount(believed.len());
    let total = number * f64::from(runs);
    if total <= 0.0 {
        return 0.0;
    }
    let variance = believed.iter().map(|mean| mean * (1.0 - mean)).sum::<f64>()
        / (f64::from(runs) * number * number);
    if variance <= 0.0 {
        return 0.0;
    }
    // The smallest drop above the bar is half a run beyond the last one that is not.
    let bar = ((max_drop * total + 1e-9).floor() + 0.5) / total;
    normal_above(bar / (2.0 * variance).sqrt())
}

/// How many independent runs some runs of one night are worth.
pub fn independent_runs(runs: u32, rho: f64) -> f64 {
    let runs = f64::from(runs);
    if runs <= 1.0 {
        return runs;
    }
    runs / (1.0 + (runs - 1.0) * rho.clamp(0.0, 1.0))
}
