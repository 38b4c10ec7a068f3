//! Tails and quantiles of the normal and of Student's distribution.

use std::f64::consts::{FRAC_PI_2, PI, SQRT_2};

/// The quantile 0.975 of the normal distribution.
pub(super) const NORMAL_975: f64 = 1.959_964;

/// P(Z > z) of the normal distribution.
pub(super) fn normal_above(z: f64) -> f64 {
    0.5 * libm::erfc(z / SQRT_2)
}

/// The quantile 0.975 of Student's distribution with `freedom` degrees of freedom, at least 1.
pub(super) fn quantile_975(freedom: u32) -> f64 {
    let freedom = freedom.max(1);
    if freedom > 400 {
        return expanded(f64::from(freedom));
    }
    // The chance within (-t, t) grows with the angle atan(t / sqrt(freedom)): halve the interval until it is a point.
    let (mut low, mut high) = (0.0, FRAC_PI_2);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if within(middle, freedom) < 0.95 {
            low = middle;
        } else {
            high = middle;
        }
    }
    libm::tan(low) * f64::from(freedom).sqrt()
}

/// P(|T| < sqrt(freedom) tan(angle)), a finite sum for whole degrees of freedom.
fn within(angle: f64, freedom: u32) -> f64 {
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    let odd = freedom % 2 == 1;
    let mut term = if odd { sine * cosine } else { sine };
    let mut sum = 0.0;
    let mut power = if odd { 3 } else { 2 };
    while power <= freedom {
        sum += term;
        term *= cosine * cosine * f64::from(power - 1) / f64::from(power);
        power += 2;
    }
    if odd { (angle + sum) * 2.0 / PI } else { sum }
}

/// The normal quantile with its first three corrections, for many degrees of freedom.
fn expanded(freedom: f64) -> f64 {
    let z = 1.959_963_984_540_054;
    let square: f64 = z * z;
    let first = (square + 1.0) / 4.0;
    let second = (5.0 * square * square + 16.0 * square + 3.0) / 96.0;
    let third = (3.0 * square.powi(3) + 19.0 * square.powi(2) + 17.0 * square - 15.0) / 384.0;
    z * (1.0 + (first + (second + third / freedom) / freedom) / freedom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, expected) in [
            (1, 12.706_205),
            (2, 4.302_653),
            (3, 3.182_446),
            (9, 2.262_157),
            (24, 2.063_899),
            (100, 1.983_972),
        ] {
            let quantile = quantile_975(freedom);
            assert!((quantile - expected).abs() < 1e-5, "{freedom}: {quantile}");
        }
    }

    #[test]
    fn the_expansion_meets_the_sum() {
        assert!((quantile_975(400) - expanded(400.0)).abs() < 1e-9);
    }

    #[test]
    fn tails_of_the_normal_distribution() {
        assert!((normal_above(NORMAL_975) - 0.025).abs() < 1e-6);
        assert!((normal_above(0.0) - 0.5).abs() < 1e-12);
    }
}
