//! The recording: the transcript with every message read once, as probes and judges look at it.

mod large;

use crate::wire::rpc::{Envelope, Kind, Parsed, same_id};
use large::Large;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use verdict_model::text::Text;
use verdict_model::transcript::{
    Channel, End, Exchange, Message, Sender, Standing, Stray, TRANSCRIPT_SCHEMA, Transcript,
    Transport,
};

/// What the readers of a recording hand out: one type for each kind of thing, so that the module holds the
/// loops over it once and not once a caller.
pub type Several<T> = std::vec::IntoIter<T>;

/// Gathers what a reader found.
pub fn several<T>(found: impl Iterator<Item = T>) -> Several<T> {
    found.collect::<Vec<_>>().into_iter()
}

/// One exchange, with its messages read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    /// What was sent and came back.
    pub exchange: Exchange,
    /// `exchange.messages`, read; one for one.
    pub parsed: Vec<Parsed>,
}

/// What an exchange came to, seen from the request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Answer<'r> {
    /// A JSON-RPC response with a result.
    Result(&'r Value),
    /// A JSON-RPC response with an error; the code is missing when it is no integer.
    Error(Option<i64>),
    /// An HTTP answer, or a line, that is no JSON-RPC response.
    Foreign,
    /// 401 or 403 from an authorization layer.
    Locked(u16),
    /// 429, or 503 that asks to come back later.
    Busy(u16),
    /// 5xx without a JSON-RPC response.
    Fault(u16),
    /// Nothing that could be read, and why.
    Nothing(&'r End),
}

impl Record {
    /// The message that was sent, when it is one JSON object.
    pub fn request(&self) -> Option<&Envelope> {
        let at = self
            .exchange
            .messages
            .iter()
            .position(|message| message.from == Sender::Client)?;
        self.parsed.get(at)?.envelope()
    }

    /// The method of the message that was sent.
    pub fn method(&self) -> Option<&str> {
        self.request()?.method()
    }

    /// Everything the server sent, in order.
    pub fn replies(&self) -> Several<(&Message, &Parsed)> {
        several(
            self.exchange
                .messages
                .iter()
                .zip(&self.parsed)
                .filter(|(message, _)| message.from == Sender::Server),
        )
    }

    /// The response: the one with the id of the request, else the first.
    pub fn response(&self) -> Option<&Envelope> {
        let sent = self.request().and_then(Envelope::id);
        let mut first = None;
        for envelope in self.replies().filter_map(|(_, parsed)| parsed.envelope()) {
            if envelope.kind() != Kind::Response {
                continue;
            }
            if let (Some(sent), Some(got)) = (sent, envelope.id())
                && same_id(sent, got)
            {
                return Some(envelope);
            }
            first = first.or(Some(envelope));
        }
        first
    }

    /// The first result.
    pub fn result(&self) -> Option<&Value> {
        match self.answer() {
            Answer::Result(result) => Some(result),
            _ => None,
        }
    }

    /// The HTTP status.
    pub fn status(&self) -> Option<u16> {
        self.exchange.http.as_ref()?.status
    }

    /// A header field of the HTTP answer.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.exchange.http.as_ref()?.header(name)
    }

    /// Whether a `notifications/*` message came before the response, so that its status was fixed.
    pub fn in_stream(&self) -> bool {
        self.replies()
            .filter_map(|(_, parsed)| parsed.envelope())
            .take_while(|envelope| envelope.kind() != Kind::Response)
            .any(|envelope| envelope.kind() == Kind::Notification)
    }

    /// Whether the exchange did not come to its end.
    fn is_lost(&self) -> bool {
        !matches!(
            self.exchange.end,
            End::Complete | End::LeftOpen | End::Closed | End::Silent
        )
    }

    /// What the exchange came to.
    pub fn answer(&self) -> Answer<'_> {
        let status = self.status();
        if let Some(response) = self.response() {
            // OAuth and framework bodies such as {"error": "invalid_token"} are no messages.
            let message = response.members.contains_key("jsonrpc")
                || status.is_none_or(|status| (200..300).contains(&status));
            if message {
                return match &response.result {
                    // A null error beside a result is result.envelope's; everything else reads the result.
                    Some(result) if response.error().is_none_or(Value::is_null) => {
                        Answer::Result(result)
                    }
                    _ => Answer::Error(response.error_code()),
                };
            }
        }
        match status {
            Some(status @ (401 | 403)) => Answer::Locked(status),
            Some(429) => Answer::Busy(429),
            Some(503) if self.header("retry-after").is_some() => Answer::Busy(503),
            Some(status @ 500..=599) => Answer::Fault(status),
            Some(_)
                if matches!(
                    self.exchange.end,
                    End::Complete | End::LeftOpen | End::Closed
                ) =>
            {
                Answer::Foreign
            }
            None if self.replies().next().is_some() && !self.is_lost() => Answer::Foreign,
            _ => Answer::Nothing(&self.exchange.end),
        }
    }
}

