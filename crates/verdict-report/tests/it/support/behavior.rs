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
