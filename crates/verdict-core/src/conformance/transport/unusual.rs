//! Bodies that no client may send: an array of requests, and a response.
//!
//! The sentences bind clients; what a server does with such a body is not stated, so nothing here fails.

use super::traffic::{came_to, provoked};
use crate::ask::{Ask, Payload, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::record::Answer;
use crate::ruling::{Finding, Ruling};
use crate::wire::rpc::Parsed;
use serde_json::{Value, json};
use verdict_model::REVISION;

/// Posts an array of two requests, and a response to nothing.
pub const UNUSUAL: Probe = Probe {
    name: "transport.unusual",
    stage: Stage::Main,
    next: unusual,
};

fn unusual(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || !cx.is_http() {
        return vec![];
    }
    let post = |step: &str, body: Value| {
        Ask::post(step, Payload::Raw(body.to_string().into_bytes()))
            .header("MCP-Protocol-Version", REVISION)
            .faulty()
    };
    let response = json!({
        "jsonrpc": "2.0",
        "id": cx.absent("request"),
        "result": {"resultType": "complete"},
    });
    let mut asks = vec![post("response", response)];
    if !cx.facts.is_dual() {
        let batch = batch(&["transport.unusual/a", "transport.unusual/b"]);
        asks.push(post("batch", batch).header("Mcp-Method", "server/discover"));
    }
    asks
}

/// An array of conforming requests.
pub(crate) fn batch(ids: &[&str]) -> Value {
    let requests = ids.iter().map(|id| {
        json!({
            "jsonrpc": "2.0",
            "id": id,
            "method": "server/discover",
            "params": {"_meta": crate::ask::meta(REVISION)},
        })
    });
    requests.collect()
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::advisory("transport.batch-rejected", "An array of requests is refused")
        .http()
        .spec("http#sending-messages")
        .why("There are no batches in this revision; a server that serves them has rules that no client knows.")
        .fix("Answer a body that is not one JSON object with HTTP 400 and -32600 (invalid request).")
        .probes(&[&UNUSUAL])
        .judge(batch_rejected),
    Check::advisory("transport.response-posted", "A posted response is refused")
        .http()
        .spec("http#sending-messages")
        .why("Clients of this revision send no responses; accepting them hides a client that still follows older rules.")
        .fix("Answer a body that is neither a request nor a notification with HTTP 400.")
        .probes(&[&UNUSUAL])
        .judge(response_posted),
];

fn batch_rejected(cx: &Context) -> Ruling {
    if cx.facts.is_dual() {
        return Ruling::not_applicable(
            "the server also speaks earlier revisions, one of which has batches",
        );
    }
    let record = match provoked(cx, "transport.unusual/batch") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let status = record.status().unwrap_or_default();
    let served = record.replies().any(|(message, parsed)| match parsed {
        Parsed::Object(envelope) => envelope.result.is_some(),
        Parsed::Other(_) => has_result(&message.text.as_str()),
        Parsed::Broken(_) => false,
    });
    let finding = if served {
        Finding::broken(format!(
            "an array of requests is served (HTTP {status}); expected a refusal such as HTTP 400"
        ))
    } else if (400..500).contains(&status) {
        return Ruling::met(format!("refused with HTTP {status}"));
    } else if status >= 500 || status == 0 {
        Finding::broken(format!(
            "an array of requests is answered with {}; expected a refusal such as HTTP 400",
            came_to(record)
        ))
    } else {
        Finding::noted(format!(
            "an array of requests is not served, but answered with HTTP {status}; 400 would be plainer"
        ))
    };
    finding.seen_in(record).into()
}

/// Whether an array of responses holds a result.
fn has_result(text: &str) -> bool {
    let read = crate::wire::json::parse(text).map(|json| json.value);
    read.is_ok_and(|value| {
        let items = value.as_array().into_iter().flatten();
        items.into_iter().any(|item| item.get("result").is_some())
    })
}

fn response_posted(cx: &Context) -> Ruling {
    let record = match provoked(cx, "transport.unusual/response") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let finding = match (record.status().unwrap_or_default(), record.answer()) {
        (status @ 400..=499, _) => return Ruling::met(format!("refused with HTTP {status}")),
        (status, Answer::Result(_)) => Finding::broken(format!(
            "a posted response is answered with a result (HTTP {status}); expected a refusal such as HTTP 400"
        )),
        (0 | 500..=599, _) => Finding::broken(format!(
            "a posted response is answered with {}; expected a refusal such as HTTP 400",
            came_to(record)
        )),
        (202, _) => Finding::noted(
            "a posted response is accepted with HTTP 202, as earlier revisions had it",
        ),
        (status, _) => Finding::noted(format!(
            "a posted response is answered with HTTP {status}; 400 would be plainer"
        )),
    };
    finding.seen_in(record).into()
}

#[cfg(test)]
mod tests {
    use super::super::traffic::sample::{body, found, response, ruling, ruling_in};
    use super::*;
    use crate::facts::EraFinding;
    use crate::ruling::Weight;

    fn on(step: &str, status: u16, text: &str) -> Ruling {
        let id = match step {
            "batch" => "transport.batch-rejected",
            _ => "transport.response-posted",
        };
        let json = "application/json";
        let twin = body("era/discover", 200, json, &response("era/discover"));
        let name = format!("transport.unusual/{step}");
        ruling(id, vec![twin, body(&name, status, json, text)])
    }

    fn weight(ruling: &Ruling) -> Option<Weight> {
        found(ruling).first().map(|(weight, _)| *weight)
    }

    #[test]
    fn arrays_are_not_served() {
        let error = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#;
        let results = format!("[{},{}]", response("a"), response("b"));
        assert!(on("batch", 400, error).is_met());
        assert!(on("batch", 415, "").is_met());
        assert_eq!(weight(&on("batch", 200, error)), Some(Weight::Noted));
        assert_eq!(weight(&on("batch", 202, "")), Some(Weight::Noted));
        assert_eq!(
            weight(&on("batch", 200, &format!("[{error}]"))),
            Some(Weight::Noted)
        );
        assert_eq!(weight(&on("batch", 200, &results)), Some(Weight::Broken));
        assert_eq!(
            weight(&on("batch", 200, &response("a"))),
            Some(Weight::Broken)
        );
        assert_eq!(weight(&on("batch", 500, "oops")), Some(Weight::Broken));
        let dual = ruling_in("transport.batch-rejected", vec![], EraFinding::Dual, false);
        assert!(matches!(dual, Ruling::NotApplicable(_)));
    }

    #[test]
    fn posted_responses_are_refused() {
        assert!(on("response", 400, "").is_met());
        assert_eq!(weight(&on("response", 202, "")), Some(Weight::Noted));
        assert_eq!(
            weight(&on("response", 200, &response("a"))),
            Some(Weight::Broken)
        );
    }
}
