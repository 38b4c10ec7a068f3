//! A run with models on one screen: the verdict, rates, the cases that need a look, and what to mend first.
//!
//! A terminal shows about forty lines at once, and the rest is above them, unread. So each part takes as much as
//! leaves room for the others, and a last line says how to see everything.

use super::{
    GUTTER, behavior, finding::clean, gate, headline, label, last_line, stamped, telemetry, tone,
    trials,
};
use crate::behavior::{
    differences, doings, flawless, metric, misses, model_names, percent, strip, tally,
};
use crate::findings::{checks, conformance, counts, is_problem, worst_first};
use crate::layout::{Page, Tone, columns};
use crate::{Style, safe, words};
use std::collections::BTreeMap;
use verdict_model::behavior::{Behavior, CaseResult, Metric, RunOutcome};
use verdict_model::report::CheckResult;
use verdict_model::{Outcome, Report};

/// Lines of a screen; the prompt that follows takes one more.
const LINES: usize = 39;

/// How many of each part are shown.
struct Amount {
    findings: usize,
    rows: usize,
    told: usize,
    models: usize,
    tools: usize,
    notes: usize,
    is_roomy: bool,
}

impl Amount {
    /// The `step`th amount, each a little smaller than the one before.
    fn step(step: usize) -> Self {
        let of = |most: usize, least: usize| most.saturating_sub(step).max(least);
        Self {
            findings: of(6, 1),
            rows: of(12, 3),
            told: 3_usize.saturating_sub(step / 3).max(1),
            models: of(12, if step < 12 { 3 } else { 2 }),
            tools: of(5, 0),
            notes: of(3, 0),
            is_roomy: step < 9,
        }
    }
}

pub(super) fn render(report: &Report, style: &Style) -> String {
    let mut out = String::new();
    for step in 0..14 {
        out = screen(report, style, &Amount::step(step));
        if out.lines().count() <= LINES {
            break;
        }
    }
    safe::inert_lines(&out)
}

fn screen(report: &Report, style: &Style, amount: &Amount) -> String {
    let mut page = Page::new(style);
    headline(&mut page, report, style);
    let target = &report.target;
    page.short(
        (Tone::Dim, &format!("{:<GUTTER$}", "")),
        &format!(
            "{} at {}",
            clean(&words::server(target), 60),
            clean(&words::endpoint(target), 200)
        ),
    );
    findings(&mut page, report, amount.findings);
    let layer = crate::behavior::behavior(report);
    if let Some(layer) = layer {
        page.gap();
        rates(&mut page, layer, amount.models);
        page.gap();
        matrix(&mut page, layer, style, amount.rows);
        told(&mut page, report, layer, amount.told);
    }
    let roomy = amount.is_roomy;
    trials::brief(&mut page, report, amount.models, amount.told, roomy);
    gate::brief(&mut page, report, amount.told);
    telemetry::brief(&mut page, report, amount.tools);
    page.gap();
    if let Some(layer) = layer {
        behavior::unfit(&mut page, layer);
    }
    let notes = layer.map_or(&[][..], |layer| &layer.notes);
    let others = crate::trials::resilience(report).map_or(&[][..], |layer| &layer.notes);
    let others = others.iter().filter(|note| !notes.contains(note));
    for note in notes.iter().chain(others).take(amount.notes) {
        page.short((Tone::Note, &stamped("note")), &clean(note, 300));
    }
    page.gap();
    rest(&mut page, report);
    last_line(&mut page, report, style);
    page.finish()
}

/// Broken rules, two lines each.
fn findings(page: &mut Page, report: &Report, most: usize) {
    let problems: Vec<&CheckResult> = worst_first(checks(report))
        .into_iter()
        .filter(|check| is_problem(check) && counts(check))
        .collect();
    if problems.is_empty() {
        return;
    }
    page.gap();
    for check in problems.iter().take(most) {
        let text = format!("{}: {}", clean(&check.id, 80), clean(&check.message, 300));
        page.short((tone(check.outcome), &label(check.outcome)), &text);
        if !check.fix.is_empty() {
            let text = format!("Mend: {}", clean(&check.fix, 300));
            page.short((Tone::Good, &format!("{:<GUTTER$}", "")), &text);
        }
    }
    if problems.len() > most {
        let more = words::number(problems.len() - most);
        page.item(GUTTER, &[], (Tone::Dim, &format!("{more} more problems")));
    }
}

/// A row a model, a column a metric, and what it cost.
fn rates(page: &mut Page, layer: &Behavior, most: usize) {
    let names = model_names(&layer.models);
    let is_measured = |key: &Metric| {
        let mut models = layer.models.iter();
        models.any(|model| model.metrics.contains_key(key))
    };
    let keys: Vec<_> = Metric::ALL.into_iter().filter(is_measured).collect();
    let mut head = vec!["model".to_owned()];
    head.extend(keys.iter().map(|key| metric(*key).to_owned()));
    head.push("USD".to_owned());
    let mut rows = vec![head];
    for (model, name) in layer.models.iter().zip(&names).take(most) {
        let mut row = vec![clean(name, 30)];
        row.extend(keys.iter().map(|key| match model.metrics.get(key) {
            Some(rate) => percent(rate.rate),
            None => "–".to_owned(),
        }));
        row.push(crate::telemetry::dollars(model.usd));
        rows.push(row);
    }
    let widths: Vec<usize> = (0..keys.len() + 2)
        .map(|place| {
            let cells = rows.iter().filter_map(|row| row.get(place));
            cells.map(|cell| columns(cell)).max().unwrap_or(0)
        })
        .collect();
    for (index, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for (place, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let gap = " ".repeat(width.saturating_sub(columns(cell)));
            line = match place {
                0 => format!("{cell}{gap}"),
                _ => format!("{line}  {gap}{cell}"),
            };
        }
        let start = if index == 0 { "golden" } else { "" };
        page.short((Tone::Bold, &format!("{start:<GUTTER$}")), &line);
    }
    if layer.models.len() > most {
        let more = words::number(layer.models.len() - most);
        page.item(GUTTER, &[], (Tone::Dim, &format!("{more} more models")));
    }
}

