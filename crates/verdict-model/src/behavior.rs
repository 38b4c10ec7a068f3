//! Layer 1 in the report: what models did with the golden set.
//!
//! Raw runs are kept, so that shards are merged without averaging.

mod texts;

pub(crate) use texts::within;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Layer 1: models and the golden set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Behavior {
    /// The golden set that was run.
    pub golden: GoldenSet,
    /// One entry per model.
    pub models: Vec<ModelResult>,
    /// The judge, where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeResult>,
    /// Milliseconds from the first call to the last score.
    pub duration_ms: u64,
    /// What a reader has to know, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Behavior {
    /// Shows `change` every text that a server, a model, a user or an environment may have put in.
    ///
    /// Fields are named one by one, so that a new one is not forgotten here.
    pub fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        let Self {
            golden,
            models,
            judge,
            duration_ms: _,
            notes,
        } = self;
        change(&mut golden.path);
        if let Some(judge) = judge {
            change(&mut judge.id);
            judge.unfit.iter_mut().for_each(&mut *change);
        }
        notes.iter_mut().for_each(&mut *change);
        for model in models {
            model.texts(change);
        }
    }
}

/// The golden set that was run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GoldenSet {
    /// Its file.
    pub path: String,
    /// Hash over all cases, in hexadecimal.
    pub hash: String,
    /// How many cases it has; those that were left out by `--case` or `--shard` included.
    pub cases: u64,
}

/// What one model did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ModelResult {
    /// As the user named it.
    pub id: String,
    /// No language model, but our own ranking by words: a baseline, shown as one everywhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_baseline: bool,
    /// The names and fingerprints under which the provider answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub served_by: Vec<String>,
    /// By metric key; a metric that no run defines is absent.
    pub metrics: BTreeMap<Metric, Rate>,
    /// In the order of the set.
    pub cases: Vec<CaseResult>,
    /// Calls of the model.
    pub calls: u64,
    /// Of these, answered from the cache.
    #[serde(default)]
    pub reused: u64,
    /// Tokens of the calls that were paid for in this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// US dollars of the calls that were paid for in this session; absent where a price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// What was changed for this model's provider (names, schemas, sampling), in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The model that judged, and how it did itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct JudgeResult {
    /// As the user named it.
    pub id: String,
    /// Hash over the words in which it was asked, in hexadecimal: with other words, judged metrics are others.
    pub prompt_hash: String,
    /// Path of each rubric, and the hash over its file.
    pub rubrics: BTreeMap<String, String>,
    /// Why it may not judge: it failed a question whose answer is known. Nothing was judged then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfit: Option<String>,
    /// Answers of it that were none; they count against no model.
    pub failures: u64,
    /// Calls of it.
    pub calls: u64,
    /// Of these, answered from the cache.
    #[serde(default)]
    pub reused: u64,
    /// Tokens of the calls that were paid for in this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// US dollars of the calls that were paid for in this session; absent where a price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
}

/// What is measured of a run; the keys are promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Metric {
    /// The right tool, or rightly none, of all runs.
    Selection,
    /// A call where none was wanted, of the runs of such cases: the smaller the better.
    OverTrigger,
    /// Right arguments, of the runs that chose rightly.
    Arguments,
    /// The right order, of the runs of sequences.
    Order,
    /// The rubric met, of the runs that were judged.
    Completion,
    /// Arguments that the tool's schema accepts, of the runs that called a tool on offer.
    Schema,
}

impl Metric {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 6] = [
        Self::Selection,
        Self::OverTrigger,
        Self::Arguments,
        Self::Order,
        Self::Completion,
        Self::Schema,
    ];

    /// The key in reports.
    pub fn key(self) -> &'static str {
        match self {
            Self::Selection => "selection",
            Self::OverTrigger => "overTrigger",
            Self::Arguments => "arguments",
            Self::Order => "order",
            Self::Completion => "completion",
            Self::Schema => "schema",
        }
    }
}

/// How often something was so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rate {
    /// How often it was so.
    pub count: u64,
    /// Of how many runs.
    pub of: u64,
    /// `count` divided by `of`; absent when `of` is 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// 95 % interval of the rate, "this suite again".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

/// How strictly a case is held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// 5 of 5.
    Hard,
    /// At least 4 of 5.
    #[default]
    Soft,
    /// Must not happen in any run.
    Never,
}

/// What one model did with one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CaseResult {
    /// The case's id.
    pub id: String,
    /// How strictly it is held.
    pub kind: Kind,
    /// Hash over prompt and expectations, in hexadecimal: another hash is another case.
    pub hash: String,
    /// The prompt.
    pub prompt: String,
    /// What was expected, in words.
    pub expected: String,
    /// Words to choose cases by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Where the case stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<crate::report::Location>,
    /// Every run, first pass and confirmations, in the order of their indices.
    pub runs: Vec<Run>,
    /// Passed runs of the valid runs of the first pass; absent where there is none.
    pub pass_rate: Option<f64>,
    /// 95 % Wilson interval of the pass rate.
    pub interval: Option<[f64; 2]>,
    /// How the case stands against its own target.
    pub standing: Standing,
    /// Where wrong tools were chosen: which descriptions collide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collisions: Vec<Collision>,
    /// What to mend: the description, the case, or nothing. Empty where every run passed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub advice: String,
}

