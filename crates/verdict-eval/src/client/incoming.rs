//! Messages from the server, and what a result says.

use super::answers::Answers;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use verdict_core::wire::json::{cut, shortened};
use verdict_core::wire::rpc::{Envelope, Kind, Parsed};

/// Bytes of a server's words that are passed on in a reason.
const SHOWN: usize = 300;

/// What a text from the server is.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    /// The answer to a request.
    Response {
        /// The request's id; none where the server could not read it.
        id: Option<Value>,
        /// What it says.
        reply: Reply,
    },
    /// A request to the client, as servers with the handshake may send.
    Request {
        /// Its id.
        id: Value,
        /// Its method.
        method: String,
        /// Its parameters; null where there are none.
        params: Value,
    },
    /// A notification.
    Notice {
        /// Its method.
        method: String,
        /// The progress token, where it reports progress.
        token: Option<Value>,
    },
    /// None of these; what it is instead.
    Stray(String),
}

/// What a response says.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// A result.
    Result(Map<String, Value>),
    /// A JSON-RPC error.
    Error {
        /// Its code; 0 where it has none.
        code: i64,
        /// Its message, shortened.
        message: String,
        /// The versions that it names, where it refuses one.
        supported: Vec<String>,
    },
}

/// A response, and what came with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// What it says.
    pub reply: Reply,
    /// The HTTP status; none on stdio.
    pub status: Option<u16>,
    /// The session that the server opened.
    pub session: Option<String>,
    /// Notifications (progress, logging) that came before it.
    pub notices: u64,
}

/// Why there is no response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// Nothing was sent, so nothing was done.
    NotSent(String),
    /// It was sent, and the connection or the process was lost before the answer: it may have been done.
    CutOff(String),
    /// No answer within this many milliseconds.
    TimedOut(u64),
    /// Another HTTP answer than a JSON-RPC message.
    Http {
        /// The status.
        status: u16,
        /// What came.
        why: String,
    },
    /// The answer cannot be read, or is larger than the limit.
    Unreadable(String),
}

impl Loss {
    /// A clause that fits after the name of what was asked.
    pub fn why(&self) -> String {
        match self {
            Self::NotSent(why) => format!("could not be sent: {why}"),
            Self::CutOff(why) => format!("was cut off: {why}"),
            Self::TimedOut(ms) => {
                format!("was not answered within {} s", seconds(*ms))
            }
            Self::Http { status, why } => match status {
                401 | 403 => format!(
                    "was refused with HTTP {status}: the server wants credentials (server.headers or auth.token)"
                ),
                _ => format!("was answered with HTTP {status} and {why}"),
            },
            Self::Unreadable(why) => format!("was answered with something unreadable: {why}"),
        }
    }
}

fn seconds(ms: u64) -> String {
    match ms % 1_000 {
        0 => (ms / 1_000).to_string(),
        rest => format!("{}.{rest:03}", ms / 1_000),
    }
}

/// Reads one message.
pub fn read(text: &str) -> Incoming {
    match Parsed::read(text) {
        Parsed::Broken(fault) => Incoming::Stray(format!("{fault}")),
        Parsed::Other(kind) => Incoming::Stray(format!("{kind} and no JSON-RPC message")),
        Parsed::Object(envelope) => sort(*envelope),
    }
}

fn sort(envelope: Envelope) -> Incoming {
    let method = envelope.method().unwrap_or_default().to_owned();
    match envelope.kind() {
        Kind::Response => {
            let id = envelope.id().filter(|id| !id.is_null()).cloned();
            match reply(envelope) {
                Ok(reply) => Incoming::Response { id, reply },
                Err(why) => Incoming::Stray(why),
            }
        }
        Kind::Request => Incoming::Request {
            id: envelope.id().cloned().unwrap_or_default(),
            method,
            params: envelope.params().cloned().unwrap_or_default(),
        },
        Kind::Notification => Incoming::Notice {
            token: envelope
                .params()
                .and_then(|params| params.get("progressToken"))
                .cloned(),
            method,
        },
        Kind::Neither => Incoming::Stray("an object that is no JSON-RPC message".to_owned()),
    }
}

fn reply(envelope: Envelope) -> Result<Reply, String> {
    if let Some(error) = envelope.error() {
        // Other protocols have a member of this name too, OAuth for one.
        if !error.is_object() {
            return Err("an error that is no JSON-RPC error".to_owned());
        }
        let said = |pointer: &str| error.pointer(pointer);
        let named = said("/data/supported").and_then(Value::as_array);
        return Ok(Reply::Error {
            code: envelope.error_code().unwrap_or_default(),
            message: cut(
                said("/message").and_then(Value::as_str).unwrap_or_default(),
                SHOWN,
            ),
            supported: named
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .take(20)
                .map(|version| cut(version, 40))
                .collect(),
        });
    }
    match envelope.result.map(Arc::unwrap_or_clone) {
        Some(Value::Object(result)) => Ok(Reply::Result(result)),
        other => Err(format!(
            "a result that is no object: {}",
            shortened(&other.unwrap_or_default(), 60)
        )),
    }
}

/// What a result means to the client (`basic#resulttype`).
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// It is the result; also without a type, as earlier versions send it.
    Complete(Map<String, Value>),
    /// The server wants to know something first.
    Asks(Question),
    /// Nothing that may be used; why.
    Unusable(String),
}

/// What a server asks back (`mrtr#core-types`).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// The requests by their keys; empty where it only wants to be asked again.
    pub requests: Map<String, Value>,
    /// What has to come back as it is.
    pub state: Option<Value>,
}

/// What a result says it is.
pub fn meaning(mut result: Map<String, Value>) -> Meaning {
    let kind = match result.get("resultType") {
        None => return Meaning::Complete(result),
        Some(Value::String(kind)) => kind.as_str(),
        Some(other) => {
            let shown = shortened(other, 60);
            return Meaning::Unusable(format!("its resultType is {shown}, which is no text"));
        }
    };
    match kind {
        "complete" => Meaning::Complete(result),
        "input_required" => {
            let state = result.shift_remove("requestState");
            match result.shift_remove("inputRequests") {
                Some(Value::Object(requests)) => Meaning::Asks(Question { requests, state }),
                None if state.is_some() => Meaning::Asks(Question {
                    requests: Map::new(),
                    state,
                }),
                None => Meaning::Unusable("it asks back without a question or a state".to_owned()),
                Some(_) => Meaning::Unusable("its inputRequests are no object".to_owned()),
            }
        }
        other => Meaning::Unusable(format!(
            "its resultType `{}` is not known here, so it may not be used",
            cut(other, 60)
        )),
    }
}

/// The answer to a request of a server with the handshake, and what is to be noted.
pub fn respond(
    method: &str,
    params: &Value,
    answers: &Answers,
) -> (Result<Value, (i64, &'static str)>, Option<String>) {
    match method {
        "ping" => (Ok(json!({})), None),
        "elicitation/create" => {
            let (answer, note) = answers.to_form(params);
            (Ok(answer), note)
        }
        _ => {
            let note = format!(
                "the server asked for `{}`, which was refused",
                cut(method, 60)
            );
            (Err((-32601, "not supported by this client")), Some(note))
        }
    }
}
