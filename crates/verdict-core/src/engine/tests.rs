//! The engine driven by hand, with bytes and a clock of our own.

mod elsewhere;
mod lines;
mod listens;
mod pace;

use super::{Command, EXIT_MS, Engine, Event, LINGER_MS};
use crate::ask::{Ask, Lane, Patience, Payload, Probe, Stage};
use crate::context::Context;
use crate::record::{Answer, Record, Recording};
use crate::survey;
use crate::testing::{config, settings};
use serde_json::{Value, json};
use verdict_model::transcript::End;

/// An engine, its clock, and what it asked for.
struct Run {
    engine: Engine,
    now: u64,
    opened: u32,
    sent: Vec<(u32, String)>,
    ended: Vec<u32>,
    closed: Vec<u32>,
}

impl Run {
    fn new(stdio: bool, plan: &[&Probe]) -> Self {
        Self::with(stdio, plan, |_| {})
    }

    fn with(stdio: bool, plan: &[&Probe], change: fn(&mut crate::settings::Settings)) -> Self {
        let mut settings = settings(config(), stdio);
        change(&mut settings);
        let mut run = Self {
            engine: Engine::new(settings, plan),
            now: 0,
            opened: 0,
            sent: Vec::new(),
            ended: Vec::new(),
            closed: Vec::new(),
        };
        run.obey();
        run
    }

    /// Opens what is to be opened, and notes the rest.
    fn obey(&mut self) {
        while let Some(command) = self.engine.command() {
            match command {
                Command::Open { channel, .. } => {
                    self.opened += 1;
                    let peer = None;
                    self.engine
                        .handle(self.now, Event::Opened { channel, peer });
                }
                Command::Send { channel, bytes } => {
                    let text = String::from_utf8(bytes).expect("text");
                    self.sent.push((channel, text));
                }
                Command::EndInput { channel } | Command::Terminate { channel } => {
                    self.ended.push(channel);
                }
                Command::Close { channel } => self.closed.push(channel),
            }
        }
    }

    fn say(&mut self, channel: u32, text: &str) {
        let bytes = text.as_bytes();
        self.engine
            .handle(self.now, Event::Received { channel, bytes });
        self.obey();
    }

    fn end(&mut self, channel: u32, how: &str) {
        let how = how.to_owned();
        self.engine.handle(self.now, Event::Ended { channel, how });
        self.obey();
    }

    /// Lets time pass, with a tick whenever the engine wants one.
    fn wait(&mut self, ms: u64) {
        let until = self.now + ms;
        while let Some(at) = self.engine.wakeup().filter(|at| *at <= until) {
            self.now = at;
            self.engine.handle(at, Event::Tick);
            self.obey();
        }
        self.now = until;
    }

    /// Ids and methods of what was sent since the last time, with its channel.
    fn asked(&mut self) -> Vec<(u32, String)> {
        let sent = std::mem::take(&mut self.sent);
        let named = sent.iter().map(|(channel, text)| {
            let body = text.rsplit("\r\n\r\n").next().unwrap_or_default();
            let body: Value = serde_json::from_str(body).unwrap_or_default();
            let id = body["id"].as_str().or(body["method"].as_str());
            (*channel, id.unwrap_or(text.trim_end()).to_owned())
        });
        named.collect()
    }

    fn record(self) -> Recording {
        self.engine.into_recording()
    }
}

fn line(id: &str) -> String {
    format!("{}\n", answer(id))
}

fn answer(id: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete"}})
}

fn http(status: u16, fields: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{fields}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

const fn probe(next: crate::ask::Next) -> Probe {
    Probe {
        name: "p",
        stage: Stage::Era,
        next,
    }
}

fn ask(step: &str) -> Ask {
    Ask::request(step, "tools/list", json!({}))
}

fn end_of<'r>(recording: &'r Recording, name: &str) -> &'r End {
    &recording.record(name).expect("a record").exchange.end
}

fn once(round: usize, asks: Vec<Ask>) -> Vec<Ask> {
    if round == 0 { asks } else { vec![] }
}

