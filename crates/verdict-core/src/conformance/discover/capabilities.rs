//! The capabilities as such: of the right types, under names that may be used.

use crate::check::Check;
use crate::context::Context;
use crate::record::Record;
use crate::refusal::served;
use crate::ruling::{Finding, Ruling};
use crate::shape;
use crate::wire::json::{cut, shortened};
use serde_json::{Map, Value};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("discover.capability-types", "Each declared capability is an object, and its flags are booleans")
        .spec("schema#ServerCapabilities")
        .why("Typed clients refuse the whole discover result for one capability of a wrong type.")
        .fix("Declare a capability as an object, {} where there is nothing to add, with listChanged and subscribe as booleans.")
        .official(&["wire-schema-valid"])
        .judge(types),
    Check::must("discover.extension-ids", "Each extension has a prefixed name and an object of settings")
        .spec("versioning#extension-negotiation")
        .why("Names without a prefix collide; settings of another type make typed clients refuse the discover result.")
        .fix("Name extensions like \"com.example/name\", after a domain of yours, and give {} where there are no settings.")
        .official(&["wire-schema-valid"])
        .judge(extension_ids),
    Check::advisory("discover.extension-reserved", "Extensions under reserved prefixes are official ones")
        .spec("basic#meta")
        .why("Prefixes whose second label is \"modelcontextprotocol\" or \"mcp\" belong to the protocol; a name of your own there may get another meaning.")
        .fix("Use a prefix of a domain of yours.")
        .judge(extension_reserved),
    Check::advisory("discover.client-capability-leak", "Capabilities of clients are not declared by the server")
        .spec("schema#ServerCapabilities")
        .why("elicitation, sampling and roots are things that clients can do; declared by a server they mean nothing.")
        .fix("Leave them out; look for them in the capabilities of each request instead.")
        .judge(client_leak),
];

/// The capabilities that the schema names.
const NAMED: [&str; 7] = [
    "tools",
    "resources",
    "prompts",
    "completions",
    "logging",
    "extensions",
    "experimental",
];
/// What clients declare.
const CLIENTS: [&str; 3] = ["elicitation", "sampling", "roots"];
/// Official extensions; new ones appear over time.
const OFFICIAL: [&str; 4] = [
    "io.modelcontextprotocol/tasks",
    "io.modelcontextprotocol/ui",
    "io.modelcontextprotocol/oauth-client-credentials",
    "io.modelcontextprotocol/enterprise-managed-authorization",
];

/// The discover exchange and the capabilities in it.
fn declared<'c>(cx: &Context<'c>) -> Result<(&'c Record, &'c Map<String, Value>), Ruling> {
    let record = served(cx, "era/discover")?;
    let capabilities = record
        .result()
        .and_then(|result| result.get("capabilities")?.as_object());
    match capabilities {
        Some(capabilities) => Ok((record, capabilities)),
        None => Err(Ruling::skip(
            "capabilities is not an object (discover.shape)",
        )),
    }
}

