//! Our shapes and the published JSON Schema of revision 2026-07-28 accept the same messages.
//!
//! The schema is not part of this repository. The test looks for it where
//! `MCP_SCHEMA_2026_07_28` says, then in `shared/spec` beside the repository, and says so on
//! standard error where it finds none.
//!
//! Messages are drawn from the published definitions, not from our tables, so a member that we
//! forgot is drawn too. Each is then broken in many ways. The differences we mean to have are
//! written down in `verdict_core::shape`; here they are [`any_json`], [`definition`] and the soft
//! violations, which count as violations in the comparison and are looked at on their own.

#[path = "shape_equivalence/drawing.rs"]
mod drawing;
#[path = "shape_equivalence/published.rs"]
mod published;

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::{Value, json};
use verdict_core::shape::{self, Violation};

use drawing::{Dice, Source};
use published::{Kind, try_out};

/// How many fresh messages of each kind are drawn.
const DRAWN: usize = 32;

/// Members that may hold a fraction at the price of a warning.
const SOFT: &[&str] = &[
    "size",
    "total",
    "maxTokens",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "progressToken",
    "requestId",
    "io.modelcontextprotocol~1subscriptionId",
];

/// A method of no revision, so that nothing but `resultType` can say that the server asks.
const ASKING: &str = "example/asking";

/// The kinds of message: the member under test, the method, and the published definition to draw.
///
/// What a server may ask is drawn as a whole and then piece by piece, because chance alone seldom
/// reaches the depths of a form.
const KINDS: &[Kind] = &[
    ("result", "server/discover", "DiscoverResult"),
    ("result", "tools/list", "ListToolsResult"),
    ("result", "tools/call", "CallToolResult"),
    ("result", "resources/list", "ListResourcesResult"),
    (
        "result",
        "resources/templates/list",
        "ListResourceTemplatesResult",
    ),
    ("result", "resources/read", "ReadResourceResult"),
    ("result", "prompts/list", "ListPromptsResult"),
    ("result", "prompts/get", "GetPromptResult"),
    ("result", "completion/complete", "CompleteResult"),
    (
        "result",
        "subscriptions/listen",
        "SubscriptionsListenResult",
    ),
    ("result", "example/other", "Result"),
    ("result", ASKING, "InputRequiredResult"),
    ("result", ASKING, "CreateMessageRequest"),
    ("result", ASKING, "ElicitRequest"),
    ("result", ASKING, "ListRootsRequest"),
    ("result", ASKING, "ToolUseContent"),
    ("result", ASKING, "ToolResultContent"),
    ("result", ASKING, "StringSchema"),
    ("result", ASKING, "NumberSchema"),
    ("result", ASKING, "BooleanSchema"),
    ("result", ASKING, "UntitledSingleSelectEnumSchema"),
    ("result", ASKING, "TitledSingleSelectEnumSchema"),
    ("result", ASKING, "UntitledMultiSelectEnumSchema"),
    ("result", ASKING, "TitledMultiSelectEnumSchema"),
    ("result", ASKING, "LegacyTitledEnumSchema"),
    ("params", "notifications/progress", "ProgressNotification"),
    (
        "params",
        "notifications/message",
        "LoggingMessageNotification",
    ),
    ("params", "notifications/cancelled", "CancelledNotification"),
    (
        "params",
        "notifications/subscriptions/acknowledged",
        "SubscriptionsAcknowledgedNotification",
    ),
    (
        "params",
        "notifications/resources/updated",
        "ResourceUpdatedNotification",
    ),
    (
        "params",
        "notifications/tools/list_changed",
        "ToolListChangedNotification",
    ),
    (
        "params",
        "notifications/prompts/list_changed",
        "PromptListChangedNotification",
    ),
    (
        "params",
        "notifications/resources/list_changed",
        "ResourceListChangedNotification",
    ),
    ("params", "notifications/example", "JSONRPCNotification"),
    ("error", "", "JSONRPCErrorResponse"),
    ("error", "", "HeaderMismatchError"),
    ("error", "", "MissingRequiredClientCapabilityError"),
    ("error", "", "UnsupportedProtocolVersionError"),
];

#[test]
fn shapes_accept_what_the_published_schema_accepts() {
    let Some(published) = Published::find() else {
        return;
    };
    for (number, kind) in (1_u64..).zip(KINDS) {
        let dice = Dice(number);
        try_out(&published.source, kind, dice, (DRAWN, 3000), |message| {
            compare(&published, kind, message)
        });
    }
}

