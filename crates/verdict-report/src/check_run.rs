//! The report as a check run: the bodies of the requests that GitHub's REST API wants, in order.
//!
//! The Action and the native program send the same bodies. Nothing here knows an address, a token or
//! the time; whoever sends only moves JSON.

use crate::annotation::{self, Loudness, loudness};
use crate::findings::{checks, places, worst_first};
use crate::markdown::{Aside, CHECK_RUN_BYTES, page};
use crate::reds::{Red, reds};
use crate::{safe, words};
use serde::{Deserialize, Serialize};
use verdict_model::{Outcome, Report, Verdict};

/// Annotations that one request may carry.
const BATCH: usize = 50;
/// Annotations of one check run, unless it is told otherwise: more are noise.
const MOST: usize = 100;
/// Bytes of a title; the API takes 255 characters.
const TITLE: usize = 255;
/// Bytes of a message and of raw details; the API takes 64 KB.
const MESSAGE: usize = 4_096;
const DETAILS: usize = 8_000;

/// What a check run is to be.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Publication {
    /// Its name: one for each server and configuration.
    pub name: String,
    /// The commit it stands on.
    pub head_sha: String,
    /// By which it is found again.
    pub external_id: String,
    /// Where the whole report is shown.
    pub summary_url: Option<String>,
    /// What is said beside the report, such as what was skipped and why.
    pub notes: Vec<String>,
    /// The job was cancelled.
    pub cancelled: bool,
    /// A verdict that is not pass leaves the check neutral.
    pub tolerant: bool,
    /// Most annotations.
    pub annotations: usize,
    /// Annotations that it has already: each request adds to them, and none takes away.
    pub posted: Vec<Annotation>,
}

impl Default for Publication {
    fn default() -> Self {
        Self {
            name: "mcp-verdict".to_owned(),
            head_sha: String::new(),
            external_id: String::new(),
            summary_url: None,
            notes: Vec::new(),
            cancelled: false,
            tolerant: false,
            annotations: MOST,
            posted: Vec::new(),
        }
    }
}

/// The request that creates a check run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Creation {
    name: String,
    head_sha: String,
    external_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    details_url: Option<String>,
    status: &'static str,
    output: Output,
}

/// A request that changes a check run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Update {
    external_id: String,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    conclusion: Option<&'static str>,
    output: Output,
}

/// Before there is a report: a new check run, or an earlier one that begins anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Beginning {
    /// For a new one.
    pub create: Creation,
    /// For one that is there already.
    pub reopen: Update,
}

/// The requests that complete a check run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Completion {
    /// In this order; the last one completes it.
    pub updates: Vec<Update>,
    /// In place of what is left of them where the API refuses one: the verdict, and little else.
    pub short: Update,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Output {
    title: String,
    summary: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    annotations: Vec<Annotation>,
}

/// A mark on lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotation {
    /// The file, from the repository's root.
    pub path: String,
    /// First line, from 1.
    pub start_line: u64,
    /// Last line.
    pub end_line: u64,
    /// `failure`, `warning` or `notice`.
    pub annotation_level: String,
    /// One line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is wrong, and how to mend it.
    pub message: String,
    /// The exchange that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_details: Option<String>,
}

/// What is sent before the run.
pub fn begin(publication: &Publication) -> Beginning {
    let output = || Output {
        title: "Checking the server".to_owned(),
        summary: "The checks are running.".to_owned(),
        annotations: Vec::new(),
    };
    Beginning {
        create: Creation {
            name: publication.name.clone(),
            head_sha: publication.head_sha.clone(),
            external_id: publication.external_id.clone(),
            details_url: publication.summary_url.clone(),
            status: "in_progress",
            output: output(),
        },
        reopen: Update {
            external_id: publication.external_id.clone(),
            status: "in_progress",
            conclusion: None,
            output: output(),
        },
    }
}

/// What is sent after the run.
pub fn complete(report: &Report, publication: &Publication) -> Completion {
    let (annotations, left) = annotations(report, publication);
    let mut aside = Aside {
        notes: publication.notes.clone(),
        link: publication.summary_url.clone(),
        ..Aside::default()
    };
    if left > 0 {
        aside.notes.push(format!(
            "{} more annotations were left out, the least severe; every finding is listed here.",
            words::number(left)
        ));
    }
    let summary = page(report, &aside, CHECK_RUN_BYTES);
    let update = |annotations: &[Annotation], last: bool| Update {
        external_id: publication.external_id.clone(),
        status: if last { "completed" } else { "in_progress" },
        conclusion: last.then(|| conclusion(report.verdict, publication)),
        output: Output {
            title: title(report),
            summary: summary.clone(),
            annotations: annotations.to_vec(),
        },
    };
    let batches = annotations.len().div_ceil(BATCH).max(1);
    let updates = (0..batches)
        .map(|index| {
            let from = (index * BATCH).min(annotations.len());
            let to = (from + BATCH).min(annotations.len());
            update(
                annotations.get(from..to).unwrap_or_default(),
                index + 1 == batches,
            )
        })
        .collect();
    let mut short = update(&[], true);
    short.output.summary = page(report, &aside, 2_000);
    Completion { updates, short }
}

