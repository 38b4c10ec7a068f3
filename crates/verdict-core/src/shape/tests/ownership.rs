//! Who answers for which place.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::{error, notification, owners, result};

/// The owners that the broken messages so far have led to.
type Seen = BTreeSet<&'static str>;

#[test]
fn each_place_goes_to_its_owner_and_each_owner_gets_one() {
    let mut seen = Seen::new();
    discovery(&mut seen);
    lists(&mut seen);
    contents(&mut seen);
    questions(&mut seen);
    notifications(&mut seen);
    errors(&mut seen);
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), owners());
}

/// Looks for the violations of a message: pointer and owner, with a dash for none.
fn check(seen: &mut Seen, method: &str, message: &Value, expected: &[&str]) {
    let found = match method {
        "error" => error(message),
        notice if notice.starts_with("notifications/") => notification(notice, Some(message)),
        request => result(request, message),
    };
    let places = found
        .iter()
        .map(|at| format!("{} {}", at.pointer, at.owner.unwrap_or("-")));
    assert_eq!(places.collect::<Vec<_>>(), expected, "{method} {message}");
    seen.extend(found.iter().filter_map(|at| at.owner));
}

/// A complete result with these members and no others.
fn plain(members: &Value) -> Value {
    let mut whole = json!({"resultType": "complete"});
    for (name, value) in members.as_object().into_iter().flatten() {
        whole[name] = value.clone();
    }
    whole
}

/// A result that asks the client.
fn asking(requests: &Value) -> Value {
    json!({"resultType": "input_required", "inputRequests": requests})
}

fn discovery(seen: &mut Seen) {
    check(
        seen,
        "server/discover",
        &plain(&json!({
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "a", "icons": [{}]}},
            "supportedVersions": [7],
            "capabilities": {"tools": {"listChanged": 1}, "logging": true, "x": 5,
                "extensions": {"a/b": [], "c": {}}},
            "instructions": [],
        })),
        &[
            "/result/_meta/io.modelcontextprotocol~1serverInfo/version discover.server-info-shape",
            "/result/_meta/io.modelcontextprotocol~1serverInfo/icons/0/src discover.server-info-shape",
            "/result/ttlMs cache.hints-discover",
            "/result/cacheScope cache.hints-discover",
            "/result/supportedVersions/0 discover.versions-include-ours",
            "/result/capabilities/tools/listChanged discover.capability-types",
            "/result/capabilities/logging discover.capability-types",
            "/result/capabilities/extensions/a~1b discover.extension-ids",
            "/result/instructions discover.shape",
        ],
    );
}

