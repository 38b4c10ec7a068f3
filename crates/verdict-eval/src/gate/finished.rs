//! The gate on a finished report: nothing can be run again, so the evidence is weighed once.

use super::baseline::{Baseline, FirstPass, Key, SessionCounts, Suite};
use super::baseline::{Origin, good};
use super::changes::{Change, changes, told};
use super::counts::Counts;
use super::decision::{Judged, Part, case, gate, record};
use super::literal::{self, Literal};
use super::rule::Rule;
use super::session::Session;
use crate::tool::Tool;
use verdict_model::Report;
use verdict_model::behavior::{Behavior, Kind, Metric, ModelResult, Standing};
use verdict_model::gate::{
    Cause, Decision, Gate, Measured, MetricChange, Mode, ModelGate, Regression, SessionInfo,
};

/// How the gate decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    /// Which rule.
    pub mode: Mode,
    /// The numbers of the rule.
    pub rule: Rule,
    /// The largest drop that should pass.
    pub max_drop: f64,
}

impl Terms {
    /// For `runs` planned runs of a case.
    pub fn new(mode: Mode, runs: u32, max_drop: f64) -> Self {
        Self {
            mode,
            rule: Rule::of_runs(runs).with_max_drop(max_drop),
            max_drop,
        }
    }
}

/// What the pools of a model belong to.
pub fn key(layer: &Behavior, model: &str, info: &SessionInfo) -> Key {
    Key {
        suite: layer.golden.path.clone(),
        model: model.to_owned(),
        harness: info.harness.clone(),
    }
}

/// The pools of a model, without those of a metric that another judge measured.
pub fn pools(baseline: &Baseline, key: &Key, judge: Option<&str>) -> Option<Suite> {
    let mut suite = baseline.suite(key)?.clone();
    if suite.judge.as_deref() != judge {
        suite.last.remove(&Metric::Completion);
        for case in &mut suite.cases {
            case.metrics.remove(&Metric::Completion);
        }
    }
    Some(suite)
}

/// Where a session comes from, as its baseline would say it.
pub fn origin(info: &SessionInfo) -> Origin {
    Origin {
        sha: info.sha.clone(),
        at: info.at.clone(),
        branch: Some(info.branch.clone()),
        config: Some(info.config.clone()),
    }
}

/// What a baseline for a session has to be of: the branch is not asked for where nobody knows it.
pub fn wanted(info: &SessionInfo) -> Origin {
    Origin {
        branch: info.base.clone(),
        ..origin(info)
    }
}

/// A gate session over the stored runs of a model, with its pools. The built-in baseline has no targets of its own: what it
/// cannot do says nothing, and what it could do and cannot any more does.
pub fn session(rule: &Rule, model: &ModelResult, suite: Option<&Suite>) -> Session {
    let cases = model.cases.iter().map(|stored| {
        let planned = stored.runs.iter().filter(|run| run.wave == 0).count();
        super::session::Case {
            kind: (!model.is_baseline).then_some(stored.kind),
            planned: u32::try_from(planned).ok(),
            ..case(stored, suite)
        }
    });
    let mut session = Session::new(rule.clone(), cases.collect());
    for (place, stored) in model.cases.iter().enumerate() {
        record(&mut session, place, stored);
    }
    session
}

