//! Faults of error objects and their codes.
//!
//! Most are made where a prompt does not exist, which every checker tries and nothing else hangs on.

use super::Defect;
use super::bend::{is_known, is_unknown_prompt, remove};
use crate::message::{Answer, METHOD_NOT_FOUND};
use serde_json::{Value, json};

/// The error object of that refusal.
fn error(answer: &mut Answer) -> Option<&mut Value> {
    let error = answer.response_mut()?.get_mut("error")?;
    let text = error["message"].as_str()?;
    text.starts_with("no such prompt").then_some(error)
}

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "error-code-text",
        "gives an error code as text",
        &[
            ("errors.code-integer", "fail"),
            ("prompts.unknown-code", "warn"),
        ],
    )
    .answer(|_, answer| {
        if let Some(error) = error(answer) {
            error["code"] = json!("-32602");
        }
    }),
    Defect::new(
        "error-without-message",
        "does not say what is wrong",
        &[("errors.message-string", "fail")],
    )
    .answer(|_, answer| {
        if let Some(error) = error(answer) {
            remove(error, "message");
        }
    }),
    Defect::new(
        "error-message-empty",
        "says nothing about what is wrong",
        &[("errors.message-string", "info")],
    )
    .answer(|_, answer| {
        if let Some(error) = error(answer) {
            error["message"] = json!("");
        }
    }),
    Defect::new(
        "error-leaks",
        "shows where its code is",
        &[("errors.leak", "info")],
    )
    .answer(|_, answer| {
        if let Some(error) = error(answer) {
            error["data"] = json!({ "trace": "at load (/srv/ledger/src/prompts.js:12:7)" });
        }
    }),
    Defect::new(
        "unknown-method-code",
        "refuses an unknown method as an invalid request",
        &[
            ("errors.method-not-found", "fail"),
            ("transport.method-not-found-404", "skip"),
        ],
    )
    .fault(|request, fault| {
        if fault.code == METHOD_NOT_FOUND && !is_known(request.method()) {
            fault.code = -32600;
        }
    }),
    Defect::new(
        "code-of-the-specification",
        "uses a code that the specification keeps for itself",
        &[
            ("errors.reserved-undefined", "fail"),
            ("prompts.unknown-code", "warn"),
        ],
    )
    .fault(|_, fault| {
        if is_unknown_prompt(fault) {
            fault.code = -32050;
        }
    }),
    Defect::new(
        "code-url-elicitation",
        "uses a code that was retired",
        &[
            ("errors.retired-codes", "fail"),
            ("prompts.unknown-code", "warn"),
        ],
    )
    .fault(|_, fault| {
        if is_unknown_prompt(fault) {
            fault.code = -32042;
        }
    }),
    Defect::new(
        "code-legacy-range",
        "uses a code from the range of earlier servers",
        &[
            ("errors.legacy-range", "warn"),
            ("prompts.unknown-code", "warn"),
        ],
    )
    .fault(|_, fault| {
        if is_unknown_prompt(fault) {
            fault.code = -32010;
        }
    }),
    Defect::new(
        "code-reserved-range",
        "uses a code of its own from the range of JSON-RPC",
        &[
            ("errors.custom-range", "warn"),
            ("prompts.unknown-code", "warn"),
        ],
    )
    .fault(|_, fault| {
        if is_unknown_prompt(fault) {
            fault.code = -32500;
        }
    }),
    Defect::new(
        "version-code-without-fault",
        "refuses its own version when a prompt is not there",
        &[
            ("errors.defined-meaning", "fail"),
            ("prompts.unknown-code", "warn"),
        ],
    )
    .fault(|_, fault| {
        if is_unknown_prompt(fault) {
            fault.code = -32022;
            fault.status = 400;
            fault.data = Some(json!({ "supported": ["2026-07-28"], "requested": "2026-07-28" }));
        }
    }),
    Defect::new(
        "json-rpc-1-served",
        "does not look at jsonrpc",
        &[("errors.invalid-request", "warn")],
    )
    .request(|request| {
        if let Some(body) = &mut request.body
            && body["jsonrpc"] == "1.0"
        {
            body["jsonrpc"] = json!("2.0");
        }
    }),
];
