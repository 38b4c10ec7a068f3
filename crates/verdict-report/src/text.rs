//! The report for a person at a terminal: the verdict, what is wrong and how to mend it, worst first.

use crate::findings::{
    checks, conformance, counts, further, is_problem, keyword, reasons, uncounted,
    verdict_stands_alone, worst_first,
};
use crate::layout::{Page, Stamp, Tone};
use crate::{Style, Verbosity, safe, words};
use std::fmt::Write as _;
use verdict_model::report::{CheckResult, Evidence};
use verdict_model::{Outcome, Report, Verdict};

/// Column in which everything stands that follows an outcome's word.
const GUTTER: usize = 7;

/// How much of foreign text is shown.
struct Limits {
    items: usize,
    message: usize,
    lines: usize,
    bytes: usize,
}

impl Limits {
    fn of(style: &Style) -> Self {
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

pub(crate) fn render(report: &Report, style: &Style) -> String {
    let mut page = Page::new(style);
    let checks = worst_first(checks(report));
    if style.verbosity == Verbosity::Quiet {
        headline(&mut page, report, style);
        decisive(&mut page, report, &checks);
    } else {
        headline(&mut page, report, style);
        facts(&mut page, report);
        let shown = |check: &CheckResult| {
            is_problem(check)
                || (check.outcome == Outcome::Info && style.verbosity == Verbosity::Verbose)
        };
        for check in checks.iter().filter(|check| shown(check)) {
            page.gap();
            finding(&mut page, check, &Limits::of(style));
        }
        page.gap();
        if style.verbosity == Verbosity::Verbose {
            everything_else(&mut page, &checks);
        } else {
            not_tried(&mut page, &checks);
        }
        page.gap();
        hints(&mut page, report);
        page.gap();
        last_line(&mut page, report, style);
    }
    safe::inert_lines(&page.finish())
}

/// The body of a finding without its headline, for formats that bring their own.
pub(crate) fn body(check: &CheckResult) -> String {
    let style = Style::default();
    let mut page = Page::new(&style);
    details(&mut page, 0, check, &Limits::of(&style));
    page.finish()
}

fn clean(text: &str, max: usize) -> String {
    safe::terminal(&safe::truncate_bytes(text, max))
}

fn stamp(verdict: Verdict, style: &Style) -> (Tone, String) {
    let tone = Tone::Stamp(match verdict {
        Verdict::Pass => Stamp::Good,
        Verdict::Fail => Stamp::Bad,
        Verdict::None => Stamp::Broken,
    });
    let word = words::verdict(verdict);
    // The colour needs a margin to look like a stamp; without it there is nothing to set off.
    (
        tone,
        if style.colour {
            format!(" {word} ")
        } else {
            word.to_owned()
        },
    )
}

/// What stands between the verdict and the text behind it, so that all texts share a column.
fn behind(stamp: &str) -> String {
    " ".repeat(GUTTER.saturating_sub(stamp.len()).max(2))
}

fn tone(outcome: Outcome) -> Tone {
    match outcome {
        Outcome::Pass => Tone::Good,
        Outcome::Fail => Tone::Bad,
        Outcome::Error => Tone::Broken,
        Outcome::Warn => Tone::Careful,
        Outcome::Info => Tone::Note,
        Outcome::Skip | Outcome::NotApplicable => Tone::Dim,
    }
}

fn label(outcome: Outcome) -> String {
    format!("{:<GUTTER$}", outcome.word())
}

fn headline(page: &mut Page, report: &Report, style: &Style) {
    let (tone, word) = stamp(report.verdict, style);
    let space = behind(&word);
    let summary = clean(&report.summary, 2_000);
    if style.verbosity == Verbosity::Quiet {
        page.line(&[(tone, &word), (Tone::Plain, &space), (Tone::Bold, &summary)]);
    } else {
        page.item(
            0,
            &[(tone, &word), (Tone::Plain, &space)],
            (Tone::Bold, &summary),
        );
    }
}

fn facts(page: &mut Page, report: &Report) {
    let (target, made) = (&report.target, &report.generator);
    let transport = clean(&target.transport, 20);
    let facts = [
        (
            "target",
            Some(format!(
                "{} ({transport})",
                clean(&words::endpoint(target), 500)
            )),
        ),
        (
            "server",
            Some(format!(
                "{} ({})",
                clean(&words::server(target), 200),
                clean(&words::era(target), 80)
            )),
        ),
        (
            "source",
            words::source(report).map(|source| clean(&source, 200)),
        ),
        ("checks", Some(words::tally(report))),
        ("effort", words::effort(report)),
        (
            "rules",
            Some(clean(
                &format!(
                    "{}, judged by {} {}",
                    made.requirements, made.name, made.version
                ),
                200,
            )),
        ),
    ];
    page.gap();
    for (name, fact) in facts {
        if let Some(fact) = fact {
            page.item(
                GUTTER,
                &[(Tone::Dim, &format!("{name:<8}"))],
                (Tone::Plain, &fact),
            );
        }
    }
}

fn finding(page: &mut Page, check: &CheckResult, limits: &Limits) {
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

/// What decided the verdict, one line each.
fn decisive(page: &mut Page, report: &Report, ordered: &[&CheckResult]) {
    let denied = report.verdict == Verdict::Fail && verdict_stands_alone(report);
    for check in ordered.iter().filter(|check| counts(check)) {
        if matches!(check.outcome, Outcome::Fail | Outcome::Error)
            || (denied && check.outcome == Outcome::Warn)
        {
            let text = format!("{}: {}", clean(&check.id, 120), clean(&check.message, 400));
            page.line(&[
                (tone(check.outcome), &label(check.outcome)),
                (Tone::Plain, &text),
            ]);
        }
    }
}

/// What was not tried, a line per outcome, grouped by reason.
fn not_tried(page: &mut Page, ordered: &[&CheckResult]) {
    let infos: Vec<_> = ordered
        .iter()
        .filter(|check| check.outcome == Outcome::Info)
        .map(|check| clean(&check.id, 120))
        .collect();
    if !infos.is_empty() {
        let ids = listed(infos.iter().map(String::as_str), 6);
        let text = format!("{} noted: {ids}", words::number(infos.len()));
        page.item(
            0,
            &[(tone(Outcome::Info), &label(Outcome::Info))],
            (Tone::Plain, &text),
        );
    }
    let mut any = !infos.is_empty();
    for (outcome, what) in [
        (Outcome::Skip, "not tried"),
        (Outcome::NotApplicable, "not offered"),
    ] {
        let groups = reasons(ordered, outcome);
        if groups.is_empty() {
            continue;
        }
        any = true;
        let total: usize = groups.iter().map(|(_, members)| members.len()).sum();
        let texts: Vec<_> = groups
            .iter()
            .take(3)
            .map(|(reason, members)| {
                let reason = clean(reason.trim_end_matches('.'), 160);
                if groups.len() == 1 {
                    reason
                } else {
                    format!("{reason} ({})", members.len())
                }
            })
            .collect();
        let more = match groups.len().saturating_sub(texts.len()) {
            0 => String::new(),
            more => format!("; {} more reasons", words::number(more)),
        };
        let text = format!(
            "{} {what}: {}{more}",
            words::number(total),
            texts.join("; ")
        );
        page.item(0, &[(tone(outcome), &label(outcome))], (Tone::Plain, &text));
    }
    if any {
        page.item(GUTTER, &[], (Tone::Dim, "-v lists them one by one"));
    }
}

fn listed<'a>(words: impl ExactSizeIterator<Item = &'a str>, most: usize) -> String {
    let more = words.len().saturating_sub(most);
    let shown: Vec<_> = words.take(most).collect();
    let end = if more > 0 {
        format!(" and {} more", words::number(more))
    } else {
        String::new()
    };
    format!("{}{end}", shown.join(", "))
}

/// Every check that was not shown as a finding, a line each.
fn everything_else(page: &mut Page, ordered: &[&CheckResult]) {
    for check in ordered {
        let text = match check.outcome {
            Outcome::Skip | Outcome::NotApplicable => &check.message,
            Outcome::Pass => &check.title,
            _ => continue,
        };
        let text = format!("{}: {}", clean(&check.id, 120), clean(text, 400));
        page.item(
            0,
            &[(tone(check.outcome), &label(check.outcome))],
            (Tone::Plain, &text),
        );
    }
}

fn hints(page: &mut Page, report: &Report) {
    for hint in conformance(report).map_or(&[][..], |layer| &layer.hints) {
        let label = format!("{:<GUTTER$}", "hint");
        page.item(0, &[(Tone::Note, &label)], (Tone::Plain, &clean(hint, 400)));
    }
}

fn last_line(page: &mut Page, report: &Report, style: &Style) {
    let (tone, word) = stamp(report.verdict, style);
    let counts = match conformance(report) {
        Some(layer) => words::counts(layer.counts),
        None => "nothing was checked".to_owned(),
    };
    page.line(&[
        (tone, &word),
        (Tone::Plain, &behind(&word)),
        (Tone::Plain, &counts),
    ]);
}
