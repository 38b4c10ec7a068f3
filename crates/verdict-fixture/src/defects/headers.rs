//! Faults in the checking of `MCP-Protocol-Version` and `Mcp-Method`.
//!
//! A server that does not check a header acts as if the header were right, so most of these write the
//! right value into the head before it is looked at, or a wrong one to be refused.

use super::{Defect, Transport};
use crate::message::{Fault, HEADER_MISMATCH, META_VERSION, Request};
use serde_json::Value;

const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";

/// Makes the server refuse a request for its headers.
pub(super) fn spoil(request: &mut Request) {
    request.head.set(METHOD, "spoiled");
}

/// The line of a field as it came.
pub(super) fn line<'a>(request: &'a Request, field: &str) -> Option<&'a str> {
    let head = std::str::from_utf8(&request.head.raw).ok()?;
    head.split("\r\n").find(|line| {
        line.split_once(':')
            .is_some_and(|(name, _)| name.eq_ignore_ascii_case(field))
    })
}

fn method_is_refused(fault: &Fault) -> bool {
    fault.code == HEADER_MISMATCH && fault.message.ends_with("the body: mcp-method")
}

const fn http(
    name: &'static str,
    about: &'static str,
    expect: &'static [(&'static str, &'static str)],
) -> Defect {
    Defect::new(name, about, expect).over(Transport::Http)
}

pub(super) const DEFECTS: &[Defect] = &[
    http(
        "version-header-optional",
        "does not miss the version header",
        &[("header.version-missing", "fail")],
    )
    .request(|request| {
        let version = request.meta(META_VERSION).and_then(Value::as_str);
        if let Some(version) = version.map(str::to_owned)
            && !request.head.has(VERSION)
        {
            request.head.set(VERSION, &version);
        }
    }),
    http(
        "version-header-ignored",
        "does not compare the version header with the body",
        &[("header.version-mismatch", "fail")],
    )
    .request(|request| {
        let version = request.meta(META_VERSION).and_then(Value::as_str);
        if let Some(version) = version.map(str::to_owned)
            && request.head.has(VERSION)
        {
            request.head.set(VERSION, &version);
        }
    }),
    http(
        "method-header-optional",
        "does not miss Mcp-Method",
        &[("header.method-missing", "fail")],
    )
    .request(|request| {
        if !request.head.has(METHOD) {
            let method = request.method().to_owned();
            request.head.set(METHOD, &method);
        }
    }),
    http(
        "method-header-missing-code",
        "refuses a missing Mcp-Method as an invalid request",
        &[("header.method-missing", "fail")],
    )
    .fault(|_, fault| {
        if fault.message == "missing header: mcp-method" {
            fault.code = -32600;
        }
    }),
    http(
        "method-header-ignored",
        "does not compare Mcp-Method with the body",
        &[("header.method-mismatch", "fail")],
    )
    .request(|request| {
        let method = request.method().to_owned();
        if let Some(sent) = request.head.text(METHOD)
            && !sent.eq_ignore_ascii_case(&method)
        {
            request.head.set(METHOD, &method);
        }
    }),
    http(
        "method-header-draft-code",
        "refuses a wrong Mcp-Method with the code of a draft",
        &[
            ("header.method-mismatch", "fail"),
            ("header.method-value-case", "fail"),
            ("errors.draft-codes", "fail"),
        ],
    )
    .fault(|_, fault| {
        if method_is_refused(fault) {
            fault.code = -32001;
        }
    }),
    http(
        "method-header-status-200",
        "refuses a wrong Mcp-Method with status 200",
        &[("transport.status-error-mandated", "fail")],
    )
    .fault(|_, fault| {
        if method_is_refused(fault) {
            fault.status = 200;
        }
    }),
    http(
        "method-header-any-case",
        "compares Mcp-Method without regard to case",
        &[("header.method-value-case", "fail")],
    )
    .request(|request| {
        let method = request.method().to_owned();
        if let Some(sent) = request.head.text(METHOD)
            && sent.eq_ignore_ascii_case(&method)
        {
            request.head.set(METHOD, &method);
        }
    }),
    http(
        "header-names-by-case",
        "does not find a header whose name is all capitals",
        &[("header.field-name-case", "fail")],
    )
    .request(|request| {
        if line(request, METHOD).is_some_and(|line| line.starts_with("MCP-METHOD")) {
            request.head.remove(METHOD);
        }
    }),
    http(
        "header-whitespace-kept",
        "takes the whitespace around a header's value for a part of it",
        &[("header.ows-trimmed", "fail")],
    )
    .request(|request| {
        let value = line(request, METHOD).and_then(|line| line.split_once(':'));
        if value.is_some_and(|(_, value)| value.trim() != value.strip_prefix(' ').unwrap_or(value))
        {
            spoil(request);
        }
    }),
    http(
        "unknown-param-header-refused",
        "refuses parameter headers that belong to no tool",
        &[("header.unknown-param-ignored", "warn")],
    )
    .request(|request| {
        let is_unknown = !request.is("tools/call") && request.head.names_any("mcp-param-");
        if is_unknown {
            spoil(request);
        }
    }),
    http(
        "header-refusal-without-id",
        "leaves the id out when it refuses a header",
        &[
            ("header.rejection-body", "fail"),
            ("errors.id-echo", "fail"),
        ],
    )
    .answer(|_, answer| {
        if let Some(message) = answer.response_mut()
            && message["error"]["code"] == HEADER_MISMATCH
        {
            super::bend::remove(message, "id");
        }
    }),
];
