//! A provider of models in memory: speaks the four wires, and does everything that real ones do wrong.
//!
//! No I/O and no clock: a driver hands bytes to a [`Connection`] and does what comes back. What happens is chosen by
//! the name of the model, so that one stub serves all tests at once:
//!
//! | name | what it does |
//! |---|---|
//! | `stub` | answers as the script says: by default it calls the tool whose name stands in the prompt, with the JSON object of the prompt as arguments, and says `done` once it has the results |
//! | `stub-call`, `stub-text`, `stub-text-and-call`, `stub-parallel` | a call of the first tool, text, both, two calls |
//! | `stub-unknown-tool` | calls `no_such_tool` |
//! | `stub-arguments-broken`, `-list`, `-empty`, `-none`, `-object` | arguments that are no JSON, no object, blank, `{}`, an object where text is due |
//! | `stub-empty`, `stub-cut-off`, `stub-refusal`, `stub-filtered` | no text and no call, half a call, a refusal, a filter |
//! | `stub-no-usage`, `stub-wrong-usage` | usage missing, or beyond belief |
//! | `stub-call-as-text` | spells a call out as text |
//! | `stub-reasoning` | thinks before a call, and refuses a next turn without that thinking |
//! | `stub-stream` | streams without having been asked to (Chat Completions and Responses) |
//! | `stub-400-temperature`, `stub-400-seed` | refuses the parameter while it is sent |
//! | `stub-400-context`, `stub-400-request`, `stub-401`, `stub-404`, `stub-429-quota` | refuses for good |
//! | `stub-429`, `stub-429-seconds`, `-ms`, `-date`, `-long` | busy, with nothing, 1 s, 50 ms, a date 1 s off, 300 s |
//! | `stub-500`, `stub-503`, `stub-529`, `stub-502-html`, `stub-500-format` | down, overloaded, a page, a call it could not read |
//! | `stub-cut`, `stub-slow`, `stub-drip`, `stub-reset` | a body that ends early, comes late, comes drop by drop, a reset |
//!
//! Passing troubles happen once for each different request and then pass; `-x2` behind the name makes that twice,
//! and `-forever` never ends it. Requests that a real provider would refuse (names, order of results, schemas) are
//! refused with 400, so that a test through the stub is a test of strictness too.

mod asked;
mod check;
mod connection;
mod scenario;
mod speak;

pub use asked::{Asked, Wire};
pub use connection::{Act, Connection};
pub use speak::{Called, Ending, Spoken};

use scenario::Trouble;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;

/// What a provider answers, and what becomes of the answer on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// Fields of the head, without those of the body's length.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// How long it takes until anything is sent, in milliseconds.
    pub wait_ms: u64,
    /// What becomes of it.
    pub fate: Fate,
}

/// What becomes of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It arrives.
    Whole,
    /// Its body ends in its midst, against the length that was told.
    Cut,
    /// Its body comes in drops, with so many milliseconds between them.
    Drip(u64),
    /// The connection is reset before a byte of it.
    Reset,
}

type Script = Box<dyn Fn(&Asked) -> Spoken + Send>;

/// The provider.
pub struct StubProvider {
    script: Script,
    /// Milliseconds that every answer takes.
    pub latency_ms: u64,
    /// Fields that every answer has, such as rate limits.
    pub headers: Vec<(String, String)>,
    /// How often each request came.
    seen: BTreeMap<Vec<u8>, u64>,
    requests: u64,
}

impl Default for StubProvider {
    fn default() -> Self {
        Self::new(echo)
    }
}

impl fmt::Debug for StubProvider {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "StubProvider({} requests)", self.requests)
    }
}

impl StubProvider {
    /// A provider whose model `stub` answers by `script`.
    pub fn new(script: impl Fn(&Asked) -> Spoken + Send + 'static) -> Self {
        Self {
            script: Box::new(script),
            latency_ms: 0,
            headers: Vec::new(),
            seen: BTreeMap::new(),
            requests: 0,
        }
    }

