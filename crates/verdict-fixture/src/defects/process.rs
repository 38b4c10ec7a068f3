//! Faults of a process that speaks over its standard streams.

use super::bend::empty_result;
use super::http::batch;
use super::{Defect, Transport};
use crate::hooks::{Ends, Frame, Process};
use crate::message::{Answer, Form, INVALID_PARAMS, META_SUBSCRIPTION, Step, notification};
use serde_json::{Value, json};

const fn stdio(
    name: &'static str,
    about: &'static str,
    expect: &'static [(&'static str, &'static str)],
) -> Defect {
    Defect::new(name, about, expect).over(Transport::Stdio)
}

fn is_tools_list(message: &Value) -> bool {
    message["result"]["tools"].is_array()
}

pub(super) const DEFECTS: &[Defect] = &[
    stdio(
        "stdout-banner",
        "greets on stdout",
        &[("stdio.only-messages", "fail")],
    )
    .process(Process {
        banner: b"Ledger 1.0 is listening\n",
        ..Process::NORMAL
    }),
    stdio(
        "stdout-noise",
        "prints debug output between its messages",
        &[("stdio.only-messages", "fail")],
    )
    .bytes(|frame, message, bytes| {
        if frame == Frame::Line && is_tools_list(message) {
            bytes.splice(..0, *b"DEBUG listing tools\n");
        }
    }),
    stdio(
        "stdout-blank-line",
        "ends its messages with an empty line",
        &[("stdio.only-messages", "warn")],
    )
    .bytes(|_, _, bytes| bytes.push(b'\n')),
    stdio(
        "stdout-pretty",
        "prints a message over several lines",
        &[("stdio.framing", "fail")],
    )
    .bytes(|frame, message, bytes| {
        if frame == Frame::Line && is_tools_list(message) {
            let pretty = b"{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"notifications/example.com/note\"\n}\n";
            bytes.splice(..0, *pretty);
        }
    }),
    stdio(
        "stdout-latin-1",
        "writes a refusal in Latin-1",
        &[
            ("stdio.utf8", "fail"),
            ("transport.utf8", "fail"),
        ],
    )
    .bytes(|_, message, bytes| {
        let text = message["error"]["message"].as_str().unwrap_or_default();
        let at = bytes.windows(7).position(|window| window == b"no such");
        if text.starts_with("no such prompt")
            && let Some(byte) = at.and_then(|at| bytes.get_mut(at))
        {
            *byte = 0xf1;
        }
    }),
    stdio(
        "stdout-request",
        "sends a request to the client",
        &[("stdio.no-server-requests", "fail")],
    )
    .answer(|request, answer| {
        if request.is("tools/list") {
            answer.precede(json!({ "jsonrpc": "2.0", "id": "ledger-1", "method": "ping" }));
        }
    }),
    stdio(
        "speaks-first",
        "answers before it was asked",
        &[
            ("stdio.silent-before-request", "fail"),
            ("result.id-echo", "fail"),
        ],
    )
    .process(Process {
        banner: b"{\"jsonrpc\":\"2.0\",\"id\":\"hello\",\"result\":{\"resultType\":\"complete\"}}\n",
        ..Process::NORMAL
    }),
    stdio(
        "speaks-unasked",
        "sends notifications while nothing is going on",
        &[("stdio.unsolicited", "fail")],
    )
    .answer(|request, answer| {
        if request.is("server/discover") {
            let params = json!({ "_meta": { META_SUBSCRIPTION: "none" }, "notifications": {} });
            answer.follow(
                1_500,
                notification("notifications/subscriptions/acknowledged", &params),
            );
        }
    }),
    stdio(
        "header-code-on-stdio",
        "blames headers where there are none",
        &[
            ("stdio.same-answers", "fail"),
            ("errors.defined-meaning", "fail"),
            ("meta.missing-all", "warn"),
            ("meta.missing-params", "warn"),
            ("meta.missing-protocol-version", "warn"),
        ],
    )
    .fault(|_, fault| {
        if fault.code == INVALID_PARAMS && fault.message.ends_with("protocolVersion") {
            fault.code = -32020;
        }
    }),
    stdio(
        "concurrent-lost",
        "loses requests that come while it is at work",
        &[("stdio.concurrent", "warn")],
    )
    .answer(|request, answer| {
        if request.method().ends_with("/list") || request.is("server/discover") {
            answer.steps.iter_mut().for_each(|step| step.at = 5);
            if request.others > 2 {
                answer.steps.clear();
            }
        }
    }),
    stdio(
        "never-exits",
        "goes on after the end of its input",
        &[
            ("stdio.eof-exits", "warn"),
            ("stdio.eof-exits-listen", "warn"),
        ],
    )
    .process(Process {
        ends: Ends::Never,
        ..Process::NORMAL
    }),
    stdio(
        "listen-keeps-alive",
        "goes on after the end of its input while a listen is open",
        &[("stdio.eof-exits-listen", "warn")],
    )
    .process(Process {
        ends: Ends::WithoutListen,
        ..Process::NORMAL
    }),
    stdio(
        "processes-differ",
        "has other tools in every process",
        &[("stdio.second-process", "warn")],
    )
    .items(|request, items| {
        if request.is("tools/list") {
            let name = format!("worker_{}", request.memory.peer);
            items.push(json!({
                "name": name, "description": "Tells of this process.",
                "inputSchema": { "type": "object" }
            }));
        }
    }),
    stdio(
        "dies-of-garbage",
        "dies of a line that is no JSON",
        &[("stdio.garbage-line", "warn")],
    )
    .dies(|request| request.body.is_none()),
    stdio(
        "batch-line-served",
        "serves an array of requests",
        &[("stdio.batch-line", "warn")],
    )
    .answer(|request, answer| {
        if let Some(results) = batch(request.body.as_ref()) {
            *answer = Answer::json(200, results);
        }
    }),
    stdio(
        "notification-answered",
        "answers a notification that it knows",
        &[
            ("stdio.notification-no-response", "fail"),
            ("cancel.unknown-ignored", "warn"),
        ],
    )
    .answer(|request, answer| {
        if request.is("notifications/cancelled") {
            let message = json!({ "jsonrpc": "2.0", "id": null, "result": empty_result() });
            answer.steps.push(Step { at: 0, message });
        }
    }),
    stdio(
        "unknown-notification-refused",
        "refuses a notification that it does not know",
        &[("stdio.notification-no-response", "warn")],
    )
    .answer(|request, answer| {
        let is_known = request.is("notifications/cancelled");
        if answer.form == Form::Empty && !is_known {
            let error = json!({ "code": -32601, "message": "unknown notification" });
            let message = json!({ "jsonrpc": "2.0", "error": error });
            answer.steps.push(Step { at: 0, message });
        }
    }),
    stdio(
        "cancelled-unknown-refused",
        "refuses to cancel what it does not know",
        &[
            ("cancel.unknown-ignored", "warn"),
            ("stdio.notification-no-response", "fail"),
        ],
    )
    .answer(|request, answer| {
        if request.is("notifications/cancelled") {
            let error = json!({ "code": -32602, "message": "no such request" });
            let message = json!({ "jsonrpc": "2.0", "error": error });
            answer.steps.push(Step { at: 0, message });
        }
    }),
    stdio(
        "stderr-latin-1",
        "writes Latin-1 to stderr",
        &[("stdio.stderr-utf8", "info")],
    )
    .process(Process {
        chatter: b"ledger: Gesch\xe4ft ge\xf6ffnet\n",
        ..Process::NORMAL
    }),
    stdio(
        "ends-silently",
        "ends without closing its listens",
        &[("cancel.teardown", "warn")],
    )
    .closing(|result| *result = Value::Null),
    stdio(
        "closing-untagged",
        "does not say which listen its last result closes",
        &[("subscribe.result-shape", "fail")],
    )
    .closing(|result| super::bend::remove(&mut result["_meta"], META_SUBSCRIPTION)),
    stdio(
        "cancel-ignored",
        "goes on with what was cancelled",
        &[
            ("cancel.listen-stops", "fail"),
            ("cancel.slow-stops", "warn"),
        ],
    )
    .process(Process {
        ignores_cancel: true,
        ..Process::NORMAL
    }),
    stdio(
        "id-stringified",
        "makes text of the id in a refusal",
        &[
            ("errors.id-echo", "fail"),
        ],
    )
    .answer(|request, answer| {
        let id = request.id().map(Value::to_string);
        if let Some(message) = answer.response_mut()
            && message["error"]["message"]
                .as_str()
                .is_some_and(|text| text.starts_with("no such prompt"))
        {
            message["id"] = json!(id);
        }
    }),
];
