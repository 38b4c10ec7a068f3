//! A server that also answers a plain `initialize` keeps to that revision, and modern requests stay free of it.
//!
//! The handshake goes over a connection (on stdio: to a process) of its own, beside the survey, so that
//! everything after the survey knows whether the server is dual-era.

use crate::ask::{Ask, Lane, Probe, Stage};
use crate::check::Check;
use crate::conformance::handshake::session::{self, notice};
use crate::context::Context;
use crate::facts::List;
use crate::record::{Answer, Record};
use crate::refusal::{answered, draft_note, served};
use crate::ruling::{Finding, Ruling};
use crate::survey::initialize;
use crate::traffic::LEGACY_LANE;
use crate::wire::json::shortened;
use serde_json::{Value, json};

/// A plain `initialize`; where it is answered the session goes on, is left alone, and is ended.
pub const DUAL: Probe = Probe {
    name: "dual",
    stage: Stage::Survey,
    next: dual,
};

const LANE: Lane = Lane::Own(LEGACY_LANE);

fn dual(cx: &Context, round: usize) -> Vec<Ask> {
    if round == 0 {
        let ask = initialize("initialize", LANE);
        // On stdio silence is an answer of its own; asking twice would only wait twice.
        return vec![if cx.is_http() { ask } else { ask.once() }];
    }
    let Some(opening) = cx
        .record("dual/initialize")
        .filter(|record| record.result().is_some())
    else {
        return vec![];
    };
    match round {
        1 => {
            let ask = notice("initialized", "notifications/initialized", None);
            vec![follow(opening, ask)]
        }
        2 => match legacy_list(opening) {
            Some(list) => vec![follow(opening, Ask::legacy("list", list.method(), None))],
            // A step that asks nothing would end the probe.
            None => beside(cx),
        },
        3 if legacy_list(opening).is_some() => beside(cx),
        3 | 4 => goodbye(cx, opening),
        _ => vec![],
    }
}

/// A message of the session that `opening` began, over the lane of that session.
fn follow(opening: &Record, ask: Ask) -> Ask {
    session::follow(opening, ask).over(LANE)
}

/// The first list that the handshake declares.
fn legacy_list(opening: &Record) -> Option<List> {
    let capabilities = opening.result()?.get("capabilities")?.as_object()?;
    [List::Tools, List::Resources, List::Prompts]
        .into_iter()
        .find(|list| capabilities.contains_key(list.capability()))
}

/// Modern requests over the same connection, without the session.
fn beside(cx: &Context) -> Vec<Ask> {
    if !cx.is_http() {
        // There the handshake settles the era of the whole process.
        return vec![];
    }
    let mut asks = vec![Ask::request("modern-discover", "server/discover", json!({})).over(LANE)];
    if let Some(list) = cx.facts.first_list() {
        asks.push(Ask::request("modern-list", list.method(), json!({})).over(LANE));
    }
    asks
}

fn goodbye(cx: &Context, opening: &Record) -> Vec<Ask> {
    let ended = cx.record("dual/delete").is_some();
    match opening.header("mcp-session-id") {
        Some(_) if cx.is_http() && !ended => {
            vec![follow(opening, Ask::bare("delete", "DELETE").as_legacy()).once()]
        }
        _ => vec![],
    }
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("legacy.dual-initialize", "A server that answers initialize carries the older handshake through")
        .spec("versioning#compatibility-matrix")
        .why("Clients of earlier revisions are drawn in by the answered initialize and then stranded halfway.")
        .fix("Either serve the earlier revision in full (protocolVersion, capabilities and serverInfo in the answer, notifications/initialized accepted, lists answered), or refuse initialize.")
        .official(&["server-initialize"])
        .probes(&[&DUAL])
        .judge(handshake),
    Check::must("legacy.dual-isolated", "Modern requests need no session while an older session is open")
        .http()
        .spec("versioning#backward-compatibility-with-initialization-based-versions")
        .why("A modern client knows no sessions; it would be locked out as soon as an older client connects.")
        .fix("Serve a request that carries modern _meta by itself, whatever sessions are open.")
        .probes(&[&DUAL])
        .judge(isolated),
];

fn opening<'c>(cx: &Context<'c>) -> Result<(&'c Record, &'c Value), Ruling> {
    if !cx.facts.is_dual() {
        return Err(Ruling::not_applicable(
            "the server does not answer a plain initialize",
        ));
    }
    let record = answered(cx, "dual/initialize")?;
    let result = record
        .result()
        .ok_or_else(|| Ruling::not_applicable("the server does not answer a plain initialize"))?;
    Ok((record, result))
}

