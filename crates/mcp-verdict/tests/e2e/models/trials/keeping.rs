//! Layer 2 and what it leaves behind: answers that were paid for, reports, the baseline.

use super::super::project::{KEY, Project};
use super::super::provider::Provider;
use super::{FAULTS, GOLDEN, MODEL, TOOL, is_failure, outcomes, project, retries, run};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;
use verdict_fixture::provider::{Spoken, StubProvider};

#[test]
fn a_budget_ends_a_run_that_the_same_command_resumes() {
    let project = project("trials-budget", FAULTS, Provider::answering(retries));
    let ran = run(&project, "2", &["--budget-calls", "5"]);
    ran.ends(3);
    let summary = ran.report["summary"].as_str().unwrap_or_default();
    assert!(
        summary.contains("the budget of 5 calls is used up"),
        "{summary}"
    );
    assert_eq!(project.provider.requests(), 5);
    let all = 3 + 3 * 2 + 3 * 3;
    run(&project, "2", &[]).ends(0);
    assert_eq!(project.provider.requests(), all);
}

#[test]
fn killed_at_any_moment_it_never_pays_twice_for_what_was_kept() {
    let mut stub = StubProvider::new(retries);
    stub.latency_ms = 5;
    let project = project("trials-killed", FAULTS, Provider::serving(stub));
    let mut step = 0x2545_f491_u64;
    let words = ["--model", "openai-chat:stub", "--runs", "10"];
    for _ in 0..8 {
        step = step.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let mut command = project.of_layers("2", &words);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        std::thread::sleep(Duration::from_micros(step >> 32 & 0x3_ffff));
        let _ = child.kill();
        let _ = child.wait();
    }
    let output = project.of_layers("2", &words).output();
    project.ran(&output.expect("it runs")).ends(0);
    let mut keys = BTreeSet::new();
    for line in project.kept() {
        let Ok(line) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        assert!(keys.insert(line["key"].to_string()), "paid for again");
    }
    let all = 10 + 10 * 2 + 10 * 3;
    assert_eq!(keys.len(), all);
    // Each kill may have lost what was under way: four calls.
    assert!(project.provider.requests() <= all as u64 + 8 * 4);
}

#[test]
fn a_dry_run_tells_what_it_would_cost_and_asks_nobody() {
    let project = project("trials-dry", FAULTS, Provider::start());
    let words: Vec<&str> = MODEL.iter().chain(&["--dry-run"]).copied().collect();
    let output = project.of_layers("1,2", &words).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(
        text.contains("layer 2: 2 faults, 0 attacks, 6 runs a model"),
        "{text}"
    );
    // Nine of layer 1; of each trial two a run, since the first answer is shared.
    assert!(text.contains("21 calls"), "{text}");
    assert_eq!(project.provider.requests(), 0);
}

#[test]
fn a_report_is_gone_on_from_without_asking_anybody() {
    let project = project("trials-resume", FAULTS, Provider::answering(retries));
    run(&project, "2", &[]).ends(0);
    let asked = project.provider.requests();
    std::fs::copy(
        project.folder.join("report.json"),
        project.folder.join("before.json"),
    )
    .expect("copied");
    let ran = run(&project, "2", &["--no-cache", "--resume", "before.json"]);
    ran.ends(0);
    assert_eq!(project.provider.requests(), asked);
    assert_eq!(
        outcomes(ran.trial("total/http-503@first")),
        ["recovered-by-retry"; 3]
    );
}

#[cfg(unix)]
#[test]
fn asked_to_stop_it_leaves_a_report_and_goes_on_later() {
    let mut stub = StubProvider::new(retries);
    stub.latency_ms = 100;
    let project = project("trials-signal", FAULTS, Provider::serving(stub));
    let mut command = project.of_layers("2", &MODEL);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().expect("it starts");
    while project.provider.requests() < 6 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let id = i32::try_from(child.id()).ok();
    let id = id.and_then(rustix::process::Pid::from_raw).expect("an id");
    rustix::process::kill_process(id, rustix::process::Signal::TERM).expect("it is there");
    let ran = project.ran(&child.wait_with_output().expect("it ends"));
    ran.ends(3);
    let notes = ran.report["layers"]["resilience"]["notes"].to_string();
    assert!(notes.contains("cut off"), "{notes}");
    run(&project, "2", &[]).ends(0);
    // What was under way may have been paid for and lost.
    assert!(project.provider.requests() <= 18 + 4);
}

#[test]
fn secrets_are_nowhere() {
    let project = project(
        "trials-secret",
        FAULTS,
        Provider::answering(|asked| match asked.results.last() {
            None if !asked.prompt.contains("Thanks") => Spoken::call(TOOL, r#"{"id":"INV-1004"}"#),
            _ => Spoken::text(&format!("The total is 771.35 EUR; the key is {KEY}")),
        }),
    );
    run(&project, "2", &[]).ends(1);
    for (path, text) in project.everything() {
        assert!(!text.contains(KEY), "{}", path.display());
    }
}

#[test]
fn a_green_run_enters_the_baseline_and_a_drop_is_told() {
    let project = project("trials-gate", FAULTS, Provider::answering(retries));
    let ran = run(&project, "2", &["--runs", "5", "--update-baseline"]);
    ran.ends(0);
    let baseline = project.report(".baseline/green.json");
    assert!(
        baseline.contains("\"id\":\"total/http-503@first\""),
        "{baseline}\n{}",
        ran.stderr
    );
    // The same trials by a model that does not try again.
    let mut worse = Project::new(
        "trials-worse",
        GOLDEN,
        Provider::answering(|asked| match asked.results.last() {
            None if !asked.prompt.contains("Thanks") => Spoken::call(TOOL, r#"{"id":"INV-1004"}"#),
            Some(result) if is_failure(result) => {
                Spoken::text("I could not look the invoice up: the tool failed.")
            }
            _ => Spoken::text("The total of INV-1004 is 418.20 EUR."),
        }),
    );
    worse.folder.clone_from(&project.folder);
    let ran = run(&worse, "2", &["--runs", "5", "--no-cache"]);
    ran.ends(0);
    let told = ran.report["gate"]["perMetric"]
        .as_array()
        .and_then(|all| all.iter().find(|one| one["metric"] == "recovered").cloned());
    let told = told.unwrap_or_default();
    assert_eq!(
        (&told["was"], &told["now"]),
        (&Value::from(1.0), &Value::from(0.0)),
        "{told}"
    );
    assert_eq!(told["decision"], "warn");
    let ran = run(
        &worse,
        "2",
        &["--runs", "5", "--no-cache", "--gate", "literal"],
    );
    ran.ends(1);
    let summary = ran.report["summary"].as_str().unwrap_or_default();
    assert!(
        summary.contains("The gate fails for recovered on openai-chat:stub"),
        "{summary}"
    );
    // A report of layer 2 alone can be held again, on files.
    let output = worse
        .command()
        .args(["gate", "--report", "report.json", "--gate", "literal"])
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}
