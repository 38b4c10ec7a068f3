//! Our shapes for revision 2025-11-25 and its published JSON Schema accept the same messages.
//!
//! Works like `shape_equivalence.rs`, whose notes hold here too. The test looks for the schema where
//! `MCP_SCHEMA_2025_11_25` says, then in `shared/spec` beside the repository, and says so on standard error
//! where it finds none.

#[path = "shape_equivalence/drawing.rs"]
mod drawing;
#[path = "shape_equivalence/published.rs"]
mod published;

use drawing::{Dice, Source};
use published::{Kind, accepts, try_out};
use serde_json::{Value, json};
use verdict_core::shape::{Violation, handshake};

/// How many fresh messages of each kind are drawn.
const DRAWN: usize = 24;

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
    let Some(mut schema) = published::read("2025-11-25") else {
        return;
    };
    let source = Source::new(&schema);
    for (number, kind) in (1_u64..).zip(KINDS) {
        schema["$ref"] = json!(format!("#/$defs/{}", kind.2));
        let validator = jsonschema::validator_for(&schema).expect("the schema is valid");
        try_out(&source, kind, Dice(number), (DRAWN, 2000), |message| {
            let accepted = accepts(&validator, kind, message);
            let found = violations(kind, message);
            assert_eq!(accepted, found.is_empty(), "{kind:?} {message}\n{found:#?}");
            accepted
        });
    }
}

fn violations((member, method, _): &Kind, message: &Value) -> Vec<Violation> {
    match *member {
        "result" => handshake::result(method, &message["result"]),
        "params" => handshake::notification(method, message.get("params")),
        _ => handshake::error(&message["error"]),
    }
}
