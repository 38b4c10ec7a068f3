//! `cargo xtask bench`: ratios, side by side, in one run.
//!
//! Machines differ and are noisy, so nothing here is a pass or a fail: each line is two measurements of the
//! same moment, set against each other.

mod action;
mod behaviour;
mod crowd;
pub mod gate;
mod measure;
#[cfg(feature = "simulate")]
mod nights;
mod proxy;
mod replay;
mod scan;

use crate::run::{cargo, command, output, root, status};
use anyhow::{Context, Result};
use measure::{Usage, median};
use serde::Serialize;
use std::path::PathBuf;

/// What `bench` can be told.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Which bench to run; all without it
    which: Option<Which>,
    /// Also write the ratios as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure this program in place of a fresh release build; `proxy` only
    #[arg(long, value_name = "FILE")]
    program: Option<String>,
    /// Nights of every row of `gate`
    #[arg(long, value_name = "N", default_value_t = gate::REPETITIONS)]
    repetitions: u32,
}

/// The benches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Which {
    /// A full check against a replay of the same requests, and against the official suite
    Check,
    /// Work over 10 to 10,000 tools, native and in WASM
    Growth,
    /// The Action's own share of a step, and the size of what it ships
    Action,
    /// Golden cases through a stub model: time against the ideal, memory, and how fast runs are scored
    Behaviour,
    /// The proxy, idle: what it adds to an answer, and a thousand streams
    Proxy,
    /// Sizes and cold starts
    Size,
    /// A scan of a million lines against reading them
    Scan,
    /// The gate in made-up nights, beside its design and beside the plain rule
    Gate,
}

/// One line of the table.
#[derive(Debug, Serialize)]
struct Line {
    what: String,
    measured: String,
    against: String,
    ratio: Option<f64>,
}

impl Line {
    fn ratio(what: &str, measured: f64, against: f64, unit: &str) -> Self {
        Self {
            what: what.to_owned(),
            measured: format!("{measured:.1} {unit}"),
            against: format!("{against:.1} {unit}"),
            ratio: Some(measured / against),
        }
    }

    fn value(what: &str, measured: String, limit: &str) -> Self {
        Self {
            what: what.to_owned(),
            measured,
            against: limit.to_owned(),
            ratio: None,
        }
    }
}

/// Runs the benches and prints the table.
pub fn run(options: &Options) -> Result<()> {
    let wanted = |which| options.which.is_none_or(|one| one == which);
    if options.which != Some(Which::Gate) && options.program.is_none() {
        cargo(&[
            "build",
            "--quiet",
            "--release",
            "--package",
            "mcp-verdict",
            "--locked",
        ])?;
    }
    let mut lines = Vec::new();
    if wanted(Which::Size) {
        sizes(&mut lines)?;
    }
    if wanted(Which::Action) {
        action(&mut lines)?;
    }
    if wanted(Which::Check) {
        check(&mut lines)?;
    }
    if wanted(Which::Growth) {
        growth(&mut lines)?;
    }
    if wanted(Which::Behaviour) {
        behaviour::run(&program(), &mut lines)?;
    }
    if wanted(Which::Proxy) {
        let named = options.program.clone();
        proxy::run(&named.unwrap_or_else(program), &mut lines)?;
    }
    if wanted(Which::Scan) {
        scan(&mut lines)?;
    }
    if wanted(Which::Gate) {
        gate::run(options.repetitions, &mut lines)?;
    }
    let width = lines.iter().map(|line| line.what.len()).max().unwrap_or(0);
    println!(
        "{:width$}  {:>14}  {:>22}  ratio",
        "", "measured", "against"
    );
    for line in &lines {
        let ratio = line
            .ratio
            .map_or(String::new(), |ratio| format!("{ratio:.2}"));
        println!(
            "{:width$}  {:>14}  {:>22}  {ratio}",
            line.what, line.measured, line.against
        );
    }
    if let Some(path) = &options.json {
        std::fs::write(path, serde_json::to_string_pretty(&lines)? + "\n")?;
    }
    Ok(())
}

