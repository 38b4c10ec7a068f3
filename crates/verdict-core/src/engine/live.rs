//! An exchange under way: what came back so far and what it means for the exchange.

use super::{Engine, LINGER_MS};
use crate::ask::{Ask, Id, Patience};
use crate::wire::rpc::{Envelope, Kind, Parsed, is_form_of};
use crate::wire::{Limits, http, sse};
use serde_json::Value;
use verdict_model::transcript::{Carrier, End, Message, Sender};

/// What a listen is answered with first.
pub(super) const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Queued,
    Sent,
    /// Its first message is there; more is recorded as it comes.
    Held,
    /// The answer is there; what carries it is watched a little longer.
    Answered,
}

#[derive(Debug)]
pub(super) enum Body {
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
    /// Whether nothing more is due for it: we cancelled it, or its answer could not be read; stdio only.
    pub(super) over: bool,
    /// A response without an id that came while it waited; stdio only.
    pub(super) nameless: Option<(Message, Parsed)>,
    pub(super) reader: Option<http::Reader>,
    pub(super) answer: Body,
    pub(super) received: usize,
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
            over: false,
            nameless: None,
            reader: None,
            answer: Body::Whole(Vec::new()),
            received: 0,
        }
    }

    /// When something is due for it.
    pub(super) fn wakeup(&self) -> Option<u64> {
        match self.phase {
            Phase::Queued => (self.not_before > 0).then_some(self.not_before),
            Phase::Sent | Phase::Held | Phase::Answered => Some(self.deadline),
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
        self.ask.id == Id::Absent && !self.watches()
    }

    /// Whether it is there for its time, whatever comes.
    pub(super) fn watches(&self) -> bool {
        matches!(self.ask.patience, Patience::Watch(_))
    }

    /// Whether nothing was sent at all.
    pub(super) fn is_silence(&self) -> bool {
        self.ask.is_silence()
    }

    /// Lets time pass without a channel.
    pub(super) fn wait_until(&mut self, now: u64) {
        if let Patience::Watch(ms) = self.ask.patience {
            self.deadline = now.saturating_add(ms);
        }
        self.phase = Phase::Sent;
    }
}

impl Engine {
    /// The time limit of an exchange is over.
    pub(super) fn time_is_up(&mut self, at: usize) {
        let http = self.is_http();
        let Some(live) = self.lives.get_mut(&at) else {
            return;
        };
        if let Some((message, parsed)) = live.nameless.take() {
            return self.take(at, message, parsed);
        }
        let end = match (live.phase, live.ask.patience) {
            (Phase::Queued, _) => {
                live.not_before = 0;
                return;
            }
            (Phase::Answered, _) => End::LeftOpen,
            (Phase::Held, _) | (Phase::Sent, Patience::Glimpse(_)) => End::Closed,
            (Phase::Sent, Patience::Watch(_)) if http && !live.is_silence() => End::Closed,
            (Phase::Sent, Patience::Watch(_)) => End::Silent,
            (Phase::Sent, Patience::Answer | Patience::Hold(_)) => End::TimedOut,
        };
        self.settle(at, end);
    }

    /// A message of the server's, received now.
    pub(super) fn message_of(&self, carrier: Carrier, text: String, invalid_utf8: bool) -> Message {
        Message {
            from: Sender::Server,
            at_ms: self.now,
            carrier,
            text: text.into(),
            invalid_utf8,
        }
    }

    /// A message of a stream, or a line, came for an exchange.
    pub(super) fn take(&mut self, at: usize, message: Message, parsed: Parsed) {
        let envelope = parsed.envelope();
        let response = envelope.is_some_and(|one| one.kind() == Kind::Response);
        let own = response && self.may_be_own(at, envelope.and_then(Envelope::id));
        let acknowledges = envelope.and_then(Envelope::method) == Some(ACKNOWLEDGED);
        self.recording.add_parsed(at, message, parsed);
        let (now, http) = (self.now, self.is_http());
        let Some(live) = self.lives.get_mut(&at) else {
            return;
        };
        match (live.phase, live.ask.patience) {
            (Phase::Sent, Patience::Watch(_)) => {}
            (Phase::Sent | Phase::Held, _) if own && !http => {
                self.recording.records[at].exchange.answered_ms = Some(now);
                self.settle(at, End::Complete);
            }
            // The messages of a process that are no answer only happen to come now.
            (Phase::Sent, Patience::Glimpse(_)) if http || acknowledges => {
                self.settle(at, End::Closed);
            }
            (Phase::Sent | Phase::Held, _) if own => {
                let released = live.phase == Phase::Held;
                live.phase = Phase::Answered;
                live.deadline = now + LINGER_MS;
                self.recording.records[at].exchange.answered_ms = Some(now);
                if !released {
                    self.release(at);
                }
            }
            (Phase::Sent, Patience::Hold(ms)) => {
                live.phase = Phase::Held;
                live.deadline = now.saturating_add(ms);
                self.release(at);
            }
            // The response to another request: its own may still come, but not for long.
            (Phase::Sent, _) if response => live.deadline = live.deadline.min(now + LINGER_MS),
            _ => {}
        }
    }

    /// Whether a response can be meant for an exchange: its id, or a damaged form of it.
    fn may_be_own(&self, at: usize, got: Option<&Value>) -> bool {
        match (self.sent_id(at), got) {
            (Some(sent), Some(got)) if !got.is_null() => is_form_of(sent, got),
            _ => true,
        }
    }

    pub(super) fn sent_id(&self, at: usize) -> Option<&Value> {
        self.recording.records[at].request().and_then(Envelope::id)
    }
}
