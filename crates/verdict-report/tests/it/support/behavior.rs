//! A believable layer 1: cases, models and runs that pass and fail in several ways.

use serde_json::{Value, json};
use verdict_model::Report;

/// Names of models: three that are language models, and the baseline.
const MODELS: [&str; 4] = [
    "openai:large-1",
    "anthropic:small-2",
    "openai-compatible:tiny-1.5b@http://127.0.0.1:8089",
    "lexical",
];

/// The report of the other tests with layers 1 and 3: `cases` cases, up to four models, `runs` runs of each.
pub(crate) fn with_behavior(cases: usize, models: usize, runs: usize) -> Report {
    let mut report = super::sample();
    let layer: Vec<Value> = MODELS
        .iter()
        .take(models)
        .enumerate()
        .map(|(place, id)| model(place, id, cases, runs))
        .collect();
    let behavior = json!({
        "golden": { "path": "golden/tasks.yaml", "hash": "00ff", "cases": cases },
        "models": layer,
        "judge": { "id": "openai:judge-1", "promptHash": "aa", "rubrics": {}, "failures": 1, "calls": 40 },
        "durationMs": 754_000,
        "notes": ["The client answered `elicitation/create` from the case."],
    });
    let telemetry = json!({
        "tools": [
            { "name": "get_invoice", "calls": 1_234, "timed": 800, "p50Ms": 12.5, "p95Ms": 1_290.0,
              "inputTokens": 81_204, "outputTokens": 3_110, "usd": 0.4213, "weight": 187 },
            { "name": "email_invoice", "calls": 3, "timed": 0 },
        ],
        "models": [
            { "id": "openai:large-1", "runs": 150, "calls": 151, "p50Ms": 640.0, "p95Ms": 2_410.0,
              "serverP50Ms": 11.0, "serverP95Ms": 80.0, "inputTokens": 90_001, "outputTokens": 4_002, "usd": 0.5125 },
        ],
    });
    report.layers.behavior = Some(serde_json::from_value(behavior).unwrap());
    report.layers.telemetry = Some(serde_json::from_value(telemetry).unwrap());
    report.verdict = verdict_model::Verdict::Fail;
    report
}

fn model(place: usize, id: &str, cases: usize, runs: usize) -> Value {
    let all: Vec<Value> = (0..cases).map(|case| one_case(place, case, runs)).collect();
    json!({
        "id": id,
        "isBaseline": id == "lexical",
        "servedBy": [format!("{id}-2026-01-01")],
        "metrics": {
            "selection": { "count": 138 - place, "of": 150, "rate": 0.92 - 0.1 * f64::from(u8::try_from(place).unwrap()), "interval": [0.52, 0.955] },
            "overTrigger": { "count": 1, "of": 20, "rate": 0.05, "interval": [0.009, 0.236] },
            "arguments": { "count": 101, "of": 138, "rate": 0.7319, "interval": [0.65, 0.8] },
        },
        "cases": all,
        "calls": 1_163,
        "reused": 150,
        "tokens": { "input": 81_204, "output": 3_110 },
        "usd": if place == 2 { Value::Null } else { json!(0.42) },
        "notes": ["Two names were shortened for this provider."],
    })
}

/// Every seventh case is red for a language model, every fifth is missed once.
fn one_case(place: usize, case: usize, runs: usize) -> Value {
    let red = case % 7 == 3 && place != 1;
    let bad = |run: usize| red || (case % 5 == 2 && run == 1);
    let all: Vec<Value> = (0..runs)
        .map(|run| one_run(place, case, run, bad(run)))
        .collect();
    let passed = (0..runs).filter(|run| !bad(*run)).count();
    let collisions = if red {
        json!([{ "expected": "search_invoices", "called": "get_invoice", "runs": runs, "shared": ["invoice", "customer"] }])
    } else {
        json!([])
    };
    json!({
        "id": format!("case-of-acme-{case}"),
        "kind": if red { "hard" } else { "soft" },
        "hash": "0011",
        "prompt": format!("Which bills has customer {case} still not paid although they are past due, and by how many days?"),
        "expected": format!("search_invoices(customer: \"acme-{case}\", status: \"overdue\")"),
        "tags": ["search"],
        "location": { "path": "golden/tasks.yaml", "line": 12 + case },
        "runs": all,
        "passRate": f64::from(u32::try_from(passed).unwrap()) / f64::from(u32::try_from(runs).unwrap()),
        "interval": [0.23, 0.88],
        "standing": if red { "red" } else if passed < runs { "unstable" } else { "met" },
        "collisions": collisions,
        "advice": if passed < runs {
            "Description: `get_invoice` was taken for `search_invoices`; say in both what sets them apart."
        } else {
            ""
        },
    })
}

