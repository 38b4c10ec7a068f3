use super::*;

fn made(schema: &Value) -> Value {
    value(schema, schema).unwrap_or_else(|why| json!({ "given up": why }))
}

fn given_up(schema: &Value) -> bool {
    value(schema, schema).is_err()
}

#[test]
fn required_properties_get_the_values_that_the_schema_names() {
    let schema = json!({"type": "object", "required": ["a", "b", "c", "d", "e", "f"], "properties": {
        "a": {"const": 3}, "b": {"enum": ["x", "y"]}, "c": {"type": "integer", "default": 10},
        "d": {"type": "string", "examples": ["INV-1"]}, "e": {"type": "string", "format": "date"},
        "f": {"type": "boolean"}, "unneeded": {"type": "string"}
    }});
    let due = json!({"a": 3, "b": "x", "c": 10, "d": "INV-1", "e": "2026-07-28", "f": false});
    assert_eq!(made(&schema), due);
    assert_eq!(generate(&json!({"type": "object"})), Ok(Map::new()));
}

#[test]
fn numbers_and_texts_keep_their_bounds() {
    for (schema, due) in [
        (json!({"type": "integer", "minimum": 5}), json!(5)),
        (json!({"type": "integer", "maximum": -5}), json!(-5)),
        (json!({"type": "integer", "exclusiveMinimum": 5}), json!(6)),
        (
            json!({"type": "integer", "minimum": 5, "exclusiveMinimum": true}),
            json!(6),
        ),
        (
            json!({"type": "integer", "minimum": 5, "multipleOf": 4}),
            json!(8),
        ),
        (json!({"type": "integer", "minimum": 2.5}), json!(3)),
        (
            json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}),
            json!(0.5),
        ),
        (json!({"type": "number", "minimum": 2}), json!(2.0)),
        (json!({"type": "string", "maxLength": 3}), json!("exa")),
        (
            json!({"type": "string", "minLength": 9}),
            json!("examplexx"),
        ),
        (json!({"type": "string", "maxLength": 0}), json!("")),
        (
            json!({"type": ["null", "string"], "default": null}),
            json!("example"),
        ),
    ] {
        assert_eq!(made(&schema), due, "{schema}");
    }
}

#[test]
fn references_and_parts_are_put_together() {
    let schema = json!({
        "$defs": {"id": {"type": "integer", "minimum": 7}, "name": {"properties": {"n": {"type": "string"}}, "required": ["n"]}},
        "type": "object",
        "allOf": [{"$ref": "#/$defs/name"}, {"required": ["i"]}],
        "properties": {"i": {"anyOf": [{"not": {}}, {"$ref": "#/$defs/id", "description": "x"}]}}
    });
    // `allOf` brings in a reference, which is followed in the next step.
    assert_eq!(made(&schema), json!({"i": 7, "n": "example"}));
}

#[test]
fn what_cannot_be_met_with_certainty_is_given_up() {
    for schema in [
        json!(false),
        json!({"type": "string", "pattern": "^x+$"}),
        json!({"not": {"type": "string"}}),
        json!({"type": "object", "if": {}, "then": {}}),
        json!({"type": "array", "minItems": 2_000_000_000}),
        json!({"type": "array", "minItems": 1, "items": false}),
        json!({"type": "string", "minLength": 4_000_000_000_u64}),
        json!({"type": "string", "minLength": 5, "maxLength": 4}),
        json!({"type": "integer", "minimum": 5, "maximum": 4}),
        json!({"type": "integer", "minimum": 1, "maximum": 3, "multipleOf": 4}),
        json!({"type": "integer", "minimum": 1e300}),
        json!({"type": "object", "required": ["x"], "additionalProperties": false}),
        json!({"type": "object", "minProperties": 3}),
        json!({"$ref": "https://example.com/schema"}),
        json!({"$ref": "#/nowhere"}),
        json!({"$ref": "#"}),
        json!({"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 1}),
        json!({"type": "string", "format": "uuid", "maxLength": 3}),
    ] {
        assert!(given_up(&schema), "{schema}: {}", made(&schema));
    }
}

#[test]
fn hostile_schemas_end_soon() {
    let itself = json!({"type": "object", "required": ["a", "b"],
        "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}});
    assert!(given_up(&itself));
    let mut deep = json!({"type": "string"});
    for _ in 0..200 {
        deep = json!({"type": "object", "required": ["x"], "properties": {"x": deep}});
    }
    assert!(given_up(&deep));
    let doubling = json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]});
    assert!(given_up(&doubling));
    let names: Vec<String> = (0..100_000).map(|at| at.to_string()).collect();
    assert!(given_up(&json!({"type": "object", "required": names})));
}