fn program() -> String {
    let name = format!("mcp-verdict{}", std::env::consts::EXE_SUFFIX);
    root()
        .join("target/release")
        .join(name)
        .to_string_lossy()
        .into_owned()
}

fn script(name: &str) -> String {
    root()
        .join("dist")
        .join(name)
        .to_string_lossy()
        .into_owned()
}

#[expect(clippy::cast_precision_loss, reason = "sizes of files")]
fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn sizes(lines: &mut Vec<Line>) -> Result<()> {
    let bytes = |path: String| {
        std::fs::metadata(&path)
            .map(|file| file.len())
            .with_context(|| path.clone())
    };
    let mib = |bytes: u64| format!("{:.2} MiB", mebibytes(bytes));
    lines.push(Line::value(
        "release binary",
        mib(bytes(program())?),
        "limit 12 MiB",
    ));
    let module = script("core_bg.wasm");
    lines.push(Line::value(
        "core_bg.wasm",
        mib(bytes(module.clone())?),
        "limit 3 MiB",
    ));
    let zipped = crate::dist::gzipped(module.as_ref())?;
    lines.push(Line::value(
        "core_bg.wasm, gzip -9",
        mib(zipped),
        "limit 1 MiB",
    ));
    let help = median(15, || Usage::of(&[program(), "--help".to_owned()]))?;
    lines.push(Line::value(
        "mcp-verdict --help, CPU",
        format!("{:.1} ms", help.cpu_ms),
        "limit 20 ms",
    ));
    let first = median(7, || {
        let (server, words) = replay::silent_server(&["node".to_owned(), script("check.mjs")])?;
        let usage = Usage::of(&words);
        drop(server);
        usage
    })?;
    lines.push(Line::value(
        "Node + WASM to first request, CPU",
        format!("{:.1} ms", first.cpu_ms),
        "limit 250 ms",
    ));
    Ok(())
}

fn action(lines: &mut Vec<Line>) -> Result<()> {
    let (mut before, mut after, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..7 {
        let share = action::run()?;
        before.push(share.before_ms);
        after.push(share.after_ms);
        let nothing = ["node".to_owned(), "-e".to_owned(), "0".to_owned()];
        bare.push(Usage::of(&nothing)?.wall_ms);
    }
    let bare = measure::middle(&mut bare);
    let (before, after) = (measure::middle(&mut before), measure::middle(&mut after));
    lines.push(Line::ratio(
        "Action: start to first request, against bare node",
        before,
        bare,
        "ms",
    ));
    lines.push(Line::ratio(
        "Action: last answer to exit, against bare node",
        after,
        bare,
        "ms",
    ));
    let mut total = 0;
    for entry in std::fs::read_dir(root().join("dist"))? {
        total += entry?.metadata()?.len();
    }
    let shown = format!("{:.2} MiB", mebibytes(total));
    lines.push(Line::value("dist/", shown, "what a checkout fetches"));
    Ok(())
}

fn check(lines: &mut Vec<Line>) -> Result<()> {
    let brief_config = root().join("target/bench-brief.yaml");
    std::fs::write(&brief_config, "checks: { subscribe.stays-open: off }\n")?;
    let brief_config = brief_config.to_string_lossy().into_owned();
    for (name, server) in replay::servers()? {
        let words = |more: &[&str]| -> Vec<String> {
            let always = ["check", "-q", "--url", &server.url];
            let words = always.iter().chain(more).map(ToString::to_string);
            std::iter::once(program()).chain(words).collect()
        };
        let full = against_replay(&words(&[]), &server.url)?;
        lines.push(Line::ratio(
            &format!("check against bare replay: {name}"),
            full.0,
            full.1,
            "ms",
        ));
        let brief = against_replay(&words(&["--config", &brief_config]), &server.url)?;
        lines.push(Line::ratio(
            &format!("the same without the 5 s hold: {name}"),
            brief.0,
            brief.1,
            "ms",
        ));
        if name.starts_with("ts") {
            lines.push(Line::ratio(
                &format!("without the 5 s hold, against the official suite: {name}"),
                brief.0,
                official_ms(&server.url)?,
                "ms",
            ));
        }
    }
    Ok(())
}

/// Milliseconds of a check, and of its requests and waits alone; medians, taken in turns so that both meet the
/// same noise.
fn against_replay(words: &[String], url: &str) -> Result<(f64, f64)> {
    let transcript = root().join("target/bench-transcript.json");
    let transcript = transcript.to_string_lossy().into_owned();
    let mut recorded = words.to_vec();
    recorded.extend(["--transcript".to_owned(), transcript.clone()]);
    Usage::of(&recorded)?;
    let plan = replay::Plan::read(&transcript, url)?;
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        ours.push(Usage::of(words)?.wall_ms);
        bare.push(plan.run()?);
    }
    Ok((measure::middle(&mut ours), measure::middle(&mut bare)))
}

