//! The rows of the gate's simulation, each with what the design measured.

mod rows;
mod sixty;

use super::gate::Figure;
use rows::{
    DEFAULTS, ECONOMY, ECONOMY_OWN, FAIL_FAST, NOTHING, ONE, RERUNS, Row, THREE, WITH_TARGETS,
};
use sixty::{rows_of_nights, unstable_nights};
use verdict_eval::gate::Rule;
use verdict_eval::gate::simulation::{Change, Setting, Tally, causes, hard, nights, plain};

const SEED: u64 = 0x6d63_7076;
/// All figures, from so many nights a row.
pub fn figures(repetitions: u32) -> Vec<Figure> {
    let mut figures = Vec::new();
    standard(repetitions, &mut figures);
    let mut table = |name: &str, setting: Setting, rows: &[Row], of: [f64; 2]| {
        for row in rows {
            let tally = shared(&setting, row.1, repetitions);
            figures.extend(row_figures(name, &tally, row, of));
        }
    };
    let economy = Setting::standard(Rule::of_runs(3));
    table("three runs", economy.clone(), &ECONOMY, [40_000.0, 8_000.0]);
    let own = Setting {
        pool_runs: 30,
        ..economy
    };
    table("three runs, own pools", own, &ECONOMY_OWN, [20_000.0; 2]);
    let fast = Setting::standard(Rule {
        fail_fast: true,
        ..Rule::default()
    });
    table("fail fast", fast, &FAIL_FAST, [100_000.0, 20_000.0]);
    let all = Setting {
        with_targets: true,
        ..Setting::standard(Rule::default())
    };
    for row in &WITH_TARGETS {
        let name = "five runs, with targets";
        let tally = shared(&all, row.1, repetitions);
        figures.extend(row_figures(name, &tally, row, [20_000.0; 2]));
        figures.push(Figure::share(
            format!("{name}: {}: unstable", row.0),
            tally.share(tally.unstable),
            tally.nights,
            None,
        ));
    }
    others(repetitions, &mut figures);
    targets(repetitions, &mut figures);
    attribution(repetitions, &mut figures);
    rows_of_nights(repetitions, &mut figures);
    unstable_nights(repetitions, &mut figures);
    plain_rule(repetitions, &mut figures);
    figures
}

/// Nights on two threads; a night depends on its number alone, so the split does not show.
fn shared(setting: &Setting, change: Change, repetitions: u32) -> Tally {
    let half = repetitions / 2;
    std::thread::scope(|scope| {
        let first = scope.spawn(|| nights(setting, change, SEED, 0, half));
        let mut tally = nights(setting, change, SEED, half, repetitions);
        if let Ok(first) = first.join() {
            tally.join(first);
        }
        tally
    })
}

fn told(number: f64) -> Option<f64> {
    (!number.is_nan()).then_some(number)
}

fn row_figures(name: &str, tally: &Tally, row: &Row, of: [f64; 2]) -> Vec<Figure> {
    let (what, change, failed, warned, calls) = *row;
    let of = if change == NOTHING { of[0] } else { of[1] };
    let share = |figure: &str, number, reference| {
        let reference = told(reference).map(|reference| (reference, of));
        Figure::share(
            format!("{name}: {what}: {figure}"),
            tally.share(number),
            tally.nights,
            reference,
        )
    };
    vec![
        share("failed", tally.failed, failed),
        share("undecided", tally.warned - tally.unstable, warned),
        Figure::mean(
            format!("{name}: {what}: runs"),
            tally.mean_calls(),
            told(calls),
            0.03,
        ),
    ]
}

fn standard(repetitions: u32, figures: &mut Vec<Figure>) {
    let setting = Setting::standard(Rule::default());
    for (row, (rerun, rounds, most)) in DEFAULTS.iter().zip(RERUNS) {
        let tally = shared(&setting, row.1, repetitions);
        let of = [100_000.0, 20_000.0];
        figures.extend(row_figures("five runs", &tally, row, of));
        let of = if row.1 == NOTHING { of[0] } else { of[1] };
        let name = |figure: &str| format!("five runs: {}: {figure}", row.0);
        figures.push(Figure::share(
            name("any rerun"),
            tally.share(tally.rerun),
            tally.nights,
            Some((rerun, of)),
        ));
        // Rounds of a night spread about as wide as their mean and one.
        let tolerance = 3.0 * (rounds + 1.0) / f64::from(repetitions).sqrt() + 0.01;
        figures.push(Figure::within(
            name("rounds"),
            tally.share(tally.rounds),
            rounds,
            tolerance,
        ));
        figures.push(Figure::mean(
            name("95 % of runs"),
            f64::from(tally.most_calls()),
            Some(most),
            // The calls of a night lie in steps of one round: their quantiles jump.
            0.10,
        ));
    }
}

