//! Each row on single subschemas: at least one schema that keeps the rule and one that breaks it.

mod seen;

use seen::{defects, message, places};
use serde_json::{Value, json};
use verdict_schema::{Bounds, Examiner, Kind, Role, Weight};

fn at(pointer: &str) -> Vec<(Weight, String)> {
    vec![(Weight::Broken, pointer.to_owned())]
}

fn noted(pointer: &str) -> Vec<(Weight, String)> {
    vec![(Weight::Noted, pointer.to_owned())]
}

#[test]
fn input_root_object() {
    let kind = Kind::InputRootObject;
    assert!(places(kind, &json!({"type": "object"}), Role::Input).is_empty());
    for (schema, pointer) in [
        (json!({}), ""),
        (json!({"type": ["object"]}), "/type"),
        (json!({"type": "string"}), "/type"),
        (json!({"type": 5}), "/type"),
        (json!({"anyOf": [{"type": "object"}]}), ""),
        (Value::Null, ""),
        (json!(true), ""),
        (json!("object"), ""),
        (json!([{"type": "object"}]), ""),
    ] {
        // One defect, one owner: nothing else is said about the root.
        let expected = vec![(kind.check_id(), Weight::Broken, pointer.to_owned())];
        assert_eq!(defects(&schema, Role::Input), expected, "{schema}");
    }
}

#[test]
fn output_is_object() {
    let kind = Kind::OutputIsObject;
    for schema in [
        json!({}),
        json!({"type": "array"}),
        json!({"type": ["string", "null"]}),
    ] {
        assert!(defects(&schema, Role::Output).is_empty(), "{schema}");
    }
    for schema in [Value::Null, json!(true), json!("a"), json!([]), json!(1)] {
        let expected = vec![(kind.check_id(), Weight::Broken, String::new())];
        assert_eq!(defects(&schema, Role::Output), expected, "{schema}");
    }
    let examination = Examiner::default().examine(&Value::Null, Role::Output);
    assert!(
        examination
            .unjudged
            .iter()
            .any(|it| it.kind == Kind::OutputValid)
    );
    assert!(examination.unjudged.iter().all(|it| it.kind != kind));
}

#[test]
fn valid_in_its_dialect() {
    for (role, kind) in [
        (Role::Input, Kind::InputValid),
        (Role::Output, Kind::OutputValid),
    ] {
        let good = json!({
            "type": "object",
            "properties": {"a": {"type": ["string", "null"], "format":
                "no-such-format", "pattern": "("}, "b": true, "c": {"x-own": [1]}},
            "required": []
        });
        assert!(places(kind, &good, role).is_empty());
        let bad = json!({"type": "object", "properties": {"a": {"type": "strnig"}}});
        assert_eq!(places(kind, &bad, role), at("/properties/a/type"));
        assert_eq!(
            message(kind, &bad, role),
            "expected one of array, boolean, integer, null, number, object, string, found \"strnig\""
        );
        let bad = json!({"type": "object", "properties": {"a": []}, "required": ["a", "a"]});
        assert_eq!(places(kind, &bad, role).len(), 2);
        // The same schema under its own dialect.
        let tuple = json!({"type": "object", "properties": {"a": {"items": [{}, {}]}}});
        assert_eq!(places(kind, &tuple, role), at("/properties/a/items"));
        let mut old = tuple;
        old["$schema"] = json!("http://json-schema.org/draft-07/schema#");
        assert!(places(kind, &old, role).is_empty());
    }
}

#[test]
fn an_embedded_resource_is_judged_by_its_own_dialect() {
    let schema = |dialect: &str| {
        json!({"type": "object", "$defs": {"old": {
            "$id": "http://a.example/old", "$schema": dialect, "items": [{}],
            "definitions": {"broken": {"type": "strnig"}}
        }}})
    };
    let draft7 = schema("http://json-schema.org/draft-07/schema#");
    let expected = at("/$defs/old/definitions/broken/type");
    assert_eq!(places(Kind::InputValid, &draft7, Role::Input), expected);
    let unknown = schema("http://a.example/dialect");
    assert!(places(Kind::InputValid, &unknown, Role::Input).is_empty());
}

#[test]
fn dialect_known() {
    let kind = Kind::DialectKnown;
    let schema = |dialect: Value| json!({"type": "object", "$schema": dialect});
    let newest = "https://json-schema.org/draft/2020-12/schema";
    assert!(places(kind, &json!({"type": "object"}), Role::Input).is_empty());
    assert!(places(kind, &schema(json!(newest)), Role::Input).is_empty());
    assert!(places(kind, &schema(json!(format!("{newest}#"))), Role::Input).is_empty());
    let old = schema(json!("http://json-schema.org/draft-07/schema#"));
    assert_eq!(places(kind, &old, Role::Input), noted("/$schema"));
    let unknown = schema(json!("https://a.example/dialect"));
    let expected = vec![(kind.check_id(), Weight::Unproven, "/$schema".to_owned())];
    assert_eq!(defects(&unknown, Role::Input), expected);
    // Another row owns a `$schema` that is no string.
    assert!(defects(&schema(json!(7)), Role::Input).is_empty());
    for dialect in [json!("https://a.example/dialect"), json!(7)] {
        let examination = Examiner::default().examine(&schema(dialect), Role::Input);
        let unjudged: Vec<Kind> = examination.unjudged.iter().map(|it| it.kind).collect();
        assert!(unjudged.contains(&Kind::InputValid) && unjudged.contains(&Kind::RefLocal));
        assert!(!unjudged.contains(&Kind::OutputValid));
    }
}

