//! For the log of an Actions job: annotations as workflow commands, then the text.

use super::{ScanReport, message, text, worst_first};
use crate::{Match, Severity};
use std::fmt::Write as _;
use verdict_report::{Style, number, safe};

/// Annotations of one kind that the runner keeps of a step; it drops the rest without a word.
const MOST: usize = 10;

pub(super) fn render(report: &ScanReport, style: &Style) -> String {
    let mut out = String::new();
    let all = worst_first(report);
    for (severity, command) in [
        (Severity::Error, "error"),
        (Severity::Warning, "warning"),
        (Severity::Info, "notice"),
    ] {
        let members: Vec<_> = all
            .iter()
            .filter(|(_, found)| found.severity == severity)
            .collect();
        for (index, (path, found)) in members.iter().take(MOST).enumerate() {
            let left = if index + 1 == MOST {
                members.len() - MOST
            } else {
                0
            };
            annotation(&mut out, command, path, found, left);
        }
    }
    let plain = Style {
        colour: false,
        ..*style
    };
    for line in text::render(report, &plain).lines() {
        out.push_str(&safe::marked_line(line));
    }
    out
}

fn annotation(out: &mut String, command: &str, path: &str, found: &Match, left: usize) {
    let more = match left {
        0 => String::new(),
        left => format!("\n{} more of these: see the log", number(left)),
    };
    let _ = writeln!(
        out,
        "::{command} title={},file={},line={},col={},endColumn={}::{}",
        safe::workflow_property(&format!("{}: {}", found.severity.word(), found.pattern.id)),
        safe::workflow_property(path),
        found.line,
        found.column,
        found.column + found.width.max(1),
        safe::workflow_data(&format!("{}{more}", message(found))),
    );
}
