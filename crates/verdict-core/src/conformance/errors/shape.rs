//! Every error has an integer code, a message, and the id of the request it answers.

use crate::check::Check;
use crate::context::Context;
use crate::ruling::{Finding, Ruling};
use crate::shape;
use crate::traffic::{LEGACY_LANE, Refused, distinct, errors, listed, sent_header};
use crate::wire::json::shortened;
use crate::wire::rpc::{Envelope, Parsed, same_id};
use serde_json::Value;
use std::collections::BTreeMap;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("errors.code-integer", "The code of every error is an integer")
        .spec("basic#error-responses")
        .why("Clients decide by the code what to do next; a code of another type is refused with the whole message.")
        .fix("Send error.code as a JSON integer, such as -32602, not as text.")
        .official(&["wire-schema-valid"])
        .judge(code_integer),
    Check::must("errors.message-string", "Every error has a message in words")
        .spec("basic#error-responses")
        .why("Typed clients refuse an error without message; where it is empty, users learn nothing.")
        .fix("Send error.message as a short sentence that says what went wrong.")
        .official(&["wire-schema-valid"])
        .judge(message_string),
    Check::must("errors.id-echo", "Every error carries the id of the request it answers")
        .spec("basic#error-responses")
        .why("A client cannot tell which of its requests failed, and waits for the answer until it gives up.")
        .fix("Copy the id of the request into the error, value and type alike; leave it out only when the request could not be read.")
        .official(&["sep-2575-http-server-error-jsonrpc-id"])
        .judge(id_echo),
];

/// Longer messages are for logs, not for people.
const LONG_MESSAGE: usize = 500;

fn unseen(cx: &Context) -> Option<Ruling> {
    errors(cx)
        .next()
        .is_none()
        .then(|| Ruling::skip("the server never answered with an error"))
}

/// The places of an error for which a check answers.
fn misshapen(refused: &Refused, check: &str) -> Vec<Finding> {
    let violations = shape::error(refused.error);
    shape::owned_by(&violations, Some(check))
        .map(|violation| {
            let place = violation.pointer.trim_start_matches('/').replace('/', ".");
            let message = format!(
                "{place} is {}; expected {}",
                violation.actual, violation.expected
            );
            Finding::broken(message)
                .seen_in(refused.record)
                .at(&violation.pointer)
        })
        .collect()
}

fn code_integer(cx: &Context) -> Ruling {
    let found = errors(cx).flat_map(|refused| misshapen(&refused, "errors.code-integer"));
    let findings = distinct(found);
    unseen(cx).unwrap_or_else(|| Ruling::of(findings, "all codes are integers"))
}

fn message_string(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    for refused in errors(cx) {
        findings.extend(misshapen(&refused, "errors.message-string"));
        let Some(message) = refused.error.get("message").and_then(Value::as_str) else {
            continue;
        };
        let length = message.chars().count();
        let said = if message.trim().is_empty() {
            "error.message is empty"
        } else if length > LONG_MESSAGE {
            "error.message is longer than 500 characters"
        } else {
            continue;
        };
        findings.push(
            Finding::noted(said)
                .seen_in(refused.record)
                .at("/error/message"),
        );
    }
    unseen(cx).unwrap_or_else(|| Ruling::of(distinct(findings), "all errors say what is wrong"))
}

fn id_echo(cx: &Context) -> Ruling {
    // One slip usually touches many answers: told once for each way in which the id is wrong.
    let mut ways: BTreeMap<&str, Vec<(Refused, &Value)>> = BTreeMap::new();
    let mut looked_at = 0;
    for refused in errors(cx) {
        let Some(sent) = readable_id(&refused) else {
            continue;
        };
        looked_at += 1;
        let got = refused.response.id();
        let way = match got {
            Some(got) if same_id(sent, got) => continue,
            None => "no id",
            Some(Value::Null) => "id null",
            Some(got) if got.is_string() != sent.is_string() => "the id in another JSON type",
            Some(_) => "another id",
        };
        ways.entry(way).or_default().push((refused, sent));
    }
    let strangers = strangers(cx);
    if looked_at == 0 && strangers.is_empty() {
        return Ruling::skip("no error answered a request that could be read");
    }
    let findings = ways.into_iter().map(|(way, cases)| {
        let (first, sent) = cases[0];
        let methods = listed(
            cases
                .iter()
                .filter_map(|(refused, _)| refused.record.method()),
        );
        let got = first
            .response
            .id()
            .map_or("none".to_owned(), |id| shortened(id, 80));
        Finding::broken(format!(
            "errors carry {way} (after {methods}): expected {}, got {got}",
            shortened(sent, 80)
        ))
        .seen_in(first.record)
        .at("/id")
    });
    Ruling::of(
        findings.chain(strangers).collect(),
        "all errors carry the id of their request",
    )
}

