//! The engine: runs the probes of a plan as exchanges over channels of bytes.
//!
//! Sans-IO. What happened goes in, with the time ([`Engine::handle`]); what to do next comes out
//! ([`Engine::command`], [`Engine::wakeup`]). A driver only moves bytes. The engine opens channels, keeps
//! connections alive, frames messages, keeps time limits, follows redirects, tries once more after a
//! network fault, and records everything. It judges nothing.

mod answer;
mod channel;
mod driver;
mod encode;
mod lines;
mod live;
mod schedule;
#[cfg(test)]
mod tests;

use crate::ask::{Ask, Probe, Stage};
use crate::context::Context;
use crate::facts::{EraFinding, Facts};
use crate::record::Recording;
use crate::settings::Settings;
use channel::Wire;
pub use driver::{Command, Elsewhere, Event, OUTPUT_CLOSED};
use live::{Live, Phase};
use std::collections::{BTreeMap, VecDeque};
use verdict_model::transcript::{End, Exchange, Transcript, Transport};

/// How far a run has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Exchanges that were answered or given up.
    pub done: usize,
    /// Exchanges that were begun or wait to be.
    pub known: usize,
}

/// Milliseconds that a stream may stay open after its response before we close it
/// (`transport.sse-closes`).
pub const LINGER_MS: u64 = 5_000;
/// Milliseconds that a process may go on after its input was closed (`stdio.eof-exits`): five seconds, and
/// half a one for slow machines.
pub const EXIT_MS: u64 = 5_500;
/// Connections of the shared lane.
const POOL: usize = 6;
/// The part of the deadline that is spent on waiting where the server asks to come back later: one in so many.
const BUSY_SHARE: u64 = 5;
/// Requests under way at one time once the server asked for fewer.
const CALM: usize = 2;
/// Processes of one lane that may be started in a row without an answer, and in all: then the server counts as
/// unable to stay up. One that answers requests and dies of others is only counted in all.
const RESPAWNS: [u32; 2] = [3, 60];
/// Processes that may be starting at one time: more would only take the time from each other.
const STARTING: usize = 2;

#[derive(Debug)]
struct Active {
    probe: Probe,
    round: usize,
    outstanding: usize,
    done: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Course {
    Running,
    /// Waits for processes to exit.
    Closing,
    Finished,
}

/// Runs the probes of a plan against one server.
#[derive(Debug)]
pub struct Engine {
    settings: Settings,
    plan: Vec<Probe>,
    active: Vec<Active>,
    stage: Option<Stage>,
    recording: Recording,
    facts: Facts,
    lives: BTreeMap<usize, Live>,
    queue: VecDeque<usize>,
    wires: Vec<Wire>,
    /// Processes started for each lane: since one answered, and in all.
    respawns: BTreeMap<&'static str, [u32; 2]>,
    commands: VecDeque<Command>,
    course: Course,
    now: u64,
    closing_since: u64,
    path: String,
    /// Until when the server asked not to be asked anything, and how much longer that may become.
    calm_until: u64,
    busy_budget_ms: u64,
    received_bytes: u64,
    /// How long the first process took to say something.
    first_start_ms: Option<u64>,
    progress: Progress,
}

impl Engine {
    /// An engine that will run `plan`; probes of one name run once.
    pub fn new(settings: Settings, plan: &[&Probe]) -> Self {
        let mut names = std::collections::BTreeSet::new();
        let plan = plan
            .iter()
            .filter(|probe| names.insert(probe.name))
            .map(|probe| **probe);
        let recording = Recording::new(settings.transport());
        let path = settings
            .endpoint()
            .map(|endpoint| endpoint.path.clone())
            .unwrap_or_default();
        let mut engine = Self {
            plan: plan.collect(),
            calm_until: 0,
            busy_budget_ms: settings.deadline_ms / BUSY_SHARE,
            settings,
            active: Vec::new(),
            stage: None,
            recording,
            facts: Facts::default(),
            lives: BTreeMap::new(),
            queue: VecDeque::new(),
            wires: Vec::new(),
            respawns: BTreeMap::new(),
            commands: VecDeque::new(),
            course: Course::Running,
            now: 0,
            closing_since: 0,
            path,
            received_bytes: 0,
            first_start_ms: None,
            progress: Progress::default(),
        };
        engine.next_stage();
        engine
    }

    /// The next thing to do.
    pub fn command(&mut self) -> Option<Command> {
        self.commands.pop_front()
    }

