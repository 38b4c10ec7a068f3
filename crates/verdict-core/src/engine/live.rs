//! An exchange under way: what came back so far and what it means for the exchange.

use super::{Engine, LINGER_MS};
use crate::ask::{Ask, Id, Patience};
use crate::wire::endpoint::Redirect;
use crate::wire::http::{Head, HttpFault, Piece};
use crate::wire::rpc::{Kind, Parsed, same_id};
use crate::wire::{Limits, http, lines, sse};
use serde_json::Value;
use verdict_model::transcript::{Carrier, End, Message, Sender, Stray};

/// How many redirects one exchange follows.
const REDIRECTS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Queued,
    Sent,
    /// The answer is there; what carries it is watched a little longer.
    Answered,
}

#[derive(Debug)]
enum Body {
    Whole(Vec<u8>),
    Events(sse::Reader, usize),
}

/// An exchange under way.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) probe: usize,
    pub(super) ask: Ask,
    pub(super) body: Vec<u8>,
    pub(super) attempt: u8,
    pub(super) not_before: u64,
    pub(super) phase: Phase,
    pub(super) channel: Option<usize>,
    pub(super) deadline: u64,
    pub(super) reused: bool,
    pub(super) keep_alive: bool,
    pub(super) path: Option<String>,
    reader: Option<http::Reader>,
    answer: Body,
    received: usize,
}

impl Live {
    pub(super) fn new(probe: usize, ask: Ask, body: Vec<u8>, attempt: u8, not_before: u64) -> Self {
        Self {
            probe,
            ask,
            body,
            attempt,
            not_before,
            phase: Phase::Queued,
            channel: None,
            deadline: 0,
            reused: false,
            keep_alive: false,
            path: None,
            reader: None,
            answer: Body::Whole(Vec::new()),
            received: 0,
        }
    }

    /// When something is due for it.
    pub(super) fn wakeup(&self) -> Option<u64> {
        match self.phase {
            Phase::Queued => (self.not_before > 0).then_some(self.not_before),
            Phase::Sent | Phase::Answered => Some(self.deadline),
        }
    }

    pub(super) fn begin_answer(&mut self, limits: Limits) {
        self.reader = Some(http::Reader::new(limits));
        self.answer = Body::Whole(Vec::new());
        self.received = 0;
    }

    /// Whether no byte of an answer has come.
    pub(super) fn untouched(&self) -> bool {
        self.reader.as_ref().is_none_or(http::Reader::untouched)
    }

    /// Whether the other side owes no answer; on stdio that is true of notifications.
    pub(super) fn owes_nothing(&self) -> bool {
        self.ask.id == Id::Absent
    }
}

impl Engine {
    pub(super) fn received(&mut self, channel: u32, bytes: &[u8]) {
        let at = channel as usize;
        if self.wires.get(at).is_none_or(|wire| wire.gone) {
            return;
        }
        if self.is_http() {
            self.http_bytes(at, bytes)
        } else {
            self.process_bytes(at, bytes)
        }
    }

    pub(super) fn ended(&mut self, channel: u32, how: &str) {
        let at = channel as usize;
        if self.wires.get(at).is_none_or(|wire| wire.gone) {
            return;
        }
        if self.is_http() {
            self.http_end(at, how);
        } else {
            self.process_end(at, how);
        }
    }

    /// The time limit of an exchange is over.
    pub(super) fn time_is_up(&mut self, at: usize) {
        let Some(live) = self.lives.get(&at) else {
            return;
        };
        match live.phase {
            Phase::Queued => {
                if let Some(live) = self.lives.get_mut(&at) {
                    live.not_before = 0;
                }
            }
            Phase::Answered => self.settle(at, End::LeftOpen),
            Phase::Sent if matches!(live.ask.patience, Patience::Glimpse(_)) => {
                self.settle(at, End::Closed);
            }
            Phase::Sent => self.settle(at, End::TimedOut),
        }
    }

    fn http_bytes(&mut self, channel: usize, bytes: &[u8]) {
        let Some(at) = self.wires[channel].carries else {
            // Bytes that nobody asked for: the connection cannot be trusted any more.
            self.close(channel);
            return;
        };
        let Some(mut reader) = self.lives.get_mut(&at).and_then(|live| live.reader.take()) else {
            return;
        };
        let mut pieces = Vec::new();
        let read = reader.feed(bytes, &mut |piece| pieces.push(piece));
        if let Some(live) = self.lives.get_mut(&at) {
            live.reader = Some(reader);
        }
        self.pieces(at, pieces, read);
    }

