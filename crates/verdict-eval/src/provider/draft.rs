//! What the wires have in common: turns in the order that providers want, and answers put together from their parts.

use super::names::Names;
use super::offer::{Offer, Offered};
use super::quirks::Quirks;
use crate::chat::{Answer, Call, End, Request, Said, ToolResult, Turn};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use verdict_model::behavior::Tokens;

/// The word of [`End::Other`] for a call that the provider could not read: a failed answer of the model.
pub const MALFORMED_CALL: &str = "malformed-call";
/// The word of [`End::Other`] for an answer that stopped because the model's context was full.
pub const CONTEXT_FULL: &str = "context-full";

/// One step of a conversation, as providers take it.
pub(super) enum Step<'a> {
    User(&'a str),
    Assistant(&'a Said),
    /// One for each call of the step before, in its order.
    Results(Vec<Given<'a>>),
}

/// A result of a call.
pub(super) struct Given<'a> {
    pub call: &'a Call,
    pub content: &'a str,
    pub is_error: bool,
}

/// The turns of a request: calls are answered right behind the turn that made them, each once and in order, because
/// providers refuse anything else.
pub(super) fn steps(request: &Request) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    let mut turns = request.turns.iter().peekable();
    while let Some(turn) = turns.next() {
        match turn {
            Turn::User { text } => steps.push(Step::User(text)),
            // Results that answer no call are nothing a provider takes.
            Turn::Tool { .. } => {}
            Turn::Assistant(said) => {
                steps.push(Step::Assistant(said));
                if said.calls.is_empty() {
                    continue;
                }
                let results: &[ToolResult] = match turns.peek() {
                    Some(Turn::Tool { results }) => results,
                    _ => &[],
                };
                steps.push(Step::Results(
                    said.calls.iter().map(|call| given(call, results)).collect(),
                ));
            }
        }
    }
    steps
}

fn given<'a>(call: &'a Call, results: &'a [ToolResult]) -> Given<'a> {
    let result = results.iter().find(|result| result.call == call.id);
    Given {
        call,
        content: result.map_or("no result", |result| &result.content),
        is_error: result.is_none_or(|result| result.is_error),
    }
}

impl Given<'_> {
    /// The result where the wire has no mark for errors.
    pub(super) fn text(&self) -> String {
        if self.is_error {
            format!("Error: {}", self.content)
        } else {
            self.content.to_owned()
        }
    }
}

/// Arguments of an earlier call. What the model wrote and is no object goes back inside one: gateways fail on it.
pub(super) fn sent_arguments(call: &Call, names: &Names) -> Value {
    match call.object() {
        Ok(arguments) => names.sent_arguments(&call.name, arguments),
        Err(_) => json!({"invalid_arguments": call.arguments}),
    }
}

/// An id as every wire takes it.
pub(super) fn sent_id(id: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    id.chars()
        .map(|c| if allowed(c) { c } else { '_' })
        .collect()
}

/// A turn in the provider's own form, kept for the wire that made it.
pub(super) fn keep(wire: &str, turn: &Value) -> Value {
    json!({"wire": wire, "turn": turn})
}

/// The kept form, where this wire made it.
pub(super) fn kept<'a>(said: &'a Said, wire: &str) -> Option<&'a Value> {
    let native = said.native.as_ref()?;
    (native.get("wire")? == wire).then(|| native.get("turn"))?
}

/// An answer in the making. Calls have the wire's names in it.
#[derive(Default)]
pub(super) struct Draft {
    pub text: String,
    pub has_refused: bool,
    pub calls: Vec<Call>,
    /// The provider's reason where it stands above what was said.
    pub end: Option<End>,
    pub usage: Option<Tokens>,
    pub model: Option<String>,
    pub fingerprint: Option<String>,
    pub request_id: Option<String>,
    pub native: Option<Value>,
}

impl Draft {
    pub(super) fn call(&mut self, id: Option<String>, name: String, arguments: String) {
        let id = id.unwrap_or_default();
        self.calls.push(Call {
            id,
            name,
            arguments,
        });
    }

    /// The answer, with the server's own names and an id of its own for each call.
    pub(super) fn answer(mut self, names: &Names) -> Answer {
        let mut seen = BTreeSet::new();
        for (i, call) in self.calls.iter_mut().enumerate() {
            if call.id.is_empty() || seen.contains(&call.id) {
                let mut number = i + 1;
                while seen.contains(&format!("call_{number}")) {
                    number += 1;
                }
                call.id = format!("call_{number}");
            }
            seen.insert(call.id.clone());
            call.name = names.own(&call.name);
            call.arguments = names.own_arguments(&call.name, std::mem::take(&mut call.arguments));
        }
        let end = self.end.take().unwrap_or(match () {
            () if self.has_refused => End::Refused,
            () if !self.calls.is_empty() => End::Calls,
            () if self.text.trim().is_empty() => End::Empty,
            () => End::Stop,
        });
        let short = |text: Option<String>| text.map(|text| super::fault::safe(&text, 200));
        Answer {
            said: Said {
                text: self.text,
                calls: self.calls,
                native: self.native,
            },
            end,
            usage: self.usage,
            model: short(self.model),
            fingerprint: short(self.fingerprint),
            request_id: short(self.request_id),
        }
    }
}

/// A body in the making; what says nothing is left out.
#[derive(Default)]
pub(super) struct Body(Map<String, Value>);

impl Body {
    pub(super) fn with(self, key: &str, value: impl Into<Value>) -> Self {
        self.maybe(key, Some(value))
    }

    pub(super) fn maybe(mut self, key: &str, value: Option<impl Into<Value>>) -> Self {
        if let Some(value) = value {
            self.0.insert(key.to_owned(), value.into());
        }
        self
    }

    pub(super) fn done(self) -> Value {
        Value::Object(self.0)
    }
}

/// The system text, where there is one.
pub(super) fn system(request: &Request) -> Option<&str> {
    Some(request.system.as_str()).filter(|text| !text.is_empty())
}

/// The temperature, while the model takes one.
pub(super) fn temperature(request: &Request, quirks: &Quirks) -> Option<f64> {
    request
        .sampling
        .temperature
        .filter(|_| quirks.takes("temperature"))
}

/// The seed, while the model takes one.
pub(super) fn seed(request: &Request, quirks: &Quirks) -> Option<u64> {
    request.sampling.seed.filter(|_| quirks.takes("seed"))
}

/// The tools in the form of a wire, where there are any.
pub(super) fn tools(offer: &Offer, form: fn(&Offered) -> Value) -> Option<Vec<Value>> {
    (!offer.tools.is_empty()).then(|| offer.tools.iter().map(form).collect())
}
