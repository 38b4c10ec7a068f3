//! Layer 3 as Markdown: two small tables.

use super::{NOTE, Sheet, inline};
use crate::telemetry::{COLUMNS, LEGEND, of_model, of_tool, telemetry, tools};
use crate::words;
use std::fmt::Write as _;
use verdict_model::Report;

/// Rows of a table.
const MOST: usize = 20;

pub(super) fn render(page: &mut Sheet, report: &Report) {
    let Some(telemetry) = telemetry(report) else {
        return;
    };
    let models = telemetry
        .models
        .iter()
        .map(|model| (model.id.as_str(), of_model(model)));
    let tools = tools(telemetry);
    let rows = tools.iter().map(|tool| (tool.name.as_str(), of_tool(tool)));
    let mut out = "### Time and cost\n\n".to_owned();
    table(&mut out, "model", models);
    table(&mut out, "tool", rows.take(MOST));
    if tools.len() > MOST {
        let more = words::number(tools.len() - MOST);
        let _ = writeln!(out, "{more} more tools are in the JSON report.\n");
    }
    let _ = writeln!(out, "<sub>{LEGEND}</sub>");
    page.push(&out, NOTE);
}

fn table<'r>(out: &mut String, first: &str, rows: impl Iterator<Item = (&'r str, [String; 7])>) {
    let _ = write!(out, "| {first}");
    for name in COLUMNS {
        let _ = write!(out, " | {name}");
    }
    let _ = write!(out, " |\n|---|{}\n", "--:|".repeat(COLUMNS.len()));
    for (name, cells) in rows.take(MOST) {
        let name = inline(name, 120).replace('|', "\\|");
        let _ = writeln!(out, "| {name} | {} |", cells.join(" | "));
    }
    out.push('\n');
}
