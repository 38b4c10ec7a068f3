//! Layer 2 for a terminal: rates, a line a trial that went wrong, and what to mend.

use super::{GUTTER, finding::clean};
use crate::layout::{Page, Tone, columns};
use crate::trials::{
    Tried, calls, endings, evidence, fell, meaning, metric, missed, missed_once, quoted,
    resilience, share, standing, strip, tally, tried, what, worst,
};
use crate::{Style, Verbosity, words};
use verdict_model::resilience::{Resilience, ServerTrial, TrialMetric, TrialOutcome};
use verdict_model::{Outcome, Report};

/// Trials that are told in full unless everything is wanted.
const MOST: usize = 8;

pub(super) fn render(page: &mut Page, report: &Report, style: &Style) {
    let Some(layer) = resilience(report) else {
        return;
    };
    let everything = style.verbosity == Verbosity::Verbose;
    page.gap();
    if !layer.cases.is_empty() {
        heading(page, report, layer);
    }
    for model in &layer.models {
        page.gap();
        let mark = if model.is_baseline {
            "  a baseline that ranks words, no language model"
        } else {
            ""
        };
        page.line(&[
            (Tone::Bold, &label("model")),
            (Tone::Bold, &clean(&model.id, 160)),
            (Tone::Dim, mark),
        ]);
        for key in TrialMetric::ALL {
            if model.metrics.contains_key(&key) {
                page.item(
                    GUTTER,
                    &[
                        (Tone::Dim, &format!("{:<16}", metric(key))),
                        (Tone::Plain, &format!("{:<22}", share(model, key))),
                    ],
                    (Tone::Dim, meaning(key)),
                );
            }
        }
        for note in &model.notes {
            let text = clean(note, 400);
            page.item(GUTTER, &[(Tone::Note, "note  ")], (Tone::Plain, &text));
        }
    }
    if everything {
        page.gap();
        for tried in tried(report) {
            row(page, tried);
        }
    }
    let missed = missed(report);
    let most = if everything { usize::MAX } else { MOST };
    for tried in missed.iter().take(most) {
        page.gap();
        told(page, *tried);
    }
    if missed.len() > most {
        let more = words::number(missed.len() - most);
        page.gap();
        let text = format!("{more} more trials; -v tells them all");
        page.item(GUTTER, &[], (Tone::Dim, &text));
    }
    server(page, layer, true, everything);
    page.gap();
    for note in &layer.notes {
        let text = clean(note, 600);
        page.item(0, &[(Tone::Note, &label("note"))], (Tone::Plain, &text));
    }
}

/// The decisive trials, one line each.
pub(super) fn decisive(page: &mut Page, report: &Report) {
    for tried in missed(report).into_iter().filter(|tried| tried.is_red()) {
        let text = clean(&tried.headline(), 400);
        page.line(&[(Tone::Bad, &label("red")), (Tone::Plain, &text)]);
    }
    let server = resilience(report).map_or(&[][..], |layer| &layer.server);
    for one in server.iter().filter(|one| one.outcome == Outcome::Fail) {
        let text = format!("{}: {}", clean(&one.id, 60), clean(&one.message, 400));
        page.line(&[(Tone::Bad, &label("fail")), (Tone::Plain, &text)]);
    }
}

/// A few lines of a screen: rates, and the `most` trials that went wrong worst, a trial once, with what proves the red
/// ones; where there is room, with the words that show the others.
pub(super) fn brief(page: &mut Page, report: &Report, models: usize, most: usize, is_roomy: bool) {
    let Some(layer) = resilience(report) else {
        return;
    };
    if !layer.cases.is_empty() {
        page.gap();
        brief_trials(page, report, layer, (models, most), is_roomy);
    }
    server(page, layer, is_roomy || layer.cases.is_empty(), false);
}

