//! Judges of results and schemas.

use super::{FULL, Ruling, WARNING};
use crate::evidence::Sign;
use crate::lex::Kind;
use crate::pattern::Severity;
use crate::source::Source;

/// The tokens of a wire-level result: `result` beside `jsonrpc`, written out as an object.
///
/// Nothing where it is spread, merged or only named, and for the result of a handshake, which older
/// servers send on purpose.
fn wire_result(source: &Source, index: usize) -> Option<(usize, Vec<usize>)> {
    let (open, keys) = message(source, index)?;
    let key = keys.iter().find(|key| source.word(**key) == "result")?;
    let value = source.value(*key);
    let object = source.is_mark(value, b'{').then_some(value)?;
    let end = source.partner(object)?;
    if source.partner(open).is_none() || is_open_ended(source, object, end) {
        return None;
    }
    // A part of an answer is compared with: a member more does no harm.
    let partial = matches!(
        source.call_around(index, 3),
        "toMatchObject" | "objectContaining" | "arrayContaining" | "toContainEqual"
    );
    if partial {
        return None;
    }
    let members = source.keys(object);
    let handshake = members.iter().any(|key| {
        matches!(
            source.word(*key),
            "protocolVersion" | "protocol_version" | "serverInfo"
        )
    });
    (!handshake && source.speaks_alone()).then_some((*key, members))
}

/// The object or argument list that holds the member `jsonrpc`, and its keys.
fn message(source: &Source, index: usize) -> Option<(usize, Vec<usize>)> {
    let value = source.value(index);
    let version = source.kind(value) == Some(Kind::Text) && source.word(value) == "2.0"
        || source.kind(value) == Some(Kind::Name)
            && source.word(value).to_ascii_uppercase().contains("JSONRPC");
    let open = source.opener(index)?;
    version.then(|| (open, source.keys(open)))
}

/// Whether an object takes members from elsewhere, or is a type.
fn is_open_ended(source: &Source, open: usize, end: usize) -> bool {
    (open + 1..end.min(open + 200)).any(|at| {
        source.opener(at) == Some(open)
            && (source.is_mark(at, b'.') && source.is_mark(at + 1, b'.')
                || source.is_mark(at, b'*') && source.is_mark(at + 1, b'*')
                || source.is_mark(at, b';')
                // Shorthand members and computed keys: `{ tools, nextCursor }`, `{ [key]: x }`.
                || source.is_mark(at, b'[') && (source.is_mark(at - 1, b'{') || source.is_mark(at - 1, b',')))
    })
}

/// A result without `resultType`.
pub(crate) fn result_type(source: &Source, index: usize) -> Option<Ruling> {
    let (_, members) = wire_result(source, index)?;
    let named = members
        .iter()
        .any(|key| matches!(source.word(*key), "resultType" | "result_type"));
    if named { None } else { FULL }
}

/// A list, a read or a discovery without cache hints.
pub(crate) fn cache_hints(source: &Source, index: usize) -> Option<Ruling> {
    let (_, members) = wire_result(source, index)?;
    let has = |words: &[&str]| members.iter().any(|key| words.contains(&source.word(*key)));
    let cacheable = has(&[
        "tools",
        "resources",
        "resourceTemplates",
        "prompts",
        "contents",
        "supportedVersions",
    ]);
    let hinted = has(&["ttlMs", "ttl_ms"]) && has(&["cacheScope", "cache_scope"]);
    if cacheable && !hinted && !has(&["inputRequests"]) {
        FULL
    } else {
        None
    }
}

/// A raw client that takes `content` for granted.
pub(crate) fn result_read(source: &Source, index: usize) -> Option<Ruling> {
    let before = index.checked_sub(1)?;
    let from_result = if source.is_mark(before, b'.') {
        // `message.result.content`: an SDK's result is a value of its own.
        source.receiver(index) == "result" && source.is_mark(index.saturating_sub(3), b'.')
    } else {
        // `message["result"]["content"]`
        source.is_text(index)
            && source.is_mark(before, b'[')
            && source.is_mark(before.saturating_sub(1), b']')
            && source.word(before.saturating_sub(2)) == "result"
    };
    let raw = from_result && !source.has(Sign::ResultType) && source.speaks_alone();
    if raw { WARNING } else { None }
}

