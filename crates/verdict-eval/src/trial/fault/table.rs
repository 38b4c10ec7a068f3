//! What each fault is under the agent loop, as data.

use verdict_model::fault::{Fault, Planned, When};

/// Whether the server did what a call asked for, although its answer was lost or spoiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carried {
    /// It did: only the answer suffered.
    Out,
    /// Nobody can tell from the client's side.
    Maybe,
    /// It did not: the call was turned away before it began.
    Not,
}

/// In which way a call suffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The model gets a failure instead of a result, and the server never sees the call.
    Refused,
    /// The server sees the call; the model gets a failure instead of its result.
    Lost,
    /// The model gets a result that says nothing, or says what is wrong.
    Spoiled,
    /// The model gets the result, whole: the fault is the client's to bear.
    Unharmed,
}

/// What a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect {
    /// The fault.
    pub fault: Fault,
    /// What it is, in words, as the beginning of a sentence.
    pub title: &'static str,
    /// In which way the call suffers.
    pub way: Way,
    /// Whether the server carried the call out all the same.
    pub carried: Carried,
    /// What a client tells its model; empty where it tells a result.
    pub told: &'static str,
}

const fn row(
    fault: Fault,
    title: &'static str,
    way: Way,
    carried: Carried,
    told: &'static str,
) -> Effect {
    Effect {
        fault,
        title,
        way,
        carried,
        told,
    }
}

/// One row a fault, in the order of [`Fault::ALL`].
const TABLE: [Effect; 22] = {
    use Carried::{Maybe, Not, Out};
    use Way::{Lost, Refused, Spoiled, Unharmed};
    [
        row(
            Fault::Http500,
            "HTTP 500",
            Refused,
            Maybe,
            "Error: the server answered HTTP 500 Internal Server Error, and its body is no JSON-RPC message.",
        ),
        row(
            Fault::Http503,
            "HTTP 503",
            Refused,
            Not,
            "Error: the server answered HTTP 503 Service Unavailable (Retry-After: 1 second).",
        ),
        row(
            Fault::Timeout,
            "no answer within the time limit",
            Refused,
            Maybe,
            "Error: the request timed out; the server gave no answer.",
        ),
        row(Fault::SlowFirstByte, "a late first byte", Unharmed, Out, ""),
        row(Fault::SlowDrip, "an answer byte by byte", Unharmed, Out, ""),
        row(
            Fault::ConnectionRefused,
            "a refused connection",
            Refused,
            Not,
            "Error: could not connect to the server: connection refused.",
        ),
        row(
            Fault::ResetBefore,
            "a reset connection before the answer",
            Refused,
            Maybe,
            "Error: the connection was reset before the server answered.",
        ),
        row(
            Fault::ResetMidStream,
            "a reset connection in the middle of the answer",
            Lost,
            Out,
            "Error: the connection was reset while the answer was being received; the answer is incomplete and was \
             discarded.",
        ),
        row(
            Fault::MalformedJson,
            "an answer that is not JSON",
            Lost,
            Out,
            "Error: the server's answer could not be read: it is not valid JSON.",
        ),
        row(
            Fault::TruncatedJson,
            "an answer that ends in the middle of its JSON",
            Lost,
            Out,
            "Error: the server's answer could not be read: its JSON ends unexpectedly.",
        ),
        row(
            Fault::WrongContentType,
            "the right answer under text/html",
            Lost,
            Out,
            "Error: the server answered with the content type text/html instead of JSON; the answer was not read.",
        ),
        row(
            Fault::ExpiredToken,
            "HTTP 401 for a token that ran out",
            Refused,
            Not,
            "Error: the server answered HTTP 401 Unauthorized: the access token had expired. A new token has been \
             obtained.",
        ),
        row(
            Fault::ForbiddenScope,
            "HTTP 403 for a token without the scope",
            Refused,
            Not,
            "Error: the server answered HTTP 403 Forbidden: the access token lacks the scope that this tool needs \
             (insufficient_scope).",
        ),
        row(
            Fault::RateLimit,
            "HTTP 429",
            Refused,
            Not,
            "Error: the server answered HTTP 429 Too Many Requests (Retry-After: 1 second).",
        ),
        row(
            Fault::ToolError,
            "a result with isError",
            Refused,
            Not,
            "The operation failed: the backend is currently not available.",
        ),
        row(
            Fault::EmptyResult,
            "a result without content",
            Spoiled,
            Out,
            "",
        ),
        row(
            Fault::CorruptResult,
            "a result whose values are wrong",
            Spoiled,
            Out,
            "",
        ),
        row(
            Fault::DuplicatedResult,
            "the same result twice",
            Unharmed,
            Out,
            "",
        ),
        row(
            Fault::OutOfOrderNotifications,
            "progress in the wrong order",
            Unharmed,
            Out,
            "",
        ),
        row(
            Fault::InputRequiredLoop,
            "input_required again and again",
            Refused,
            Not,
            "Error: the tool kept asking for further input instead of giving a result; stopped after 10 rounds.",
        ),
        row(
            Fault::InternalError,
            "JSON-RPC error -32603",
            Refused,
            Maybe,
            "Error: MCP error -32603: Internal error",
        ),
        row(
            Fault::UnknownResultType,
            "a resultType that the revision does not know",
            Lost,
            Out,
            "Error: the server answered with the unknown resultType \"deferred\"; the client cannot use such a result.",
        ),
    ]
};

/// What a fault is.
pub fn effect(fault: Fault) -> &'static Effect {
    let at = TABLE.iter().position(|row| row.fault == fault);
    &TABLE[at.unwrap_or(0)]
}

/// Whether a later call of the same tool can be good. A token that ran out is renewed, so that even `@every` hits no
/// two calls in a row; a missing scope stays missing. What does no harm needs no outliving.
pub(super) fn can_be_outlived(planned: Planned) -> bool {
    match planned.fault {
        Fault::ForbiddenScope => false,
        Fault::ExpiredToken => true,
        fault if effect(fault).way == Way::Unharmed => false,
        _ => match planned.when {
            When::First | When::Nth(_) => true,
            When::Every => false,
            When::Random(chance) => chance < 1.0,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::MAX_ROUNDS;

    #[test]
    fn each_fault_has_its_own_row() {
        for (row, fault) in TABLE.iter().zip(Fault::ALL) {
            assert_eq!(row.fault, fault);
            assert_eq!(effect(fault), row);
            let is_told = matches!(row.way, Way::Refused | Way::Lost);
            assert_eq!(is_told, !row.told.is_empty(), "{fault:?}");
            // What the server never saw was not done, or nobody knows; what it saw was.
            assert_eq!(
                row.way == Way::Refused,
                row.carried != Carried::Out,
                "{fault:?}"
            );
        }
        let bound = format!("after {MAX_ROUNDS} rounds");
        assert!(effect(Fault::InputRequiredLoop).told.contains(&bound));
    }

    #[test]
    fn what_stays_cannot_be_outlived() {
        for (text, can) in [
            ("http-503@first", true),
            ("http-503@every", false),
            ("tool-error@random:0.5", true),
            ("tool-error@random:1", false),
            ("expired-token@every", true),
            ("forbidden-scope@first", false),
            ("slow-drip@first", false),
        ] {
            assert_eq!(can_be_outlived(text.parse().unwrap()), can, "{text}");
        }
    }
}
