//! The names of `_meta` keys that the server sends: their grammar, and the ones that are reserved.

use super::places::{self, Place};
use crate::check::Check;
use crate::context::Context;
use crate::ruling::{Finding, Ruling};
use crate::wire::json::cut;
use std::collections::BTreeMap;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("meta.key-grammar", "The _meta keys that the server sends follow the grammar of key names")
        .spec("basic#meta")
        .why("Strict clients refuse a message whose keys break the grammar, and keys outside of it may collide with others.")
        .fix("Name keys as an optional prefix of labels with dots and a slash, then a name of letters, digits, dots, hyphens and underscores that begins and ends with a letter or digit.")
        .judge(grammar),
    Check::advisory("meta.reserved-keys", "The _meta keys under a reserved prefix are ones that the specification defines")
        .spec("basic#meta")
        .why("A key under a reserved prefix may get a meaning in a later revision that is not yours.")
        .fix("Move keys of your own to a prefix of your own, such as com.example/.")
        .judge(reserved),
];

/// The first place of each key, at most this many.
const MAX_KEYS: usize = 1_000;

/// All keys, each with the first place it was seen at.
fn keys<'c>(places: &'c [Place<'c>]) -> BTreeMap<&'c str, &'c Place<'c>> {
    let mut keys = BTreeMap::new();
    for place in places {
        for key in place.members.keys() {
            if keys.len() < MAX_KEYS {
                keys.entry(key.as_str()).or_insert(place);
            }
        }
    }
    keys
}

fn grammar(cx: &Context) -> Ruling {
    let places = places::all(cx);
    if places.is_empty() {
        return Ruling::not_applicable("the server sent no _meta");
    }
    let keys = keys(&places);
    let findings = keys.iter().filter_map(|(key, place)| {
        let why = fault(key)?;
        let message = format!("the _meta key `{}` {why}", cut(key, 120));
        Some(at(Finding::broken(message), key, place))
    });
    Ruling::of(
        findings.collect(),
        format!("{} different keys, all well formed", keys.len()),
    )
}

fn reserved(cx: &Context) -> Ruling {
    let places = places::all(cx);
    if places.is_empty() {
        return Ruling::not_applicable("the server sent no _meta");
    }
    let keys = keys(&places);
    let findings = keys.iter().filter_map(|(key, place)| {
        if !is_reserved(key) || is_known(cx, key) {
            return None;
        }
        let message = format!(
            "the _meta key `{}` is under a prefix reserved for MCP, but neither this revision nor an advertised extension defines it",
            cut(key, 120)
        );
        Some(at(Finding::noted(message), key, place))
    });
    Ruling::of(findings.collect(), "no unknown key under a reserved prefix")
}

fn at(finding: Finding, key: &str, place: &Place) -> Finding {
    let step = key.replace('~', "~0").replace('/', "~1");
    finding
        .seen_in(place.record)
        .at(format!("{}/{step}", place.pointer))
}

/// How a key breaks the grammar, in words that fit after its name.
fn fault(key: &str) -> Option<&'static str> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if let Some(prefix) = prefix {
        for label in prefix.split('.') {
            let bytes = label.as_bytes();
            let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
                return Some("has an empty label in its prefix");
            };
            if !first.is_ascii_alphabetic() {
                return Some("has a label in its prefix that does not begin with a letter");
            }
            if !last.is_ascii_alphanumeric() {
                return Some("has a label in its prefix that does not end with a letter or digit");
            }
            if !bytes
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
            {
                return Some(
                    "has a label in its prefix with something else than letters, digits and hyphens",
                );
            }
        }
    }
    let bytes = name.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return None;
    };
    if name.contains('/') {
        return Some("has more than one slash");
    }
    if !first.is_ascii_alphanumeric() || !last.is_ascii_alphanumeric() {
        return Some("has a name that does not begin and end with a letter or digit");
    }
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    (!bytes.iter().all(allowed)).then_some(
        "has a name with something else than letters, digits, hyphens, underscores and dots",
    )
}

/// Whether the second label of the prefix is one that MCP keeps for itself.
fn is_reserved(key: &str) -> bool {
    let label = key
        .split_once('/')
        .and_then(|(prefix, _)| prefix.split('.').nth(1));
    matches!(label, Some("modelcontextprotocol" | "mcp"))
}

/// Keys of the core, by the revision's table.
const CORE: &[&str] = &[
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/logLevel",
    "io.modelcontextprotocol/serverInfo",
    "io.modelcontextprotocol/subscriptionId",
];

/// Keys of official extensions, beside the extension's own name.
const EXTENSIONS: &[(&str, &[&str])] = &[
    (
        "io.modelcontextprotocol/tasks",
        &["io.modelcontextprotocol/related-task"],
    ),
    ("io.modelcontextprotocol/ui", &[]),
];

fn is_known(cx: &Context, key: &str) -> bool {
    let extension = EXTENSIONS
        .iter()
        .any(|(name, keys)| keys.contains(&key) && cx.facts.advertises(name));
    CORE.contains(&key) || extension || cx.facts.advertises(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_every_kind() {
        for good in [
            "progressToken",
            "a",
            "",
            "com.example/",
            "com.example/x",
            "io.modelcontextprotocol/serverInfo",
            "x-1.a/b_c.d-e",
            "ui",
            "example/a",
        ] {
            assert_eq!(fault(good), None, "{good}");
        }
        for bad in [
            "_fastmcp", "/x", "a./b", ".a/b", "1a/b", "a-/b", "a_b/c", "a/b/c", "a/-b", "a b", "é",
            "a/b.",
        ] {
            assert!(fault(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn the_second_label_reserves() {
        assert!(is_reserved("io.modelcontextprotocol/x"));
        assert!(is_reserved("com.mcp.tools/x"));
        assert!(!is_reserved("com.example.mcp/x"));
        assert!(!is_reserved("mcp/x"));
        assert!(!is_reserved("modelcontextprotocol"));
    }

    #[test]
    fn look_alikes_in_data_are_left_alone() {
        use crate::testing::{altered, word};
        use serde_json::json;
        let server = verdict_fixture::Server::correct();
        let tool = |meta: serde_json::Value| {
            json!({"result": {"tools": [{"name": "x", "_meta": meta,
                "inputSchema": {"type": "object", "default": {"_meta": {"-": 1}}}}]}})
        };
        for (id, meta, due) in [
            ("meta.key-grammar", json!({"a": {"_b": 1}}), "met"),
            ("meta.key-grammar", json!({"_b": 1}), "broken"),
            (
                "meta.reserved-keys",
                json!({"io.modelcontextprotocol/odd": 1}),
                "noted",
            ),
            ("meta.reserved-keys", json!({"com.example/odd": 1}), "met"),
        ] {
            let ruling = altered(id, &server, true, &[("survey.tools/1", 200, tool(meta))]);
            assert_eq!(word(&ruling), due, "{id}: {ruling:?}");
        }
    }
}