#[test]
fn requests_of_one_process_may_be_written_together() {
    let together = |_: &Context, round: usize| {
        let all = ["1", "2", "3"].map(|step| ask(step).alongside());
        once(round, [vec![ask("0")], all.into(), vec![ask("4")]].concat())
    };
    let mut run = Run::new(true, &[&probe(together)]);
    assert_eq!(run.asked(), [(0, "p/0".to_owned())]);
    run.say(0, &line("p/0"));
    let ids: Vec<String> = run.asked().into_iter().map(|(_, id)| id).collect();
    assert_eq!(ids, ["p/1", "p/2", "p/3"]);
    run.say(0, &[line("p/3"), line("p/1")].concat());
    assert_eq!(run.asked(), []);
    run.say(0, &line("p/2"));
    assert_eq!(run.asked(), [(0, "p/4".to_owned())]);
    run.say(0, &line("p/4"));
    assert_eq!((run.opened, run.ended.as_slice()), (1, [0].as_slice()));
    run.end(0, "exit code 0");
    assert!(run.engine.finished());
    let recording = run.record();
    for number in 0..5 {
        let record = recording.record(&format!("p/{number}")).expect("a record");
        assert!(matches!(record.answer(), Answer::Result(_)), "{number}");
    }
}

#[test]
fn when_one_is_lost_the_others_of_its_process_are_asked_again() {
    let together = |_: &Context, round: usize| {
        let first = ask("1").alongside().once();
        once(round, vec![first, ask("2").alongside()])
    };
    let mut run = Run::new(true, &[&probe(together)]);
    run.wait(9_000);
    run.sent.clear();
    run.wait(1_000);
    assert_eq!(run.closed, [0]);
    assert_eq!(run.asked(), [(1, "p/2".to_owned())]);
    run.say(1, &line("p/2"));
    run.end(1, "exit code 0");
    let recording = run.record();
    assert_eq!(*end_of(&recording, "p/1"), End::TimedOut);
    assert_eq!(*end_of(&recording, "p/2"), End::Complete);
}

#[test]
fn silence_sends_nothing_and_holds_the_process() {
    let silent = |_: &Context, round: usize| {
        let asks = vec![Ask::silence("quiet", 2_000), ask("after")];
        once(
            round,
            asks.into_iter()
                .map(|ask| ask.over(Lane::Own("x")))
                .collect(),
        )
    };
    let mut run = Run::new(true, &[&probe(silent)]);
    run.say(
        0,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n",
    );
    run.say(0, &line("early"));
    run.wait(1_999);
    assert_eq!(run.asked(), []);
    run.wait(1);
    assert_eq!(run.asked(), [(0, "p/after".to_owned())]);
    run.say(0, &line("p/after"));
    run.end(0, "exit code 0");
    let recording = run.record();
    assert_eq!(*end_of(&recording, "p/quiet"), End::Silent);
    let strays = &recording.channels[0].stray;
    assert_eq!(strays.len(), 2);
    assert!(strays.iter().all(|stray| !stray.in_flight));
}

#[test]
fn a_notification_can_be_watched() {
    let watch = |_: &Context, round: usize| {
        let note = Ask::notification("note", "notifications/x", json!({}));
        once(
            round,
            vec![note.patience(Patience::Watch(1_000)).once(), ask("after")],
        )
    };
    let mut run = Run::new(true, &[&probe(watch)]);
    run.wait(500);
    run.say(
        0,
        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1,\"message\":\"\"}}\n",
    );
    run.say(
        0,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n",
    );
    assert_eq!(run.asked().len(), 1);
    run.wait(500);
    assert_eq!(run.asked(), [(0, "p/after".to_owned())]);
    run.say(0, &line("p/after"));
    run.end(0, "exit code 0");
    let recording = run.record();
    let record = recording.record("p/note").expect("a record");
    assert_eq!(record.exchange.end, End::Silent);
    assert_eq!(record.replies().count(), 1);
    // A notification owns none.
    assert_eq!(recording.channels[0].stray.len(), 1);
}

#[test]
fn a_process_that_does_not_exit_is_closed() {
    let mut run = Run::new(true, &[&probe(|_, round| once(round, vec![ask("1")]))]);
    run.say(0, &line("p/1"));
    run.wait(EXIT_MS - 1);
    assert!(!run.engine.finished());
    run.wait(1);
    assert!(run.engine.finished());
    assert_eq!(run.closed, [0]);
    let recording = run.record();
    assert_eq!(recording.channels[0].input_closed_ms, Some(0));
    assert_eq!(recording.channels[0].ended_ms, None);
}

