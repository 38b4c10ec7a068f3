//! Faults of results as such.

use super::Defect;
use super::bend::remove;
use crate::message::{Answer, Request};
use serde_json::{Value, json};

const COMPLETE: &str = "completion/complete";

/// Changes the id of a result to an id of this kind.
fn reanswer(request: &Request, answer: &mut Answer, asked: &Value, given: Value) {
    if request.id() == Some(asked)
        && answer.result_mut().is_some()
        && let Some(message) = answer.response_mut()
    {
        message["id"] = given;
    }
}

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "result-type-missing",
        "leaves resultType out of tools/list",
        &[("result.type-present", "fail")],
    )
    .result(|request, result| {
        if request.is("tools/list") {
            remove(result, "resultType");
        }
    }),
    Defect::new(
        "result-type-boolean",
        "gives resultType as true",
        &[("result.type-string", "fail")],
    )
    .result(|request, result| {
        if request.is(COMPLETE) {
            result["resultType"] = json!(true);
        }
    }),
    Defect::new(
        "result-type-unknown",
        "gives a resultType that nobody defines",
        &[("result.type-known", "fail")],
    )
    .result(|request, result| {
        if request.is(COMPLETE) {
            result["resultType"] = json!("partial");
        }
    }),
    Defect::new(
        "id-zero-lost",
        "takes the id 0 for none",
        &[("result.id-echo", "fail")],
    )
    .answer(|request, answer| reanswer(request, answer, &json!(0), Value::Null)),
    Defect::new(
        "id-rounded",
        "loses the last digit of a large id",
        &[("result.id-echo", "fail")],
    )
    .answer(|request, answer| {
        reanswer(
            request,
            answer,
            &json!(9_007_199_254_740_991_u64),
            json!(9_007_199_254_740_992_u64),
        );
    }),
    Defect::new(
        "id-negative-text",
        "makes text of a negative id",
        &[("result.id-echo", "fail")],
    )
    .answer(|request, answer| reanswer(request, answer, &json!(-3), json!("-3"))),
    Defect::new(
        "envelope-without-version",
        "leaves jsonrpc out of a response",
        &[("result.envelope", "fail")],
    )
    .answer(|request, answer| {
        if request.is(COMPLETE)
            && let Some(message) = answer.response_mut()
        {
            remove(message, "jsonrpc");
        }
    }),
    Defect::new(
        "envelope-with-error",
        "sends a null error beside a result",
        &[("result.envelope", "fail")],
    )
    .answer(|request, answer| {
        if request.is(COMPLETE)
            && answer.result_mut().is_some()
            && let Some(message) = answer.response_mut()
        {
            message["error"] = Value::Null;
        }
    }),
    Defect::new(
        "result-is-list",
        "sends a result that is a list",
        &[("result.object", "fail"), ("completion.*", "skip")],
    )
    .result(|request, result| {
        if request.is(COMPLETE) {
            *result = json!([]);
        }
    }),
    Defect::new(
        "prompt-title-number",
        "gives the title of a prompt as a number",
        &[("result.schema-valid", "fail")],
    )
    .items(|request, items| {
        if request.is("prompts/list")
            && let Some(prompt) = items.first_mut()
        {
            prompt["title"] = json!(7);
        }
    }),
    Defect::new(
        "input-required-elsewhere",
        "asks back in completion/complete",
        &[("mrtr.not-elsewhere", "fail"), ("completion.*", "skip")],
    )
    .result(|request, result| {
        if request.is(COMPLETE) {
            *result = json!({
                "resultType": "input_required", "requestState": "more",
                "_meta": result["_meta"]
            });
        }
    }),
];
