//! What a reader is told to do about a trial, whatever was wrong in it.

use verdict_model::behavior::Standing;
use verdict_model::resilience::{TrialOutcome, TrialResult, TrialRun};

/// What was found to be mended, as a sentence; softer where the target is not missed for good.
pub(super) fn said(result: &TrialResult, mend: &str) -> String {
    let mut letters = mend.trim().trim_end_matches('.').chars();
    let Some(first) = letters.next() else {
        return open(result);
    };
    let first: String = first.to_uppercase().collect();
    let what = format!("{first}{}.", letters.as_str());
    let bad = |run: &&TrialRun| run.outcome.is_good() == Some(false);
    let bad = result.runs.iter().filter(bad).count();
    match result.standing {
        Standing::Met | Standing::Unstable if bad > 0 => {
            format!(
                "Watch it: {bad} of {} runs went wrong. {what}",
                result.runs.len()
            )
        }
        _ => what,
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
    fn a_mend_becomes_a_sentence() {
        let fault = json!({ "kind": "fault", "fault": "timeout", "when": "first", "tool": "pay" });
        let mut bad = trial(&fault, &["looped", "false-success"]);
        assert_eq!(said(&bad, "say it"), "Say it.");
        bad.standing = Standing::Unstable;
        assert_eq!(
            said(&bad, "Say it."),
            "Watch it: 2 of 2 runs went wrong. Say it."
        );
    }

    #[test]
    fn what_is_fine_has_none_and_what_is_unclear_wants_a_judge() {
        let fault = json!({ "kind": "fault", "fault": "timeout", "when": "first" });
        let fine = trial(&fault, &["gave-up-honestly", "not-reached"]);
        assert_eq!(said(&fine, ""), "");
        assert!(said(&trial(&fault, &["unclear"]), "").contains("--judge"));
    }
}
