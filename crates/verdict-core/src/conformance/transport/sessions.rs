//! What is left of sessions and resumption: servers of this revision give no ids and ignore old ones.

use super::traffic::messages;
use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::refusal::{answered, served};
use crate::ruling::{Finding, Ruling, Weight};
use crate::wire::rpc::Kind;
use serde_json::json;
use verdict_model::transcript::HttpExchange;

/// Asks with the fields of earlier revisions.
pub const OLD_FIELDS: Probe = Probe {
    name: "transport.old-fields",
    stage: Stage::Main,
    next: old_fields,
};

fn old_fields(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || !cx.is_http() {
        return vec![];
    }
    let ask = |step: &str, field: &str, value: &str| {
        Ask::request(step, "server/discover", json!({}))
            .header(field, value)
            .faulty()
    };
    vec![
        ask("session", SESSION, &cx.absent("session")),
        ask("last-event", "Last-Event-ID", "1"),
    ]
}

const SESSION: &str = "Mcp-Session-Id";

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should("transport.no-session-minted", "No answer carries Mcp-Session-Id")
        .http()
        .spec("http#earlier-streamable-http-revisions")
        .why("Clients that know older revisions would keep the id and send it back, although there are no sessions any more.")
        .fix("Do not set Mcp-Session-Id on answers to requests of this revision.")
        .judge(minted),
    Check::should("transport.session-id-ignored", "A client's Mcp-Session-Id is ignored")
        .http()
        .spec("http#earlier-streamable-http-revisions")
        .why("Clients and gateways that still send the field lose the server when it looks the id up.")
        .fix("Serve the request as if the field were not there, and do not echo it.")
        .probes(&[&OLD_FIELDS])
        .judge(session_ignored),
    Check::should("transport.last-event-id-ignored", "A client's Last-Event-ID is ignored")
        .http()
        .spec("http#earlier-streamable-http-revisions")
        .why("Browsers' event sources send the field by themselves when they connect again.")
        .fix("Serve the request as if the field were not there; streams cannot be resumed.")
        .probes(&[&OLD_FIELDS])
        .judge(last_event_ignored),
];

/// The sentences bind servers of this revision alone; a dual-era server is told, no more.
fn weight(cx: &Context) -> Weight {
    if cx.facts.is_dual() {
        Weight::Noted
    } else {
        Weight::Broken
    }
}

fn minted(cx: &Context) -> Ruling {
    let posts = cx.recording.conforming().filter(|record| {
        let http = record.exchange.http.as_ref();
        http.is_some_and(|http: &HttpExchange| http.verb == "POST" && http.status.is_some())
    });
    let mut seen = 0;
    let mut first = None;
    for record in posts {
        seen += 1;
        if record.header(SESSION).is_some() {
            first = first.or(Some(record));
        }
    }
    match first {
        _ if seen == 0 => Ruling::skip("no request was answered"),
        None => Ruling::met(format!("{seen} answers have none")),
        Some(record) => Finding::new(
            weight(cx),
            "an answer carries Mcp-Session-Id; expected none",
        )
        .seen_in(record)
        .into(),
    }
}

fn exchange<'c>(cx: &Context<'c>, step: &str) -> Result<&'c Record, Ruling> {
    served(cx, "era/discover")?;
    answered(cx, &format!("transport.old-fields/{step}"))
}

/// The finding for a request that was not served because of a field.
fn refused(cx: &Context, record: &Record, field: &str) -> Option<Finding> {
    let code = match record.answer() {
        Answer::Result(_) => return None,
        Answer::Error(Some(code)) => format!(", {code}"),
        _ => String::new(),
    };
    let status = record.status().unwrap_or_default();
    let message = format!(
        "a request with {field} is refused (HTTP {status}{code}); expected the same answer as without it"
    );
    Some(
        Finding::new(weight(cx), message)
            .about(field)
            .seen_in(record),
    )
}

fn session_ignored(cx: &Context) -> Ruling {
    let record = match exchange(cx, "session") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    if let Some(finding) = refused(cx, record, SESSION) {
        return finding.into();
    }
    // An id of the server's own is judged by transport.no-session-minted.
    match record.header(SESSION) {
        Some(got) if got == cx.absent("session") => Finding::new(
            weight(cx),
            "the answer echoes the Mcp-Session-Id of the request; expected none",
        )
        .about(SESSION)
        .seen_in(record)
        .into(),
        _ => Ruling::met("served as without it"),
    }
}

fn last_event_ignored(cx: &Context) -> Ruling {
    let record = match exchange(cx, "last-event") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    if let Some(finding) = refused(cx, record, "Last-Event-ID") {
        return finding.into();
    }
    let count = |record: &Record| {
        let all = messages(record);
        all.filter(|(_, _, kind)| *kind != Kind::Neither).count()
    };
    let plain = cx.record("era/discover").map_or(1, count);
    if count(record) > plain {
        let message = "a request with Last-Event-ID is answered with more messages than one without it: streams cannot be resumed";
        return Finding::new(weight(cx), message)
            .about("Last-Event-ID")
            .seen_in(record)
            .into();
    }
    Ruling::met("served as without it")
}

#[cfg(test)]
mod tests {
    use super::super::traffic::sample::{body, found, response, ruling, ruling_in, stream};
    use super::*;
    use crate::facts::EraFinding;
    use verdict_model::transcript::Exchange;

    const JSON: &str = "application/json";

    fn twin() -> Exchange {
        body("era/discover", 200, JSON, &response("era/discover"))
    }

    fn with_id(mut exchange: Exchange) -> Exchange {
        if let Some(http) = &mut exchange.http {
            http.headers
                .push(("mcp-session-id".to_owned(), "1".to_owned()));
        }
        exchange
    }

    #[test]
    fn no_ids_are_given() {
        let id = "transport.no-session-minted";
        assert!(ruling(id, vec![twin()]).is_met());
        assert!(ruling(id, vec![with_id(twin())]).is_broken());
        let dual = ruling_in(id, vec![with_id(twin())], EraFinding::Dual, false);
        assert_eq!(found(&dual)[0].0, Weight::Noted);
    }

    #[test]
    fn old_fields_change_nothing() {
        for (id, step) in [
            (
                "transport.session-id-ignored",
                "transport.old-fields/session",
            ),
            (
                "transport.last-event-id-ignored",
                "transport.old-fields/last-event",
            ),
        ] {
            assert!(ruling(id, vec![twin(), body(step, 200, JSON, &response(step))]).is_met());
            let no = || vec![twin(), body(step, 404, "text/plain", "no such session")];
            assert!(ruling(id, no()).is_broken());
            let dual = ruling_in(id, no(), EraFinding::Dual, false);
            assert_eq!(found(&dual)[0].0, Weight::Noted);
        }
        let id = "transport.session-id-ignored";
        let answer = || body("transport.old-fields/session", 200, JSON, &response("a"));
        assert!(ruling(id, vec![twin(), with_id(answer())]).is_met());
        let mut echo = answer();
        if let Some(http) = &mut echo.http {
            let nonce = crate::testing::settings(crate::testing::config(), false).nonce;
            let id = format!("mcp-verdict-session-{nonce}");
            http.headers.push((SESSION.to_owned(), id));
        }
        assert!(ruling(id, vec![twin(), echo]).is_broken());
        let step = "transport.old-fields/last-event";
        let replay = stream(step, &[&response("old"), &response(step)]);
        assert!(ruling("transport.last-event-id-ignored", vec![twin(), replay]).is_broken());
    }
}
