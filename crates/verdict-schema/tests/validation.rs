//! Holds validation to the library it rests on: over many generated schemas and values, whatever is
//! decided here has to be what the library says of the schema as it was written. That shows that
//! the closed form keeps the meaning, and that no answer is made up.

mod dice;

use dice::Dice;
use serde_json::{Map, Value, json};
use verdict_schema::{Bounds, Dialect, Examiner, Validity};

const NAMES: &[&str] = &["a", "b", "a/b", "c~d", "", "%", "$ref", "items", "ü x"];

const POINTERS: &[&str] = &[
    "#",
    "#/$defs/a",
    "#/definitions/b",
    "#/$defs/a~1b",
    "#/$defs/c~0d",
    "#/$defs/",
    "#/$defs/%25",
    "#/definitions/%C3%BC%20x",
    "#/properties/a",
    "#/allOf/0",
    "#/items",
    "#/properties/b/items",
    "#/x-unknown/deep",
    "#here",
    "http://a.example/root.json",
    "other.json#/$defs/a",
    "urn:x:y",
];

fn value(dice: &mut Dice, depth: usize) -> Value {
    match dice.roll(if depth == 0 { 7 } else { 10 }) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(*dice.pick(&[0, 1, 2, 3, -1])),
        3 => json!(*dice.pick(&[0.5, 1.0, 2.5])),
        4..=6 => json!(*dice.pick(&["", "a", "ab", "abc", "ü"])),
        7 => (0..dice.roll(4)).map(|_| value(dice, depth - 1)).collect(),
        _ => (0..dice.roll(4))
            .map(|_| ((*dice.pick(NAMES)).to_owned(), value(dice, depth - 1)))
            .collect::<Vec<_>>()
            .into_iter()
            .collect(),
    }
}

fn schemas(dice: &mut Dice, dialect: Dialect, depth: usize) -> Value {
    (0..=dice.roll(2))
        .map(|_| schema(dice, dialect, depth))
        .collect()
}

fn schema_map(dice: &mut Dice, dialect: Dialect, depth: usize) -> Value {
    let entries: Vec<_> = (0..dice.roll(4))
        .map(|_| ((*dice.pick(NAMES)).to_owned(), schema(dice, dialect, depth)))
        .collect();
    entries.into_iter().collect()
}

fn keyword(dice: &mut Dice, dialect: Dialect, depth: usize) -> (&'static str, Value) {
    let old = dialect == Dialect::Draft4;
    match dice.roll(44) {
        0..=4 => (
            "type",
            json!(*dice.pick(&["object", "string", "integer", "array", "number"])),
        ),
        5 => ("enum", (0..3).map(|_| value(dice, 1)).collect()),
        6 => ("const", value(dice, 2)),
        7 => ("minimum", json!(*dice.pick(&[0.0, 1.0, 1.5]))),
        8 if !old => ("exclusiveMaximum", json!(2)),
        9 => ("multipleOf", json!(*dice.pick(&[0.5, 2.0, 1.0]))),
        10 => ("minLength", json!(dice.roll(3))),
        11 => ("maxItems", json!(dice.roll(4))),
        12 => ("minProperties", json!(dice.roll(3))),
        13 => ("uniqueItems", json!(true)),
        14 => ("required", json!([*dice.pick(NAMES)])),
        15 => (
            "pattern",
            json!(*dice.pick(&["^a", "b$", "^[a-z]{2}$", "(?=a)", "(a)\\1"])),
        ),
        16 => (
            "dependentRequired",
            json!({*dice.pick(NAMES): [*dice.pick(NAMES)]}),
        ),
        17 => ("minContains", json!(dice.roll(3))),
        18 | 19 => ("allOf", schemas(dice, dialect, depth)),
        20 | 21 => ("anyOf", schemas(dice, dialect, depth)),
        22 => ("oneOf", schemas(dice, dialect, depth)),
        23 => ("not", schema(dice, dialect, depth)),
        24 => ("if", schema(dice, dialect, depth)),
        25 => ("then", schema(dice, dialect, depth)),
        26 => ("else", schema(dice, dialect, depth)),
        27..=29 => ("properties", schema_map(dice, dialect, depth)),
        30 => (
            "patternProperties",
            json!({"^[ab]": schema(dice, dialect, depth)}),
        ),
        31 => ("additionalProperties", schema(dice, dialect, depth)),
        32 => ("items", schema(dice, dialect, depth)),
        33 if dialect == Dialect::Draft202012 => ("prefixItems", schemas(dice, dialect, depth)),
        33 => ("items", schemas(dice, dialect, depth)),
        34 => ("additionalItems", schema(dice, dialect, depth)),
        35 => ("contains", schema(dice, dialect, depth)),
        36 => ("propertyNames", schema(dice, dialect, depth)),
        37 => ("unevaluatedProperties", schema(dice, dialect, depth)),
        38 => ("unevaluatedItems", schema(dice, dialect, depth)),
        39 => ("dependentSchemas", schema_map(dice, dialect, depth)),
        40 if dialect <= Dialect::Draft7 => ("dependencies", schema_map(dice, dialect, depth)),
        41 => ("x-unknown", json!({"deep": schema(dice, dialect, depth)})),
        _ => ("$ref", json!(*dice.pick(POINTERS))),
    }
}

