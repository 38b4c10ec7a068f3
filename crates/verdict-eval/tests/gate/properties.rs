//! What holds for any suite: order, removal, replay.

use crate::support::{counts, play, watched, weigh};
use std::collections::BTreeMap;
use verdict_eval::gate::session::{Case, Reason, Ruling, Session, Step};
use verdict_eval::gate::simulation::Random;
use verdict_eval::gate::{Counts, Rule};
use verdict_model::behavior::{Kind, Standing};
use verdict_model::gate::Decision;

/// A suite of any shape: pools, and tonight's counts.
fn any_suite(random: &mut Random) -> (Vec<Counts>, Vec<Counts>) {
    let number = 1 + random.binomial(12, 0.4) as usize;
    let mut draw = |most: u32| {
        let runs = 1 + random.binomial(most - 1, 0.6);
        let p = random.unit().sqrt();
        Counts::new(random.binomial(runs, p), runs)
    };
    (0..number).map(|_| (draw(50), draw(25))).unzip()
}

#[test]
fn the_order_of_the_cases_does_not_show_in_the_last_bit() {
    for stream in 0..200 {
        let (pools, tonight) = any_suite(&mut Random::new(1, stream));
        let there = weigh(&pools, &tonight);
        let back = weigh(
            &pools.iter().rev().copied().collect::<Vec<_>>(),
            &tonight.iter().rev().copied().collect::<Vec<_>>(),
        );
        assert_eq!(there.total().to_bits(), back.total().to_bits());
        assert_eq!(there.cases[0], *back.cases.last().expect("as many cases"));
    }
}

#[test]
fn one_pass_less_never_lowers_the_cliff() {
    for stream in 0..100 {
        let (pools, mut tonight) = any_suite(&mut Random::new(2, stream));
        tonight[0].passes = tonight[0].runs;
        let mut before = 0.0;
        loop {
            let cliff = weigh(&pools, &tonight).cases[0].cliff;
            assert!(cliff >= before, "{:?} against {:?}", tonight[0], pools[0]);
            before = cliff;
            let Some(passes) = tonight[0].passes.checked_sub(1) else {
                break;
            };
            tonight[0].passes = passes;
        }
    }
}

#[test]
fn all_passing_on_perfect_pools_is_no_evidence() {
    for (cases, runs) in [(1, 15), (2, 50), (10, 50), (500, 50)] {
        let pools = counts(&vec![runs; cases], runs);
        let total = weigh(&pools, &counts(&vec![5; cases], 5)).total();
        assert!(total < 1.0, "{cases} cases: {total}");
    }
}

#[test]
fn evidence_stays_finite() {
    for (pool, tonight) in [
        (Counts::new(100_000, 100_000), Counts::new(0, 5_000)),
        (Counts::new(0, 100_000), Counts::new(5_000, 5_000)),
    ] {
        let found = weigh(&[pool; 300], &[tonight; 300]);
        assert!(found.total().is_finite() && found.total() >= 0.0);
        assert!(found.cases.iter().all(|ratios| ratios.own().is_finite()));
    }
}

fn mixed_suite() -> Vec<Case> {
    let mut cases = vec![watched(50, 50); 8];
    cases.extend([watched(48, 50), watched(42, 50), watched(4, 50)]);
    cases[0].kind = Some(Kind::Hard);
    cases[9].kind = Some(Kind::Soft);
    cases
}

/// Whether each run of each case passes, drawn once.
fn drawn(random: &mut Random, truth: &[f64]) -> Vec<Vec<bool>> {
    let runs = |p: &f64| (0..60).map(|_| random.chance(*p)).collect();
    truth.iter().map(runs).collect()
}

fn truth(first: f64) -> Vec<f64> {
    let mut truth = vec![0.99; 11];
    (truth[0], truth[9], truth[10]) = (first, 0.85, 0.1);
    truth
}

fn played(results: &[Vec<bool>]) -> Ruling {
    let mut session = Session::new(Rule::default(), mixed_suite());
    play(&mut session, |case, index| {
        Some(results[case][index as usize])
    })
    .0
}

