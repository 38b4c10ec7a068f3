//! Chat Completions: `OpenAI`'s older wire, and that of nearly every gateway.
//!
//! Gateways differ in small things, so answers are read leniently: ids may be missing or repeated, `content` may be
//! `""` or a list of parts, arguments may be an object, `finish_reason` may be `stop` beside calls, usage may be
//! missing, and some stream without having been asked to.

use super::draft::{self, Body, Draft, Given, Step, keep, kept, sent_arguments, sent_id, steps};
use super::fault::{Fault, FaultKind};
use super::http::{HttpRequest, HttpResponse};
use super::lazy::Lazy;
use super::model::{Endpoint, Provider};
use super::offer::{Offer, Offered};
use super::quirks::Quirks;
use super::{stream, success};
use crate::chat::{Answer, End, Request, Said};
use serde_json::{Value, json};
use verdict_model::behavior::Tokens;

const WIRE: &str = "chat-completions";

/// The request to send. The tools are those of `offer`.
pub(super) fn encode(
    endpoint: &Endpoint,
    request: &Request,
    offer: &Offer,
    quirks: &Quirks,
) -> HttpRequest {
    let old_first = usize::from(endpoint.id.provider == Provider::Compatible);
    let mut body = Body::default()
        .with("model", endpoint.id.name.as_str())
        .with("messages", messages(request, offer))
        .maybe("tools", draft::tools(offer, tool))
        .maybe("temperature", draft::temperature(request, quirks))
        .maybe("seed", draft::seed(request, quirks));
    if let Some(limit) = quirks.limit(old_first) {
        body = body.with(limit, request.sampling.max_output_tokens);
    }
    let url = format!("{}/chat/completions", endpoint.base);
    let mut http = HttpRequest::post(url, &body.done());
    super::bearer(endpoint, &mut http);
    http
}

fn tool(tool: &Offered) -> Value {
    let function = Body::default()
        .with("name", tool.name.as_str())
        .maybe("description", tool.description.as_deref())
        .with("parameters", tool.schema.clone());
    json!({"type": "function", "function": function.done()})
}

fn messages(request: &Request, offer: &Offer) -> Vec<Value> {
    let system = draft::system(request).map(|text| json!({"role": "system", "content": text}));
    let mut messages: Vec<Value> = system.into_iter().collect();
    for step in steps(request) {
        match step {
            Step::User(text) => messages.push(json!({"role": "user", "content": text})),
            Step::Assistant(said) => messages.push(assistant(said, offer)),
            Step::Results(results) => messages.extend(results.iter().map(result)),
        }
    }
    messages
}

fn result(given: &Given<'_>) -> Value {
    json!({"role": "tool", "tool_call_id": sent_id(&given.call.id), "content": given.text()})
}

fn assistant(said: &Said, offer: &Offer) -> Value {
    let calls: Vec<Value> = said
        .calls
        .iter()
        .map(|call| {
            let arguments = sent_arguments(call, &offer.names).to_string();
            json!({"id": sent_id(&call.id), "type": "function",
                "function": {"name": offer.names.sent(&call.name), "arguments": arguments}})
        })
        .collect();
    if calls.is_empty() {
        return json!({"role": "assistant", "content": said.text});
    }
    let text = if said.text.is_empty() {
        Value::Null
    } else {
        json!(said.text)
    };
    let mut message = json!({"role": "assistant", "content": text, "tool_calls": calls});
    // What a gateway added (reasoning, signatures) goes back beside what everybody knows.
    if let Some(extra) = kept(said, WIRE) {
        merge(&mut message, extra);
    }
    message
}

