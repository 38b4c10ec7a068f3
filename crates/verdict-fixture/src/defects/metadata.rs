//! Faults around `_meta`, of requests and of results.

use super::bend::remove;
use super::{Defect, Transport};
use crate::message::{
    Fault, INVALID_PARAMS, META_CAPABILITIES, META_SERVER, META_VERSION, Request, VERSION,
};
use serde_json::{Value, json};

const DISCOVER: &str = "server/discover";

/// Puts in what is missing.
fn fill(request: &mut Request) {
    if let Some(meta) = request.meta_mut() {
        meta.entry(META_VERSION)
            .or_insert_with(|| Value::from(VERSION));
        meta.entry(META_CAPABILITIES).or_insert_with(|| json!({}));
    }
}

fn lacks(request: &Request, key: &str) -> bool {
    request.param("_meta").is_some() && request.meta(key).is_none()
}

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "meta-not-needed",
        "serves server/discover without any _meta",
        &[("meta.missing-all", "fail")],
    )
    .request(|request| {
        let has_params = request.member("params").is_some();
        if request.is(DISCOVER) && has_params && request.param("_meta").is_none() {
            fill(request);
        }
    }),
    Defect::new(
        "params-not-needed",
        "serves server/discover without any params",
        &[("meta.missing-params", "fail")],
    )
    .request(|request| {
        if request.is(DISCOVER) && request.member("params").is_none() {
            fill(request);
        }
    }),
    Defect::new(
        "meta-version-not-needed",
        "takes the version from the header alone",
        &[("meta.missing-protocol-version", "fail")],
    )
    .request(|request| {
        if request.is(DISCOVER) && lacks(request, META_VERSION) {
            fill(request);
        }
    }),
    Defect::new(
        "meta-capabilities-not-needed",
        "serves server/discover without client capabilities",
        &[
            ("meta.missing-client-capabilities", "fail"),
            ("meta.not-remembered", "skip"),
        ],
    )
    .request(|request| {
        if request.is(DISCOVER) && lacks(request, META_CAPABILITIES) {
            fill(request);
        }
    }),
    Defect::new(
        "meta-refused-with-200",
        "refuses incomplete _meta with status 200",
        &[("meta.missing-http-400", "fail")],
    )
    .over(Transport::Http)
    .fault(|_, fault| {
        if fault.code == INVALID_PARAMS && fault.status == 400 {
            fault.status = 200;
        }
    }),
    Defect::new(
        "meta-unchecked-on-lists",
        "checks _meta in server/discover, but not in its lists",
        &[("meta.missing-on-list", "fail")],
    )
    .request(|request| {
        if request.method().ends_with("/list") && lacks(request, META_CAPABILITIES) {
            fill(request);
        }
    }),
    Defect::new(
        "meta-remembered",
        "falls back on the capabilities of an earlier request on the connection",
        &[("meta.not-remembered", "fail")],
    )
    .request(|request| {
        let is_known_peer = request.memory.has_served(DISCOVER);
        if is_known_peer && request.is(DISCOVER) && lacks(request, META_CAPABILITIES) {
            fill(request);
        }
    }),
    Defect::new(
        "client-info-needed",
        "refuses a client that does not say who it is",
        &[("meta.client-info-optional", "fail")],
    )
    .serve(|_, request| {
        request
            .meta("io.modelcontextprotocol/clientInfo")
            .is_none()
            .then(|| Err(Fault::params("who are you?")))
    }),
    Defect::new(
        "meta-types-unchecked",
        "takes anything for client capabilities",
        &[("meta.wrong-types", "warn")],
    )
    .request(|request| {
        let is_wrong = request
            .meta(META_CAPABILITIES)
            .is_some_and(|value| !value.is_object());
        if is_wrong && let Some(meta) = request.meta_mut() {
            meta.insert(META_CAPABILITIES.to_owned(), json!({}));
        }
    }),
    Defect::new(
        "meta-extra-keys-refused",
        "refuses keys in _meta that it does not know",
        &[("meta.extra-keys-tolerated", "warn")],
    )
    .serve(|_, request| {
        request
            .meta("traceparent")
            .is_some()
            .then(|| Err(Fault::params("unknown key in _meta: traceparent")))
    }),
    Defect::new(
        "meta-bad-key",
        "sends a _meta key that breaks the grammar",
        &[("meta.key-grammar", "fail")],
    )
    .result(|request, result| {
        if request.is(DISCOVER) {
            result["_meta"]["-ledger-/build id"] = json!(7);
        }
    }),
    Defect::new(
        "meta-reserved-key",
        "sends a _meta key of its own under a reserved prefix",
        &[("meta.reserved-keys", "info")],
    )
    .result(|request, result| {
        if request.is(DISCOVER) {
            result["_meta"]["io.modelcontextprotocol/build"] = json!(7);
        }
    }),
    Defect::new(
        "traceparent-malformed",
        "sends a traceparent that is not in the W3C form",
        &[("meta.trace-format", "fail")],
    )
    .result(|request, result| {
        if request.is(DISCOVER) {
            result["_meta"]["traceparent"] = json!("trace-7");
        }
    }),
    Defect::new(
        "list-anonymous",
        "does not say who it is in tools/list",
        &[("meta.server-info-every-result", "warn")],
    )
    .result(|request, result| {
        if request.is("tools/list") {
            remove(&mut result["_meta"], META_SERVER);
        }
    }),
];
