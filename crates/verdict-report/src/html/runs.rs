//! A case opened: what was wanted, and what each model did in each run.

use super::matrix::Row;
use super::piece::{chip, code, counted, prose, terms, text};
use crate::behavior::{Miss, collision, flawless, metric, percent, standing, tally};
use crate::words;
use serde_json::Value;
use std::fmt::Write as _;
use verdict_model::behavior::{CallMade, Difference, ResultFrom, Run, RunOutcome, Who};

/// Different doings of one model that are told.
const DOINGS: usize = 6;
/// Calls of a run.
const CALLS: usize = 12;
/// Bytes of arguments, of a value, of words.
const ARGUMENTS: usize = 400;
const VALUE: usize = 160;
const WORDS: usize = 400;

/// What stands under a row of the matrix.
pub(super) fn opened(row: &Row<'_>, names: &[String]) -> String {
    let Some(case) = row.case() else {
        return String::new();
    };
    let place = row.cells.iter().flatten().find_map(|cell| cell.location());
    let place = place.map_or_else(String::new, |place| {
        code(&format!("{}:{}", place.path, place.line.max(1)), 300)
    });
    let mut out = "<div class=\"opened\">\n".to_owned();
    out.push_str(&terms(&[
        ("Prompt", text(&case.prompt, 600)),
        ("Expected", code(&case.expected, WORDS)),
        ("Case", place),
        ("Tags", text(&case.tags.join(", "), 200)),
    ]));
    for (name, cell) in names.iter().zip(&row.cells) {
        if let Some(cell) = cell {
            model(&mut out, name, *cell);
        }
    }
    out.push_str("</div>");
    out
}

fn model(out: &mut String, name: &str, cell: Miss<'_>) {
    let case = cell.case;
    let interval = case.interval.map_or_else(String::new, |[low, high]| {
        format!(", {:.0}–{:.0} %", low * 100.0, high * 100.0)
    });
    let _ = writeln!(
        out,
        "<section class=\"model\"><h3>{name}</h3><p class=\"dim\">{}; {} ({}{interval})</p>",
        tally(case),
        standing(case),
        percent(case.pass_rate)
    );
    if !case.advice.is_empty() && !flawless(case) {
        let _ = writeln!(out, "<p class=\"mend\">{}</p>", prose(&case.advice, 600));
    }
    for pair in case.collisions.iter().take(3) {
        let _ = writeln!(out, "<p class=\"dim\">{}</p>", text(&collision(pair), 500));
    }
    let groups = alike(&case.runs);
    for group in groups.iter().take(DOINGS) {
        doing(out, group);
    }
    if groups.len() > DOINGS {
        let more = counted((groups.len() - DOINGS) as u64, "other way");
        let _ = writeln!(out, "<p class=\"dim\">{more} in the JSON report.</p>");
    }
    out.push_str("</section>\n");
}

/// Runs that did the same, failed ones first.
fn alike(runs: &[Run]) -> Vec<Vec<&Run>> {
    let same = |one: &Run, other: &Run| {
        one.outcome == other.outcome
            && one.calls.len() == other.calls.len()
            && one
                .calls
                .iter()
                .zip(&other.calls)
                .all(|(a, b)| same_call(a, b))
            && one.differences == other.differences
            && one.fault == other.fault
            && one.judged == other.judged
    };
    let mut groups: Vec<Vec<&Run>> = Vec::new();
    for run in runs {
        let known = groups
            .iter_mut()
            .find(|group| group.first().is_some_and(|first| same(first, run)));
        match known {
            Some(group) => group.push(run),
            None => groups.push(vec![run]),
        }
    }
    groups.sort_by_key(|group| match group.first().map(|run| run.outcome) {
        Some(RunOutcome::Failed) => 0,
        Some(RunOutcome::Invalid) => 1,
        _ => 2,
    });
    groups
}

/// All but the time it took.
fn same_call(one: &CallMade, other: &CallMade) -> bool {
    (
        &one.tool,
        &one.arguments,
        one.result_from,
        one.is_error,
        one.turn,
    ) == (
        &other.tool,
        &other.arguments,
        other.result_from,
        other.is_error,
        other.turn,
    )
}

fn doing(out: &mut String, group: &[&Run]) {
    let Some(run) = group.first() else {
        return;
    };
    let (class, word) = match run.outcome {
        RunOutcome::Passed => ("pass", "passed"),
        RunOutcome::Failed => ("fail", "failed"),
        RunOutcome::Invalid => ("skip", "invalid"),
    };
    let _ = writeln!(
        out,
        "<div class=\"run\"><p>{} {}<span class=\"dim\"> {}</span></p>",
        chip(class, word),
        which(group),
        time(group)
    );
    calls(out, run);
    if let Some(fault) = &run.fault {
        let _ = writeln!(
            out,
            "<p>{}: {} <span class=\"dim\">({})</span></p>",
            who(fault.who),
            text(&fault.message, WORDS),
            text(&fault.what, 60)
        );
    }
    graded(out, run);
    if run.outcome != RunOutcome::Passed && !run.answer.is_empty() {
        let _ = writeln!(out, "<blockquote>{}</blockquote>", text(&run.answer, WORDS));
    }
    out.push_str("</div>\n");
}

