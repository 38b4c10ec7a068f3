//! One HTTP/1.1 connection to a server: bytes in, bytes out, and the time by `tick`.
//!
//! Requests are answered one after the other. Nothing here knows the rules of MCP.

use super::head::Head;
use super::intake::{self, Intake};
use crate::hooks::Frame;
use crate::message::{Answer, Channel, Form, Memory, Request, Step};
use crate::server::Server;
use serde_json::Value;
use std::collections::VecDeque;
use std::fmt::Write;

/// What the connection does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Send these bytes.
    Send(Vec<u8>),
    /// Close the connection; nothing follows.
    Close,
}

/// One TCP connection, seen from the server.
///
/// Listens end when the peer is dropped or closed, so a driver lets go of it when the client hangs up.
#[derive(Debug)]
pub struct HttpPeer {
    server: Server,
    memory: Memory,
    buffer: Vec<u8>,
    exchange: Option<Exchange>,
    now: u64,
    continued: bool,
    closed: bool,
}

/// An answer under way.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of HTTP, on its own"
)]
struct Exchange {
    started: u64,
    answer: Answer,
    steps: VecDeque<Step>,
    /// The id of a listen that is open.
    listen: Option<Value>,
    /// Whether it was one at its start.
    listens: bool,
    /// Whether the stream is cut into chunks, or ends with the connection.
    chunked: bool,
    keep: bool,
    silent: bool,
    begun: bool,
}

impl HttpPeer {
    /// A new connection.
    pub fn new(server: Server) -> Self {
        let memory = Memory {
            peer: server.next_peer(),
            ..Memory::default()
        };
        Self {
            server,
            memory,
            buffer: Vec::new(),
            exchange: None,
            now: 0,
            continued: false,
            closed: false,
        }
    }

    /// Takes bytes of the client.
    pub fn receive(&mut self, bytes: &[u8]) -> Vec<Output> {
        self.buffer.extend_from_slice(bytes);
        self.proceed()
    }

    /// Tells the time in milliseconds, from any start, never backwards. Slow tools and news for
    /// listens come out here, so a driver calls it often while an answer is under way.
    pub fn tick(&mut self, now_ms: u64) -> Vec<Output> {
        self.now = self.now.max(now_ms);
        self.proceed()
    }

    /// Whether an answer is still under way: a stream is open, or a slow tool at work.
    pub fn is_busy(&self) -> bool {
        self.exchange.is_some()
    }

    /// When a tick would bring something out, as far as that is known: news for listens come at any
    /// time.
    pub fn wake_at(&self) -> Option<u64> {
        let exchange = self.exchange.as_ref()?;
        if self.server.is_dead() || self.server.has_news(self.memory.peer) {
            return Some(self.now);
        }
        exchange.wake_at()
    }

    /// The client hung up.
    pub fn close(&mut self) {
        self.closed = true;
        if self.exchange.is_some() && self.server.hooks().process.dies_of_hangup {
            self.server.die();
        }
        self.drop_exchange();
        self.server.unsubscribe(self.memory.peer, None);
    }

    fn drop_exchange(&mut self) {
        if let Some(exchange) = self.exchange.take()
            && !exchange.listens
        {
            self.server.work(-1);
        }
    }

    /// The server is told to stop: an open listen gets its result, then the connection is closed.
    pub fn shut_down(&mut self) -> Vec<Output> {
        if self.closed {
            return Vec::new();
        }
        let mut sent = Vec::new();
        if let Some(exchange) = &mut self.exchange {
            let id = exchange.listen.take();
            if let Some(result) = id.and_then(|id| self.server.closing_result(&id)) {
                self.server.event(&result, exchange.chunked, &mut sent);
            }
            exchange.end(&mut sent);
        }
        self.close();
        outputs(sent, true)
    }

    fn proceed(&mut self) -> Vec<Output> {
        let mut sent = Vec::new();
        let mut close = false;
        while !self.closed && !close {
            if self.server.is_dead() {
                close = true;
                break;
            }
            if let Some(exchange) = &mut self.exchange {
                let done = exchange.advance(&self.server, self.memory.peer, self.now, &mut sent);
                if !done {
                    break;
                }
                close = !exchange.keep;
                self.drop_exchange();
            } else if !self.take(&mut sent, &mut close) {
                break;
            }
        }
        if close {
            self.close();
        }
        outputs(sent, close)
    }

    /// Starts on the next request; false when there is none yet.
    fn take(&mut self, sent: &mut Vec<u8>, close: &mut bool) -> bool {
        match intake::take(&mut self.buffer) {
            Intake::More(waits) => {
                if waits && !self.continued {
                    self.continued = true;
                    sent.extend_from_slice(b"HTTP/1.1 100 Continue\r\n\r\n");
                }
                false
            }
            Intake::Request(head, body) => {
                self.continued = false;
                self.exchange = Some(self.start(head, &body));
                true
            }
            Intake::Bad(status, why) => {
                let mut answer = Answer::page(status, "text/plain", &format!("{why}\n"));
                answer.describe();
                let body = document(&answer, b"");
                whole(&answer, &body, false, false, sent);
                *close = true;
                true
            }
        }
    }