#[test]
fn confirmation_runs_may_finish_in_any_order() {
    for stream in 0..60 {
        let mut random = Random::new(3, stream);
        let first = 0.3 + random.unit() * 0.7;
        let results = drawn(&mut random, &truth(first));
        let straight = played(&results);
        let mut session = Session::new(Rule::default(), mixed_suite());
        let backwards = loop {
            match session.step() {
                Step::Done(ruling) => break *ruling,
                Step::Run(purchases) => {
                    for purchase in purchases.iter().rev() {
                        for index in (purchase.from..purchase.from + purchase.runs).rev() {
                            let passed = results[purchase.case][index as usize];
                            session.record(purchase.case, index, purchase.wave, Some(passed));
                        }
                    }
                }
            }
        };
        assert_eq!(straight, backwards);
    }
}

#[test]
fn a_stored_session_is_judged_again_bit_for_bit() {
    for stream in 0..60 {
        let mut random = Random::new(4, stream);
        let first = 0.3 + random.unit() * 0.7;
        let results = drawn(&mut random, &truth(first));
        let mut session = Session::new(Rule::default(), mixed_suite());
        let mut stored = BTreeMap::new();
        let ruling = loop {
            match session.step() {
                Step::Done(ruling) => break *ruling,
                Step::Run(purchases) => {
                    for purchase in purchases {
                        for index in purchase.from..purchase.from + purchase.runs {
                            let passed = Some(results[purchase.case][index as usize]);
                            session.record(purchase.case, index, purchase.wave, passed);
                            stored.insert((purchase.case, index), (purchase.wave, passed));
                        }
                    }
                }
            }
        };
        let mut again = Session::new(Rule::default(), mixed_suite());
        for ((case, index), (wave, passed)) in stored.into_iter().rev() {
            again.record(case, index, wave, passed);
        }
        assert_eq!(again.step(), Step::Done(Box::new(ruling.clone())));
        // A finished report is judged to the same end, but for the word why it was not confirmed further.
        let once = again.ruling();
        assert_eq!(once.decision, ruling.decision);
        assert_eq!(
            once.evidence.map(f64::to_bits),
            ruling.evidence.map(f64::to_bits)
        );
    }
}

#[test]
fn a_case_removed_from_both_sides_was_never_there() {
    let pools = counts(&[50, 49, 42, 36], 50);
    let tonight = counts(&[5, 3, 4, 2], 5);
    let play_of = |places: &[usize]| {
        let cases = places.iter().map(|place| Case {
            pool: Some(pools[*place]),
            ..watched(0, 0)
        });
        let mut session = Session::new(Rule::default(), cases.collect());
        for (at, place) in places.iter().enumerate() {
            for index in 0..5 {
                session.record(at, index, 0, Some(index < tonight[*place].passes));
            }
        }
        session.ruling().evidence.map(f64::to_bits)
    };
    let mut with_new = Session::new(Rule::default(), {
        let mut cases: Vec<Case> = [0, 1, 2]
            .map(|place| watched(pools[place].passes, 50))
            .to_vec();
        cases.push(Case {
            pool: None,
            ..watched(0, 0)
        });
        cases
    });
    for (case, counts) in tonight.iter().enumerate() {
        for index in 0..5 {
            with_new.record(case, index, 0, Some(index < counts.passes));
        }
    }
    assert_eq!(
        play_of(&[0, 1, 2]),
        with_new.ruling().evidence.map(f64::to_bits)
    );
    assert_ne!(play_of(&[0, 1, 2]), play_of(&[0, 1, 2, 3]));
}

#[test]
fn a_session_keeps_within_its_limits() {
    for stream in 0..200 {
        let mut random = Random::new(5, stream);
        let lost = random.unit() * 0.15;
        let first = random.unit();
        let truth: Vec<f64> = truth(first).iter().map(|p| (p - lost).max(0.0)).collect();
        let results = drawn(&mut random, &truth);
        let ruling = played(&results);
        assert!(
            ruling.rounds <= 10 + 1 && ruling.spending.total() <= 3 * 5 * 11,
            "{ruling:?}"
        );
        assert!(ruling.cases.iter().all(|case| case.all.runs <= 25));
        let red = ruling.cases.iter().filter_map(|case| case.held);
        let red = red.filter(|held| held.standing == Standing::Red).count() > 0;
        let expected = red || ruling.evidence.is_some_and(|evidence| evidence >= 50.0);
        assert_eq!(ruling.decision == Decision::Fail, expected, "{ruling:?}");
        assert!(ruling.reason != Reason::CannotConfirm);
    }
}
