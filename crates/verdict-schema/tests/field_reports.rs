//! Trouble that people met in the field, rebuilt small: what an examination has to say of it.

#[expect(
    dead_code,
    reason = "shared with other tests, each of which uses a part"
)]
mod seen;

use seen::{defects, places};
use serde_json::{Value, json};
use verdict_schema::{Examiner, Kind, Role, Validity, Weight};

fn clean(schema: &Value) {
    assert_eq!(defects(schema, Role::Input), [], "{schema}");
}

fn only(kind: Kind, weight: Weight, pointer: &str, schema: &Value) {
    let expected = vec![(kind.check_id(), weight, pointer.to_owned())];
    assert_eq!(defects(schema, Role::Input), expected, "{schema}");
}

#[test]
fn combinators_at_the_root_and_missing_parts_are_valid() {
    clean(&json!({
        "type": "object",
        "properties": {
            "project": {"type": "string"},
            "paths": {"type": "array", "items": {"type": "string"}},
            "scopes": {"type": "array", "items": {"type": "string"}}
        },
        "required": ["project"],
        "anyOf": [{"required": ["paths"]}, {"required": ["scopes"]}]
    }));
    clean(&json!({"type": "object", "properties": {"columns": {"type": "array"}}}));
    clean(&json!({"type": "object"}));
    clean(&json!({
        "type": "object",
        "properties": {
            "url": {"type": "string", "format": "uri"},
            "wait": {"type": "integer", "format": "uint32", "minimum": 0},
            "when": {"anyOf": [{"type": "string"}, {"type": "integer"}]}
        },
        "required": ["url", "wait"],
        "additionalProperties": false
    }));
}

#[test]
fn definitions_of_both_kinds_and_a_dangling_reference() {
    clean(&json!({
        "type": "object",
        "properties": {
            "target": {"anyOf": [{"$ref": "#/$defs/Table"}, {"$ref": "#/$defs/View"}]},
            "max": {"type": "integer", "exclusiveMinimum": 0},
            "mode": {"const": "fast"}
        },
        "required": ["target"],
        "additionalProperties": false,
        "$defs": {
            "Table": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
            "View": {"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"]}
        }
    }));
    let old = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"item": {"$ref": "#/definitions/Item"}},
        "definitions": {"Item": {"type": "object", "properties": {"id": {"type": "string"}}}}
    });
    only(Kind::DialectKnown, Weight::Noted, "/$schema", &old);
    let dangling = json!({"type": "object", "properties": {"item": {"$ref": "#/$defs/Missing"}}});
    only(
        Kind::RefLocal,
        Weight::Broken,
        "/properties/item/$ref",
        &dangling,
    );
}

#[test]
fn property_keys_of_any_kind_are_valid() {
    for key in [
        "$top",
        "@a.b",
        "filter[name]",
        "uygulanıyor_mu",
        &"k".repeat(65),
        "a-b_c",
        "__proto__",
        "",
    ] {
        clean(&json!({"type": "object", "properties": {key: {"type": "string"}}}));
    }
}

#[test]
fn dialects_are_judged_by_their_own_rules() {
    let tuple = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"pair": {
            "type": "array", "items": [{"type": "string"}, {"type": "integer"}], "additionalItems": false
        }}
    });
    only(Kind::DialectKnown, Weight::Noted, "/$schema", &tuple);
    let examiner = Examiner::default();
    let valid = |value: Value| examiner.validate(&tuple, &value);
    assert_eq!(valid(json!({"pair": ["a", 1]})), Validity::Valid);
    assert!(matches!(
        valid(json!({"pair": ["a", 1, 2]})),
        Validity::Invalid(_)
    ));
    let odd =
        json!({"$schema": "https://example.org/my-dialect/v1", "type": "object", "properties": {}});
    only(Kind::DialectKnown, Weight::Unproven, "/$schema", &odd);
    assert!(matches!(
        examiner.validate(&odd, &json!({})),
        Validity::Undecided(_)
    ));
    clean(&json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema#", "type": "object", "properties": {}
    }));
}

#[test]
fn boolean_subschemas_are_schemas() {
    let schema = json!({
        "type": "object",
        "properties": {"job": {"type": "string"}, "data": true, "never": false, "value": {}},
        "required": ["job"],
        "additionalProperties": false
    });
    clean(&schema);
    let examiner = Examiner::default();
    assert_eq!(
        examiner.validate(&schema, &json!({"job": "a", "data": [1]})),
        Validity::Valid
    );
    let Validity::Invalid(violations) =
        examiner.validate(&schema, &json!({"job": "a", "never": 1}))
    else {
        panic!("`false` forbids the property");
    };
    assert_eq!(violations[0].pointer, "/never");
    assert_eq!(violations[0].schema_pointer, "/properties/never");
}

#[test]
fn recursion_by_pointer_is_legal() {
    let tree = json!({
        "type": "object",
        "properties": {"nodes": {"type": "array", "items": {
            "type": "object",
            "properties": {
                "label": {"type": "string"},
                "children": {"type": "array", "items": {"$ref": "#/properties/nodes/items"}}
            },
            "required": ["label"]
        }}},
        "required": ["nodes"]
    });
    clean(&tree);
    let examiner = Examiner::default();
    let leaf = json!({"label": "c", "children": []});
    let good = json!({"nodes": [{"label": "a", "children": [{"label": "b", "children": [leaf]}]}]});
    assert_eq!(examiner.validate(&tree, &good), Validity::Valid);
    let bad = json!({"nodes": [{"label": "a", "children": [{"label": "b", "children": [{}]}]}]});
    let Validity::Invalid(violations) = examiner.validate(&tree, &bad) else {
        panic!("a node without a label");
    };
    assert_eq!(violations[0].pointer, "/nodes/0/children/0/children/0");
    assert_eq!(
        violations[0].schema_pointer,
        "/properties/nodes/items/required"
    );
}

#[test]
fn pointers_are_escaped() {
    let schema = json!({"type": "object", "properties": {
        "a/b": {"type": "object", "properties": {"c~d": {"type": "integer"}}},
        "again": {"$ref": "#/properties/a~1b/properties/c~0d"}
    }});
    clean(&schema);
    let Validity::Invalid(violations) =
        Examiner::default().validate(&schema, &json!({"again": "x"}))
    else {
        panic!("a string is no integer");
    };
    assert_eq!(
        violations[0].schema_pointer,
        "/properties/a~1b/properties/c~0d/type"
    );
}

#[test]
fn a_loop_without_end_is_found_at_once() {
    let schema = json!({"type": "object", "properties": {"x": {"$ref": "#/properties/x"}}});
    only(Kind::RefCycle, Weight::Broken, "/properties/x", &schema);
    assert!(places(Kind::RefLocal, &schema, Role::Input).is_empty());
    let validity = Examiner::default().validate(&schema, &json!({"x": 1}));
    assert_eq!(
        validity,
        Validity::Undecided("references form a loop without end".to_owned())
    );
}
