//! Faults of completion/complete.

use super::Defect;
use super::bend::bent;
use crate::message::{Fault, INVALID_PARAMS, Outcome, Request};
use serde_json::{Value, json};

const COMPLETE: &str = "completion/complete";

fn nothing() -> Outcome {
    json!({ "completion": { "values": [] } }).into()
}

fn is_about(request: &Request, kind: &str) -> bool {
    request.is(COMPLETE)
        && request
            .param("ref")
            .is_some_and(|reference| reference["type"] == kind)
}

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "completion-numbers",
        "completes with numbers",
        &[("completion.shape", "fail")],
    )
    .result(|request, result| {
        if is_about(request, "ref/resource") {
            result["completion"]["values"] = json!([2025, 2026]);
        }
    }),
    Defect::new(
        "completion-too-many",
        "completes with more than a hundred values",
        &[("completion.max-100", "fail")],
    )
    .serve(|server, request| {
        if !is_about(request, "ref/resource") {
            return None;
        }
        Some(bent(server, request, |result| {
            if result["completion"]["total"] == 120 {
                let all: Vec<Value> = (1001..=1120).map(|n| json!(format!("INV-{n}"))).collect();
                result["completion"] = json!({ "values": all, "total": 120, "hasMore": false });
            }
        }))
    }),
    Defect::new(
        "completion-total-small",
        "counts fewer values than it completes with",
        &[("completion.total-consistent", "info")],
    )
    .result(|request, result| {
        if is_about(request, "ref/prompt")
            && result["completion"]["values"]
                .as_array()
                .is_some_and(|values| values.len() > 1)
        {
            result["completion"]["total"] = json!(1);
        }
    }),
    Defect::new(
        "completion-unknown-empty",
        "completes what it does not know with nothing",
        &[("completion.unknown-ref", "warn")],
    )
    .serve(|server, request| {
        let outcome = server.dispatch(request);
        let is_unknown = |fault: &Fault| fault.message.starts_with("nothing of that name");
        if request.is(COMPLETE) && outcome.as_ref().is_err_and(is_unknown) {
            return Some(Ok(nothing()));
        }
        Some(outcome)
    }),
    Defect::new(
        "completion-without-argument",
        "completes nothing in particular",
        &[("completion.missing-argument", "warn")],
    )
    .serve(|_, request| {
        (request.is(COMPLETE) && request.param("argument").is_none()).then(|| Ok(nothing()))
    }),
    Defect::new(
        "completion-argument-code",
        "calls a missing argument an internal error",
        &[("completion.missing-argument", "warn")],
    )
    .fault(|request, fault| {
        if request.is(COMPLETE)
            && fault.code == INVALID_PARAMS
            && request.param("argument").is_none()
        {
            fault.code = -32603;
        }
    }),
];
