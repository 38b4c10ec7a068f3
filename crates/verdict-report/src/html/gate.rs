//! The gate: what moved since the baseline, what got worse, and why.

use super::piece::{chip, counted, prose, text};
use super::{matrix, plot};
use crate::behavior::percent;
use crate::gate::{cause, figure, grounds, interval, meaning, metric, names, points};
use crate::words;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use verdict_model::Report;
use verdict_model::gate::{Decision, Gate, MetricChange, Regression};

/// Regressions that are told.
const MOST: usize = 100;
/// Bytes of a change's two descriptions.
const DETAIL: usize = 4_000;

pub(super) fn section(report: &Report, gate: &Gate) -> String {
    let names = names(report, gate);
    let mut out = format!(
        "<p>{} {}.</p>\n<ul class=\"plain\">\n",
        decided(gate.decision),
        text(&meaning(report, gate), 300)
    );
    for model in gate.models.iter().take(20) {
        let _ = writeln!(
            out,
            "<li>{} <b>{}</b> {}</li>",
            decided(model.decision),
            text(&model.model, 120),
            prose(&grounds(gate, model), 900)
        );
    }
    out.push_str("</ul>\n");
    out.push_str(&metrics(gate, &names));
    out.push_str(&regressions(report, gate, &names));
    out.push_str(&trend(gate, &names));
    if !gate.notes.is_empty() {
        out.push_str("<ul class=\"plain dim\">\n");
        for note in gate.notes.iter().take(20) {
            let _ = writeln!(out, "<li>{}</li>", prose(note, 900));
        }
        out.push_str("</ul>\n");
    }
    out
}

/// Short names of models, by their ids.
type Names<'r> = BTreeMap<&'r str, String>;

/// The short name of a model, safe; its id where it has none.
fn short(names: &Names<'_>, id: &str) -> String {
    text(names.get(id).map_or(id, String::as_str), 120)
}

fn decided(decision: Decision) -> String {
    chip(class(decision), decision.word())
}

fn class(decision: Decision) -> &'static str {
    match decision {
        Decision::Pass => "pass",
        Decision::Fail => "fail",
        Decision::Warn => "warn",
        Decision::Learning => "info",
        Decision::Incomplete => "error",
    }
}

/// The scores of earlier runs and of this one, a line for each model.
fn trend(gate: &Gate, names: &Names<'_>) -> String {
    let rows: String = gate.models.iter().take(20).filter_map(|model| {
        let before = gate.trend.iter().filter(|night| night.model == model.model);
        let before: Vec<_> = before.filter_map(|night| Some((night.score?, night))).collect();
        let now = model.score?;
        let (first, lowest) = (before.first()?, before.iter().map(|(score, _)| *score).fold(now, f64::min));
        let points: Vec<_> = before
            .iter()
            .map(|(score, night)| (*score, night.decision))
            .chain([(now, model.decision)])
            .map(|(score, decision)| (score, class(decision)))
            .collect();
        Some(format!(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
            short(names, &model.model),
            plot::line(&points),
            percent(Some(first.0)),
            percent(Some(lowest)),
            percent(Some(now))
        ))
    }).collect();
    if rows.is_empty() {
        return rows;
    }
    let nights = gate.trend.len();
    let days: Vec<&str> = gate
        .trend
        .iter()
        .filter_map(|night| night.at.as_deref()?.get(..10))
        .collect();
    let since = days.iter().min().map_or_else(String::new, |day| {
        format!(", the first on {}", text(day, 20))
    });
    format!(
        "<h3>Night after night</h3>\n<div class=\"wide\"><table class=\"times\">\n<thead><tr><th scope=\"col\">Model</th>\
         <th scope=\"col\">score, from the lowest to the highest</th><th scope=\"col\" class=\"number\">first</th>\
         <th scope=\"col\" class=\"number\">lowest</th><th scope=\"col\" class=\"number\">now</th></tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n\
         <p class=\"dim\">{} before this one{since}. A ring is a run that failed or warned, the last dot is this run.</p>\n",
        counted(nights as u64, "run")
    )
}

/// Each metric then and now, on one scale.
fn metrics(gate: &Gate, names: &Names<'_>) -> String {
    let both = gate
        .per_metric
        .iter()
        .filter(|change| change.delta.is_some());
    let rows: String = both.map(|change| row(change, names)).collect();
    if rows.is_empty() {
        return rows;
    }
    format!(
        "<h3>Then and now</h3>\n<div class=\"wide\"><table class=\"rates\">\n<thead><tr><th scope=\"col\">Model</th>\
         <th scope=\"col\">Metric</th><th scope=\"col\" class=\"number\">was</th><th scope=\"col\" class=\"number\">now</th>\
         <th scope=\"col\" class=\"number\">change</th><th scope=\"col\">says</th>\
         <th scope=\"col\"><div class=\"scale\"><span>0</span><span>100 %</span></div></th></tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n\
         <p class=\"dim\">The ring is then, the dot is now, the line its 95 % interval for the same cases on another night. \
         Every metric is told so that less is worse.</p>\n"
    )
}

fn row(change: &MetricChange, names: &Names<'_>) -> String {
    let picture = match (change.was, change.now) {
        (Some(was), Some(now)) => plot::change(was, now, change.interval),
        _ => String::new(),
    };
    format!(
        "<tr><th scope=\"row\">{}</th><td class=\"metric\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}<small>{}</small></td>\
         <td class=\"number\">{}</td><td>{}</td><td>{picture}</td></tr>\n",
        short(names, &change.model),
        metric(change),
        percent(change.was),
        percent(change.now),
        interval(change),
        change.delta.map_or_else(String::new, points),
        decided(change.decision)
    )
}

fn regressions(report: &Report, gate: &Gate, names: &Names<'_>) -> String {
    if gate.regressions.is_empty() {
        return String::new();
    }
    let mut out = "<h3>What got worse</h3>\n<ol class=\"first\">\n".to_owned();
    for regression in gate.regressions.iter().take(MOST) {
        out.push_str(&told(report, regression, names));
    }
    out.push_str("</ol>\n");
    let more = gate.regressions.len().saturating_sub(MOST);
    if more > 0 {
        let more = words::number(more);
        let _ = writeln!(
            out,
            "<p class=\"dim\">{more} more; the JSON report has all.</p>"
        );
    }
    out
}

fn told(report: &Report, regression: &Regression, names: &Names<'_>) -> String {
    let anchor = matrix::anchor(report, &regression.case);
    let ratio = regression.ratio.map_or_else(String::new, |ratio| {
        format!(" <small>{} : 1</small>", figure(ratio))
    });
    let red = if regression.red {
        chip("fail", "red")
    } else {
        String::new()
    };
    let detail = regression
        .cause_detail
        .as_deref()
        .map_or_else(String::new, |detail| {
            format!("<p class=\"mend\">{}</p>", prose(detail, DETAIL))
        });
    format!(
        "<li>{red} <a href=\"#{anchor}\"><b>{}</b></a> on {}: {} → {}, {}{ratio}{detail}</li>\n",
        text(&regression.case, 120),
        short(names, &regression.model),
        percent(regression.was),
        percent(regression.now),
        cause(regression)
    )
}
