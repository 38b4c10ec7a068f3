//! Which exchange goes over which channel, and when it is tried once more.

use super::channel::PRIVATE;
use super::live::Phase;
use super::{CALM, Command, Engine, POOL, RESPAWNS, STARTING, encode, number};
use crate::ask::{Lane, Patience};
use crate::record::{Answer, Record};
use std::collections::VecDeque;
use verdict_model::transcript::{Carrier, End};

impl Engine {
    pub(super) fn carrier(&self) -> Carrier {
        if self.is_http() {
            Carrier::Body
        } else {
            Carrier::Line
        }
    }

    /// Gives waiting exchanges their channels, first come, first served.
    pub(super) fn assign(&mut self) {
        loop {
            let mut placed = false;
            let mut left = VecDeque::new();
            for at in std::mem::take(&mut self.queue) {
                let Some(live) = self.lives.get(&at) else {
                    continue;
                };
                let due = live.not_before.max(self.calm_until) <= self.now;
                if due && self.place(at) {
                    placed = true;
                } else {
                    left.push_back(at);
                }
            }
            left.append(&mut self.queue);
            self.queue = left;
            // A notification is over when it is written; what comes after it goes out without an event.
            if !placed {
                return;
            }
        }
    }

    /// Whether a server that asked for fewer requests has enough of them.
    fn is_calmed(&self) -> bool {
        let lives = self.lives.values();
        let sent = lives.filter(|live| live.phase == Phase::Sent && live.channel.is_some());
        self.calm_until > 0 && sent.take(CALM).count() == CALM
    }

    /// Whether an exchange found a channel (or was given up).
    fn place(&mut self, at: usize) -> bool {
        if self.is_calmed() {
            return false;
        }
        let lane = self.lives[&at].ask.lane.clone();
        let elsewhere = self.elsewhere(at);
        if elsewhere.is_some_and(|to| to.public_only && to.endpoint.is_private()) {
            self.settle(at, End::Unreachable(PRIVATE.to_owned()));
            return true;
        }
        let of_lane = |wire: &super::Wire| !wire.gone && wire.lane == lane;
        let fresh = lane == Lane::Fresh;
        let idle = self
            .wires
            .iter()
            .position(|wire| !fresh && of_lane(wire) && wire.open && self.has_room(wire, at));
        if let Some(channel) = idle {
            self.carry(at, channel);
            self.send(at, channel);
            return true;
        }
        let room = match lane {
            Lane::Shared if self.is_http() => POOL,
            Lane::Shared | Lane::Own(_) => 1,
            Lane::Fresh => usize::MAX,
        };
        if !fresh && self.wires.iter().filter(|wire| of_lane(wire)).count() >= room {
            return false;
        }
        if !self.is_http() && self.starting().count() >= STARTING {
            return false;
        }
        if !self.is_http() && !fresh {
            let name = name_of(&lane);
            let starts = self.respawns.entry(name).or_default();
            let limits = starts.iter().zip(RESPAWNS);
            if let Some((_, limit)) = limits.into_iter().find(|(starts, limit)| *starts >= limit) {
                let why = format!("the process ended {limit} times; it is not started again");
                self.settle(at, End::Unreachable(why));
                return true;
            }
            *starts = starts.map(|starts| starts + 1);
        }
        self.open(lane, at);
        let channel = self.wires.len() - 1;
        self.carry(at, channel);
        true
    }

    /// How long a process may take to start, going by the first one; nothing is known before that.
    fn start_ms(&self) -> Option<u64> {
        let timeout = self.settings.timeout_ms;
        let first = self.first_start_ms?;
        Some((3 * first).clamp(timeout.min(1_000), timeout))
    }

    /// When the processes that are starting will count as started; one that says something has started.
    fn starting(&self) -> impl Iterator<Item = u64> {
        let wires = self.wires.iter().zip(&self.recording.channels);
        let waited_for = |at: &usize| {
            let live = self.lives.get(at);
            live.is_some_and(|live| live.phase == Phase::Sent && !live.is_silence())
        };
        wires
            .filter(move |(wire, _)| {
                !wire.gone && !wire.seen_message && wire.carries.iter().any(waited_for)
            })
            .map(|(_, log)| log.opened_ms + self.start_ms().unwrap_or(self.settings.timeout_ms))
            .filter(|at| *at > self.now)
    }

    /// When the next process may be started, if one waits for that.
    pub(super) fn next_start(&self) -> Option<u64> {
        if self.is_http() || self.queue.is_empty() {
            return None;
        }
        self.starting().min()
    }

    /// Whether a channel can take an exchange: a connection carries one, a process one that waits for its
    /// answer, or several that were asked for together.
    fn has_room(&self, wire: &super::Wire, at: usize) -> bool {
        if self.is_http() {
            return wire.carries.is_empty();
        }
        let alongside = self.lives[&at].ask.alongside;
        let mut carried = wire.carries.iter().filter_map(|at| self.lives.get(at));
        carried.all(|other| other.phase != Phase::Sent || (alongside && other.ask.alongside))
    }

    fn carry(&mut self, at: usize, channel: usize) {
        let mut timeout = self.settings.timeout_ms;
        if !self.is_http() && !self.wires[channel].seen_message {
            timeout += self.start_ms().unwrap_or_default();
        }
        if !self.wires[channel].carries.contains(&at) {
            self.wires[channel].carries.push(at);
        }
        self.recording.records[at].exchange.channel = Some(number(channel));
        if let Some(live) = self.lives.get_mut(&at) {
            live.channel = Some(channel);
            live.phase = Phase::Sent;
            live.deadline = self.now + timeout;
        }
    }

