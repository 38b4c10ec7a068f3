//! The lines of a process: which exchange each belongs to, if any.

use super::live::{ACKNOWLEDGED, Live, Phase};
use super::schedule::name_of;
use super::{Course, Engine, OUTPUT_CLOSED};
use crate::ask::Id;
use crate::wire::json::JsonFault;
use crate::wire::rpc::{Envelope, Kind, Parsed, is_form_of, same_id};
use crate::wire::{json, lines};
use serde_json::Value;
use verdict_model::transcript::{Carrier, End, Message, Stray};

/// `_meta` key that ties a message to a listen.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Milliseconds that the real answer may take to follow a response without an id.
const GRACE_MS: u64 = 1_000;
/// Bytes at the ends of an unreadable line that are searched for an id.
const SCANNED: usize = 1 << 10;

/// Whether a member `id` with this value stands in a text.
fn carries(text: &str, id: &str) -> bool {
    text.match_indices("\"id\"").any(|(at, name)| {
        let rest = text[at + name.len()..].trim_start().strip_prefix(':');
        let rest = rest.and_then(|rest| rest.trim_start().strip_prefix(id));
        rest.is_some_and(|rest| rest.trim_start().starts_with([',', '}']))
    })
}

impl Engine {
    pub(super) fn process_bytes(&mut self, channel: usize, bytes: &[u8]) {
        let mut reader = std::mem::take(&mut self.wires[channel].lines);
        let mut read = Vec::new();
        reader.feed(bytes, &mut |line| read.push(line));
        let pending = reader.pending();
        self.wires[channel].lines = reader;
        for line in read {
            // One of the lines before may have been the end of it.
            if self.wires[channel].gone {
                return;
            }
            self.line(channel, line, false);
        }
        let limit = self.settings.limits.answer_bytes;
        if pending > limit && !self.wires[channel].gone {
            let why = format!("a line exceeds the limit of {limit} bytes");
            for at in self.wires[channel].carries.clone() {
                self.settle(at, End::Malformed(why.clone()));
            }
            self.close(channel);
        }
    }

    pub(super) fn process_end(&mut self, channel: usize, how: &str) {
        if let Some(line) = self.wires[channel].lines.rest() {
            self.line(channel, line, true);
        }
        let started = self.respawns.get_mut(name_of(&self.wires[channel].lane));
        if let Some([fruitless, _]) = started.filter(|_| self.facts.is_modern()) {
            *fruitless = fruitless.saturating_sub(1);
        }
        let log = &mut self.recording.channels[channel];
        log.ended_ms = Some(self.now);
        log.ending = Some(how.to_owned());
        self.keep_stderr(channel);
        let tail = &self.recording.channels[channel].stderr_tail;
        let last = tail.lines().rev().find(|line| !line.trim().is_empty());
        let what = match how {
            OUTPUT_CLOSED => how.to_owned(),
            _ => format!("the process ended ({how})"),
        };
        let why = match last {
            Some(line) => format!("{what}; its last words: {}", json::cut(line.trim(), 300)),
            None => what,
        };
        for at in self.wires[channel].carries.clone() {
            let ours = self.course == Course::Closing;
            let end = if ours {
                End::Closed
            } else {
                End::Lost(why.clone())
            };
            self.settle(at, end);
        }
        self.close(channel);
    }

