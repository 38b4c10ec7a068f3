//! The rows on `x-mcp-header`.

#[expect(
    dead_code,
    reason = "shared with other tests, each of which uses a part"
)]
mod seen;

use seen::{defects, places};
use serde_json::{Value, json};
use verdict_schema::{Kind, Role, Weight};

const PLACE: &str = "/properties/region/x-mcp-header";

/// A tool with one annotated property.
fn tool(property: &Value) -> Value {
    let mut property = property.clone();
    if property.get("x-mcp-header").is_none() {
        property["x-mcp-header"] = json!("Region");
    }
    json!({"type": "object", "properties": {"region": property}})
}

fn found(kind: Kind, schema: &Value) -> Vec<(Weight, String)> {
    places(kind, schema, Role::Input)
}

fn weights(kind: Kind, property: &Value) -> Vec<Weight> {
    found(kind, &tool(property))
        .into_iter()
        .map(|(weight, _)| weight)
        .collect()
}

#[test]
fn a_good_annotation_passes_everything() {
    for kind in ["string", "integer", "boolean"] {
        assert!(defects(&tool(&json!({"type": kind})), Role::Input).is_empty());
        assert!(defects(&tool(&json!({"type": [kind]})), Role::Input).is_empty());
    }
    // Annotations mean nothing in an output schema.
    let output = json!({"x-mcp-header": 5, "items": {"x-mcp-header": ""}});
    assert!(defects(&output, Role::Output).is_empty());
}

#[test]
fn string() {
    for name in [
        json!(""),
        json!(5),
        json!(null),
        json!(["a"]),
        json!(true),
        json!({}),
    ] {
        let schema = tool(&json!({"type": "string", "x-mcp-header": name}));
        let expected = vec![(
            "schema.x-mcp-header-string",
            Weight::Broken,
            PLACE.to_owned(),
        )];
        assert_eq!(defects(&schema, Role::Input), expected);
    }
}

#[test]
fn token() {
    for name in ["X-Region", "a", "!#$%&'*+-.^_`|~09"] {
        assert!(
            weights(
                Kind::HeaderToken,
                &json!({"type": "string", "x-mcp-header": name})
            )
            .is_empty()
        );
    }
    for name in ["a b", "a:b", "ü", "a\r\nb: c", "(a)", "a/b", "\u{7f}", " "] {
        let schema = tool(&json!({"type": "string", "x-mcp-header": name}));
        let expected = vec![(
            "schema.x-mcp-header-token",
            Weight::Broken,
            PLACE.to_owned(),
        )];
        assert_eq!(defects(&schema, Role::Input), expected, "{name}");
    }
}

#[test]
fn unique() {
    let schema = |first: &str, second: &str| {
        json!({"type": "object", "properties": {
            "a": {"type": "string", "x-mcp-header": first},
            "b": {"type": "object", "properties": {"c": {"type": "string", "x-mcp-header": second}}}
        }})
    };
    assert!(found(Kind::HeaderUnique, &schema("Region", "Zone")).is_empty());
    let expected = vec![(
        Weight::Broken,
        "/properties/b/properties/c/x-mcp-header".to_owned(),
    )];
    assert_eq!(
        found(Kind::HeaderUnique, &schema("Region", "REGION")),
        expected
    );
}

#[test]
fn primitive() {
    let kind = Kind::HeaderPrimitive;
    for property in [
        json!({"type": "number"}),
        json!({"type": "object"}),
        json!({"type": "array"}),
        json!({"type": "null"}),
        json!({"type": ["string", "integer"]}),
        json!({"type": ["integer", "number"]}),
        json!({}),
        json!({"enum": ["a", 1]}),
        json!({"const": 1.5}),
        json!({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}),
        json!({"anyOf": [{"type": "string"}, {}]}),
        json!({"description": "no type"}),
    ] {
        assert_eq!(weights(kind, &property), [Weight::Broken], "{property}");
    }
    for property in [
        json!({"type": ["string", "null"]}),
        json!({"type": ["null", "boolean"]}),
        json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        json!({"oneOf": [{"type": "null"}, {"enum": ["a"]}]}),
        json!({"enum": ["a", "b"]}),
        json!({"enum": ["a", null]}),
        json!({"const": 5}),
        json!({"allOf": [{"description": "x"}, {"type": "string"}]}),
    ] {
        assert_eq!(weights(kind, &property), [Weight::Unproven], "{property}");
    }
    let referring = |target: Value| {
        let mut schema = tool(&json!({"$ref": "#/$defs/a"}));
        schema["$defs"] = json!({"a": target});
        found(kind, &schema)
            .into_iter()
            .map(|(weight, _)| weight)
            .collect::<Vec<_>>()
    };
    assert_eq!(referring(json!({"type": "string"})), [Weight::Unproven]);
    assert_eq!(referring(json!({"$ref": "#/$defs/a"})), [Weight::Broken]);
    assert_eq!(referring(json!({"type": "object"})), [Weight::Broken]);
    // Other rows own a broken type and a broken reference.
    assert!(weights(kind, &json!({"type": "strnig"})).is_empty());
    assert_eq!(
        weights(kind, &json!({"$ref": "#/nowhere"})),
        [Weight::Unproven]
    );
}

