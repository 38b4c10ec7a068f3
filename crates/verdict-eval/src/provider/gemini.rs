//! `generateContent`: Google's wire.
//!
//! A turn with calls goes back as it came, because its thought signatures must not be lost. `finishReason` is `STOP`
//! beside calls too.

use super::draft::{
    self, Body, Draft, Given, MALFORMED_CALL, Step, keep, kept, sent_arguments, steps,
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

const WIRE: &str = "gemini";
/// What Google documents for calls that no Gemini model made, such as those of a case's history.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// The request to send. The tools are those of `offer`.
pub(super) fn encode(
    endpoint: &Endpoint,
    request: &Request,
    offer: &Offer,
    quirks: &Quirks,
) -> HttpRequest {
    let sampling = &request.sampling;
    // The wire holds 32 bits of a seed.
    let seed = draft::seed(request, quirks).map(|seed| seed & 0x7fff_ffff);
    let config = Body::default()
        .with("maxOutputTokens", sampling.max_output_tokens)
        .maybe("temperature", draft::temperature(request, quirks))
        .maybe("seed", seed);
    let system = draft::system(request).map(|text| json!({"parts": [{"text": text}]}));
    let tools = draft::tools(offer, tool).map(|tools| json!([{"functionDeclarations": tools}]));
    let body = Body::default()
        .maybe("systemInstruction", system)
        .with("contents", contents(request, offer))
        .maybe("tools", tools)
        .with("generationConfig", config.done());
    let path = path(&endpoint.id.name);
    let url = format!("{}/v1beta/{path}:generateContent", endpoint.base);
    let mut http = HttpRequest::post(url, &body.done());
    if let Some(key) = &endpoint.key {
        http.add("x-goog-api-key", key.expose(), true);
    }
    http
}

fn tool(tool: &Offered) -> Value {
    // Google requires a description.
    let description = tool.description.as_deref().unwrap_or_default();
    json!({"name": tool.name, "description": description, "parametersJsonSchema": tool.schema})
}

fn contents(request: &Request, offer: &Offer) -> Vec<Value> {
    let mut contents: Vec<Value> = Vec::new();
    let mut is_native = false;
    for step in steps(request) {
        let (role, mut parts): (&str, Vec<Value>) = match step {
            Step::User(text) => ("user", vec![json!({"text": text})]),
            Step::Assistant(said) => {
                let native = kept(said, WIRE);
                is_native = native.is_some();
                if let Some(content) = native {
                    contents.push(content.clone());
                    continue;
                }
                ("model", assistant(said, offer))
            }
            Step::Results(results) => {
                let parts = results.iter().map(|given| result(given, offer, is_native));
                ("user", parts.collect())
            }
        };
        let last = contents.last_mut().filter(|last| last["role"] == role);
        match last.and_then(|last| last["parts"].as_array_mut()) {
            Some(into) => into.append(&mut parts),
            None => contents.push(json!({"role": role, "parts": parts})),
        }
    }
    contents
}

/// The name as steps of a path, with everything odd percent-encoded.
fn path(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' => out.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            byte => out.extend(format!("%{byte:02X}").chars()),
        }
    }
    let out = out.replace("..", "%2E%2E");
    if out.contains('/') {
        out
    } else {
        format!("models/{out}")
    }
}

fn result(given: &Given<'_>, offer: &Offer, is_native: bool) -> Value {
    let key = if given.is_error { "error" } else { "output" };
    let called = &given.call.name;
    // Results find their calls by name: one that the model made up stands in its own turn as it wrote it.
    let name = if is_native && !offer.names.is_on_offer(called) {
        called.clone()
    } else {
        offer.names.sent(called)
    };
    let mut response = json!({"name": name, "response": {key: given.content}});
    if !is_made_up(&given.call.id) {
        response["id"] = json!(given.call.id);
    }
    json!({"functionResponse": response})
}

/// Whether an id is ours: Google is told only those that it gave itself.
fn is_made_up(id: &str) -> bool {
    id.starts_with("call_")
}

