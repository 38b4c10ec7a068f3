//! Which lifecycle a server speaks, as the engine of the core tells it (A.11).

use super::incoming::{Heard, Loss, Reply};
use serde_json::{Map, Value};
use verdict_core::wire::json::cut;
use verdict_model::report::ServerInfo;
use verdict_model::{LEGACY_REVISION, REVISION};

/// Bytes of instructions that are kept: they stand before every conversation.
const INSTRUCTIONS: usize = 32 << 10;

/// What a server says of itself when it is met.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hello {
    /// Its instructions for whoever uses its tools, cut where they are too long for that.
    pub instructions: Option<String>,
    /// Whether it declares tools; it counts as declaring them where its capabilities are unknown.
    pub has_tools: bool,
    /// The version of the handshake.
    pub version: Option<String>,
    /// What the server calls itself.
    pub server: Option<ServerInfo>,
}

/// Name and version; in `_meta` since 2026-07-28, beside the version before.
fn server(result: &Map<String, Value>) -> Option<ServerInfo> {
    let modern = result
        .get("_meta")
        .and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
    let info = modern.or_else(|| result.get("serverInfo"))?;
    let text = |key: &str| info.get(key).and_then(Value::as_str);
    Some(ServerInfo {
        name: cut(text("name")?, 200),
        version: cut(text("version").unwrap_or_default(), 100),
    })
}

impl Hello {
    /// Reads a result of `server/discover` or `initialize`.
    pub fn read(result: &Map<String, Value>) -> Self {
        let text = |key: &str| result.get(key).and_then(Value::as_str);
        let capabilities = result.get("capabilities").and_then(Value::as_object);
        Self {
            instructions: text("instructions").map(|text| cut(text, INSTRUCTIONS)),
            has_tools: capabilities.is_none_or(|all| all.contains_key("tools")),
            version: text("protocolVersion").map(|version| cut(version, 40)),
            server: server(result),
        }
    }

    /// Of a server that says nothing of itself.
    fn unknown() -> Self {
        Self {
            has_tools: true,
            ..Self::default()
        }
    }
}

/// What the answer to `server/discover` comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opening {
    /// It speaks this revision.
    Modern(Hello),
    /// It did not understand: `initialize` is next. Where that is refused too, it may yet be modern.
    Handshake {
        /// Whether the refusal is one that only a modern server gives.
        modern_refusal: bool,
        /// What it did.
        why: String,
    },
    /// There is nothing to speak to; why.
    Closed(String),
}

/// Tells from the answer to `server/discover`.
pub fn after_discover(answer: &Result<Heard, Loss>) -> Opening {
    match answer {
        Ok(Heard {
            status: Some(status @ (401 | 403)),
            ..
        }) => Opening::Closed(locked(*status)),
        Ok(Heard {
            reply: Reply::Result(result),
            ..
        }) => Opening::Modern(Hello::read(result)),
        Ok(Heard {
            reply:
                Reply::Error {
                    code: -32022,
                    supported,
                    ..
                },
            ..
        }) => {
            let named = if supported.is_empty() {
                "no other".to_owned()
            } else {
                supported.join(", ")
            };
            Opening::Closed(format!(
                "the server refuses revision {REVISION} (-32022) and names {named}"
            ))
        }
        Ok(Heard {
            reply: Reply::Error { code, .. },
            status,
            ..
        }) => Opening::Handshake {
            modern_refusal: matches!(
                (status, code),
                (Some(400), -32020 | -32021) | (Some(404), -32601)
            ),
            why: format!("was refused with {code}"),
        },
        Err(loss @ Loss::NotSent(_)) => Opening::Closed(sentence(loss)),
        // On stdio silence is an answer of its own.
        Err(Loss::Http {
            status: 401 | 403 | 429 | 500..,
            ..
        }) => Opening::Closed(answer.as_ref().err().map(sentence).unwrap_or_default()),
        Err(loss) => Opening::Handshake {
            modern_refusal: false,
            why: loss.why(),
        },
    }
}

/// Tells from the answer to `initialize`, where it was asked after `server/discover` or in its place.
///
/// # Errors
/// Why there is nothing to speak to.
pub fn after_initialize(
    discover: Option<&Opening>,
    answer: &Result<Heard, Loss>,
) -> Result<Hello, String> {
    let refused = match answer {
        Ok(Heard {
            reply: Reply::Result(result),
            ..
        }) => {
            let mut hello = Hello::read(result);
            hello
                .version
                .get_or_insert_with(|| LEGACY_REVISION.to_owned());
            return Ok(hello);
        }
        Ok(Heard {
            reply: Reply::Error { code, message, .. },
            ..
        }) => {
            format!("was refused with {code} ({message})")
        }
        Err(loss) => loss.why(),
    };
    match discover {
        Some(Opening::Handshake {
            modern_refusal: true,
            ..
        }) => Ok(Hello::unknown()),
        Some(Opening::Handshake { why, .. }) => Err(format!(
            "no MCP server answers: `server/discover` {why}, and `initialize` {refused}"
        )),
        _ => Err(format!("`initialize` {refused}")),
    }
}

fn locked(status: u16) -> String {
    sentence(&Loss::Http {
        status,
        why: String::new(),
    })
}

fn sentence(loss: &Loss) -> String {
    format!("`server/discover` {}", loss.why())
}
