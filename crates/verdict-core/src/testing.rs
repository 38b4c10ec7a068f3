//! For tests: runs the engine against the in-memory server with simulated time, and judges.

pub(crate) mod told;

use crate::conformance::{checks, plan};
use crate::context::Context;
use crate::engine::{Command, Elsewhere, Engine, Event};
use crate::facts::Facts;
use crate::record::Recording;
use crate::ruling::{Ruling, Weight};
use crate::settings::Settings;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use verdict_fixture::{HttpPeer, Output, Server, StdioOutput, StdioPeer};
use verdict_model::config::Words;
use verdict_model::transcript::{Carrier, End, Exchange, HttpExchange, Message, Sender, Transport};
use verdict_model::{Config, Outcome, Report};

/// Milliseconds between two ticks of a server that has something to say later.
const STEP_MS: u64 = 20;

/// The configuration under which the built-in server shows all it has, except for reading YAML.
pub(crate) fn config() -> Config {
    let mut config = Config::default();
    config.server.url = Some("http://127.0.0.1:8000/mcp".to_owned());
    config
}

/// The settings for a configuration; on stdio its URL gives way to a command.
pub(crate) fn settings(mut config: Config, stdio: bool) -> Settings {
    if stdio {
        config.server.url = None;
        config.server.command = Some(Words::List(vec!["ledger".to_owned()]));
    }
    Settings::new(config, &|_| None).expect("a valid configuration")
}

enum Peer {
    Http(Box<HttpPeer>),
    Stdio(Box<StdioPeer>),
}

/// Runs the whole plan against a server.
pub(crate) fn record(server: &Server, settings: &Settings) -> Recording {
    let stdio = settings.endpoint().is_none();
    let mut engine = Engine::new(settings.clone(), &plan(settings));
    let mut peers: BTreeMap<u32, Peer> = BTreeMap::new();
    let mut now = 0;
    let mut rounds = 0;
    while !engine.finished() {
        rounds += 1;
        assert!(rounds < 200_000, "the run does not end");
        if let Some(command) = engine.command() {
            obey(command, server, stdio, &mut peers, &mut engine, now);
            continue;
        }
        let due = engine.wakeup().unwrap_or(now);
        now = due.min(now + STEP_MS).max(now);
        let channels: Vec<u32> = peers.keys().copied().collect();
        for channel in channels {
            tick(channel, &mut peers, &mut engine, now);
        }
        engine.handle(now, Event::Tick);
    }
    engine.into_recording()
}

fn obey(
    command: Command,
    server: &Server,
    stdio: bool,
    peers: &mut BTreeMap<u32, Peer>,
    engine: &mut Engine,
    now: u64,
) {
    match command {
        Command::Open { channel, elsewhere } => {
            let outside = elsewhere.is_some_and(|to| to.endpoint.host == Elsewhere::OWN_ADDRESS);
            if outside && !server.listens_everywhere() {
                let why = "connection refused".to_owned();
                return engine.handle(now, Event::Failed { channel, why });
            }
            let peer = if stdio {
                Peer::Stdio(Box::new(StdioPeer::new(server.clone())))
            } else {
                Peer::Http(Box::new(HttpPeer::new(server.clone())))
            };
            peers.insert(channel, peer);
            engine.handle(
                now,
                Event::Opened {
                    channel,
                    peer: None,
                },
            );
        }
        Command::Send { channel, bytes } => match peers.get_mut(&channel) {
            Some(Peer::Http(peer)) => http(channel, peer.receive(&bytes), peers, engine, now),
            Some(Peer::Stdio(peer)) => process(channel, peer.receive(&bytes), peers, engine, now),
            None => {}
        },
        Command::EndInput { channel } => {
            if let Some(Peer::Stdio(peer)) = peers.get_mut(&channel) {
                let outputs = peer.end_of_input();
                process(channel, outputs, peers, engine, now);
            }
        }
        Command::Terminate { channel } => match peers.get_mut(&channel) {
            Some(Peer::Stdio(peer)) => {
                let outputs = peer.terminate();
                process(channel, outputs, peers, engine, now);
            }
            Some(Peer::Http(peer)) => {
                let outputs = peer.shut_down();
                http(channel, outputs, peers, engine, now);
            }
            None => {}
        },
        Command::Close { channel } => {
            if let Some(Peer::Http(mut peer)) = peers.remove(&channel) {
                peer.close();
            }
        }
    }
}

