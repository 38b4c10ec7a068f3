//! A large golden set.

use super::project::Project;
use super::provider::Provider;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

#[test]
fn two_thousand_cases_run_five_times_each() {
    let mut golden = String::new();
    for case in 0..2_000 {
        let _ = writeln!(
            golden,
            "- id: case-{case}\n  prompt: \"Show me invoice INV-{}.\"\n  expect_tool: get_invoice\n  expect_args: {{ id: INV-{} }}",
            1_000 + case % 40,
            1_000 + case % 40
        );
    }
    let project = Project::new("large", &golden, Provider::start());
    let began = Instant::now();
    let ran = project.run(&["--runs", "5", "--model", "lexical", "-q"]);
    ran.ends(0);
    assert_eq!(
        ran.model(0)["calls"].as_u64().map(|calls| calls >= 10_000),
        Some(true)
    );
    // Generous: the machine may be busy, and this is no optimised build.
    assert!(
        began.elapsed() < Duration::from_secs(120),
        "{:?}",
        began.elapsed()
    );
}
