//! Wrong values in the place of right ones: plausible, of the same shape, and always the same for the same value.
//!
//! Digits are what is changed: amounts are off, dates are moved, numbers of things are those of others. The same value
//! becomes the same wrong value wherever it stands, so that text and structured content agree, and so that a judge can
//! work out what a value that it knows has become.

use regex::{Captures, Regex};
use serde_json::{Map, Number, Value};
use std::sync::LazyLock;
use verdict_schema::{Examiner, Validity};

/// Leaves that are changed in one structured result; a result of thousands is wrong enough with these.
const MOST_LEAVES: usize = 200;

/// The result with wrong values. Structured content that fitted its schema still does; what cannot be changed within it
/// stays.
pub(super) fn corrupted(result: &Map<String, Value>, schema: Option<&Value>) -> Map<String, Value> {
    let mut wrong = result.clone();
    if let Some(Value::Array(contents)) = wrong.get_mut("content") {
        for content in contents {
            if let Some(Value::String(text)) = content.get_mut("text") {
                *text = corrupted_text(text);
            }
        }
    }
    if let Some(right) = result.get("structuredContent") {
        wrong.insert("structuredContent".to_owned(), structured(right, schema));
    }
    wrong
}

fn structured(right: &Value, schema: Option<&Value>) -> Value {
    let mut examiner = Examiner::default();
    let fits = |examiner: &mut Examiner, value: &Value| {
        schema.is_none_or(|schema| examiner.validate(schema, value) == Validity::Valid)
    };
    let is_held = fits(&mut examiner, right);
    let mut pointers = Vec::new();
    leaves(right, String::new(), &mut pointers);
    let mut wrong = right.clone();
    for pointer in pointers.into_iter().take(MOST_LEAVES) {
        let Some(leaf) = wrong.pointer_mut(&pointer) else {
            continue;
        };
        let before = leaf.clone();
        *leaf = match &before {
            Value::String(text) => Value::String(corrupted_text(text)),
            Value::Number(number) => corrupted_number(number),
            other => other.clone(),
        };
        if is_held
            && !fits(&mut examiner, &wrong)
            && let Some(leaf) = wrong.pointer_mut(&pointer)
        {
            *leaf = before;
        }
    }
    wrong
}

fn leaves(value: &Value, at: String, pointers: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                leaves(item, format!("{at}/{index}"), pointers);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                let key = key.replace('~', "~0").replace('/', "~1");
                leaves(member, format!("{at}/{key}"), pointers);
            }
        }
        Value::Number(_) | Value::String(_) => pointers.push(at),
        Value::Null | Value::Bool(_) => {}
    }
}

/// The wrong number; the same one where it cannot be written otherwise.
fn corrupted_number(number: &Number) -> Value {
    let wrong = corrupted_text(&number.to_string());
    serde_json::from_str(&wrong).unwrap_or_else(|_| Value::Number(number.clone()))
}

/// What holds digits, most telling first: a day, a time of day, and any run of digits.
static DIGITS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})|(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}(?::[0-9]{2})?)|(?P<run>[0-9]+)").ok()
});

/// The text with wrong digits: days and hours are moved, other digits are changed one by one.
pub(super) fn corrupted_text(text: &str) -> String {
    let Some(digits) = DIGITS.as_ref() else {
        return text.to_owned();
    };
    digits
        .replace_all(text, |found: &Captures<'_>| {
            let part = |name: &str| found.name(name).map(|it| it.as_str());
            let number = |name: &str| {
                part(name)
                    .and_then(|it| it.parse::<u32>().ok())
                    .unwrap_or(0)
            };
            match (part("year"), part("minute"), part("run")) {
                // Every month has 28 days.
                (Some(year), ..) => format!(
                    "{year}-{:02}-{:02}",
                    (number("month") + 1) % 12 + 1,
                    (number("day") + 8) % 28 + 1
                ),
                (_, Some(minute), _) => format!("{:02}:{minute}", (number("hour") + 5) % 24),
                (_, _, Some(run)) => shifted(run),
                _ => String::new(),
            }
        })
        .into_owned()
}

/// Each digit another one; the first never becomes 0.
fn shifted(run: &str) -> String {
    run.bytes()
        .enumerate()
        .map(|(at, byte)| {
            let digit = byte - b'0';
            let other = if at == 0 {
                digit % 9 + 1
            } else {
                (digit + 3) % 10
            };
            char::from(b'0' + other)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_moved_and_keep_their_shape() {
        for (right, wrong) in [
            ("INV-204", "INV-337"),
            ("2026-12-31T10:30:00Z", "2026-02-12T15:30:00Z"),
            ("EUR 1,240.50", "EUR 2,373.63"),
            ("sunny", "sunny"),
            ("9", "1"),
        ] {
            assert_eq!(corrupted_text(right), wrong);
            assert!(right == wrong || right != corrupted_text(right));
        }
        assert_eq!(corrupted_number(&Number::from(0)), json!(1));
        assert_eq!(corrupted_number(&Number::from(-7)), json!(-8));
    }

    #[test]
    fn a_schema_that_was_met_is_still_met() {
        let schema = json!({"type": "object", "properties": {
            "total": {"type": "number"}, "size": {"enum": ["A4", "A5"]}, "stars": {"type": "integer", "maximum": 5}
        }});
        let result = json!({"content": [{"type": "text", "text": "total 240"}],
            "structuredContent": {"total": 240, "size": "A4", "stars": 5}});
        let Value::Object(result) = result else {
            panic!("an object")
        };
        let wrong = corrupted(&result, Some(&schema));
        assert_eq!(wrong["content"][0]["text"], "total 373");
        assert_eq!(
            wrong["structuredContent"],
            json!({"total": 373, "size": "A5", "stars": 5})
        );
    }
}
