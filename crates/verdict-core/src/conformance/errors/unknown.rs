//! A method that does not exist is refused as unknown.

use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::conformance::legacy::removed::odd_lane;
use crate::context::Context;
use crate::record::Answer;
use crate::refusal::Refusal;
use crate::ruling::{Finding, Ruling, Weight};
use serde_json::json;

/// Asks for a method that no server has.
pub const UNKNOWN: Probe = Probe {
    name: "errors.unknown",
    stage: Stage::Main,
    next: unknown,
};

fn unknown(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 {
        return vec![];
    }
    let ask = Ask::request("method", &cx.absent("method"), json!({})).faulty();
    vec![ask.over(odd_lane(cx))]
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::must("errors.method-not-found", "An unknown method is refused with -32601")
    .headline(6)
    .spec("schema#MethodNotFoundError")
    .why("Clients tell by this code that a server lacks a method and do without it; any other code looks like a failure.")
    .fix("Answer methods that you do not know with -32601 (method not found), and over HTTP with status 404.")
    .official(&["sep-2575-http-server-method-not-found-404"])
    .probes(&[&UNKNOWN])
    .judge(method_not_found)];

fn method_not_found(cx: &Context) -> Ruling {
    let ruling = Refusal {
        fault: "for a method that does not exist",
        probe: "errors.unknown/method",
        twin: "era/discover",
        code: -32601,
        near: &[],
        also: &[],
        status: None,
    }
    .judge(cx);
    let page = cx
        .record("errors.unknown/method")
        .is_some_and(|record| matches!(record.answer(), Answer::Foreign));
    match ruling {
        // A page without a JSON-RPC body may be the gateway's own (G9).
        Ruling::Found(findings) if page && cx.settings.config.behind_gateway => {
            let weaker = findings.into_iter().map(|finding| Finding {
                weight: Weight::Unproven,
                ..finding
            });
            Ruling::Found(weaker.collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{config, ruling};
    use verdict_fixture::{Server, Variant};

    #[test]
    fn unknown_methods_are_refused() {
        let id = "errors.method-not-found";
        for stdio in [false, true] {
            for variant in [Variant::Full, Variant::DualEra, Variant::ResourcesOnly] {
                assert!(ruling(id, &Server::of(variant), config(), stdio).is_met());
            }
            let server = Server::with("unknown-method-code").expect("a defect");
            assert!(ruling(id, &server, config(), stdio).is_broken());
        }
    }
}
