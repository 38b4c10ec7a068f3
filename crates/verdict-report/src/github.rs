//! The report for the log of an Actions job: annotations as workflow commands, then the text.
//!
//! The runner obeys any line that looks like a command, whoever wrote it. So foreign text stands only
//! in encoded values of our own commands and in lines that begin with a mark of ours.

use crate::annotation::{self, Loudness, loudness};
use crate::findings::{checks, places, verdict_stands_alone, worst_first};
use crate::reds;
use crate::{Style, safe, text, words};
use std::fmt::Write as _;
use verdict_model::Report;
use verdict_model::report::{CheckResult, Evidence, Location};

/// Annotations of one kind that the runner keeps of a step; it drops the rest without a word.
const MOST: usize = 10;
/// Characters of a message that the runner keeps.
const MESSAGE: usize = 4_096;

pub(crate) fn render(report: &Report, style: &Style) -> String {
    let mut out = annotations(report);
    // The mark comes on top of what the text itself does against commands.
    let plain = Style {
        colour: false,
        ..*style
    };
    for line in text::render_long(report, &plain).lines() {
        out.push_str(&safe::marked_line(line));
    }
    out
}

/// The annotations alone, as workflow commands, worst first.
pub fn annotations(report: &Report) -> String {
    let mut out = String::new();
    if verdict_stands_alone(report) {
        let title =
            safe::workflow_property(&format!("mcp-verdict: {}", words::verdict(report.verdict)));
        let summary = safe::workflow_data(&safe::truncate_bytes(&report.summary, 2_000));
        let _ = writeln!(out, "::error title={title}::{summary}");
    }
    let reds = marked(report);
    out.push_str(&reds.join(""));
    let ordered = worst_first(checks(report));
    for (name, loud) in [
        ("error", Loudness::Failure),
        ("warning", Loudness::Warning),
        ("notice", Loudness::Notice),
    ] {
        let members: Vec<_> = ordered
            .iter()
            .copied()
            .filter(|check| loudness(check) == Some(loud))
            .flat_map(|check| {
                let mut places: Vec<_> = places(check)
                    .into_iter()
                    .map(|(place, item)| (check, Some(place), item))
                    .collect();
                if places.is_empty() {
                    places.push((check, None, check.evidence.first()));
                }
                places
            })
            .collect();
        // The place that the verdict took is one of the ten.
        let taken = match name {
            "error" => usize::from(verdict_stands_alone(report)) + reds.len(),
            _ => 0,
        };
        let most = MOST.saturating_sub(taken).max(1);
        for (index, member) in members.iter().take(most).enumerate() {
            let left = if index + 1 == most {
                members.len() - most
            } else {
                0
            };
            annotation(&mut out, name, *member, left);
        }
    }
    out
}

/// Golden cases and trials that make the verdict fail, at their lines: half of the runner's annotations at most.
fn marked(report: &Report) -> Vec<String> {
    let red = reds::reds(report).into_iter();
    red.take(MOST / 2)
        .map(|red| {
            let title = safe::workflow_property(&safe::truncate_bytes(&red.headline, 200));
            let place = red.location.map_or_else(String::new, |place| {
                let path = safe::workflow_property(&place.path);
                format!(",file={path},line={}", place.line.max(1))
            });
            let text = safe::workflow_data(&safe::truncate_bytes(&red.text, MESSAGE));
            format!("::error title={title}{place}::{text}\n")
        })
        .collect()
}

/// A check, the place it is about, and the evidence that belongs there.
type Member<'r> = (&'r CheckResult, Option<&'r Location>, Option<&'r Evidence>);

fn annotation(out: &mut String, name: &str, (check, place, item): Member<'_>, left: usize) {
    let title = safe::workflow_property(&annotation::title(check));
    let place = place.map_or_else(String::new, |place| {
        format!(
            ",file={},line={}",
            safe::workflow_property(&place.path),
            place.line.max(1)
        )
    });
    let message = safe::workflow_data(&message(check, item, left));
    let _ = writeln!(out, "::{name} title={title}{place}::{message}");
}

fn message(check: &CheckResult, item: Option<&Evidence>, left: usize) -> String {
    let end = match left {
        0 => String::new(),
        left => format!(
            "\n{} more of these: see the log or the report",
            words::number(left)
        ),
    };
    let text = safe::inert_lines(&annotation::message(check, item));
    format!("{}{end}", safe::truncate_bytes(&text, MESSAGE - end.len()))
}
