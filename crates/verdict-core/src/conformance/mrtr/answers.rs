//! Answers to what a server asks for: those of the configuration, else made up from the form.

use crate::arguments;
use crate::context::Context;
use serde_json::{Map, Value, json};

/// What the user does with a form or a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Accept,
    Decline,
    Cancel,
}

impl Action {
    fn word(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        }
    }
}

/// Answers to all requests of a result; none where one cannot be answered.
pub(super) fn to(cx: &Context, result: &Value, action: Action) -> Option<Map<String, Value>> {
    let Some(requests) = result.get("inputRequests") else {
        return Some(Map::new());
    };
    let requests = requests.as_object()?.iter();
    requests
        .map(|(key, request)| Some((key.clone(), answer(cx, request, action)?)))
        .collect()
}

fn answer(cx: &Context, request: &Value, action: Action) -> Option<Value> {
    match request.get("method")?.as_str()? {
        "elicitation/create" if action != Action::Accept => Some(json!({"action": action.word()})),
        "elicitation/create" => {
            let params = request.get("params")?;
            if params.get("mode").is_some_and(|mode| mode == "url") {
                return Some(json!({"action": "accept"}));
            }
            let content = form(cx, params.get("requestedSchema")?)?;
            Some(json!({"action": "accept", "content": content}))
        }
        "sampling/createMessage" => Some(json!({
            "role": "assistant",
            "content": {"type": "text", "text": "example"},
            "model": "mcp-verdict",
            "stopReason": "endTurn",
        })),
        "roots/list" => Some(json!({"roots": []})),
        _ => None,
    }
}

/// The required fields of a form, and those that the configuration knows.
fn form(cx: &Context, schema: &Value) -> Option<Map<String, Value>> {
    let fields = schema.get("properties")?.as_object()?;
    let configured = &cx.settings.config.mrtr.answers;
    let required = required(schema);
    let mut content = Map::new();
    for (name, field) in fields {
        if let Some(value) = configured.get(name) {
            content.insert(name.clone(), value.clone());
        } else if required.contains(&name.as_str()) {
            content.insert(name.clone(), arguments::value(schema, field).ok()?);
        }
    }
    Some(content)
}

fn required(schema: &Value) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// Whether the configuration answers all that is asked, so that nothing is made up.
pub(super) fn are_configured(cx: &Context, result: &Value) -> bool {
    let configured = &cx.settings.config.mrtr.answers;
    let requests = result.get("inputRequests").and_then(Value::as_object);
    let mut requests = requests.into_iter().flatten();
    !configured.is_empty()
        && requests.all(|(_, request)| {
            let schema = request.pointer("/params/requestedSchema");
            request
                .get("method")
                .is_some_and(|method| method == "elicitation/create")
                && schema.is_some_and(|schema| {
                    required(schema)
                        .iter()
                        .all(|name| configured.contains_key(*name))
                })
        })
}
