//! Recordings that a test writes by hand: what was asked under which name, and what was answered.

use super::{ruling_on, word};
use crate::record::Recording;
use serde_json::{Value, json};
use verdict_model::transcript::{Carrier, End, Exchange, HttpExchange, Message, Sender, Transport};

/// A recording over HTTP: a served discover that declares these capabilities, then faultless exchanges,
/// each with its name, its method, the params beside `_meta`, and the `result` or `error` of the answer.
pub(crate) fn told(capabilities: &Value, exchanges: &[(&str, &str, Value, Value)]) -> Recording {
    let discover = json!({"result": {
        "resultType": "complete", "supportedVersions": [verdict_model::REVISION],
        "capabilities": capabilities, "ttlMs": 0, "cacheScope": "private"
    }});
    let mut recording = Recording::new(Transport::Http);
    let first = [("era/discover", "server/discover", json!({}), discover)];
    for (name, method, params, answer) in first.iter().chain(exchanges) {
        let mut params = params.clone();
        if params.get("_meta").is_none() {
            params["_meta"] = crate::ask::meta(verdict_model::REVISION);
        }
        let request = json!({"jsonrpc": "2.0", "id": name, "method": method, "params": params});
        let mut reply = json!({"jsonrpc": "2.0", "id": name});
        for (member, value) in answer.as_object().into_iter().flatten() {
            reply[member.as_str()] = value.clone();
        }
        let at = recording.begin(Exchange {
            name: (*name).to_owned(),
            http: Some(HttpExchange {
                verb: "POST".to_owned(),
                status: Some(200),
                ..HttpExchange::default()
            }),
            end: End::Complete,
            ..Exchange::default()
        });
        for (from, message) in [(Sender::Client, &request), (Sender::Server, &reply)] {
            let message = Message {
                from,
                at_ms: 0,
                carrier: Carrier::Body,
                text: message.to_string().into(),
                invalid_utf8: false,
            };
            recording.add(at, message);
        }
    }
    recording
}

/// One page of tools, with its exchange's name and the cursor that led to it.
pub(crate) fn page(
    name: &'static str,
    cursor: Option<&str>,
    tools: &[&str],
    next: Option<&str>,
) -> (&'static str, &'static str, Value, Value) {
    let tools: Vec<Value> = tools
        .iter()
        .map(|tool| json!({"name": tool, "inputSchema": {"type": "object"}}))
        .collect();
    let mut result = json!({
        "resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private"
    });
    if let Some(next) = next {
        result["nextCursor"] = json!(next);
    }
    let params = cursor.map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
    (name, "tools/list", params, json!({"result": result}))
}

/// A recording of a server with these tools.
pub(crate) fn tools(tools: &Value) -> Recording {
    let result = json!({"result": {"resultType": "complete", "tools": tools}});
    let page = ("survey.tools/1", "tools/list", json!({}), result);
    told(&json!({"tools": {}}), &[page])
}

/// One word for what a check rules on a recording.
pub(crate) fn says(id: &str, recording: &Recording) -> &'static str {
    word(&ruling_on(id, recording))
}
