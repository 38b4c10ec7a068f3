//! Nights that warn: undecided ones, and those with a case that is unstable.

use super::suite::{Suite, golden, notes, write_golden};
use crate::support::{code, stderr};
use serde_json::json;

#[test]
fn undecided_after_all_confirmations_it_warns_and_enters_nothing() {
    let suite = Suite::new("undecided");
    suite.baseline(&[]);
    let before = suite.kept();
    // One run of each fails, and all that are bought pass: the suspicion shrinks, and does not go away.
    suite.errs(&[("alpha", &[0]), ("bravo", &[1])]);
    let (exit, report) = suite.run(&["--update-baseline", "--no-cache"]);
    let gate = &report["gate"];
    assert_eq!((exit, &report["verdict"]), (0, &json!("pass")), "{gate}");
    let ground = &gate["models"][0];
    assert_eq!(
        (&gate["decision"], &ground["rounds"]),
        (&json!("warn"), &json!(5)),
        "{gate}"
    );
    assert_eq!(
        (&ground["firstPass"], &ground["confirmation"]),
        (&json!(30), &json!(60))
    );
    let evidence = ground["evidence"].as_f64().unwrap_or_default();
    assert!((0.5..50.0).contains(&evidence), "{evidence}");
    let reason = ground["reason"].as_str().unwrap_or_default();
    assert!(
        reason.contains("would exceed the budget of calls"),
        "{reason}"
    );
    assert_eq!(suite.kept(), before);
    // The same night again: nothing is paid for, and the warning may be denied.
    let paid = suite.provider.requests();
    let denied = suite.verdict(&suite.arguments(
        super::suite::MODEL,
        &["--deny-warnings", "--update-baseline"],
    ));
    assert_eq!(code(&denied), 1, "{}", stderr(&denied));
    assert!(
        stderr(&denied).contains("only a green run enters it, and this one is warn"),
        "{}",
        stderr(&denied)
    );
    assert_eq!(suite.provider.requests(), paid);
    assert_eq!(suite.kept(), before);
}

#[test]
fn a_night_with_an_unstable_case_warns_and_its_pool_learns_of_it() {
    let suite = Suite::new("unstable");
    let mut cases = golden();
    cases[0]["kind"] = json!("hard");
    write_golden(&suite.folder, &cases);
    suite.baseline(&[]);
    suite.errs(&[("alpha", &[0])]);
    let (exit, report) = suite.run(&["--update-baseline", "--no-cache"]);
    let gate = &report["gate"];
    assert_eq!((exit, &gate["decision"]), (0, &json!("warn")), "{gate}");
    let reason = gate["models"][0]["reason"].as_str().unwrap_or_default();
    assert!(
        reason.contains("1 case missed the target of its own now and then"),
        "{reason}"
    );
    // The first pass entered, and no confirmation.
    assert_eq!(suite.pool("case-alpha"), "19/20");
    assert_eq!(suite.pool("case-bravo"), "20/20");
}

#[test]
fn a_hard_case_may_be_held_without_confirmation() {
    let suite = Suite::new("strict");
    let mut cases = golden();
    cases[0]["kind"] = json!("hard");
    write_golden(&suite.folder, &cases);
    suite.baseline(&[]);
    suite.errs(&[("alpha", &[3])]);
    std::fs::write(
        suite.folder.join("mcp-verdict.yaml"),
        "layers: [1]\ngate: { hard: strict }\n",
    )
    .expect("written");
    let (exit, report) = suite.run(&["--update-baseline", "--no-cache"]);
    let gate = &report["gate"];
    assert_eq!((exit, &gate["decision"]), (1, &json!("fail")), "{gate}");
    assert_eq!(gate["models"][0]["confirmation"], json!(0), "{gate}");
    let reason = gate["models"][0]["reason"].as_str().unwrap_or_default();
    assert!(reason.ends_with("missed the target of its own"), "{reason}");
    assert!(
        notes(&report).contains("strict hard cases are red in"),
        "{}",
        notes(&report)
    );
    assert_eq!(suite.pool("case-alpha"), "15/15");
}
