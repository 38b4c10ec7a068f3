//! What travels through the server: a request as a peer took it in, and the answer a peer gives out.
//!
//! Knows nothing of catalogues, sockets or defects.

use crate::peer::head::Head;
use serde_json::{Map, Value, json};

/// The revision this server speaks.
pub(crate) const VERSION: &str = "2026-07-28";
/// The last revision with a handshake, for the servers that also or only speak that.
pub(crate) const LEGACY_VERSION: &str = "2025-11-25";

pub(crate) const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub(crate) const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const META_LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub(crate) const META_SERVER: &str = "io.modelcontextprotocol/serverInfo";
pub(crate) const META_SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
pub(crate) const TASKS: &str = "io.modelcontextprotocol/tasks";

pub(crate) const PARSE_ERROR: i64 = -32700;
pub(crate) const INVALID_REQUEST: i64 = -32600;
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const INVALID_PARAMS: i64 = -32602;
pub(crate) const HEADER_MISMATCH: i64 = -32020;
pub(crate) const MISSING_CAPABILITY: i64 = -32021;
pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;

/// How a request came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Channel {
    Http,
    Stdio,
}

/// What a peer remembers of its connection or process. The correct server never looks at it: only
/// defects that break statelessness do.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory {
    /// Number of the connection or process, from 1.
    pub peer: u64,
    /// Methods answered with a result so far.
    pub served: Vec<String>,
}

impl Memory {
    pub(crate) fn has_served(&self, method: &str) -> bool {
        self.served.iter().any(|served| served == method)
    }
}

/// One message from the client, with its head when it came over HTTP.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub channel: Channel,
    pub head: Head,
    /// The body as JSON; none when it is not.
    pub body: Option<Value>,
    pub memory: Memory,
    pub history: History,
    /// How many other requests are still being answered.
    pub others: usize,
}

/// What the whole server saw before a request. Only defects look at it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct History {
    /// How many requests of this method, and of this cursor, came before.
    pub turn: u64,
    /// Whether the last request of the same peer was one of those.
    pub repeats: bool,
}

impl Request {
    pub(crate) fn new(channel: Channel, head: Head, raw: &[u8], memory: Memory) -> Self {
        let body = serde_json::from_slice(raw).ok();
        Self {
            channel,
            head,
            body,
            memory,
            history: History::default(),
            others: 0,
        }
    }

    pub(crate) fn member(&self, name: &str) -> Option<&Value> {
        self.body.as_ref()?.get(name)
    }

    /// The id, when it is one that may be echoed: that of a response answers nobody.
    pub(crate) fn id(&self) -> Option<&Value> {
        let is_response = self.member("result").is_some() || self.member("error").is_some();
        self.member("id")
            .filter(|id| !is_response && (id.is_string() || id.is_number()))
    }

    pub(crate) fn method(&self) -> &str {
        self.member("method")
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    pub(crate) fn is(&self, method: &str) -> bool {
        self.method() == method
    }

    pub(crate) fn param(&self, name: &str) -> Option<&Value> {
        self.member("params")?.get(name)
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.param(name)?.as_str()
    }

    pub(crate) fn meta(&self, key: &str) -> Option<&Value> {
        self.param("_meta")?.get(key)
    }

    /// The member of the client's capabilities at this path.
    pub(crate) fn capability(&self, path: &[&str]) -> Option<&Value> {
        let declared = self.meta(META_CAPABILITIES)?;
        path.iter()
            .try_fold(declared, |inside, step| inside.get(*step))
    }

    pub(crate) fn has_tasks(&self) -> bool {
        self.capability(&["extensions", TASKS]).is_some()
    }

    /// The params, made when they are missing: for defects that repair a request before it is judged.
    pub(crate) fn params_mut(&mut self) -> Option<&mut Map<String, Value>> {
        let params = self
            .body
            .as_mut()?
            .as_object_mut()?
            .entry("params")
            .or_insert_with(|| json!({}));
        params.as_object_mut()
    }

    /// The `_meta` of the params, made when it is missing.
    pub(crate) fn meta_mut(&mut self) -> Option<&mut Map<String, Value>> {
        self.params_mut()?
            .entry("_meta")
            .or_insert_with(|| json!({}))
            .as_object_mut()
    }
}

/// A refusal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    pub code: i64,
    pub message: String,
    pub data: Option<Value>,
    /// Status over HTTP.
    pub status: u16,
}

