//! Intervals of rates (gate design, section 7).

/// Two-sided 95 % of the normal distribution.
const Z: f64 = 1.959_964;

/// Wilson's interval of `passes` out of `runs`, both of which may be fractions; nothing where there is no run.
pub(super) fn wilson(passes: f64, runs: f64) -> Option<[f64; 2]> {
    if runs <= 0.0 {
        return None;
    }
    let share = passes / runs;
    let (square, scale) = (Z * Z, 1.0 + Z * Z / runs);
    let centre = (share + square / (2.0 * runs)) / scale;
    let inner = share * (1.0 - share) / runs + square / (4.0 * runs * runs);
    let half = Z * inner.max(0.0).sqrt() / scale;
    Some([(centre - half).max(0.0), (centre + half).min(1.0)])
}

/// What the same cases would score on another night: passes and runs of each case, cases without runs left out.
pub(super) fn suite_again(cases: &[(u64, u64)]) -> Option<[f64; 2]> {
    let cases: Vec<(f64, f64)> = cases
        .iter()
        .filter(|(_, runs)| *runs > 0)
        .map(|(passes, runs)| (float(*passes), float(*runs)))
        .collect();
    let count = float(u64::try_from(cases.len()).unwrap_or(u64::MAX));
    let total: f64 = cases.iter().map(|(_, runs)| runs).sum();
    let mean = cases
        .iter()
        .map(|(passes, runs)| passes / runs)
        .sum::<f64>()
        / count;
    let spread: f64 = cases
        .iter()
        .filter(|(_, runs)| *runs > 1.0)
        .map(|(passes, runs)| {
            let share = passes / runs;
            share * (1.0 - share) / (runs - 1.0)
        })
        .sum();
    let variance = spread / (count * count);
    let worth = if variance > 0.0 {
        (mean * (1.0 - mean) / variance).clamp(total, 4.0 * total)
    } else {
        total
    };
    wilson(mean * worth, worth)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of runs stay far below 2^52"
)]
fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::{suite_again, wilson};

    fn near(found: Option<[f64; 2]>, want: [f64; 2]) {
        let found = found.unwrap();
        for (one, two) in found.iter().zip(want) {
            assert!((one - two).abs() < 1e-6, "{found:?} is not {want:?}");
        }
    }

    #[test]
    fn the_vectors_of_the_gate_design_come_out() {
        near(wilson(5.0, 5.0), [0.565_518, 1.0]);
        near(wilson(4.0, 5.0), [0.375_535, 0.963_776]);
        near(wilson(3.0, 5.0), [0.230_724, 0.882_379]);
        near(wilson(0.0, 5.0), [0.0, 0.434_482]);
        near(wilson(9.0, 10.0), [0.595_850, 0.982_124]);
        near(wilson(50.0, 50.0), [0.928_652, 1.0]);
        let suite = |passes: &[u64]| {
            let cases: Vec<_> = passes.iter().map(|passes| (*passes, 5)).collect();
            suite_again(&cases)
        };
        near(
            suite(&[5, 5, 5, 5, 5, 5, 4, 4, 3, 0]),
            [0.735_842, 0.881_658],
        );
        near(suite(&[5; 10]), [0.928_652, 1.0]);
        near(
            suite(&[5, 5, 5, 5, 5, 5, 5, 5, 5, 4]),
            [0.895_046, 0.996_461],
        );
        assert_eq!(suite(&[]), None);
        assert_eq!(wilson(0.0, 0.0), None);
    }
}
