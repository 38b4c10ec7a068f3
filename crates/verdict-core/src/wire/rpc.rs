//! JSON-RPC messages: what a text from the server is, without judging it.

use super::json::{self, JsonFault};
use serde_json::{Map, Value};
use std::sync::Arc;

/// A message from the server, taken apart; results are shared so that equal lists are held once.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope {
    /// All members but `result`.
    pub members: Map<String, Value>,
    /// The `result` member.
    pub result: Option<Arc<Value>>,
    /// Member names that occur twice somewhere in the text.
    pub duplicates: Vec<String>,
    /// Whether an integer somewhere is too large to be held exactly.
    pub inexact: bool,
    /// How many values there are, inner ones included.
    pub values: usize,
}

/// What a text from the server turned out to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Parsed {
    /// A JSON object.
    Object(Box<Envelope>),
    /// JSON, but no object: an array (a batch), a number, a string.
    Other(&'static str),
    /// Not JSON.
    Broken(JsonFault),
}

/// What a JSON object is in JSON-RPC's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Has `result` or `error`.
    Response,
    /// Has `method` and `id`.
    Request,
    /// Has `method` and no `id`.
    Notification,
    /// None of them.
    Neither,
}

impl Parsed {
    /// Reads a text; a byte order mark before it is passed over, as most readers do.
    pub fn read(text: &str) -> Self {
        match json::parse(text.strip_prefix('\u{FEFF}').unwrap_or(text)) {
            Err(fault) => Self::Broken(fault),
            Ok(read) => match read.value {
                Value::Object(mut members) => {
                    let result = members.shift_remove("result").map(Arc::new);
                    Self::Object(Box::new(Envelope {
                        members,
                        result,
                        duplicates: read.duplicates,
                        inexact: read.inexact,
                        values: read.values,
                    }))
                }
                Value::Array(_) => Self::Other("an array"),
                Value::String(_) => Self::Other("a string"),
                Value::Number(_) => Self::Other("a number"),
                Value::Bool(_) => Self::Other("a boolean"),
                Value::Null => Self::Other("null"),
            },
        }
    }

    /// The object, when it is one.
    pub fn envelope(&self) -> Option<&Envelope> {
        match self {
            Self::Object(envelope) => Some(envelope),
            Self::Other(_) | Self::Broken(_) => None,
        }
    }
}

impl Envelope {
    /// What it is in JSON-RPC's terms.
    pub fn kind(&self) -> Kind {
        if self.result.is_some() || self.members.contains_key("error") {
            Kind::Response
        } else if self.method().is_some() {
            if self.members.contains_key("id") {
                Kind::Request
            } else {
                Kind::Notification
            }
        } else {
            Kind::Neither
        }
    }

    /// Whether it is a request that every server can read and answer to: JSON-RPC 2.0 with a method and an id.
    pub fn is_sound_request(&self) -> bool {
        self.members
            .get("jsonrpc")
            .is_some_and(|version| version == "2.0")
            && self.method().is_some()
            && self.duplicates.is_empty()
            && self
                .id()
                .is_some_and(|id| id.is_string() || integer(id).is_some())
    }

    /// The `id` member, whatever it is.
    pub fn id(&self) -> Option<&Value> {
        self.members.get("id")
    }

    /// The `method` member, when it is a string.
    pub fn method(&self) -> Option<&str> {
        self.members.get("method").and_then(Value::as_str)
    }

    /// The `params` member.
    pub fn params(&self) -> Option<&Value> {
        self.members.get("params")
    }

    /// The `error` member.
    pub fn error(&self) -> Option<&Value> {
        self.members.get("error")
    }

    /// The error's code, when it is an integer (`-32602.0` is one).
    pub fn error_code(&self) -> Option<i64> {
        integer(self.error()?.get("code")?)
    }
}

/// A JSON number as an integer, when it is one; `7.0` is the number 7.
pub fn integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let float = value.as_f64()?;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the range is checked beside it"
        )]
        (float.fract() == 0.0 && float.abs() < 9.2e18).then_some(float as i64)
    })
}

/// Whether two ids are the same value of the same JSON type; `7.0` is the number 7.
pub fn same_id(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(_), Value::Number(_)) => match (integer(one), integer(other)) {
            (Some(one), Some(other)) => one == other,
            _ => one == other,
        },
        _ => one == other,
    }
}

/// Whether an id is another one, or a damaged form of it, such as `"1"` answered as `1`.
pub fn is_form_of(sent: &Value, got: &Value) -> bool {
    let bare = |value: &Value| value.to_string().replace(['"', '\\'], "");
    same_id(sent, got) || bare(sent) == bare(got)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_are_compared_with_their_type() {
        assert!(same_id(&json!(7), &json!(7.0)));
        assert!(!same_id(&json!("1"), &json!(1)));
        assert!(!same_id(&json!(null), &json!(0)));
    }

    #[test]
    fn kinds() {
        let kind = |text: &str| Parsed::read(text).envelope().map(Envelope::kind);
        assert_eq!(kind(r#"{"id":1,"result":{}}"#), Some(Kind::Response));
        assert_eq!(kind(r#"{"id":1,"method":"x"}"#), Some(Kind::Request));
        assert_eq!(kind(r#"{"method":"x"}"#), Some(Kind::Notification));
        assert_eq!(kind(r#"{"level":"info"}"#), Some(Kind::Neither));
        assert_eq!(kind("[]"), None);
    }
}
