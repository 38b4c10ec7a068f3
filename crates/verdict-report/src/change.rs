//! What changed between two reports, as plain data.
//!
//! Nothing is judged anew: outcomes, rates and runs are those of the reports. What was measured before and was not now
//! is a list of its own, because it is neither mended nor broken.

mod text;

use crate::findings::{checks, counts};
use serde::Serialize;
use std::collections::BTreeMap;
use verdict_model::behavior::{CaseResult, Metric, ModelResult, Rate, RunOutcome, Standing};
use verdict_model::gate::Measured;
use verdict_model::report::CheckResult;
use verdict_model::resilience::{ModelTrials, TrialMetric, TrialResult};
use verdict_model::{Outcome, Report, Verdict};

pub use text::render as change_text;

/// The `schema` member of every difference of this version.
const SCHEMA: &str = "mcp-verdict/diff/v1";

/// What changed from one report to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// `mcp-verdict/diff/v1`.
    pub schema: &'static str,
    /// The verdicts.
    pub verdict: Pair<Verdict>,
    /// The checks of layer 0.
    pub checks: Checks,
    /// Every metric of every model that both or one of the reports have, in the order of the newer report.
    pub metrics: Vec<MetricChange>,
    /// The golden cases.
    pub cases: Cases,
    /// The trials of layer 2.
    pub trials: Cases,
}

/// A value before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Pair<T> {
    /// In the older report.
    pub was: T,
    /// In the newer one.
    pub now: T,
}

/// Checks by what became of them; those that passed and pass are in none.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Checks {
    /// A failure or a warning that was not there.
    pub new: Vec<CheckChange>,
    /// It failed or warned, and does so no more.
    pub fixed: Vec<CheckChange>,
    /// It failed or warned, and still does.
    pub still_failing: Vec<CheckChange>,
    /// It was judged, and now it was not tried, broke off, or is not there.
    pub no_longer_measured: Vec<CheckChange>,
}

/// One check before and after; an absent outcome says that the report does not have it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckChange {
    /// The check's id.
    pub id: String,
    /// In the older report.
    pub was: Option<Outcome>,
    /// In the newer one.
    pub now: Option<Outcome>,
    /// Whether it counts towards the newer verdict: waived checks and new rules do not.
    pub counts: bool,
    /// What the newer report says of it; the older one where it is not there.
    pub message: String,
}

/// One metric of one model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricChange {
    /// The model.
    pub model: String,
    /// The metric.
    pub metric: Measured,
    /// In the older report.
    pub was: Option<Rate>,
    /// In the newer one.
    pub now: Option<Rate>,
    /// The newer rate minus the older one.
    pub change: Option<f64>,
    /// The 95 % intervals do not touch: more than chance.
    pub clear: bool,
}

/// Golden cases by what became of them; those that stayed as they were are in none.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Cases {
    /// A smaller share of the runs passed, or the case became red.
    pub worse: Vec<CaseChange>,
    /// A larger share passed, or it is red no more.
    pub better: Vec<CaseChange>,
    /// Prompt or expectation changed: not compared.
    pub changed: Vec<CaseChange>,
    /// Only in the newer report.
    pub added: Vec<CaseChange>,
    /// Only in the older report.
    pub gone: Vec<CaseChange>,
}

/// One case of one model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CaseChange {
    /// The model.
    pub model: String,
    /// The case's id.
    pub case: String,
    /// In the older report.
    pub was: Option<Passes>,
    /// In the newer one.
    pub now: Option<Passes>,
}

/// How a case went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Passes {
    /// Runs that passed.
    pub passed: u64,
    /// Of how many valid ones.
    pub of: u64,
    /// Against its own target.
    pub standing: Standing,
}

/// What changed from the report `was` to the report `now`.
pub fn change(was: &Report, now: &Report) -> Change {
    Change {
        schema: SCHEMA,
        verdict: Pair {
            was: was.verdict,
            now: now.verdict,
        },
        checks: check_changes(checks(was), checks(now)),
        metrics: metric_changes(&measured(was), &measured(now)),
        cases: case_changes(models(was), models(now)),
        trials: trial_changes(was, now),
    }
}

fn models(report: &Report) -> &[ModelResult] {
    crate::behavior::behavior(report).map_or(&[], |layer| &layer.models)
}

