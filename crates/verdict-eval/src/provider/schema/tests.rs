use super::adapt;
use crate::provider::model::Wire;
use crate::provider::offer::Offer;
use crate::tool::Tool;
use serde_json::{Value, json};

const WIRES: [Wire; 4] = [
    Wire::ChatCompletions,
    Wire::Responses,
    Wire::Messages,
    Wire::Gemini,
];

/// The files of tools that people had trouble with.
const FILES: [&str; 7] = [
    include_str!("../testdata/fr14-root-anyof.tools.json"),
    include_str!("../testdata/fr15-defs-and-ref.tools.json"),
    include_str!("../testdata/fr16-property-keys.tools.json"),
    include_str!("../testdata/fr17-tool-names.tools.json"),
    include_str!("../testdata/fr18-draft07-output.tools.json"),
    include_str!("../testdata/fr19-boolean-subschema.tools.json"),
    include_str!("../testdata/fr20-pointer-recursion.tools.json"),
];

fn tools(file: &str) -> Vec<Tool> {
    let listed: Value = serde_json::from_str(file).expect("a list");
    serde_json::from_value(listed["result"]["tools"].clone()).expect("tools")
}

fn adapted(wire: Wire, file: usize, name: &str) -> (Value, String) {
    let tools = tools(FILES[file]);
    let tool = tools.iter().find(|tool| tool.name() == name).expect(name);
    let adapted = adapt(wire, tool.input_schema());
    (adapted.schema, adapted.repairs.join("; "))
}

/// What a wire refuses, told by rules of its own: not those by which schemas are mended.
fn refused(wire: Wire, schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let root = schema.as_object().expect("an object");
    if root.get("type") != Some(&json!("object")) || !root.contains_key("properties") {
        found.push("no object at the root".to_owned());
    }
    let at_root: &[&str] = match wire {
        Wire::ChatCompletions | Wire::Responses => {
            &["anyOf", "oneOf", "allOf", "enum", "const", "not", "$ref"]
        }
        Wire::Messages => &["anyOf", "oneOf", "allOf"],
        Wire::Gemini => &["$ref", "$defs", "definitions"],
    };
    found.extend(
        at_root
            .iter()
            .filter(|key| root.contains_key(**key))
            .map(|key| format!("{key} at the root")),
    );
    inside(wire, schema, schema, &mut found);
    found
}

fn inside(wire: Wire, root: &Value, node: &Value, found: &mut Vec<String>) {
    let Value::Object(members) = node else {
        if node.is_boolean() && wire != Wire::Messages {
            found.push("a boolean schema".to_owned());
        }
        return;
    };
    if wire != Wire::Messages
        && members.get("type") == Some(&json!("array"))
        && !members.contains_key("items")
    {
        found.push("an array without items".to_owned());
    }
    if members.get("items").is_some_and(Value::is_array) {
        found.push("a tuple of an older draft".to_owned());
    }
    if let Some(Value::String(reference)) = members.get("$ref") {
        let pointer = reference
            .strip_prefix('#')
            .map(|pointer| root.pointer(pointer));
        if wire == Wire::Gemini || !matches!(pointer, Some(Some(_))) {
            found.push(format!("the reference {reference}"));
        }
    }
    for (keyword, value) in members {
        let gemini_lacks = [
            "const",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "allOf",
            "not",
            "$schema",
            "patternProperties",
        ];
        if wire == Wire::Gemini && gemini_lacks.contains(&keyword.as_str()) {
            found.push(keyword.clone());
        }
        match keyword.as_str() {
            "properties" => {
                for (key, value) in value.as_object().expect("properties") {
                    let is_fine = (1..=64).contains(&key.len())
                        && key
                            .chars()
                            .all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c));
                    if wire == Wire::Messages && !is_fine {
                        found.push(format!("the key {key}"));
                    }
                    inside(wire, root, value, found);
                }
            }
            "items" => inside(wire, root, value, found),
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                value
                    .as_array()
                    .into_iter()
                    .flatten()
                    .for_each(|value| inside(wire, root, value, found));
            }
            "$defs" | "definitions" => {
                value
                    .as_object()
                    .into_iter()
                    .flatten()
                    .for_each(|(_, value)| inside(wire, root, value, found));
            }
            _ => {}
        }
    }
}