fn handshake(cx: &Context) -> Ruling {
    let (record, result) = match opening(cx) {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let mut findings = incomplete(record, result);
    for name in ["dual/initialized", "dual/list"] {
        match broken_step(cx, name) {
            Ok(Some(finding)) => findings.push(finding),
            Err(ruling) if findings.is_empty() => return ruling,
            Ok(None) | Err(_) => {}
        }
    }
    Ruling::of(findings, "the handshake of the earlier revision holds")
}

/// What the answer to `initialize` lacks.
fn incomplete(record: &Record, result: &Value) -> Vec<Finding> {
    let members = [
        ("protocolVersion", "a string"),
        ("capabilities", "an object"),
        ("serverInfo", "an object"),
    ];
    let wrong = members.iter().filter_map(|(member, kind)| {
        let value = result.get(member);
        let fits = |value: &Value| match *kind {
            "a string" => value.is_string(),
            _ => value.is_object(),
        };
        if value.is_some_and(fits) {
            return None;
        }
        let actual = value.map_or("missing".to_owned(), |value| shortened(value, 80));
        let message = format!("{member} of the initialize result is {actual}; expected {kind}");
        Some(Finding::broken(message).seen_in(record).at("/result"))
    });
    wrong.collect()
}

/// A step after `initialize` that the server does not take.
fn broken_step(cx: &Context, name: &str) -> Result<Option<Finding>, Ruling> {
    let Some(record) = cx.record(name) else {
        return Ok(None);
    };
    let notification = name == "dual/initialized";
    if notification && matches!(record.answer(), Answer::Nothing(_)) && !cx.is_http() {
        return Ok(None);
    }
    let record = answered(cx, name)?;
    let method = record.method().unwrap_or(name);
    let message = match record.answer() {
        Answer::Result(_) => return Ok(None),
        Answer::Error(code) => format!(
            "after the answered initialize, {method} is refused with {}",
            code.map_or("an error without code".to_owned(), |code| format!(
                "{code}{}",
                draft_note(code)
            ))
        ),
        _ => match record.status() {
            Some(status) if notification && status < 400 => return Ok(None),
            Some(status) => format!(
                "after the answered initialize, {method} is answered with HTTP {status} and no JSON-RPC response"
            ),
            None => format!(
                "after the answered initialize, {method} is answered with no JSON-RPC response"
            ),
        },
    };
    Ok(Some(Finding::broken(message).seen_in(record)))
}

fn isolated(cx: &Context) -> Ruling {
    if let Err(ruling) = opening(cx) {
        return ruling;
    }
    let list = cx.facts.first_list();
    let twin = list.map(|list| format!("survey.{}/1", list.member()));
    let pairs = [
        ("dual/modern-discover", Some("era/discover")),
        ("dual/modern-list", twin.as_deref()),
    ];
    let mut findings = Vec::new();
    let mut tried = false;
    for (name, twin) in pairs {
        let Some(twin) = twin.filter(|twin| served(cx, twin).is_ok()) else {
            continue;
        };
        let Ok(record) = answered(cx, name) else {
            continue;
        };
        tried = true;
        findings.extend(locked_out(record, twin));
    }
    if !tried {
        return Ruling::skip("no modern request could be compared with one before the session");
    }
    Ruling::of(
        findings,
        "modern requests are served beside an open session",
    )
}

fn locked_out(record: &Record, twin: &str) -> Option<Finding> {
    let method = record.method().unwrap_or(twin);
    let finding = match record.answer() {
        Answer::Result(_) => return None,
        // An internal error may have any reason.
        Answer::Error(Some(-32603)) => Finding::unproven(format!(
            "{method} was served before a session was opened and comes to an internal error (-32603) while one is open"
        )),
        Answer::Error(Some(code)) => Finding::broken(format!(
            "{method} was served before a session was opened and is refused with {code} while one is open"
        )),
        _ => Finding::broken(format!(
            "{method} was served before a session was opened and gets no JSON-RPC result while one is open"
        )),
    };
    Some(finding.seen_in(record))
}

#[cfg(test)]
mod tests {
    use crate::testing::{config, ruling};
    use verdict_fixture::{Server, Variant};

    #[test]
    fn a_dual_era_server_carries_the_handshake_through() {
        for stdio in [false, true] {
            let server = Server::of(Variant::DualEra);
            assert!(ruling("legacy.dual-initialize", &server, config(), stdio).is_met());
            let modern = ruling(
                "legacy.dual-initialize",
                &Server::correct(),
                config(),
                stdio,
            );
            assert!(matches!(modern, crate::ruling::Ruling::NotApplicable(_)));
        }
        let server = Server::of(Variant::DualEra);
        assert!(ruling("legacy.dual-isolated", &server, config(), false).is_met());
    }

    #[test]
    fn broken_handshakes_are_found() {
        let incomplete = Server::with("dual-handshake-incomplete").expect("a defect");
        assert!(ruling("legacy.dual-initialize", &incomplete, config(), false).is_broken());
        let sticky = Server::with("dual-needs-session").expect("a defect");
        assert!(ruling("legacy.dual-isolated", &sticky, config(), false).is_broken());
    }
}
