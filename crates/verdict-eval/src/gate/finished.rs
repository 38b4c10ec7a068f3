//! The gate on a finished report: nothing can be run again, so the evidence is weighed once.

mod beside;
mod plain;

pub use beside::beside;
pub use plain::{plain, plain_standing};

use super::baseline::{Baseline, FirstPass, Key, Origin, SessionCounts, Suite};
use super::changes::{Change, changes, told};
use super::decision::{Judged, Part, case, gate, only_the_judge, record};
use super::rule::{HardMode, Rule};
use super::session::Session;
use crate::tool::Tool;
use verdict_model::Report;
use verdict_model::behavior::{Behavior, Metric, ModelResult};
use verdict_model::gate::{Cause, Decision, Gate, Mode, ModelGate, SessionInfo};

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

    /// With `hard` cases held so.
    #[must_use]
    pub fn with_hard(mut self, mode: HardMode) -> Self {
        self.rule.hard_mode = mode;
        self
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
        let judge = info.judge.as_deref();
        let notes = baseline.map(|baseline| beside(baseline, &key, judge));
        part.notes.extend(notes.into_iter().flatten());
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
    let judge_alone = only_the_judge(&part.per_metric);
    for regression in &mut part.regressions {
        if regression.cause == Cause::GoldenCaseChanged || regression.was.is_none() {
            continue;
        }
        if judge_alone && matches!(regression.cause, Cause::Undetermined | Cause::ModelDrift) {
            regression.cause = Cause::Undetermined;
            regression.cause_detail = Some(
                "the judge's metric moved alone: the model's answers got worse, or the judge reads them otherwise"
                    .to_owned(),
            );
            continue;
        }
        if differences.is_empty() {
            if matches!(regression.cause, Cause::Undetermined | Cause::ModelDrift) {
                let undecided = part.model.decision == Decision::Warn;
                regression.cause = if undecided {
                    Cause::Undetermined
                } else {
                    Cause::ModelDrift
                };
                regression.cause_detail = Some(unchanged(model.is_baseline, undecided).to_owned());
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

fn unchanged(is_baseline: bool, undecided: bool) -> &'static str {
    if undecided {
        "noise, model drift, or the server answers its calls otherwise: the tools are those of the baseline, so no description did it"
    } else if is_baseline {
        "the tools are those of the baseline: what the server answers, or the built-in ranking, is another"
    } else {
        "model drift, or the server answers its calls otherwise: the tools are those of the baseline, so no description did it"
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

/// Whether a model's first pass may enter the pools, by its part of the gate: see [`super::session::Ruling::is_green`]. Of a
/// warning below the lower bar only an unstable target can be the reason.
pub fn is_green(ground: &ModelGate) -> bool {
    match ground.decision {
        Decision::Pass | Decision::Learning => true,
        Decision::Warn => ground
            .evidence
            .is_some_and(|evidence| evidence < ground.pass_below),
        Decision::Fail | Decision::Incomplete => false,
    }
}

/// What a model has for the baseline; `green` says whether it may enter.
pub fn counts(
    report: &Report,
    model: &ModelResult,
    decision: Decision,
    green: bool,
) -> Option<SessionCounts> {
    let layer = report.layers.behavior.as_ref()?;
    let info = report.session.as_ref()?;
    Some(SessionCounts {
        key: key(layer, &model.id, info),
        origin: origin(info),
        judge: info.judge.clone(),
        tools: info.tools.iter().cloned().map(Tool).collect(),
        decision,
        green,
        curtailed: false,
        cases: model.cases.iter().map(FirstPass::of).collect(),
    })
}