#[test]
fn every_reported_schema_is_accepted_once_adapted() {
    let mut before = 0;
    for file in FILES {
        for tool in tools(file) {
            for wire in WIRES {
                before +=
                    usize::from(!refused(wire, tool.input_schema().expect("a schema")).is_empty());
                let adapted = adapt(wire, tool.input_schema());
                let found = refused(wire, &adapted.schema);
                assert_eq!(
                    found,
                    Vec::<String>::new(),
                    "{} on {wire:?}: {}",
                    tool.name(),
                    adapted.schema
                );
            }
        }
    }
    assert!(before > 30, "the rules refuse what was reported: {before}");
}

#[test]
fn what_a_wire_takes_stays_byte_for_byte() {
    for (file, name) in [
        (0, "add_note"),
        (0, "fetch_page"),
        (0, "nested_union"),
        (2, "fine_key"),
        (5, "other_tool"),
    ] {
        let listed = tools(FILES[file]);
        let own = listed
            .iter()
            .find(|tool| tool.name() == name)
            .and_then(Tool::input_schema);
        for wire in WIRES {
            let (schema, repairs) = adapted(wire, file, name);
            assert_eq!(
                (Some(&schema), repairs.as_str()),
                (own, ""),
                "{name} on {wire:?}"
            );
        }
    }
    // References are fine for all but Gemini.
    let (schema, repairs) = adapted(Wire::Responses, 1, "create_object");
    assert_eq!(repairs, "");
    assert_eq!(
        schema["properties"]["target"]["anyOf"][0],
        json!({"$ref": "#/$defs/Table"})
    );
}

#[test]
fn a_choice_at_the_root_is_told_as_lost() {
    for wire in [Wire::ChatCompletions, Wire::Responses, Wire::Messages] {
        let (schema, repairs) = adapted(wire, 0, "check_coverage");
        assert!(
            repairs.starts_with("at the root, `anyOf` is left out"),
            "{repairs}"
        );
        assert_eq!(schema["required"], json!(["project"]));
    }
    let branches = json!({"oneOf": [
        {"properties": {"a": {"type": "string"}, "k": {}}, "required": ["a", "k"]},
        {"properties": {"b": {"type": "string"}}, "required": ["b", "k"]}]});
    let schema = adapt(Wire::Messages, Some(&branches)).schema;
    assert_eq!(
        schema["properties"].as_object().expect("properties").len(),
        3
    );
    assert_eq!(schema["required"], json!(["k"]));
    let both = json!({"type": "object", "allOf": [{"$ref": "#/$defs/A"}, {"required": ["b"]}],
        "$defs": {"A": {"properties": {"a": {}}, "required": ["a"]}}});
    let schema = adapt(Wire::Responses, Some(&both)).schema;
    assert_eq!(schema["required"], json!(["a", "b"]));
    assert_eq!(schema["properties"], json!({"a": {}}));
}

#[test]
fn references_are_written_out_where_they_must_be() {
    let (schema, repairs) = adapted(Wire::Gemini, 1, "create_object");
    let target = &schema["properties"]["target"];
    assert_eq!(
        target["anyOf"][1]["properties"]["sql"],
        json!({"type": "string"})
    );
    assert_eq!(
        schema["properties"]["max"],
        json!({"type": "integer", "minimum": 1})
    );
    assert_eq!(schema["properties"]["mode"], json!({"enum": ["fast"]}));
    assert_eq!(repairs, "", "nothing was lost");
    let (schema, repairs) = adapted(Wire::Gemini, 6, "make_tree");
    let node = &schema["properties"]["nodes"]["items"];
    assert_eq!(
        node["properties"]["children"]["items"]["required"],
        json!(["label"])
    );
    assert!(repairs.contains("cut off after one round"), "{repairs}");
}

#[test]
fn references_without_an_end_or_a_target_are_left_out_on_every_wire() {
    for wire in WIRES {
        for (file, name, key, told) in [
            (1, "dangling", "item", "leads nowhere"),
            (6, "self_only", "x", "back to itself"),
        ] {
            let (schema, repairs) = adapted(wire, file, name);
            assert_eq!(schema["properties"][key], json!({}), "{name} on {wire:?}");
            assert!(repairs.contains(told), "{repairs}");
        }
        let away = json!({"type": "object", "properties": {"x": {"$ref": "http://169.254.169.254/", "title": "t"}}});
        let adapted = adapt(wire, Some(&away));
        assert_eq!(adapted.schema["properties"]["x"], json!({"title": "t"}));
        assert!(adapted.repairs[0].contains("leaves the document"));
    }
}

