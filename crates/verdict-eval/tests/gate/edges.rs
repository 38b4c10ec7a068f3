//! The edge cases of a session, one by one.

use crate::support::{play, watched};
use verdict_eval::gate::session::{Case, Reason, Ruling, Session, Step};
use verdict_eval::gate::{Counts, Rule};
use verdict_model::behavior::{Kind, Standing};
use verdict_model::gate::Decision;

const NEW: Case = Case {
    kind: Some(Kind::Soft),
    pool: None,
    planned: None,
};

fn perfect(number: usize) -> Vec<Case> {
    vec![watched(50, 50); number]
}

fn of_kind(kind: Kind) -> Case {
    Case {
        kind: Some(kind),
        ..watched(50, 50)
    }
}

/// Plays a session in which runs pass as `run` says.
fn ruled(cases: Vec<Case>, run: impl FnMut(usize, u32) -> Option<bool>) -> Ruling {
    play(&mut Session::new(Rule::default(), cases), run).0
}

#[test]
fn without_a_baseline_it_learns() {
    let ruling = ruled(vec![NEW; 4], |_, _| Some(true));
    assert_eq!(
        (ruling.decision, ruling.reason),
        (Decision::Learning, Reason::Learning)
    );
    assert!(ruling.is_green() && ruling.evidence.is_none());
    assert_eq!(ruling.spending.total(), 20);
}

#[test]
fn while_learning_only_the_targets_of_cases_act() {
    let hard = Case {
        kind: Some(Kind::Hard),
        ..NEW
    };
    let red = ruled(vec![hard, NEW], |case, _| Some(case != 0));
    assert_eq!(
        (red.decision, red.reason),
        (Decision::Fail, Reason::RedTarget)
    );
    assert!(!red.is_green());
    // A soft case is run again before it is red, budget and all, without any pool.
    let unstable = ruled(vec![NEW; 2], |case, index| Some(case == 1 || index >= 2));
    assert_eq!(unstable.decision, Decision::Learning);
    assert_eq!(unstable.cases[0].all, Counts::new(8, 10));
}

#[test]
fn a_case_that_was_lowered_on_purpose_is_not_red_for_ever() {
    let lowered = |passes, runs| Case {
        kind: Some(Kind::Soft),
        ..watched(passes, runs)
    };
    let tonight = |pool| {
        let mut cases = perfect(3);
        cases.push(pool);
        ruled(cases, |case, _| Some(case != 3))
    };
    // 0 of 5 was accepted, and it still fails: red no more.
    assert_eq!(tonight(lowered(0, 5)).decision, Decision::Pass);
    // A short pool that holds, and none at all: the target decides.
    assert_eq!(tonight(lowered(5, 5)).decision, Decision::Fail);
    assert_eq!(tonight(NEW).decision, Decision::Fail);
}

#[test]
fn half_the_pools_are_enough() {
    let mut cases = perfect(2);
    cases.extend([NEW, NEW]);
    assert_eq!(
        ruled(cases.clone(), |_, _| Some(true)).decision,
        Decision::Pass
    );
    cases.push(NEW);
    assert_eq!(ruled(cases, |_, _| Some(true)).decision, Decision::Learning);
}

#[test]
fn a_short_pool_does_not_count() {
    let short = [watched(14, 14), watched(15, 15), watched(50, 50)];
    let ruling = ruled(short.to_vec(), |_, _| Some(true));
    assert_eq!(ruling.common(), 2);
    assert!(ruling.cases[0].ratios.is_none());
}

#[test]
fn nothing_varies() {
    let ruling = ruled(perfect(10), |_, _| Some(true));
    assert_eq!(
        (ruling.decision, ruling.spending.total()),
        (Decision::Pass, 50)
    );
    assert!((ruling.evidence.expect("a weighed session") - 0.128_32).abs() < 1e-4);
    let drop = ruling.drop().expect("common cases");
    assert!(drop.drop.abs() < 1e-12 && drop.noise > 0.0);
}

