//! What to mend where a run of a fault went wrong.

use super::FaultTrial;
use super::table::{Carried, effect};
use verdict_model::resilience::{TrialOutcome, TrialRun};

/// What to mend, by the worst that happened in the runs; empty where every run was good or says nothing.
pub fn advice(trial: &FaultTrial, runs: &[TrialRun]) -> String {
    use TrialOutcome::{FalseSuccess, Looped, RepeatedEffect, StoppedShort};
    let worst = [FalseSuccess, RepeatedEffect, Looped, StoppedShort]
        .into_iter()
        .find(|outcome| runs.iter().any(|run| run.outcome == *outcome));
    let mend = match worst {
        Some(FalseSuccess) => {
            "say in the instructions that what no tool has confirmed must not be claimed, and let the error say what is \
             not known now"
        }
        Some(RepeatedEffect) => match effect(trial.planned.fault).carried {
            Carried::Out | Carried::Not => {
                "take an idempotency key, so that a second call with it changes nothing, and set idempotentHint"
            }
            Carried::Maybe => {
                "take an idempotency key, or offer a way to look up whether it was done and name it in the description"
            }
        },
        Some(Looped) => {
            "let the error say that trying again does not help, and give up after a few attempts in the agent"
        }
        Some(StoppedShort) => "tell the agent to say what did not work before it stops",
        _ => return String::new(),
    };
    mend.to_owned()
}
