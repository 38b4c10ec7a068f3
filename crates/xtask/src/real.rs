//! Servers built on SDKs that others wrote: installed, started, checked, and compared with what is written
//! down for each in `tests/servers/expected.json`. Each is also checked by the committed WASM core, whose
//! report must be the same but for times.

use crate::run::{command, root, status};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

#[derive(Debug, Deserialize)]
struct Manifest {
    servers: Vec<Server>,
}

/// One server of the manifest.
#[derive(Debug, Deserialize)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// The SDK it is built on.
    pub sdk: String,
    /// The SDK's version.
    pub version: String,
    /// How it is started over HTTP.
    pub http: Option<Vec<String>>,
    stdio: Option<Vec<String>>,
}

/// What is written down for one server on one transport.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// The verdict.
    pub verdict: String,
    /// The era.
    pub era: String,
    /// Every check that does not hold, with its outcome.
    pub found: BTreeMap<String, String>,
}

/// Where the servers' sources and what is written down about them are.
pub fn folder() -> PathBuf {
    root().join("tests/servers")
}

/// Where `install.py` installs them.
pub fn installed() -> PathBuf {
    root().join("target/real-servers")
}

/// The program under test.
pub fn program() -> PathBuf {
    root()
        .join("target/debug")
        .join(format!("mcp-verdict{}", std::env::consts::EXE_SUFFIX))
}

/// Reads the manifest.
pub fn servers() -> Result<Vec<Server>> {
    let text = std::fs::read_to_string(folder().join("servers.json"))?;
    Ok(serde_json::from_str::<Manifest>(&text)
        .context("tests/servers/servers.json")?
        .servers)
}

/// Reads what is written down.
pub fn expected() -> Result<BTreeMap<String, Expected>> {
    let text = std::fs::read_to_string(folder().join("expected.json"))?;
    serde_json::from_str(&text).context("tests/servers/expected.json")
}

/// Installs and checks all of them.
pub fn run() -> Result<()> {
    compare(false)
}

/// Installs and checks all of them; with `bless` what they come to is written down.
pub fn compare(bless: bool) -> Result<()> {
    let into = installed().to_string_lossy().into_owned();
    status(command("python3").args(["tests/servers/install.py", "--into", &into]))?;
    let mut all = if bless { BTreeMap::new() } else { expected()? };
    let (mut passed, mut failed) = (0, 0);
    for server in servers()? {
        for (transport, argv) in [("http", &server.http), ("stdio", &server.stdio)] {
            let Some(argv) = argv else { continue };
            let key = format!("{}/{transport}", server.name);
            let problems = match check(argv, transport) {
                Ok((came_to, parity)) => {
                    let mut problems = parity;
                    if bless {
                        all.insert(key.clone(), came_to);
                    } else {
                        problems.extend(differences(all.get(&key), &came_to));
                    }
                    problems
                }
                Err(error) => vec![format!("{error:#}")],
            };
            if problems.is_empty() {
                passed += 1;
                println!("ok      {key}");
            } else {
                failed += 1;
                println!("FAILED  {key}\n        {}", problems.join("\n        "));
            }
        }
    }
    if bless {
        std::fs::write(
            folder().join("expected.json"),
            serde_json::to_string_pretty(&all)? + "\n",
        )?;
    }
    println!("{passed} servers as written down, {failed} not");
    if failed > 0 {
        bail!("{failed} servers did not come to what tests/servers/expected.json says");
    }
    Ok(())
}

fn differences(expected: Option<&Expected>, came_to: &Expected) -> Vec<String> {
    let Some(expected) = expected else {
        return vec!["nothing is written down for it".to_owned()];
    };
    let mut out = Vec::new();
    if (&expected.verdict, &expected.era) != (&came_to.verdict, &came_to.era) {
        out.push(format!(
            "verdict {} ({}), expected {} ({})",
            came_to.verdict, came_to.era, expected.verdict, expected.era
        ));
    }
    for (id, outcome) in &came_to.found {
        match expected.found.get(id) {
            Some(due) if due == outcome => {}
            Some(due) => out.push(format!("{id}: {outcome}, expected {due}")),
            None => out.push(format!("{id}: {outcome}, not expected")),
        }
    }
    for id in expected
        .found
        .keys()
        .filter(|id| !came_to.found.contains_key(*id))
    {
        out.push(format!("{id}: holds, though it should not"));
    }
    out
}

