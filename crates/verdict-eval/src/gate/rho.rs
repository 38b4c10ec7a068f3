//! How alike the runs of one night are.
//!
//! At temperature 0 five runs of a case are close to one run five times. How close is estimated from how much more
//! the nights differ than chance would have it.

use super::counts::{Counts, amount};
use super::numbers::independent_runs;

/// The correlation that is assumed without history.
pub const ASSUMED: f64 = 0.02;
/// Sessions without which nothing is estimated.
pub const SESSIONS: usize = 20;
/// Above this estimate the assumption is not good enough, and that is said.
pub const WARN_ABOVE: f64 = 0.075;
/// The values that an estimate is rounded up to.
const STEPS: [f64; 4] = [ASSUMED, 0.05, 0.10, 0.20];

/// The correlation of one night's runs of a case, from the first passes of many nights: one list a case, one count a
/// night. From 0 to 0.5; nights without a run are left out.
pub fn rho_hat(cases: &[Vec<Counts>]) -> f64 {
    let (mut spread, mut chance, mut runs, mut nights) = (0.0, 0.0, 0.0, 0.0);
    for case in cases {
        let case: Vec<Counts> = case
            .iter()
            .copied()
            .filter(|night| night.runs > 0)
            .collect();
        let number = amount(case.len());
        let total = case
            .iter()
            .fold(Counts::default(), |sum, night| sum.plus(*night));
        runs += f64::from(total.runs);
        nights += number;
        if case.len() < 2 {
            continue;
        }
        let rate = total.rate();
        let squares = case.iter().map(|night| {
            let away = f64::from(night.passes) - f64::from(night.runs) * rate;
            away * away
        });
        spread += squares.sum::<f64>() * number / (number - 1.0);
        let all = f64::from(total.runs);
        if total.runs > 1 {
            chance += all * rate * (1.0 - rate) / (1.0 - 1.0 / all);
        }
    }
    let each = if nights > 0.0 { runs / nights } else { 0.0 };
    if chance <= 0.0 || each <= 1.0 {
        return 0.0;
    }
    ((spread / chance - 1.0) / (each - 1.0)).clamp(0.0, 0.5)
}

/// What an estimate is rounded up to; above the last step it stays there.
pub fn step_at_or_above(estimate: f64) -> f64 {
    let above = STEPS.into_iter().find(|step| *step >= estimate);
    above.unwrap_or(STEPS[STEPS.len() - 1])
}

/// The correlation to judge by, and what is said about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Correlation {
    /// To judge by.
    pub rho: f64,
    /// What the history says; `None` with fewer than [`SESSIONS`] sessions.
    pub estimate: Option<f64>,
    /// The estimate is far above what is assumed: more cases would tell more than more runs.
    pub advise_more_cases: bool,
}

impl Correlation {
    /// `rho = auto`: from the history where it is long enough, else what is assumed.
    pub fn auto(cases: &[Vec<Counts>]) -> Self {
        let sessions = cases.iter().map(Vec::len).max().unwrap_or(0);
        let estimate = (sessions >= SESSIONS).then(|| rho_hat(cases));
        Self {
            rho: estimate.map_or(ASSUMED, step_at_or_above),
            estimate,
            advise_more_cases: estimate.is_some_and(|estimate| estimate > WARN_ABOVE),
        }
    }

    /// How many independent runs some runs of one night are worth: by the estimate, or by what is assumed.
    pub fn worth(&self, runs: u32) -> f64 {
        independent_runs(runs, self.estimate.unwrap_or(self.rho))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nights(case: &[u32]) -> Vec<Counts> {
        case.iter().map(|passes| Counts::new(*passes, 5)).collect()
    }

    #[test]
    fn the_vector() {
        let cases = [
            nights(&[5, 5, 5, 5]),
            nights(&[5, 4, 5, 5]),
            nights(&[3, 5, 2, 4]),
        ];
        let estimate = rho_hat(&cases);
        assert!((estimate - 0.103_560).abs() < 1e-6, "{estimate}");
    }

    #[test]
    fn nothing_varies_so_nothing_is_estimated() {
        assert!(rho_hat(&[nights(&[5; 30])]).abs() < f64::EPSILON);
        assert!(rho_hat(&[]).abs() < f64::EPSILON);
        assert!(rho_hat(&[vec![Counts::new(1, 1), Counts::new(0, 1)]]).abs() < f64::EPSILON);
    }

    #[test]
    fn all_or_nothing_nights_are_one_run_each() {
        let case: Vec<u32> = (0..30)
            .map(|night| if night % 3 == 0 { 0 } else { 5 })
            .collect();
        let found = Correlation::auto(&[nights(&case)]);
        assert!((found.estimate.expect("thirty sessions") - 0.5).abs() < 1e-9);
        assert!(found.advise_more_cases && (found.rho - 0.20).abs() < 1e-12);
        assert!((found.worth(5) - 5.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_short_history_estimates_nothing() {
        let found = Correlation::auto(&[nights(&[5, 0, 5, 0])]);
        assert_eq!((found.rho, found.estimate), (ASSUMED, None));
        assert!(!found.advise_more_cases);
    }

    #[test]
    fn estimates_are_rounded_up() {
        for (estimate, step) in [
            (0.0, 0.02),
            (0.02, 0.02),
            (0.021, 0.05),
            (0.1, 0.1),
            (0.4, 0.2),
        ] {
            assert!((step_at_or_above(estimate) - step).abs() < 1e-12);
        }
    }
}
