//! Logging is on its way out; where it is used, it keeps to what each request asked for.

use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::conformance::errors::leak::has_token;
use crate::conformance::legacy::removed::odd_lane;
use crate::conformance::progress::called::{CALLS, META_LOG_LEVEL, named};
use crate::context::Context;
use crate::facts::{Declared, List};
use crate::record::Answer;
use crate::refusal::{answered, draft_note, served};
use crate::ruling::{Finding, Ruling};
use crate::shape;
use crate::traffic::{Notice, distinct, meta_of, notices};
use serde_json::{Value, json};
use verdict_model::transcript::Standing;

/// Asks with a log level for what is always safe to ask for, and once with a level that is none.
pub const LEVELS: Probe = Probe {
    name: "deprecated.log",
    stage: Stage::Main,
    next: levels,
};

fn levels(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 {
        return vec![];
    }
    let ask = |step: &str, method: &str, level: &str| {
        Ask::request(step, method, json!({}))
            .meta(META_LOG_LEVEL, json!(level))
            .over(odd_lane(cx))
    };
    let lists = List::ALL
        .into_iter()
        .filter(|list| cx.facts.declares(list.capability()) == Declared::Yes)
        .map(|list| ask(list.member(), list.method(), "error"));
    [ask("discover", "server/discover", "error")]
        .into_iter()
        .chain(lists)
        .chain([ask("loud", "server/discover", "loud").faulty()])
        .collect()
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should("deprecated.logging-capability", "No logging capability is declared")
        .spec("deprecated")
        .why("Logging is deprecated since 2026-07-28; clients will stop showing it.")
        .fix("Write logs to stderr (stdio) or send them with OpenTelemetry, and drop the capability.")
        .judge(capability),
    Check::must("deprecated.log-unrequested", "No log comes for a request that asked for none")
        .spec("logging#per-request-log-level")
        .why("Clients that did not ask for logs have no use for them, and they fill the stream.")
        .fix("Send notifications/message only while a request with io.modelcontextprotocol/logLevel is worked on.")
        .official(&["sep-2575-server-no-log-without-loglevel"])
        .probes(&[&LEVELS, &CALLS])
        .judge(unrequested),
    Check::must("deprecated.log-below-level", "No log is less severe than the request asked for")
        .spec("logging#per-request-log-level")
        .why("A client that asks for errors gets everything, and nobody reads on.")
        .fix("Compare the severity of each message with the level of its request.")
        .probes(&[&LEVELS, &CALLS])
        .judge(below_level),
    Check::must("deprecated.log-right-stream", "Logs come on the stream of their request, before its response")
        .spec("logging#per-request-log-level")
        .why("On another stream, or too late, a log is told of the wrong request or lost.")
        .fix("Send logs on the event stream that answers the request, never on a listen or after the response.")
        .probes(&[&LEVELS, &CALLS])
        .judge(right_stream),
    Check::should("deprecated.log-invalid-level", "A log level that is none is refused with -32602")
        .spec("logging#error-handling")
        .why("A client with a slip in the level waits for logs that never come.")
        .fix("Check the level against the eight of the specification and answer -32602 (invalid params) for others.")
        .probes(&[&LEVELS])
        .judge(invalid_level),
    Check::must("deprecated.log-declared", "A server that sends logs declares logging")
        .spec("logging#capabilities")
        .why("Clients that see no capability do not listen for logs.")
        .fix("Declare capabilities.logging, or better, send no logs.")
        .probes(&[&LEVELS, &CALLS])
        .judge(declared),
    Check::must("deprecated.log-shape", "Logs are well formed")
        .spec("schema#LoggingMessageNotificationParams")
        .why("Typed clients refuse a log with another level or without data.")
        .fix("Send level as one of the eight and data, whatever it is.")
        .official(&["wire-schema-valid"])
        .probes(&[&LEVELS, &CALLS])
        .judge(shape_of),
    Check::must("deprecated.log-secrets", "Logs hold no credentials")
        .spec("logging#security")
        .why("Logs reach the client, its users and its files.")
        .fix("Mask tokens, keys and passwords before they are logged.")
        .probes(&[&LEVELS, &CALLS])
        .judge(secrets),
];

/// From the least severe to the most.
const SEVERITIES: [&str; 8] = [
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
];

fn severity(level: &Value) -> Option<usize> {
    let level = level.as_str()?;
    SEVERITIES.iter().position(|known| *known == level)
}

