//! A visit with its messages taken apart: what the client asked, in order, and what it was answered.

use crate::visit::Visit;
use serde_json::Value;
use verdict_core::wire::rpc::{Envelope, Kind, Parsed, same_id};
use verdict_model::transcript::{Exchange, Message, Sender, Transport};

/// Prefix of the `_meta` keys of the revision.
const META: &str = "io.modelcontextprotocol/";

/// A visit, read.
#[derive(Debug)]
pub struct Scene<'v> {
    /// What was recorded.
    pub visit: &'v Visit,
    /// Everything the client sent, in the order in which it was begun.
    pub asked: Vec<Asked<'v>>,
}

/// One thing that the client sent, and what came back.
#[derive(Debug)]
pub struct Asked<'v> {
    /// The scenario it belongs to.
    pub scenario: &'v str,
    /// What was recorded.
    pub exchange: &'v Exchange,
    /// The client's messages; one where all is well.
    pub sent: Vec<Parsed>,
    /// The messages that it was sent back.
    pub replies: Vec<(&'v Message, Parsed)>,
    /// Whether it belongs to an earlier revision: `initialize`, or what follows it without this revision's `_meta`.
    pub legacy: bool,
}

impl<'v> Scene<'v> {
    /// Takes a visit apart.
    pub fn read(visit: &'v Visit) -> Self {
        let mut fallen_back = false;
        let asked = visit.transcript.exchanges.iter().map(|exchange| {
            let mut asked = Asked::read(&visit.scenario, exchange);
            fallen_back |= asked.method() == Some("initialize");
            asked.legacy = fallen_back && asked.meta("protocolVersion").is_none();
            asked
        });
        Self {
            asked: asked.collect(),
            visit,
        }
    }

    /// The requests of this revision.
    pub fn requests(&self) -> impl Iterator<Item = &Asked<'v>> {
        self.asked
            .iter()
            .filter(|asked| !asked.legacy && asked.request().is_some())
    }

    /// The requests of this revision with this method.
    pub fn of(&self, method: &str) -> impl Iterator<Item = &Asked<'v>> {
        self.requests()
            .filter(move |asked| asked.method() == Some(method))
    }

    /// The path of the server's endpoint, as the client's first request of this revision has it.
    pub fn endpoint(&self) -> Option<&str> {
        let http = self
            .requests()
            .find_map(|asked| asked.exchange.http.as_ref());
        http.map(|http| http.path.as_str())
    }

    /// Whether one client alone was at work, as far as that shows: two that share a proxy count ids by themselves.
    pub fn is_of_one_client(&self) -> bool {
        self.of("server/discover").count() == 1
    }

    /// Whether a request was cancelled by a notice before this time.
    pub fn was_cancelled(&self, request: &Asked, before_ms: u64) -> bool {
        self.asked.iter().any(|asked| {
            let id = asked.param("requestId").zip(request.id());
            asked.method() == Some("notifications/cancelled")
                && asked.exchange.sent_ms <= before_ms
                && id.is_some_and(|(one, other)| same_id(one, other))
        })
    }

    /// What the scenario was done to, the first of it.
    pub fn hit(&self) -> Option<&Asked<'v>> {
        self.asked.iter().find(|asked| asked.is_hit())
    }

    /// What was sent after this exchange was begun.
    pub fn after(&self, hit: &Asked) -> impl Iterator<Item = &Asked<'v>> {
        let place = self
            .asked
            .iter()
            .position(|asked| std::ptr::eq(asked.exchange, hit.exchange));
        self.asked
            .iter()
            .skip(place.map_or(self.asked.len(), |place| place + 1))
    }

    /// Whether the client did nothing more after what the scenario was done to, and never ended.
    pub fn is_hung_after_hit(&self) -> bool {
        let still = |hit| self.after(hit).all(|asked| asked.request().is_none());
        self.visit.is_hung() && self.hit().is_some_and(still)
    }

    /// Whether the client ever began with the handshake of earlier revisions.
    pub fn has_fallen_back(&self) -> bool {
        self.asked
            .iter()
            .any(|asked| asked.method() == Some("initialize"))
    }

    /// Whether the client was reached over HTTP.
    pub fn is_http(&self) -> bool {
        self.visit.transcript.transport == Transport::Http
    }
}

