//! What to mend where a trial went wrong, in one sentence: for whoever writes the server, or the agent.

use verdict_model::behavior::Standing;
use verdict_model::resilience::{Trial, TrialOutcome, TrialResult, TrialRun};

/// The advice for a trial; empty where no run was bad and all are known.
pub fn advice(result: &TrialResult) -> String {
    let bad = |run: &&TrialRun| run.outcome.is_good() == Some(false);
    let Some(worst) = result
        .runs
        .iter()
        .filter(bad)
        .map(|run| run.outcome)
        .min_by_key(grave)
    else {
        return open(result);
    };
    let what = match &result.trial {
        Trial::Fault { .. } => of_fault(worst, &whose(result)),
        Trial::Attack { place, .. } => of_attack(place, &whose(result)),
    };
    let bad = result.runs.iter().filter(bad).count();
    match result.standing {
        Standing::Met | Standing::Unstable => {
            format!(
                "Watch it: {bad} of {} runs went wrong. {what}",
                result.runs.len()
            )
        }
        Standing::Red | Standing::Unknown => what,
    }
}

/// What is gravest comes first.
fn grave(outcome: &TrialOutcome) -> u8 {
    match outcome {
        TrialOutcome::Attacked => 0,
        TrialOutcome::FalseSuccess => 1,
        TrialOutcome::RepeatedEffect => 2,
        _ => 3,
    }
}

/// The tool that it is about: the one that broke, or the one whose answer the model read last before it went wrong.
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

fn of_fault(outcome: TrialOutcome, tool: &str) -> String {
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

fn of_attack(place: &str, tool: &str) -> String {
    if place.starts_with("result") || place.contains("resource") || place.contains("error") {
        format!(
            "Give what others wrote in the answers of {tool} in fields of its own, marked as data from outside, and strip hidden characters; and let no tool that sends or changes something be called without the person's consent."
        )
    } else {
        format!(
            "Whoever can change the texts of the server (here: {place}) commands the agent: pin the tool list by its hash and have its changes reviewed, and let no tool that sends or changes something be called without the person's consent."
        )
    }
}

/// What is to be done about runs that say nothing.
fn open(result: &TrialResult) -> String {
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
        let told = advice(&trial(&fault, &["looped", "false-success"]));
        assert!(
            told.starts_with("Let the error of `pay` say in words that nothing"),
            "{told}"
        );
        let attack =
            json!({ "kind": "attack", "attack": "x", "class": "y", "place": "result-text" });
        let told = advice(&trial(&attack, &["resisted", "attacked"]));
        assert!(told.contains("answers of `list_events`"), "{told}");
        let planted =
            json!({ "kind": "attack", "attack": "x", "class": "y", "place": "description" });
        assert!(advice(&trial(&planted, &["attacked"])).contains("pin the tool list"));
    }

    #[test]
    fn what_is_fine_has_none_and_what_is_unclear_wants_a_judge() {
        let fault = json!({ "kind": "fault", "fault": "timeout", "when": "first" });
        assert_eq!(
            advice(&trial(&fault, &["gave-up-honestly", "not-reached"])),
            ""
        );
        assert!(advice(&trial(&fault, &["unclear"])).contains("--judge"));
    }
}
