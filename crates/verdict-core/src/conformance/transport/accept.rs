//! What a request may say in `Accept` and `Content-Type`.
//!
//! Servers fail here that compare these fields as text instead of reading them as lists and media types.

use super::traffic::is_stream;
use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::refusal::{answered, served};
use crate::ruling::{Finding, Ruling};
use serde_json::json;

/// Asks with other spellings of the two fields.
pub const ACCEPT: Probe = Probe {
    name: "transport.accept",
    stage: Stage::Main,
    next: accept,
};

const QUALITY: &str = "text/event-stream;q=0.9, application/json";
const ORDER: &str = "text/event-stream ,  application/json";
const CASE: &str = "Application/JSON, Text/Event-Stream";

fn accept(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || !cx.is_http() {
        return vec![];
    }
    let ask = |step: &str, field: &str, value: &str| {
        Ask::request(step, "server/discover", json!({}))
            .header(field, value)
            .faulty()
    };
    vec![
        ask("quality", "Accept", QUALITY),
        ask("order", "Accept", ORDER),
        ask("case", "Accept", CASE),
        ask("json", "Accept", "application/json"),
        ask("charset", "Content-Type", "application/json; charset=utf-8"),
    ]
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("transport.accept-variants", "Accept is read as a list: order, spaces and weights do not matter")
        .http()
        .spec("http#sending-messages")
        .why("HTTP libraries spell the list in many ways; a server that compares text turns good clients away.")
        .fix("Parse Accept by media type (RFC 9110, section 12.5.1): split at commas, drop parameters, ignore case and spaces.")
        .probes(&[&ACCEPT])
        .judge(variants),
    Check::advisory("transport.accept-incomplete", "A client that accepts JSON alone gets no stream")
        .http()
        .spec("http#sending-messages")
        .why("What to do with a client that does not accept both types is left open; sending it a stream helps nobody.")
        .fix("Answer with JSON where that is all that is accepted, or with HTTP 406.")
        .probes(&[&ACCEPT])
        .judge(incomplete),
    Check::advisory("transport.content-type-charset", "A charset on application/json is no reason to refuse")
        .http()
        .spec("RFC 8259")
        .why("Many HTTP libraries add `; charset=utf-8` by themselves.")
        .fix("Compare the media type alone and ignore its parameters.")
        .probes(&[&ACCEPT])
        .judge(charset),
];

fn exchange<'c>(cx: &Context<'c>, step: &str) -> Result<&'c Record, Ruling> {
    served(cx, "era/discover")?;
    answered(cx, &format!("transport.accept/{step}"))
}

/// How a request was refused, in words.
fn refused(record: &Record) -> Option<String> {
    let status = record.status().unwrap_or_default();
    match record.answer() {
        Answer::Result(_) => None,
        Answer::Error(Some(code)) => Some(format!("HTTP {status}, {code}")),
        _ => Some(format!("HTTP {status}")),
    }
}

fn variants(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    let mut last = None;
    let mut seen = 0;
    for (step, value) in [("quality", QUALITY), ("order", ORDER), ("case", CASE)] {
        let record = match exchange(cx, step) {
            Ok(record) => record,
            Err(ruling) => {
                last = Some(ruling);
                continue;
            }
        };
        seen += 1;
        if let Some(how) = refused(record) {
            let message = format!(
                "a request with `Accept: {value}` is refused ({how}), although both media types are listed"
            );
            let finding = if step == "case" {
                Finding::unproven(format!("{message}, if in other letters"))
            } else {
                Finding::broken(message)
            };
            findings.push(finding.about("Accept").seen_in(record));
        }
    }
    match last {
        Some(ruling) if findings.is_empty() => ruling,
        _ => Ruling::of(findings, format!("{seen} spellings are served")),
    }
}

fn incomplete(cx: &Context) -> Ruling {
    let record = match exchange(cx, "json") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let finding = if is_stream(record) {
        Finding::broken(
            "a request with `Accept: application/json` is answered with text/event-stream; expected JSON, or HTTP 406",
        )
    } else {
        let how = refused(record).map_or_else(
            || "answered with JSON".to_owned(),
            |how| format!("refused ({how})"),
        );
        Finding::noted(format!(
            "a request with `Accept: application/json` is {how}"
        ))
    };
    finding.about("Accept").seen_in(record).into()
}

fn charset(cx: &Context) -> Ruling {
    let record = match exchange(cx, "charset") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    match refused(record) {
        None => Ruling::met("served"),
        Some(how) => {
            let message = format!(
                "a request with `Content-Type: application/json; charset=utf-8` is refused ({how})"
            );
            Finding::broken(message)
                .about("Content-Type")
                .seen_in(record)
                .into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::traffic::sample::{body, found, response, ruling};
    use crate::ruling::Weight;
    use crate::testing::{self, config};
    use verdict_fixture::Server;

    #[test]
    fn the_fixture_agrees() {
        let ruled = |id: &str, server: &Server| testing::ruling(id, server, config(), false);
        for (id, defect) in [
            ("transport.accept-variants", "accept-quality-refused"),
            ("transport.accept-incomplete", "sse-not-accepted"),
            ("transport.content-type-charset", "charset-refused"),
        ] {
            assert!(!ruled(id, &Server::correct()).is_broken(), "{id}");
            let server = Server::with(defect).expect("a defect");
            assert!(ruled(id, &server).is_broken(), "{id}");
        }
    }

    #[test]
    fn a_server_that_minds_the_letter_case_alone_is_warned() {
        let json = "application/json";
        let good = |step: &str| body(step, 200, json, &response(step));
        let ruled = ruling(
            "transport.accept-variants",
            vec![
                good("era/discover"),
                good("transport.accept/quality"),
                good("transport.accept/order"),
                body("transport.accept/case", 406, "text/plain", "no"),
            ],
        );
        assert_eq!(found(&ruled)[0].0, Weight::Unproven);
    }
}
