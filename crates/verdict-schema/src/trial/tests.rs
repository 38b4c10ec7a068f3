//! What a trial says of values that defaults usually are.

use super::Trial;
use crate::dialect::Dialect;
use crate::walk::Plan;
use serde_json::{Value, json};

fn trial(dialect: Dialect, schema: &Value, value: &Value) -> Option<bool> {
    let plan = Plan::new(schema, dialect, 1_000);
    Trial::new(&plan, 1_000).fits(0, value)
}

#[test]
fn keywords_that_defaults_usually_meet() {
    for (schema, fits, misfit) in [
        (json!({"type": "integer"}), json!(1.0), json!(1.5)),
        (json!({"type": ["string", "null"]}), json!(null), json!(1)),
        (json!({"enum": ["a", 1]}), json!(1.0), json!("b")),
        (json!({"const": {"a": [1]}}), json!({"a": [1]}), json!({})),
        (
            json!({"minimum": 1, "exclusiveMaximum": 3}),
            json!(1),
            json!(3),
        ),
        (json!({"multipleOf": 5}), json!(10), json!(11)),
        (
            json!({"minLength": 2, "maxLength": 2}),
            json!("üü"),
            json!("a"),
        ),
        (
            json!({"maxItems": 1.0, "items": {"type": "null"}}),
            json!([null]),
            json!([1]),
        ),
        (
            json!({"prefixItems": [true, false]}),
            json!([1]),
            json!([1, 2]),
        ),
        (
            json!({"prefixItems": [true], "items": false}),
            json!([1]),
            json!([1, 2]),
        ),
        (json!({"uniqueItems": true}), json!([1, 2]), json!([1, 1.0])),
        (
            json!({"required": ["a"], "minProperties": 1}),
            json!({"a": 1}),
            json!({"b": 1}),
        ),
        (
            json!({"properties": {"a": {"type": "null"}}, "additionalProperties": false}),
            json!({"a": null}),
            json!({"b": 1}),
        ),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            json!(null),
            json!(1),
        ),
        (
            json!({"oneOf": [{"type": "integer"}, {"minimum": 5}]}),
            json!(1),
            json!(6),
        ),
        (
            json!({"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"type": "null"}}}),
            json!(null),
            json!(1),
        ),
        (json!({"not": {"type": "null"}}), json!(1), json!(null)),
        (
            json!({"if": {"type": "string"}, "then": {"minLength": 1}, "else": false}),
            json!("a"),
            json!(1),
        ),
    ] {
        assert_eq!(
            trial(Dialect::Draft202012, &schema, &fits),
            Some(true),
            "{schema} {fits}"
        );
        assert_eq!(
            trial(Dialect::Draft202012, &schema, &misfit),
            Some(false),
            "{schema} {misfit}"
        );
    }
}

#[test]
fn dialects_differ() {
    assert_eq!(
        trial(Dialect::Draft4, &json!({"type": "integer"}), &json!(1.0)),
        Some(false)
    );
    let strict = json!({"minimum": 1, "exclusiveMinimum": true});
    assert_eq!(trial(Dialect::Draft4, &strict, &json!(1)), Some(false));
    let tuple = json!({"items": [true], "additionalItems": false});
    assert_eq!(trial(Dialect::Draft7, &tuple, &json!([1, 2])), Some(false));
    assert_eq!(
        trial(
            Dialect::Draft7,
            &json!({"additionalItems": false}),
            &json!([1])
        ),
        Some(true)
    );
}

#[test]
fn what_is_not_tried_is_not_known() {
    for (schema, value) in [
        (json!({"pattern": "^a$"}), json!("b")),
        (json!({"unevaluatedProperties": false}), json!({"a": 1})),
        (json!({"$ref": "http://a.example/"}), json!(1)),
        (json!({"multipleOf": 0.1}), json!(1)),
        (json!({"$ref": "#"}), json!(1)),
    ] {
        assert_eq!(
            trial(Dialect::Draft202012, &schema, &value),
            None,
            "{schema}"
        );
    }
    let known = json!({"pattern": "^a$", "type": "integer"});
    assert_eq!(
        trial(Dialect::Draft202012, &known, &json!("b")),
        Some(false)
    );
}

#[test]
fn steps_are_bounded() {
    let mut defs = serde_json::Map::new();
    for level in 0..20 {
        let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
        defs.insert(format!("d{level}"), json!({"allOf": [next.clone(), next]}));
    }
    defs.insert("d20".to_owned(), json!({"type": "null"}));
    let schema = json!({"$ref": "#/$defs/d0", "$defs": defs});
    let plan = Plan::new(&schema, Dialect::Draft202012, 1_000);
    let mut trial = Trial::new(&plan, 500);
    assert_eq!(trial.fits(0, &Value::Null), None);
    assert!(trial.is_spent());
}
