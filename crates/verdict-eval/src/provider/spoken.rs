//! Text that looks like a call of a tool on offer: the model called, and its server did not understand it.
//!
//! A diagnosis and no mending: the run is scored as one without a call, and the report says what to look at (mostly
//! the chat template of a local server).

use super::model::Wire;
use super::names::Names;
use crate::chat::{Call, Said};
use crate::tool::Tool;
use serde_json::{Map, Value};

/// How many openings of an object are tried.
const TRIES: usize = 64;
/// Longer texts are no calls.
const LONGEST: usize = 100_000;

/// The call that a text without calls spells out, where its tool is on offer: as an object with `name` and
/// `arguments` (or `parameters`, or `function` around them), bare, in a fence, or in tags of a template.
pub fn call_as_text(said: &Said, tools: &[Tool]) -> Option<Call> {
    if !said.calls.is_empty() || said.text.len() > LONGEST {
        return None;
    }
    let openings = said.text.match_indices('{').map(|(at, _)| at).take(TRIES);
    openings
        .filter_map(|at| object(&said.text[at..]))
        .find_map(|object| spelled(&object, tools))
}

fn object(text: &str) -> Option<Map<String, Value>> {
    serde_json::Deserializer::from_str(text)
        .into_iter::<Map<String, Value>>()
        .next()?
        .ok()
}

fn spelled(object: &Map<String, Value>, tools: &[Tool]) -> Option<Call> {
    let inner = object
        .get("function")
        .or_else(|| object.get("functionCall"))
        .and_then(Value::as_object);
    let object = inner.unwrap_or(object);
    let name = ["name", "tool", "tool_name"]
        .iter()
        .find_map(|key| object.get(*key)?.as_str())?;
    let arguments = ["arguments", "parameters", "args", "input", "tool_input"]
        .iter()
        .find_map(|key| object.get(*key))?;
    // The model knows a tool by the name that its wire has for it.
    let own =
        [Wire::ChatCompletions, Wire::Gemini].map(|wire| Names::of_tools(wire, tools).own(name));
    let tool = tools
        .iter()
        .find(|tool| !name.is_empty() && own.iter().any(|own| own == tool.name()))?;
    let arguments = match arguments {
        Value::String(text) => text.clone(),
        Value::Object(_) => arguments.to_string(),
        _ => return None,
    };
    Some(Call {
        id: "call_1".to_owned(),
        name: tool.name().to_owned(),
        arguments,
    })
}

#[cfg(test)]
mod tests {
    use super::call_as_text;
    use crate::chat::{Call, Said};
    use crate::tool::Tool;
    use serde_json::json;

    fn found(text: &str) -> Option<String> {
        let tools: Vec<Tool> =
            serde_json::from_value(json!([{"name": "get_weather"}, {"name": ""}])).expect("tools");
        let said = Said {
            text: text.to_owned(),
            ..Said::default()
        };
        call_as_text(&said, &tools).map(|call| call.arguments)
    }

    #[test]
    fn finds_a_call_in_every_dress_and_no_call_where_there_is_none() {
        let bare = r#"{"name": "get_weather", "arguments": {"city":"Ayşe"}}"#;
        let arguments = Some(r#"{"city":"Ayşe"}"#.to_owned());
        for text in [
            bare.to_owned(),
            format!("Sure {{maybe}}:\n```json\n{bare}\n```"),
            format!("<tool_call>\n{bare}\n</tool_call>"),
            format!(r#"[{{"type":"function","function":{bare}}}]"#),
            r#"{"tool":"get_weather","args":"{\"city\":\"Ayşe\"}"}"#.to_owned(),
        ] {
            assert_eq!(found(&text), arguments, "{text}");
        }
        for text in [
            "",
            "get_weather",
            r#"{"name": "get_weather"}"#,
            r#"{"name": "other", "arguments": {}}"#,
            r#"{"name": "", "arguments": {}}"#,
            r#"{"name": "get_weather", "arguments": [1]}"#,
            r#"{"name": "get_weather", "arguments": {"#,
        ] {
            assert_eq!(found(text), None, "{text}");
        }
        assert_eq!(found(&"{".repeat(90_000)), None);
    }

    #[test]
    fn a_tool_is_known_under_its_wires_name_too() {
        let tools: Vec<Tool> = serde_json::from_value(json!([{"name": "a.b c"}])).expect("tools");
        for name in ["a.b c", "a_b_c", "a.b_c"] {
            let said = Said {
                text: json!({"name": name, "arguments": {}}).to_string(),
                ..Said::default()
            };
            assert_eq!(call_as_text(&said, &tools).expect(name).name, "a.b c");
        }
    }

    #[test]
    fn a_turn_with_calls_is_none_of_it() {
        let tools: Vec<Tool> = serde_json::from_value(json!([{"name": "t"}])).expect("tools");
        let said = Said {
            text: r#"{"name":"t","arguments":{}}"#.to_owned(),
            calls: vec![Call {
                id: "1".to_owned(),
                name: "t".to_owned(),
                arguments: String::new(),
            }],
            native: None,
        };
        assert_eq!(call_as_text(&said, &tools), None);
    }
}
