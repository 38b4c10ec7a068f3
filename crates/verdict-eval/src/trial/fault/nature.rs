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
    "status",
    "info",
    "details",
    "history",
    "return",
    "display",
    "provide",
];

/// First words of names whose tools do something, and do it again when called again.
const ACTING: &[&str] = &[
    "send", "create", "add", "pay", "transfer", "book", "order", "buy", "purchase", "charge",
    "refund", "post", "publish", "submit", "reserve", "schedule", "insert", "append", "upload",
    "invite", "reply", "forward", "notify", "issue", "place", "make", "start", "trigger", "run",
    "file", "register", "transact", "withdraw", "deposit", "message", "email",
];

/// Verbs that are names of things as often.
const NOUNS: &[&str] = &[
    "order", "post", "file", "issue", "message", "email", "charge", "book", "run", "start",
    "place", "make", "set", "change", "transfer", "forward", "archive", "schedule",
];

/// First words of names whose tools do something that is done when it is done.
const SETTLING: &[&str] = &[
    "delete", "remove", "cancel", "update", "set", "rename", "move", "archive", "close", "mark",
    "enable", "disable", "lock", "unlock", "approve", "reject", "edit", "change", "replace",
    "assign", "revoke", "stop", "write", "put", "save", "upsert", "merge", "push",
];

/// What a tool does. Its hints go before its name; a name tells by its first word, or by its last where the first is none
/// that is known (`calendar_create`).
pub(super) fn nature(tool: &Tool) -> Nature {
    if tool.claims_read_only() {
        return Nature::Reads;
    }
    let hint = |key: &str| tool.0.get("annotations")?.get(key)?.as_bool();
    let named = by_words(tool);
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

/// By the verbs of the name, else by the first word of the description (`Sends a mail`).
fn by_words(tool: &Tool) -> Nature {
    let words = name_words(tool.name());
    let described = || {
        let first = tool
            .description()?
            .split_whitespace()
            .next()?
            .to_lowercase();
        let bare = first.trim_matches(|it: char| !it.is_alphanumeric());
        verb(bare)
            .or_else(|| verb(bare.strip_suffix('s')?))
            .or_else(|| verb(bare.strip_suffix("es")?))
    };
    let is_noun = |word: &String| NOUNS.contains(&word.as_str());
    let Some((first, rest)) = words.split_first() else {
        return Nature::Unknown;
    };
    let rest = || {
        rest.iter()
            .rev()
            .filter(|it| !is_noun(it))
            .find_map(|it| verb(it))
    };
    let found = if is_noun(first) {
        // `order_status` and `file_search` look, `order_pizza` does: the other words tell, or what is said about it.
        let is_described = tool.description().is_some();
        rest()
            .or_else(described)
            .or_else(|| verb(first).filter(|_| !is_described))
    } else {
        verb(first).or_else(rest).or_else(described)
    };
    found.unwrap_or(Nature::Unknown)
}

fn verb(word: &str) -> Option<Nature> {
    if LOOKING.contains(&word) {
        Some(Nature::Reads)
    } else if ACTING.contains(&word) {
        Some(Nature::Acts)
    } else if SETTLING.contains(&word) {
        Some(Nature::ActsOnce)
    } else {
        None
    }
}

/// The words of a name: `createInvoice`, `create_invoice` and `billing.create-invoice` alike.
pub(super) fn name_words(name: &str) -> Vec<String> {
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
            ("order_status", &none, Nature::Reads),
            ("order_pizza", &none, Nature::Acts),
            ("file_search", &none, Nature::Reads),
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
        let described = |text: &str| match json!({"name": "issue_board", "description": text}) {
            Value::Object(map) => nature(&Tool(map)),
            _ => Nature::Unknown,
        };
        assert_eq!(described("Creates a board."), Nature::Acts);
        assert_eq!(described("Board of issues."), Nature::Unknown);
        assert!(is_idempotency_key("Idempotency-Key") && !is_idempotency_key("key"));
    }
}
