//! A report without its raw runs: counts, and where the text of each case stands.

use super::MergeError;
use crate::gate::Counts;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use verdict_model::behavior::{GoldenSet, JudgeResult, Metric, ModelResult, RunOutcome, Standing};
use verdict_model::gate::SessionInfo;
use verdict_model::report::{Conformance, Generator, REPORT_SCHEMA, Source, Target};

/// A piece of a report's text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// Where it begins.
    pub from: usize,
    /// How long it is.
    pub length: usize,
}

/// One report without its raw runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    pub(super) name: String,
    pub(super) generator: Generator,
    pub(super) target: Target,
    pub(super) source: Option<Source>,
    pub(super) conformance: Option<Conformance>,
    pub(super) golden: GoldenSet,
    pub(super) judge: Option<JudgeResult>,
    pub(super) duration_ms: u64,
    pub(super) notes: Vec<String>,
    pub(super) session: SessionInfo,
    pub(super) models: Vec<ModelOutline>,
}

/// One model without its raw runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ModelOutline {
    /// All but its cases and metrics.
    pub(super) about: ModelResult,
    pub(super) cases: Vec<Brief>,
}

/// What is kept of a case.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Brief {
    pub(super) id: String,
    pub(super) slice: Slice,
    /// Of the first pass.
    pub(super) planned: u64,
    pub(super) invalid: u64,
    pub(super) metrics: BTreeMap<Metric, Counts>,
    pub(super) is_fine: bool,
    pub(super) is_red: bool,
}

#[derive(Deserialize)]
struct Sketch<'a> {
    schema: String,
    generator: Generator,
    target: Target,
    #[serde(default)]
    source: Option<Source>,
    #[serde(borrow)]
    layers: SketchLayers<'a>,
    #[serde(default)]
    session: Option<SessionInfo>,
}

#[derive(Deserialize)]
struct SketchLayers<'a> {
    #[serde(default)]
    conformance: Option<Conformance>,
    #[serde(borrow, default)]
    behavior: Option<SketchBehavior<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SketchBehavior<'a> {
    golden: GoldenSet,
    #[serde(borrow)]
    models: Vec<SketchModel<'a>>,
    #[serde(default)]
    judge: Option<JudgeResult>,
    duration_ms: u64,
    #[serde(default)]
    notes: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SketchModel<'a> {
    id: String,
    #[serde(default)]
    is_baseline: bool,
    #[serde(default)]
    served_by: Vec<String>,
    #[serde(borrow)]
    cases: Vec<&'a RawValue>,
    calls: u64,
    #[serde(default)]
    reused: u64,
    #[serde(default)]
    tokens: Option<verdict_model::behavior::Tokens>,
    #[serde(default)]
    usd: Option<f64>,
    #[serde(default)]
    notes: Vec<String>,
}

#[derive(Deserialize)]
struct SketchCase {
    id: String,
    runs: Vec<SketchRun>,
    standing: Standing,
}

#[derive(Deserialize)]
struct SketchRun {
    #[serde(default)]
    wave: u32,
    outcome: RunOutcome,
    scores: BTreeMap<Metric, bool>,
}

impl Outline {
    /// Reads a report; `name` is what errors call it.
    ///
    /// # Errors
    /// It is no report of this version, or one without layer 1.
    pub fn read(name: &str, text: &str) -> Result<Self, MergeError> {
        let malformed = |error: &serde_json::Error| MergeError::Malformed {
            name: name.to_owned(),
            message: error.to_string(),
        };
        let sketch: Sketch = serde_json::from_str(text).map_err(|error| malformed(&error))?;
        if sketch.schema != REPORT_SCHEMA {
            return Err(MergeError::Malformed {
                name: name.to_owned(),
                message: format!(
                    "its schema is {:?}, and not {REPORT_SCHEMA:?}",
                    sketch.schema
                ),
            });
        }
        let (Some(layer), Some(session)) = (sketch.layers.behavior, sketch.session) else {
            return Err(MergeError::NoShard {
                name: name.to_owned(),
            });
        };
        let mut models = Vec::new();
        for model in layer.models {
            let cases = model.cases.iter().map(|raw| brief(text, raw));
            let cases: Result<Vec<Brief>, _> = cases.collect();
            models.push(ModelOutline {
                cases: cases.map_err(|error| malformed(&error))?,
                about: model.about(),
            });
        }
        Ok(Self {
            name: name.to_owned(),
            generator: sketch.generator,
            target: sketch.target,
            source: sketch.source,
            conformance: sketch.layers.conformance,
            golden: layer.golden,
            judge: layer.judge,
            duration_ms: layer.duration_ms,
            notes: layer.notes,
            session,
            models,
        })
    }
}

impl SketchModel<'_> {
    fn about(self) -> ModelResult {
        ModelResult {
            id: self.id,
            is_baseline: self.is_baseline,
            served_by: self.served_by,
            metrics: BTreeMap::new(),
            cases: Vec::new(),
            calls: self.calls,
            reused: self.reused,
            tokens: self.tokens,
            usd: self.usd,
            notes: self.notes,
        }
    }
}

fn brief(text: &str, raw: &RawValue) -> serde_json::Result<Brief> {
    let case: SketchCase = serde_json::from_str(raw.get())?;
    let first = || case.runs.iter().filter(|run| run.wave == 0);
    let mut metrics: BTreeMap<Metric, Counts> = BTreeMap::new();
    for run in first().filter(|run| run.outcome != RunOutcome::Invalid) {
        for (metric, score) in &run.scores {
            let counts = metrics.entry(*metric).or_default();
            *counts = counts.plus(Counts::of([*score]));
        }
    }
    let count = |invalid: bool| {
        let runs = first().filter(|run| !invalid || run.outcome == RunOutcome::Invalid);
        runs.count() as u64
    };
    Ok(Brief {
        slice: Slice {
            // The raw value is a part of the text.
            from: raw.get().as_ptr().addr() - text.as_ptr().addr(),
            length: raw.get().len(),
        },
        planned: count(false),
        invalid: count(true),
        metrics,
        is_fine: case
            .runs
            .iter()
            .all(|run| run.outcome == RunOutcome::Passed),
        is_red: case.standing == Standing::Red,
        id: case.id,
    })
}
