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

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde_json::{Value, json};
use verdict_core::shape::{self, Violation};

use drawing::{Dice, Source, break_every_place};

/// How many fresh messages of each kind are drawn, and how often each is broken by chance.
const DRAWN: usize = 32;
const BROKEN: usize = 100;

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

/// A row of [`KINDS`].
type Kind = (&'static str, &'static str, &'static str);

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
        let mut trial = Trial {
            published: &published,
            kind,
            valid: 0,
            invalid: 0,
        };
        let mut dice = Dice(number);
        for round in 0..DRAWN {
            let message = published.source.draw(kind, &mut dice, round % 2 == 0);
            assert!(
                trial.compare(&message),
                "the drawn message is not valid: {message}"
            );
            if round % 2 == 0 {
                break_every_place(&message, |broken| trial.compare(broken));
            }
            for _ in 0..BROKEN {
                let mut broken = message.clone();
                for _ in 0..=dice.below(2) {
                    published.source.break_somewhere(&mut broken, &mut dice);
                }
                trial.compare(&broken);
            }
        }
        let (valid, all) = (trial.valid, trial.valid + trial.invalid);
        assert!(all > 3000, "{kind:?}: only {all} messages");
        assert!(
            valid * 20 > all && valid * 20 < all * 19,
            "{kind:?}: {valid} valid of {all}"
        );
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

/// One kind of message under comparison.
struct Trial<'p> {
    published: &'p Published,
    kind: &'static Kind,
    valid: usize,
    invalid: usize,
}

impl Trial<'_> {
    /// Says whether the message is valid, after making sure that both sides agree on that.
    fn compare(&mut self, message: &Value) -> bool {
        let accepted = self.published.accepts(self.kind, message);
        let found = violations(self.kind, message);
        let kind = self.kind;
        assert_eq!(accepted, found.is_empty(), "{kind:?} {message}\n{found:#?}");
        for violation in &found {
            assert_sound(message, violation);
        }
        *if accepted {
            &mut self.valid
        } else {
            &mut self.invalid
        } += 1;
        accepted
    }
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
        Self::read().map(|mut schema| {
            any_json(&mut schema);
            Self::new(schema)
        })
    }

    fn find_as_written() -> Option<Self> {
        Self::read().map(Self::new)
    }

    fn read() -> Option<Value> {
        let beside = "../../../shared/spec/schema-2026-07-28.json";
        let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join(beside);
        let place = std::env::var_os("MCP_SCHEMA_2026_07_28").map_or_else(beside, PathBuf::from);
        let Ok(text) = std::fs::read_to_string(&place) else {
            // The handle itself, because what `eprintln` writes is swallowed when a test passes.
            let note = "shape_equivalence: NOT CHECKED, there is no published schema at";
            writeln!(std::io::stderr(), "{note} {}", place.display()).expect("write a note");
            return None;
        };
        Some(serde_json::from_str(&text).expect("the published schema is JSON"))
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
        if kind.0 == "result" {
            return validator.is_valid(&message["result"]);
        }
        let mut whole = json!({"jsonrpc": "2.0", "method": kind.1});
        if let Some(value) = message.get(kind.0) {
            whole[kind.0] = value.clone();
        }
        validator.is_valid(&whole)
    }
}

/// Lets `JSONValue` be any JSON, as its TypeScript source has it.
fn any_json(schema: &mut Value) {
    schema["$defs"]["JSONValue"] = json!(true);
}
