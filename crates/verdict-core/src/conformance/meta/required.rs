//! A request without one of the keys that `_meta` must hold is refused with -32602.
//!
//! What has no protocol version in its body is traffic of an earlier revision to a dual-era server, which
//! may answer it by those rules (F9).

use crate::ask::{Ask, Lane, META_CAPABILITIES, META_VERSION, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::refusal::{Refusal, answered, served};
use crate::ruling::{Finding, Ruling};
use serde_json::json;

/// Sends discover without `params`, without `_meta`, and without the protocol version in it.
pub const BARE: Probe = Probe {
    name: "meta.bare",
    stage: Stage::Main,
    next: bare,
};

fn bare(_: &Context, round: usize) -> Vec<Ask> {
    if round > 0 {
        return vec![];
    }
    let discover = |step: &str| {
        // A dual-era process may take them for the handshake's era, so they share one of their own.
        Ask::request(step, "server/discover", json!({}))
            .faulty()
            .over(Lane::Own("bare"))
    };
    vec![
        discover("no-meta").params(Some(json!({}))),
        discover("no-params").params(None),
        discover("no-version").without_meta(META_VERSION),
    ]
}

/// Sends discover and the first declared list without capabilities, and two keys of another type.
pub const CAPABILITIES: Probe = Probe {
    name: "meta.capabilities",
    stage: Stage::Main,
    next: capabilities,
};

fn capabilities(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 {
        return vec![];
    }
    let ask = |step: &str, method: &str| {
        // No accepted request goes before them there, which they are compared with (`meta.not-remembered`).
        Ask::request(step, method, json!({}))
            .faulty()
            .over(Lane::Own("version"))
    };
    let mut asks = vec![
        ask("missing", "server/discover").without_meta(META_CAPABILITIES),
        ask("text", "server/discover").meta(META_CAPABILITIES, json!("x")),
    ];
    if let Some(list) = cx.facts.first_list() {
        asks.push(ask("missing-on-list", list.method()).without_meta(META_CAPABILITIES));
    }
    let number = ask("number", "server/discover").meta(META_VERSION, json!(20_260_728));
    asks.push(number.over(Lane::Own("bare")));
    asks
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("meta.missing-all", "A request with empty params is refused with -32602")
        .spec("basic#meta")
        .why("A request without _meta tells neither its version nor what its client can do; a server that answers has guessed both.")
        .fix("Refuse a request whose params hold no _meta with -32602 (invalid params), over HTTP with status 400.")
        .official(&["sep-2575-request-meta-invalid-missing-meta"])
        .probes(&[&BARE])
        .judge(|cx| versionless(cx, "with empty params", NO_META)),
    Check::must("meta.missing-params", "A request without params is refused with -32602")
        .spec("basic#meta")
        .why("Every request must say its version and its client's capabilities, also one that needs nothing else.")
        .fix("Treat missing params like empty ones: refuse with -32602 (invalid params), over HTTP with status 400.")
        .probes(&[&BARE])
        .judge(|cx| versionless(cx, "without params", NO_PARAMS)),
    Check::must("meta.missing-protocol-version", "A request without the protocol version in _meta is refused with -32602")
        .spec("basic#meta")
        .why("Without the version in the body a server guesses by which rules to answer, and may guess wrong for other revisions.")
        .fix("Require _meta[\"io.modelcontextprotocol/protocolVersion\"] in every request and refuse with -32602 when it is missing.")
        .official(&["sep-2575-request-meta-invalid-missing-protocol-version"])
        .probes(&[&BARE])
        .judge(|cx| versionless(cx, "without the protocol version in _meta", NO_VERSION)),
    Check::must("meta.missing-client-capabilities", "A request without the client's capabilities in _meta is refused with -32602")
        .spec("basic#meta")
        .why("A server that takes missing capabilities for none, or for those of an earlier request, asks clients for what they cannot do.")
        .fix("Require _meta[\"io.modelcontextprotocol/clientCapabilities\"] in every request and refuse with -32602 when it is missing.")
        .official(&["sep-2575-request-meta-invalid-missing-client-capabilities"])
        .probes(&[&CAPABILITIES])
        .judge(|cx| without_capabilities(cx, "era/discover", MISSING)),
    Check::must("meta.missing-http-400", "A refusal for missing _meta keys comes with HTTP 400")
        .http()
        .spec("basic#meta")
        .why("Gateways and clients that look at the status first would take the refusal for a success.")
        .fix("Send -32602 for missing _meta keys with HTTP status 400.")
        .official(&["sep-2575-http-server-meta-invalid-400"])
        .probes(&[&BARE, &CAPABILITIES])
        .judge(http_400),
    Check::must("meta.missing-on-list", "Capabilities are required on lists too, not on discover alone")
        .spec("basic#meta")
        .why("Requests stand alone: a client may begin with any method.")
        .fix("Check _meta where requests come in, before they are routed to a method.")
        .probes(&[&CAPABILITIES])
        .judge(on_list),
    Check::must("meta.not-remembered", "The capabilities of one request are not used for the next")
        .spec("basic#statelessness")
        .why("Connections are shared by clients, proxies and tasks; remembered capabilities are those of somebody else.")
        .fix("Read the capabilities from each request alone and keep none for the connection or the process.")
        .probes(&[&crate::conformance::version::stateless::STATELESS, &CAPABILITIES])
        .judge(not_remembered),
    Check::should("meta.wrong-types", "_meta keys of the wrong type are refused with -32602")
        .spec("schema#RequestMetaObject")
        .why("A value of the wrong type says nothing; a server that goes on works with a guess.")
        .fix("Check that the protocol version is a string and the client's capabilities are an object; refuse with -32602 otherwise.")
        .probes(&[&CAPABILITIES])
        .judge(wrong_types),
];

const NO_META: &str = "meta.bare/no-meta";
const NO_PARAMS: &str = "meta.bare/no-params";
const NO_VERSION: &str = "meta.bare/no-version";
const MISSING: &str = "meta.capabilities/missing";

fn refusal<'a>(fault: &'a str, probe: &'a str, twin: &'a str) -> Refusal<'a> {
    Refusal {
        fault,
        probe,
        twin,
        code: -32602,
        near: &[],
        also: &[],
        status: None,
    }
}

