//! What passed through the proxy, as a transcript: each request of a client is one exchange.

use crate::asked::Asked;
use crate::http::Head;
use crate::secrets::Secrets;
use crate::watch::Seen;
use verdict_core::mask::Masks;
use verdict_model::text::Text;
use verdict_model::transcript::{
    Carrier, Channel, End, Exchange, HttpExchange, Message, Sender, Standing, Stray,
    TRANSCRIPT_SCHEMA, Transcript, Transport,
};

/// Bytes of texts that are kept; what comes after them is counted, not kept.
pub const MOST_BYTES: usize = 128 << 20;
/// Exchanges that are kept.
const MOST_EXCHANGES: usize = 100_000;
/// Stray lines of a channel that are kept.
const MOST_STRAY: usize = 100;

/// Writes down what passes. Places are handed out by [`Recorder::begin`] and [`Recorder::open`].
#[derive(Debug, Clone, Default)]
pub struct Recorder {
    transcript: Transcript,
    secrets: Secrets,
    held: usize,
    /// How long the recording took that this one goes on with.
    base_ms: u64,
    snapshots: u64,
    /// Whether something was not kept.
    full: bool,
    /// Whether something came since [`Recorder::is_new`] was last asked.
    changed: bool,
}

/// An exchange of a recorder; the one past the end stands for those that are not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place(usize);

impl Recorder {
    /// Of clients that come in over this transport.
    pub fn new(transport: Transport, secrets: Secrets) -> Self {
        Self {
            transcript: Transcript {
                schema: TRANSCRIPT_SCHEMA.to_owned(),
                transport,
                ..Transcript::default()
            },
            secrets,
            ..Self::default()
        }
    }

    /// Goes on where an earlier recording ended: what comes stands after what is there. Times go on from its end.
    pub fn resume(&mut self, earlier: Transcript) {
        self.held = earlier
            .exchanges
            .iter()
            .flat_map(|exchange| &exchange.messages)
            .map(|message| message.text.len())
            .sum();
        let transport = self.transcript.transport;
        self.base_ms = earlier.duration_ms;
        self.transcript = Transcript {
            transport,
            ..earlier
        };
    }

    /// Milliseconds that are added to the times of this run.
    pub fn base_ms(&self) -> u64 {
        self.base_ms
    }

    /// A connection or process was opened; its number.
    pub fn open(&mut self, lane: &str, peer: Option<String>, now: u64) -> u32 {
        self.changed = true;
        self.transcript.channels.push(Channel {
            lane: lane.to_owned(),
            opened_ms: now,
            peer,
            ..Channel::default()
        });
        u32::try_from(self.transcript.channels.len() - 1).unwrap_or(u32::MAX)
    }

    /// A connection or process has ended.
    pub fn close(&mut self, channel: u32, how: &str, now: u64) {
        self.changed = true;
        if let Some(channel) = self.channel(channel) {
            channel.ended_ms.get_or_insert(now);
            channel.ending.get_or_insert_with(|| how.to_owned());
        }
    }

    /// A line that belongs to no exchange.
    pub fn stray(&mut self, channel: u32, stray: Stray) {
        self.changed = true;
        if let Some(channel) = self.channel(channel) {
            if channel.stray.len() < MOST_STRAY {
                channel.stray.push(stray);
            } else {
                channel.stray_dropped += 1;
            }
        }
    }

    /// The last bytes of a process's standard error.
    pub fn stderr(&mut self, channel: u32, tail: String) {
        if let Some(channel) = self.channel(channel) {
            channel.stderr_tail = tail;
        }
    }

    fn channel(&mut self, channel: u32) -> Option<&mut Channel> {
        let at = usize::try_from(channel).ok()?;
        self.transcript.channels.get_mut(at)
    }

