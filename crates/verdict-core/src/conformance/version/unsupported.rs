//! A protocol version that the server does not speak is refused with -32022, its data and HTTP 400.
//!
//! A server that compares dates, checks only one method, or answers with a draft's code fails here.

use crate::ask::{Ask, Lane, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::record::Answer;
use crate::refusal::{Refusal, answered};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::shortened;
use serde_json::{Value, json};

/// Sends discover, and the first declared list, under versions that nobody speaks.
///
/// They go to a connection, or a process, of their own, where no request is served before them: a server
/// that keeps to the first version it sees is `version.no-stickiness`'s.
pub const UNSUPPORTED: Probe = Probe {
    name: "version.unsupported",
    stage: Stage::Main,
    next: unsupported,
};

fn unsupported(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 {
        return vec![];
    }
    let lane = Lane::Own("version");
    let discover = |step: &str, version: &str| {
        Ask::request(step, "server/discover", json!({}))
            .version(version)
            .faulty()
            .over(lane.clone())
    };
    let mut asks = vec![
        discover("past", PAST),
        discover("future", "2999-12-31"),
        discover("garbage", "not-a-version"),
    ];
    if let Some(list) = cx.facts.first_list() {
        let ask = Ask::request("list", list.method(), json!({}))
            .version(PAST)
            .faulty();
        asks.push(ask.over(lane));
    }
    asks
}

/// Older than any revision.
const PAST: &str = "1900-01-01";

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("version.unsupported-code", "An unknown protocol version is refused with -32022")
        .headline(6)
        .spec("versioning#protocol-version-negotiation")
        .why("Clients tell by this code alone that they must pick another version; any other code looks like a broken server.")
        .fix("Compare the version of the request with those you serve before anything else, and answer -32022 (UnsupportedProtocolVersion) for the rest.")
        .official(&["sep-2575-server-unsupported-version-error"])
        .probes(&[&UNSUPPORTED])
        .judge(code),
    Check::must("version.unsupported-data", "-32022 carries the supported versions and the requested one")
        .headline(6)
        .spec("schema#UnsupportedProtocolVersionError")
        .why("The client picks its next version from data.supported; without it there is nothing to fall back to.")
        .fix("Send error.data as {\"supported\": [\"2026-07-28\"], \"requested\": the version that was asked for}.")
        .official(&["sep-2575-server-unsupported-version-error"])
        .probes(&[&UNSUPPORTED])
        .judge(data),
    Check::must("version.unsupported-http-400", "-32022 comes with HTTP 400")
        .headline(6)
        .http()
        .spec("http#protocol-version-header")
        .why("Gateways and clients that look at the status first would take the refusal for a success.")
        .fix("Answer -32022 with HTTP status 400.")
        .official(&["sep-2575-http-server-unsupported-version-400"])
        .probes(&[&UNSUPPORTED])
        .judge(http_400),
    Check::must("version.unsupported-consistent", "-32022 and server/discover name the same versions")
        .headline(6)
        .spec("versioning#protocol-version-negotiation")
        .why("A client that follows one list is refused by the other.")
        .fix("Build data.supported and supportedVersions from one constant.")
        .official(&["sep-2575-server-unsupported-version-error"])
        .probes(&[&UNSUPPORTED])
        .judge(consistent),
    Check::must("version.unsupported-future", "A version of the far future is refused with -32022")
        .headline(6)
        .spec("versioning#protocol-version-negotiation")
        .why("A server that compares dates with \"at least\" promises revisions it has never seen.")
        .fix("Look the version up in the list you serve; do not compare dates.")
        .probes(&[&UNSUPPORTED])
        .judge(future),
    Check::must("version.unsupported-garbage", "A version that is no date is refused with -32022")
        .headline(6)
        .spec("versioning#protocol-version-negotiation")
        .why("A server that serves a request under a version nobody knows has not looked at it.")
        .fix("Look the version up in the list you serve and answer -32022 for everything else.")
        .official(&["sep-2575-server-unsupported-version-error"])
        .probes(&[&UNSUPPORTED])
        .judge(garbage),
    Check::must("version.unsupported-any-method", "An unknown version is refused on every method, not on discover alone")
        .headline(6)
        .spec("versioning#protocol-version-negotiation")
        .why("Requests stand alone: a client may begin with any method.")
        .fix("Check the version where requests come in, before they are routed to a method.")
        .probes(&[&UNSUPPORTED])
        .judge(any_method),
];

fn refusal<'a>(fault: &'a str, probe: &'a str, near: &'a [i64]) -> Refusal<'a> {
    Refusal {
        fault,
        probe,
        twin: "era/discover",
        code: -32022,
        near,
        also: &[],
        status: None,
    }
}

fn code(cx: &Context) -> Ruling {
    refusal("for version 1900-01-01", "version.unsupported/past", &[]).judge(cx)
}

fn future(cx: &Context) -> Ruling {
    refusal("for version 2999-12-31", "version.unsupported/future", &[]).judge(cx)
}

