//! Validity in the declared dialect (page `basic`, "Schema validation"): rows `schema.input-valid`
//! and `schema.output-valid`.
//!
//! A meta-schema describes each keyword on its own, so a schema is valid exactly if every keyword of
//! every subschema has the shape that the table in `keyword.rs` gives it. Judging by the table
//! instead of running a validator over the meta-schema keeps the work linear and the stack flat,
//! costs no build, and can name the place.

use crate::defect::{Kind, Role, Weight};
use crate::describe::{quote, value as words};
use crate::dialect::Dialect;
use crate::examine::Findings;
use crate::keyword::{Shape, shape};
use crate::walk::Plan;
use serde_json::Value;
use std::collections::BTreeSet;

const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// A value that has not the shape its keyword asks for.
struct Fault {
    /// The member or entry at fault, if it is not the value itself.
    within: Option<String>,
    message: String,
}

/// Reports every place where the schema does not match its meta-schema.
pub(crate) fn check(plan: &Plan<'_>, role: Role, findings: &mut Findings<'_>) {
    let kind = match role {
        Role::Input => Kind::InputValid,
        Role::Output => Kind::OutputValid,
    };
    faults(plan, &mut |at, keyword, fault| {
        // Other rows own these two.
        let owned = match keyword {
            Some("$schema") => true,
            Some("type") => role == Role::Input,
            _ => false,
        };
        if !(owned && at == 0) {
            let suffix: Vec<&str> = keyword.into_iter().chain(fault.within.as_deref()).collect();
            findings.add(kind, Weight::Broken, plan, at, &suffix, || {
                fault.message.clone()
            });
        }
    });
}

/// The first place where the schema does not match its meta-schema, in words.
pub(crate) fn first_fault(plan: &Plan<'_>) -> Option<String> {
    let mut first = None;
    faults(plan, &mut |at, keyword, fault| {
        if first.is_none() {
            let mut place = plan.pointer(at);
            for token in keyword.into_iter().chain(fault.within.as_deref()) {
                crate::describe::push_pointer(&mut place, token);
            }
            first = Some(format!("{place}: {}", fault.message));
        }
    });
    first
}

fn faults(plan: &Plan<'_>, report: &mut dyn FnMut(usize, Option<&str>, &Fault)) {
    for (at, position) in plan
        .positions
        .iter()
        .enumerate()
        .filter(|(_, it)| it.judged)
    {
        let dialect = position.dialect;
        let Value::Object(members) = position.value else {
            if let Some(message) = not_a_schema(dialect, position.value) {
                report(
                    at,
                    None,
                    &Fault {
                        within: None,
                        message,
                    },
                );
            }
            continue;
        };
        for (keyword, value) in members {
            let fault = shape(dialect, keyword).and_then(|shape| fault(shape, value));
            if let Some(fault) = fault {
                report(at, Some(keyword), &fault);
            }
        }
        if dialect == Dialect::Draft4 {
            for (keyword, needs) in [
                ("exclusiveMinimum", "minimum"),
                ("exclusiveMaximum", "maximum"),
            ] {
                if members.contains_key(keyword) && !members.contains_key(needs) {
                    let message = format!("expected `{needs}` beside it, found none");
                    report(
                        at,
                        Some(keyword),
                        &Fault {
                            within: None,
                            message,
                        },
                    );
                }
            }
        }
    }
}

fn not_a_schema(dialect: Dialect, value: &Value) -> Option<String> {
    match value {
        Value::Object(_) => None,
        Value::Bool(_) if dialect > Dialect::Draft4 => None,
        Value::Bool(flag) => Some(format!(
            "expected a schema, found {flag}: draft-04 has no boolean schemas"
        )),
        other => Some(format!("expected a schema, found {}", words(other))),
    }
}