/// Logs of faultless exchanges, and those that came to none.
fn logs<'c>(cx: &Context<'c>) -> impl Iterator<Item = Notice<'c>> {
    notices(cx).filter(|notice| {
        let conforming = notice
            .record
            .is_none_or(|record| record.exchange.standing == Standing::Conforming);
        conforming && notice.method() == "notifications/message"
    })
}

/// What a rule gets when there was no log to look at.
fn unseen(cx: &Context) -> Option<Ruling> {
    if logs(cx).next().is_some() {
        return None;
    }
    let tools = &cx.settings.config.tools;
    Some(
        if cx.facts.declares("logging") == Declared::No || !named(cx).is_empty() {
            Ruling::not_applicable("the server sent no log")
        } else if tools.chatty.is_empty() && tools.slow.is_empty() {
            Ruling::skip(
                "no log was sent: name a tool that logs and may be called (tools.chatty) to try this",
            )
        } else {
            Ruling::skip("no tool that tools.chatty or tools.slow names is listed")
        },
    )
}

/// Milliseconds for which a request counts as just answered; stdio has one channel for all.
const JUST_ANSWERED_MS: u64 = 500;

/// The log levels that a log may have been asked for with: over HTTP its own request's, on stdio those
/// of all requests that the process was working on.
fn asked(cx: &Context, notice: &Notice) -> Vec<Value> {
    let level = |record| meta_of(record, META_LOG_LEVEL).cloned();
    if cx.is_http() {
        return notice.record.and_then(level).into_iter().collect();
    }
    let own = notice.record.map(|record| record.exchange.name.as_str());
    let working = cx.recording.modern().filter(|record| {
        let exchange = &record.exchange;
        // The next request goes out in the very moment in which the answer comes.
        if exchange.sent_ms == notice.at_ms {
            return own == Some(exchange.name.as_str());
        }
        let over = exchange.answered_ms.unwrap_or(exchange.ended_ms);
        exchange.channel == notice.channel
            && exchange.sent_ms < notice.at_ms
            && (over == 0 || notice.at_ms <= over + JUST_ANSWERED_MS)
    });
    working.filter_map(level).collect()
}

fn capability(cx: &Context) -> Ruling {
    let record = cx.record("era/discover");
    let declared = cx.facts.declares("logging");
    match (declared, record) {
        (Declared::Yes, Some(record)) => Finding::noted(
            "logging is declared; it is deprecated since 2026-07-28 and may be removed from the first revision on or after 2027-07-28",
        )
        .seen_in(record)
        .at("/result/capabilities/logging")
        .into(),
        (Declared::No, _) => Ruling::met("logging is not declared"),
        _ => Ruling::skip("the server's capabilities could not be read"),
    }
}

fn unrequested(cx: &Context) -> Ruling {
    let found = logs(cx)
        .filter(|notice| asked(cx, notice).is_empty())
        .map(|notice| {
            let listen = notice
                .record
                .is_some_and(|record| record.method() == Some("subscriptions/listen"));
            let place = if listen {
                "on a listen"
            } else {
                "for a request"
            };
            notice.found_in(Finding::broken(format!(
                "a log came {place} that asked for none"
            )))
        });
    Ruling::of(distinct(found), "no log came unasked")
}

fn below_level(cx: &Context) -> Ruling {
    if let Some(ruling) = unseen(cx) {
        return ruling;
    }
    let mut seen = 0;
    let mut findings = Vec::new();
    for notice in logs(cx) {
        let level = notice
            .params()
            .and_then(|params| severity(params.get("level")?));
        let least = asked(cx, &notice).iter().filter_map(severity).min();
        let (Some(level), Some(least)) = (level, least) else {
            continue;
        };
        seen += 1;
        if level < least {
            let message = format!(
                "a log of level {} came; the request asked for {} and above",
                SEVERITIES[level], SEVERITIES[least]
            );
            findings.push(
                notice
                    .found_in(Finding::broken(message))
                    .at("/params/level"),
            );
        }
    }
    if seen == 0 {
        return Ruling::not_applicable("no log came for a request that asked for some");
    }
    Ruling::of(distinct(findings), "logs are as severe as was asked for")
}

fn right_stream(cx: &Context) -> Ruling {
    if let Some(ruling) = unseen(cx) {
        return ruling;
    }
    let found = logs(cx).filter_map(|notice| {
        let listen = notice
            .record
            .is_some_and(|record| record.method() == Some("subscriptions/listen"));
        let message = match (cx.is_http(), listen, notice.late) {
            (true, true, _) => "a log came on the stream of a listen",
            (_, false, true) => "a log came after the response of its request",
            _ => return None,
        };
        Some(notice.found_in(Finding::broken(message)))
    });
    Ruling::of(
        distinct(found),
        "logs come before the response, on its stream",
    )
}

