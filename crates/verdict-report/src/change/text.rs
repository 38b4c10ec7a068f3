//! What changed, for a person at a terminal: the bad news first.

use super::{CaseChange, Change, CheckChange, MetricChange, Passes};
use crate::behavior::percent;
use crate::gate::measured;
use crate::layout::{Page, Tone};
use crate::safe::{inert_lines, terminal, truncate_bytes};
use crate::{Style, Verbosity, words};
use verdict_model::Outcome;
use verdict_model::behavior::Standing;

/// Entries of a list unless everything is wanted.
const MOST: usize = 10;
/// Columns before the text of an entry.
const GUTTER: usize = 7;

/// `change` as text; the result ends with a line feed.
pub fn render(change: &Change, style: &Style) -> String {
    let mut page = Page::new(style);
    let verdict = &change.verdict;
    let (was, now) = (words::verdict(verdict.was), words::verdict(verdict.now));
    let headline = if was == now {
        format!("{now}, as before")
    } else {
        format!("{was} became {now}")
    };
    page.line(&[(Tone::Bold, &headline)]);
    let most = match style.verbosity {
        Verbosity::Verbose => usize::MAX,
        _ => MOST,
    };
    let checks = &change.checks;
    for (title, tone, list) in [
        ("new", Tone::Bad, &checks.new),
        ("lost", Tone::Careful, &checks.no_longer_measured),
        ("still", Tone::Careful, &checks.still_failing),
        ("fixed", Tone::Good, &checks.fixed),
    ] {
        let texts: Vec<_> = list.iter().map(check).collect();
        entries(&mut page, (title, tone, heading(title)), &texts, most);
    }
    let cases = &change.cases;
    for (title, tone, list) in [
        ("worse", Tone::Bad, &cases.worse),
        ("better", Tone::Good, &cases.better),
        ("other", Tone::Dim, &cases.changed),
        ("added", Tone::Dim, &cases.added),
        ("gone", Tone::Dim, &cases.gone),
    ] {
        let texts: Vec<_> = list.iter().map(case).collect();
        entries(&mut page, (title, tone, heading(title)), &texts, most);
    }
    let trials = &change.trials;
    for (title, tone, list, heading) in [
        ("worse", Tone::Bad, &trials.worse, "trials that got worse"),
        (
            "better",
            Tone::Good,
            &trials.better,
            "trials that got better",
        ),
        (
            "other",
            Tone::Dim,
            &trials.changed,
            "trials that are others now, not compared",
        ),
        ("added", Tone::Dim, &trials.added, "trials that are new"),
        ("gone", Tone::Dim, &trials.gone, "trials that are gone"),
    ] {
        let texts: Vec<_> = list.iter().map(case).collect();
        entries(&mut page, (title, tone, heading), &texts, most);
    }
    let moved = change.metrics.iter().filter(|one| one.change != Some(0.0));
    let texts: Vec<_> = moved.map(rate).collect();
    let is_same = texts.is_empty() && *checks == super::Checks::default();
    entries(
        &mut page,
        ("rate", Tone::Note, "metrics that moved"),
        &texts,
        most,
    );
    let none = super::Cases::default();
    if is_same && change.cases == none && change.trials == none {
        page.gap();
        page.paragraph(0, "Nothing else changed.");
    }
    inert_lines(&page.finish())
}

fn heading(title: &str) -> &'static str {
    match title {
        "new" => "checks that broke",
        "lost" => "checks that were judged and no longer are",
        "still" => "checks that are still broken",
        "fixed" => "checks that were mended",
        "worse" => "cases that got worse",
        "better" => "cases that got better",
        "other" => "cases with another prompt or expectation, not compared",
        "added" => "cases that are new",
        _ => "cases that are gone",
    }
}

fn entries(
    page: &mut Page,
    (title, tone, heading): (&str, Tone, &str),
    texts: &[String],
    most: usize,
) {
    if texts.is_empty() {
        return;
    }
    page.gap();
    let all = words::number(texts.len());
    page.item(
        0,
        &[(tone, &format!("{title:<GUTTER$}"))],
        (Tone::Bold, &format!("{heading}: {all}")),
    );
    for text in texts.iter().take(most) {
        page.item(GUTTER, &[], (Tone::Plain, text));
    }
    if texts.len() > most {
        let more = words::number(texts.len() - most);
        let text = format!("{more} more; -v lists them all");
        page.item(GUTTER, &[], (Tone::Dim, &text));
    }
}

fn clean(text: &str, most: usize) -> String {
    terminal(&truncate_bytes(text, most))
}

fn check(one: &CheckChange) -> String {
    let word = |outcome: Option<Outcome>| outcome.map_or("absent", Outcome::word);
    let uncounted = if one.counts { "" } else { ", not counted" };
    format!(
        "{} ({} to {}{uncounted}): {}",
        clean(&one.id, 120),
        word(one.was),
        word(one.now),
        clean(&one.message, 300)
    )
}

fn case(one: &CaseChange) -> String {
    let red = |passes: Passes| match passes.standing {
        Standing::Red => ", red",
        _ => "",
    };
    let shown =
        |passes: Option<Passes>| passes.map(|it| format!("{} of {}{}", it.passed, it.of, red(it)));
    let runs = match (shown(one.was), shown(one.now)) {
        (Some(was), Some(now)) => format!("{was} to {now}"),
        (was, now) => was.or(now).unwrap_or_default(),
    };
    format!(
        "{} on {}: {runs}",
        clean(&one.case, 120),
        clean(&one.model, 120)
    )
}

fn rate(one: &MetricChange) -> String {
    let share = |rate: Option<verdict_model::behavior::Rate>| percent(rate.and_then(|it| it.rate));
    let by = match (one.change, one.clear) {
        (Some(by), true) => format!(" ({:+.1} points, more than chance)", by * 100.0),
        (Some(by), false) => format!(" ({:+.1} points, may be chance)", by * 100.0),
        (None, _) => String::new(),
    };
    let name = format!("{} {}", clean(&one.model, 120), measured(one.metric));
    match (one.was, one.now) {
        (None, _) => format!("{name}: {}, not measured before", share(one.now)),
        (_, None) => format!("{name}: {} before, no longer measured", share(one.was)),
        _ => format!("{name}: {} to {}{by}", share(one.was), share(one.now)),
    }
}