/// All exchanges and channels of one run, up to now.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recording {
    /// How the server is reached.
    pub transport: Transport,
    /// Every exchange, in the order in which they were begun.
    pub records: Vec<Record>,
    /// Every connection or process.
    pub channels: Vec<Channel>,
    /// Why the run was cut off, if it was.
    pub cut_off: Option<String>,
    /// Milliseconds from start to end.
    pub duration_ms: u64,
    by_name: BTreeMap<String, usize>,
    large: Vec<Large>,
    held: usize,
}

/// Results of texts from this size on are held once when they are equal.
const LARGE_BYTES: usize = 16 << 10;
/// What a message costs in memory beside its text and its values, in bytes.
const MESSAGE_BYTES: usize = 1 << 10;
/// What a value costs, in bytes; its name, and the string that it may be, count with the text.
const VALUE_BYTES: usize = 64;
/// How many large results are compared with.
const LARGE_KEPT: usize = 32;

/// Messages that are kept of a flood.
const FLOOD_KEPT: usize = 100;

/// The bytes that a message takes; strings are held twice, in the text and as values.
fn weight(message: &Message, envelope: Option<&Envelope>) -> usize {
    let values = envelope.map_or(0, |envelope| envelope.values);
    MESSAGE_BYTES + 2 * message.text.own_len() + values * VALUE_BYTES
}

impl Recording {
    /// An empty recording.
    pub fn new(transport: Transport) -> Self {
        Self {
            transport,
            ..Self::default()
        }
    }

    /// Reads a transcript.
    pub fn from_transcript(transcript: Transcript) -> Self {
        let mut recording = Self {
            transport: transcript.transport,
            channels: transcript.channels,
            cut_off: transcript.cut_off,
            duration_ms: transcript.duration_ms,
            ..Self::default()
        };
        for mut exchange in transcript.exchanges {
            let messages = std::mem::take(&mut exchange.messages);
            let at = recording.begin(exchange);
            for message in messages {
                recording.add(at, message);
            }
        }
        recording
    }

    /// The transcript of what was recorded.
    pub fn into_transcript(self) -> Transcript {
        Transcript {
            schema: TRANSCRIPT_SCHEMA.to_owned(),
            transport: self.transport,
            exchanges: self
                .records
                .into_iter()
                .map(|record| record.exchange)
                .collect(),
            channels: self.channels,
            cut_off: self.cut_off,
            duration_ms: self.duration_ms,
        }
    }

    /// Begins an exchange; gives back its place.
    pub(crate) fn begin(&mut self, exchange: Exchange) -> usize {
        let at = self.records.len();
        self.by_name.insert(exchange.name.clone(), at);
        self.records.push(Record {
            exchange,
            parsed: Vec::new(),
        });
        at
    }

    /// Gives an exchange another name, so that its second try can have the first one's.
    pub(crate) fn rename(&mut self, at: usize, name: String) {
        self.by_name.remove(&self.records[at].exchange.name);
        self.records[at].exchange.name.clone_from(&name);
        self.by_name.insert(name, at);
    }

    /// Adds a message to an exchange.
    pub(crate) fn add(&mut self, at: usize, message: Message) {
        let parsed = self.read(&message.text.as_str());
        self.add_parsed(at, message, parsed);
    }