/// Milliseconds of the official suite on a server.
fn official_ms(url: &str) -> Result<f64> {
    let into = root().join("target/real-servers");
    let into = into.to_string_lossy().into_owned();
    let install = [
        "tests/servers/install.py",
        "--into",
        &into,
        "--only",
        "official",
    ];
    status(command("python3").args(install))?;
    let suite = ["tests/servers/official.py", "--url", url, "--into", &into];
    let text = output(command("python3").args(suite))?;
    let report: serde_json::Value = serde_json::from_str(&text)?;
    let seconds = report["wallSeconds"]
        .as_f64()
        .or(report["wall_seconds"].as_f64());
    Ok(seconds.context("official.py names no time")? * 1000.0)
}

fn scan(lines: &mut Vec<Line>) -> Result<()> {
    let (folder, bytes) = scan::tree()?;
    let words = [
        program(),
        "scan".to_owned(),
        "-q".to_owned(),
        folder.to_string_lossy().into_owned(),
    ];
    let mut count = 0;
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..7 {
        ours.push(Usage::of(&words)?.wall_ms);
        let began = std::time::Instant::now();
        count = scan::read_all(&folder)?;
        bare.push(began.elapsed().as_secs_f64() * 1e3);
    }
    let shown = format!("{:.1} MiB", mebibytes(bytes as u64));
    lines.push(Line::value(
        &format!("{count} lines to scan"),
        shown,
        "in 4,000 files",
    ));
    lines.push(Line::ratio(
        "scan on all cores, against reading on one",
        measure::middle(&mut ours),
        measure::middle(&mut bare),
        "ms",
    ));
    Ok(())
}

fn growth(lines: &mut Vec<Line>) -> Result<()> {
    let mut before: Option<[f64; 2]> = None;
    for count in [10_u32, 100, 1_000, 5_000, 10_000] {
        let server = crowd::Server::start(count)?;
        let native = median(3, || {
            Usage::of(&[
                program(),
                "check".into(),
                "-q".into(),
                "--url".into(),
                server.url.clone(),
            ])
        })?;
        let wasm = median(3, || {
            Usage::of(&[
                "node".into(),
                script("check.mjs"),
                "--url".into(),
                server.url.clone(),
            ])
        })?;
        lines.push(Line::value(
            &format!("{count} tools, native"),
            format!("{:.0} ms CPU", native.cpu_ms),
            &format!("peak {:.1} MiB", native.peak_mib),
        ));
        lines.push(Line::value(
            &format!("{count} tools, WASM"),
            format!("{:.0} ms CPU", wasm.cpu_ms),
            &format!("peak {:.1} MiB", wasm.peak_mib),
        ));
        if let (Some([native_before, wasm_before]), 10_000) = (before, count) {
            lines.push(Line::ratio(
                "native, 10,000 against 1,000 tools",
                native.cpu_ms,
                native_before,
                "ms CPU",
            ));
            lines.push(Line::ratio(
                "WASM, 10,000 against 1,000 tools",
                wasm.cpu_ms,
                wasm_before,
                "ms CPU",
            ));
        }
        if count == 1_000 {
            before = Some([native.cpu_ms, wasm.cpu_ms]);
        }
    }
    Ok(())
}
