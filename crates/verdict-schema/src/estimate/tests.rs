//! Holds the estimate against the work that the library does: a keyword of ours in every subschema
//! counts how often the library builds it and how often it evaluates it.

use super::{Cost, Estimate, buildable, estimate};
use crate::bounds::Bounds;
use crate::closed::close;
use crate::cycle;
use crate::dialect::{Declared, Dialect};
use crate::steps::Patterns;
use crate::walk::Plan;
use jsonschema::{Keyword, PatternOptions, ValidationError};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

struct Counter(Arc<AtomicU64>);

impl<'i> Keyword<'i> for Counter {
    fn validate(&self, _: &'i Value) -> Result<(), ValidationError<'i>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn is_valid(&self, _: &'i Value) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed);
        true
    }
}

/// Puts the counting keyword first into every subschema of a closed schema.
fn counted(schema: &Value, is_schema: bool) -> Value {
    match schema {
        Value::Object(members) => {
            let mut copy = Map::new();
            if is_schema {
                copy.insert("x-count".to_owned(), json!(true));
            }
            for (key, value) in members {
                let data = is_schema && matches!(&**key, "enum" | "const" | "required");
                let shelf = is_schema
                    && matches!(
                        &**key,
                        "properties"
                            | "patternProperties"
                            | "dependentSchemas"
                            | "dependencies"
                            | "$defs"
                            | "definitions"
                    );
                let value = if data {
                    value.clone()
                } else {
                    counted(value, !shelf)
                };
                copy.insert(key.clone(), value);
            }
            Value::Object(copy)
        }
        Value::Array(entries) => entries
            .iter()
            .map(|entry| counted(entry, is_schema))
            .collect(),
        other => other.clone(),
    }
}

/// The answer of the estimate, and what the library really does: builds, evaluations to decide,
/// evaluations to explain.
fn measure(schema: &Value, instance: &Value) -> (Result<Cost, String>, [u64; 3]) {
    let bounds = Bounds::default();
    let dialect = Declared::of(schema)
        .dialect()
        .unwrap_or(Dialect::Draft202012);
    let plan = Plan::new(schema, dialect, bounds.subschemas);
    let patterns = Patterns::of(&plan, bounds.pattern_states);
    assert!(!cycle::exists(&plan), "{schema}");
    let estimate = estimate(&plan, &patterns, instance, &bounds);
    let Estimate { cost, visited } = match estimate {
        Ok(estimate) => estimate,
        Err(why) => return (Err(why), [0; 3]),
    };
    if let Err(why) = buildable(&plan, &patterns, &visited, &bounds) {
        return (Err(why), [0; 3]);
    }
    let closed = counted(&close(&plan, &patterns, &visited).schema, true);
    let (builds, evaluations) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (built, evaluated) = (Arc::clone(&builds), Arc::clone(&evaluations));
    let validator = jsonschema::options()
        .with_draft(dialect.draft())
        .offline()
        .with_pattern_options(PatternOptions::regex())
        .with_keyword("x-count", move |_, _, _| {
            built.fetch_add(1, Ordering::Relaxed);
            Ok(Box::new(Counter(Arc::clone(&evaluated))))
        })
        .build(&closed)
        .expect("the closed form is valid");
    let builds = builds.load(Ordering::Relaxed);
    let _ = validator.is_valid(instance);
    let deciding = evaluations.swap(0, Ordering::Relaxed);
    let _ = validator.iter_errors(instance).count();
    let explaining = evaluations.load(Ordering::Relaxed);
    (Ok(cost), [builds, deciding, explaining])
}

/// A chain of definitions, each of which uses the next one `times` times under `keyword`.
fn ladder(keyword: &str, levels: usize, times: usize, last: &Value) -> Value {
    let mut shelf = Map::new();
    for level in 0..levels {
        let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
        shelf.insert(format!("d{level}"), json!({ keyword: vec![next; times] }));
    }
    shelf.insert(format!("d{levels}"), last.clone());
    json!({"$ref": "#/$defs/d0", "$defs": shelf})
}

/// The same without references.
fn tree(keyword: &str, levels: usize, last: &Value) -> Value {
    (0..levels).fold(
        last.clone(),
        |below, _| json!({ keyword: [below.clone(), below] }),
    )
}

fn nested(levels: usize, leaf: &Value) -> Value {
    (0..levels).fold(leaf.clone(), |below, _| json!({"a": below}))
}

#[test]
fn small_work_is_counted_from_above() {
    let yes = json!({"type": "object"});
    let no = json!({"type": "string"});
    let object = json!({"a": {"a": {"a": 1}}, "b": [1, 2, 3]});
    let list = json!([[1, 2], [3, "x"], {"a": 1}]);
    let mut schemas = Vec::new();
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for last in [&yes, &no] {
            schemas.push(ladder(keyword, 8, 2, last));
            schemas.push(ladder(keyword, 3, 5, last));
            schemas.push(tree(keyword, 6, last));
            for levels in [1, 4, 6] {
                let mut covered = ladder(keyword, levels, 2, last);
                covered["unevaluatedProperties"] = json!(false);
                covered["unevaluatedItems"] = json!({"type": "array"});
                schemas.push(covered);
            }
        }
    }
    // `unevaluated*` at every level of a composition.
    let mut covered = json!({"properties": {"a": {"type": "object"}}});
    for level in 0..8 {
        let keyword = ["allOf", "anyOf", "oneOf"][level % 3];
        covered = json!({
            keyword: [covered, {"required": ["zz"]}],
            "unevaluatedProperties": {"type": "array", "unevaluatedItems": {"type": "integer"}},
            "dependentSchemas": {"b": {"properties": {"b": true}}},
            "if": {"required": ["b"]}, "then": {"properties": {"c": true}}, "else": false
        });
        schemas.push(covered.clone());
    }
    // Recursion that doubles with the nesting of the value.
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let twice = json!({"properties": {"a": {"$ref": "#"}}});
        schemas.push(json!({ keyword: [twice, twice, {"required": ["b"]}] }));
        schemas.push(json!({
            keyword: [twice, twice], "unevaluatedProperties": {"$ref": "#/$defs/n"},
            "$defs": {"n": {"type": "array", "items": {"type": "integer"}}}
        }));
    }
    schemas.push(json!({
        "patternProperties": {"^a": {"$ref": "#"}, "a$": {"$ref": "#"}, "": {"type": ["object", "array", "integer"]}},
        "additionalProperties": false, "propertyNames": {"maxLength": 1}
    }));
    schemas.push(json!({
        "items": {"$ref": "#"}, "contains": {"$ref": "#/$defs/n"}, "minContains": 2,
        "prefixItems": [{"$ref": "#"}], "unevaluatedItems": false,
        "$defs": {"n": {"anyOf": [{"type": "integer"}, {"$ref": "#"}]}}
    }));
    let deep = nested(6, &json!({"b": [1]}));
    for schema in &schemas {
        for instance in [&object, &list, &deep, &json!(1)] {
            let (cost, [builds, deciding, explaining]) = measure(schema, instance);
            let cost = cost.expect("small work is allowed");
            assert!(
                deciding <= cost.evaluations,
                "{schema}\n{instance}\n{deciding} {cost:?}"
            );
            assert!(
                explaining <= cost.explaining,
                "{schema}\n{instance}\n{explaining} {cost:?}"
            );
            assert!(builds <= 5_000, "{schema}\n{builds}");
        }
    }
}

