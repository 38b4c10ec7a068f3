//! The endpoint itself: POST is served at the URL that was given, and the verbs of earlier revisions are not.

use super::super::stdio::process::processes;
use super::traffic::{came_to, provoked};
use crate::ask::{Ask, Lane, Patience, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::facts::{EraFinding, describe_busy, describe_end};
use crate::record::{Answer, Record};
use crate::ruling::{Finding, Ruling};
use crate::wire::endpoint::Endpoint;
use crate::wire::json::cut;
use serde_json::json;
use verdict_model::transcript::{Carrier, End, HttpExchange};

/// Asks with the verbs of earlier revisions: GET for a stream, DELETE to end a session.
pub const VERBS: Probe = Probe {
    name: "transport.verbs",
    stage: Stage::Main,
    next: verbs,
};

fn verbs(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || !cx.is_http() {
        return vec![];
    }
    let get = Ask::bare("get", "GET").header("Accept", "text/event-stream");
    vec![
        get.patience(Patience::Glimpse(2_000))
            .over(Lane::Fresh)
            .as_legacy(),
        Ask::bare("delete", "DELETE").as_legacy(),
    ]
}

/// Asks once more after everything else.
pub const SURVIVES: Probe = Probe {
    name: "transport.survives",
    stage: Stage::Late,
    next: survives,
};

fn survives(_: &Context, round: usize) -> Vec<Ask> {
    match round {
        0 => vec![Ask::request("discover", "server/discover", json!({}))],
        _ => vec![],
    }
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("transport.post", "The endpoint serves POST at the URL that was given")
        .http()
        .spec("http")
        .why("Every message is a POST to one URL. Where that URL answers with a page, or only after a redirect, many clients stop.")
        .fix("Serve POST at exactly the path you publish, with or without a trailing slash, or correct the URL in the configuration.")
        .any_era()
        .judge(post),
    Check::should("transport.get-405", "GET is refused with 405")
        .http()
        .spec("http#earlier-streamable-http-revisions")
        .why("Older clients open a stream with GET; 405 tells them at once that there is none.")
        .fix("Answer GET at the endpoint with HTTP 405.")
        .probes(&[&VERBS])
        .judge(get_405),
    Check::should("transport.delete-405", "DELETE is refused with 405")
        .http()
        .spec("http#earlier-streamable-http-revisions")
        .why("Older clients end their session with DELETE; 405 tells them that there are no sessions.")
        .fix("Answer DELETE at the endpoint with HTTP 405.")
        .probes(&[&VERBS])
        .judge(delete_405),
    Check::advisory("transport.survives", "The server still answers after all faulty requests")
        .spec("transports#messages")
        .why("One malformed request from one client must not take the server away from all others.")
        .fix("Catch errors where requests are read and handled, and answer them with a JSON-RPC error.")
        .probes(&[&SURVIVES])
        .judge(still_there),
];

fn post(cx: &Context) -> Ruling {
    let Some(record) = cx.record("era/discover") else {
        return Ruling::skip("the run was over before the server was asked");
    };
    match &cx.facts.era {
        EraFinding::Modern | EraFinding::Dual | EraFinding::WithoutDiscover => {
            redirected(cx, record).unwrap_or_else(|| Ruling::met("POST is served"))
        }
        EraFinding::Foreign(_) => no_endpoint(cx, record),
        EraFinding::Legacy(_) | EraFinding::HttpSse | EraFinding::Refused(_) => {
            Ruling::skip("the server does not speak this revision (discover.answers)")
        }
        EraFinding::Locked(status) => {
            Ruling::skip(format!("HTTP {status}: the server wants credentials"))
        }
        EraFinding::Busy(status) => Ruling::skip(describe_busy(*status)),
        EraFinding::Unasked | EraFinding::Unreachable(_) => {
            Ruling::skip("the server could not be reached (discover.answers)")
        }
    }
}

/// A redirect on the same origin was followed; other clients may not follow it.
fn redirected(cx: &Context, record: &Record) -> Option<Ruling> {
    let http = record.exchange.http.as_ref()?;
    let last = http.redirects.last()?;
    let origin = cx.endpoint()?.origin();
    let message = format!(
        "POST {origin}{} is redirected; configure {origin}{last} instead, since not every client repeats a POST",
        http.path
    );
    Some(Finding::unproven(message).seen_in(record).into())
}

/// Something else than MCP answered.
fn no_endpoint(cx: &Context, record: &Record) -> Ruling {
    let url = cx.endpoint().map(Endpoint::url);
    let url = url.unwrap_or_default();
    let status = record.status().unwrap_or_default();
    let media = record
        .exchange
        .http
        .as_ref()
        .and_then(HttpExchange::media_type)
        .unwrap_or_default();
    let html = media == "text/html" || media == "application/xhtml+xml";
    if record.answer() != Answer::Foreign || !(html || matches!(status, 404 | 405)) {
        return Ruling::skip("no MCP server answers there (discover.answers)");
    }
    let what = if html {
        "an HTML page"
    } else {
        "no JSON-RPC message"
    };
    let message = format!(
        "POST {url} is answered with HTTP {status} and {what}; is the path right? Endpoints are often at /mcp"
    );
    let finding = if cx.settings.config.behind_gateway && matches!(status, 400 | 404) {
        Finding::unproven(format!("{message} (a gateway may have answered)"))
    } else {
        Finding::broken(message)
    };
    finding.seen_in(record).into()
}

fn get_405(cx: &Context) -> Ruling {
    verb(cx, "get", "GET")
}

fn delete_405(cx: &Context) -> Ruling {
    verb(cx, "delete", "DELETE")
}

fn verb(cx: &Context, step: &str, verb: &str) -> Ruling {
    if cx.facts.is_dual() {
        return Ruling::not_applicable(
            "the server also speaks earlier revisions, which may use this verb",
        );
    }
    let record = match provoked(cx, &format!("transport.verbs/{step}")) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let old_stream = record.replies().any(|(message, _)| {
        matches!(&message.carrier, Carrier::Event { event: Some(name), .. } if name == "endpoint")
    });
    let finding = match record.status().unwrap_or_default() {
        405 => return Ruling::met("refused with 405"),
        // An authorization layer or a router stands before the endpoint.
        status @ (401 | 403 | 404) => {
            Finding::noted(format!("{verb} is answered with HTTP {status}, not 405"))
        }
        _ if old_stream => Finding::broken(format!(
            "{verb} opens a stream of the HTTP+SSE transport (deprecated.http-sse); expected HTTP 405"
        )),
        _ => Finding::broken(format!(
            "{verb} is answered with {}; expected HTTP 405",
            came_to(record)
        )),
    };
    finding.about(verb).seen_in(record).into()
}

fn still_there(cx: &Context) -> Ruling {
    let Some(record) = cx.record("transport.survives/discover") else {
        return Ruling::skip(match &cx.recording.cut_off {
            Some(why) => format!("not reached: {why}"),
            None => "the server was not asked once more".to_owned(),
        });
    };
    match record.answer() {
        Answer::Result(_) => {}
        Answer::Locked(status) => {
            return Ruling::skip(format!("HTTP {status}: the server wants credentials"));
        }
        Answer::Busy(status) => return Ruling::skip(describe_busy(status)),
        other => return gone(cx, record, other),
    }
    // Over HTTP connections end all the time.
    let died = processes(cx).find(|(_, log)| {
        !cx.is_http()
            && log.ended_ms.is_some()
            && log.input_closed_ms.or(log.terminated_ms).is_none()
    });
    let Some((channel, log)) = died else {
        return Ruling::met("it answers as before");
    };
    let last = last_on(cx, channel);
    let message = format!(
        "a process of the server ended by itself ({}){}",
        cut(log.ending.as_deref().unwrap_or("without a word"), 200),
        last.map_or_else(String::new, |last| format!(" after {}", describe(last)))
    );
    let finding = Finding::broken(message);
    match last {
        Some(last) => finding.seen_in(last).into(),
        None => finding.into(),
    }
}

/// The last exchange that went over a channel.
fn last_on<'c>(cx: &Context<'c>, channel: u32) -> Option<&'c Record> {
    let over = |record: &&Record| record.exchange.channel == Some(channel);
    cx.recording.records.iter().rev().find(over)
}