    /// A request has come.
    pub fn begin(&mut self, channel: u32, head: Option<&Head>, now: u64) -> Place {
        self.changed = true;
        if self.transcript.exchanges.len() >= MOST_EXCHANGES {
            self.full = true;
            return Place(usize::MAX);
        }
        let number = self.transcript.exchanges.len() + 1;
        let http = head.map(|head| HttpExchange {
            verb: head.verb.clone(),
            path: self.secrets.target(&head.target),
            request_headers: self.fields(&head.fields),
            ..HttpExchange::default()
        });
        self.transcript.exchanges.push(Exchange {
            name: format!("proxy/{number}"),
            channel: Some(channel),
            standing: Standing::Conforming,
            http,
            sent_ms: now,
            ..Exchange::default()
        });
        Place(number - 1)
    }

    fn fields(&mut self, fields: &[(String, String)]) -> Vec<(String, String)> {
        let masked = fields
            .iter()
            .map(|(name, value)| self.secrets.field(name, value));
        masked.collect()
    }

    /// The body of the request is complete.
    pub fn asked(&mut self, place: Place, asked: &Asked, body: Vec<u8>, now: u64) {
        if let Some(exchange) = self.exchange(place) {
            exchange.standing = standing(asked);
            if asked.message.is_some() && !asked.is_request() {
                exchange.end = End::Silent;
            }
        }
        if !body.is_empty() {
            let carrier = if asked.verb.is_empty() {
                Carrier::Line
            } else {
                Carrier::Body
            };
            let (text, invalid_utf8) = verdict_core::wire::lines::decode(body);
            self.message(place, Sender::Client, carrier, text, invalid_utf8, now);
        }
    }

    /// What was injected, by name.
    pub fn fault(&mut self, place: Place, said: &[String]) {
        if let Some(exchange) = self.exchange(place)
            && !said.is_empty()
        {
            exchange.fault = Some(said.join(", "));
        }
    }

    /// Something of the answer went to the client.
    pub fn seen(&mut self, place: Place, seen: Seen, now: u64) {
        match seen {
            Seen::Head(head) => {
                let headers = self.fields(&head.fields);
                if let Some(http) = self
                    .exchange(place)
                    .and_then(|exchange| exchange.http.as_mut())
                {
                    http.status = Some(head.status);
                    http.headers = headers;
                }
            }
            Seen::Message {
                carrier,
                text,
                invalid_utf8,
            } => self.message(place, Sender::Server, carrier, text, invalid_utf8, now),
            Seen::End => {
                if let Some(exchange) = self.exchange(place) {
                    exchange.answered_ms = Some(now);
                }
            }
        }
    }

    /// One message of either side.
    pub fn message(
        &mut self,
        place: Place,
        from: Sender,
        carrier: Carrier,
        text: String,
        invalid_utf8: bool,
        now: u64,
    ) {
        self.changed = true;
        if self.held.saturating_add(text.len()) > MOST_BYTES {
            self.full = true;
            return;
        }
        self.held += text.len();
        let mut text = Text::from(text);
        // Copies share it then.
        text.keep();
        if let Some(exchange) = self.exchange(place) {
            exchange.messages.push(Message {
                from,
                at_ms: now,
                carrier,
                text,
                invalid_utf8,
            });
        }
    }

    /// The answer to a line is complete.
    pub fn answered(&mut self, place: Place, now: u64) {
        if let Some(exchange) = self.exchange(place) {
            exchange.answered_ms = Some(now);
            exchange.ended_ms = now;
            exchange.end = End::Complete;
        }
    }

    /// Comments that were on its stream.
    pub fn comments(&mut self, place: Place, comments: u64) {
        if let Some(http) = self
            .exchange(place)
            .and_then(|exchange| exchange.http.as_mut())
        {
            http.comments = comments;
        }
    }

    /// Nothing more comes for a request.
    pub fn end(&mut self, place: Place, end: End, now: u64) {
        self.changed = true;
        if let Some(exchange) = self.exchange(place) {
            exchange.ended_ms = now;
            if exchange.end == End::Unfinished || end != End::Complete {
                exchange.end = end;
            }
        }
    }