fn conclusion(verdict: Verdict, publication: &Publication) -> &'static str {
    match verdict {
        _ if publication.cancelled => "cancelled",
        Verdict::Pass => "success",
        Verdict::Fail | Verdict::None if publication.tolerant => "neutral",
        Verdict::Fail | Verdict::None => "failure",
    }
}

fn title(report: &Report) -> String {
    let title = safe::terminal(&safe::truncate_bytes(&report.summary, TITLE));
    let title = safe::truncate_bytes(&title, TITLE).into_owned();
    if title.is_empty() {
        words::verdict(report.verdict).to_owned()
    } else {
        title
    }
}

/// The annotations that are new, worst first, and how many did not fit.
fn annotations(report: &Report, publication: &Publication) -> (Vec<Annotation>, usize) {
    let mut placed: Vec<Annotation> = Vec::new();
    for check in worst_first(checks(report)) {
        let Some(loud) = loudness(check) else {
            continue;
        };
        placed.extend(places(check).into_iter().map(|(place, item)| {
            let line = place.line.max(1);
            let message = annotation::message(check, item);
            Annotation {
                path: place.path.clone(),
                start_line: line,
                end_line: line,
                annotation_level: level(loud).to_owned(),
                title: Some(annotation::title(check)),
                message: safe::truncate_bytes(&message, MESSAGE).into_owned(),
                raw_details: annotation::exchange(item, DETAILS),
            }
        }));
    }
    // Behind the checks that fail and before those that only warn.
    let fails = |one: &Annotation| one.annotation_level == level(Loudness::Failure);
    let place = placed.iter().take_while(|one| fails(one)).count();
    placed.splice(place..place, reds(report).iter().filter_map(marked));
    let left = placed.len().saturating_sub(publication.annotations);
    let known = |one: &Annotation| publication.posted.iter().any(|other| same(one, other));
    let new = placed
        .into_iter()
        .take(publication.annotations)
        .filter(|one| !known(one))
        .collect();
    (new, left)
}

/// A red golden case or trial at the case's line; nothing where that is not known.
fn marked(red: &Red<'_>) -> Option<Annotation> {
    let place = red.location?;
    let line = place.line.max(1);
    let title = safe::terminal(&safe::truncate_bytes(&red.headline, TITLE));
    let message: Vec<_> = safe::terminal_lines(&red.text).collect();
    let message = safe::inert_lines(&message.join("\n"));
    Some(Annotation {
        path: place.path.clone(),
        start_line: line,
        end_line: line,
        annotation_level: level(Loudness::Failure).to_owned(),
        title: Some(safe::truncate_bytes(&title, TITLE).into_owned()),
        message: safe::truncate_bytes(&message, MESSAGE).into_owned(),
        raw_details: None,
    })
}

/// Whether a reader would take the two for one.
fn same(one: &Annotation, other: &Annotation) -> bool {
    (
        &one.path,
        one.start_line,
        &one.annotation_level,
        &one.title,
        &one.message,
    ) == (
        &other.path,
        other.start_line,
        &other.annotation_level,
        &other.title,
        &other.message,
    )
}

fn level(loud: Loudness) -> &'static str {
    match loud {
        Loudness::Failure => "failure",
        Loudness::Warning => "warning",
        Loudness::Notice => "notice",
    }
}

/// The verdict in one line of our own words only: numbers, outcomes and ids of checks.
///
/// Nothing that a server said is in it, so a workflow may put it anywhere.
pub fn sentence(report: &Report) -> String {
    const IDS: usize = 5;
    let plain = |id: &str| {
        id.len() <= 80
            && id
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._-/".contains(&b))
    };
    let ordered = worst_first(checks(report));
    let broken: Vec<_> = ordered
        .iter()
        .filter(|check| check.outcome == Outcome::Fail && crate::findings::counts(check))
        .map(|check| check.id.as_str())
        .filter(|id| plain(id))
        .collect();
    let first: Vec<_> = broken.iter().copied().take(IDS).collect();
    let more = match broken.len().saturating_sub(IDS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = if first.is_empty() {
        String::new()
    } else {
        format!("; failed are {}{more}", first.join(", "))
    };
    format!(
        "{}: {}{named}",
        words::verdict(report.verdict),
        words::tally(report)
    )
}
