//! Scores one run of one case. Pure: the same trace gives the same scores, whenever it is scored.
//!
//! `docs/scoring.md` tells the rules to users; each module here keeps one of them:
//! [`trace`] what was done; `retry` which calls count as one; `choice` tools and order; `matchers` and `compare`
//! arguments; `valid` the tool's own schema; `fault` how the model failed otherwise. Nobody is asked here: what only a
//! reader can tell comes out as a [`Pair`], and goes in as an answer the next time.

mod choice;
mod compare;
mod decimal;
mod describe;
mod fault;
mod matchers;
mod metrics;
mod moment;
mod pairing;
mod retry;
mod schema;
pub mod trace;
mod typed;
mod valid;

#[cfg(test)]
mod tests;

pub use describe::{expected, shown_call};
pub use metrics::{collisions, metrics, pass_rate, rates};
pub(crate) use metrics::{rate, rate_of_case};

use crate::chat::End;
use crate::golden::{Case, Expect};
use crate::tool::Tool;
use std::collections::BTreeMap;
use trace::Trace;
use verdict_model::behavior::{Criterion, Difference, Metric, RunFault, RunOutcome, Who};

/// Two texts of which only a reader can tell whether they mean the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The tool.
    pub tool: String,
    /// JSON Pointer to the argument.
    pub argument: String,
    /// The text of the case.
    pub expected: String,
    /// The text of the model.
    pub actual: String,
    /// What the person asked for.
    pub context: String,
    /// Who is to tell.
    pub means: Means,
}

/// Who tells whether two texts mean the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Means {
    /// The judge.
    Judge,
    /// The cosine of their embeddings, where it is at least this.
    Embedding(f64),
}

/// What a run is worth.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scored {
    /// What was measured; a metric that the run does not define is absent. For `overTrigger`, true is bad.
    pub scores: BTreeMap<Metric, bool>,
    /// What differed.
    pub differences: Vec<Difference>,
    /// All gating checks passed: selection, arguments, order and completion where they are defined, no forbidden call,
    /// and no fault that fails a run. Schema validity does not gate.
    pub passed: bool,
    /// What went wrong beside the scores. A fault of anybody but the model makes the run no run at all; one of the model
    /// fails it, except a cut-off after the work was done, which is only told.
    pub fault: Option<RunFault>,
    /// What a reader has to decide before the scores are final. Counted as wrong until then.
    pub unsettled: Vec<Pair>,
}

impl Scored {
    /// How the run ended.
    pub fn outcome(&self) -> RunOutcome {
        let is_run = self
            .fault
            .as_ref()
            .is_none_or(|fault| fault.who == Who::Model);
        match (is_run, self.passed) {
            (false, _) => RunOutcome::Invalid,
            (true, true) => RunOutcome::Passed,
            (true, false) => RunOutcome::Failed,
        }
    }

    /// Adds what the judge found of the rubric: all criteria must be met. It never turns a failed run into a passed one.
    pub fn judged(&mut self, criteria: &[Criterion]) {
        let is_met = !criteria.is_empty() && criteria.iter().all(|it| it.met);
        self.scores.insert(Metric::Completion, is_met);
        self.passed &= is_met;
        for criterion in criteria.iter().filter(|it| !it.met) {
            self.differences.push(Difference {
                metric: Metric::Completion,
                tool: None,
                pointer: None,
                expected: Some(criterion.criterion.as_str().into()),
                actual: None,
                message: "the judge says that the criterion is not met".to_owned(),
            });
        }
    }

    /// Takes back a wrong score of which the end of the run left no proof.
    fn forget(&mut self, metric: Metric) {
        if self.scores.get(&metric) == Some(&false) {
            self.scores.remove(&metric);
            self.differences.retain(|it| it.metric != metric);
        }
    }
}

/// Scores one run: [`Scorer`] for one time.
pub fn score(
    case: &Case,
    trace: &Trace,
    tools: &[Tool],
    settled: &dyn Fn(&Pair) -> Option<bool>,
) -> Scored {
    Scorer::new(tools).score(case, trace, settled)
}

/// Scores runs against one list of tools, and remembers which arguments their schemas accept.
#[derive(Debug)]
pub struct Scorer<'t> {
    tools: BTreeMap<&'t str, &'t Tool>,
    validities: valid::Validities,
}

impl<'t> Scorer<'t> {
    /// A scorer for the tools on offer. Where two have the same name, the first counts.
    pub fn new(tools: &'t [Tool]) -> Self {
        let mut by_name = BTreeMap::new();
        for tool in tools.iter().filter(|tool| !tool.name().is_empty()) {
            by_name.entry(tool.name()).or_insert(tool);
        }
        Self {
            tools: by_name,
            validities: valid::Validities::default(),
        }
    }

    /// Scores one run. `settled` says what is known of a pair: `None` where nobody has decided.
    ///
    /// The first time it is called with nothing known, and gives the pairs in [`Scored::unsettled`]; once they are
    /// decided it is called again.
    pub fn score(
        &self,
        case: &Case,
        trace: &Trace,
        settled: &dyn Fn(&Pair) -> Option<bool>,
    ) -> Scored {
        let mut scored = Scored::default();
        let is_forbidden = choice::forbidden(case, trace, &mut scored);
        if !fault::is_filtered(trace) {
            self.choice(case, trace, settled, &mut scored);
            self.validities.check(trace, &self.tools, &mut scored);
        }
        if fault::is_cut_in_call(trace) {
            scored.forget(Metric::Arguments);
            scored.forget(Metric::Schema);
        }
        if is_forbidden {
            scored.scores.insert(Metric::Selection, false);
        }
        let is_right = gates(&scored.scores);
        let fault = fault::of(case, trace, &self.tools, is_right);
        scored.passed = is_right && fault.as_ref().is_none_or(|it| !it.is_failing);
        // A forbidden call happened, whatever became of the run afterwards.
        scored.fault = fault
            .map(|it| it.fault)
            .filter(|it| it.who == Who::Model || !is_forbidden);
        scored
    }

    fn choice(
        &self,
        case: &Case,
        trace: &Trace,
        settled: &dyn Fn(&Pair) -> Option<bool>,
        scored: &mut Scored,
    ) {
        match &case.expect {
            Expect::Nothing => choice::nothing(trace, scored),
            Expect::Anything => {
                scored.scores.insert(Metric::Selection, true);
            }
            Expect::Tool { .. } | Expect::Sequence { .. } => {
                let lacks_calls_only = choice::steps(case, trace, &self.tools, settled, scored);
                if trace.end == End::CutOff && lacks_calls_only {
                    // They might have come.
                    scored.forget(Metric::Selection);
                }
            }
        }
    }
}

/// Whether all gating metrics that are defined are right, and one is.
fn gates(scores: &BTreeMap<Metric, bool>) -> bool {
    let gating = [
        Metric::Selection,
        Metric::Arguments,
        Metric::Order,
        Metric::Completion,
    ];
    let defined: Vec<bool> = gating
        .iter()
        .filter_map(|it| scores.get(it).copied())
        .collect();
    !defined.is_empty() && defined.into_iter().all(|it| it)
}
