//! The same for revision 2025-11-25, which a run with `--revision 2025-11-25` judges by.
//!
//! Most pieces are those of today; what differs is said here. Nobody owns a place: what a check of its own
//! judges, it leaves out of what the walk finds. Not told here is what follows from a capability of the
//! client, for a run declares none: tasks, elicitation, sampling, roots.

use super::basic::{ANY_OBJECT, ICONS, IMPLEMENTATION, META, NEXT_CURSOR};
use super::content::{BLOCK, RESOURCE_CONTENTS};
use super::language::Shape::{Any, Flag, Id, List, LooseWhole, Map, Number, Object, OneOf, Text};
use super::language::{Field, Shape, may, must};
use super::{Violation, errors, notices, prompts, resources, tools, walk};
use serde_json::Value;

/// The violations in the `result` member of an answer to `method`.
pub fn result(method: &str, result: &Value) -> Vec<Violation> {
    let shape = match method {
        "initialize" => &INITIALIZE,
        "tools/list" => &TOOLS,
        "tools/call" => &CALL,
        "resources/list" => &RESOURCES,
        "resources/templates/list" => &TEMPLATES,
        "resources/read" => &READ,
        "prompts/list" => &PROMPTS,
        "prompts/get" => &GET,
        "completion/complete" => &COMPLETE,
        _ => &RESULT,
    };
    walk::message("result", shape, Some(result), &[])
}

/// The violations in the `params` of a notification; `None` where it has no such member.
pub fn notification(method: &str, params: Option<&Value>) -> Vec<Violation> {
    let shape = match method {
        "notifications/progress" => &PROGRESS,
        "notifications/message" => &MESSAGE,
        "notifications/cancelled" => &CANCELLED,
        "notifications/resources/updated" => &UPDATED,
        _ => &RESULT,
    };
    // Only what must hold something cannot do without `params`; a cancellation is the one exception.
    if params.is_none() && !shape.has_required_members() && method != "notifications/cancelled" {
        return Vec::new();
    }
    walk::message("params", shape, params, &[])
}

/// The violations in the `error` member of an answer.
pub fn error(error: &Value) -> Vec<Violation> {
    walk::message("error", &errors::ERROR, Some(error), &[])
}

/// What every result is at least; the `params` of a notification that may do without them, too.
const RESULT: Shape = Object(&[META]);

const INITIALIZE: Shape = Object(&[
    META,
    must("protocolVersion", Text),
    must("capabilities", CAPABILITIES),
    must("serverInfo", IMPLEMENTATION),
    may("instructions", Text),
]);

const CHANGES: Field = may("listChanged", Flag);

const CAPABILITIES: Shape = Object(&[
    may("tools", Object(&[CHANGES])),
    may("prompts", Object(&[CHANGES])),
    may("resources", Object(&[CHANGES, may("subscribe", Flag)])),
    may("completions", ANY_OBJECT),
    may("logging", ANY_OBJECT),
    may("experimental", Map(&ANY_OBJECT)),
    may(
        "tasks",
        Object(&[
            may("list", ANY_OBJECT),
            may("cancel", ANY_OBJECT),
            may(
                "requests",
                Object(&[may("tools", Object(&[may("call", ANY_OBJECT)]))]),
            ),
        ]),
    ),
]);

/// A schema of a tool, which is one of an object in any case.
const SCHEMA: Shape = Object(&[
    must("type", OneOf(&["object"])),
    may("properties", Map(&ANY_OBJECT)),
    may("required", List(&Text)),
    may("$schema", Text),
]);

const TOOL: Shape = Object(&[
    must("name", Text),
    must("inputSchema", SCHEMA),
    may("outputSchema", SCHEMA),
    may("title", Text),
    may("description", Text),
    may("annotations", tools::HINTS),
    may(
        "execution",
        Object(&[may(
            "taskSupport",
            OneOf(&["forbidden", "optional", "required"]),
        )]),
    ),
    ICONS,
    META,
]);

const TOOLS: Shape = Object(&[META, NEXT_CURSOR, must("tools", List(&TOOL))]);
const CALL: Shape = Object(&[
    META,
    must("content", List(&BLOCK)),
    may("structuredContent", ANY_OBJECT),
    may("isError", Flag),
]);
const RESOURCES: Shape = Object(&[
    META,
    NEXT_CURSOR,
    must("resources", List(&resources::RESOURCE)),
]);
const TEMPLATES: Shape = Object(&[
    META,
    NEXT_CURSOR,
    must("resourceTemplates", List(&resources::TEMPLATE)),
]);
const READ: Shape = Object(&[META, must("contents", List(&RESOURCE_CONTENTS))]);
const PROMPTS: Shape = Object(&[META, NEXT_CURSOR, must("prompts", List(&prompts::PROMPT))]);
const GET: Shape = Object(&[META, prompts::MESSAGES, may("description", Text)]);
const COMPLETE: Shape = Object(&[
    META,
    must(
        "completion",
        Object(&[
            must("values", List(&Text)),
            may("total", LooseWhole),
            may("hasMore", Flag),
        ]),
    ),
]);

const PROGRESS: Shape = Object(&[
    META,
    must("progressToken", Id),
    must("progress", Number),
    may("total", Number),
    may("message", Text),
]);
const MESSAGE: Shape = Object(&[META, notices::LEVEL, must("data", Any), may("logger", Text)]);
const CANCELLED: Shape = Object(&[META, may("requestId", Id), may("reason", Text)]);
const UPDATED: Shape = Object(&[META, must("uri", Text)]);