/// Errors on a process's output whose id no request to it had: who was meant waits in vain.
fn strangers(cx: &Context) -> Vec<Finding> {
    let channels = cx.recording.channels.iter().zip(0_u32..);
    let found = channels
        .filter(|(channel, _)| channel.lane != LEGACY_LANE)
        .flat_map(|(channel, number)| {
            let strays = channel.stray.iter().map(|stray| Parsed::read(&stray.text));
            strays.filter_map(move |parsed| {
                let error = parsed
                    .envelope()
                    .filter(|message| message.error().is_some())?;
                let Some(id) = error.id().filter(|id| !id.is_null()) else {
                    return cx
                        .recording
                        .owes_ids(number)
                        .then(|| "none, or null".to_owned());
                };
                let known = cx.recording.records.iter().any(|record| {
                    let sent = record.request().and_then(Envelope::id);
                    record.exchange.channel == Some(number)
                        && sent.is_some_and(|sent| same_id(sent, id))
                });
                (!known).then(|| shortened(id, 80))
            })
        });
    let ids: Vec<String> = found.collect();
    if ids.is_empty() {
        return vec![];
    }
    let shown = listed(ids.iter().map(String::as_str));
    vec![Finding::broken(format!("errors carry ids that no request had: {shown}")).about("stdio")]
}

/// The id that an error must carry; none where the request may not have been read.
fn readable_id<'c>(refused: &Refused<'c>) -> Option<&'c Value> {
    let request = refused.record.request()?;
    let id = request.id().filter(|_| request.is_sound_request())?;
    // Refused before anyone looked at the body: by an Origin, authorization or media type check.
    let guarded = ["origin", "host"]
        .iter()
        .any(|field| sent_header(refused.record, field).is_some());
    let unread = guarded
        || matches!(
            refused.record.status(),
            Some(401 | 403 | 405 | 406 | 408 | 411 | 413 | 414 | 415 | 429 | 431)
        );
    (!unread && refused.code != Some(-32700)).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruling::Weight;
    use crate::testing::{altered, config, replied, ruling, ruling_on};
    use serde_json::json;
    use verdict_fixture::{Server, Variant};

    #[test]
    fn errors_of_a_correct_server_are_well_formed() {
        for variant in [Variant::Full, Variant::Tasks, Variant::DualEra] {
            for stdio in [false, true] {
                for id in [
                    "errors.code-integer",
                    "errors.message-string",
                    "errors.id-echo",
                ] {
                    assert!(
                        ruling(id, &Server::of(variant), config(), stdio).is_met(),
                        "{id}"
                    );
                }
            }
        }
    }

    #[test]
    fn slips_are_found_and_told_once() {
        let error = |id: serde_json::Value, error: serde_json::Value| {
            (
                "tools/list",
                200,
                json!({"jsonrpc": "2.0", "id": id, "error": error}),
            )
        };
        let sound = json!({"code": -32602, "message": "no"});
        let recording = replied(&[
            error(json!("given/1"), json!({"code": "-32602", "message": "no"})),
            error(json!("given/2"), json!({"code": -32602.0, "message": ""})),
            error(json!("given/3"), json!({"code": -32602})),
            error(json!(null), sound.clone()),
            error(json!(null), sound),
            // A gateway's page is no message of the server's.
            ("tools/list", 404, json!({"error": {"code": "x"}})),
        ]);
        let weights = |id: &str| match ruling_on(id, &recording) {
            Ruling::Found(findings) => findings
                .iter()
                .map(|finding| finding.weight)
                .collect::<Vec<_>>(),
            _ => vec![],
        };
        assert_eq!(weights("errors.code-integer"), [Weight::Broken]);
        assert_eq!(
            weights("errors.message-string"),
            [Weight::Noted, Weight::Broken]
        );
        assert_eq!(weights("errors.id-echo"), [Weight::Broken]);
    }

    #[test]
    fn refusals_before_the_body_was_read_owe_no_id() {
        let refusal = json!({"jsonrpc": "2.0", "error": {"code": -32600, "message": "no"}});
        for status in [401, 403, 405, 413, 415] {
            let recording = replied(&[("tools/list", status, refusal.clone())]);
            assert!(
                matches!(ruling_on("errors.id-echo", &recording), Ruling::Skip(_)),
                "{status}"
            );
        }
        let recording = replied(&[("tools/list", 400, refusal)]);
        assert!(ruling_on("errors.id-echo", &recording).is_broken());
    }

    #[test]
    fn a_server_of_both_eras_may_refuse_a_session_before_it_reads_the_body() {
        let refused = json!({"id": null, "error": {"code": -32602, "message": "no such session"}});
        let case = [("transport.old-fields/session", 404, refused)];
        let on = |variant| altered("errors.id-echo", &Server::of(variant), false, &case);
        assert!(on(Variant::DualEra).is_met());
        assert!(on(Variant::Full).is_broken());
    }
}