#[test]
fn the_deliberate_differences_are_still_there() {
    let Some(published) = Published::find_as_written() else {
        return;
    };
    let kind = &KINDS[0];
    let message = json!({"result": {
        "resultType": "complete", "ttlMs": 0, "cacheScope": "public", "supportedVersions": [],
        "capabilities": {"logging": {"a": null, "b": 0.5}},
    }});
    assert!(!published.accepts(kind, &message) && violations(kind, &message).is_empty());

    let kind = &KINDS[9];
    let message = json!({"result": {
        "resultType": "complete", "_meta": {"io.modelcontextprotocol/subscriptionId": 1.5},
    }});
    assert!(!published.accepts(kind, &message));
    let found = violations(kind, &message);
    assert!(found.len() == 1 && found[0].soft, "{found:?}");

    let message = json!({"result": {"resultType": "input_required"}});
    assert!(shape::result("tools/list", &message["result"]).is_empty());
    assert!(!published.validators["ListToolsResult"].is_valid(&message["result"]));
}

/// Says whether the message is valid, after making sure that both sides agree on that.
fn compare(published: &Published, kind: &Kind, message: &Value) -> bool {
    let accepted = published.accepts(kind, message);
    let found = violations(kind, message);
    assert_eq!(accepted, found.is_empty(), "{kind:?} {message}\n{found:#?}");
    for violation in &found {
        assert_sound(message, violation);
    }
    accepted
}

/// A violation points to something that is there, or just missing, and is soft only where it may be.
fn assert_sound(message: &Value, violation: &Violation) {
    let (parent, name) = violation.pointer.rsplit_once('/').unwrap_or_default();
    assert!(
        message.pointer(parent).is_some(),
        "{violation:?} points nowhere in {message}"
    );
    let value = message.pointer(&violation.pointer);
    assert_eq!(
        violation.actual == "absent",
        value.is_none(),
        "{violation:?} in {message}"
    );
    if violation.soft {
        assert!(SOFT.contains(&name), "{violation:?}");
        assert!(
            value
                .and_then(Value::as_f64)
                .is_some_and(|number| number.fract() != 0.0)
        );
    }
}

fn violations((member, method, _): &Kind, message: &Value) -> Vec<Violation> {
    match *member {
        "result" => shape::result(method, &message["result"]),
        "params" => shape::notification(method, message.get("params")),
        _ => shape::error(&message["error"]),
    }
}

/// The definition a message is held against: some members overrule the kind.
fn definition((member, method, name): &Kind, message: &Value) -> &'static str {
    let result_type = message
        .pointer("/result/resultType")
        .and_then(Value::as_str);
    let code = message
        .pointer("/error/code")
        .and_then(Value::as_f64)
        .map(|code| code.to_string());
    match (*member, result_type, code.as_deref()) {
        ("result", Some("input_required"), _) => "InputRequiredResult",
        ("result", Some("complete") | None, _) if *method != ASKING => name,
        ("result", _, _) => "Result",
        ("error", _, Some("-32020")) => "HeaderMismatchError",
        ("error", _, Some("-32021")) => "MissingRequiredClientCapabilityError",
        ("error", _, Some("-32022")) => "UnsupportedProtocolVersionError",
        ("error", _, _) => "JSONRPCErrorResponse",
        _ => name,
    }
}

/// The published schema.
struct Published {
    validators: BTreeMap<&'static str, Validator>,
    source: Source,
}

impl Published {
    fn find() -> Option<Self> {
        published::read("2026-07-28").map(|mut schema| {
            any_json(&mut schema);
            Self::new(schema)
        })
    }

    fn find_as_written() -> Option<Self> {
        published::read("2026-07-28").map(Self::new)
    }

    fn new(mut schema: Value) -> Self {
        let mut validators = BTreeMap::new();
        for &(_, _, name) in KINDS {
            schema["$ref"] = json!(format!("#/$defs/{name}"));
            let validator = jsonschema::validator_for(&schema).expect("the schema is valid");
            validators.insert(name, validator);
        }
        Self {
            validators,
            source: Source::new(&schema),
        }
    }

    fn accepts(&self, kind: &Kind, message: &Value) -> bool {
        let validator = &self.validators[definition(kind, message)];
        published::accepts(validator, kind, message)
    }
}

/// Lets `JSONValue` be any JSON, as its TypeScript source has it.
fn any_json(schema: &mut Value) {
    schema["$defs"]["JSONValue"] = json!(true);
}
