//! Layer 1 for a terminal: rates, a matrix of runs, and what to mend where a case was missed.

use super::{GUTTER, finding::clean};
use crate::behavior::{
    Miss, basis, behavior, calls, collision, differences, doings, effort, flawless, metric, misses,
    percent, standing, strip, tally,
};
use crate::layout::{Page, Tone, columns};
use crate::{Style, Verbosity, words};
use std::collections::BTreeMap;
use verdict_model::Report;
use verdict_model::behavior::{Behavior, CaseResult, Metric, ModelResult, Standing};

/// Misses that are told in full unless everything is wanted.
const MOST: usize = 8;

pub(super) fn render(page: &mut Page, report: &Report, style: &Style) {
    let Some(layer) = behavior(report) else {
        return;
    };
    page.gap();
    heading(page, layer);
    for model in &layer.models {
        page.gap();
        rates(page, model);
    }
    page.gap();
    matrix(page, layer, style);
    let misses = misses(report);
    let most = if style.verbosity == Verbosity::Verbose {
        usize::MAX
    } else {
        MOST
    };
    for miss in misses.iter().take(most) {
        page.gap();
        told(page, *miss);
    }
    if misses.len() > most {
        let more = words::number(misses.len() - most);
        page.gap();
        page.item(
            GUTTER,
            &[],
            (Tone::Dim, &format!("{more} more misses; -v tells them all")),
        );
    }
    page.gap();
    unfit(page, layer);
    for note in &layer.notes {
        labelled(page, "note", &clean(note, 600));
    }
}

/// Why the judge judged nothing, where that is so.
pub(super) fn unfit(page: &mut Page, layer: &Behavior) {
    let judge = layer.judge.as_ref();
    if let Some(why) = judge.and_then(|judge| judge.unfit.as_ref()) {
        labelled(
            page,
            "judge",
            &clean(&format!("judged nothing: {why}"), 400),
        );
    }
}

/// The decisive misses, one line each.
pub(super) fn decisive(page: &mut Page, report: &Report) {
    for miss in misses(report).into_iter().filter(|miss| miss.is_red()) {
        let label = format!("{:<GUTTER$}", "red");
        page.line(&[
            (Tone::Bad, &label),
            (Tone::Plain, &clean(&miss.headline(), 400)),
        ]);
    }
}

fn labelled(page: &mut Page, name: &str, text: &str) {
    let label = format!("{name:<GUTTER$}");
    page.item(0, &[(Tone::Note, &label)], (Tone::Plain, text));
}

fn heading(page: &mut Page, layer: &Behavior) {
    let runs: usize = layer
        .models
        .iter()
        .flat_map(|model| &model.cases)
        .map(|case| case.runs.len())
        .sum();
    let text = format!(
        "{}: {} cases, {} runs on {} in {}",
        clean(&layer.golden.path, 200),
        words::number(layer.golden.cases),
        words::number(runs),
        match layer.models.len() {
            1 => "one model".to_owned(),
            models => format!("{models} models"),
        },
        words::duration(layer.duration_ms),
    );
    page.item(
        0,
        &[(Tone::Bold, &format!("{:<GUTTER$}", "golden"))],
        (Tone::Plain, &text),
    );
}

fn rates(page: &mut Page, model: &ModelResult) {
    let mut about = Vec::new();
    if model.is_baseline {
        about.push("a baseline that ranks words, no language model".to_owned());
    }
    if !model.served_by.is_empty() {
        about.push(format!(
            "answered as {}",
            clean(&model.served_by.join(", "), 200)
        ));
    }
    about.push(effort(model));
    page.line(&[
        (Tone::Bold, &format!("{:<GUTTER$}", "model")),
        (Tone::Bold, &clean(&model.id, 160)),
    ]);
    page.item(GUTTER, &[], (Tone::Dim, &about.join(" · ")));
    for key in Metric::ALL {
        let Some(rate) = model.metrics.get(&key) else {
            continue;
        };
        let name = format!("{:<14}", metric(key));
        let share = format!("{:>8}  ", percent(rate.rate));
        let mut text = basis(rate);
        if key == Metric::OverTrigger {
            text.push_str(" (the less the better)");
        }
        page.item(
            GUTTER,
            &[(Tone::Dim, &name), (Tone::Plain, &share)],
            (Tone::Dim, &text),
        );
    }
    for note in &model.notes {
        page.item(
            GUTTER,
            &[(Tone::Note, "note  ")],
            (Tone::Plain, &clean(note, 400)),
        );
    }
}

/// The cases of a model by their ids.
pub(super) fn by_id(model: &ModelResult) -> BTreeMap<&str, &CaseResult> {
    let cases = model.cases.iter();
    cases.map(|case| (case.id.as_str(), case)).collect()
}

