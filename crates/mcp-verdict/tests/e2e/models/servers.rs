//! Where results of tools come from: the server, asked live, with its questions answered.

use super::project::Project;
use super::provider::Provider;
use serde_json::json;
use verdict_fixture::provider::{Asked, Spoken};

const GOLDEN: &str = r#"
- id: look
  prompt: 'get_invoice {"id":"INV-1004"}'
  expect_tool: get_invoice
  expect_args: { id: INV-1004 }
- id: send
  prompt: 'email_invoice {"id":"INV-1004","to":"ap@acme.example"}'
  expect_tool: email_invoice
  expect_args: { id: INV-1004, to: ap@acme.example }
  execute: live
  answers: { send: true }
"#;

fn last_result(asked: &Asked) -> Spoken {
    match asked.results.last() {
        Some(result) => Spoken::text(result),
        None => {
            let (tool, arguments) = asked.prompt.split_once(' ').unwrap_or_default();
            Spoken::call(tool, arguments)
        }
    }
}

#[test]
fn a_tool_is_called_only_where_that_is_allowed() {
    let project = Project::new("live", GOLDEN, Provider::answering(last_result));
    let made_up = project.run(&["--model", "anthropic:stub", "--case", "look"]);
    made_up.ends(0);
    assert_eq!(made_up.first("look")["calls"][0]["resultFrom"], "synthetic");
    project.write("mcp-verdict.yaml", "tools: { safe: [get_invoice] }\n");
    let live = project.run(&["--model", "anthropic:stub", "--no-cache"]);
    live.ends(0);
    let look = live.first("look");
    assert_eq!(look["calls"][0]["resultFrom"], "live");
    assert!(
        look["answer"]
            .as_str()
            .is_some_and(|said| said.contains("48548")),
        "{look}"
    );
}

#[test]
fn what_the_server_asks_back_is_answered_from_the_case() {
    let project = Project::new("mrtr", GOLDEN, Provider::answering(last_result));
    let sent = project.run(&["--model", "anthropic:stub", "--case", "send"]);
    sent.ends(0);
    let run = sent.first("send");
    assert_eq!(run["calls"][0]["resultFrom"], "live", "{run}");
    assert!(
        run["answer"]
            .as_str()
            .is_some_and(|said| said.contains("Sent INV-1004")),
        "{run}"
    );
    assert_eq!(run["calls"][0].get("isError"), None, "{run}");
    assert!(run["ms"]["server"].is_u64(), "{run}");
    // Without an answer, the server's question cannot be met, and the model is not blamed for it.
    project.write(
        "golden/tasks.yaml",
        &GOLDEN.replace("  answers: { send: true }\n", ""),
    );
    let open = project.run(&["--model", "anthropic:stub", "--case", "send"]);
    assert_ne!(
        open.first("send")["outcome"],
        json!("failed"),
        "{}",
        open.report
    );
}

#[test]
fn a_server_that_is_gone_is_no_verdict() {
    let project = Project::new("gone", GOLDEN, Provider::start());
    let mut command = project.command();
    command.args([
        "run",
        "--layers",
        "1",
        "--model",
        "anthropic:stub",
        "--url",
        "http://127.0.0.1:9/mcp",
    ]);
    let ran = project.ran(&command.output().expect("it runs"));
    ran.ends(3);
    assert_eq!(project.provider.requests(), 0);
}
