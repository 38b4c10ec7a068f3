//! How a violation words what was expected and what was found.
//!
//! A server chooses what stands in its messages, so nothing long is repeated, and a deep value is
//! never written out at all.

use serde_json::Value;

use super::language::Shape;

/// How many characters of a string are shown.
const SHOWN: usize = 60;

/// What a shape asks for, in a few words.
pub(super) fn expected(shape: &Shape) -> String {
    match shape {
        Shape::Any => "any value".to_owned(),
        Shape::Text => "string".to_owned(),
        Shape::TextOr(other) => format!("string (here or in `{other}`)"),
        Shape::Flag => "boolean".to_owned(),
        Shape::Number => "number".to_owned(),
        Shape::Share => "number from 0 to 1".to_owned(),
        Shape::Whole | Shape::LooseWhole => "integer".to_owned(),
        Shape::Count => "integer of at least 0".to_owned(),
        Shape::Id => "string or integer".to_owned(),
        Shape::OneOf(literals) => one_of(literals.iter().copied()),
        Shape::List(_) => "array".to_owned(),
        Shape::ListUpTo(most, _) => format!("array of at most {most} items"),
        Shape::Map(_) | Shape::Object(_) | Shape::Tagged { .. } => "object".to_owned(),
        Shape::AnyOf(branches) => branches
            .last()
            .map(|last| expected(&last.shape))
            .unwrap_or_default(),
        Shape::OneOrMany(one) => format!("{} or array", expected(one)),
    }
}

/// A choice of strings, quoted.
pub(super) fn one_of<'s>(literals: impl IntoIterator<Item = &'s str>) -> String {
    let quoted: Vec<String> = literals
        .into_iter()
        .map(|literal| format!("\"{literal}\""))
        .collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "nothing".to_owned(),
    }
}

/// What a value is; scalars in full as far as they are short.
pub(super) fn actual(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("array of {}", counted(items.len(), "item")),
        Value::Object(members) => format!("object with {}", counted(members.len(), "member")),
    }
}

/// A string as JSON, cut to what is shown.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", Value::from(&text[..end])),
        None => Value::from(text).to_string(),
    }
}

fn counted(count: usize, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}
