//! Layer 0: the seven headlines, then every area with its findings and their evidence.

use super::piece::{
    chip, code, counted, fold, lines, outcome_chip, outcome_class, prose, terms, text,
};
use super::plot;
use crate::findings::{
    area, checks, conformance, counts, further, is_problem, keyword, location, spec_link, uncounted,
};
use crate::words;
use std::fmt::Write as _;
use verdict_model::report::{CheckResult, Evidence};
use verdict_model::{Outcome, Report};

/// Evidence items of a check.
const ITEMS: usize = 5;
/// Bytes of an exchange that are shown of one check's first evidence.
const EXCHANGE: usize = 2_000;
/// Bytes of all exchanges together.
const EXCHANGES: usize = 60_000;
/// Checks that are told one by one; a report from a file may hold any number.
const CHECKS: usize = 500;

pub(super) fn section(report: &Report) -> String {
    let all = checks(report);
    let mut out = assertions(all);
    let mut areas: Vec<(&str, Vec<(usize, &CheckResult)>)> = Vec::new();
    let mut places = std::collections::BTreeMap::new();
    for (index, check) in all.iter().enumerate().take(CHECKS) {
        let place = *places.entry(area(check)).or_insert_with(|| {
            areas.push((area(check), Vec::new()));
            areas.len() - 1
        });
        if let Some((_, members)) = areas.get_mut(place) {
            members.push((index, check));
        }
    }
    let mut room = EXCHANGES;
    for (name, members) in &areas {
        out.push_str(&one_area(name, members, &mut room));
    }
    if all.len() > CHECKS {
        let more = words::number(all.len() - CHECKS);
        let _ = writeln!(
            out,
            "<p class=\"dim\">{more} more checks; the JSON report has all.</p>"
        );
    }
    let hints = conformance(report).map_or(&[][..], |layer| &layer.hints);
    if !hints.is_empty() {
        out.push_str("<h3>To try more</h3>\n<ul class=\"plain\">");
        for hint in hints.iter().take(20) {
            let _ = write!(out, "<li>{}</li>", prose(hint, 400));
        }
        out.push_str("</ul>\n");
    }
    out
}

fn assertions(all: &[CheckResult]) -> String {
    if all.iter().all(|check| check.assertion.is_none()) {
        return String::new();
    }
    let mut out = "<ol class=\"seven\">\n".to_owned();
    for (number, title) in (1_u8..).zip(words::ASSERTIONS) {
        let members = all
            .iter()
            .filter(|check| check.assertion == Some(number) && counts(check));
        let state = words::assertion_state(members);
        let state = state.map_or_else(|| chip("skip", "not checked"), outcome_chip);
        let _ = writeln!(out, "<li>{state}<span>{}</span></li>", prose(title, 200));
    }
    out.push_str("</ol>\n");
    out
}

fn one_area(name: &str, members: &[(usize, &CheckResult)], room: &mut usize) -> String {
    let head = summary(name, members);
    let mut body = String::new();
    let is_shown = |check: &CheckResult| is_problem(check) || check.outcome == Outcome::Info;
    let mut shown: Vec<_> = members
        .iter()
        .filter(|(_, check)| is_shown(check))
        .collect();
    shown.sort_by_key(|(_, check)| (check.outcome.rank(), !counts(check)));
    for (index, check) in shown {
        body.push_str(&finding(*index, check, room));
    }
    body.push_str("<ul class=\"checks\">\n");
    for (index, check) in members.iter().filter(|(_, check)| !is_shown(check)) {
        let said = match check.outcome {
            Outcome::Pass => &check.title,
            _ => &check.message,
        };
        let _ = writeln!(
            body,
            "<li id=\"check-{index}\">{} <b>{}</b> <span>{}</span></li>",
            outcome_chip(check.outcome),
            text(&check.id, 120),
            prose(said, 200)
        );
    }
    body.push_str("</ul>\n");
    let is_open = members
        .iter()
        .any(|(_, check)| counts(check) && matches!(check.outcome, Outcome::Fail | Outcome::Error));
    fold("area", is_open, &head, &body)
}