    pub(super) fn send(&mut self, at: usize, channel: usize) {
        let start_ms = self.start_ms().unwrap_or_default();
        let Some(live) = self.lives.get_mut(&at) else {
            return;
        };
        let bytes = if self.recording.records[at].exchange.http.is_some() {
            live.begin_answer(self.settings.limits);
            let path = live.path.as_ref().unwrap_or(&self.path);
            encode::request(&live.ask, &self.settings, path, &live.body)
        } else {
            // What is watched or glimpsed at has its time from now on; the latter not before the process
            // can have started.
            let started = self.wires[channel].seen_message;
            match live.ask.patience {
                Patience::Watch(ms) => live.deadline = self.now.saturating_add(ms),
                Patience::Glimpse(ms) if started => live.deadline = self.now + ms,
                Patience::Glimpse(ms) => live.deadline = self.now + ms + start_ms,
                Patience::Answer | Patience::Hold(_) => {}
            }
            let mut bytes = live.body.clone();
            if !live.is_silence() {
                bytes.push(b'\n');
            }
            bytes
        };
        live.reused = self.wires[channel].used;
        self.wires[channel].used = true;
        let exchange = &mut self.recording.records[at].exchange;
        exchange.sent_ms = self.now;
        if let Some(message) = exchange.messages.first_mut() {
            message.at_ms = self.now;
        }
        if bytes.is_empty() {
            return;
        }
        self.commands.push_back(Command::Send {
            channel: number(channel),
            bytes,
        });
        if !self.is_http() {
            self.note_cancel(at, channel);
            if self.lives[&at].owes_nothing() {
                self.settle(at, End::Silent);
            }
        }
    }

    /// A listen that we cancelled is over for the process too, whether it says so or not.
    fn note_cancel(&mut self, at: usize, channel: usize) {
        let request = self.recording.records[at].request();
        let named = request
            .filter(|request| request.method() == Some("notifications/cancelled"))
            .and_then(|request| request.params()?.get("requestId"));
        let carried = self.wires[channel].carries.iter();
        let over = named.and_then(|id| {
            carried
                .copied()
                .find(|other| self.sent_id(*other) == Some(id))
        });
        if let Some(live) = over.and_then(|over| self.lives.get_mut(&over)) {
            live.over = true;
        }
    }

    /// Gives back the channel of an exchange that is over: to its lane, or closed.
    pub(super) fn free_channel(&mut self, at: usize) {
        let Some(live) = self.lives.get(&at) else {
            return;
        };
        let Some(channel) = live.channel else { return };
        let end = &self.recording.records[at].exchange.end;
        let clean = matches!(end, End::Complete | End::Silent);
        let reusable = if self.is_http() {
            clean && live.keep_alive && self.wires[channel].lane != Lane::Fresh
        } else {
            // A process that failed to answer may still answer late; it is not asked again.
            let over = clean || (matches!(end, End::Closed | End::Malformed(_)) && live.over);
            over && self.wires[channel].lane != Lane::Fresh
        };
        self.wires[channel].carries.retain(|other| *other != at);
        if !reusable {
            self.close(channel);
        }
    }

    /// Whether an exchange that failed is tried once more (G2, G5).
    pub(super) fn try_again(&mut self, at: usize, end: &End) -> bool {
        if self.course != super::Course::Running {
            return false;
        }
        let Some(live) = self.lives.get(&at) else {
            return false;
        };
        let untouched = live.untouched() && !self.has_reply(at);
        // A kept-alive connection may be closed by the server just when it is used again (RFC 9112, 9.3.1).
        if live.reused && untouched && self.is_http() && matches!(end, End::Lost(_)) {
            self.free_channel(at);
            if let Some(live) = self.lives.get_mut(&at) {
                live.channel = None;
                live.phase = Phase::Queued;
                live.reused = false;
            }
            self.queue.push_back(at);
            return true;
        }
        let record = &mut self.recording.records[at];
        record.exchange.end = end.clone();
        let wait = match record.answer() {
            Answer::Busy(_) if live.attempt < 3 => {
                let until = self.now.saturating_add(retry_after_ms(record));
                // All wait at the same time.
                let more = until.saturating_sub(self.calm_until.max(self.now));
                if more > self.busy_budget_ms {
                    return false;
                }
                self.busy_budget_ms -= more;
                self.calm_until = self.calm_until.max(until);
                0
            }
            Answer::Fault(_)
            | Answer::Nothing(End::Lost(_) | End::TimedOut | End::Unreachable(_))
                if live.attempt == 0 && live.ask.retry =>
            {
                0
            }
            _ => return false,
        };
        let (probe, ask, attempt) = (live.probe, live.ask.clone(), live.attempt);
        self.recording.records[at].exchange.ended_ms = self.now;
        self.free_channel(at);
        self.lives.remove(&at);
        let name = self.recording.records[at].exchange.name.clone();
        self.recording.rename(at, format!("{name}~{}", attempt + 1));
        self.progress.done += 1;
        self.begin(probe, ask, name, attempt + 1, self.now + wait);
        true
    }

    fn has_reply(&self, at: usize) -> bool {
        self.recording.records[at].replies().next().is_some()
    }
}

/// How long a server asks to be left alone; longer than anything where the number has no end.
fn retry_after_ms(record: &Record) -> u64 {
    let value = record.header("retry-after").map(str::trim);
    let Some(value) = value.filter(|value| value.bytes().all(|byte| byte.is_ascii_digit())) else {
        return 1_000;
    };
    value
        .parse()
        .map_or(u64::MAX, |seconds: u64| seconds.saturating_mul(1_000))
}

/// What the processes of a lane are counted under.
pub(super) fn name_of(lane: &Lane) -> &'static str {
    match lane {
        Lane::Own(name) => name,
        Lane::Shared | Lane::Fresh => "",
    }
}
