//! The control experiment against the vectors of the design, and how it stops.

use crate::support::{counts, weigh};
use verdict_eval::gate::Counts;
use verdict_eval::gate::attribution::{Arm, Chances, Experiment, Next, Spread, without_experiment};
use verdict_model::gate::Cause;

fn experiment(spread: Spread, pools: usize, chosen: usize) -> Experiment {
    let pool = Counts::new(50, 50);
    let cases: Vec<_> = (0..chosen).map(|place| (place, pool)).collect();
    Experiment::with(spread, vec![pool; pools], &cases, false)
}

fn check(found: Chances, expected: [f64; 4]) {
    let found = [found.noise, found.description, found.model, found.both];
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() < 1.5e-6,
            "{found} instead of {expected}"
        );
    }
}

#[test]
fn one_suspected_case() {
    for (runs, baseline, current, expected) in [
        (5, 5, 2, [0.000_006, 0.869_438, 0.055_860, 0.074_697]),
        (5, 2, 2, [0.0, 0.000_034, 0.905_917, 0.094_049]),
        (5, 5, 5, [0.140_439, 0.437_658, 0.348_845, 0.073_058]),
        (10, 10, 4, [0.0, 0.962_404, 0.004_288, 0.033_308]),
    ] {
        let mut experiment = experiment(Spread::Concentrated, 10, 1);
        experiment.record(0, Arm::Baseline, Counts::new(baseline, runs));
        experiment.record(0, Arm::Current, Counts::new(current, runs));
        check(experiment.chances(), expected);
    }
}

#[test]
fn a_suspected_suite() {
    for (baseline, current, expected) in [
        (
            [5, 5, 5, 5],
            [5, 4, 4, 5],
            [0.000_556, 0.808_173, 0.140_268, 0.051_003],
        ),
        (
            [5, 4, 5, 4],
            [4, 5, 4, 5],
            [0.000_003, 0.004_355, 0.825_998, 0.169_644],
        ),
    ] {
        let mut experiment = experiment(Spread::SuiteWide, 4, 4);
        for place in 0..4 {
            experiment.record(place, Arm::Baseline, Counts::new(baseline[place], 5));
            experiment.record(place, Arm::Current, Counts::new(current[place], 5));
        }
        check(experiment.chances(), expected);
    }
}

fn play(mut experiment: Experiment, baseline: bool, current: bool) -> (Cause, bool, u32) {
    loop {
        match experiment.step() {
            Next::Done(found) => return (found.cause, found.probable, found.runs),
            Next::Run { cases, each } => {
                let passes = |passed: bool| Counts::new(if passed { each } else { 0 }, each);
                for case in cases {
                    experiment.record(case, Arm::Baseline, passes(baseline));
                    experiment.record(case, Arm::Current, passes(current));
                }
            }
        }
    }
}

#[test]
fn it_stops_when_the_cause_is_clear() {
    let one = || experiment(Spread::Concentrated, 10, 1);
    assert_eq!(
        play(one(), true, false),
        (Cause::DescriptionChange, false, 10)
    );
    let (cause, _, runs) = play(one(), false, false);
    assert_eq!((cause, runs), (Cause::ModelDrift, 10));
    let suite = || experiment(Spread::SuiteWide, 10, 10);
    assert_eq!(play(suite(), true, false).0, Cause::DescriptionChange);
}

#[test]
fn it_ends_after_its_last_round() {
    let (cause, _, runs) = play(experiment(Spread::Concentrated, 10, 1), true, true);
    assert!(
        runs <= 40 && cause != Cause::DescriptionChange,
        "{cause:?} {runs}"
    );
    // No run was valid: the prior alone decides nothing.
    let mut silent = experiment(Spread::Concentrated, 10, 1);
    let rounds = (0..10)
        .take_while(|_| matches!(silent.step(), Next::Run { .. }))
        .count();
    assert_eq!(rounds, 4);
    let Next::Done(found) = silent.step() else {
        panic!("an experiment without end")
    };
    assert_eq!((found.cause, found.runs), (Cause::Undetermined, 0));
}

#[test]
fn few_suspects_are_chosen_by_their_ratios() {
    let pools = counts(&[50; 10], 50);
    let chosen = |tonight: &[u32]| {
        let evidence = weigh(&pools, &counts(tonight, 5));
        let placed: Vec<_> = pools.iter().copied().enumerate().collect();
        let mut experiment = Experiment::choose(&placed, &evidence, false).expect("cases");
        let Next::Run { cases, each } = experiment.step() else {
            panic!("nothing to run")
        };
        (experiment.spread(), cases, each)
    };
    let two = chosen(&[5, 5, 0, 5, 5, 5, 5, 1, 5, 5]);
    assert_eq!(two, (Spread::Concentrated, vec![2, 7], 5));
    let (spread, cases, each) = chosen(&[4; 10]);
    assert_eq!((spread, cases.len(), each), (Spread::SuiteWide, 10, 2));
}

#[test]
fn an_unchanged_tool_list_needs_no_experiment() {
    assert_eq!(without_experiment(false).cause, Cause::ModelDrift);
    assert_eq!(without_experiment(true).cause, Cause::ServerBehaviour);
}

#[test]
fn an_unchanged_fingerprint_speaks_for_descriptions() {
    let pool = Counts::new(50, 50);
    let mut experiment = Experiment::with(Spread::Concentrated, [pool; 10], &[(0, pool)], true);
    experiment.record(0, Arm::Baseline, Counts::new(5, 5));
    experiment.record(0, Arm::Current, Counts::new(2, 5));
    assert!(experiment.chances().description > 0.94);
}
