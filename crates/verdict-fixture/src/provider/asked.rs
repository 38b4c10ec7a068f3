//! What was asked, read from each of the four wires.

use serde_json::Value;

/// The form of a request and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// `…/chat/completions`.
    ChatCompletions,
    /// `…/responses`.
    Responses,
    /// `…/messages`.
    Messages,
    /// `…:generateContent`.
    Gemini,
}

/// What was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// On which wire.
    pub wire: Wire,
    /// Of which model.
    pub model: String,
    /// What a person said last.
    pub prompt: String,
    /// The names of the tools on offer, as they were sent.
    pub tools: Vec<String>,
    /// The results that came since, in order.
    pub results: Vec<String>,
    /// The whole body.
    pub body: Value,
}

impl Asked {
    /// Reads a request; none where the path or the body is not one of a model's.
    pub(crate) fn read(path: &str, body: &[u8]) -> Option<Self> {
        let body: Value = serde_json::from_slice(body).ok()?;
        let path = path.split('?').next().unwrap_or_default();
        let named = || body.get("model").and_then(Value::as_str).map(str::to_owned);
        let (wire, model) = match path {
            path if path.ends_with("/chat/completions") => (Wire::ChatCompletions, named()?),
            path if path.ends_with("/responses") => (Wire::Responses, named()?),
            path if path.ends_with("/messages") => (Wire::Messages, named()?),
            path => {
                let name = path.strip_suffix(":generateContent")?.rsplit('/').next()?;
                (Wire::Gemini, name.to_owned())
            }
        };
        let mut asked = Self {
            wire,
            model,
            prompt: String::new(),
            tools: tools(wire, &body),
            results: Vec::new(),
            body,
        };
        asked.read_turns();
        Some(asked)
    }

    /// The turns of the conversation.
    pub(crate) fn turns(&self) -> &[Value] {
        let key = match self.wire {
            Wire::ChatCompletions | Wire::Messages => "messages",
            Wire::Responses => "input",
            Wire::Gemini => "contents",
        };
        self.body
            .get(key)
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    fn read_turns(&mut self) {
        for turn in self.turns().to_vec() {
            match self.wire {
                Wire::ChatCompletions => match text(&turn, "role") {
                    "user" => self.said(text(&turn, "content")),
                    "tool" => self.results.push(text(&turn, "content").to_owned()),
                    _ => {}
                },
                Wire::Responses => match (text(&turn, "role"), text(&turn, "type")) {
                    ("user", _) => self.said(text(&turn, "content")),
                    (_, "function_call_output") => {
                        self.results.push(text(&turn, "output").to_owned());
                    }
                    _ => {}
                },
                Wire::Messages if text(&turn, "role") == "user" => {
                    for block in items(&turn, "content") {
                        match text(block, "type") {
                            "tool_result" => self.results.push(text(block, "content").to_owned()),
                            _ => self.said(text(block, "text")),
                        }
                    }
                }
                Wire::Gemini if text(&turn, "role") == "user" => {
                    for part in items(&turn, "parts") {
                        match part.get("functionResponse") {
                            Some(response) => self.results.push(response["response"].to_string()),
                            None => self.said(text(part, "text")),
                        }
                    }
                }
                Wire::Messages | Wire::Gemini => {}
            }
        }
    }

    fn said(&mut self, text: &str) {
        text.clone_into(&mut self.prompt);
        self.results.clear();
    }
}

fn tools(wire: Wire, body: &Value) -> Vec<String> {
    let listed = items(body, "tools").iter();
    let name = |tool: &Value| text(tool, "name").to_owned();
    match wire {
        Wire::ChatCompletions => listed.map(|tool| name(&tool["function"])).collect(),
        Wire::Responses | Wire::Messages => listed.map(name).collect(),
        Wire::Gemini => listed
            .flat_map(|tool| items(tool, "functionDeclarations"))
            .map(name)
            .collect(),
    }
}

/// A member that is text; blank where it is not.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A member that is a list; empty where it is not.
pub(crate) fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}
