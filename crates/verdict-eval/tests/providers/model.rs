//! A driver without a socket: carries bytes between the wires and the stub, and counts tries and time.

use verdict_eval::chat::{Answer, Request};
use verdict_eval::provider::{
    Endpoint, Fault, HttpResponse, Limits, ModelId, Network, Next, Offer, Patience, Quirks,
    RetryBudget, decode, encode,
};
use verdict_fixture::provider::{Act, Connection, StubProvider};

/// 2026-11-30 18:00:00 UTC.
pub(super) const NOW: u64 = 1_796_061_600;

/// A model of the stub, and everything that is kept of it between calls.
pub(super) struct Model {
    pub(super) endpoint: Endpoint,
    pub(super) provider: StubProvider,
    pub(super) quirks: Quirks,
    budget: RetryBudget,
    /// Milliseconds since the start.
    clock: u64,
    pub(super) limits: Limits,
}

/// How a call went.
pub(super) struct Went {
    pub(super) result: Result<Answer, String>,
    pub(super) last: Option<Fault>,
    /// Requests that were sent.
    pub(super) tries: u64,
    /// Milliseconds that it took.
    pub(super) ms: u64,
}

impl Model {
    pub(super) fn new(wire: &str, name: &str) -> Self {
        let lookup = |variable: &str| match variable {
            name if name.ends_with("_KEY") => Some("sk-secret-key".to_owned()),
            _ => None,
        };
        let id = ModelId::parse(&format!("{wire}:{name}")).expect("an id");
        Self {
            endpoint: id.endpoint(&lookup).expect("a key").expect("a wire"),
            provider: StubProvider::default(),
            quirks: Quirks::default(),
            budget: RetryBudget::default(),
            clock: 0,
            limits: Limits::default(),
        }
    }

    /// One call, with as much patience as a run has.
    pub(super) fn ask(&mut self, request: &Request) -> Went {
        let mut patience = Patience::new();
        let (before, requests) = (self.clock, self.provider.requests());
        let mut last = None;
        let result = loop {
            let fault = match self.once(request) {
                Ok(answer) => {
                    self.budget.earn();
                    break Ok(answer);
                }
                Err(fault) => fault,
            };
            let next = patience.next(&fault, &mut self.quirks, &mut self.budget, 0.5);
            last = Some(fault);
            match next {
                Next::Retry { after_ms } => self.clock += after_ms,
                Next::Drop { .. } => {}
                Next::GiveUp { why } => break Err(why),
            }
        };
        Went {
            result,
            last,
            tries: self.provider.requests() - requests,
            ms: self.clock - before,
        }
    }

    fn once(&mut self, request: &Request) -> Result<Answer, Fault> {
        let offer = Offer::new(self.endpoint.wire, &request.tools);
        let http = encode(&self.endpoint, request, &offer, &self.quirks);
        let path = http.url.splitn(4, '/').nth(3).expect("a path");
        let mut bytes = format!(
            "{} /{path} HTTP/1.1\r\nhost: h\r\ncontent-length: {}\r\n\r\n",
            http.method,
            http.body.len()
        )
        .into_bytes();
        bytes.extend_from_slice(&http.body);
        let now = NOW + self.clock / 1000;
        let acts = Connection::new().receive(&mut self.provider, &bytes, now);
        let response = self.carry(acts, now)?;
        self.limits = Limits::of(&response);
        decode(&self.endpoint, &response, &offer.names)
    }

    /// Does what a driver would do with the bytes.
    fn carry(&mut self, acts: Vec<Act>, now: u64) -> Result<HttpResponse, Fault> {
        let mut bytes = Vec::new();
        for act in acts {
            match act {
                Act::Send(more) => bytes.extend(more),
                Act::Wait(ms) => self.clock += ms,
                Act::Close => {}
                Act::Reset => return Err(Fault::network(Network::Reset, "reset by peer")),
            }
        }
        let end = bytes
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .expect("a head");
        let head = String::from_utf8(bytes[..end].to_vec()).expect("text");
        let mut lines = head.split("\r\n");
        let status = lines
            .next()
            .and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let body = bytes[end + 4..].to_vec();
        let told = headers.iter().find(|(name, _)| name == "content-length");
        let told: usize = told
            .and_then(|(_, value)| value.parse().ok())
            .expect("a length");
        Ok(HttpResponse {
            status: status.expect("a status"),
            headers,
            is_cut: body.len() < told,
            body,
            at: now,
        })
    }
}
