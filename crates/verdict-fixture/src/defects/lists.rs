//! Faults of the four lists and their pages.

use super::bend::remove;
use super::{Defect, Transport};
use crate::message::{Fault, Request};
use serde_json::{Value, json};

const TOOLS: &str = "tools/list";
const RESOURCES: &str = "resources/list";

/// A tool that is there only at times.
fn extra(name: &str) -> Value {
    json!({
        "name": name, "description": "Comes and goes.", "inputSchema": { "type": "object" }
    })
}

/// Whether this is an odd walk over the list; all pages of one walk are of the same kind.
fn is_odd(request: &Request) -> bool {
    request.history.turn % 2 == 1
}

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "tools-reordered",
        "lists its tools in another order every time",
        &[("list.tools-order-stable", "warn")],
    )
    .items(|request, items| {
        if request.is(TOOLS) && is_odd(request) && items.len() > 1 {
            items.swap(0, 1);
        }
    }),
    Defect::new(
        "prompts-reordered",
        "lists its prompts in another order every time",
        &[("list.others-order-stable", "info")],
    )
    .items(|request, items| {
        if request.is("prompts/list") && is_odd(request) {
            items.reverse();
        }
    }),
    Defect::new(
        "tools-flicker",
        "lists another set of tools every time, and never says that it changes",
        &[
            ("list.same-set-repeat", "info"),
            ("list.tools-order-stable", "skip"),
            ("subscribe.tools-changed", "n/a"),
            ("subscribe.ack-omits-unsupported", "warn"),
        ],
    )
    .items(|request, items| {
        if request.is(TOOLS) {
            items.push(extra(&format!("draft_{}", request.history.turn)));
        }
    })
    .result(|request, result| {
        if request.is("server/discover") {
            result["capabilities"]["tools"] = json!({});
        }
    }),
    Defect::new(
        "tools-by-connection",
        "lists other tools on every connection",
        &[("list.same-across-connections", "fail")],
    )
    .over(Transport::Http)
    .items(|request, items| {
        if request.is(TOOLS) {
            items.push(extra(&format!("worker_{}", request.memory.peer)));
        }
    }),
    Defect::new(
        "resources-by-connection",
        "lists other resources on every connection",
        &[("list.same-across-connections", "warn")],
    )
    .over(Transport::Http)
    .items(|request, items| {
        if request.is(RESOURCES) {
            let name = format!("worker-{}", request.memory.peer);
            items.push(json!({ "uri": format!("ledger://{name}"), "name": name }));
        }
    }),
    Defect::new(
        "tools-after-templates",
        "lists other tools on a connection that asked for templates",
        &[("list.no-side-effect", "fail")],
    )
    .items(|request, items| {
        if request.is(TOOLS) && request.memory.has_served("resources/templates/list") {
            items.push(extra("render_template"));
        }
    }),
    Defect::new(
        "tools-after-call",
        "lists other tools on a connection that called one",
        &[("list.no-side-effect-call", "fail")],
    )
    .items(|request, items| {
        if request.is(TOOLS) && request.memory.has_served("tools/call") {
            items.push(extra("undo"));
        }
    }),
    Defect::new(
        "cursor-refused",
        "refuses its own cursors",
        &[
            ("list.cursor-accepted", "fail"),
            ("list.cursor-stable", "warn"),
        ],
    )
    .serve(|_, request| {
        (request.is(RESOURCES) && request.param("cursor").is_some())
            .then(|| Err(Fault::params("unknown cursor")))
    }),
    Defect::new(
        "cursor-repeats",
        "leads from the last page back to itself",
        &[("list.terminates", "warn")],
    )
    .result(|request, result| {
        if request.is(RESOURCES)
            && let Some(cursor) = request.param("cursor")
        {
            result["nextCursor"] = cursor.clone();
        }
    }),
    Defect::new(
        "next-cursor-null",
        "ends a list with a null cursor",
        &[("list.next-cursor-type", "fail")],
    )
    .result(|request, result| {
        if request.is("prompts/list") {
            result["nextCursor"] = Value::Null;
        }
    }),
    Defect::new(
        "cursor-single-use",
        "refuses a cursor that is used a second time",
        &[("list.cursor-stable", "warn")],
    )
    .serve(|_, request| {
        (request.param("cursor").is_some() && request.history.repeats)
            .then(|| Err(Fault::params("this cursor was used before")))
    }),
    Defect::new(
        "cursor-ignored",
        "starts over when it does not know a cursor",
        &[("list.cursor-invalid", "warn")],
    )
    .request(|request| {
        let is_ours = request
            .text("cursor")
            .is_none_or(|cursor| cursor.contains('.'));
        if !is_ours && let Some(params) = request.params_mut() {
            params.remove("cursor");
        }
    }),
    Defect::new(
        "cursor-number-ignored",
        "starts over when a cursor is a number",
        &[("list.cursor-wrong-type", "warn")],
    )
    .request(|request| {
        if request.param("cursor").is_some_and(Value::is_number)
            && let Some(params) = request.params_mut()
        {
            params.remove("cursor");
        }
    }),
    Defect::new(
        "resource-on-two-pages",
        "lists one resource on two pages",
        &[
            ("list.no-duplicates", "info"),
            ("resources.uri-unique", "warn"),
        ],
    )
    .items(|request, items| {
        if request.is(RESOURCES)
            && let Some(first) = items.first().cloned()
        {
            items.push(first);
        }
    }),
    Defect::new(
        "tools-without-array",
        "names the member of tools/list like that of another list",
        &[
            ("discover.honours-tools", "fail"),
            ("tools.*", "skip"),
            ("schema.*", "skip"),
            ("list.*", "skip"),
            ("header.*", "skip"),
            ("progress.*", "skip"),
            ("mrtr.*", "skip"),
            ("subscribe.*", "skip"),
            ("cancel.*", "skip"),
            ("deprecated.*", "skip"),
        ],
    )
    .result(|request, result| {
        if request.is(TOOLS) {
            result["items"] = result["tools"].clone();
            remove(result, "tools");
        }
    }),
];
