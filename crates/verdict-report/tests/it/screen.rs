//! A run with models on a terminal of 80 by 40.

use crate::support::behavior::with_behavior;
use verdict_model::Report;
use verdict_report::{Format, Style, Verbosity, render};

fn shown(report: &Report, width: usize, verbosity: Verbosity) -> String {
    let style = Style {
        colour: false,
        width,
        verbosity,
    };
    render(report, Format::Text, &style)
}

#[test]
fn thirty_cases_fit_on_a_screen() {
    for models in 1..=4 {
        let out = shown(&with_behavior(30, models, 5), 80, Verbosity::Normal);
        assert!(out.lines().count() <= 39, "{}\n{out}", out.lines().count());
        for line in out.lines() {
            assert!(line.chars().count() <= 80, "{line}\n{out}");
        }
        for part in [
            "FAIL   acme-invoices breaks 3 rules",
            "fail   cache.hints-tools-list: 1 of 1",
            "large-1",
            "92.0 %",
            "red    case-of-acme-3 on large-1: 0 of 5 runs passed",
            "Mend: Description: `get_invoice` was taken",
            "-v tells everything",
        ] {
            assert!(out.contains(part), "{part}\n{out}");
        }
    }
}

#[test]
fn a_flood_fits_too_and_verbose_has_all() {
    let report = with_behavior(2_000, 4, 5);
    let out = shown(&report, 80, Verbosity::Normal);
    assert!(out.lines().count() <= 39, "{out}");
    let all = shown(&report, 80, Verbosity::Verbose);
    assert!(all.contains("case-of-acme-1999") && all.lines().count() > 2_000);
}
