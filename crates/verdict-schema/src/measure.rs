//! The size of a JSON value, found without recursion.

use serde_json::Value;

/// How large a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Measure {
    /// Bytes of its compact JSON text.
    pub(crate) bytes: usize,
    /// Arrays and objects within one another.
    pub(crate) depth: usize,
    /// Values, the value itself included.
    pub(crate) nodes: usize,
}

impl Measure {
    pub(crate) fn of(value: &Value) -> Self {
        let mut measure = Self::default();
        let mut stack = vec![(value, 1)];
        while let Some((value, depth)) = stack.pop() {
            measure.nodes += 1;
            measure.bytes += match value {
                Value::Null => 4,
                Value::Bool(flag) => 5 - usize::from(*flag),
                Value::Number(number) => number.to_string().len(),
                Value::String(text) => text_bytes(text),
                Value::Array(entries) => {
                    stack.extend(entries.iter().map(|entry| (entry, depth + 1)));
                    2 + entries.len().saturating_sub(1)
                }
                Value::Object(members) => {
                    stack.extend(members.values().map(|member| (member, depth + 1)));
                    let keys: usize = members.keys().map(|key| text_bytes(key) + 1).sum();
                    2 + members.len().saturating_sub(1) + keys
                }
            };
            if value.is_array() || value.is_object() {
                measure.depth = measure.depth.max(depth);
            }
        }
        measure
    }
}

/// A string between quotes; escapes take two bytes, or six for other control characters.
fn text_bytes(text: &str) -> usize {
    let escapes = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 1,
        0..=31 => 5,
        _ => 0,
    });
    text.len() + 2 + escapes.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::Measure;
    use serde_json::json;

    #[test]
    fn bytes_are_those_of_the_compact_text() {
        for value in [
            json!(null),
            json!([true, false, [], {}]),
            json!({"a": 1.5, "b": -3, "c": "ü\n\"\u{1}\u{8}", "": {"d": [0]}}),
        ] {
            assert_eq!(
                Measure::of(&value).bytes,
                value.to_string().len(),
                "{value}"
            );
        }
    }

    #[test]
    fn depth_counts_arrays_and_objects() {
        assert_eq!(Measure::of(&json!(1)).depth, 0);
        assert_eq!(Measure::of(&json!({"a": [1, {}]})).depth, 3);
        assert_eq!(Measure::of(&json!({"a": [1, {}]})).nodes, 4);
    }
}
