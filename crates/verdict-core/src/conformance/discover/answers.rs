//! `server/discover` answers, names the revision it was asked in, and has the right shape.
//!
//! The first exchange of every run. A server that fails here fails once: nothing behind it is judged.

use crate::check::Check;
use crate::context::Context;
use crate::facts::{EraFinding, OURS, describe_busy};
use crate::refusal::name_of;
use crate::ruling::{Finding, Ruling};
use crate::wire::json::shortened;
use serde_json::Value;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("discover.answers", "server/discover is answered with a result")
        .headline(1)
        .spec("discover")
        .why("Every client of this revision asks server/discover to learn versions and capabilities; without an answer it treats the server as one of an earlier revision, or gives up.")
        .fix("Implement server/discover, or move to an SDK release that supports 2026-07-28, which does it for you. A server that is to keep the handshake is judged by its own rules with --revision 2025-11-25.")
        .official(&["sep-2575-server-implements-discover"])
        .any_era()
        .judge(answers),
    Check::must("discover.versions-include-ours", "supportedVersions holds the version that was just served")
        .headline(1)
        .spec("discover#discoverresult")
        .why("A client that cannot find its own version in the list stops, although the server would serve it.")
        .fix("List every protocol version that the server serves in supportedVersions, 2026-07-28 among them.")
        .official(&["sep-2575-server-implements-discover"])
        .judge(versions),
    Check::must("discover.shape", "The discover result has capabilities as an object and instructions as a string")
        .headline(1)
        .spec("schema#DiscoverResult")
        .why("Typed clients refuse the whole result when a required member is missing or of another type.")
        .fix("Send `capabilities` as an object (empty when nothing is offered) and `instructions`, where there are any, as a string.")
        .official(&["wire-schema-valid"])
        .judge(shape),
];

fn answers(cx: &Context) -> Ruling {
    let Some(record) = cx.record("era/discover") else {
        return Ruling::Error("the run was over before the server was asked".to_owned());
    };
    let broken = |message: String| Ruling::from(Finding::broken(message).seen_in(record));
    match &cx.facts.era {
        EraFinding::Modern | EraFinding::Dual => Ruling::met("server/discover is answered"),
        EraFinding::Legacy(version) => broken(format!(
            "the server speaks {}, not {OURS}: it does not answer server/discover ({}), yet it answers a plain `initialize`",
            version.as_deref().unwrap_or("an earlier revision"),
            came_to(record),
        )),
        EraFinding::HttpSse => broken(format!(
            "the server speaks the HTTP+SSE transport of 2024-11-05, not {OURS}: a GET is answered with an `endpoint` event"
        )),
        EraFinding::Refused(versions) => {
            let named = if versions.is_empty() {
                "no version".to_owned()
            } else {
                versions.join(", ")
            };
            broken(format!(
                "the server does not support {OURS}: it answers -32022 and names {named}"
            ))
        }
        EraFinding::WithoutDiscover => broken(format!(
            "the server speaks the modern protocol but does not answer server/discover ({})",
            came_to(record)
        )),
        EraFinding::Foreign(why) => broken(format!(
            "no MCP server of a known revision answers here: {why}"
        )),
        EraFinding::Locked(status) => Ruling::skip(format!(
            "HTTP {status}: the server wants credentials (give --header 'Authorization: Bearer ${{TOKEN}}', or auth.token)"
        )),
        EraFinding::Busy(status) => Ruling::skip(describe_busy(*status)),
        EraFinding::Unreachable(why) => Ruling::Error(format!("the server {why}")),
        EraFinding::Unasked => {
            Ruling::Error("the run was over before the server was asked".to_owned())
        }
    }
}

/// What the discover exchange came to, in a few words.
fn came_to(record: &crate::record::Record) -> String {
    use crate::record::Answer;
    let status = record
        .status()
        .map_or_else(String::new, |status| format!("HTTP {status}, "));
    match record.answer() {
        Answer::Error(Some(code)) => format!("{status}error {code}{}", name_of(code)),
        Answer::Error(None) => format!("{status}an error without a code"),
        Answer::Nothing(end) => format!("it {}", crate::facts::describe_end(end)),
        _ => format!("{status}no JSON-RPC answer"),
    }
}

fn versions(cx: &Context) -> Ruling {
    let Some(record) = cx.record("era/discover") else {
        return Ruling::skip("nothing was asked");
    };
    let Some(result) = record.result() else {
        return Ruling::skip("no discover result");
    };
    let finding = |message: String| {
        Ruling::from(
            Finding::broken(message)
                .seen_in(record)
                .at("/result/supportedVersions"),
        )
    };
    match result.get("supportedVersions") {
        None => finding(format!(
            "supportedVersions is missing; expected a list with {OURS}"
        )),
        Some(Value::Array(versions)) => {
            if let Some(odd) = versions.iter().find(|version| !version.is_string()) {
                return finding(format!(
                    "supportedVersions holds {}; expected strings only",
                    shortened(odd, 60)
                ));
            }
            if versions.is_empty() {
                return finding(format!("supportedVersions is empty; expected {OURS} in it"));
            }
            if !versions.iter().any(|version| version == OURS) {
                return finding(format!(
                    "supportedVersions is {}; it lacks {OURS}, in which the server has just answered",
                    shortened(&Value::Array(versions.clone()), 200)
                ));
            }
            Ruling::met(format!("{OURS} is listed"))
        }
        Some(other) => finding(format!(
            "supportedVersions is {}; expected a list of strings",
            shortened(other, 80)
        )),
    }
}

fn shape(cx: &Context) -> Ruling {
    let Some(record) = cx.record("era/discover") else {
        return Ruling::skip("nothing was asked");
    };
    let Some(result) = record.result() else {
        return Ruling::skip("no discover result");
    };
    if !result.is_object() {
        return Ruling::skip("the result is not an object (result.object)");
    }
    let mut findings = Vec::new();
    let mut broken = |pointer: &str, message: String| {
        findings.push(Finding::broken(message).seen_in(record).at(pointer));
    };
    match result.get("capabilities") {
        Some(Value::Object(_)) => {}
        None => broken(
            "/result",
            "capabilities is missing; expected an object".to_owned(),
        ),
        Some(Value::Array(items)) if items.is_empty() => broken(
            "/result/capabilities",
            "capabilities is [], an empty object encoded as a list; expected {}".to_owned(),
        ),
        Some(other) => broken(
            "/result/capabilities",
            format!(
                "capabilities is {}; expected an object",
                shortened(other, 80)
            ),
        ),
    }
    if let Some(other) = result
        .get("instructions")
        .filter(|value| !value.is_string())
    {
        broken(
            "/result/instructions",
            format!(
                "instructions is {}; expected a string",
                shortened(other, 80)
            ),
        );
    }
    Ruling::of(
        findings,
        "capabilities and instructions are as they should be",
    )
}
