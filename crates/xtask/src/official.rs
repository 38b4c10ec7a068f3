//! The official conformance suite and ours on the same servers: every verdict that differs is written down in
//! `tests/servers/agreement.json`, with the reason, and nothing else may differ.

mod compare;
mod page;

use crate::real;
use crate::run::{command, root, status};
use anyhow::{Context, Result, bail};
use compare::{Found, Row};
pub use page::page;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::Mutex;

/// How many servers are compared at a time: both checkers mostly wait.
const AT_A_TIME: usize = 3;

/// What `tests/servers/agreement.json` holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agreement {
    /// The suite's version.
    suite: String,
    /// Why verdicts may differ, by name.
    reasons: BTreeMap<String, Reason>,
    /// The servers, in the order of the page.
    servers: Vec<Compared>,
}

/// Why the two differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reason {
    /// Whose verdict follows from the text.
    right: Right,
    /// What decides, in our words.
    text: String,
    /// The section that decides, below `specification/2026-07-28/`; absent where no sentence asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spec: Option<String>,
}

/// Whose verdict follows from the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Right {
    /// Ours.
    Ours,
    /// The official one.
    Official,
    /// Each answers another question, or one of them did not ask.
    Both,
}

/// One server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Compared {
    /// Its name, here and, unless `http` is given, in `servers.json`.
    name: String,
    /// What it is.
    about: String,
    /// How it is started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    http: Option<Vec<String>>,
    /// The configuration that our check gets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    config: Option<String>,
    /// The install group that a machine may be unable to have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    on_request: Option<String>,
    /// Official checks that say the same as ours.
    agree: usize,
    /// By reason: official check, and both verdicts.
    differences: BTreeMap<String, BTreeMap<String, String>>,
    /// By reason: official checks of the table that gave no verdict here.
    not_run: BTreeMap<String, BTreeSet<String>>,
}

/// Reads what is written down.
pub fn agreement() -> Result<Agreement> {
    let text = std::fs::read_to_string(file())?;
    serde_json::from_str(&text).context("tests/servers/agreement.json")
}

fn file() -> std::path::PathBuf {
    root().join("tests/servers/agreement.json")
}

/// Compares all servers; with `bless` what differs is written down, the reasons of new lines left open.
pub fn run(bless: bool) -> Result<()> {
    let mut written = agreement()?;
    let available = available(&written)?;
    let rows = table()?;
    let (suite, found) = all(&written, &available, &rows)?;
    if bless {
        written.suite = suite;
        for (name, found) in found {
            compare::bless(&mut written, &name, &found?);
        }
        let text = serde_json::to_string_pretty(&written)? + "\n";
        std::fs::write(file(), text)?;
        println!("tests/servers/agreement.json: written");
        return Ok(());
    }
    let mut failed = compare::loose_ends(&written);
    if suite != written.suite {
        failed.push(format!("the suite is {suite}, not {}", written.suite));
    }
    for (name, found) in found {
        let problems = match found {
            Ok(found) => compare::problems(&written, &name, &found),
            Err(error) => vec![format!("{error:#}")],
        };
        let word = if problems.is_empty() {
            "ok      "
        } else {
            "FAILED  "
        };
        println!("{word}{name} beside the official suite");
        failed.extend(
            problems
                .into_iter()
                .map(|problem| format!("{name}: {problem}")),
        );
    }
    if !failed.is_empty() {
        bail!(
            "the official suite and ours differ otherwise than tests/servers/agreement.json says:\n        {}",
            failed.join("\n        ")
        );
    }
    Ok(())
}

/// Installs everything; the names of the servers that are there.
fn available(written: &Agreement) -> Result<Vec<String>> {
    let into = real::installed().to_string_lossy().into_owned();
    let install = |only: &[&str]| {
        status(
            command("python3")
                .args(["tests/servers/install.py", "--into", &into])
                .args(only),
        )
    };
    install(&[])?;
    let mut names = Vec::new();
    for server in &written.servers {
        let missing = server
            .on_request
            .as_ref()
            .is_some_and(|group| install(&["--only", group]).is_err());
        if missing {
            println!(
                "NOT COMPARED  {}: its source cannot be had on this machine (see above)",
                server.name
            );
        } else {
            names.push(server.name.clone());
        }
    }
    Ok(names)
}