/// Checks one server natively and in WASM; what it came to, and where the two reports differ.
fn check(argv: &[String], transport: &str) -> Result<(Expected, Vec<String>)> {
    let words: Vec<String> = argv.iter().map(|word| expand(word)).collect();
    let mut running = None;
    let target: Vec<String> = if transport == "http" {
        let (child, url) = start(&words)?;
        running = Some(child);
        vec!["--url".to_owned(), url]
    } else {
        std::iter::once("--".to_owned()).chain(words).collect()
    };
    let native = report(
        Command::new(program()).args(["check", "--format", "json"]),
        &target,
    );
    let wasm = report(
        command("node").current_dir(folder()).args([
            root().join("dist/check.mjs").to_string_lossy().as_ref(),
            "--format",
            "json",
        ]),
        &target,
    );
    if let Some(mut child) = running {
        stop(&mut child);
    }
    let (native, wasm) = (native?, wasm?);
    let mut parity = Vec::new();
    if without_times(&native) != without_times(&wasm) {
        parity.push(format!(
            "the WASM report differs: {}",
            first_difference(&native, &wasm)
        ));
    }
    let found = native["layers"]["conformance"]["checks"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|check| matches!(check["outcome"].as_str(), Some("fail" | "warn" | "error")))
        .map(|check| (text(&check["id"]), text(&check["outcome"])))
        .collect();
    let came_to = Expected {
        verdict: text(&native["verdict"]),
        era: text(&native["target"]["era"]),
        found,
    };
    Ok((came_to, parity))
}

/// `docs/servers.md`: what each server comes to, and the command that shows it.
pub fn table() -> Result<String> {
    use std::fmt::Write as _;
    let expected = expected()?;
    let mut out = "# Real servers\n\nWritten by `cargo xtask codegen` from `tests/servers/expected.json`, which `cargo xtask test` holds against\nthe servers themselves, natively and in WASM. The servers are small, complete and built on SDKs that others\nwrote; `python3 tests/servers/install.py --into target/real-servers` installs them. What stands behind each\nline, with the sentence of the specification that is broken, is in\n[OBSERVED.md](../tests/servers/OBSERVED.md).\n\nRun the commands in `tests/servers`. An HTTP server says where it listens; give that URL to\n`mcp-verdict check --url URL`.\n\n| server | SDK | transport | era | verdict | broken (fail) | warnings | command |\n|---|---|---|---|---|---|---|---|\n".to_owned();
    for server in servers()? {
        for (transport, argv) in [("http", &server.http), ("stdio", &server.stdio)] {
            let Some(argv) = argv else { continue };
            let Some(entry) = expected.get(&format!("{}/{transport}", server.name)) else {
                continue;
            };
            let ids = |outcome: &str| {
                let ids: Vec<String> = entry
                    .found
                    .iter()
                    .filter(|(_, found)| *found == outcome)
                    .map(|(id, _)| format!("`{id}`"))
                    .collect();
                if ids.is_empty() {
                    "none".to_owned()
                } else {
                    ids.join(", ")
                }
            };
            let words: Vec<String> = argv
                .iter()
                .map(|word| {
                    word.replace('{', "../../target/real-servers/")
                        .replace('}', "")
                })
                .collect();
            let command = match transport {
                "http" => words.join(" "),
                _ => format!("mcp-verdict check -- {}", words.join(" ")),
            };
            writeln!(
                out,
                "| {} | {} {} | {transport} | {} | {} | {} | {} | `{command}` |",
                server.name,
                server.sdk,
                server.version,
                entry.era,
                entry.verdict,
                ids("fail"),
                ids("warn")
            )?;
        }
    }
    Ok(out)
}

