//! Faults of resources.

use super::Defect;
use super::bend::{named, remove};
use crate::message::{Fault, INVALID_PARAMS, Request};
use serde_json::{Value, json};

const LIST: &str = "resources/list";
const READ: &str = "resources/read";

/// Whether this is the refusal of a URI that is one, but leads nowhere.
fn is_missing(request: &Request, fault: &Fault) -> bool {
    let is_uri = request.text("uri").is_some_and(|uri| uri.contains("://"));
    request.is(READ) && is_uri && fault.message.starts_with("no such resource")
}

/// Whether the request reads one of the listed resources.
fn reads(request: &Request, uri: &str) -> bool {
    request.is(READ) && request.text("uri") == Some(uri)
}

const POLICY: &str = "ledger://office/policy";
const LOGO: &str = "ledger://office/logo";

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "resource-nameless",
        "lists a resource without a name",
        &[("resources.list-shape", "fail")],
    )
    .items(|request, items| {
        if request.is(LIST)
            && let Some(resource) = named(items, "2025")
        {
            remove(resource, "name");
        }
    }),
    Defect::new(
        "template-nameless",
        "lists a template without a name",
        &[("resources.templates-shape", "fail")],
    )
    .items(|request, items| {
        if request.is("resources/templates/list")
            && let Some(template) = named(items, "statement")
        {
            remove(template, "name");
        }
    }),
    Defect::new(
        "resource-uri-space",
        "lists a resource whose URI has a space",
        &[("resources.uri-valid", "fail")],
    )
    .items(|request, items| {
        if request.is(LIST) {
            items.push(json!({ "uri": "ledger://old books", "name": "old books" }));
        }
    }),
    Defect::new(
        "resource-https",
        "lists a resource that any client could fetch",
        &[("resources.https-scheme", "info")],
    )
    .items(|request, items| {
        if request.is(LIST) {
            items.push(json!({ "uri": "https://ledger.example/terms", "name": "terms" }));
        }
    }),
    Defect::new(
        "template-unclosed",
        "lists a template that is none",
        &[("resources.template-valid", "fail")],
    )
    .items(|request, items| {
        if request.is("resources/templates/list") {
            items.push(json!({ "uriTemplate": "ledger://drafts/{id", "name": "draft" }));
        }
    }),
    Defect::new(
        "read-without-text",
        "reads a resource that has neither text nor blob",
        &[("resources.read-shape", "fail")],
    )
    .result(|request, result| {
        if reads(request, POLICY) {
            remove(&mut result["contents"][0], "text");
        }
    }),
    Defect::new(
        "read-text-and-blob",
        "reads a resource as text and as blob",
        &[("resources.read-shape", "warn")],
    )
    .result(|request, result| {
        if reads(request, LOGO) {
            result["contents"][0]["text"] = json!("a logo");
        }
    }),
    Defect::new(
        "blob-not-base64",
        "reads a blob that is not Base64",
        &[("resources.blob-base64", "fail")],
    )
    .result(|request, result| {
        if reads(request, LOGO) {
            result["contents"][0]["blob"] = json!("<svg></svg>");
        }
    }),
    Defect::new(
        "read-other-uri",
        "reads a resource under another URI",
        &[("resources.read-uri", "info")],
    )
    .result(|request, result| {
        if reads(request, POLICY) {
            result["contents"][0]["uri"] = json!("ledger://policies/1");
        }
    }),
    Defect::new(
        "read-nothing",
        "lists a resource that reads as nothing",
        &[("resources.read-empty-listed", "warn")],
    )
    .result(|request, result| {
        if reads(request, POLICY) {
            result["contents"] = json!([]);
        }
    }),
    Defect::new(
        "read-other-type",
        "reads a resource as another type than it lists",
        &[("resources.mime-agrees", "info")],
    )
    .result(|request, result| {
        if reads(request, POLICY) {
            result["contents"][0]["mimeType"] = json!("text/plain");
        }
    }),
    Defect::new(
        "missing-internal-error",
        "calls a missing resource an internal error",
        &[("resources.missing-code", "fail")],
    )
    .fault(|request, fault| {
        if is_missing(request, fault) {
            fault.code = -32603;
        }
    }),
    Defect::new(
        "missing-retired-code",
        "refuses a missing resource with the code of an earlier revision",
        &[
            ("resources.missing-code", "skip"),
            ("resources.missing-not-legacy", "fail"),
            ("errors.retired-codes", "fail"),
        ],
    )
    .fault(|request, fault| {
        if is_missing(request, fault) {
            fault.code = -32002;
        }
    }),
    Defect::new(
        "missing-reads-empty",
        "reads a missing resource as nothing",
        &[
            ("resources.missing-code", "skip"),
            ("resources.missing-not-empty", "fail"),
            ("resources.missing-data-uri", "skip"),
        ],
    )
    .serve(|server, request| {
        let outcome = server.dispatch(request);
        let is_missing = outcome
            .as_ref()
            .is_err_and(|fault| is_missing(request, fault));
        if is_missing {
            let nothing = json!({ "contents": [], "ttlMs": 0, "cacheScope": "private" });
            return Some(Ok(nothing.into()));
        }
        Some(outcome)
    }),
    Defect::new(
        "missing-without-uri",
        "does not say which resource is missing",
        &[("resources.missing-data-uri", "info")],
    )
    .fault(|_, fault| {
        if fault.message.starts_with("no such resource") {
            fault.data = None;
        }
    }),
    Defect::new(
        "read-without-uri-code",
        "calls a missing URI an internal error",
        &[("resources.uri-param-missing", "warn")],
    )
    .fault(|_, fault| {
        if fault.message == "uri is missing" {
            fault.code = -32603;
        }
    }),
    Defect::new(
        "uri-malformed-served",
        "reads something for a URI that is none",
        &[("resources.uri-malformed", "fail")],
    )
    .serve(|_, request| {
        let uri = request.text("uri").filter(|uri| !uri.contains(':'))?;
        request.is(READ).then(|| {
            let contents = json!([{ "uri": uri, "text": "nothing" }]);
            Ok(json!({ "contents": contents, "ttlMs": 0, "cacheScope": "private" }).into())
        })
    }),
    Defect::new(
        "uri-malformed-code",
        "calls a URI that is none an internal error",
        &[("resources.uri-malformed", "warn")],
    )
    .fault(|request, fault| {
        let is_uri = request.text("uri").is_some_and(|uri| uri.contains(':'));
        if request.is(READ) && fault.code == INVALID_PARAMS && !is_uri && fault.data.is_some() {
            fault.code = -32603;
        }
    }),
    Defect::new(
        "template-not-read",
        "lists a template that it does not serve",
        &[("resources.template-read", "fail")],
    )
    .serve(|_, request| {
        let is_made = request
            .text("uri")
            .is_some_and(|uri| uri.starts_with("ledger://invoices/"));
        (request.is(READ) && is_made).then(|| Err(Fault::unknown_method(READ)))
    }),
    Defect::new(
        "size-wrong",
        "lists a resource with a wrong size",
        &[("resources.mime-agrees", "info")],
    )
    .items(|request, items| {
        if request.is(LIST)
            && let Some(policy) = named(items, "policy")
        {
            policy["size"] = Value::from(1);
        }
    }),
    Defect::new(
        "file-escape",
        "reads any file of its machine",
        &[("resources.traversal", "fail")],
    )
    .items(|request, items| {
        if request.is(LIST) {
            items.push(json!({ "uri": "file:///srv/ledger/notes.txt", "name": "notes" }));
        }
    })
    .serve(|_, request| {
        let uri = request.text("uri").filter(|_| request.is(READ))?;
        let text = match uri.strip_prefix("file://")? {
            "/srv/ledger/notes.txt" => "Call acme.\n",
            escape if escape.ends_with("passwd") => "root:x:0:0:root:/root:/bin/sh\n",
            escape if escape.ends_with("hosts") => "127.0.0.1 localhost\n",
            _ => return None,
        };
        let contents = json!([{ "uri": uri, "text": text }]);
        Some(Ok(
            json!({ "contents": contents, "ttlMs": 0, "cacheScope": "private" }).into(),
        ))
    }),
];
