//! The places where a defect bends the server: one function for each stage between request and bytes.

use crate::message::{Answer, Fault, Outcome, Request};
use crate::server::{Change, Listener, Server};
use serde_json::Value;

/// What a message is about to be written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frame {
    /// The body of a JSON answer.
    Document,
    /// One event of a stream, with its empty line.
    Event,
    /// One line of stdout, with its end.
    Line,
}

/// A reply that takes the place of the server's own.
pub(crate) type Served = Option<Result<Outcome, Fault>>;

/// All stages, in the order a request passes them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hooks {
    /// Before anything is checked. What it repairs or spoils is what the server then sees.
    pub request: fn(&mut Request),
    /// After all checks of the request as such, before its method is looked up.
    pub serve: fn(&Server, &Request) -> Served,
    /// The items of a list, before they are cut into pages.
    pub items: fn(&Request, &mut Vec<Value>),
    /// A refusal.
    pub fault: fn(&Request, &mut Fault),
    /// A result, complete with all that every result has.
    pub result: fn(&Request, &mut Value),
    /// The whole answer: status, fields, form, notifications and response.
    pub answer: fn(&Request, &mut Answer),
    /// What one listener is told of one change.
    pub notices: fn(&Listener, &Change, &mut Vec<Value>),
    /// Whether a request is the end of the server.
    pub dies: fn(&Request) -> bool,
    /// The result that ends a listen; null is not sent.
    pub closing: fn(&mut Value),
    /// The bytes of a message.
    pub bytes: fn(Frame, &Value, &mut Vec<u8>),
    /// The process outside of any exchange.
    pub process: Process,
}

/// How a process behaves outside of any exchange.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Process {
    /// Written to stdout at the start.
    pub banner: &'static [u8],
    /// Written to stderr at the start.
    pub chatter: &'static [u8],
    /// Whether the end of input ends it: always, only without a listen, never.
    pub ends: Ends,
    /// Whether it goes on with what was cancelled.
    pub ignores_cancel: bool,
    /// Whether an HTTP client that hangs up on an answer ends it.
    pub dies_of_hangup: bool,
    /// Whether it is there at every address of its machine.
    pub everywhere: bool,
}

/// When the end of input ends a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    Always,
    WithoutListen,
    Never,
}

impl Process {
    pub(crate) const NORMAL: Self = Self {
        banner: b"",
        chatter: b"ledger: ready\n",
        ends: Ends::Always,
        ignores_cancel: false,
        dies_of_hangup: false,
        everywhere: false,
    };
}

impl Hooks {
    /// No defect at all.
    pub(crate) const NONE: Self = Self {
        request: |_| {},
        serve: |_, _| None,
        items: |_, _| {},
        fault: |_, _| {},
        result: |_, _| {},
        answer: |_, _| {},
        notices: |_, _, _| {},
        dies: |_| false,
        closing: |_| {},
        bytes: |_, _, _| {},
        process: Process::NORMAL,
    };
}
