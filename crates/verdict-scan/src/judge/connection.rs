//! Judges of the handshake, of sessions and of what a connection remembers.

use super::{FULL, Ruling, WARNING, everyday_method, plain};
use crate::Language;
use crate::evidence::Sign;
use crate::lex::Kind;
use crate::pattern::Severity;
use crate::source::Source;

/// `"initialize"` as a method, or the call on a client's session.
pub(crate) fn initialize(source: &Source, index: usize) -> Option<Ruling> {
    if source.word(index) != "initialize" || source.is_text(index) {
        return everyday_method(source, index);
    }
    let receiver = source.receiver(index).to_ascii_lowercase();
    let is_client = ["session", "client"]
        .iter()
        .any(|word| receiver.ends_with(word));
    (is_client && source.uses_sdk() && source.speaks_alone()).then_some(Ruling::of(Severity::Error))
}

/// A date of an earlier revision, as a string of its own.
pub(crate) fn dated_version(source: &Source, index: usize) -> Option<Ruling> {
    if !source.speaks_alone() || source.in_import(index) {
        return None;
    }
    if is_default(source, index) || source.is_denied(index) {
        return None;
    }
    let about_version = source.near(index, 1, &["version", "protocol", "supported"]);
    about_version.then_some(Ruling::of(Severity::Warning))
}

/// Whether a date is what stands in for a missing header.
pub(crate) fn is_default(source: &Source, index: usize) -> bool {
    let before = |back: usize| index.checked_sub(back).map_or("", |at| source.word(at));
    let falls_back = matches!((before(2), before(1)), ("?", "?") | ("|", "|"))
        || before(1) == "or"
        || matches!(
            source.call_around(index, 0),
            "unwrap_or" | "orElse" | "getOrDefault" | "get"
        );
    falls_back && source.near(index, 2, &["version"])
}

/// Client data that is kept from the handshake.
pub(crate) fn connection_memory(source: &Source, index: usize) -> Option<Ruling> {
    let declared = source.is_declared(index);
    (!declared && source.speaks_alone() && !source.is_denied(index))
        .then_some(Ruling::of(Severity::Error))
}

/// `result.serverInfo`, outside `_meta`.
pub(crate) fn server_info(source: &Source, index: usize) -> Option<Ruling> {
    if !source.speaks_alone() || source.in_import(index) {
        return None;
    }
    let before = index.checked_sub(1)?;
    let receiver = if source.is_mark(before, b'.') {
        source.receiver(index).to_ascii_lowercase()
    } else if source.is_mark(before, b'[') && source.is_mark(index + 1, b']') {
        source.word(before.checked_sub(2)?).to_ascii_lowercase()
    } else {
        return None;
    };
    let from_result = ["result", "response", "init"]
        .iter()
        .any(|word| receiver.contains(word));
    from_result.then_some(Ruling::of(Severity::Warning))
}

/// The session header, and what serves it.
pub(crate) fn session(source: &Source, index: usize) -> Option<Ruling> {
    if !source.speaks() || source.is_denied(index) || source.in_import(index) {
        return None;
    }
    match source.word(index) {
        "sessionIdGenerator" => {
            let value = source.value(index);
            let stateless = source.is_key(index)
                && (source.is_name(value, "undefined") || source.is_name(value, "null"));
            let typed = source.is_mark(index + 1, b'?');
            (!stateless && !typed && source.is_key(index)).then_some(Ruling::of(Severity::Error))
        }
        "sessionId" | "session_id" => {
            let receiver = source.receiver(index).to_ascii_lowercase();
            if receiver.ends_with("transport") {
                return FULL;
            }
            if is_store(source, index) {
                WARNING
            } else {
                None
            }
        }
        "ip_hash" | "sticky" | "sessionAffinity" => {
            let config = matches!(source.place.language, Language::Shell | Language::Yaml);
            if config { WARNING } else { None }
        }
        _ => header(source, index),
    }
}

/// Whether a session's id is the key of what is kept: `transports[sessionId]`, `sessions.get(session_id)`.
fn is_store(source: &Source, index: usize) -> bool {
    let Some(before) = index.checked_sub(1) else {
        return false;
    };
    let store = if source.is_mark(before, b'[') {
        before.checked_sub(1).map_or("", |at| source.word(at))
    } else if source.is_mark(before, b'(')
        && matches!(source.call_name(before), "get" | "set" | "has")
    {
        before.checked_sub(1).map_or("", |at| source.receiver(at))
    } else {
        ""
    };
    let store = store.to_ascii_lowercase();
    source.uses_sdk()
        && ["transports", "sessions"]
            .iter()
            .any(|word| store.ends_with(word))
}