    /// How many requests came.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// The answer to a request, by its path and body. `now` is the time in Unix seconds, for dates in the head.
    pub fn answer(&mut self, path: &str, body: &[u8], now: u64) -> Reply {
        self.requests += 1;
        let Some(asked) = Asked::read(path, body) else {
            return refusal(404, "not_found_error", "no such route");
        };
        let mut key = asked.model.clone().into_bytes();
        key.extend_from_slice(body);
        let seen = self.seen.entry(key).or_default();
        *seen += 1;
        let (scenario, times) = scenario::split(&asked.model);
        let trouble =
            scenario::trouble(scenario).filter(|trouble| trouble.applies(&asked, *seen, times));
        let mut reply = match trouble {
            Some(trouble) => fail(&asked, &trouble, now),
            None => match check::complaint(&asked) {
                Some(complaint) => refusal(400, "invalid_request_error", &complaint),
                None => self.speak(scenario, &asked),
            },
        };
        reply.wait_ms += self.latency_ms;
        reply.headers.extend(self.headers.iter().cloned());
        reply
    }

    fn speak(&self, scenario: &str, asked: &Asked) -> Reply {
        let spoken = scenario::spoken(scenario, asked).unwrap_or_else(|| (self.script)(asked));
        let is_stream =
            scenario == "stream" && matches!(asked.wire, Wire::ChatCompletions | Wire::Responses);
        let (kind, body) = if is_stream {
            (
                "text/event-stream",
                speak::stream(asked, &spoken).into_bytes(),
            )
        } else {
            (
                "application/json",
                speak::whole(asked, &spoken).to_string().into_bytes(),
            )
        };
        let mut reply = plain(200, kind, body);
        let id = match asked.wire {
            Wire::Messages => "request-id",
            _ => "x-request-id",
        };
        reply.headers.push((id.to_owned(), "req_stub".to_owned()));
        match scenario {
            "slow" => reply.wait_ms = 3_000,
            "drip" => reply.fate = Fate::Drip(20),
            _ => {}
        }
        reply
    }
}

fn fail(asked: &Asked, trouble: &Trouble, now: u64) -> Reply {
    let mut reply = match trouble.fate {
        // What is lost on the way was an answer once.
        Fate::Cut | Fate::Reset => plain(
            200,
            "application/json",
            speak::whole(asked, &Spoken::text("lost"))
                .to_string()
                .into_bytes(),
        ),
        _ if trouble.is_page => plain(
            trouble.status,
            "text/html",
            b"<html><head><title>502 Bad Gateway</title></head></html>".to_vec(),
        ),
        _ => plain(
            trouble.status,
            "application/json",
            trouble.body(asked).to_string().into_bytes(),
        ),
    };
    reply.fate = trouble.fate;
    reply.headers.extend(trouble.wait(now));
    reply
}

fn plain(status: u16, kind: &str, body: Vec<u8>) -> Reply {
    Reply {
        status,
        headers: vec![("content-type".to_owned(), kind.to_owned())],
        body,
        wait_ms: 0,
        fate: Fate::Whole,
    }
}

fn refusal(status: u16, kind: &str, message: &str) -> Reply {
    let body: Value =
        json!({"type": "error", "error": {"type": kind, "code": kind, "message": message}});
    plain(status, "application/json", body.to_string().into_bytes())
}

/// The default script.
fn echo(asked: &Asked) -> Spoken {
    if !asked.results.is_empty() {
        return Spoken::text("done");
    }
    let named = asked
        .tools
        .iter()
        .filter(|tool| asked.prompt.contains(tool.as_str()));
    let Some(tool) = named.max_by_key(|tool| tool.len()) else {
        return Spoken::text("There is no tool for that.");
    };
    let object = asked.prompt.find('{').map(|at| &asked.prompt[at..]);
    let object = object.and_then(|text| {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        values.next()?.ok()
    });
    Spoken::call(tool, &object.unwrap_or_else(|| json!({})).to_string())
}
