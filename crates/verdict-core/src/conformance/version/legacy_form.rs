//! 2025-11-25 in the form of this revision is a version like any other that is not served.

use crate::ask::{Ask, Lane, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::refusal::{Refusal, answered, served};
use crate::ruling::{Finding, Ruling, Weight};
use serde_json::json;
use verdict_model::LEGACY_REVISION;

/// Sends discover under 2025-11-25, where the server does not list it.
pub const LEGACY_FORM: Probe = Probe {
    name: "version.legacy-form",
    stage: Stage::Main,
    next: legacy_form,
};

const PROBE: &str = "version.legacy-form/discover";

fn legacy_form(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || listed(cx) || cx.facts.is_dual() {
        return vec![];
    }
    // What names no modern version has a process of its own, apart from what must be served.
    vec![
        Ask::request("discover", "server/discover", json!({}))
            .version(LEGACY_REVISION)
            .faulty()
            .over(Lane::Own("bare")),
    ]
}

fn listed(cx: &Context) -> bool {
    cx.facts
        .supported_versions()
        .any(|version| version == LEGACY_REVISION)
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::must(
    "version.legacy-in-modern-form",
    "A request of this form under 2025-11-25 is refused with -32022 where that version is not listed",
)
.headline(6)
.spec("versioning#protocol-version-negotiation")
.why("That revision knew no such requests; a server that answers serves a version it does not claim to speak.")
.fix("Compare the version with the list of server/discover and answer -32022 for everything that is not in it, earlier revisions too.")
.probes(&[&LEGACY_FORM])
.judge(judge)];

fn judge(cx: &Context) -> Ruling {
    if cx.facts.is_dual() {
        return Ruling::not_applicable(
            "a dual-era server may treat the request as one of that revision",
        );
    }
    if listed(cx) {
        return Ruling::not_applicable(format!("the server lists {LEGACY_REVISION}"));
    }
    if let Err(ruling) = served(cx, "era/discover") {
        return ruling;
    }
    let record = match answered(cx, PROBE) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    match refusal().find(record) {
        None => Ruling::met("refused with -32022"),
        Some(finding) => weighed(record, finding).into(),
    }
}

/// Another error still refuses: only a result shows that the version was served.
fn weighed(record: &Record, finding: Finding) -> Finding {
    let weight = match record.answer() {
        Answer::Result(_) => Weight::Broken,
        _ => Weight::Unproven,
    };
    Finding { weight, ..finding }
}

fn refusal() -> Refusal<'static> {
    Refusal {
        fault: "of this form under 2025-11-25",
        probe: PROBE,
        twin: "era/discover",
        code: -32022,
        near: &[],
        also: &[],
        status: None,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, rules, served};
    use serde_json::Value;
    use verdict_fixture::Server;

    #[test]
    fn an_earlier_version_in_this_form() {
        let step = "version.legacy-form/discover";
        let cases = [
            (step, 200, served(), "broken"),
            (step, 400, error(-32602), "unproven"),
            (step, 400, Value::Null, "unproven"),
        ];
        rules(&Server::correct(), "version.legacy-in-modern-form", &cases);
        let dual = crate::testing::altered(
            "version.legacy-in-modern-form",
            &Server::dual_era(),
            false,
            &[],
        );
        assert_eq!(crate::testing::word(&dual), "n/a");
    }
}
