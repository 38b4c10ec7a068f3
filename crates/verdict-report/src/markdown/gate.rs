//! The gate as Markdown: a table of metrics, then what got worse and why.

use super::{NOTE, Sheet, inline};
use crate::behavior::percent;
use crate::gate::{cause, figure, grounds, interval, meaning, metric, points};
use crate::words;
use std::fmt::Write as _;
use verdict_model::Report;
use verdict_model::gate::{Decision, Gate, Regression};

/// Regressions that are told.
const MOST: usize = 50;

pub(super) fn render(page: &mut Sheet, report: &Report) {
    let Some(gate) = &report.gate else {
        return;
    };
    page.push(&heading(report, gate), NOTE);
    page.push(&table(gate), NOTE);
    page.push(&regressions(gate), NOTE);
    let mut notes = String::new();
    for note in gate.notes.iter().take(20) {
        let _ = writeln!(notes, "- ℹ️ {}", inline(note, 600));
    }
    page.push(&notes, NOTE);
}

fn icon(decision: Decision) -> &'static str {
    match decision {
        Decision::Pass => "✅",
        Decision::Fail => "❌",
        Decision::Warn => "🟡",
        Decision::Learning => "🔵",
        Decision::Incomplete => "🚫",
    }
}

fn heading(report: &Report, gate: &Gate) -> String {
    let mut out = format!(
        "### Gate\n\n{} **{}**: {}\n\n",
        icon(gate.decision),
        gate.decision.word(),
        inline(&meaning(report, gate), 300)
    );
    for model in gate.models.iter().take(20) {
        let _ = writeln!(
            out,
            "- {} {}: {}",
            icon(model.decision),
            inline(&model.model, 120),
            inline(&grounds(gate, model), 600)
        );
    }
    out
}

fn cell(text: &str, most: usize) -> String {
    inline(text, most).replace('|', "\\|")
}

fn table(gate: &Gate) -> String {
    let mut rows = String::new();
    for change in gate
        .per_metric
        .iter()
        .filter(|change| change.delta.is_some())
    {
        let _ = writeln!(
            rows,
            "| {} | {} | {} | {} | {} | {} | {} |",
            cell(&change.model, 120),
            metric(change),
            percent(change.was),
            percent(change.now),
            change.delta.map_or_else(String::new, points),
            interval(change),
            change.decision.word()
        );
    }
    if rows.is_empty() {
        return rows;
    }
    format!(
        "| model | metric | was | now | delta | interval | decision |\n|---|---|--:|--:|--:|---|---|\n{rows}"
    )
}

fn regressions(gate: &Gate) -> String {
    let mut out = String::new();
    for regression in gate.regressions.iter().take(MOST) {
        out.push_str(&told(regression));
    }
    let more = gate.regressions.len().saturating_sub(MOST);
    if more > 0 {
        let _ = writeln!(
            out,
            "- {} more; the JSON report has all",
            words::number(more)
        );
    }
    out
}

fn told(regression: &Regression) -> String {
    let mut out = format!(
        "- **{}** on {}: {} → {}, {}",
        inline(&regression.case, 120),
        inline(&regression.model, 120),
        percent(regression.was),
        percent(regression.now),
        cause(regression)
    );
    if let Some(ratio) = regression.ratio {
        let _ = write!(out, " ({} : 1)", figure(ratio));
    }
    if let Some(detail) = &regression.cause_detail {
        let _ = write!(out, ": {}", inline(detail, 900));
    }
    out.push('\n');
    out
}
