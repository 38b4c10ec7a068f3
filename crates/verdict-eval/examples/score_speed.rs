//! How long scoring takes: `cargo run --release -p verdict-eval --example score_speed`.
//!
//! 10,000 cases of eight kinds, five runs each, two of which differ from the other three.

#[path = "../tests/make/mod.rs"]
mod make;

use make::{answers, case, run, tools};
use serde_json::Value;
use verdict_eval::score::{Pair, Scorer};

const CASES: usize = 10_000;

#[expect(
    clippy::disallowed_types,
    clippy::print_stdout,
    reason = "a measurement for people, outside the pure crate"
)]
fn main() {
    let (tools, answers) = (tools(), answers());
    let cases: Vec<_> = (0..CASES)
        .map(|index| {
            let mut answer = answers[index % answers.len()].clone();
            for (_, arguments) in &mut answer {
                // No two cases have the same texts, so that nothing is remembered from one to the next.
                for (_, value) in arguments
                    .iter_mut()
                    .filter(|(name, _)| *name == "id" || *name == "subject")
                {
                    *value = Value::from(format!("{}-{index}", value.as_str().unwrap_or_default()));
                }
            }
            let texts = |wrong: bool| {
                let calls = answer.iter().map(|(name, arguments)| {
                    let mut arguments = arguments.clone();
                    if wrong {
                        arguments.insert("surprise".to_owned(), Value::from(index));
                    }
                    (name.clone(), Value::from(arguments).to_string())
                });
                run(&calls.collect::<Vec<_>>())
            };
            let runs = [false, true, false, true, false].map(texts);
            (case(&format!("case-{index}"), &answer), runs)
        })
        .collect();
    let start = std::time::Instant::now();
    let judge = Scorer::new(&tools);
    let mut passed = 0;
    for (case, runs) in &cases {
        for run in runs {
            passed += usize::from(judge.score(case, run, &|_: &Pair| None).passed);
        }
    }
    let took = start.elapsed().as_millis();
    println!(
        "{} runs of {CASES} cases scored in {took} ms, {passed} passed",
        CASES * 5
    );
}
