use super::*;
use serde_json::{Value, json};
use verdict_model::gate::Decision;

/// One model with a trial for each list of outcomes.
fn layer(trials: &[[&str; 5]]) -> Resilience {
    let trial = |(place, outcomes): (usize, &[&str; 5])| {
        let run = |(index, outcome): (usize, &&str)| json!({ "index": index, "outcome": outcome, "exposed": true, "calls": [], "turns": 1 });
        let runs: Vec<Value> = outcomes.iter().enumerate().map(run).collect();
        json!({ "id": format!("t{place}"), "model": "m", "case": "a", "kind": "hard", "hash": format!("h{place}"),
            "trial": { "kind": "fault", "fault": "timeout", "when": "first" }, "prompt": "", "disturbance": "",
            "runs": runs, "passRate": null, "interval": null, "standing": "met" })
    };
    let cases: Vec<Value> = trials.iter().enumerate().map(trial).collect();
    let value = json!({
        "golden": { "path": "golden/tasks.yaml", "hash": "", "cases": 1 },
        "models": [{ "id": "m", "metrics": {}, "calls": 1 }],
        "cases": cases, "durationMs": 1,
    });
    serde_json::from_value(value).unwrap()
}

const GOOD: [&str; 5] = ["recovered-by-retry"; 5];
const BAD: [&str; 5] = ["false-success"; 5];

fn terms(mode: Mode) -> Terms {
    Terms::new(mode, 5, 0.02)
}

fn baseline(layer: &Resilience) -> Baseline {
    entered(
        &Baseline::empty(),
        layer,
        &SessionInfo::default(),
        &Rule::of_runs(5),
    )
}

fn decisions(
    now: &Resilience,
    was: &Baseline,
    mode: Mode,
) -> Vec<(&'static str, Option<f64>, Decision)> {
    let changes = changes(now, &SessionInfo::default(), Some(was), &terms(mode));
    let told = changes.iter();
    told.map(|change| (change.metric.key(), change.delta, change.decision))
        .collect()
}

#[test]
fn a_drop_warns_by_evidence_and_fails_by_the_plain_rule() {
    let was = baseline(&layer(&[GOOD; 4]));
    let same = decisions(&layer(&[GOOD; 4]), &was, Mode::Evidence);
    let pass = Decision::Pass;
    assert_eq!(
        same,
        [
            ("recovered", Some(0.0), pass),
            ("falseSuccess", Some(0.0), pass)
        ]
    );
    // Complements: what claims more than before is a drop.
    let worse = layer(&[BAD, BAD, BAD, GOOD]);
    let told = decisions(&worse, &was, Mode::Evidence);
    assert_eq!(told[1], ("falseSuccess", Some(-0.75), Decision::Warn));
    let told = decisions(&worse, &was, Mode::Literal);
    assert_eq!(told[1], ("falseSuccess", Some(-0.75), Decision::Fail));
    // One run of twenty is within chance.
    let mut one = GOOD;
    one[0] = "false-success";
    let told = decisions(&layer(&[one, GOOD, GOOD, GOOD]), &was, Mode::Evidence);
    assert_eq!(told[1].2, Decision::Pass);
}

#[test]
fn another_trial_begins_anew() {
    let was = baseline(&layer(&[GOOD; 2]));
    let mut now = layer(&[GOOD, BAD]);
    "other".clone_into(&mut now.cases[1].hash);
    let told = decisions(&now, &was, Mode::Literal);
    assert!(
        told.iter()
            .all(|(_, delta, it)| *delta == Some(0.0) && *it == Decision::Pass),
        "{told:?}"
    );
    let nothing = changes(&now, &SessionInfo::default(), None, &terms(Mode::Evidence));
    assert!(
        nothing
            .iter()
            .all(|change| change.decision == Decision::Learning && change.was.is_none())
    );
}

#[test]
fn pools_fill_and_freeze_and_are_read_back() {
    let green = layer(&[GOOD; 2]);
    let mut held = baseline(&green);
    for _ in 0..40 {
        held = entered(&held, &green, &SessionInfo::default(), &Rule::of_runs(5));
    }
    let pool = held.trials[0].cases[0].metrics[&TrialMetric::Recovered];
    assert_eq!(pool.runs, Rule::of_runs(5).full_pool());
    let text = held.to_text().unwrap();
    assert!(
        text.contains("\n      {\"id\":\"t0\",\"hash\":\"h0\",\"metrics\":{\"recovered\":"),
        "{text}"
    );
    assert_eq!(Baseline::parse(&text).unwrap(), held);
    // Runs that are no measurement of this night leave it alone.
    let mut reused = layer(&[BAD; 2]);
    for run in reused.cases.iter_mut().flat_map(|trial| &mut trial.runs) {
        run.reused = true;
    }
    assert!(baseline(&reused).trials.is_empty());
    let twice = text.replace(
        "\"id\":\"t1\",\"hash\":\"h1\"",
        "\"id\":\"t0\",\"hash\":\"h0\"",
    );
    let wrong = Baseline::parse(&twice).unwrap_err().to_string();
    assert!(
        wrong.contains("the trial \"t0\" with hash \"h0\" twice"),
        "{wrong}"
    );
}

#[test]
fn the_worse_of_both_layers_decides() {
    let blank = || Gate {
        decision: Decision::Pass,
        mode: Mode::Evidence,
        baseline: None,
        per_metric: vec![],
        regressions: vec![],
        models: vec![],
        trend: vec![],
        notes: vec![],
    };
    let first = changes(
        &layer(&[GOOD]),
        &SessionInfo::default(),
        None,
        &terms(Mode::Evidence),
    );
    let gate = held(blank(), Decision::Pass, first.clone());
    assert_eq!((gate.decision, gate.per_metric.len()), (Decision::Pass, 2));
    assert_eq!(
        held(gate.clone(), Decision::Fail, first).decision,
        Decision::Fail
    );
    let json = serde_json::to_value(&gate).unwrap();
    assert_eq!(json["perMetric"][0]["metric"], "recovered");
    assert_eq!(serde_json::from_value::<Gate>(json).unwrap(), gate);
}
