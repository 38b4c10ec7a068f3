//! A result of a tool in the words that a model is given.

use serde_json::{Map, Value};
use verdict_core::wire::json::cut;

/// Bytes of one result: what does not fit would push the conversation out of a model's context.
const MOST_BYTES: usize = 64 << 10;
/// Bytes of a name or address.
const NAME: usize = 200;

/// The text of a result: its text contents, or its structured content where it has none. Pictures, sounds and resources
/// are named, never put in. What is cut off is said.
pub fn as_text(result: &Map<String, Value>) -> String {
    let contents = result.get("content").and_then(Value::as_array);
    let mut parts = Vec::new();
    let mut said = false;
    for content in contents.into_iter().flatten() {
        let (part, is_text) = part(content);
        said |= is_text && !part.is_empty();
        parts.push(part);
    }
    if !said && let Some(structured) = result.get("structuredContent") {
        parts.insert(0, structured.to_string());
    }
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() {
        return "[no content]".to_owned();
    }
    bounded(&parts.join("\n"))
}

fn bounded(text: &str) -> String {
    if text.len() <= MOST_BYTES {
        return text.to_owned();
    }
    format!(
        "{}\n[cut off: the first {MOST_BYTES} of {} bytes]",
        cut(text, MOST_BYTES),
        text.len()
    )
}

/// One content as text, and whether it is text itself.
fn part(content: &Value) -> (String, bool) {
    let member = |pointer: &str| {
        let value = content.pointer(pointer).and_then(Value::as_str);
        cut(value.unwrap_or_default(), NAME)
    };
    let kind = member("/type");
    let named = match kind.as_str() {
        "text" => {
            let text = content.get("text").and_then(Value::as_str);
            return (text.unwrap_or_default().to_owned(), true);
        }
        "image" | "audio" => {
            let data = content.get("data").and_then(Value::as_str);
            let length = data.map_or(0, str::len) / 4 * 3;
            format!("{kind} {}, about {length} bytes", member("/mimeType"))
        }
        "resource_link" => format!(
            "link to the resource {} ({})",
            member("/uri"),
            member("/name")
        ),
        "resource" => format!(
            "resource {} {}",
            member("/resource/uri"),
            member("/resource/mimeType")
        ),
        other => format!("content of the type {other}"),
    };
    (format!("[{}]", named.trim_end()), false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(result: &Value) -> String {
        as_text(result.as_object().expect("an object"))
    }

    #[test]
    fn texts_are_joined_and_the_rest_is_named() {
        let result = json!({"content": [
            {"type": "text", "text": "one"},
            {"type": "image", "mimeType": "image/png", "data": "QUJDRA=="},
            {"type": "resource_link", "uri": "a://b", "name": "b"},
            {"type": "resource", "resource": {"uri": "a://c", "mimeType": "text/plain", "text": "long"}},
            {"type": "text", "text": "two"},
            {"type": "hologram"}
        ], "structuredContent": {"n": 1}});
        assert_eq!(
            text(&result),
            "one\n[image image/png, about 6 bytes]\n[link to the resource a://b (b)]\n\
             [resource a://c text/plain]\ntwo\n[content of the type hologram]"
        );
    }

    #[test]
    fn without_text_the_structured_content_speaks() {
        let structured = json!({"content": [], "structuredContent": {"n": 1}});
        assert_eq!(text(&structured), r#"{"n":1}"#);
        assert_eq!(text(&json!({"structuredContent": 0})), "0");
        assert_eq!(text(&json!({"content": []})), "[no content]");
    }

    #[test]
    fn long_results_are_cut_and_say_so() {
        let long = "é".repeat(MOST_BYTES);
        let text = text(&json!({"content": [{"type": "text", "text": long}]}));
        assert!(text.len() < MOST_BYTES + 100);
        assert!(
            text.ends_with("[cut off: the first 65536 of 131072 bytes]"),
            "{}",
            &text[MOST_BYTES..]
        );
    }
}
