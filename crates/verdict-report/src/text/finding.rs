//! One finding as text: what was found, what it rests on, the rule and how to mend it.

use super::{GUTTER, label, tone};
use crate::findings::{counts, further, keyword, uncounted};
use crate::layout::{Page, Tone};
use crate::{Style, Verbosity, safe, words};
use std::fmt::Write as _;
use verdict_model::report::{CheckResult, Evidence};

/// How much of foreign text is shown.
pub(super) struct Limits {
    items: usize,
    message: usize,
    lines: usize,
    bytes: usize,
}

impl Limits {
    pub(super) fn of(style: &Style) -> Self {
        if style.verbosity == Verbosity::Verbose {
            Self {
                items: 10,
                message: 8_000,
                lines: 40,
                bytes: 8_000,
            }
        } else {
            Self {
                items: 3,
                message: 1_200,
                lines: 10,
                bytes: 1_000,
            }
        }
    }
}

/// The body of a finding without its headline, for formats that bring their own.
pub(crate) fn body(check: &CheckResult) -> String {
    let style = Style::default();
    let mut page = Page::new(&style);
    details(&mut page, 0, check, &Limits::of(&style));
    page.finish()
}

/// A finding with its headline.
pub(super) fn finding(page: &mut Page, check: &CheckResult, limits: &Limits) {
    let tone = if counts(check) {
        tone(check.outcome)
    } else {
        Tone::Dim
    };
    let mut notes = format!("  {}", keyword(check.level));
    if let Some(assertion) = check.assertion {
        let _ = write!(notes, ", headline assertion {assertion}");
    }
    if check.waived.is_some() {
        notes.push_str(", waived");
    } else if check.new {
        notes.push_str(", new");
    }
    page.line(&[
        (tone, &label(check.outcome)),
        (Tone::Bold, &clean(&check.id, 120)),
        (Tone::Dim, &notes),
    ]);
    page.paragraph(GUTTER, &clean(&check.title, 400));
    page.gap();
    details(page, GUTTER, check, limits);
}

fn details(page: &mut Page, indent: usize, check: &CheckResult, limits: &Limits) {
    let message = clean(&check.message, limits.message);
    page.paragraph(indent, &message);
    page.gap();
    let mut tight = true;
    for item in check.evidence.iter().take(limits.items) {
        // Items of a line or two make a list; excerpts need air around them.
        let long = item.request.is_some() || item.response.is_some();
        if long || !tight {
            page.gap();
        }
        tight = !long;
        evidence(page, indent, check, item, limits);
    }
    let more = further(check, limits.items);
    if more > 0 {
        if !tight {
            page.gap();
        }
        page.paragraph(
            indent,
            &format!("and {} more (see JSON)", words::number(more)),
        );
    }
    page.gap();
    if let Some(reason) = uncounted(check) {
        page.item(
            indent,
            &[(Tone::Dim, "Note: ")],
            (Tone::Plain, &clean(&reason, 400)),
        );
    }
    if let Some(place) = &check.location {
        let place = format!("{}:{}", place.path, place.line);
        page.item(
            indent,
            &[(Tone::Dim, "File: ")],
            (Tone::Plain, &clean(&place, 400)),
        );
    }
    if !check.spec_url.is_empty() {
        let rule = clean(&check.spec_url, 400);
        page.item(indent, &[(Tone::Dim, "Rule: ")], (Tone::Plain, &rule));
    }
    if !check.fix.is_empty() {
        let fix = clean(&check.fix, limits.message);
        page.item(indent, &[(Tone::Good, "Mend: ")], (Tone::Plain, &fix));
    }
}

fn evidence(page: &mut Page, indent: usize, check: &CheckResult, item: &Evidence, limits: &Limits) {
    // A judge with one thing to say says it once.
    let said = if item.message == check.message {
        ""
    } else {
        item.message.as_str()
    };
    let said = clean(said, limits.message);
    match item.subject.as_deref().map(|subject| clean(subject, 160)) {
        Some(subject) if said.is_empty() => page.item(indent, &[], (Tone::Bold, &subject)),
        Some(subject) => page.about(indent, &format!("{subject}:"), &said),
        None if said.is_empty() => {}
        None => page.paragraph(indent, &said),
    }
    let place = match (&item.pointer, &item.exchange) {
        (Some(pointer), Some(exchange)) => Some(format!("at {pointer} in exchange {exchange}")),
        (Some(pointer), None) => Some(format!("at {pointer}")),
        (None, exchange) => exchange
            .as_ref()
            .map(|exchange| format!("exchange {exchange}")),
    };
    if let Some(place) = place {
        page.item(indent + 2, &[], (Tone::Dim, &clean(&place, 300)));
    }
    for (prefix, text) in [("> ", &item.request), ("< ", &item.response)] {
        if let Some(text) = text {
            excerpt(page, indent + 2, prefix, text, limits);
        }
    }
}

fn excerpt(page: &mut Page, indent: usize, prefix: &str, text: &str, limits: &Limits) {
    let cut = safe::truncate_bytes(text, limits.bytes);
    for (index, line) in safe::terminal_lines(&cut).enumerate() {
        if index == limits.lines {
            let more = words::number(text.lines().count() - index);
            page.excerpt(indent, prefix, &format!("… {more} more lines"));
            break;
        }
        page.excerpt(indent, prefix, &line);
    }
}

/// At most `max` bytes of `text` on one line, safe.
pub(super) fn clean(text: &str, max: usize) -> String {
    safe::terminal(&safe::truncate_bytes(text, max))
}
