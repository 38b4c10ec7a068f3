//! Values of `Mcp-Name` and `Mcp-Param-*`: how the revision writes them, and what a written one stands for.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

const BEFORE: &str = "=?base64?";
const AFTER: &str = "?=";

/// Whether a text may stand in a field as it is: visible ASCII with spaces inside, and nothing that looks encoded.
///
/// A tab is left to the reader: it may stand in a field, and is a control character.
pub(crate) fn is_plain(text: &str) -> bool {
    let visible = text
        .bytes()
        .all(|byte| (0x20..=0x7E).contains(&byte) || byte == b'\t');
    let inside = text.trim_matches([' ', '\t']) == text;
    visible && inside && !looks_encoded(text)
}

fn looks_encoded(text: &str) -> bool {
    text.starts_with(BEFORE) && text.ends_with(AFTER)
}

/// What a field's value stands for.
///
/// # Errors
/// Why it stands for nothing, in words that fit after "it".
pub(crate) fn decode(value: &str) -> Result<String, String> {
    let value = value.trim_matches([' ', '\t']);
    if !looks_encoded(value) || value.len() < BEFORE.len() + AFTER.len() {
        return Ok(value.to_owned());
    }
    let inner = &value[BEFORE.len()..value.len() - AFTER.len()];
    let bytes = BASE64_STANDARD
        .decode(inner)
        .map_err(|_| "is marked as Base64 and is none".to_owned())?;
    String::from_utf8(bytes).map_err(|_| "is Base64 of bytes that are not UTF-8".to_owned())
}

/// An argument as a field writes it before it is encoded; nothing for what no field can carry.
pub(crate) fn written(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(yes) => Some(yes.to_string()),
        Value::Number(number) => number
            .as_i64()
            .map(|whole| whole.to_string())
            .or_else(|| number.as_u64().map(|whole| whole.to_string())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_encoded_is_read_back() {
        assert_eq!(decode("get_weather"), Ok("get_weather".to_owned()));
        assert_eq!(decode("=?base64?S8O2bG4=?="), Ok("Köln".to_owned()));
        assert_eq!(decode("=?base64??="), Ok(String::new()));
        assert_eq!(decode("=?base64?="), Ok("=?base64?=".to_owned()));
        assert!(decode("=?base64?***?=").is_err());
        assert!(decode("=?base64?/w==?=").is_err());
    }

    #[test]
    fn what_needs_encoding_is_told() {
        for plain in ["INV-1001", "a b", "", "file:///a?b=c", "=?base64?="] {
            assert!(is_plain(plain) || plain == "=?base64?=", "{plain}");
        }
        for odd in ["Köln", " a", "a ", "a\nb", "=?base64?YQ==?="] {
            assert!(!is_plain(odd), "{odd}");
        }
    }

    #[test]
    fn arguments_are_written_in_one_way() {
        assert_eq!(written(&json!(42)), Some("42".to_owned()));
        assert_eq!(written(&json!(true)), Some("true".to_owned()));
        assert_eq!(written(&json!(1.5)), None);
        assert_eq!(written(&json!(null)), None);
    }
}
