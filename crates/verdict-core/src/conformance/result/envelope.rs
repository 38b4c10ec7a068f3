//! Responses as JSON-RPC messages: `jsonrpc`, one of `result` and `error`, and the id of the request.
//!
//! Servers that keep ids in a map of strings, or read them as 32-bit numbers or floats, fail here.

use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::conformance::list::visits::VISITS;
use crate::context::Context;
use crate::passive::{Slips, exchanges, nothing_seen, results};
use crate::record::{Answer, Record};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::shortened;
use crate::wire::rpc::{Envelope, Kind, Parsed, same_id};
use serde_json::{Value, json};
use verdict_model::transcript::{Carrier, End, Sender};

/// Asks for the same under ids of every kind that JSON-RPC allows; over HTTP.
///
/// On stdio `list.visits` asks at its end: a process that loses an id is not asked again.
pub const IDS: Probe = Probe {
    name: "result.ids",
    stage: Stage::Main,
    next: ids,
};

const STEPS: [&str; 6] = [
    "id.text",
    "id.digits",
    "id.seven",
    "id.zero",
    "id.negative",
    "id.large",
];

fn ids(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || !cx.is_http() {
        return vec![];
    }
    asks(cx).collect()
}

/// The requests, each with an id of another kind.
pub fn asks(cx: &Context) -> impl Iterator<Item = Ask> {
    let ids = [
        json!(format!("s-{}", cx.settings.nonce)),
        // Some servers read numbers out of strings.
        json!("1001"),
        json!(7),
        json!(0),
        json!(-3),
        json!(9_007_199_254_740_991_i64),
    ];
    let asks = STEPS.into_iter().zip(ids);
    asks.map(|(step, id)| Ask::request(step, "server/discover", json!({})).id(id))
}

/// The exchanges in which they were sent.
fn probed<'c>(cx: &Context<'c>) -> impl Iterator<Item = &'c Record> {
    let probe = if cx.is_http() { IDS.name } else { VISITS.name };
    STEPS
        .iter()
        .filter_map(move |step| cx.record(&format!("{probe}/{step}")))
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("result.id-echo", "A result carries the id of its request, as the same value of the same type")
        .spec("basic#result-responses")
        .why("A client finds the request by the id of the answer; one that comes back changed answers nobody, and the caller waits for ever.")
        .fix("Keep the id as the JSON value it came as and write that value back; do not turn it into a string or a float.")
        .official(&["sep-2575-http-server-error-jsonrpc-id"])
        .probes(&[&IDS, &VISITS])
        .judge(echo),
    Check::must("result.envelope", "A response says jsonrpc \"2.0\" and has either a result or an error")
        .spec("basic#messages")
        .why("Clients drop messages that are not JSON-RPC 2.0, and read one with both members, or neither, at random.")
        .fix("Write {\"jsonrpc\": \"2.0\", \"id\": …} with one of result and error; leave the other out instead of sending null.")
        .official(&["wire-schema-valid"])
        .judge(envelope),
    Check::must("result.object", "A result is an object")
        .spec("schema#Result")
        .why("Every client reads members of the result; a list or a bare value breaks it.")
        .fix("Send an object; an empty one as {}, which some languages write as [] unless told otherwise.")
        .official(&["wire-schema-valid"])
        .judge(object),
];

fn echo(cx: &Context) -> Ruling {
    let mut slips = Slips::default();
    let mut echoed = 0;
    // Over HTTP other answers may be mixed up for another reason (transport.concurrent).
    let judged = |record: &Record| !cx.is_http() || record.exchange.name.starts_with(IDS.name);
    for seen in results(cx).filter(|seen| judged(seen.record)) {
        let Some(sent) = seen.record.request().and_then(Envelope::id) else {
            continue;
        };
        match seen.envelope.id() {
            Some(got) if same_id(sent, got) => echoed += 1,
            got => slips.add(kind_of_id(sent), || changed(seen.record, sent, got)),
        }
    }
    strangers(cx, &mut slips);
    let mut findings = slips.findings();
    let served = probed(cx)
        .filter(|record| record.result().is_some())
        .count();
    if findings.is_empty() && served > 0 {
        findings.extend(probed(cx).filter_map(lost));
    }
    if findings.is_empty() && served == 0 {
        return nothing_seen(cx, "result with an id of each kind");
    }
    Ruling::of(
        findings,
        format!("{echoed} results carry the id of their request"),
    )
}

/// A request that was not answered although the same one was, under other ids.
fn lost(record: &Record) -> Option<Finding> {
    let id = shortened(record.request().and_then(Envelope::id)?, 80);
    let finding = match (record.answer(), record.status()) {
        (Answer::Foreign, Some(200..=299)) => Finding::broken(format!(
            "the request with id {id} got no response, as if it were a notification; under other ids it is served"
        )),
        (Answer::Nothing(End::TimedOut), _) => Finding::unproven(format!(
            "the request with id {id} was not answered within the time limit; under other ids it is served"
        )),
        _ => return None,
    };
    Some(finding.seen_in(record))
}

