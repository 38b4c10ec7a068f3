//! Messages to the server: body and header fields, for either lifecycle.

use crate::tool::Tool;
use serde_json::{Map, Value, json};
use verdict_core::ask::{Ask, META_CAPABILITIES, Payload};
use verdict_core::{calling, survey};
use verdict_model::LEGACY_REVISION;

/// A message that is ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// The id of the request; empty for a notification or a response.
    pub id: String,
    /// One JSON-RPC message, without a line end.
    pub body: Vec<u8>,
    /// Header fields of the MCP layer; HTTP only.
    pub fields: Vec<(String, Vec<u8>)>,
}

/// How the server is spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lifecycle {
    /// Revision 2026-07-28: every request stands for itself.
    Modern,
    /// The handshake of 2025-11-25 and before.
    Legacy(Session),
}

/// What the handshake settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The version that the server named.
    pub version: String,
    /// The session's id; none on stdio and where the server keeps none.
    pub id: Option<String>,
}

/// `server/discover`.
pub fn discover(id: &str) -> Outgoing {
    finish(modern("server/discover", Map::new()), Some(id))
}

/// `initialize` of 2025-11-25.
pub fn initialize(id: &str) -> Outgoing {
    // An empty object means forms, in each version that has elicitation.
    let ask = survey::initialize("initialize", verdict_core::ask::Lane::Shared)
        .param("capabilities", json!({"elicitation": {}}));
    finish(ask, Some(id))
}

/// `notifications/initialized`: the handshake is over.
pub fn initialized(session: &Session) -> Outgoing {
    finish(
        within(session, "notifications/initialized", Map::new()),
        None,
    )
}

/// `notifications/cancelled` for a request that nobody waits for any more; on stdio and in a session.
pub fn cancelled(lifecycle: &Lifecycle, request: &str, reason: &str) -> Outgoing {
    let mut params = Map::new();
    params.insert("requestId".to_owned(), json!(request));
    params.insert("reason".to_owned(), json!(reason));
    finish(lifecycle.ask("notifications/cancelled", params), None)
}

/// The answer to a request of a server, which only servers with the handshake may send.
pub fn response(session: &Session, id: &Value, answer: Result<Value, (i64, &str)>) -> Outgoing {
    let mut message = Map::new();
    message.insert("jsonrpc".to_owned(), json!("2.0"));
    message.insert("id".to_owned(), id.clone());
    match answer {
        Ok(result) => message.insert("result".to_owned(), result),
        Err((code, text)) => {
            message.insert("error".to_owned(), json!({"code": code, "message": text}))
        }
    };
    finish(
        follow(Ask::post("response", Payload::Message(message)), session),
        None,
    )
}

impl Lifecycle {
    /// One page of `tools/list`.
    pub fn list(&self, id: &str, cursor: Option<&str>) -> Outgoing {
        let mut params = Map::new();
        if let Some(cursor) = cursor {
            params.insert("cursor".to_owned(), json!(cursor));
        }
        finish(self.ask("tools/list", params), Some(id))
    }

    /// `tools/call`, with the header fields that the tool's schema asks for, and `further` members of `params`.
    ///
    /// The id is the progress token as well: whoever reports progress is waited for longer.
    pub fn call(
        &self,
        id: &str,
        tool: &Tool,
        arguments: &Map<String, Value>,
        further: &Map<String, Value>,
    ) -> Outgoing {
        let ask = match self {
            Self::Modern => {
                let whole = Value::Object(tool.0.clone());
                capable(calling::call("call", &whole, arguments)).meta("progressToken", json!(id))
            }
            Self::Legacy(session) => {
                let mut params = Map::new();
                params.insert("_meta".to_owned(), json!({"progressToken": id}));
                params.insert("name".to_owned(), json!(tool.name()));
                params.insert("arguments".to_owned(), Value::Object(arguments.clone()));
                within(session, "tools/call", params)
            }
        };
        let ask = further
            .iter()
            .fold(ask, |ask, (name, value)| ask.param(name, value.clone()));
        finish(ask, Some(id))
    }

    fn ask(&self, method: &str, params: Map<String, Value>) -> Ask {
        match self {
            Self::Modern => modern(method, params),
            Self::Legacy(session) => within(session, method, params),
        }
    }

    /// Whether requests stand for themselves.
    pub fn is_modern(&self) -> bool {
        matches!(self, Self::Modern)
    }
}

impl Session {
    /// A session of the version that the server named; the newest one where it named none.
    pub fn new(version: Option<&str>, id: Option<String>) -> Self {
        Self {
            version: version.unwrap_or(LEGACY_REVISION).to_owned(),
            id,
        }
    }
}

fn modern(method: &str, params: Map<String, Value>) -> Ask {
    capable(Ask::request(method, method, Value::Object(params)))
}

/// Forms are answered, so they are declared; pages, models and roots are not.
fn capable(ask: Ask) -> Ask {
    ask.meta(META_CAPABILITIES, json!({"elicitation": {"form": {}}}))
}

fn within(session: &Session, method: &str, params: Map<String, Value>) -> Ask {
    let params = (!params.is_empty()).then_some(Value::Object(params));
    follow(Ask::legacy(method, method, params), session)
}

fn follow(ask: Ask, session: &Session) -> Ask {
    let ask = ask.header("MCP-Protocol-Version", &session.version);
    match &session.id {
        Some(id) => ask.header("Mcp-Session-Id", id),
        None => ask,
    }
}

fn finish(ask: Ask, id: Option<&str>) -> Outgoing {
    let Ask {
        payload, headers, ..
    } = ask;
    let mut message = match payload {
        Payload::Message(message) => message,
        Payload::Raw(_) | Payload::Empty => Map::new(),
    };
    if let Some(id) = id {
        message.insert("id".to_owned(), json!(id));
    }
    Outgoing {
        id: id.unwrap_or_default().to_owned(),
        body: Value::Object(message).to_string().into_bytes(),
        fields: headers,
    }
}
