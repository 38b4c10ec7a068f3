//! The files that `init` drafts, as texts.

use super::repository::Repository;
use crate::cli::TargetArgs;
use crate::config::Plan;
use serde_json::Value;
use std::fmt::Write as _;
use verdict_core::settings::Target;
use verdict_eval::golden::draft::draft;
use verdict_eval::tool::Tool;
use verdict_model::config::Words;

/// Tools that are named as candidates.
const CANDIDATES: usize = 12;

/// A file that is to be written.
#[derive(Debug)]
pub(crate) struct Draft {
    /// Where, from the current folder.
    pub(crate) path: &'static str,
    pub(crate) text: String,
}

/// All files; whether they are there already is the caller's to look at.
pub(crate) fn drafts(
    repository: &Repository,
    target: &TargetArgs,
    plan: &Plan,
    tools: &[Tool],
) -> Vec<Draft> {
    let config = &plan.settings.config;
    let mut drafts = vec![
        Draft {
            path: "mcp-verdict.yaml",
            text: configuration(target, plan, tools),
        },
        Draft {
            path: "golden/tasks.yaml",
            text: draft(tools, &config.tools.arguments),
        },
    ];
    if repository.workflow.is_none() {
        drafts.push(Draft {
            path: ".github/workflows/mcp-verdict.yml",
            text: workflow(repository, plan),
        });
    }
    drafts
}

/// A word or text as YAML; JSON's quoted form is one.
fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

fn list(words: &[String]) -> String {
    let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
    format!("[{}]", words.join(", "))
}

fn started(plan: &Plan) -> Option<String> {
    match plan.settings.config.server.start.as_ref()? {
        Words::Line(line) => Some(line.clone()),
        Words::List(words) => Some(words.join(" ")),
    }
}

fn configuration(target: &TargetArgs, plan: &Plan, tools: &[Tool]) -> String {
    let mut out = "# What mcp-verdict knows of this server. Flags of the command line win over it.\n\
        # yaml-language-server: $schema=https://raw.githubusercontent.com/OWNER/mcp-verdict/v1/schema/config-v1.json\nserver:\n"
        .to_owned();
    match &plan.settings.target {
        Target::Http(endpoint) => {
            let _ = writeln!(out, "  url: {}", quoted(&endpoint.url()));
            if let Some(start) = started(plan) {
                let _ = writeln!(out, "  start: {}", quoted(&start));
            }
        }
        Target::Stdio(words) => {
            let _ = writeln!(out, "  command: {}", list(words));
        }
    }
    let named = target
        .header
        .iter()
        .filter_map(|header| header.split_once(':'));
    let named: Vec<_> = named.collect();
    if !named.is_empty() {
        out.push_str("  headers:\n");
        for (name, value) in named {
            // A value that was typed may be a secret; what is read from the environment is none.
            let value = match value.trim() {
                value if value.contains("${") => value,
                _ => "${TODO}",
            };
            let _ = writeln!(out, "    {}: {}", quoted(name.trim()), quoted(value));
        }
    }
    out.push_str("\n# Tools that may be called, with valid and invalid input. No tool is called that does not stand here.\ntools:\n  safe: []");
    let readers = tools
        .iter()
        .filter(|tool| tool.claims_read_only())
        .map(Tool::name);
    let readers: Vec<_> = readers.take(CANDIDATES).map(quoted).collect();
    if readers.is_empty() {
        out.push('\n');
    } else {
        let _ = writeln!(
            out,
            " # TODO: these say that they only read: {}",
            readers.join(", ")
        );
    }
    out.push_str("\ngolden: golden/tasks.yaml\n# models: [\"openai:NAME\"]      # asked each night and behind the label `run-evals`; `lexical` costs nothing\n");
    out
}

fn workflow(repository: &Repository, plan: &Plan) -> String {
    let mut out = "name: mcp-verdict\non:\n  push: { branches: [main] }\n  pull_request:\n  merge_group:\npermissions: { contents: read, checks: write }\n\
        jobs:\n  verdict:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v5\n"
        .to_owned();
    if let Some(setup) = repository.setup {
        let _ = writeln!(out, "      - uses: {setup}");
    }
    match &repository.install {
        Some(install) => {
            let _ = writeln!(out, "      - run: {install}");
        }
        None => out.push_str("      # TODO: install and build the server here\n"),
    }
    // The target stands in mcp-verdict.yaml.
    out.push_str(
        "      - uses: OWNER/mcp-verdict@v1\n        with: { config: mcp-verdict.yaml }\n",
    );
    if let Target::Http(endpoint) = &plan.settings.target
        && started(plan).is_none()
        && endpoint.is_loopback()
    {
        out.push_str("        # TODO: nothing starts the server; add `start: COMMAND` to `server` in mcp-verdict.yaml\n");
    }
    out
}