/// One slip with one kind of id is one finding.
fn kind_of_id(id: &Value) -> &'static str {
    match id {
        Value::String(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => "digits",
        Value::String(_) => "string",
        other if other.as_i64() == Some(0) => "zero",
        other if other.as_i64().is_some_and(|id| id < 0) => "negative",
        other if other.as_i64().is_some_and(|id| id > i64::from(i32::MAX)) => "large",
        _ => "number",
    }
}

fn changed(record: &Record, sent: &Value, got: Option<&Value>) -> Finding {
    let sent = shortened(sent, 80);
    let message = match got {
        None => format!("the result of the request with id {sent} has no id"),
        Some(got) => format!(
            "the result of the request with id {sent} carries id {}",
            shortened(got, 80)
        ),
    };
    Finding::broken(message).seen_in(record).at("/id")
}

/// Results on a process's output that answer nothing that was asked, or a second time.
fn strangers(cx: &Context, slips: &mut Slips) {
    for (channel, number) in cx.recording.channels.iter().zip(0_u32..) {
        let strays = channel
            .stray
            .iter()
            .map(|stray| Parsed::read(&stray.text))
            .filter_map(|parsed| match parsed {
                Parsed::Object(envelope) if envelope.result.is_some() => Some(envelope),
                _ => None,
            });
        for stray in strays {
            let Some(id) = stray.id().filter(|id| !id.is_null()) else {
                if cx.recording.owes_ids(number) {
                    slips.add("nameless", || {
                        let message = "a result carries no id and answers nothing that was asked";
                        Finding::broken(message).about("stdio")
                    });
                }
                continue;
            };
            let asked = cx.recording.records.iter().find(|record| {
                let ours = record.request().and_then(Envelope::id);
                record.exchange.channel == Some(number)
                    && ours.is_some_and(|ours| same_id(ours, id))
            });
            let shown = shortened(id, 80);
            match asked {
                None => slips.add("stranger", || {
                    Finding::broken(format!("a result carries id {shown}, which no request had"))
                        .about("stdio")
                }),
                Some(record) if record.response().is_some() => slips.add("twice", || {
                    Finding::broken(format!("the request with id {shown} was answered twice"))
                        .seen_in(record)
                }),
                Some(_) => {}
            }
        }
    }
}

fn envelope(cx: &Context) -> Ruling {
    let mut slips = Slips::default();
    let mut count = 0;
    for record in exchanges(cx) {
        let good = record
            .status()
            .is_none_or(|status| (200..300).contains(&status));
        for (message, parsed) in record.replies() {
            let Some(envelope) = parsed.envelope() else {
                continue;
            };
            if !good && !envelope.members.contains_key("jsonrpc") {
                continue;
            }
            count += 1;
            if let Some((pointer, why)) = fault(record, envelope, &message.carrier) {
                slips.add(why, || {
                    let finding = Finding::broken(why).seen_in(record);
                    if pointer.is_empty() {
                        finding
                    } else {
                        finding.at(pointer)
                    }
                });
            }
        }
    }
    if count == 0 {
        return nothing_seen(cx, "message");
    }
    slips.ruling(format!("{count} messages are as they should be"))
}

/// What is wrong with a message as such: where, and in words.
fn fault(
    record: &Record,
    envelope: &Envelope,
    carrier: &Carrier,
) -> Option<(&'static str, &'static str)> {
    let version = envelope.members.get("jsonrpc");
    match envelope.kind() {
        // What is neither on a stream or a line is no message at all; transport.* and stdio.* tell.
        Kind::Neither if *carrier != Carrier::Body || owes_nothing(record) => None,
        Kind::Neither => Some((
            "",
            "the answer has neither a result nor an error; expected one of them",
        )),
        _ if version.is_none() => Some((
            "",
            "a message has no jsonrpc member; expected \"jsonrpc\": \"2.0\"",
        )),
        _ if version != Some(&json!("2.0")) => {
            Some(("/jsonrpc", "jsonrpc of a message is not the string \"2.0\""))
        }
        Kind::Response if envelope.result.is_some() && envelope.error().is_some() => Some((
            "/error",
            "a response has both a result and an error; expected one of them",
        )),
        Kind::Response | Kind::Request | Kind::Notification => None,
    }
}

/// Whether the message that was sent is owed no answer.
fn owes_nothing(record: &Record) -> bool {
    let sent = record
        .exchange
        .messages
        .iter()
        .any(|message| message.from == Sender::Client);
    !sent
        || record
            .request()
            .is_none_or(|request| request.id().is_none())
}

