//! What several formats say of layer 3: the rows of its two tables.

use crate::words;
use verdict_model::Report;
use verdict_model::telemetry::{ModelTelemetry, Telemetry, ToolTelemetry};

/// The columns behind a name; the last one is of tools alone.
pub(crate) const COLUMNS: [&str; 7] = [
    "calls",
    "p50",
    "p95",
    "tokens in",
    "out",
    "USD",
    "in every prompt",
];

/// How the tables are to be read.
pub(crate) const LEGEND: &str = "Times of tools are those of live calls, times of models those of a whole run. Tokens of a run are spread evenly over its calls; dollars are tokens at list price, reused answers too. What a tool takes in every prompt is a quarter of its listing's bytes.";

/// Layer 3, where it was run.
pub(crate) fn telemetry(report: &Report) -> Option<&Telemetry> {
    report.layers.telemetry.as_ref()
}

/// The tools that were called, most calls first, then the others.
pub(crate) fn tools(telemetry: &Telemetry) -> Vec<&ToolTelemetry> {
    let mut tools: Vec<_> = telemetry.tools.iter().collect();
    tools.sort_by_key(|tool| std::cmp::Reverse(tool.calls));
    tools
}

/// The cells of a tool.
pub(crate) fn of_tool(tool: &ToolTelemetry) -> [String; 7] {
    [
        words::number(tool.calls),
        words::milliseconds(tool.p50_ms),
        words::milliseconds(tool.p95_ms),
        known(tool.input_tokens),
        known(tool.output_tokens),
        if tool.calls == 0 {
            known(None)
        } else {
            dollars(tool.usd)
        },
        known(tool.weight),
    ]
}

/// The cells of a model.
pub(crate) fn of_model(model: &ModelTelemetry) -> [String; 7] {
    [
        words::number(model.calls),
        words::milliseconds(model.p50_ms),
        words::milliseconds(model.p95_ms),
        known(model.input_tokens),
        known(model.output_tokens),
        dollars(model.usd),
        String::new(),
    ]
}

/// A number, or a dash where it is not known.
pub(crate) fn known(number: Option<u64>) -> String {
    number.map_or_else(|| "–".to_owned(), words::number)
}

/// US dollars; a price that is not known is no zero.
pub(crate) fn dollars(usd: Option<f64>) -> String {
    usd.map_or_else(|| "unknown".to_owned(), |usd| format!("{usd:.4}"))
}
