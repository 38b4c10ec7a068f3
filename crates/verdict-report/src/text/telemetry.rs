//! Layer 3 for a terminal: two small tables.

use super::{GUTTER, finding::clean};
use crate::behavior::model_names;
use crate::layout::{Page, Tone, columns};
use crate::telemetry::{COLUMNS, LEGEND, of_model, of_tool, telemetry, tools};
use crate::{Style, Verbosity};
use verdict_model::Report;

/// Tools that are shown unless everything is wanted.
const MOST: usize = 5;

pub(super) fn render(page: &mut Page, report: &Report, style: &Style) {
    if style.verbosity == Verbosity::Verbose {
        brief(page, report, usize::MAX);
        if telemetry(report).is_some() {
            page.item(GUTTER, &[], (Tone::Dim, LEGEND));
        }
    } else {
        brief(page, report, MOST);
    }
}

/// The models, and the `most` tools that were called most; nothing where none is to be shown.
pub(super) fn brief(page: &mut Page, report: &Report, most: usize) {
    let Some(telemetry) = telemetry(report).filter(|_| most > 0) else {
        return;
    };
    let names = crate::behavior::behavior(report)
        .map(|layer| model_names(&layer.models))
        .unwrap_or_default();
    let mut rows: Vec<_> = telemetry
        .models
        .iter()
        .enumerate()
        .take(most)
        .map(|(place, model)| {
            let name = names.get(place).unwrap_or(&model.id);
            (clean(name, 40), of_model(model))
        })
        .collect();
    let all = tools(telemetry);
    let called = all
        .iter()
        .filter(|tool| tool.calls > 0 || most == usize::MAX);
    rows.extend(
        called
            .take(most)
            .map(|tool| (clean(&tool.name, 28), of_tool(tool))),
    );
    page.gap();
    table(page, &rows);
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
    page.short((Tone::Bold, &label("took")), &head);
    for (name, cells) in rows {
        let text = line(name, &mut cells.iter().map(String::as_str));
        page.short((Tone::Plain, &label("")), &text);
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
