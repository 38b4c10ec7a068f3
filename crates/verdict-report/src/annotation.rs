//! What an annotation on a line of the repository says, for the log and for a check run.

use crate::findings::{counts, further, uncounted};
use crate::{safe, words};
use verdict_model::Outcome;
use verdict_model::report::{CheckResult, Evidence, Location};

/// Bytes of a title: a check run takes no more than 255 characters.
const TITLE: usize = 255;

/// How loud an annotation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loudness {
    Failure,
    Warning,
    Notice,
}

/// How loud the annotation of a check is; what does not count towards the verdict is only noted.
/// Nothing for checks that found nothing.
pub(crate) fn loudness(check: &CheckResult) -> Option<Loudness> {
    match check.outcome {
        Outcome::Fail | Outcome::Error | Outcome::Warn if !counts(check) => Some(Loudness::Notice),
        Outcome::Fail | Outcome::Error => Some(Loudness::Failure),
        Outcome::Warn => Some(Loudness::Warning),
        Outcome::Info => Some(Loudness::Notice),
        Outcome::Skip | Outcome::NotApplicable | Outcome::Pass => None,
    }
}

/// `fail: schema.ref-local`, one line of plain text.
pub(crate) fn title(check: &CheckResult) -> String {
    let title = format!("{}: {}", check.outcome.word(), check.id);
    // Hidden characters grow when they are shown, so it is measured before and after.
    let title = safe::terminal(&safe::truncate_bytes(&title, TITLE));
    safe::truncate_bytes(&title, TITLE).into_owned()
}

/// The rule, what happened to this item, and the mend: lines of plain text, each of them safe to show.
///
/// Items that have a place of their own are told there, so only the others are counted.
pub(crate) fn message(check: &CheckResult, item: Option<&Evidence>) -> String {
    let one_line = |text: &str, max| safe::terminal(&safe::truncate_bytes(text, max));
    let mut parts = vec![one_line(&check.title, 300), one_line(&check.message, 600)];
    if let Some(item) = item {
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
        let more = match &item.location {
            None => further(check, 1),
            Some(place) => alike(check, place).saturating_sub(1),
        };
        if more > 0 {
            parts.push(format!("and {} more like it", words::number(more)));
        }
    }
    parts.extend(uncounted(check).map(|reason| one_line(&reason, 300)));
    if !check.fix.is_empty() {
        parts.push(format!("Mend: {}", one_line(&check.fix, 600)));
    }
    if !check.spec_url.is_empty() {
        parts.push(one_line(&check.spec_url, 300));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// How many items of evidence stand at a place.
fn alike(check: &CheckResult, place: &Location) -> u64 {
    let alike = check
        .evidence
        .iter()
        .filter(|item| item.location.as_ref() == Some(place));
    alike.count() as u64
}

/// The exchange that shows it, as plain text of at most `max` bytes.
pub(crate) fn exchange(item: Option<&Evidence>, max: usize) -> Option<String> {
    let item = item?;
    let mut out = String::new();
    for (name, text) in [("Sent", &item.request), ("Came back", &item.response)] {
        let Some(text) = text else { continue };
        let lines: Vec<_> = safe::terminal_lines(text).collect();
        let gap = if out.is_empty() { "" } else { "\n\n" };
        out = format!("{out}{gap}{name}:\n{}", lines.join("\n"));
    }
    (!out.is_empty()).then(|| safe::truncate_bytes(&out, max).into_owned())
}
