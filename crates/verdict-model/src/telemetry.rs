//! Layer 3 in the report: how long calls took, how many tokens went through, what that costs.

use serde::{Deserialize, Serialize};

/// Layer 3: what the runs of layer 1 took.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Telemetry {
    /// One entry per tool that is on offer or was called, in the order of the server's list.
    pub tools: Vec<ToolTelemetry>,
    /// One entry per model, in the order of layer 1.
    pub models: Vec<ModelTelemetry>,
}

impl Telemetry {
    /// Shows `change` every text that a server, a model, a user or an environment may have put in.
    pub fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        let Self { tools, models } = self;
        for tool in tools {
            change(&mut tool.name);
        }
        for model in models {
            change(&mut model.id);
        }
    }
}

/// One tool, over all models.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolTelemetry {
    /// Its name.
    pub name: String,
    /// Calls that models made of it, answered by whomever.
    pub calls: u64,
    /// Of these, answered by the live server, their time measured: what the percentiles are made of.
    pub timed: u64,
    /// Median of the milliseconds of a live call; absent where none was timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<f64>,
    /// 95th percentile of the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<f64>,
    /// Tokens read by models in the runs that called it; each run's are spread evenly over its calls. Absent where
    /// a run does not say how many it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens written by models, spread in the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// US dollars for these tokens at the price of each model, reused answers too; absent where a price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// Tokens that its listing takes in every prompt, estimated as a quarter of its bytes; absent where the tool is not
    /// on offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<u64>,
}

/// One model, over all its valid runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ModelTelemetry {
    /// As the user named it.
    pub id: String,
    /// Its valid runs.
    pub runs: u64,
    /// Calls of tools in them.
    pub calls: u64,
    /// Median of the model's milliseconds in a run; absent where it was not asked over a network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<f64>,
    /// 95th percentile of the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<f64>,
    /// Median of the server's milliseconds in a run, of the runs that called it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_p50_ms: Option<f64>,
    /// 95th percentile of the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_p95_ms: Option<f64>,
    /// Tokens read in its runs, reused answers too; absent where a run does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens written in the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// US dollars for these tokens at its price; absent where the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
}

/// Percentiles of milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Latency {
    /// How many samples there are.
    pub count: u64,
    /// The median.
    pub p50_ms: Option<f64>,
    /// The 95th percentile.
    pub p95_ms: Option<f64>,
}

impl Latency {
    /// The percentiles of `samples`, in any order; absent where there are none.
    pub fn of(samples: &[u64]) -> Self {
        let mut sorted = samples.to_vec();
        sorted.sort_unstable();
        Self {
            count: sorted.len() as u64,
            p50_ms: percentile(&sorted, 50),
            p95_ms: percentile(&sorted, 95),
        }
    }
}

/// The `percent`th percentile of sorted samples, exact: linear between the two samples around position
/// `(n - 1) * percent / 100` (type 7 of Hyndman and Fan, the default of R and of `numpy.percentile`). Nothing of no samples; `percent`
/// above 100 is the largest.
pub fn percentile(sorted: &[u64], percent: u8) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    // In hundredths of a place, whole numbers: nothing is lost before the last step.
    let place = last * usize::from(percent.min(100));
    let low = to_f64(*sorted.get(place / 100)?);
    let high = sorted
        .get(place / 100 + 1)
        .map_or(low, |sample| to_f64(*sample));
    let part = to_f64((place % 100) as u64) / 100.0;
    Some(low + (high - low) * part)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "milliseconds beyond 2^53 are longer than mankind"
)]
fn to_f64(number: u64) -> f64 {
    number as f64
}
