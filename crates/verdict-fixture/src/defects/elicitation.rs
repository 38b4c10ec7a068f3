//! Faults of the questions that `email_invoice` asks.

use super::bend::remove;
use super::{Defect, Transport};
use crate::hooks::Served;
use crate::message::{Fault, Outcome, Request};
use crate::server::said;
use serde_json::{Value, json};

/// Bends the one question of a result that asks.
fn question(result: &mut Value, bend: fn(&mut Value)) {
    if result["resultType"] == "input_required"
        && let Some(question) = result["inputRequests"].get_mut("confirm")
    {
        bend(question);
    }
}

fn is_email(request: &Request) -> bool {
    request.is("tools/call") && request.text("name") == Some("email_invoice")
}

fn sent() -> Outcome {
    said("Sent.").into()
}

/// What the client answered.
fn answers(request: &Request) -> Option<&Value> {
    request
        .param("inputResponses")
        .filter(|_| is_email(request))
}

/// Whether the question of [`asked`] has an answer that may be one.
fn is_answered(request: &Request) -> bool {
    answers(request).is_some_and(|answers| answers["ask"].is_object())
}

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "asks-nothing",
        "asks back without a question or a state",
        &[("mrtr.has-content", "fail"), ("mrtr.*", "skip")],
    )
    .result(|_, result| {
        if result["resultType"] == "input_required" {
            remove(result, "inputRequests");
            remove(result, "requestState");
        }
    }),
    Defect::new(
        "asks-unknown-kind",
        "asks something that is not defined",
        &[("mrtr.request-kinds", "fail"), ("mrtr.*", "skip")],
    )
    .result(|_, result| {
        question(result, |question| {
            question["method"] = json!("window/confirm");
        });
    }),
    Defect::new(
        "asks-with-id",
        "asks like a request, with an id",
        &[("mrtr.request-shape", "warn")],
    )
    .result(|_, result| {
        question(result, |question| {
            question["jsonrpc"] = json!("2.0");
            question["id"] = json!(1);
        });
    }),
    Defect::new(
        "asks-without-schema",
        "asks with a form that has no fields",
        &[("mrtr.request-shape", "fail"), ("mrtr.*", "skip")],
    )
    .result(|_, result| {
        question(result, |question| {
            remove(&mut question["params"], "requestedSchema");
        });
    }),
    Defect::new(
        "asks-any-mode",
        "asks with a form though the client shows pages only",
        &[
            ("mrtr.elicitation-mode", "fail"),
            ("mrtr.capability-respected", "fail"),
        ],
    )
    .request(|request| {
        let has_url = request.capability(&["elicitation", "url"]).is_some();
        if has_url && let Some(meta) = request.meta_mut() {
            meta[crate::message::META_CAPABILITIES]["elicitation"]["form"] = json!({});
        }
    }),
    Defect::new(
        "state-object",
        "gives its state as an object",
        &[("mrtr.state-string", "fail"), ("mrtr.*", "skip")],
    )
    .result(|_, result| {
        if result["resultType"] == "input_required" {
            result["requestState"] = json!({ "sealed": result["requestState"] });
        }
    }),
    Defect::new(
        "form-nested",
        "asks with a form inside a form",
        &[("mrtr.form-schema-flat", "fail")],
    )
    .result(|_, result| {
        question(result, |question| {
            question["params"]["requestedSchema"]["properties"]["note"] = json!({
                "type": "object", "properties": { "text": { "type": "string" } }
            });
        });
    }),
    Defect::new(
        "form-enum-names",
        "names the choices of a form as an earlier revision did",
        &[
            ("deprecated.enum-names", "info"),
            ("mrtr.form-schema-flat", "info"),
        ],
    )
    .result(|_, result| {
        question(result, |question| {
            question["params"]["requestedSchema"]["properties"]["note"] = json!({
                "type": "string", "enum": ["a", "b"], "enumNames": ["First", "Second"]
            });
        });
    }),
    Defect::new(
        "form-without-message",
        "does not say what its form is about",
        &[("mrtr.form-message", "fail")],
    )
    .result(|_, result| {
        question(result, |question| {
            remove(&mut question["params"], "message");
        });
    }),
    Defect::new(
        "form-asks-password",
        "asks for a password in a form",
        &[("mrtr.form-secrets", "warn")],
    )
    .result(|_, result| {
        question(result, |question| {
            question["params"]["requestedSchema"]["properties"]["password"] =
                json!({ "type": "string" });
        });
    }),
    Defect::new(
        "form-with-url",
        "puts a link into a form",
        &[("mrtr.form-urls", "warn")],
    )
    .result(|_, result| {
        question(result, |question| {
            question["params"]["requestedSchema"]["properties"]["note"]["description"] =
                json!("See https://ledger.example/help");
        });
    }),
    Defect::new(
        "retry-fails",
        "cannot do anything with an answer",
        &[("mrtr.retry-completes", "fail"), ("mrtr.*", "skip")],
    )
    .serve(|_, request| {
        answers(request)
            .filter(|answers| answers["confirm"]["content"]["send"] == true)
            .map(|_| Err(Fault::params("cannot read the answer")))
    }),
    Defect::new(
        "missing-answer-refused",
        "refuses a retry that lacks its answer",
        &[("mrtr.missing-response", "warn")],
    )
    .serve(|_, request| {
        answers(request)
            .filter(|answers| answers.is_object() && answers.get("confirm").is_none())
            .map(|_| Err(Fault::params("the answer is missing")))
    }),
    Defect::new(
        "extra-answer-refused",
        "refuses answers that it did not ask for",
        &[("mrtr.extra-response", "warn")],
    )
    .serve(|_, request| {
        let given = answers(request)?.as_object()?;
        (given.len() > 1 && given.contains_key("confirm"))
            .then(|| Err(Fault::params("nobody asked for that")))
    }),
    Defect::new(
        "malformed-answer-accepted",
        "takes anything for an answer",
        &[("mrtr.invalid-response", "warn")],
    )
    .serve(|_, request| {
        let given = answers(request)?;
        let is_odd = !given.is_object() || given.get("confirm").is_some_and(|one| !one.is_object());
        is_odd.then(|| Ok(sent()))
    }),
    Defect::new(
        "state-not-checked",
        "does not check the state that comes back",
        &[
            ("mrtr.tampered-state", "warn"),
            ("mrtr.state-cross-request", "warn"),
        ],
    )
    .serve(|_, request| {
        answers(request)
            .filter(|answers| answers["confirm"]["content"]["send"] == true)
            .filter(|_| request.param("requestState").is_some())
            .map(|_| Ok(sent()))
    }),
    Defect::new(
        "decline-crashes",
        "fails when the user declines",
        &[("mrtr.decline-cancel", "warn")],
    )
    .serve(|_, request| {
        answers(request)
            .filter(|answers| answers["confirm"]["action"] == "decline")
            .map(|_| Err(Fault::new(-32603, 200, "internal error")))
    }),
    Defect::new(
        "retry-needs-connection",
        "knows its questions on the connection only that it asked over",
        &[("mrtr.retry-fresh-connection", "fail")],
    )
    .over(Transport::Http)
    .serve(|_, request| {
        answers(request)
            .filter(|_| !request.memory.has_served("tools/call"))
            .map(|_| Err(Fault::params("nobody was asked here")))
    }),
    Defect::new(
        "page-without-address",
        "sends the user to a page that is nowhere",
        &[("mrtr.url-valid", "fail")],
    )
    .serve(|_, request| ask_by_page(request, "the office")),
    Defect::new(
        "page-plain-http",
        "sends the user to a page over plain HTTP",
        &[("mrtr.url-valid", "warn")],
    )
    .serve(|_, request| ask_by_page(request, "http://ledger.example/confirm")),
    Defect::new(
        "asks-model",
        "asks the client's model",
        &[("deprecated.roots-sampling", "info")],
    )
    .serve(|_, request| ask_model(request, |_| {})),
    Defect::new(
        "asks-model-with-tools",
        "gives tools to a model that cannot use them",
        &[
            ("mrtr.sampling-tools", "fail"),
            ("deprecated.roots-sampling", "info"),
        ],
    )
    .serve(|_, request| {
        ask_model(request, |params| {
            params["tools"] = json!([{ "name": "look_up", "inputSchema": { "type": "object" } }]);
        })
    }),
    Defect::new(
        "asks-model-mixed",
        "mixes the result of a tool with other content",
        &[
            ("mrtr.tool-result-only", "fail"),
            ("deprecated.roots-sampling", "info"),
        ],
    )
    .serve(|_, request| {
        ask_model(request, |params| {
            params["messages"] = json!([{ "role": "user", "content": [
                { "type": "tool_result", "toolUseId": "1", "content": [] },
                { "type": "text", "text": "And now?" }
            ] }]);
        })
    }),
    Defect::new(
        "asks-model-with-context",
        "wants the client's context without asking whether it may",
        &[
            ("deprecated.include-context", "warn"),
            ("deprecated.roots-sampling", "info"),
        ],
    )
    .serve(|_, request| {
        ask_model(request, |params| {
            params["includeContext"] = json!("allServers");
        })
    }),
];

/// Asks by a page, when the client shows pages only.
fn ask_by_page(request: &Request, url: &str) -> Served {
    let shows_pages = request.capability(&["elicitation", "url"]).is_some();
    if !is_email(request) || !shows_pages {
        return None;
    }
    if is_answered(request) {
        return Some(Ok(sent()));
    }
    let params = json!({
        "mode": "url", "elicitationId": "confirm-1", "url": url, "message": "Please confirm."
    });
    Some(Ok(asked("elicitation/create", &params)))
}

/// Asks the client's model, when it has one.
fn ask_model(request: &Request, bend: fn(&mut Value)) -> Served {
    if !is_email(request) || request.capability(&["sampling"]).is_none() {
        return None;
    }
    if is_answered(request) {
        return Some(Ok(sent()));
    }
    let mut params = json!({
        "messages": [{ "role": "user", "content": { "type": "text", "text": "Write a note." } }],
        "maxTokens": 100
    });
    bend(&mut params);
    Some(Ok(asked("sampling/createMessage", &params)))
}

fn asked(method: &str, params: &Value) -> Outcome {
    json!({
        "resultType": "input_required",
        "inputRequests": { "ask": { "method": method, "params": params } }
    })
    .into()
}
