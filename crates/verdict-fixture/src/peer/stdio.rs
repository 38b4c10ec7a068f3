//! One process that speaks over its standard streams: bytes of stdin in, the other streams out.

use super::head::Head;
use crate::hooks::{Ends, Frame};
use crate::message::{Answer, Channel, Memory, Request, Step};
use crate::server::Server;
use serde_json::Value;

/// What the process does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StdioOutput {
    /// Bytes on stdout.
    Stdout(Vec<u8>),
    /// Bytes on stderr.
    Stderr(Vec<u8>),
    /// It ends with this status; nothing follows.
    Exit(i32),
}

/// One server process.
#[derive(Debug)]
pub struct StdioPeer {
    server: Server,
    memory: Memory,
    buffer: Vec<u8>,
    /// Messages that are not due yet, with their time and the request they belong to.
    pending: Vec<(u64, Value, Step)>,
    /// Listens that end by themselves.
    ending: Vec<(u64, Value)>,
    now: u64,
    started: bool,
    exited: bool,
}

impl StdioPeer {
    /// A new process.
    pub fn new(server: Server) -> Self {
        let memory = Memory {
            peer: server.next_peer(),
            ..Memory::default()
        };
        Self {
            server,
            memory,
            buffer: Vec::new(),
            pending: Vec::new(),
            ending: Vec::new(),
            now: 0,
            started: false,
            exited: false,
        }
    }

    /// Takes bytes of stdin.
    pub fn receive(&mut self, bytes: &[u8]) -> Vec<StdioOutput> {
        let mut out = Written::default();
        self.begin(&mut out);
        self.buffer.extend_from_slice(bytes);
        while !self.exited
            && let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n')
        {
            let line: Vec<u8> = self.buffer.drain(..=end).collect();
            self.line(line.trim_ascii(), &mut out);
            self.flush(&mut out);
        }
        out.outputs()
    }

    /// Tells the time in milliseconds, from any start, never backwards.
    pub fn tick(&mut self, now_ms: u64) -> Vec<StdioOutput> {
        let mut out = Written::default();
        self.begin(&mut out);
        self.now = self.now.max(now_ms);
        self.flush(&mut out);
        out.outputs()
    }

    /// Whether something is still to come: a slow tool is at work.
    pub fn is_busy(&self) -> bool {
        !self.pending.is_empty()
    }

    /// When a tick would bring something out, as far as that is known: news for listens come at any
    /// time.
    pub fn wake_at(&self) -> Option<u64> {
        if self.server.has_news(self.memory.peer) {
            return Some(self.now);
        }
        let steps = self.pending.iter().map(|(due, ..)| *due);
        steps.chain(self.ending.iter().map(|(due, _)| *due)).min()
    }

    /// Stdin was closed.
    pub fn end_of_input(&mut self) -> Vec<StdioOutput> {
        let listens = !self.server.listens(self.memory.peer).is_empty();
        match self.server.hooks().process.ends {
            Ends::Never => Vec::new(),
            Ends::WithoutListen if listens => Vec::new(),
            _ => self.terminate(),
        }
    }

    /// The process is asked to stop: open listens get their result first.
    pub fn terminate(&mut self) -> Vec<StdioOutput> {
        if self.exited {
            return Vec::new();
        }
        let mut out = Written::default();
        for id in self.server.listens(self.memory.peer) {
            if let Some(result) = self.server.closing_result(&id) {
                self.write(&result, &mut out);
            }
        }
        self.exit(0, &mut out);
        out.outputs()
    }

    fn exit(&mut self, status: i32, out: &mut Written) {
        self.exited = true;
        self.pending.clear();
        self.server.unsubscribe(self.memory.peer, None);
        out.exit = Some(status);
    }

    fn begin(&mut self, out: &mut Written) {
        if !self.started {
            self.started = true;
            let process = self.server.hooks().process;
            out.stderr.extend_from_slice(process.chatter);
            out.stdout.extend_from_slice(process.banner);
        }
    }

    fn line(&mut self, line: &[u8], out: &mut Written) {
        if line.is_empty() {
            return;
        }
        let memory = self.memory.clone();
        let mut request = Request::new(Channel::Stdio, Head::default(), line, memory);
        request.others = self
            .pending
            .iter()
            .filter(|(_, _, step)| step.is_response())
            .count();
        if (self.server.hooks().dies)(&request) {
            out.stderr.extend_from_slice(b"ledger: cannot go on\n");
            return self.exit(1, out);
        }
        if request.method() == "notifications/cancelled" && request.id().is_none() {
            self.cancel(&request);
        }
        let answer = self.server.answer(&mut request);
        self.memory = request.memory.clone();
        self.schedule(&request, answer);
    }

    fn schedule(&mut self, request: &Request, answer: Answer) {
        let id = request.id().cloned().unwrap_or_default();
        for step in answer.steps {
            let due = self.now + step.at;
            let at = self
                .pending
                .iter()
                .position(|(other, ..)| *other > due)
                .unwrap_or(self.pending.len());
            self.pending.insert(at, (due, id.clone(), step));
        }
        if let Some(filter) = answer.listen {
            if let Some(ends) = answer.ends {
                self.ending.push((self.now + ends, id.clone()));
            }
            self.server.subscribe(self.memory.peer, id, filter);
        }
    }

    /// Drops all that is still to come for a request.
    fn cancel(&mut self, request: &Request) {
        if self.server.hooks().process.ignores_cancel {
            return;
        }
        if let Some(id) = request.param("requestId") {
            self.server.unsubscribe(self.memory.peer, Some(id));
            self.pending.retain(|(_, of, _)| of != id);
        }
    }

    /// Writes what is due.
    fn flush(&mut self, out: &mut Written) {
        while let Some((due, ..)) = self.pending.first()
            && *due <= self.now
        {
            let (_, _, step) = self.pending.remove(0);
            self.write(&step.message, out);
        }
        for notice in self.server.collect(self.memory.peer) {
            self.write(&notice, out);
        }
        let (over, open) = std::mem::take(&mut self.ending)
            .into_iter()
            .partition(|(due, _)| *due <= self.now);
        self.ending = open;
        for (_, id) in over {
            self.server.unsubscribe(self.memory.peer, Some(&id));
        }
    }

    fn write(&self, message: &Value, out: &mut Written) {
        let mut line = format!("{message}\n").into_bytes();
        (self.server.hooks().bytes)(Frame::Line, message, &mut line);
        out.stdout.extend_from_slice(&line);
    }
}

impl Drop for StdioPeer {
    fn drop(&mut self) {
        self.server.unsubscribe(self.memory.peer, None);
    }
}

/// What was written since the driver last looked.
#[derive(Debug, Default)]
struct Written {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    exit: Option<i32>,
}

impl Written {
    fn outputs(self) -> Vec<StdioOutput> {
        let mut outputs = Vec::new();
        if !self.stderr.is_empty() {
            outputs.push(StdioOutput::Stderr(self.stderr));
        }
        if !self.stdout.is_empty() {
            outputs.push(StdioOutput::Stdout(self.stdout));
        }
        outputs.extend(self.exit.map(StdioOutput::Exit));
        outputs
    }
}
