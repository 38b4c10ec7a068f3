//! Requests to be: what a probe wants to be sent, before ids, channels and retries.

use crate::context::Context;
use crate::wire::endpoint::Endpoint;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};
use verdict_model::REVISION;
use verdict_model::transcript::Standing;

/// `_meta` key of the protocol version.
pub const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// `_meta` key of the client's capabilities.
pub const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// `_meta` key of the client's name and version.
pub const META_CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

/// The channel an exchange goes over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lane {
    /// Any kept-alive connection; on stdio the main process.
    Shared,
    /// A connection of its own; on stdio a process of its own.
    Fresh,
    /// The connection or process of this name, one exchange after the other.
    Own(&'static str),
}

/// The JSON-RPC id of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Id {
    /// The exchange's own name: unique, and readable in the server's logs.
    Name,
    /// This value.
    Given(Value),
    /// No `id` member: a notification.
    Absent,
}

/// What is sent.
#[derive(Debug, Clone, PartialEq)]
pub enum Payload {
    /// One JSON-RPC message; the id is put in when it goes out.
    Message(Map<String, Value>),
    /// These bytes.
    Raw(Vec<u8>),
    /// No body.
    Empty,
}

/// When an exchange has been waited for long enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Until the answer, within the time limit.
    Answer,
    /// Until the first message, or this many milliseconds after the head; on stdio, where there is no
    /// head, after it went out.
    Glimpse(u64),
    /// For this many milliseconds after it went out, whatever comes; the process can be asked again
    /// afterwards. Over HTTP only for what sends nothing.
    Watch(u64),
    /// The probe goes on with the first message. What follows is recorded for this many milliseconds more,
    /// and not longer than until the run closes down.
    Hold(u64),
}

/// What a probe wants to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Names it within its probe.
    pub step: String,
    /// `POST`, `GET` or `DELETE`.
    pub verb: &'static str,
    /// The body.
    pub payload: Payload,
    /// The id of the message.
    pub id: Id,
    /// Field names and values of the MCP layer, exactly as they are sent; HTTP only.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The channel it goes over.
    pub lane: Lane,
    /// Whether it is as the revision wants it.
    pub standing: Standing,
    /// When it has been waited for long enough.
    pub patience: Patience,
    /// Whether it is tried once more after a network fault.
    pub retry: bool,
    /// Whether, on stdio, it may be written while others of this kind wait for their answers.
    pub alongside: bool,
    /// Whether the user's credentials stay out of it.
    pub anonymous: bool,
    /// Where it goes in place of the endpoint; to another origin without any of the user's header fields.
    pub to: Option<Endpoint>,
}