/// The gate on a report; `None` where layer 1 did not run. The cause is told as far as no run is needed for it.
pub fn finished(report: &Report, baseline: Option<&Baseline>, terms: &Terms) -> Option<Gate> {
    let layer = report.layers.behavior.as_ref()?;
    let info = report.session.as_ref()?;
    let tools: Vec<Tool> = info.tools.iter().cloned().map(Tool).collect();
    let differences = baseline.map(|baseline| changes(&baseline.tools, &tools));
    let parts = layer.models.iter().map(|model| {
        let key = key(layer, &model.id, info);
        let suite = baseline.and_then(|baseline| pools(baseline, &key, info.judge.as_deref()));
        let suite = suite.as_ref();
        let mut part = match terms.mode {
            Mode::Literal => plain(model, suite, terms),
            Mode::Evidence => {
                let ruling = session(&terms.rule, model, suite).ruling();
                let judged = Judged {
                    rule: &terms.rule,
                    max_drop: terms.max_drop,
                    model,
                    suite,
                    ruling: &ruling,
                    finding: None,
                };
                judged.part()
            }
        };
        explain(&mut part, model, differences.as_deref(), true);
        part
    });
    let reference = baseline.map(Baseline::reference);
    let mut gate = gate(reference, parts.collect(), Vec::new());
    gate.mode = terms.mode;
    Some(gate)
}

/// Writes down the cause as far as the two lists of tools tell it. Without a run of the old ones (`guess`) a change of the
/// tools is told as likely.
pub fn explain(part: &mut Part, model: &ModelResult, differences: Option<&[Change]>, guess: bool) {
    let Some(differences) = differences else {
        return;
    };
    for regression in &mut part.regressions {
        if regression.cause == Cause::GoldenCaseChanged || regression.was.is_none() {
            continue;
        }
        if differences.is_empty() {
            if matches!(regression.cause, Cause::Undetermined | Cause::ModelDrift) {
                regression.cause = Cause::ModelDrift;
                regression.cause_detail = Some(unchanged(model.is_baseline).to_owned());
            }
            continue;
        }
        if guess && regression.cause == Cause::Undetermined {
            regression.cause_detail = concerning(model, &regression.case, differences)
                .map(|text| format!("not tried with the old tools; {text}"));
        } else if matches!(regression.cause, Cause::DescriptionChange | Cause::Both) {
            regression.cause_detail = concerning(model, &regression.case, differences);
        }
    }
}

fn unchanged(is_baseline: bool) -> &'static str {
    if is_baseline {
        "the tools are those of the baseline: what the server answers, or the built-in ranking, is another"
    } else {
        "model drift or server behaviour: the tools are those of the baseline, so no description did it"
    }
}

fn concerning(model: &ModelResult, id: &str, differences: &[Change]) -> Option<String> {
    let stored = model.cases.iter().find(|stored| stored.id == id)?;
    told(differences, |tool| {
        let called = stored
            .runs
            .iter()
            .flat_map(|run| &run.calls)
            .any(|call| call.tool == tool);
        !tool.is_empty() && (called || stored.expected.contains(tool))
    })
}

/// What a model has for the baseline.
pub fn counts(report: &Report, model: &ModelResult, decision: Decision) -> Option<SessionCounts> {
    let layer = report.layers.behavior.as_ref()?;
    let info = report.session.as_ref()?;
    Some(SessionCounts {
        key: key(layer, &model.id, info),
        origin: origin(info),
        judge: info.judge.clone(),
        tools: info.tools.iter().cloned().map(Tool).collect(),
        decision,
        curtailed: false,
        cases: model.cases.iter().map(FirstPass::of).collect(),
    })
}

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
        notes: Vec::new(),
    }
}

fn tonight(model: &ModelResult, metric: Metric) -> Counts {
    let runs = model.cases.iter().flat_map(|stored| &stored.runs);
    let runs = runs
        .filter(|run| run.wave == 0 && run.outcome != verdict_model::behavior::RunOutcome::Invalid);
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
    let again = super::numbers::suite_again(first);
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
        independent_runs: super::numbers::independent_runs(terms.rule.first_pass, terms.rule.rho),
        suspects: Vec::new(),
        known_failing: Vec::new(),
        cannot_hold: Vec::new(),
    }
}

/// Where a case stands by the plain rule.
pub fn plain_standing(stored: &verdict_model::behavior::CaseResult) -> Standing {
    literal::standing(stored.kind, FirstPass::whole(stored).runs)
}
