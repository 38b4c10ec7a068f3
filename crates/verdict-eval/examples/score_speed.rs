//! How long scoring takes: `cargo run --release -p verdict-eval --example score_speed`.
//!
//! 10,000 cases of ten kinds, five runs each: once as models are, where two runs of five differ from the other three, and
//! once with no two calls alike, so that no validation is remembered.

#[path = "../tests/make/mod.rs"]
mod make;

use make::{Made, answers, case, run, tools};
use serde_json::Value;
use verdict_eval::golden::Case;
use verdict_eval::score::trace::Trace;
use verdict_eval::score::{Pair, Scorer};

const CASES: usize = 10_000;
const RUNS: usize = 5;

fn main() {
    measure("two runs of five differ", |index, run| {
        (run % 2 == 1).then_some(index)
    });
    measure("no two calls alike", |index, run| Some(index * RUNS + run));
}

/// Scores all runs; `extra` gives the value of an argument that nobody expects.
#[expect(
    clippy::disallowed_types,
    clippy::print_stdout,
    reason = "a measurement for people, outside the pure crate"
)]
fn measure(name: &str, extra: fn(usize, usize) -> Option<usize>) {
    let (tools, answers) = (tools(), answers());
    let made: Vec<(Case, [Trace; RUNS])> = (0..CASES)
        .map(|index| {
            let answer = &answers[index % answers.len()];
            let runs = std::array::from_fn(|at| changed(answer, extra(index, at)));
            (case(&format!("case-{index}"), answer), runs)
        })
        .collect();
    let start = std::time::Instant::now();
    let judge = Scorer::new(&tools);
    let mut passed = 0;
    for (case, runs) in &made {
        for run in runs {
            passed += usize::from(judge.score(case, run, &|_: &Pair| None).passed);
        }
    }
    let took = start.elapsed().as_millis();
    println!("{name}: {CASES} cases x {RUNS} runs in {took} ms, {passed} passed");
}

fn changed(answer: &[Made], extra: Option<usize>) -> Trace {
    let calls = answer.iter().map(|(name, arguments)| {
        let mut arguments = arguments.clone();
        if let Some(extra) = extra {
            arguments.insert("surprise".to_owned(), Value::from(extra));
        }
        (name.clone(), Value::from(arguments).to_string())
    });
    run(&calls.collect::<Vec<_>>())
}
