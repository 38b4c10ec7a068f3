//! The gate for a terminal: what was, what is, what got worse and why.

use super::{GUTTER, finding::clean};
use crate::behavior::percent;
use crate::gate::{cause, grounds, interval, meaning, metric, points, reason};
use crate::layout::{Page, Tone};
use crate::words;
use verdict_model::Report;
use verdict_model::gate::{Decision, Gate, Regression};

/// Regressions that are told.
const MOST: usize = 20;

pub(super) fn render(page: &mut Page, report: &Report) {
    let Some(gate) = &report.gate else {
        return;
    };
    page.gap();
    let (label, text) = heading(report, gate);
    page.item(0, &[(tone(gate.decision), &label)], (Tone::Bold, &text));
    for model in &gate.models {
        page.item(GUTTER, &[], (Tone::Plain, &clean(&model.model, 120)));
        page.item(GUTTER, &[], (Tone::Dim, &clean(&grounds(gate, model), 600)));
    }
    table(page, gate);
    for regression in gate.regressions.iter().take(MOST) {
        told(page, regression);
    }
    if gate.regressions.len() > MOST {
        let more = words::number(gate.regressions.len() - MOST);
        page.item(
            GUTTER,
            &[],
            (Tone::Dim, &format!("{more} more; the JSON report has all")),
        );
    }
    for note in &gate.notes {
        page.item(
            GUTTER,
            &[(Tone::Note, "note  ")],
            (Tone::Plain, &clean(note, 600)),
        );
    }
}

/// The gate in a few lines, for a screen; the cause of the first regression with them.
pub(super) fn brief(page: &mut Page, report: &Report, most: usize) {
    let Some(gate) = &report.gate else {
        return;
    };
    page.gap();
    let (label, text) = heading(report, gate);
    page.short((tone(gate.decision), &label), &text);
    for regression in gate.regressions.iter().take(most) {
        let label = format!("{:<GUTTER$}", "worse");
        page.short((Tone::Bad, &label), &clean(&headline(regression), 300));
        page.item(
            GUTTER,
            &[(Tone::Dim, "cause     ")],
            (Tone::Plain, &clean(&reason(regression), 2_000)),
        );
    }
    match gate.regressions.len().saturating_sub(most) {
        0 => {}
        more => page.short(
            (Tone::Dim, &" ".repeat(GUTTER)),
            &format!("{} more; -v tells them all", words::number(more)),
        ),
    }
}

/// What got worse, one line each.
pub(super) fn decisive(page: &mut Page, report: &Report) {
    let gate = report
        .gate
        .as_ref()
        .filter(|gate| gate.decision == Decision::Fail);
    for regression in gate.iter().flat_map(|gate| &gate.regressions).take(MOST) {
        let label = format!("{:<GUTTER$}", "worse");
        let line = format!("{}: {}", headline(regression), cause(regression));
        page.line(&[(Tone::Bad, &label), (Tone::Plain, &clean(&line, 400))]);
    }
}

/// The label and what was decided.
fn heading(report: &Report, gate: &Gate) -> (String, String) {
    let text = format!("{}: {}", gate.decision.word(), meaning(report, gate));
    (format!("{:<GUTTER$}", "gate"), clean(&text, 300))
}

fn tone(decision: Decision) -> Tone {
    match decision {
        Decision::Pass => Tone::Good,
        Decision::Fail => Tone::Bad,
        Decision::Warn => Tone::Careful,
        Decision::Learning => Tone::Note,
        Decision::Incomplete => Tone::Broken,
    }
}

fn table(page: &mut Page, gate: &Gate) {
    for change in &gate.per_metric {
        let Some(delta) = change.delta else {
            continue;
        };
        let name = format!("{:<24}", metric(change));
        let moved = format!("{} -> {}  ", percent(change.was), percent(change.now));
        let text = format!(
            "{}, {} ({})",
            points(delta),
            change.decision.word(),
            interval(change)
        );
        page.item(
            GUTTER,
            &[(Tone::Dim, &name), (Tone::Plain, &moved)],
            (Tone::Dim, &text),
        );
    }
}

fn headline(regression: &Regression) -> String {
    format!(
        "{} on {}: {} -> {}",
        regression.case,
        regression.model,
        percent(regression.was),
        percent(regression.now)
    )
}

fn told(page: &mut Page, regression: &Regression) {
    let label = format!("{:<GUTTER$}", "worse");
    page.line(&[
        (Tone::Bad, &label),
        (Tone::Bold, &clean(&headline(regression), 300)),
    ]);
    let text = reason(regression);
    page.item(
        GUTTER,
        &[(Tone::Dim, "cause     ")],
        (Tone::Plain, &clean(&text, 2_000)),
    );
}
