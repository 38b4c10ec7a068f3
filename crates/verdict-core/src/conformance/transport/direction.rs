//! What a server may send by itself: nothing but notifications that belong to the request at hand.
//!
//! Passive. Servers fail here that still ask the client on a stream, as earlier revisions did, or send
//! change notices to whoever is connected.

use super::traffic::{is_listen, messages, no_stream, posts, streams, told_once};
use crate::check::Check;
use crate::context::Context;
use crate::record::Record;
use crate::ruling::{Finding, Ruling};
use crate::wire::json::cut;
use crate::wire::rpc::{Envelope, Kind, is_form_of};
use serde_json::Value;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("transport.no-server-requests", "The server sends no requests")
        .http()
        .spec("http#receiving-messages")
        .why("Clients of this revision cannot answer a request, so a server that waits for the answer waits for ever.")
        .fix("Return an input_required result with the questions in inputRequests; the client sends the request again with its answers.")
        .official(&["sep-2575-http-server-no-independent-requests-on-stream"])
        .judge(no_requests),
    Check::must("transport.sse-related-only", "Notifications on a request's stream belong to that request")
        .http()
        .spec("http#receiving-messages")
        .why("Clients hand what comes on a stream to whoever sent the request; notices for others are lost or shown in the wrong place.")
        .fix("Send change notices to open subscriptions/listen streams alone, and progress with the token of this request.")
        .judge(related_only),
];

fn no_requests(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    let mut seen = 0;
    for record in posts(cx) {
        for (_, envelope, kind) in messages(record) {
            seen += 1;
            if kind == Kind::Request {
                let method = cut(envelope.method().unwrap_or_default(), 80);
                let message = format!("the server sends a request of its own, {method}");
                findings.push(Finding::broken(message).seen_in(record));
            }
        }
    }
    if seen == 0 {
        return Ruling::skip("no message was received");
    }
    Ruling::of(told_once(findings), "no message of the server is a request")
}

fn related_only(cx: &Context) -> Ruling {
    if let Some(ruling) = no_stream(cx) {
        return ruling;
    }
    let mut findings = Vec::new();
    for record in streams(cx).filter(|record| !is_listen(record)) {
        for (_, envelope, kind) in messages(record) {
            if kind == Kind::Notification
                && let Some(finding) = unrelated(cx, record, envelope)
            {
                findings.push(finding.seen_in(record));
            }
        }
    }
    Ruling::of(
        told_once(findings),
        "every notification belongs to its request",
    )
}

/// What is wrong with a notification on the stream of a request.
fn unrelated(cx: &Context, record: &Record, notice: &Envelope) -> Option<Finding> {
    let method = notice.method().unwrap_or_default();
    let shown = cut(method, 80);
    match method {
        "notifications/tools/list_changed"
        | "notifications/prompts/list_changed"
        | "notifications/resources/list_changed"
        | "notifications/resources/updated"
        | "notifications/subscriptions/acknowledged" => Some(Finding::broken(format!(
            "{shown} comes on the stream of a request; it belongs on a subscriptions/listen stream"
        ))),
        "notifications/progress" => foreign_progress(record, notice),
        // Judged by deprecated.log-* and cancel.server-cancelled-only-listen.
        "notifications/message" | "notifications/cancelled" => None,
        _ if of_an_extension(cx, method) => None,
        _ if has_vendor(method) => Some(Finding::noted(format!(
            "{shown} comes on the stream of a request; whether it belongs to it cannot be seen"
        ))),
        _ => Some(Finding::unproven(format!(
            "{shown} comes on the stream of a request; this revision does not define it, so clients cannot know what it belongs to"
        ))),
    }
}

/// Progress must name the token of this request; a token of another type is judged by progress.token-type.
fn foreign_progress(record: &Record, notice: &Envelope) -> Option<Finding> {
    let token = |envelope: &'_ Envelope, path: &[&str]| -> Option<Value> {
        let mut inside = envelope.params()?;
        for step in path {
            inside = inside.get(*step)?;
        }
        Some(inside.clone())
    };
    let asked = record
        .request()
        .and_then(|request| token(request, &["_meta", "progressToken"]));
    let got = token(notice, &["progressToken"]);
    match (asked, got) {
        (Some(asked), Some(got)) if is_form_of(&asked, &got) => None,
        (Some(_), _) => Some(Finding::broken(
            "notifications/progress names another token than the request gave",
        )),
        (None, _) => Some(Finding::broken(
            "notifications/progress comes for a request that gave no progress token",
        )),
    }
}

/// Whether a method has the name of an extension that the server advertises.
fn of_an_extension(cx: &Context, method: &str) -> bool {
    let name = method.strip_prefix("notifications/").unwrap_or(method);
    let first = name.split('/').next().unwrap_or_default();
    let advertised = cx
        .facts
        .capabilities()
        .and_then(|capabilities| capabilities.get("extensions")?.as_object());
    advertised.is_some_and(|extensions| {
        extensions.keys().any(|id| {
            let (prefix, last) = id.split_once('/').unwrap_or(("", id));
            first == last || first == prefix
        })
    })
}

/// Whether a part of a method looks like a vendor's domain.
fn has_vendor(method: &str) -> bool {
    let mut parts = method.split('/');
    parts.any(|part| part.contains('.') && !part.starts_with('.') && !part.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::super::traffic::sample::{body, found, response, ruling, stream};
    use super::*;
    use crate::ruling::Weight;
    use serde_json::json;

    fn note(method: &str, params: &Value) -> String {
        json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
    }

    #[test]
    fn requests_of_the_server_are_found_in_either_form() {
        let id = "transport.no-server-requests";
        let ping = json!({"jsonrpc": "2.0", "id": "s", "method": "ping"}).to_string();
        let good = response("a");
        assert!(ruling(id, vec![stream("a", &[&good])]).is_met());
        assert!(ruling(id, vec![stream("a", &[&ping, &good])]).is_broken());
        assert!(ruling(id, vec![body("a", 200, "application/json", &ping)]).is_broken());
    }

    #[test]
    fn notifications_belong_to_their_request() {
        let id = "transport.sse-related-only";
        let weight = |method: &str, params: Value| {
            let ruled = ruling(
                id,
                vec![stream("a", &[&note(method, &params), &response("a")])],
            );
            found(&ruled).first().map(|(weight, _)| *weight)
        };
        assert_eq!(weight("notifications/message", json!({})), None);
        for method in [
            "notifications/tools/list_changed",
            "notifications/resources/updated",
            "notifications/subscriptions/acknowledged",
            "notifications/progress",
        ] {
            assert_eq!(weight(method, json!({})), Some(Weight::Broken), "{method}");
        }
        assert_eq!(
            weight("notifications/done", json!({})),
            Some(Weight::Unproven)
        );
        assert_eq!(
            weight("notifications/example.com/done", json!({})),
            Some(Weight::Noted)
        );
    }

    #[test]
    fn progress_names_the_token_of_its_request() {
        let id = "transport.sse-related-only";
        let with_token = |got: Value| {
            let progress = note("notifications/progress", &json!({"progressToken": got}));
            let mut exchange = stream("a", &[&progress, &response("a")]);
            let text = &mut exchange.messages[0].text;
            *text = text
                .as_str()
                .replace("\"_meta\":{", "\"_meta\":{\"progressToken\":7,")
                .into();
            ruling(id, vec![exchange])
        };
        assert!(with_token(json!(7)).is_met());
        assert!(with_token(json!("7")).is_met());
        assert!(with_token(json!(8)).is_broken());
    }
}
