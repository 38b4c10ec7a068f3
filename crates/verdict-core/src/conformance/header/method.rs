//! `Mcp-Method` is there, says exactly what the body says, and is found under any spelling of its name.
//!
//! Probed on a list or on discover: a server that ignores the field does nothing worse than to answer.

use super::refused::{gateway, judge, refusal_of};
use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::refusal::{answered, served};
use crate::ruling::{Finding, Ruling};
use serde_json::json;

/// Sends the first declared list, or discover, with `Mcp-Method` missing, wrong, or in an odd form.
pub const METHOD: Probe = Probe {
    name: "header.method",
    stage: Stage::Main,
    next: method,
};

/// The request that carries the faults, and its twin without.
pub(super) struct Target {
    pub(super) method: &'static str,
    pub(super) twin: String,
}

/// The first declared list that answers, else discover.
pub(super) fn target(cx: &Context) -> Target {
    let list = cx.facts.first_list();
    match list.filter(|list| !cx.facts.walk(*list).pages.is_empty()) {
        Some(list) => Target {
            method: list.method(),
            twin: format!("survey.{}/1", list.member()),
        },
        None => Target {
            method: "server/discover",
            twin: "era/discover".to_owned(),
        },
    }
}

/// A method of the same server that the body does not name.
fn other_method(method: &str) -> &'static str {
    if method == "server/discover" {
        "tools/list"
    } else {
        "server/discover"
    }
}

fn method(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || !cx.is_http() {
        return vec![];
    }
    let method = target(cx).method;
    // What is merely unusual counts as faulty too: passive rules look at plain requests alone.
    let ask = |step: &str| Ask::request(step, method, json!({})).faulty();
    vec![
        ask("missing").without_header("Mcp-Method"),
        ask("other").header("Mcp-Method", other_method(method)),
        ask("upper-value").header("Mcp-Method", &method.to_ascii_uppercase()),
        ask("lower-name")
            .header("mcp-method", method)
            .header("mcp-protocol-version", crate::facts::OURS),
        ask("upper-name")
            .header("MCP-METHOD", method)
            .header("MCP-PROTOCOL-VERSION", crate::facts::OURS),
        ask("spaces").header("Mcp-Method", &format!("  \t {method} \t ")),
        ask("unknown-param").header(&format!("Mcp-Param-Zz{}", cx.settings.nonce), "1"),
    ]
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("header.method-missing", "A request without Mcp-Method is refused with -32020")
        .headline(7)
        .http()
        .spec("http#server-validation")
        .why("Gateways allow and limit methods by this field; a server that works without it can be reached past them.")
        .fix("Refuse a request without Mcp-Method with HTTP 400 and -32020 (HeaderMismatch).")
        .official(&["sep-2243-server-reject-invalid-headers", "sep-2243-server-reject-error-code"])
        .probes(&[&METHOD])
        .judge(missing),
    Check::must("header.method-mismatch", "An Mcp-Method that names another method than the body is refused with -32020")
        .headline(7)
        .http()
        .spec("http#server-validation")
        .why("A client could show a gateway a harmless method and have the server run another one.")
        .fix("Compare Mcp-Method with the method of the body and answer HTTP 400 with -32020 when they differ.")
        .official(&["sep-2243-server-reject-invalid-headers", "sep-2243-server-reject-error-code"])
        .probes(&[&METHOD])
        .judge(mismatch),
    Check::must("header.method-value-case", "Mcp-Method is compared letter for letter: TOOLS/LIST is not tools/list")
        .headline(7)
        .http()
        .spec("http#case-sensitivity")
        .why("A gateway that compares exactly, as the specification wants it, sees another method than a server that does not.")
        .fix("Compare the value of Mcp-Method without changing its case.")
        .official(&["sep-2243-server-reject-invalid-headers"])
        .probes(&[&METHOD])
        .judge(value_case),
    Check::must("header.field-name-case", "Header field names are found in any case")
        .headline(7)
        .http()
        .spec("http#case-sensitivity")
        .why("Proxies and HTTP libraries change the case of field names; a server that insists on one spelling fails behind them.")
        .fix("Look header fields up without regard to case.")
        .official(&["sep-2243-header-name-case-insensitive"])
        .probes(&[&METHOD])
        .judge(name_case),
    Check::must("header.ows-trimmed", "White space around the value of a header field is not part of it")
        .headline(7)
        .http()
        .spec("RFC 9110 5.5")
        .why("HTTP libraries and proxies may add such white space; the request is still the same.")
        .fix("Trim spaces and tabs from both ends of a field value before you compare it.")
        .official(&["sep-2243-server-accepts-whitespace-header-value"])
        .probes(&[&METHOD])
        .judge(spaces),
    Check::should("header.unknown-param-ignored", "An Mcp-Param field that the request does not need is ignored")
        .http()
        .spec("http#server-behavior-for-custom-headers")
        .why("A field that nothing in the request refers to says nothing; a request is not to fail because of it.")
        .fix("Look only at the Mcp-Param fields that the called tool's schema names.")
        .probes(&[&METHOD])
        .judge(unknown_param),
];

