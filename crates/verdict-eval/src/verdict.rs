//! The verdict of layer 1 and its sentence, from the report's own words: every format reads the same value.

mod trials;

pub use trials::{
    decision as decision_of_trials, of_drops, of_trials, says_nothing, sentence_of_drops,
    sentence_of_trials,
};

use verdict_model::Verdict;
use verdict_model::behavior::{Behavior, CaseResult, ModelResult, RunOutcome, Standing, Who};
use verdict_model::gate::{Cause, Decision, Gate};

/// Valid first-pass runs below which a case says nothing, where as many were planned.
const LEAST: usize = 3;

/// The verdict: a case of a model that is red fails it; too few valid runs are none; else it is a pass.
///
/// With `deny_warnings` an unstable case fails it too. What the built-in baseline does decides nothing: it is no model that
/// anybody ships. A run in which nothing was evaluated is never a pass.
pub fn verdict(layer: &Behavior, deny_warnings: bool) -> Verdict {
    let models = || layer.models.iter().filter(|model| !model.is_baseline);
    let any = |standing| {
        models()
            .flat_map(|model| &model.cases)
            .any(|case| case.standing == standing)
    };
    if any(Standing::Red) || (deny_warnings && any(Standing::Unstable)) {
        return Verdict::Fail;
    }
    let nothing = layer.models.iter().all(|model| valid(&model.cases) == 0);
    let unjudged = layer
        .judge
        .as_ref()
        .is_some_and(|judge| judge.unfit.is_some());
    if nothing || unjudged || layer.models.iter().any(|model| out(model).is_some()) {
        return Verdict::None;
    }
    Verdict::Pass
}

/// The verdict where a gate was held: the gate's decision; none where too little was evaluated or the judge is unfit, whatever
/// the gate made of the rest.
pub fn gated(layer: &Behavior, gate: &Gate, deny_warnings: bool) -> Verdict {
    match gate.decision {
        Decision::Fail => Verdict::Fail,
        Decision::Warn if deny_warnings => Verdict::Fail,
        Decision::Incomplete => Verdict::None,
        // Red cases that do not fail the gate are those that their pool says cannot hold their target.
        Decision::Warn | Decision::Learning | Decision::Pass => match verdict(layer, false) {
            Verdict::None => Verdict::None,
            _ if deny_warnings && gate.decision == Decision::Learning => verdict(layer, true),
            Verdict::Pass | Verdict::Fail => Verdict::Pass,
        },
    }
}

/// What the gate says, in one sentence; nothing where [`sentence`] says it all.
pub fn gate_sentence(gate: &Gate) -> Option<String> {
    let worst = gate
        .models
        .iter()
        .find(|model| model.decision == gate.decision)?;
    let said = format!("{}: {}", worst.model, worst.reason);
    match gate.decision {
        Decision::Fail => {
            let first = gate.regressions.first().map_or_else(String::new, |first| {
                let cause = match first.cause {
                    Cause::Undetermined => String::new(),
                    cause => format!(" ({})", cause.words()),
                };
                format!("; start with {}{cause}", first.case)
            });
            Some(format!("the gate fails. {said}{first}."))
        }
        Decision::Warn => Some(format!("the gate warns. {said}.")),
        Decision::Learning if gate.baseline.is_none() => Some(
            "the gate is learning: there is no baseline to compare this run with yet.".to_owned(),
        ),
        Decision::Learning => Some(
            "the gate is learning: the baseline has too few runs to compare this one with."
                .to_owned(),
        ),
        Decision::Incomplete | Decision::Pass => None,
    }
}

/// Why a model's runs are too few to say anything, where they are.
fn out(model: &ModelResult) -> Option<String> {
    let first = || {
        model
            .cases
            .iter()
            .map(|case| case.runs.iter().filter(|run| run.wave == 0))
    };
    let planned: usize = first().map(Iterator::count).sum();
    let invalid = first()
        .flatten()
        .filter(|run| run.outcome == RunOutcome::Invalid)
        .count();
    let starved = first().any(|runs| {
        let all: Vec<_> = runs.collect();
        let valid = all
            .iter()
            .filter(|run| run.outcome != RunOutcome::Invalid)
            .count();
        valid < LEAST.min(all.len().max(1))
    });
    // A budget that ended, a signal, a disk that is full: what is missing was meant to be measured, however little it is.
    let is_cut = model
        .cases
        .iter()
        .flat_map(|case| &case.runs)
        .filter(|run| run.outcome == RunOutcome::Invalid)
        .any(|run| {
            run.fault
                .as_ref()
                .is_some_and(|fault| fault.who == Who::Harness)
        });
    (starved || is_cut || invalid * 10 > planned)
        .then(|| format!("{invalid} of {planned} runs on {} are no runs", model.id))
}

fn valid(cases: &[CaseResult]) -> usize {
    let runs = cases.iter().flat_map(|case| &case.runs);
    runs.filter(|run| run.outcome != RunOutcome::Invalid)
        .count()
}

