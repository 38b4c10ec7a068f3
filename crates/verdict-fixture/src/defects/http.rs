//! Faults of the HTTP side that have to do with single requests.

use super::bend::{empty_result, is_known, is_unknown_prompt};
use super::{Defect, Transport};
use crate::hooks::{Frame, Process};
use crate::message::{Answer, Form, METHOD_NOT_FOUND, UNSUPPORTED_VERSION};
use serde_json::{Value, json};

const EVIL: &str = "http://evil.example";

/// Turns an answer into a JSON document, or takes its body away.
fn replace(answer: &mut Answer, with: Answer) {
    *answer = with;
    answer.describe();
}

fn is_about_unknown_prompt(message: &Value) -> bool {
    message["error"]["message"]
        .as_str()
        .is_some_and(|message| message.starts_with("no such prompt"))
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
        "post-not-served",
        "does not serve POST",
        &[
            ("transport.post", "fail"),
            ("discover.answers", "fail"),
            ("*", "skip"),
        ],
    )
    .answer(|_, answer| {
        replace(
            answer,
            Answer::page(404, "text/html", "<h1>Not Found</h1>\n"),
        );
    }),
    http(
        "content-type-text",
        "labels a refusal as plain text",
        &[("transport.content-type", "fail")],
    )
    .answer(|_, answer| {
        if answer
            .response_mut()
            .is_some_and(|message| is_about_unknown_prompt(message))
        {
            answer.headers.retain(|(name, _)| *name != "Content-Type");
            answer
                .headers
                .push(("Content-Type", "text/plain".to_owned()));
        }
    }),
    http(
        "json-two-documents",
        "sends a second document after a refusal",
        &[
            ("transport.json-single-object", "fail"),
            ("prompts.unknown-code", "skip"),
        ],
    )
    .bytes(|frame, message, bytes| {
        if frame == Frame::Document && is_about_unknown_prompt(message) {
            bytes.extend_from_slice(
                b"\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/example.com/note\"}\n",
            );
        }
    }),
    http(
        "http-not-utf8",
        "sends a refusal in Latin-1",
        &[("transport.utf8", "fail")],
    )
    .bytes(|frame, message, bytes| {
        let at = bytes.windows(7).position(|window| window == b"no such");
        if frame == Frame::Document
            && is_about_unknown_prompt(message)
            && let Some(byte) = at.and_then(|at| bytes.get_mut(at))
        {
            *byte = 0xf1;
        }
    }),
    http(
        "get-200",
        "answers GET with a page",
        &[("transport.get-405", "warn")],
    )
    .answer(|request, answer| {
        if request.head.verb == "GET" {
            replace(answer, Answer::page(200, "text/html", "<h1>Ledger</h1>\n"));
        }
    }),
    http(
        "get-endpoint-event",
        "still serves the old transport on GET",
        &[
            ("deprecated.http-sse", "info"),
            ("transport.get-405", "warn"),
        ],
    )
    .answer(|request, answer| {
        if request.head.verb == "GET" {
            let event = "event: endpoint\ndata: /messages?session=1\n\n";
            replace(answer, Answer::page(200, "text/event-stream", event));
        }
    }),
    http(
        "listens-everywhere",
        "listens on all interfaces of its machine",
        &[("transport.bind-loopback", "warn")],
    )
    .process(Process {
        everywhere: true,
        ..Process::NORMAL
    }),
    http(
        "delete-200",
        "answers DELETE as if there were a session",
        &[("transport.delete-405", "warn")],
    )
    .answer(|request, answer| {
        if request.head.verb == "DELETE" {
            replace(answer, Answer::empty(200));
        }
    }),
    http(
        "unknown-method-200",
        "refuses an unknown method with status 200",
        &[("transport.method-not-found-404", "fail")],
    )
    .fault(|request, fault| {
        if fault.code == METHOD_NOT_FOUND && !is_known(request.method()) {
            fault.status = 200;
        }
    }),
    http(
        "mandated-status-200",
        "refuses a version of the future with status 200",
        &[("transport.status-error-mandated", "fail")],
    )
    .fault(|_, fault| {
        let is_future = fault
            .data
            .as_ref()
            .is_some_and(|data| data["requested"] == "2999-12-31");
        if fault.code == UNSUPPORTED_VERSION && is_future {
            fault.status = 200;
        }
    }),
    http(
        "notification-200",
        "answers a notification with an empty object",
        &[("transport.notification-202", "fail")],
    )
    .answer(|_, answer| {
        if answer.status == 202 {
            replace(answer, Answer::page(200, "application/json", "{}"));
        }
    }),
    http(
        "notification-result",
        "answers a notification with a result",
        &[
            ("transport.notification-202", "fail"),
            ("transport.notification-no-response", "fail"),
        ],
    )
    .answer(|_, answer| {
        if answer.status == 202 {
            let message = json!({ "jsonrpc": "2.0", "id": 0, "result": empty_result() });
            replace(answer, Answer::json(200, message));
        }
    }),
    http(
        "origin-ignored",
        "does not look at Origin",
        &[("transport.origin-rejected", "fail")],
    )
    .request(|request| request.head.remove("origin")),
    http(
        "origin-400",
        "refuses a foreign Origin with status 400",
        &[("transport.origin-rejected", "warn")],
    )
    .answer(|request, answer| {
        if answer.status == 403 && request.head.has("origin") {
            answer.status = 400;
        }
    }),
    http(
        "rebound-host-served",
        "trusts an Origin that equals the Host",
        &[("transport.host-rebinding", "warn")],
    )
    .request(|request| {
        let origin = request.head.text("origin").unwrap_or_default();
        let origin = origin.split("://").last().unwrap_or_default();
        let host = request.head.text("host").unwrap_or_default();
        if !host.is_empty() && host.split(':').next() == origin.split(':').next() {
            request.head.remove("origin");
            request.head.set("host", "localhost");
        }
    }),
    http(
        "own-origin-refused",
        "refuses every Origin",
        &[("transport.origin-own-accepted", "warn")],
    )
    .request(|request| {
        if request.head.has("origin") {
            request.head.set("origin", EVIL);
        }
    }),
    http(
        "accept-quality-refused",
        "cannot read an Accept with a quality",
        &[("transport.accept-variants", "fail")],
    )
    .answer(|request, answer| {
        let accept = request.head.text("accept").unwrap_or_default();
        if accept.contains("q=") {
            let refusal = Answer::page(406, "text/plain", "Not Acceptable\n");
            replace(answer, refusal);
        }
    }),
    http(
        "sse-not-accepted",
        "answers in an event stream though the client accepts JSON only",
        &[("transport.accept-incomplete", "warn")],
    )
    .request(|request| {
        if !request.head.accepts("text/event-stream") {
            request.head.set("accept", "text/event-stream");
        }
    }),
    http(
        "charset-refused",
        "refuses a content type with a charset",
        &[("transport.content-type-charset", "warn")],
    )
    .request(|request| {
        let media = request.head.text("content-type").unwrap_or_default();
        if media.contains("charset") {
            request.head.set("content-type", "text/plain");
        }
    }),
    http(
        "batch-served",
        "answers an array of requests with an array of results",
        &[("transport.batch-rejected", "warn")],
    )
    .answer(|request, answer| {
        if let Some(results) = batch(request.body.as_ref()) {
            replace(answer, Answer::json(200, results));
        }
    }),
    http(
        "batch-first-only",
        "answers an array of requests with one error and status 200",
        &[("transport.batch-rejected", "info")],
    )
    .answer(|request, answer| {
        if batch(request.body.as_ref()).is_some() {
            answer.status = 200;
        }
    }),
    http(
        "response-accepted",
        "accepts a response that a client posts",
        &[("transport.response-posted", "info")],
    )
    .answer(|request, answer| {
        if request.member("result").is_some() && request.method().is_empty() {
            replace(answer, Answer::empty(202));
        }
    }),
    http(
        "concurrent-crossed",
        "mixes up the ids of lists that are asked for at the same time",
        &[("transport.concurrent", "fail")],
    )
    .answer(|request, answer| {
        if request.method().ends_with("/list") {
            answer.steps.iter_mut().for_each(|step| step.at = 5);
            let is_crossed = request.others > 0 && answer.result_mut().is_some();
            if let Some(message) = answer.response_mut().filter(|_| is_crossed) {
                message["id"] = json!("of another request");
            }
        }
    }),
    http(
        "session-minted",
        "mints a session id",
        &[("transport.no-session-minted", "warn")],
    )
    .answer(|request, answer| {
        if request.is("server/discover") {
            answer
                .headers
                .push(("Mcp-Session-Id", "ledger-1".to_owned()));
        }
    }),
    http(
        "session-id-refused",
        "knows no session of a client that still sends an id",
        &[("transport.session-id-ignored", "warn")],
    )
    .answer(|request, answer| {
        if request.head.has("mcp-session-id") {
            replace(answer, Answer::page(404, "text/plain", "no such session\n"));
        }
    }),
    http(
        "last-event-id-refused",
        "refuses a client that still sends Last-Event-ID",
        &[("transport.last-event-id-ignored", "warn")],
    )
    .answer(|request, answer| {
        if request.head.has("last-event-id") {
            replace(answer, Answer::page(400, "text/plain", "cannot resume\n"));
        }
    }),
    http(
        "result-with-409",
        "sends a result with an error status",
        &[("transport.status-2xx-result", "warn")],
    )
    .answer(|request, answer| {
        if request.is("completion/complete") && answer.result_mut().is_some() {
            answer.status = 409;
        }
    }),
    http(
        "falls-silent",
        "answers nobody any more once it got bad JSON",
        &[("transport.survives", "warn"), ("*", "error")],
    )
    .dies(|request| request.body.is_none() && request.head.verb == "POST"),
    http(
        "parse-error-200",
        "answers bad JSON with status 200",
        &[("errors.parse", "warn")],
    )
    .answer(|request, answer| {
        if request.body.is_none() && request.head.verb == "POST" && answer.form == Form::Json {
            answer.status = 200;
        }
    }),
    http(
        "null-id",
        "answers bad JSON with a null id",
        &[("errors.null-id", "info")],
    )
    .answer(|request, answer| {
        let is_unreadable = request.body.is_none() && request.head.verb == "POST";
        if let Some(message) = answer.response_mut().filter(|_| is_unreadable) {
            message["id"] = Value::Null;
        }
    }),
    http(
        "unknown-prompt-without-id",
        "leaves the id out of a refusal",
        &[("errors.id-echo", "fail")],
    )
    .answer(|_, answer| {
        if let Some(message) = answer.response_mut()
            && is_about_unknown_prompt(message)
        {
            super::bend::remove(message, "id");
        }
    }),
    http(
        "header-code-without-fault",
        "blames the headers for a prompt that is not there",
        &[
            ("errors.defined-meaning", "fail"),
            ("prompts.unknown-code", "warn"),
        ],
    )
    .fault(|_, fault| {
        if is_unknown_prompt(fault) {
            fault.code = -32020;
            fault.status = 400;
        }
    }),
];

/// Results for all requests of a batch.
pub(super) fn batch(body: Option<&Value>) -> Option<Value> {
    let requests = body?.as_array()?;
    let answers = requests
        .iter()
        .map(|request| json!({ "jsonrpc": "2.0", "id": request["id"], "result": empty_result() }));
    Some(answers.collect())
}
