//! The trials of layer 2 against the baseline: their own targets act, and a drop of a metric is told.
//!
//! A trial is held against its pool by its hash, so that another fault, another payload or another prompt begins anew.
//! With the evidence rule a drop that is more than chance warns; the plain rule fails for any drop above the limit, as it
//! does for layer 1.

use super::baseline::{Baseline, Key};
use super::counts::Counts;
use super::finished::Terms;
use super::numbers::suite_again;
use super::rule::Rule;
use crate::trial::setup::metrics;
use crate::verdict::decision_of_trials;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use verdict_model::gate::{Decision, Gate, Measured, MetricChange, Mode, SessionInfo};
use verdict_model::resilience::{Resilience, TrialMetric, TrialResult};

/// The pools of the trials of one suite with one model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrialSuite {
    /// What these pools belong to.
    #[serde(flatten)]
    pub key: Key,
    /// In the order of id and hash.
    pub cases: Vec<TrialPool>,
}

/// The pool of one trial: first passes of green sessions until it is full, then frozen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrialPool {
    /// The trial's id.
    pub id: String,
    /// Hash over the case and what was done to it.
    pub hash: String,
    /// Good runs by metric; `falseSuccess` and `attackSuccess` as their complements, so that every drop is worse.
    pub metrics: BTreeMap<TrialMetric, Counts>,
}

/// What a trial's first pass has of each metric, good runs counted.
fn counted(trial: &TrialResult) -> BTreeMap<TrialMetric, Counts> {
    let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let rates = metrics(std::slice::from_ref(trial)).into_iter();
    let counts = rates.map(|(metric, rate)| {
        let (count, of) = (number(rate.count), number(rate.of));
        let good = if Measured::Trial(metric).is_complement() {
            of.saturating_sub(count)
        } else {
            count
        };
        (metric, Counts::new(good, of))
    });
    counts.collect()
}

/// What the pools of a model's trials belong to.
fn key(layer: &Resilience, model: &str, info: &SessionInfo) -> Key {
    Key {
        suite: layer.golden.path.clone(),
        model: model.to_owned(),
        harness: info.harness.clone(),
    }
}

/// Every metric of every model, then and now; over the trials that both sides have, where there are such.
pub fn changes(
    layer: &Resilience,
    info: &SessionInfo,
    baseline: Option<&Baseline>,
    terms: &Terms,
) -> Vec<MetricChange> {
    let mut all = Vec::new();
    for model in &layer.models {
        let key = key(layer, &model.id, info);
        let suite = baseline.and_then(|it| it.trials.iter().find(|suite| suite.key == key));
        let trials: Vec<_> = layer
            .cases
            .iter()
            .filter(|trial| trial.model == model.id)
            .map(|trial| (suite.and_then(|suite| suite.pool(trial)), counted(trial)))
            .collect();
        for metric in TrialMetric::ALL {
            all.extend(change(&model.id, metric, &trials, terms));
        }
    }
    all
}

impl TrialSuite {
    fn pool(&self, trial: &TrialResult) -> Option<&TrialPool> {
        let is_it = |pool: &&TrialPool| (&pool.id, &pool.hash) == (&trial.id, &trial.hash);
        self.cases.iter().find(is_it)
    }
}

type Pair<'p> = (Option<&'p TrialPool>, BTreeMap<TrialMetric, Counts>);