impl Ask {
    /// A conforming request of this revision, `R(method)` in the catalogue's notation.
    ///
    /// `params` holds what the method needs beside `_meta`.
    pub fn request(step: impl Into<String>, method: &str, params: Value) -> Self {
        let mut members = match params {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        let name = name_of(method, &members);
        members.insert("_meta".to_owned(), meta(REVISION));
        let mut message = Map::new();
        message.insert("jsonrpc".to_owned(), json!("2.0"));
        message.insert("method".to_owned(), json!(method));
        message.insert("params".to_owned(), Value::Object(members));
        let mut ask = Self::post(step, Payload::Message(message))
            .header("MCP-Protocol-Version", REVISION)
            .header("Mcp-Method", method);
        if let Some(name) = name {
            ask = ask.header("Mcp-Name", &header_value(&name));
        }
        ask
    }

    /// A conforming notification of this revision.
    pub fn notification(step: impl Into<String>, method: &str, params: Value) -> Self {
        Self {
            id: Id::Absent,
            ..Self::request(step, method, params)
        }
    }

    /// A message of an earlier revision: no `_meta`, no MCP header fields.
    pub fn legacy(step: impl Into<String>, method: &str, params: Option<Value>) -> Self {
        let mut message = Map::new();
        message.insert("jsonrpc".to_owned(), json!("2.0"));
        message.insert("method".to_owned(), json!(method));
        if let Some(params) = params {
            message.insert("params".to_owned(), params);
        }
        Self {
            standing: Standing::Legacy,
            ..Self::post(step, Payload::Message(message))
        }
    }

    /// A POST of a body with the two header fields that every MCP request has.
    pub fn post(step: impl Into<String>, payload: Payload) -> Self {
        Self {
            step: step.into(),
            verb: "POST",
            payload,
            id: Id::Name,
            headers: Vec::new(),
            lane: Lane::Shared,
            standing: Standing::Conforming,
            patience: Patience::Answer,
            retry: true,
            alongside: false,
            anonymous: false,
            to: None,
        }
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream")
    }

    /// A request without body; HTTP only.
    pub fn bare(step: impl Into<String>, verb: &'static str) -> Self {
        Self {
            verb,
            headers: Vec::new(),
            ..Self::post(step, Payload::Empty)
        }
    }

    /// A GET of a public document, without the user's credentials; HTTP only.
    pub fn document(step: impl Into<String>, to: Endpoint) -> Self {
        Self {
            anonymous: true,
            to: Some(to),
            lane: Lane::Fresh,
            ..Self::bare(step, "GET")
        }
        .header("Accept", "application/json")
        .as_legacy()
    }

    /// Sends nothing and lets this many milliseconds pass; on stdio it listens to what a process says by
    /// itself.
    pub fn silence(step: impl Into<String>, ms: u64) -> Self {
        Self {
            id: Id::Absent,
            patience: Patience::Watch(ms),
            retry: false,
            ..Self::bare(step, "")
        }
    }

    /// Whether it sends nothing.
    pub fn is_silence(&self) -> bool {
        self.payload == Payload::Empty && self.verb.is_empty()
    }

    /// Sets a header field, in place of one of the same name.
    #[must_use]
    pub fn header(self, name: &str, value: &str) -> Self {
        self.header_bytes(name, value.as_bytes())
    }

    /// Sets a header field to these bytes, in place of one of the same name.
    #[must_use]
    pub fn header_bytes(mut self, name: &str, value: &[u8]) -> Self {
        match self
            .headers
            .iter_mut()
            .find(|(field, _)| field.eq_ignore_ascii_case(name))
        {
            // The spelling is part of what is asked for, so it is replaced too.
            Some(field) => *field = (name.to_owned(), value.to_vec()),
            None => self.headers.push((name.to_owned(), value.to_vec())),
        }
        self
    }

    /// Leaves out a header field.
    #[must_use]
    pub fn without_header(mut self, name: &str) -> Self {
        self.headers
            .retain(|(field, _)| !field.eq_ignore_ascii_case(name));
        self
    }

    /// Declares another protocol version in body and header.
    #[must_use]
    pub fn version(self, version: &str) -> Self {
        self.meta(META_VERSION, json!(version))
            .header("MCP-Protocol-Version", version)
    }

    /// Sets a `_meta` key.
    #[must_use]
    pub fn meta(mut self, key: &str, value: Value) -> Self {
        if let Some(meta) = self.meta_mut() {
            meta.insert(key.to_owned(), value);
        }
        self
    }

    /// Leaves out a `_meta` key.
    #[must_use]
    pub fn without_meta(mut self, key: &str) -> Self {
        if let Some(meta) = self.meta_mut() {
            meta.shift_remove(key);
        }
        self
    }

    /// Sets one member of `params`.
    #[must_use]
    pub fn param(mut self, name: &str, value: Value) -> Self {
        if let Payload::Message(message) = &mut self.payload
            && let Some(Value::Object(params)) = message.get_mut("params")
        {
            params.insert(name.to_owned(), value);
        }
        self
    }

    /// Sets `params` as a whole; `None` leaves the member out.
    #[must_use]
    pub fn params(mut self, params: Option<Value>) -> Self {
        if let Payload::Message(message) = &mut self.payload {
            match params {
                Some(params) => message.insert("params".to_owned(), params),
                None => message.shift_remove("params"),
            };
        }
        self
    }

    /// Marks it as carrying one fault on purpose.
    #[must_use]
    pub fn faulty(mut self) -> Self {
        self.standing = Standing::Faulty;
        self
    }

    /// Marks it as something a dual-era server may treat as traffic of an earlier revision.
    #[must_use]
    pub fn as_legacy(mut self) -> Self {
        self.standing = Standing::Legacy;
        self
    }

    /// Sends it over this channel.
    #[must_use]
    pub fn over(mut self, lane: Lane) -> Self {
        self.lane = lane;
        self
    }

    /// Gives it this id.
    #[must_use]
    pub fn id(mut self, id: Value) -> Self {
        self.id = Id::Given(id);
        self
    }

    /// Waits in another way than for the answer.
    #[must_use]
    pub fn patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// Leaves the user's credentials out.
    #[must_use]
    pub fn anonymous(mut self) -> Self {
        self.anonymous = true;
        self
    }

    /// Never tries it a second time.
    #[must_use]
    pub fn once(mut self) -> Self {
        self.retry = false;
        self
    }

    /// On stdio, writes it without waiting for others of this kind on the same process.
    #[must_use]
    pub fn alongside(mut self) -> Self {
        self.alongside = true;
        self
    }

    /// The method of the message.
    pub fn method(&self) -> Option<&str> {
        match &self.payload {
            Payload::Message(message) => message.get("method")?.as_str(),
            Payload::Raw(_) | Payload::Empty => None,
        }
    }

    fn meta_mut(&mut self) -> Option<&mut Map<String, Value>> {
        let Payload::Message(message) = &mut self.payload else {
            return None;
        };
        message.get_mut("params")?.get_mut("_meta")?.as_object_mut()
    }
}

/// The `_meta` of a conforming request.
pub fn meta(version: &str) -> Value {
    json!({
        META_VERSION: version,
        META_CAPABILITIES: {},
        META_CLIENT_INFO: {"name": "mcp-verdict", "version": env!("CARGO_PKG_VERSION")},
    })
}

/// The value that `Mcp-Name` must mirror (`http#standard-request-headers`).
fn name_of(method: &str, params: &Map<String, Value>) -> Option<String> {
    params
        .get(mirrored_member(method)?)?
        .as_str()
        .map(str::to_owned)
}

/// The member of `params` that `Mcp-Name` must mirror.
pub fn mirrored_member(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
        _ => None,
    }
}

