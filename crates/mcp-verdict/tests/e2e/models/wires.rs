//! Every wire, through the variable that names its base URL.

use super::project::{KEY, Project};
use super::provider::Provider;
use serde_json::json;

const GOLDEN: &str = r#"
- id: look
  prompt: 'get_invoice {"id":"INV-1004"}'
  expect_tool: get_invoice
  expect_args: { id: INV-1004 }
  kind: hard
- id: search
  prompt: 'search_invoices {"customer":"acme","limit":3}'
  expect_tool: search_invoices
  expect_args: { customer: acme, limit: 3 }
- id: thanks
  prompt: "Thanks, that's all."
  expect_tool: null
"#;

#[test]
fn every_wire_gives_the_same_numbers() {
    let project = Project::new("wires", GOLDEN, Provider::start());
    let gateway = format!("openai-compatible:stub@{}", project.provider.base);
    let ids = [
        "openai:stub",
        "openai-chat:stub",
        "anthropic:stub",
        "gemini:stub",
        &gateway,
    ];
    let models: Vec<&str> = ids.iter().flat_map(|id| ["--model", id]).collect();
    let ran = project.run(&models);
    ran.ends(0);
    for (at, id) in ids.iter().enumerate() {
        let model = ran.model(at);
        assert_eq!(model["id"], *id);
        let selection = &model["metrics"]["selection"];
        assert_eq!(
            (&selection["count"], &selection["of"]),
            (&json!(3), &json!(3)),
            "{id}"
        );
        let arguments = &model["metrics"]["arguments"];
        assert_eq!(
            (&arguments["count"], &arguments["of"]),
            (&json!(2), &json!(2)),
            "{id}"
        );
        assert_eq!(model["metrics"]["overTrigger"]["count"], 0, "{id}");
        // Two calls with a turn each behind them, and one answer.
        assert_eq!(
            (&model["calls"], model.get("reused")),
            (&json!(5), Some(&json!(0))),
            "{id}"
        );
        let tokens = &model["tokens"];
        assert_eq!(
            (&tokens["input"], &tokens["output"]),
            (&json!(500), &json!(100)),
            "{id}"
        );
        assert_eq!(ran.case(at, "look")["passRate"], json!(1.0), "{id}");
    }
    assert_eq!(project.provider.requests(), 25);
    let received = project.provider.received();
    for field in ["x-goog-api-key: ", "authorization: Bearer "] {
        assert!(received.contains(&format!("{field}{KEY}")), "{field}");
    }
    for path in [
        "/responses",
        "/chat/completions",
        "/messages",
        "stub:generateContent",
    ] {
        assert!(received.contains(path), "{path}");
    }
    let text = project.report("report.txt");
    assert!(
        text.contains("3 of 3") && !text.contains('\u{1b}'),
        "{text}"
    );
}

#[test]
fn what_a_provider_refuses_is_left_out_and_told() {
    let project = Project::new("refused-parameter", GOLDEN, Provider::start());
    let ran = project.run(&[
        "--model",
        "openai-chat:stub-400-temperature",
        "--concurrency",
        "1",
    ]);
    ran.ends(0);
    let notes = ran.model(0)["notes"].to_string();
    assert!(
        notes.contains("temperature not under our control"),
        "{notes}"
    );
    // Once refused, it is not sent again: five answers and one refusal.
    assert_eq!(project.provider.requests(), 6);
}

#[test]
fn busy_and_broken_providers_are_waited_for() {
    for (model, more) in [
        ("stub-429-seconds", 5),
        ("stub-429-ms", 5),
        ("stub-529", 5),
        ("stub-502-html", 5),
        ("stub-cut", 5),
    ] {
        let project = Project::new(&format!("busy-{model}"), GOLDEN, Provider::start());
        let ran = project.run(&["--model", &format!("anthropic:{model}")]);
        ran.ends(0);
        assert_eq!(project.provider.requests(), 5 + more, "{model}");
        assert_eq!(ran.model(0)["metrics"]["selection"]["count"], 3, "{model}");
    }
}

#[test]
fn a_key_that_is_refused_ends_the_run_at_once() {
    let project = Project::new("key", GOLDEN, Provider::start());
    for (id, variable) in [
        ("openai:stub-401", "OPENAI_API_KEY"),
        ("anthropic:stub-401", "ANTHROPIC_API_KEY"),
        ("gemini:stub-401", "GEMINI_API_KEY"),
    ] {
        let before = project.provider.requests();
        let ran = project.run(&["--model", id, "--concurrency", "1", "--runs", "5"]);
        ran.ends(3);
        assert_eq!(project.provider.requests() - before, 1, "{id}");
        let summary = ran.report["summary"].as_str().unwrap_or_default();
        assert!(summary.contains(variable), "{summary}");
        assert_eq!(ran.report["verdict"], "none");
    }
}

#[test]
fn what_does_not_pass_is_no_verdict() {
    let project = Project::new("lasting", GOLDEN, Provider::start());
    for (id, who, what) in [
        ("openai-chat:stub-404", "harness", "unknown-model"),
        ("openai-chat:stub-429-quota", "provider", "quota"),
        ("openai-chat:stub-400-request", "harness", "request-refused"),
        ("openai-chat:stub-503-forever", "provider", "o"),
        ("openai-chat:stub-429-long", "provider", "rate-limit"),
    ] {
        let ran = project.run(&["--model", id, "--case", "look"]);
        ran.ends(3);
        let fault = &ran.first("look")["fault"];
        assert_eq!(fault["who"], who, "{id}: {fault}");
        let said = fault["what"].as_str().unwrap_or_default();
        assert!(said.starts_with(what), "{id}: {fault}");
        assert_eq!(ran.first("look")["outcome"], "invalid", "{id}");
    }
    // A prompt that is too long for the model is not the model's doing, whatever it answered before.
    let long = project.run(&[
        "--model",
        "openai-chat:stub-400-context",
        "--concurrency",
        "1",
    ]);
    long.ends(3);
    assert_eq!(long.first("search")["fault"]["who"], "harness");
    let gone = project.run(&["--model", "openai-compatible:stub@http://127.0.0.1:9"]);
    gone.ends(3);
    assert_eq!(gone.first("look")["fault"]["who"], "provider");
}

#[test]
fn a_key_that_is_missing_is_bad_usage_before_anything_starts() {
    let project = Project::new("no-key", GOLDEN, Provider::start());
    let mut command = project.prepared(&["--model", "openai:stub"]);
    command
        .env_remove("OPENAI_API_KEY")
        .env("OPENAI_BASE_URL", "https://models.invalid/v1");
    let ran = project.ran(&command.output().expect("it runs"));
    ran.ends(2);
    assert!(ran.stderr.contains("OPENAI_API_KEY"), "{}", ran.stderr);
    assert_eq!(project.provider.requests(), 0);
}