fn change(
    model: &str,
    metric: TrialMetric,
    trials: &[Pair<'_>],
    terms: &Terms,
) -> Option<MetricChange> {
    let of = |counts: &BTreeMap<TrialMetric, Counts>| {
        let counts = counts.get(&metric).copied();
        counts.filter(|counts| counts.runs > 0)
    };
    let all: Vec<Counts> = trials.iter().filter_map(|(_, now)| of(now)).collect();
    let common: Vec<(Counts, Counts)> = trials
        .iter()
        .filter_map(|(pool, now)| Some((of(&pool.as_ref()?.metrics)?, of(now)?)))
        .collect();
    let pools: Vec<Counts> = common.iter().map(|(was, _)| *was).collect();
    let first: Vec<Counts> = common.iter().map(|(_, now)| *now).collect();
    let now = suite_again(if first.is_empty() { &all } else { &first })?;
    let was = suite_again(&pools);
    let delta = was.as_ref().map(|was| now.rate - was.rate);
    // What reached the model is neither good nor bad, so that no change of it is worse.
    let drop = delta.filter(|_| metric != TrialMetric::Exposure);
    let decision = match (drop, &was) {
        _ if was.is_none() => Decision::Learning,
        (Some(delta), _) if -delta > terms.max_drop && terms.mode == Mode::Literal => {
            Decision::Fail
        }
        (Some(delta), Some(was))
            if -delta > terms.max_drop && now.interval[1] < was.interval[0] =>
        {
            Decision::Warn
        }
        _ => Decision::Pass,
    };
    Some(MetricChange {
        model: model.to_owned(),
        metric: Measured::Trial(metric),
        was: was.map(|was| was.rate),
        now: Some(now.rate),
        delta,
        interval: Some(now.interval),
        evidence: None,
        decision,
    })
}

/// The gate of all layers: that of layer 1, where it ran, with what layer 2 adds.
pub fn whole(
    gate: Option<Gate>,
    layer: &Resilience,
    info: &SessionInfo,
    baseline: Option<&Baseline>,
    terms: &Terms,
) -> Gate {
    let changes = changes(layer, info, baseline, terms);
    let is_known = changes.iter().any(|change| change.was.is_some());
    let gate = gate.unwrap_or_else(|| Gate {
        decision: if is_known {
            Decision::Pass
        } else {
            Decision::Learning
        },
        mode: terms.mode,
        baseline: baseline.map(Baseline::reference),
        per_metric: vec![],
        regressions: vec![],
        models: vec![],
        trend: vec![],
        notes: vec![],
    });
    held(gate, decision_of_trials(layer), changes)
}

/// Holds layer 2 too: its own targets by `own`, its metrics beside those of layer 1.
fn held(mut gate: Gate, own: Decision, changes: Vec<MetricChange>) -> Gate {
    let worse = changes.iter().map(|change| change.decision);
    let worse = worse.filter(|it| matches!(it, Decision::Fail | Decision::Warn));
    let all: Vec<Decision> = worse.chain([gate.decision, own]).collect();
    gate.decision = Decision::worst(all).unwrap_or(gate.decision);
    gate.per_metric.extend(changes);
    gate
}

/// The baseline with the first passes of a green session's trials in it; runs whose answers were all used before say
/// nothing new and are left out.
#[must_use]
pub fn entered(
    baseline: &Baseline,
    layer: &Resilience,
    info: &SessionInfo,
    rule: &Rule,
) -> Baseline {
    let mut next = baseline.clone();
    for model in &layer.models {
        let key = key(layer, &model.id, info);
        let place = next.trials.iter().position(|suite| suite.key == key);
        let place = place.unwrap_or_else(|| {
            next.trials.push(TrialSuite {
                key,
                cases: Vec::new(),
            });
            next.trials.len() - 1
        });
        let suite = &mut next.trials[place];
        for trial in layer.cases.iter().filter(|trial| trial.model == model.id) {
            let mut fresh = trial.clone();
            fresh.runs.retain(|run| !run.reused);
            suite.enter(&fresh, rule);
        }
    }
    next.trials.retain(|suite| !suite.cases.is_empty());
    next.sort();
    next
}

impl TrialSuite {
    fn enter(&mut self, trial: &TrialResult, rule: &Rule) {
        let counts = counted(trial);
        if counts.is_empty() {
            return;
        }
        let same = |pool: &TrialPool| (&pool.id, &pool.hash) == (&trial.id, &trial.hash);
        let place = self.cases.iter().position(same).unwrap_or_else(|| {
            self.cases.push(TrialPool {
                id: trial.id.clone(),
                hash: trial.hash.clone(),
                metrics: BTreeMap::new(),
            });
            self.cases.len() - 1
        });
        for (metric, counts) in counts {
            let pool = self.cases[place].metrics.entry(metric).or_default();
            if pool.runs < rule.full_pool() {
                *pool = pool.plus(counts);
            }
        }
    }
}

#[cfg(test)]
mod tests;
