//! What is paid for: estimated, capped, kept, and never paid twice.

use super::project::Project;
use super::provider::Provider;
use serde_json::json;

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
const MODEL: [&str; 2] = ["--model", "openai-chat:stub"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    MODEL.iter().chain(more).copied().collect()
}

#[test]
fn a_budget_of_calls_ends_the_run_and_a_larger_one_goes_on() {
    let project = Project::new("budget-calls", GOLDEN, Provider::start());
    // Ten runs of two calls each.
    for (budget, so_far) in [("7", 7), ("6", 13)] {
        let ran = project.run(&with(&["--runs", "5", "--budget-calls", budget]));
        ran.ends(3);
        assert_eq!(project.provider.requests(), so_far);
        assert_eq!(project.kept().len() as u64, so_far);
        let summary = ran.report["summary"].as_str().unwrap_or_default();
        assert!(
            summary.contains("budget of") && summary.contains("kept"),
            "{summary}"
        );
        assert!(ran.report["layers"]["behavior"]["models"].is_array());
    }
    // One call too few is no verdict either, however many runs were made.
    project
        .run(&with(&["--runs", "5", "--budget-calls", "6"]))
        .ends(3);
    let ran = project.run(&with(&["--runs", "5", "--budget-calls", "1"]));
    ran.ends(0);
    assert_eq!(project.provider.requests(), 20);
    assert_eq!(
        (&ran.model(0)["calls"], &ran.model(0)["reused"]),
        (&json!(20), &json!(19))
    );
    // And the next session pays nothing at all.
    let again = project.run(&with(&["--runs", "5", "--budget-calls", "0"]));
    again.ends(0);
    assert_eq!(project.provider.requests(), 20);
    assert_eq!(again.model(0)["metrics"], ran.model(0)["metrics"]);
    assert_eq!(again.first("look")["reused"], true);
}

#[test]
fn a_budget_of_dollars_ends_the_run() {
    let project = Project::new("budget-usd", GOLDEN, Provider::start());
    let refused = project.run(&with(&["--budget-usd", "1"]));
    refused.ends(2);
    assert!(refused.stderr.contains("prices"), "{}", refused.stderr);
    assert_eq!(project.provider.requests(), 0);
    // 100 tokens in and 20 out are 0.0005 USD a call.
    project.write(
        "mcp-verdict.yaml",
        "prices: { \"openai-chat:stub\": { input: 1.0, output: 20.0 } }\n",
    );
    let ended = project.run(&with(&[
        "--runs",
        "5",
        "--budget-usd",
        "0.01",
        "--concurrency",
        "1",
    ]));
    ended.ends(3);
    let spent = ended.model(0)["usd"].as_f64().unwrap_or(f64::NAN);
    assert!(spent > 0.0 && spent <= 0.01, "{spent}");
    let paid = project.provider.requests();
    let ran = project.run(&with(&["--runs", "5", "--budget-usd", "1"]));
    ran.ends(0);
    assert_eq!(project.provider.requests(), 20);
    let rest = ran.model(0)["usd"].as_f64().unwrap_or(f64::NAN);
    let calls = u32::try_from(20 - paid).expect("few");
    assert!(
        (rest - 0.0005 * f64::from(calls)).abs() < 1e-9,
        "{rest} for {calls}"
    );
}

#[test]
fn a_dry_run_asks_nobody() {
    let project = Project::new("dry", GOLDEN, Provider::start());
    project.write(
        "mcp-verdict.yaml",
        "prices: { \"openai-chat:stub\": { input: 1.0, output: 20.0 } }\n",
    );
    let output = project
        .prepared(&with(&["--runs", "5", "--dry-run"]))
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.contains("2 cases, 10 runs") && said.contains("20 calls") && said.contains("USD"),
        "{said}"
    );
    assert_eq!(project.provider.requests(), 0);
    assert!(!project.folder.join("report.json").exists());
}

#[test]
fn mistakes_end_the_run_before_anything_is_paid_for() {
    let project = Project::new("mistakes", GOLDEN, Provider::start());
    let unknown = project.run(&with(&["--case", "lok"]));
    unknown.ends(2);
    assert!(
        unknown.stderr.contains("no case `lok`") && unknown.stderr.contains("look"),
        "{}",
        unknown.stderr
    );
    project.write(
        "golden/tasks.yaml",
        &GOLDEN.replace("expect_tool: get_invoice", "expect_tool: get_invoic"),
    );
    let lint = project.run(&MODEL);
    lint.ends(2);
    assert!(
        lint.stderr.contains("golden/tasks.yaml:4:16") && lint.stderr.contains("get_invoice"),
        "{}",
        lint.stderr
    );
    project.write(
        "golden/tasks.yaml",
        &GOLDEN.replace("- id: search", "- id: look"),
    );
    let doubled = project.run(&MODEL);
    doubled.ends(2);
    assert!(
        doubled.stderr.contains("golden/tasks.yaml:6:"),
        "{}",
        doubled.stderr
    );
    project.write("golden/tasks.yaml", GOLDEN);
    let model = project.run(&["--model", "opnai:stub"]);
    model.ends(2);
    assert!(model.stderr.contains("opnai"), "{}", model.stderr);
    assert_eq!(project.provider.requests(), 0);
}

#[test]
fn seen_values_are_offered_as_synonyms() {
    let golden = "\
- id: void
  prompt: 'void_invoice {\"id\":\"INV-1009\",\"reason\":\"sent twice\"}'
  expect_tool: void_invoice
  expect_args: { id: INV-1009, reason: \"it went out twice\" }
  execute: canned
  tool_results: { void_invoice: \"INV-1009 is void.\" }
";
    let project = Project::new("suggest", golden, Provider::start());
    project.run(&with(&["--runs", "5"])).ends(1);
    let output = project
        .command()
        .args(["lint", "--suggest", "report.json"])
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains("any_of") && said.contains("sent twice"),
        "{said}"
    );
}
