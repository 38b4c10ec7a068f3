//! Cases, tools and runs for the tests of the scorer.

#![expect(clippy::unwrap_used, reason = "the data stand below")]

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use verdict_eval::chat::{Call, End};
use verdict_eval::golden::{Case, Execute, Expect, Order, Place, Step};
use verdict_eval::score::trace::{Trace, TracedCall};
use verdict_eval::tool::Tool;
use verdict_model::behavior::{Kind, ResultFrom};

/// A call: the tool and its arguments.
pub(crate) type Made = (String, Map<String, Value>);

/// A case that expects these calls: one, none, or several in order.
pub(crate) fn case(id: &str, calls: &[Made]) -> Case {
    let expect = match calls {
        [] => Expect::Nothing,
        [(tool, arguments)] => Expect::Tool {
            names: vec![tool.clone()],
            arguments: Some(arguments.clone()),
        },
        several => Expect::Sequence {
            steps: several
                .iter()
                .map(|(tool, arguments)| Step {
                    tool: tool.clone(),
                    arguments: Some(arguments.clone()),
                })
                .collect(),
            order: Order::InOrder,
        },
    };
    Case {
        id: id.to_owned(),
        prompt: "What a person says".to_owned(),
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

/// A run with these calls, each in a turn of its own.
pub(crate) fn run(calls: &[(String, String)]) -> Trace {
    let traced = calls
        .iter()
        .zip(0..)
        .map(|((name, arguments), turn)| TracedCall {
            call: Call {
                id: format!("c{turn}"),
                name: name.clone(),
                arguments: arguments.clone(),
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

/// Eight tools with arguments of every type.
pub(crate) fn tools() -> Vec<Tool> {
    let tool = |name: &str, properties: Value, required: Value| {
        let schema = json!({"type": "object", "properties": properties, "required": required});
        let tool = json!({"name": name, "description": name, "inputSchema": schema});
        Tool(tool.as_object().unwrap().clone())
    };
    vec![
        tool(
            "get_invoice",
            json!({
                "id": {"type": "string"},
                "currency": {"enum": ["EUR", "USD", "usd-cents"]},
                "lines": {"type": "integer", "default": 10},
            }),
            json!(["id"]),
        ),
        tool(
            "transfer",
            json!({
                "from": {"type": "string"},
                "to": {"type": "string"},
                "amount": {"type": "number"},
                "confirmed": {"type": "boolean", "default": false},
            }),
            json!(["from", "to", "amount"]),
        ),
        tool(
            "send_email",
            json!({
                "to": {"type": "string", "format": "email"},
                "subject": {"type": "string"},
                "tags": {"type": "array", "items": {"type": "string"}},
            }),
            json!(["to"]),
        ),
        tool(
            "book_room",
            json!({
                "room": {"type": "string", "format": "uuid"},
                "day": {"type": "string", "format": "date"},
                "from": {"type": "string", "format": "date-time"},
                "guests": {
                    "type": "object",
                    "properties": {"adults": {"type": "integer"}, "children": {"type": "integer", "default": 0}},
                },
            }),
            json!(["room"]),
        ),
        tool(
            "set_point",
            json!({
                "latitude": {"type": "number"},
                "longitude": {"type": "number"},
                "path": {"type": "array", "items": {"type": "number"}},
            }),
            json!([]),
        ),
        tool(
            "open_page",
            json!({"url": {"type": "string", "format": "uri"}}),
            json!(["url"]),
        ),
        tool(
            "search",
            json!({"query": {"type": "string"}}),
            json!(["query"]),
        ),
        tool("count_all", json!({}), json!([])),
    ]
}

/// Right answers with values of every type.
pub(crate) fn answers() -> Vec<Vec<Made>> {
    let made = |calls: Value| -> Vec<Made> {
        let calls = calls.as_array().unwrap().iter();
        let made = calls.map(|call| {
            let name = call[0].as_str().unwrap().to_owned();
            (name, call[1].as_object().unwrap().clone())
        });
        made.collect()
    };
    vec![
        made(json!([["get_invoice", {"id": "INV-10482", "currency": "usd-cents"}]])),
        made(
            json!([["transfer", {"from": "DE-1", "to": "DE-2", "amount": -1250.5, "confirmed": true}]]),
        ),
        made(json!([[
            "send_email",
            {"to": "jo.do@mail.example", "subject": "Costs of March", "tags": ["due", "late"]}
        ]])),
        made(json!([[
            "book_room",
            {
                "room": "123e4567-e89b-12d3-a456-426614174000",
                "day": "2026-10-05",
                "from": "2026-10-05T09:00:00+02:00",
                "guests": {"adults": 2},
            }
        ]])),
        made(json!([["set_point", {"latitude": -5.25, "longitude": 105, "path": [1, 2.5, -3]}]])),
        made(json!([["open_page", {"url": "https://example.com/a.b/C?d=1"}]])),
        made(json!([
            ["search", {"query": "Kısa İş Ürünü"}],
            ["get_invoice", {"id": "A-1"}],
            ["send_email", {"to": "a@b.example", "subject": "Bill"}],
        ])),
        made(
            json!([["transfer", {"from": "9007199254740993", "to": "X", "amount": 9_007_199_254_740_993_u64}]]),
        ),
        made(json!([["count_all", {}]])),
        Vec::new(),
    ]
}