impl<'v> Asked<'v> {
    fn read(scenario: &'v str, exchange: &'v Exchange) -> Self {
        let parsed = |message: &Message| Parsed::read(&message.text.as_str());
        let from = |sender| move |message: &&Message| message.from == sender;
        let messages = || exchange.messages.iter();
        Self {
            scenario,
            exchange,
            sent: messages()
                .filter(from(Sender::Client))
                .map(parsed)
                .collect(),
            replies: messages()
                .filter(from(Sender::Server))
                .map(|message| (message, parsed(message)))
                .collect(),
            legacy: false,
        }
    }

    /// The message, where it is one JSON object.
    pub fn message(&self) -> Option<&Envelope> {
        self.sent.first().and_then(Parsed::envelope)
    }

    /// The message, where it is a request.
    pub fn request(&self) -> Option<&Envelope> {
        self.message().filter(|one| one.kind() == Kind::Request)
    }

    /// The method, of a request or a notification.
    pub fn method(&self) -> Option<&str> {
        self.message().and_then(Envelope::method)
    }

    /// The id of a request.
    pub fn id(&self) -> Option<&Value> {
        self.request().and_then(Envelope::id)
    }

    /// A member of the parameters.
    pub fn param(&self, name: &str) -> Option<&Value> {
        self.message().and_then(Envelope::params)?.get(name)
    }

    /// A `_meta` member of this revision, by its name without the prefix.
    pub fn meta(&self, name: &str) -> Option<&Value> {
        self.param("_meta")?.get(format!("{META}{name}"))
    }

    /// The capabilities that it declares.
    pub fn capability(&self, path: &[&str]) -> Option<&Value> {
        path.iter()
            .try_fold(self.meta("clientCapabilities")?, |value, name| {
                value.get(name)
            })
    }

    /// The parameters without `_meta` and without what a further round adds: what the request is about.
    pub fn subject(&self) -> Value {
        let mut params = self
            .message()
            .and_then(Envelope::params)
            .cloned()
            .unwrap_or_default();
        if let Some(members) = params.as_object_mut() {
            for name in ["_meta", "inputResponses", "requestState"] {
                members.shift_remove(name);
            }
        }
        params
    }

    /// Whether it carries what only a further round carries.
    pub fn is_further_round(&self) -> bool {
        self.param("inputResponses").is_some() || self.param("requestState").is_some()
    }

    /// The first value of a header field.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields(name).next()
    }

    /// All values of a header field.
    pub fn fields(&self, name: &str) -> impl Iterator<Item = &'v str> {
        let http = self.exchange.http.as_ref();
        let all = http.map_or(&[][..], |http| &http.request_headers);
        let name = name.to_ascii_lowercase();
        all.iter()
            .filter(move |(field, _)| field.to_ascii_lowercase() == name)
            .map(|(_, value)| value.as_str())
    }

    /// The HTTP verb.
    pub fn verb(&self) -> Option<&str> {
        self.exchange.http.as_ref().map(|http| http.verb.as_str())
    }

    /// Whether the proxy changed what came back.
    pub fn is_hit(&self) -> bool {
        self.exchange.fault.is_some()
    }

    /// The response that the client was sent, if any.
    pub fn response(&self) -> Option<&Envelope> {
        self.replies
            .iter()
            .filter_map(|(_, parsed)| parsed.envelope())
            .find(|one| one.kind() == Kind::Response)
    }

    /// When nothing more could come for it.
    pub fn over_ms(&self) -> u64 {
        self.exchange.answered_ms.unwrap_or(self.exchange.ended_ms)
    }

    /// Its method, and when it was sent, for a message.
    pub fn when(&self) -> String {
        let what = self.method().or(self.verb()).unwrap_or("a message");
        format!("{what} at {}", seconds(self.exchange.sent_ms))
    }
}

/// Milliseconds since the scenario began, as people read them.
pub fn seconds(ms: u64) -> String {
    format!("{}.{:03} s", ms / 1000, ms % 1000)
}
