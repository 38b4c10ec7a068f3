//! What a violation says, what counts as one, and how many are kept. That the tables accept what
//! the published schema accepts is the matter of `tests/shape_equivalence.rs`.

mod ownership;

use serde_json::{Value, json};

use super::{LIMIT, error, notification, owned_by, result, under};

/// The words for the only violation in a result.
fn words(method: &str, message: &Value) -> (String, String, String) {
    let found = result(method, message);
    assert_eq!(found.len(), 1, "{found:#?}");
    let only = found.into_iter().next().expect("counted just now");
    (only.pointer, only.expected, only.actual)
}

fn block(block: &Value) -> Value {
    json!({"resultType": "complete", "content": [block]})
}

fn tools(tools: &[Value]) -> Value {
    json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "public", "tools": tools})
}

fn field(field: &Value) -> Value {
    json!({"resultType": "input_required", "inputRequests": {"k": {
        "method": "elicitation/create",
        "params": {"message": "", "requestedSchema": {
            "type": "object", "properties": {"f": field},
        }},
    }}})
}

#[test]
fn says_what_was_expected_and_what_came() {
    let kinds = r#""text", "image", "audio", "resource_link" or "resource""#;
    let long = format!("\"{}\"…", "ü".repeat(60));
    let cases = [
        (block(&json!({})), "/type", kinds, "absent"),
        (
            block(&json!({"type": "ü".repeat(100)})),
            "/type",
            kinds,
            long.as_str(),
        ),
        (block(&json!({"type": "text"})), "/text", "string", "absent"),
        (
            block(&json!({"type": "text", "text": null})),
            "/text",
            "string",
            "null",
        ),
        (block(&json!(["a"])), "", "object", "array of 1 item"),
        (
            block(&json!({"type": "resource", "resource": {"uri": "a:b", "x": 1}})),
            "/resource/text",
            "string (here or in `blob`)",
            "absent",
        ),
        (
            block(&json!({"type": "text", "text": "", "annotations": {"priority": 1.5}})),
            "/annotations/priority",
            "number from 0 to 1",
            "1.5",
        ),
        (
            block(
                &json!({"type": "text", "text": "", "annotations": {"audience": {"a": 1, "b": 2}}}),
            ),
            "/annotations/audience",
            "array",
            "object with 2 members",
        ),
    ];
    for (message, place, expected, actual) in cases {
        let pointer = format!("/result/content/0{place}");
        let found = words("tools/call", &message);
        assert_eq!(found, (pointer, expected.to_owned(), actual.to_owned()));
    }
}

#[test]
fn a_fraction_is_soft_where_the_types_allow_a_number() {
    let listed = |size: Value, ttl: Value| {
        json!({"resultType": "complete", "ttlMs": ttl, "cacheScope": "public",
            "resources": [{"uri": "a:b", "name": "a", "size": size}]})
    };
    let softness = |size: Value, ttl: Value| -> Vec<bool> {
        let found = result("resources/list", &listed(size, ttl));
        found.iter().map(|found| found.soft).collect()
    };
    assert!(softness(json!(3.0), json!(1e3)).is_empty());
    assert!(softness(json!(u64::MAX), json!(0)).is_empty());
    assert_eq!(softness(json!(0.5), json!(0)), [true]);
    assert_eq!(softness(json!("3"), json!(0)), [false]);
    assert_eq!(softness(json!(3), json!(0.5)), [false]);
    assert_eq!(softness(json!(3), json!(-1)), [false]);
}

#[test]
fn the_result_type_picks_the_definition() {
    let empty = |result_type: &str| json!({"resultType": result_type});
    assert_eq!(result("tools/list", &empty("complete")).len(), 3);
    assert_eq!(result("tools/list", &empty("input_required")), []);
    assert_eq!(result("tools/list", &empty("task")), []);
    assert_eq!(result("tasks/get", &empty("complete")), []);
    assert_eq!(result("tools/list", &json!({})).len(), 4);
}

#[test]
fn members_that_no_definition_names_pass() {
    let tool = json!({"name": "a", "inputSchema": {"type": "object", "properties": 5}, "x": null});
    assert_eq!(result("tools/list", &tools(&[tool])), []);
    assert_eq!(
        error(&json!({"code": -32020, "message": "", "data": null, "x": 1})),
        []
    );
}

#[test]
fn only_some_notifications_need_params() {
    for (method, missing) in [
        ("notifications/tools/list_changed", 0),
        ("notifications/example", 0),
        ("notifications/progress", 1),
        ("notifications/resources/updated", 1),
        ("notifications/subscriptions/acknowledged", 1),
    ] {
        assert_eq!(notification(method, None).len(), missing, "{method}");
    }
    assert_eq!(
        notification("notifications/tools/list_changed", Some(&Value::Null)).len(),
        1
    );
}

#[test]
fn of_several_kinds_of_field_the_one_that_was_meant_is_judged() {
    let place = "/result/inputRequests/k/params/requestedSchema/properties/f";
    for (broken, member) in [
        (
            json!({"type": "string", "enum": [5], "format": "phone"}),
            "/enum/0",
        ),
        (
            json!({"type": "string", "oneOf": [{"title": ""}], "format": "phone"}),
            "/oneOf/0/const",
        ),
        (json!({"type": "string", "format": "phone"}), "/format"),
        (
            json!({"type": "array", "items": {"anyOf": [5]}}),
            "/items/anyOf/0",
        ),
        (
            json!({"type": "array", "items": {"type": "string"}}),
            "/items/enum",
        ),
        (
            json!({"type": "string", "enum": 5, "minLength": 0.5}),
            "/minLength",
        ),
    ] {
        assert_eq!(
            words("tools/call", &field(&broken)).0,
            format!("{place}{member}")
        );
    }
    for fine in [
        json!({"type": "string", "enum": 5}),
        json!({"type": "string", "enum": ["a"], "enumNames": 5, "format": "phone"}),
        json!({"type": "string", "enum": ["a"], "minLength": 0.5}),
    ] {
        assert_eq!(result("tools/call", &field(&fine)), []);
    }
}

#[test]
fn one_owners_many_violations_do_not_hide_another_owners() {
    let mut listed = vec![json!({"inputSchema": {"type": "object"}}); 10_000];
    listed.push(json!({"name": "a", "inputSchema": {"type": "array"}}));
    let found = result("tools/list", &tools(&listed));
    assert_eq!(
        owned_by(&found, Some("tools.list-shape")).count(),
        LIMIT + 1
    );
    let roots: Vec<_> = owned_by(&found, Some("schema.input-root-object")).collect();
    assert_eq!(roots.len(), 1);
    assert_eq!(roots[0].pointer, "/result/tools/10000/inputSchema/type");
}

#[test]
fn what_the_revision_leaves_open_is_not_entered() {
    let deep = (0..500).fold(json!(1), |inner, _| json!([inner]));
    let message = json!({"resultType": "complete", "content": [], "structuredContent": &deep});
    assert_eq!(result("tools/call", &message), []);
    assert_eq!(words("tools/call", &block(&deep)).2, "array of 1 item");
}

#[test]
fn a_place_holds_itself_and_what_is_below() {
    let found = result(
        "tools/list",
        &json!({"tools": [5], "toolsets": 5, "nextCursor": 5}),
    );
    let below: Vec<_> = under(&found, "/result/tools")
        .map(|found| &found.pointer)
        .collect();
    assert_eq!(below, ["/result/tools/0"]);
    assert_eq!(under(&found, "/result").count(), found.len());
}
