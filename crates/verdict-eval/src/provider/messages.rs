//! Messages: Anthropic's wire.
//!
//! The version of the API is 2023-06-01: with 2026-10-21 no model takes a temperature any more, with the older one
//! those that know it still do, and the others say so and are remembered.

use super::draft::{
    self, Body, CONTEXT_FULL, Draft, Given, Step, keep, kept, sent_arguments, sent_id, steps,
};
use super::fault::{self, Fault, FaultKind};
use super::http::{HttpRequest, HttpResponse};
use super::lazy::Lazy;
use super::model::Endpoint;
use super::names::Names;
use super::offer::{Offer, Offered};
use super::quirks::Quirks;
use super::success;
use crate::chat::{Answer, End, Request, Said};
use serde_json::{Value, json};
use verdict_model::behavior::Tokens;

const WIRE: &str = "messages";
const VERSION: &str = "2023-06-01";

/// The request to send. The tools are those of `offer`.
pub(super) fn encode(
    endpoint: &Endpoint,
    request: &Request,
    offer: &Offer,
    quirks: &Quirks,
) -> HttpRequest {
    let body = Body::default()
        .with("model", endpoint.id.name.as_str())
        .with("max_tokens", request.sampling.max_output_tokens)
        .maybe("system", draft::system(request))
        .with("messages", messages(request, offer))
        .maybe("tools", draft::tools(offer, tool))
        .maybe("temperature", draft::temperature(request, quirks));
    let url = format!("{}/v1/messages", endpoint.base);
    let mut http = HttpRequest::post(url, &body.done());
    http.add("anthropic-version", VERSION, false);
    if let Some(key) = &endpoint.key {
        http.add("x-api-key", key.expose(), true);
    }
    http
}

fn tool(tool: &Offered) -> Value {
    Body::default()
        .with("name", tool.name.as_str())
        .maybe("description", tool.description.as_deref())
        .with("input_schema", tool.schema.clone())
        .done()
}

fn messages(request: &Request, offer: &Offer) -> Vec<Value> {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for step in steps(request) {
        let (role, mut blocks) = match step {
            Step::User(text) => ("user", vec![text_block(text)]),
            Step::Assistant(said) => ("assistant", assistant(said, offer)),
            Step::Results(results) => ("user", results.iter().map(result).collect()),
        };
        // Roles take turns: results and what a person says behind them are one message, results first.
        match messages.last_mut() {
            Some((last, into)) if *last == role => into.append(&mut blocks),
            _ => messages.push((role, blocks)),
        }
    }
    let message = |(role, content)| json!({"role": role, "content": content});
    messages.into_iter().map(message).collect()
}

/// Text; an empty block would be refused.
fn text_block(text: &str) -> Value {
    let text = if text.trim().is_empty() {
        "(no text)"
    } else {
        text
    };
    json!({"type": "text", "text": text})
}

fn result(given: &Given<'_>) -> Value {
    let mut block = json!({"type": "tool_result", "tool_use_id": sent_id(&given.call.id), "content": given.content});
    if given.is_error {
        block["is_error"] = json!(true);
    }
    block
}

fn assistant(said: &Said, offer: &Offer) -> Vec<Value> {
    if let Some(Value::Array(blocks)) = kept(said, WIRE) {
        return blocks.clone();
    }
    let mut blocks = Vec::new();
    if !said.text.trim().is_empty() || said.calls.is_empty() {
        blocks.push(text_block(&said.text));
    }
    blocks.extend(said.calls.iter().map(|call| {
        json!({"type": "tool_use", "id": sent_id(&call.id), "name": offer.names.sent(&call.name),
            "input": sent_arguments(call, &offer.names)})
    }));
    blocks
}

/// The answer in a response.
pub(super) fn decode(response: &HttpResponse, names: &Names) -> Result<Answer, Fault> {
    let text = response.text();
    let body = success(&text, response)?;
    let Some(content) = body.at("content") else {
        return Err(Fault::new(
            FaultKind::Garbled,
            "the answer has no `content`: is this a server of Messages?".to_owned(),
        ));
    };
    let mut draft = Draft {
        usage: body.at("usage").and_then(usage),
        model: body.word_at("model"),
        request_id: fault::request_id(response).or_else(|| body.word_at("id")),
        ..Draft::default()
    };
    for block in content.items() {
        match block.text_at("type").as_deref() {
            Some("text") => draft
                .text
                .push_str(&block.text_at("text").unwrap_or_default()),
            Some("tool_use") => {
                let arguments = block.at("input").map(Lazy::arguments).unwrap_or_default();
                draft.call(
                    block.word_at("id"),
                    block.text_at("name").unwrap_or_default(),
                    arguments,
                );
            }
            _ => {}
        }
    }
    draft.end = match body.text_at("stop_reason").as_deref() {
        Some("max_tokens") => Some(End::CutOff),
        Some("refusal") => Some(End::Refused),
        Some("model_context_window_exceeded") => Some(End::Other(CONTEXT_FULL.to_owned())),
        Some("pause_turn") => Some(End::Other("pause-turn".to_owned())),
        _ => None,
    };
    // Only a turn with calls is answered by another request.
    if !draft.calls.is_empty() {
        draft.native = content
            .value()
            .and_then(returnable)
            .map(|blocks| keep(WIRE, &blocks));
    }
    Ok(draft.answer(names))
}

/// The blocks as they go back, thinking and all; none where a call among them could not be sent again.
fn returnable(blocks: Value) -> Option<Value> {
    let Value::Array(mut blocks) = blocks else {
        return None;
    };
    let text = |block: &Value, key: &str| block.get(key).and_then(Value::as_str).map(str::to_owned);
    blocks.retain(|block| {
        text(block, "type").as_deref() != Some("text")
            || text(block, "text").is_some_and(|text| !text.trim().is_empty())
    });
    let mut seen = std::collections::BTreeSet::new();
    let calls = blocks
        .iter()
        .filter(|block| text(block, "type").as_deref() == Some("tool_use"));
    let mut sound = calls.map(|call| {
        let id = text(call, "id").unwrap_or_default();
        let is_object = call.get("input").is_some_and(Value::is_object);
        is_object && !id.is_empty() && sent_id(&id) == id && seen.insert(id)
    });
    sound
        .all(|is_sound| is_sound)
        .then_some(Value::Array(blocks))
}

/// Tokens. Anthropic's input leaves the cached ones out: here they are part of it, as everywhere else.
fn usage(usage: Lazy<'_>) -> Option<Tokens> {
    let cached = usage.count_at("cache_read_input_tokens");
    let cache_write = usage.count_at("cache_creation_input_tokens");
    let output = usage.at("output_tokens_details");
    Some(Tokens {
        input: usage.count_at("input_tokens")? + cached.unwrap_or(0) + cache_write.unwrap_or(0),
        cached,
        cache_write,
        output: usage.count_at("output_tokens")?,
        reasoning: output.and_then(|details| {
            details
                .count_at("thinking_tokens")
                .or_else(|| details.count_at("reasoning_tokens"))
        }),
    })
}

#[cfg(test)]
mod tests;
