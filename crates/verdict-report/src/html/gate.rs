//! The gate: what moved since the baseline, what got worse, and why.

use super::piece::{chip, prose, text};
use super::{matrix, plot};
use crate::behavior::percent;
use crate::gate::{against, cause, figure, grounds, interval, meaning, metric, points};
use crate::words;
use std::fmt::Write as _;
use verdict_model::Report;
use verdict_model::gate::{Decision, Gate, MetricChange, Regression};

/// Regressions that are told.
const MOST: usize = 100;
/// Bytes of a change's two descriptions.
const DETAIL: usize = 4_000;

pub(super) fn section(report: &Report, gate: &Gate) -> String {
    let mut out = format!(
        "<p>{} {}, {}.</p>\n<ul class=\"plain\">\n",
        decided(gate.decision),
        meaning(gate.decision),
        text(&against(gate), 200)
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
    out.push_str(&metrics(gate));
    out.push_str(&regressions(report, gate));
    if !gate.notes.is_empty() {
        out.push_str("<ul class=\"plain dim\">\n");
        for note in gate.notes.iter().take(20) {
            let _ = writeln!(out, "<li>{}</li>", prose(note, 900));
        }
        out.push_str("</ul>\n");
    }
    out
}

fn decided(decision: Decision) -> String {
    let class = match decision {
        Decision::Pass => "pass",
        Decision::Fail => "fail",
        Decision::Warn => "warn",
        Decision::Learning => "info",
        Decision::Incomplete => "error",
    };
    chip(class, decision.word())
}

/// Each metric then and now, on one scale.
fn metrics(gate: &Gate) -> String {
    let both = gate
        .per_metric
        .iter()
        .filter(|change| change.delta.is_some());
    let rows: String = both.map(row).collect();
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

fn row(change: &MetricChange) -> String {
    let picture = match (change.was, change.now) {
        (Some(was), Some(now)) => plot::change(was, now, change.interval),
        _ => String::new(),
    };
    format!(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}<small>{}</small></td>\
         <td class=\"number\">{}</td><td>{}</td><td>{picture}</td></tr>\n",
        text(&change.model, 120),
        metric(change),
        percent(change.was),
        percent(change.now),
        interval(change),
        change.delta.map_or_else(String::new, points),
        decided(change.decision)
    )
}

fn regressions(report: &Report, gate: &Gate) -> String {
    if gate.regressions.is_empty() {
        return String::new();
    }
    let mut out = "<h3>What got worse</h3>\n<ol class=\"first\">\n".to_owned();
    for regression in gate.regressions.iter().take(MOST) {
        out.push_str(&told(report, regression));
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

fn told(report: &Report, regression: &Regression) -> String {
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
        text(&regression.model, 120),
        percent(regression.was),
        percent(regression.now),
        cause(regression)
    )
}
