//! The evidence, the beliefs and the ratchet against the vectors of the design.

use crate::support::{close, counts, weigh};
use verdict_eval::gate::Counts;
use verdict_eval::gate::belief::Beliefs;
use verdict_eval::gate::evidence::{Direction, Scale};

/// What the design says of a vector: concentrated, diffuse, and the first case's two ratios.
type Expected = [f64; 4];

fn check(name: &str, pools: &[Counts], tonight: &[Counts], expected: Expected) {
    let found = weigh(pools, tonight);
    let first = found.cases[0];
    let found = [found.concentrated, found.diffuse, first.cliff, first.few];
    for (part, (found, expected)) in ["concentrated", "diffuse", "cliff", "few"]
        .iter()
        .zip(found.into_iter().zip(expected))
    {
        close(&format!("{name} {part}"), found, expected, 1e-4);
    }
}

fn perfect() -> Vec<Counts> {
    counts(&[50; 10], 50)
}

fn all_but_first(first: Counts) -> Vec<Counts> {
    let mut tonight = counts(&[5; 10], 5);
    tonight[0] = first;
    tonight
}

#[test]
fn one_case_of_a_perfect_suite() {
    for (name, first, expected) in [
        (
            "V1",
            Counts::new(5, 5),
            [0.094_398_5, 0.033_921_2, 0.065_303_3, 0.320_665],
        ),
        (
            "V2",
            Counts::new(4, 5),
            [1.442_27, 1.154_48, 19.804_9, 49.278_0],
        ),
        (
            "V3",
            Counts::new(3, 5),
            [19.771_6, 2.484_17, 364.636, 447.055],
        ),
        (
            "V4",
            Counts::new(2, 5),
            [266.744, 3.722_29, 5891.37, 2718.58],
        ),
        (
            "V5",
            Counts::new(6, 10),
            [154.210, 4.315_44, 2886.64, 3389.78],
        ),
        (
            "V6",
            Counts::new(9, 10),
            [0.443_416, 0.968_816, 3.638_14, 18.394_3],
        ),
    ] {
        check(name, &perfect(), &all_but_first(first), expected);
    }
}

const MIXED: [u32; 10] = [50, 50, 50, 49, 50, 48, 50, 42, 36, 4];

#[test]
fn a_mixed_suite() {
    let pools = counts(&MIXED, 50);
    let tonight = counts(&[5, 5, 5, 5, 5, 5, 5, 4, 3, 0], 5);
    check(
        "V7",
        &pools,
        &tonight,
        [0.198_539, 0.105_191, 0.065_321_7, 0.320_710],
    );
    let tonight = counts(&[4, 4, 4, 4, 4, 5, 5, 4, 3, 0], 5);
    check(
        "V8",
        &pools,
        &tonight,
        [32.664_9, 8592.89, 6.668_38, 16.695_4],
    );
}

#[test]
fn small_and_uneven_pools() {
    let pools = counts(&[5, 5, 5, 5, 5, 5, 5, 5, 5, 3], 5);
    let tonight = counts(&[2, 5, 5, 5, 5, 5, 5, 5, 5, 3], 5);
    check(
        "V9",
        &pools,
        &tonight,
        [1.627_78, 0.121_145, 32.210_9, 17.316_2],
    );
    let mut pools = counts(&[50, 50, 50], 50);
    pools.push(Counts::new(10, 10));
    let mut tonight = counts(&[5; 4], 5);
    tonight[0] = Counts::new(2, 3);
    check(
        "V10",
        &pools,
        &tonight,
        [3.782_69, 2.900_61, 27.425_5, 41.292_9],
    );
}

#[test]
fn what_the_pools_believe() {
    let mut uneven = counts(&[50, 50, 50], 50);
    uneven.push(Counts::new(10, 10));
    for (name, pools, first, last) in [
        ("V1", perfect(), 0.998_326, 0.998_326),
        ("V7", counts(&MIXED, 50), 0.994_974, 0.083_794),
        (
            "V9",
            counts(&[5, 5, 5, 5, 5, 5, 5, 5, 5, 3], 5),
            0.970_949,
            0.665_640,
        ),
        ("V10", uneven, 0.996_753, 0.987_326),
    ] {
        let beliefs = Beliefs::fit(pools.iter().copied());
        let mean = |pool: Counts| beliefs.of(pool).expect("a pool of the fit").mean();
        close(name, mean(pools[0]), first, 1e-4);
        close(name, mean(pools[pools.len() - 1]), last, 1e-4);
    }
}

#[test]
fn the_ratchet_sees_gains() {
    let anchor = counts(&[50, 50, 50, 50, 50, 50, 50, 35, 42, 4], 50);
    let beliefs = Beliefs::fit(anchor.iter().copied());
    for (passes, expected) in [
        ([50, 50, 50, 50, 50, 50, 50, 50, 50, 4], 450.61),
        ([50, 50, 50, 50, 50, 50, 50, 38, 44, 5], 1.4015),
        ([50, 50, 50, 50, 50, 50, 50, 50, 42, 4], 367.69),
    ] {
        let pairs: Vec<_> = anchor.iter().copied().zip(counts(&passes, 50)).collect();
        let mut scale = Scale::with(0.002, 0.05, Direction::Better);
        close(
            "E_up",
            scale.weigh(&beliefs, &pairs).total(),
            expected,
            1e-4,
        );
    }
}

#[test]
fn one_pass_less_can_lower_the_evidence_but_not_the_cliff() {
    let pools = counts(&[15; 5], 15);
    let two = weigh(&pools, &counts(&[2, 4, 4, 4, 4], 5));
    let one = weigh(&pools, &counts(&[1, 4, 4, 4, 4], 5));
    close("2,4,4,4,4", two.total(), 2646.00, 1e-4);
    close("1,4,4,4,4", one.total(), 2496.24, 1e-4);
    assert!(one.cases[0].cliff > two.cases[0].cliff);
}
