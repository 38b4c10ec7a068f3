//! What models do with a task: right, wrong, and in between.

use super::project::{Project, Ran};
use super::provider::Provider;
use serde_json::{Value, json};
use verdict_fixture::provider::{Asked, Ending, Spoken};

const GOLDEN: &str = r#"
- id: look
  prompt: "What is on INV-1004?"
  expect_tool: get_invoice
  expect_args: { id: INV-1004 }
  kind: hard
- id: thanks
  prompt: "Thanks, that's all."
  expect_tool: null
- id: complaint
  prompt: "Globex says that INV-1021 is wrong."
  kind: never
  forbid_tools: [void_invoice]
- id: find-and-send
  prompt: "Find what Acme is late with and mail it to ap@acme.example."
  expect_sequence:
    - { tool: search_invoices, args: { customer: acme, status: overdue } }
    - { tool: email_invoice, args: { id: INV-1004, to: ap@acme.example } }
  execute: canned
  tool_results:
    search_invoices: { structuredContent: { invoices: [{ id: INV-1004, total: { cents: 48548, currency: EUR } }], total: 1 } }
    email_invoice: "INV-1004 was sent."
"#;

fn differences(run: &Value) -> String {
    run["differences"].to_string()
}

fn run(name: &str, script: fn(&Asked) -> Spoken, more: &[&str]) -> (Project, Ran) {
    let project = Project::new(name, GOLDEN, Provider::answering(script));
    let mut all = vec!["--model", "anthropic:stub"];
    all.extend(more);
    let ran = project.run(&all);
    (project, ran)
}

