//! What the report holds of the gate, from a model's stored runs.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use verdict_eval::gate::attribution::without_experiment;
use verdict_eval::gate::baseline::{
    Baseline, FirstPass, Key, Origin, Pool, SessionCounts, entered,
};
use verdict_eval::gate::decision::{Judged, Part, case, gate, record, standing};
use verdict_eval::gate::finished::{beside, explain};
use verdict_eval::gate::session::Session;
use verdict_eval::gate::{Counts, Rule};
use verdict_model::behavior::{Kind, Metric, ModelResult, Standing};
use verdict_model::gate::{Cause, Decision, Gate, Measured};

const CASES: usize = 10;

fn key() -> Key {
    Key {
        suite: "golden.yaml".to_owned(),
        model: "m".to_owned(),
        harness: "h".to_owned(),
    }
}

/// A model's runs: one text a case, `1` for a pass, `0` for a failure, `-` for no run; a bar before confirmations.
fn model(cases: &[&str]) -> ModelResult {
    let run = |index: usize, wave: u32, mark: u8| {
        let (outcome, scores) = match mark {
            b'1' => ("passed", json!({ "selection": true })),
            b'0' => ("failed", json!({ "selection": false })),
            _ => ("invalid", json!({})),
        };
        json!({ "index": index, "wave": wave, "outcome": outcome, "scores": scores, "calls": [], "turns": 1 })
    };
    let case = |(place, text): (usize, &&str)| {
        let (first, more) = text.split_once('|').unwrap_or((text, ""));
        let marks = first
            .bytes()
            .map(|mark| (0, mark))
            .chain(more.bytes().map(|mark| (1, mark)));
        let runs: Vec<Value> = marks
            .enumerate()
            .map(|(index, (wave, mark))| run(index, wave, mark))
            .collect();
        json!({ "id": format!("case-{place}"), "kind": "soft", "hash": "1", "prompt": "", "expected": "",
            "passRate": null, "interval": null, "standing": "met", "runs": runs })
    };
    let cases: Vec<Value> = cases.iter().enumerate().map(case).collect();
    let model = json!({ "id": "m", "metrics": {}, "cases": cases, "calls": 0 });
    serde_json::from_value(model).expect("a model's result")
}

fn baseline() -> Baseline {
    let first = |place| FirstPass {
        id: format!("case-{place}"),
        hash: "1".to_owned(),
        runs: Counts::new(5, 5),
        metrics: BTreeMap::from([(Metric::Selection, Counts::new(5, 5))]),
    };
    let session = SessionCounts {
        key: key(),
        origin: Origin {
            sha: Some("c0ffee".to_owned()),
            ..Origin::default()
        },
        judge: None,
        tools: Vec::new(),
        decision: Decision::Pass,
        green: true,
        curtailed: false,
        cases: (0..CASES).map(first).collect(),
    };
    let rule = Rule::default();
    (0..10).fold(Baseline::empty(), |baseline, _| {
        entered(&baseline, &rule, &session).0
    })
}

fn judged(model: &ModelResult, baseline: &Baseline) -> Gate {
    let rule = Rule::default();
    let suite = baseline.suite(&key());
    let mut session = Session::new(
        rule.clone(),
        model.cases.iter().map(|one| case(one, suite)).collect(),
    );
    for (place, one) in model.cases.iter().enumerate() {
        record(&mut session, place, one);
    }
    let ruling = session.ruling();
    let finding = without_experiment(false);
    let judged = Judged {
        rule: &rule,
        max_drop: 0.02,
        model,
        suite,
        ruling: &ruling,
        finding: Some((&finding, None)),
    };
    gate(Some(baseline.reference()), vec![judged.part()], Vec::new())
}

fn all_but_first(first: &'static str) -> ModelResult {
    let mut cases = vec!["11111"; CASES];
    cases[0] = first;
    model(&cases)
}

#[test]
fn a_quiet_night() {
    let gate = judged(&all_but_first("11111"), &baseline());
    assert_eq!(gate.decision, Decision::Pass);
    assert!(gate.regressions.is_empty());
    assert_eq!(
        gate.baseline.and_then(|baseline| baseline.sha).as_deref(),
        Some("c0ffee")
    );
    let [metric] = gate.per_metric.as_slice() else {
        panic!("one metric is defined: {:?}", gate.per_metric)
    };
    assert_eq!(
        (metric.metric, metric.decision),
        (Measured::Case(Metric::Selection), Decision::Pass)
    );
    assert_eq!(
        (metric.was, metric.now, metric.delta),
        (Some(1.0), Some(1.0), Some(0.0))
    );
    let model = &gate.models[0];
    assert_eq!(
        (
            model.cases,
            model.common,
            model.first_pass,
            model.confirmation
        ),
        (10, 10, 50, 0)
    );
    assert!(model.smallest_visible > model.noise && model.suspects.len() == 3);
}

