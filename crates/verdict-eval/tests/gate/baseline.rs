//! The baseline file: written, read, refused; and what moves it.

use serde_json::json;
use std::collections::BTreeMap;
use verdict_eval::gate::baseline::{
    Acceptance, Baseline, BaselineError, Entry, FirstPass, Foreign, Key, NothingToAccept, Origin,
    Refusal, SCHEMA, SessionCounts, accepted, entered,
};
use verdict_eval::gate::{Counts, Rule};
use verdict_eval::tool::Tool;
use verdict_model::behavior::{CaseResult, Metric};
use verdict_model::gate::Decision;

fn key() -> Key {
    Key {
        suite: "golden/tasks.yaml".to_owned(),
        model: "openai:small".to_owned(),
        harness: "5eed".to_owned(),
    }
}

fn origin(sha: &str) -> Origin {
    Origin {
        sha: Some(sha.to_owned()),
        at: Some("2026-11-30T02:00:00Z".to_owned()),
        branch: Some("main".to_owned()),
        config: Some("mcp-verdict.yaml".to_owned()),
    }
}

fn tool(description: &str) -> Tool {
    let value = json!({ "name": "get_weather", "description": description });
    Tool(value.as_object().cloned().unwrap_or_default())
}

fn first(id: &str, passes: u32) -> FirstPass {
    FirstPass {
        id: id.to_owned(),
        hash: "1".to_owned(),
        runs: Counts::new(passes, 5),
        metrics: BTreeMap::from([(Metric::Selection, Counts::new(passes, 5))]),
    }
}

/// A green session of two cases.
fn session(weather: u32, invoice: u32) -> SessionCounts {
    SessionCounts {
        key: key(),
        origin: origin("c0ffee"),
        judge: None,
        tools: vec![tool("The weather of a city.")],
        decision: Decision::Pass,
        green: true,
        curtailed: false,
        cases: vec![first("weather", weather), first("invoice", invoice)],
    }
}

fn after(sessions: &[(u32, u32)]) -> Baseline {
    let rule = Rule::default();
    let start = Baseline::empty();
    sessions.iter().fold(start, |baseline, (weather, invoice)| {
        entered(&baseline, &rule, &session(*weather, *invoice)).0
    })
}

fn pool(baseline: &Baseline, id: &str) -> (String, usize) {
    let suite = baseline.suite(&key()).expect("a suite");
    let case = suite.case(id, "1").expect("a case");
    (case.runs.pool.to_string(), case.runs.recent.len())
}

#[test]
fn the_file_has_one_line_a_case() {
    let text = after(&[(5, 4), (5, 5)]).to_text().expect("a text");
    let expected = r#"{
  "schema": "mcp-verdict/baseline/v1",
  "sha": "c0ffee",
  "at": "2026-11-30T02:00:00Z",
  "branch": "main",
  "config": "mcp-verdict.yaml",
  "suites": [
    {"suite":"golden/tasks.yaml","model":"openai:small","harness":"5eed","last":{"selection":"10/10"},"cases":[
      {"id":"invoice","hash":"1","pool":"9/10","metrics":{"selection":{"pool":"9/10"}}},
      {"id":"weather","hash":"1","pool":"10/10","metrics":{"selection":{"pool":"10/10"}}}
    ]}
  ],
  "accepted": [],
  "tools": [
    {"name":"get_weather","description":"The weather of a city."}
  ]
}
"#;
    assert_eq!(text, expected);
}

#[test]
fn what_is_written_is_read_again() {
    let sessions: Vec<_> = (0..14).map(|night| (5, 4 + night % 2)).collect();
    let baseline = after(&sessions);
    let text = baseline.to_text().expect("a text");
    assert_eq!(Baseline::parse(&text), Ok(baseline.clone()));
    let empty = Baseline::empty();
    assert_eq!(
        Baseline::parse(&empty.to_text().expect("a text")),
        Ok(empty)
    );
    // Another order of the same lines is the same baseline.
    let mut turned = baseline;
    turned.suites[0].cases.reverse();
    assert_eq!(turned.to_text().expect("a text"), text);
}

