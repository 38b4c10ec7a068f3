//! What a client asked for: one HTTP request or one line, read on the side.

use crate::http::Head;
use serde_json::Value;
use verdict_core::wire::json;
use verdict_core::wire::rpc::same_id;

/// Bytes of a request beyond which nothing is read in it: no rule hits it.
pub const MOST_BYTES: usize = 8 << 20;

/// One request, notification or response of a client.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asked {
    /// `POST`, `GET` or `DELETE`; empty on stdio.
    pub verb: String,
    /// The message; absent where the body is none.
    pub message: Option<Value>,
    /// Whether an event stream is wanted; false on stdio.
    pub accepts_stream: bool,
    /// Whether the client speaks HTTP/1.0, which knows no chunks.
    pub old: bool,
    /// Whether the client leaves the connection open.
    pub keep_alive: bool,
}

impl Asked {
    /// A request over HTTP.
    pub fn over_http(head: &Head, body: &[u8]) -> Self {
        let accept = head.field("accept").unwrap_or_default();
        Self {
            verb: head.verb.clone(),
            message: read(body),
            accepts_stream: accept.to_ascii_lowercase().contains("text/event-stream"),
            old: head.old,
            keep_alive: head.keep_alive,
        }
    }

    /// A line on stdio.
    pub fn on_line(line: &[u8]) -> Self {
        Self {
            message: read(line),
            ..Self::default()
        }
    }

    /// The method, of a request or notification.
    pub fn method(&self) -> Option<&str> {
        self.message.as_ref()?.get("method")?.as_str()
    }

    /// The id, of a request or response.
    pub fn id(&self) -> Option<&Value> {
        self.message.as_ref()?.get("id")
    }

    /// A member of the parameters.
    pub fn param(&self, name: &str) -> Option<&Value> {
        self.message.as_ref()?.get("params")?.get(name)
    }

    /// The name of the tool or prompt, or the address of the resource.
    pub fn name(&self) -> Option<&str> {
        let named = self.param("name").or_else(|| self.param("uri"))?;
        named.as_str()
    }

    /// The token that notices of progress are to carry.
    pub fn progress_token(&self) -> Option<&Value> {
        self.param("_meta")?.get("progressToken")
    }

    /// Whether it is a request: it has a method and an id.
    pub fn is_request(&self) -> bool {
        self.method().is_some() && self.id().is_some()
    }

    /// Whether it opens a subscription, whose stream has no end of its own.
    pub fn listens(&self) -> bool {
        self.method() == Some("subscriptions/listen")
    }

    /// Whether it answers an `input_required`.
    pub fn is_retry(&self) -> bool {
        self.param("inputResponses").is_some() || self.param("requestState").is_some()
    }

    /// Whether the capabilities of this request hold one of this name.
    pub fn declares(&self, capability: &str) -> bool {
        let meta = self.param("_meta");
        let all = meta.and_then(|meta| meta.get("io.modelcontextprotocol/clientCapabilities"));
        all.is_some_and(|all| all.get(capability).is_some())
    }

    /// Whether a message of the server is the response to this request. One that says no id is, on HTTP.
    pub fn is_answered_by(&self, message: &Value) -> bool {
        let response = message.get("result").is_some() || message.get("error").is_some();
        response
            && match (self.id(), message.get("id")) {
                (Some(asked), Some(got)) => same_id(asked, got),
                (_, None) => !self.verb.is_empty(),
                (None, Some(_)) => false,
            }
    }
}

/// Reads one JSON object as strictly as the checks do.
pub(crate) fn read(bytes: &[u8]) -> Option<Value> {
    if bytes.len() > MOST_BYTES {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let read = json::parse(text.strip_prefix('\u{feff}').unwrap_or(text)).ok()?;
    read.value.is_object().then_some(read.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_are_compared_with_their_type() {
        let asked = Asked::on_line(br#"{"id":"1","method":"x"}"#);
        assert!(asked.is_request());
        assert!(asked.is_answered_by(&json!({"id": "1", "result": {}})));
        assert!(!asked.is_answered_by(&json!({"id": 1, "result": {}})));
        assert!(!asked.is_answered_by(&json!({"id": "1", "method": "ping"})));
        assert!(!asked.is_answered_by(&json!({"error": {}})));
    }

    #[test]
    fn what_is_no_object_is_no_message() {
        for text in ["[]", "", "7", "{", "\u{feff}"] {
            assert_eq!(Asked::on_line(text.as_bytes()).message, None, "{text}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(Asked::on_line(deep.as_bytes()).message, None);
    }
}
