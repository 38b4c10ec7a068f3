//! The transcript: everything that was sent and came back in one run, each message with its sender.
//!
//! A recorded transcript alone decides every judgement; proxy, replay and browser read the same form.
//! Its keys are a promise (`schema/transcript-v1.json`). Times are milliseconds since the run began.

use crate::text::Text;
use serde::{Deserialize, Serialize};

/// The `schema` member of every transcript of this version.
pub const TRANSCRIPT_SCHEMA: &str = "mcp-verdict/transcript/v1";

/// One run against one server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Transcript {
    /// [`TRANSCRIPT_SCHEMA`].
    pub schema: String,
    /// How the server was reached.
    pub transport: Transport,
    /// Every exchange, in the order in which they were begun.
    pub exchanges: Vec<Exchange>,
    /// Every connection or process, in the order in which they were opened.
    pub channels: Vec<Channel>,
    /// Set when the run was cut off before all probes were through, with the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_off: Option<String>,
    /// Milliseconds from start to end of the run.
    pub duration_ms: u64,
}

/// How a server is reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// Streamable HTTP.
    #[default]
    Http,
    /// Standard input and output of a child process.
    Stdio,
}

/// What was sent once and all that came back for it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Exchange {
    /// Unique in the transcript: the probe, a slash, the step.
    pub name: String,
    /// The channel it went over; absent when none could be opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<u32>,
    /// Whether the request was as the revision wants it.
    pub standing: Standing,
    /// The HTTP side; absent on stdio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpExchange>,
    /// What was sent, then what came back, in order.
    pub messages: Vec<Message>,
    /// How it ended.
    pub end: End,
    /// When it was sent.
    pub sent_ms: u64,
    /// When the answer (or an empty body) was complete; absent when none came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_ms: Option<u64>,
    /// When nothing more could come.
    pub ended_ms: u64,
    /// What the proxy injected into it, by name; absent where it passed as it was.
    #[cfg(feature = "evaluation")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// Whether a request was as the revision wants it: passive rules look at faultless modern traffic.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// A conforming request of this revision.
    #[default]
    Conforming,
    /// Carries one fault on purpose.
    Faulty,
    /// Speaks an earlier revision, or something a dual-era server may treat as such.
    Legacy,
}

/// The HTTP side of an exchange.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HttpExchange {
    /// `POST`, `GET` or `DELETE`.
    pub verb: String,
    /// Path and query that were asked; a whole URL where it is on another origin than the server.
    pub path: String,
    /// Field names and values as sent, without those of the connection itself.
    pub request_headers: Vec<(String, String)>,
    /// The status; absent when no head came back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Field names and values as received.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    /// Where redirects led, in order; the answer is that of the last one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redirects: Vec<String>,
    /// Comments on an event stream.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub comments: u64,
}

impl HttpExchange {
    /// The first value of an answer's header field, compared without case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The media type of the answer, without parameters, in lower case.
    pub fn media_type(&self) -> Option<String> {
        let value = self.header("content-type")?;
        Some(
            value
                .split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_ascii_lowercase(),
        )
    }
}

/// One message, or what stood where one was due.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Who sent it.
    pub from: Sender,
    /// When it was complete.
    pub at_ms: u64,
    /// What carried it.
    pub carrier: Carrier,
    /// Its text; bytes that are not UTF-8 are replaced.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub text: Text,
    /// Whether bytes had to be replaced.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub invalid_utf8: bool,
}

/// Who sent a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Sender {
    /// This program, or a client seen through the proxy.
    Client,
    /// The server under test.
    Server,
}

/// What carried a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Carrier {
    /// The whole body of an HTTP request or answer.
    Body,
    /// A line of a child process.
    Line,
    /// One server-sent event.
    #[serde(rename_all = "camelCase")]
    Event {
        /// Its `event` field; absent for the default type.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        event: Option<String>,
        /// Its `id` field.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
    },
}

/// How an exchange ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", tag = "how", content = "detail")]
pub enum End {
    /// The answer came and what carried it was closed in good order.
    Complete,
    /// The answer came; the stream then stayed open and we closed it.
    LeftOpen,
    /// We closed it on purpose: what was to be seen had been seen.
    Closed,
    /// A notification went out; nothing is due.
    Silent,
    /// No channel could be opened.
    Unreachable(String),
    /// The channel was lost before the answer was complete.
    Lost(String),
    /// What came back breaks HTTP/1.1 or a limit of ours.
    Malformed(String),
    /// Nothing (more) came within the time limit.
    TimedOut,
    /// The run ended first.
    #[default]
    Unfinished,
}

/// A connection or a process.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Channel {
    /// What it was opened for.
    pub lane: String,
    /// When it was asked for.
    pub opened_ms: u64,
    /// The address that answered, as the driver names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// Lines that belong to no exchange, in order; stdio only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stray: Vec<Stray>,
    /// How many stray lines were not kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stray_dropped: u64,
    /// The last bytes of standard error; stdio only.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr_tail: String,
    /// Whether standard error held bytes that are not UTF-8.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stderr_invalid_utf8: bool,
    /// When we closed standard input while the process still ran; stdio only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_closed_ms: Option<u64>,
    /// When we asked the process to end by a signal; stdio only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminated_ms: Option<u64>,
    /// When it ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<u64>,
    /// How it ended, in the driver's words (`exit code 1`, `signal 9`, `connection reset`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<String>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A line that belongs to no exchange.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says one independent thing of the line"
)]
pub struct Stray {
    /// When it was complete.
    pub at_ms: u64,
    /// Its text without the line end; bytes that are not UTF-8 are replaced.
    pub text: String,
    /// Whether bytes had to be replaced.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub invalid_utf8: bool,
    /// Whether the first message of the process had not been seen yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub before_first_message: bool,
    /// Whether a request was waiting for its answer when the line came.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_flight: bool,
    /// Milliseconds since the last answer on this channel, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_answer_ms: Option<u64>,
    /// Whether the channel ended before the line did.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unterminated: bool,
}
