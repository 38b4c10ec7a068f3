//! The rules of `docs/scoring.md`, each with a run that keeps it and one that breaks it.

use super::trace::{Trace, TracedCall};
use super::{Pair, Scored, Scorer, expected, score};
use crate::chat::{Call, End};
use crate::golden::{Case, Execute, Expect, Matcher, Order, Place, Step};
use crate::tool::Tool;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use verdict_model::behavior::{Criterion, Kind, Metric, ResultFrom, RunOutcome, Who};

mod arguments;
mod choice;
mod endings;
mod rates;

/// The tools of all tests here.
fn tools() -> Vec<Tool> {
    let tool = |value: Value| Tool(value.as_object().unwrap().clone());
    vec![
        tool(json!({
            "name": "get_invoice",
            "description": "Gets one invoice by its id",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "currency": {"enum": ["EUR", "USD"], "default": "EUR"},
                    "lines": {"type": "integer", "default": 10},
                    "note": {"type": ["string", "null"]},
                },
                "required": ["id"],
                "additionalProperties": false,
            },
        })),
        tool(json!({
            "name": "list_invoices",
            "description": "Lists the invoices of a customer",
            "inputSchema": {"type": "object", "properties": {"customer": {"type": "string"}}},
        })),
        tool(json!({
            "name": "send_email",
            "description": "Sends a message",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "to": {"type": "string", "format": "email"},
                    "body": {"type": "string"},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "when": {"type": "string", "format": "date-time"},
                    "amount": {"type": "number"},
                    "options": {
                        "type": "object",
                        "properties": {"html": {"type": "boolean", "default": false}, "cc": {"type": "string"}},
                    },
                },
                "required": ["to"],
            },
        })),
        tool(json!({"name": "delete_invoice", "inputSchema": {"type": "object"}})),
        tool(json!({
            "name": "weather_check",
            "inputSchema": {
                "type": "object",
                "properties": {"location": {"type": "string"}, "days": {"type": "integer", "default": 1}},
            },
        })),
    ]
}

fn case(expect: Expect) -> Case {
    Case {
        id: "case".to_owned(),
        prompt: "Which invoice?".to_owned(),
        expect,
        matchers: BTreeMap::new(),
        kind: Kind::Soft,
        runs: None,
        tags: Vec::new(),
        history: Vec::new(),
        tool_results: BTreeMap::new(),
        execute: Execute::Auto,
        rubric: None,
        forbid_tools: Vec::new(),
        allow_extra_calls: false,
        answers: Map::new(),
        place: Place::default(),
    }
}

/// A case that expects one call.
#[expect(clippy::needless_pass_by_value, reason = "reads as json! in the tests")]
fn one(tool: &str, arguments: Value) -> Case {
    case(Expect::Tool {
        names: vec![tool.to_owned()],
        arguments: arguments.as_object().cloned(),
    })
}

/// A case that expects several calls.
fn several(order: Order, steps: &[(&str, Value)]) -> Case {
    let steps = steps.iter().map(|(tool, arguments)| Step {
        tool: (*tool).to_owned(),
        arguments: arguments.as_object().cloned(),
    });
    case(Expect::Sequence {
        steps: steps.collect(),
        order,
    })
}

/// A run with these calls, each in a turn of its own.
fn run(calls: &[(&str, Value)]) -> Trace {
    let traced = calls
        .iter()
        .zip(0..)
        .map(|((name, arguments), turn)| TracedCall {
            call: Call {
                id: format!("c{turn}"),
                name: (*name).to_owned(),
                arguments: match arguments {
                    Value::String(text) => text.clone(),
                    value => value.to_string(),
                },
            },
            turn,
            result_from: Some(ResultFrom::Canned),
            is_error: false,
        });
    Trace {
        calls: traced.collect(),
        answer: "Done.".to_owned(),
        end: End::Stop,
    }
}

fn nobody(_: &Pair) -> Option<bool> {
    None
}

fn scored(case: &Case, trace: &Trace) -> Scored {
    score(case, trace, &tools(), &nobody)
}

/// Checks the metrics of a run: the whole map as `selection=true arguments=false`.
fn check(case: &Case, trace: &Trace, want: &str) -> Scored {
    let scored = scored(case, trace);
    let gating = scored
        .scores
        .iter()
        .filter(|(metric, _)| **metric != Metric::Schema);
    let shown: Vec<String> = gating
        .map(|(metric, right)| format!("{}={right}", metric.key()))
        .collect();
    assert_eq!(shown.join(" "), want, "{trace:?}\n{:?}", scored.differences);
    let is_bad = |(metric, right): (&Metric, &bool)| (*metric == Metric::OverTrigger) == *right;
    let gates = scored
        .scores
        .iter()
        .filter(|(metric, _)| **metric != Metric::Schema);
    if gates.clone().any(is_bad) {
        assert!(!scored.passed);
        assert!(!scored.differences.is_empty(), "nothing says why");
    }
    scored
}