    fn start(&mut self, head: Head, body: &[u8]) -> Exchange {
        let keep = head.keeps_alive();
        let chunked = head.minor >= 1;
        let silent = head.verb == "HEAD";
        let memory = std::mem::take(&mut self.memory);
        let mut request = Request::new(Channel::Http, head, body, memory);
        request.others = self.server.busy();
        if (self.server.hooks().dies)(&request) {
            self.server.die();
        }
        let mut answer = self.server.answer(&mut request);
        let listen = answer.listen.take().and_then(|filter| {
            let id = request.id()?.clone();
            self.server
                .subscribe(request.memory.peer, id.clone(), filter);
            Some(id)
        });
        self.memory = request.memory;
        if listen.is_none() {
            self.server.work(1);
        }
        Exchange {
            started: self.now,
            steps: answer.steps.drain(..).collect(),
            answer,
            listens: listen.is_some(),
            listen,
            chunked,
            keep,
            silent,
            begun: false,
        }
    }
}

impl Drop for HttpPeer {
    fn drop(&mut self) {
        self.close();
    }
}

impl Exchange {
    /// Sends what is due; true when that was all.
    fn advance(&mut self, server: &Server, peer: u64, now: u64, sent: &mut Vec<u8>) -> bool {
        if self.answer.form == Form::Sse {
            return self.advance_stream(server, peer, now, sent);
        }
        let last = self.steps.back();
        if last.is_some_and(|last| self.started + last.at > now) {
            return false;
        }
        let mut message = Vec::new();
        if let Some(last) = last {
            message = last.message.to_string().into_bytes();
            (server.hooks().bytes)(Frame::Document, &last.message, &mut message);
        }
        let body = document(&self.answer, &message);
        whole(&self.answer, &body, self.silent, self.keep, sent);
        true
    }

    fn advance_stream(&mut self, server: &Server, peer: u64, now: u64, sent: &mut Vec<u8>) -> bool {
        if !self.begun {
            self.begun = true;
            let framing = if self.chunked {
                "Transfer-Encoding: chunked"
            } else {
                self.keep = false;
                "Connection: close"
            };
            head(&self.answer, framing, sent);
        }
        while let Some(step) = self.steps.front()
            && self.started + step.at <= now
        {
            server.event(&step.message, self.chunked, sent);
            self.steps.pop_front();
        }
        if self.listen.is_some() {
            for notice in server.collect(peer) {
                server.event(&notice, self.chunked, sent);
            }
        }
        let over = match self.answer.ends {
            Some(ends) => self.started.saturating_add(ends) <= now,
            None => self.steps.is_empty() && self.listen.is_none(),
        };
        if over {
            if let Some(id) = self.listen.take() {
                server.unsubscribe(peer, Some(&id));
            }
            self.end(sent);
        }
        over
    }

    fn wake_at(&self) -> Option<u64> {
        let step = match self.answer.form {
            Form::Sse => self.steps.front(),
            _ => self.steps.back(),
        };
        let step = step.map(|step| step.at);
        let next = step.into_iter().chain(self.answer.ends).min()?;
        Some(self.started.saturating_add(next))
    }

    /// Ends a stream that has begun.
    fn end(&self, sent: &mut Vec<u8>) {
        if self.begun && self.chunked {
            sent.extend_from_slice(b"0\r\n\r\n");
        }
    }
}

impl Server {
    /// Writes one event of a stream.
    fn event(&self, message: &Value, chunked: bool, sent: &mut Vec<u8>) {
        let mut event = format!("data: {message}\n\n").into_bytes();
        (self.hooks().bytes)(Frame::Event, message, &mut event);
        if event.is_empty() {
            return;
        }
        if chunked {
            sent.extend_from_slice(format!("{:x}\r\n", event.len()).as_bytes());
        }
        sent.extend_from_slice(&event);
        if chunked {
            sent.extend_from_slice(b"\r\n");
        }
    }
}

fn outputs(sent: Vec<u8>, close: bool) -> Vec<Output> {
    let mut outputs = Vec::new();
    if !sent.is_empty() {
        outputs.push(Output::Send(sent));
    }
    if close {
        outputs.push(Output::Close);
    }
    outputs
}

/// The body of an answer that is no stream.
fn document(answer: &Answer, message: &[u8]) -> Vec<u8> {
    match &answer.form {
        Form::Page(_, page) => page.clone(),
        Form::Empty => Vec::new(),
        Form::Json | Form::Sse => message.to_vec(),
    }
}

fn whole(answer: &Answer, body: &[u8], silent: bool, keep: bool, sent: &mut Vec<u8>) {
    let mut framing = format!("Content-Length: {}", body.len());
    if !keep {
        framing.push_str("\r\nConnection: close");
    }
    head(answer, &framing, sent);
    if !silent {
        sent.extend_from_slice(body);
    }
}

fn head(answer: &Answer, framing: &str, sent: &mut Vec<u8>) {
    let mut head = format!("HTTP/1.1 {} {}\r\n", answer.status, reason(answer.status));
    for (name, value) in &answer.headers {
        // Writing to a string cannot fail.
        let _ = write!(head, "{name}: {value}\r\n");
    }
    let _ = write!(head, "{framing}\r\n\r\n");
    sent.extend_from_slice(head.as_bytes());
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        204 => "No Content",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Content",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        _ => "Other",
    }
}