#[test]
fn odd_keys_travel_under_other_names_and_come_back() {
    for file in [2, 6] {
        for tool in tools(FILES[file]) {
            let offer = Offer::new(Wire::Messages, std::slice::from_ref(&tool));
            let own: Vec<String> = tool.input_schema().expect("a schema")["properties"]
                .as_object()
                .expect("properties")
                .keys()
                .cloned()
                .collect();
            let arguments = own
                .iter()
                .map(|key| (key.clone(), json!({"c~d": [key]})))
                .collect();
            let sent = offer.names.sent_arguments(tool.name(), arguments);
            for key in sent.as_object().expect("an object").keys() {
                let has = offer.tools[0].schema["properties"].get(key).is_some();
                assert!(has, "{key} of {}", tool.name());
            }
            let back = offer.names.own_arguments(tool.name(), sent.to_string());
            let back: Value = serde_json::from_str(&back).expect("JSON");
            let expected: Value = own
                .iter()
                .map(|key| (key.clone(), json!({"c~d": [key]})))
                .collect();
            assert_eq!(back, expected);
        }
    }
    let (schema, repairs) = adapted(Wire::Messages, 6, "escaped_pointer");
    assert_eq!(
        schema["properties"]["again"]["$ref"],
        "#/properties/a_b/properties/c_d"
    );
    assert_eq!(repairs, "", "renaming is told by the names");
}

#[test]
fn text_that_needs_no_renaming_keeps_its_bytes() {
    let tools = tools(FILES[2]);
    let offer = Offer::new(Wire::Messages, &tools);
    for text in ["", "{\"x\": 1.0}", "{broken", "[1]", "{\"x\":1,\"x\":2}"] {
        for tool in ["list_files", "fine_key"] {
            assert_eq!(offer.names.own_arguments(tool, text.to_owned()), text);
        }
    }
    assert!(
        offer
            .notes
            .iter()
            .any(|note| note.contains("`$top` of `list_files` is offered as `_top`")),
        "{:?}",
        offer.notes
    );
}

#[test]
fn older_drafts_are_told_in_the_words_of_the_current_one() {
    let (schema, repairs) = adapted(Wire::Messages, 4, "count_rows");
    let pair = &schema["properties"]["pair"];
    assert_eq!(
        pair["prefixItems"],
        json!([{"type": "string"}, {"type": "integer"}])
    );
    assert_eq!(pair["items"], json!(false));
    assert!(repairs.contains("the dialect is not named"), "{repairs}");
    let (_, repairs) = adapted(Wire::Messages, 4, "trailing_hash");
    assert_eq!(repairs, "");
    let four =
        json!({"type": "object", "properties": {"n": {"minimum": 3, "exclusiveMinimum": true}}});
    let schema = adapt(Wire::Responses, Some(&four)).schema;
    assert_eq!(schema["properties"]["n"], json!({"exclusiveMinimum": 3}));
}

#[test]
fn truths_become_schemas_and_what_is_forbidden_is_not_offered() {
    let (schema, repairs) = adapted(Wire::Responses, 5, "invoke_job");
    assert_eq!(
        schema["properties"],
        json!({"job": {"type": "string"}, "data": {}})
    );
    assert_eq!(schema["additionalProperties"], json!(false));
    assert!(repairs.contains("at /properties/never"), "{repairs}");
    let (schema, repairs) = adapted(Wire::Messages, 5, "invoke_job");
    assert_eq!(
        (&schema["properties"]["never"], repairs.as_str()),
        (&json!(false), "")
    );
}

#[test]
fn no_schema_grows_without_bound_or_breaks_us() {
    let mut doubling =
        json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": {}});
    for i in 0..30 {
        let next = json!({"$ref": format!("#/$defs/d{}", i + 1)});
        doubling["$defs"][format!("d{i}")] = json!({"anyOf": [next, next]});
    }
    doubling["$defs"]["d30"] = json!({"type": "string"});
    let mut deep = json!({});
    for _ in 0..500 {
        deep = json!({"items": deep});
    }
    let deep = json!({"type": "object", "properties": {"x": deep}});
    let wide: serde_json::Map<String, Value> = (0..50_000)
        .map(|i| (format!("p {i}"), json!(true)))
        .collect();
    let wide = json!({"type": "object", "properties": wide});
    for wire in WIRES {
        for schema in [
            &doubling,
            &deep,
            &wide,
            &json!(true),
            &json!([]),
            &json!({"properties": 7, "type": ["a"]}),
        ] {
            let adapted = adapt(wire, Some(schema));
            assert!(adapted.repairs.len() <= 21);
            assert_eq!(adapted.schema["type"], "object");
            assert!(adapted.schema["properties"].is_object());
        }
        assert_eq!(
            adapt(wire, None).schema,
            json!({"type": "object", "properties": {}})
        );
    }
}
