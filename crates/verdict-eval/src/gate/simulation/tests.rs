//! A short simulation with a fixed seed: a rule that never fails would pass the first row alone.

use super::*;

const NIGHTS: u32 = 2_000;

/// Within three standard errors of both simulations and half a percent.
fn near(what: &str, found: f64, reference: f64, reference_nights: f64) {
    let spread = reference * (1.0 - reference) * (1.0 / f64::from(NIGHTS) + 1.0 / reference_nights);
    let tolerance = 3.0 * spread.sqrt() + 0.005;
    assert!(
        (found - reference).abs() <= tolerance,
        "{what}: {found} against {reference}"
    );
}

fn check(change: Change, failed: f64, warned: f64, calls: f64, reference_nights: f64) {
    let setting = Setting::standard(Rule::default());
    let tally = nights(&setting, change, 20_261_130, 0, NIGHTS);
    near(
        "failed",
        tally.share(tally.failed),
        failed,
        reference_nights,
    );
    near(
        "warned",
        tally.share(tally.warned),
        warned,
        reference_nights,
    );
    let ratio = tally.mean_calls() / calls;
    assert!((ratio - 1.0).abs() <= 0.03, "{} calls", tally.mean_calls());
}

#[test]
fn nothing_changed() {
    check(Change::Nothing, 0.0045, 0.0085, 135.7, 100_000.0);
}

#[test]
fn one_case_broken() {
    check(Change::First(0.4), 0.9487, 0.0014, 140.9, 20_000.0);
}

#[test]
fn every_case_a_little_worse() {
    check(Change::All(-0.05), 0.8819, 0.0294, 162.5, 20_000.0);
}