#[test]
fn a_line_of_a_later_build_is_passed_over() {
    let text = format!(r#"{{"schema":{SCHEMA:?},"suites":[],"tools":[],"weather":1}}"#);
    assert_eq!(Baseline::parse(&text), Ok(Baseline::empty()));
}

#[test]
fn files_that_are_no_baseline_are_refused() {
    let whole = after(&[(5, 4)]).to_text().expect("a text");
    let error = |text: &str| Baseline::parse(text).expect_err(text);
    assert_eq!(error("  \n"), BaselineError::Empty);
    assert!(matches!(
        error(&whole[..whole.len() / 2]),
        BaselineError::CutOff { .. }
    ));
    assert!(matches!(
        error("{\n  nonsense"),
        BaselineError::Malformed { line: 2, .. }
    ));
    assert!(matches!(error("[]"), BaselineError::OtherSchema { .. }));
    assert!(matches!(error("{}"), BaselineError::OtherSchema { .. }));
    let report = whole.replace("baseline/v1", "report/v1");
    assert!(matches!(error(&report), BaselineError::OtherSchema { .. }));
    let later = whole.replace("baseline/v1", "baseline/v2");
    assert!(matches!(error(&later), BaselineError::Later { .. }));
    let merge = whole.replace("  \"accepted\"", "<<<<<<< ours\n  \"accepted\"");
    assert!(matches!(
        error(&merge),
        BaselineError::Unmerged { line: 13 }
    ));
    let twice = whole.replace("\"id\":\"weather\"", "\"id\":\"invoice\"");
    assert!(matches!(error(&twice), BaselineError::Twice { .. }));
    let impossible = whole.replace("\"4/5\"", "\"6/5\"");
    let message = error(&impossible).to_string();
    assert!(
        message.contains("more passes than runs") && message.contains("restore"),
        "{message}"
    );
    let many = whole.replace(
        "\"pool\":\"4/5\"",
        "\"pool\":\"4/5\",\"recent\":[\"9/1000000\"]",
    );
    assert!(matches!(error(&many), BaselineError::TooMany { .. }));
}

#[test]
fn deep_nesting_is_an_error_and_no_crash() {
    let text = format!("{{\"schema\":{SCHEMA:?},\"tools\":{}", "[".repeat(100_000));
    assert!(Baseline::parse(&text).is_err());
}

#[test]
fn a_baseline_of_elsewhere_is_no_baseline() {
    let baseline = after(&[(5, 5)]);
    assert_eq!(baseline.fits(&origin("beef")), Ok(()));
    let other = Origin {
        branch: Some("next".to_owned()),
        ..origin("beef")
    };
    let message = baseline
        .fits(&other)
        .expect_err("another branch")
        .to_string();
    assert!(
        message.contains("\"main\"") && message.contains("\"next\""),
        "{message}"
    );
    assert_eq!(
        Baseline::empty().fits(&origin("beef")),
        Err(Foreign::Unknown { what: "branch" })
    );
}

#[test]
fn a_pool_fills_and_is_frozen() {
    assert_eq!(
        pool(&after(&[(5, 4); 3]), "invoice"),
        ("12/15".to_owned(), 0)
    );
    assert_eq!(
        pool(&after(&[(5, 4); 10]), "invoice"),
        ("40/50".to_owned(), 0)
    );
    assert_eq!(
        pool(&after(&[(5, 4); 17]), "invoice"),
        ("40/50".to_owned(), 7)
    );
    assert_eq!(
        pool(&after(&[(5, 4); 40]), "invoice"),
        ("40/50".to_owned(), 10)
    );
}

#[test]
fn only_green_sessions_enter() {
    let rule = Rule::default();
    let before = after(&[(5, 5); 3]);
    for decision in [Decision::Fail, Decision::Warn, Decision::Incomplete] {
        let session = SessionCounts {
            decision,
            green: false,
            ..session(0, 0)
        };
        let (next, entry) = entered(&before, &rule, &session);
        assert_eq!(entry, Entry::Refused(Refusal::NotGreen(decision)));
        assert_eq!(next, before);
    }
    let curtailed = SessionCounts {
        curtailed: true,
        ..session(5, 5)
    };
    assert_eq!(
        entered(&before, &rule, &curtailed).1,
        Entry::Refused(Refusal::Curtailed)
    );
    let stale = SessionCounts {
        cases: Vec::new(),
        ..session(5, 5)
    };
    assert_eq!(
        entered(&before, &rule, &stale).1,
        Entry::Refused(Refusal::NothingFresh)
    );
    let learning = SessionCounts {
        decision: Decision::Learning,
        ..session(5, 5)
    };
    assert_eq!(entered(&before, &rule, &learning).1, Entry::Added);
    // Of a case that is unstable on a night with nothing changed the pool is to know.
    let unstable = SessionCounts {
        decision: Decision::Warn,
        ..session(5, 4)
    };
    let (next, entry) = entered(&before, &rule, &unstable);
    assert_eq!(
        (entry, pool(&next, "invoice").0),
        (Entry::Added, "19/20".to_owned())
    );
}

#[test]
fn the_ratchet_goes_up_and_never_down() {
    let mut sessions = vec![(5, 3); 10];
    sessions.extend([(5, 5); 9]);
    assert_eq!(pool(&after(&sessions), "invoice"), ("30/50".to_owned(), 9));
    let (raised, entry) = entered(&after(&sessions), &Rule::default(), &session(5, 5));
    assert!(matches!(entry, Entry::Raised { evidence } if evidence >= 50.0));
    assert_eq!(pool(&raised, "invoice"), ("50/50".to_owned(), 0));
    let metric = &raised
        .suite(&key())
        .expect("a suite")
        .case("invoice", "1")
        .expect("a case")
        .metrics;
    assert_eq!(metric[&Metric::Selection].pool, Counts::new(50, 50));
    let mut worse = vec![(5, 5); 10];
    worse.extend([(5, 2); 30]);
    assert_eq!(pool(&after(&worse), "invoice"), ("50/50".to_owned(), 10));
    // A little luck raises nothing.
    let mut lucky = vec![(5, 4); 10];
    lucky.extend([(5, 4); 5]);
    lucky.extend([(5, 5); 5]);
    assert_eq!(pool(&after(&lucky), "invoice"), ("40/50".to_owned(), 10));
}

#[test]
fn a_changed_case_is_another_and_a_revert_finds_the_old_one() {
    let mut changed = session(5, 5);
    changed.cases[0].hash = "2".to_owned();
    let baseline = entered(&after(&[(5, 5); 3]), &Rule::default(), &changed).0;
    let suite = baseline.suite(&key()).expect("a suite");
    assert_eq!(suite.cases.len(), 3);
    assert!(suite.is_changed("weather", "3") && !suite.is_changed("weather", "1"));
    assert!(!suite.is_changed("unheard", "1"));
    assert_eq!(pool(&baseline, "weather").0, "15/15");
}

#[test]
fn another_model_has_pools_of_its_own() {
    let mut other = session(1, 1);
    other.key.model = "openai:large".to_owned();
    let before = after(&[(5, 5); 3]);
    assert!(before.suite(&other.key).is_none());
    assert_eq!(before.others(&other.key).count(), 1);
    let next = entered(&before, &Rule::default(), &other).0;
    assert_eq!(pool(&next, "weather").0, "15/15");
    assert_eq!(next.suites.len(), 2);
}

#[test]
fn another_judge_resets_what_it_judged() {
    let judged = |judge: &str| {
        let mut session = session(5, 5);
        session.judge = Some(judge.to_owned());
        let judged = (Metric::Completion, Counts::new(5, 5));
        session.cases[0].metrics.extend([judged]);
        session
    };
    let rule = Rule::default();
    let one = entered(&after(&[(5, 5)]), &rule, &judged("a")).0;
    let two = entered(&one, &rule, &judged("a")).0;
    let other = entered(&two, &rule, &judged("b")).0;
    let counts = |baseline: &Baseline, metric| {
        let suite = baseline.suite(&key()).expect("a suite");
        suite.case("weather", "1").expect("a case").metrics[&metric]
            .pool
            .to_string()
    };
    assert_eq!(counts(&two, Metric::Completion), "10/10");
    assert_eq!(counts(&other, Metric::Completion), "5/5");
    assert_eq!(counts(&other, Metric::Selection), "20/20");
}

fn acceptance(reason: &str) -> Acceptance {
    Acceptance {
        at: "2026-12-01T09:00:00Z".to_owned(),
        who: "maintainer".to_owned(),
        reason: reason.to_owned(),
        cases: Vec::new(),
    }
}

#[test]
fn only_a_reason_lowers_a_pool() {
    let before = after(&[(5, 5); 10]);
    let bad = SessionCounts {
        decision: Decision::Fail,
        green: false,
        ..session(2, 5)
    };
    let next = accepted(&before, &bad, &[], acceptance("the tool is gone")).expect("a lower pool");
    assert_eq!(
        (pool(&next, "weather").0, pool(&next, "invoice").0),
        ("2/5".to_owned(), "50/50".to_owned())
    );
    assert_eq!(next.accepted[0].cases, ["weather"]);
    assert_eq!(Baseline::parse(&next.to_text().expect("a text")), Ok(next));
    let no_reason = accepted(&before, &bad, &[], acceptance(" "));
    assert_eq!(no_reason, Err(NothingToAccept::NoReason));
    let not_lower = accepted(
        &before,
        &bad,
        &["invoice".to_owned()],
        acceptance("why not"),
    );
    assert_eq!(not_lower, Err(NothingToAccept::NothingLower));
    let cut = SessionCounts {
        decision: Decision::Incomplete,
        ..bad
    };
    assert_eq!(
        accepted(&before, &cut, &[], acceptance("why not")),
        Err(NothingToAccept::NotWhole)
    );
}

#[test]
fn confirmations_reused_and_invalid_runs_stay_out_of_a_pool() {
    let run = |index: u32, wave: u32, outcome: &str, reused: bool| {
        json!({ "index": index, "wave": wave, "outcome": outcome, "reused": reused,
            "scores": { "selection": outcome == "passed", "overTrigger": outcome != "passed" },
            "calls": [], "turns": 1 })
    };
    let case = json!({ "id": "weather", "kind": "soft", "hash": "1", "prompt": "", "expected": "",
        "passRate": null, "interval": null, "standing": "met", "runs": [
            run(0, 0, "passed", false), run(1, 0, "failed", false), run(2, 0, "invalid", false),
            run(3, 0, "passed", true), run(4, 1, "failed", false)] });
    let case: CaseResult = serde_json::from_value(case).expect("a case");
    let first = FirstPass::of(&case);
    assert_eq!(first.runs, Counts::new(1, 2));
    assert_eq!(first.metrics[&Metric::Selection], Counts::new(1, 2));
    assert_eq!(first.metrics[&Metric::OverTrigger], Counts::new(1, 2));
}

#[test]
fn changed_tools_reset_nothing() {
    let mut changed = session(5, 5);
    changed.tools = vec![tool("Something else.")];
    let next = entered(&after(&[(5, 5); 3]), &Rule::default(), &changed).0;
    assert_eq!(pool(&next, "weather").0, "20/20");
    assert_eq!(next.tools, changed.tools);
}

#[test]
fn a_large_suite_enters_in_no_time() {
    let number = 50_000;
    let mut large = session(5, 5);
    large.cases = (0..number)
        .rev()
        .map(|place| first(&format!("case-{place}"), 5))
        .collect();
    let rule = Rule::default();
    let once = entered(&Baseline::empty(), &rule, &large).0;
    let twice = entered(&once, &rule, &large).0;
    assert_eq!(twice.suites[0].cases.len(), number);
    assert_eq!(pool(&twice, "case-777").0, "10/10");
    let text = twice.to_text().expect("a text");
    assert_eq!(Baseline::parse(&text), Ok(twice));
}
