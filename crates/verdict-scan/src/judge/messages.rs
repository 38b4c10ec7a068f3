//! Judges of requests and notifications that changed their direction or their way.

use super::{Ruling, WARNING, is_refusal_test, method, plain};
use crate::evidence::Sign;
use crate::pattern::Severity;
use crate::role::Role;
use crate::source::Source;

/// A request that a server sends: as a method, or as a call on a session.
pub(crate) fn server_request(source: &Source, index: usize) -> Option<Ruling> {
    if is_client_handler(source, index) || in_input_requests(source, index) {
        return None;
    }
    if source.is_text(index) {
        return is_sent(source, index).then(|| method(source, index))?;
    }
    if source.word(index).ends_with("Request") || source.word(index).ends_with("Schema") {
        return plain(source, index);
    }
    let receiver = source.receiver(index).to_ascii_lowercase();
    let peers = [
        "server", "session", "ctx", "context", "peer", "exchange", "extra", "mcp",
    ];
    let on_peer = if source.word(index) == "sample" {
        // Data are sampled too; only a request's context asks a model.
        matches!(receiver.as_str(), "ctx" | "context")
    } else {
        peers.iter().any(|word| receiver.ends_with(word))
    };
    (on_peer && source.speaks_alone()).then_some(Ruling::of(Severity::Error))
}

/// Whether a method's name is part of a message that is made here, and not only recognised: within an
/// `input_required` result the same names are right.
fn is_sent(source: &Source, index: usize) -> bool {
    match source.role(index) {
        Role::Sent => true,
        Role::Method | Role::Other => {
            let beside = ["jsonrpc", "JSONRPC", "id", "ID", "params", "Params"];
            let member = source.is_mark(index.wrapping_sub(1), b':')
                || source.is_mark(index.wrapping_sub(1), b'=')
                    && !source.is_mark(index.wrapping_sub(2), b'=');
            let call = source.call_around(index, 1).to_ascii_lowercase();
            let sends = ["request", "send", "notif", "rpc"];
            let made = beside
                .iter()
                .any(|key| source.sibling(index, key).is_some());
            member && (made || sends.iter().any(|word| call.contains(word)))
        }
        Role::Handler | Role::Prose => false,
    }
}

/// Whether a string stands in an `inputRequests` member, where it belongs now.
fn in_input_requests(source: &Source, index: usize) -> bool {
    let mut at = index;
    for _ in 0..4 {
        let Some(open) = source.opener(at) else {
            return false;
        };
        let key = open.checked_sub(2).map_or("", |at| source.word(at));
        if matches!(key, "inputRequests" | "input_requests") {
            return true;
        }
        at = open;
    }
    source.near(index, 3, &["inputrequest", "input_request"])
}

/// Whether a name or method is given to a function that registers handlers.
fn is_client_handler(source: &Source, index: usize) -> bool {
    let call = source.call_around(index, 1);
    matches!(
        call,
        "setRequestHandler"
            | "SetRequestHandler"
            | "set_request_handler"
            | "removeRequestHandler"
            | "assertCanSetRequestHandler"
    )
}

/// A client's handler for what servers used to ask.
pub(crate) fn client_handler(source: &Source, index: usize) -> Option<Ruling> {
    (is_client_handler(source, index) && source.speaks_alone())
        .then_some(Ruling::of(Severity::Info))
}

/// The flag `listChanged` below `roots`.
pub(crate) fn roots_changed(source: &Source, index: usize) -> Option<Ruling> {
    if source.word(index) != "roots" {
        return method(source, index);
    }
    let open = source.value(index);
    let flag = source.is_mark(open, b'{')
        && source
            .keys(open)
            .iter()
            .any(|key| matches!(source.word(*key), "listChanged" | "list_changed"));
    (flag && source.speaks_alone()).then_some(Ruling::of(Severity::Error))
}

/// The error that asked for a visit to a URL.
pub(crate) fn url_elicitation(source: &Source, index: usize) -> Option<Ruling> {
    if !source.speaks_alone() || source.is_denied(index) || source.is_declared(index) {
        return None;
    }
    let received = source.near(
        index,
        0,
        &[
            "catch",
            "except",
            "instanceof",
            "isinstance",
            "== ",
            "case ",
            "errors.as",
        ],
    );
    if received && !source.in_test(index) {
        return Some(Ruling::because(
            Severity::Info,
            "a client may still take it from an older server",
        ));
    }
    Some(Ruling::of(Severity::Error))
}

/// A change notice that is expected although nobody listens.
pub(crate) fn unsolicited(source: &Source, index: usize) -> Option<Ruling> {
    if source.has(Sign::Listen) || !source.speaks_alone() {
        return None;
    }
    if source.is_text(index) {
        let expected = source.in_test(index)
            && matches!(source.role(index), Role::Method | Role::Sent | Role::Other)
            && source.is_asserted(index);
        return expected.then_some(Ruling::of(Severity::Error));
    }
    let call = source.call_around(index, 0);
    let handles = matches!(
        call,
        "setNotificationHandler" | "SetNotificationHandler" | "add_notification_handler"
    );
    if handles { WARNING } else { None }
}

/// A log message that no request asked for.
pub(crate) fn log_message(source: &Source, index: usize) -> Option<Ruling> {
    if source.has(Sign::RequestLogLevel) {
        return None;
    }
    let (ruling, receiver) = if source.is_text(index) {
        // What is compared or handled was received, and whoever receives may have asked for it.
        let handled = source
            .call_around(index, 1)
            .eq_ignore_ascii_case("setNotificationHandler");
        if handled || !is_sent(source, index) {
            return None;
        }
        (method(source, index)?, source.call_receiver(index))
    } else {
        (plain(source, index)?, source.receiver(index))
    };
    let receiver = receiver.to_ascii_lowercase();
    let bound = ["ctx", "context", "extra", "session", "exchange", "mcpreq"];
    if bound.iter().any(|word| receiver.ends_with(word)) {
        return Some(Ruling::because(
            Severity::Warning,
            "a helper of a request may look at the level itself",
        ));
    }
    Some(ruling)
}

/// A cancellation over HTTP, or progress from a client.
pub(crate) fn direction(source: &Source, index: usize) -> Option<Ruling> {
    if source.role(index) != Role::Method
        || !source.speaks_alone()
        || is_refusal_test(source, index)
    {
        return None;
    }
    let sends = matches!(
        source.opener(index).map(|open| source.call_around(open, 2)),
        Some("fetch" | "post" | "stringify" | "request" | "json" | "curl" | "notification")
    );
    let posted = sends
        && source.has(Sign::Http)
        && source.near(index, 8, &["fetch(", "post(", "axios", "httpx", "curl"]);
    let by_client = source.word(index) == "notifications/progress"
        && source.near(index, 4, &["client.notif", "client_session", "client.send"]);
    if posted || by_client { WARNING } else { None }
}

/// Words for a server that goes on when its client has gone.
pub(crate) fn disconnect(source: &Source, index: usize) -> Option<Ruling> {
    let title = matches!(
        source.call_around(index, 0),
        "it" | "test" | "describe" | "Run"
    );
    if !title || !source.in_test(index) || !source.speaks_alone() {
        return None;
    }
    let words = source.word(index).to_ascii_lowercase();
    let leaves = ["disconnect", "stream close", "connection close"]
        .iter()
        .any(|word| words.contains(word));
    let goes_on = [
        "not cancel",
        "n't cancel",
        "continue",
        "keeps running",
        "survive",
        "outlive",
    ]
    .iter()
    .any(|word| words.contains(word));
    if leaves && goes_on { WARNING } else { None }
}