fn tick(channel: u32, peers: &mut BTreeMap<u32, Peer>, engine: &mut Engine, now: u64) {
    match peers.get_mut(&channel) {
        Some(Peer::Http(peer)) => {
            let outputs = peer.tick(now);
            http(channel, outputs, peers, engine, now);
        }
        Some(Peer::Stdio(peer)) => {
            let outputs = peer.tick(now);
            process(channel, outputs, peers, engine, now);
        }
        None => {}
    }
}

fn http(
    channel: u32,
    outputs: Vec<Output>,
    peers: &mut BTreeMap<u32, Peer>,
    engine: &mut Engine,
    now: u64,
) {
    for output in outputs {
        match output {
            Output::Send(bytes) => engine.handle(
                now,
                Event::Received {
                    channel,
                    bytes: &bytes,
                },
            ),
            Output::Close => {
                peers.remove(&channel);
                engine.handle(
                    now,
                    Event::Ended {
                        channel,
                        how: "closed".to_owned(),
                    },
                );
            }
        }
    }
}

fn process(
    channel: u32,
    outputs: Vec<StdioOutput>,
    peers: &mut BTreeMap<u32, Peer>,
    engine: &mut Engine,
    now: u64,
) {
    for output in outputs {
        match output {
            StdioOutput::Stdout(bytes) => {
                engine.handle(
                    now,
                    Event::Received {
                        channel,
                        bytes: &bytes,
                    },
                );
            }
            StdioOutput::Stderr(bytes) => {
                engine.handle(
                    now,
                    Event::Diagnostics {
                        channel,
                        bytes: &bytes,
                    },
                );
            }
            StdioOutput::Exit(code) => {
                peers.remove(&channel);
                engine.handle(
                    now,
                    Event::Ended {
                        channel,
                        how: format!("exit code {code}"),
                    },
                );
            }
        }
    }
}

/// The report on a server.
pub(crate) fn report(server: &Server, config: Config, stdio: bool) -> Report {
    let settings = settings(config, stdio);
    crate::judge(&settings, &record(server, &settings))
}

/// What one check rules on a server.
pub(crate) fn ruling(id: &str, server: &Server, config: Config, stdio: bool) -> Ruling {
    let settings = settings(config, stdio);
    let recording = record(server, &settings);
    let facts = Facts::read(&recording);
    let context = Context {
        settings: &settings,
        recording: &recording,
        facts: &facts,
    };
    let check = checks()
        .find(|check| check.rule.id == id)
        .expect("a check of this id");
    (check.judge)(&context)
}

/// What one check rules on a correct server when some of its answers are others: the exchange's name, the
/// HTTP status, and the message, which gets the id of the request.
pub(crate) fn altered(
    id: &str,
    server: &Server,
    stdio: bool,
    answers: &[(&str, u16, serde_json::Value)],
) -> Ruling {
    let config = crate::matrix::full_config(verdict_fixture::Variant::Full);
    altered_under(config, id, server, stdio, answers)
}

/// The same under another configuration.
pub(crate) fn altered_under(
    config: Config,
    id: &str,
    server: &Server,
    stdio: bool,
    answers: &[(&str, u16, serde_json::Value)],
) -> Ruling {
    let settings = settings(config, stdio);
    let mut transcript = record(server, &settings).into_transcript();
    for (name, status, message) in answers {
        let exchange = transcript
            .exchanges
            .iter_mut()
            .find(|exchange| exchange.name == *name)
            .expect("an exchange of this name");
        answer(exchange, *status, message.clone());
    }
    let recording = Recording::from_transcript(transcript);
    let facts = Facts::read(&recording);
    let context = Context {
        settings: &settings,
        recording: &recording,
        facts: &facts,
    };
    let check = checks()
        .find(|check| check.rule.id == id)
        .expect("a check of this id");
    (check.judge)(&context)
}

/// One word for a ruling.
pub(crate) fn word(ruling: &Ruling) -> &'static str {
    match ruling {
        Ruling::Met(_) => "met",
        Ruling::Skip(_) => "skip",
        Ruling::NotApplicable(_) => "n/a",
        Ruling::Error(_) => "error",
        Ruling::Found(findings) => match findings.iter().map(|one| one.weight).max() {
            Some(Weight::Broken) => "broken",
            Some(Weight::Unproven) => "unproven",
            Some(Weight::Noted) | None => "noted",
        },
    }
}

