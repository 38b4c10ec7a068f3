//! What is no longer what the baseline holds: a case, the model.

use super::suite::{Suite, golden, notes, write_golden};
use serde_json::{Value, json};

fn common(report: &Value) -> &Value {
    &report["gate"]["models"][0]["common"]
}

#[test]
fn a_changed_case_is_a_new_one_and_a_revert_finds_the_old_one() {
    let suite = Suite::new("changed");
    suite.baseline(&[]);
    let mut cases = golden();
    cases[0]["prompt"] = json!("Weather forecast for the city of Bergen?");
    write_golden(&suite.folder, &cases);
    let (exit, report) = suite.run(&[]);
    assert_eq!((exit, &report["gate"]["decision"]), (0, &json!("pass")));
    assert_eq!(common(&report), &json!(5));
    assert!(
        notes(&report).contains("golden case changed: case-alpha;"),
        "{}",
        notes(&report)
    );
    // Other expectations, which it does not meet: its own target is red, and the model is not blamed.
    cases[0]["expect_tool"] = json!("bravo");
    write_golden(&suite.folder, &cases);
    let (exit, report) = suite.run(&[]);
    let gate = &report["gate"];
    assert_eq!((exit, common(&report)), (1, &json!(5)), "{gate}");
    let worse = &gate["regressions"][0];
    assert_eq!(
        (
            &worse["case"],
            &worse["cause"],
            &worse["was"],
            &worse["red"]
        ),
        (
            &json!("case-alpha"),
            &json!("golden case changed"),
            &Value::Null,
            &json!(true)
        ),
        "{gate}"
    );
    let summary = report["summary"].as_str().unwrap_or_default();
    assert!(
        summary.contains("case-alpha (golden case changed)"),
        "{summary}"
    );
    write_golden(&suite.folder, &golden());
    let (exit, report) = suite.run(&[]);
    assert_eq!((exit, common(&report)), (0, &json!(6)));
    assert!(!notes(&report).contains("changed"), "{}", notes(&report));
}

#[test]
fn another_model_learns_and_the_pools_of_the_old_one_are_shown() {
    let suite = Suite::new("model");
    suite.baseline(&[]);
    let (exit, report) = suite.run_of("openai:stub", &["--update-baseline"]);
    assert_eq!((exit, &report["gate"]["decision"]), (0, &json!("learning")));
    let said = notes(&report);
    assert!(
        said.contains("the baseline has no runs of this model")
            && said.contains("openai-chat:stub passed 90 of 90 runs there"),
        "{said}"
    );
    let text = suite.verdict(&["render", "report.json"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(
        text.contains("learning: too few runs to compare with in the baseline of"),
        "{text}"
    );
    // Its own pools stand beside those of the other.
    let (_, report) = suite.run_of("openai:stub", &[]);
    assert!(
        !notes(&report).contains("has no runs of this model"),
        "{}",
        notes(&report)
    );
    let (exit, report) = suite.run(&[]);
    assert_eq!((exit, &report["gate"]["decision"]), (0, &json!("pass")));
}