    /// When to send [`Event::Tick`] if nothing else happens, in milliseconds since the run began.
    pub fn wakeup(&self) -> Option<u64> {
        if self.course == Course::Finished {
            return None;
        }
        let closing = (self.course == Course::Closing).then_some(self.closing_since + EXIT_MS);
        let lives = self.lives.values().filter_map(Live::wakeup);
        lives
            .chain(closing)
            .chain(self.next_start())
            .chain((self.calm_until > self.now).then_some(self.calm_until))
            .chain([self.settings.deadline_ms])
            .min()
            .map(|at| at.max(self.now))
    }

    /// Whether there is nothing more to do.
    pub fn finished(&self) -> bool {
        self.course == Course::Finished
    }

    /// How far the run has come.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Takes what happened at `now_ms`.
    pub fn handle(&mut self, now_ms: u64, event: Event<'_>) {
        self.now = self.now.max(now_ms);
        if self.course == Course::Finished {
            return;
        }
        match event {
            Event::Opened { channel, peer } => self.opened(channel, peer),
            Event::Failed { channel, why } => self.failed(channel, &why),
            Event::Received { channel, bytes } => self.received(channel, bytes),
            Event::Diagnostics { channel, bytes } => self.diagnostics(channel, bytes),
            Event::Ended { channel, how } => self.ended(channel, &how),
            Event::Tick => {}
        }
        self.clock();
        self.pump();
    }

    /// Ends the run here, for example because the user asked for it.
    pub fn cut_off(&mut self, now_ms: u64, why: &str) {
        self.now = self.now.max(now_ms);
        self.stop(why);
    }

    /// The transcript of the run.
    pub fn into_transcript(mut self) -> Transcript {
        self.recording.duration_ms = self.now;
        self.recording.into_transcript()
    }

    /// The recording of the run.
    pub fn into_recording(mut self) -> Recording {
        self.recording.duration_ms = self.now;
        self.recording
    }

    fn is_http(&self) -> bool {
        self.recording.transport == Transport::Http
    }

    /// Keeps the time limits.
    fn clock(&mut self) {
        if self.now >= self.settings.deadline_ms && self.course == Course::Running {
            let seconds = self.settings.deadline_ms / 1000;
            self.stop(&format!(
                "the deadline of {seconds} s (--deadline) was over"
            ));
        }
        let due: Vec<usize> = self
            .lives
            .iter()
            .filter(|(_, live)| live.wakeup().is_some_and(|at| at <= self.now))
            .map(|(at, _)| *at)
            .collect();
        for at in due {
            self.time_is_up(at);
        }
        if self.course == Course::Closing && self.now >= self.closing_since + EXIT_MS {
            self.close_all();
        }
    }

    fn stop(&mut self, why: &str) {
        self.recording.cut_off = Some(why.to_owned());
        self.queue.clear();
        for at in std::mem::take(&mut self.lives).into_keys() {
            let exchange = &mut self.recording.records[at].exchange;
            exchange.end = End::Unfinished;
            exchange.ended_ms = self.now;
        }
        self.close_all();
    }

    /// Begins the next stage that has probes, or closes down.
    fn next_stage(&mut self) {
        loop {
            self.facts = Facts::read(&self.recording);
            self.stage = match self.stage {
                None => Some(Stage::Era),
                Some(Stage::Era) if self.goes_on() => Some(Stage::Survey),
                Some(Stage::Era) if self.facts.is_locked() => Some(Stage::Door),
                Some(Stage::Survey) => Some(Stage::Main),
                Some(Stage::Main) => Some(Stage::Late),
                Some(Stage::Late) => Some(Stage::Door),
                Some(Stage::Era | Stage::Door) => {
                    self.stage = None;
                    self.begin_closing();
                    return;
                }
            };
            self.active = self
                .plan
                .iter()
                .filter(|probe| Some(probe.stage) == self.stage)
                .map(|probe| Active {
                    probe: *probe,
                    round: 0,
                    outstanding: 0,
                    done: false,
                })
                .collect();
            for at in 0..self.active.len() {
                self.advance(at);
            }
            if self.active.iter().any(|active| !active.done) {
                self.assign();
                return;
            }
        }
    }

    /// Whether the server speaks the revision that the run judges by.
    fn goes_on(&self) -> bool {
        let handshake = self.settings.by_handshake();
        self.facts.is_modern() || (handshake && matches!(self.facts.era, EraFinding::Legacy(_)))
    }

