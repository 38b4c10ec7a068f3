//! Faults of the progress and the logs that `reconcile` sends.

use super::Defect;
use super::bend::remove;
use crate::message::{Answer, Form, META_LOG_LEVEL, META_SUBSCRIPTION, Request, notification};
use serde_json::{Value, json};

fn is_reconcile(request: &Request) -> bool {
    request.is("tools/call") && request.text("name") == Some("reconcile")
}

/// Whether a message is a notification of progress.
fn is_progress(message: &Value) -> bool {
    message["method"] == "notifications/progress"
}

fn progress(token: &Value, value: f64) -> Value {
    notification(
        "notifications/progress",
        &json!({ "progressToken": token, "progress": value }),
    )
}

fn log(level: &str, data: &Value) -> Value {
    notification(
        "notifications/message",
        &json!({ "level": level, "data": data }),
    )
}

/// Makes sure that there is a stream to send notes on.
fn stream(answer: &mut Answer) {
    answer.form = Form::Sse;
    answer.describe();
}

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "progress-unasked",
        "reports progress that nobody asked for",
        &[
            ("progress.token-known", "fail"),
            ("transport.sse-related-only", "fail"),
        ],
    )
    .answer(|request, answer| {
        if is_reconcile(request) && request.meta("progressToken").is_none() {
            stream(answer);
            answer.precede(progress(&json!("none"), 1.0));
        }
    }),
    Defect::new(
        "progress-token-text",
        "makes text of a token that is a number",
        &[("progress.token-type", "fail")],
    )
    .answer(|_, answer| {
        for step in &mut answer.steps {
            if is_progress(&step.message) && step.message["params"]["progressToken"].is_number() {
                let token = step.message["params"]["progressToken"].to_string();
                step.message["params"]["progressToken"] = json!(token);
            }
        }
    }),
    Defect::new(
        "progress-stands-still",
        "reports the same progress twice",
        &[("progress.increases", "fail")],
    )
    .answer(|_, answer| {
        for step in &mut answer.steps {
            if is_progress(&step.message) && step.message["params"]["progress"] == 3 {
                step.message["params"]["progress"] = json!(2);
            }
        }
    }),
    Defect::new(
        "progress-goes-on",
        "reports progress after its response",
        &[
            ("progress.stops", "fail"),
            ("transport.sse-nothing-after-response", "fail"),
        ],
    )
    .answer(|request, answer| {
        if is_reconcile(request)
            && let Some(token) = request.meta("progressToken")
        {
            answer.follow(200, progress(token, 6.0));
        }
    }),
    Defect::new(
        "progress-total-text",
        "gives the total of its progress as text",
        &[("progress.shape", "fail")],
    )
    .answer(|_, answer| {
        for step in &mut answer.steps {
            if is_progress(&step.message) {
                step.message["params"]["total"] = json!("5");
            }
        }
    }),
    Defect::new(
        "progress-beyond-total",
        "reports more progress than there is",
        &[("progress.total", "info")],
    )
    .answer(|_, answer| {
        for step in &mut answer.steps {
            if is_progress(&step.message) {
                step.message["params"]["total"] = json!(4);
            }
        }
    }),
    Defect::new(
        "progress-never",
        "reports no progress at all",
        &[("progress.sent", "info"), ("progress.token-type", "n/a")],
    )
    .answer(|_, answer| answer.steps.retain(|step| !is_progress(&step.message))),
    Defect::new(
        "progress-floods",
        "reports every little progress",
        &[("progress.flood", "info")],
    )
    .answer(|request, answer| {
        if is_reconcile(request)
            && let Some(token) = request.meta("progressToken")
        {
            for part in 1..=120 {
                answer.precede(progress(token, 5.0 + f64::from(part) / 200.0));
            }
        }
    }),
    Defect::new(
        "log-unasked",
        "sends logs that nobody asked for",
        &[("deprecated.log-unrequested", "fail")],
    )
    .answer(|request, answer| {
        if is_reconcile(request) && request.meta(META_LOG_LEVEL).is_none() {
            stream(answer);
            answer.precede(log("info", &json!("comparing")));
        }
    }),
    Defect::new(
        "log-below-level",
        "sends logs of less weight than was asked for",
        &[("deprecated.log-below-level", "fail")],
    )
    .answer(|request, answer| {
        let asked = request.meta(META_LOG_LEVEL);
        if is_reconcile(request) && asked.is_some_and(|level| level != "debug") {
            stream(answer);
            answer.precede(log("debug", &json!("comparing")));
        }
    }),
    Defect::new(
        "log-after-response",
        "sends a log after its response",
        &[
            ("deprecated.log-right-stream", "fail"),
            ("transport.sse-nothing-after-response", "fail"),
        ],
    )
    .answer(|request, answer| {
        if is_reconcile(request) && request.meta(META_LOG_LEVEL).is_some() {
            stream(answer);
            answer.follow(200, log("emergency", &json!("done")));
        }
    }),
    Defect::new(
        "log-undeclared",
        "sends logs without declaring them",
        &[
            ("deprecated.log-declared", "fail"),
            ("deprecated.logging-capability", "pass"),
        ],
    )
    .result(|request, result| {
        if request.is("server/discover") {
            remove(&mut result["capabilities"], "logging");
        }
    }),
    Defect::new(
        "log-without-data",
        "sends a log that says nothing",
        &[("deprecated.log-shape", "fail")],
    )
    .answer(|_, answer| {
        for step in &mut answer.steps {
            if step.message["method"] == "notifications/message" {
                remove(&mut step.message["params"], "data");
            }
        }
    }),
    Defect::new(
        "log-with-token",
        "logs a bearer token",
        &[("deprecated.log-secrets", "warn")],
    )
    .answer(|_, answer| {
        for step in &mut answer.steps {
            if step.message["method"] == "notifications/message" {
                step.message["params"]["data"] = json!(
                    "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhY21lIn0.c2lnbmVk"
                );
            }
        }
    }),
    Defect::new(
        "log-level-unchecked",
        "takes any log level",
        &[("deprecated.log-invalid-level", "warn")],
    )
    .request(|request| {
        if request.meta(META_LOG_LEVEL) == Some(&json!("loud"))
            && let Some(meta) = request.meta_mut()
        {
            meta.insert(META_LOG_LEVEL.to_owned(), json!("info"));
        }
    }),
    Defect::new(
        "progress-with-subscription",
        "tags progress with the id of a subscription",
        &[("subscribe.id-only-on-listen", "warn")],
    )
    .answer(|_, answer| {
        for step in &mut answer.steps {
            if is_progress(&step.message) {
                step.message["params"]["_meta"] = json!({ META_SUBSCRIPTION: "none" });
            }
        }
    }),
];
