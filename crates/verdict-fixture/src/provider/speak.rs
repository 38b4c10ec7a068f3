//! Answers, written for each of the four wires.

use super::asked::{Asked, Wire};
use serde_json::{Value, json};

/// What the model says.
#[derive(Debug, Clone, PartialEq)]
pub struct Spoken {
    /// Text; empty for none.
    pub text: String,
    /// Calls of tools.
    pub calls: Vec<Called>,
    /// How it ends.
    pub ending: Ending,
    /// Tokens of input and output, as they are told; none where nothing is told of them.
    pub usage: Option<(f64, f64)>,
    /// Whether it thinks before it calls, in a form that has to go back.
    pub thinks: bool,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// The tool, under the name on the wire.
    pub name: String,
    /// The arguments as text. Where a wire wants a value and this is no JSON, it is sent as a string.
    pub arguments: String,
    /// Whether they are sent as a value where text is due.
    pub is_bare: bool,
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By itself.
    Done,
    /// The limit of tokens cut it off.
    CutOff,
    /// The model refuses.
    Refused,
    /// A filter took it away.
    Filtered,
}

impl Spoken {
    /// Text alone.
    pub fn text(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            calls: Vec::new(),
            ending: Ending::Done,
            usage: None,
            thinks: false,
        }
        .counted()
    }

    /// A call alone.
    pub fn call(name: &str, arguments: &str) -> Self {
        Self::text("").and_call(name, arguments)
    }

    /// One call more.
    #[must_use]
    pub fn and_call(mut self, name: &str, arguments: &str) -> Self {
        self.calls.push(Called {
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            is_bare: false,
        });
        self
    }

    /// With another ending.
    #[must_use]
    pub fn ending(mut self, ending: Ending) -> Self {
        self.ending = ending;
        self
    }

    fn counted(mut self) -> Self {
        self.usage = Some((100.0, 20.0));
        self
    }
}

impl Called {
    fn value(&self) -> Value {
        if self.arguments.trim().is_empty() {
            return json!({});
        }
        serde_json::from_str(&self.arguments).unwrap_or_else(|_| json!(self.arguments))
    }

    /// As text, or as the value that some gateways send instead.
    fn text(&self) -> Value {
        if self.is_bare {
            self.value()
        } else {
            json!(self.arguments)
        }
    }
}

/// The answer as one body.
pub(super) fn whole(asked: &Asked, spoken: &Spoken) -> Value {
    match asked.wire {
        Wire::ChatCompletions => chat(asked, spoken),
        Wire::Responses => response(asked, spoken),
        Wire::Messages => message(asked, spoken),
        Wire::Gemini => content(asked, spoken),
    }
}

/// Tokens under the names of a wire, where they are told.
fn usage(spoken: &Spoken, input: &str, output: &str) -> Value {
    let number = |value: f64| {
        // Whole numbers as such: that is what providers write.
        serde_json::from_str(&value.to_string()).unwrap_or(Value::Null)
    };
    match spoken.usage {
        Some((read, written)) => json!({input: number(read), output: number(written)}),
        None => Value::Null,
    }
}

fn chat(asked: &Asked, spoken: &Spoken) -> Value {
    let calls: Vec<Value> = spoken
        .calls
        .iter()
        .enumerate()
        .map(|(i, call)| {
            json!({"id": format!("call_{i}_stub"), "type": "function",
                "function": {"name": call.name, "arguments": call.text()}})
        })
        .collect();
    let reason = match spoken.ending {
        Ending::CutOff => "length",
        Ending::Filtered => "content_filter",
        Ending::Done if !calls.is_empty() => "tool_calls",
        _ => "stop",
    };
    let mut message = json!({"role": "assistant", "content": spoken.text});
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    if spoken.ending == Ending::Refused {
        message["content"] = Value::Null;
        message["refusal"] = json!(spoken.text);
    }
    if spoken.ending == Ending::Filtered {
        message = Value::Null;
    }
    if spoken.thinks {
        message["reasoning_content"] = json!("signed-thought");
    }
    json!({"id": "chatcmpl-stub", "object": "chat.completion", "model": asked.model, "system_fingerprint": "fp_stub",
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": usage(spoken, "prompt_tokens", "completion_tokens")})
}

fn response(asked: &Asked, spoken: &Spoken) -> Value {
    let mut output = Vec::new();
    if spoken.thinks {
        output.push(json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "signed-thought"}));
    }
    if spoken.ending == Ending::Refused {
        output.push(json!({"type": "message", "role": "assistant",
            "content": [{"type": "refusal", "refusal": spoken.text}]}));
    } else if !spoken.text.is_empty() {
        output.push(
            json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": spoken.text, "annotations": []}]}),
        );
    }
    output.extend(spoken.calls.iter().enumerate().map(|(i, call)| {
        json!({"type": "function_call", "id": format!("fc_{i}"), "call_id": format!("call_{i}_stub"),
            "status": "completed", "name": call.name, "arguments": call.text()})
    }));
    let (status, details) = match spoken.ending {
        Ending::CutOff => ("incomplete", json!({"reason": "max_output_tokens"})),
        Ending::Filtered => ("incomplete", json!({"reason": "content_filter"})),
        _ => ("completed", Value::Null),
    };
    json!({"id": "resp_stub", "object": "response", "status": status, "incomplete_details": details, "error": null,
        "model": asked.model, "output": output, "usage": usage(spoken, "input_tokens", "output_tokens")})
}