impl Fault {
    pub(crate) fn new(code: i64, status: u16, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
            status,
        }
    }

    /// Bad parameters of a request that is well-formed as such; their status is nobody's rule.
    pub(crate) fn params(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, 200, message)
    }

    pub(crate) fn unknown_method(method: &str) -> Self {
        Self::new(METHOD_NOT_FOUND, 404, format!("unknown method: {method}"))
    }

    pub(crate) fn header(message: impl Into<String>) -> Self {
        Self::new(HEADER_MISMATCH, 400, message)
    }

    pub(crate) fn capability(required: &Value) -> Self {
        Self::new(
            MISSING_CAPABILITY,
            400,
            "the request needs a capability that the client did not declare",
        )
        .with(json!({ "requiredCapabilities": required }))
    }

    pub(crate) fn with(self, data: Value) -> Self {
        Self {
            data: Some(data),
            ..self
        }
    }

    /// The JSON-RPC message; without an id when there is none to echo.
    pub(crate) fn message(&self, id: Option<&Value>) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        match id {
            Some(id) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
            None => json!({ "jsonrpc": "2.0", "error": error }),
        }
    }
}

/// A message, and when it is due in milliseconds after the request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    pub at: u64,
    pub message: Value,
}

impl Step {
    pub(crate) fn is_response(&self) -> bool {
        self.message.get("result").is_some() || self.message.get("error").is_some()
    }
}

/// What came of a request that was not refused.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    /// Notifications that belong to the request.
    pub notes: Vec<Step>,
    /// The result, and when it is due; a listen has none.
    pub result: Option<(u64, Value)>,
    /// What a listen will report.
    pub listen: Option<Filter>,
}

impl From<Value> for Outcome {
    fn from(result: Value) -> Self {
        Self {
            result: Some((0, result)),
            ..Self::default()
        }
    }
}

/// What a listen asked for and will get.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Filter {
    pub tools: bool,
    pub prompts: bool,
    pub resources: bool,
    pub uris: Vec<String>,
    pub tasks: Vec<String>,
}

/// The form of an answer over HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    /// No body.
    Empty,
    /// A page that is no JSON-RPC: type and bytes.
    Page(&'static str, Vec<u8>),
    /// One JSON document: the last message.
    Json,
    /// An event stream of all messages.
    Sse,
}

/// What a peer is to send, and when.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub form: Form,
    pub steps: Vec<Step>,
    /// A listen that starts with this answer and keeps its stream open.
    pub listen: Option<Filter>,
    /// When an event stream ends, in milliseconds after the request, if not with its last message.
    pub ends: Option<u64>,
}

impl Answer {
    pub(crate) fn empty(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            form: Form::Empty,
            steps: Vec::new(),
            listen: None,
            ends: None,
        }
    }

    pub(crate) fn page(status: u16, kind: &'static str, text: &str) -> Self {
        Self {
            form: Form::Page(kind, text.as_bytes().to_vec()),
            ..Self::empty(status)
        }
    }

    pub(crate) fn json(status: u16, message: Value) -> Self {
        Self {
            form: Form::Json,
            steps: vec![Step { at: 0, message }],
            ..Self::empty(status)
        }
    }

    /// Makes the fields fit the form; fields that say nothing of it stay.
    pub(crate) fn describe(&mut self) {
        const OF_THE_FORM: [&str; 3] = ["Content-Type", "Cache-Control", "X-Accel-Buffering"];
        self.headers.retain(|(name, _)| !OF_THE_FORM.contains(name));
        match &self.form {
            Form::Empty => {}
            Form::Page(kind, _) => self.headers.push(("Content-Type", (*kind).to_owned())),
            Form::Json => self
                .headers
                .push(("Content-Type", "application/json".to_owned())),
            Form::Sse => self.headers.extend([
                ("Content-Type", "text/event-stream".to_owned()),
                ("Cache-Control", "no-store".to_owned()),
                ("X-Accel-Buffering", "no".to_owned()),
            ]),
        }
    }

    /// The final response, when there is one.
    pub(crate) fn response_mut(&mut self) -> Option<&mut Value> {
        let last = self.steps.iter_mut().rfind(|step| step.is_response());
        last.map(|step| &mut step.message)
    }

    /// Adds a message right before the response.
    pub(crate) fn precede(&mut self, message: Value) {
        let at = self.steps.iter().rposition(Step::is_response);
        let at = at.unwrap_or(self.steps.len());
        let due = self.steps.get(at).map_or(0, |step| step.at);
        self.steps.insert(at, Step { at: due, message });
    }

    /// Adds a message at the end, some milliseconds later.
    pub(crate) fn follow(&mut self, later: u64, message: Value) {
        let at = self.steps.last().map_or(0, |step| step.at) + later;
        self.steps.push(Step { at, message });
    }

    pub(crate) fn result_mut(&mut self) -> Option<&mut Value> {
        self.response_mut()?.get_mut("result")
    }
}

/// A notification.
pub(crate) fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}
