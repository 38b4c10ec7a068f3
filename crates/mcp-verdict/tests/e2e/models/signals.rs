//! Ended by others: the report is there, and nothing is paid twice.

use super::project::Project;
use super::provider::Provider;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use verdict_fixture::provider::StubProvider;

const GOLDEN: &str = r#"
- id: look
  prompt: 'get_invoice {"id":"INV-1004"}'
  expect_tool: get_invoice
  expect_args: { id: INV-1004 }
- id: search
  prompt: 'search_invoices {"customer":"acme"}'
  expect_tool: search_invoices
  expect_args: { customer: acme }
"#;
const MODEL: [&str; 4] = ["--model", "openai-chat:stub", "--runs", "20"];
const ALL: u64 = 80;

fn slow(latency_ms: u64) -> Provider {
    let mut stub = StubProvider::default();
    stub.latency_ms = latency_ms;
    Provider::serving(stub)
}

fn start(project: &Project) -> Child {
    let mut command = project.prepared(&MODEL);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

/// Waits until so many requests came.
fn until(project: &Project, requests: u64) {
    let began = Instant::now();
    while project.provider.requests() < requests {
        assert!(began.elapsed() < Duration::from_secs(60), "it never asked");
        std::thread::yield_now();
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn signal(child: &Child, signal: rustix::process::Signal) {
    let id = i32::try_from(child.id()).expect("an id");
    let id = rustix::process::Pid::from_raw(id).expect("an id");
    rustix::process::kill_process(id, signal).expect("it is there");
}

#[test]
fn asked_to_stop_it_ends_at_once_and_goes_on_later() {
    let project = Project::new("signals", GOLDEN, slow(50));
    let mut most = 0;
    for (asked, requests) in [
        (rustix::process::Signal::INT, 10),
        (rustix::process::Signal::TERM, 30),
    ] {
        let child = start(&project);
        until(&project, requests);
        let began = Instant::now();
        signal(&child, asked);
        let output = child.wait_with_output().expect("it ends");
        assert!(
            began.elapsed() < Duration::from_secs(2),
            "{:?}",
            began.elapsed()
        );
        let ran = project.ran(&output);
        ran.ends(3);
        assert_eq!(ran.report["verdict"], "none");
        let notes = ran.report["layers"]["behavior"]["notes"].to_string();
        assert!(notes.contains("cut off"), "{notes}");
        let kept = project.kept().len() as u64;
        assert!(kept > 0 && kept <= project.provider.requests(), "{kept}");
        most += 4;
    }
    let ran = project.run(&MODEL);
    ran.ends(0);
    // What was under way may have been paid for and lost; nothing else is asked twice.
    assert!(
        project.provider.requests() <= ALL + most,
        "{}",
        project.provider.requests()
    );
    assert_eq!(ran.model(0)["metrics"]["selection"]["count"], json!(40));
}

#[test]
fn asked_to_stop_while_the_judge_is_on_trial_it_ends_at_once() {
    let project = Project::new("signals-judge", GOLDEN, slow(20_000));
    let mut command =
        project.prepared(&["--model", "openai-chat:stub", "--judge", "anthropic:stub"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().expect("it starts");
    until(&project, 1);
    let began = Instant::now();
    signal(&child, rustix::process::Signal::TERM);
    let ran = project.ran(&child.wait_with_output().expect("it ends"));
    assert!(
        began.elapsed() < Duration::from_secs(2),
        "{:?}",
        began.elapsed()
    );
    ran.ends(3);
}

#[test]
fn killed_at_any_moment_it_never_pays_twice_for_what_was_kept() {
    let project = Project::new("killed", GOLDEN, slow(5));
    let mut step = 0x9e37_79b9_u64;
    for _ in 0..20 {
        step = step.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let before = project.provider.requests();
        let mut child = start(&project);
        let after = Duration::from_micros(step >> 32 & 0x3_ffff);
        std::thread::sleep(after);
        let _ = child.kill();
        let _ = child.wait();
        let _ = before;
    }
    let ran = project.run(&MODEL);
    ran.ends(0);
    let mut keys = BTreeSet::new();
    let mut sound = 0_u64;
    for line in project.kept() {
        let Ok(line) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        sound += 1;
        assert!(
            keys.insert(line["key"].to_string()),
            "an answer that was kept was paid for again"
        );
    }
    assert_eq!(sound, ALL);
    // Each kill may have lost what was under way: four calls.
    let requests = project.provider.requests();
    assert!(requests <= ALL + 20 * 4, "{requests}");
    let journals = project
        .everything()
        .into_iter()
        .filter(|(path, _)| path.extension().is_some_and(|it| it == "jsonl"));
    assert_eq!(
        journals.count(),
        1,
        "it went on with the same session each time"
    );
}
