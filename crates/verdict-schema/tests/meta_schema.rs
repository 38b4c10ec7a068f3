//! Holds the table of keywords to the published meta-schemas: over many generated schemas, the
//! examination and a validator built from the meta-schema have to agree on what is valid.

mod dice;

use dice::Dice;
use serde_json::{Map, Value, json};
use verdict_schema::{Bounds, Dialect, Examiner, Kind, Role};

const KEYWORDS: &[&str] = &[
    "$schema",
    "$id",
    "id",
    "$ref",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$recursiveRef",
    "$recursiveAnchor",
    "$vocabulary",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "deprecated",
    "readOnly",
    "writeOnly",
    "examples",
    "format",
    "contentMediaType",
    "contentEncoding",
    "contentSchema",
    "type",
    "enum",
    "const",
    "multipleOf",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "maxContains",
    "minContains",
    "maxProperties",
    "minProperties",
    "required",
    "dependentRequired",
    "dependencies",
    "dependentSchemas",
    "prefixItems",
    "items",
    "additionalItems",
    "contains",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "if",
    "then",
    "else",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "nullable",
    "x-unknown",
];

const TEXTS: &[&str] = &[
    "", "a", "object", "integer", "null", "#", "#a", "a#", "a#b", "_a", "a:b", "A-1._", "ü", "1a",
];

fn scalar(dice: &mut Dice) -> Value {
    match dice.roll(9) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(false),
        3 => json!(*dice.pick(&[0, 1, 2, -1, 7])),
        4 => json!(*dice.pick(&[0.0, 1.0, 0.5, -0.5, -2.0, 1e300, -0.0])),
        _ => json!(*dice.pick(TEXTS)),
    }
}

/// Something that a keyword may hold: often of the right kind, as often as not a little wrong.
fn operand(dice: &mut Dice, depth: usize) -> Value {
    match dice.roll(10) {
        0..=3 => scalar(dice),
        4 => (0..dice.roll(4)).map(|_| scalar(dice)).collect(),
        5 => (0..dice.roll(3)).map(|_| schema(dice, depth)).collect(),
        6 => {
            let keys = (0..dice.roll(3)).map(|_| (*dice.pick(KEYWORDS)).to_owned());
            let keys: Vec<String> = keys.collect();
            keys.into_iter()
                .map(|key| (key, operand(dice, depth.saturating_sub(1))))
                .collect()
        }
        _ => schema(dice, depth),
    }
}

fn schema(dice: &mut Dice, depth: usize) -> Value {
    if depth == 0 || dice.roll(12) == 0 {
        return if dice.roll(3) == 0 {
            scalar(dice)
        } else {
            json!({})
        };
    }
    let mut members = Map::new();
    for _ in 0..dice.roll(4) {
        let keyword = *dice.pick(KEYWORDS);
        // A resource of its own may speak another dialect, which the plain meta-schema knows
        // nothing of; the walk has tests for that.
        if keyword != "$schema" {
            members.insert(keyword.to_owned(), operand(dice, depth - 1));
        }
    }
    Value::Object(members)
}

#[test]
fn validity_is_that_of_the_meta_schema() {
    let examiner = Examiner::new(Bounds::default());
    for dialect in Dialect::ALL {
        let uri = dialect.uri();
        let meta = jsonschema::options()
            .should_validate_formats(false)
            .offline()
            .build(&json!({"$schema": uri, "$ref": uri}))
            .expect("meta-schemas are bundled");
        let mut dice = Dice::new(0x9E37_79B9_7F4A_7C15);
        let mut counts = [0, 0];
        for _ in 0..12_000 {
            let Value::Object(mut members) = schema(&mut dice, 4) else {
                continue;
            };
            members.insert("$schema".to_owned(), json!(uri));
            let schema = Value::Object(members);
            let examination = examiner.examine(&schema, Role::Output);
            let defects = examination
                .defects
                .iter()
                .filter(|it| it.kind == Kind::OutputValid);
            let defects: Vec<_> = defects.collect();
            let expected = meta.is_valid(&schema);
            counts[usize::from(expected)] += 1;
            assert_eq!(
                defects.is_empty(),
                expected,
                "{} {schema}\n{defects:#?}\n{:?}",
                dialect.name(),
                meta.iter_errors(&schema)
                    .next()
                    .map(|error| error.to_string())
            );
            for defect in defects {
                assert!(
                    schema.pointer(&defect.pointer).is_some(),
                    "{schema} {}",
                    defect.pointer
                );
            }
        }
        assert!(
            counts.iter().all(|count| *count > 1_000),
            "{} {counts:?}",
            dialect.name()
        );
    }
}