    /// Attributes a line of a process: to an exchange in flight, or to none.
    fn line(&mut self, channel: usize, line: lines::Line, unterminated: bool) {
        let parsed = self.recording.read(&line.text);
        let kind = parsed.envelope().map_or(Kind::Neither, Envelope::kind);
        let owner = match &parsed {
            Parsed::Object(envelope) => match kind {
                Kind::Response => self.asker(channel, envelope),
                Kind::Notification | Kind::Request => self.cause(channel, envelope),
                Kind::Neither => None,
            },
            Parsed::Broken(fault) => self.lost_answer(channel, &line.text, fault),
            Parsed::Other(_) => None,
        };
        let message = self.message_of(Carrier::Line, line.text, line.invalid_utf8);
        let opened = self.recording.channels[channel].opened_ms;
        self.first_start_ms = self.first_start_ms.or(Some(self.now - opened));
        let Some(at) = owner else {
            let grace = self.now + GRACE_MS;
            match self.nameless(channel, &parsed).filter(|_| !unterminated) {
                Some(waiting) => {
                    waiting.deadline = waiting.deadline.min(grace);
                    waiting.nameless = Some((message, parsed));
                }
                None => self.stray(channel, &message, unterminated),
            }
            self.wires[channel].seen_message |= kind != Kind::Neither;
            return;
        };
        self.wires[channel].seen_message = true;
        if matches!(parsed, Parsed::Broken(_)) || kind == Kind::Response {
            self.note_answer(at, channel);
        }
        if let Parsed::Broken(fault) = &parsed {
            let why = fault.to_string();
            self.recording.add_parsed(at, message, parsed);
            if let Some(live) = self.lives.get_mut(&at) {
                live.over = true;
            }
            self.settle(at, End::Malformed(why));
            return;
        }
        let size = message.text.len();
        self.take(at, message, parsed);
        self.bound(at, size);
    }

    fn note_answer(&mut self, at: usize, channel: usize) {
        let wire = &mut self.wires[channel];
        wire.last_answer_ms = Some(self.now);
        if let Some([fruitless, _]) = self.respawns.get_mut(name_of(&wire.lane)) {
            *fruitless = 0;
        }
        if let Some(id) = self.sent_id(at).map(Value::to_string) {
            self.wires[channel].answered.push(id);
        }
    }

    /// A flood for one request ends at the limits.
    fn bound(&mut self, at: usize, size: usize) {
        let limits = self.settings.limits;
        let Some(live) = self.lives.get_mut(&at) else {
            return;
        };
        live.received += size;
        let why = if self.recording.records[at].parsed.len() > limits.events {
            format!("it sent more than {} messages", limits.events)
        } else if live.received > limits.answer_bytes {
            format!("it sent more than {} bytes", limits.answer_bytes)
        } else {
            return;
        };
        self.recording.thin(at);
        self.settle(at, End::Malformed(format!("{why} for one request")));
    }

    /// Exchanges that a channel carries and that a message can belong to: something was sent for them.
    fn carried(&self, channel: usize) -> impl Iterator<Item = (usize, &Live)> {
        let carries = self.wires[channel].carries.iter();
        carries
            .filter_map(|at| Some((*at, self.lives.get(at)?)))
            .filter(|(_, live)| !live.is_silence())
    }

    /// The exchange that a response answers.
    fn asker(&self, channel: usize, response: &Envelope) -> Option<usize> {
        let Some(got) = response.id().filter(|id| !id.is_null()) else {
            // An error for something that could not be read, or what has no id itself.
            let fits = |at: usize| {
                let bare = self.sent_id(at).is_none_or(Value::is_null);
                bare || (!self.is_sound(at) && response.result.is_none())
            };
            let mut waiting = self.carried(channel);
            let (at, _) = waiting.find(|(at, live)| live.phase == Phase::Sent && fits(*at))?;
            return Some(at);
        };
        let by = |same: &dyn Fn(&Value) -> bool| {
            self.carried(channel)
                .find(|(at, _)| self.sent_id(*at).is_some_and(same))
                .map(|(at, _)| at)
        };
        by(&|sent| same_id(sent, got))
            .or_else(|| by(&|sent| is_form_of(sent, got)))
            .or_else(|| {
                // What has no id of its own: bad lines, batches, and notifications, which nobody answers.
                let known = self.wires[channel].answered.contains(&got.to_string());
                self.carried(channel)
                    .find(|(at, _)| !known && self.sent_id(*at).is_none())
                    .map(|(at, _)| at)
            })
    }

    fn is_sound(&self, at: usize) -> bool {
        let request = self.recording.records[at].request();
        request.is_some_and(Envelope::is_sound_request)
    }