fn schema(dice: &mut Dice, dialect: Dialect, depth: usize) -> Value {
    if depth == 0 {
        return json!({"type": *dice.pick(&["string", "integer", "object", "null"])});
    }
    if dice.roll(12) == 0 && dialect > Dialect::Draft4 {
        return json!(dice.roll(3) > 0);
    }
    let mut members = Map::new();
    for _ in 0..=dice.roll(3) {
        let (keyword, value) = keyword(dice, dialect, depth - 1);
        members.insert(keyword.to_owned(), value);
    }
    Value::Object(members)
}

fn document(dice: &mut Dice, dialect: Dialect) -> Value {
    let Value::Object(mut members) = schema(dice, dialect, 4) else {
        return json!({});
    };
    members.insert("$schema".to_owned(), json!(dialect.uri()));
    for shelf in ["$defs", "definitions"] {
        members.insert(shelf.to_owned(), schema_map(dice, dialect, 3));
    }
    if dice.roll(4) == 0 {
        let keyword = if dialect == Dialect::Draft4 {
            "id"
        } else {
            "$id"
        };
        members.insert(keyword.to_owned(), json!("http://a.example/root.json"));
    }
    if dice.roll(3) == 0 && dialect >= Dialect::Draft201909 {
        members.insert("$anchor".to_owned(), json!("here"));
    }
    Value::Object(members)
}

#[test]
fn what_is_decided_is_what_the_library_says() {
    let examiner = Examiner::new(Bounds::default());
    for dialect in Dialect::ALL {
        let mut dice = Dice::new(0x2545_F491_4F6C_DD1D);
        let (mut valid, mut invalid) = (0, 0);
        for _ in 0..1_500 {
            let schema = document(&mut dice, dialect);
            let plain = jsonschema::options()
                .should_validate_formats(false)
                .offline();
            let built = plain
                .without_content_media_type_support("application/json")
                .without_content_encoding_support("base64")
                .build(&schema);
            for _ in 0..3 {
                let instance = value(&mut dice, 3);
                let validity = examiner.validate(&schema, &instance);
                let Ok(built) = &built else { continue };
                match &validity {
                    Validity::Undecided(_) => continue,
                    Validity::Valid => valid += 1,
                    Validity::Invalid(violations) => {
                        invalid += 1;
                        assert!(!violations.is_empty());
                        for violation in violations {
                            let at = instance.pointer(&violation.pointer);
                            assert!(at.is_some(), "{schema}\n{instance}\n{violation:?}");
                            let at = schema.pointer(&violation.schema_pointer);
                            assert!(at.is_some(), "{schema}\n{instance}\n{violation:?}");
                        }
                    }
                }
                assert_eq!(
                    validity == Validity::Valid,
                    built.is_valid(&instance),
                    "{} {schema}\n{instance}\n{validity:?}",
                    dialect.name()
                );
            }
        }
        assert!(
            valid > 200 && invalid > 200,
            "{} {valid} {invalid}",
            dialect.name()
        );
    }
}

