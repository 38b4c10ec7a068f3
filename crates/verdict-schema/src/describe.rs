//! Words for messages: values and names of strangers, short and on one line.

use serde_json::Value;
use std::fmt::Write;

/// How much of a stranger's text a message repeats.
const EXCERPT: usize = 40;

/// Appends one token to a JSON pointer, escaped.
pub(crate) fn push_pointer(pointer: &mut String, token: &str) {
    pointer.push('/');
    for character in token.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// Shortens text to `limit` characters.
pub(crate) fn cut(text: &mut String, limit: usize) {
    if text.len() > limit
        && let Some((end, _)) = text.char_indices().nth(limit)
    {
        text.truncate(end);
        text.push('…');
    }
}

/// A stranger's text in quotes, its control characters escaped, shortened.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for (count, character) in text.chars().enumerate() {
        if count == EXCERPT {
            quoted.push('…');
            break;
        }
        match character {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(character);
            }
            other if other.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(other));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// A value in a few words.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => {
            let mut text = number.to_string();
            cut(&mut text, EXCERPT);
            text
        }
        Value::String(text) => quote(text),
        Value::Array(entries) if entries.is_empty() => "an empty array".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(members) if members.is_empty() => "an empty object".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// Names in quotes, the first few of them.
pub(crate) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for (count, name) in names.enumerate() {
        if count == 3 {
            text.push_str(", …");
            break;
        }
        if count > 0 {
            text.push_str(", ");
        }
        text.push_str(&quote(name));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{cut, list, push_pointer, quote, value};
    use serde_json::json;

    #[test]
    fn pointers_are_escaped() {
        let mut pointer = String::new();
        for token in ["a/b", "c~d", "", "~1"] {
            push_pointer(&mut pointer, token);
        }
        assert_eq!(pointer, "/a~1b/c~0d//~01");
    }

    #[test]
    fn strangers_text_stays_short_and_on_one_line() {
        assert_eq!(quote("a\n\"\u{7f}"), "\"a\\u000a\\\"\\u007f\"");
        assert_eq!(quote(&"ü".repeat(100)).chars().count(), 43);
        let mut text = "üüü".to_owned();
        cut(&mut text, 2);
        assert_eq!(text, "üü…");
        cut(&mut text, 3);
        assert_eq!(text, "üü…");
    }

    #[test]
    fn values_become_words() {
        assert_eq!(value(&json!([])), "an empty array");
        assert_eq!(value(&json!({"a": 1})), "an object");
        assert_eq!(value(&json!(1.5)), "1.5");
        assert_eq!(
            list(["a", "b", "c", "d"].into_iter()),
            "\"a\", \"b\", \"c\", …"
        );
    }
}
