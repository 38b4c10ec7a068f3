//! What changed between two reports.

use crate::support::behavior::with_behavior;
use crate::support::{clean, sample};
use serde_json::{Value, json};
use verdict_model::behavior::{RunOutcome, Standing};
use verdict_model::{Outcome, Report};
use verdict_report::{Style, change, change_text, pretty};

fn changed(was: &Report, now: &Report) -> Value {
    serde_json::from_str(&pretty(&change(was, now))).unwrap()
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect()
}

fn outcome(report: &mut Report, id: &str, outcome: Outcome) {
    let checks = &mut report.layers.conformance.as_mut().unwrap().checks;
    checks
        .iter_mut()
        .find(|check| check.id == id)
        .unwrap()
        .outcome = outcome;
}

#[test]
fn nothing_is_nothing() {
    let report = with_behavior(3, 2, 5);
    let told = change(&report, &report);
    assert!(told.checks.new.is_empty() && told.checks.fixed.is_empty());
    assert_eq!(told.checks.still_failing.len(), 5);
    assert!(told.cases.worse.is_empty() && told.cases.better.is_empty());
    assert!(
        told.metrics
            .iter()
            .all(|one| one.change == Some(0.0) && !one.clear)
    );
    let text = change_text(&change(&clean(), &clean()), &Style::default());
    assert_eq!(text, "PASS, as before\n\nNothing else changed.\n");
}

#[test]
fn checks_fall_into_four_lists() {
    let mut now = sample();
    outcome(&mut now, "discover.answers", Outcome::Fail);
    outcome(&mut now, "schema.ref-local", Outcome::Pass);
    outcome(&mut now, "errors.method-not-found", Outcome::Skip);
    outcome(&mut now, "header.method-mismatch", Outcome::Error);
    let checks = &mut now.layers.conformance.as_mut().unwrap().checks;
    checks.retain(|check| check.id != "result.type-present");
    let told = changed(&sample(), &now);
    assert_eq!(ids(&told["checks"]["new"]), ["discover.answers"]);
    assert_eq!(ids(&told["checks"]["fixed"]), ["schema.ref-local"]);
    assert_eq!(
        ids(&told["checks"]["stillFailing"]),
        [
            "list.tools-order-stable",
            "cache.hints-tools-list",
            "list.cursor-invalid"
        ]
    );
    assert_eq!(
        ids(&told["checks"]["noLongerMeasured"]),
        [
            "errors.method-not-found",
            "header.method-mismatch",
            "result.type-present"
        ]
    );
    assert_eq!(told["checks"]["stillFailing"][2]["counts"], false);
    assert_eq!(told["checks"]["noLongerMeasured"][2]["now"], Value::Null);
}

#[test]
fn cases_and_metrics_are_compared_by_model() {
    let was = with_behavior(4, 2, 5);
    let mut now = was.clone();
    let models = &mut now.layers.behavior.as_mut().unwrap().models;
    let rate = models[0].metrics.values_mut().next().unwrap();
    (rate.rate, rate.interval) = (Some(0.2), Some([0.1, 0.3]));
    let cases = &mut models[0].cases;
    cases[0].runs[1].outcome = RunOutcome::Failed;
    cases[0].standing = Standing::Red;
    cases[2].runs[1].outcome = RunOutcome::Passed;
    cases[3].hash = "another".to_owned();
    // An invalid run is no run: 5 of 5 and 4 of 4 are the same share.
    cases[1].runs[0].outcome = RunOutcome::Invalid;
    models[1].cases[0].id = "renamed".to_owned();
    let told = changed(&was, &now);
    assert_eq!(
        told["cases"],
        json!({
            "worse": [{ "model": "openai:large-1", "case": "case-of-acme-0",
                "was": { "passed": 5, "of": 5, "standing": "met" },
                "now": { "passed": 4, "of": 5, "standing": "red" } }],
            "better": [{ "model": "openai:large-1", "case": "case-of-acme-2",
                "was": { "passed": 4, "of": 5, "standing": "unstable" },
                "now": { "passed": 5, "of": 5, "standing": "unstable" } }],
            "changed": [{ "model": "openai:large-1", "case": "case-of-acme-3",
                "was": { "passed": 0, "of": 5, "standing": "red" },
                "now": { "passed": 0, "of": 5, "standing": "red" } }],
            "added": [{ "model": "anthropic:small-2", "case": "renamed", "was": null,
                "now": { "passed": 5, "of": 5, "standing": "met" } }],
            "gone": [{ "model": "anthropic:small-2", "case": "case-of-acme-0",
                "was": { "passed": 5, "of": 5, "standing": "met" }, "now": null }],
        })
    );
    let metric = &told["metrics"][0];
    assert_eq!(
        (&metric["metric"], &metric["clear"]),
        (&json!("selection"), &json!(true))
    );
    let text = change_text(&change(&was, &now), &Style::default());
    for line in [
        "FAIL, as before",
        "worse  cases that got worse: 1",
        "       case-of-acme-0 on openai:large-1: 5 of 5 to 4 of 5, red",
        "       openai:large-1 selection: 92.0 % to 20.0 % (-72.0 points, more than chance)",
        "other  cases with another prompt or expectation, not compared: 1",
    ] {
        assert!(text.contains(line), "{line}\nis not in\n{text}");
    }
}

#[test]
fn hostile_text_stays_text() {
    for attack in crate::hostile::ATTACKS {
        let mut now = with_behavior(4, 2, 2);
        now.texts(&mut |text| *text = (*attack).to_owned());
        for (one, other) in [(&sample(), &now), (&now, &sample())] {
            let told = change(one, other);
            let text = change_text(&told, &Style::default());
            assert_eq!(crate::support::runner::commands(&text), [], "{attack:?}");
            assert!(
                text.chars().all(|c| c == '\n' || !c.is_control()),
                "{attack:?}"
            );
            assert_eq!(crate::support::runner::commands(&pretty(&told)), []);
        }
    }
}