    /// Streams that were held are let go; processes get the end of their input, and may say their last words.
    fn begin_closing(&mut self) {
        self.course = Course::Closing;
        self.closing_since = self.now;
        if self.is_http() {
            let held = self
                .lives
                .iter()
                .filter(|(_, live)| live.phase == Phase::Held);
            for at in held.map(|(at, _)| *at).collect::<Vec<_>>() {
                if !self.terminate(self.lives[&at].channel) {
                    self.settle(at, End::Closed);
                }
            }
        } else {
            self.end_inputs();
        }
        self.close_when_quiet();
    }

    /// Closing is over when no stream is watched and no process runs any more.
    fn close_when_quiet(&mut self) {
        let processes = !self.is_http() && self.wires.iter().any(|wire| wire.open && !wire.gone);
        let watched = self.is_http() && !self.lives.is_empty();
        if !watched && !processes {
            self.close_all();
        }
    }

    /// Asks a probe for its next step.
    fn advance(&mut self, at: usize) {
        let Active { probe, round, .. } = self.active[at];
        let context = Context {
            settings: &self.settings,
            recording: &self.recording,
            facts: &self.facts,
        };
        let asks = (probe.next)(&context, round);
        self.active[at].round += 1;
        self.active[at].outstanding = asks.len();
        self.active[at].done = asks.is_empty();
        for ask in asks {
            let name = format!("{}/{}", probe.name, ask.step);
            self.begin(at, ask, name, 0, self.now);
        }
    }

    fn begin(&mut self, probe: usize, ask: Ask, name: String, attempt: u8, not_before: u64) {
        let body = encode::body(&ask, &name);
        let waits = self.is_http() && ask.is_silence();
        let path = ask.to.as_ref().map_or(&self.path, |to| &to.path);
        let http = (self.is_http() && !waits).then(|| encode::http(&ask, &self.settings, path));
        let at = self.recording.begin(Exchange {
            name,
            standing: ask.standing,
            http,
            sent_ms: self.now,
            ..Exchange::default()
        });
        if !body.is_empty() {
            let carrier = self.carrier();
            self.recording
                .add(at, encode::message(&body, carrier, self.now));
        }
        let path = ask.to.as_ref().map(|to| to.path.clone());
        let mut live = Live::new(probe, ask, body, attempt, not_before);
        live.path = path;
        if waits {
            live.wait_until(self.now);
        } else {
            self.queue.push_back(at);
        }
        self.lives.insert(at, live);
        self.progress.known += 1;
    }

    /// Goes on after something happened: sends what can be sent, asks probes, ends stages.
    fn pump(&mut self) {
        self.assign();
        while self.course == Course::Running
            && self
                .active
                .iter()
                .all(|active| active.done && active.outstanding == 0)
        {
            self.next_stage();
            self.assign();
        }
        if self.course == Course::Closing {
            self.close_when_quiet();
        }
    }

    /// An exchange was answered, or will not be: its probe can go on.
    fn release(&mut self, at: usize) {
        self.progress.done += 1;
        let Some(live) = self.lives.get(&at) else {
            return;
        };
        let probe = live.probe;
        if let Some(active) = self.active.get_mut(probe) {
            active.outstanding -= 1;
            if active.outstanding == 0 && self.course == Course::Running {
                self.advance(probe);
            }
        }
    }

    /// Nothing more can come for an exchange.
    fn settle(&mut self, at: usize, end: End) {
        let Some(live) = self.lives.get_mut(&at) else {
            return;
        };
        if let (Some(channel), Some((message, _))) = (live.channel, live.nameless.take()) {
            self.stray(channel, &message, false);
        }
        let Some(live) = self.lives.get(&at) else {
            return;
        };
        let answered = matches!(live.phase, Phase::Answered | Phase::Held);
        if !answered && self.try_again(at, &end) {
            return;
        }
        let exchange = &mut self.recording.records[at].exchange;
        exchange.end = end;
        exchange.ended_ms = self.now;
        self.free_channel(at);
        if !answered {
            self.release(at);
        }
        self.lives.remove(&at);
    }
}

fn number(channel: usize) -> u32 {
    u32::try_from(channel).unwrap_or(u32::MAX)
}

/// The body that an ask would be sent with under this name, for tests that make up exchanges.
#[cfg(test)]
pub(crate) fn body_of(ask: &Ask, name: &str) -> Vec<u8> {
    encode::body(ask, name)
}
