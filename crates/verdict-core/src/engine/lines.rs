//! The lines of a process: which exchange each belongs to, if any.

use super::live::{Live, Phase};
use super::{Course, Engine};
use crate::ask::Id;
use crate::wire::rpc::{Envelope, Kind, is_form_of, same_id};
use crate::wire::{json, lines};
use serde_json::Value;
use verdict_model::transcript::{Carrier, End, Message, Stray};

/// `_meta` key that ties a message to a listen.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

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
        let log = &mut self.recording.channels[channel];
        log.ended_ms = Some(self.now);
        log.ending = Some(how.to_owned());
        self.keep_stderr(channel);
        let tail = &self.recording.channels[channel].stderr_tail;
        let last = tail.lines().rev().find(|line| !line.trim().is_empty());
        let why = match last {
            Some(line) => format!(
                "the process ended ({how}); its last words: {}",
                json::cut(line.trim(), 300)
            ),
            None => format!("the process ended ({how})"),
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
        let owner = parsed.envelope().and_then(|envelope| match kind {
            Kind::Response => self.asker(channel, envelope),
            Kind::Notification | Kind::Request => self.cause(channel, envelope),
            Kind::Neither => None,
        });
        let message = self.message_of(Carrier::Line, line.text, line.invalid_utf8);
        let opened = self.recording.channels[channel].opened_ms;
        self.first_start_ms = self.first_start_ms.or(Some(self.now - opened));
        let Some(at) = owner else {
            self.stray(channel, &message, unterminated);
            self.wires[channel].seen_message |= kind != Kind::Neither;
            return;
        };
        let wire = &mut self.wires[channel];
        wire.seen_message = true;
        if kind == Kind::Response {
            wire.last_answer_ms = Some(self.now);
            if let Some(id) = self.sent_id(at).map(Value::to_string) {
                self.wires[channel].answered.push(id);
            }
        }
        let size = message.text.len();
        self.take(at, message, parsed);
        self.bound(at, size);
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
            // An error for something that could not be read: what has no id itself, else the oldest that
            // waits.
            let waiting = || {
                self.carried(channel)
                    .filter(|(_, live)| live.phase == Phase::Sent)
                    .map(|(at, _)| at)
            };
            return waiting()
                .find(|at| self.sent_id(*at).is_none())
                .or_else(|| waiting().next());
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
        let acknowledges = message.method() == Some("notifications/subscriptions/acknowledged");
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

    fn stray(&mut self, channel: usize, message: &Message, unterminated: bool) {
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
            at_ms: self.now,
            text,
            invalid_utf8: message.invalid_utf8,
            before_first_message: !wire.seen_message,
            in_flight,
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
