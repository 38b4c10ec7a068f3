//! What a plain scalar means, and the ones that mean two things.

use super::Sink;
use super::fields::quoted;
use serde_json::{Map, Number, Value};
use verdict_config::tree::{Content, Node};

/// What a scalar without quotes is.
#[derive(Debug, PartialEq)]
pub(super) enum Plain {
    Null,
    Bool(bool),
    Number(Number),
    /// Text to every reader, dates and times among it.
    Text,
    /// Text to some readers, and to others this.
    Trap(&'static str),
}

/// Reads a scalar without quotes.
pub(super) fn plain(text: &str) -> Plain {
    match text {
        "null" => return Plain::Null,
        "true" => return Plain::Bool(true),
        "false" => return Plain::Bool(false),
        "" | "~" => return Plain::Trap("null"),
        _ => {}
    }
    let small = text.to_ascii_lowercase();
    match small.as_str() {
        "null" => Plain::Trap("null"),
        "true" | "yes" | "on" => Plain::Trap("true"),
        "false" | "no" | "off" => Plain::Trap("false"),
        _ if looks_like_number(&small) => match serde_json::from_str::<Number>(text) {
            Ok(number) if number.to_string() == text => Plain::Number(number),
            _ => Plain::Trap("a number"),
        },
        _ => Plain::Text,
    }
}

/// Whether a reader of YAML 1.1 or 1.2 may take it for a number. Numbers to the base of 60 are times to everyone else.
fn looks_like_number(small: &str) -> bool {
    let bare = small.strip_prefix(['+', '-']).unwrap_or(small);
    if matches!(bare, ".inf" | ".nan") {
        return true;
    }
    if let Some(digits) = ["0x", "0o", "0b"]
        .iter()
        .find_map(|it| bare.strip_prefix(it))
    {
        return !digits.is_empty() && digits.chars().all(|it| it.is_ascii_hexdigit() || it == '_');
    }
    let (body, exponent) = match bare.split_once('e') {
        Some((body, exponent)) => (body, Some(exponent)),
        None => (bare, None),
    };
    let digits = |text: &str| text.bytes().all(|it| it.is_ascii_digit() || it == b'_');
    let (whole, fraction) = body.split_once('.').unwrap_or((body, ""));
    let exponent = exponent.is_none_or(|it| {
        let bare = it.strip_prefix(['+', '-']).unwrap_or(it);
        !bare.is_empty() && bare.bytes().all(|it| it.is_ascii_digit())
    });
    digits(whole)
        && digits(fraction)
        && exponent
        && body.bytes().next().is_some_and(|it| it != b'_')
        && body.bytes().any(|it| it.is_ascii_digit())
}

/// The mend of a trap.
pub(super) fn hint(text: &str, other: &str) -> String {
    match other {
        "a number" => {
            let plainly = text.parse::<f64>().ok().filter(|it| it.is_finite());
            let plainly = plainly.map_or_else(String::new, |number| {
                format!(" ({number} is what it would be)")
            });
            format!("put quotes around it for text, or write a plain number{plainly}")
        }
        other if text.is_empty() => format!("write {other}, or \"\" for empty text"),
        other => format!("put quotes around it for text, or write {other}"),
    }
}

/// A node as JSON. What has two meanings is told and read as text.
pub(super) fn value(node: &Node, sink: &mut Sink) -> Value {
    match &node.content {
        Content::Scalar { text, plain: true } => match plain(text) {
            Plain::Null => Value::Null,
            Plain::Bool(flag) => Value::Bool(flag),
            Plain::Number(number) => Value::Number(number),
            Plain::Text => Value::String(text.clone()),
            Plain::Trap(other) => {
                let message = match text.as_str() {
                    "" => "there is no value here".to_owned(),
                    text => format!(
                        "{} is text to some readers and {other} to others",
                        quoted(text)
                    ),
                };
                sink.note(node.place, message, hint(text, other));
                Value::String(text.clone())
            }
        },
        Content::Scalar { text, .. } => Value::String(text.clone()),
        Content::List(items) => items.iter().map(|item| value(item, sink)).collect(),
        Content::Mapping(_) => Value::Object(object(node, sink)),
    }
}

/// The members of a mapping as JSON; none where it is no mapping. Keys are text, whatever they look like.
pub(super) fn object(node: &Node, sink: &mut Sink) -> Map<String, Value> {
    let Content::Mapping(entries) = &node.content else {
        return Map::new();
    };
    entries
        .iter()
        .map(|entry| (entry.key.clone(), value(&entry.value, sink)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_plain_scalar_is() {
        for text in [
            "2026-07-28",
            "2026-07-28T10:00:00Z",
            "17:00",
            "12:30:45",
            "1.2.3",
            "y",
            "n",
            "INV-1",
            "Norway",
            "1e",
            "0x",
            "0xzz",
            "e5",
            "-",
            ".",
            "10%",
            "_1",
            "nullable",
            "a~",
            "5 pm",
            "१२",
        ] {
            assert_eq!(plain(text), Plain::Text, "{text}");
        }
        for (text, other) in [
            ("NO", "false"),
            ("no", "false"),
            ("off", "false"),
            ("Yes", "true"),
            ("on", "true"),
            ("TRUE", "true"),
            ("~", "null"),
            ("", "null"),
            ("Null", "null"),
            ("1.10", "a number"),
            ("0123", "a number"),
            ("08001", "a number"),
            ("1_000", "a number"),
            ("0x1F", "a number"),
            ("0o17", "a number"),
            ("12e5", "a number"),
            ("+905551234567", "a number"),
            (".5", "a number"),
            ("5.", "a number"),
            ("-0", "a number"),
            (".inf", "a number"),
            ("-.INF", "a number"),
            (".NaN", "a number"),
            ("12345678901234567890123", "a number"),
            ("0.1000000000000000055", "a number"),
            ("1.", "a number"),
        ] {
            assert_eq!(plain(text), Plain::Trap(other), "{text}");
        }
        for text in [
            "0",
            "-1",
            "42",
            "1.5",
            "1.0",
            "-0.25",
            "9007199254740993",
            "18446744073709551615",
        ] {
            let number = serde_json::from_str(text).expect(text);
            assert_eq!(plain(text), Plain::Number(number), "{text}");
        }
        assert_eq!(
            [plain("true"), plain("null")],
            [Plain::Bool(true), Plain::Null]
        );
    }

    #[test]
    fn hints() {
        assert!(hint("1.10", "a number").ends_with("(1.1 is what it would be)"));
        assert!(hint("0x1F", "a number").ends_with("write a plain number"));
        assert_eq!(
            hint("NO", "false"),
            "put quotes around it for text, or write false"
        );
        assert_eq!(hint("", "null"), "write null, or \"\" for empty text");
    }
}