/// An area's name, how its checks ended as a bar, and the same in words.
fn summary(name: &str, members: &[(usize, &CheckResult)]) -> String {
    let count = |outcome| {
        let some = members.iter().filter(|(_, check)| check.outcome == outcome);
        some.count() as u64
    };
    let tally: Vec<_> = words::COUNT_ORDER
        .into_iter()
        .map(|outcome| (outcome, count(outcome)))
        .filter(|(_, count)| *count > 0)
        .collect();
    let words: Vec<_> = tally
        .iter()
        .map(|(outcome, count)| format!("{count} {}", outcome.word()))
        .collect();
    let parts: Vec<_> = tally
        .iter()
        .map(|(outcome, count)| (outcome_class(*outcome), *count))
        .collect();
    format!(
        "<b>{}</b>{}<span class=\"tally\">{}</span>",
        text(name, 60),
        plot::bar(&parts),
        words.join(", ")
    )
}

fn finding(index: usize, check: &CheckResult, room: &mut usize) -> String {
    let mut out = format!(
        "<article class=\"finding {}\" id=\"check-{index}\">\n<h3>{} {} <small>{}</small></h3>\n<p>{}</p>\n",
        outcome_class(check.outcome),
        outcome_chip(check.outcome),
        text(&check.id, 120),
        keyword(check.level),
        prose(&check.message, 600)
    );
    if let Some(why) = uncounted(check) {
        let _ = writeln!(out, "<p class=\"dim\">{}</p>", prose(&why, 300));
    }
    if !check.evidence.is_empty() {
        out.push_str("<ul class=\"evidence\">\n");
        for item in check.evidence.iter().take(ITEMS) {
            let _ = writeln!(out, "<li>{}</li>", evidence(item));
        }
        out.push_str("</ul>\n");
    }
    let more = further(check, ITEMS);
    if more > 0 {
        let more = counted(more, "more item");
        let _ = writeln!(out, "<p class=\"dim\">{more} in the JSON report.</p>");
    }
    out.push_str(&exchange(check, room));
    let place = location(check).map_or_else(String::new, |place| {
        code(&format!("{}:{}", place.path, place.line.max(1)), 300)
    });
    let rule = match spec_link(check) {
        Some(url) => format!(
            "<a rel=\"noreferrer\" href=\"{url}\">{}</a>",
            prose(&check.title, 200)
        ),
        None => prose(&check.title, 200),
    };
    out.push_str(&terms(&[
        ("Mend", prose(&check.fix, 600)),
        ("Where", place),
        ("Rule", rule),
    ]));
    out.push_str("</article>\n");
    out
}

fn evidence(item: &Evidence) -> String {
    let subject = item
        .subject
        .as_deref()
        .filter(|subject| !subject.is_empty());
    let mut out = subject.map_or_else(String::new, |subject| code(subject, 200));
    let _ = write!(out, " {}", prose(&item.message, 400));
    if let Some(pointer) = item
        .pointer
        .as_deref()
        .filter(|pointer| !pointer.is_empty())
    {
        let _ = write!(out, " <span class=\"dim\">at {}</span>", text(pointer, 200));
    }
    out
}

/// The first exchange that was kept, folded; nothing where the page has no more room for such.
fn exchange(check: &CheckResult, room: &mut usize) -> String {
    let kept = |item: &&Evidence| item.request.is_some() || item.response.is_some();
    let Some(item) = check.evidence.iter().find(kept) else {
        return String::new();
    };
    let mut body = String::new();
    for (name, part) in [("Sent", &item.request), ("Came back", &item.response)] {
        if let Some(part) = part {
            let _ = write!(
                body,
                "<p class=\"label\">{name}</p>{}",
                lines(part, EXCHANGE)
            );
        }
    }
    match room.checked_sub(body.len()) {
        Some(left) => {
            *room = left;
            fold("exchange", false, "Request and response", &body)
        }
        None => String::new(),
    }
}
