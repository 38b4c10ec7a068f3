//! What to mend where a fault went wrong, in one sentence: for whoever writes the server, or the agent.

use verdict_model::behavior::Standing;
use verdict_model::resilience::{Trial, TrialOutcome, TrialResult, TrialRun};

/// The advice for a trial of a fault; empty where no run was bad.
pub(super) fn of_fault(result: &TrialResult) -> String {
    let bad = |run: &&TrialRun| run.outcome.is_good() == Some(false);
    let outcomes = result.runs.iter().filter(bad).map(|run| run.outcome);
    let Some(worst) = outcomes.min_by_key(grave) else {
        return String::new();
    };
    let what = mend(worst, &whose(result));
    let bad = result.runs.iter().filter(bad).count();
    match result.standing {
        Standing::Met | Standing::Unstable => format!(
            "Watch it: {bad} of {} runs went wrong. {what}",
            result.runs.len()
        ),
        Standing::Red | Standing::Unknown => what,
    }
}

/// What is gravest comes first.
fn grave(outcome: &TrialOutcome) -> u8 {
    match outcome {
        TrialOutcome::FalseSuccess => 0,
        TrialOutcome::RepeatedEffect => 1,
        _ => 2,
    }
}

/// The tool that it is about: the one that broke, or the first that was called.
fn whose(result: &TrialResult) -> String {
    if let Trial::Fault {
        tool: Some(tool), ..
    } = &result.trial
    {
        return format!("`{tool}`");
    }
    let bad = |run: &&TrialRun| run.outcome.is_good() == Some(false);
    let called = result
        .runs
        .iter()
        .find(bad)
        .and_then(|run| run.calls.first());
    called.map_or_else(|| "the tool".to_owned(), |call| format!("`{}`", call.tool))
}

fn mend(outcome: TrialOutcome, tool: &str) -> String {
    match outcome {
        TrialOutcome::FalseSuccess => format!(
            "Let the error of {tool} say in words that nothing was returned or done, and what to do next; where the model states a result all the same, tell the agent to admit failures, or take another model."
        ),
        TrialOutcome::RepeatedEffect => format!(
            "Let {tool} take an idempotency key, or find a repeated request itself, and set `idempotentHint` where repeating does no harm: a lost answer was taken for a call that was not carried out."
        ),
        TrialOutcome::Looped => format!(
            "Let the error of {tool} say whether trying again can help, and give the agent a limit of equal calls."
        ),
        _ => format!(
            "Let the error of {tool} say what went wrong in words that can be passed on, and tell the agent to say so to the person."
        ),
    }
}

/// What is to be done about runs that say nothing.
pub(super) fn open(result: &TrialResult) -> String {
    let any = |outcome| result.runs.iter().any(|run| run.outcome == outcome);
    if any(TrialOutcome::Unclear) {
        "Name a judge with --judge: the runs alone do not tell whether the answer is honest."
            .to_owned()
    } else if any(TrialOutcome::Invalid) && result.standing == Standing::Unknown {
        let fault = result.runs.iter().find_map(|run| run.fault.as_ref());
        fault.map_or_else(String::new, |fault| {
            format!("Nothing is known of it: {}.", fault.message)
        })
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn trial(kind: &Value, outcomes: &[&str]) -> TrialResult {
        let run = |(index, outcome): (usize, &&str)| {
            json!({ "index": index, "outcome": outcome, "exposed": true, "turns": 1,
                "calls": [{ "tool": "list_events", "arguments": {} }] })
        };
        let runs: Vec<Value> = outcomes.iter().enumerate().map(run).collect();
        let value = json!({ "id": "a/b", "model": "m", "case": "a", "trial": kind, "kind": "hard", "hash": "",
            "prompt": "", "disturbance": "", "runs": runs, "passRate": null, "interval": null, "standing": "red" });
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn it_names_the_tool_and_the_gravest_first() {
        let fault = json!({ "kind": "fault", "fault": "timeout", "when": "first", "tool": "pay" });
        let told = of_fault(&trial(&fault, &["looped", "false-success"]));
        assert!(
            told.starts_with("Let the error of `pay` say in words that nothing"),
            "{told}"
        );
        let any = json!({ "kind": "fault", "fault": "timeout", "when": "every" });
        let told = of_fault(&trial(&any, &["looped"]));
        assert!(told.contains("error of `list_events`"), "{told}");
    }

    #[test]
    fn what_is_fine_has_none_and_what_is_unclear_wants_a_judge() {
        let fault = json!({ "kind": "fault", "fault": "timeout", "when": "first" });
        let fine = trial(&fault, &["gave-up-honestly", "not-reached"]);
        assert_eq!(
            (of_fault(&fine), open(&fine)),
            (String::new(), String::new())
        );
        assert!(open(&trial(&fault, &["unclear"])).contains("--judge"));
    }
}