#[test]
fn floods_end_at_their_limits() {
    let note = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n";
    let one = probe(|_, round| once(round, vec![ask("1").once()]));
    let few = |settings: &mut crate::settings::Settings| settings.limits.events = 50;

    let mut run = Run::with(true, &[&one], few);
    run.say(0, &note.repeat(60));
    assert!(run.engine.finished());
    assert!(
        matches!(end_of(&run.record(), "p/1"), End::Malformed(why) if why.contains("50 messages"))
    );

    let mut run = Run::with(false, &[&one], few);
    run.say(0, STREAM);
    run.say(0, &format!("data: {note}\n").repeat(60));
    assert!(
        matches!(end_of(&run.record(), "p/1"), End::Malformed(why) if why.contains("50 events"))
    );

    let mut run = Run::with(true, &[&one], |settings| settings.limits.run_bytes = 5_000);
    run.say(0, &"noise\n".repeat(1_000));
    assert!(run.engine.finished());
    let recording = run.record();
    assert!(
        recording
            .cut_off
            .is_some_and(|why| why.contains("5000 bytes"))
    );
    assert!(recording.channels[0].stray.len() <= 100);

    let mut run = Run::with(false, &[&one], |settings| {
        settings.limits.run_held_bytes = 64_000;
    });
    run.say(0, STREAM);
    let many = json!({"jsonrpc": "2.0", "method": "x", "params": vec![0; 600]});
    run.say(0, &format!("data: {many}\n\n"));
    assert!(!run.engine.finished());
    run.say(0, &format!("data: {many}\n\n"));
    assert!(run.engine.finished());
    assert!(
        run.record()
            .cut_off
            .is_some_and(|why| why.contains("64000 bytes in memory"))
    );

    let mut run = Run::with(true, &[&one], |settings| {
        settings.limits.answer_bytes = 1_000;
    });
    run.say(0, &"x".repeat(2_000));
    assert!(matches!(end_of(&run.record(), "p/1"), End::Malformed(_)));
}

#[test]
fn nothing_extends_the_time_limit() {
    let one = probe(|_, round| once(round, vec![ask("1").once()]));
    for drip in [": still here\n", "data: x\n\n", "x"] {
        let mut run = Run::new(false, &[&one]);
        run.say(0, STREAM);
        for _ in 0..4 {
            run.wait(3_000);
            run.say(0, drip);
        }
        assert!(run.engine.finished(), "{drip:?}");
        assert_eq!(*end_of(&run.record(), "p/1"), End::TimedOut, "{drip:?}");
    }
}

#[test]
fn a_stream_that_stays_open_is_watched_for_a_while() {
    let mut run = Run::new(false, &[&probe(|_, round| once(round, vec![ask("1")]))]);
    run.say(0, STREAM);
    run.say(0, &format!("data: {}\n\n", answer("other")));
    run.say(0, &format!("data: {}\n\n", answer("p/1")));
    run.wait(LINGER_MS);
    assert!(run.engine.finished());
    let recording = run.record();
    assert_eq!(*end_of(&recording, "p/1"), End::LeftOpen);
    let record = recording.record("p/1").expect("a record");
    let id = record.response().and_then(|response| response.id());
    assert_eq!(id, Some(&json!("p/1")), "its own response, not the first");
}

#[test]
fn the_response_to_another_request_is_not_taken_for_an_answer() {
    let two = probe(|cx, round| match round {
        0 => vec![ask("1").once()],
        1 if cx.record("p/1").is_some() => vec![ask("2")],
        _ => vec![],
    });
    let mut run = Run::new(false, &[&two]);
    run.say(0, STREAM);
    run.asked();
    run.say(0, &format!("data: {}\n\n", answer("other")));
    assert_eq!(run.asked(), []);
    run.wait(LINGER_MS);
    assert_eq!(run.asked(), [(1, "p/2".to_owned())]);
}

