//! HTTP answers: from the bytes of a connection to the messages of its exchange.

use super::Engine;
use super::live::{Body, Phase};
use crate::ask::{Lane, Patience, Stage};
use crate::wire::endpoint::Redirect;
use crate::wire::http::{self, Head, HttpFault, Piece};
use crate::wire::{lines, sse};
use verdict_model::transcript::{Carrier, End};

/// How many redirects one exchange follows.
const REDIRECTS: usize = 3;

impl Engine {
    pub(super) fn received(&mut self, channel: u32, bytes: &[u8]) {
        let at = channel as usize;
        if self.wires.get(at).is_none_or(|wire| wire.gone) {
            return;
        }
        self.received_bytes = self.received_bytes.saturating_add(bytes.len() as u64);
        if self.is_http() {
            self.http_bytes(at, bytes);
        } else {
            self.process_bytes(at, bytes);
        }
        let (bytes, held) = (
            self.settings.limits.run_bytes,
            self.settings.limits.run_held_bytes,
        );
        if self.received_bytes > bytes {
            self.stop(&format!(
                "the server exceeded the limit of {bytes} bytes for one run"
            ));
        } else if self.recording.held_bytes() > held {
            self.stop(&format!(
                "the messages of the run exceeded the limit of {held} bytes in memory"
            ));
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

    fn http_bytes(&mut self, channel: usize, bytes: &[u8]) {
        let Some(at) = self.wires[channel].carries.first().copied() else {
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
        self.pieces(at, pieces);
        let Err(fault) = read else { return };
        if self.wires[channel].carries.contains(&at) {
            self.settle(at, fault_end(fault));
        }
        // What follows on this connection cannot be told from the rest of this answer.
        self.close(channel);
    }

    fn http_end(&mut self, channel: usize, how: &str) {
        self.recording.channels[channel].ended_ms = Some(self.now);
        self.recording.channels[channel].ending = Some(how.to_owned());
        let Some(at) = self.wires[channel].carries.first().copied() else {
            self.close(channel);
            return;
        };
        let mut pieces = Vec::new();
        let reader = self
            .lives
            .get_mut(&at)
            .and_then(|live| live.reader.as_mut());
        let read = reader.map_or(Ok(()), |reader| {
            reader.close(&mut |piece| pieces.push(piece))
        });
        // A body that lasts until the connection closes has ended with it.
        self.pieces(at, pieces);
        if self.wires[channel].carries.contains(&at) {
            let end = match read {
                Err(HttpFault::CutOff(place)) if how != "closed" => {
                    End::Lost(format!("{how} {place}"))
                }
                Err(fault) => fault_end(fault),
                Ok(()) => End::Lost(how.to_owned()),
            };
            self.settle(at, end);
        }
        self.close(channel);
    }

    fn pieces(&mut self, at: usize, pieces: Vec<Piece>) {
        for piece in pieces {
            match piece {
                Piece::Head(head) => self.head(at, head),
                Piece::Body(bytes) => self.body(at, &bytes),
                Piece::End => self.answer_end(at),
            }
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
                if let Some(http) = &mut self.recording.records[at].exchange.http {
                    http.comments += reader.comments();
                }
                let limit = self.settings.limits.events;
                if *count > limit {
                    let why = format!("the stream exceeds the limit of {limit} events");
                    self.recording.thin(at);
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
            let message = self.message_of(carrier, event.data, event.invalid_utf8);
            let parsed = self.recording.read(&message.text.as_str());
            self.take(at, message, parsed);
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
                    let message = self.message_of(Carrier::Body, text, invalid);
                    self.recording.add(at, message);
                }
                let exchange = &mut self.recording.records[at].exchange;
                exchange.answered_ms = Some(self.now);
                self.settle(at, End::Complete);
            }
            Body::Events(reader, _) if reader.cut_off() => {
                let why = "the stream ended inside an event";
                self.settle(at, End::Malformed(why.to_owned()));
            }
            Body::Events(..) => self.settle(at, End::Complete),
        }
    }

    /// Repeats a request where 307 and 308 lead on the same origin.
    fn follow_redirect(&mut self, at: usize) -> bool {
        // Documents of the server's authorization are asked for at their own place alone.
        if self.lives.get(&at).is_none_or(|live| live.ask.to.is_some()) {
            return false;
        }
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
        let keep_alive = live.keep_alive;
        live.path = Some(path.clone());
        live.phase = Phase::Queued;
        let channel = live.channel.take();
        if self.stage == Some(Stage::Era) {
            // The whole run goes there from now on, at the price of one redirect. Later ones may be for
            // their own request alone.
            self.path = path;
        }
        if let Some(channel) = channel {
            self.wires[channel].carries.clear();
            if !keep_alive || self.wires[channel].lane == Lane::Fresh {
                self.close(channel);
            }
        }
        self.queue.push_back(at);
        true
    }
}

fn fault_end(fault: http::HttpFault) -> End {
    match fault {
        HttpFault::CutOff(place) => End::Lost(format!("the connection was closed {place}")),
        fault => End::Malformed(fault.to_string()),
    }
}
