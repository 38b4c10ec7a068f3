//! A run with models on a terminal of 80 by 40.

use crate::support::behavior::{with_behavior, with_gate};
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

#[test]
fn the_cause_of_what_got_worse_is_whole() {
    let mut report = with_gate();
    let gate = report.gate.as_mut().unwrap();
    let was = "Finds invoices by customer, status and day. ".repeat(4);
    let now = "Looks for things. ".repeat(6);
    let detail =
        format!("search_invoices: the description was “{was}” and is “{now}the last word”");
    gate.regressions[0].cause_detail = Some(detail);
    let others = vec![gate.regressions[1].clone(); 5];
    gate.regressions.extend(others);
    let out = shown(&report, 80, Verbosity::Normal);
    assert!(out.lines().count() <= 39, "{out}");
    assert!(out.contains("the last word”"), "{out}");
    let page = render(&report, Format::Html, &Style::default());
    let first = page.split("What to do first</h2>").nth(1).unwrap();
    let first = first.split("</section>").next().unwrap();
    assert!(first.contains("the last word”"), "{first}");
    // Without a baseline nothing can have got worse.
    report.gate.as_mut().unwrap().baseline = None;
    let out = shown(&report, 120, Verbosity::Normal);
    assert!(
        out.contains("fail: a case misses its own target, without a baseline"),
        "{out}"
    );
}