#[test]
fn old_keywords() {
    let kind = Kind::OldKeywords;
    let new = json!({
        "type": "object",
        "properties": {"id": {}, "definitions": {}, "nullable": {}},
        "$defs": {"dependencies": {}},
        "default": {"id": "a"}, "id": {}, "nullable": "yes"
    });
    assert!(places(kind, &new, Role::Input).is_empty());
    let old = json!({
        "type": "object", "id": "a", "definitions": {}, "dependencies": {}, "additionalItems": {},
        "properties": {"a": {"nullable": true}, "b": {"nullable": false}}
    });
    let found: Vec<String> = places(kind, &old, Role::Input)
        .into_iter()
        .map(|it| it.1)
        .collect();
    let expected = [
        "/definitions",
        "/dependencies",
        "/additionalItems",
        "/id",
        "/properties/a/nullable",
    ];
    assert_eq!(found, expected);
    let tuple = json!({"type": "object", "properties": {"a": {"items": [{}]}}});
    assert_eq!(
        places(kind, &tuple, Role::Input),
        noted("/properties/a/items")
    );
    let mut draft7 = old;
    draft7["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    assert!(places(kind, &draft7, Role::Input).is_empty());
}

#[test]
fn bounds() {
    let kind = Kind::Bounds;
    let nested = |levels: usize| {
        let inner = (0..levels).fold(json!({}), |below, _| json!({"not": below}));
        json!({"type": "object", "not": inner})
    };
    assert!(places(kind, &nested(31), Role::Input).is_empty());
    assert_eq!(places(kind, &nested(32), Role::Input), noted(""));
    let text = |length: usize| json!({"type": "object", "description": "x".repeat(length)});
    assert!(places(kind, &text(60_000), Role::Input).is_empty());
    assert_eq!(places(kind, &text(66_000), Role::Input), noted(""));
    let wide = |count: usize| json!({"type": "object", "allOf": vec![json!({}); count]});
    assert!(places(kind, &wide(999), Role::Input).is_empty());
    assert_eq!(places(kind, &wide(1_000), Role::Input), noted(""));
}

#[test]
fn regex() {
    let kind = Kind::Regex;
    let good = json!({
        "type": "object", "pattern": "^(?=a)(b)\\1\\p{L}$", "patternProperties": {"^a": {}},
        "default": {"pattern": "("}, "properties": {"pattern": {"const": "("}}
    });
    assert!(places(kind, &good, Role::Input).is_empty());
    let bad = json!({
        "type": "object", "patternProperties": {"[": {}}, "properties": {"a": {"pattern": "(?P<n>a)"}}
    });
    let expected = [at("/patternProperties/["), at("/properties/a/pattern")].concat();
    assert_eq!(places(kind, &bad, Role::Input), expected);
    let other = json!({"type": "object", "pattern": 5});
    assert!(places(kind, &other, Role::Input).is_empty());
}

#[test]
fn required_undefined() {
    let kind = Kind::RequiredUndefined;
    for schema in [
        json!({"type": "object", "properties": {"a": {}}, "required": ["a"]}),
        json!({"type": "object", "patternProperties": {"^a": {}}, "required": ["a"]}),
        json!({"type": "object", "allOf": [{"properties": {"a": {}}}], "required": ["a"]}),
        json!({"type": "object", "properties": {"a": {}}, "anyOf": [{"required": ["a"]}]}),
        json!({"type": "object", "additionalProperties": {"type": "string"}, "required": ["a"]}),
    ] {
        assert!(places(kind, &schema, Role::Input).is_empty(), "{schema}");
    }
    let bad =
        json!({"type": "object", "properties": {"a": {"required": ["x"]}}, "required": ["b"]});
    let expected = [noted("/required"), noted("/properties/a/required")].concat();
    assert_eq!(places(kind, &bad, Role::Input), expected);
}

#[test]
fn defaults_valid() {
    let kind = Kind::DefaultsValid;
    let good = json!({"type": "object", "properties": {
        "a": {"type": "integer", "default": 1, "examples": [1, 2.0]},
        "b": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null},
        "c": {"$ref": "#/$defs/mode", "default": "fast"},
        "default": {"type": "string"}, "examples": {"type": "array"}
    }, "$defs": {"mode": {"enum": ["fast", "slow"]}}});
    assert!(defects(&good, Role::Input).is_empty());
    let bad = json!({"type": "object", "properties": {
        "a": {"type": "integer", "default": "1", "examples": [1, null]},
        "c": {"$ref": "#/$defs/mode", "default": "fats"}
    }, "$defs": {"mode": {"enum": ["fast", "slow"]}}});
    let expected = [
        noted("/properties/a/default"),
        noted("/properties/a/examples/1"),
        noted("/properties/c/default"),
    ];
    assert_eq!(places(kind, &bad, Role::Input), expected.concat());
    let open = json!({"type": "object", "properties": {"a": {"pattern": "^a$", "default": "b"}}});
    let examination = Examiner::default().examine(&open, Role::Input);
    assert!(examination.defects.is_empty());
    assert_eq!(examination.unjudged.len(), 1);
    assert_eq!(examination.unjudged[0].kind, kind);
}

#[test]
fn lists_are_cut_with_a_count() {
    let properties: serde_json::Map<String, Value> = (0..30)
        .map(|index| (format!("p{index}"), json!({"type": "x"})))
        .collect();
    let schema = json!({"type": "object", "properties": properties});
    let examination = Examiner::new(Bounds::default()).examine(&schema, Role::Input);
    assert_eq!(examination.defects.len(), 20);
    assert_eq!(examination.omitted.len(), 1);
    assert_eq!(
        (examination.omitted[0].kind, examination.omitted[0].count),
        (Kind::InputValid, 10)
    );
}