/// Judges a request that names no version in its body.
fn versionless(cx: &Context, fault: &str, probe: &str) -> Ruling {
    if !cx.facts.is_dual() {
        return Refusal {
            // The header names a version that the body lacks (F3).
            near: &[-32020],
            ..refusal(fault, probe, "era/discover")
        }
        .judge(cx);
    }
    match answered(cx, probe) {
        Ok(record) => match record.answer() {
            Answer::Result(_) => {
                let message = format!(
                    "a request {fault} is one of an earlier revision to a dual-era server; server/discover, which no earlier revision has, was served"
                );
                Finding::unproven(message).seen_in(record).into()
            }
            _ => Ruling::met("refused, as a dual-era server may do in its own way"),
        },
        Err(ruling) => ruling,
    }
}

fn without_capabilities(cx: &Context, twin: &str, probe: &str) -> Ruling {
    refusal("without the client's capabilities in _meta", probe, twin).judge(cx)
}

fn on_list(cx: &Context) -> Ruling {
    match cx.facts.first_list() {
        Some(list) => {
            let twin = format!("survey.{}/1", list.member());
            without_capabilities(cx, &twin, "meta.capabilities/missing-on-list")
        }
        None if cx.facts.capabilities().is_none() => {
            Ruling::skip("the capabilities could not be read")
        }
        None => Ruling::not_applicable("the server declares no list"),
    }
}

fn http_400(cx: &Context) -> Ruling {
    let probes: &[&str] = if cx.facts.is_dual() {
        &[MISSING]
    } else {
        &[NO_META, NO_PARAMS, NO_VERSION, MISSING]
    };
    let refused: Vec<&Record> = probes
        .iter()
        .filter_map(|probe| cx.record(probe))
        .filter(|record| record.answer() == Answer::Error(Some(-32602)))
        .collect();
    if refused.is_empty() {
        return Ruling::skip("no request with a missing _meta key was refused with -32602");
    }
    let wrong: Vec<&Record> = refused
        .iter()
        .copied()
        .filter(|record| record.status() != Some(400))
        .collect();
    let Some(first) = wrong.first() else {
        return Ruling::met("HTTP 400 each time");
    };
    let message = format!(
        "{} of {} refusals with -32602 for missing _meta keys come with another status than HTTP 400 (this one {})",
        wrong.len(),
        refused.len(),
        first.status().unwrap_or_default()
    );
    let finding = if cx.settings.config.behind_gateway {
        Finding::unproven(format!("{message} (a gateway may have changed it)"))
    } else {
        Finding::broken(message)
    };
    finding.seen_in(first).into()
}

fn not_remembered(cx: &Context) -> Ruling {
    judge_not_remembered(cx).unwrap_or_else(|ruling| ruling)
}

fn judge_not_remembered(cx: &Context) -> Result<Ruling, Ruling> {
    served(cx, "stateless/first")?;
    let record = answered(cx, "stateless/without-capabilities")?;
    if !matches!(record.answer(), Answer::Result(_)) {
        return Ok(Ruling::met(
            "refused also after a request that named capabilities",
        ));
    }
    let alone = answered(cx, MISSING)?;
    if matches!(alone.answer(), Answer::Result(_)) {
        return Err(Ruling::skip(
            "missing capabilities are served on their own, too (meta.missing-client-capabilities)",
        ));
    }
    let message = "a request without capabilities is refused on its own, but served after one that named them on the same connection";
    Ok(Finding::broken(message).seen_in(record).into())
}

