//! Faults of prompts.

use super::Defect;
use super::bend::{is_unknown_prompt, named, remove};
use crate::message::{Fault, Request};
use crate::server::Server;
use serde_json::{Value, json};

const GET: &str = "prompts/get";

fn gets(request: &Request, name: &str) -> bool {
    request.is(GET) && request.text("name") == Some(name)
}

/// Messages of a prompt that says one thing.
fn messages(text: &str) -> Value {
    json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": text } }] })
}

/// Serves a prompt with other arguments.
fn get_with(server: &Server, request: &Request, given: Value) -> crate::hooks::Served {
    let mut mended = request.clone();
    mended.params_mut()?.insert("arguments".to_owned(), given);
    Some(server.dispatch(&mended))
}

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "prompt-argument-nameless",
        "lists an argument of a prompt without a name",
        &[("prompts.list-shape", "fail")],
    )
    .items(|request, items| {
        if request.is("prompts/list")
            && let Some(prompt) = named(items, "check_logo")
        {
            remove(&mut prompt["arguments"][0], "name");
        }
    }),
    Defect::new(
        "prompt-twice",
        "lists a prompt twice",
        &[("prompts.name-unique", "warn")],
    )
    .items(|request, items| {
        if request.is("prompts/list")
            && let Some(first) = items.first().cloned()
        {
            items.push(first);
        }
    }),
    Defect::new(
        "prompt-content-list",
        "gives a message of a prompt a list of contents",
        &[("prompts.get-shape", "fail")],
    )
    .result(|request, result| {
        if gets(request, "monthly_summary") {
            let content = result["messages"][0]["content"].clone();
            result["messages"][0]["content"] = json!([content]);
        }
    }),
    Defect::new(
        "prompt-role-system",
        "gives a message of a prompt the role of the system",
        &[("prompts.get-shape", "fail")],
    )
    .result(|request, result| {
        if gets(request, "monthly_summary") {
            result["messages"][0]["role"] = json!("system");
        }
    }),
    Defect::new(
        "prompt-image-typeless",
        "does not say of which type an image is",
        &[("prompts.content", "fail")],
    )
    .result(|request, result| {
        if gets(request, "check_logo") {
            remove(&mut result["messages"][1]["content"], "mimeType");
        }
    }),
    Defect::new(
        "prompt-resource-typeless",
        "does not say of which type an embedded resource is",
        &[("prompts.content", "warn")],
    )
    .result(|request, result| {
        if gets(request, "monthly_summary") {
            remove(
                &mut result["messages"][1]["content"]["resource"],
                "mimeType",
            );
        }
    }),
    Defect::new(
        "unknown-prompt-code",
        "calls an unknown prompt an internal error",
        &[("prompts.unknown-code", "warn")],
    )
    .fault(|_, fault| {
        if is_unknown_prompt(fault) {
            fault.code = -32603;
        }
    }),
    Defect::new(
        "unknown-prompt-served",
        "makes a prompt up when it does not know one",
        &[("prompts.unknown-code", "warn")],
    )
    .serve(|server, request| {
        let outcome = server.dispatch(request);
        if outcome.as_ref().is_err_and(is_unknown_prompt) {
            return Some(Ok(messages("Help me.").into()));
        }
        Some(outcome)
    }),
    Defect::new(
        "prompt-argument-optional",
        "serves a prompt without an argument that it requires",
        &[("prompts.missing-argument", "warn")],
    )
    .serve(|server, request| {
        let is_missing = gets(request, "dunning_letter")
            && request
                .param("arguments")
                .is_none_or(|given| given.get("customer").is_none());
        if !is_missing {
            return None;
        }
        get_with(server, request, json!({ "customer": "somebody" }))
    }),
    Defect::new(
        "prompt-argument-number",
        "takes a number for an argument of a prompt",
        &[("prompts.argument-type", "info")],
    )
    .serve(|server, request| {
        let given = request.param("arguments")?.as_object()?;
        if !request.is(GET) || !given.values().any(Value::is_number) {
            return None;
        }
        let text = |value: &Value| value.as_str().map_or(json!(value.to_string()), Value::from);
        let given = given
            .iter()
            .map(|(name, value)| (name.clone(), text(value)));
        get_with(server, request, Value::Object(given.collect()))
    }),
    Defect::new(
        "prompt-without-name-code",
        "calls a missing name of a prompt an internal error",
        &[("prompts.no-name", "warn")],
    )
    .serve(|_, request| {
        (request.is(GET) && request.param("name").is_none())
            .then(|| Err(Fault::new(-32603, 200, "internal error")))
    }),
];
