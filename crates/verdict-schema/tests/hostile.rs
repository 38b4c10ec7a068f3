//! Schemas and values that were made to do harm. Every case has to end by itself, in a small stack,
//! with an answer that names the bound; the numbers of steps are held by the unit tests.

use serde_json::{Map, Value, json};
use verdict_schema::{Bounds, Examination, Examiner, Kind, Role, Validity};

fn examine(schema: &Value) -> Examination {
    Examiner::default().examine(schema, Role::Input)
}

fn validate(schema: &Value, value: &Value) -> Validity {
    Examiner::default().validate(schema, value)
}

fn undecided(schema: &Value, value: &Value, why: &str) {
    let validity = validate(schema, value);
    let reason = if let Validity::Undecided(reason) = &validity {
        reason
    } else {
        ""
    };
    assert!(
        reason.contains(why),
        "{:.200} {validity:?}",
        schema.to_string()
    );
}

fn invalid(schema: &Value, value: &Value) {
    assert!(
        matches!(validate(schema, value), Validity::Invalid(_)),
        "{schema}"
    );
}

fn kinds(examination: &Examination) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = examination.defects.iter().map(|it| it.kind).collect();
    kinds.dedup();
    kinds
}

/// Runs in a stack as small as that of a WebAssembly host.
fn in_a_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(run);
    thread
        .expect("a thread starts")
        .join()
        .expect("it ends well");
}

/// `levels` definitions, each of which uses the next one twice.
fn ladder(keyword: &str, levels: usize) -> Value {
    let mut shelf = Map::new();
    for level in 0..levels {
        let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
        shelf.insert(format!("d{level}"), json!({ keyword: [next, next] }));
    }
    shelf.insert(format!("d{levels}"), json!({"type": "object"}));
    json!({"type": "object", "$ref": "#/$defs/d0", "$defs": shelf})
}

#[test]
fn exponential_compositions_are_undecided() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let schema = ladder(keyword, 30);
        assert!(examine(&schema).defects.is_empty());
        undecided(&schema, &json!({}), "more than 2000000 evaluations");
        let mut covered = schema;
        covered["unevaluatedProperties"] = json!(false);
        assert!(examine(&covered).defects.is_empty());
        undecided(&covered, &json!({}), "more than 2000000 evaluations");
        let mut covered = ladder(keyword, 13);
        covered["unevaluatedProperties"] = json!(false);
        undecided(&covered, &json!({}), "cover more than 20000 subschemas");
    }
    // A tenth of that is ordinary work.
    assert_eq!(validate(&ladder("allOf", 10), &json!({})), Validity::Valid);
    invalid(&ladder("oneOf", 10), &json!({}));
}

#[test]
fn mutual_and_dynamic_loops_are_found() {
    for schema in [
        json!({"type": "object", "$ref": "#/$defs/a", "$defs": {
            "a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}
        }}),
        json!({"type": "object", "$dynamicAnchor": "n", "allOf": [{"$dynamicRef": "#n"}]}),
        json!({"type": "object", "if": {"$ref": "#"}}),
    ] {
        assert_eq!(kinds(&examine(&schema)), [Kind::RefCycle]);
        undecided(&schema, &json!({}), "loop without end");
    }
}

