//! The report for the log of an Actions job: annotations as workflow commands, then the text.
//!
//! The runner obeys any line that looks like a command, whoever wrote it. So foreign text stands only
//! in encoded values of our own commands and in lines that begin with a mark of ours.

use crate::findings::{checks, counts, location, verdict_stands_alone, worst_first};
use crate::{Style, safe, text, words};
use std::fmt::Write as _;
use verdict_model::report::CheckResult;
use verdict_model::{Outcome, Report};

/// Annotations of one kind that the runner keeps of a step; it drops the rest without a word.
const MOST: usize = 10;
/// Characters of a message that the runner keeps.
const MESSAGE: usize = 4_096;
/// Bytes of a title that a check run keeps.
const TITLE: usize = 255;

pub(crate) fn render(report: &Report, style: &Style) -> String {
    let mut out = String::new();
    if verdict_stands_alone(report) {
        let title =
            safe::workflow_property(&format!("mcp-verdict: {}", words::verdict(report.verdict)));
        let summary = safe::workflow_data(&safe::truncate_bytes(&report.summary, 2_000));
        let _ = writeln!(out, "::error title={title}::{summary}");
    }
    let ordered = worst_first(checks(report));
    for name in ["error", "warning", "notice"] {
        let members: Vec<_> = ordered
            .iter()
            .copied()
            .filter(|check| command(check) == Some(name))
            .collect();
        // The place that the verdict took is one of the ten.
        let taken = usize::from(name == "error" && verdict_stands_alone(report));
        let most = MOST - taken;
        for (index, check) in members.iter().take(most).enumerate() {
            let left = if index + 1 == most {
                members.len() - most
            } else {
                0
            };
            annotation(&mut out, name, check, left);
        }
    }
    // The mark comes on top of what the text itself does against commands.
    let plain = Style {
        colour: false,
        ..*style
    };
    for line in text::render(report, &plain).lines() {
        let _ = writeln!(out, "{}", format!("| {line}").trim_end());
    }
    out
}

/// The command that stands for an outcome; what does not count towards the verdict is only noted.
fn command(check: &CheckResult) -> Option<&'static str> {
    match check.outcome {
        Outcome::Fail | Outcome::Error | Outcome::Warn if !counts(check) => Some("notice"),
        Outcome::Fail | Outcome::Error => Some("error"),
        Outcome::Warn => Some("warning"),
        Outcome::Info => Some("notice"),
        Outcome::Skip | Outcome::NotApplicable | Outcome::Pass => None,
    }
}

fn annotation(out: &mut String, name: &str, check: &CheckResult, left: usize) {
    let title = format!("{}: {}", check.outcome.word(), check.id);
    // Hidden characters grow when they are shown, so it is measured before and after.
    let title = safe::terminal(&safe::truncate_bytes(&title, TITLE));
    let title = safe::workflow_property(&safe::truncate_bytes(&title, TITLE));
    let place = location(check).map_or_else(String::new, |place| {
        format!(
            ",file={},line={}",
            safe::workflow_property(&place.path),
            place.line.max(1)
        )
    });
    let message = safe::workflow_data(&message(check, left));
    let _ = writeln!(out, "::{name} title={title}{place}::{message}");
}

fn message(check: &CheckResult, left: usize) -> String {
    let one_line = |text: &str, max| safe::terminal(&safe::truncate_bytes(text, max));
    let mut parts = vec![one_line(&check.title, 300), one_line(&check.message, 600)];
    if let Some(item) = check.evidence.first() {
        let subject = item
            .subject
            .as_deref()
            .map(|subject| one_line(subject, 160));
        let said = if item.message == check.message {
            ""
        } else {
            &item.message
        };
        match (subject, one_line(said, 600)) {
            (Some(subject), said) if said.is_empty() => parts.push(subject),
            (Some(subject), said) => parts.push(format!("{subject}: {said}")),
            (None, said) => parts.push(said),
        }
        let more = crate::findings::further(check, 1);
        if more > 0 {
            parts.push(format!("and {} more like it", words::number(more)));
        }
    }
    parts.extend(crate::findings::uncounted(check).map(|reason| one_line(&reason, 300)));
    if !check.fix.is_empty() {
        parts.push(format!("Mend: {}", one_line(&check.fix, 600)));
    }
    if !check.spec_url.is_empty() {
        parts.push(one_line(&check.spec_url, 300));
    }
    parts.retain(|part| !part.is_empty());
    let end = match left {
        0 => String::new(),
        left => format!(
            "\n{} more of these: see the log or the report",
            words::number(left)
        ),
    };
    let text = safe::inert_lines(&parts.join("\n"));
    format!("{}{end}", safe::truncate_bytes(&text, MESSAGE - end.len()))
}
