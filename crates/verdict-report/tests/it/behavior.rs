//! Layers 1 and 3 in every format: the same numbers, and red cases where people look for them.

use crate::support::behavior::with_behavior;
use crate::support::page;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use verdict_model::Report;
use verdict_report::check_run::{Publication, complete};
use verdict_report::{Format, Style, Verbosity, render};

fn shown(report: &Report, format: Format) -> String {
    let style = Style {
        verbosity: Verbosity::Verbose,
        ..Style::default()
    };
    let out = render(report, format, &style);
    if format == Format::Html {
        page::read(&out)
    } else {
        out
    }
}

/// One value, many renderings: the numbers of the report are in each format for people.
#[test]
fn numbers_agree_in_all_formats() {
    let report = with_behavior(30, 4, 5);
    let layer = report.layers.behavior.as_ref().unwrap();
    let telemetry = report.layers.telemetry.as_ref().unwrap();
    let mut wanted = vec!["87 of 120 cases passed every run".to_owned()];
    for model in &layer.models {
        for rate in model.metrics.values() {
            let [low, high] = rate.interval.unwrap();
            wanted.push(format!("{:.1} %", rate.rate.unwrap() * 100.0));
            let (low, high) = (low * 100.0, high * 100.0);
            wanted.push(format!(
                "{} of {}, {low:.1}–{high:.1} %",
                rate.count, rate.of
            ));
        }
    }
    assert_eq!(telemetry.tools[0].p50_ms, Some(12.5));
    wanted.extend(["12.5 ms", "1.2 s", "81,204", "3,110", "0.4213", "187"].map(str::to_owned));
    for format in [Format::Text, Format::Markdown, Format::Github, Format::Html] {
        let out = shown(&report, format);
        for number in &wanted {
            // The page says `87 of 120` in its part on cases; Markdown counts cases of all models in a row.
            if format == Format::Markdown && number.starts_with("87 of") {
                continue;
            }
            assert!(
                out.contains(number.as_str()),
                "{number} is not in {format}:\n{out}"
            );
        }
    }
    let json: Report = serde_json::from_str(&shown(&report, Format::Json)).unwrap();
    assert_eq!(json, report);
}

/// Reds are 4 cases of 30 on two language models.
#[test]
fn reds_are_counted_alike() {
    let report = with_behavior(30, 4, 5);
    let log: Value = serde_json::from_str(&shown(&report, Format::Sarif)).unwrap();
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    let red: Vec<_> = results
        .iter()
        .filter(|it| it["ruleId"] == "golden.red")
        .collect();
    assert_eq!(red.len(), 8);
    let junit = shown(&report, Format::Junit);
    assert_eq!(junit.matches("type=\"golden\"").count(), 8);
    let page = render(&report, Format::Html, &Style::default());
    assert_eq!(page.matches("<em>red</em>").count(), 8);
}

#[test]
fn sarif_shows_a_red_case_at_its_line() {
    let log: Value = serde_json::from_str(&shown(&with_behavior(30, 4, 5), Format::Sarif)).unwrap();
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    let prints: BTreeSet<_> = results
        .iter()
        .map(|it| it["partialFingerprints"]["mcpVerdict/v1"].as_str().unwrap())
        .collect();
    assert_eq!(prints.len(), results.len());
    let red = results
        .iter()
        .find(|it| it["ruleId"] == "golden.red")
        .unwrap();
    let index = usize::try_from(red["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(rules[index]["id"], "golden.red");
    assert_eq!(red["level"], "error");
    assert_eq!(
        red["locations"][0]["physicalLocation"],
        json!({ "artifactLocation": { "uri": "golden/tasks.yaml", "uriBaseId": "%SRCROOT%" },
            "region": { "startLine": 15 } })
    );
    let text = red["message"]["text"].as_str().unwrap();
    assert!(text.starts_with(
        "case-of-acme-3 on openai:large-1: 0 of 5 runs passed\nexpected search_invoices"
    ));
    assert!(text.contains("Mend: Description: `get_invoice` was taken"));
}

#[test]
fn a_report_without_reds_has_no_rule_for_them() {
    let log: Value = serde_json::from_str(&shown(&with_behavior(2, 4, 5), Format::Sarif)).unwrap();
    let rules = log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap();
    assert!(rules.iter().all(|rule| rule["id"] != "golden.red"));
}

#[test]
fn a_check_run_marks_red_cases_behind_failing_checks() {
    let done = complete(&with_behavior(30, 4, 5), &Publication::default());
    let done = serde_json::to_value(&done.updates).unwrap();
    let all: Vec<&Value> = done
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|update| update["output"]["annotations"].as_array().unwrap())
        .collect();
    let red: Vec<_> = all
        .iter()
        .filter(|it| it["path"] == "golden/tasks.yaml")
        .collect();
    assert_eq!(red.len(), 8);
    assert_eq!(
        **red[0],
        json!({ "path": "golden/tasks.yaml", "start_line": 15, "end_line": 15, "annotation_level": "failure",
            "title": "case-of-acme-3 on openai:large-1: 0 of 5 runs passed",
            "message": red[0]["message"] })
    );
    assert!(red[0]["message"].as_str().unwrap().contains("Mend: "));
    let levels: Vec<_> = all
        .iter()
        .map(|it| it["annotation_level"].as_str().unwrap())
        .collect();
    assert!(levels.is_sorted_by_key(|level| {
        ["failure", "warning", "notice"]
            .iter()
            .position(|it| it == level)
    }));
}

#[test]
fn a_check_run_keeps_to_the_limits_with_many_reds() {
    let mut report = with_behavior(400, 4, 1);
    report.texts(&mut |text| text.push_str(&"\u{202e}".repeat(1_500)));
    let done = complete(&report, &Publication::default());
    let done = serde_json::to_value(&done.updates).unwrap();
    let mut count = 0;
    for update in done.as_array().unwrap() {
        let batch = update["output"]["annotations"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        assert!(batch.len() <= 50);
        assert!(update["output"]["summary"].as_str().unwrap().len() <= 65_535);
        count += batch.len();
        for one in batch {
            assert!(one["title"].as_str().unwrap().len() <= 255);
            assert!(one["message"].as_str().unwrap().len() <= 4_096);
        }
    }
    assert_eq!(count, 100);
    let log: Value = serde_json::from_str(&shown(&report, Format::Sarif)).unwrap();
    assert!(log["runs"][0]["results"].as_array().unwrap().len() <= 5_000);
}