/// The missed cases, worst first, cut to the width.
fn matrix(page: &mut Page, layer: &Behavior, style: &Style, most: usize) {
    let by_id: Vec<BTreeMap<&str, &CaseResult>> =
        layer.models.iter().map(behavior::by_id).collect();
    let Some(first) = layer.models.first() else {
        return;
    };
    let cells = |id: &str| -> Vec<Option<&CaseResult>> {
        by_id.iter().map(|cases| cases.get(id).copied()).collect()
    };
    let mut missed: Vec<(&CaseResult, Vec<Option<&CaseResult>>)> = first
        .cases
        .iter()
        .map(|case| (case, cells(&case.id)))
        .filter(|(_, cells)| !cells.iter().flatten().all(|case| flawless(case)))
        .collect();
    missed.sort_by_key(|(_, cells)| behavior::badness(&layer.models, cells));
    let shown = missed.get(..missed.len().min(most)).unwrap_or_default();
    let rows: Vec<(String, Vec<String>)> = shown
        .iter()
        .map(|(case, cells)| {
            let strips = cells
                .iter()
                .map(|case| case.map_or_else(String::new, strip));
            (clean(&case.id, 28), strips.collect())
        })
        .collect();
    if !rows.is_empty() {
        let id = rows.iter().map(|(id, _)| columns(id)).max().unwrap_or(0);
        let room = style.width.max(40).saturating_sub(GUTTER + id);
        let each = (room / layer.models.len().max(1)).saturating_sub(2).max(5);
        let names: Vec<_> = model_names(&layer.models)
            .iter()
            .map(|name| cut(&clean(name, 60), each))
            .collect();
        behavior::grid(page, &names, &rows);
    }
    let all = first.cases.len();
    let mut text = format!(
        "{} of {} cases passed every run",
        words::number(all - missed.len()),
        words::number(all)
    );
    if missed.len() > shown.len() {
        let more = words::number(missed.len() - shown.len());
        text = format!("{text}; missed and not shown: {more}");
    }
    page.item(GUTTER, &[], (Tone::Dim, &text));
}

fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars() {
        if columns(&out) + 2 > width {
            break;
        }
        out.push(c);
    }
    format!("{out}…")
}

/// The worst misses, a case once: what came, and the mend.
fn told(page: &mut Page, report: &Report, layer: &Behavior, most: usize) {
    let all = misses(report);
    let short = model_names(&layer.models);
    let mut named = std::collections::BTreeSet::new();
    let first = all
        .iter()
        .filter(|miss| named.insert(miss.case.id.as_str()));
    for miss in first.take(most) {
        page.gap();
        let (tone, word) = if miss.is_red() {
            (Tone::Bad, "red")
        } else {
            (Tone::Careful, "miss")
        };
        let place = layer
            .models
            .iter()
            .position(|model| std::ptr::eq(model, miss.model));
        let on = place
            .and_then(|place| short.get(place))
            .unwrap_or(&miss.model.id);
        let text = format!(
            "{} on {}: {}; expected {}",
            clean(&miss.case.id, 60),
            clean(on, 60),
            tally(miss.case),
            clean(&miss.case.expected, 200)
        );
        page.short((tone, &format!("{word:<GUTTER$}")), &text);
        let indent = format!("{:<GUTTER$}", "");
        if let Some((what, _)) = doings(miss.case).first() {
            page.short((Tone::Dim, &indent), &format!("got {}", clean(what, 300)));
        }
        for why in whys(miss.case) {
            page.short((Tone::Dim, &indent), &clean(&why, 200));
        }
        if !miss.case.advice.is_empty() {
            let text = clean(&miss.case.advice, 600);
            page.item(GUTTER, &[(Tone::Good, "Mend: ")], (Tone::Plain, &text));
        }
    }
}

/// The first fault of a run that did not pass, and what differed first.
fn whys(case: &CaseResult) -> Vec<String> {
    let mut missed = case
        .runs
        .iter()
        .filter(|run| run.outcome != RunOutcome::Passed);
    let fault = missed.find_map(|run| run.fault.as_ref());
    let fault = fault.map(|fault| fault.message.clone());
    let differs = differences(case).into_iter().next();
    fault.into_iter().chain(differs).collect()
}

/// What else there is to see, in one line.
fn rest(page: &mut Page, report: &Report) {
    let mut parts = Vec::new();
    if let Some(layer) = conformance(report) {
        for (outcome, what) in [
            (Outcome::Info, "noted"),
            (Outcome::Skip, "not tried"),
            (Outcome::NotApplicable, "not offered"),
        ] {
            match layer.counts.get(outcome) {
                0 => {}
                count => parts.push(format!("{} {what}", words::number(count))),
            }
        }
    }
    parts.push("-v tells everything".to_owned());
    page.short((Tone::Dim, &stamped("more")), &parts.join(", "));
}
