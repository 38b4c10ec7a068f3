//! The report for a person at a terminal: the verdict, what is wrong and how to mend it, worst first.

mod behavior;
mod finding;
mod gate;
mod screen;
mod telemetry;
mod trials;

use crate::findings::{
    checks, conformance, counts, is_problem, reasons, verdict_stands_alone, worst_first,
};
use crate::layout::{Page, Stamp, Tone};
use crate::{Style, Verbosity, safe, words};
use finding::{Limits, clean, finding};
use verdict_model::report::CheckResult;
use verdict_model::{Outcome, Report, Verdict};

pub(crate) use finding::body;

/// Column in which everything stands that follows an outcome's word.
const GUTTER: usize = 7;

/// The whole text; a run with models is cut to a screen unless everything is wanted.
pub(crate) fn render(report: &Report, style: &Style) -> String {
    if has_models(report) && style.verbosity == Verbosity::Normal {
        screen::render(report, style)
    } else {
        render_long(report, style)
    }
}

/// The whole text, however long it is.
pub(crate) fn render_long(report: &Report, style: &Style) -> String {
    let mut page = Page::new(style);
    let checks = worst_first(checks(report));
    headline(&mut page, report, style);
    if style.verbosity == Verbosity::Quiet {
        decisive(&mut page, report, &checks);
        behavior::decisive(&mut page, report);
        trials::decisive(&mut page, report);
        gate::decisive(&mut page, report);
    } else {
        facts(&mut page, report);
        let shown = |check: &CheckResult| {
            is_problem(check)
                || (check.outcome == Outcome::Info && style.verbosity == Verbosity::Verbose)
        };
        for check in checks.iter().filter(|check| shown(check)) {
            page.gap();
            finding(&mut page, check, &Limits::of(style));
        }
        behavior::render(&mut page, report, style);
        trials::render(&mut page, report, style);
        telemetry::render(&mut page, report, style);
        gate::render(&mut page, report);
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
    let least = if stamp.ends_with(' ') { 1 } else { 2 };
    " ".repeat(GUTTER.saturating_sub(stamp.len()).max(least))
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

/// A word of ours in the column of outcomes.
fn stamped(word: &str) -> String {
    format!("{word:<GUTTER$}")
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
            words::role(report),
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
        ("checks", asked(report).then(|| words::tally(report))),
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

/// Whether layer 0 was to be run, whatever came of it.
fn asked(report: &Report) -> bool {
    conformance(report).is_some() || !has_models(report)
}

/// Whether a layer was run that asks models.
fn has_models(report: &Report) -> bool {
    crate::behavior::behavior(report).is_some() || crate::trials::resilience(report).is_some()
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
    let counts = words::ends(report);
    page.item(
        0,
        &[(tone, &word), (Tone::Plain, &behind(&word))],
        (Tone::Plain, &counts),
    );
}