/// A value as `Mcp-Name` and `Mcp-Param-*` carry it (`http#value-encoding`).
pub fn header_value(value: &str) -> String {
    let plain = value.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        && value.trim_matches(' ') == value
        && !(value.starts_with("=?base64?") && value.ends_with("?="));
    if plain {
        value.to_owned()
    } else {
        sentinel(value)
    }
}

/// A value in its Base64 form (`http#value-encoding`).
pub fn sentinel(value: &str) -> String {
    format!("=?base64?{}?=", BASE64_STANDARD.encode(value))
}

/// The next step of a probe: what it asks for in this round; nothing ends it.
///
/// A pure function of what has been recorded: `round` is the number of batches that have been answered.
pub type Next = fn(&Context, round: usize) -> Vec<Ask>;

/// When a probe runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Tells the era; nothing else runs beside it.
    Era,
    /// Walks the lists that other probes need to know.
    Survey,
    /// Everything else, side by side.
    Main,
    /// Looks whether the server is still there after all of that.
    Late,
    /// Asks with other credentials or none, which may end in being locked out: also where nothing else could
    /// be asked.
    Door,
}

/// A conversation that checks judge afterwards; several checks may share one.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    /// Begins the name of each of its exchanges.
    pub name: &'static str,
    /// When it runs.
    pub stage: Stage,
    /// Its next step.
    pub next: Next,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_mirrors_its_body_in_the_header_fields() {
        let ask = Ask::request("x", "resources/read", json!({"uri": "ledger://é"}));
        let field = |name: &str| {
            ask.headers
                .iter()
                .find(|(field, _)| field == name)
                .map(|(_, value)| String::from_utf8_lossy(value).into_owned())
        };
        assert_eq!(field("Mcp-Method").as_deref(), Some("resources/read"));
        assert_eq!(
            field("Mcp-Name").as_deref(),
            Some("=?base64?bGVkZ2VyOi8vw6k=?=")
        );
        assert_eq!(field("MCP-Protocol-Version").as_deref(), Some("2026-07-28"));
    }

    #[test]
    fn values_that_look_encoded_are_encoded() {
        assert_eq!(
            header_value("=?base64?eA==?="),
            "=?base64?PT9iYXNlNjQ/ZUE9PT89?="
        );
        assert_eq!(header_value("a b"), "a b");
        assert_eq!(header_value(" a"), "=?base64?IGE=?=");
        assert_eq!(header_value(""), "");
    }
}