fn check_changes(was: &[CheckResult], now: &[CheckResult]) -> Checks {
    let mut older: BTreeMap<&str, &CheckResult> = by_id(was, |check| &check.id);
    let mut out = Checks::default();
    for new in now {
        let old = older.remove(new.id.as_str());
        sort_in(&mut out, old, Some(new));
    }
    // What is left is not in the newer report; in the older one's order.
    for old in was.iter().filter(|old| older.contains_key(old.id.as_str())) {
        sort_in(&mut out, Some(old), None);
    }
    out
}

fn by_id<'r, T>(all: &'r [T], id: impl Fn(&'r T) -> &'r String) -> BTreeMap<&'r str, &'r T> {
    all.iter().map(|one| (id(one).as_str(), one)).collect()
}

fn sort_in(out: &mut Checks, was: Option<&CheckResult>, now: Option<&CheckResult>) {
    let bad = |check: &CheckResult| matches!(check.outcome, Outcome::Fail | Outcome::Warn);
    let judged =
        |check: &CheckResult| bad(check) || matches!(check.outcome, Outcome::Pass | Outcome::Info);
    let list = match (was, now) {
        (Some(old), Some(new)) if bad(old) && bad(new) => &mut out.still_failing,
        (_, Some(new)) if bad(new) => &mut out.new,
        (Some(old), Some(new)) if bad(old) && judged(new) => &mut out.fixed,
        (Some(old), Some(new)) if judged(old) && !judged(new) => &mut out.no_longer_measured,
        (Some(old), None) if judged(old) => &mut out.no_longer_measured,
        _ => return,
    };
    if let Some(shown) = now.or(was) {
        list.push(CheckChange {
            id: shown.id.clone(),
            was: was.map(|check| check.outcome),
            now: now.map(|check| check.outcome),
            counts: counts(shown),
            message: shown.message.clone(),
        });
    }
}

/// What is measured of a model, by its id: layer 1 first, then layer 2.
type Rates<'r> = Vec<(&'r str, BTreeMap<Measured, Rate>)>;

fn measured(report: &Report) -> Rates<'_> {
    let cases = models(report).iter().map(|model: &ModelResult| {
        let of = |metric: &Metric| Some((Measured::Case(*metric), *model.metrics.get(metric)?));
        (&model.id, Metric::ALL.iter().filter_map(of).collect())
    });
    let mut all: Vec<(&str, BTreeMap<Measured, Rate>)> = Vec::new();
    let layer = crate::trials::resilience(report);
    let trials = layer.map_or(&[][..], |layer| &layer.models);
    let trials = trials.iter().map(|model: &ModelTrials| {
        let of =
            |metric: &TrialMetric| Some((Measured::Trial(*metric), *model.metrics.get(metric)?));
        (&model.id, TrialMetric::ALL.iter().filter_map(of).collect())
    });
    for (id, rates) in cases.chain::<Vec<(&String, BTreeMap<Measured, Rate>)>>(trials.collect()) {
        match all.iter_mut().find(|(known, _)| *known == id.as_str()) {
            Some((_, known)) => known.extend(rates),
            None => all.push((id, rates)),
        }
    }
    all
}

fn metric_changes(was: &Rates<'_>, now: &Rates<'_>) -> Vec<MetricChange> {
    let of = |rates: &Rates<'_>, id: &str, metric: Measured| {
        let model = rates.iter().find(|(known, _)| *known == id)?;
        model.1.get(&metric).copied()
    };
    let gone = was
        .iter()
        .filter(|(id, _)| !now.iter().any(|(newer, _)| newer == id));
    let keys = Metric::ALL.map(Measured::Case).into_iter();
    let keys: Vec<_> = keys.chain(TrialMetric::ALL.map(Measured::Trial)).collect();
    let mut out = Vec::new();
    for (id, _) in now.iter().chain(gone) {
        for metric in &keys {
            let (was, now) = (of(was, id, *metric), of(now, id, *metric));
            if was.is_none() && now.is_none() {
                continue;
            }
            let both = |read: fn(&Rate) -> Option<f64>| {
                Some((was.as_ref().and_then(read)?, now.as_ref().and_then(read)?))
            };
            out.push(MetricChange {
                model: (*id).to_owned(),
                metric: *metric,
                was,
                now,
                change: both(|rate| rate.rate).map(|(old, new)| new - old),
                clear: was.zip(now).is_some_and(|(old, new)| are_apart(&old, &new)),
            });
        }
    }
    out
}

/// Whether two intervals do not touch.
fn are_apart(one: &Rate, other: &Rate) -> bool {
    match (one.interval, other.interval) {
        (Some([low, high]), Some([other_low, other_high])) => high < other_low || other_high < low,
        _ => false,
    }
}