fn object(cx: &Context) -> Ruling {
    let mut slips = Slips::default();
    let mut count = 0;
    for seen in results(cx) {
        count += 1;
        if !seen.result.is_object() {
            slips.add(seen.method, || {
                let got = shortened(seen.result, 60);
                let note = if got == "[]" {
                    ", an empty object written as a list"
                } else {
                    ""
                };
                let method = seen.method;
                Finding::broken(format!(
                    "the result of {method} is {got}{note}; expected an object"
                ))
                .seen_in(seen.record)
                .at("/result")
            });
        }
    }
    if count == 0 {
        return match cx.record("era/discover").map(Record::answer) {
            Some(Answer::Error(_)) => Ruling::skip("only errors were seen"),
            _ => nothing_seen(cx, "result"),
        };
    }
    slips.ruling(format!("{count} results are objects"))
}

#[cfg(test)]
mod tests {
    use crate::testing::{record, replied, ruling_on, settings, word};
    use serde_json::{Value, json};
    use verdict_fixture::Server;
    use verdict_model::transcript::{Stray, Transcript};

    #[test]
    fn a_response_has_a_version_and_one_of_two_members() {
        let says = |status, mut reply: Value| {
            if reply.get("id").is_none() {
                reply["id"] = json!("given/1");
            }
            let recording = replied(&[("tools/list", status, reply)]);
            word(&ruling_on("result.envelope", &recording))
        };
        assert_eq!(says(200, json!({"jsonrpc": "2.0", "result": {}})), "met");
        assert_eq!(
            says(200, json!({"jsonrpc": "2.0", "result": {}, "error": null})),
            "broken"
        );
        assert_eq!(says(200, json!({"jsonrpc": "1.0", "result": {}})), "broken");
        assert_eq!(says(200, json!({"jsonrpc": 2.0, "error": {}})), "broken");
        assert_eq!(says(200, json!({"result": {}})), "broken");
        assert_eq!(says(200, json!({"jsonrpc": "2.0"})), "broken");
        assert_eq!(says(400, json!({"error": "invalid_token"})), "met");
        assert_eq!(says(404, json!({"jsonrpc": "2.0", "error": {}})), "met");
    }

    #[test]
    fn a_result_is_an_object() {
        for (result, due) in [
            (json!({}), "met"),
            (json!([]), "broken"),
            (json!("ok"), "broken"),
        ] {
            let reply = json!({"jsonrpc": "2.0", "id": "given/1", "result": result});
            let recording = replied(&[("tools/list", 200, reply)]);
            assert_eq!(
                word(&ruling_on("result.object", &recording)),
                due,
                "{result}"
            );
        }
    }

    /// What the check says of a run over stdio whose transcript was changed.
    fn over_stdio(change: impl FnOnce(&mut Transcript)) -> &'static str {
        let settings = settings(crate::testing::config(), true);
        let mut transcript = record(&Server::correct(), &settings).into_transcript();
        change(&mut transcript);
        let recording = crate::record::Recording::from_transcript(transcript);
        word(&ruling_on("result.id-echo", &recording))
    }

    #[test]
    fn strangers_on_a_process_are_found() {
        let stray = |transcript: &mut Transcript, id: Value| {
            let text = json!({"jsonrpc": "2.0", "id": id, "result": {}}).to_string();
            let stray = json!({"atMs": 0, "text": text});
            let stray: Stray = serde_json::from_value(stray).expect("a stray line");
            transcript.channels[0].stray.push(stray);
        };
        assert_eq!(over_stdio(|_| {}), "met");
        assert_eq!(
            over_stdio(|transcript| stray(transcript, json!("nobody"))),
            "broken"
        );
        assert_eq!(
            over_stdio(|transcript| stray(transcript, json!("era/discover"))),
            "broken"
        );
        assert_eq!(
            over_stdio(|transcript| stray(transcript, Value::Null)),
            "broken"
        );
        // What cannot be read is answered without an id.
        let odd = |transcript: &mut Transcript| {
            let asked = &mut transcript.exchanges[0];
            asked.messages[0].text = "{}".to_owned().into();
            stray(transcript, Value::Null);
        };
        assert_eq!(over_stdio(odd), "met");
    }

    #[test]
    fn an_id_that_gets_no_answer_is_told() {
        use verdict_model::transcript::{End, Sender};
        let lose = |transcript: &mut Transcript| {
            let lost = transcript
                .exchanges
                .iter_mut()
                .find(|exchange| exchange.name.ends_with("/id.zero"))
                .expect("asked");
            lost.messages
                .retain(|message| message.from == Sender::Client);
            lost.end = End::TimedOut;
        };
        assert_eq!(over_stdio(lose), "unproven");
    }
}
