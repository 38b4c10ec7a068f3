//! The plain rule, for those who want it: `hard` cases pass 5 of 5, `soft` ones 4 of 5, and no metric drops by more
//! than `max-drop` below the last green run. It reruns nothing, and fails an unchanged suite far more often than the
//! gate's own rule; [`super::numbers::literal_false_alarms`] says how often.

use super::counts::Counts;
use verdict_model::behavior::{Kind, Metric, Standing};
use verdict_model::gate::Decision;

/// A rounding error is no drop.
const ROUNDING: f64 = 1e-9;

/// A metric, then and now; `overTrigger` as its complement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// The metric.
    pub metric: Metric,
    /// Its rate in the last green run.
    pub was: f64,
    /// Its rate now.
    pub now: f64,
}

/// What the plain rule says.
#[derive(Debug, Clone, PartialEq)]
pub struct Literal {
    /// `Pass`, `Fail`, or `Learning` without a last green run.
    pub decision: Decision,
    /// Cases that miss their target, by their place.
    pub missed: Vec<usize>,
    /// Metrics that dropped too far.
    pub dropped: Vec<Change>,
}

/// Where a case stands by its first pass alone: `Met`, `Red` or, without a valid run, `Unknown`.
pub fn standing(kind: Kind, first: Counts) -> Standing {
    let met = match kind {
        Kind::Hard | Kind::Never => first.failures() == 0,
        // 4 of 5, also of other numbers of runs.
        Kind::Soft => u64::from(first.passes) * 5 >= u64::from(first.runs) * 4,
    };
    match (first.runs, met) {
        (0, _) => Standing::Unknown,
        (_, true) => Standing::Met,
        (_, false) => Standing::Red,
    }
}

/// What the plain rule says of the cases' first passes and of the metrics against the last green run; `None` for no
/// such run.
pub fn judge(cases: &[(Kind, Counts)], changes: Option<&[Change]>, max_drop: f64) -> Literal {
    let missed = cases
        .iter()
        .enumerate()
        .filter_map(|(place, (kind, first))| {
            (standing(*kind, *first) == Standing::Red).then_some(place)
        });
    let missed: Vec<usize> = missed.collect();
    let fell = |change: &&Change| change.was - change.now > max_drop + ROUNDING;
    let dropped: Vec<Change> = changes
        .iter()
        .copied()
        .flatten()
        .filter(fell)
        .copied()
        .collect();
    let measured = !cases.is_empty() && cases.iter().all(|(_, first)| first.runs > 0);
    let decision = if !missed.is_empty() || !dropped.is_empty() {
        Decision::Fail
    } else if !measured {
        Decision::Incomplete
    } else if changes.is_none() {
        Decision::Learning
    } else {
        Decision::Pass
    };
    Literal {
        decision,
        missed,
        dropped,
    }
}

/// How often some unchanged case misses its target by chance, from the mean pass probabilities that the pools believe in, with
/// `runs` runs of every case.
pub fn missed_by_chance(believed: &[(Kind, f64)], runs: u32) -> f64 {
    let met = |(kind, mean): &(Kind, f64)| -> f64 {
        let meets = |passes: &u32| standing(*kind, Counts::new(*passes, runs)) == Standing::Met;
        (0..=runs)
            .filter(meets)
            .map(|passes| chance(passes, runs, *mean))
            .sum()
    };
    1.0 - believed.iter().map(met).product::<f64>().min(1.0)
}

/// The binomial chance of so many passes.
fn chance(passes: u32, runs: u32, mean: f64) -> f64 {
    let ways: f64 = (0..passes)
        .map(|taken| f64::from(runs - taken) / f64::from(taken + 1))
        .product();
    let power = |base: f64, times: u32| (0..times).fold(1.0, |product, _| product * base);
    ways * power(mean, passes) * power(1.0 - mean, runs - passes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_missed_by_chance() {
        let near = |believed: &[(Kind, f64)], expected: f64| {
            let ours = missed_by_chance(believed, 5);
            assert!((ours - expected).abs() < 1e-9, "{ours}");
        };
        near(&[(Kind::Hard, 0.97)], 1.0 - 0.858_734_025_7);
        // 0.9^5 + 5 * 0.1 * 0.9^4.
        near(&[(Kind::Soft, 0.9)], 1.0 - 0.918_54);
        near(&[(Kind::Never, 1.0)], 0.0);
        near(
            &[(Kind::Hard, 0.97), (Kind::Soft, 0.9)],
            1.0 - 0.858_734_025_7 * 0.918_54,
        );
        near(&[], 0.0);
    }

    fn change(was: f64, now: f64) -> Change {
        Change {
            metric: Metric::Selection,
            was,
            now,
        }
    }

    fn decision(kind: Kind, passes: u32, changes: Option<&[Change]>) -> Decision {
        judge(&[(kind, Counts::new(passes, 5))], changes, 0.02).decision
    }

    #[test]
    fn targets_are_taken_at_their_word() {
        let still = [change(0.9, 0.9)];
        for (kind, passes, expected) in [
            (Kind::Hard, 5, Decision::Pass),
            (Kind::Hard, 4, Decision::Fail),
            (Kind::Soft, 4, Decision::Pass),
            (Kind::Soft, 3, Decision::Fail),
            (Kind::Never, 4, Decision::Fail),
        ] {
            assert_eq!(
                decision(kind, passes, Some(&still)),
                expected,
                "{kind:?} {passes}"
            );
        }
    }

    #[test]
    fn a_drop_above_the_limit_fails() {
        assert_eq!(
            decision(Kind::Hard, 5, Some(&[change(0.92, 0.90)])),
            Decision::Pass
        );
        assert_eq!(
            decision(Kind::Hard, 5, Some(&[change(0.92, 0.899)])),
            Decision::Fail
        );
    }

    #[test]
    fn no_decision_without_data() {
        assert_eq!(decision(Kind::Hard, 5, None), Decision::Learning);
        assert_eq!(judge(&[], Some(&[]), 0.02).decision, Decision::Incomplete);
        let empty = [(Kind::Hard, Counts::default())];
        assert_eq!(
            judge(&empty, Some(&[]), 0.02).decision,
            Decision::Incomplete
        );
    }
}