    fn http_end(&mut self, channel: usize, how: &str) {
        self.recording.channels[channel].ended_ms = Some(self.now);
        self.recording.channels[channel].ending = Some(how.to_owned());
        let carries = self.wires[channel].carries;
        let mut pieces = Vec::new();
        let reader = carries.and_then(|at| self.lives.get_mut(&at)?.reader.as_mut());
        let read = reader.map_or(Ok(()), |reader| {
            reader.close(&mut |piece| pieces.push(piece))
        });
        let Some(at) = carries else {
            self.close(channel);
            return;
        };
        let read = match (read, how) {
            (Err(HttpFault::CutOff(place)), how) if how != "closed" => {
                self.pieces(at, pieces, Ok(()));
                self.settle(at, End::Lost(format!("{how} {place}")));
                Ok(())
            }
            (read, _) => {
                self.pieces(at, pieces, read.clone());
                read
            }
        };
        // A body that lasts until the connection closes has ended with it.
        if read.is_ok() && self.lives.contains_key(&at) && self.wires[channel].carries == Some(at) {
            self.settle(at, End::Lost("closed".to_owned()));
        }
        self.close(channel);
    }

    fn pieces(&mut self, at: usize, pieces: Vec<Piece>, read: Result<(), HttpFault>) {
        for piece in pieces {
            match piece {
                Piece::Head(head) => self.head(at, head),
                Piece::Body(bytes) => self.body(at, &bytes),
                Piece::End => self.answer_end(at),
            }
        }
        match read {
            Ok(()) => {}
            Err(HttpFault::CutOff(place)) => {
                self.settle(at, End::Lost(format!("the connection was closed {place}")));
            }
            Err(fault) => self.settle(at, End::Malformed(fault.to_string())),
        }
    }

    fn head(&mut self, at: usize, head: Head) {
        let Some(live) = self.lives.get_mut(&at) else {
            return;
        };
        live.keep_alive = head.keep_alive;
        if let Patience::Glimpse(ms) = live.ask.patience {
            live.deadline = live.deadline.min(self.now + ms);
        }
        let Some(http) = &mut self.recording.records[at].exchange.http else {
            return;
        };
        http.status = Some(head.status);
        http.headers = head.headers;
        if http.media_type().as_deref() == Some("text/event-stream") {
            live.answer = Body::Events(sse::Reader::default(), 0);
        }
    }

    fn body(&mut self, at: usize, bytes: &[u8]) {
        let Some(live) = self.lives.get_mut(&at) else {
            return;
        };
        live.received += bytes.len();
        let mut events = Vec::new();
        match &mut live.answer {
            Body::Whole(whole) => whole.extend_from_slice(bytes),
            Body::Events(reader, count) => {
                reader.feed(bytes, &mut |event| events.push(event));
                *count += events.len();
                let limit = self.settings.limits.events;
                if *count > limit {
                    let why = format!("the stream exceeds the limit of {limit} events");
                    self.settle(at, End::Malformed(why));
                    return;
                }
            }
        }
        for event in events {
            let carrier = Carrier::Event {
                event: event.event,
                id: event.id,
            };
            let message = self.from_server(carrier, event.data, event.invalid_utf8);
            self.take(at, message);
        }
    }

    fn from_server(&self, carrier: Carrier, text: String, invalid_utf8: bool) -> Message {
        Message {
            from: Sender::Server,
            at_ms: self.now,
            carrier,
            text,
            invalid_utf8,
        }
    }

    /// The HTTP answer is complete.
    fn answer_end(&mut self, at: usize) {
        if self.follow_redirect(at) {
            return;
        }
        let Some(live) = self.lives.get_mut(&at) else {
            return;
        };
        match std::mem::replace(&mut live.answer, Body::Whole(Vec::new())) {
            Body::Whole(bytes) => {
                if !bytes.is_empty() {
                    let (text, invalid) = lines::decode(bytes);
                    let message = self.from_server(Carrier::Body, text, invalid);
                    self.recording.add(at, message);
                }
                let exchange = &mut self.recording.records[at].exchange;
                exchange.answered_ms = Some(self.now);
                self.settle(at, End::Complete);
            }
            Body::Events(reader, _) if reader.cut_off() => {
                self.settle(
                    at,
                    End::Malformed("the stream ended inside an event".to_owned()),
                );
            }
            Body::Events(..) => self.settle(at, End::Complete),
        }
    }

    /// A message of a stream or a line came for an exchange.
    fn take(&mut self, at: usize, message: Message) {
        let parsed = Parsed::read(&message.text);
        let response = parsed
            .envelope()
            .is_some_and(|envelope| envelope.kind() == Kind::Response);
        self.recording.add_parsed(at, message, parsed);
        let Some(live) = self.lives.get_mut(&at) else {
            return;
        };
        if live.phase != Phase::Sent {
            return;
        }
        if matches!(live.ask.patience, Patience::Glimpse(_)) {
            self.settle(at, End::Closed);
        } else if response {
            live.phase = Phase::Answered;
            live.deadline = self.now + LINGER_MS;
            self.recording.records[at].exchange.answered_ms = Some(self.now);
            self.release(at);
        }
    }