#[test]
fn a_case_that_never_passes_has_no_effect() {
    let mut cases = perfect(9);
    cases.push(Case {
        kind: Some(Kind::Soft),
        ..watched(0, 50)
    });
    let ruling = ruled(cases, |case, _| Some(case != 9));
    assert_eq!(ruling.decision, Decision::Pass);
    assert!(ruling.cases[9].is_known_failing());
    let held = ruling.cases[9].held.expect("a target");
    assert_eq!(
        (held.standing, held.cannot_hold),
        (Standing::Unstable, true)
    );
    let ratios = ruling.cases[9].ratios.expect("a weighed case");
    assert!((ratios.own() - 1.0).abs() < 0.05, "{ratios:?}");
}

#[test]
fn one_or_two_cases_are_enough() {
    for number in [1, 2] {
        assert_eq!(
            ruled(perfect(number), |_, _| Some(true)).decision,
            Decision::Pass
        );
        let broken = ruled(perfect(number), |case, _| Some(case != 0));
        assert_eq!(
            (broken.decision, broken.reason),
            (Decision::Fail, Reason::Evidence)
        );
    }
}

#[test]
fn no_case_is_no_decision() {
    let ruling = ruled(Vec::new(), |_, _| Some(true));
    assert_eq!(ruling.decision, Decision::Incomplete);
}

#[test]
fn an_improvement_passes() {
    let cases = vec![watched(40, 50); 10];
    let ruling = ruled(cases, |_, _| Some(true));
    assert_eq!(ruling.decision, Decision::Pass);
    assert!(ruling.drop().expect("common cases").drop < -0.19);
}

#[test]
fn an_outage_decides_nothing() {
    // One case with two valid runs.
    let ruling = ruled(perfect(10), |case, index| {
        (case != 3 || index < 2).then_some(true)
    });
    assert_eq!(
        (ruling.decision, ruling.reason),
        (Decision::Incomplete, Reason::Outage)
    );
    assert!(!ruling.is_green() && ruling.evidence.is_some());
    // Six of fifty are more than a tenth, five are not.
    let silent = |most: usize| {
        ruled(perfect(10), move |case, index| {
            (case >= most || index > 0).then_some(true)
        })
    };
    assert_eq!(silent(6).decision, Decision::Incomplete);
    let enough = silent(5);
    assert_eq!(
        (enough.decision, enough.spending.invalid),
        (Decision::Pass, 5)
    );
    assert_eq!(enough.cases[0].first, Counts::new(4, 4));
}

#[test]
fn a_forbidden_call_fails_even_in_an_outage() {
    let cases = vec![of_kind(Kind::Never), watched(50, 50)];
    let ruling = ruled(cases, |case, index| (case == 0).then_some(index > 0));
    assert_eq!(
        (ruling.decision, ruling.reason),
        (Decision::Fail, Reason::RedTarget)
    );
}

#[test]
fn a_hard_case_is_confirmed_before_it_is_red() {
    let mut cases = perfect(20);
    cases[0] = of_kind(Kind::Hard);
    let failing =
        |indices: &'static [u32]| move |case, index| Some(case != 0 || !indices.contains(&index));
    let once = ruled(cases.clone(), failing(&[4]));
    assert_eq!(
        (once.decision, once.reason),
        (Decision::Warn, Reason::UnstableTarget)
    );
    // Nothing got worse, so the pools are to know of it.
    assert!(once.is_green() && once.is_unstable());
    assert_eq!(once.cases[0].all.runs, 10);
    let thrice = ruled(cases.clone(), failing(&[0, 1, 2]));
    assert_eq!(
        (thrice.decision, thrice.spending.total()),
        (Decision::Fail, 100)
    );
    // Its pool says that it cannot hold five of five: told, and no warning.
    cases[0].pool = Some(Counts::new(45, 50));
    let weak = ruled(cases, failing(&[4]));
    assert_eq!(weak.decision, Decision::Pass);
    assert!(weak.cases[0].held.expect("a target").cannot_hold);
}

