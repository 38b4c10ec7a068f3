//! Faults and attacks: what was measured, and each trial by each model, opened to calls, evidence and answer.

use super::piece::{chip, code, counted, fold, outcome_chip, prose, terms, text};
use super::plot;
use crate::behavior::{basis, one_call, percent};
use crate::trials::{
    Tried, ends_of_trials, meaning, metric, quoted, resilience, server_ends, standing, tally,
    tried, undisturbed, what,
};
use crate::words;
use std::fmt::Write as _;
use verdict_model::Report;
use verdict_model::resilience::{
    Resilience, ServerTrial, TrialMetric, TrialOutcome, TrialResult, TrialRun,
};

/// Trials that are shown, and bytes of what opens under all of them.
const ROWS: usize = 5_000;
const ROOM: usize = 1_500_000;
/// Different doings of one model that are told, and calls of one.
const DOINGS: usize = 6;
const CALLS: usize = 12;
/// Bytes of words and of arguments.
const WORDS: usize = 500;
/// Trials of the server itself that are shown.
pub(super) const SERVER: usize = 200;

/// A trial with what each model made of it, in the order of the models.
struct Row<'r> {
    index: usize,
    id: &'r str,
    cells: Vec<Option<Tried<'r>>>,
}

impl Row<'_> {
    /// 0 red, 1 a look is needed, 2 nothing is to be done.
    fn rank(&self) -> u8 {
        let rank = |cell: &Tried<'_>| match (cell.is_red(), cell.is_missed()) {
            (true, _) => 0,
            (_, true) => 1,
            _ => 2,
        };
        self.cells.iter().flatten().map(rank).min().unwrap_or(2)
    }
}

fn rows<'r>(report: &'r Report, layer: &Resilience) -> Vec<Row<'r>> {
    let mut order = std::collections::BTreeMap::<&str, usize>::new();
    let mut rows: Vec<Row<'_>> = Vec::new();
    for tried in tried(report) {
        let of = |model: &verdict_model::resilience::ModelTrials| model.id == tried.trial.model;
        let Some(place) = layer.models.iter().position(of) else {
            continue;
        };
        let index = *order.entry(&tried.trial.id).or_insert_with(|| {
            rows.push(Row {
                index: rows.len(),
                id: &tried.trial.id,
                cells: vec![None; layer.models.len()],
            });
            rows.len() - 1
        });
        let cell = rows.get_mut(index).and_then(|row| row.cells.get_mut(place));
        if let Some(cell) = cell {
            *cell = Some(tried);
        }
    }
    rows
}

/// The anchor of a trial on the page.
pub(super) fn anchor(report: &Report, id: &str) -> String {
    let rows = resilience(report).map(|layer| rows(report, layer));
    let index = rows.and_then(|rows| rows.iter().position(|row| row.id == id));
    format!("trial-{}", index.unwrap_or_default())
}

pub(super) fn section(report: &Report, layer: &Resilience) -> String {
    let mut out = String::new();
    if !layer.cases.is_empty() {
        out.push_str(&rates(report, layer));
        out.push_str(&matrix(report, layer));
    }
    out.push_str(&server(layer));
    for note in layer.notes.iter().take(20) {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", prose(note, 600));
    }
    out
}

/// Each trial by each model, those first that went wrong.
fn matrix(report: &Report, layer: &Resilience) -> String {
    let mut out = String::new();
    let names: Vec<_> = crate::trials::names(layer)
        .iter()
        .map(|name| text(name, 100))
        .collect();
    let mut rows = rows(report, layer);
    rows.sort_by_key(Row::rank);
    let _ = write!(
        out,
        "<h3>Trials</h3>\n<p>{}. A mark is a run: <span class=\"strip\"><i class=\"p\"></i></span> good, <span class=\"strip\"><i class=\"f\"></i></span> bad, <span class=\"strip\"><i class=\"v\"></i></span> says nothing. Open a trial to see what was done and what the model did.</p>\n<div class=\"matrix\" style=\"--models:{}\">\n<p class=\"row head\" aria-hidden=\"true\"><span></span><span>Trial</span>",
        ends_of_trials(report).unwrap_or_default(),
        names.len()
    );
    for name in &names {
        let _ = write!(out, "<span>{name}</span>");
    }
    out.push_str("</p>\n");
    let mut room = ROOM;
    let (missed, fine): (Vec<_>, Vec<_>) = rows.iter().take(ROWS).partition(|row| row.rank() < 2);
    for each in &missed {
        row(&mut out, each, &names, &mut room);
    }
    if !fine.is_empty() {
        let mut body = String::new();
        for each in &fine {
            row(&mut body, each, &names, &mut room);
        }
        let head = format!("{} without a bad run", counted(fine.len() as u64, "trial"));
        out.push_str(&fold("page", false, &head, &body));
    }
    if rows.len() > ROWS {
        let more = words::number(rows.len() - ROWS);
        let _ = writeln!(
            out,
            "<p class=\"dim\">{more} more trials; the JSON report has all.</p>"
        );
    }
    out.push_str("</div>\n");
    out
}

