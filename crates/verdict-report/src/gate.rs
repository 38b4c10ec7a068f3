//! What several formats say of the gate.

use crate::behavior::percent;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use verdict_model::Report;
use verdict_model::gate::{
    BaselineRef, Decision, Gate, Measured, MetricChange, Mode, ModelGate, Regression,
};

/// From this ratio on a case is told as worse.
const WORSE_AT: f64 = 3.0;

/// `against the baseline of 2026-11-01 (3c9a1f0, main)`.
fn against(gate: &Gate) -> String {
    match gate.baseline {
        Some(_) => format!("against {}", baseline(gate)),
        None => "without a baseline".to_owned(),
    }
}

fn baseline(gate: &Gate) -> String {
    let BaselineRef { sha, at, branch } = gate.baseline.clone().unwrap_or_default();
    let day = at
        .as_deref()
        .and_then(|at| at.get(..10))
        .unwrap_or("an unknown day");
    let short = sha
        .as_deref()
        .map(|sha| sha.get(..7).unwrap_or(sha).to_owned());
    let place: Vec<String> = short.into_iter().chain(branch).collect();
    let place = if place.is_empty() {
        String::new()
    } else {
        format!(" ({})", place.join(", "))
    };
    format!("the baseline of {day}{place}")
}

/// What was decided, and against what: what follows the word of the decision.
pub(crate) fn meaning(report: &Report, gate: &Gate) -> String {
    let meaning = match gate.decision {
        Decision::Pass => "nothing got worse",
        Decision::Fail => failed(report, gate),
        Decision::Warn => "undecided, or a case is unstable",
        Decision::Learning if gate.baseline.is_none() => {
            return "there is no baseline to compare with yet".to_owned();
        }
        Decision::Learning => "too few runs to compare with",
        Decision::Incomplete => "too few valid runs",
    };
    match gate.decision {
        Decision::Learning => format!("{meaning} in {}", baseline(gate)),
        _ => format!("{meaning}, {}", against(gate)),
    }
}

/// Why it fails: something got worse, a target of its own is missed, or both.
fn failed(report: &Report, gate: &Gate) -> &'static str {
    let own = gate.regressions.iter().any(|one| one.red)
        || !crate::behavior::red_cases(report).is_empty();
    // A case whose own target alone is red, or that has no pool, moved from nothing.
    let moved = |one: &Regression| !one.red || one.ratio.is_some_and(|ratio| ratio >= WORSE_AT);
    let worse = gate.baseline.is_some()
        && (gate.regressions.iter().any(moved)
            || gate
                .per_metric
                .iter()
                .any(|one| one.decision == Decision::Fail));
    match (worse, own) {
        (true, true) => "something got worse, and a case misses its own target",
        (false, true) => "a case misses its own target",
        (_, false) => "something got worse",
    }
}

/// Why it got worse, how sure that is, and what was changed.
pub(crate) fn reason(regression: &Regression) -> String {
    let mut text = cause(regression);
    if let Some(ratio) = regression.ratio {
        let _ = write!(text, " ({} : 1)", figure(ratio));
    }
    if let Some(detail) = &regression.cause_detail {
        let _ = write!(text, ": {detail}");
    }
    text
}

/// Short names of the models of the gate, by their ids, as the other parts of the report call them.
pub(crate) fn names<'r>(report: &'r Report, gate: &'r Gate) -> BTreeMap<&'r str, String> {
    let layers = &report.layers;
    let mut ids: Vec<(&str, bool)> = Vec::new();
    let cases = layers.behavior.iter().flat_map(|layer| &layer.models);
    let trials = layers.resilience.iter().flat_map(|layer| &layer.models);
    let known = (cases.map(|model| (model.id.as_str(), model.is_baseline)))
        .chain(trials.map(|model| (model.id.as_str(), model.is_baseline)))
        .chain(
            gate.models
                .iter()
                .map(|model| (model.model.as_str(), false)),
        )
        .chain(
            gate.per_metric
                .iter()
                .map(|one| (one.model.as_str(), false)),
        )
        .chain(
            gate.regressions
                .iter()
                .map(|one| (one.model.as_str(), false)),
        );
    let mut seen = BTreeSet::new();
    ids.extend(known.filter(|(id, _)| seen.insert(*id)));
    let names = crate::behavior::short_names(ids.iter().copied());
    ids.into_iter().map(|(id, _)| id).zip(names).collect()
}

/// The grounds of a model's decision, in one line.
pub(crate) fn grounds(gate: &Gate, model: &ModelGate) -> String {
    let mut parts = vec![model.reason.clone()];
    if gate.mode == Mode::Evidence
        && let Some(evidence) = model.evidence
        && !model.reason.contains(" : 1")
    {
        parts.push(format!(
            "evidence {} : 1, bar {:.0}",
            figure(evidence),
            model.fail_at
        ));
    }
    if let (Some(score), Some([low, high])) = (model.score, model.interval) {
        parts.push(format!(
            "score {} ({} to {})",
            percent(Some(score)),
            percent(Some(low)),
            percent(Some(high))
        ));
    }
    if let (Some(drop), Some(noise)) = (model.drop, model.noise) {
        parts.push(format!(
            "drop {} with noise of {}",
            points(drop),
            points(noise)
        ));
    }
    if let Some(visible) = model.smallest_visible {
        parts.push(format!(
            "smallest drop that the first pass shows {}",
            points(visible)
        ));
    }
    parts.push(format!(
        "{} runs and {} confirmations",
        model.first_pass, model.confirmation
    ));
    parts.join("; ")
}

/// A share as points of a hundred.
pub(crate) fn points(share: f64) -> String {
    let rounded = (share * 1000.0).round() / 10.0;
    // No minus before a zero.
    let rounded = if rounded == 0.0 { 0.0 } else { rounded };
    format!("{rounded:.1} points")
}

/// A ratio, as exact as it deserves.
pub(crate) fn figure(ratio: f64) -> String {
    if ratio >= 1e6 {
        "over a million".to_owned()
    } else if ratio >= 10.0 {
        format!("{ratio:.0}")
    } else {
        format!("{ratio:.2}")
    }
}

/// A metric's name for people.
pub(crate) fn measured(metric: Measured) -> &'static str {
    match metric {
        Measured::Case(metric) => crate::behavior::metric(metric),
        Measured::Trial(metric) => crate::trials::metric(metric),
    }
}

/// A metric as the gate sees it: the more the better.
pub(crate) fn metric(change: &MetricChange) -> String {
    let name = measured(change.metric);
    if change.metric.is_complement() {
        format!("{name}, kept from")
    } else {
        name.to_owned()
    }
}

/// `0.94 to 1.00`, or nothing.
pub(crate) fn interval(change: &MetricChange) -> String {
    change.interval.map_or_else(String::new, |[low, high]| {
        format!("{} to {}", percent(Some(low)), percent(Some(high)))
    })
}

/// `probably description change`.
pub(crate) fn cause(regression: &Regression) -> String {
    let words = regression.cause.words();
    if regression.probable {
        format!("probably {words}")
    } else {
        words.to_owned()
    }
}