    /// The one request that waits, when a response without an id comes: its id may be lost. If the real answer
    /// does not follow soon, this is it.
    fn nameless(&mut self, channel: usize, parsed: &Parsed) -> Option<&mut Live> {
        let response = parsed.envelope()?;
        if response.kind() != Kind::Response || response.id().is_some_and(|id| !id.is_null()) {
            return None;
        }
        let mut waiting = self
            .carried(channel)
            .filter(|(_, live)| live.phase == Phase::Sent);
        let (at, live) = waiting.next()?;
        if waiting.next().is_some() || live.watches() || live.nameless.is_some() {
            return None;
        }
        drop(waiting);
        self.lives.get_mut(&at)
    }

    /// The exchange whose answer a line would be, could it be read: its id stands at the beginning or the end.
    fn lost_answer(&self, channel: usize, text: &str, fault: &JsonFault) -> Option<usize> {
        let text = text.trim();
        // The rest of a message over several lines is still to come.
        let cut_off = matches!(fault, JsonFault::Syntax(why) if why.starts_with("EOF"));
        if cut_off || !text.starts_with('{') || !text.ends_with('}') {
            return None;
        }
        let bytes = text.as_bytes();
        let ends = [
            &bytes[..bytes.len().min(SCANNED)],
            &bytes[bytes.len().saturating_sub(SCANNED)..],
        ];
        let ends = ends.map(|end| String::from_utf8_lossy(end).replace("\\/", "/"));
        let waiting = self.carried(channel);
        let mut waiting = waiting.filter(|(_, live)| live.phase == Phase::Sent && !live.watches());
        let (at, _) = waiting.find(|(at, _)| {
            let id = self.sent_id(*at).map(Value::to_string);
            id.is_some_and(|id| ends.iter().any(|end| carries(end, &id)))
        })?;
        Some(at)
    }

    /// The exchange that a notification (or a request of the server's) belongs to: the one it names, else
    /// the oldest that waits for its answer.
    fn cause(&self, channel: usize, message: &Envelope) -> Option<usize> {
        let owners = || {
            self.carried(channel)
                .filter(|(_, live)| live.ask.id != Id::Absent)
        };
        let named = owners().find(|(at, _)| self.names(*at, message));
        let listens =
            |at: usize| self.recording.records[at].method() == Some("subscriptions/listen");
        let waiting = |listen: bool| {
            owners().find(|(at, live)| live.phase == Phase::Sent && listens(*at) == listen)
        };
        let acknowledges = message.method() == Some(ACKNOWLEDGED);
        named
            .or_else(|| waiting(acknowledges))
            .or_else(|| waiting(!acknowledges))
            .or_else(|| owners().next())
            .map(|(at, _)| at)
    }

    /// Whether a message names an exchange: by subscription, progress token or the request it cancels.
    fn names(&self, at: usize, message: &Envelope) -> bool {
        let params = |key: &str| message.params().and_then(|params| params.get(key));
        let same = |one: Option<&Value>, other: Option<&Value>| match (one, other) {
            (Some(one), Some(other)) => is_form_of(one, other),
            _ => false,
        };
        let tag = params("_meta").and_then(|meta| meta.get(SUBSCRIPTION));
        let request = self.recording.records[at].request();
        let token = request
            .and_then(Envelope::params)
            .and_then(|params| params.get("_meta")?.get("progressToken"));
        same(self.sent_id(at), tag)
            || same(token, params("progressToken"))
            || same(self.sent_id(at), params("requestId"))
    }

    pub(super) fn stray(&mut self, channel: usize, message: &Message, unterminated: bool) {
        let in_flight = self
            .carried(channel)
            .any(|(_, live)| live.ask.id != Id::Absent);
        let wire = &self.wires[channel];
        let mut text = message.text.to_string();
        let keep = self.settings.limits.stray_line_bytes;
        if text.len() > keep {
            text = json::cut(&text, keep);
        }
        let stray = Stray {
            at_ms: message.at_ms,
            text,
            invalid_utf8: message.invalid_utf8,
            before_first_message: !wire.seen_message,
            in_flight,
            since_answer_ms: wire
                .last_answer_ms
                .and_then(|at| message.at_ms.checked_sub(at)),
            unterminated,
        };
        let limit = self.settings.limits.stray_lines;
        let log = &mut self.recording.channels[channel];
        if log.stray.len() < limit {
            self.recording.add_stray(channel, stray);
        } else {
            log.stray_dropped += 1;
        }
    }
}