/// Holds that checks call defects what they should, and the correct server neither broken nor unproven:
/// defect, check, outcome; over HTTP.
pub(crate) fn shows(cases: &[(&str, &str, &str)]) {
    let run = |server: &Server, variant| {
        outcomes(&report(server, crate::matrix::full_config(variant), false))
    };
    let mut sound = BTreeMap::new();
    for (name, id, due) in cases {
        let defect = verdict_fixture::DEFECTS
            .iter()
            .find(|defect| defect.name == *name)
            .expect("a defect of this name");
        let variant = defect.on;
        let sound = sound
            .entry(format!("{variant:?}"))
            .or_insert_with(|| run(&Server::of(variant), variant));
        assert!(
            matches!(sound[*id], Outcome::Pass | Outcome::NotApplicable),
            "{id} on the correct server: {:?}",
            sound[*id]
        );
        let found = run(&Server::with_defect(defect), variant);
        assert_eq!(found[*id].word(), *due, "{id} on {name}");
    }
}

/// Holds what a check rules against what it should: over HTTP, with one answer of a server altered.
pub(crate) fn rules(server: &Server, id: &str, cases: &[(&str, u16, serde_json::Value, &str)]) {
    assert_eq!(
        word(&altered(id, server, false, &[])),
        "met",
        "{id}, unaltered"
    );
    for (exchange, status, message, due) in cases {
        let ruling = altered(id, server, false, &[(exchange, *status, message.clone())]);
        assert_eq!(
            word(&ruling),
            *due,
            "{id}, {exchange} {status} {message}: {ruling:?}"
        );
    }
}

/// An answer with an error of this code.
pub(crate) fn error(code: i64) -> serde_json::Value {
    serde_json::json!({ "error": { "code": code, "message": "no" } })
}

/// An answer that serves discover.
pub(crate) fn served() -> serde_json::Value {
    serde_json::json!({ "result": { "resultType": "complete", "supportedVersions": ["2026-07-28"] } })
}

/// Puts another answer in place of what the server sent; null for one without a message.
fn answer(exchange: &mut Exchange, status: u16, mut message: serde_json::Value) {
    let mut last = None;
    exchange.messages.retain(|one| {
        if one.from == Sender::Server {
            last = Some(one.clone());
        }
        one.from == Sender::Client
    });
    exchange.end = End::Complete;
    if let Some(http) = &mut exchange.http {
        http.status = Some(status);
    }
    let Some(mut last) = last.filter(|_| !message.is_null()) else {
        return;
    };
    if message.get("id").is_none() {
        message["id"] = exchange.name.clone().into();
    }
    message["jsonrpc"] = "2.0".into();
    last.text = message.to_string().into();
    exchange.messages.push(last);
}

/// Outcomes by check id.
pub(crate) fn outcomes(report: &Report) -> BTreeMap<String, Outcome> {
    let checks = report
        .layers
        .conformance
        .iter()
        .flat_map(|layer| &layer.checks);
    checks
        .map(|check| (check.id.clone(), check.outcome))
        .collect()
}

/// What one check rules on a recording; over HTTP.
pub(crate) fn ruling_on(id: &str, recording: &Recording) -> Ruling {
    let settings = settings(config(), false);
    let facts = Facts::read(recording);
    let context = Context {
        settings: &settings,
        recording,
        facts: &facts,
    };
    let check = checks()
        .find(|check| check.rule.id == id)
        .expect("a check of this id");
    (check.judge)(&context)
}

/// A recording over HTTP: a served discover, then faultless requests of a method with what was replied.
pub(crate) fn replied(replies: &[(&str, u16, Value)]) -> Recording {
    let discover = json!({"jsonrpc": "2.0", "id": "era/discover", "result": {
        "resultType": "complete", "supportedVersions": [verdict_model::REVISION], "capabilities": {}
    }});
    let mut recording = Recording::new(Transport::Http);
    let begin = [("server/discover", 200, discover)];
    for (number, (method, status, reply)) in begin.iter().chain(replies).enumerate() {
        let name = match number {
            0 => "era/discover".to_owned(),
            number => format!("given/{number}"),
        };
        let request = json!({"jsonrpc": "2.0", "id": name, "method": method,
            "params": {"_meta": crate::ask::meta(verdict_model::REVISION)}});
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let at = recording.begin(Exchange {
            name,
            http: Some(HttpExchange {
                verb: "POST".to_owned(),
                request_headers: vec![
                    field("MCP-Protocol-Version", verdict_model::REVISION),
                    field("Mcp-Method", method),
                ],
                status: Some(*status),
                ..HttpExchange::default()
            }),
            end: End::Complete,
            ..Exchange::default()
        });
        for (from, message) in [(Sender::Client, &request), (Sender::Server, reply)] {
            recording.add(
                at,
                Message {
                    from,
                    at_ms: 0,
                    carrier: Carrier::Body,
                    text: message.to_string().into(),
                    invalid_utf8: false,
                },
            );
        }
    }
    recording
}