#[test]
fn a_broken_case_is_named_with_its_cause() {
    let gate = judged(&all_but_first("10100|00100"), &baseline());
    assert_eq!(gate.decision, Decision::Fail);
    let [worse] = gate.regressions.as_slice() else {
        panic!("one case is broken: {:?}", gate.regressions)
    };
    assert_eq!(
        (worse.case.as_str(), worse.cause),
        ("case-0", Cause::ModelDrift)
    );
    assert_eq!(
        (worse.was, worse.now, worse.red),
        (Some(1.0), Some(0.3), true)
    );
    assert_eq!(gate.models[0].confirmation, 5);
    assert_eq!(gate.models[0].suspects[0].case, "case-0");
}

#[test]
fn an_undecided_report_says_how_to_go_on() {
    let gate = judged(&all_but_first("11110"), &baseline());
    assert_eq!(gate.decision, Decision::Warn);
    assert!(
        gate.models[0].reason.contains("mcp-verdict run"),
        "{}",
        gate.models[0].reason
    );
}

#[test]
fn a_changed_case_is_no_regression_of_the_model() {
    let mut baseline = baseline();
    baseline.suites[0].cases[0].hash = "0".to_owned();
    let gate = judged(&all_but_first("00000|00000"), &baseline);
    let worse = &gate.regressions[0];
    assert_eq!(
        (worse.cause, worse.was, worse.red),
        (Cause::GoldenCaseChanged, None, true)
    );
    assert_eq!(gate.models[0].common, 9);
}

#[test]
fn without_pools_it_learns() {
    let gate = judged(&all_but_first("11110"), &Baseline::empty());
    assert_eq!(gate.decision, Decision::Learning);
    assert_eq!(gate.per_metric[0].was, None);
    assert!(
        gate.models[0].reason.contains("0 of 10"),
        "{}",
        gate.models[0].reason
    );
}

#[test]
fn an_outage_is_no_decision() {
    let gate = judged(&all_but_first("11---"), &baseline());
    assert_eq!(gate.decision, Decision::Incomplete);
}

#[test]
fn the_worst_model_decides() {
    let worst = |decisions: &[Decision]| Decision::worst(decisions.iter().copied());
    assert_eq!(
        worst(&[Decision::Pass, Decision::Warn]),
        Some(Decision::Warn)
    );
    assert_eq!(
        worst(&[Decision::Incomplete, Decision::Fail]),
        Some(Decision::Fail)
    );
    assert_eq!(
        worst(&[Decision::Learning, Decision::Pass]),
        Some(Decision::Learning)
    );
    assert_eq!(
        gate(None, Vec::new(), Vec::new()).decision,
        Decision::Incomplete
    );
}

#[test]
fn the_report_holds_the_keys_of_the_contract() {
    let gate = judged(&all_but_first("00000"), &baseline());
    let value = serde_json::to_value(&gate).expect("JSON");
    for key in ["decision", "baseline", "perMetric", "regressions"] {
        assert!(value.get(key).is_some(), "{key}");
    }
    assert_eq!(value["decision"], "fail");
    assert_eq!(value["baseline"]["sha"], "c0ffee");
    let regression = &value["regressions"][0];
    for key in ["case", "was", "now", "cause"] {
        assert!(regression.get(key).is_some(), "{key}");
    }
    assert_eq!(regression["cause"], "model drift");
    assert_eq!(serde_json::from_value::<Gate>(value).expect("a gate"), gate);
}

#[test]
fn foreign_texts_are_shown_to_whoever_cleans_them() {
    let mut gate = judged(&all_but_first("00000"), &baseline());
    let mut seen = Vec::new();
    gate.texts(&mut |text| seen.push(text.clone()));
    for text in ["c0ffee", "case-0", "m"] {
        assert!(seen.iter().any(|one| one == text), "{text}");
    }
}

#[test]
fn a_case_stands_without_any_baseline() {
    let rule = Rule::default();
    let stands = |kind, runs: &'static str| standing(kind, &rule, 5, &model(&[runs]).cases[0].runs);
    assert_eq!(stands(Kind::Hard, "11111").standing, Standing::Met);
    assert_eq!(stands(Kind::Hard, "11110").needs, 5);
    assert_eq!(stands(Kind::Hard, "11000").standing, Standing::Red);
    assert_eq!(stands(Kind::Hard, "1----").standing, Standing::Unknown);
    assert_eq!(
        stands(Kind::Soft, "11100|11111").standing,
        Standing::Unstable
    );
}

