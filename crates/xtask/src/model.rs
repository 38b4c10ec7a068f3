//! The golden set through a model that is served somewhere: three wires, little asserted, since models differ.

use crate::real::program;
use crate::run::{cargo, command, root};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

/// How many cases of the golden set are run.
const CASES: usize = 6;

/// The built-in server, ended when it goes out of scope.
struct Demo(Child);

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the first cases through the model at `url` on Chat Completions, Responses and Messages.
pub fn run(url: &str) -> Result<()> {
    cargo(&["build", "--quiet", "--package", "mcp-verdict", "--locked"])?;
    let url = url.trim_end_matches('/').trim_end_matches("/v1");
    let mut server = command(&program().to_string_lossy());
    let mut demo = Demo(
        server
            .args(["demo", "--serve"])
            .stdout(Stdio::piped())
            .spawn()?,
    );
    let mut line = String::new();
    let said = demo.0.stdout.take().context("no output")?;
    BufReader::new(said).read_line(&mut line)?;
    let target = line.trim().trim_start_matches("listening on ");
    for (id, variable) in [
        (format!("openai-compatible:model@{url}/v1"), None),
        (
            "openai:model".to_owned(),
            Some(("OPENAI_BASE_URL", format!("{url}/v1"))),
        ),
        (
            "anthropic:model".to_owned(),
            Some(("ANTHROPIC_BASE_URL", url.to_owned())),
        ),
    ] {
        one(&id, variable, target)?;
    }
    Ok(())
}

fn one(id: &str, variable: Option<(&str, String)>, target: &str) -> Result<()> {
    let folder = root().join("target/real-model");
    std::fs::create_dir_all(&folder)?;
    let report = folder.join("report.json");
    // Small models call on and on, and what they miss is asked again: an end soon.
    let config = folder.join("mcp-verdict.yaml");
    std::fs::write(&config, "max-turns: 2\n")?;
    let golden = std::fs::read_to_string(root().join("golden/tasks.yaml"))?;
    let ids = golden
        .lines()
        .filter_map(|line| line.strip_prefix("- id: "));
    let mut run = command(&program().to_string_lossy());
    run.args([
        "run",
        "--layers",
        "1",
        "--runs",
        "1",
        "--no-cache",
        "--concurrency",
        "1",
    ]);
    run.args([
        "--url", target, "--model", id, "--format", "text", "--format", "json", "--out",
    ]);
    run.arg(&report).arg("--cache").arg(folder.join("cache"));
    run.arg("--config").arg(&config);
    for case in ids.take(CASES) {
        run.args(["--case", case.trim()]);
    }
    if let Some((name, value)) = variable {
        run.env(name, value);
    }
    let _ = std::fs::remove_file(&report);
    let output = run.output().context("running mcp-verdict")?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !matches!(output.status.code(), Some(0 | 1)) {
        bail!(
            "{id}: {}\n{text}{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let report: Value = serde_json::from_slice(&std::fs::read(&report)?)?;
    let model = &report["layers"]["behavior"]["models"][0];
    let cases = model["cases"].as_array().context("no cases")?;
    ensure!(cases.len() == CASES, "{id}: {} cases", cases.len());
    let runs = || {
        cases
            .iter()
            .filter_map(|case| case["runs"].as_array())
            .flatten()
    };
    let valid = runs().filter(|run| run["outcome"] != "invalid").count();
    ensure!(
        valid >= CASES,
        "{id}: only {valid} valid runs: {}",
        report["summary"]
    );
    let tokens = &model["tokens"];
    ensure!(
        tokens["input"].as_u64() > Some(0) && tokens["output"].as_u64() > Some(0),
        "{id}: no tokens were counted: {tokens}"
    );
    ensure!(
        text.contains("selection") && text.contains(id),
        "{id}: the report does not read well:\n{text}"
    );
    let selection = &model["metrics"]["selection"];
    println!(
        "{id}: {valid} valid runs, selection {} of {}, {} tokens in and {} out",
        selection["count"], selection["of"], tokens["input"], tokens["output"]
    );
    Ok(())
}
