//! Watches what goes to a client: which messages an answer holds, and where it ends.

use crate::decode::{Decoder, Part};
use crate::http::Head;
use verdict_core::wire::{lines, sse};
use verdict_model::transcript::Carrier;

/// Bytes of a body that are kept for one message.
const MOST_BYTES: usize = 32 << 20;

/// Something that was seen in an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    /// The final head.
    Head(Head),
    /// A message, or what stood in its place.
    Message {
        /// What carried it.
        carrier: Carrier,
        /// Its text.
        text: String,
        /// Whether bytes had to be replaced.
        invalid_utf8: bool,
    },
    /// The end of the answer.
    End,
}

/// Reads the answer to one request on the side.
#[derive(Debug, Clone)]
pub struct Watch {
    decoder: Decoder,
    tap: Tap,
}

/// What is kept of an answer.
#[derive(Debug, Clone, Default)]
struct Tap {
    /// Whether messages are kept; the framing is followed in any case.
    reads: bool,
    events: Option<sse::Reader>,
    body: Vec<u8>,
    encoded: Option<String>,
    comments: u64,
}

impl Watch {
    /// Of the answer to a request with this verb; `reads` says whether its messages are wanted.
    pub fn new(verb: &str, reads: bool) -> Self {
        Self {
            decoder: Decoder::new(verb),
            tap: Tap {
                reads,
                ..Tap::default()
            },
        }
    }

    /// How far the answer has come.
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// Comments on the event stream so far.
    pub fn comments(&self) -> u64 {
        self.tap.comments
    }

    /// Takes bytes; how many of them belong to this answer.
    pub fn feed(&mut self, bytes: &[u8], each: &mut impl FnMut(Seen)) -> usize {
        let tap = &mut self.tap;
        self.decoder.feed(bytes, &mut |part| tap.part(part, each))
    }

    /// The connection is at its end; whether that ends the answer in good order.
    pub fn close(&mut self, each: &mut impl FnMut(Seen)) -> bool {
        let tap = &mut self.tap;
        let sound = self.decoder.close(&mut |part| tap.part(part, each));
        self.tap.flush(each);
        sound
    }
}

impl Tap {
    fn part(&mut self, part: Part, each: &mut impl FnMut(Seen)) {
        match part {
            Part::Head(head) => {
                let encoding = head.field("content-encoding").unwrap_or_default();
                self.encoded = head.is_encoded().then(|| encoding.to_owned());
                let stream = head.is_stream() && self.encoded.is_none();
                self.events = stream.then(sse::Reader::default);
                each(Seen::Head(head));
            }
            Part::Data(bytes) if self.reads => self.data(bytes, each),
            Part::Data(_) => {}
            Part::End => {
                self.flush(each);
                each(Seen::End);
            }
        }
    }

    fn data(&mut self, bytes: &[u8], each: &mut impl FnMut(Seen)) {
        let Some(events) = &mut self.events else {
            let room = MOST_BYTES.saturating_sub(self.body.len());
            self.body.extend_from_slice(&bytes[..bytes.len().min(room)]);
            return;
        };
        events.feed(bytes, &mut |event| {
            each(Seen::Message {
                carrier: Carrier::Event {
                    event: event.event,
                    id: event.id,
                },
                text: event.data,
                invalid_utf8: event.invalid_utf8,
            });
        });
        self.comments += events.comments();
        if events.pending() > MOST_BYTES {
            self.events = Some(sse::Reader::default());
        }
    }

    /// Gives the body, also one that was cut off.
    fn flush(&mut self, each: &mut impl FnMut(Seen)) {
        let body = std::mem::take(&mut self.body);
        if body.is_empty() {
            return;
        }
        let (text, invalid_utf8) = match &self.encoded {
            Some(encoding) => {
                let shown = verdict_config::tree::short(encoding, 40);
                (format!("({} bytes, encoded as {shown})", body.len()), false)
            }
            None => lines::decode(body),
        };
        each(Seen::Message {
            carrier: Carrier::Body,
            text,
            invalid_utf8,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(parts: &[&[u8]]) -> (Vec<Seen>, usize) {
        let mut watch = Watch::new("POST", true);
        let (mut all, mut used) = (Vec::new(), 0);
        for part in parts {
            used += watch.feed(part, &mut |one| all.push(one));
        }
        (all, used)
    }

    #[test]
    fn any_split_shows_the_same() {
        let events = b"data: {\"a\":1}\n\n: x\n\nid: 4\ndata: b\n\n";
        let mut answer = b"HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        answer.extend(crate::stream::Style::default().chunks(events));
        answer.extend_from_slice(b"0\r\n\r\n");
        let length = answer.len();
        answer.extend_from_slice(b"HTTP/1.1 200");
        let whole = seen(&[&answer]);
        assert_eq!((whole.0.len(), whole.1), (4, length));
        for at in 0..=answer.len() {
            assert_eq!(
                seen(&[&answer[..at], &answer[at..]]),
                whole,
                "split at {at}"
            );
        }
    }

    #[test]
    fn an_encoded_body_is_said_and_not_read() {
        let answer =
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08";
        let (all, _) = seen(&[answer]);
        let [Seen::Head(_), Seen::Message { text, .. }, Seen::End] = &all[..] else {
            panic!("{all:?}");
        };
        assert_eq!(text, "(3 bytes, encoded as gzip)");
    }

    #[test]
    fn what_is_no_http_passes_blindly() {
        let mut watch = Watch::new("POST", true);
        let used = watch.feed(b"220 mail.example ESMTP\r\n", &mut |_| {});
        assert!(watch.decoder().is_blind() && used == 24);
    }
}