fn brief_trials(
    page: &mut Page,
    report: &Report,
    layer: &Resilience,
    (models, most): (usize, usize),
    is_roomy: bool,
) {
    let names = crate::trials::names(layer);
    table(page, layer, &names, models);
    let missed = missed_once(report);
    for (index, tried) in missed.iter().take(most).enumerate() {
        let (tone, word) = weight(*tried);
        page.short((tone, &label(word)), &line(*tried, layer, &names));
        if let Some(proof) = proof(*tried).filter(|_| is_roomy || tried.is_red()) {
            page.short((Tone::Dim, &label("")), &clean(&proof, 300));
        }
        if index == 0 && !tried.trial.advice.is_empty() {
            let text = clean(&tried.trial.advice, 600);
            page.item(GUTTER, &[(Tone::Good, "Mend: ")], (Tone::Plain, &text));
        }
    }
    let more = match missed.len().saturating_sub(most) {
        0 => String::new(),
        more => format!("; bad or open, and not shown: {}", words::number(more)),
    };
    let ends = crate::trials::ends_of_trials(report).unwrap_or_default();
    page.item(GUTTER, &[], (Tone::Dim, &format!("{ends}{more}")));
}

fn label(name: &str) -> String {
    format!("{name:<GUTTER$}")
}

fn heading(page: &mut Page, report: &Report, layer: &Resilience) {
    let runs: usize = layer.cases.iter().map(|trial| trial.runs.len()).sum();
    let text = format!(
        "{}: {} trials, {} runs in {}; {}",
        clean(&layer.golden.path, 200),
        words::number(layer.cases.len()),
        words::number(runs),
        words::duration(layer.duration_ms),
        crate::trials::ends_of_trials(report).unwrap_or_default()
    );
    page.item(0, &[(Tone::Bold, &label("trials"))], (Tone::Plain, &text));
}

/// How loud a trial is.
fn weight(tried: Tried<'_>) -> (Tone, &'static str) {
    let is_bad = |outcome: TrialOutcome| outcome.is_good() == Some(false);
    if tried.is_red() {
        (Tone::Bad, "red")
    } else if tried.trial.runs.iter().any(|run| is_bad(run.outcome)) {
        (Tone::Careful, "bad")
    } else {
        (Tone::Dim, "open")
    }
}

/// Case, model, what the model did, what was done: one line.
fn line(tried: Tried<'_>, layer: &Resilience, names: &[String]) -> String {
    let trial = tried.trial;
    let model = layer.models.iter().position(|m| m.id == trial.model);
    let model = model.and_then(|place| names.get(place));
    let ending = endings(trial).first().map_or_else(
        || "no run".to_owned(),
        |(outcome, runs)| format!("{} in {runs} of {}", outcome.words(), trial.runs.len()),
    );
    format!(
        "{} on {}: {ending} ({})",
        clean(&trial.case, 40),
        clean(model.unwrap_or(&trial.model), 40),
        clean(&what(&trial.trial), 80),
    )
}

/// What shows it, and the words themselves: evidence, else a fault, else the answer.
fn proof(tried: Tried<'_>) -> Option<String> {
    let run = worst(tried.trial)?;
    // That the fault was met shows nothing of how the model took it.
    let mut shown = run
        .evidence
        .iter()
        .filter(|one| !one.message.starts_with("the fault: "));
    if let Some(one) = shown.next() {
        return Some(match one.quote.as_str() {
            "" => one.message.clone(),
            quote => format!("{}: “{}”", one.message, quoted(quote)),
        });
    }
    if let Some(fault) = &run.fault {
        return Some(fault.message.clone());
    }
    (!run.answer.is_empty()).then(|| format!("“{}”", quoted(&run.answer)))
}