fn lists(seen: &mut Seen) {
    check(seen, "tools/list", &json!([]), &["/result result.object"]);
    check(
        seen,
        "tools/list",
        &json!({"nextCursor": null, "tools": [
            {"name": "a", "inputSchema": true, "annotations": {"readOnlyHint": "yes"}},
            {"inputSchema": {"type": ["object"], "$schema": 7}, "outputSchema": false},
            {"name": "c", "icons": [{"src": "x", "theme": "blue"}]},
        ]}),
        &[
            "/result/resultType result.type-present",
            "/result/ttlMs cache.hints-tools-list",
            "/result/cacheScope cache.hints-tools-list",
            "/result/nextCursor list.next-cursor-type",
            "/result/tools/0/inputSchema schema.input-root-object",
            "/result/tools/0/annotations/readOnlyHint tools.annotations-types",
            "/result/tools/1/name tools.list-shape",
            "/result/tools/1/inputSchema/type schema.input-root-object",
            "/result/tools/1/inputSchema/$schema tools.list-shape",
            "/result/tools/1/outputSchema schema.output-is-object",
            "/result/tools/2/inputSchema tools.list-shape",
            "/result/tools/2/icons/0/theme tools.list-shape",
        ],
    );
    check(
        seen,
        "resources/list",
        &plain(&json!({"resources": [
            {"uri": "a:b", "size": 0.5, "annotations": {"audience": ["robot"], "priority": 2}},
        ]})),
        &[
            "/result/ttlMs cache.hints-resources-list",
            "/result/cacheScope cache.hints-resources-list",
            "/result/resources/0/name resources.list-shape",
            "/result/resources/0/size resources.list-shape",
            "/result/resources/0/annotations/audience/0 tools.content-annotations",
            "/result/resources/0/annotations/priority tools.content-annotations",
        ],
    );
    check(
        seen,
        "resources/templates/list",
        &plain(&json!({"resourceTemplates": [{"name": 5, "title": 5, "annotations": 5}]})),
        &[
            "/result/ttlMs cache.hints-templates-list",
            "/result/cacheScope cache.hints-templates-list",
            "/result/resourceTemplates/0/uriTemplate resources.templates-shape",
            "/result/resourceTemplates/0/name resources.templates-shape",
            "/result/resourceTemplates/0/title -",
            "/result/resourceTemplates/0/annotations tools.content-annotations",
        ],
    );
    check(
        seen,
        "prompts/list",
        &plain(&json!({"prompts": [{"arguments": [{"required": "no"}]}, null]})),
        &[
            "/result/ttlMs cache.hints-prompts-list",
            "/result/cacheScope cache.hints-prompts-list",
            "/result/prompts/0/name prompts.list-shape",
            "/result/prompts/0/arguments/0/name prompts.list-shape",
            "/result/prompts/0/arguments/0/required -",
            "/result/prompts/1 prompts.list-shape",
        ],
    );
}

fn contents(seen: &mut Seen) {
    check(
        seen,
        "resources/read",
        &plain(&json!({"contents": [{"uri": "a:b"}, {"uri": "a:b", "blob": 5}]})),
        &[
            "/result/ttlMs cache.hints-read",
            "/result/cacheScope cache.hints-read",
            "/result/contents/0/text resources.read-shape",
            "/result/contents/1/blob resources.read-shape",
        ],
    );
    check(
        seen,
        "resources/read",
        &plain(&json!({"ttlMs": -1, "cacheScope": "all", "contents": [
            {"uri": "a:b", "text": "", "blob": 5, "mimeType": "a/b"},
            {"uri": "a:b", "text": "", "mimeType": 5},
        ]})),
        &[
            "/result/ttlMs cache.ttl-valid",
            "/result/cacheScope cache.scope-valid",
            "/result/contents/1/mimeType -",
        ],
    );
    check(
        seen,
        "tools/call",
        &json!({"resultType": 1, "isError": "no", "content": [
            {"type": "picture"},
            {"type": "image", "data": "", "annotations": {"lastModified": 0}},
            {"type": "resource_link", "uri": "a:b", "name": "b", "title": 5},
            {"type": "resource", "resource": {"text": "a"}},
        ]}),
        &[
            "/result/resultType result.type-string",
            "/result/content/0/type tools.content-kinds",
            "/result/content/1/mimeType tools.content-kinds",
            "/result/content/1/annotations/lastModified tools.content-annotations",
            "/result/content/2/title tools.call-shape",
            "/result/content/3/resource/uri tools.content-kinds",
            "/result/isError tools.call-shape",
        ],
    );
    check(
        seen,
        "prompts/get",
        &plain(&json!({"_meta": 5, "description": 5, "messages": [
            {"role": "system", "content": [{"type": "text", "text": "a"}]},
            {"role": "user", "content": {"type": "audio", "data": ""}},
        ]})),
        &[
            "/result/_meta -",
            "/result/messages/0/role prompts.get-shape",
            "/result/messages/0/content prompts.get-shape",
            "/result/messages/1/content/mimeType prompts.content",
            "/result/description -",
        ],
    );
    check(
        seen,
        "completion/complete",
        &plain(&json!({"completion": {"values": vec!["a"; 101], "hasMore": 0}})),
        &[
            "/result/completion/values completion.max-100",
            "/result/completion/hasMore completion.shape",
        ],
    );
    check(
        seen,
        "subscriptions/listen",
        &plain(&json!({})),
        &["/result/_meta subscribe.result-shape"],
    );
}

