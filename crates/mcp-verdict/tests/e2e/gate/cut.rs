//! Cut off in the midst of a session with a baseline: no verdict, nothing enters, and nothing is paid twice.

use super::suite::{MODEL, Suite, report};
use crate::support::stderr;
use serde_json::json;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

/// Calls of a night in which one run of one case fails: thirty runs, then three rounds of two runs a case, two calls each.
const FIRST_PASS: u64 = 60;
const ALL: u64 = 132;
/// A night asks anew, and goes on with one that was cut off.
const NIGHT: [&str; 2] = ["--update-baseline", "--no-cache"];

fn suite(name: &str) -> (Suite, u64) {
    let suite = Suite::new(name);
    suite.baseline(&[]);
    suite.errs(&[("alpha", &[0])]);
    let paid = suite.provider.requests();
    (suite, paid)
}

/// Starts a night, and asks it to stop once the provider was asked so often.
fn interrupted(suite: &Suite, requests: u64) -> Output {
    let _ = std::fs::remove_file(suite.folder.join("report.json"));
    let arguments = suite.arguments(MODEL, &NIGHT);
    let mut command = suite.command(&arguments);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().expect("it starts");
    let began = Instant::now();
    while suite.provider.requests() < requests {
        assert!(began.elapsed() < Duration::from_secs(60), "it never asked");
        std::thread::sleep(Duration::from_millis(1));
    }
    let id = i32::try_from(child.id()).expect("an id");
    let id = rustix::process::Pid::from_raw(id).expect("an id");
    rustix::process::kill_process(id, rustix::process::Signal::INT).expect("it is there");
    child.wait_with_output().expect("it ends")
}

#[test]
fn an_interrupted_night_enters_nothing_and_goes_on_without_paying_twice() {
    let (suite, paid) = suite("interrupted");
    let before = suite.kept();
    suite.provider.stub().latency_ms = 80;
    let mut lost = 0;
    // In the first pass, then among the confirmations.
    for requests in [20, FIRST_PASS + 20] {
        let output = interrupted(&suite, paid + lost + requests);
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
        let report = report(&suite.folder, &output);
        assert_eq!(report["verdict"], "none", "{}", report["gate"]);
        assert_eq!(suite.kept(), before);
        // What was under way may have been paid for and lost.
        lost += 4;
    }
    suite.provider.stub().latency_ms = 0;
    let (exit, report) = suite.run(&NIGHT);
    let gate = &report["gate"];
    assert_eq!((exit, &gate["decision"]), (0, &json!("pass")), "{gate}");
    assert_eq!(gate["models"][0]["confirmation"], json!(36), "{gate}");
    let requests = suite.provider.requests();
    assert!(requests <= paid + ALL + lost, "{requests}");
    // Of the night's answers none was counted before it came to its end.
    assert_eq!(suite.pool("case-alpha"), "19/20");
    assert_eq!(suite.pool("case-bravo"), "20/20");
    // Once more the same answers, which were counted now.
    let (exit, _) = suite.run(&["--update-baseline"]);
    assert_eq!((exit, suite.provider.requests()), (0, requests));
    assert_eq!(suite.pool("case-bravo"), "20/20");
}

#[test]
fn a_night_whose_budget_ends_enters_nothing_and_goes_on_without_paying_twice() {
    let (suite, paid) = suite("spent");
    let before = suite.kept();
    let mut so_far = paid;
    // In the first pass, at its very end, and among the confirmations.
    for budget in [25, FIRST_PASS - 25, 20] {
        let budget_calls = budget.to_string();
        let budgeted = [NIGHT[0], NIGHT[1], "--budget-calls", &budget_calls];
        let (exit, report) = suite.run(&budgeted);
        let gate = &report["gate"];
        assert_eq!((exit, &report["verdict"]), (3, &json!("none")), "{gate}");
        so_far += budget;
        assert_eq!(suite.provider.requests(), so_far);
        assert_eq!(suite.kept(), before);
    }
    let (exit, report) = suite.run(&NIGHT);
    let gate = &report["gate"];
    assert_eq!((exit, &gate["decision"]), (0, &json!("pass")), "{gate}");
    assert_eq!(suite.provider.requests(), paid + ALL);
    assert_eq!(suite.pool("case-alpha"), "19/20");
}
