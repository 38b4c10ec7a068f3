//! Gets listed prompts, and gets them wrongly; several checks judge what comes back.
//!
//! Arguments are those of the configuration; else what the server itself proposes; else a placeholder,
//! which a server may well refuse.

use crate::ask::{Ask, Probe, Stage};
use crate::context::Context;
use crate::facts::{Declared, Item, List};
use serde_json::{Map, Value, json};

/// Gets up to five prompts; one of them without its arguments, and with a number for an argument.
pub(crate) const GETTING: Probe = Probe {
    name: "prompts.getting",
    stage: Stage::Main,
    next: getting,
};

/// Prompts that one run gets.
const MOST: usize = 5;
/// Arguments of one prompt that the server is asked to propose values for.
const MOST_ARGUMENTS: usize = 5;
/// Stands where nothing better is known.
const PLACEHOLDER: &str = "example";
/// Longer names may break limits that HTTP servers have on header fields.
const MAX_NAME: usize = 512;

fn getting(cx: &Context, round: usize) -> Vec<Ask> {
    if cx.settings.config.no_reads || cx.facts.declares("prompts") != Declared::Yes {
        return vec![];
    }
    match round {
        // What is to be sent may hang on what the server proposes.
        0 => {
            let mut asks = faulty(cx);
            asks.extend(proposals(cx));
            // A prompt that needs no proposal can be got at once.
            asks.extend(gets(cx, |prompt| !wants_proposal(cx, prompt)));
            asks
        }
        1 => gets(cx, |prompt| wants_proposal(cx, prompt)),
        _ => vec![],
    }
}

/// The prompts that are got: the first ones that can be named in a header field.
pub(super) fn chosen<'c>(cx: &Context<'c>) -> Vec<Item<'c>> {
    let mut prompts: Vec<Item> = Vec::new();
    for prompt in cx.facts.items(List::Prompts) {
        let fits = !prompt.name().is_empty() && prompt.name().len() <= MAX_NAME;
        if fits && !prompts.iter().any(|known| known.name() == prompt.name()) {
            prompts.push(prompt);
        }
    }
    // What can surely be got comes first.
    prompts.sort_by_key(|prompt| guessed(cx, *prompt));
    prompts.truncate(MOST);
    prompts
}

fn gets(cx: &Context, wanted: impl Fn(Item) -> bool) -> Vec<Ask> {
    let prompts = chosen(cx).into_iter().filter(|prompt| wanted(*prompt));
    prompts
        .map(|prompt| {
            let mut params = json!({"name": prompt.name()});
            let arguments = arguments(cx, prompt);
            if !arguments.is_empty() {
                params["arguments"] = Value::Object(arguments);
            }
            Ask::request(format!("get/{}", prompt.name()), "prompts/get", params)
        })
        .collect()
}

/// The names of the arguments that a prompt requires.
fn required(prompt: Item<'_>) -> impl Iterator<Item = &str> {
    let arguments = prompt.value.get("arguments").and_then(Value::as_array);
    let arguments = arguments.into_iter().flatten();
    arguments
        .filter(|argument| argument.get("required") == Some(&json!(true)))
        .filter_map(|argument| argument.get("name")?.as_str())
}

/// The value that the configuration has for an argument.
fn configured<'c>(cx: &Context<'c>, prompt: Item, argument: &str) -> Option<&'c str> {
    let arguments = cx.settings.config.prompts.arguments.get(prompt.name())?;
    arguments.get(argument).map(String::as_str)
}

/// Whether a value of some argument is neither configured nor unnecessary.
pub(super) fn guessed(cx: &Context, prompt: Item) -> bool {
    required(prompt).any(|argument| configured(cx, prompt, argument).is_none())
}

fn wants_proposal(cx: &Context, prompt: Item) -> bool {
    cx.facts.declares("completions") == Declared::Yes && guessed(cx, prompt)
}

/// The step that asks for proposals.
fn proposal(prompt: &str, argument: &str) -> String {
    format!("propose/{prompt}/{argument}")
}

fn proposals(cx: &Context) -> Vec<Ask> {
    let prompts = chosen(cx).into_iter();
    prompts
        .filter(|prompt| wants_proposal(cx, *prompt))
        .flat_map(|prompt| {
            let missing =
                required(prompt).filter(move |name| configured(cx, prompt, name).is_none());
            missing.take(MOST_ARGUMENTS).map(move |argument| {
                let params = json!({
                    "ref": {"type": "ref/prompt", "name": prompt.name()},
                    "argument": {"name": argument, "value": ""},
                });
                Ask::request(
                    proposal(prompt.name(), argument),
                    "completion/complete",
                    params,
                )
            })
        })
        .collect()
}

/// Arguments for a prompt: what is configured, and something for what it requires besides.
fn arguments(cx: &Context, prompt: Item) -> Map<String, Value> {
    let known = cx.settings.config.prompts.arguments.get(prompt.name());
    let mut arguments: Map<String, Value> = known
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    for name in required(prompt) {
        if !arguments.contains_key(name) {
            let step = format!("{}/{}", GETTING.name, proposal(prompt.name(), name));
            let proposed = cx
                .record(&step)
                .and_then(|record| record.result()?.pointer("/completion/values/0")?.as_str());
            arguments.insert(name.to_owned(), json!(proposed.unwrap_or(PLACEHOLDER)));
        }
    }
    arguments
}

/// A listed prompt that requires an argument, without any; one with an argument that is a number.
fn faulty(cx: &Context) -> Vec<Ask> {
    let prompts = chosen(cx);
    let mut asks = Vec::new();
    let needs = prompts
        .iter()
        .find(|prompt| required(**prompt).next().is_some());
    if let Some(prompt) = needs {
        let params = json!({"name": prompt.name()});
        asks.push(Ask::request("missing", "prompts/get", params).faulty());
    }
    let takes = prompts.iter().find_map(|prompt| {
        let first = prompt.value.pointer("/arguments/0/name")?.as_str()?;
        Some((prompt, required(*prompt).next().unwrap_or(first)))
    });
    if let Some((prompt, argument)) = takes {
        let mut arguments = arguments(cx, *prompt);
        arguments.insert(argument.to_owned(), json!(5));
        let params = json!({"name": prompt.name(), "arguments": arguments});
        asks.push(Ask::request("number", "prompts/get", params).faulty());
    }
    asks
}
