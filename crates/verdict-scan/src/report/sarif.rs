//! The scan as SARIF 2.1.0, for code scanning. Only the members we use are here.

use super::{Outcome, ScanReport, worst_first};
use crate::{Match, PATTERNS, Severity};
use serde::Serialize;
use std::collections::BTreeMap;
use verdict_report::{hash, number, path_uri, safe};

/// Most results of a run; GitHub shows no more.
const RESULTS: usize = 5_000;

#[derive(Serialize)]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    automation_details: Named,
    invocations: [Invocation; 1],
    column_kind: &'static str,
    results: Vec<Entry>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
struct Driver {
    name: &'static str,
    version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Message,
    full_description: Message,
    help: Message,
    help_uri: String,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Named {
    id: &'static str,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
    partial_fingerprints: Fingerprints,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Physical,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    uri: String,
    uri_base_id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_column: u32,
    snippet: Message,
}

#[derive(Serialize)]
struct Fingerprints {
    #[serde(rename = "mcpVerdict/v1")]
    value: String,
}

pub(super) fn render(report: &ScanReport) -> String {
    let all = worst_first(report);
    let mut seen = BTreeMap::new();
    let results = all
        .iter()
        .take(RESULTS)
        .map(|(path, found)| {
            let repeat = seen
                .entry((found.pattern.id, *path, found.excerpt.as_str()))
                .or_insert(0_usize);
            *repeat += 1;
            entry(path, found, *repeat)
        })
        .collect();
    verdict_report::pretty(&Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "mcp-verdict",
                    version: env!("CARGO_PKG_VERSION"),
                    rules: PATTERNS.iter().map(|pattern| rule(pattern)).collect(),
                },
            },
            // What stands behind the last slash would name the single run.
            automation_details: Named {
                id: "mcp-verdict/scan/",
            },
            invocations: [invocation(report, all.len().saturating_sub(RESULTS))],
            column_kind: "unicodeCodePoints",
            results,
        }],
    })
}

fn rule(pattern: &'static crate::Pattern) -> Rule {
    Rule {
        id: pattern.id,
        short_description: text(pattern.finds),
        full_description: text(&format!("Until 2025-11-25: {}", pattern.old)),
        help: text(&format!("Since 2026-07-28: {}", pattern.new)),
        help_uri: pattern.spec_url(),
        default_configuration: Configuration {
            level: level(pattern.severity),
        },
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn entry(path: &str, found: &Match, repeat: usize) -> Entry {
    let pattern = found.pattern;
    let place = PATTERNS.iter().position(|other| other.id == pattern.id);
    Entry {
        rule_id: pattern.id,
        rule_index: place.unwrap_or_default(),
        level: level(found.severity),
        message: text(&format!("{}. Now: {}", pattern.finds, pattern.new)),
        locations: [Location {
            physical_location: Physical {
                artifact_location: Artifact {
                    uri: path_uri(path),
                    uri_base_id: "%SRCROOT%",
                },
                region: Region {
                    start_line: found.line,
                    start_column: found.column,
                    end_column: found.column + found.width.max(1),
                    snippet: text(&found.excerpt),
                },
            },
        }],
        partial_fingerprints: Fingerprints {
            value: fingerprint(path, found, repeat),
        },
    }
}

fn invocation(report: &ScanReport, left: usize) -> Invocation {
    let mut notifications = Vec::new();
    if left > 0 {
        notifications.push(note(&format!(
            "{} more results were left out",
            number(left)
        )));
    }
    let left_out = report.left_out();
    if !left_out.is_empty() {
        notifications.push(note(&format!("Not looked at: {left_out}.")));
    }
    Invocation {
        execution_successful: report.outcome() != Outcome::None,
        tool_execution_notifications: notifications,
    }
}

fn note(words: &str) -> Notification {
    Notification {
        level: "note",
        message: text(words),
    }
}

fn text(words: &str) -> Message {
    Message {
        text: safe::sarif(&safe::truncate_bytes(words, 1_000)),
    }
}

/// Over pattern, path and line's text: it survives lines that move.
fn fingerprint(path: &str, found: &Match, repeat: usize) -> String {
    let parts = [found.pattern.id, path, found.excerpt.as_str()];
    let hash = hash(parts.iter().flat_map(|part| part.bytes().chain([0xff])));
    format!("{hash:016x}:{repeat}")
}