/// Every metric with its interval; beside utility, how the same cases go undisturbed.
fn rates(report: &Report, layer: &Resilience) -> String {
    let mut out = "<div class=\"wide\"><table class=\"rates\">\n<thead><tr><th scope=\"col\">Metric and model</th>\
         <th scope=\"col\" class=\"number\">Share</th>\
         <th scope=\"col\"><div class=\"scale\"><span>0</span><span>50</span><span>100 %</span></div></th></tr></thead>\n".to_owned();
    let names = crate::trials::names(layer);
    for key in TrialMetric::ALL {
        let rows: Vec<_> = layer
            .models
            .iter()
            .zip(&names)
            .filter_map(|(model, name)| Some((model, name, model.metrics.get(&key)?)))
            .collect();
        if rows.is_empty() {
            continue;
        }
        let _ = writeln!(
            out,
            "<tbody><tr class=\"group\"><th scope=\"rowgroup\" colspan=\"3\">{} <small>{}</small></th></tr>",
            metric(key),
            meaning(key)
        );
        for (model, name, rate) in rows {
            line(&mut out, &text(name, 100), rate);
            let clean = undisturbed(report, &model.id).filter(|_| key == TrialMetric::Utility);
            if let Some(clean) = clean {
                let name = format!("{}, undisturbed in layer 1", text(name, 100));
                line(&mut out, &name, &clean);
            }
        }
        out.push_str("</tbody>\n");
    }
    out.push_str("</table></div>\n");
    out
}

/// A row of the rates; `name` is HTML.
fn line(out: &mut String, name: &str, rate: &verdict_model::behavior::Rate) {
    let drawn = rate
        .rate
        .map_or_else(String::new, |share| plot::interval(share, rate.interval));
    let _ = writeln!(
        out,
        "<tr><th scope=\"row\">{name}</th><td class=\"number\"><b>{}</b><small>{}</small></td><td>{drawn}</td></tr>",
        percent(rate.rate),
        basis(rate).replace(" %", "\u{a0}%")
    );
}

fn row(out: &mut String, row: &Row<'_>, names: &[String], room: &mut usize) {
    let _ = write!(
        out,
        "<details class=\"case\" id=\"trial-{}\"><summary class=\"row\"><b>{}</b>",
        row.index,
        text(row.id, 120)
    );
    for (name, cell) in names.iter().zip(&row.cells) {
        let Some(cell) = cell else {
            out.push_str("<span class=\"cell\"></span>");
            continue;
        };
        let red = if cell.is_red() { " <em>red</em>" } else { "" };
        let _ = write!(
            out,
            "<span class=\"cell\"><span class=\"who\">{name}</span>{}<span class=\"heard\">{}</span>{red}</span>",
            strip(cell.trial),
            tally(cell.trial)
        );
    }
    out.push_str("</summary>\n");
    let body = opened(row, names);
    if let Some(left) = room.checked_sub(body.len()) {
        *room = left;
        out.push_str(&body);
    } else {
        out.push_str(
            "<p class=\"opened dim\">This page is full; the runs of this trial are in the JSON report.</p>",
        );
    }
    out.push_str("</details>\n");
}

/// Marks of runs.
fn strip(trial: &TrialResult) -> String {
    let mut out = "<span class=\"strip\">".to_owned();
    let mut wave = 0;
    for run in trial.runs.iter().take(60) {
        if run.wave != wave {
            wave = run.wave;
            out.push_str("<i class=\"w\"></i>");
        }
        let class = match run.outcome.is_good() {
            Some(true) => "p",
            Some(false) => "f",
            None => "v",
        };
        let _ = write!(out, "<i class=\"{class}\"></i>");
    }
    out.push_str("</span>");
    out
}

fn opened(row: &Row<'_>, names: &[String]) -> String {
    let Some(first) = row.cells.iter().flatten().next() else {
        return String::new();
    };
    let trial = first.trial;
    let place = first.location().map_or_else(String::new, |place| {
        code(&format!("{}:{}", place.path, place.line.max(1)), 300)
    });
    let mut out = "<div class=\"opened\">\n".to_owned();
    out.push_str(&terms(&[
        ("Prompt", text(&trial.prompt, 600)),
        ("Trial", text(&what(&trial.trial), 300)),
        ("Done", text(&trial.disturbance, 1_000)),
        ("Case", place),
    ]));
    for (name, cell) in names.iter().zip(&row.cells) {
        let Some(cell) = cell else { continue };
        let trial = cell.trial;
        let _ = writeln!(
            out,
            "<section class=\"model\"><h3>{name}</h3><p class=\"dim\">{}; {}</p>",
            tally(trial),
            standing(trial)
        );
        if !trial.advice.is_empty() {
            let _ = writeln!(out, "<p class=\"mend\">{}</p>", prose(&trial.advice, 600));
        }
        let groups = alike(&trial.runs);
        for group in groups.iter().take(DOINGS) {
            doing(&mut out, group);
        }
        if groups.len() > DOINGS {
            let more = counted((groups.len() - DOINGS) as u64, "other way");
            let _ = writeln!(out, "<p class=\"dim\">{more} in the JSON report.</p>");
        }
        out.push_str("</section>\n");
    }
    out.push_str("</div>");
    out
}

