//! Methods that this revision removed are unknown to a server of this revision.
//!
//! They are asked in modern form, so modern rules hold on dual-era servers too; for `initialize` that is
//! left open there.

use crate::ask::{Ask, Lane, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::refusal::{answered, draft_note, served};
use crate::ruling::{Finding, Ruling};
use serde_json::{Value, json};

/// Asks in modern form for what earlier revisions had.
///
/// On stdio they go to the process for odd requests, so that the main one stays as it is.
pub const REMOVED: Probe = Probe {
    name: "legacy.removed",
    stage: Stage::Main,
    next: removed,
};

/// The methods, without `initialize`.
const METHODS: [&str; 4] = [
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
];

fn removed(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 {
        return vec![];
    }
    let lane = odd_lane(cx);
    let ask = |method: &str, params: Value| {
        Ask::request(method, method, params)
            .faulty()
            .over(lane.clone())
    };
    let mut asks: Vec<Ask> = METHODS
        .iter()
        .map(|method| match *method {
            "ping" => ask(method, json!({})),
            "logging/setLevel" => ask(method, json!({"level": "info"})),
            _ => ask(method, json!({"uri": cx.absent_uri()})),
        })
        .collect();
    if !cx.facts.is_dual() {
        let params = json!({
            "protocolVersion": crate::facts::OURS,
            "capabilities": {},
            "clientInfo": {"name": "mcp-verdict", "version": env!("CARGO_PKG_VERSION")},
        });
        asks.push(ask("initialize", params));
    }
    asks
}

/// Where odd requests go: on stdio to a process that nothing else depends on.
pub fn odd_lane(cx: &Context) -> Lane {
    if cx.is_http() {
        Lane::Shared
    } else {
        Lane::Own("odd")
    }
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("legacy.removed-methods", "Methods that were removed are refused as unknown")
        .headline(6)
        .spec("changelog#major-changes")
        .why("A client that still uses them believes that it has subscribed or set a level, and nothing follows.")
        .fix("Answer ping, logging/setLevel, resources/subscribe and resources/unsubscribe with -32601 (method not found) and HTTP 404.")
        .official(&[
            "sep-2575-http-server-method-not-found-404-ping",
            "sep-2575-http-server-method-not-found-404-logging-setlevel",
            "sep-2575-http-server-method-not-found-404-resources-subscribe",
            "sep-2575-http-server-method-not-found-404-resources-unsubscribe",
        ])
        .probes(&[&REMOVED])
        .judge(methods),
    Check::must("legacy.initialize-modern-form", "A request for initialize in modern form is refused as unknown")
        .headline(6)
        .spec("versioning#backward-compatibility-with-initialization-based-versions")
        .why("A handshake that is answered here promises a session that this revision does not have.")
        .fix("Answer initialize with -32601 (method not found) when the request carries the _meta of this revision.")
        .official(&["sep-2575-http-server-method-not-found-404-initialize"])
        .probes(&[&REMOVED])
        .judge(initialize),
];

fn methods(cx: &Context) -> Ruling {
    if let Err(ruling) = served(cx, "era/discover") {
        return ruling;
    }
    let mut findings = Vec::new();
    let mut unanswered = None;
    let mut refused = 0;
    for method in METHODS {
        match answered(cx, &format!("legacy.removed/{method}")) {
            Ok(record) => {
                let found = served_or_odd(record, method);
                refused += usize::from(found.is_none());
                findings.extend(found);
            }
            Err(ruling) => unanswered = Some(ruling),
        }
    }
    match unanswered {
        Some(ruling) if findings.is_empty() && refused < METHODS.len() => ruling,
        _ => Ruling::of(
            findings,
            "ping, logging/setLevel, resources/subscribe and resources/unsubscribe are refused with -32601",
        ),
    }
}

fn initialize(cx: &Context) -> Ruling {
    if cx.facts.is_dual() {
        return Ruling::not_applicable(
            "the server also speaks an earlier revision, and what initialize selects there is left open",
        );
    }
    if let Err(ruling) = served(cx, "era/discover") {
        return ruling;
    }
    match answered(cx, "legacy.removed/initialize") {
        Ok(record) => match served_or_odd(record, "initialize") {
            Some(finding) => finding.into(),
            None => Ruling::met("refused with -32601"),
        },
        Err(ruling) => ruling,
    }
}

/// What is wrong with the answer to a removed method.
fn served_or_odd(record: &Record, method: &str) -> Option<Finding> {
    let finding = match record.answer() {
        Answer::Error(Some(-32601)) => return None,
        Answer::Result(_) => Finding::broken(format!(
            "{method} in modern form must be refused with -32601 (method not found); it was served"
        )),
        Answer::Error(Some(code)) => Finding::unproven(format!(
            "{method} in modern form is refused with {code}{}; expected -32601 (method not found)",
            draft_note(code)
        )),
        Answer::Error(None) => Finding::unproven(format!(
            "{method} in modern form is refused with an error without an integer code; expected -32601"
        )),
        _ => Finding::unproven(format!(
            "{method} in modern form is answered{} without a JSON-RPC error; expected -32601 (method not found)",
            record
                .status()
                .map_or_else(String::new, |status| format!(" with HTTP {status}"))
        )),
    };
    Some(finding.seen_in(record))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{config, ruling};
    use verdict_fixture::{Server, Variant};

    fn found(id: &str, defect: &str, stdio: bool) -> Ruling {
        ruling(
            id,
            &Server::with(defect).expect("a defect"),
            config(),
            stdio,
        )
    }

    #[test]
    fn removed_methods_are_unknown() {
        for stdio in [false, true] {
            for variant in [Variant::Full, Variant::DualEra] {
                let server = Server::of(variant);
                assert!(ruling("legacy.removed-methods", &server, config(), stdio).is_met());
            }
            assert!(found("legacy.removed-methods", "ping-served", stdio).is_broken());
            let odd = found(
                "legacy.removed-methods",
                "subscribe-refused-as-params",
                stdio,
            );
            assert!(matches!(odd, Ruling::Found(_)) && !odd.is_broken());
        }
    }

    #[test]
    fn initialize_is_unknown_in_modern_form() {
        let id = "legacy.initialize-modern-form";
        for stdio in [false, true] {
            assert!(ruling(id, &Server::correct(), config(), stdio).is_met());
            assert!(found(id, "initialize-in-modern-form", stdio).is_broken());
            let dual = ruling(id, &Server::of(Variant::DualEra), config(), stdio);
            assert!(matches!(dual, Ruling::NotApplicable(_)));
        }
    }
}