fn others(repetitions: u32, figures: &mut Vec<Figure>) {
    let standard = |pool_runs, rule: Rule| Setting {
        pool_runs,
        ..Setting::standard(rule)
    };
    let suite = |suite: Vec<f64>| Setting {
        suite,
        ..Setting::standard(Rule::default())
    };
    let equal = [[1.0].as_slice(), &[0.93; 24]].concat();
    let good = [[1.0; 13].as_slice(), &[0.995; 10], &[0.95; 2]].concat();
    let any = Rule {
        min_pool: 1,
        ..Rule::default()
    };
    let once = Rule {
        rounds: 0,
        ..Rule::default()
    };
    let rows = [
        (
            "pool of 5",
            standard(5, any),
            [0.003, 0.068, 0.091, 0.732, 0.986],
        ),
        (
            "pool of 15",
            standard(15, Rule::default()),
            [0.006, 0.801, 0.629, 0.842, 0.999],
        ),
        (
            "pool of 25",
            standard(25, Rule::default()),
            [0.008, 0.927, 0.836, 0.848, 0.999],
        ),
        (
            "pool of 100",
            standard(100, Rule::default()),
            [0.001, 0.957, 0.943, 0.898, 1.0],
        ),
        (
            "no reruns",
            standard(50, once),
            [0.002, 0.387, 0.476, 0.545, 0.964],
        ),
        (
            "every case 0.93 but the first",
            suite(equal),
            [0.005, 0.920, 0.578, 0.595, 0.995],
        ),
        (
            "a suite of good cases",
            suite(good),
            [0.001, 0.942, 0.962, 0.964, 1.0],
        ),
    ];
    let changes = [
        ("nothing changed", NOTHING),
        ("one case 1.0 -> 0.4", ONE),
        ("three cases -0.3", THREE),
        ("all -0.05", Change::All(-0.05)),
        ("all -0.10", Change::All(-0.10)),
    ];
    for (name, setting, expected) in rows {
        for ((what, change), failed) in changes.into_iter().zip(expected) {
            let tally = shared(&setting, change, repetitions);
            let row = (what, change, failed, f64::NAN, f64::NAN);
            figures.extend(
                row_figures(name, &tally, &row, [4_000.0, 2_000.0])
                    .into_iter()
                    .take(1),
            );
        }
    }
}

fn targets(repetitions: u32, figures: &mut Vec<Figure>) {
    for (what, change, confirmed) in [
        ("nothing changed", NOTHING, 0.009),
        ("one case 1.0 -> 0.4", ONE, 0.98),
        ("one case 1.0 -> 0.6", Change::First(0.6), 0.81),
        ("one case 1.0 -> 0.8", Change::First(0.8), 0.30),
    ] {
        let tally = hard(change, SEED, 0, repetitions);
        let share = |number: u32| f64::from(number) / f64::from(tally.nights);
        let name = |mode: &str| format!("hard cases alone: {what}: red, {mode}");
        let mut add = |mode: &str, number, reference: Option<f64>| {
            let reference = reference.map(|reference| (reference, 20_000.0));
            figures.push(Figure::share(
                name(mode),
                share(number),
                tally.nights,
                reference,
            ));
        };
        add("confirmed", tally.confirmed, Some(confirmed));
        let still = change == NOTHING;
        add(
            "strict where the pool believes",
            tally.strict_believed,
            still.then_some(0.473),
        );
        add("strict", tally.strict, still.then_some(0.775));
    }
}

fn attribution(repetitions: u32, figures: &mut Vec<Figure>) {
    let rows = [
        (
            "one case 1.0 -> 0.4",
            ONE,
            true,
            [0.005, 0.993, 0.002, 0.0, 0.0],
            34.0,
        ),
        (
            "one case 1.0 -> 0.4",
            ONE,
            false,
            [0.007, 0.004, 0.964, 0.020, 0.004],
            30.0,
        ),
        (
            "three cases -0.3",
            THREE,
            true,
            [0.003, 0.988, 0.005, 0.0, 0.003],
            89.0,
        ),
        (
            "three cases -0.3",
            THREE,
            false,
            [0.030, 0.012, 0.939, 0.011, 0.009],
            82.0,
        ),
        (
            "all -0.05",
            Change::All(-0.05),
            true,
            [0.016, 0.959, 0.023, 0.0, 0.002],
            256.0,
        ),
        (
            "all -0.05",
            Change::All(-0.05),
            false,
            [0.007, 0.054, 0.923, 0.007, 0.009],
            218.0,
        ),
    ];
    let words = [
        "noise",
        "description change",
        "model drift",
        "both",
        "undetermined",
    ];
    for (what, change, by_description, expected, calls) in rows {
        let tally = causes(change, by_description, SEED, (repetitions / 2).max(1));
        let truth = if by_description {
            "descriptions changed"
        } else {
            "model changed"
        };
        let name = |figure: &str| format!("cause: {what}, {truth}: {figure}");
        let mean = |number: u32| f64::from(number) / f64::from(tally.nights);
        for ((word, found), expected) in words.iter().zip(tally.found).zip(expected) {
            figures.push(Figure::within(name(word), mean(found), expected, 0.03));
        }
        figures.push(Figure::mean(
            name("runs"),
            mean(tally.calls),
            Some(calls),
            0.10,
        ));
    }
}

fn plain_rule(repetitions: u32, figures: &mut Vec<Figure>) {
    for (what, change, _, _, _) in DEFAULTS {
        let tally = plain(change, SEED, 0, repetitions);
        let name = |figure: &str| format!("plain rule: {what}: {figure}");
        let share = |number: u32| f64::from(number) / f64::from(tally.nights);
        let expected = (change == NOTHING).then_some((0.22, 20_000.0));
        figures.push(Figure::share(
            name("failed by the drop alone"),
            share(tally.dropped),
            tally.nights,
            expected,
        ));
        figures.push(Figure::share(
            name("failed"),
            share(tally.failed),
            tally.nights,
            None,
        ));
    }
}