/// What a person should do about it, in one sentence.
pub fn sentence(layer: &Behavior) -> String {
    if let Some(why) = layer.models.iter().find_map(out) {
        let fault = layer
            .models
            .iter()
            .flat_map(|model| &model.cases)
            .flat_map(|case| &case.runs)
            .find_map(|run| {
                run.fault
                    .as_ref()
                    .filter(|_| run.outcome == RunOutcome::Invalid)
            });
        let because = fault.map_or_else(String::new, |fault| format!(": {}", fault.message));
        return format!("{why}{because}.");
    }
    let unfit = layer.judge.as_ref().and_then(|judge| judge.unfit.as_ref());
    let red: Vec<_> = layer
        .models
        .iter()
        .filter(|model| !model.is_baseline)
        .flat_map(|model| model.cases.iter().map(move |case| (model, case)))
        .filter(|(_, case)| case.standing == Standing::Red)
        .collect();
    if let Some((model, case)) = red.first() {
        let what = if red.len() == 1 {
            "one golden case is red".to_owned()
        } else {
            format!("{} golden cases are red", red.len())
        };
        return format!(
            "{what}: start with {} on {}. {}",
            case.id, model.id, case.advice
        )
        .trim_end()
        .to_owned();
    }
    if let Some(why) = unfit {
        return format!("{why}; completion was not judged.");
    }
    let all: usize = layer.models.iter().map(|model| model.cases.len()).sum();
    let fine = layer
        .models
        .iter()
        .flat_map(|model| &model.cases)
        .filter(|case| {
            case.runs
                .iter()
                .all(|run| run.outcome == RunOutcome::Passed)
        });
    let fine = fine.count();
    let only = layer.models.iter().all(|model| model.is_baseline);
    let by = if only {
        " by the built-in baseline, which is no language model"
    } else {
        ""
    };
    format!("{fine} of {all} golden cases passed every run{by}.")
}

/// Two layers' verdicts together.
pub fn both(one: Verdict, other: Verdict) -> Verdict {
    match (one, other) {
        (Verdict::Fail, _) | (_, Verdict::Fail) => Verdict::Fail,
        (Verdict::None, _) | (_, Verdict::None) => Verdict::None,
        (Verdict::Pass, Verdict::Pass) => Verdict::Pass,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use verdict_model::behavior::{GoldenSet, Kind, Run, RunFault, Spent};

    fn case(standing: Standing, outcomes: &[RunOutcome]) -> CaseResult {
        let run = |(index, outcome): (usize, &RunOutcome)| Run {
            index: u32::try_from(index).unwrap(),
            wave: 0,
            outcome: *outcome,
            scores: BTreeMap::new(),
            calls: vec![],
            differences: vec![],
            fault: None,
            answer: String::new(),
            judged: vec![],
            turns: 1,
            tokens: None,
            ms: Spent::default(),
            reused: false,
            transcript: None,
        };
        CaseResult {
            id: "a".to_owned(),
            kind: Kind::Hard,
            hash: String::new(),
            prompt: String::new(),
            expected: String::new(),
            tags: vec![],
            location: None,
            runs: outcomes.iter().enumerate().map(run).collect(),
            pass_rate: None,
            interval: None,
            standing,
            collisions: vec![],
            advice: String::new(),
        }
    }

    fn layer(is_baseline: bool, cases: Vec<CaseResult>) -> Behavior {
        Behavior {
            golden: GoldenSet::default(),
            models: vec![ModelResult {
                id: "m".to_owned(),
                is_baseline,
                served_by: vec![],
                metrics: BTreeMap::new(),
                cases,
                calls: 0,
                reused: 0,
                tokens: None,
                usd: None,
                notes: vec![],
            }],
            judge: None,
            duration_ms: 0,
            notes: vec![],
        }
    }

    #[test]
    fn one_value_decides() {
        use RunOutcome::{Failed, Invalid, Passed};
        let five = [Passed; 5];
        for (standing, runs, baseline, deny, expected) in [
            (Standing::Met, &five[..], false, false, Verdict::Pass),
            (Standing::Red, &[Failed; 5][..], false, false, Verdict::Fail),
            (Standing::Red, &[Failed; 5][..], true, false, Verdict::Pass),
            (Standing::Unstable, &five[..], false, false, Verdict::Pass),
            (Standing::Unstable, &five[..], false, true, Verdict::Fail),
            (
                Standing::Unknown,
                &[Invalid; 5][..],
                false,
                false,
                Verdict::None,
            ),
            (
                Standing::Met,
                &[Passed, Passed, Invalid, Invalid, Invalid][..],
                false,
                false,
                Verdict::None,
            ),
            (Standing::Met, &[Passed][..], false, false, Verdict::Pass),
            (Standing::Unknown, &[][..], false, false, Verdict::None),
        ] {
            let layer = layer(baseline, vec![case(standing, runs)]);
            assert_eq!(
                verdict(&layer, deny),
                expected,
                "{standing:?} {runs:?} {baseline} {deny}"
            );
        }
        assert_eq!(verdict(&layer(false, vec![]), false), Verdict::None);
    }

    #[test]
    fn what_was_cut_off_is_no_verdict_however_little_is_missing() {
        use RunOutcome::{Invalid, Passed};
        let mut runs = [Passed; 40];
        runs[39] = Invalid;
        let cut = |who| {
            let mut layer = layer(false, vec![case(Standing::Met, &runs)]);
            layer.models[0].cases[0].runs[39].fault = Some(RunFault {
                who,
                what: "budget".to_owned(),
                message: "the budget is used up".to_owned(),
            });
            layer
        };
        assert_eq!(verdict(&cut(Who::Harness), false), Verdict::None);
        assert!(sentence(&cut(Who::Harness)).contains("the budget is used up"));
        // A provider that failed once in forty is no reason to measure again.
        assert_eq!(verdict(&cut(Who::Provider), false), Verdict::Pass);
    }
}