/// A header field of the earlier transport; not where it is only taken away or let through.
fn header(source: &Source, index: usize) -> Option<Ruling> {
    if super::http::is_allow_list(source, index) || is_stripped(source, index) {
        return None;
    }
    let prose = source.role(index) == crate::role::Role::Prose;
    (!prose).then_some(Ruling::of(Severity::Error))
}

/// Whether the code here removes or ignores a header field.
fn is_stripped(source: &Source, index: usize) -> bool {
    source.near(
        index,
        0,
        &[
            "delete",
            "remove",
            "strip",
            "ignore",
            "pop(",
            "unset",
            "hide_header",
            "not.tohave",
            "proxy_set_header mcp-session-id \"\"",
        ],
    )
}

/// Streams that could be taken up again.
pub(crate) fn resumption(source: &Source, index: usize) -> Option<Ruling> {
    let word = source.word(index);
    if source.is_text(index) || word.contains('-') {
        return session(source, index);
    }
    if !source.speaks_alone() || source.is_denied(index) || source.is_declared(index) {
        return None;
    }
    let none = ["None", "null", "undefined", "nil"];
    if source.is_key(index) && none.contains(&source.word(source.value(index))) {
        return None;
    }
    let everyday = matches!(
        word,
        "EventStore" | "eventStore" | "event_store" | "retryInterval" | "retry_interval"
    );
    let streams =
        source.uses_sdk() && source.near(index, 12, &["mcp", "stream", "transport", "session"]);
    (!everyday || streams).then_some(Ruling::of(Severity::Error))
}

/// A handler for GET or DELETE on the path of MCP.
pub(crate) fn endpoint_route(source: &Source, index: usize) -> Option<Ruling> {
    let open = index + 1;
    if !source.is_mark(open, b'(') || !source.is_text(open + 1) {
        return None;
    }
    let path = source.word(open + 1).trim_end_matches('/');
    let on_mcp = (path == "mcp" || path.ends_with("/mcp")) && !path.contains("well-known");
    let end = source.partner(open).unwrap_or(open).min(open + 400);
    // A decorator's handler stands behind it, other handlers are arguments.
    let reach = if source.is_mark(index.wrapping_sub(3), b'@') {
        open + 80
    } else {
        end
    };
    let refuses = (open..reach).any(|at| {
        matches!(
            source.word(at),
            "405" | "METHOD_NOT_ALLOWED" | "methodNotAllowed"
        )
    });
    let tested = source.in_test(index) && source.near(index, 6, &["405"]);
    (on_mcp && !refuses && !tested && source.speaks_alone()).then_some(Ruling::of(Severity::Error))
}

/// The client's way to end a session, or a route for it.
pub(crate) fn session_end(source: &Source, index: usize) -> Option<Ruling> {
    match source.word(index) {
        "delete" => endpoint_route(source, index),
        _ => plain(source, index),
    }
}

/// `ping`, as a method or on a peer.
pub(crate) fn ping(source: &Source, index: usize) -> Option<Ruling> {
    let everyday = matches!(source.word(index), "ping" | "Ping" | "PingAsync");
    if !everyday || source.is_text(index) {
        return everyday_method(source, index);
    }
    let receiver = source.receiver(index).to_ascii_lowercase();
    let is_peer = ["client", "session", "server", "peer"]
        .iter()
        .any(|word| receiver.ends_with(word));
    (is_peer && source.uses_sdk() && source.speaks_alone()).then_some(Ruling::of(Severity::Error))
}

/// One client for many test cases.
pub(crate) fn shared_client(source: &Source, index: usize) -> Option<Ruling> {
    if !source.in_test(index) || !source.uses_sdk() {
        return None;
    }
    let (from, to) = if source.word(index) == "beforeAll" {
        (index + 1, source.partner(index + 1)?)
    } else {
        // `@pytest.fixture(scope="module")` and the function behind it.
        let scope = source.word(source.value(index));
        if !matches!(scope, "module" | "session" | "package" | "class")
            || source.call_around(index, 0) != "fixture"
        {
            return None;
        }
        (index, index + 80)
    };
    let connects = (from..to.min(from + 400)).any(|at| {
        source.kind(at) == Some(Kind::Name)
            && (matches!(
                source.word(at),
                "ClientSession"
                    | "McpClient"
                    | "createClient"
                    | "create_connected_server_and_client_session"
            ) || source.word(at) == "Client" && source.is_mark(at + 1, b'('))
    });
    if connects { WARNING } else { None }
}

/// What stands in for a missing version header.
pub(crate) fn default_version(source: &Source, index: usize) -> Option<Ruling> {
    if !source.speaks_alone() {
        return None;
    }
    if source.is_text(index) {
        return if is_default(source, index) {
            WARNING
        } else {
            None
        };
    }
    if source.has(Sign::Modern) { None } else { FULL }
}