fn one_run(place: usize, case: usize, run: usize, bad: bool) -> Value {
    let tool = if bad {
        "get_invoice"
    } else {
        "search_invoices"
    };
    let differences = if bad {
        json!([
            { "metric": "selection", "tool": "search_invoices", "message": "expected, and not called" },
            { "metric": "arguments", "tool": "get_invoice", "pointer": "/status", "expected": "overdue",
              "actual": "open", "message": "another value of the list that the schema gives" },
        ])
    } else {
        json!([])
    };
    json!({
        "index": run,
        "wave": u8::from(run >= 5),
        "outcome": if bad { "failed" } else { "passed" },
        "scores": { "selection": !bad },
        "calls": [
            { "tool": tool, "arguments": { "customer": format!("acme-{case}"), "status": "overdue", "limit": run },
              "resultFrom": "live", "turn": 0, "ms": 12 },
            { "tool": "email_invoice", "arguments": { "id": "INV-7", "to": "finance@acme.example" },
              "resultFrom": "canned", "turn": 1 },
        ],
        "differences": differences,
        "answer": "The customer owes three bills; the oldest is 40 days late.",
        "judged": [{ "criterion": "names the oldest bill", "met": !bad, "evidence": "the oldest is 40 days late" }],
        "turns": 3,
        "tokens": { "input": 1_200, "output": 60 },
        "ms": { "model": 400 + (case * 37 + run * 113 + place * 271) % 1_900, "server": 12 },
    })
}

/// The same with a gate that fails: a changed description, and a model that moved.
pub(crate) fn with_gate() -> Report {
    let gate = json!({
        "decision": "fail", "mode": "evidence",
        "baseline": {"sha": "3c9a1f0b7e5d2c4a", "at": "2026-11-20T03:17:00Z", "branch": "main"},
        "perMetric": [
            {"model": "large-1", "metric": "selection", "was": 0.98, "now": 0.84, "delta": -0.14,
             "interval": [0.78, 0.89], "evidence": 812.0, "decision": "fail"},
            {"model": "large-1", "metric": "overTrigger", "was": 1.0, "now": 1.0, "delta": 0.0,
             "interval": [0.93, 1.0], "evidence": 0.1, "decision": "pass"}
        ],
        "regressions": [
            {"case": "case-of-acme-3", "model": "large-1", "was": 1.0, "now": 0.2, "cause": "description change",
             "probable": true, "ratio": 5210.0, "red": true,
             "causeDetail": "`get_invoice` was \"Gets one invoice.\" and is \"Gets things <b>fast</b>.\""},
            {"case": "gone-since", "model": "large-1", "was": 0.9, "now": null, "cause": "undetermined"}
        ],
        "models": [{
            "model": "large-1", "decision": "fail", "reason": "something got worse", "evidence": 812.0, "failAt": 50.0,
            "passBelow": 0.5, "rounds": 2, "firstPass": 150, "confirmation": 20, "saved": 0, "score": 0.84,
            "interval": [0.78, 0.89], "drop": 0.14, "noise": 0.03, "smallestVisible": 0.04, "cases": 30, "common": 28,
            "rho": 0.02, "independentRuns": 4.6, "suspects": [{"case": "case-of-acme-3", "ratio": 5210.0}]
        }],
        "notes": ["large-1: 20 runs with the baseline's tools and today's say: description 0.97."]
    });
    let mut gate = gate;
    let nights = (0..30).map(|night| {
        let score = 0.96 - f64::from(night % 7) * 0.006;
        let decision = if night == 12 { "warn" } else { "pass" };
        json!({"at": format!("2026-10-{:02}T03:17:00Z", night + 1), "model": "large-1", "score": score, "decision": decision})
    });
    gate["trend"] = nights.collect();
    let mut report = with_behavior(4, 1, 5);
    report.gate = Some(serde_json::from_value(gate).expect("a gate"));
    report
}
