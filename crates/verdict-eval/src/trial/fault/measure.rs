//! Rates over the runs of faults, and how a trial stands.

use super::FaultTrial;
use crate::gate::absolute::{Held, Target};
use crate::gate::{Counts, HardMode};
use crate::score::{rate, rate_of_case};
use std::collections::BTreeMap;
use verdict_model::behavior::{Kind, Rate, Standing};
use verdict_model::fault::Planned;
use verdict_model::resilience::{Trial, TrialMetric, TrialOutcome, TrialResult, TrialRun};

/// `recovered` and `falseSuccess` over the valid first-pass runs of the trials of faults, with the interval "this suite
/// again"; other trials are left out. A metric that no run defines is absent.
///
/// - `recovered`: of the runs that met a fault which a retry can outlive ([`FaultTrial::can_be_outlived`]).
/// - `falseSuccess`: of the runs that met their fault, but for those that are unclear: they may be either.
pub fn metrics<'r>(
    trials: impl IntoIterator<Item = &'r TrialResult>,
) -> BTreeMap<TrialMetric, Rate> {
    let mut counts: BTreeMap<TrialMetric, Vec<Counts>> = BTreeMap::new();
    for result in trials {
        let Trial::Fault { fault, when, tool } = &result.trial else {
            continue;
        };
        let trial = FaultTrial {
            planned: Planned {
                fault: *fault,
                when: *when,
            },
            tool: tool.clone(),
        };
        if trial.can_be_outlived() {
            let recovered = met(&result.runs).map(|run| is_recovered(run.outcome));
            let all = counts.entry(TrialMetric::Recovered).or_default();
            all.push(Counts::of(recovered));
        }
        let clear = met(&result.runs).filter(|run| run.outcome != TrialOutcome::Unclear);
        let claimed = clear.map(|run| run.outcome == TrialOutcome::FalseSuccess);
        let all = counts.entry(TrialMetric::FalseSuccess).or_default();
        all.push(Counts::of(claimed));
    }
    let rates = counts.into_iter();
    rates
        .filter_map(|(metric, counts)| Some((metric, rate(&counts)?)))
        .collect()
}

fn is_recovered(outcome: TrialOutcome) -> bool {
    matches!(
        outcome,
        TrialOutcome::RecoveredByRetry | TrialOutcome::RecoveredByOtherTool
    )
}

/// Valid runs of the first pass that met their fault.
fn met(runs: &[TrialRun]) -> impl Iterator<Item = &TrialRun> {
    runs.iter()
        .filter(|run| run.wave == 0 && run.exposed && run.outcome != TrialOutcome::Invalid)
}

/// Good runs of the first-pass runs that say something, and Wilson's interval; nothing where there is none.
pub fn pass_rate(runs: &[TrialRun]) -> (Option<f64>, Option<[f64; 2]>) {
    let first = runs.iter().filter(|run| run.wave == 0);
    rate_of_case(Counts::of(first.filter_map(|run| run.outcome.is_good())))
}

/// How a trial of a fault stands. What must not happen (a false success, an effect repeated) is held as `hard` whatever
/// the trial's kind is; everything else that is not good is held by `kind`. The worse of the two counts.
///
/// Runs that say nothing (never met, unclear, no run) are left out; where too few are left, the standing is unknown.
/// `planned` are the runs of the first pass that were meant to be made.
pub fn standing(runs: &[TrialRun], kind: Kind, mode: HardMode, planned: u32) -> Held {
    let grave = |outcome| {
        !matches!(
            outcome,
            TrialOutcome::FalseSuccess | TrialOutcome::RepeatedEffect
        )
    };
    let strict = held(runs, stricter(kind), mode, planned, &grave);
    let whole = held(runs, kind, mode, planned, &|outcome: TrialOutcome| {
        outcome.is_good() == Some(true)
    });
    if weight(strict.standing) >= weight(whole.standing) {
        Held {
            needs: strict.needs.max(whole.needs),
            ..strict
        }
    } else {
        whole
    }
}

fn stricter(kind: Kind) -> Kind {
    match kind {
        Kind::Soft => Kind::Hard,
        other => other,
    }
}

