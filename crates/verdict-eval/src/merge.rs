//! Joins the reports of sharded jobs into the one that a single job would have written.
//!
//! Raw runs are never read into memory: of each case its counts are kept and where its text stands in its report, so a
//! million runs take no more room than their cases. The program copies the texts; what is around them is made here.

mod belong;
mod outline;

pub use belong::MergeError;
pub use outline::{Outline, Slice};

use crate::score::rates;
use belong::ordered;
use outline::Brief;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use verdict_model::behavior::{Behavior, JudgeResult, ModelResult, Tokens};
use verdict_model::gate::Shard;
use verdict_model::report::{Layers, Report};
use verdict_model::{Verdict, report};

/// Valid first-pass runs below which a case says nothing, where as many were planned.
const LEAST: u64 = 3;

/// Which part of a job a case belongs to, from 1 to `of`: by its id alone, so that new cases move no others.
pub fn part_of(id: &str, of: u32) -> u32 {
    let hash = verdict_core::fnv(id.as_bytes()) % u64::from(of.max(1));
    u32::try_from(hash).unwrap_or(0) + 1
}

/// A joined report, but for the texts of its cases.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// The report; in place of each model's cases stands one of `marks`.
    pub report: Value,
    /// What stands in place of the cases, one a model; a text that nothing else in the report holds.
    pub marks: Vec<String>,
    /// The cases of each model in the order of the set: which report, and where in its text.
    pub cases: Vec<Vec<(usize, Slice)>>,
    /// The verdict of the joined report.
    pub verdict: Verdict,
}

/// Joins reports, in whatever order they come.
///
/// # Errors
/// Why they are not the parts of one job, with the names of the files.
pub fn merge(outlines: &[Outline]) -> Result<Merged, MergeError> {
    let (order, places) = ordered(outlines)?;
    let parts: Vec<&Outline> = order.iter().map(|at| &outlines[*at]).collect();
    let first = parts[0];
    let models = (0..first.models.len()).map(|model| {
        let briefs: Vec<&Brief> = places
            .iter()
            .map(|(part, place)| &parts[*part].models[model].cases[*place])
            .collect();
        joined(&parts, model, &briefs)
    });
    let models: Vec<ModelResult> = models.collect();
    let (verdict, summary) = said(&parts);
    let layer = Behavior {
        golden: first.golden.clone(),
        judge: judge(&parts),
        duration_ms: parts.iter().map(|part| part.duration_ms).sum(),
        notes: union(parts.iter().map(|part| &part.notes)),
        models,
    };
    let mut session = first.session.clone();
    session.shard = None;
    session.at = parts
        .iter()
        .filter_map(|part| part.session.at.clone())
        .min();
    let mut target = first.target.clone();
    let info = parts
        .iter()
        .find_map(|part| part.target.server_info.clone());
    target.server_info = info;
    let conformance = parts.iter().find_map(|part| part.conformance.clone());
    let verdict = match conformance
        .as_ref()
        .map(|layer| report::Verdict::of(&layer.checks, false))
    {
        Some(other) => crate::verdict::both(verdict, other),
        None => verdict,
    };
    let whole = Report {
        source: first.source.clone(),
        session: Some(session),
        ..Report::new(
            first.generator.clone(),
            verdict,
            summary,
            target,
            Layers {
                conformance,
                behavior: Some(layer),
                // Percentiles of parts do not add up to those of the whole.
                telemetry: None,
                // Trials are not made in parts.
                resilience: None,
            },
        )
    };
    let cases = (0..first.models.len()).map(|model| {
        places
            .iter()
            .map(|(part, place)| (order[*part], parts[*part].models[model].cases[*place].slice))
            .collect()
    });
    let cases = cases.collect();
    let (report, marks) = marked(&whole)?;
    Ok(Merged {
        report,
        marks,
        cases,
        verdict,
    })
}

/// The report with a mark in place of each model's cases.
fn marked(whole: &Report) -> Result<(Value, Vec<String>), MergeError> {
    let encoded = |error: serde_json::Error| MergeError::Malformed {
        name: "the joined report".to_owned(),
        message: error.to_string(),
    };
    let mut report = serde_json::to_value(whole).map_err(encoded)?;
    let text = report.to_string();
    let mut marks = Vec::new();
    let models = report.pointer_mut("/layers/behavior/models");
    for model in models.and_then(Value::as_array_mut).into_iter().flatten() {
        let number = marks.len();
        let mut salt = 0_u32;
        let mark = loop {
            let mark = format!("cases of model {number} ({salt})");
            if !text.contains(&mark) {
                break mark;
            }
            salt += 1;
        };
        model["cases"] = json!(mark);
        marks.push(mark);
    }
    Ok((report, marks))
}