#[test]
fn a_finished_report_is_not_confirmed() {
    let mut session = Session::new(Rule::default(), perfect(10));
    for case in 0..10 {
        for index in 0..5 {
            session.record(case, index, 0, Some(case != 0 || index != 2));
        }
    }
    let ruling = session.ruling();
    assert_eq!(
        (ruling.decision, ruling.reason),
        (Decision::Warn, Reason::CannotConfirm)
    );
    // The same session may go on instead.
    assert!(
        matches!(session.step(), Step::Run(bought) if bought.iter().all(|one| one.case == 0 && one.wave == 1))
    );
}

#[test]
fn a_report_that_was_cut_off_is_incomplete() {
    let mut session = Session::new(Rule::default(), perfect(2));
    (0..5).for_each(|index| session.record(0, index, 0, Some(true)));
    assert_eq!(session.ruling().decision, Decision::Incomplete);
    let Step::Run(bought) = session.step() else {
        panic!("an end without runs")
    };
    assert_eq!((bought.len(), bought[0].case, bought[0].runs), (1, 1, 5));
}

#[test]
fn confirmations_that_are_no_runs_come_to_an_end() {
    let ruling = ruled(perfect(3), |case, index| {
        (index < 5).then_some(case != 0 || index != 2)
    });
    assert_eq!(ruling.decision, Decision::Warn);
    assert!(ruling.spending.invalid > 0);
}

#[test]
fn fail_fast_stops_within_the_first_pass() {
    let rule = Rule {
        fail_fast: true,
        ..Rule::default()
    };
    let mut session = Session::new(rule, perfect(25));
    let (ruling, bought) = play(&mut session, |case, _| Some(case > 12));
    assert_eq!(
        (ruling.decision, ruling.reason),
        (Decision::Fail, Reason::Evidence)
    );
    assert!(ruling.spending.total() <= 50, "{}", ruling.spending.total());
    assert!(
        bought
            .iter()
            .all(|purchase| purchase.runs == 1 && purchase.wave == 0)
    );
}

#[test]
fn curtailed_cases_stop_when_their_target_is_decided() {
    let rule = Rule {
        curtail: true,
        ..Rule::default()
    };
    let cases = vec![
        of_kind(Kind::Soft),
        of_kind(Kind::Soft),
        of_kind(Kind::Hard),
    ];
    let mut session = Session::new(rule, cases);
    let (ruling, _) = play(&mut session, |case, index| Some(case != 2 || index != 0));
    let first: Vec<u32> = ruling.cases.iter().map(|case| case.first.runs).collect();
    assert_eq!(first, [4, 4, 1]);
    assert_eq!(ruling.spending.saved, 6);
    assert!(ruling.curtailed && !ruling.is_green());
    assert_ne!(ruling.decision, Decision::Incomplete);
}

#[test]
fn cases_may_plan_their_own_number_of_runs() {
    let mut cases = perfect(3);
    cases[1].planned = Some(8);
    let (ruling, bought) = play(&mut Session::new(Rule::default(), cases), |_, _| Some(true));
    assert_eq!(
        bought.iter().map(|one| one.runs).collect::<Vec<_>>(),
        [5, 8, 5]
    );
    assert_eq!(ruling.spending.total(), 18);
}

#[test]
fn hostile_records_are_passed_over() {
    let mut session = Session::new(Rule::default(), perfect(2));
    session.record(99, 0, 0, Some(false));
    session.record(0, u32::MAX, u32::MAX, Some(false));
    let (ruling, _) = play(&mut session, |_, _| Some(true));
    assert_eq!(ruling.decision, Decision::Pass);
}

#[test]
fn a_strange_wave_does_not_overflow() {
    let mut session = Session::new(Rule::default(), perfect(3));
    for case in 0..3 {
        (0..5).for_each(|index| session.record(case, index, 0, Some(case != 0 || index != 2)));
    }
    session.record(0, 5, u32::MAX, Some(true));
    assert!(matches!(session.step(), Step::Done(_)));
}