#[test]
fn reachable() {
    let annotated = json!({"type": "string", "x-mcp-header": "Region"});
    let nested = json!({"type": "object", "properties": {
        "a": {"type": "object", "properties": {"properties": annotated}}
    }});
    assert!(defects(&nested, Role::Input).is_empty());
    for (place, schema) in [
        ("", json!({"type": "object", "x-mcp-header": "Region"})),
        (
            "/properties/a/items",
            json!({"type": "object", "properties": {"a": {"items": annotated}}}),
        ),
        (
            "/allOf/0/properties/a",
            json!({"type": "object", "allOf": [{"properties": {"a": annotated}}]}),
        ),
        (
            "/properties/a/anyOf/0",
            json!({"type": "object", "properties": {"a": {"anyOf": [annotated]}}}),
        ),
        (
            "/$defs/a",
            json!({"type": "object", "$defs": {"a": annotated}}),
        ),
        (
            "/then/properties/a",
            json!({"type": "object", "if": {}, "then": {"properties": {"a": annotated}}}),
        ),
        (
            "/patternProperties/a",
            json!({"type": "object", "patternProperties": {"a": annotated}}),
        ),
        (
            "/additionalProperties",
            json!({"type": "object", "additionalProperties": annotated}),
        ),
        (
            "/x-own",
            json!({"type": "object", "x-own": annotated, "properties": {"a": {"$ref": "#/x-own"}}}),
        ),
    ] {
        // One defect, one owner: where it may not stand, its type does not matter.
        let expected = vec![(
            "schema.x-mcp-header-reachable",
            Weight::Broken,
            format!("{place}/x-mcp-header"),
        )];
        assert_eq!(defects(&schema, Role::Input), expected, "{schema}");
    }
    // Neither the name of a property nor data is an annotation.
    let none = json!({
        "type": "object", "properties": {"x-mcp-header": {"type": "object"}},
        "default": {"x-mcp-header": 1}, "examples": [{"x-mcp-header": ""}],
        "const": {"x-mcp-header": {}}, "enum": [{"x-mcp-header": []}]
    });
    assert!(places(Kind::HeaderReachable, &none, Role::Input).is_empty());
    assert!(places(Kind::HeaderString, &none, Role::Input).is_empty());
}

#[test]
fn int_range() {
    let kind = Kind::HeaderIntRange;
    let limit = 9_007_199_254_740_991_i64;
    for property in [
        json!({"type": "integer"}),
        json!({"type": "integer", "minimum": -limit, "maximum": limit}),
        json!({"type": "integer", "exclusiveMaximum": limit + 1, "exclusiveMinimum": -limit - 1}),
        json!({"type": "string", "maximum": u64::MAX}),
    ] {
        assert!(weights(kind, &property).is_empty(), "{property}");
    }
    for (keyword, value) in [
        ("maximum", json!(limit + 1)),
        ("maximum", json!(u64::MAX)),
        ("maximum", json!(1e300)),
        ("minimum", json!(-limit - 1)),
        ("exclusiveMaximum", json!(limit + 2)),
        ("enum", json!([1, limit + 1])),
        ("const", json!(i64::MIN)),
        ("default", json!(u64::MAX)),
    ] {
        let property = json!({"type": "integer", keyword: value});
        assert_eq!(weights(kind, &property), [Weight::Unproven], "{property}");
    }
}

#[test]
fn sensitive() {
    let kind = Kind::HeaderSensitive;
    assert!(
        weights(
            kind,
            &json!({"type": "string", "description": "Where to run"})
        )
        .is_empty()
    );
    let page = json!({"type": "string", "x-mcp-header": "Page-Token"});
    assert!(weights(kind, &page).is_empty());
    for property in [
        json!({"type": "string", "x-mcp-header": "X-Api-Key"}),
        json!({"type": "string", "description": "The account's password."}),
    ] {
        assert_eq!(weights(kind, &property), [Weight::Broken], "{property}");
    }
    let named = json!({"type": "object", "properties": {
        "clientSecret": {"type": "string", "x-mcp-header": "C"}
    }});
    assert_eq!(found(kind, &named).len(), 1);
}

#[test]
fn annotations_count_in_every_dialect() {
    for dialect in [
        "http://json-schema.org/draft-07/schema#",
        "https://a.example/own",
    ] {
        let mut schema = tool(&json!({"type": "number"}));
        schema["$schema"] = json!(dialect);
        assert_eq!(found(Kind::HeaderPrimitive, &schema).len(), 1, "{dialect}");
    }
}