    /// Repeats a POST where 307 and 308 lead on the same origin.
    fn follow_redirect(&mut self, at: usize) -> bool {
        let Some(http) = &mut self.recording.records[at].exchange.http else {
            return false;
        };
        if !matches!(http.status, Some(307 | 308)) || http.redirects.len() >= REDIRECTS {
            return false;
        }
        let Some(endpoint) = self.settings.endpoint() else {
            return false;
        };
        let Some(Redirect::SameOrigin(path)) = http
            .header("location")
            .map(|location| endpoint.redirect(location))
        else {
            return false;
        };
        http.redirects.push(path.clone());
        http.status = None;
        http.headers.clear();
        let Some(live) = self.lives.get_mut(&at) else {
            return false;
        };
        live.path = Some(path.clone());
        // The whole run goes there from now on, at the price of one redirect.
        self.path = path;
        let channel = live.channel.take();
        live.phase = Phase::Queued;
        if let Some(channel) = channel {
            self.wires[channel].carries = None;
            if !self.lives[&at].keep_alive || self.wires[channel].lane == crate::ask::Lane::Fresh {
                self.close(channel);
            }
        }
        self.queue.push_back(at);
        true
    }

    fn process_bytes(&mut self, channel: usize, bytes: &[u8]) {
        let mut reader = std::mem::take(&mut self.wires[channel].lines);
        let mut read = Vec::new();
        reader.feed(bytes, &mut |line| read.push(line));
        let pending = reader.pending();
        self.wires[channel].lines = reader;
        for line in read {
            self.line(channel, line, false);
        }
        let limit = self.settings.limits.answer_bytes;
        if pending > limit {
            let why = format!("a line exceeds the limit of {limit} bytes");
            if let Some(at) = self.wires[channel].carries {
                self.settle(at, End::Malformed(why));
            }
            self.close(channel);
        }
    }

    fn process_end(&mut self, channel: usize, how: &str) {
        if let Some(line) = self.wires[channel].lines.rest() {
            self.line(channel, line, true);
        }
        let log = &mut self.recording.channels[channel];
        log.ended_ms = Some(self.now);
        log.ending = Some(how.to_owned());
        self.keep_stderr(channel);
        if let Some(at) = self.wires[channel].carries {
            let tail = &self.recording.channels[channel].stderr_tail;
            let last = tail.lines().rev().find(|line| !line.trim().is_empty());
            let why = match last {
                Some(line) => format!(
                    "the process ended ({how}); its last words: {}",
                    crate::wire::json::cut(line.trim(), 300)
                ),
                None => format!("the process ended ({how})"),
            };
            self.settle(at, End::Lost(why));
        }
        self.close(channel);
    }

    /// Attributes a line of a process: to the exchange in flight, or to none.
    fn line(&mut self, channel: usize, line: lines::Line, unterminated: bool) {
        let parsed = Parsed::read(&line.text);
        let carries = self.wires[channel].carries;
        let kind = parsed.envelope().map(crate::wire::rpc::Envelope::kind);
        let owner = match (carries, kind) {
            (Some(at), Some(Kind::Response)) if self.may_answer(channel, at, &parsed) => Some(at),
            (Some(at), Some(Kind::Notification | Kind::Request)) => Some(at),
            _ => None,
        };
        let message = self.from_server(Carrier::Line, line.text, line.invalid_utf8);
        let Some(at) = owner else {
            self.stray(channel, message, unterminated);
            if kind.is_some_and(|kind| kind != Kind::Neither) {
                self.wires[channel].seen_message = true;
            }
            return;
        };
        self.wires[channel].seen_message = true;
        self.recording.add_parsed(at, message, parsed);
        if kind == Some(Kind::Response) {
            let id = self.recording.records[at]
                .request()
                .and_then(|request| request.id());
            if let Some(id) = id.map(Value::to_string) {
                self.wires[channel].answered.push(id);
            }
            self.wires[channel].last_answer_ms = Some(self.now);
            self.recording.records[at].exchange.answered_ms = Some(self.now);
            self.settle(at, End::Complete);
        }
    }

    /// Whether a response can be meant for the request in flight: its id, or a damaged form of it.
    fn may_answer(&self, channel: usize, at: usize, parsed: &Parsed) -> bool {
        let sent = self.recording.records[at]
            .request()
            .and_then(|request| request.id());
        let got = parsed.envelope().and_then(|envelope| envelope.id());
        match (sent, got) {
            (Some(sent), Some(got)) if same_id(sent, got) => true,
            (_, None | Some(Value::Null)) => true,
            // "1" answered as 1 is a slip worth showing at once, not after the time limit.
            (Some(sent), Some(got)) => {
                let bare = |value: &Value| value.to_string().trim_matches('"').to_owned();
                bare(sent) == bare(got)
            }
            (None, Some(got)) => !self.wires[channel].answered.contains(&got.to_string()),
        }
    }

    fn stray(&mut self, channel: usize, message: Message, unterminated: bool) {
        let wire = &self.wires[channel];
        let stray = Stray {
            at_ms: self.now,
            text: message.text,
            invalid_utf8: message.invalid_utf8,
            before_first_message: !wire.seen_message,
            in_flight: wire.carries.is_some(),
            since_answer_ms: wire.last_answer_ms.map(|at| self.now - at),
            unterminated,
        };
        let limit = self.settings.limits.stray_lines;
        let log = &mut self.recording.channels[channel];
        if log.stray.len() < limit {
            log.stray.push(stray);
        } else {
            log.stray_dropped += 1;
        }
    }
}
