//! Responses: `OpenAI`'s current wire, the only one on which its newest models call tools.
//!
//! Nothing is stored at the provider (`store: false`), so reasoning comes back encrypted and goes along with the next
//! request, unchanged and in its place. `strict` is said to be off, because leaving it out means on.

use super::draft::{self, Body, Draft, Given, Step, keep, kept, sent_arguments, sent_id, steps};
use super::fault::{self, Fault, FaultKind};
use super::http::{HttpRequest, HttpResponse};
use super::lazy::Lazy;
use super::model::Endpoint;
use super::names::Names;
use super::offer::{Offer, Offered};
use super::quirks::Quirks;
use super::{stream, success};
use crate::chat::{Answer, End, Request, Said};
use serde_json::{Value, json};
use verdict_model::behavior::Tokens;

const WIRE: &str = "responses";

/// The request to send. The tools are those of `offer`.
pub(super) fn encode(
    endpoint: &Endpoint,
    request: &Request,
    offer: &Offer,
    quirks: &Quirks,
) -> HttpRequest {
    let encrypted = quirks
        .takes("include")
        .then(|| json!(["reasoning.encrypted_content"]));
    let body = Body::default()
        .with("model", endpoint.id.name.as_str())
        .maybe("instructions", draft::system(request))
        .with("input", input(request, offer))
        .maybe("tools", draft::tools(offer, tool))
        .with("max_output_tokens", request.sampling.max_output_tokens)
        .maybe("temperature", draft::temperature(request, quirks))
        .maybe("store", quirks.takes("store").then_some(false))
        .maybe("include", encrypted);
    let url = format!("{}/responses", endpoint.base);
    let mut http = HttpRequest::post(url, &body.done());
    super::bearer(endpoint, &mut http);
    http
}

fn tool(tool: &Offered) -> Value {
    Body::default()
        .with("type", "function")
        .with("name", tool.name.as_str())
        .maybe("description", tool.description.as_deref())
        .with("parameters", tool.schema.clone())
        .with("strict", false)
        .done()
}

fn input(request: &Request, offer: &Offer) -> Vec<Value> {
    let mut input = Vec::new();
    for step in steps(request) {
        match step {
            Step::User(text) => input.push(json!({"role": "user", "content": text})),
            Step::Assistant(said) => assistant(said, offer, &mut input),
            Step::Results(results) => input.extend(results.iter().map(result)),
        }
    }
    input
}

fn result(given: &Given<'_>) -> Value {
    let id = sent_id(&given.call.id);
    json!({"type": "function_call_output", "call_id": id, "output": given.text()})
}

fn assistant(said: &Said, offer: &Offer, input: &mut Vec<Value>) {
    if let Some(Value::Array(items)) = kept(said, WIRE) {
        input.extend(items.iter().cloned());
        return;
    }
    if !said.text.is_empty() || said.calls.is_empty() {
        input.push(json!({"role": "assistant", "content": said.text}));
    }
    input.extend(said.calls.iter().map(|call| {
        json!({"type": "function_call", "call_id": sent_id(&call.id), "name": offer.names.sent(&call.name),
            "arguments": sent_arguments(call, &offer.names).to_string()})
    }));
}

/// The answer in a response.
pub(super) fn decode(response: &HttpResponse, names: &Names) -> Result<Answer, Fault> {
    let text = response.text();
    if !response.is_stream() {
        return read(success(&text, response)?, response, names);
    }
    // A stream nobody asked for: its last event holds the whole answer.
    for event in stream::events(&text).iter().rev() {
        let Some(event) = Lazy::parse(event) else {
            continue;
        };
        if let Some(error) = event.at("error") {
            return Err(fault::of_inner_error(error, response));
        }
        let kind = event.text_at("type").unwrap_or_default();
        let is_last = [
            "response.completed",
            "response.incomplete",
            "response.failed",
        ]
        .contains(&kind.as_str());
        if let Some(whole) = event.at("response").filter(|_| is_last) {
            return read(whole, response, names);
        }
    }
    Err(Fault::new(
        FaultKind::Cut,
        "the stream of the answer ended in its midst".to_owned(),
    ))
}

