//! Faults of version negotiation.

use super::bend::remove;
use super::{Defect, Transport};
use crate::message::{LEGACY_VERSION, META_VERSION, Request, UNSUPPORTED_VERSION, VERSION};
use serde_json::{Value, json};

const DISCOVER: &str = "server/discover";
const OLD: &str = "1900-01-01";

/// Whether body and header agree on this version, so that the version is the only fault.
fn asks(request: &Request, version: &str) -> bool {
    let header = request.head.text("mcp-protocol-version");
    request.meta(META_VERSION) == Some(&Value::from(version))
        && header.is_none_or(|header| header == version)
}

/// Lets a request pass as one of our version.
fn accept(request: &mut Request) {
    if request.head.has("mcp-protocol-version") {
        request.head.set("mcp-protocol-version", VERSION);
    }
    if let Some(meta) = request.meta_mut() {
        meta.insert(META_VERSION.to_owned(), Value::from(VERSION));
    }
}

fn requested(fault: &crate::message::Fault) -> Option<&str> {
    fault.data.as_ref()?["requested"].as_str()
}

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "version-draft-code",
        "refuses versions with the code of a draft",
        &[
            ("version.unsupported-code", "fail"),
            ("version.unsupported-data", "skip"),
            ("version.unsupported-http-400", "skip"),
            ("version.unsupported-consistent", "skip"),
            ("version.unsupported-future", "fail"),
            ("version.unsupported-garbage", "warn"),
            ("version.unsupported-any-method", "fail"),
            ("version.legacy-in-modern-form", "warn"),
            ("errors.draft-codes", "fail"),
        ],
    )
    .fault(|request, fault| {
        if fault.code == UNSUPPORTED_VERSION && !request.is("initialize") {
            fault.code = -32004;
        }
    }),
    Defect::new(
        "version-old-served",
        "serves server/discover in a version that never was",
        &[
            ("version.unsupported-code", "fail"),
            ("version.unsupported-data", "skip"),
            ("version.unsupported-http-400", "skip"),
            ("version.unsupported-consistent", "skip"),
            ("version.no-stickiness", "skip"),
        ],
    )
    .request(|request| {
        if request.is(DISCOVER) && asks(request, OLD) {
            accept(request);
        }
    }),
    Defect::new(
        "version-invalid-params",
        "refuses server/discover in an unknown version as bad parameters",
        &[
            ("version.unsupported-code", "fail"),
            ("version.unsupported-data", "skip"),
            ("version.unsupported-http-400", "skip"),
            ("version.unsupported-consistent", "skip"),
        ],
    )
    .fault(|request, fault| {
        if request.is(DISCOVER) && requested(fault) == Some(OLD) {
            fault.code = -32602;
        }
    }),
    Defect::new(
        "version-data-missing",
        "does not repeat which version was asked for",
        &[("version.unsupported-data", "fail")],
    )
    .fault(|request, fault| {
        if request.is(DISCOVER)
            && requested(fault) == Some(OLD)
            && let Some(data) = &mut fault.data
        {
            remove(data, "requested");
        }
    }),
    Defect::new(
        "version-status-200",
        "refuses a version with status 200",
        &[
            ("version.unsupported-http-400", "fail"),
            ("transport.status-error-mandated", "fail"),
        ],
    )
    .over(Transport::Http)
    .fault(|request, fault| {
        if request.is(DISCOVER) && requested(fault) == Some(OLD) {
            fault.status = 200;
        }
    }),
    Defect::new(
        "version-supported-differs",
        "names a version in its refusals that server/discover does not list",
        &[("version.unsupported-consistent", "fail")],
    )
    .fault(|_, fault| {
        if fault.code == UNSUPPORTED_VERSION
            && let Some(data) = &mut fault.data
        {
            data["supported"] = json!([VERSION, "2026-12-01"]);
        }
    }),
    Defect::new(
        "version-compared-by-date",
        "serves any version that is later than its own",
        &[("version.unsupported-future", "fail")],
    )
    .request(|request| {
        if asks(request, "2999-12-31") {
            accept(request);
        }
    }),
    Defect::new(
        "version-garbage-served",
        "serves a version that is no date",
        &[("version.unsupported-garbage", "fail")],
    )
    .request(|request| {
        if asks(request, "not-a-version") {
            accept(request);
        }
    }),
    Defect::new(
        "version-checked-by-discover-only",
        "checks the version in server/discover and nowhere else",
        &[("version.unsupported-any-method", "fail")],
    )
    .request(|request| {
        if !request.is(DISCOVER) && asks(request, OLD) {
            accept(request);
        }
    }),
    Defect::new(
        "version-legacy-served",
        "serves a revision of the handshake's era in the modern form",
        &[("version.legacy-in-modern-form", "fail")],
    )
    .request(|request| {
        if asks(request, LEGACY_VERSION) {
            accept(request);
        }
    }),
    Defect::new(
        "version-sticks",
        "looks at the version of the first request on a connection only",
        &[("version.no-stickiness", "fail")],
    )
    .request(|request| {
        let is_known_peer = request.memory.has_served(DISCOVER);
        if is_known_peer && request.is(DISCOVER) && asks(request, OLD) {
            accept(request);
        }
    }),
];