fn assistant(said: &Said, offer: &Offer) -> Vec<Value> {
    let mut parts = Vec::new();
    if !said.text.is_empty() || said.calls.is_empty() {
        parts.push(json!({"text": said.text}));
    }
    for (i, call) in said.calls.iter().enumerate() {
        let mut function = json!({"name": offer.names.sent(&call.name), "args": sent_arguments(call, &offer.names)});
        if !is_made_up(&call.id) {
            function["id"] = json!(call.id);
        }
        let mut part = json!({"functionCall": function});
        if i == 0 {
            part["thoughtSignature"] = json!(NO_SIGNATURE);
        }
        parts.push(part);
    }
    parts
}

/// The answer in a response.
pub(super) fn decode(response: &HttpResponse, names: &Names) -> Result<Answer, Fault> {
    let text = response.text();
    let body = success(&text, response)?;
    let mut draft = Draft {
        usage: body.at("usageMetadata").and_then(usage),
        model: body.word_at("modelVersion"),
        request_id: fault::request_id(response).or_else(|| body.word_at("responseId")),
        ..Draft::default()
    };
    let candidates = body.at("candidates").map(Lazy::items).unwrap_or_default();
    let Some(candidate) = candidates.into_iter().next() else {
        let is_blocked = body.path(&["promptFeedback", "blockReason"]).is_some();
        if !is_blocked && draft.usage.is_none() {
            return Err(Fault::new(
                FaultKind::Garbled,
                "the answer has no `candidates`: is this a server of Gemini's API?".to_owned(),
            ));
        }
        draft.end = is_blocked.then_some(End::Filtered);
        return Ok(draft.answer(names));
    };
    if let Some(content) = candidate.at("content") {
        for part in content.at("parts").map(Lazy::items).unwrap_or_default() {
            read_part(part, &mut draft);
        }
        if !draft.calls.is_empty() {
            draft.native = content
                .value()
                .and_then(returnable)
                .map(|turn| keep(WIRE, &turn));
        }
    }
    draft.end = end(candidate.text_at("finishReason").as_deref());
    Ok(draft.answer(names))
}

fn read_part(part: Lazy<'_>, draft: &mut Draft) {
    if let Some(call) = part.at("functionCall") {
        let arguments = call.at("args").map(Lazy::arguments).unwrap_or_default();
        draft.call(
            call.word_at("id"),
            call.text_at("name").unwrap_or_default(),
            arguments,
        );
    } else if !part.flag_at("thought") {
        draft
            .text
            .push_str(&part.text_at("text").unwrap_or_default());
    }
}

/// The turn as it goes back; none where a call in it could not be sent again.
fn returnable(mut content: Value) -> Option<Value> {
    let parts = content.get("parts")?.as_array()?;
    let sound = parts
        .iter()
        .filter_map(|part| part.get("functionCall"))
        .all(|call| call.get("args").is_none_or(Value::is_object));
    content["role"] = json!("model");
    sound.then_some(content)
}

fn end(reason: Option<&str>) -> Option<End> {
    match reason? {
        "MAX_TOKENS" => Some(End::CutOff),
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE"
        | "IMAGE_SAFETY" => Some(End::Filtered),
        "MALFORMED_FUNCTION_CALL" => Some(End::Other(MALFORMED_CALL.to_owned())),
        "STOP" | "FINISH_REASON_UNSPECIFIED" => None,
        other => Some(End::Other(fault::safe(
            &other.to_lowercase().replace('_', "-"),
            60,
        ))),
    }
}

/// Tokens; thoughts are counted beside the answer here, and are part of the output everywhere else.
fn usage(usage: Lazy<'_>) -> Option<Tokens> {
    let reasoning = usage.count_at("thoughtsTokenCount");
    Some(Tokens {
        input: usage.count_at("promptTokenCount")?
            + usage.count_at("toolUsePromptTokenCount").unwrap_or(0),
        cached: usage.count_at("cachedContentTokenCount"),
        cache_write: None,
        output: usage.count_at("candidatesTokenCount").unwrap_or(0) + reasoning.unwrap_or(0),
        reasoning,
    })
}

#[cfg(test)]
mod tests;