fn fault(shape: Shape, value: &Value) -> Option<Fault> {
    let number = value.as_f64();
    let (fits, expected) = match shape {
        Shape::Any | Shape::Schema => (true, ""),
        Shape::SchemaOrFlag => (
            value.is_boolean() || value.is_object(),
            "a schema or a boolean",
        ),
        Shape::Text => (value.is_string(), "a string"),
        Shape::BareReference => (
            value.as_str().is_some_and(is_bare),
            "a URI reference without a fragment",
        ),
        Shape::Name { colon } => (
            value.as_str().is_some_and(|it| is_name(it, colon)),
            "a plain name (letters, digits, `-`, `_`, `.`)",
        ),
        Shape::Flag => (value.is_boolean(), "a boolean"),
        Shape::Number => (value.is_number(), "a number"),
        Shape::Positive => (number.is_some_and(|it| it > 0.0), "a number above 0"),
        Shape::Count { point } => (is_count(value, point), "an integer from 0"),
        Shape::List => (value.is_array(), "an array"),
        Shape::Schemas => {
            let fits = value.as_array().is_some_and(|it| !it.is_empty());
            (fits, "a non-empty array of schemas")
        }
        Shape::SchemaMap => (value.is_object(), "an object of schemas"),
        Shape::SchemaOrSchemas => {
            let fits = value.as_array().is_none_or(|it| !it.is_empty());
            (fits, "a schema or a non-empty array of schemas")
        }
        Shape::Types => return types(value),
        Shape::Texts { at_least_one } => return texts(value, at_least_one, None),
        Shape::TextsMap | Shape::FlagMap | Shape::Dependencies { .. } => return map(shape, value),
    };
    (!fits).then(|| whole(expected, value))
}

/// Keywords whose value is an object of something else than schemas.
fn map(shape: Shape, value: &Value) -> Option<Fault> {
    let Value::Object(members) = value else {
        let expected = match shape {
            Shape::TextsMap => "an object of arrays of strings",
            Shape::FlagMap => "an object of booleans",
            _ => "an object of schemas and arrays of strings",
        };
        return Some(whole(expected, value));
    };
    members.iter().find_map(|(key, entry)| match shape {
        Shape::TextsMap => texts(entry, false, Some(key)),
        Shape::Dependencies { at_least_one } if entry.is_array() => {
            texts(entry, at_least_one, Some(key))
        }
        Shape::FlagMap if !entry.is_boolean() => Some(within(key.clone(), "a boolean", entry)),
        _ => None,
    })
}

fn whole(expected: &str, found: &Value) -> Fault {
    Fault {
        within: None,
        message: format!("expected {expected}, found {}", words(found)),
    }
}

fn within(token: String, expected: &str, found: &Value) -> Fault {
    Fault {
        within: Some(token),
        ..whole(expected, found)
    }
}

fn is_bare(text: &str) -> bool {
    text.find('#').is_none_or(|at| at + 1 == text.len())
}

fn is_name(text: &str, colon: bool) -> bool {
    let mut bytes = text.bytes();
    let first = |byte: u8| byte.is_ascii_alphabetic() || (byte == b'_' && !colon);
    let later = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'-' | b'.' | b'_')
            || (byte == b':' && colon)
    };
    bytes.next().is_some_and(first) && bytes.all(later)
}

fn is_count(value: &Value, point: bool) -> bool {
    // Integers beyond 64 bits are read as doubles, so how they were written is lost.
    const BEYOND: f64 = 18_446_744_073_709_551_616.0;
    value.is_u64()
        || value.as_f64().is_some_and(|number| {
            number >= 0.0 && number.fract() == 0.0 && (point || number >= BEYOND)
        })
}

/// An array of unique strings; `key` is the member that holds it, if the keyword's value does not.
fn texts(value: &Value, at_least_one: bool, key: Option<&str>) -> Option<Fault> {
    let at = |mut fault: Fault| {
        if let Some(key) = key {
            fault.within = Some(key.to_owned());
        }
        Some(fault)
    };
    let Value::Array(entries) = value else {
        return at(whole("an array of strings", value));
    };
    if at_least_one && entries.is_empty() {
        return at(whole("at least one string", value));
    }
    let mut seen = BTreeSet::new();
    for (index, entry) in entries.iter().enumerate() {
        let Value::String(text) = entry else {
            return at(within(index.to_string(), "a string", entry));
        };
        if !seen.insert(text) {
            let message = format!("expected unique strings, found {} twice", quote(text));
            return at(Fault {
                within: Some(index.to_string()),
                message,
            });
        }
    }
    None
}

fn types(value: &Value) -> Option<Fault> {
    const NAMES: &str = "one of array, boolean, integer, null, number, object, string";
    let known = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    let Value::Array(entries) = value else {
        return (!known(value)).then(|| whole(NAMES, value));
    };
    if entries.is_empty() {
        return Some(whole("at least one type", value));
    }
    for (index, entry) in entries.iter().enumerate() {
        if !known(entry) {
            return Some(within(index.to_string(), NAMES, entry));
        }
        if entries[..index].contains(entry) {
            let message = format!("expected unique types, found {} twice", words(entry));
            return Some(Fault {
                within: Some(index.to_string()),
                message,
            });
        }
    }
    None
}