#[test]
fn what_a_reader_has_to_know_is_said() {
    let mut baseline = baseline();
    assert!(judged(&all_but_first("11111"), &baseline).notes.is_empty());
    let two = judged(&model(&["11111"; 2]), &baseline);
    assert_eq!(two.decision, Decision::Pass);
    assert!(
        two.notes[0].contains("8 cases of the baseline did not run"),
        "{:?}",
        two.notes
    );
    assert!(two.notes[1].contains("loss of the whole suite cannot be seen"));
    baseline.suites[0].cases.truncate(7);
    let new = judged(&all_but_first("11111"), &baseline);
    assert_eq!(new.decision, Decision::Pass);
    assert_eq!(
        new.notes,
        ["m: 7 of 10 cases have a pool of 15 runs and count in the evidence"]
    );
}

#[test]
fn cases_that_do_not_count_as_others_do_are_named() {
    let mut baseline = baseline();
    let cases = &mut baseline.suites[0].cases;
    cases[0].hash = "0".to_owned();
    cases[1].runs.pool = Counts::new(0, 50);
    cases[2].runs.pool = Counts::new(42, 50);
    let mut night = model(&["11111", "00000", "11110"]);
    night.cases[2].kind = Kind::Hard;
    let notes = judged(&night, &baseline).notes.join("\n");
    for told in [
        "golden case changed: case-0; with another prompt",
        "known failing, since no run in the pool passed: case-1",
        "decides nothing: case-2 (pool 42/50)",
    ] {
        assert!(notes.contains(told), "{told}: {notes}");
    }
}

#[test]
fn a_judge_that_moves_alone_is_told_and_not_blamed_on_the_model() {
    let mut baseline = baseline();
    for case in &mut baseline.suites[0].cases {
        let pool = case.metrics[&Metric::Selection].clone();
        case.metrics.insert(Metric::Completion, pool);
    }
    let mut night = all_but_first("00000");
    for (place, case) in night.cases.iter_mut().enumerate() {
        for run in &mut case.runs {
            run.scores.insert(Metric::Selection, true);
            run.scores.insert(Metric::Completion, place > 0);
        }
    }
    let told = |night: &ModelResult| {
        let gate = judged(night, &baseline);
        assert_eq!(gate.decision, Decision::Fail);
        let mut part = Part {
            model: gate.models[0].clone(),
            per_metric: gate.per_metric,
            regressions: gate.regressions,
            notes: gate.notes,
        };
        explain(&mut part, night, Some(&[]), false);
        part
    };
    let alone = told(&night);
    assert!(alone.notes[0].contains("moved alone"), "{:?}", alone.notes);
    let worse = &alone.regressions[0];
    assert_eq!(worse.cause, Cause::Undetermined);
    assert!(
        worse
            .cause_detail
            .as_deref()
            .is_some_and(|why| why.contains("the judge"))
    );
    // Where the choice of tools got worse with it, it is no matter of the judge.
    for run in &mut night.cases[0].runs {
        run.scores.insert(Metric::Selection, false);
    }
    let both = told(&night);
    assert!(both.notes.is_empty(), "{:?}", both.notes);
    assert_eq!(both.regressions[0].cause, Cause::ModelDrift);
}

#[test]
fn pools_of_others_are_shown_and_not_compared() {
    let mut baseline = baseline();
    let about = |baseline: &Baseline, model: &str, harness: &str, judge| {
        let key = Key {
            model: model.to_owned(),
            harness: harness.to_owned(),
            ..key()
        };
        beside(baseline, &key, judge).join("\n")
    };
    assert_eq!(about(&baseline, "m", "h", None), "");
    let other = about(&baseline, "n", "h", None);
    assert!(
        other.contains("no runs of this model") && other.contains("m passed 500 of 500 runs there"),
        "{other}"
    );
    let harness = about(&baseline, "m", "i", None);
    assert!(
        harness.contains("other instructions or limits"),
        "{harness}"
    );
    // Another judge is told where something was judged.
    baseline.suites[0].judge = Some("1".to_owned());
    assert_eq!(about(&baseline, "m", "h", Some("2")), "");
    for case in &mut baseline.suites[0].cases {
        case.metrics.insert(Metric::Completion, Pool::default());
    }
    assert_eq!(about(&baseline, "m", "h", Some("1")), "");
    assert!(about(&baseline, "m", "h", Some("2")).contains("completion begins anew"));
    assert!(about(&baseline, "m", "h", None).contains("not compared"));
}
