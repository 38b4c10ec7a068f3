//! References inside one schema. Nothing is ever fetched.

use serde_json::Value;
use std::collections::BTreeMap;

/// Where a reference leads.
pub(super) enum Target<'a> {
    /// To a subschema of the same document.
    Here(&'a Value),
    /// Out of the document.
    Elsewhere,
    /// Nowhere.
    Nowhere,
    /// Back to itself, with nothing in between.
    Itself,
}

/// Follows a reference, through references that hold nothing else.
pub(super) fn follow<'a>(root: &'a Value, reference: &str) -> Target<'a> {
    let mut seen = vec![reference.to_owned()];
    loop {
        let last = seen.last().map(String::as_str).unwrap_or_default();
        let Some(fragment) = last.strip_prefix('#') else {
            return Target::Elsewhere;
        };
        let Some(found) = find(root, fragment) else {
            return Target::Nowhere;
        };
        let next = match found {
            Value::Object(members) if members.len() == 1 => members.get("$ref"),
            _ => None,
        };
        let Some(Value::String(next)) = next else {
            return Target::Here(found);
        };
        if seen.contains(next) || seen.len() > super::DEPTH {
            return Target::Itself;
        }
        seen.push(next.clone());
    }
}

fn find<'a>(root: &'a Value, fragment: &str) -> Option<&'a Value> {
    if fragment.is_empty() || fragment.starts_with('/') {
        let pointer = percent_decoded(fragment);
        return root
            .pointer(&pointer)
            .filter(|value| value.is_object() || value.is_boolean());
    }
    let definitions = ["$defs", "definitions"]
        .iter()
        .filter_map(|key| root.get(key)?.as_object());
    definitions
        .flat_map(|members| members.values())
        .find(|value| value.get("$anchor").and_then(Value::as_str) == Some(fragment))
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = text.get(at + 1..at + 3).filter(|_| byte == b'%');
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        out.push(code.unwrap_or(byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A reference whose steps through `properties` have the names that are sent.
pub(super) fn renamed(reference: &str, keys: &BTreeMap<String, String>) -> String {
    let Some(pointer) = reference.strip_prefix('#').filter(|_| !keys.is_empty()) else {
        return reference.to_owned();
    };
    let mut after_properties = false;
    let steps: Vec<String> = percent_decoded(pointer)
        .split('/')
        .map(|step| {
            let own = step.replace("~1", "/").replace("~0", "~");
            let sent = keys.get(&own).filter(|_| after_properties);
            after_properties = !after_properties && own == "properties";
            sent.cloned().unwrap_or_else(|| step.to_owned())
        })
        .collect();
    format!("#{}", steps.join("/"))
}