fn case_changes(was: &[ModelResult], now: &[ModelResult]) -> Cases {
    let mut out = Cases::default();
    let older = by_id(was, |model| &model.id);
    for model in now {
        // A model that was not asked before says nothing about cases.
        let Some(before) = older.get(model.id.as_str()) else {
            continue;
        };
        let mut cases = by_id(&before.cases, |case| &case.id);
        for new in &model.cases {
            let old = cases.remove(new.id.as_str());
            let before = old.map(|old| of_case(before, old));
            compare(&mut out, before, Some(of_case(model, new)));
        }
        for old in before
            .cases
            .iter()
            .filter(|old| cases.contains_key(old.id.as_str()))
        {
            compare(&mut out, Some(of_case(model, old)), None);
        }
    }
    out
}

/// The trials of models that both reports asked.
fn trial_changes(was: &Report, now: &Report) -> Cases {
    let mut out = Cases::default();
    let (Some(old), Some(new)) = (
        crate::trials::resilience(was),
        crate::trials::resilience(now),
    ) else {
        return out;
    };
    let in_both = |id: &str| {
        let has = |models: &[ModelTrials]| models.iter().any(|model| model.id == id);
        has(&old.models) && has(&new.models)
    };
    let key = |trial: &'_ TrialResult| (trial.model.clone(), trial.id.clone());
    let mut older: BTreeMap<_, _> = old.cases.iter().map(|one| (key(one), one)).collect();
    for trial in new.cases.iter().filter(|trial| in_both(&trial.model)) {
        let before = older.remove(&key(trial));
        compare(&mut out, before.map(of_trial), Some(of_trial(trial)));
    }
    for trial in old.cases.iter().filter(|trial| in_both(&trial.model)) {
        if older.contains_key(&key(trial)) {
            compare(&mut out, Some(of_trial(trial)), None);
        }
    }
    out
}

/// One side of a comparison.
#[derive(Clone, Copy)]
struct Side<'r> {
    model: &'r str,
    id: &'r str,
    hash: &'r str,
    passes: Passes,
}

fn of_case<'r>(model: &'r ModelResult, case: &'r CaseResult) -> Side<'r> {
    Side {
        model: &model.id,
        id: &case.id,
        hash: &case.hash,
        passes: passes(case),
    }
}

/// Good runs of those that say something.
fn of_trial(trial: &TrialResult) -> Side<'_> {
    let says = |good| {
        let runs = trial.runs.iter();
        runs.filter(|run| run.outcome.is_good() == Some(good))
            .count() as u64
    };
    let passed = says(true);
    Side {
        model: &trial.model,
        id: &trial.id,
        hash: &trial.hash,
        passes: Passes {
            passed,
            of: passed + says(false),
            standing: trial.standing,
        },
    }
}

fn compare(out: &mut Cases, was: Option<Side<'_>>, now: Option<Side<'_>>) {
    let Some((model, case)) = now
        .as_ref()
        .or(was.as_ref())
        .map(|side| (side.model, side.id))
    else {
        return;
    };
    let passes = |side: &Option<Side<'_>>| side.as_ref().map(|side| side.passes);
    let (before, after) = (passes(&was), passes(&now));
    let is_other = matches!((&was, &now), (Some(old), Some(new)) if old.hash != new.hash);
    let list = match (before, after) {
        (None, _) => &mut out.added,
        (_, None) => &mut out.gone,
        _ if is_other => &mut out.changed,
        (Some(old), Some(new)) => {
            // By cross products: shares without a division.
            let (before, after) = (
                u128::from(old.passed) * u128::from(new.of),
                u128::from(new.passed) * u128::from(old.of),
            );
            let red = |passes: Passes| passes.standing == Standing::Red;
            match (red(old), red(new)) {
                (false, true) => &mut out.worse,
                (true, false) => &mut out.better,
                _ if after < before => &mut out.worse,
                _ if after > before => &mut out.better,
                _ => return,
            }
        }
    };
    list.push(CaseChange {
        model: model.to_owned(),
        case: case.to_owned(),
        was: before,
        now: after,
    });
}

fn passes(case: &CaseResult) -> Passes {
    let count = |outcome| {
        let some = case.runs.iter().filter(|run| run.outcome == outcome);
        some.count() as u64
    };
    let passed = count(RunOutcome::Passed);
    Passes {
        passed,
        of: passed + count(RunOutcome::Failed),
        standing: case.standing,
    }
}
