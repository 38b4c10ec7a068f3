//! JSON as strangers send it: one reader for the whole program, so that verdict and report never differ.
//!
//! Depth is bounded before any recursion. A member name that occurs twice keeps its last value, as most
//! readers do, and is noted; so is a number that no reader can hold exactly.

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::cell::RefCell;
use std::fmt;

/// Nesting beyond this is refused: deeper than any real message, shallow enough for every stack.
pub const MAX_DEPTH: usize = 512;

/// Values of one text, where an object counts as several: more would not fit in memory.
pub const MAX_VALUES: usize = 1_500_000;
/// What an object costs beside its members, in values.
const OBJECT_VALUES: usize = 4;

/// Why a text is not JSON that can be judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonFault {
    /// No text at all, or only white space.
    #[error("empty")]
    Empty,
    /// Not JSON; the reader's words, with line and column.
    #[error("not valid JSON: {0}")]
    Syntax(String),
    /// A number is beyond what readers can hold; the reader's words.
    #[error("a number does not fit: {0}")]
    Number(String),
    /// Nested deeper than [`MAX_DEPTH`].
    #[error("nested deeper than the limit of {MAX_DEPTH} levels")]
    TooDeep,
    /// Holds more than [`MAX_VALUES`].
    #[error("it holds more than the limit of {MAX_VALUES} values")]
    TooMany,
}

/// A value and what was odd about its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Json {
    /// The value.
    pub value: Value,
    /// Member names that occur twice in one object, at most [`MAX_NOTES`].
    pub duplicates: Vec<String>,
    /// Whether an integer is too large to be held exactly.
    pub inexact: bool,
    /// How many values there are, inner ones included: what they cost in memory.
    pub values: usize,
}

/// How many duplicate names are kept.
pub const MAX_NOTES: usize = 8;

#[derive(Default)]
struct Notes {
    duplicates: Vec<String>,
    inexact: bool,
    too_deep: bool,
    values: usize,
}

/// Reads one JSON text.
///
/// # Errors
/// A [`JsonFault`] when the text is empty, not JSON, or nested too deep.
pub fn parse(text: &str) -> Result<Json, JsonFault> {
    if text.trim_matches([' ', '\t', '\r', '\n']).is_empty() {
        return Err(JsonFault::Empty);
    }
    let notes = RefCell::new(Notes::default());
    let mut reader = serde_json::Deserializer::from_str(text);
    // The seed counts depth itself and stops at MAX_DEPTH, above serde_json's own limit of 128.
    reader.disable_recursion_limit();
    let read = Seed {
        notes: &notes,
        depth: 0,
    }
    .deserialize(&mut reader)
    .and_then(|value| reader.end().map(|()| value));
    let notes = notes.into_inner();
    match read {
        Ok(value) => Ok(Json {
            value,
            duplicates: notes.duplicates,
            inexact: notes.inexact,
            values: notes.values,
        }),
        Err(_) if notes.too_deep => Err(JsonFault::TooDeep),
        Err(_) if notes.values > MAX_VALUES => Err(JsonFault::TooMany),
        Err(error) => {
            // The reader's words for a leading surrogate that another escape does not follow.
            let escape = "unexpected end of hex escape";
            let why = error
                .to_string()
                .replace(escape, "lone surrogate in an escape");
            Err(if why.starts_with("number out of range") {
                JsonFault::Number(why)
            } else {
                JsonFault::Syntax(why)
            })
        }
    }
}

#[derive(Clone, Copy)]
struct Seed<'n> {
    notes: &'n RefCell<Notes>,
    depth: usize,
}

impl Seed<'_> {
    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        if self.depth >= MAX_DEPTH {
            self.notes.borrow_mut().too_deep = true;
            return Err(E::custom("too deep"));
        }
        Ok(Self {
            depth: self.depth + 1,
            ..self
        })
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let mut notes = self.notes.borrow_mut();
        notes.values += 1;
        if notes.values > MAX_VALUES {
            return Err(D::Error::custom("too many values"));
        }
        drop(notes);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        // Integers that fit are visited as integers, so a whole number here was too large or a fraction.
        if value.fract() == 0.0 && value.abs() >= 18_446_744_073_709_551_615.0 {
            self.notes.borrow_mut().inexact = true;
        }
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(inner)? {
            items.push(item);
        }
        items.shrink_to_fit();
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        self.notes.borrow_mut().values += OBJECT_VALUES;
        let mut members = Map::new();
        while let Some(name) = access.next_key::<String>()? {
            let value = access.next_value_seed(inner)?;
            if members.contains_key(&name) {
                let mut notes = self.notes.borrow_mut();
                if notes.duplicates.len() < MAX_NOTES && !notes.duplicates.contains(&name) {
                    notes.duplicates.push(name.clone());
                }
            }
            members.insert(name, value);
        }
        if members.contains_key("$serde_json::private::Number") {
            return Err(A::Error::custom("reserved member name"));
        }
        Ok(Value::Object(members))
    }
}

/// `value` as compact text, at most `limit` bytes, cut on a character boundary with an ellipsis.
pub fn shortened(value: &Value, limit: usize) -> String {
    // Large values are not rendered whole only to be cut: strings and containers stop early.
    match value {
        Value::String(text) if text.len() > limit => {
            cut(&Value::from(cut(text, limit)).to_string(), limit)
        }
        Value::Array(items) if items.len() > 64 => format!("an array of {} items", items.len()),
        Value::Object(members) if members.len() > 64 => {
            format!("an object of {} members", members.len())
        }
        other => cut(&other.to_string(), limit),
    }
}

/// `text` cut to at most `limit` bytes on a character boundary, with an ellipsis where it was cut.
pub fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let end = (0..=limit)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_bounded_before_recursion() {
        let deep = "[".repeat(1_000_000);
        assert_eq!(parse(&deep), Err(JsonFault::TooDeep));
        let many = format!("[{}0]", "0,".repeat(MAX_VALUES));
        assert_eq!(parse(&many), Err(JsonFault::TooMany));
        let legal = format!("{}{}", "[".repeat(500), "]".repeat(500));
        assert!(parse(&legal).is_ok());
    }

    #[test]
    fn twice_named_members_are_noted_and_the_last_one_counts() {
        let json = parse(r#"{"a":1,"a":2}"#).expect("valid");
        assert_eq!(json.value["a"], 2);
        assert_eq!(json.duplicates, ["a"]);
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused_or_noted() {
        assert!(matches!(parse("1e400"), Err(JsonFault::Number(_))));
        assert!(parse("18446744073709551616").expect("valid").inexact);
        assert!(!parse("9007199254740993").expect("valid").inexact);
        for bad in ["NaN", "01", "+1", "{} {}", "\"\\ud800\"", "[1,]"] {
            assert!(matches!(parse(bad), Err(JsonFault::Syntax(_))), "{bad}");
        }
        assert_eq!(parse(" \r\n"), Err(JsonFault::Empty));
    }

    #[test]
    fn odd_names_are_ordinary() {
        let json = parse(r#"{"__proto__":1,"":2,"constructor":3}"#).expect("valid");
        assert_eq!(json.value.as_object().map(Map::len), Some(3));
    }
}