/// Runs that ended the same with the same calls, bad ones first.
fn alike(runs: &[TrialRun]) -> Vec<Vec<&TrialRun>> {
    let same = |one: &TrialRun, other: &TrialRun| {
        let calls = |run: &TrialRun| -> Vec<String> { run.calls.iter().map(one_call).collect() };
        one.outcome == other.outcome && one.fault == other.fault && calls(one) == calls(other)
    };
    let mut groups: Vec<Vec<&TrialRun>> = Vec::new();
    for run in runs {
        let known = groups
            .iter_mut()
            .find(|group| group.first().is_some_and(|first| same(first, run)));
        match known {
            Some(group) => group.push(run),
            None => groups.push(vec![run]),
        }
    }
    groups.sort_by_key(
        |group| match group.first().and_then(|run| run.outcome.is_good()) {
            Some(false) => 0,
            None => 1,
            Some(true) => 2,
        },
    );
    groups
}

fn doing(out: &mut String, group: &[&TrialRun]) {
    let Some(run) = group.first() else {
        return;
    };
    let class = match (run.outcome.is_good(), run.outcome) {
        (Some(true), _) => "pass",
        (Some(false), _) => "fail",
        (None, TrialOutcome::Broken) => "warn",
        (None, _) => "skip",
    };
    let _ = writeln!(
        out,
        "<div class=\"run\"><p>{} <span class=\"dim\">{}</span></p>",
        chip(class, run.outcome.words()),
        counted(group.len() as u64, "run")
    );
    if !run.calls.is_empty() {
        out.push_str("<ol class=\"calls\">");
        for call in run.calls.iter().take(CALLS) {
            let failed = if call.is_error {
                " <small>an error</small>"
            } else {
                ""
            };
            let _ = write!(out, "<li>{}{failed}</li>", code(&one_call(call), WORDS));
        }
        out.push_str("</ol>\n");
        if run.calls.len() > CALLS {
            let more = counted((run.calls.len() - CALLS) as u64, "more call");
            let _ = writeln!(out, "<p class=\"dim\">{more}.</p>");
        }
    }
    if let Some(fault) = &run.fault {
        let _ = writeln!(out, "<p>{}</p>", text(&fault.message, WORDS));
    }
    if !run.evidence.is_empty() {
        out.push_str("<ul class=\"differences\">");
        for one in run.evidence.iter().take(8) {
            let place = one.call.map_or_else(String::new, |call| {
                format!(
                    "<span class=\"dim\">call {}</span> ",
                    call.saturating_add(1)
                )
            });
            let _ = write!(out, "<li>{place}{}", prose(&one.message, WORDS));
            if !one.quote.is_empty() {
                let _ = write!(out, " <q>{}</q>", text(&quoted(&one.quote), 300));
            }
            out.push_str("</li>");
        }
        out.push_str("</ul>\n");
    }
    if !run.answer.is_empty() {
        let _ = writeln!(out, "<blockquote>{}</blockquote>", text(&run.answer, WORDS));
    }
    out.push_str("</div>\n");
}

/// What the server did when it was treated badly.
fn server(layer: &Resilience) -> String {
    if layer.server.is_empty() {
        return String::new();
    }
    let ends = server_ends(layer).unwrap_or_default();
    let mut out = format!("<h3>The server itself</h3>\n<p>{ends}.</p>\n<ul class=\"checks\">");
    for (index, one) in layer.server.iter().take(SERVER).enumerate() {
        let _ = writeln!(
            out,
            "<li id=\"server-{index}\">{}</li>",
            ordeal(one, &format!("<b>{}</b>", text(&one.id, 100)))
        );
    }
    out.push_str("</ul>\n");
    out
}

/// A trial of the server itself behind its `name`, which is HTML: title, message and mend, each on lines of its own.
pub(super) fn ordeal(one: &ServerTrial, name: &str) -> String {
    let mut out = format!(
        "{} {name}: {}<p class=\"dim\">{}</p>",
        outcome_chip(one.outcome),
        prose(&one.title, 300),
        prose(&one.message, 2_000)
    );
    if !one.fix.is_empty() {
        let _ = write!(out, "<p class=\"mend\">{}</p>", prose(&one.fix, 600));
    }
    out
}
