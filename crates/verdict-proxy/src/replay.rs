//! A recording that answers in place of the server it was made of.

use crate::asked::{Asked, read};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use verdict_model::Transcript;
use verdict_model::transcript::{Exchange, Message, Sender};

/// Members of `_meta` that differ from call to call and ask for nothing else.
const FLEETING: [&str; 5] = [
    "progressToken",
    "traceparent",
    "tracestate",
    "baggage",
    "io.modelcontextprotocol/clientInfo",
];

/// What was answered to one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The status; absent in a recording of stdio.
    pub status: Option<u16>,
    /// The messages of the server in order, their ids and tokens as they were recorded.
    messages: Vec<Value>,
    id: Value,
    token: Option<Value>,
    used: bool,
}

impl Answer {
    /// The messages as an answer to this request: with its id and its token.
    pub fn to(&self, asked: &Asked) -> Vec<Value> {
        let own = asked.id().cloned().unwrap_or_default();
        let one = |message: &Value| {
            let mut message = message.clone();
            if message.get("id") == Some(&self.id) {
                message["id"] = own.clone();
            }
            let key = "io.modelcontextprotocol/subscriptionId";
            for holder in ["params", "result"] {
                let Some(holder) = message.get_mut(holder) else {
                    continue;
                };
                if let Some(old) = holder.get_mut("_meta").and_then(|meta| meta.get_mut(key)) {
                    *old = own.clone();
                }
                let token = (holder.get("progressToken"), asked.progress_token());
                if let ((Some(old), Some(new)), Some(recorded)) = (token, &self.token)
                    && old == recorded
                {
                    holder["progressToken"] = new.clone();
                }
            }
            message
        };
        self.messages.iter().map(one).collect()
    }
}

/// The answers of a recording, by what was asked.
#[derive(Debug, Clone, Default)]
pub struct Replay {
    answers: BTreeMap<String, Vec<Answer>>,
}

impl Replay {
    /// Of a recording.
    pub fn of(transcript: &Transcript) -> Self {
        let mut replay = Self::default();
        for exchange in &transcript.exchanges {
            if let Some((key, answer)) = entry(exchange) {
                replay.answers.entry(key).or_default().push(answer);
            }
        }
        replay
    }

    /// How many requests it has an answer to.
    pub fn len(&self) -> usize {
        self.answers.values().map(Vec::len).sum()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// The answer to a request: in the order of the recording where it was asked several times, then the last one again.
    pub fn answer(&mut self, asked: &Asked) -> Option<Answer> {
        let answers = self.answers.get_mut(&key(asked)?)?;
        let next = answers.iter().position(|answer| !answer.used);
        let at = next.unwrap_or(answers.len() - 1);
        answers[at].used = true;
        Some(answers[at].clone())
    }
}

/// The answer to a request that a recording does not know.
pub fn unknown(asked: &Asked) -> Value {
    let name = asked.name().map(|name| format!(" of {name}"));
    let method = asked.method().unwrap_or_default();
    let text = format!(
        "the recording has no answer to this {method}{} with these parameters",
        name.unwrap_or_default()
    );
    json!({"jsonrpc": "2.0", "id": asked.id(), "error": {"code": -32603, "message": text}})
}

fn entry(exchange: &Exchange) -> Option<(String, Answer)> {
    let text = |message: &Message| read(message.text.as_str().as_bytes());
    let of = |from| {
        exchange
            .messages
            .iter()
            .filter(move |message| message.from == from)
    };
    let asked = Asked {
        message: of(Sender::Client).find_map(text),
        ..Asked::default()
    };
    let messages: Vec<Value> = of(Sender::Server).filter_map(text).collect();
    // What was cut off or never answered is no answer.
    let complete = messages.iter().any(|message| asked.is_answered_by(message));
    let answer = Answer {
        status: exchange.http.as_ref().and_then(|http| http.status),
        id: asked.id()?.clone(),
        token: asked.progress_token().cloned(),
        messages,
        used: false,
    };
    complete.then_some((key(&asked)?, answer))
}

/// What was asked, without what differs from call to call. Members stand in the order of their names.
fn key(asked: &Asked) -> Option<String> {
    let method = asked.method().filter(|_| asked.is_request())?;
    let mut params = asked
        .message
        .as_ref()?
        .get("params")
        .cloned()
        .unwrap_or_default();
    if let Some(Value::Object(meta)) = params.get_mut("_meta") {
        for name in FLEETING {
            meta.shift_remove(name);
        }
    }
    Some(format!("{method} {}", sorted(&params)))
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let by_name: BTreeMap<&String, Value> = members
                .iter()
                .map(|(name, value)| (name, sorted(value)))
                .collect();
            Value::Object(
                by_name
                    .into_iter()
                    .map(|(name, value)| (name.clone(), value))
                    .collect(),
            )
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verdict_model::text::Text;
    use verdict_model::transcript::Carrier;

    fn exchange(asked: &Value, answers: &[Value]) -> Exchange {
        let message = |from, value: &Value| Message {
            from,
            at_ms: 0,
            carrier: Carrier::Line,
            text: Text::from(value.to_string()),
            invalid_utf8: false,
        };
        let mut messages = vec![message(Sender::Client, asked)];
        messages.extend(answers.iter().map(|one| message(Sender::Server, one)));
        Exchange {
            messages,
            ..Exchange::default()
        }
    }

    #[test]
    fn a_request_is_answered_by_what_it_asks() {
        let call = |id: Value, token: &str, city: &str| {
            json!({"id": id, "method": "tools/call", "params":
                {"name": "w", "arguments": {"city": city}, "_meta": {"progressToken": token}}})
        };
        let first = [
            json!({"method": "notifications/progress", "params": {"progressToken": "t1", "progress": 1}}),
            json!({"id": 1, "result": {"n": 1}}),
        ];
        let transcript = Transcript {
            exchanges: vec![
                exchange(&call(json!(1), "t1", "Oslo"), &first),
                exchange(
                    &call(json!(2), "t2", "Oslo"),
                    &[json!({"id": 2, "result": {"n": 2}})],
                ),
                exchange(&call(json!(3), "t3", "Rome"), &[]),
            ],
            ..Transcript::default()
        };
        let mut replay = Replay::of(&transcript);
        assert_eq!(replay.len(), 2);
        let asked = |value: &Value| Asked::on_line(value.to_string().as_bytes());
        let again = asked(&json!({"method": "tools/call", "id": "x", "params":
            {"_meta": {"progressToken": "own"}, "arguments": {"city": "Oslo"}, "name": "w"}}));
        let got = replay.answer(&again).unwrap().to(&again);
        assert_eq!(got[0]["params"]["progressToken"], "own");
        assert_eq!(
            (&got[1]["id"], &got[1]["result"]["n"]),
            (&json!("x"), &json!(1))
        );
        for _ in 0..2 {
            let got = replay.answer(&again).unwrap().to(&again);
            assert_eq!(
                got[0]["result"]["n"], 2,
                "the next, and then that one again"
            );
        }
        assert_eq!(replay.answer(&asked(&call(json!(1), "t", "Rome"))), None);
        assert_eq!(replay.answer(&asked(&json!({"method": "note"}))), None);
    }
}