fn garbage(cx: &Context) -> Ruling {
    // Some parsers refuse the string before they negotiate; -32020 also covers malformed headers.
    let near = [-32602, -32020];
    let ruling = refusal(
        "for version not-a-version",
        "version.unsupported/garbage",
        &near,
    );
    match cx
        .record("version.unsupported/garbage")
        .map(crate::record::Record::answer)
    {
        Some(Answer::Error(Some(code))) if code != -32022 => match ruling.judge(cx) {
            // Another error still refuses: only a result shows that nobody looked.
            Ruling::Found(findings) => Ruling::Found(
                findings
                    .into_iter()
                    .map(|finding| Finding {
                        weight: crate::ruling::Weight::Unproven,
                        ..finding
                    })
                    .collect(),
            ),
            other => other,
        },
        _ => ruling.judge(cx),
    }
}

fn any_method(cx: &Context) -> Ruling {
    let Some(list) = cx.facts.first_list() else {
        return Ruling::not_applicable("the server declares no list");
    };
    let twin = format!("survey.{}/1", list.member());
    Refusal {
        twin: &twin,
        ..refusal("for version 1900-01-01", "version.unsupported/list", &[])
    }
    .judge(cx)
}

/// The -32022 error of the probe; a ruling when there is none.
fn refused<'c>(cx: &Context<'c>) -> Result<(&'c crate::record::Record, &'c Value), Ruling> {
    let record = answered(cx, "version.unsupported/past")?;
    match (
        record.answer(),
        record.response().and_then(|response| response.error()),
    ) {
        (Answer::Error(Some(-32022)), Some(error)) => Ok((record, error)),
        _ => Err(Ruling::skip(
            "the unknown version was not refused with -32022 (version.unsupported-code)",
        )),
    }
}

fn data(cx: &Context) -> Ruling {
    let (record, error) = match refused(cx) {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let data = error.get("data").unwrap_or(&Value::Null);
    let mut findings = Vec::new();
    let mut broken = |pointer: &str, message: String| {
        findings.push(Finding::broken(message).seen_in(record).at(pointer));
    };
    let supported = data.get("supported").and_then(Value::as_array);
    if !supported.is_some_and(|list| !list.is_empty() && list.iter().all(Value::is_string)) {
        let got = data
            .get("supported")
            .map_or("missing".to_owned(), |value| shortened(value, 80));
        broken(
            "/error/data/supported",
            format!("data.supported is {got}; expected a list of version strings"),
        );
    }
    if data.get("requested").and_then(Value::as_str) != Some(PAST) {
        let got = data
            .get("requested")
            .map_or("missing".to_owned(), |value| shortened(value, 80));
        broken(
            "/error/data/requested",
            format!("data.requested is {got}; expected \"{PAST}\""),
        );
    }
    Ruling::of(
        findings,
        "data names the supported versions and the requested one",
    )
}

fn http_400(cx: &Context) -> Ruling {
    let (record, _) = match refused(cx) {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    match record.status() {
        Some(400) => Ruling::met("HTTP 400"),
        Some(status) => {
            let message = format!("-32022 came with HTTP {status}; expected 400");
            let finding = if cx.settings.config.behind_gateway {
                Finding::unproven(format!("{message} (a gateway may have changed it)"))
            } else {
                Finding::broken(message)
            };
            finding.seen_in(record).into()
        }
        None => Ruling::skip("no HTTP status"),
    }
}

fn consistent(cx: &Context) -> Ruling {
    let (record, error) = match refused(cx) {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let Some(listed) = error.pointer("/data/supported").and_then(Value::as_array) else {
        return Ruling::skip("the error names no versions (version.unsupported-data)");
    };
    let error_list: Vec<&str> = listed.iter().filter_map(Value::as_str).collect();
    let discover: Vec<&str> = cx.facts.supported_versions().collect();
    if discover.is_empty() {
        return Ruling::skip("server/discover lists no versions (discover.versions-include-ours)");
    }
    // Dates have one form, so they compare as text; anything else is nobody's modern revision.
    let modern = |version: &str| version >= crate::facts::OURS && version.starts_with("20");
    let mut findings = Vec::new();
    for version in error_list.iter().filter(|version| modern(version)) {
        if !discover.contains(version) {
            let message = format!("the error names {version}, which server/discover does not list");
            findings.push(
                Finding::broken(message)
                    .seen_in(record)
                    .at("/error/data/supported"),
            );
        }
    }
    for version in discover.iter().filter(|version| modern(version)) {
        if !error_list.contains(version) {
            let message = format!("server/discover lists {version}, which the error does not name");
            findings.push(
                Finding::unproven(message)
                    .seen_in(record)
                    .at("/error/data/supported"),
            );
        }
    }
    let legacy = |list: &[&str]| {
        let mut dates: Vec<String> = list
            .iter()
            .filter(|version| !modern(version))
            .map(|&version| version.to_owned())
            .collect();
        dates.sort();
        dates
    };
    if legacy(&error_list) != legacy(&discover) {
        let message = "the two lists name different versions of earlier revisions";
        findings.push(
            Finding::noted(message)
                .seen_in(record)
                .at("/error/data/supported"),
        );
    }
    Ruling::of(findings, "both lists name the same versions")
}
