//! Parts that belong together, and parts that do not.

use super::{MergeError, Outline, merge, part_of};
use serde_json::{Value, json};

const CASES: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

/// Part `part` of `of` as a report.
fn part(part: u32, of: u32) -> Value {
    let places: Vec<usize> = (0..CASES.len())
        .filter(|place| part_of(CASES[*place], of) == part)
        .collect();
    let run = json!({
        "index": 0, "wave": 0, "outcome": "passed", "scores": {"selection": true}, "calls": [], "turns": 1
    });
    let cases = places.iter().map(|place| {
        json!({
            "id": CASES[*place], "kind": "soft", "hash": "h", "prompt": "", "expected": "",
            "runs": [run], "passRate": 1.0, "interval": null, "standing": "met"
        })
    });
    json!({
        "schema": "mcp-verdict/report/v1",
        "generator": {"name": "mcp-verdict", "version": "0", "requirements": "r"},
        "verdict": "pass", "summary": "", "target": {"transport": "http"},
        "layers": {"behavior": {
            "golden": {"path": "g.yaml", "hash": "x", "cases": 7}, "durationMs": 5,
            "models": [{"id": "m", "metrics": {}, "cases": cases.collect::<Value>(), "calls": places.len(), "usd": 0.5}]
        }},
        "session": {
            "harness": "h", "runs": 1, "branch": "main", "config": "c", "tools": [],
            "shard": {"part": part, "of": of, "total": 7, "places": places}
        }
    })
}

fn outline(name: &str, report: &Value) -> Outline {
    Outline::read(name, &report.to_string()).expect("a report")
}

fn outlines(reports: &[Value]) -> Vec<Outline> {
    let named = reports.iter().enumerate();
    named
        .map(|(at, report)| outline(&format!("{at}.json"), report))
        .collect()
}

#[test]
fn the_order_does_not_matter_and_the_cases_stand_in_that_of_the_set() {
    let texts: Vec<String> = (1..=3).map(|at| part(at, 3).to_string()).collect();
    let read = |at: usize| Outline::read(&at.to_string(), &texts[at]).expect("a report");
    let joined = merge(&[read(0), read(1), read(2)]).expect("one job");
    let turned = merge(&[read(2), read(0), read(1)]).expect("one job");
    assert_eq!(joined.report, turned.report);
    let ids: Vec<String> = joined.cases[0]
        .iter()
        .map(|(at, slice)| {
            let text = &texts[*at][slice.from..slice.from + slice.length];
            let case: Value = serde_json::from_str(text).expect("a whole case");
            case["id"].as_str().unwrap_or_default().to_owned()
        })
        .collect();
    assert_eq!(ids, CASES);
    let model = &joined.report["layers"]["behavior"]["models"][0];
    assert_eq!((&model["calls"], &model["usd"]), (&json!(7), &json!(1.5)));
    assert_eq!(model["metrics"]["selection"]["of"], 7);
    assert_eq!(joined.report["session"]["shard"], Value::Null);
}

#[test]
fn what_does_not_belong_together_is_refused_by_name() {
    let parts = [part(1, 3), part(2, 3), part(3, 3)];
    let fault = |reports: &[Value]| merge(&outlines(reports)).expect_err("no job");
    assert_eq!(merge(&[]).expect_err("nothing"), MergeError::Nothing);
    let said = fault(&parts[..2]).to_string();
    assert!(said.starts_with("of 3 parts 3 is missing"), "{said}");
    let twice = [parts[0].clone(), parts[0].clone()];
    assert!(
        fault(&twice)
            .to_string()
            .starts_with("0.json and 1.json are both part 1")
    );
    for (pointer, value, what) in [
        ("/layers/behavior/golden/hash", json!("y"), "the golden set"),
        ("/session/tools", json!([{"name": "t"}]), "the tools"),
        ("/session/harness", json!("other"), "what the model is told"),
        ("/layers/behavior/models/0/id", json!("n"), "the models"),
        ("/generator/version", json!("1"), "the version"),
        ("/session/shard/of", json!(4), "the number of parts"),
    ] {
        let mut other = parts.clone();
        *other[1].pointer_mut(pointer).expect(pointer) = value;
        let said = fault(&other).to_string();
        assert!(said.contains(what) && said.contains("1.json"), "{said}");
    }
    let mut stray = parts.clone();
    stray[0]["layers"]["behavior"]["models"][0]["cases"] = json!([]);
    assert!(matches!(fault(&stray), MergeError::Cases { .. }));
    let mut whole = parts[0].clone();
    whole["session"]["shard"] = Value::Null;
    assert!(matches!(fault(&[whole]), MergeError::NoShard { .. }));
    assert!(Outline::read("x", "{\"schema\": 1").is_err());
}