fn describe(record: &Record) -> String {
    match record.method() {
        Some(method) => format!("{} ({})", record.exchange.name, cut(method, 80)),
        None => record.exchange.name.clone(),
    }
}

/// The server was there at the beginning and is not any more.
fn gone(cx: &Context, record: &Record, answer: Answer) -> Ruling {
    let came_to = match answer {
        Answer::Nothing(End::Unfinished) => {
            return Ruling::skip("the run was over before the server was asked once more");
        }
        Answer::Nothing(end) => describe_end(end),
        Answer::Fault(status) => format!("answers HTTP {status}"),
        Answer::Error(Some(code)) => format!("answers {code}"),
        _ => "answers without a result".to_owned(),
    };
    let answered = |record: &&Record| {
        !matches!(record.answer(), Answer::Nothing(_) | Answer::Fault(_))
            && record.exchange.answered_ms.is_some()
    };
    let before = cx.recording.records.iter().filter(answered);
    let last = before.max_by_key(|record| record.exchange.answered_ms);
    let message = match last {
        Some(last) => format!(
            "after all requests the server {came_to}; the last answer was to {}",
            describe(last)
        ),
        None => format!("after all requests the server {came_to}"),
    };
    Finding::broken(message).seen_in(record).into()
}

#[cfg(test)]
mod tests {
    use super::super::traffic::sample::{body, found, response, ruling, ruling_in};
    use super::*;
    use crate::ruling::Weight;
    use crate::testing::{self, config};
    use verdict_fixture::{Server, Variant};
    use verdict_model::transcript::Exchange;