fn read(body: Lazy<'_>, response: &HttpResponse, names: &Names) -> Result<Answer, Fault> {
    if let Some(error) = body.at("error").filter(|error| error.is_object()) {
        return Err(fault::of_inner_error(error, response));
    }
    let Some(output) = body.at("output") else {
        return Err(Fault::new(
            FaultKind::Garbled,
            "the answer has no `output`: is this a server of Responses? gateways mostly want `openai-compatible:`"
                .to_owned(),
        ));
    };
    let mut draft = Draft {
        usage: body.at("usage").and_then(usage),
        model: body.word_at("model"),
        request_id: fault::request_id(response).or_else(|| body.word_at("id")),
        ..Draft::default()
    };
    for item in output.items() {
        read_item(item, &mut draft);
    }
    draft.end = end(body);
    // Only a turn with calls is answered by another request.
    if !draft.calls.is_empty() {
        draft.native = output
            .value()
            .filter(has_ids)
            .map(|items| keep(WIRE, &items));
    }
    Ok(draft.answer(names))
}

/// Items go back as they are only where every call has an id to be answered by.
fn has_ids(items: &Value) -> bool {
    let mut seen = std::collections::BTreeSet::new();
    items.as_array().is_some_and(|items| {
        items
            .iter()
            .filter(|item| item.get("type") == Some(&json!("function_call")))
            .all(|item| {
                let id = item
                    .get("call_id")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                let arguments = item.get("arguments").and_then(Value::as_str);
                let is_object = arguments.is_some_and(|text| {
                    serde_json::from_str::<serde_json::Map<String, Value>>(text).is_ok()
                });
                !id.is_empty() && sent_id(id) == id && is_object && seen.insert(id)
            })
    })
}

fn read_item(item: Lazy<'_>, draft: &mut Draft) {
    match item.text_at("type").as_deref() {
        Some("message") => {
            for part in item.at("content").map(Lazy::items).unwrap_or_default() {
                if let Some(refusal) = part.word_at("refusal") {
                    draft.has_refused = true;
                    draft.text.push_str(&refusal);
                }
                draft
                    .text
                    .push_str(&part.text_at("text").unwrap_or_default());
            }
        }
        Some("function_call") => {
            let id = item.word_at("call_id").or_else(|| item.word_at("id"));
            let arguments = item
                .at("arguments")
                .map(Lazy::arguments)
                .unwrap_or_default();
            draft.call(id, item.text_at("name").unwrap_or_default(), arguments);
        }
        _ => {}
    }
}

fn end(body: Lazy<'_>) -> Option<End> {
    match body.text_at("status")?.as_str() {
        "incomplete" => {
            let reason = body
                .path(&["incomplete_details", "reason"])
                .and_then(Lazy::text);
            Some(match reason.as_deref() {
                Some("max_output_tokens") | None => End::CutOff,
                Some("content_filter") => End::Filtered,
                Some(other) => End::Other(fault::safe(other, 60)),
            })
        }
        "completed" => None,
        other => Some(End::Other(fault::safe(other, 60))),
    }
}

fn usage(usage: Lazy<'_>) -> Option<Tokens> {
    let input = usage.at("input_tokens_details");
    let output = usage.at("output_tokens_details");
    Some(Tokens {
        input: usage.count_at("input_tokens")?,
        cached: input.and_then(|details| details.count_at("cached_tokens")),
        cache_write: input.and_then(|details| details.count_at("cache_write_tokens")),
        output: usage.count_at("output_tokens")?,
        reasoning: output.and_then(|details| details.count_at("reasoning_tokens")),
    })
}

#[cfg(test)]
mod tests;