fn missing(cx: &Context) -> Ruling {
    let twin = target(cx).twin;
    judge(
        cx,
        "without Mcp-Method",
        "header.method/missing",
        &twin,
        &[],
    )
}

fn mismatch(cx: &Context) -> Ruling {
    let Target { method, twin } = target(cx);
    let other = other_method(method);
    let fault = format!("for {method} with {other} in Mcp-Method");
    // Without any list the other method is one that the server does not have: a fault of its own.
    let near: &[i64] = if method == "server/discover" {
        &[-32601]
    } else {
        &[]
    };
    judge(cx, &fault, "header.method/other", &twin, near)
}

fn value_case(cx: &Context) -> Ruling {
    let Target { method, twin } = target(cx);
    let fault = format!("with {} in Mcp-Method", method.to_ascii_uppercase());
    judge(cx, &fault, "header.method/upper-value", &twin, &[])
}

/// Judges a request without fault that only looks unusual.
fn tolerated(cx: &Context, probe: &str, what: &str) -> Result<Option<Finding>, Ruling> {
    let twin = target(cx).twin;
    served(cx, &twin)?;
    let record = answered(cx, probe)?;
    Ok(refusal_of(record).map(|how| {
        let message = format!("a request {what} must be served like any other; it was {how}");
        gateway(cx, record, Finding::broken(message).seen_in(record))
    }))
}

fn name_case(cx: &Context) -> Ruling {
    let forms = [
        (
            "header.method/lower-name",
            "with mcp-method and mcp-protocol-version in lower case",
        ),
        (
            "header.method/upper-name",
            "with MCP-METHOD and MCP-PROTOCOL-VERSION in upper case",
        ),
    ];
    let mut findings = Vec::new();
    for (probe, what) in forms {
        match tolerated(cx, probe, what) {
            Ok(finding) => findings.extend(finding),
            Err(ruling) if findings.is_empty() => return ruling,
            Err(_) => {}
        }
    }
    Ruling::of(findings, "served in lower and in upper case")
}

fn spaces(cx: &Context) -> Ruling {
    match tolerated(
        cx,
        "header.method/spaces",
        "with spaces and tabs around the value of Mcp-Method",
    ) {
        Ok(Some(finding)) => finding.into(),
        Ok(None) => Ruling::met("served with spaces and tabs around the value"),
        Err(ruling) => ruling,
    }
}

fn unknown_param(cx: &Context) -> Ruling {
    match tolerated(
        cx,
        "header.method/unknown-param",
        "with an Mcp-Param field that nothing refers to",
    ) {
        Ok(Some(finding)) => finding.into(),
        Ok(None) => Ruling::met("served with a field that nothing refers to"),
        Err(ruling) => ruling,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, rules, served};
    use serde_json::Value;
    use verdict_fixture::Server;

    #[test]
    fn a_method_that_is_missing_or_wrong() {
        for (id, step) in [
            ("header.method-missing", "header.method/missing"),
            ("header.method-mismatch", "header.method/other"),
            ("header.method-value-case", "header.method/upper-value"),
        ] {
            let cases = [
                (step, 200, error(-32020), "met"),
                (step, 200, served(), "broken"),
                (step, 400, error(-32001), "broken"),
                (step, 404, error(-32601), "broken"),
                (step, 400, Value::Null, "skip"),
            ];
            rules(&Server::correct(), id, &cases);
        }
    }

    #[test]
    fn what_is_merely_unusual_is_served() {
        for (id, step) in [
            ("header.field-name-case", "header.method/lower-name"),
            ("header.field-name-case", "header.method/upper-name"),
            ("header.ows-trimmed", "header.method/spaces"),
            (
                "header.unknown-param-ignored",
                "header.method/unknown-param",
            ),
        ] {
            let cases = [
                (step, 400, error(-32020), "broken"),
                (step, 400, Value::Null, "broken"),
                (step, 429, Value::Null, "skip"),
            ];
            rules(&Server::correct(), id, &cases);
        }
    }
}