fn questions(seen: &mut Seen) {
    check(
        seen,
        "prompts/get",
        &asking(&json!({
            "a": {"method": "roots/read"},
            "b": {"method": "elicitation/create", "params": {"requestedSchema": {
                "type": "object", "properties": {"age": {"type": "object"}},
            }}},
            "c": {"method": "elicitation/create", "params": {"mode": "url", "message": ""}},
            "d": {"method": "sampling/createMessage", "params": {"maxTokens": 1.5, "messages": [
                {"role": "user", "content": [{"type": "tool_use"}]},
            ]}},
        })),
        &[
            "/result/inputRequests/a/method mrtr.request-kinds",
            "/result/inputRequests/b/params/message mrtr.form-message",
            "/result/inputRequests/b/params/requestedSchema/properties/age/type mrtr.form-schema-flat",
            "/result/inputRequests/c/params/url mrtr.url-valid",
            "/result/inputRequests/d/params/messages/0/content/0/id mrtr.request-shape",
            "/result/inputRequests/d/params/messages/0/content/0/name mrtr.request-shape",
            "/result/inputRequests/d/params/messages/0/content/0/input mrtr.request-shape",
            "/result/inputRequests/d/params/maxTokens mrtr.request-shape",
        ],
    );
    check(
        seen,
        "tools/call",
        &json!({"resultType": "input_required", "requestState": {}}),
        &["/result/requestState mrtr.state-string"],
    );
}

fn notifications(seen: &mut Seen) {
    let tag = json!({"io.modelcontextprotocol/subscriptionId": true});
    check(
        seen,
        "notifications/progress",
        &json!({"progressToken": 1.5, "_meta": &tag}),
        &[
            "/params/progressToken progress.shape",
            "/params/progress progress.shape",
            "/params/_meta/io.modelcontextprotocol~1subscriptionId subscribe.id-only-on-listen",
        ],
    );
    check(
        seen,
        "notifications/message",
        &json!({"level": "loud", "logger": 5}),
        &[
            "/params/level deprecated.log-shape",
            "/params/data deprecated.log-shape",
            "/params/logger -",
        ],
    );
    check(
        seen,
        "notifications/cancelled",
        &json!({"reason": 5}),
        &[
            "/params/requestId cancel.server-cancelled-only-listen",
            "/params/reason -",
        ],
    );
    check(
        seen,
        "notifications/subscriptions/acknowledged",
        &json!({"_meta": &tag}),
        &[
            "/params/notifications subscribe.ack-subset",
            "/params/_meta/io.modelcontextprotocol~1subscriptionId subscribe.ack-id",
        ],
    );
    check(
        seen,
        "notifications/resources/updated",
        &json!({"_meta": &tag}),
        &[
            "/params/uri -",
            "/params/_meta/io.modelcontextprotocol~1subscriptionId subscribe.all-tagged",
        ],
    );
    check(seen, "notifications/example", &json!([]), &["/params -"]);
}

fn errors(seen: &mut Seen) {
    check(seen, "error", &json!("no"), &["/error errors.code-integer"]);
    check(
        seen,
        "error",
        &json!({"code": -32021.0, "data": {"requiredCapabilities": ["sampling"]}}),
        &[
            "/error/message errors.message-string",
            "/error/data/requiredCapabilities tools.capability-data",
        ],
    );
    check(
        seen,
        "error",
        &json!({"code": -32022, "message": "", "data": {"supported": [5]}}),
        &[
            "/error/data/supported/0 version.unsupported-data",
            "/error/data/requested version.unsupported-data",
        ],
    );
    check(
        seen,
        "error",
        &json!({"code": 1.5, "message": ""}),
        &["/error/code errors.code-integer"],
    );
}
