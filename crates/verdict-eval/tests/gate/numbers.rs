//! The printed numbers against the vectors of the design.

use crate::support::{close, counts};
use verdict_eval::gate::Counts;
use verdict_eval::gate::numbers::{
    Drop, Paired, Z, drop_against_pool, independent_runs, literal_false_alarms, of_case, pass_all,
    prompts_like_these, suite_again, wilson,
};

fn near(what: &str, found: [f64; 2], expected: [f64; 2]) {
    for (found, expected) in found.into_iter().zip(expected) {
        assert!(
            (found - expected).abs() < 1e-6,
            "{what}: {found} instead of {expected}"
        );
    }
}

#[test]
fn intervals_of_cases() {
    for (passes, runs, expected) in [
        (5, 5, [0.565_518, 1.0]),
        (4, 5, [0.375_535, 0.963_776]),
        (3, 5, [0.230_724, 0.882_379]),
        (0, 5, [0.0, 0.434_482]),
        (9, 10, [0.595_850, 0.982_124]),
        (50, 50, [0.928_652, 1.0]),
    ] {
        near(
            &format!("{passes}/{runs}"),
            of_case(Counts::new(passes, runs)),
            expected,
        );
    }
    near("no run", wilson(0.0, 0.0, Z), [0.0, 1.0]);
}

#[test]
fn intervals_of_runs() {
    let mut nine = [5; 10];
    nine[9] = 4;
    for (passes, again, others) in [
        (
            &[5, 5, 5, 5, 5, 5, 4, 4, 3, 0],
            [0.735_842, 0.881_658],
            [0.523_310, 0.949_760],
        ),
        (&[5; 10], [0.928_652, 1.0], [0.907_155, 1.0]),
        (&nine, [0.895_046, 0.996_461], [0.872_053, 0.997_169]),
    ] {
        let counts = counts(passes, 5);
        near("again", suite_again(&counts).expect("runs").interval, again);
        near(
            "others",
            prompts_like_these(&counts).expect("cases").interval,
            others,
        );
    }
}

#[test]
fn intervals_without_data() {
    assert_eq!(suite_again(&[]), None);
    assert_eq!(suite_again(&[Counts::default()]), None);
    assert_eq!(prompts_like_these(&counts(&[5], 5)), None);
    // Single runs have no variance of their own: all runs count as they are.
    let single = suite_again(&counts(&[1, 1, 0, 1], 1)).expect("runs");
    near("single runs", single.interval, wilson(3.0, 4.0, Z));
}

#[test]
fn reliability_is_unbiased() {
    let suite = counts(&[5, 4, 3], 5);
    // C(4,3)/C(5,3) = 4/10 and C(3,3)/C(5,3) = 1/10.
    close(
        "pass^3",
        pass_all(&suite, 3).expect("runs"),
        (1.0 + 0.4 + 0.1) / 3.0,
        1e-12,
    );
    close("pass^1", pass_all(&suite, 1).expect("runs"), 0.8, 1e-12);
    assert_eq!(pass_all(&suite, 6), None);
    assert_eq!(pass_all(&suite, 0), None);
}

#[test]
fn a_drop_and_its_noise() {
    let paired = |passes, tonight| Paired {
        pool: Counts::new(passes, 50),
        tonight: Counts::new(tonight, 5),
        believed: 0.9,
    };
    let missing = Paired {
        tonight: Counts::default(),
        ..paired(50, 0)
    };
    let drop = drop_against_pool(&[paired(45, 4), paired(45, 4), missing]).expect("cases");
    close("drop", drop.drop, 0.1, 1e-12);
    close(
        "noise",
        drop.noise,
        1.96 * (2.0_f64 * 0.09 * 0.22).sqrt() / 2.0,
        1e-12,
    );
    assert_eq!(drop.common, 2);
    assert_eq!(drop_against_pool(&[missing]), None);
}

#[test]
fn the_chance_of_a_true_drop() {
    let drop = Drop {
        drop: 0.02,
        noise: 0.04,
        common: 25,
    };
    close("half", drop.chance_above(0.02), 0.5, 1e-9);
    close("one side", drop.chance_above(-0.02), 0.975, 1e-4);
    close("visible", drop.smallest_visible(), 0.057_17, 1e-3);
    let certain = Drop { noise: 0.0, ..drop };
    assert!(
        certain.chance_above(0.02).abs() < 1e-12
            && (certain.chance_above(0.01) - 1.0).abs() < 1e-12
    );
}

#[test]
fn the_plain_rule_says_how_often_it_is_wrong() {
    let suite = [
        [1.0].as_slice(),
        &[0.995; 11],
        &[0.97; 8],
        &[0.85, 0.85, 0.70, 0.70, 0.10],
    ]
    .concat();
    let rate = literal_false_alarms(&suite, 5, 0.02);
    assert!((rate - 0.22).abs() < 0.005, "{rate}");
    assert!(literal_false_alarms(&[], 5, 0.02).abs() < 1e-12);
    assert!(literal_false_alarms(&[1.0], 5, 0.02).abs() < 1e-12);
}

#[test]
fn correlated_runs_are_worth_less() {
    close("0.02", independent_runs(5, 0.02), 5.0 / 1.08, 1e-12);
    close("1", independent_runs(5, 1.0), 1.0, 1e-12);
    assert!(independent_runs(0, 0.5).abs() < 1e-12);
}
