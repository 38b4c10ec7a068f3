//! What a real provider refuses in a request.

use super::asked::{Asked, Wire, items, text};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What is wrong with a request; none where a provider would take it.
pub(super) fn complaint(asked: &Asked) -> Option<String> {
    names(asked)
        .or_else(|| schemas(asked))
        .or_else(|| limit(asked))
        .or_else(|| turns(asked))
}

fn names(asked: &Asked) -> Option<String> {
    let mut seen = BTreeSet::new();
    asked.tools.iter().find_map(|name| {
        let is_wide = asked.wire == Wire::Gemini;
        let allowed = |c: char| {
            c.is_ascii_alphanumeric() || "_-".contains(c) || (is_wide && ".:".contains(c))
        };
        let starts = !is_wide || name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if name.is_empty() || name.len() > 64 || !starts || !name.chars().all(allowed) {
            return Some(format!("tools: `{name}` is no name"));
        }
        (!seen.insert(name)).then(|| format!("tools: `{name}` is there twice"))
    })
}

fn schemas(asked: &Asked) -> Option<String> {
    let schemas: Vec<&Value> = match asked.wire {
        Wire::ChatCompletions => items(&asked.body, "tools")
            .iter()
            .map(|tool| &tool["function"]["parameters"])
            .collect(),
        Wire::Responses => items(&asked.body, "tools")
            .iter()
            .map(|tool| &tool["parameters"])
            .collect(),
        Wire::Messages => items(&asked.body, "tools")
            .iter()
            .map(|tool| &tool["input_schema"])
            .collect(),
        Wire::Gemini => items(&asked.body, "tools")
            .iter()
            .flat_map(|tool| items(tool, "functionDeclarations"))
            .map(|tool| &tool["parametersJsonSchema"])
            .collect(),
    };
    let refused: &[&str] = match asked.wire {
        Wire::Gemini => &["$ref"],
        _ => &["anyOf", "oneOf", "allOf"],
    };
    schemas.iter().find_map(|schema| {
        let odd = refused.iter().find(|key| schema.get(**key).is_some());
        let is_object = schema.get("type") == Some(&json!("object"));
        (odd.is_some() || !is_object).then(|| format!("tools: a schema is refused: {schema}"))
    })
}

fn limit(asked: &Asked) -> Option<String> {
    let is_missing = asked.wire == Wire::Messages && asked.body.get("max_tokens").is_none();
    is_missing.then(|| "max_tokens: field required".to_owned())
}

/// Calls must be answered right behind the turn that made them, each once; thinking must come back.
fn turns(asked: &Asked) -> Option<String> {
    let turns = asked.turns();
    if turns.is_empty() {
        return Some("messages: at least one is required".to_owned());
    }
    let mut open: Vec<String> = Vec::new();
    let mut last_role = "";
    let mut has_called = false;
    for turn in turns {
        let (calls, results, says) = parts(asked.wire, turn);
        // On Responses each call of one turn is an item of its own.
        let goes_on = asked.wire == Wire::Responses && has_called;
        has_called = !calls.is_empty();
        for result in results {
            let at = open.iter().position(|call| *call == result);
            let Some(at) = at else {
                return Some(format!(
                    "messages: the result {result} answers no open call"
                ));
            };
            open.remove(at);
        }
        if (says || (has_called && !goes_on)) && !open.is_empty() {
            return Some(format!("messages: no result for {}", open.join(", ")));
        }
        open.extend(calls);
        let role = text(turn, "role");
        if asked.wire == Wire::Messages && role == last_role {
            return Some("messages: roles must alternate".to_owned());
        }
        last_role = role;
    }
    if !open.is_empty() {
        return Some(format!("messages: no result for {}", open.join(", ")));
    }
    let must_think = asked.model.starts_with("stub-reasoning") && !asked.results.is_empty();
    let thinks = asked.body.to_string().contains("signed-thought");
    (must_think && !thinks).then(|| "messages: the thinking before the call is missing".to_owned())
}

/// The ids of the calls and results of a turn, and whether it says anything besides.
fn parts(wire: Wire, turn: &Value) -> (Vec<String>, Vec<String>, bool) {
    let own = |value: &Value, key: &str| text(value, key).to_owned();
    match wire {
        Wire::ChatCompletions => {
            let calls = items(turn, "tool_calls")
                .iter()
                .map(|call| own(call, "id"))
                .collect();
            let is_result = text(turn, "role") == "tool";
            let results = if is_result {
                vec![own(turn, "tool_call_id")]
            } else {
                Vec::new()
            };
            (calls, results, !is_result)
        }
        Wire::Responses => match text(turn, "type") {
            "function_call" => (vec![own(turn, "call_id")], Vec::new(), false),
            "function_call_output" => (Vec::new(), vec![own(turn, "call_id")], false),
            _ => (Vec::new(), Vec::new(), text(turn, "role") == "user"),
        },
        Wire::Messages => {
            let of = |kind: &str, key: &str| -> Vec<String> {
                let blocks = items(turn, "content").iter();
                blocks
                    .filter(|block| text(block, "type") == kind)
                    .map(|block| own(block, key))
                    .collect()
            };
            let (calls, results) = (of("tool_use", "id"), of("tool_result", "tool_use_id"));
            let says = results.is_empty();
            (calls, results, says)
        }
        // Google pairs by name and order.
        Wire::Gemini => {
            let of = |key: &str| -> Vec<String> {
                let parts = items(turn, "parts").iter();
                parts
                    .filter_map(|part| part.get(key))
                    .map(|part| own(part, "name"))
                    .collect()
            };
            let (calls, results) = (of("functionCall"), of("functionResponse"));
            let says = results.is_empty();
            (calls, results, says)
        }
    }
}
