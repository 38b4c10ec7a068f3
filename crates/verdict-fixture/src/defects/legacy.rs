//! Faults of a server of the handshake's era, which a run by revision 2025-11-25 finds over either transport.

use super::bend::{named, remove};
use super::{Defect, Transport, Variant};
use crate::hooks::Process;
use crate::message::{Answer, Form, Request, notification};
use serde_json::{Value, json};

/// Answers with an error in place of whatever there was.
fn refuse(request: &Request, answer: &mut Answer, code: i64) {
    if let Some(id) = request.id() {
        let message =
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": "no" } });
        *answer = Answer::json(200, message);
        answer.describe();
    }
}

/// Whether a checker made this name up.
fn is_made_up(request: &Request, member: &str) -> bool {
    request
        .text(member)
        .is_some_and(|name| name.starts_with("mcp-verdict"))
}

/// Sends a message before the response.
fn before(answer: &mut Answer, message: Value) {
    answer.form = Form::Sse;
    answer.precede(message);
    answer.describe();
}

pub(super) const fn legacy(
    name: &'static str,
    about: &'static str,
    expect: &'static [(&'static str, &'static str)],
) -> Defect {
    Defect::new(name, about, expect).on(Variant::LegacyOnly)
}

pub(super) const DEFECTS: &[Defect] = &[
    legacy(
        "legacy-initialize-refused",
        "refuses initialize",
        &[
            ("handshake.answers", "fail"),
            ("handshake.version-unknown", "skip"),
        ],
    )
    .answer(|request, answer| {
        if request.is("initialize") {
            refuse(request, answer, -32600);
        }
    }),
    legacy(
        "legacy-version-older",
        "answers in an older version than was asked for",
        &[("handshake.version", "warn")],
    )
    .answer(|request, answer| {
        if let Some(result) = answer.result_mut().filter(|_| request.is("initialize")) {
            result["protocolVersion"] = json!("2025-06-18");
        }
    }),
    legacy(
        "legacy-version-missing",
        "does not say which version it answers in",
        &[("handshake.version", "fail")],
    )
    .answer(|request, answer| {
        if let Some(result) = answer.result_mut().filter(|_| request.is("initialize")) {
            remove(result, "protocolVersion");
        }
    }),
    legacy(
        "legacy-version-echoed",
        "agrees to any version",
        &[("handshake.version-unknown", "fail")],
    )
    .answer(|request, answer| {
        if let Some(result) = answer.result_mut().filter(|_| request.is("initialize")) {
            result["protocolVersion"] = json!(request.text("protocolVersion"));
        }
    }),
    legacy(
        "legacy-version-refused",
        "refuses a version that it does not know",
        &[("handshake.version-unknown", "info")],
    )
    .answer(|request, answer| {
        if request
            .text("protocolVersion")
            .is_some_and(|version| version != "2025-11-25")
        {
            refuse(request, answer, -32602);
        }
    }),
    legacy(
        "legacy-nameless",
        "does not say what it is called",
        &[("handshake.result", "fail")],
    )
    .answer(|request, answer| {
        if let Some(result) = answer.result_mut().filter(|_| request.is("initialize")) {
            remove(&mut result["serverInfo"], "name");
        }
    }),
    legacy(
        "legacy-early-notice",
        "reports a change before the handshake is over",
        &[("handshake.quiet", "warn")],
    )
    .answer(|request, answer| {
        if request.is("initialize") {
            before(
                answer,
                notification("notifications/tools/list_changed", &json!({})),
            );
        }
    }),
    legacy(
        "legacy-without-jsonrpc",
        "leaves jsonrpc out of an answer",
        &[("handshake.responses", "fail")],
    )
    .answer(|request, answer| {
        if let Some(response) = answer.response_mut().filter(|_| request.is("ping")) {
            remove(response, "jsonrpc");
        }
    }),
    legacy(
        "legacy-description-number",
        "describes a tool with a number",
        &[("handshake.shapes", "fail")],
    )
    .items(|_, items| {
        if let Some(tool) = named(items, "void_invoice") {
            tool["description"] = json!(5);
        }
    }),
    legacy(
        "legacy-asks-for-roots",
        "asks a client for roots that has none",
        &[("handshake.capabilities-used", "fail")],
    )
    .answer(|request, answer| {
        if request.is("prompts/list") {
            before(
                answer,
                json!({ "jsonrpc": "2.0", "id": "roots", "method": "roots/list" }),
            );
        }
    }),
    legacy(
        "legacy-logs-undeclared",
        "sends logs that it did not declare",
        &[("handshake.capabilities-used", "fail")],
    )
    .answer(|request, answer| {
        if request.is("prompts/list") {
            let params = json!({ "level": "info", "data": "listing" });
            before(answer, notification("notifications/message", &params));
        }
        if let Some(result) = answer.result_mut().filter(|_| request.is("initialize")) {
            remove(&mut result["capabilities"], "logging");
        }
    }),
    legacy(
        "legacy-no-ping",
        "knows no ping",
        &[("handshake.ping", "fail")],
    )
    .answer(|request, answer| {
        if request.is("ping") {
            refuse(request, answer, -32601);
        }
    }),
    legacy(
        "legacy-method-code",
        "calls an unknown method an internal error",
        &[("handshake.unknown-method", "fail")],
    )
    .answer(|request, answer| {
        if request.method().starts_with("mcp-verdict") {
            refuse(request, answer, -32603);
        }
    }),
    legacy(
        "legacy-cursor-ignored",
        "serves the first page to an unknown cursor",
        &[("handshake.cursor", "warn")],
    )
    .request(|request| {
        if is_made_up(request, "cursor")
            && let Some(params) = request.params_mut()
        {
            params.shift_remove("cursor");
        }
    }),
    legacy(
        "legacy-resource-code",
        "refuses a missing resource as an internal error",
        &[("handshake.missing-resource", "warn")],
    )
    .answer(|request, answer| {
        if request.is("resources/read")
            && let Some(error) = answer
                .response_mut()
                .and_then(|message| message.get_mut("error"))
        {
            error["code"] = json!(-32603);
        }
    }),
    legacy(
        "legacy-prompt-code",
        "refuses a missing prompt as an internal error",
        &[("handshake.unknown-prompt", "warn")],
    )
    .answer(|request, answer| {
        if is_made_up(request, "name") && request.is("prompts/get") {
            refuse(request, answer, -32603);
        }
    }),
    legacy(
        "legacy-banner",
        "greets on standard output",
        &[("handshake.stdout", "fail")],
    )
    .over(Transport::Stdio)
    .process(Process {
        banner: b"ledger is ready\n",
        ..Process::NORMAL
    }),
    legacy(
        "legacy-notification-answered",
        "answers a notification",
        &[("handshake.notification-unanswered", "fail")],
    )
    .over(Transport::Stdio)
    .answer(|request, answer| {
        if request.is("notifications/cancelled") {
            let error = json!({ "code": -32602, "message": "no such request" });
            *answer = Answer::json(200, json!({ "jsonrpc": "2.0", "error": error }));
        }
    }),
    legacy(
        "legacy-prompts-unlisted",
        "declares prompts and does not list them",
        &[("handshake.lists", "fail")],
    )
    .answer(|request, answer| {
        if request.is("prompts/list") {
            refuse(request, answer, -32601);
        }
    }),
    legacy(
        "legacy-prompts-undeclared",
        "has prompts and does not declare them",
        &[("handshake.undeclared", "fail")],
    )
    .answer(|request, answer| {
        if let Some(result) = answer.result_mut().filter(|_| request.is("initialize")) {
            remove(&mut result["capabilities"], "prompts");
        }
    }),
    legacy(
        "legacy-pages-lead-nowhere",
        "gives out a cursor that it refuses",
        &[("handshake.pages", "warn")],
    )
    .answer(|request, answer| {
        if request.is("prompts/list")
            && let Some(result) = answer.result_mut()
        {
            result["nextCursor"] = json!("more");
        }
    }),
    legacy(
        "legacy-tool-name-with-space",
        "has a space in the name of a tool",
        &[("handshake.tool-names", "warn")],
    )
    .items(|_, items| {
        if let Some(tool) = named(items, "void_invoice") {
            tool["name"] = json!("void invoice");
        }
    }),
    legacy(
        "legacy-schema-broken",
        "has a schema that does not compile",
        &[("handshake.tool-schemas", "fail")],
    )
    .items(|_, items| {
        if let Some(tool) = named(items, "void_invoice") {
            tool["inputSchema"]["properties"]["id"] = json!({ "type": 5 });
        }
    }),
];
