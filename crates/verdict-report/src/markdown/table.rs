//! What is wrong, one row each: where to look first.

use super::{NOTE, Sheet, badge, inline};
use crate::findings::{further, is_problem, location, spec_link};
use crate::safe::{markdown_code, truncate_bytes};
use crate::words;
use std::fmt::Write as _;
use verdict_model::Outcome;
use verdict_model::report::CheckResult;

const HEAD: &str = "| | check | what happened | how to mend it |\n|---|---|---|---|\n";

/// The table of all problems, worst first; it takes half of the page at most and says what it leaves out.
pub(super) fn table(page: &mut Sheet, ordered: &[&CheckResult]) {
    let problems: Vec<_> = ordered.iter().filter(|check| is_problem(check)).collect();
    if problems.is_empty() {
        return;
    }
    let room = page.max / 2;
    let mut out = format!("### What is wrong\n\n{HEAD}");
    let mut shown = 0;
    for check in &problems {
        let row = row(check);
        if page.used() + out.len() + row.len() + NOTE > room {
            break;
        }
        out.push_str(&row);
        shown += 1;
    }
    if shown > 0 {
        page.push(&out, NOTE);
    }
    if let left @ [_, ..] = &problems[shown..] {
        page.push(&left_out(left, "rows"), 0);
    }
}

fn row(check: &CheckResult) -> String {
    let mut out = format!("| {} | ", badge(check.outcome));
    // An id that is code and nothing else may stand inside a link.
    let id = markdown_code(&truncate_bytes(&check.id, 120));
    match spec_link(check) {
        Some(url) if id.starts_with('`') && !id.contains(['[', ']']) => {
            let _ = write!(out, "[{id}]({url})");
        }
        _ => out.push_str(&id),
    }
    if check.waived.is_some() {
        out.push_str(" (waived)");
    } else if check.new {
        out.push_str(" (new)");
    }
    if let Some(place) = location(check) {
        let place = format!("{}:{}", place.path, place.line);
        let _ = write!(out, " at {}", markdown_code(&truncate_bytes(&place, 200)));
    }
    let _ = writeln!(
        out,
        " | {} | {} |",
        happened(check),
        inline(&check.fix, 300)
    );
    out
}

fn happened(check: &CheckResult) -> String {
    let mut parts = vec![inline(&check.message, 300)];
    if let Some(item) = check.evidence.first() {
        let subject = item.subject.as_deref();
        let subject = subject.map(|subject| markdown_code(&truncate_bytes(subject, 120)));
        match subject {
            Some(subject) if item.message == check.message => {
                parts.insert(0, format!("{subject}:"));
            }
            Some(subject) => parts.push(format!("{subject}: {}", inline(&item.message, 200))),
            None if item.message == check.message => {}
            None => parts.push(inline(&item.message, 200)),
        }
        match further(check, 1) {
            0 => {}
            more => parts.push(format!("(and {} more like it)", words::number(more))),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

/// `**7 more rows** did not fit here (5 fail, 2 warn); …`
pub(super) fn left_out(left: &[&&CheckResult], what: &str) -> String {
    let parts: Vec<_> = Outcome::WORST_FIRST
        .into_iter()
        .map(|outcome| {
            let some = |check: &&&&CheckResult| check.outcome == outcome;
            (outcome, left.iter().filter(some).count())
        })
        .filter(|(_, n)| *n > 0)
        .map(|(outcome, n)| format!("{} {}", words::number(n), outcome.word()))
        .collect();
    let more = words::number(left.len());
    format!(
        "**{more} more {what}** did not fit here ({}); the JSON report has all.\n",
        parts.join(", ")
    )
}