#[test]
fn exponential_work_is_refused() {
    let yes = json!({"type": "object"});
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let (cost, _) = measure(&ladder(keyword, 30, 2, &yes), &json!({}));
        assert_eq!(
            cost,
            Err("validation may need more than 2000000 evaluations".to_owned())
        );
        let mut covered = ladder(keyword, 30, 2, &yes);
        covered["unevaluatedProperties"] = json!(false);
        assert!(measure(&covered, &json!({})).0.is_err(), "{keyword}");
        let mut covered = ladder(keyword, 13, 2, &yes);
        covered["unevaluatedProperties"] = json!(false);
        let (cost, _) = measure(&covered, &json!({}));
        assert!(cost.is_err_and(|why| why.contains("cover more than 20000 subschemas")));
        let twice = json!({"properties": {"a": {"$ref": "#"}}});
        let recursive = json!({ keyword: [twice, twice] });
        let (cost, _) = measure(&recursive, &nested(30, &json!(1)));
        assert!(cost.is_err(), "{keyword}");
        let (cost, _) = measure(&recursive, &nested(3, &json!(1)));
        assert!(cost.is_ok(), "{keyword}");
    }
}

#[test]
fn a_build_does_work_that_the_bounds_allow() {
    let bounds = Bounds::default();
    // A long chain of references, and many ways to the same definitions.
    let mut shelf = Map::new();
    for level in 0..400 {
        let mut properties = Map::new();
        for next in [level + 1, level + 2, level / 2] {
            properties.insert(
                format!("p{next}"),
                json!({"$ref": format!("#/$defs/d{next}")}),
            );
        }
        let value = json!({"properties": properties, "additionalProperties": false});
        shelf.insert(format!("d{level}"), value);
    }
    shelf.insert("d400".to_owned(), json!(true));
    shelf.insert("d401".to_owned(), json!({"type": "null"}));
    let schema = json!({"$ref": "#/$defs/d0", "$defs": shelf});
    let (cost, [builds, _, _]) = measure(&schema, &json!({}));
    assert!(cost.is_ok(), "{cost:?}");
    assert!(builds < 2_500, "{builds}");
    // The most that `unevaluated*` may cover.
    let mut levels = 1;
    let covered = |levels: usize| {
        let mut schema = ladder("allOf", levels, 2, &json!({"properties": {"a": true}}));
        schema["unevaluatedProperties"] = json!(false);
        schema
    };
    while measure(&covered(levels + 1), &json!({})).0.is_ok() {
        levels += 1;
    }
    let (_, [builds, deciding, _]) = measure(&covered(levels), &json!({"a": 1, "b": 2}));
    assert!(levels >= 8, "{levels}");
    assert!(
        builds < 4 * bounds.unevaluated && deciding < bounds.evaluations,
        "{builds} {deciding}"
    );
}
