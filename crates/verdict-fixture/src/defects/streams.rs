//! Faults of event streams that answer a request, and of progress and log messages.

use super::bend::empty_result;
use super::{Defect, Transport, Variant};
use crate::hooks::Frame;
use crate::message::{META_LOG_LEVEL, META_SUBSCRIPTION, Request, notification};
use serde_json::{Value, json};

fn is_reconcile(request: &Request) -> bool {
    request.is("tools/call") && request.text("name") == Some("reconcile")
}

/// A message that belongs to no request.
fn note(method: &str) -> Value {
    notification(method, &json!({}))
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

const fn stream(
    name: &'static str,
    about: &'static str,
    expect: &'static [(&'static str, &'static str)],
) -> Defect {
    Defect::new(name, about, expect).on(Variant::Streaming)
}

pub(super) const DEFECTS: &[Defect] = &[
    stream(
        "sse-not-json",
        "sends an event that is no message",
        &[("transport.sse-parse", "fail")],
    )
    .over(Transport::Http)
    .bytes(|frame, message, bytes| {
        if frame == Frame::Event && message["result"]["prompts"].is_array() {
            bytes.splice(..0, *b"data: one moment\n\n");
        }
    }),
    stream(
        "sse-foreign-response",
        "sends the response to another request first",
        &[("transport.sse-one-response", "fail")],
    )
    .over(Transport::Http)
    .answer(|request, answer| {
        if request.is("prompts/list") {
            answer.precede(json!({ "jsonrpc": "2.0", "id": "other", "result": empty_result() }));
        }
    }),
    stream(
        "sse-two-responses",
        "sends its response twice",
        &[
            ("transport.sse-one-response", "fail"),
            ("transport.sse-nothing-after-response", "fail"),
        ],
    )
    .over(Transport::Http)
    .answer(|request, answer| {
        if request.is("prompts/list")
            && let Some(message) = answer.response_mut().cloned()
        {
            answer.follow(0, message);
        }
    }),
    stream(
        "sse-stays-open",
        "does not close the stream after its response",
        &[("transport.sse-closes", "warn")],
    )
    .over(Transport::Http)
    .answer(|request, answer| {
        if request.is("prompts/list") {
            answer.ends = Some(30_000);
        }
    }),
    stream(
        "sse-afterword",
        "sends a message after its response",
        &[
            ("transport.sse-nothing-after-response", "fail"),
            ("transport.sse-related-only", "info"),
        ],
    )
    .over(Transport::Http)
    .answer(|request, answer| {
        if request.is("prompts/list") {
            answer.follow(0, note("notifications/example.com/done"));
        }
    }),
    stream(
        "sse-server-request",
        "sends a request on a stream",
        &[("transport.no-server-requests", "fail")],
    )
    .over(Transport::Http)
    .answer(|request, answer| {
        if request.is("prompts/list") {
            answer.precede(json!({ "jsonrpc": "2.0", "id": "ledger-1", "method": "ping" }));
        }
    }),
    stream(
        "sse-unrelated",
        "acknowledges a subscription on the stream of another request",
        &[("transport.sse-related-only", "fail")],
    )
    .over(Transport::Http)
    .answer(|request, answer| {
        if request.is("prompts/list") {
            let params = json!({ "_meta": { META_SUBSCRIPTION: "none" }, "notifications": {} });
            answer.precede(notification(
                "notifications/subscriptions/acknowledged",
                &params,
            ));
        }
    }),
    stream(
        "sse-unknown-notification",
        "sends a notification that nobody defines",
        &[("transport.sse-related-only", "warn")],
    )
    .over(Transport::Http)
    .answer(|request, answer| {
        if request.is("prompts/list") {
            answer.precede(note("notifications/done"));
        }
    }),
    Defect::new(
        "sse-buffered",
        "lets proxies buffer its streams",
        &[("transport.sse-x-accel", "warn")],
    )
    .over(Transport::Http)
    .answer(|_, answer| {
        answer
            .headers
            .retain(|(name, _)| *name != "X-Accel-Buffering");
    }),
    Defect::new(
        "sse-event-ids",
        "gives its events ids",
        &[("transport.sse-event-ids", "info")],
    )
    .over(Transport::Http)
    .bytes(|frame, _, bytes| {
        if frame == Frame::Event {
            bytes.splice(..0, *b"id: 1\n");
        }
    }),
    stream(
        "cancels-a-list",
        "cancels a request that is no listen",
        &[("cancel.server-cancelled-only-listen", "fail")],
    )
    .answer(|request, answer| {
        if request.is("prompts/list") {
            let params = json!({ "requestId": request.id() });
            answer.precede(notification("notifications/cancelled", &params));
        }
    }),
    stream(
        "elicitation-complete",
        "sends a notification of an earlier revision",
        &[
            ("legacy.removed-notifications", "fail"),
            ("transport.sse-related-only", "warn"),
        ],
    )
    .answer(|request, answer| {
        if request.is("prompts/list") {
            answer.precede(note("notifications/elicitation/complete"));
        }
    }),
    stream(
        "change-without-listen",
        "tells of changes on the stream of a list",
        &[
            ("legacy.unlisted-change-notices", "fail"),
            ("transport.sse-related-only", "fail"),
        ],
    )
    .answer(|request, answer| {
        if request.is("prompts/list") {
            answer.precede(note("notifications/prompts/list_changed"));
        }
    }),
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
            answer.form = crate::message::Form::Sse;
            answer.describe();
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
            answer.form = crate::message::Form::Sse;
            answer.describe();
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
            answer.form = crate::message::Form::Sse;
            answer.describe();
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
            answer.form = crate::message::Form::Sse;
            answer.describe();
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
            super::bend::remove(&mut result["capabilities"], "logging");
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
                super::bend::remove(&mut step.message["params"], "data");
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
