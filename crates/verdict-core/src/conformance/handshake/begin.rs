//! The handshake: it is answered, settles a version that exists, and says who and what the server is.

use super::messages::{messages, misshapen};
use super::session::{LISTS, NO_VERSION, OPEN, UNKNOWN, opening, version_of};
use crate::check::Check;
use crate::context::Context;
use crate::facts::{EraFinding, OPENING};
use crate::record::Answer;
use crate::refusal::answered;
use crate::ruling::{Finding, Ruling};
use crate::shape;
use crate::wire::json::shortened;
use crate::wire::rpc::Kind;
use serde_json::Value;
use verdict_model::LEGACY_REVISION;

/// Revisions that have this handshake.
const WITH_HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", LEGACY_REVISION];

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("handshake.answers", "initialize is answered with a result")
        .spec("lifecycle#initialization")
        .why("Every client of this revision begins with initialize; without an answer it gives up.")
        .fix("Answer initialize, or leave out --revision to judge the server by 2026-07-28.")
        .any_era()
        .probes(&[&OPEN, &LISTS])
        .judge(answers),
    Check::must("handshake.version", "initialize is answered in the version that was asked for")
        .spec("lifecycle#version-negotiation")
        .why("Clients stop when they do not know the version that the server answers in.")
        .fix("Answer with the requested protocolVersion where you support it, else with the latest that you do.")
        .judge(version),
    Check::must("handshake.version-unknown", "A version that the server cannot know is not agreed to")
        .spec("lifecycle#version-negotiation")
        .why("A server that repeats whatever it is asked for promises rules that it does not keep.")
        .fix("Answer an unknown protocolVersion with one that you support.")
        .probes(&[&UNKNOWN])
        .judge(unknown),
    Check::must("handshake.result", "The initialize result says what the server is and what it offers")
        .spec("schema#InitializeResult")
        .why("Typed clients refuse the whole result when a member is missing or of another type.")
        .fix("Send capabilities as an object and serverInfo with name and version as strings.")
        .judge(result),
    Check::should("handshake.quiet", "The server asks for nothing before the handshake is over")
        .spec("lifecycle#initialization")
        .why("Clients do not handle requests before they have sent notifications/initialized.")
        .fix("Hold back requests and notifications until notifications/initialized; pings and logs may come.")
        .judge(quiet),
];

fn answers(cx: &Context) -> Ruling {
    let Some(record) = cx.record(OPENING) else {
        return Ruling::Error("the run was over before the server was asked".to_owned());
    };
    let why = match &cx.facts.era {
        EraFinding::Legacy(_) => return Ruling::met("initialize is answered"),
        EraFinding::Refused(versions) => {
            format!(
                "initialize is refused with -32022, which names {}",
                versions.join(", ")
            )
        }
        EraFinding::Foreign(why) => format!("no server of {LEGACY_REVISION} answers here: {why}"),
        _ => match answered(cx, OPENING) {
            Err(ruling) => return ruling,
            Ok(_) => "initialize is not answered with a result".to_owned(),
        },
    };
    Finding::broken(why).seen_in(record).into()
}

fn version(cx: &Context) -> Ruling {
    let Some(record) = opening(cx) else {
        return Ruling::skip("no result of initialize");
    };
    let named = record
        .result()
        .and_then(|result| result.get("protocolVersion"));
    let finding = match named.and_then(Value::as_str) {
        Some(LEGACY_REVISION) => return Ruling::met(format!("{LEGACY_REVISION} is agreed on")),
        Some(version) if WITH_HANDSHAKE.contains(&version) => Finding::unproven(format!(
            "the server answers in {version}; the rules of {LEGACY_REVISION}, by which it is judged here, may be newer than it"
        )),
        _ => {
            let named = named.map_or("missing".to_owned(), |named| shortened(named, 60));
            Finding::broken(format!(
                "protocolVersion is {named}; expected {LEGACY_REVISION} or an earlier revision"
            ))
        }
    };
    finding.seen_in(record).at("/result/protocolVersion").into()
}

fn unknown(cx: &Context) -> Ruling {
    let record = match answered(cx, "handshake.unknown/initialize") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let finding = match record.answer() {
        Answer::Result(_) if version_of(record) == NO_VERSION => Finding::broken(format!(
            "initialize in {NO_VERSION}, which never was a version, is answered in it; expected another version"
        ))
        .at("/result/protocolVersion"),
        Answer::Result(_) => return Ruling::met("another version is answered"),
        // The text has an example of this, too.
        Answer::Error(_) => Finding::noted("an unknown version is refused; the usual answer names another one"),
        _ => Finding::unproven("an unknown version gets no JSON-RPC answer"),
    };
    finding.seen_in(record).into()
}

fn result(cx: &Context) -> Ruling {
    let Some((record, result)) = opening(cx).and_then(|record| Some((record, record.result()?)))
    else {
        return Ruling::skip("no result of initialize");
    };
    let violations = shape::handshake::result("initialize", result);
    // The version has a check of its own.
    let others = violations
        .iter()
        .filter(|violation| violation.pointer != "/result/protocolVersion");
    let findings = others.map(|violation| misshapen(violation).seen_in(record));
    Ruling::of(findings.collect(), "the result has its shape")
}

fn quiet(cx: &Context) -> Ruling {
    let sent = cx
        .record("handshake/initialized")
        .map_or(u64::MAX, |record| record.exchange.sent_ms);
    let early = messages(cx).into_iter().filter(|message| {
        let method = message.envelope.method().unwrap_or_default();
        let allowed = method == "ping" || method == "notifications/message";
        let answer = message.envelope.kind() == Kind::Response;
        // What came with the handshake's answer may be as old as the notification that followed it.
        let early = match message.record.map(|record| record.exchange.name.as_str()) {
            Some(OPENING) => message.at_ms <= sent,
            _ => message.at_ms < sent,
        };
        early && !allowed && !answer
    });
    let findings = early.map(|message| {
        message.found(Finding::broken(
            "the server sends this before notifications/initialized; only pings and logs may come so early",
        ))
    });
    Ruling::of(findings.collect(), "nothing came before it was due")
}
