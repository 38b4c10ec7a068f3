//! Our shapes for revision 2025-11-25 and its published JSON Schema accept the same messages.
//!
//! Works like `shape_equivalence.rs`, whose notes hold here too. The test looks for the schema where
//! `MCP_SCHEMA_2025_11_25` says, then in `shared/spec` beside the repository, and says so on standard error
//! where it finds none.

#[path = "shape_equivalence/drawing.rs"]
mod drawing;

use drawing::{Dice, Source, break_every_place};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use verdict_core::shape::{Violation, handshake};

/// How many fresh messages of each kind are drawn, and how often each is broken by chance.
const DRAWN: usize = 24;
const BROKEN: usize = 100;

/// A row of [`KINDS`].
type Kind = (&'static str, &'static str, &'static str);

/// The member under test, the method, and the published definition.
const KINDS: &[Kind] = &[
    ("result", "initialize", "InitializeResult"),
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
    ("result", "ping", "EmptyResult"),
    ("params", "notifications/progress", "ProgressNotification"),
    (
        "params",
        "notifications/message",
        "LoggingMessageNotification",
    ),
    ("params", "notifications/cancelled", "CancelledNotification"),
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
    ("error", "", "JSONRPCErrorResponse"),
];

#[test]
fn shapes_accept_what_the_published_schema_accepts() {
    let Some(mut schema) = published() else {
        return;
    };
    let source = Source::new(&schema);
    for (number, kind) in (1_u64..).zip(KINDS) {
        schema["$ref"] = json!(format!("#/$defs/{}", kind.2));
        let validator = jsonschema::validator_for(&schema).expect("the schema is valid");
        let (mut valid, mut all) = (0, 0);
        let mut compare = |message: &Value| {
            let accepted = accepts(&validator, kind, message);
            let found = violations(kind, message);
            assert_eq!(accepted, found.is_empty(), "{kind:?} {message}\n{found:#?}");
            valid += usize::from(accepted);
            all += 1;
            accepted
        };
        let mut dice = Dice(number);
        for round in 0..DRAWN {
            let message = source.draw(kind, &mut dice, round % 2 == 0);
            assert!(
                compare(&message),
                "the drawn message is not valid: {message}"
            );
            if round % 2 == 0 {
                break_every_place(&message, &mut compare);
            }
            for _ in 0..BROKEN {
                let mut broken = message.clone();
                for _ in 0..=dice.below(2) {
                    source.break_somewhere(&mut broken, &mut dice);
                }
                compare(&broken);
            }
        }
        assert!(all > 2000, "{kind:?}: only {all} messages");
        assert!(
            valid * 20 > all && valid * 20 < all * 19,
            "{kind:?}: {valid} valid of {all}"
        );
    }
}

fn violations((member, method, _): &Kind, message: &Value) -> Vec<Violation> {
    match *member {
        "result" => handshake::result(method, &message["result"]),
        "params" => handshake::notification(method, message.get("params")),
        _ => handshake::error(&message["error"]),
    }
}

fn accepts(validator: &Validator, kind: &Kind, message: &Value) -> bool {
    if kind.0 == "result" {
        return validator.is_valid(&message["result"]);
    }
    let mut whole = json!({"jsonrpc": "2.0", "method": kind.1});
    if let Some(value) = message.get(kind.0) {
        whole[kind.0] = value.clone();
    }
    validator.is_valid(&whole)
}

fn published() -> Option<Value> {
    let beside = "../../../shared/spec/schema-2025-11-25.json";
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join(beside);
    let place = std::env::var_os("MCP_SCHEMA_2025_11_25").map_or_else(beside, PathBuf::from);
    let Ok(text) = std::fs::read_to_string(&place) else {
        // The handle itself, because what `eprintln` writes is swallowed when a test passes.
        let note = "shape_equivalence_handshake: NOT CHECKED, there is no published schema at";
        writeln!(std::io::stderr(), "{note} {}", place.display()).expect("write a note");
        return None;
    };
    Some(serde_json::from_str(&text).expect("the published schema is JSON"))
}
