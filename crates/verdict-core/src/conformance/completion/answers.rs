//! What `completion/complete` answers: values for what is known, -32602 for what is not.

use super::asking::{ABSENT, ASKING, asked, known};
use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::conformance::discover::declares::{UNDECLARED, completion};
use crate::context::Context;
use crate::facts::Declared;
use crate::passive::{Seen, Slips, pattern, results};
use crate::record::{Answer, Record};
use crate::refusal::{answered, name_of};
use crate::ruling::{Finding, Ruling};
use crate::shape;
use serde_json::{Value, json};

/// Asks for completions of what does not exist, and without saying of what.
pub const ODD: Probe = Probe {
    name: "completion.odd",
    stage: Stage::Main,
    next: odd,
};

fn odd(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || cx.facts.declares("completions") != Declared::Yes {
        return vec![];
    }
    let uri = format!("mcp-verdict-missing://{}/{{part}}", cx.settings.nonce);
    let template = json!({
        "ref": {"type": "ref/resource", "uri": uri},
        "argument": {"name": "part", "value": ""},
    });
    let mut asks = vec![
        completion(cx, "prompt"),
        Ask::request("template", "completion/complete", template),
    ];
    if let Some((reference, _)) = known(cx).into_iter().next() {
        let params = json!({"ref": reference});
        asks.push(Ask::request("incomplete", "completion/complete", params).faulty());
    }
    asks
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("completion.shape", "A completion has its values as strings, and total and hasMore of the right types")
        .reads()
        .spec("schema#CompleteResult")
        .why("Typed clients refuse the whole completion for one value that is no string.")
        .fix("Send completion.values as an array of strings, total as a number and hasMore as a boolean.")
        .official(&["completion-complete"])
        .probes(&[&ASKING])
        .judge(values),
    Check::must("completion.max-100", "A completion has at most 100 values")
        .reads()
        .spec("completion#completion-results")
        .why("Clients refuse longer lists, or cut them where they like.")
        .fix("Send the best 100 values, with hasMore: true and the number of all in total.")
        .official(&["wire-schema-valid"])
        .probes(&[&ASKING])
        .judge(at_most_100),
    Check::advisory("completion.total-consistent", "total and hasMore agree with the values that were sent")
        .reads()
        .spec("completion#completion-results")
        .why("Clients tell users by them whether typing on will narrow the list.")
        .fix("Let total count all matches, not those of this answer, and set hasMore when there are more than were sent.")
        .probes(&[&ASKING])
        .judge(consistent),
    Check::should("completion.unknown-ref", "Completion for an unknown prompt is refused with -32602")
        .spec("completion#error-handling")
        .why("An empty list looks like a prompt without suggestions; the client never learns that its list is stale.")
        .fix("Look the reference up first, and answer an unknown prompt with -32602 (invalid params).")
        .probes(&[&ASKING, &ODD])
        .judge(unknown),
    Check::should("completion.missing-argument", "Completion without an argument is refused with -32602")
        .spec("completion#error-handling")
        .why("A client's slip goes unnoticed, or comes back as an internal error.")
        .fix("Check that `argument` has a name and a value, and answer -32602 (invalid params) otherwise.")
        .probes(&[&ASKING, &ODD])
        .judge(missing),
    Check::should("completion.unsupported", "A server without completions refuses completion/complete with -32601")
        .spec("completion#error-handling")
        .why("Another code tells a client that it asked in the wrong way, not that the feature is missing.")
        .fix("Treat completion/complete as an unknown method where it is not offered: -32601 (method not found).")
        .probes(&[&UNDECLARED])
        .judge(unsupported),
];

/// Why completions cannot be judged; none when they can.
fn undeclared(cx: &Context) -> Option<Ruling> {
    match cx.facts.declares("completions") {
        Declared::Yes => None,
        Declared::No => Some(Ruling::not_applicable(
            "the server does not declare completions",
        )),
        Declared::Unknown => Some(Ruling::skip(
            "capabilities is not an object (discover.shape)",
        )),
    }
}

/// The complete answers that are objects; a ruling when there are none.
fn completions<'c>(cx: &Context<'c>) -> Result<Vec<Seen<'c>>, Ruling> {
    if let Some(ruling) = undeclared(cx) {
        return Err(ruling);
    }
    let seen: Vec<Seen> = results(cx)
        .filter(|seen| seen.method == "completion/complete" && seen.result.is_object())
        .filter(|seen| seen.kind() != Some("input_required"))
        .collect();
    if !seen.is_empty() {
        return Ok(seen);
    }
    let Some(record) = asked(cx).next() else {
        return Err(Ruling::skip(
            "no prompt or template with arguments is listed",
        ));
    };
    Err(match answered(cx, &record.exchange.name) {
        Err(ruling) => ruling,
        Ok(_) => Ruling::skip("no completion was answered with a result that can be judged"),
    })
}

fn values(cx: &Context) -> Ruling {
    let seen = match completions(cx) {
        Ok(seen) => seen,
        Err(ruling) => return ruling,
    };
    let mut slips = Slips::default();
    for seen in &seen {
        let violations = shape::result("completion/complete", seen.result);
        for violation in shape::owned_by(&violations, Some("completion.shape")) {
            slips.add(pattern(&violation.pointer), || {
                let place = violation
                    .pointer
                    .trim_start_matches("/result/")
                    .replace('/', ".");
                let message = format!(
                    "{place} is {}; expected {}",
                    violation.actual, violation.expected
                );
                let finding = if violation.soft {
                    Finding::unproven(message)
                } else {
                    Finding::broken(message)
                };
                finding.seen_in(seen.record).at(&violation.pointer)
            });
        }
    }
    slips.ruling(format!("{} completions", seen.len()))
}