    fn discover(status: u16, media: &str, text: &str) -> Exchange {
        body("era/discover", status, media, text)
    }

    #[test]
    fn a_page_in_place_of_the_endpoint() {
        let foreign = || EraFinding::Foreign("no".to_owned());
        let ruled = |status, media: &str, gateway| {
            let page = discover(status, media, "<h1>Not Found</h1>");
            ruling_in("transport.post", vec![page], foreign(), gateway)
        };
        for (status, media) in [(404, "text/html"), (405, "text/plain"), (200, "text/html")] {
            assert!(ruled(status, media, false).is_broken(), "{status} {media}");
        }
        assert!(
            found(&ruled(404, "text/html", false))[0]
                .1
                .contains("http://127.0.0.1:8000/mcp")
        );
        assert_eq!(
            found(&ruled(404, "text/plain", true))[0].0,
            Weight::Unproven
        );
        assert!(matches!(ruled(400, "text/plain", false), Ruling::Skip(_)));
    }

    #[test]
    fn a_redirect_is_told_with_the_url_to_configure() {
        let id = "transport.post";
        let mut first = discover(200, "application/json", &response("era/discover"));
        assert!(ruling(id, vec![first.clone()]).is_met());
        if let Some(http) = &mut first.http {
            http.redirects = vec!["/mcp/".to_owned()];
        }
        let ruled = ruling(id, vec![first]);
        let told = &found(&ruled)[0];
        assert_eq!(told.0, Weight::Unproven);
        assert!(
            told.1.contains("configure http://127.0.0.1:8000/mcp/ "),
            "{}",
            told.1
        );
    }

    #[test]
    fn verbs_of_earlier_revisions_are_refused() {
        for (id, step) in [
            ("transport.get-405", "transport.verbs/get"),
            ("transport.delete-405", "transport.verbs/delete"),
        ] {
            let twin = || discover(200, "application/json", &response("era/discover"));
            let with = |status| ruling(id, vec![twin(), body(step, status, "text/plain", "")]);
            assert!(with(405).is_met());
            for status in [401, 403, 404] {
                assert_eq!(found(&with(status))[0].0, Weight::Noted, "{status}");
            }
            for status in [200, 202, 400, 500] {
                assert!(with(status).is_broken(), "{status}");
            }
            let dual = ruling_in(id, vec![body(step, 400, "", "")], EraFinding::Dual, false);
            assert!(matches!(dual, Ruling::NotApplicable(_)));
        }
    }

    #[test]
    fn the_fixture_agrees() {
        let ruled = |id: &str, server: &Server, stdio| testing::ruling(id, server, config(), stdio);
        let sound = Server::of(Variant::Full);
        for (id, defect) in [
            ("transport.post", "post-not-served"),
            ("transport.get-405", "get-200"),
            ("transport.delete-405", "delete-200"),
        ] {
            assert!(ruled(id, &sound, false).is_met(), "{id}");
            let server = Server::with(defect).expect("a defect");
            assert!(ruled(id, &server, false).is_broken(), "{id}");
        }
        for stdio in [false, true] {
            assert!(ruled("transport.survives", &sound, stdio).is_met());
        }
    }

    #[test]
    fn a_server_that_is_gone_is_named_with_its_last_answer() {
        let good = body(
            "era/discover",
            200,
            "application/json",
            &response("era/discover"),
        );
        let mut silent = body("transport.survives/discover", 200, "application/json", "");
        silent.end = End::TimedOut;
        silent.answered_ms = None;
        let ruled = ruling("transport.survives", vec![good, silent]);
        assert!(ruled.is_broken());
        assert!(found(&ruled)[0].1.contains("era/discover"), "{ruled:?}");
    }
}