#[test]
fn bytes_beyond_an_answer_end_the_connection() {
    let two = |_: &Context, round: usize| match round {
        0 => vec![ask("1").over(Lane::Own("x"))],
        1 => vec![ask("2").over(Lane::Own("x"))],
        _ => vec![],
    };
    let body = |id: &str| http(200, "", &answer(id).to_string());
    let mut run = Run::new(false, &[&probe(two)]);
    run.say(0, &format!("{}{}", body("p/1"), body("p/1")));
    assert_eq!(run.asked().last(), Some(&(1, "p/2".to_owned())));
    // Late ones as well, between two requests.
    let mut run = Run::new(false, &[&probe(two)]);
    run.say(0, &body("p/1"));
    assert_eq!(run.asked().last(), Some(&(0, "p/2".to_owned())));
    run.say(0, &body("p/2"));
    assert!(run.engine.finished());
}

#[test]
fn a_connection_that_was_closed_while_idle_is_no_loss() {
    let two = |_: &Context, round: usize| match round {
        0 => vec![ask("1").over(Lane::Own("x")).once()],
        1 => vec![ask("2").over(Lane::Own("x")).once()],
        _ => vec![],
    };
    let mut run = Run::new(false, &[&probe(two)]);
    run.say(0, &http(200, "", &answer("p/1").to_string()));
    run.asked();
    run.end(0, "closed");
    assert_eq!(run.asked(), [(1, "p/2".to_owned())]);
    run.end(1, "closed");
    assert!(matches!(end_of(&run.record(), "p/2"), End::Lost(_)));
}

#[test]
fn redirects_of_the_first_request_hold_for_the_run() {
    let list = Probe {
        name: "q",
        stage: Stage::Main,
        next: |_, round| once(round, vec![ask("1"), ask("2")]),
    };
    let mut run = Run::new(false, &[&survey::ERA, &list]);
    run.say(0, &http(307, "Location: /mcp/\r\n", ""));
    let sent = &run.sent.last().expect("sent").1;
    assert!(sent.starts_with("POST /mcp/ HTTP/1.1"), "{sent}");
    run.sent.clear();
    let discover = json!({"jsonrpc": "2.0", "id": "era/discover", "result": {}});
    run.say(0, &http(200, "", &discover.to_string()));
    assert!(
        run.sent
            .iter()
            .all(|(_, text)| text.starts_with("POST /mcp/ "))
    );
    run.sent.clear();
    // One that meets a later request is for that request alone.
    run.say(0, &http(308, "Location: /elsewhere\r\n", ""));
    assert!(run.sent[0].1.starts_with("POST /elsewhere "));
    run.say(0, &http(200, "", &answer("q/1").to_string()));
    run.say(1, &http(500, "", ""));
    assert!(run.sent.last().expect("sent").1.starts_with("POST /mcp/ "));
    let recording = run.record();
    let redirects = |name: &str| {
        let record = recording.record(name).expect("a record");
        record.exchange.http.clone().expect("http").redirects
    };
    assert_eq!(redirects("era/discover"), ["/mcp/"]);
    assert_eq!(redirects("q/1"), ["/elsewhere"]);
}

#[test]
fn redirects_end() {
    let one = probe(|_, round| once(round, vec![ask("1").once()]));
    let mut run = Run::new(false, &[&one]);
    for _ in 0..4 {
        run.say(0, &http(307, "Location: /mcp\r\n", ""));
    }
    assert!(run.engine.finished());
    assert_eq!(run.asked().len(), 4);
    for elsewhere in [
        "https://127.0.0.1:8000/mcp",
        "http://169.254.169.254/",
        "//evil/",
    ] {
        let mut run = Run::new(false, &[&one]);
        run.say(0, &http(307, &format!("Location: {elsewhere}\r\n"), ""));
        assert_eq!(run.asked().len(), 1, "{elsewhere}");
        let recording = run.record();
        assert_eq!(recording.record("p/1").and_then(Record::status), Some(307));
    }
}