fn undecided(schema: &Value, instance: &Value) -> String {
    match Examiner::default().validate(schema, instance) {
        Validity::Undecided(reason) => reason,
        Validity::Valid | Validity::Invalid(_) => String::new(),
    }
}

#[test]
fn what_cannot_be_told_is_undecided() {
    for (schema, why) in [
        (json!(null), "the schema is neither an object nor a boolean"),
        (
            json!({"type": "strnig"}),
            "the schema is not valid in its dialect: /type: expected one of",
        ),
        (
            json!({"$schema": "https://a.example/own"}),
            "the dialect is not known here",
        ),
        (
            json!({"$ref": "http://a.example/"}),
            "a reference leaves the document",
        ),
        (json!({"$ref": "#/nowhere"}), "a reference leads nowhere"),
        (
            json!({"$ref": "#/title", "title": "t"}),
            "a reference leads to something that is no schema",
        ),
        (
            json!({"$ref": "https://json-schema.org/draft/2020-12/schema"}),
            "a reference leads to a meta-schema",
        ),
    ] {
        let reason = undecided(&schema, &json!({}));
        assert!(reason.starts_with(why), "{schema}: {reason}");
    }
}

#[test]
fn what_does_not_matter_for_a_value_leaves_it_decided() {
    let schema = json!({
        "type": "object",
        "properties": {
            "far": {"$ref": "http://a.example/"}, "lost": {"$ref": "#/nowhere"},
            "odd": {"pattern": "(?=a)"}, "near": {"type": "integer"}
        },
        "$defs": {"unused": {"$ref": "file:///etc/passwd"}}
    });
    let examiner = Examiner::default();
    assert_eq!(
        examiner.validate(&schema, &json!({"near": 1})),
        Validity::Valid
    );
    assert!(matches!(
        examiner.validate(&schema, &json!({"near": "x"})),
        Validity::Invalid(_)
    ));
    assert_eq!(
        undecided(&schema, &json!({"far": 1})),
        "a reference leaves the document"
    );
    assert_eq!(
        undecided(&schema, &json!({"lost": 1})),
        "a reference leads nowhere"
    );
    assert_eq!(
        undecided(&schema, &json!({"odd": "a"})),
        "pattern not supported: it needs look-around"
    );
    assert_eq!(
        examiner.validate(&schema, &json!({"odd": 1})),
        Validity::Valid
    );
}

#[test]
fn formats_and_contents_are_not_asserted() {
    for dialect in Dialect::ALL {
        let schema = json!({
            "$schema": dialect.uri(), "format": "ipv4", "contentMediaType": "application/json",
            "contentEncoding": "base64"
        });
        let validity = Examiner::default().validate(&schema, &json!("not at all"));
        assert_eq!(validity, Validity::Valid, "{}", dialect.name());
    }
}

#[test]
fn violations_are_ordered_bounded_and_point_at_both_sides() {
    let schema = json!({
        "items": {"$ref": "#/$defs/n"}, "maxItems": 3, "$defs": {"n": {"type": "integer"}}
    });
    let instance: Value = (0..50).map(|it| json!(format!("x{it}"))).collect();
    let examiner = Examiner::default();
    let Validity::Invalid(violations) = examiner.validate(&schema, &instance) else {
        unreachable!("strings are no integers");
    };
    assert_eq!(violations.len(), Bounds::default().violations);
    assert!(violations.is_sorted());
    assert_eq!(violations[0].pointer, "");
    assert_eq!(violations[0].schema_pointer, "/maxItems");
    assert_eq!(violations[1].pointer, "/0");
    assert_eq!(violations[1].schema_pointer, "/$defs/n/type");
    assert_eq!(violations[1].message, "\"x0\" is not of type \"integer\"");
    assert_eq!(
        examiner.validate(&schema, &instance),
        Validity::Invalid(violations)
    );
    assert_eq!(examiner.validate(&json!(true), &instance), Validity::Valid);
    assert!(matches!(
        examiner.validate(&json!(false), &instance),
        Validity::Invalid(_)
    ));
}