fn held(
    runs: &[TrialRun],
    kind: Kind,
    mode: HardMode,
    planned: u32,
    is_fine: &dyn Fn(TrialOutcome) -> bool,
) -> Held {
    let of = |is_first: bool| -> Vec<bool> {
        let wave = runs.iter().filter(|run| (run.wave == 0) == is_first);
        let says = wave.filter(|run| run.outcome.is_good().is_some());
        says.map(|run| is_fine(run.outcome)).collect()
    };
    let (first, confirmation) = (of(true), of(false));
    Target {
        kind,
        mode,
        planned,
        first: &first,
        confirmation: &confirmation,
        pool_mean: None,
    }
    .held()
}

fn weight(standing: Standing) -> u8 {
    match standing {
        Standing::Met => 0,
        Standing::Unknown => 1,
        Standing::Unstable => 2,
        Standing::Red => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verdict_model::behavior::Spent;
    use verdict_model::fault::{Fault, When};

    fn run((index, outcome): (usize, &TrialOutcome)) -> TrialRun {
        TrialRun {
            index: u32::try_from(index).unwrap(),
            wave: u32::from(index >= 5),
            outcome: *outcome,
            exposed: *outcome != TrialOutcome::NotReached,
            utility: None,
            evidence: vec![],
            calls: vec![],
            answer: String::new(),
            fault: None,
            turns: 1,
            tokens: None,
            ms: Spent::default(),
            reused: false,
            transcript: None,
        }
    }

    fn runs(outcomes: &[TrialOutcome]) -> Vec<TrialRun> {
        outcomes.iter().enumerate().map(run).collect()
    }

    fn result(fault: Fault, when: When, outcomes: &[TrialOutcome]) -> TrialResult {
        TrialResult {
            id: String::new(),
            model: String::new(),
            case: String::new(),
            trial: Trial::Fault {
                fault,
                when,
                tool: None,
            },
            kind: Kind::Soft,
            hash: String::new(),
            prompt: String::new(),
            disturbance: String::new(),
            location: None,
            runs: runs(outcomes),
            pass_rate: None,
            interval: None,
            standing: Standing::Unknown,
            advice: String::new(),
        }
    }

    #[test]
    fn each_rate_has_its_own_runs() {
        use TrialOutcome::{FalseSuccess, GaveUpHonestly, NotReached, RecoveredByRetry, Unclear};
        let trials = [
            result(
                Fault::Http503,
                When::First,
                &[RecoveredByRetry, GaveUpHonestly, Unclear, NotReached],
            ),
            result(Fault::Http503, When::Every, &[GaveUpHonestly, FalseSuccess]),
        ];
        let rates = metrics(&trials);
        let of = |metric| (rates[&metric].count, rates[&metric].of);
        assert_eq!(of(TrialMetric::Recovered), (1, 3));
        assert_eq!(of(TrialMetric::FalseSuccess), (1, 4));
        assert!(metrics(&[]).is_empty());
        assert_eq!(pass_rate(&trials[0].runs).0, Some(1.0));
    }

    #[test]
    fn a_false_success_is_held_harder_than_the_rest() {
        use TrialOutcome::{FalseSuccess, GaveUpHonestly, Looped, Unclear};
        let fine = GaveUpHonestly;
        let at = |outcomes: &[TrialOutcome]| {
            standing(&runs(outcomes), Kind::Soft, HardMode::Confirmed, 5)
        };
        assert_eq!(at(&[fine; 5]).standing, Standing::Met);
        assert_eq!(
            at(&[Looped, fine, fine, fine, fine]).standing,
            Standing::Met
        );
        let once = at(&[FalseSuccess, fine, fine, fine, fine]);
        assert_eq!((once.standing, once.needs), (Standing::Unstable, 5));
        assert_eq!(
            at(&[FalseSuccess, FalseSuccess, FalseSuccess, fine, fine]).standing,
            Standing::Red
        );
        assert_eq!(at(&[Unclear; 5]).standing, Standing::Unknown);
    }
}