#[test]
fn answers_are_used_for_their_own_request_once() {
    let two = |_: &Context, round: usize| match round {
        0 => vec![ask("1")],
        1 => vec![ask("2").once()],
        _ => vec![],
    };
    let mut run = Run::new(true, &[&probe(two)]);
    run.say(0, &line("p/2"));
    run.say(0, "[]\n");
    run.say(0, &line("p/1"));
    run.say(0, &line("p/1"));
    assert_eq!(run.asked().last(), Some(&(0, "p/2".to_owned())));
    run.wait(10_000);
    run.end(0, "exit code 0");
    let recording = run.record();
    assert_eq!(*end_of(&recording, "p/2"), End::TimedOut);
    assert_eq!(recording.channels[0].stray.len(), 3);
}

#[test]
fn damaged_ids_are_seen_at_once() {
    let one = probe(|_, round| once(round, vec![ask("1").id(json!("7"))]));
    let mut run = Run::new(true, &[&one]);
    run.say(0, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n");
    assert_eq!(*end_of(&run.record(), "p/1"), End::Complete);
}

#[test]
fn batches_and_bad_lines_can_be_answered() {
    let raw = |_: &Context, round: usize| {
        let bytes = Payload::Raw(b"[]".to_vec());
        let raw = Ask::post("raw", bytes)
            .patience(Patience::Watch(500))
            .once();
        once(round, vec![raw, ask("after")])
    };
    let mut run = Run::new(true, &[&probe(raw)]);
    assert_eq!(run.asked(), [(0, "[]".to_owned())]);
    run.say(0, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{}}\n");
    run.wait(500);
    assert_eq!(run.asked(), [(0, "p/after".to_owned())]);
    run.say(0, &line("p/after"));
    run.end(0, "exit code 0");
    let recording = run.record();
    assert_eq!(
        recording.record("p/raw").map(|one| one.replies().count()),
        Some(1)
    );
}

#[test]
fn few_processes_start_at_one_time() {
    let many = |cx: &Context, round: usize| match round {
        0 => vec![ask("0")],
        1 if cx.record("p/0").is_some() => {
            let quiet = Ask::silence("quiet", 2_000).over(Lane::Own("quiet"));
            let more = ["a", "b", "c", "d"].map(|lane| ask(lane).over(Lane::Own(lane)));
            [vec![quiet], more.into()].concat()
        }
        _ => vec![],
    };
    let mut run = Run::new(true, &[&probe(many)]);
    run.wait(900);
    run.say(0, &line("p/0"));
    // Silence costs nothing, so it is not counted.
    assert_eq!(run.opened, 4);
    run.say(2, &line("p/a"));
    assert_eq!(run.opened, 5, "one that has started makes room");
    run.wait(3 * 900);
    assert_eq!(run.opened, 6, "and so does one that had its time");
    // The time limit begins when the process can have started.
    run.say(4, &line("p/c"));
    run.say(5, &line("p/d"));
    run.wait(10_000 - 1);
    assert!(run.closed.is_empty());
    run.wait(1);
    assert_eq!(run.closed, [3]);
}

#[test]
fn a_late_stage_comes_after_all_others() {
    let main = Probe {
        name: "main",
        stage: Stage::Main,
        next: |_, round| once(round, vec![ask("1")]),
    };
    let late = Probe {
        name: "late",
        stage: Stage::Late,
        next: |_, round| once(round, vec![ask("1")]),
    };
    let mut run = Run::new(true, &[&late, &main, &survey::ERA]);
    for id in ["era/discover", "main/1", "late/1"] {
        assert_eq!(run.asked(), [(0, id.to_owned())]);
        run.say(0, &line(id));
    }
    assert_eq!(run.ended, [0]);
}

#[test]
fn all_of_standard_error_is_looked_at() {
    let mut run = Run::new(true, &[&probe(|_, round| once(round, vec![ask("1")]))]);
    let mut told = |bytes: &[u8]| {
        let event = Event::Diagnostics { channel: 0, bytes };
        run.engine.handle(0, event);
    };
    told(b"caf\xE9\n");
    for _ in 0..10 {
        told(&b"plain\n".repeat(1_000));
    }
    run.say(0, &line("p/1"));
    run.end(0, "exit code 0");
    let recording = run.record();
    assert!(recording.channels[0].stderr_invalid_utf8);
    assert!(recording.channels[0].stderr_tail.ends_with("plain\n"));
}
