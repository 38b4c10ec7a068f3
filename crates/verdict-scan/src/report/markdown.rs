//! The scan as GitHub Markdown, for job summaries and comments.

use super::{Outcome, ScanReport, worst_first};
use std::fmt::Write as _;
use verdict_report::{number, safe};

/// Most rows of the table: a page must stay far below the megabyte that GitHub takes.
const ROWS: usize = 200;

pub(super) fn render(report: &ScanReport) -> String {
    let word = match report.outcome() {
        Outcome::Pass => "PASS",
        Outcome::Fail => "FAIL",
        Outcome::None => "NO VERDICT",
    };
    let mut out = format!("## {word}: {}\n", report.summary());
    let all = worst_first(report);
    if !all.is_empty() {
        out.push_str("\n| place | severity | what | until 2025-11-25 | since 2026-07-28 |\n|---|---|---|---|---|\n");
    }
    for (path, found) in all.iter().take(ROWS) {
        let pattern = found.pattern;
        let _ = writeln!(
            out,
            "| {} | {} | [{}]({}): {} | {} | {} |",
            cell(&safe::markdown_code(&format!(
                "{path}:{}:{}",
                found.line, found.column
            ))),
            found.severity.word(),
            pattern.id,
            pattern.spec_url(),
            cell(&safe::markdown_inline(pattern.finds)),
            cell(&safe::markdown_inline(pattern.old)),
            cell(&safe::markdown_inline(pattern.new)),
        );
    }
    if all.len() > ROWS {
        let _ = writeln!(
            out,
            "\n{} more are in the JSON and SARIF files.",
            number(all.len() - ROWS)
        );
    }
    let left_out = report.left_out();
    if !left_out.is_empty() {
        let _ = writeln!(out, "\nNot looked at: {left_out}.");
    }
    out
}

/// Text for a cell: a bar would end it, even within code.
fn cell(text: &str) -> String {
    text.replace("\\|", "|").replace('|', "\\|")
}
