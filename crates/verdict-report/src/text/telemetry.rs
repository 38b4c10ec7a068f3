//! Layer 3 for a terminal: two small tables.

use super::{GUTTER, finding::clean};
use crate::layout::{Page, Tone, columns};
use crate::telemetry::{COLUMNS, LEGEND, of_model, of_tool, telemetry, tools};
use crate::{Style, Verbosity, words};
use verdict_model::Report;

/// Tools that are shown unless everything is wanted.
const MOST: usize = 5;

pub(super) fn render(page: &mut Page, report: &Report, style: &Style) {
    let Some(telemetry) = telemetry(report) else {
        return;
    };
    let everything = style.verbosity == Verbosity::Verbose;
    let most = if everything { usize::MAX } else { MOST };
    let models = telemetry
        .models
        .iter()
        .map(|model| (clean(&model.id, 28), of_model(model)));
    let all = tools(telemetry);
    let called = all.iter().filter(|tool| everything || tool.calls > 0);
    let shown = called
        .take(most)
        .map(|tool| (clean(&tool.name, 28), of_tool(tool)));
    page.gap();
    table(page, &models.chain(shown).collect::<Vec<_>>());
    let called = all.iter().filter(|tool| tool.calls > 0).count();
    if called > most {
        let more = words::number(called - most);
        let text = format!("{more} more tools; -v shows them all");
        page.item(GUTTER, &[], (Tone::Dim, &text));
    }
    if everything {
        page.item(GUTTER, &[], (Tone::Dim, LEGEND));
    }
}

fn table(page: &mut Page, rows: &[(String, [String; 7])]) {
    let first = rows
        .iter()
        .map(|(name, _)| columns(name))
        .max()
        .unwrap_or(0);
    let widths: Vec<usize> = COLUMNS
        .iter()
        .enumerate()
        .map(|(place, name)| {
            let cells = rows.iter().filter_map(|(_, cells)| cells.get(place));
            let widest = cells.map(|cell| columns(cell)).max().unwrap_or(0);
            widest.max(columns(short(name)))
        })
        .collect();
    let line = |name: &str, cells: &mut dyn Iterator<Item = &str>| {
        let mut line = format!("{name}{}", " ".repeat(first.saturating_sub(columns(name))));
        for (cell, width) in cells.zip(&widths) {
            let gap = " ".repeat(width.saturating_sub(columns(cell)) + 2);
            line = format!("{line}{gap}{cell}");
        }
        line.trim_end().to_owned()
    };
    let head = line("", &mut COLUMNS.iter().map(|name| short(name)));
    let label = |text: &str| format!("{text:<GUTTER$}");
    page.line(&[(Tone::Bold, &label("took")), (Tone::Dim, &head)]);
    for (name, cells) in rows {
        let text = line(name, &mut cells.iter().map(String::as_str));
        page.line(&[(Tone::Plain, &label("")), (Tone::Plain, &text)]);
    }
}

/// The head of a column where there is little room.
fn short(name: &str) -> &str {
    match name {
        "tokens in" => "in",
        "in every prompt" => "prompt",
        other => other,
    }
}
