//! Layer 3 from the runs of layer 1: times, tokens and money, by tool and by model.
//!
//! Nothing is measured here: the runs carry their milliseconds and tokens. Invalid runs count nowhere, as in layer 1.

use crate::tool::Tool;
use std::collections::BTreeMap;
use verdict_model::behavior::{Behavior, ModelResult, Run, RunOutcome, Tokens};
use verdict_model::telemetry::{Latency, ModelTelemetry, Telemetry, ToolTelemetry};

/// Bytes of JSON that make about one token.
const BYTES: usize = 4;

/// What a model pays: US dollars of some tokens of the model with this id, or nothing where its price is unknown.
pub type Prices<'p> = &'p dyn Fn(&str, &Tokens) -> Option<f64>;

/// What the runs of `layer` took. `tools` are those on offer, in the order of the server's list.
pub fn telemetry(layer: &Behavior, tools: &[Tool], prices: Prices<'_>) -> Telemetry {
    let mut by_name: BTreeMap<&str, Sums> = BTreeMap::new();
    for model in &layer.models {
        for run in valid(model) {
            add(&mut by_name, model, run, prices);
        }
    }
    let mut rows: Vec<ToolTelemetry> = Vec::new();
    for tool in tools {
        let sums = by_name.remove(tool.name()).unwrap_or_default();
        rows.push(sums.row(tool.name(), Some(weight(tool))));
    }
    // What models called and nobody offers comes last.
    rows.extend(by_name.into_iter().map(|(name, sums)| sums.row(name, None)));
    Telemetry {
        tools: rows,
        models: layer
            .models
            .iter()
            .map(|model| of_model(model, prices))
            .collect(),
    }
}

/// What a tool takes in every prompt, in tokens: an estimate from what a model is shown of it.
pub fn weight(tool: &Tool) -> u64 {
    let shown = ["name", "description", "inputSchema"];
    let bytes: usize = shown
        .iter()
        .filter_map(|member| tool.0.get(*member))
        .map(|value| value.to_string().len())
        .sum();
    bytes.div_ceil(BYTES) as u64
}

fn valid(model: &ModelResult) -> impl Iterator<Item = &Run> {
    let runs = model.cases.iter().flat_map(|case| &case.runs);
    runs.filter(|run| run.outcome != RunOutcome::Invalid)
}

/// What is known of one tool.
#[derive(Default)]
struct Sums {
    calls: u64,
    times: Vec<u64>,
    input: Known<u64>,
    output: Known<u64>,
    usd: Known<f64>,
}

/// A sum that is unknown as soon as one part of it is; nothing of no parts.
#[derive(Default)]
struct Known<T> {
    sum: T,
    has_parts: bool,
    has_gaps: bool,
}

impl<T: Copy + std::ops::AddAssign> Known<T> {
    fn add(&mut self, part: Option<T>) {
        match part {
            Some(part) => {
                self.sum += part;
                self.has_parts = true;
            }
            None => self.has_gaps = true,
        }
    }

    fn value(&self) -> Option<T> {
        (self.has_parts && !self.has_gaps).then_some(self.sum)
    }
}

impl Sums {
    fn row(self, name: &str, weight: Option<u64>) -> ToolTelemetry {
        let latency = Latency::of(&self.times);
        ToolTelemetry {
            name: name.to_owned(),
            calls: self.calls,
            timed: latency.count,
            p50_ms: latency.p50_ms,
            p95_ms: latency.p95_ms,
            input_tokens: self.input.value(),
            output_tokens: self.output.value(),
            usd: self.usd.value(),
            weight,
        }
    }
}

/// Adds the calls of a run, its tokens spread evenly over them: the first calls get what cannot be divided.
fn add<'r>(
    by_name: &mut BTreeMap<&'r str, Sums>,
    model: &ModelResult,
    run: &'r Run,
    prices: Prices<'_>,
) {
    let calls = run.calls.len() as u64;
    let (tokens, usd) = paid(model, run, prices);
    for (place, call) in (0_u64..).zip(&run.calls) {
        let sums = by_name.entry(call.tool.as_str()).or_default();
        let part = |whole: u64| whole / calls + u64::from(place < whole % calls);
        sums.calls += 1;
        sums.times.extend(call.ms);
        sums.input.add(tokens.map(|tokens| part(tokens.input)));
        sums.output.add(tokens.map(|tokens| part(tokens.output)));
        sums.usd.add(usd.map(|usd| usd / to_f64(calls)));
    }
}

/// Tokens of a run and what they cost; a baseline reads nothing, writes nothing and costs nothing.
fn paid(model: &ModelResult, run: &Run, prices: Prices<'_>) -> (Option<Tokens>, Option<f64>) {
    if model.is_baseline {
        return (Some(Tokens::default()), Some(0.0));
    }
    let usd = run
        .tokens
        .as_ref()
        .and_then(|tokens| prices(&model.id, tokens));
    (run.tokens, usd)
}

fn of_model(model: &ModelResult, prices: Prices<'_>) -> ModelTelemetry {
    let (mut asked, mut served) = (Vec::new(), Vec::new());
    let (mut input, mut output, mut cost) = (Known::default(), Known::default(), Known::default());
    let (mut runs, mut calls) = (0, 0);
    for run in valid(model) {
        runs += 1;
        calls += run.calls.len() as u64;
        asked.extend(Some(run.ms.model).filter(|ms| *ms > 0));
        if run.calls.iter().any(|call| call.ms.is_some()) {
            served.push(run.ms.server);
        }
        let (tokens, usd) = paid(model, run, prices);
        input.add(tokens.map(|tokens| tokens.input));
        output.add(tokens.map(|tokens| tokens.output));
        cost.add(usd);
    }
    let (asked, served) = (Latency::of(&asked), Latency::of(&served));
    ModelTelemetry {
        id: model.id.clone(),
        runs,
        calls,
        p50_ms: asked.p50_ms,
        p95_ms: asked.p95_ms,
        server_p50_ms: served.p50_ms,
        server_p95_ms: served.p95_ms,
        input_tokens: input.value(),
        output_tokens: output.value(),
        usd: cost.value(),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "calls of a run stay far below 2^52"
)]
fn to_f64(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests;
