//! The verdict, who was judged, and what to do first.

use super::piece::{chip, counted, outcome_chip, prose, terms, text, verdict_class};
use crate::behavior::{Miss, behavior, misses, model_names, percent};
use crate::findings::{checks, counts, is_problem, worst_first};
use crate::trials::{self, Tried};
use crate::words;
use std::fmt::Write as _;
use verdict_model::report::CheckResult;
use verdict_model::resilience::ServerTrial;
use verdict_model::{Outcome, Report, Verdict};

/// Entries of the list of what to do first.
const MOST: usize = 6;

pub(super) fn header(report: &Report) -> String {
    let target = &report.target;
    let (class, word) = (
        verdict_class(report.verdict),
        words::verdict(report.verdict),
    );
    let mut facts = vec![
        (
            "Target",
            format!(
                "{} ({})",
                text(&words::endpoint(target), 500),
                text(&target.transport, 20)
            ),
        ),
        ("Protocol", text(&words::era(target), 80)),
        (
            "Source",
            words::source(report).map_or_else(String::new, |source| text(&source, 200)),
        ),
    ];
    if crate::findings::conformance(report).is_some() {
        facts.push(("Checks", words::tally(report)));
        facts.push(("Requests", words::effort(report).unwrap_or_default()));
    }
    if let Some(layer) = behavior(report) {
        let runs: usize = layer
            .models
            .iter()
            .flat_map(|model| &model.cases)
            .map(|case| case.runs.len())
            .sum();
        facts.push((
            "Golden set",
            format!(
                "{}, {}, {} in {}",
                text(&layer.golden.path, 200),
                counted(layer.golden.cases, "case"),
                counted(runs as u64, "run"),
                words::duration(layer.duration_ms)
            ),
        ));
    }
    if let Some(layer) = trials::resilience(report).filter(|layer| !layer.cases.is_empty()) {
        let runs: usize = layer.cases.iter().map(|trial| trial.runs.len()).sum();
        facts.push((
            "Trials",
            format!(
                "{}, {} in {}",
                counted(layer.cases.len() as u64, "trial"),
                counted(runs as u64, "run"),
                words::duration(layer.duration_ms)
            ),
        ));
    }
    format!(
        "<header>\n<p class=\"stamp {class}\">{word}</p>\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n{}</header>\n",
        text(&words::server(target), 200),
        prose(&report.summary, 2_000),
        terms(&facts)
    )
}

