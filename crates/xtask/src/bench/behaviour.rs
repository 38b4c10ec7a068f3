//! Layer 1: what the runner adds to the waiting for a model, and how fast runs are scored.

use super::measure::{Usage, middle};
use super::{Line, crowd};
use crate::run::{cargo_program, command, output, root};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// Milliseconds that the stub model takes for an answer.
const LATENCY: u64 = 200;
/// Cases, each with one call of a tool: two calls of the model a run.
const CASES: u64 = 15;
const RUNS: u64 = 5;
const CONCURRENCY: u64 = 16;
/// How often all of it is done.
const TIMES: usize = 5;

/// 150 calls at concurrency 16 against the ideal, with the peak of memory; then the scorer alone.
pub fn run(program: &str, lines: &mut Vec<Line>) -> Result<()> {
    let folder = root().join("target/bench-behaviour");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    std::fs::write(path("tasks.yaml"), golden())?;
    let server = crowd::Server::start(8)?;
    let words = [
        program.to_owned(),
        "run".to_owned(),
        "-q".to_owned(),
        "--layers=1".to_owned(),
        "--no-cache".to_owned(),
        format!("--url={}", server.url),
        format!("--golden={}", path("tasks.yaml")),
        format!("--cache={}", path("cache")),
        format!("--model=openai-compatible:stub@{}", model()?),
        format!("--runs={RUNS}"),
        format!("--concurrency={CONCURRENCY}"),
        "--format=json".to_owned(),
        format!("--out={}", path("report.json")),
    ];
    let (mut layer, mut wall, mut peak) = (Vec::new(), Vec::new(), 0.0_f64);
    for _ in 0..TIMES {
        let usage = Usage::of(&words)?;
        let report: Value = serde_json::from_slice(&std::fs::read(path("report.json"))?)?;
        ensure!(
            report["verdict"] == "pass",
            "the stub model should pass: {}",
            report["summary"]
        );
        let behavior = &report["layers"]["behavior"];
        let calls = 2 * CASES * RUNS;
        ensure!(
            behavior["models"][0]["calls"] == calls,
            "{calls} calls were meant"
        );
        layer.push(behavior["durationMs"].as_f64().context("no duration")?);
        wall.push(usage.wall_ms);
        peak = peak.max(usage.peak_mib);
    }
    let rounds = (2 * CASES * RUNS).div_ceil(CONCURRENCY);
    let ideal = f64::from(u32::try_from(rounds * LATENCY)?);
    lines.push(Line::ratio(
        "150 calls of 200 ms, 16 at a time, against the ideal (limit 1.05)",
        middle(&mut layer),
        ideal,
        "ms",
    ));
    lines.push(Line::ratio(
        "the same with start, list of tools and report",
        middle(&mut wall),
        ideal,
        "ms",
    ));
    lines.push(Line::value(
        "its memory",
        format!("peak {peak:.1} MiB"),
        "limit 64 MiB",
    ));
    scoring(lines)
}

/// The scorer's own example: 10,000 cases, five runs each.
fn scoring(lines: &mut Vec<Line>) -> Result<()> {
    let example = [
        "run",
        "--quiet",
        "--release",
        "--locked",
        "--package=verdict-eval",
        "--example=score_speed",
    ];
    let text = output(command(&cargo_program()).args(example))?;
    for line in text.lines() {
        let (what, rest) = line
            .split_once(": ")
            .context("an odd line of score_speed")?;
        let took = rest
            .split(" in ")
            .nth(1)
            .context("no time in score_speed")?;
        let took = took.split(',').next().unwrap_or_default();
        lines.push(Line::value(
            &format!("10,000 cases x 5 runs scored, {what}"),
            took.to_owned(),
            "limit 2000 ms",
        ));
    }
    Ok(())
}

fn golden() -> String {
    (0..CASES).fold(String::new(), |mut out, case| {
        let _ = writeln!(
            out,
            "- {{ id: case-{case}, prompt: \"What became of ABC-{case}?\", expect_tool: look_up_00000, expect_args: {{ number: ABC-1 }} }}"
        );
        out
    })
}

/// A model on Chat Completions that calls a tool, and is done when it has the result; its base URL.
fn model() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let base = format!("http://{}/v1", listener.local_addr()?);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve(stream));
        }
    });
    Ok(base)
}

fn serve(stream: TcpStream) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut writer = stream;
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let asked: Value = serde_json::from_slice(&body).ok()?;
        let has_result = asked["messages"]
            .as_array()
            .is_some_and(|turns| turns.iter().any(|turn| turn["role"] == "tool"));
        std::thread::sleep(Duration::from_millis(LATENCY));
        let answer = answer(has_result).to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            answer.len()
        );
        writer
            .write_all(&[head.as_bytes(), answer.as_bytes()].concat())
            .ok()?;
    }
}

fn answer(has_result: bool) -> Value {
    let message = if has_result {
        json!({"role": "assistant", "content": "Done."})
    } else {
        json!({"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function",
            "function": {"name": "look_up_00000", "arguments": "{\"number\":\"ABC-1\"}"}}]})
    };
    let reason = if has_result { "stop" } else { "tool_calls" };
    json!({"id": "x", "object": "chat.completion", "model": "stub",
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}})
}