/// A string; empty for anything else.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Puts the folder of an install group, or the program under test, in the place of its name in braces.
pub fn expand(word: &str) -> String {
    match word.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        Some(("program", "")) => program().display().to_string(),
        Some((group, rest)) => format!("{}{rest}", installed().join(group).display()),
        None => word.to_owned(),
    }
}

fn report(command: &mut Command, target: &[String]) -> Result<Value> {
    let output = command.current_dir(folder()).args(target).output()?;
    serde_json::from_slice(&output.stdout).with_context(|| {
        format!(
            "no report ({}): {}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        )
    })
}

/// Times, and ids that a server draws at random, may differ between two runs; nothing else may.
fn without_times(report: &Value) -> Value {
    let mut report: Value = serde_json::from_str(&without_random(&report.to_string()))
        .unwrap_or_else(|_| report.clone());
    if let Some(layer) = report["layers"]["conformance"].as_object_mut() {
        layer.insert("durationMs".to_owned(), Value::from(0));
    }
    for check in report["layers"]["conformance"]["checks"]
        .as_array_mut()
        .into_iter()
        .flatten()
    {
        if check["id"] == "stdio.discover-latency" {
            *check = Value::Null;
        }
    }
    report
}

/// Takes out every run of 32 or more hexadecimal digits and hyphens: session ids and the like.
fn without_random(text: &str) -> String {
    let is_part = |letter: char| letter.is_ascii_hexdigit() || letter == '-';
    let mut out = String::with_capacity(text.len());
    let mut run = String::new();
    for letter in text.chars().chain(['\0']) {
        if is_part(letter) {
            run.push(letter);
        } else {
            out.push_str(if run.len() >= 32 { "…" } else { &run });
            run.clear();
            out.push(letter);
        }
    }
    out.pop();
    out
}

fn first_difference(one: &Value, other: &Value) -> String {
    let checks = |report: &Value| without_times(report)["layers"]["conformance"]["checks"].clone();
    let (one, other) = (checks(one), checks(other));
    let pairs = one
        .as_array()
        .into_iter()
        .flatten()
        .zip(other.as_array().into_iter().flatten());
    for (one, other) in pairs {
        if one != other {
            return format!(
                "{} against {}",
                cut(&one.to_string()),
                cut(&other.to_string())
            );
        }
    }
    "not in a check".to_owned()
}

fn cut(text: &str) -> String {
    text.chars().take(1_200).collect()
}

/// Starts an HTTP server and waits for its line `listening on URL`.
pub fn start(words: &[String]) -> Result<(Child, String)> {
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .current_dir(folder())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("starting {}", words[0]))?;
    let (lines, said) = std::sync::mpsc::channel();
    let streams: [Option<Box<dyn std::io::Read + Send>>; 2] = [
        child.stdout.take().map(|stream| Box::new(stream) as _),
        child.stderr.take().map(|stream| Box::new(stream) as _),
    ];
    for stream in streams.into_iter().flatten() {
        let lines = lines.clone();
        // Reads to the end, so that a talkative server is never blocked.
        std::thread::spawn(move || {
            for line in BufReader::new(stream)
                .lines()
                .map_while(std::result::Result::ok)
            {
                let _ = lines.send(line);
            }
        });
    }
    drop(lines);
    let mut heard = Vec::new();
    while let Ok(line) = said.recv_timeout(std::time::Duration::from_secs(60)) {
        if let Some(at) = line.find("listening on http") {
            return Ok((child, line[at + "listening on ".len()..].trim().to_owned()));
        }
        heard.push(line);
    }
    stop(&mut child);
    bail!("it never said where it listens: {}", heard.join(" | "))
}

/// Ends a server that was started here.
pub fn stop(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}
