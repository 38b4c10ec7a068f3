//! Faults around the handshake of earlier revisions.

use super::bend::remove;
use super::{Defect, Transport, Variant};
use crate::message::{Fault, META_VERSION, Request};
use serde_json::json;

/// Whether this is the first message of a client of that era.
fn is_handshake(request: &Request) -> bool {
    request.is("initialize") && request.meta(META_VERSION).is_none()
}

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "initialize-unhelpful",
        "does not tell a client of the handshake's era which versions it serves",
        &[("legacy.initialize-names-versions", "warn")],
    )
    .fault(|request, fault| {
        if is_handshake(request) {
            fault.data = None;
        }
    }),
    Defect::new(
        "initialize-status-200",
        "refuses the handshake with status 200",
        &[("legacy.initialize-status", "warn")],
    )
    .over(Transport::Http)
    .fault(|request, fault| {
        if is_handshake(request) {
            fault.status = 200;
        }
    }),
    Defect::new(
        "initialize-status-404",
        "refuses the handshake with status 404",
        &[("legacy.initialize-status", "info")],
    )
    .over(Transport::Http)
    .fault(|request, fault| {
        if is_handshake(request) {
            fault.status = 404;
        }
    }),
    Defect::new(
        "ping-served",
        "still answers ping",
        &[("legacy.removed-methods", "fail")],
    )
    .serve(|_, request| request.is("ping").then(|| Ok(json!({}).into()))),
    Defect::new(
        "subscribe-refused-as-params",
        "refuses resources/subscribe as bad parameters",
        &[("legacy.removed-methods", "warn")],
    )
    .serve(|_, request| {
        request
            .is("resources/subscribe")
            .then(|| Err(Fault::params("listen instead")))
    }),
    Defect::new(
        "initialize-in-modern-form",
        "shakes hands in the modern form",
        &[("legacy.initialize-modern-form", "fail")],
    )
    .serve(|server, request| {
        request.is("initialize").then(|| {
            Ok(json!({
                "protocolVersion": "2026-07-28", "capabilities": server.capabilities(),
                "serverInfo": { "name": "ledger", "version": "1.0.0" }
            })
            .into())
        })
    }),
    Defect::new(
        "dual-handshake-incomplete",
        "does not say who it is in the handshake",
        &[("legacy.dual-initialize", "fail")],
    )
    .on(Variant::DualEra)
    .answer(|request, answer| {
        if is_handshake(request)
            && let Some(result) = answer.result_mut()
        {
            remove(result, "serverInfo");
        }
    }),
    Defect::new(
        "dual-needs-session",
        "wants a session of modern requests while one is open",
        &[("legacy.dual-isolated", "fail")],
    )
    .on(Variant::DualEra)
    .over(Transport::Http)
    .serve(|server, request| {
        (server.has_sessions() && !request.head.has("mcp-session-id"))
            .then(|| Err(Fault::new(-32600, 400, "which session?")))
    }),
    Defect::new(
        "tasks-capability",
        "declares tasks as an earlier revision did",
        &[("legacy.no-tasks-capability", "warn")],
    )
    .result(|request, result| {
        if request.is("server/discover") {
            result["capabilities"]["tasks"] = json!({ "list": {} });
        }
    }),
    Defect::new(
        "tasks-capability-beside-extension",
        "declares tasks as an earlier revision did, beside the extension",
        &[("legacy.no-tasks-capability", "fail")],
    )
    .on(Variant::Tasks)
    .result(|request, result| {
        if request.is("server/discover") {
            result["capabilities"]["tasks"] = json!({ "list": {} });
        }
    }),
    Defect::new(
        "server-info-in-body",
        "says who it is where a draft had it",
        &[("legacy.body-server-info", "info")],
    )
    .result(|request, result| {
        if request.is("server/discover") {
            result["serverInfo"] = json!({ "name": "ledger", "version": "1.0.0" });
        }
    }),
];
