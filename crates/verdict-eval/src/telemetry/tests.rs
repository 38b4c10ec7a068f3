//! Percentiles against a reference, and what the runs of a report come to.

use super::telemetry;
use crate::tool::Tool;
use serde_json::{Value, json};
use verdict_model::behavior::Behavior;
use verdict_model::telemetry::percentile;

/// 1,000 samples that look random and are the same everywhere.
fn samples() -> Vec<u64> {
    let mut state = 42_u64;
    let mut samples: Vec<u64> = (0..1_000)
        .map(|_| {
            state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
            (state >> 8) % 5_000
        })
        .collect();
    samples.sort_unstable();
    samples
}

/// The reference numbers are those of Python 3.11: `statistics.quantiles(samples, n=100, method="inclusive")`, whose
/// item `k - 1` is the kth percentile; the samples are made there by the same rule.
#[test]
fn percentiles_are_those_of_the_reference() {
    let samples = samples();
    for (percent, reference) in REFERENCE {
        let ours = percentile(&samples, *percent).expect("there are samples");
        assert!(
            (ours - reference).abs() < 1e-9,
            "{percent}: {ours} is not {reference}"
        );
    }
    let few = [7, 11, 400];
    assert_eq!(percentile(&few, 50), Some(11.0));
    assert_eq!(percentile(&few, 95), Some(361.1));
    assert_eq!(percentile(&few, 0), Some(7.0));
    assert_eq!(percentile(&few, 100), Some(400.0));
    assert_eq!(percentile(&[5], 95), Some(5.0));
    assert_eq!(percentile(&[], 50), None);
}

fn run(outcome: &str, calls: &[(&str, Option<u64>)], tokens: Option<(u64, u64)>, ms: u64) -> Value {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(tool, ms)| json!({ "tool": tool, "arguments": {}, "resultFrom": "live", "ms": ms }))
        .collect();
    json!({ "index": 0, "outcome": outcome, "scores": {}, "calls": calls, "turns": 1,
        "tokens": tokens.map(|(input, output)| json!({ "input": input, "output": output })),
        "ms": { "model": ms, "server": 9 } })
}

fn layer(runs: &[Value]) -> Behavior {
    let case = json!({ "id": "c", "kind": "soft", "hash": "1", "prompt": "", "expected": "", "passRate": null,
        "interval": null, "standing": "met", "runs": runs });
    let layer = json!({ "golden": { "path": "g", "hash": "1", "cases": 1 }, "durationMs": 1,
        "models": [{ "id": "m", "metrics": {}, "cases": [case], "calls": 1 }] });
    serde_json::from_value(layer).expect("a layer")
}

fn tools() -> Vec<Tool> {
    let listed = json!([
        { "name": "find", "description": "Finds.", "inputSchema": { "type": "object" }, "icons": ["not shown"] },
        { "name": "idle", "inputSchema": {} },
    ]);
    serde_json::from_value(listed).expect("tools")
}

#[test]
fn calls_tokens_and_money_go_to_their_tools() {
    let layer = layer(&[
        run(
            "passed",
            &[("find", Some(10)), ("find", Some(20)), ("ghost", None)],
            Some((100, 10)),
            500,
        ),
        run("failed", &[("find", Some(40))], Some((50, 5)), 700),
        run("failed", &[], Some((7, 7)), 900),
        run("invalid", &[("find", Some(9_000))], None, 9_000),
    ]);
    let a_dollar_a_token = |_: &str, tokens: &verdict_model::behavior::Tokens| {
        Some(f64::from(u32::try_from(tokens.input).unwrap()))
    };
    let told = telemetry(&layer, &tools(), &a_dollar_a_token);
    let told = serde_json::to_value(&told).expect("JSON");
    assert_eq!(
        told["tools"][0],
        json!({ "name": "find", "calls": 3, "timed": 3, "p50Ms": 20.0, "p95Ms": 38.0,
            // 34 and 33 of the first run's 100, and all 50 of the second's.
            "inputTokens": 117, "outputTokens": 4 + 3 + 5, "usd": 100.0 / 3.0 * 2.0 + 50.0,
            "weight": 8 })
    );
    assert_eq!(
        told["tools"][1],
        json!({ "name": "idle", "calls": 0, "timed": 0, "weight": 2 })
    );
    assert_eq!(
        told["tools"][2],
        json!({ "name": "ghost", "calls": 1, "timed": 0, "inputTokens": 33, "outputTokens": 3, "usd": 100.0 / 3.0 })
    );
    assert_eq!(
        told["models"][0],
        json!({ "id": "m", "runs": 3, "calls": 4, "p50Ms": 700.0, "p95Ms": 880.0, "serverP50Ms": 9.0,
            "serverP95Ms": 9.0, "inputTokens": 157, "outputTokens": 22, "usd": 157.0 })
    );
}

#[test]
fn a_baseline_costs_nothing() {
    let mut layer = layer(&[run("passed", &[("find", None)], None, 0)]);
    layer.models[0].is_baseline = true;
    let told = telemetry(&layer, &tools(), &|_, _| None);
    let (find, model) = (&told.tools[0], &told.models[0]);
    assert_eq!((find.input_tokens, find.usd), (Some(0), Some(0.0)));
    assert_eq!(
        (model.output_tokens, model.usd, model.p50_ms),
        (Some(0), Some(0.0), None)
    );
}

#[test]
fn what_is_unknown_is_no_zero() {
    let layer = layer(&[
        run("passed", &[("find", Some(10))], Some((100, 10)), 500),
        run("passed", &[("find", Some(10))], None, 500),
    ]);
    let told = telemetry(&layer, &tools(), &|_, _| None);
    let find = &told.tools[0];
    assert_eq!(
        (find.input_tokens, find.output_tokens, find.usd),
        (None, None, None)
    );
    let model = &told.models[0];
    assert_eq!(
        (model.input_tokens, model.output_tokens, model.usd),
        (None, None, None)
    );
}

const REFERENCE: &[(u8, f64)] = &[
    (1, 83.0),
    (5, 308.65),
    (10, 587.9),
    (25, 1372.25),
    (33, 1781.35),
    (50, 2592.5),
    (66, 3363.7),
    (75, 3746.0),
    (90, 4475.4),
    (95, 4727.7),
    (99, 4970.05),
];