/// Adds members that are missing, and those of list items by position.
fn merge(message: &mut Value, extra: &Value) {
    match (message, extra) {
        (Value::Object(members), Value::Object(extra)) => {
            for (key, value) in extra {
                match members.get_mut(key) {
                    Some(known) => merge(known, value),
                    None => {
                        members.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (Value::Array(items), Value::Array(extra)) => {
            items
                .iter_mut()
                .zip(extra)
                .for_each(|(item, extra)| merge(item, extra));
        }
        _ => {}
    }
}

/// The answer in a response.
pub(super) fn decode(
    response: &HttpResponse,
    names: &super::names::Names,
) -> Result<Answer, Fault> {
    if response.is_stream() {
        return stream::fold(response, names);
    }
    let text = response.text();
    let body = success(&text, response)?;
    let mut draft = Draft {
        usage: body.at("usage").and_then(usage),
        model: body.word_at("model"),
        fingerprint: body.word_at("system_fingerprint"),
        request_id: super::fault::request_id(response).or_else(|| body.word_at("id")),
        ..Draft::default()
    };
    let Some(choices) = body.at("choices") else {
        return Err(Fault::new(
            FaultKind::Garbled,
            "the answer has no `choices`: is this a server of Chat Completions?".to_owned(),
        ));
    };
    // One was asked for; what a provider sends beyond it is not read.
    if let Some(choice) = choices.items().into_iter().next() {
        if let Some(message) = choice.at("message") {
            read_message(message, &mut draft);
        }
        draft.end = end(choice.text_at("finish_reason").as_deref(), &draft);
    }
    Ok(draft.answer(names))
}

fn read_message(message: Lazy<'_>, draft: &mut Draft) {
    draft.text = message.at("content").map(content).unwrap_or_default();
    if let Some(refusal) = message.word_at("refusal") {
        draft.has_refused = true;
        if draft.text.is_empty() {
            draft.text = refusal;
        }
    }
    for call in message
        .at("tool_calls")
        .map(Lazy::items)
        .unwrap_or_default()
    {
        let function = call.at("function").unwrap_or(call);
        let name = function.text_at("name").unwrap_or_default();
        let arguments = function.at("arguments").map(Lazy::arguments);
        draft.call(call.word_at("id"), name, arguments.unwrap_or_default());
    }
    if draft.calls.is_empty()
        && let Some(function) = message.at("function_call")
        && let Some(name) = function.word_at("name")
    {
        let arguments = function.at("arguments").map(Lazy::arguments);
        draft.call(None, name, arguments.unwrap_or_default());
    }
    draft.native = native(message);
}

/// Text, or a list of parts with text in them.
fn content(content: Lazy<'_>) -> String {
    content.text().unwrap_or_else(|| {
        let parts = content.items().into_iter();
        parts.filter_map(|part| part.text_at("text")).collect()
    })
}

/// What stands in a message beyond what everybody knows, where it must go back: beside calls alone.
fn native(message: Lazy<'_>) -> Option<Value> {
    const KNOWN: [&str; 7] = [
        "role",
        "content",
        "refusal",
        "annotations",
        "audio",
        "function_call",
        "tool_calls",
    ];
    let mut extra = message.value()?;
    let members = extra.as_object_mut()?;
    let calls = members.get("tool_calls").cloned();
    members.retain(|key, value| !KNOWN.contains(&key.as_str()) && !value.is_null());
    let Value::Array(mut calls) = calls? else {
        return None;
    };
    let mut has_more = !members.is_empty();
    for call in &mut calls {
        if let Some(call) = call.as_object_mut() {
            call.retain(|key, _| !["id", "type", "function", "index"].contains(&key.as_str()));
            has_more |= !call.is_empty();
        }
    }
    members.insert("tool_calls".to_owned(), Value::Array(calls));
    has_more.then(|| keep(WIRE, &extra))
}

/// The reason that a provider gives, where it stands above what was said.
pub(super) fn end(reason: Option<&str>, draft: &Draft) -> Option<End> {
    let says_nothing = draft.calls.is_empty() && draft.text.trim().is_empty() && !draft.has_refused;
    match reason? {
        "length" | "max_tokens" | "model_length" => Some(End::CutOff),
        "content_filter" => Some(End::Filtered),
        "refusal" => Some(End::Refused),
        "stop" | "tool_calls" | "function_call" | "eos" => None,
        other if says_nothing => Some(End::Other(super::fault::safe(other, 60))),
        _ => None,
    }
}

/// Tokens; cached ones are part of the input and reasoning is part of the output here.
pub(super) fn usage(usage: Lazy<'_>) -> Option<Tokens> {
    let input = usage.at("prompt_tokens_details");
    let output = usage.at("completion_tokens_details");
    Some(Tokens {
        input: usage.count_at("prompt_tokens")?,
        cached: input.and_then(|details| details.count_at("cached_tokens")),
        cache_write: input.and_then(|details| details.count_at("cache_write_tokens")),
        output: usage.count_at("completion_tokens")?,
        reasoning: output.and_then(|details| details.count_at("reasoning_tokens")),
    })
}

#[cfg(test)]
mod tests;
