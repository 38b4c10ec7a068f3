//! The plain rule, and what is said without a baseline.

use super::suite::{Suite, notes};
use crate::support::{code, stderr, stdout};
use serde_json::json;

#[test]
fn the_plain_rule_says_how_often_it_is_red_by_chance() {
    let suite = Suite::new("plain");
    suite.baseline(&[]);
    let (exit, report) = suite.run(&["--gate", "literal"]);
    let gate = &report["gate"];
    assert_eq!(
        (exit, &gate["mode"], &gate["decision"]),
        (0, &json!("literal"), &json!("pass")),
        "{gate}"
    );
    let said = notes(&report);
    assert!(
        said.contains("with nothing changed the plain rule is red in about"),
        "{said}"
    );
}

#[test]
fn without_a_baseline_that_is_said_in_plain_words() {
    let suite = Suite::new("none");
    let (exit, report) = suite.run(&[]);
    assert_eq!((exit, &report["gate"]["decision"]), (0, &json!("learning")));
    let summary = report["summary"].as_str().unwrap_or_default();
    assert!(
        summary.contains("there is no baseline to compare this run with yet"),
        "{summary}"
    );
    let text = suite.verdict(&["render", "report.json"]);
    assert!(
        stdout(&text).contains("learning: there is no baseline to compare with yet"),
        "{}",
        stdout(&text)
    );
}

#[cfg(unix)]
#[test]
fn a_server_that_fails_is_heard_when_a_baseline_is_collected() {
    let suite = Suite::new("mute");
    let failing = "echo 'no database at db:5432' >&2; exit 1";
    let output = suite.verdict(&[
        "baseline",
        "--model",
        super::suite::MODEL,
        "--",
        "sh",
        "-c",
        failing,
    ]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("no database at db:5432"),
        "{}",
        stderr(&output)
    );
    assert_eq!(suite.provider.requests(), 0);
}
