use super::*;

/// Runs written as `1` for a pass and `0` for a failure, with a bar between first pass and confirmation.
fn held_with(kind: Kind, planned: u32, runs: &str, pool_mean: Option<f64>, mode: HardMode) -> Held {
    let (first, confirmation) = runs.split_once('|').unwrap_or((runs, ""));
    let read = |text: &str| text.bytes().map(|byte| byte == b'1').collect::<Vec<_>>();
    let (first, confirmation) = (read(first), read(confirmation));
    Target {
        kind,
        mode,
        planned,
        first: &first,
        confirmation: &confirmation,
        pool_mean,
    }
    .held()
}

fn check(kind: Kind, planned: u32, table: &[(&str, Standing, u32)]) {
    for (runs, standing, needs) in table {
        let held = held_with(kind, planned, runs, None, HardMode::Confirmed);
        assert_eq!(
            (held.standing, held.needs),
            (*standing, *needs),
            "{kind:?} {runs}"
        );
        assert!(!held.cannot_hold);
    }
}

#[test]
fn hard_cases_of_five_runs() {
    check(
        Kind::Hard,
        5,
        &[
            ("11111", Standing::Met, 0),
            ("11110", Standing::Unstable, 5),
            ("11001", Standing::Unstable, 5),
            ("11000", Standing::Red, 0),
            ("00000", Standing::Red, 0),
            ("11110|11", Standing::Unstable, 3),
            ("11110|11111", Standing::Unstable, 0),
            ("11110|11110", Standing::Unstable, 0),
            ("11110|11100", Standing::Red, 0),
            ("11001|0", Standing::Red, 0),
            // What was bought for another reason counts first, in the order of the indices.
            ("11110|1111100000", Standing::Unstable, 0),
            ("11111|01111", Standing::Met, 0),
            ("11111|00011", Standing::Red, 0),
            ("11111|00", Standing::Met, 0),
        ],
    );
}

#[test]
fn soft_cases_of_five_runs() {
    check(
        Kind::Soft,
        5,
        &[
            ("11111", Standing::Met, 0),
            ("11110", Standing::Met, 0),
            ("11100", Standing::Unstable, 5),
            ("00000", Standing::Unstable, 5),
            ("11100|11110", Standing::Unstable, 0),
            ("11100|111", Standing::Unstable, 2),
            ("11100|11100", Standing::Red, 0),
            ("00000|00", Standing::Red, 0),
            ("11110|00000", Standing::Met, 0),
        ],
    );
}

#[test]
fn three_runs() {
    let hard = [
        ("111", Standing::Met, 0),
        ("110", Standing::Unstable, 5),
        ("100", Standing::Red, 0),
        ("110|11111", Standing::Unstable, 0),
        ("110|11100", Standing::Red, 0),
    ];
    check(Kind::Hard, 3, &hard);
    let soft = [
        ("110", Standing::Met, 0),
        ("100", Standing::Unstable, 5),
        ("100|11110", Standing::Unstable, 0),
        ("100|11100", Standing::Red, 0),
        ("000|11110", Standing::Red, 0),
    ];
    check(Kind::Soft, 3, &soft);
}

#[test]
fn one_failure_of_never_is_red_anywhere() {
    let table = [
        ("11111", Standing::Met, 0),
        ("01111", Standing::Red, 0),
        ("11111|1110", Standing::Red, 0),
        ("0", Standing::Red, 0),
        ("11", Standing::Unknown, 0),
    ];
    check(Kind::Never, 5, &table);
}

#[test]
fn too_few_valid_runs_say_nothing() {
    for kind in [Kind::Hard, Kind::Soft] {
        check(
            kind,
            5,
            &[("", Standing::Unknown, 0), ("11", Standing::Unknown, 0)],
        );
        check(
            kind,
            5,
            &[("111", Standing::Met, 0), ("1111", Standing::Met, 0)],
        );
    }
    check(Kind::Hard, 5, &[("1110", Standing::Unstable, 6)]);
    check(
        Kind::Hard,
        1,
        &[("1", Standing::Met, 0), ("0", Standing::Unstable, 5)],
    );
}

#[test]
fn a_first_pass_that_stopped_early_is_settled_like_a_whole_one() {
    check(
        Kind::Hard,
        5,
        &[
            ("0", Standing::Unstable, 9),
            ("0|1111", Standing::Unstable, 5),
            ("0|00", Standing::Red, 0),
        ],
    );
    check(
        Kind::Soft,
        5,
        &[("00", Standing::Unstable, 5), ("00|00", Standing::Red, 0)],
    );
}

#[test]
fn the_pool_says_what_a_case_cannot_hold() {
    let hard = |mean| held_with(Kind::Hard, 5, "00000", Some(mean), HardMode::Confirmed);
    assert_eq!(hard(0.98).standing, Standing::Red);
    let weak = hard(0.979);
    assert_eq!(
        (weak.standing, weak.cannot_hold),
        (Standing::Unstable, true)
    );
    let soft = |mean| {
        held_with(
            Kind::Soft,
            5,
            "00011|00011",
            Some(mean),
            HardMode::Confirmed,
        )
    };
    assert_eq!(soft(0.90).standing, Standing::Red);
    assert_eq!(soft(0.89).standing, Standing::Unstable);
    let met = held_with(Kind::Hard, 5, "11111", Some(0.5), HardMode::Confirmed);
    assert_eq!((met.standing, met.cannot_hold), (Standing::Met, false));
}

#[test]
fn strict_is_red_at_any_failure_of_the_first_pass() {
    let strict = |runs| held_with(Kind::Hard, 5, runs, Some(0.5), HardMode::Strict).standing;
    assert_eq!(strict("11110|11111"), Standing::Red);
    assert_eq!(strict("11111|0"), Standing::Met);
}

#[test]
fn strict_tells_its_false_alarms() {
    let means = [[0.995; 12].as_slice(), &[0.97; 8]].concat();
    assert!((strict_false_red(&means) - 0.781).abs() < 0.005);
    assert!(strict_false_red(&[]).abs() < f64::EPSILON);
}