fn count(seen: &Seen) -> Option<usize> {
    let values = seen.result.pointer("/completion/values")?.as_array()?;
    Some(values.len())
}

/// Whether all values are strings; `completion.shape` speaks of others.
fn is_text(seen: &Seen) -> bool {
    let values = seen
        .result
        .pointer("/completion/values")
        .and_then(Value::as_array);
    values.is_some_and(|values| values.iter().all(Value::is_string))
}

fn at_most_100(cx: &Context) -> Ruling {
    let seen = match completions(cx) {
        Ok(seen) => seen,
        Err(ruling) => return ruling,
    };
    let mut slips = Slips::default();
    let mut most = 0;
    for seen in &seen {
        let count = count(seen).unwrap_or(0);
        most = most.max(count);
        if count > 100 {
            slips.add("long", || {
                Finding::broken(format!(
                    "a completion has {count} values; expected at most 100"
                ))
                .seen_in(seen.record)
                .at("/result/completion/values")
            });
        }
    }
    slips.ruling(format!("at most {most} values"))
}

fn consistent(cx: &Context) -> Ruling {
    let seen = match completions(cx) {
        Ok(seen) => seen,
        Err(ruling) => return ruling,
    };
    let mut slips = Slips::default();
    for seen in &seen {
        let Some(count) = count(seen).filter(|_| is_text(seen)) else {
            continue;
        };
        let member = |name: &str| seen.result.pointer(&format!("/completion/{name}"));
        let Some(total) = member("total").and_then(Value::as_u64) else {
            continue;
        };
        let sent = count as u64;
        let (key, message) = if total < sent {
            let message = format!("total is {total}, yet {sent} values were sent");
            ("total", message)
        } else if total > sent && member("hasMore") == Some(&json!(false)) {
            let message =
                format!("hasMore is false, yet total is {total} and {sent} values were sent");
            ("hasMore", message)
        } else {
            continue;
        };
        slips.add(key, || {
            Finding::noted(message)
                .seen_in(seen.record)
                .at(format!("/result/completion/{key}"))
        });
    }
    slips.ruling(format!("{} completions", seen.len()))
}

/// A ruling where `completion/complete` is not served at all, so that a refusal proves nothing (G1).
fn unserved(cx: &Context) -> Option<Ruling> {
    if let Some(ruling) = undeclared(cx) {
        return Some(ruling);
    }
    let control = asked(cx).next().or_else(|| cx.record(ABSENT));
    match control.map(Record::answer) {
        Some(Answer::Error(Some(-32601))) => Some(Ruling::skip(
            "completion/complete is not known to the server (discover.honours-completions)",
        )),
        _ => None,
    }
}

/// An exchange that holds a JSON-RPC response; what holds none is for transport.* and errors.* to tell.
fn responded<'c>(cx: &Context<'c>, name: &str) -> Result<&'c Record, Ruling> {
    let record = answered(cx, name)?;
    match record.answer() {
        Answer::Foreign => Err(Ruling::skip("the answer holds no JSON-RPC response")),
        _ => Ok(record),
    }
}

/// How a request that should be refused with -32602 was answered instead; none when it was refused so.
fn served(record: &Record) -> Option<String> {
    Some(match record.answer() {
        Answer::Error(Some(-32602)) => return None,
        Answer::Error(Some(code)) => format!("refused with {code}{}", name_of(code)),
        Answer::Result(_) => "answered with a result".to_owned(),
        _ => return None,
    })
}

fn unknown(cx: &Context) -> Ruling {
    if let Some(ruling) = unserved(cx) {
        return ruling;
    }
    let record = match responded(cx, "completion.odd/prompt") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let mut findings = Vec::new();
    if let Some(got) = served(record) {
        let message = format!(
            "completion for a prompt that does not exist is {got}; expected -32602 (invalid params)"
        );
        findings.push(Finding::broken(message).seen_in(record));
    }
    let template = responded(cx, "completion.odd/template").ok();
    if let Some((record, got)) = template.and_then(|record| Some((record, served(record)?))) {
        let message = format!(
            "completion for a template that is not listed is {got}; the text names prompts only"
        );
        findings.push(Finding::noted(message).seen_in(record));
    }
    Ruling::of(findings, "refused with -32602")
}

fn missing(cx: &Context) -> Ruling {
    if let Some(ruling) = unserved(cx) {
        return ruling;
    }
    if known(cx).is_empty() {
        return Ruling::skip("no prompt or template with arguments is listed");
    }
    let record = match responded(cx, "completion.odd/incomplete") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    match served(record) {
        None => Ruling::met("refused with -32602"),
        Some(got) => Finding::broken(format!(
            "completion/complete without `argument` is {got}; expected -32602 (invalid params)"
        ))
        .seen_in(record)
        .into(),
    }
}

fn unsupported(cx: &Context) -> Ruling {
    match cx.facts.declares("completions") {
        Declared::Yes => return Ruling::not_applicable("the server declares completions"),
        Declared::Unknown => return Ruling::skip("capabilities is not an object (discover.shape)"),
        Declared::No => {}
    }
    let record = match answered(cx, &format!("{}/completions", UNDECLARED.name)) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let got = match record.answer() {
        Answer::Error(Some(-32601)) => return Ruling::met("refused with -32601"),
        Answer::Error(Some(code)) => format!("refused with {code}{}", name_of(code)),
        Answer::Error(None) => "refused with an error without a code".to_owned(),
        Answer::Result(_) => {
            return Ruling::skip("answered with a result (discover.declares-completions)");
        }
        _ => return Ruling::skip("not answered with a JSON-RPC response"),
    };
    Finding::broken(format!(
        "completion/complete is {got}, while completions is not declared; expected -32601 (method not found)"
    ))
    .seen_in(record)
    .into()
}