fn message(asked: &Asked, spoken: &Spoken) -> Value {
    let mut content = Vec::new();
    if spoken.thinks {
        content.push(json!({"type": "thinking", "thinking": "hm", "signature": "signed-thought"}));
    }
    if !spoken.text.is_empty() {
        content.push(json!({"type": "text", "text": spoken.text}));
    }
    content.extend(spoken.calls.iter().enumerate().map(|(i, call)| {
        json!({"type": "tool_use", "id": format!("toolu_{i}_stub"), "name": call.name, "input": call.value()})
    }));
    let reason = match spoken.ending {
        Ending::CutOff => "max_tokens",
        Ending::Refused | Ending::Filtered => "refusal",
        Ending::Done if !spoken.calls.is_empty() => "tool_use",
        Ending::Done => "end_turn",
    };
    json!({"id": "msg_stub", "type": "message", "role": "assistant", "model": asked.model, "content": content,
        "stop_reason": reason, "stop_sequence": null, "usage": usage(spoken, "input_tokens", "output_tokens")})
}

fn content(asked: &Asked, spoken: &Spoken) -> Value {
    let usage = usage(spoken, "promptTokenCount", "candidatesTokenCount");
    if spoken.ending == Ending::Filtered {
        return json!({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": usage});
    }
    let mut parts = Vec::new();
    if !spoken.text.is_empty() {
        parts.push(json!({"text": spoken.text}));
    }
    parts.extend(spoken.calls.iter().map(|call| {
        let mut part = json!({"functionCall": {"name": call.name, "args": call.value()}});
        if spoken.thinks {
            part["thoughtSignature"] = json!("signed-thought");
        }
        part
    }));
    let reason = match spoken.ending {
        Ending::CutOff => "MAX_TOKENS",
        Ending::Refused => "SAFETY",
        _ => "STOP",
    };
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}],
        "usageMetadata": usage, "modelVersion": asked.model, "responseId": "gemini-stub"})
}

/// The answer as a stream of events.
pub(super) fn stream(asked: &Asked, spoken: &Spoken) -> String {
    let event = |data: &Value| format!("data: {data}\n\n");
    if asked.wire == Wire::Responses {
        let done = json!({"type": "response.completed", "response": response(asked, spoken)});
        return event(&json!({"type": "response.created"})) + &event(&done);
    }
    let chunk = |delta: Value, reason: Value| {
        event(
            &json!({"id": "chatcmpl-stub", "object": "chat.completion.chunk", "model": asked.model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}),
        )
    };
    let mut out = chunk(
        json!({"role": "assistant", "content": spoken.text}),
        Value::Null,
    );
    for (i, call) in spoken.calls.iter().enumerate() {
        let head = json!({"index": i, "id": format!("call_{i}_stub"), "type": "function",
            "function": {"name": call.name, "arguments": ""}});
        out += &chunk(json!({"tool_calls": [head]}), Value::Null);
        for piece in call.arguments.chars().collect::<Vec<char>>().chunks(7) {
            let piece: String = piece.iter().collect();
            let more = json!({"index": i, "function": {"arguments": piece}});
            out += &chunk(json!({"tool_calls": [more]}), Value::Null);
        }
    }
    out += &chunk(
        json!({}),
        json!(if spoken.calls.is_empty() {
            "stop"
        } else {
            "tool_calls"
        }),
    );
    out += &event(
        &json!({"choices": [], "usage": usage(spoken, "prompt_tokens", "completion_tokens")}),
    );
    out + "data: [DONE]\n\n"
}
