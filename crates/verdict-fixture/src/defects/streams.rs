//! Faults of event streams that answer a request.

use super::bend::empty_result;
use super::{Defect, Transport, Variant};
use crate::hooks::Frame;
use crate::message::{Answer, META_SUBSCRIPTION, Request, notification};
use serde_json::{Value, json};

/// A message that belongs to no request.
fn note(method: &str) -> Value {
    notification(method, &json!({}))
}

fn change_beside(request: &Request, answer: &mut Answer) {
    if request.is("prompts/list") {
        answer.precede(note("notifications/prompts/list_changed"));
    }
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
    .over(Transport::Http)
    .answer(change_beside),
    // On stdio it may be meant for a listen of the same process, and lacks its id.
    stream(
        "change-beside-listen",
        "tells of changes whenever prompts are listed, and names no listen",
        &[
            ("legacy.unlisted-change-notices", "fail"),
            ("subscribe.all-tagged", "fail"),
        ],
    )
    .over(Transport::Stdio)
    .answer(change_beside),
];
