//! A server of this revision alone refuses a plain `initialize` in words that help an older client.
//!
//! Such a client has no other way to learn why it is turned away.

use crate::check::Check;
use crate::conformance::legacy::dual::DUAL;
use crate::context::Context;
use crate::facts::OURS;
use crate::record::{Answer, Record};
use crate::refusal::answered;
use crate::ruling::{Finding, Ruling};
use crate::wire::json::cut;
use verdict_model::transcript::End;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should("legacy.initialize-names-versions", "The refusal of initialize names the supported versions")
        .spec("versioning#backward-compatibility-with-initialization-based-versions")
        .why("Clients of earlier revisions cannot fall forward: this message is all that their users get to see.")
        .fix("Answer a plain initialize with an error that names your protocol versions, for example -32022 with data.supported.")
        .probes(&[&DUAL])
        .judge(names_versions),
    Check::should("legacy.initialize-status", "The refusal of initialize comes with HTTP 400")
        .http()
        .spec("versioning#compatibility-matrix")
        .why("Older clients take a 2xx for an answer and a 5xx for an outage, and try again instead of giving up.")
        .fix("Refuse a request without the modern header fields with HTTP 400.")
        .probes(&[&DUAL])
        .judge(status),
];

/// The answer of a server that is no dual-era one; a ruling where there is none to judge.
fn refusal<'c>(cx: &Context<'c>) -> Result<&'c Record, Ruling> {
    if cx.facts.is_dual() {
        return Err(Ruling::not_applicable(
            "the server answers initialize: it is dual-era",
        ));
    }
    let judged = |record: &Record| match record.answer() {
        Answer::Fault(_) => true,
        // A process that stays silent, or leaves, has refused in its way.
        Answer::Nothing(End::TimedOut | End::Lost(_)) => !cx.is_http(),
        _ => false,
    };
    match cx.record("dual/initialize") {
        Some(record) if judged(record) => Ok(record),
        _ => answered(cx, "dual/initialize"),
    }
}

fn names_versions(cx: &Context) -> Ruling {
    let record = match refusal(cx) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let mut versions: Vec<&str> = cx.facts.supported_versions().collect();
    versions.push(OURS);
    let said: String = record
        .replies()
        .map(|(message, _)| message.text.as_str())
        .collect();
    if versions.iter().any(|version| said.contains(version)) {
        return Ruling::met("the refusal of initialize names a supported version");
    }
    let how = match record.answer() {
        Answer::Error(Some(code)) => format!("refused with {code} ({})", words_of(record)),
        Answer::Error(None) => format!("refused with an error without code ({})", words_of(record)),
        Answer::Fault(status) => {
            return Ruling::skip(format!(
                "a plain initialize comes to HTTP {status} (legacy.initialize-status)"
            ));
        }
        Answer::Nothing(End::Lost(_)) => "the end of the process".to_owned(),
        Answer::Nothing(_) => "not answered at all".to_owned(),
        _ => match record.status() {
            Some(status) => format!("answered with HTTP {status} and no JSON-RPC error"),
            None => "answered with no JSON-RPC error".to_owned(),
        },
    };
    Finding::broken(format!(
        "a plain initialize of an earlier revision is {how}; expected an error that names the supported versions, such as {OURS}"
    ))
    .seen_in(record)
    .into()
}

/// The message of the error, for people.
fn words_of(record: &Record) -> String {
    let message = record
        .response()
        .and_then(|response| response.error()?.get("message")?.as_str());
    match message {
        Some(message) => format!("\"{}\"", cut(message, 120)),
        None => "no message".to_owned(),
    }
}

fn status(cx: &Context) -> Ruling {
    let record = match refusal(cx) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let Some(status) = record.status() else {
        return Ruling::skip("no HTTP status");
    };
    let message = format!("a plain initialize is refused with HTTP {status}; expected 400");
    let finding = match status {
        400 => return Ruling::met("HTTP 400"),
        401..=499 => Finding::noted(message),
        _ => Finding::broken(message),
    };
    finding.seen_in(record).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruling::Weight;
    use crate::testing::{config, ruling};
    use verdict_fixture::{Server, Variant};

    fn weight(id: &str, defect: &str, stdio: bool) -> Option<Weight> {
        let server = Server::with(defect).expect("a defect");
        match ruling(id, &server, config(), stdio) {
            Ruling::Found(findings) => findings.first().map(|finding| finding.weight),
            _ => None,
        }
    }

    #[test]
    fn a_helpful_refusal_passes() {
        for stdio in [false, true] {
            let id = "legacy.initialize-names-versions";
            assert!(ruling(id, &Server::correct(), config(), stdio).is_met());
            let dual = ruling(id, &Server::of(Variant::DualEra), config(), stdio);
            assert!(matches!(dual, Ruling::NotApplicable(_)));
            assert_eq!(
                weight(id, "initialize-unhelpful", stdio),
                Some(Weight::Broken)
            );
        }
    }

    #[test]
    fn the_status_is_weighed() {
        let id = "legacy.initialize-status";
        assert!(ruling(id, &Server::correct(), config(), false).is_met());
        assert_eq!(
            weight(id, "initialize-status-200", false),
            Some(Weight::Broken)
        );
        assert_eq!(
            weight(id, "initialize-status-404", false),
            Some(Weight::Noted)
        );
    }
}
