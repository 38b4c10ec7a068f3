//! Schemas put together from their parts, as far as the parts do not contradict each other.

use serde_json::{Map, Value};

/// Bytes of a schema that is copied to merge it with another.
pub(super) const MAX_MERGED: usize = 64 << 10;

/// A copy of a schema that is small enough.
pub(super) fn small(members: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let mut left = MAX_MERGED;
    if members.values().all(|value| fits(value, &mut left)) {
        Ok(members.clone())
    } else {
        Err("its input schema is too large to make up arguments for".to_owned())
    }
}

/// Whether a value is small, as counted down from `left`; stops as soon as it is not.
pub(super) fn fits(value: &Value, left: &mut usize) -> bool {
    let own = match value {
        Value::String(text) => text.len(),
        Value::Object(members) => members.keys().map(String::len).sum(),
        _ => 8,
    };
    let Some(rest) = left.checked_sub(own + 8) else {
        return false;
    };
    *left = rest;
    match value {
        Value::Array(items) => items.iter().all(|item| fits(item, left)),
        Value::Object(members) => members.values().all(|member| fits(member, left)),
        _ => true,
    }
}

/// Both schemas in one; gives up where they contradict each other.
pub(super) fn merge(one: &Map<String, Value>, other: &Value) -> Result<Value, String> {
    let other = match other {
        Value::Object(other) => small(other)?,
        Value::Bool(true) => return Ok(Value::Object(one.clone())),
        _ => return Err("a value is required where none is allowed".to_owned()),
    };
    let mut whole = one.clone();
    for (keyword, value) in other {
        let merged = match whole.shift_remove(&keyword) {
            Some(known) if known != value => keyword_of_both(&keyword, known, value)?,
            _ => value,
        };
        whole.insert(keyword, merged);
    }
    Ok(Value::Object(whole))
}

/// A keyword that stands in both schemas, with different values.
fn keyword_of_both(keyword: &str, known: Value, value: Value) -> Result<Value, String> {
    let larger = known.as_f64() > value.as_f64();
    Ok(match (keyword, known) {
        ("required", Value::Array(mut names)) => {
            names.extend(value.as_array().cloned().unwrap_or_default());
            Value::Array(names)
        }
        ("properties", Value::Object(known)) => both(known, value)?,
        ("minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties", known) => {
            if larger {
                known
            } else {
                value
            }
        }
        ("maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties", known) => {
            if larger {
                value
            } else {
                known
            }
        }
        // What annotates only: the outer one is nearer to what is meant.
        (
            "title" | "description" | "default" | "examples" | "deprecated" | "x-mcp-header"
            | "$defs" | "definitions" | "$id" | "$schema" | "$comment" | "readOnly" | "writeOnly",
            known,
        ) => known,
        (keyword, _) => {
            return Err(format!(
                "`{keyword}` stands in several parts of its input schema"
            ));
        }
    })
}

/// Properties that occur on both sides must fit both.
fn both(mut known: Map<String, Value>, other: Value) -> Result<Value, String> {
    let Value::Object(other) = other else {
        return Ok(Value::Object(known));
    };
    for (name, schema) in other {
        let merged = match known.shift_remove(&name) {
            Some(Value::Object(one)) => merge(&one, &schema)?,
            _ => schema,
        };
        known.insert(name, merged);
    }
    Ok(Value::Object(known))
}