/// How a case stands against its own target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// The target is met.
    Met,
    /// Missed, and not red: some runs failed.
    Unstable,
    /// Missed for good: the case fails the run.
    Red,
    /// Too few valid runs to say.
    #[default]
    Unknown,
}

/// One attempt of a model at a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// From 0; confirmations go on counting.
    pub index: u32,
    /// 0 for the first pass, then the round of confirmation.
    #[serde(default)]
    pub wave: u32,
    /// How it ended.
    pub outcome: RunOutcome,
    /// What was measured; a metric that this run does not define is absent. For `overTrigger`, true is bad.
    pub scores: BTreeMap<Metric, bool>,
    /// The calls the model made, in order.
    pub calls: Vec<CallMade>,
    /// What differed from what was expected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// Who failed, and how, where the run was not simply scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<RunFault>,
    /// The model's last words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// The judge's words, one a criterion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<Criterion>,
    /// Model calls of the run.
    pub turns: u32,
    /// Tokens of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// Where its milliseconds went.
    #[serde(default)]
    pub ms: Spent,
    /// All its model answers came from the cache.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reused: bool,
    /// File name of the transcript beside the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RunOutcome {
    /// All its gating checks passed.
    Passed,
    /// One did not; the model's doing.
    Failed,
    /// Not a run: the provider, the server or ourselves failed. Never counted against the model.
    Invalid,
}

/// Who failed, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunFault {
    /// Whose doing it is.
    pub who: Who,
    /// One of a few words: `cut-off`, `refused`, `filtered`, `empty`, `bad-arguments`, `unknown-tool`,
    /// `call-as-text`, `turn-limit`, `overloaded`, `rate-limit`, `no-answer`, …
    pub what: String,
    /// What happened.
    pub message: String,
}

/// Whose doing a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Who {
    /// The model under test.
    Model,
    /// Whoever serves the model.
    Provider,
    /// The server under test.
    Server,
    /// The model that judges.
    Judge,
    /// Ourselves, or the budget.
    Harness,
}

/// A call that the model made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CallMade {
    /// The tool, under the server's own name where it is one on offer.
    pub tool: String,
    /// Its arguments; the text as the model wrote it where it is no JSON object.
    pub arguments: Value,
    /// Where the result came from; absent where the call was not answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_from: Option<ResultFrom>,
    /// The tool said that it failed, or the call was refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// The model's turn it was made in, from 0: calls of one turn are parallel.
    #[serde(default)]
    pub turn: u32,
    /// Milliseconds until the server under test answered; absent where it was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
}

/// Where a tool's result came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ResultFrom {
    /// The server under test.
    Live,
    /// The golden set.
    Canned,
    /// Made up from the output schema.
    Synthetic,
    /// Ourselves: the tool is not on offer, or the arguments are no object.
    Harness,
}

/// What differed from what was expected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// The metric it breaks.
    pub metric: Metric,
    /// The tool it is about, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// JSON Pointer into the arguments, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// What was expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Value>,
    /// What came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual: Option<Value>,
    /// The reason, in words.
    pub message: String,
}

/// One criterion of a rubric, as the judge saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Criterion {
    /// The criterion.
    pub criterion: String,
    /// Whether it is met.
    pub met: bool,
    /// What the judge quotes from the transcript.
    pub evidence: String,
}

/// Two tools that a model took for one another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Collision {
    /// The right tool.
    pub expected: String,
    /// The one that was called.
    pub called: String,
    /// In how many runs.
    pub runs: u64,
    /// Words of the prompt and of both descriptions that they share, weightiest first.
    pub shared: Vec<String>,
}

/// Tokens of calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Tokens {
    /// Read by the model, cached ones included.
    pub input: u64,
    /// Of these, from the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// Of these, written to the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// Written by the model, reasoning included.
    pub output: u64,
    /// Of these, spent on reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
}

impl Tokens {
    /// The sum of two; a part is unknown where it is unknown in both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let add = |one: Option<u64>, two: Option<u64>| match (one, two) {
            (None, None) => None,
            _ => Some(one.unwrap_or(0).saturating_add(two.unwrap_or(0))),
        };
        Self {
            input: self.input.saturating_add(other.input),
            cached: add(self.cached, other.cached),
            cache_write: add(self.cache_write, other.cache_write),
            output: self.output.saturating_add(other.output),
            reasoning: add(self.reasoning, other.reasoning),
        }
    }
}

/// Where milliseconds went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spent {
    /// In calls of the model.
    pub model: u64,
    /// In calls of the server.
    pub server: u64,
}