/// Something to do.
enum Entry<'r> {
    Check(&'r CheckResult),
    Trial(Tried<'r>),
    /// A trial of the server itself, and its place among them.
    Server(usize, &'r ServerTrial),
    Case(Miss<'r>),
}

/// What makes the verdict, worst first, each with its mend and the way to its place on the page.
pub(super) fn first(report: &Report) -> String {
    let all = checks(report);
    let problems: Vec<_> = worst_first(all)
        .into_iter()
        .filter(|check| is_problem(check) && counts(check))
        .collect();
    let (bad, careful): (Vec<&CheckResult>, Vec<_>) = problems
        .into_iter()
        .partition(|check| check.outcome != Outcome::Warn);
    let misses = misses(report);
    let mut named = std::collections::BTreeSet::new();
    // A case that several models miss is one thing to do.
    let mut cases = |is_red: bool| -> Vec<Entry<'_>> {
        let some = misses.iter().filter(|miss| {
            miss.is_red() == is_red
                && !miss.model.is_baseline
                && named.insert(miss.case.id.as_str())
        });
        some.map(|miss| Entry::Case(*miss)).collect()
    };
    let (red, unstable) = (cases(true), cases(false));
    let tried = trials::worst_first(report).into_iter();
    let trials = tried.filter(|tried| tried.is_red()).map(Entry::Trial);
    let server = trials::resilience(report).map_or(&[][..], |layer| &layer.server);
    let server = server.iter().take(super::trials::SERVER).enumerate();
    let (fell, doubtful): (Vec<_>, Vec<_>) = server
        .filter(|(_, one)| trials::fell(one))
        .map(|(place, one)| (one.outcome, Entry::Server(place, one)))
        .partition(|(outcome, _)| *outcome != Outcome::Warn);
    let entries: Vec<Entry<'_>> = (bad.into_iter().map(Entry::Check))
        .chain(fell.into_iter().map(|(_, entry)| entry))
        .chain(trials)
        .chain(red)
        .chain(careful.into_iter().map(Entry::Check))
        .chain(doubtful.into_iter().map(|(_, entry)| entry))
        .chain(unstable)
        .collect();
    let mut out = "<section id=\"first\" aria-labelledby=\"first-h\">\n<h2 id=\"first-h\">What to do first</h2>\n".to_owned();
    if entries.is_empty() {
        out.push_str(match report.verdict {
            Verdict::Pass => "<p>Nothing has to be mended.</p>\n",
            _ => "<p>No single check or case decided this; the sentence above says what did.</p>\n",
        });
    } else {
        out.push_str("<ol class=\"first\">\n");
        for entry in entries.iter().take(MOST) {
            let told = match entry {
                Entry::Check(check) => of_check(all, check),
                Entry::Trial(tried) => of_trial(report, *tried),
                Entry::Server(place, one) => of_server(*place, one),
                Entry::Case(miss) => of_miss(report, *miss),
            };
            let _ = writeln!(out, "<li>{told}</li>");
        }
        out.push_str("</ol>\n");
        if entries.len() > MOST {
            let more = words::number(entries.len() - MOST);
            let _ = writeln!(out, "<p class=\"dim\">{more} more below.</p>");
        }
    }
    out.push_str("</section>\n");
    out
}

fn of_check(all: &[CheckResult], check: &CheckResult) -> String {
    let index = all.iter().position(|one| std::ptr::eq(one, check));
    format!(
        "{} <a href=\"#check-{}\"><b>{}</b></a> {}{}",
        outcome_chip(check.outcome),
        index.unwrap_or_default(),
        text(&check.id, 120),
        prose(&check.message, 400),
        mend(&check.fix)
    )
}

fn of_miss(report: &Report, miss: Miss<'_>) -> String {
    let (class, word) = if miss.is_red() {
        ("fail", "red")
    } else {
        ("warn", "unstable")
    };
    let anchor = super::matrix::anchor(report, &miss.case.id);
    let models = behavior(report).map_or(&[][..], |layer| &layer.models);
    let mut named = models.iter().zip(model_names(models));
    let model = named.find(|(model, _)| std::ptr::eq(*model, miss.model));
    let model = model.map_or_else(|| miss.model.id.clone(), |(_, name)| name);
    format!(
        "{} <a href=\"#{anchor}\"><b>{}</b></a> on {}: {}{}",
        chip(class, word),
        text(&miss.case.id, 120),
        text(&model, 120),
        crate::behavior::tally(miss.case),
        match because(report, miss) {
            // To wait and see is no advice where the gate has seen it.
            Some(cause) if miss.case.advice.starts_with("Watch it") => cause,
            Some(cause) => format!("{cause}{}", mend(&miss.case.advice)),
            None => mend(&miss.case.advice),
        }
    )
}

fn of_trial(report: &Report, tried: Tried<'_>) -> String {
    let trial = tried.trial;
    format!(
        "{} <a href=\"#{}\"><b>{}</b></a> on {}: {}{}",
        chip("fail", "red"),
        super::trials::anchor(report, &trial.id),
        text(&trial.id, 120),
        text(&trial.model, 120),
        trials::tally(trial),
        mend(&trial.advice)
    )
}

fn of_server(place: usize, one: &ServerTrial) -> String {
    let name = format!(
        "<a href=\"#server-{place}\"><b>{}</b></a>",
        text(&one.id, 120)
    );
    super::trials::ordeal(one, &name)
}

/// What the gate says of a case that got worse, as a paragraph; nothing where it does not name the case.
fn because(report: &Report, miss: Miss<'_>) -> Option<String> {
    let named = report.gate.iter().flat_map(|gate| &gate.regressions);
    let of_case: Vec<_> = named.filter(|one| one.case == miss.case.id).collect();
    let own = of_case.iter().find(|one| one.model == miss.model.id);
    let regression = own.or(of_case.first())?;
    let reason = crate::gate::reason(regression);
    let text = format!(
        "Got worse, {} → {}; cause: {reason}",
        percent(regression.was),
        percent(regression.now)
    );
    Some(format!("<p class=\"mend\">{}</p>", prose(&text, 2_000)))
}

fn mend(advice: &str) -> String {
    if advice.is_empty() {
        return String::new();
    }
    format!("<p class=\"mend\">{}</p>", prose(advice, 500))
}
