//! Lines that no client may write: no JSON, and an array of requests. With `--intrusive` alone.
//!
//! What a server does with them is not stated; it should not die.

use super::super::transport::unusual::batch;
use super::process::GARBAGE;
use crate::ask::{Ask, Lane, Patience, Payload, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::{cut, parse};
use serde_json::{Value, json};
use verdict_model::transcript::{End, Sender};

/// Writes both lines to a process of their own, and a request after each.
pub const BAD_LINES: Probe = Probe {
    name: "stdio.garbage",
    stage: Stage::Main,
    next: bad_lines,
};

const WAIT_MS: u64 = 500;

fn bad_lines(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || cx.is_http() || !cx.settings.config.intrusive {
        return vec![];
    }
    let raw = |step: &str, bytes: Vec<u8>| {
        Ask::post(step, Payload::Raw(bytes))
            .patience(Patience::Watch(WAIT_MS))
            .once()
            .faulty()
    };
    let discover = |step: &str| Ask::request(step, "server/discover", json!({}));
    let array = batch(&["stdio.garbage/a", "stdio.garbage/b"]);
    let asks = vec![
        discover("before"),
        raw("line", b"not json".to_vec()),
        discover("after-line"),
        raw("batch", array.to_string().into_bytes()),
        discover("after-batch"),
    ];
    asks.into_iter()
        .map(|ask| ask.over(Lane::Own(GARBAGE)))
        .collect()
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::advisory("stdio.garbage-line", "A line that is no JSON does not end the server")
        .stdio()
        .intrusive()
        .spec("stdio")
        .why("A stray line from a wrapper or a debugger would end the whole conversation.")
        .fix("Catch errors where lines are parsed; answer -32700 (parse error) or pass the line over, and read on.")
        .probes(&[&BAD_LINES])
        .judge(garbage_line),
    Check::advisory("stdio.batch-line", "An array of requests is not served, and does not end the server")
        .stdio()
        .intrusive()
        .spec("stdio")
        .why("There are no batches in this revision; a server that serves them has rules that no client knows.")
        .fix("Answer a line that is not one JSON object with -32600 (invalid request), or pass it over.")
        .probes(&[&BAD_LINES])
        .judge(batch_line),
];

/// A bad line and the request behind it; a ruling when the server did not get that far.
fn pair<'c>(cx: &Context<'c>, before: &str, step: &str) -> Result<[&'c Record; 2], Ruling> {
    let record = |step: &str| cx.record(&format!("stdio.garbage/{step}"));
    let served = record(before).is_some_and(|one| matches!(one.answer(), Answer::Result(_)));
    match (record(step), record(&format!("after-{step}"))) {
        (Some(_), Some(after)) if after.exchange.end == End::Unfinished => {
            Err(Ruling::skip("the run was over first"))
        }
        (Some(line), Some(after)) if served => Ok([line, after]),
        _ => Err(Ruling::skip("the process did not serve a request before")),
    }
}

/// What became of the process, when it did not take a bad line well.
fn died(line: &Record, after: &Record) -> Option<String> {
    match (&line.exchange.end, after.answer()) {
        (End::Lost(why), _) => Some(why.clone()),
        // It was asked again in another process.
        _ if line.exchange.channel != after.exchange.channel => {
            Some("the process ended".to_owned())
        }
        (_, Answer::Result(_)) => None,
        _ => Some("the next request was not answered".to_owned()),
    }
}

fn garbage_line(cx: &Context) -> Ruling {
    let [line, after] = match pair(cx, "before", "line") {
        Ok(pair) => pair,
        Err(ruling) => return ruling,
    };
    match died(line, after) {
        Some(why) => {
            let message = format!("after a line that is no JSON: {}", cut(&why, 300));
            Finding::broken(message).seen_in(line).into()
        }
        None => Ruling::met("the next request was answered"),
    }
}

fn batch_line(cx: &Context) -> Ruling {
    let [line, after] = match pair(cx, "after-line", "batch") {
        Ok(pair) => pair,
        Err(ruling) => return ruling,
    };
    if let Some(why) = died(line, after) {
        let message = format!("after an array of requests: {}", cut(&why, 300));
        return Finding::broken(message).seen_in(line).into();
    }
    if !is_served(cx, line) {
        return Ruling::met("not served, and the next request was answered");
    }
    let message = "an array of requests is served; expected an error, or nothing";
    let finding = if cx.facts.is_dual() {
        Finding::noted(format!(
            "{message} (one of the earlier revisions has batches)"
        ))
    } else {
        Finding::broken(message)
    };
    finding.seen_in(line).into()
}

/// Whether results came for the array: one a line, or an array of them.
fn is_served(cx: &Context, line: &Record) -> bool {
    let holds = |value: &Value| value.get("result").is_some();
    let in_array = |text: &str| {
        let read = parse(text).map(|json| json.value);
        read.is_ok_and(|value| {
            value
                .as_array()
                .is_some_and(|items| items.iter().any(holds))
        })
    };
    let attributed = line.replies().any(|(message, parsed)| {
        message.from == Sender::Server
            && parsed
                .envelope()
                .is_some_and(|envelope| envelope.result.is_some())
    });
    let log = line
        .exchange
        .channel
        .and_then(|number| cx.recording.channels.get(number as usize));
    attributed
        || log
            .into_iter()
            .flat_map(|log| &log.stray)
            .filter(|stray| stray.at_ms >= line.exchange.sent_ms)
            .any(|stray| in_array(&stray.text))
}

#[cfg(test)]
mod tests {
    use crate::testing::{self, config};
    use verdict_fixture::Server;

    #[test]
    fn the_fixture_agrees() {
        let ruled = |id: &str, server: &Server| {
            let mut config = config();
            config.intrusive = true;
            testing::ruling(id, server, config, true)
        };
        for (id, defect) in [
            ("stdio.garbage-line", "dies-of-garbage"),
            ("stdio.batch-line", "batch-line-served"),
        ] {
            assert!(ruled(id, &Server::correct()).is_met(), "{id}");
            let server = Server::with(defect).expect("a defect");
            assert!(ruled(id, &server).is_broken(), "{id}");
        }
    }
}