    /// Reads a message; of one that repeats a large result only the rest.
    pub(crate) fn read(&self, text: &str) -> Parsed {
        let large = (text.len() >= LARGE_BYTES).then(|| self.large.iter());
        let again = large.and_then(|mut all| all.find_map(|known| known.again(text)));
        again.unwrap_or_else(|| Parsed::read(text))
    }

    /// Adds a message that was read before.
    pub(crate) fn add_parsed(&mut self, at: usize, mut message: Message, mut parsed: Parsed) {
        let large = message.text.len() >= LARGE_BYTES;
        let shared = large && self.share(&mut message.text, &mut parsed);
        self.held += weight(&message, parsed.envelope().filter(|_| !shared));
        let record = &mut self.records[at];
        record.exchange.messages.push(message);
        record.parsed.push(parsed);
    }

    /// Of a flood for one exchange the beginning is kept, and what answers.
    pub(crate) fn thin(&mut self, at: usize) {
        let record = &mut self.records[at];
        let messages = std::mem::take(&mut record.exchange.messages);
        let parsed = std::mem::take(&mut record.parsed);
        for (number, (message, parsed)) in messages.into_iter().zip(parsed).enumerate() {
            let envelope = parsed.envelope();
            let answers = envelope.is_some_and(|one| one.kind() == Kind::Response);
            if number < FLOOD_KEPT || answers || message.text.len() >= LARGE_BYTES {
                record.exchange.messages.push(message);
                record.parsed.push(parsed);
            } else {
                self.held = self.held.saturating_sub(weight(&message, envelope));
            }
        }
    }

    /// Adds a line that belongs to no exchange.
    pub(crate) fn add_stray(&mut self, channel: usize, stray: Stray) {
        self.held += stray.text.len();
        self.channels[channel].stray.push(stray);
    }

    /// Bytes of memory that what was recorded takes, roughly; what is shared counts once.
    pub fn held_bytes(&self) -> usize {
        self.held
    }

    /// The exchange of this name (`probe/step`).
    pub fn record(&self, name: &str) -> Option<&Record> {
        self.by_name.get(name).map(|at| &self.records[*at])
    }

    /// All exchanges of a probe whose steps begin with `prefix`, in order: `probe/prefix…`.
    pub fn series(&self, prefix: &str) -> Several<&Record> {
        several(self.records.iter().filter(|record| {
            record.exchange.name.starts_with(prefix) && !record.exchange.name.contains('~')
        }))
    }

    /// Exchanges with faultless modern requests: what passive rules look at (G3).
    pub fn conforming(&self) -> Several<&Record> {
        several(
            self.records
                .iter()
                .filter(|record| record.exchange.standing == Standing::Conforming),
        )
    }

    /// Modern exchanges, with or without a fault of ours: all but traffic of earlier revisions.
    pub fn modern(&self) -> Several<&Record> {
        several(
            self.records
                .iter()
                .filter(|record| record.exchange.standing != Standing::Legacy),
        )
    }

    /// Whether a channel was sent nothing but requests that can be read and answered: then every response on it
    /// owes an id.
    pub fn owes_ids(&self, channel: u32) -> bool {
        let mut carried = self
            .records
            .iter()
            .filter(|record| record.exchange.channel == Some(channel));
        carried.all(|record| {
            let mut messages = record.exchange.messages.iter();
            record.request().is_some_and(Envelope::is_sound_request)
                || messages.all(|message| message.from == Sender::Server)
        })
    }

    /// Lists are asked for several times; equal answers share one value, and most of their text.
    fn share(&mut self, text: &mut Text, parsed: &mut Parsed) -> bool {
        let Parsed::Object(envelope) = parsed else {
            return false;
        };
        let Some(result) = &mut envelope.result else {
            return false;
        };
        if let Some(known) = self.large.iter().find(|known| known.is(result)) {
            *result = Arc::clone(&known.result);
            text.share(&known.text);
            return true;
        }
        if self.large.len() < LARGE_KEPT {
            let plain = envelope.duplicates.is_empty() && !envelope.inexact;
            let result = Arc::clone(result);
            self.large.push(Large::new(result, text.keep(), plain));
        }
        false
    }
}
