//! `.baseline/history.jsonl`: one line a run, for trends and for how alike the runs of one night are.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use verdict_eval::gate::baseline::{FirstPass, Key};
use verdict_eval::gate::finished::{is_green, key};
use verdict_eval::gate::rho::Correlation;
use verdict_eval::gate::{Counts, Rule};
use verdict_model::behavior::Metric;
use verdict_model::gate::{Decision, Night};
use verdict_model::{Config, Report, Verdict};

/// Bytes of a history that are read.
const MOST: u64 = 256 << 20;
/// Sessions that an estimate is made of, the newest.
const SESSIONS: usize = 100;

/// Runs of a model that are drawn, the newest.
const DRAWN: usize = 60;

/// One run.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    at: Option<String>,
    sha: Option<String>,
    branch: String,
    verdict: Verdict,
    models: Vec<Entry>,
}

/// One model of a run.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    key: Key,
    decision: Decision,
    /// Whether its first pass may enter the pools; absent in lines of old.
    #[serde(default)]
    green: Option<bool>,
    score: Option<f64>,
    metrics: BTreeMap<Metric, Option<f64>>,
    /// Fresh first passes by id and hash; empty where nothing was fresh.
    cases: BTreeMap<String, Counts>,
}

/// The runs so far, where a history is kept.
#[derive(Debug, Default)]
pub(crate) struct History(Vec<Line>);

/// Where the history of a baseline lies.
pub(crate) fn beside(baseline: &Path) -> PathBuf {
    baseline.with_file_name("history.jsonl")
}

impl History {
    /// Reads the history beside a baseline; lines that are none are passed over.
    pub(crate) fn of(config: &Config, baseline: &Path) -> Self {
        let path = beside(baseline);
        if !config.history || !path.is_file() {
            return Self::default();
        }
        let Ok(file) = std::fs::File::open(path) else {
            return Self::default();
        };
        let lines = BufReader::new(file.take(MOST))
            .lines()
            .map_while(Result::ok);
        Self(
            lines
                .filter_map(|line| serde_json::from_str(&line).ok())
                .collect(),
        )
    }

    /// The rule with the correlation that the green nights of a model show, and what is said about it.
    pub(crate) fn rule(&self, rule: &Rule, key: &Key) -> (Rule, Option<String>) {
        let green = |entry: &&Entry| {
            let quiet = matches!(entry.decision, Decision::Pass | Decision::Learning);
            entry.key == *key && entry.green.unwrap_or(quiet)
        };
        let entries = self.0.iter().rev().flat_map(|line| &line.models);
        let mut cases: BTreeMap<&str, Vec<Counts>> = BTreeMap::new();
        let fresh = entries
            .filter(green)
            .filter(|entry| !entry.cases.is_empty());
        for entry in fresh.take(SESSIONS) {
            for (case, counts) in &entry.cases {
                cases.entry(case).or_default().push(*counts);
            }
        }
        let nights: Vec<Vec<Counts>> = cases.into_values().collect();
        let found = Correlation::auto(&nights);
        let said = found.estimate.map(|estimate| {
            let worth = found.worth(rule.first_pass);
            let advice = if found.advise_more_cases {
                "; more cases would tell more than more runs"
            } else {
                ""
            };
            format!(
                "{}: the runs of one night correlate by {estimate:.2}: {} of them are worth {worth:.1} independent ones{advice}.",
                key.model, rule.first_pass
            )
        });
        let rule = Rule {
            rho: found.rho,
            ..rule.clone()
        };
        (rule, said)
    }
}

impl History {
    /// The newest runs of each model, oldest first, to be drawn.
    pub(crate) fn trend(&self) -> Vec<Night> {
        let mut left: BTreeMap<&str, usize> = BTreeMap::new();
        let nights = self
            .0
            .iter()
            .rev()
            .flat_map(|line| line.models.iter().map(move |entry| (line, entry)));
        let mut trend: Vec<_> = nights
            .filter(|(_, entry)| {
                let seen = left.entry(entry.key.model.as_str()).or_default();
                *seen += 1;
                *seen <= DRAWN
            })
            .map(|(line, entry)| Night {
                at: line.at.clone(),
                sha: line.sha.clone(),
                model: entry.key.model.clone(),
                score: entry.score,
                decision: entry.decision,
            })
            .collect();
        trend.reverse();
        trend
    }
}

/// Appends a run to the history beside a baseline.
pub(crate) fn append(report: &Report, baseline: &Path) -> Result<()> {
    let (Some(layer), Some(info), Some(gate)) =
        (&report.layers.behavior, &report.session, &report.gate)
    else {
        return Ok(());
    };
    let models = layer
        .models
        .iter()
        .zip(&gate.models)
        .map(|(model, ground)| {
            let fresh = model.cases.iter().map(FirstPass::of);
            let fresh = fresh.filter(|first| first.runs.runs > 0);
            Entry {
                key: key(layer, &model.id, info),
                decision: ground.decision,
                green: Some(is_green(ground)),
                score: ground.score,
                metrics: model
                    .metrics
                    .iter()
                    .map(|(metric, rate)| (*metric, rate.rate))
                    .collect(),
                cases: fresh
                    .map(|first| (format!("{}@{}", first.id, first.hash), first.runs))
                    .collect(),
            }
        });
    let line = Line {
        at: info.at.clone(),
        sha: info.sha.clone(),
        branch: info.branch.clone(),
        verdict: report.verdict,
        models: models.collect(),
    };
    let path = beside(baseline);
    let shown = path.display();
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("creating `{}`", folder.display()))?;
    }
    let mut bytes = serde_json::to_vec(&line)?;
    bytes.push(b'\n');
    // One write: lines of two programs do not mix.
    std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .and_then(|mut file| file.write_all(&bytes))
        .with_context(|| format!("writing the history to `{shown}`"))
}
