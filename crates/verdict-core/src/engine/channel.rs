//! Channels as the engine drives them: connections and processes, from their opening to their end.

use super::live::Phase;
use super::{Command, Elsewhere, Engine, encode, number};
use crate::ask::Lane;
use crate::conformance::cancel::teardown;
use crate::wire::endpoint::is_private;
use crate::wire::lines;
use std::collections::VecDeque;
use verdict_model::transcript::{Channel, End};

/// Why an address was not followed.
pub(super) const PRIVATE: &str = "it leads into a private network, which is not followed";

/// A channel as the engine drives it.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of the channel, on its own"
)]
pub(super) struct Wire {
    pub(super) lane: Lane,
    pub(super) open: bool,
    pub(super) gone: bool,
    /// The exchanges that it carries, in the order in which they were sent; over HTTP at most one.
    pub(super) carries: Vec<usize>,
    /// Whether it has carried one before.
    pub(super) used: bool,
    pub(super) lines: lines::Reader,
    /// Ids that were answered; stdio only.
    pub(super) answered: Vec<String>,
    pub(super) last_answer_ms: Option<u64>,
    pub(super) seen_message: bool,
    /// Whether it may not lead into a private network.
    public_only: bool,
    stderr: VecDeque<u8>,
    stderr_utf8: lines::Utf8,
}

impl Wire {
    fn new(lane: Lane, first: usize) -> Self {
        Self {
            lane,
            open: false,
            gone: false,
            carries: vec![first],
            used: false,
            lines: lines::Reader::default(),
            answered: Vec::new(),
            last_answer_ms: None,
            seen_message: false,
            public_only: false,
            stderr: VecDeque::new(),
            stderr_utf8: lines::Utf8::default(),
        }
    }
}

impl Engine {
    pub(super) fn open(&mut self, lane: Lane, live: usize) {
        let channel = self.wires.len();
        let name = match &lane {
            Lane::Shared => "shared".to_owned(),
            Lane::Own(name) => (*name).to_owned(),
            Lane::Fresh => self.recording.records[live].exchange.name.clone(),
        };
        self.recording.channels.push(Channel {
            lane: name,
            opened_ms: self.now,
            ..Channel::default()
        });
        self.wires.push(Wire::new(lane, live));
        let elsewhere = self.elsewhere(live);
        self.wires[channel].public_only = elsewhere.as_ref().is_some_and(|to| to.public_only);
        self.commands.push_back(Command::Open {
            channel: number(channel),
            elsewhere,
        });
    }

    /// Where an exchange goes that does not go to the target. What a server points to may be anything: only a
    /// server on this machine may point into private networks.
    pub(super) fn elsewhere(&self, live: usize) -> Option<Elsewhere> {
        let ask = &self.lives.get(&live)?.ask;
        let endpoint = encode::elsewhere(ask, &self.settings)?.clone();
        let own = self.settings.endpoint()?;
        Some(Elsewhere {
            endpoint,
            public_only: !own.is_loopback(),
        })
    }

    pub(super) fn opened(&mut self, channel: u32, peer: Option<String>) {
        let at = channel as usize;
        if self.wires.get(at).is_none_or(|wire| wire.gone) {
            return;
        }
        self.wires[at].open = true;
        let host = peer.as_deref().and_then(|peer| peer.rsplit_once(':'));
        let host = host.and_then(|(host, _)| host.trim_matches(['[', ']']).parse().ok());
        let strays = self.wires[at].public_only && host.is_some_and(is_private);
        self.recording.channels[at].peer = peer;
        if strays {
            for live in std::mem::take(&mut self.wires[at].carries) {
                self.settle(live, End::Unreachable(PRIVATE.to_owned()));
            }
            self.close(at);
            return;
        }
        for live in self.wires[at].carries.clone() {
            self.send(live, at);
        }
    }

    pub(super) fn failed(&mut self, channel: u32, why: &str) {
        let at = channel as usize;
        let Some(wire) = self.wires.get_mut(at) else {
            return;
        };
        wire.gone = true;
        self.recording.channels[at].ending = Some(why.to_owned());
        for live in std::mem::take(&mut wire.carries) {
            self.settle(live, End::Unreachable(why.to_owned()));
        }
    }