fn joined(parts: &[&Outline], model: usize, briefs: &[&Brief]) -> ModelResult {
    let all = || parts.iter().map(|part| &part.models[model].about);
    let about = &parts[0].models[model].about;
    let served: BTreeSet<String> = all().flat_map(|about| about.served_by.clone()).collect();
    // A part without a case asked nothing, and nothing costs nothing.
    let priced = all().all(|about| about.usd.is_some() || about.calls == 0);
    let any = all().any(|about| about.usd.is_some());
    ModelResult {
        id: about.id.clone(),
        is_baseline: about.is_baseline,
        served_by: served.into_iter().collect(),
        metrics: rates(|metric| {
            let counts = briefs.iter().map(|brief| brief.metrics.get(&metric));
            counts
                .map(|counts| counts.copied().unwrap_or_default())
                .collect()
        }),
        cases: Vec::new(),
        calls: all().map(|about| about.calls).sum(),
        reused: all().map(|about| about.reused).sum(),
        tokens: tokens(all().map(|about| about.tokens)),
        usd: (priced && any).then(|| all().filter_map(|about| about.usd).sum()),
        notes: union(all().map(|about| &about.notes)),
    }
}

fn tokens(all: impl Iterator<Item = Option<Tokens>>) -> Option<Tokens> {
    all.flatten().reduce(Tokens::plus)
}

/// Every sentence once, in the order of the parts.
fn union<'a>(notes: impl Iterator<Item = &'a Vec<String>>) -> Vec<String> {
    let mut told = Vec::new();
    for note in notes.flatten() {
        if !told.contains(note) {
            told.push(note.clone());
        }
    }
    told
}

fn judge(parts: &[&Outline]) -> Option<JudgeResult> {
    let all = || parts.iter().filter_map(|part| part.judge.as_ref());
    let mut judge = all().next()?.clone();
    judge.unfit = all().find_map(|judge| judge.unfit.clone());
    judge.failures = all().map(|judge| judge.failures).sum();
    judge.calls = all().map(|judge| judge.calls).sum();
    judge.reused = all().map(|judge| judge.reused).sum();
    judge.tokens = tokens(all().map(|judge| judge.tokens));
    let priced = all().all(|judge| judge.usd.is_some());
    judge.usd = priced.then(|| all().filter_map(|judge| judge.usd).sum());
    Some(judge)
}

/// The verdict on first passes alone, and its sentence: what is red without confirmation fails, as in one job.
fn said(parts: &[&Outline]) -> (Verdict, String) {
    let models = || parts.iter().flat_map(|part| &part.models);
    let (mut planned, mut invalid, mut starved, mut all, mut fine) = (0, 0, false, 0_u64, 0_u64);
    let mut red = Vec::new();
    for model in models() {
        for case in &model.cases {
            planned += case.planned;
            invalid += case.invalid;
            starved |= case.planned - case.invalid < LEAST.min(case.planned.max(1));
            all += 1;
            fine += u64::from(case.is_fine);
            if case.is_red && !model.about.is_baseline {
                red.push((case.id.as_str(), model.about.id.as_str()));
            }
        }
    }
    red.sort_unstable();
    if let Some((case, model)) = red.first() {
        let summary = format!(
            "Golden cases that are red: {}; start with {case} on {model}.",
            red.len()
        );
        return (Verdict::Fail, summary);
    }
    let unfit = parts
        .iter()
        .find_map(|part| part.judge.as_ref()?.unfit.as_ref());
    if planned == invalid || starved || invalid * 10 > planned {
        let summary = format!("{invalid} of {planned} runs are no runs.");
        return (Verdict::None, summary);
    }
    if let Some(why) = unfit {
        return (Verdict::None, format!("{why}; completion was not judged."));
    }
    (
        Verdict::Pass,
        format!("{fine} of {all} golden cases passed every run."),
    )
}

/// The part of a report that is one of several; `None` where it is whole.
fn shard_of(outline: &Outline) -> Option<&Shard> {
    outline.session.shard.as_ref()
}

#[cfg(test)]
mod tests;
