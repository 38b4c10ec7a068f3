//! How long models and tools took, how many tokens went through, and what it cost.

use super::piece::{columns, numbers, text};
use super::plot;
use crate::behavior::model_names;
use crate::telemetry::{self, COLUMNS, LEGEND, dollars, known, of_tool};
use crate::words;
use std::fmt::Write as _;
use verdict_model::Report;
use verdict_model::behavior::{Behavior, ModelResult, Run, RunOutcome, Tokens};
use verdict_model::telemetry::{Latency, Telemetry};

/// Tools in the table: those that were called most.
const TOOLS: usize = 40;

pub(super) fn section(report: &Report, layer: &Behavior) -> String {
    let mut out = latencies(layer);
    out.push_str(&spent(layer));
    if let Some(telemetry) = &report.layers.telemetry {
        out.push_str(&tools(telemetry));
    }
    out
}

/// Milliseconds of the model in each run in which it was asked over the network.
fn samples(model: &ModelResult) -> Vec<u64> {
    let runs = model.cases.iter().flat_map(|case| &case.runs);
    let is_timed = |run: &&Run| run.outcome != RunOutcome::Invalid && run.ms.model > 0;
    runs.filter(is_timed).map(|run| run.ms.model).collect()
}

fn latencies(layer: &Behavior) -> String {
    let timed: Vec<_> = layer
        .models
        .iter()
        .zip(model_names(&layer.models))
        .map(|(model, name)| (name, samples(model)))
        .filter(|(_, samples)| !samples.is_empty())
        .collect();
    let longest = timed.iter().flat_map(|(_, samples)| samples).max();
    let Some(longest) = longest.copied() else {
        return "<p class=\"dim\">No model was asked over a network, so there is no time to show.</p>\n".to_owned();
    };
    let mut out = format!(
        "<h3>Time of the model in a run</h3>\n<div class=\"wide\"><table class=\"times\">\n<thead><tr>\
         <th scope=\"col\">Model</th><th scope=\"col\"><div class=\"scale\"><span>0</span><span>{}</span></div></th>\
         <th scope=\"col\" class=\"number\">p50</th><th scope=\"col\" class=\"number\">p95</th>\
         <th scope=\"col\" class=\"number\">runs</th></tr></thead>\n<tbody>\n",
        words::duration(longest)
    );
    for (name, samples) in timed {
        let latency = Latency::of(&samples);
        let marks: Vec<_> = [latency.p50_ms, latency.p95_ms]
            .into_iter()
            .flatten()
            .collect();
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>",
            text(&name, 100),
            plot::histogram(&samples, longest, &marks),
            words::milliseconds(latency.p50_ms),
            words::milliseconds(latency.p95_ms),
            words::number(latency.count)
        );
    }
    out.push_str("</tbody></table></div>\n<p class=\"dim\">The lines are p50 and p95. Runs whose answers were kept from before count with the time they took then.</p>\n");
    out
}

fn spent(layer: &Behavior) -> String {
    let names = model_names(&layer.models);
    let models = layer.models.iter().zip(&names);
    let rows = models.map(|(model, name)| {
        let cost = (model.tokens, model.usd);
        paid(name, model.calls, model.reused, cost)
    });
    let judge = layer.judge.iter().map(|judge| {
        let cost = (judge.tokens, judge.usd);
        paid(
            &format!("judge: {}", judge.id),
            judge.calls,
            judge.reused,
            cost,
        )
    });
    format!(
        "<h3>Tokens and cost</h3>\n<div class=\"wide\"><table>\n{}<tbody>\n{}</tbody></table></div>\n\
         <p class=\"dim\">Paid for in this run; what was reused cost nothing again.</p>\n",
        columns("Model", &["calls", "reused", "tokens in", "out", "USD"]),
        rows.chain(judge).collect::<String>()
    )
}

fn paid(
    name: &str,
    calls: u64,
    reused: u64,
    (tokens, usd): (Option<Tokens>, Option<f64>),
) -> String {
    let values = [
        words::number(calls),
        words::number(reused),
        known(tokens.map(|tokens| tokens.input)),
        known(tokens.map(|tokens| tokens.output)),
        dollars(usd),
    ];
    numbers(name, &values)
}

fn tools(telemetry: &Telemetry) -> String {
    let ordered = telemetry::tools(telemetry);
    let rows = ordered.iter().take(TOOLS);
    let rows = rows.map(|tool| numbers(&tool.name, &of_tool(tool)));
    let mut out = format!(
        "<h3>Tools</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Tools\">\
         <table>\n{}<tbody>\n{}</tbody></table></div>\n",
        columns("Tool", &COLUMNS),
        rows.collect::<String>()
    );
    if ordered.len() > TOOLS {
        let more = words::number(ordered.len() - TOOLS);
        let _ = writeln!(
            out,
            "<p class=\"dim\">{more} more tools; the JSON report has all.</p>"
        );
    }
    let _ = writeln!(out, "<p class=\"dim\">{LEGEND}</p>");
    out
}
