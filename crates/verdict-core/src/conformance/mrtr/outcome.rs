//! What an answered question came to.

use crate::record::{Answer, Record};
use serde_json::{Value, json};

/// What an answered question came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// A complete result that tells of no error.
    Done,
    /// A result with `isError: true`.
    Told,
    /// Another question.
    Asked,
    /// A result of another type, such as a task.
    Other,
    /// A JSON-RPC error with this code.
    Refused(Option<i64>),
    /// No response.
    Silent,
}

impl Outcome {
    /// Whether the server went on with the request.
    pub(super) fn works(self) -> bool {
        !matches!(self, Self::Refused(_) | Self::Silent)
    }

    /// In words that fit after "the retry is".
    pub(super) fn words(self) -> String {
        match self {
            Self::Done => "served".to_owned(),
            Self::Told => "answered with isError: true".to_owned(),
            Self::Asked => "answered with another question".to_owned(),
            Self::Other => "answered with a result of another type".to_owned(),
            Self::Refused(Some(code)) => {
                format!("refused with {code}{}", crate::refusal::name_of(code))
            }
            Self::Refused(None) => "refused with an error without an integer code".to_owned(),
            Self::Silent => "not answered".to_owned(),
        }
    }
}

/// What an exchange came to.
pub(super) fn outcome(record: &Record) -> Outcome {
    match record.answer() {
        Answer::Result(result) => match result.get("resultType").and_then(Value::as_str) {
            Some("input_required") => Outcome::Asked,
            None | Some("complete") if result.get("isError") == Some(&json!(true)) => Outcome::Told,
            None | Some("complete") => Outcome::Done,
            Some(_) => Outcome::Other,
        },
        Answer::Error(code) => Outcome::Refused(code),
        _ => Outcome::Silent,
    }
}