/// Does all four tasks as they are meant.
fn right(asked: &Asked) -> Spoken {
    let calls = asked.results.len();
    match asked.prompt.split(' ').next().unwrap_or_default() {
        "What" if calls == 0 => Spoken::call("get_invoice", r#"{"id":"INV-1004"}"#),
        "Find" if calls == 0 => Spoken::call(
            "search_invoices",
            r#"{"customer":"acme","status":"overdue","limit":10.0}"#,
        ),
        "Find" if calls == 1 && asked.results[0].contains("INV-1004") => Spoken::call(
            "email_invoice",
            r#"{"to":"ap@acme.example","id":"INV-1004"}"#,
        ),
        _ => Spoken::text("Done."),
    }
}

fn careless(asked: &Asked) -> Spoken {
    let first = asked.results.is_empty();
    match asked.prompt.split(' ').next().unwrap_or_default() {
        "What" if first => Spoken::call("search_invoices", r#"{"customer":"acme"}"#),
        "Thanks," if first => Spoken::call("add_tool", "{}"),
        "Globex" if first => Spoken::call("void_invoice", r#"{"id":"INV-1021"}"#),
        "Find" if first => {
            Spoken::call("search_invoices", r#"{"customer":"acme","status":"open"}"#).and_call(
                "email_invoice",
                r#"{"id":"INV-1005","to":"ap@acme.example"}"#,
            )
        }
        _ => Spoken::text("Done."),
    }
}

#[test]
fn a_model_that_does_right_passes() {
    let (project, ran) = run("right", right, &["--runs", "5"]);
    ran.ends(0);
    assert_eq!(ran.report["verdict"], "pass");
    let metrics = &ran.model(0)["metrics"];
    assert_eq!(
        (&metrics["selection"]["count"], &metrics["selection"]["of"]),
        (&json!(20), &json!(20))
    );
    assert_eq!(
        (&metrics["order"]["count"], &metrics["order"]["of"]),
        (&json!(5), &json!(5))
    );
    let calls = &ran.first("find-and-send")["calls"];
    assert_eq!(calls[0]["resultFrom"], "canned");
    assert_eq!(calls[1]["arguments"]["to"], "ap@acme.example");
    // Each run is asked for itself, though all bytes but a run's place are the same.
    assert_eq!(project.provider.requests(), 5 * (2 + 1 + 1 + 3));
}

#[test]
fn a_model_that_chooses_wrong_fails_with_the_case_and_what_to_mend() {
    let (project, ran) = run("wrong", careless, &["--runs", "5"]);
    ran.ends(1);
    let look = ran.case(0, "look");
    assert_eq!(
        (&look["standing"], &look["passRate"]),
        (&json!("red"), &json!(0.0))
    );
    assert_eq!(look["collisions"][0]["called"], "search_invoices");
    assert!(
        look["advice"]
            .as_str()
            .is_some_and(|advice| advice.len() > 20),
        "{look}"
    );
    assert!(
        ran.report["summary"]
            .as_str()
            .is_some_and(|said| said.contains("look"))
    );
    assert_eq!(
        ran.case(0, "thanks")["runs"][0]["scores"]["overTrigger"],
        true
    );
    let complaint = ran.case(0, "complaint");
    assert_eq!(complaint["standing"], "red");
    assert!(
        differences(&complaint["runs"][0]).contains("forbids"),
        "{complaint}"
    );
    let steps = differences(&ran.case(0, "find-and-send")["runs"][0]);
    assert!(
        steps.contains("/status") && steps.contains("INV-1005"),
        "{steps}"
    );
    let text = project.report("report.txt");
    for word in ["look", "search_invoices", "complaint", "void_invoice"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let junit = project.report("report.xml");
    assert!(junit.contains("<failure"), "{junit}");
}

/// Right in four of five runs, by the seed that tells runs apart.
fn wavering(asked: &Asked) -> Spoken {
    let seed = asked.body["seed"].as_u64();
    if seed == Some(2) {
        Spoken::text("I don't know.")
    } else {
        right(asked)
    }
}

#[test]
fn what_this_version_cannot_compare_is_refused() {
    let golden = GOLDEN.replace(
        "  kind: hard\n",
        "  arg_match: { id: { embedding: 0.9 } }\n",
    );
    let project = Project::new("embedding", &golden, Provider::start());
    let refused = project.run(&["--model", "openai-chat:stub"]);
    refused.ends(2);
    assert!(
        refused
            .stderr
            .contains("golden/tasks.yaml:2:3: look compares by embedding"),
        "{}",
        refused.stderr
    );
    assert_eq!(project.provider.requests(), 0);
    project.run(&["--model", "openai-chat:stub", "--case", "thanks"]);
    assert!(project.provider.requests() > 0);
}

#[test]
fn a_soft_case_may_fail_once_and_a_hard_one_may_not() {
    let golden = GOLDEN.replace("  kind: hard\n", "");
    let project = Project::new("soft", &golden, Provider::answering(wavering));
    let soft = project.run(&[
        "--model",
        "openai-chat:stub",
        "--runs",
        "5",
        "--case",
        "look",
    ]);
    soft.ends(0);
    assert_eq!(soft.case(0, "look")["passRate"], json!(0.8));
    project.write("golden/tasks.yaml", GOLDEN);
    let hard = project.run(&[
        "--model",
        "openai-chat:stub",
        "--runs",
        "5",
        "--case",
        "look",
        "--deny-warnings",
    ]);
    hard.ends(1);
    assert_ne!(hard.case(0, "look")["standing"], "met");
}

#[test]
fn cut_off_refused_empty_and_spelled_out_are_told_apart() {
    let project = Project::new("apart", GOLDEN, Provider::start());
    for (model, what, words) in [
        ("stub-cut-off", "cut-off", "cut off"),
        ("stub-refusal", "refused", "refused"),
        ("stub-empty", "empty", "empty"),
        ("stub-call-as-text", "call-as-text", "template"),
        ("stub-unknown-tool", "turn-limit", "on and on"),
    ] {
        let id = format!("openai-chat:{model}");
        let ran = project.run(&["--model", &id, "--case", "look"]);
        let run = ran.first("look");
        assert_eq!(run["outcome"], "failed", "{model}: {run}");
        assert_eq!(run["fault"]["what"], what, "{model}: {run}");
        assert_eq!(run["fault"]["who"], "model", "{model}: {run}");
        let text = project.report("report.txt");
        assert!(
            text.replace("\n       ", " ").contains(words),
            "{model}: {text}"
        );
    }
    let filtered = project.run(&["--model", "openai-chat:stub-filtered", "--case", "look"]);
    filtered.ends(3);
    assert_eq!(filtered.first("look")["outcome"], "invalid");
}

#[test]
fn what_a_model_makes_up_and_mends_is_told_as_its_own_fault() {
    fn clumsy(asked: &Asked) -> Spoken {
        match (asked.prompt.split(' ').next(), asked.results.len()) {
            (Some("What"), 0) => Spoken::call("get_invoice", "{\"id\": INV-1004"),
            (Some("What"), 1) => Spoken::call("get_invoice", "{\"id\": \"INV-1004\"}"),
            (Some("Thanks,"), 0) => Spoken::call("say_goodbye", "{}"),
            _ => Spoken::text("Done."),
        }
    }
    let project = Project::new("clumsy", GOLDEN, Provider::answering(clumsy));
    let ran = project.run(&[
        "--model",
        "openai:stub",
        "--case",
        "look",
        "--case",
        "thanks",
    ]);
    ran.ends(1);
    for (case, what) in [("look", "bad-arguments"), ("thanks", "unknown-tool")] {
        let run = ran.first(case);
        assert_eq!(run["fault"]["what"], what, "{run}");
        assert_eq!(
            (&run["fault"]["who"], &run["outcome"]),
            (&json!("model"), &json!("failed"))
        );
        assert_eq!(
            run["calls"][0]["resultFrom"], "harness",
            "never sent to the server: {run}"
        );
    }
    assert_eq!(
        ran.first("look")["calls"][0]["arguments"],
        "{\"id\": INV-1004"
    );
}

/// Says what would do harm in a terminal, in a workflow's log and in Markdown.
fn hostile(asked: &Asked) -> Spoken {
    let poison = "\u{1b}[2J\u{1b}]0;owned\u{7}\r::error::owned\n::set-env name=A::b\n##[error]owned\n\
                  <img src=x onerror=alert(1)> @everyone fixes #1 ```\n# owned\n<!-- </details> \u{202e}evil \u{85}::warning::x \u{2028}::error::y";
    if asked.results.is_empty() {
        let arguments = json!({"id": poison, "\u{1b}[31m::error::key": poison}).to_string();
        return Spoken::call("get_invoice", &arguments)
            .and_call("::error::\u{1b}[31mtool\r\n::error::z", "{}");
    }
    Spoken::text(poison).ending(Ending::Done)
}

#[test]
fn hostile_answers_are_inert_in_every_format() {
    let (project, ran) = run("hostile", hostile, &["--runs", "2"]);
    ran.ends(1);
    for name in ["report.txt", "report.md", "report.xml", "report.github"] {
        let text = project.report(name);
        for character in text.chars() {
            let is_odd = character.is_control() && character != '\n';
            assert!(
                !is_odd && !"\u{202e}\u{2028}\u{85}".contains(character),
                "{name} has {character:?}"
            );
        }
        for line in text.lines() {
            let ours = name == "report.github";
            assert!(ours || !line.starts_with("::"), "{name}: {line}");
            assert!(!line.starts_with("##["), "{name}: {line}");
            assert!(
                !line.trim_start().starts_with("::set-env"),
                "{name}: {line}"
            );
            // In Markdown it stands in a span of code, behind more backticks than it has itself.
            let is_code = line
                .split("<img")
                .next()
                .is_some_and(|before| before.contains("````"));
            assert!(
                name != "report.md" || !line.contains("<img") || is_code,
                "{name}: {line}"
            );
        }
    }
    let github = project.report("report.github");
    for line in github.lines().filter(|line| line.starts_with("::")) {
        let known = [
            "::error ",
            "::warning ",
            "::notice ",
            "::group::",
            "::endgroup::",
            "::stop-commands::",
        ];
        let is_ours = known.iter().any(|start| line.starts_with(start))
            || line.trim_end_matches(':').len() > 20;
        assert!(is_ours, "{line}");
        assert!(
            !line.starts_with("::error::") && !line.starts_with("::warning::"),
            "{line}"
        );
    }
}
