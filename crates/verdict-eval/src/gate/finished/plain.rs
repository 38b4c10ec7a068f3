//! The plain rule on a report, beside the gate's own.

use super::Terms;
use crate::gate::baseline::{FirstPass, Suite, good};
use crate::gate::belief::Beliefs;
use crate::gate::counts::Counts;
use crate::gate::decision::Part;
use crate::gate::literal::{self, Literal};
use crate::gate::numbers::{independent_runs, literal_false_alarms, suite_again};
use verdict_model::behavior::{CaseResult, Kind, Metric, ModelResult, RunOutcome, Standing};
use verdict_model::gate::{Cause, Decision, Measured, MetricChange, ModelGate, Regression};

/// One model by the plain rule.
pub fn plain(model: &ModelResult, suite: Option<&Suite>, terms: &Terms) -> Part {
    let first: Vec<Counts> = model
        .cases
        .iter()
        .map(|stored| FirstPass::whole(stored).runs)
        .collect();
    let held = model.cases.iter().zip(&first).map(|(stored, first)| {
        if model.is_baseline {
            (Kind::Soft, Counts::new(first.runs, first.runs))
        } else {
            (stored.kind, *first)
        }
    });
    let held: Vec<(Kind, Counts)> = held.collect();
    let last = suite
        .map(|suite| &suite.last)
        .filter(|last| !last.is_empty());
    let mut compared = Vec::new();
    let mut per_metric = Vec::new();
    for metric in Metric::ALL {
        let now = tonight(model, metric);
        if now.runs == 0 {
            continue;
        }
        let was = last
            .and_then(|last| last.get(&metric))
            .filter(|was| was.runs > 0);
        compared.extend(was.map(|was| literal::Change {
            metric,
            was: was.rate(),
            now: now.rate(),
        }));
        per_metric.push(MetricChange {
            model: model.id.clone(),
            metric: Measured::Case(metric),
            was: was.map(|was| was.rate()),
            now: Some(now.rate()),
            delta: was.map(|was| now.rate() - was.rate()),
            interval: model.metrics.get(&metric).and_then(|rate| {
                let [low, high] = rate.interval?;
                let flipped = metric == Metric::OverTrigger;
                Some(if flipped {
                    [1.0 - high, 1.0 - low]
                } else {
                    [low, high]
                })
            }),
            evidence: None,
            decision: if was.is_some() {
                Decision::Pass
            } else {
                Decision::Learning
            },
        });
    }
    let said = literal::judge(&held, last.map(|_| &compared[..]), terms.max_drop);
    for change in &mut per_metric {
        if said
            .dropped
            .iter()
            .any(|dropped| Measured::Case(dropped.metric) == change.metric)
        {
            change.decision = Decision::Fail;
        }
    }
    Part {
        regressions: missed(model, suite, &said, &first),
        model: plain_grounds(model, &said, &first, terms),
        per_metric,
        notes: by_chance(model, suite, &held, terms).into_iter().collect(),
    }
}

/// How often this rule is red with nothing changed, from what the pools believe; `None` without pools, and for the
/// built-in baseline, which answers the same every time.
fn by_chance(
    model: &ModelResult,
    suite: Option<&Suite>,
    held: &[(Kind, Counts)],
    terms: &Terms,
) -> Option<String> {
    let suite = suite.filter(|_| !model.is_baseline)?;
    let pool = |stored: &CaseResult| {
        let pooled = suite.case(&stored.id, &stored.hash)?;
        Some(pooled.runs.pool).filter(|pool| pool.runs > 0)
    };
    let pools: Vec<Option<Counts>> = model.cases.iter().map(pool).collect();
    let beliefs = Beliefs::fit(pools.iter().copied().flatten());
    let believed: Vec<(Kind, f64)> = held
        .iter()
        .zip(&pools)
        .filter_map(|((kind, _), pool)| Some((*kind, beliefs.of((*pool)?)?.mean())))
        .collect();
    if believed.is_empty() {
        return None;
    }
    let runs = terms.rule.first_pass;
    let means: Vec<f64> = believed.iter().map(|(_, mean)| *mean).collect();
    let dropped = 100.0 * literal_false_alarms(&means, runs, terms.max_drop);
    let missed = 100.0 * literal::missed_by_chance(&believed, runs);
    Some(format!(
        "{}: with nothing changed the plain rule is red in about {dropped:.0} of 100 runs for a drop of the score alone, and in \
         about {missed:.0} of 100 for a case that misses its target",
        model.id
    ))
}

fn tonight(model: &ModelResult, metric: Metric) -> Counts {
    let runs = model.cases.iter().flat_map(|stored| &stored.runs);
    let runs = runs.filter(|run| run.wave == 0 && run.outcome != RunOutcome::Invalid);
    Counts::of(runs.filter_map(|run| Some(good(metric, *run.scores.get(&metric)?))))
}

fn missed(
    model: &ModelResult,
    suite: Option<&Suite>,
    said: &Literal,
    first: &[Counts],
) -> Vec<Regression> {
    let missed = said.missed.iter().map(|place| {
        let stored = &model.cases[*place];
        let pool = suite.and_then(|suite| suite.case(&stored.id, &stored.hash));
        let changed = suite.is_some_and(|suite| suite.is_changed(&stored.id, &stored.hash));
        Regression {
            case: stored.id.clone(),
            model: model.id.clone(),
            was: pool.map(|pool| pool.runs.pool.rate()),
            now: (first[*place].runs > 0).then(|| first[*place].rate()),
            cause: if changed {
                Cause::GoldenCaseChanged
            } else {
                Cause::Undetermined
            },
            probable: false,
            cause_detail: None,
            ratio: None,
            red: true,
        }
    });
    missed.collect()
}

fn plain_grounds(
    model: &ModelResult,
    said: &Literal,
    first: &[Counts],
    terms: &Terms,
) -> ModelGate {
    let again = suite_again(first);
    let runs = |wanted: bool| {
        let all = model.cases.iter().flat_map(|stored| &stored.runs);
        u32::try_from(all.filter(|run| (run.wave == 0) == wanted).count()).unwrap_or(u32::MAX)
    };
    let reason = match said.decision {
        Decision::Fail => format!(
            "{} cases missed their target and {} metrics dropped by more than {}",
            said.missed.len(),
            said.dropped.len(),
            terms.max_drop
        ),
        Decision::Learning => "there is no last green run to compare with".to_owned(),
        Decision::Incomplete => "a case has no valid run".to_owned(),
        Decision::Pass | Decision::Warn => format!(
            "every case met its target and no metric dropped by more than {}",
            terms.max_drop
        ),
    };
    ModelGate {
        model: model.id.clone(),
        decision: said.decision,
        reason,
        evidence: None,
        fail_at: terms.rule.fail_at,
        pass_below: terms.rule.pass_below,
        rounds: 0,
        first_pass: runs(true),
        confirmation: runs(false),
        saved: 0,
        score: again.map(|rated| rated.rate),
        interval: again.map(|rated| rated.interval),
        prompts_like_these: None,
        drop: None,
        noise: None,
        chance_of_drop: None,
        smallest_visible: None,
        cases: model.cases.len() as u64,
        common: 0,
        rho: terms.rule.rho,
        independent_runs: independent_runs(terms.rule.first_pass, terms.rule.rho),
        suspects: Vec::new(),
        known_failing: Vec::new(),
        cannot_hold: Vec::new(),
    }
}

/// Where a case stands by the plain rule.
pub fn plain_standing(stored: &CaseResult) -> Standing {
    literal::standing(stored.kind, FirstPass::whole(stored).runs)
}
