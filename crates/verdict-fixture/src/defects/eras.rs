//! What a server of the handshake's era does wrong over HTTP, and what a server of two eras does differently
//! in each.

use super::bend::named;
use super::legacy::legacy;
use super::{Defect, Transport, Variant};
use crate::message::{Answer, META_VERSION, Request};
use serde_json::json;

/// Whether it is the list of tools as the handshake's era asks for it.
fn is_older_list(request: &Request) -> bool {
    request.is("tools/list") && request.meta(META_VERSION).is_none()
}

pub(super) const DEFECTS: &[Defect] = &[
    legacy(
        "legacy-notification-200",
        "accepts notifications with 200",
        &[("handshake.accepted", "fail")],
    )
    .over(Transport::Http)
    .answer(|request, answer| {
        if request.method().starts_with("notifications/") {
            answer.status = 200;
        }
    }),
    legacy(
        "legacy-text-plain",
        "answers a ping as plain text",
        &[("handshake.content-type", "fail")],
    )
    .over(Transport::Http)
    .answer(|request, answer| {
        if request.is("ping") {
            answer.headers.retain(|(name, _)| *name != "Content-Type");
            answer
                .headers
                .push(("Content-Type", "text/plain".to_owned()));
        }
    }),
    legacy(
        "legacy-accept-compared",
        "compares Accept as a whole",
        &[("handshake.accept", "warn")],
    )
    .over(Transport::Http)
    .answer(|request, answer| {
        if request
            .head
            .text("accept")
            .is_some_and(|accept| accept.contains("q="))
        {
            *answer = Answer::page(406, "text/plain", "not acceptable\n");
            answer.describe();
        }
    }),
    legacy(
        "legacy-get-404",
        "knows nothing of a GET",
        &[("handshake.get", "fail")],
    )
    .over(Transport::Http)
    .answer(|request, answer| {
        if request.head.verb == "GET" {
            answer.status = 404;
        }
    }),
    legacy(
        "legacy-origin-served",
        "serves pages of any origin",
        &[("handshake.origin", "fail")],
    )
    .over(Transport::Http)
    .request(|request| request.head.remove("origin")),
    legacy(
        "legacy-version-header-ignored",
        "does not look at MCP-Protocol-Version",
        &[("handshake.version-header", "fail")],
    )
    .over(Transport::Http)
    .request(|request| request.head.remove("mcp-protocol-version")),
    legacy(
        "legacy-session-with-space",
        "makes session ids with a space in them",
        &[("handshake.session-id", "fail")],
    )
    .over(Transport::Http)
    .request(|request| {
        if let Some(session) = request.head.text("mcp-session-id") {
            request
                .head
                .set("mcp-session-id", &session.replace(' ', "-"));
        }
    })
    .answer(|_, answer| {
        let named = answer
            .headers
            .iter_mut()
            .filter(|(name, _)| *name == "Mcp-Session-Id");
        for (_, session) in named {
            *session = session.replace('-', " ");
        }
    }),
    legacy(
        "legacy-session-missing-404",
        "answers a request without its session with 404",
        &[("handshake.session-required", "warn")],
    )
    .over(Transport::Http)
    .answer(|request, answer| {
        if answer.status == 400 && !request.head.has("mcp-session-id") {
            answer.status = 404;
        }
    }),
    legacy(
        "legacy-session-ended-400",
        "answers a session that is over with 400",
        &[("handshake.session-ended", "fail")],
    )
    .over(Transport::Http)
    .answer(|request, answer| {
        if answer.status == 404 && request.head.has("mcp-session-id") {
            answer.status = 400;
        }
    }),
    Defect::new(
        "eras-tool-missing",
        "lists a tool in one era alone",
        &[("legacy.era-differences", "warn")],
    )
    .on(Variant::DualEra)
    .items(|request, items| {
        if is_older_list(request) {
            items.retain(|tool| tool["name"] != "void_invoice");
        }
    }),
    Defect::new(
        "eras-description-differs",
        "describes a tool in other words in each era",
        &[("legacy.era-differences", "info")],
    )
    .on(Variant::DualEra)
    .items(|request, items| {
        if is_older_list(request)
            && let Some(tool) = named(items, "void_invoice")
        {
            tool["description"] = json!("Voids.");
        }
    }),
];