/// A member name as a step of a JSON Pointer.
fn step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn types(cx: &Context) -> Ruling {
    let (record, capabilities) = match declared(cx) {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let Some(result) = record.result() else {
        return Ruling::skip("no discover result");
    };
    let violations = shape::result("server/discover", result);
    let mut findings: Vec<Finding> =
        shape::owned_by(&violations, Some("discover.capability-types"))
            .map(|violation| {
                let place = violation.pointer.trim_start_matches("/result/");
                let note = if violation.actual == "array of 0 items" {
                    ", an empty object written as a list"
                } else {
                    ""
                };
                Finding::broken(format!(
                    "{} is {}{note}; expected {}",
                    place.replace('/', "."),
                    violation.actual,
                    violation.expected
                ))
                .seen_in(record)
                .at(&violation.pointer)
            })
            .collect();
    let odd = capabilities.iter().filter(|(name, value)| {
        !value.is_object() && !NAMED.contains(&name.as_str()) && !CLIENTS.contains(&name.as_str())
    });
    findings.extend(odd.map(|(name, value)| {
        Finding::noted(format!(
            "capabilities.{} is {}; the revision does not define this member",
            cut(name, 60),
            shortened(value, 60)
        ))
        .seen_in(record)
        .at(format!("/result/capabilities/{}", step(name)))
    }));
    Ruling::of(
        findings,
        format!("{} capabilities declared", capabilities.len()),
    )
}

/// The advertised extensions; none when there are none to speak of.
fn extensions(capabilities: &Map<String, Value>) -> Option<&Map<String, Value>> {
    capabilities.get("extensions")?.as_object()
}

fn extension_ids(cx: &Context) -> Ruling {
    let (record, capabilities) = match declared(cx) {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let Some(extensions) = extensions(capabilities) else {
        return Ruling::met("no extension is advertised");
    };
    let mut findings = Vec::new();
    for (id, settings) in extensions {
        let shown = cut(id, 120);
        let wrong = match parts(id) {
            None => Some("has no prefix; expected a name such as \"com.example/name\"".to_owned()),
            Some((prefix, name)) if !is_prefix(prefix) || !is_name(name) => Some(
                "breaks the naming rules of _meta keys; expected dot-separated labels, a slash and a name, such as \"com.example/name\""
                    .to_owned(),
            ),
            Some(_) if !settings.is_object() => Some(format!(
                "has settings {}; expected an object",
                shortened(settings, 60)
            )),
            Some(_) => None,
        };
        findings.extend(wrong.map(|wrong| {
            Finding::broken(format!("the extension `{shown}` {wrong}"))
                .seen_in(record)
                .at(format!("/result/capabilities/extensions/{}", step(id)))
        }));
    }
    Ruling::of(
        findings,
        format!("{} extensions advertised", extensions.len()),
    )
}

/// Prefix and name of a key; none without a prefix.
fn parts(key: &str) -> Option<(&str, &str)> {
    key.split_once('/').filter(|(prefix, _)| !prefix.is_empty())
}

/// Whether a prefix keeps the rules for `_meta` keys: labels of letters, digits and inner hyphens.
fn is_prefix(prefix: &str) -> bool {
    prefix.split('.').all(|label| {
        let bytes = label.as_bytes();
        let first = bytes.first().is_some_and(u8::is_ascii_alphabetic);
        let last = bytes.last().is_some_and(u8::is_ascii_alphanumeric);
        let inside = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
        first && last && bytes.iter().all(inside)
    })
}

/// Whether a name keeps the rules for `_meta` keys: alphanumeric ends, `-_.` inside; may be empty.
fn is_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let ends = [bytes.first(), bytes.last()];
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    ends.into_iter().flatten().all(u8::is_ascii_alphanumeric) && bytes.iter().all(inside)
}

/// Whether the second label of a prefix makes it one of the protocol's own.
fn is_reserved(prefix: &str) -> bool {
    matches!(
        prefix.split('.').nth(1),
        Some("modelcontextprotocol" | "mcp")
    )
}

fn extension_reserved(cx: &Context) -> Ruling {
    let (record, capabilities) = match declared(cx) {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let Some(extensions) = extensions(capabilities) else {
        return Ruling::met("no extension is advertised");
    };
    let unknown = extensions.keys().filter(|id| {
        parts(id).is_some_and(|(prefix, _)| is_reserved(prefix)) && !OFFICIAL.contains(&id.as_str())
    });
    let findings = unknown.map(|id| {
        Finding::noted(format!(
            "the extension `{}` has a prefix that is reserved for the protocol, and is no official one known here",
            cut(id, 120)
        ))
        .seen_in(record)
        .at(format!("/result/capabilities/extensions/{}", step(id)))
    });
    Ruling::of(
        findings.collect(),
        format!("{} extensions advertised", extensions.len()),
    )
}

fn client_leak(cx: &Context) -> Ruling {
    let (record, capabilities) = match declared(cx) {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let leaked = CLIENTS
        .into_iter()
        .filter(|name| capabilities.contains_key(*name));
    let findings = leaked.map(|name| {
        Finding::noted(format!("capabilities.{name} is a capability of clients"))
            .seen_in(record)
            .at(format!("/result/capabilities/{name}"))
    });
    Ruling::of(findings.collect(), "none of them is declared")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_extensions() {
        let good =
            |id: &str| parts(id).is_some_and(|(prefix, name)| is_prefix(prefix) && is_name(name));
        for id in [
            "com.example/name",
            "io.modelcontextprotocol/tasks",
            "a-b.c9/x_y.z",
            "x/",
        ] {
            assert!(good(id), "{id}");
        }
        for id in [
            "name", "/name", "9a.b/x", "a-.b/x", "a..b/x", "a.b/-x", "a.b/x y", "a.b/c/d", "",
            "ä.b/x",
        ] {
            assert!(!good(id), "{id}");
        }
    }

    #[test]
    fn only_the_second_label_reserves_a_prefix() {
        for prefix in [
            "io.modelcontextprotocol",
            "dev.mcp",
            "org.modelcontextprotocol.api",
        ] {
            assert!(is_reserved(prefix), "{prefix}");
        }
        for prefix in ["com.example.mcp", "mcp", "modelcontextprotocol"] {
            assert!(!is_reserved(prefix), "{prefix}");
        }
    }
}
