//! Judges of HTTP requests, header lists and the older transports.

use super::codes::knows_method_header;
use super::{FULL, Ruling, WARNING, plain};
use crate::Language;
use crate::evidence::Sign;
use crate::pattern::Severity;
use crate::role::Role;
use crate::source::Source;

/// A JSON-RPC message that is posted without the modern header fields.
///
/// The token is the message's `jsonrpc` key, its call stands around it.
pub(crate) fn raw_post(source: &Source, index: usize) -> Option<Ruling> {
    if knows_method_header(source) || !source.speaks_alone() || !is_posted(source, index) {
        return None;
    }
    let method = source
        .sibling(index, "method")
        .map_or("", |value| source.word(value));
    // The handshake and the ping have rows of their own; replies are no requests.
    let removed =
        matches!(method, "" | "initialize" | "ping") || method.starts_with("notifications/");
    // Leaving one out on purpose is a test of the refusal.
    let refused = source.near(index, 12, &["400", "bad_request", "badrequest"]);
    if removed || refused { None } else { FULL }
}

/// Whether the message is an argument of a call, or of a command, that posts it.
fn is_posted(source: &Source, index: usize) -> bool {
    if source.place.language == Language::Shell {
        return source.near(
            index,
            12,
            &[
                "curl",
                "wget",
                "http post",
                "https post",
                "post http",
                "xh ",
                "hey ",
            ],
        );
    }
    let mut at = index;
    for _ in 0..6 {
        let Some(open) = source.opener(at) else { break };
        if source.is_mark(open, b'(') {
            let call = source.call_name(open);
            let client = matches!(
                call,
                "fetch"
                    | "post"
                    | "POST"
                    | "Post"
                    | "axios"
                    | "NewRequest"
                    | "PostAsync"
                    | "postMcp"
                    | "urlopen"
            );
            if client && source.has(Sign::Http) {
                return true;
            }
        }
        at = open;
    }
    false
}

/// Messages in an array.
pub(crate) fn batch(source: &Source, index: usize) -> Option<Ruling> {
    if !source.is_key(index) {
        return super::plain(source, index);
    }
    let object = source.opener(index)?;
    let list = object
        .checked_sub(1)
        .filter(|at| source.is_mark(*at, b'['))?;
    let before = list.checked_sub(1);
    // What a string holds comes right behind it.
    let text = before.is_some_and(|at| source.is_text(at));
    let call = before
        .filter(|at| source.is_mark(*at, b'('))
        .map_or("", |at| source.call_name(at));
    let key = before
        .and_then(|at| at.checked_sub(1))
        .map_or("", |at| source.word(at));
    let sent = matches!(call, "stringify" | "dumps" | "send" | "post")
        || matches!(key, "body" | "json") && before.is_some_and(|at| !source.is_mark(at, b'('))
        || text
            && source
                .word(list.saturating_sub(1))
                .trim_start()
                .starts_with('[');
    // The array is refused by a test that has it right.
    let refused = source.near(
        index,
        15,
        &[
            "400",
            "-32600",
            "invalid_request",
            "invalidrequest",
            "reject",
            "not supported",
        ],
    );
    if sent && !refused && source.speaks_alone() {
        FULL
    } else {
        None
    }
}

/// Whether a header's name stands in a list of what is let through.
pub(crate) fn is_allow_list(source: &Source, index: usize) -> bool {
    if source.is_asserted(index) {
        return false;
    }
    let mut at = index;
    for _ in 0..2 {
        let Some(open) = source.opener(at) else { break };
        let key = open.checked_sub(2).map_or("", |at| source.word(at));
        if [key, source.call_name(open)].into_iter().any(is_list_name) || names_list(source, open) {
            return true;
        }
        at = open;
    }
    names_list(source, index)
}

/// Whether the line of a token names a list of allowed header fields.
fn names_list(source: &Source, index: usize) -> bool {
    let line = source.line_text(source.line(index)).to_ascii_lowercase();
    let line = line.replace(['-', '_'], "");
    line.contains("allowheaders") || line.contains("allowedheaders")
}

fn is_list_name(name: &str) -> bool {
    matches!(
        name.to_ascii_lowercase().replace(['_', '-'], "").as_str(),
        "allowedheaders" | "allowheaders" | "accesscontrolallowheaders" | "withheaders"
    )
}

/// A list of allowed request headers that stops at the older ones.
pub(crate) fn allow_list(source: &Source, index: usize) -> Option<Ruling> {
    let old_only = is_allow_list(source, index) && !knows_method_header(source);
    if old_only && source.speaks() {
        FULL
    } else {
        None
    }
}

/// The transport of 2024-11-05.
pub(crate) fn sse_transport(source: &Source, index: usize) -> Option<Ruling> {
    let word = source.word(index);
    if source.is_text(index) {
        let endpoint_event = word.contains("event: endpoint");
        let before = index.checked_sub(2).map_or("", |at| source.word(at));
        let chosen =
            word == "sse" && matches!(before, "transport" | "type") && source.speaks_alone();
        let found = endpoint_event && source.speaks() || chosen && source.uses_sdk();
        return if found && source.role(index) != Role::Prose {
            WARNING
        } else {
            None
        };
    }
    plain(source, index).map(|_| Ruling::of(Severity::Warning))
}

/// A stream of events behind a proxy that may hold it back.
pub(crate) fn buffering(source: &Source, index: usize) -> Option<Ruling> {
    let proxied = source.has(Sign::Proxy) && !source.has(Sign::AccelBuffering);
    let config = source.place.language == Language::Shell && source.near(index, 6, &["mcp"]);
    (proxied && config).then_some(Ruling::of(Severity::Info))
}

/// A server of one's own that nobody keeps from other origins.
pub(crate) fn origin(source: &Source, index: usize) -> Option<Ruling> {
    if source.in_test(index) || !source.uses_sdk() || source.is_declared(index) {
        return None;
    }
    if source.word(index) == "enable_dns_rebinding_protection"
        || source.word(index) == "enableDnsRebindingProtection"
    {
        let value = source.word(source.value(index));
        return if matches!(value, "False" | "false") {
            WARNING
        } else {
            None
        };
    }
    let created = source.is_name(index.wrapping_sub(1), "new");
    if created && !source.has(Sign::Origin) {
        WARNING
    } else {
        None
    }
}

/// Clients that only know dynamic registration.
pub(crate) fn registration(source: &Source, index: usize) -> Option<Ruling> {
    let only =
        !source.has(Sign::ClientRegistration) && !source.in_test(index) && source.speaks_alone();
    // Servers announce and provide; clients call, or read the address from metadata.
    let receiver = source.receiver(index).to_ascii_lowercase();
    let provides = ["provider", "store", "self", "this"]
        .iter()
        .any(|word| receiver.ends_with(word));
    let assigned = source.is_mark(index + 1, b'=') && !source.is_mark(index + 2, b'=');
    let read = source.is_mark(index + 1, b'(') || !receiver.is_empty() && !assigned;
    if only && read && !provides && !source.is_key(index) && !source.is_declared(index) {
        WARNING
    } else {
        None
    }
}

/// A code that is traded for a token by hand.
pub(crate) fn issuer(source: &Source, index: usize) -> Option<Ruling> {
    let before = index.checked_sub(2).map_or("", |at| source.word(at));
    let second = source.call_around(index, 0);
    let exchanged = before == "grant_type"
        || matches!(second, "set" | "append") && source.near(index, 0, &["grant_type"]);
    let by_hand =
        exchanged && !source.has(Sign::Issuer) && !source.in_test(index) && source.speaks_alone();
    if by_hand { WARNING } else { None }
}
