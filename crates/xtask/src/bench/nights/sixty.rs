//! Sixty nights in a row, with the baseline that they make.

use super::{Figure, SEED};
use verdict_eval::gate::simulation::{Plan, Years, anchors, years};

/// Rows of nights on two threads.
fn halves(plan: Plan, rows: u32) -> Years {
    std::thread::scope(|scope| {
        let first = scope.spawn(move || years(plan, SEED, 0, rows / 2));
        let second = years(plan, SEED, rows / 2, rows);
        first.join().map_or(second, |first| second.join(first))
    })
}

/// Rows of unchanged nights with targets: what becomes of the pools where nights with an unstable target enter, as they
/// do, and where they would not.
pub(super) fn unstable_nights(repetitions: u32, figures: &mut Vec<Figure>) {
    let rows = (repetitions / 5).max(20);
    for (name, only_pass_enters) in [
        ("unstable ones enter", false),
        ("unstable ones stay out", true),
    ] {
        let plan = Plan {
            with_targets: true,
            only_pass_enters,
            ..Plan::default()
        };
        let tally = halves(plan, rows);
        let share = |number: u32| f64::from(number) / f64::from(rows);
        let mut add = |figure: &str, ours: f64| {
            let what = format!("sixty nights with targets, {name}: {figure}");
            figures.push(Figure::mean(what, ours, None, 0.0));
        };
        add("failed, a night", share(tally.failed) / 60.0);
        add("warned, a night", share(tally.warned) / 60.0);
        add("unstable, a night", share(tally.unstable) / 60.0);
        add("entered, a night", share(tally.entered) / 60.0);
        add("nights until the pools are full", share(tally.filling));
        add("pools raised", share(tally.raised));
        add(
            "pools of good cases above the truth, points",
            100.0 * tally.above / f64::from(rows),
        );
    }
}

/// Rows of sixty nights without targets.
pub(super) fn rows_of_nights(repetitions: u32, figures: &mut Vec<Figure>) {
    let rows = (repetitions / 5).max(20);
    let still = halves(Plan::default(), rows);
    let share = |number: u32| f64::from(number) / f64::from(still.rows);
    let name = |figure: &str| format!("sixty nights with nothing changed: {figure}");
    figures.push(Figure::within(
        name("failed, a night"),
        share(still.failed) / 60.0,
        0.005,
        0.003,
    ));
    figures.push(Figure::share(
        name("any failed"),
        share(still.with_failure),
        rows,
        Some((0.21, 1_000.0)),
    ));
    figures.push(Figure::within(
        name("pools raised"),
        share(still.raised),
        0.01,
        0.03,
    ));
    let mended = halves(
        Plan {
            mended: true,
            ..Plan::default()
        },
        rows,
    );
    let raised = f64::from(mended.raised_by_45) / f64::from(mended.rows);
    figures.push(Figure::share(
        "four cases mended at night 15: pools raised by night 45".to_owned(),
        raised,
        rows,
        Some((0.95, 1_000.0)),
    ));
    for (name, pool_runs, middle, high) in
        [("fifty", 50, 0.0025, 0.020), ("fifteen", 15, 0.0, 0.040)]
    {
        let number = (repetitions / 8).clamp(20, 250);
        let rates = anchors(pool_runs, SEED, number, 400);
        let at = |share: usize| rates[(rates.len() * share / 100).min(rates.len() - 1)];
        let of = |figure: &str| format!("false alarms by pools of {name} runs: {figure}");
        figures.push(Figure::within(of("median"), at(50), middle, 0.005));
        figures.push(Figure::within(of("95th of 100"), at(95), high, 0.02));
    }
}