/// The mapping, as `mcp-verdict explain --official` has it.
fn table() -> Result<Vec<Row>> {
    let mut explain = Command::new(real::program());
    let output = explain
        .args(["explain", "--official", "--format", "json"])
        .output()?;
    serde_json::from_slice(&output.stdout).context("reading `explain --official`")
}

type ByServer = Vec<(String, Result<Found>)>;

/// Both checkers on each server, and the suite's version.
fn all(written: &Agreement, available: &[String], rows: &[Row]) -> Result<(String, ByServer)> {
    let started = real::servers()?;
    let queue: Mutex<Vec<&Compared>> = Mutex::new(
        written
            .servers
            .iter()
            .filter(|server| available.contains(&server.name))
            .rev()
            .collect(),
    );
    let done: Mutex<(String, ByServer)> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some(server) = next(&queue) {
                    let argv = server.http.clone().or_else(|| {
                        let known = started.iter().find(|known| known.name == server.name)?;
                        known.http.clone()
                    });
                    let result = argv
                        .with_context(|| format!("servers.json has no {}", server.name))
                        .and_then(|argv| both(server, &argv));
                    let result = result.map(|(suite, official, ours)| {
                        (suite, compare::found(rows, &official, &ours))
                    });
                    if let Ok(mut done) = done.lock() {
                        if let Ok((suite, _)) = &result {
                            done.0.clone_from(suite);
                        }
                        let found = result.map(|(_, found)| found);
                        done.1.push((server.name.clone(), found));
                    }
                }
            });
        }
    });
    let (suite, mut found) = done
        .into_inner()
        .map_err(|_| anyhow::anyhow!("a comparison panicked"))?;
    found.sort_by_key(|(name, _)| available.iter().position(|one| one == name));
    Ok((suite, found))
}

fn next<'a>(queue: &Mutex<Vec<&'a Compared>>) -> Option<&'a Compared> {
    queue.lock().ok()?.pop()
}

/// The suite's version, its statuses and our outcomes; each checker gets a server of its own, since both
/// may change it.
fn both(server: &Compared, argv: &[String]) -> Result<(String, Statuses, Statuses)> {
    let into = real::installed().to_string_lossy().into_owned();
    let official = on(argv, |url| {
        let suite = ["tests/servers/official.py", "--into", &into, "--url", url];
        read(command("python3").args(suite))
    })?;
    let ours = on(argv, |url| {
        let mut check = Command::new(real::program());
        check.current_dir(real::folder());
        check.args(["check", "--format", "json", "--url", url]);
        if let Some(config) = &server.config {
            check.args(["--config", config]);
        }
        read(&mut check)
    })?;
    let statuses = |value: &Value| -> Statuses {
        let all = value.as_object().into_iter().flatten();
        all.map(|(id, status)| (id.clone(), real::text(status)))
            .collect()
    };
    let checks = ours["layers"]["conformance"]["checks"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|check| (real::text(&check["id"]), real::text(&check["outcome"])))
        .collect();
    Ok((
        real::text(&official["suite"]),
        statuses(&official["checks"]),
        checks,
    ))
}

/// Check id to status or outcome.
type Statuses = BTreeMap<String, String>;

fn on(argv: &[String], work: impl FnOnce(&str) -> Result<Value>) -> Result<Value> {
    let words: Vec<String> = argv.iter().map(|word| real::expand(word)).collect();
    let (mut child, url) = real::start(&words)?;
    let result = work(&url);
    real::stop(&mut child);
    result
}

fn read(command: &mut Command) -> Result<Value> {
    let output = command.output()?;
    serde_json::from_slice(&output.stdout).with_context(|| {
        format!(
            "no report ({}): {}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        )
    })
}