    pub(super) fn diagnostics(&mut self, channel: u32, bytes: &[u8]) {
        let Some(wire) = self.wires.get_mut(channel as usize) else {
            return;
        };
        wire.stderr_utf8.feed(bytes);
        let keep = self.settings.limits.stderr_tail_bytes;
        wire.stderr
            .extend(&bytes[bytes.len().saturating_sub(keep)..]);
        let excess = wire.stderr.len().saturating_sub(keep);
        wire.stderr.drain(..excess);
    }

    pub(super) fn keep_stderr(&mut self, channel: usize) {
        let wire = &mut self.wires[channel];
        let bytes: Vec<u8> = wire.stderr.drain(..).collect();
        let log = &mut self.recording.channels[channel];
        log.stderr_invalid_utf8 = wire.stderr_utf8.broken();
        // Kept before: the process ended, and is closed now.
        if bytes.is_empty() {
            return;
        }
        // A tail may begin inside a line, a character or a secret; that is ours, not the server's.
        let cut = bytes.len() >= self.settings.limits.stderr_tail_bytes;
        let line = bytes.iter().position(|byte| cut && *byte == b'\n');
        let character = bytes
            .iter()
            .take(3)
            .take_while(|byte| (**byte & 0xC0) == 0x80);
        let start = line.map_or_else(|| character.count(), |end| end + 1);
        log.stderr_tail = lines::decode(bytes[start..].to_vec()).0;
    }

    /// Closes the input of one process that has nothing to do, and of one to which something is held open: they
    /// show how the end of input is taken. The others are ended, since many that exit at one time would only
    /// take the time from each other.
    pub(super) fn end_inputs(&mut self) {
        let (mut idle, mut held) = (false, false);
        let mut order: Vec<usize> = (0..self.wires.len()).collect();
        // The main process before those of probes, which may have treated theirs badly.
        order.sort_by_key(|channel| self.wires[*channel].lane != Lane::Shared);
        for channel in order {
            if self.wires[channel].gone || self.terminate(Some(channel)) {
                continue;
            }
            let wire = &self.wires[channel];
            let shown = if wire.carries.is_empty() {
                &mut idle
            } else {
                &mut held
            };
            if !wire.open || std::mem::replace(shown, true) {
                self.close(channel);
                continue;
            }
            self.recording.channels[channel].input_closed_ms = Some(self.now);
            self.commands.push_back(Command::EndInput {
                channel: number(channel),
            });
        }
    }

    /// Tells a process, or the HTTP server behind a connection, to stop where that is what the channel is for.
    pub(super) fn terminate(&mut self, channel: Option<usize>) -> bool {
        let Some(channel) = channel else { return false };
        let wire = &self.wires[channel];
        let told = wire.open && wire.lane == Lane::Own(teardown::LANE) && !wire.carries.is_empty();
        if told {
            self.recording.channels[channel].terminated_ms = Some(self.now);
            self.commands.push_back(Command::Terminate {
                channel: number(channel),
            });
        }
        told
    }

    /// Closes a channel; what it still carries ends with it.
    pub(super) fn close(&mut self, channel: usize) {
        let wire = &mut self.wires[channel];
        let carried = std::mem::take(&mut wire.carries);
        if std::mem::replace(&mut wire.gone, true) {
            return;
        }
        self.commands.push_back(Command::Close {
            channel: number(channel),
        });
        self.keep_stderr(channel);
        for at in carried {
            let held = self
                .lives
                .get(&at)
                .is_some_and(|live| live.phase == Phase::Held);
            let end = if held {
                End::Closed
            } else {
                let why = "the process was ended because it did not answer another request";
                End::Lost(why.to_owned())
            };
            self.settle(at, end);
        }
    }

    pub(super) fn close_all(&mut self) {
        for channel in 0..self.wires.len() {
            self.close(channel);
        }
        self.course = super::Course::Finished;
    }
}