/// What differed, and what the judge says.
fn graded(out: &mut String, run: &Run) {
    if !run.differences.is_empty() {
        out.push_str("<ul class=\"differences\">");
        for difference in run.differences.iter().take(8) {
            let _ = write!(out, "<li>{}</li>", differs(difference));
        }
        out.push_str("</ul>\n");
    }
    if !run.judged.is_empty() {
        out.push_str("<ul class=\"judged\">");
        for one in run.judged.iter().take(12) {
            let (class, word) = if one.met {
                ("pass", "met")
            } else {
                ("fail", "not met")
            };
            let _ = write!(
                out,
                "<li>{} {}",
                chip(class, word),
                text(&one.criterion, 300)
            );
            if !one.evidence.is_empty() {
                let _ = write!(out, " <q>{}</q>", text(&one.evidence, 300));
            }
            out.push_str("</li>");
        }
        out.push_str("</ul>\n");
    }
}

fn calls(out: &mut String, run: &Run) {
    if run.calls.is_empty() {
        if run.fault.is_none() {
            out.push_str("<p class=\"dim\">No call.</p>\n");
        }
        return;
    }
    out.push_str("<ol class=\"calls\">");
    for call in run.calls.iter().take(CALLS) {
        let _ = write!(
            out,
            "<li>{}{}</li>",
            code(&crate::behavior::one_call(call), ARGUMENTS),
            source(call)
        );
    }
    out.push_str("</ol>\n");
    if run.calls.len() > CALLS {
        let more = counted((run.calls.len() - CALLS) as u64, "more call");
        let _ = writeln!(out, "<p class=\"dim\">{more}.</p>");
    }
}

/// Where the result of a call came from, and whether it failed.
fn source(call: &CallMade) -> String {
    let from = match call.result_from {
        Some(ResultFrom::Live) => "live",
        Some(ResultFrom::Canned) => "canned",
        Some(ResultFrom::Synthetic) => "made up",
        Some(ResultFrom::Harness) => "refused by us",
        None => "not answered",
    };
    let failed = if call.is_error { ", an error" } else { "" };
    let time = call
        .ms
        .map_or_else(String::new, |ms| format!(", {}", words::duration(ms)));
    format!(" <small>{from}{failed}{time}</small>")
}

fn differs(difference: &Difference) -> String {
    let mut out = format!("<span class=\"dim\">{}</span> ", metric(difference.metric));
    let place = [&difference.tool, &difference.pointer];
    let place: Vec<_> = place
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .map(String::as_str)
        .collect();
    if !place.is_empty() {
        let _ = write!(out, "{} ", code(&place.join(" "), 200));
    }
    out.push_str(&text(&difference.message, WORDS));
    for (name, value) in [
        ("expected", &difference.expected),
        ("got", &difference.actual),
    ] {
        if let Some(value) = value {
            let _ = write!(out, " <span class=\"side\">{name} {}</span>", shown(value));
        }
    }
    out
}

fn shown(value: &Value) -> String {
    code(&value.to_string(), VALUE)
}

fn who(who: Who) -> &'static str {
    match who {
        Who::Model => "The model",
        Who::Provider => "The provider",
        Who::Server => "The server",
        Who::Judge => "The judge",
        Who::Harness => "Ourselves",
    }
}

/// `run 2`, `runs 1, 3 and 5`, counted from 1.
fn which(group: &[&Run]) -> String {
    let numbers: Vec<_> = group
        .iter()
        .take(20)
        .map(|run| run.index.saturating_add(1).to_string())
        .collect();
    match &numbers[..] {
        [] => String::new(),
        [one] => format!("run {one}"),
        [rest @ .., _] if group.len() > 20 => format!("runs {} and more", rest.join(", ")),
        [rest @ .., last] => format!("runs {} and {last}", rest.join(", ")),
    }
}

/// The model's time, from the shortest to the longest.
fn time(group: &[&Run]) -> String {
    let times = || group.iter().map(|run| run.ms.model);
    match (times().min(), times().max()) {
        (Some(_), Some(0)) | (None, _) | (_, None) => String::new(),
        (Some(low), Some(high)) if low == high => words::duration(low),
        (Some(low), Some(high)) => {
            format!("{} to {}", words::duration(low), words::duration(high))
        }
    }
}
