//! The rows on references: `schema.ref-local`, `schema.ref-network`, `schema.ref-cycle`.

mod seen;

use seen::{message, places};
use serde_json::{Value, json};
use verdict_schema::{Kind, Role, Weight};

fn broken(kind: Kind, schema: &Value) -> Vec<String> {
    let places = places(kind, schema, Role::Output).into_iter();
    places
        .map(|(weight, pointer)| {
            assert_eq!(weight, Weight::Broken);
            pointer
        })
        .collect()
}

fn resolves(schema: &Value) {
    for kind in [Kind::RefLocal, Kind::RefNetwork] {
        assert!(broken(kind, schema).is_empty(), "{schema}");
    }
}

fn old(mut schema: Value, draft: &str) -> Value {
    schema["$schema"] = json!(format!("http://json-schema.org/draft-{draft}/schema#"));
    schema
}

#[test]
fn pointers_resolve_into_any_member() {
    for pointer in [
        "#",
        "#/$defs/a",
        "#/$defs/a%20b",
        "#/$defs/a~1b",
        "#/$defs/c~0d",
        "#/$defs/%C3%BC",
        "#/$defs/",
        "#/allOf/0",
        "#/x-own/deep/1",
        "#/$defs",
        "#/title",
        "#/default/inner",
        "#/properties/$ref",
    ] {
        resolves(&json!({
            "$ref": pointer, "title": "t", "allOf": [true], "default": {"inner": {}},
            "x-own": {"deep": [0, {"type": "string"}]}, "properties": {"$ref": {}},
            "$defs": {"a": {}, "a b": {}, "a/b": {}, "c~d": {}, "ü": {}, "": {}}
        }));
    }
}

#[test]
fn dangling_pointers_are_found() {
    for pointer in [
        "#/$defs/b",
        "#/$defs/a/type",
        "#/allOf/1",
        "#/allOf/00",
        "#/allOf/-",
        "#a",
        "#/$defs/a b ",
    ] {
        let schema =
            json!({"properties": {"x": {"$ref": pointer}}, "$defs": {"a": {}}, "allOf": [{}]});
        assert_eq!(
            broken(Kind::RefLocal, &schema),
            ["/properties/x/$ref"],
            "{pointer}"
        );
    }
    let schema = json!({"$ref": "#/$defs/Missing", "$defs": {}});
    assert_eq!(
        message(Kind::RefLocal, &schema, Role::Output),
        "\"#/$defs/Missing\" leads nowhere: the object there has no member \"Missing\", after 1 of its steps"
    );
    let dynamic = json!({"$dynamicRef": "#missing"});
    assert_eq!(broken(Kind::RefLocal, &dynamic), ["/$dynamicRef"]);
}

#[test]
fn references_in_data_are_data() {
    resolves(&json!({
        "const": {"$ref": "#/a"}, "enum": [{"$ref": "#/b"}], "default": {"$ref": "#/c"},
        "examples": [{"$ref": "http://a.example/"}], "x-own": {"$ref": "#/d"},
        "properties": {"$ref": {"type": "string"}, "$id": {"type": "string"}},
        "required": ["$ref"]
    }));
}

#[test]
fn what_references_reach_is_looked_at() {
    let schema = json!({"$ref": "#/x-own", "x-own": {"items": {"$ref": "#/nowhere"}}});
    assert_eq!(broken(Kind::RefLocal, &schema), ["/x-own/items/$ref"]);
    // Found from the inside outwards, and each once.
    let schema = json!({
        "allOf": [{"$ref": "#/x-own/not/not"}, {"$ref": "#/x-own/not"}, {"$ref": "#/x-own"}],
        "x-own": {"not": {"not": {"$ref": "#/nowhere"}}}
    });
    assert_eq!(broken(Kind::RefLocal, &schema), ["/x-own/not/not/$ref"]);
    // The names of properties are no keywords, even when a reference leads to all of them.
    resolves(&json!({"$ref": "#/properties", "properties": {"$ref": {"type": "string"}}}));
}

#[test]
fn names_resolve_in_their_resource() {
    resolves(&json!({
        "$id": "http://a.example/root.json",
        "allOf": [
            {"$ref": "#top"}, {"$ref": "root.json#top"}, {"$ref": "sub/inner.json#deep"},
            {"$ref": "http://a.example/sub/inner.json#/$defs/x"}, {"$ref": "/root.json"},
            {"$ref": "urn:uuid:1#top"}
        ],
        "$defs": {
            "t": {"$anchor": "top"},
            "i": {"$id": "sub/inner.json", "$defs": {
                "x": {"$anchor": "deep", "$ref": "#/$defs/y"}, "y": {"$ref": "../root.json#top"}
            }},
            "u": {"$id": "urn:uuid:1", "$dynamicAnchor": "top"}
        }
    }));
    // A pointer and an anchor count from the nearest `$id`.
    let schema = json!({
        "$anchor": "top",
        "$defs": {"a": {}, "i": {"$id": "http://a.example/i", "allOf": [
            {"$ref": "#/$defs/a"}, {"$ref": "#top"}, {"$ref": "#/allOf/0"}
        ]}}
    });
    let expected = ["/$defs/i/allOf/0/$ref", "/$defs/i/allOf/1/$ref"];
    assert_eq!(broken(Kind::RefLocal, &schema), expected);
}

