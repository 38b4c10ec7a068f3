//! What a tool does to the world, as far as its hints and its name tell.

use crate::tool::Tool;
use serde_json::Value;

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nature {
    /// It only looks.
    Reads,
    /// It changes something; twice is no more than once.
    ActsOnce,
    /// It changes something each time.
    Acts,
    /// Nobody says, and the name does not tell.
    Unknown,
}

impl Nature {
    /// Whether it changes something, for all that is known.
    pub(super) fn acts(self) -> bool {
        matches!(self, Self::Acts | Self::ActsOnce)
    }
}

/// First words of names whose tools only look.
const LOOKING: &[&str] = &[
    "get",
    "list",
    "search",
    "find",
    "read",
    "fetch",
    "look",
    "lookup",
    "query",
    "show",
    "check",
    "describe",
    "count",
    "browse",
    "view",
    "inspect",
    "compare",
    "calculate",
    "compute",
    "convert",
    "estimate",
    "forecast",
    "translate",
    "summarize",
    "validate",
    "verify",
    "preview",
    "retrieve",
    "track",
    "is",
    "has",
];

/// First words of names whose tools do something, and do it again when called again.
const ACTING: &[&str] = &[
    "send", "create", "add", "pay", "transfer", "book", "order", "buy", "purchase", "charge",
    "refund", "post", "publish", "submit", "reserve", "schedule", "insert", "append", "upload",
    "invite", "reply", "forward", "notify", "issue", "place", "make", "start", "trigger", "run",
    "file", "register", "transact", "withdraw", "deposit", "message", "email",
];

/// First words of names whose tools do something that is done when it is done.
const SETTLING: &[&str] = &[
    "delete", "remove", "cancel", "update", "set", "rename", "move", "archive", "close", "mark",
    "enable", "disable", "lock", "unlock", "approve", "reject", "edit", "change", "replace",
    "assign", "revoke", "stop",
];

/// What a tool does. Its hints go before its name; a name tells by its first word, or by its last where the first is none
/// that is known (`calendar_create`).
pub(super) fn nature(tool: &Tool) -> Nature {
    if tool.claims_read_only() {
        return Nature::Reads;
    }
    let hint = |key: &str| tool.0.get("annotations")?.get(key)?.as_bool();
    let named = by_name(tool.name());
    // `false` said aloud is a claim of its own; an absent hint is none.
    let says_it_acts = hint("readOnlyHint") == Some(false) || tool.claims_destructive();
    if tool.claims_idempotent() {
        return if says_it_acts || named.acts() {
            Nature::ActsOnce
        } else {
            named
        };
    }
    match named {
        Nature::Unknown | Nature::Reads if says_it_acts => Nature::Acts,
        Nature::ActsOnce if hint("idempotentHint") == Some(false) => Nature::Acts,
        named => named,
    }
}

fn by_name(name: &str) -> Nature {
    let words = words(name);
    let known = |word: &String| {
        let is_in = |list: &[&str]| list.contains(&word.as_str());
        if is_in(LOOKING) {
            Some(Nature::Reads)
        } else if is_in(ACTING) {
            Some(Nature::Acts)
        } else if is_in(SETTLING) {
            Some(Nature::ActsOnce)
        } else {
            None
        }
    };
    let first = words.first().and_then(known);
    let rest = || words.iter().skip(1).rev().find_map(known);
    first.or_else(rest).unwrap_or(Nature::Unknown)
}

/// The words of a name: `createInvoice`, `create_invoice` and `billing.create-invoice` alike.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        let is_new = !letter.is_alphanumeric() || (was_small && letter.is_uppercase());
        if is_new && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        was_small = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether an argument of this name makes a second call harmless: the server knows it again.
pub(super) fn is_idempotency_key(name: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    plain.to_ascii_lowercase().contains("idempot")
}

/// Arguments without what only marks the call.
pub(super) fn without_keys(
    arguments: &serde_json::Map<String, Value>,
) -> serde_json::Map<String, Value> {
    let kept = arguments
        .iter()
        .filter(|(name, _)| !is_idempotency_key(name));
    kept.map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(name: &str, annotations: &Value) -> Nature {
        match json!({"name": name, "annotations": annotations}) {
            Value::Object(map) => nature(&Tool(map)),
            _ => Nature::Unknown,
        }
    }

    #[test]
    fn hints_go_before_names() {
        let none = json!({});
        for (name, hints, expected) in [
            ("get_weather", &none, Nature::Reads),
            ("createInvoice", &none, Nature::Acts),
            ("calendar.delete-event", &none, Nature::ActsOnce),
            ("weather", &none, Nature::Unknown),
            ("weather", &json!({"readOnlyHint": true}), Nature::Reads),
            ("send_mail", &json!({"readOnlyHint": true}), Nature::Reads),
            ("ledger", &json!({"readOnlyHint": false}), Nature::Acts),
            ("pay", &json!({"idempotentHint": true}), Nature::ActsOnce),
            (
                "find_and_bill",
                &json!({"destructiveHint": true}),
                Nature::Acts,
            ),
            ("get_token", &json!({"idempotentHint": true}), Nature::Reads),
        ] {
            assert_eq!(of(name, hints), expected, "{name} {hints}");
        }
        assert!(is_idempotency_key("Idempotency-Key") && !is_idempotency_key("key"));
    }
}
