//! Results that are made up where no server may be asked.

use crate::tool::Tool;
use serde_json::{Map, Value, json};
use verdict_core::arguments;
use verdict_schema::{Examiner, Validity};

/// A result that the tool could give: the smallest one that fits its `outputSchema`; else words that the call was
/// accepted. Reports label it [`verdict_model::behavior::ResultFrom::Synthetic`].
pub fn synthetic(tool: &Tool) -> Map<String, Value> {
    let mut result = Map::new();
    let text = match tool.output_schema().and_then(fitting) {
        Some(value) => {
            let text = value.to_string();
            result.insert("structuredContent".to_owned(), value);
            text
        }
        None => "The call was accepted.".to_owned(),
    };
    let content = json!([{"type": "text", "text": text}]);
    result.shift_insert(0, "content".to_owned(), content);
    result
}

/// A value that certainly fits; none where that is beyond guessing.
fn fitting(schema: &Value) -> Option<Value> {
    let value = arguments::value(schema, schema).ok()?;
    let fits = Examiner::default().validate(schema, &value) == Validity::Valid;
    fits.then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(output: &Value) -> Map<String, Value> {
        let tool = json!({"name": "t", "outputSchema": output});
        let Value::Object(tool) = tool else {
            panic!("an object")
        };
        synthetic(&Tool(tool))
    }

    #[test]
    fn output_schemas_are_met_or_given_up() {
        let schema = json!({"type": "object", "required": ["id", "total"], "properties": {
            "id": {"type": "string", "examples": ["INV-1"]}, "total": {"$ref": "#/$defs/n"}, "note": {"type": "string"}
        }, "$defs": {"n": {"type": "integer", "minimum": 3}}});
        let result = made(&schema);
        assert_eq!(
            result["structuredContent"],
            json!({"id": "INV-1", "total": 3})
        );
        assert_eq!(result["content"][0]["text"], r#"{"id":"INV-1","total":3}"#);
        // An example that its own schema forbids is not believed.
        for beyond in [
            json!({"type": "object", "not": {}}),
            json!({"type": "string", "examples": ["x"], "minLength": 5}),
            json!("no schema"),
        ] {
            let result = made(&beyond);
            assert_eq!(result.get("structuredContent"), None, "{beyond}");
            assert_eq!(result["content"][0]["text"], "The call was accepted.");
        }
    }
}
