//! Faults of subscriptions/listen.

use super::bend::remove;
use super::{Defect, Transport, Variant};
use crate::hooks::{Frame, Process};
use crate::message::{Answer, Fault, META_SUBSCRIPTION, Request, Step, notification};
use crate::server::Change;
use serde_json::{Value, json};

const LISTEN: &str = "subscriptions/listen";

/// The acknowledgement in an answer.
fn acknowledgement(answer: &mut Answer) -> Option<&mut Value> {
    answer.listen.as_ref()?;
    let mut steps = answer.steps.iter_mut().map(|step| &mut step.message);
    steps.find(|message| message["method"] == "notifications/subscriptions/acknowledged")
}

/// A notice for the listen that the request opens.
fn notice(request: &Request, method: &str) -> Value {
    notification(
        method,
        &json!({ "_meta": { META_SUBSCRIPTION: request.id() } }),
    )
}

fn asks(request: &Request, kind: &str) -> bool {
    request
        .param("notifications")
        .is_some_and(|asked| asked[kind] == true)
}

fn log_on_listen(request: &Request, answer: &mut Answer) {
    if answer.listen.is_some() {
        let mut message = notice(request, "notifications/message");
        message["params"]["level"] = json!("info");
        message["params"]["data"] = json!("listening");
        answer.follow(100, message);
    }
}

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "listen-not-served",
        "declares changes but does not know subscriptions/listen",
        &[
            ("subscribe.available", "fail"),
            ("subscribe.*", "skip"),
            ("cancel.*", "skip"),
            ("stdio.eof-exits-listen", "skip"),
            ("stdio.listen-per-id-order", "n/a"),
        ],
    )
    .serve(|_, request| {
        request
            .is(LISTEN)
            .then(|| Err(Fault::unknown_method(LISTEN)))
    }),
    Defect::new(
        "listen-lines",
        "answers a listen with lines of JSON",
        &[
            ("subscribe.sse", "fail"),
            ("transport.content-type", "fail"),
            ("subscribe.*", "skip"),
            ("cancel.*", "skip"),
        ],
    )
    .over(Transport::Http)
    .answer(|_, answer| {
        if answer.listen.is_some() {
            answer.headers.retain(|(name, _)| *name != "Content-Type");
            let lines = ("Content-Type", "application/x-ndjson".to_owned());
            answer.headers.push(lines);
        }
    })
    .bytes(|frame, message, bytes| {
        if frame == Frame::Event && message["params"]["_meta"].get(META_SUBSCRIPTION).is_some() {
            *bytes = format!("{message}\n").into_bytes();
        }
    }),
    Defect::new(
        "listen-notice-first",
        "tells of a change before it acknowledges the listen",
        &[
            ("subscribe.ack-first", "fail"),
            ("stdio.listen-per-id-order", "fail"),
        ],
    )
    .answer(|request, answer| {
        if answer.listen.is_some() && asks(request, "toolsListChanged") {
            let message = notice(request, "notifications/tools/list_changed");
            answer.steps.insert(0, Step { at: 0, message });
        }
    }),
    Defect::new(
        "listen-id-text",
        "acknowledges a listen with its id as text",
        &[("subscribe.ack-id", "fail")],
    )
    .answer(|_, answer| {
        if let Some(message) = acknowledgement(answer) {
            let id = &message["params"]["_meta"][META_SUBSCRIPTION];
            if id.is_number() {
                message["params"]["_meta"][META_SUBSCRIPTION] = json!(id.to_string());
            }
        }
    }),
    Defect::new(
        "listen-grants-more",
        "acknowledges more than was asked for",
        &[("subscribe.ack-subset", "fail")],
    )
    .answer(|_, answer| {
        if let Some(message) = acknowledgement(answer) {
            message["params"]["notifications"]["promptsListChanged"] = json!(true);
            message["params"]["notifications"]["toolsListChanged"] = json!(true);
            message["params"]["notifications"]["resourcesListChanged"] = json!(true);
        }
    }),
    Defect::new(
        "listen-grants-undeclared",
        "acknowledges changes of a feature that it does not have",
        &[("subscribe.ack-omits-unsupported", "fail")],
    )
    .on(Variant::ToolsOnly)
    .answer(|request, answer| {
        let is_asked = asks(request, "promptsListChanged");
        if let Some(message) = acknowledgement(answer).filter(|_| is_asked) {
            message["params"]["notifications"]["promptsListChanged"] = json!(true);
        }
    }),
    Defect::new(
        "notice-untagged",
        "does not say to which listen a change belongs",
        &[("subscribe.all-tagged", "fail")],
    )
    .notices(|_, _, notices| {
        for notice in notices {
            remove(&mut notice["params"], "_meta");
        }
    }),
    Defect::new(
        "filter-ignored",
        "tells every listen of every change",
        &[("subscribe.filter-honoured", "fail")],
    )
    .notices(|listener, change, notices| {
        if notices.is_empty() && *change == Change::Prompts {
            let params = json!({ "_meta": { META_SUBSCRIPTION: listener.id } });
            notices.push(notification("notifications/prompts/list_changed", &params));
        }
    }),
    Defect::new(
        "log-on-listen",
        "sends logs on a listen",
        &[
            ("subscribe.no-request-scoped", "fail"),
            ("deprecated.log-right-stream", "fail"),
            ("deprecated.log-unrequested", "fail"),
            ("subscribe.id-only-on-listen", "warn"),
        ],
    )
    .over(Transport::Http)
    .answer(log_on_listen),
    // On stdio all share one channel, so there is no wrong stream.
    Defect::new(
        "log-on-listen-line",
        "sends logs for a listen",
        &[
            ("subscribe.no-request-scoped", "fail"),
            ("deprecated.log-unrequested", "fail"),
            ("subscribe.id-only-on-listen", "warn"),
        ],
    )
    .over(Transport::Stdio)
    .answer(log_on_listen),
    Defect::new(
        "progress-on-listen",
        "reports progress on a listen",
        &[
            ("progress.right-stream", "fail"),
            ("progress.token-known", "fail"),
            ("subscribe.no-request-scoped", "fail"),
            ("subscribe.id-only-on-listen", "warn"),
        ],
    )
    .answer(|request, answer| {
        if answer.listen.is_some() {
            let mut message = notice(request, "notifications/progress");
            message["params"]["progressToken"] = json!("none");
            message["params"]["progress"] = json!(1);
            answer.follow(100, message);
        }
    }),
    Defect::new(
        "listen-one-only",
        "refuses a second listen",
        &[
            ("subscribe.concurrent", "warn"),
            ("stdio.listen-per-id-order", "n/a"),
        ],
    )
    .serve(|server, request| {
        (request.is(LISTEN) && server.open_listens() > 0)
            .then(|| Err(Fault::new(-32603, 200, "somebody listens already")))
    }),
    Defect::new(
        "listen-ends",
        "ends a listen at once, without a result",
        &[("subscribe.stays-open", "fail")],
    )
    .over(Transport::Http)
    .answer(|_, answer| {
        if answer.listen.is_some() {
            answer.ends = Some(200);
        }
    }),
    Defect::new(
        "listen-without-filter",
        "acknowledges a listen that does not say for what",
        &[("subscribe.filter-missing", "warn")],
    )
    .request(|request| {
        if request.is(LISTEN)
            && request.param("notifications").is_none()
            && let Some(params) = request.params_mut()
        {
            params.insert("notifications".to_owned(), json!({}));
        }
    }),
    Defect::new(
        "tools-change-untold",
        "does not tell that its tools changed",
        &[("subscribe.tools-changed", "warn")],
    )
    .notices(|_, change, notices| {
        if *change == Change::Tools {
            notices.clear();
        }
    }),
    Defect::new(
        "prompts-change-untold",
        "does not tell that its prompts changed",
        &[("subscribe.prompts-changed", "warn")],
    )
    .notices(|_, change, notices| {
        if *change == Change::Prompts {
            notices.clear();
        }
    }),
    Defect::new(
        "resources-change-untold",
        "does not tell that its resources changed",
        &[("subscribe.resources-changed", "warn")],
    )
    .notices(|_, change, notices| {
        if *change == Change::Resources {
            notices.clear();
        }
    }),
    Defect::new(
        "resource-update-untold",
        "does not tell that a resource changed",
        &[("subscribe.resource-updated", "warn")],
    )
    .notices(|_, change, notices| {
        if matches!(change, Change::Resource(_)) {
            notices.clear();
        }
    }),
    Defect::new(
        "dies-of-hangup",
        "dies when a client hangs up on a listen",
        &[
            ("cancel.http-close-survives", "warn"),
            ("transport.survives", "warn"),
            ("*", "error"),
        ],
    )
    .over(Transport::Http)
    .process(Process {
        dies_of_hangup: true,
        ..Process::NORMAL
    }),
];
