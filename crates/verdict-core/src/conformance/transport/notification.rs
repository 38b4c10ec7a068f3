//! Notifications over HTTP: accepted with 202 and no body, or refused with an error status, never answered.
//!
//! Servers fail here that treat a notification as a request without an id.

use super::traffic::{came_to, provoked};
use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::ruling::{Finding, Ruling};
use crate::wire::rpc::Kind;
use serde_json::json;

/// Posts a notification that asks for nothing: the request that it cancels was never sent.
pub const NOTIFY: Probe = Probe {
    name: "transport.notification",
    stage: Stage::Main,
    next: notify,
};

fn notify(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || !cx.is_http() {
        return vec![];
    }
    let params = json!({"requestId": cx.absent("request")});
    // Header rules for notifications are not defined, so passive rules leave the answer alone.
    vec![Ask::notification("cancelled", "notifications/cancelled", params).faulty()]
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("transport.notification-202", "An accepted notification is answered with 202 and no body")
        .http()
        .spec("http#sending-messages")
        .why("Clients wait for nothing after a notification; any other answer looks like a response that belongs to no request.")
        .fix("Answer an accepted notification with HTTP 202 and an empty body, and one that you refuse with a status such as 400.")
        .probes(&[&NOTIFY])
        .judge(status),
    Check::must("transport.notification-no-response", "A notification gets no JSON-RPC result")
        .http()
        .spec("basic#notifications")
        .why("A notification has no id, so no client can tell what such a result answers.")
        .fix("Send no JSON-RPC response where the message has no id.")
        .probes(&[&NOTIFY])
        .judge(no_response),
];

fn status(cx: &Context) -> Ruling {
    let record = match provoked(cx, "transport.notification/cancelled") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let body = record.replies().next().map(|(message, _)| message);
    let broken = |message: String| Ruling::from(Finding::broken(message).seen_in(record));
    match (record.status().unwrap_or_default(), body) {
        (202, None) => Ruling::met("accepted with 202 and no body"),
        (202, Some(message)) if message.text.as_str().trim().is_empty() => {
            let message = "a notification is accepted with 202 and a blank body; expected none";
            Finding::unproven(message).seen_in(record).into()
        }
        (202, Some(_)) => {
            broken("a notification is accepted with 202 and a body; expected none".to_owned())
        }
        (status @ 400..=499, _) => Ruling::met(format!("refused with {status}")),
        (0 | 500..=599, _) => {
            let message = format!(
                "a notification is answered with {}, twice; expected HTTP 202, or 4xx where it is refused",
                came_to(record)
            );
            Finding::unproven(message).seen_in(record).into()
        }
        (status, _) => broken(format!(
            "a notification is answered with HTTP {status}; expected 202, or an error status where it is refused"
        )),
    }
}

fn no_response(cx: &Context) -> Ruling {
    let record = match provoked(cx, "transport.notification/cancelled") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let result = record
        .replies()
        .filter_map(|(_, parsed)| parsed.envelope())
        .any(|envelope| envelope.kind() == Kind::Response && envelope.result.is_some());
    if result {
        let message = "a notification is answered with a JSON-RPC result";
        return Finding::broken(message).seen_in(record).into();
    }
    Ruling::met("no result came back")
}

#[cfg(test)]
mod tests {
    use super::super::traffic::sample::{body, faulty, found, response, ruling};
    use super::*;
    use crate::ruling::Weight;
    use crate::testing;
    use verdict_fixture::Server;
    use verdict_model::transcript::{End, Exchange};

    fn answer(status: u16, text: &str) -> Vec<Exchange> {
        let json = "application/json";
        let name = "transport.notification/cancelled";
        let twin = body("era/discover", 200, json, &response("era/discover"));
        vec![twin, faulty(body(name, status, json, text))]
    }

    #[test]
    fn accepted_is_202_and_empty() {
        let id = "transport.notification-202";
        for status in [202, 400, 401, 403, 404, 405] {
            assert!(ruling(id, answer(status, "")).is_met(), "{status}");
        }
        let error = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}"#;
        assert!(ruling(id, answer(400, error)).is_met());
        for (status, text) in [(200, ""), (204, ""), (200, "{}"), (202, "{}"), (302, "")] {
            assert!(
                ruling(id, answer(status, text)).is_broken(),
                "{status} {text}"
            );
        }
        for (status, text) in [(202, "\n"), (500, "oops")] {
            let ruled = ruling(id, answer(status, text));
            assert_eq!(found(&ruled)[0].0, Weight::Unproven, "{status}");
        }
        assert!(matches!(ruling(id, answer(429, "")), Ruling::Skip(_)));
        let mut closed = answer(200, "");
        closed[1].end = End::Lost("closed".to_owned());
        if let Some(http) = &mut closed[1].http {
            http.status = None;
        }
        assert_eq!(found(&ruling(id, closed))[0].0, Weight::Unproven);
    }

    #[test]
    fn notifications_have_no_result() {
        let id = "transport.notification-no-response";
        let result = r#"{"jsonrpc":"2.0","id":null,"result":{}}"#;
        assert!(ruling(id, answer(202, "")).is_met());
        assert!(ruling(id, answer(200, result)).is_broken());
    }

    #[test]
    fn the_fixture_agrees() {
        let ruled =
            |id: &str, server: &Server| testing::ruling(id, server, testing::config(), false);
        let ids = [
            "transport.notification-202",
            "transport.notification-no-response",
        ];
        for id in ids {
            assert!(ruled(id, &Server::correct()).is_met(), "{id}");
            let defect = Server::with("notification-result").expect("a defect");
            assert!(ruled(id, &defect).is_broken(), "{id}");
        }
    }
}
