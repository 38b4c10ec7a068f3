//! The report as SARIF 2.1.0, for code scanning.
//!
//! A result for each evidence item, so that each tool or method can be followed on its own. Only the
//! members we use are here.

mod reds;
mod shape;

use crate::findings::{
    checks, counts, is_problem, keyword, location, spec_link, uncounted, worst_first,
};
use crate::{json, safe, words};
use shape::{
    Artifact, Automation, Configuration, Descriptor, Driver, Fingerprints, Invocation, Log,
    Logical, Message, Notification, Physical, Place, Region, ResultProperties, RuleProperties, Run,
    RunProperties, SarifResult, Suppression, Tool,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use verdict_model::report::{CheckResult, Evidence, Location};
use verdict_model::{Level, Outcome, Report, Verdict};

/// Most results of a run; GitHub shows no more.
const RESULTS: usize = 5_000;
/// Where a result is filed that no line of the repository caused: GitHub refuses the whole upload if
/// a single result names no file, and this one names the server.
const CONFIG: &str = "mcp-verdict.yaml";
/// Bytes of a message.
const MESSAGE: usize = 2_000;

pub(crate) fn render(report: &Report) -> String {
    let all = checks(report);
    let rule_index: BTreeMap<_, _> = all
        .iter()
        .enumerate()
        .map(|(index, check)| (check.id.as_str(), index))
        .collect();
    let mut results = Vec::new();
    let mut left_out = 0_u64;
    for check in worst_first(all) {
        if !is_problem(check) && check.outcome != Outcome::Info {
            continue;
        }
        let index = rule_index
            .get(check.id.as_str())
            .copied()
            .unwrap_or_default();
        left_out += add_results(&mut results, check, index);
    }
    let mut rules: Vec<_> = all.iter().map(descriptor).collect();
    left_out += reds::add(&mut results, &mut rules, &crate::reds::reds(report));
    json::pretty(&Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "mcp-verdict",
                    version: safe::terminal(&report.generator.version),
                    rules,
                },
            },
            automation_details: Automation {
                id: automation(report),
            },
            invocations: [invocation(report, left_out)],
            column_kind: "unicodeCodePoints",
            results,
            properties: RunProperties {
                verdict: report.verdict,
                summary: text(&report.summary),
                omitted_results: left_out,
            },
        }],
    })
}

/// Appends the results of one check and says how many found no place.
fn add_results(results: &mut Vec<SarifResult>, check: &CheckResult, index: usize) -> u64 {
    if check.evidence.is_empty() {
        if results.len() >= RESULTS {
            return 1 + check.omitted;
        }
        results.push(result(check, index, None, 0));
        return check.omitted;
    }
    let mut seen = BTreeMap::<&str, usize>::new();
    let room = RESULTS.saturating_sub(results.len());
    for item in check.evidence.iter().take(room) {
        let repeat = seen.entry(subject(Some(item))).or_default();
        results.push(result(check, index, Some(item), *repeat));
        *repeat += 1;
    }
    crate::findings::further(check, room)
}

fn result(
    check: &CheckResult,
    index: usize,
    item: Option<&Evidence>,
    repeat: usize,
) -> SarifResult {
    let subject = subject(item);
    let message = match item {
        Some(item) if !subject.is_empty() => format!("{subject}: {}", item.message),
        Some(item) if !item.message.is_empty() => item.message.clone(),
        _ => check.message.clone(),
    };
    SarifResult {
        rule_id: safe::terminal(&check.id),
        rule_index: index,
        level: if counts(check) {
            level(check.outcome)
        } else {
            "note"
        },
        message: text(&message),
        locations: vec![place(check, subject)],
        partial_fingerprints: Fingerprints {
            value: fingerprint(&check.id, subject, repeat),
        },
        suppressions: uncounted(check)
            .map(|reason| Suppression {
                kind: "external",
                justification: safe::terminal(&reason),
            })
            .into_iter()
            .collect(),
        properties: ResultProperties {
            outcome: check.outcome,
            pointer: item.and_then(|item| item.pointer.as_deref().map(short)),
            exchange: item.and_then(|item| item.exchange.as_deref().map(short)),
        },
    }
}

fn subject(item: Option<&Evidence>) -> &str {
    item.and_then(|item| item.subject.as_deref())
        .unwrap_or_default()
}

fn place(check: &CheckResult, subject: &str) -> Place {
    // Without a subject the finding is about the server as a whole.
    let (name, kind) = if subject.is_empty() {
        ("server", "module")
    } else {
        (subject, "member")
    };
    placed(location(check), name, kind)
}

/// A place of the repository, or the configuration where there is none, with the name of what it is about.
fn placed(location: Option<&Location>, name: &str, kind: &'static str) -> Place {
    let (path, line) = location.map_or((CONFIG, 1), |place| (&place.path, place.line.max(1)));
    Place {
        physical_location: Physical {
            artifact_location: Artifact {
                uri: path_uri(path),
                uri_base_id: "%SRCROOT%",
            },
            region: Region { start_line: line },
        },
        logical_locations: [Logical {
            name: short(name),
            kind,
        }],
    }
}

fn level(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Fail | Outcome::Error => "error",
        Outcome::Warn => "warning",
        _ => "note",
    }
}

fn descriptor(check: &CheckResult) -> Descriptor {
    Descriptor {
        id: safe::terminal(&check.id),
        short_description: text(&check.title),
        help: text(if check.fix.is_empty() {
            &check.title
        } else {
            &check.fix
        }),
        help_uri: spec_link(check).map(str::to_owned),
        default_configuration: Configuration {
            level: match check.level {
                Level::Must => "error",
                Level::Should => "warning",
                Level::May | Level::Advisory => "note",
            },
        },
        properties: RuleProperties {
            keyword: keyword(check.level),
            assertion: check.assertion,
        },
    }
}

/// Names the series of runs that this one continues. What stands behind the last slash would name the
/// single run; without that slash, runs over HTTP and over stdio would replace each other.
fn automation(report: &Report) -> String {
    let transport = match report.target.transport.as_str() {
        known @ ("http" | "stdio") => known,
        _ => "other",
    };
    format!("mcp-verdict/{transport}/")
}

fn invocation(report: &Report, left_out: u64) -> Invocation {
    let mut notifications = Vec::new();
    if report.verdict == Verdict::None {
        notifications.push(Notification {
            level: "error",
            message: text(&report.summary),
        });
    }
    if left_out > 0 {
        let more = words::number(left_out);
        let message = format!("{more} more results were left out; the JSON report has all.");
        notifications.push(Notification {
            level: "note",
            message: text(&message),
        });
    }
    Invocation {
        execution_successful: report.verdict != Verdict::None,
        tool_execution_notifications: notifications,
    }
}

fn text(text: &str) -> Message {
    Message {
        text: safe::sarif(&safe::truncate_bytes(text, MESSAGE)),
    }
}

fn short(text: &str) -> String {
    safe::terminal(&safe::truncate_bytes(text, 300))
}

/// 64-bit FNV-1a, what the fingerprints of results are made of.
pub fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let begin = 0xcbf2_9ce4_8422_2325_u64;
    bytes.into_iter().fold(begin, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Over check and subject: the same finding keeps it from run to run.
fn fingerprint(id: &str, subject: &str, repeat: usize) -> String {
    // The byte between them never stands in either, so no two pairs give the same text.
    let hash = hash(id.bytes().chain([0xff]).chain(subject.bytes()));
    if repeat == 0 {
        format!("{hash:016x}")
    } else {
        format!("{hash:016x}:{repeat}")
    }
}

/// A path as a relative URI reference.
pub fn path_uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            byte => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
