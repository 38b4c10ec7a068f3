//! What `_meta` may hold or lack without a request being refused for it.

use crate::ask::{Ask, META_CLIENT_INFO, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::record::Answer;
use crate::refusal::{answered, draft_note, served};
use crate::ruling::{Finding, Ruling};
use serde_json::json;

/// Sends discover without `clientInfo`, and with keys that the server need not know.
pub const OPTIONAL: Probe = Probe {
    name: "meta.optional",
    stage: Stage::Main,
    next: optional,
};

fn optional(_: &Context, round: usize) -> Vec<Ask> {
    if round > 0 {
        return vec![];
    }
    let discover = |step: &str| Ask::request(step, "server/discover", json!({}));
    vec![
        discover("no-client-info").without_meta(META_CLIENT_INFO),
        discover("extra-keys")
            .meta("com.example/x", json!({"note": 1}))
            .meta(
                "traceparent",
                json!("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"),
            )
            .meta("tracestate", json!("vendor=t61rcWkgMzE"))
            .meta("baggage", json!("userId=alice,isProduction=false")),
    ]
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("meta.client-info-optional", "A request without clientInfo is served")
        .spec("basic#meta")
        .why("Clients may leave out their name, for privacy for example; a server that insists shuts them out.")
        .fix("Do not require _meta[\"io.modelcontextprotocol/clientInfo\"].")
        .official(&["sep-2575-request-meta-client-info-optional"])
        .probes(&[&OPTIONAL])
        .judge(|cx| must_be_served(cx, "meta.optional/no-client-info", "without clientInfo")),
    Check::advisory("meta.extra-keys-tolerated", "_meta keys that the server does not know do no harm")
        .spec("basic#meta")
        .why("Clients and proxies add trace context and keys of their own; a server that refuses them fails in such company.")
        .fix("Ignore _meta keys that you do not know.")
        .probes(&[&OPTIONAL])
        .judge(|cx| must_be_served(cx, "meta.optional/extra-keys", "with trace context and a key of a vendor in _meta")),
];

fn must_be_served(cx: &Context, probe: &str, what: &str) -> Ruling {
    if let Err(ruling) = served(cx, "era/discover") {
        return ruling;
    }
    let record = match answered(cx, probe) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let how = match record.answer() {
        Answer::Result(_) => return Ruling::met("served"),
        Answer::Error(Some(code)) => format!("refused with {code}{}", draft_note(code)),
        _ => match record.status() {
            Some(status) => format!("answered HTTP {status} without a JSON-RPC message"),
            None => "answered with something that is no JSON-RPC message".to_owned(),
        },
    };
    let message = format!("a request {what} must be served; it was {how}");
    Finding::broken(message).seen_in(record).into()
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, rules};
    use serde_json::Value;
    use verdict_fixture::Server;

    #[test]
    fn what_may_be_there_or_not() {
        for (id, step) in [
            ("meta.client-info-optional", "meta.optional/no-client-info"),
            ("meta.extra-keys-tolerated", "meta.optional/extra-keys"),
        ] {
            let cases = [
                (step, 400, error(-32602), "broken"),
                (step, 400, Value::Null, "broken"),
                (step, 403, Value::Null, "skip"),
            ];
            rules(&Server::correct(), id, &cases);
        }
    }
}