fn invalid_level(cx: &Context) -> Ruling {
    let record = match served(cx, "era/discover").and_then(|_| answered(cx, "deprecated.log/loud"))
    {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let finding = match record.answer() {
        Answer::Error(Some(-32602)) => return Ruling::met("refused with -32602"),
        Answer::Result(_) if cx.facts.declares("logging") != Declared::Yes => {
            Finding::noted("the log level \"loud\" is passed over; the server does not log")
        }
        Answer::Result(_) => Finding::broken(
            "a request with log level \"loud\" is served; expected -32602 (invalid params)",
        ),
        Answer::Error(Some(code)) => Finding::unproven(format!(
            "a request with log level \"loud\" is refused with {code}{}; expected -32602 (invalid params)",
            draft_note(code)
        )),
        _ => Finding::unproven(
            "a request with log level \"loud\" is answered without a JSON-RPC error; expected -32602",
        ),
    };
    finding.seen_in(record).into()
}

fn declared(cx: &Context) -> Ruling {
    if let Some(ruling) = unseen(cx) {
        return ruling;
    }
    match (cx.facts.declares("logging"), logs(cx).next()) {
        (Declared::No, Some(notice)) => notice
            .found_in(Finding::broken(
                "the server sends logs without declaring the logging capability",
            ))
            .into(),
        _ => Ruling::met("logging is declared"),
    }
}

fn shape_of(cx: &Context) -> Ruling {
    if let Some(ruling) = unseen(cx) {
        return ruling;
    }
    let mut findings = Vec::new();
    for notice in logs(cx) {
        let violations = shape::notification(notice.method(), notice.params());
        for violation in shape::owned_by(&violations, Some("deprecated.log-shape")) {
            let place = violation.pointer.trim_start_matches("/params/");
            let message = format!(
                "{place} of a log is {}; expected {}",
                violation.actual, violation.expected
            );
            findings.push(
                notice
                    .found_in(Finding::broken(message))
                    .at(&violation.pointer),
            );
        }
    }
    Ruling::of(distinct(findings), "logs are well formed")
}

fn secrets(cx: &Context) -> Ruling {
    if let Some(ruling) = unseen(cx) {
        return ruling;
    }
    let found = logs(cx).filter_map(|notice| {
        let text = notice.params()?.to_string();
        let what = if has_token(&text, "") {
            "a bearer token"
        } else if text.contains("PRIVATE KEY-----") {
            "a private key"
        } else {
            return None;
        };
        Some(
            notice
                .found_in(Finding::unproven(format!("a log seems to hold {what}")))
                .at("/params/data"),
        )
    });
    Ruling::of(distinct(found), "no log looks like a credential")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{config, ruling};
    use verdict_fixture::Server;
    use verdict_model::Config;

    fn full() -> Config {
        let mut full: Config =
            serde_saphyr::from_str(verdict_fixture::example_config()).expect("a configuration");
        full.server = config().server;
        full
    }

    #[test]
    fn correct_logs_pass() {
        for check in &CHECKS[1..] {
            for stdio in [false, true] {
                let ruling = ruling(check.rule.id, &Server::correct(), full(), stdio);
                assert!(ruling.is_met(), "{}: {ruling:?}", check.rule.id);
            }
        }
        // Declaring it is worth a line, no more.
        assert!(!ruling(CHECKS[0].rule.id, &Server::correct(), config(), true).is_broken());
    }

    #[test]
    fn slips_are_found() {
        for (id, defect) in [
            ("deprecated.log-unrequested", "log-unasked"),
            ("deprecated.log-below-level", "log-below-level"),
            ("deprecated.log-right-stream", "log-after-response"),
            ("deprecated.log-invalid-level", "log-level-unchecked"),
            ("deprecated.log-declared", "log-undeclared"),
            ("deprecated.log-shape", "log-without-data"),
            ("deprecated.log-secrets", "log-with-token"),
        ] {
            for stdio in [false, true] {
                let server = Server::with(defect).expect("a defect");
                let found = ruling(id, &server, full(), stdio);
                assert!(
                    matches!(found, Ruling::Found(_)),
                    "{defect}, stdio {stdio}: {found:?}"
                );
            }
        }
    }
}