#[test]
fn older_dialects_name_things_differently() {
    let anchored = json!({"$ref": "#foo", "definitions": {"a": {"$id": "#foo"}}});
    resolves(&old(anchored.clone(), "07"));
    resolves(&old(anchored, "06"));
    resolves(&old(
        json!({"$ref": "#foo", "definitions": {"a": {"id": "#foo"}}}),
        "04",
    ));
    resolves(&old(
        json!({"id": "http://a.example/", "items": {"$ref": "b"}, "definitions": {"b": {"id": "b"}}}),
        "04",
    ));
    // Anchors came later, and `$defs` is only a member of the document.
    let late = json!({"allOf": [{"$ref": "#foo"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"$anchor": "foo"}}});
    assert_eq!(
        broken(Kind::RefLocal, &old(late.clone(), "07")),
        ["/allOf/0/$ref"]
    );
    resolves(&late);
}

#[test]
fn siblings_of_a_reference_count_since_2019() {
    let schema = json!({
        "properties": {"x": {
            "$ref": "#/definitions/a", "$id": "http://b.example/", "items": {"$ref": "#/nowhere"}
        }},
        "definitions": {"a": {"type": "string"}}
    });
    resolves(&old(schema.clone(), "07"));
    let newer = ["/properties/x/$ref", "/properties/x/items/$ref"];
    assert_eq!(broken(Kind::RefLocal, &schema), newer);
    // Definitions beside a `$ref` stay in use, and so does whatever something refers to.
    let shelf = json!({
        "$ref": "#/definitions/a", "definitions": {"a": {"$ref": "#/definitions/b"}},
        "items": {"allOf": [{"$ref": "#/nowhere"}]}
    });
    assert_eq!(
        broken(Kind::RefLocal, &old(shelf, "07")),
        ["/definitions/a/$ref"]
    );
    let used = json!({
        "allOf": [{"$ref": "#/items/allOf"}, {"$ref": "#/items/not"}],
        "items": {"$ref": "#", "not": {"items": {"$ref": "#/nowhere"}}, "allOf": [{"$ref": "#/nowhere"}]}
    });
    let found = broken(Kind::RefLocal, &old(used, "07"));
    assert_eq!(found, ["/items/not/items/$ref"]);
}

#[test]
fn references_that_leave_the_document() {
    for uri in [
        "http://a.example/x.json",
        "https://169.254.169.254/latest/meta-data/",
        "file:///etc/passwd",
        "//host/share",
        "data:application/json,{}",
        "../x",
        "other.json",
        "other.json#/$defs/a",
        "a b",
        "urn:x:y#z",
    ] {
        let schema = json!({"properties": {"x": {"$ref": uri}}});
        assert_eq!(
            broken(Kind::RefNetwork, &schema),
            ["/properties/x/$ref"],
            "{uri}"
        );
        assert!(broken(Kind::RefLocal, &schema).is_empty());
    }
    let words = message(
        Kind::RefNetwork,
        &json!({"$ref": "other.json"}),
        Role::Output,
    );
    assert!(words.contains("relative to nothing"), "{words}");
    for uri in [
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2020-12/meta/core#/$defs/anchorString",
    ] {
        resolves(&json!({ "$ref": uri }));
    }
    // Neither of these is a reference.
    resolves(&json!({"$id": "http://a.example/x", "$defs": {"a": {"$id": "file:///y"}}}));
}

#[test]
fn loops_without_descent() {
    let fine = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
    assert!(broken(Kind::RefCycle, &fine).is_empty());
    let schema = json!({"properties": {"x": {"$ref": "#/properties/x"}}});
    assert_eq!(broken(Kind::RefCycle, &schema), ["/properties/x"]);
    assert!(broken(Kind::RefLocal, &schema).is_empty());
    assert_eq!(
        message(Kind::RefCycle, &schema, Role::Output),
        "a loop through itself never descends into the value, so validation does not end; it closes at \"/properties/x\""
    );
    // The pattern of an extensible tree is no loop.
    let tree = json!({
        "$id": "http://a.example/strict", "$dynamicAnchor": "node", "$ref": "tree",
        "unevaluatedProperties": false,
        "$defs": {"tree": {"$id": "tree", "$dynamicAnchor": "node", "properties": {
            "children": {"items": {"$dynamicRef": "#node"}}
        }}}
    });
    assert!(broken(Kind::RefCycle, &tree).is_empty());
}