#[test]
fn long_chains_of_references_are_bounded() {
    in_a_small_stack(|| {
        let mut shelf = Map::new();
        for level in 0..20_000 {
            shelf.insert(
                format!("d{level}"),
                json!({"$ref": format!("#/$defs/d{}", level + 1)}),
            );
        }
        shelf.insert("d20000".to_owned(), json!({"type": "object"}));
        let schema = json!({"type": "object", "$ref": "#/$defs/d0", "$defs": shelf});
        assert_eq!(kinds(&examine(&schema)), [Kind::Bounds]);
        undecided(&schema, &json!({}), "evaluation nests more than 512 deep");
        // The chain does no harm where the value does not lead into it.
        let beside = json!({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": schema["$defs"]});
        assert_eq!(validate(&beside, &json!({"b": 1})), Validity::Valid);
        undecided(
            &beside,
            &json!({"a": 1}),
            "evaluation nests more than 512 deep",
        );
    });
}

#[test]
fn hostile_patterns_are_matched_in_linear_time_or_not_at_all() {
    let schema =
        |pattern: &str| json!({"type": "object", "properties": {"a": {"pattern": pattern}}});
    let text = json!({"a": format!("{}!", "a".repeat(20_000))});
    for pattern in ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(.*a){10}$"] {
        assert!(examine(&schema(pattern)).defects.is_empty(), "{pattern}");
        invalid(&schema(pattern), &text);
    }
    for pattern in [
        "^(?=a)a",
        "^(?<!b)a",
        "(a)\\1",
        "^a{1,1000000}$",
        "((a{1,1000}){1,1000}){1,1000}",
        "\\p{L}{1,5000}",
    ] {
        assert!(examine(&schema(pattern)).defects.is_empty(), "{pattern}");
        undecided(&schema(pattern), &text, "pattern not supported");
        // It does not matter where it is not asked.
        assert_eq!(
            validate(&schema(pattern), &json!({"a": 1, "b": "x"})),
            Validity::Valid
        );
    }
    let groups = schema(&"(a)".repeat(5_000));
    assert!(examine(&groups).defects.is_empty());
    invalid(&groups, &json!({"a": "aaa"}));
    let nested = schema(&format!("{}a{}", "(".repeat(5_000), ")".repeat(5_000)));
    assert!(examine(&nested).defects.is_empty());
    undecided(
        &nested,
        &json!({"a": "aaa"}),
        "the validator refuses the schema",
    );
    // Long texts meet large patterns.
    let large = schema("^(.{0,500}x){2}$");
    undecided(
        &large,
        &json!({"a": "y".repeat(1_000_000)}),
        "more than 2000000 evaluations",
    );
    let many: Map<String, Value> = (0..2_000)
        .map(|index| (format!("^.{{0,40}}{index}$"), json!(true)))
        .collect();
    let many = json!({"type": "object", "patternProperties": many});
    undecided(&many, &json!({"a": 1}), "patterns need more than");
}

#[test]
fn wishes_for_large_values_allocate_nothing() {
    for keyword in ["minItems", "minLength", "minProperties", "minContains"] {
        let schema = json!({"type": "object", "properties": {"a": {
            keyword: 2_000_000_000, "contains": true, "default": []
        }}});
        let examination = examine(&schema);
        assert!(
            examination
                .defects
                .iter()
                .all(|it| it.kind == Kind::DefaultsValid)
        );
        let value = match keyword {
            "minLength" => json!({"a": ""}),
            "minProperties" => json!({"a": {}}),
            _ => json!({"a": [1]}),
        };
        invalid(&schema, &value);
    }
}

/// Nests `levels` deep without recursion.
fn nested(levels: usize, wrap: impl Fn(Value) -> Value) -> Value {
    (0..levels).fold(json!({}), |below, _| wrap(below))
}

/// Takes a deep value apart without recursion.
fn dismantle(value: Value) {
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        match value {
            Value::Array(entries) => stack.extend(entries),
            Value::Object(members) => stack.extend(members.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
}

#[test]
fn deep_nesting_needs_no_deep_stack() {
    in_a_small_stack(|| {
        // `json!` would copy what it wraps, by recursion.
        let under =
            |key: &str, below: Value| Value::Object(Map::from_iter([(key.to_owned(), below)]));
        for wrap in [
            &(|below| under("not", below)) as &dyn Fn(Value) -> Value,
            &|below| under("properties", under("a", below)),
            &|below| under("allOf", Value::Array(vec![below])),
            &|below| Value::Array(vec![below]),
        ] {
            let deep = nested(20_000, wrap);
            let schema = json!({"type": "object", "not": Value::Null});
            let Value::Object(mut members) = schema else {
                unreachable!()
            };
            members.insert("not".to_owned(), deep);
            let schema = Value::Object(members);
            let examination = examine(&schema);
            assert_eq!(kinds(&examination), [Kind::Bounds]);
            assert!(
                examination
                    .unjudged
                    .iter()
                    .any(|it| it.kind == Kind::InputValid)
            );
            undecided(&schema, &json!({}), "nests deeper than 512");
            undecided(&json!({}), &schema, "nests deeper than 512");
            dismantle(schema);
        }
    });
}

#[test]
fn nesting_up_to_the_bounds_fits_a_small_stack() {
    in_a_small_stack(|| {
        for wrap in [
            (|below| json!({"not": below})) as fn(Value) -> Value,
            |below| json!({"properties": {"a": below}, "unevaluatedProperties": false}),
            |below| json!({"items": below, "uniqueItems": true, "type": "array"}),
            |below| json!({"oneOf": [below, {"type": "integer"}]}),
            |below| json!({"anyOf": [{"type": "integer"}, below], "dependentSchemas": {"a": {}}}),
            |below| json!({"allOf": [below], "unevaluatedProperties": false}),
        ] {
            for levels in [70, 155, 165] {
                let schema = nested(levels, wrap);
                let deep_object = nested(250, |below| json!({"a": below}));
                let deep_array = nested(500, |below| json!([below]));
                for value in [json!({}), deep_object, deep_array] {
                    validate(&schema, &value);
                }
                examine(&schema);
            }
        }
        let too_deep = nested(165, |below| json!({"not": below}));
        undecided(&too_deep, &json!({}), "subschemas nest more than 160 deep");
        let deep = nested(500, |below| json!([below]));
        let data = json!({"type": "object", "properties": {"a": {
            "const": deep, "enum": [deep], "default": deep, "examples": [deep]
        }}});
        assert!(examine(&data).defects.is_empty());
        assert_eq!(validate(&data, &json!({"a": deep})), Validity::Valid);
        assert_eq!(
            validate(&json!({"uniqueItems": true}), &json!([deep, 1])),
            Validity::Valid
        );
        // Recursion by the value.
        let tree =
            json!({"anyOf": [{"items": {"$ref": "#"}}, {"type": "integer"}], "uniqueItems": true});
        assert_eq!(
            validate(&tree, &nested(100, |below| json!([below]))),
            Validity::Valid
        );
        let deeper = nested(400, |below| json!([below]));
        undecided(&tree, &deeper, "evaluation nests more than 512 deep");
    });
}

#[test]
fn wide_schemas_are_linear_work() {
    let names = |count: usize| (0..count).map(|index| format!("p{index}"));
    let properties: Map<String, Value> = names(40_000)
        .map(|name| (name, json!({"type": "string"})))
        .collect();
    let required: Vec<String> = names(40_000).collect();
    let wide = json!({"type": "object", "properties": properties, "required": required});
    assert_eq!(kinds(&examine(&wide)), [Kind::Bounds]);
    invalid(&wide, &json!({}));
    let branches = json!({"type": "object", "anyOf": vec![json!({"required": ["a"]}); 20_000]});
    invalid(&branches, &json!({}));
    let patterns = json!({"type": "object", "allOf": vec![json!({"pattern": "("}); 20_000]});
    let examination = examine(&patterns);
    assert_eq!(kinds(&examination), [Kind::Bounds, Kind::Regex]);
    assert_eq!(
        examination.omitted[0].count,
        20_000 - Bounds::default().defects
    );
}

#[test]
fn what_lies_beyond_the_limit_is_never_called_good() {
    let mut bounds = Bounds::default();
    bounds.subschemas = 2_000;
    let examiner = Examiner::new(bounds);
    let schema = json!({"type": "object", "allOf": vec![json!({"$ref": "#/nowhere"}); 3_000]});
    let examination = examiner.examine(&schema, Role::Input);
    assert_eq!(kinds(&examination), [Kind::RefLocal, Kind::Bounds]);
    let unjudged: Vec<Kind> = examination.unjudged.iter().map(|it| it.kind).collect();
    assert!(
        [Kind::InputValid, Kind::RefLocal, Kind::HeaderToken]
            .iter()
            .all(|it| unjudged.contains(it))
    );
    assert!(
        examination.unjudged[0]
            .reason
            .contains("first 2000 subschemas")
    );
    let validity = examiner.validate(&schema, &json!({}));
    let expected = "the schema has more than 2000 subschemas".to_owned();
    assert_eq!(validity, Validity::Undecided(expected));
}

#[test]
fn large_values_are_bounded_work() {
    let list: Value = (0..200_000).collect();
    let unique = json!({"uniqueItems": true, "items": {"type": "integer"}});
    let shorter: Value = (0..100_000).collect();
    assert_eq!(validate(&unique, &shorter), Validity::Valid);
    undecided(&unique, &list, "evaluations");
    let options: Value = (0..10_000).collect();
    let options = json!({"items": {"enum": options}});
    undecided(&options, &list, "evaluations");
    let names: Map<String, Value> = (0..50_000)
        .map(|it| (format!("p{it}"), json!(it)))
        .collect();
    let patterns: Map<String, Value> = (0..1_000)
        .map(|it| (format!("^{it}"), json!(true)))
        .collect();
    let product = json!({ "patternProperties": patterns });
    undecided(&product, &Value::Object(names), "evaluations");
    let text = json!({"a": "x".repeat(10_000_000)});
    let schema = json!({"properties": {"a": {"maxLength": 5, "enum": ["a"]}}});
    invalid(&schema, &text);
    let Validity::Invalid(violations) = validate(&schema, &text) else {
        return;
    };
    assert!(
        violations
            .iter()
            .all(|it| it.message.chars().count() <= 301)
    );
}

#[test]
fn odd_names_are_names() {
    let schema = json!({"type": "object", "properties": {
        "__proto__": {"type": "string"}, "constructor": {"$ref": "#/properties/__proto__"},
        "": {"$ref": "#/properties/"}, "toString": false, "\u{0}": true, "x": {"$ref": "#/properties/%00"}
    }});
    assert_eq!(kinds(&examine(&schema)), [Kind::RefCycle]);
    let schema =
        json!({"type": "object", "properties": {"__proto__": {"type": "string"}, "": false}});
    invalid(&schema, &json!({"__proto__": 1}));
    invalid(&schema, &json!({"": 1}));
    assert_eq!(
        validate(&schema, &json!({"__proto__": "a"})),
        Validity::Valid
    );
}

#[test]
fn odd_addresses_do_no_harm() {
    for uri in [
        "",
        "#",
        "##",
        "#/%",
        "#%ff",
        "//",
        ":",
        "::",
        "a:",
        "http://[",
        "http://a b",
        "\u{0}",
        "%",
        "http://a.example:99999/",
        "urn:",
        "../../..",
        "?q",
        "file:///etc/passwd",
        "json-schema:///",
        "mcp-verdict:/",
        "data:,x",
        &"a/".repeat(3_000),
        "🦀",
        "#🦀",
        "\\\\host\\share",
    ] {
        for id in ["$id", "id", "$anchor", "$dynamicAnchor"] {
            for dialect in [
                "draft-04",
                "draft-06",
                "draft-07",
                "draft/2019-09",
                "draft/2020-12",
            ] {
                let schema = json!({
                    "$schema": format!("http://json-schema.org/{dialect}/schema"), "type": "object",
                    id: uri, "properties": {"a": {"$ref": uri, "$dynamicRef": uri, "$recursiveRef": uri}},
                    "$defs": {"b": {id: uri, "items": {"$ref": uri}}},
                    "definitions": {"b": {id: uri, "items": {"$ref": uri}}}
                });
                examine(&schema);
                validate(&schema, &json!({"a": {"a": {}}}));
                validate(&schema, &json!({"b": 1}));
            }
        }
    }
}