    fn exchange(&mut self, place: Place) -> Option<&mut Exchange> {
        self.transcript.exchanges.get_mut(place.0)
    }

    /// Whether something came since this was last asked.
    pub fn is_new(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// How many requests there were.
    pub fn requests(&self) -> usize {
        self.transcript.exchanges.len()
    }

    /// What was written down so far: a copy that shares its texts, to be masked and written elsewhere.
    pub fn snapshot(&mut self, now: u64) -> Snapshot {
        self.snapshots += 1;
        let mut transcript = self.transcript.clone();
        transcript.duration_ms = now;
        if self.full {
            transcript.cut_off = Some(format!(
                "the recording is full: no more than {MOST_BYTES} bytes of messages and {MOST_EXCHANGES} requests are kept"
            ));
        }
        for exchange in &mut transcript.exchanges {
            if exchange.ended_ms == 0 {
                exchange.ended_ms = now;
            }
        }
        Snapshot {
            transcript,
            masks: self.secrets.masks(),
            number: self.snapshots,
        }
    }
}

/// A recording at one moment.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// Later ones have larger numbers.
    pub number: u64,
    transcript: Transcript,
    masks: Masks,
}

impl Snapshot {
    /// As JSON, secrets masked.
    ///
    /// # Errors
    /// None that a transcript can cause.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        let text = serde_json::to_string(&self.transcript)?;
        Ok(self.masks.hide_json(&text))
    }

    /// As a transcript, secrets masked.
    ///
    /// # Errors
    /// None that a transcript can cause.
    pub fn transcript(&self) -> Result<Transcript, serde_json::Error> {
        serde_json::from_str(&self.json()?)
    }
}

/// Whether a request speaks this revision or an earlier one. What is wrong with it is for judges to say.
fn standing(asked: &Asked) -> Standing {
    let key = "io.modelcontextprotocol/protocolVersion";
    let version = asked.param("_meta").and_then(|meta| meta.get(key));
    match version {
        Some(_) => Standing::Conforming,
        None => Standing::Legacy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http;

    #[test]
    fn a_recording_holds_both_sides_and_no_secret() {
        let mut recorder = Recorder::new(Transport::Http, Secrets::default());
        let head = http::request(b"POST /mcp?token=longsecret1 HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer longsecret2\r\n\r\n");
        let head = head.unwrap().unwrap();
        let channel = recorder.open("client", Some("127.0.0.1:9".to_owned()), 1);
        let place = recorder.begin(channel, Some(&head), 2);
        let body = br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"echo":"longsecret2"}}"#;
        recorder.asked(place, &Asked::over_http(&head, body), body.to_vec(), 3);
        recorder.fault(place, &["timeout".to_owned()]);
        recorder.end(place, End::TimedOut, 9);
        let json = recorder.snapshot(10).json().unwrap();
        assert!(!json.contains("longsecret"), "{json}");
        let read: Transcript = serde_json::from_str(&json).unwrap();
        let exchange = &read.exchanges[0];
        assert_eq!(exchange.fault.as_deref(), Some("timeout"));
        assert_eq!(exchange.standing, Standing::Legacy);
        assert_eq!(exchange.http.as_ref().unwrap().path, "/mcp?token=***");
        assert_eq!((exchange.messages.len(), exchange.ended_ms), (1, 9));
        assert!(recorder.is_new() && !recorder.is_new());
    }

    #[test]
    fn a_recording_does_not_grow_without_end() {
        let mut recorder = Recorder::new(Transport::Http, Secrets::default());
        let place = recorder.begin(0, None, 0);
        for _ in 0..5 {
            let text = "x".repeat(MOST_BYTES / 3);
            recorder.message(place, Sender::Server, Carrier::Body, text, false, 0);
        }
        assert!(recorder.full && recorder.held <= MOST_BYTES);
    }
}