/// A type of `inputSchema` that has room for three members only.
pub(crate) fn narrow_schema(source: &Source, index: usize) -> Option<Ruling> {
    let open = source.value(index);
    if !source.is_mark(open, b'{') || !source.speaks_alone() {
        return None;
    }
    let end = source.partner(open)?.min(open + 120);
    let is_type = (open..end).any(|at| source.is_mark(at, b';') && source.opener(at) == Some(open));
    let keys: Vec<&str> = source
        .keys(open)
        .iter()
        .map(|key| source.word(*key))
        .collect();
    let narrow = keys.contains(&"type")
        && keys
            .iter()
            .all(|key| matches!(*key, "type" | "properties" | "required"));
    let indexed = (open..end).any(|at| {
        source.is_mark(at, b'[') && source.opener(at) == Some(open) && source.is_mark(at - 1, b';')
    });
    if is_type && narrow && !indexed {
        WARNING
    } else {
        None
    }
}

/// A type of `structuredContent` that takes objects only.
pub(crate) fn narrow_content(source: &Source, index: usize) -> Option<Ruling> {
    if !source.speaks_alone() {
        return None;
    }
    let typed = source.is_key(index) || source.kind(index + 1) == Some(Kind::Name);
    let from = if source.is_key(index) {
        source.value(index)
    } else {
        index + 1
    };
    let line = source.line(index);
    let words: Vec<&str> = (from..from + 10)
        .take_while(|at| source.line(*at) == line)
        .map(|at| source.word(at))
        .collect();
    let starts = words.first().copied().unwrap_or_default();
    // `dict[str, Any] | Any`, and in Go a value instead of a field's type.
    let wider = source.line_text(line).contains("| Any") || starts == "map" && source.is_key(index);
    let object = !wider
        && match starts {
            "Record" => words.get(1) == Some(&"<"),
            "z" => words.get(2) == Some(&"record"),
            "Optional" => matches!(words.get(2), Some(&"dict" | &"Dict")),
            "dict" | "Dict" | "map" | "{" => words.get(1) == Some(&"["),
            "Option" => matches!(words.get(2), Some(&"JsonObject" | &"Map")),
            _ => false,
        };
    if typed && object { WARNING } else { None }
}

/// Schemas of an older draft, where tools are described.
pub(crate) fn old_dialect(source: &Source, index: usize) -> Option<Ruling> {
    if source.word(index) == "items" {
        return undeclared_tuple(source, index);
    }
    let of_tool = source.speaks_alone() && !source.in_import(index);
    let keyed = index >= 2 && source.word(index - 2).ends_with("$schema");
    (of_tool
        && keyed
        && source.near(
            index,
            6,
            &[
                "inputschema",
                "outputschema",
                "input_schema",
                "output_schema",
            ],
        ))
    .then_some(Ruling::of(Severity::Info))
}

/// `items: [ … ]` within a tool's schema that names no draft: 2020-12 has `prefixItems` for it.
fn undeclared_tuple(source: &Source, index: usize) -> Option<Ruling> {
    let list = source.is_mark(source.value(index), b'[');
    if !list || source.has(Sign::Dialect) || !source.speaks_alone() {
        return None;
    }
    let mut at = index;
    for _ in 0..8 {
        let open = source.opener(at)?;
        let key = open.checked_sub(2).map_or("", |at| source.word(at));
        if matches!(
            key,
            "inputSchema" | "outputSchema" | "input_schema" | "output_schema"
        ) {
            return FULL;
        }
        at = open;
    }
    None
}

/// A `$ref` to another place, or a validator that loads schemas.
pub(crate) fn network_reference(source: &Source, index: usize) -> Option<Ruling> {
    if !source.speaks_alone() {
        return None;
    }
    if source.word(index) != "$ref" {
        return plain_key(source, index);
    }
    let target = source.word(source.value(index));
    let remote = target.starts_with("http://") || target.starts_with("https://");
    // With an `$id` in the file the address may be answered within the document.
    let embedded = source.has(Sign::Id);
    // A test that such a reference is refused has it right.
    let refused = source.in_test(index)
        && source.near(
            index,
            12,
            &[
                "reject", "throw", "raises", "refuse", "err(", "external", "remote", "network",
            ],
        );
    if remote && !embedded && !refused {
        FULL
    } else {
        None
    }
}

fn plain_key(source: &Source, index: usize) -> Option<Ruling> {
    (source.kind(index) == Some(Kind::Name)).then_some(Ruling::of(Severity::Error))
}

/// `enumNames` as a key.
pub(crate) fn enum_names(source: &Source, _: usize) -> Option<Ruling> {
    source.speaks_alone().then_some(Ruling::of(Severity::Info))
}