fn wrong_types(cx: &Context) -> Ruling {
    if let Err(ruling) = served(cx, "era/discover") {
        return ruling;
    }
    let steps = [
        (
            "meta.capabilities/text",
            "whose clientCapabilities are the string \"x\"",
            &[] as &[i64],
        ),
        // A number may also be read as a version that differs from the header's.
        (
            "meta.capabilities/number",
            "whose protocolVersion is the number 20260728",
            &[-32020],
        ),
    ];
    let (mut findings, mut unjudged) = (Vec::new(), None);
    for (probe, fault, also) in steps {
        match answered(cx, probe) {
            // To a dual-era server this may be a request of an earlier revision.
            Ok(record) if unversioned(record) && cx.facts.is_dual() && !is_result(record) => {}
            Ok(record) => {
                let refusal = Refusal {
                    also,
                    ..refusal(fault, probe, "era/discover")
                };
                findings.extend(refusal.find(record));
            }
            Err(ruling) => unjudged = unjudged.or(Some(ruling)),
        }
    }
    match unjudged {
        Some(ruling) if findings.is_empty() => ruling,
        _ => Ruling::of(findings, "refused with -32602"),
    }
}

fn is_result(record: &Record) -> bool {
    matches!(record.answer(), Answer::Result(_))
}

/// Whether the request named no version that is a string.
fn unversioned(record: &Record) -> bool {
    crate::traffic::version_of(record).is_none()
}

#[cfg(test)]
mod tests {
    use crate::testing::{altered, error, rules, served, word};
    use serde_json::Value;
    use verdict_fixture::Server;

    #[test]
    fn keys_that_are_missing() {
        for (id, step) in [
            ("meta.missing-all", "meta.bare/no-meta"),
            ("meta.missing-params", "meta.bare/no-params"),
            ("meta.missing-protocol-version", "meta.bare/no-version"),
        ] {
            let cases = [
                (step, 400, error(-32020), "unproven"),
                (step, 200, served(), "broken"),
                (step, 400, error(-32022), "broken"),
            ];
            rules(&Server::correct(), id, &cases);
            let dual = [
                (step, 400, error(-32600), "met"),
                (step, 400, Value::Null, "met"),
                (step, 200, served(), "unproven"),
            ];
            rules(&Server::dual_era(), id, &dual);
        }
        for (id, step) in [
            (
                "meta.missing-client-capabilities",
                "meta.capabilities/missing",
            ),
            ("meta.missing-on-list", "meta.capabilities/missing-on-list"),
        ] {
            let cases = [
                (step, 200, served(), "broken"),
                (step, 400, error(-32021), "broken"),
            ];
            rules(&Server::correct(), id, &cases);
            rules(&Server::dual_era(), id, &cases);
        }
    }

    #[test]
    fn the_status_of_a_refusal() {
        let cases = [
            ("meta.bare/no-meta", 200, error(-32602), "broken"),
            ("meta.capabilities/missing", 422, error(-32602), "broken"),
            // The code belongs to the probe's own row.
            ("meta.capabilities/missing", 200, error(-32603), "met"),
        ];
        rules(&Server::correct(), "meta.missing-http-400", &cases);
        let dual = [("meta.bare/no-meta", 200, error(-32602), "met")];
        rules(&Server::dual_era(), "meta.missing-http-400", &dual);
    }

    #[test]
    fn capabilities_are_not_remembered() {
        let step = "stateless/without-capabilities";
        let cases = [
            (step, 200, served(), "broken"),
            (step, 400, error(-32600), "met"),
        ];
        rules(&Server::correct(), "meta.not-remembered", &cases);
        let everywhere = [
            (step, 200, served()),
            ("meta.capabilities/missing", 200, served()),
        ];
        let ruling = altered("meta.not-remembered", &Server::correct(), true, &everywhere);
        assert_eq!(word(&ruling), "skip");
    }

    #[test]
    fn keys_of_the_wrong_type() {
        let (text, number) = ("meta.capabilities/text", "meta.capabilities/number");
        let cases = [
            (text, 200, served(), "broken"),
            (text, 400, error(-32020), "broken"),
            (number, 400, error(-32020), "met"),
            (number, 400, error(-32022), "broken"),
        ];
        rules(&Server::correct(), "meta.wrong-types", &cases);
        let dual = [(number, 400, error(-32600), "met")];
        rules(&Server::dual_era(), "meta.wrong-types", &dual);
    }
}