/// How soon a row is to be looked at: 0 where it is red, 1 where a language model missed it, 2 where only a baseline did.
pub(super) fn badness(models: &[ModelResult], cells: &[Option<&CaseResult>]) -> u8 {
    let cells = models.iter().zip(cells);
    let of = cells.filter_map(|(model, case)| match case {
        Some(case) if flawless(case) => None,
        Some(case) => Some(match (model.is_baseline, case.standing) {
            (true, _) => 2,
            (false, Standing::Red) => 0,
            (false, _) => 1,
        }),
        None => None,
    });
    of.min().unwrap_or(3)
}

/// A row a case, a strip of runs a model; cases that all models pass are counted unless everything is wanted.
fn matrix(page: &mut Page, layer: &Behavior, style: &Style) {
    let Some(first) = layer.models.first() else {
        return;
    };
    let everything = style.verbosity == Verbosity::Verbose;
    let by_id: Vec<BTreeMap<&str, &CaseResult>> = layer.models.iter().map(by_id).collect();
    let mut flawless_cases = 0;
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    for case in &first.cases {
        let all: Vec<_> = by_id
            .iter()
            .map(|cases| cases.get(case.id.as_str()).copied())
            .collect();
        let fine = all.iter().flatten().all(|case| flawless(case));
        flawless_cases += usize::from(fine);
        if fine && !everything {
            continue;
        }
        let strips = all.iter().map(|case| case.map_or_else(String::new, strip));
        rows.push((clean(&case.id, 60), strips.collect()));
    }
    if !rows.is_empty() {
        let names: Vec<_> = layer
            .models
            .iter()
            .map(|model| clean(&model.id, 40))
            .collect();
        grid(page, &names, &rows);
    }
    if flawless_cases > 0 && !everything {
        let text = format!(
            "{} of {} cases passed every run",
            words::number(flawless_cases),
            words::number(first.cases.len())
        );
        labelled(page, "pass", &text);
    }
}

pub(super) fn grid(page: &mut Page, names: &[String], rows: &[(String, Vec<String>)]) {
    let wide = |texts: &mut dyn Iterator<Item = &str>| texts.map(columns).max().unwrap_or(0);
    let first = wide(&mut rows.iter().map(|(id, _)| id.as_str())).max(4);
    let mut head = format!("{}{}", " ".repeat(GUTTER), pad("case", first));
    let mut widths = Vec::new();
    for (place, name) in names.iter().enumerate() {
        let strips = wide(
            &mut rows
                .iter()
                .filter_map(|(_, cells)| cells.get(place))
                .map(String::as_str),
        );
        let width = strips.max(columns(name));
        widths.push(width);
        head = format!("{head}  {}", pad(name, width));
    }
    page.line(&[(Tone::Dim, head.trim_end())]);
    for (id, cells) in rows {
        let mut line = format!("{}{}", " ".repeat(GUTTER), pad(id, first));
        for (cell, width) in cells.iter().zip(&widths) {
            line = format!("{line}  {}", pad(cell, *width));
        }
        page.line(&[(Tone::Plain, line.trim_end())]);
    }
}

fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

fn told(page: &mut Page, miss: Miss<'_>) {
    let case = miss.case;
    let (tone, word) = if miss.is_red() {
        (Tone::Bad, "red")
    } else {
        (Tone::Careful, "miss")
    };
    page.line(&[
        (tone, &format!("{word:<GUTTER$}")),
        (Tone::Bold, &clean(&case.id, 120)),
        (
            Tone::Dim,
            &format!(
                "  on {}  {}; {}",
                clean(&miss.model.id, 120),
                tally(case),
                standing(case)
            ),
        ),
    ]);
    let mut row = |name: &str, text: &str| {
        page.item(
            GUTTER,
            &[(Tone::Dim, &format!("{name:<10}"))],
            (Tone::Plain, &clean(text, 600)),
        );
    };
    row("prompt", &case.prompt);
    row("expected", &case.expected);
    for (index, (what, runs)) in doings(case).iter().take(4).enumerate() {
        let times = if *runs == 1 {
            "1 run".to_owned()
        } else {
            format!("{runs} runs")
        };
        row(
            if index == 0 { "got" } else { "" },
            &format!("{what} ({times})"),
        );
    }
    if case.runs.iter().all(|run| calls(run) == "no call")
        && let Some(run) = case.runs.iter().find(|run| !run.answer.is_empty())
    {
        row("said", &run.answer);
    }
    for (index, text) in differences(case).iter().take(4).enumerate() {
        row(if index == 0 { "differs" } else { "" }, text);
    }
    for pair in case.collisions.iter().take(3) {
        row("collide", &collision(pair));
    }
    if !case.advice.is_empty() {
        page.item(
            GUTTER,
            &[(Tone::Good, &format!("{:<10}", "Mend:"))],
            (Tone::Plain, &clean(&case.advice, 600)),
        );
    }
}