/// A row a model, a column a metric.
fn table(page: &mut Page, layer: &Resilience, names: &[String], most: usize) {
    let is_measured = |key: &TrialMetric| {
        let mut models = layer.models.iter();
        // How many saw the text stands in what attack success is of.
        *key != TrialMetric::Exposure && models.any(|model| model.metrics.contains_key(key))
    };
    let keys: Vec<_> = TrialMetric::ALL.into_iter().filter(is_measured).collect();
    let mut rows = vec![vec!["model".to_owned()]];
    rows[0].extend(keys.iter().map(|key| metric(*key).to_owned()));
    for (model, name) in layer.models.iter().zip(names).take(most) {
        let mut row = vec![clean(name, 30)];
        row.extend(keys.iter().map(|key| match model.metrics.get(key) {
            Some(rate) => format!("{} of {}", rate.count, rate.of),
            None => "–".to_owned(),
        }));
        rows.push(row);
    }
    let widths: Vec<usize> = (0..=keys.len())
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
        let start = if index == 0 { "trials" } else { "" };
        page.short((Tone::Bold, &label(start)), &line);
    }
    if layer.models.len() > most {
        let more = words::number(layer.models.len() - most);
        page.item(GUTTER, &[], (Tone::Dim, &format!("{more} more models")));
    }
}

/// What the server did when it was treated badly: what went wrong, and a count of the rest; where everything is wanted,
/// each. Messages are whole where there is room.
fn server(page: &mut Page, layer: &Resilience, is_roomy: bool, everything: bool) {
    page.gap();
    // Where there is no room only what did not stand is named, in a line.
    let is_shown =
        |one: &&ServerTrial| everything || fell(one) && (is_roomy || one.outcome != Outcome::Warn);
    let shown = layer.server.iter().filter(is_shown);
    for one in shown {
        let label = label(one.outcome.word());
        let tone = super::tone(one.outcome);
        let name = format!("{}: {}", clean(&one.id, 60), clean(&one.title, 300));
        let message = clean(&one.message, 2_000);
        if is_roomy {
            page.item(0, &[(tone, &label)], (Tone::Bold, &name));
            page.item(GUTTER, &[], (Tone::Plain, &message));
        } else {
            let text = format!("{}: {message}", clean(&one.id, 60));
            page.short((tone, &label), &text);
        }
        if !one.fix.is_empty() && is_roomy {
            let text = clean(&one.fix, 600);
            page.item(GUTTER, &[(Tone::Good, "Mend: ")], (Tone::Plain, &text));
        }
    }
    if let Some(ends) = crate::trials::server_ends(layer).filter(|_| is_roomy) {
        page.item(GUTTER, &[], (Tone::Dim, &ends));
    }
}

fn row(page: &mut Page, tried: Tried<'_>) {
    let trial = tried.trial;
    let text = format!(
        "{}  {} on {}",
        strip(trial),
        clean(&trial.id, 120),
        clean(&trial.model, 80)
    );
    page.line(&[(Tone::Plain, &label("")), (Tone::Plain, &text)]);
}

fn told(page: &mut Page, tried: Tried<'_>) {
    let trial = tried.trial;
    let (tone, word) = weight(tried);
    page.line(&[
        (tone, &label(word)),
        (Tone::Bold, &clean(&trial.id, 120)),
        (
            Tone::Dim,
            &format!("  on {}; {}", clean(&trial.model, 120), standing(trial)),
        ),
    ]);
    let mut row = |name: &str, text: &str| {
        page.item(
            GUTTER,
            &[(Tone::Dim, &format!("{name:<10}"))],
            (Tone::Plain, &clean(text, 600)),
        );
    };
    row("runs", &tally(trial));
    row("prompt", &trial.prompt);
    row("done", &trial.disturbance);
    if let Some(run) = worst(trial) {
        row("called", &calls(run));
        for text in evidence(run).iter().take(4) {
            row("shown by", text);
        }
        if let Some(fault) = &run.fault {
            row("fault", &fault.message);
        }
        if !run.answer.is_empty() {
            row("said", &run.answer);
        }
    }
    if !trial.advice.is_empty() {
        page.item(
            GUTTER,
            &[(Tone::Good, &format!("{:<10}", "Mend:"))],
            (Tone::Plain, &clean(&trial.advice, 600)),
        );
    }
}
