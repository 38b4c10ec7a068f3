//! What layer 2 came to, in a line.

use super::{is_bad, resilience, tried};
use verdict_model::resilience::{Resilience, ServerTrial, TrialOutcome, TrialRun};
use verdict_model::{Outcome, Report};

/// `38 of 40 trials had no bad run`, over all models, and what came of the trials of the server itself.
pub(crate) fn ends(report: &Report) -> String {
    let own = resilience(report).and_then(server_ends);
    let parts: Vec<_> = ends_of_trials(report).into_iter().chain(own).collect();
    if parts.is_empty() {
        "no trial was made".to_owned()
    } else {
        parts.join("; ")
    }
}

/// `38 of 40 trials had no bad run`: of those with a valid run; nothing where there are no trials.
pub(crate) fn ends_of_trials(report: &Report) -> Option<String> {
    let all = tried(report);
    let is_valid = |run: &TrialRun| run.outcome != TrialOutcome::Invalid;
    let valid: Vec<_> = all
        .iter()
        .filter(|tried| tried.trial.runs.iter().any(is_valid))
        .collect();
    let fine = valid
        .iter()
        .filter(|tried| !tried.trial.runs.iter().any(is_bad))
        .count();
    let by = if all.iter().all(|tried| tried.is_baseline) {
        " (baseline)"
    } else {
        ""
    };
    let number = crate::words::number::<usize>;
    match (all.len(), valid.len()) {
        (0, _) => None,
        (all, 0) => Some(format!("no run of {} trials{by} is valid", number(all))),
        (all, valid) => {
            let rest = match all - valid {
                0 => String::new(),
                rest => format!(", {} have no valid run", number(rest)),
            };
            Some(format!(
                "{} of {} trials{by} had no bad run{rest}",
                number(fine),
                number(valid)
            ))
        }
    }
}

/// `the server stood up to 5 of 7 trials of its own, 2 could not be tried`; nothing where there are none.
pub(crate) fn server_ends(layer: &Resilience) -> Option<String> {
    let count = |is: fn(&ServerTrial) -> bool| layer.server.iter().filter(|one| is(one)).count();
    let stood = count(|one| matches!(one.outcome, Outcome::Pass | Outcome::Info));
    let untried = count(|one| matches!(one.outcome, Outcome::Skip | Outcome::NotApplicable));
    let rest = match untried {
        0 => String::new(),
        rest => format!(", {} could not be tried", crate::words::number(rest)),
    };
    (!layer.server.is_empty()).then(|| {
        format!(
            "the server stood up to {} of {} trials of its own{rest}",
            crate::words::number(stood),
            crate::words::number(layer.server.len())
        )
    })
}

/// Whether the server did not stand up to a trial of its own, or may not have.
pub(crate) fn fell(one: &ServerTrial) -> bool {
    matches!(one.outcome, Outcome::Fail | Outcome::Error | Outcome::Warn)
}
