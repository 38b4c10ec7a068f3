//! What the server says in modern traffic beside its results: errors and notifications, for passive rules.
//!
//! Traffic of earlier revisions is left out, and so is what a server that also speaks one may treat as
//! such (G3).

use crate::ask::{META_VERSION, header_value, mirrored_member};
use crate::context::Context;
use crate::facts::OURS;
use crate::record::{Record, Several, several};
use crate::ruling::Finding;
use crate::wire::rpc::{Envelope, Kind, Parsed};
use serde_json::Value;
use std::borrow::Cow;

/// An error that the server answered with.
#[derive(Debug, Clone, Copy)]
pub struct Refused<'c> {
    /// The exchange.
    pub record: &'c Record,
    /// The response.
    pub response: &'c Envelope,
    /// Its `error` member.
    pub error: &'c Value,
    /// The code, when it is an integer.
    pub code: Option<i64>,
}

/// All error responses of modern traffic.
pub fn errors<'c>(cx: &Context<'c>) -> Several<Refused<'c>> {
    let dual = cx.facts.is_dual();
    several(
        cx.recording
            .modern()
            .filter(move |record| !(dual && may_be_legacy(record)))
            .flat_map(|record| {
                record
                    .replies()
                    .filter_map(|(_, parsed)| parsed.envelope())
                    .filter_map(move |response| refused(record, response))
            }),
    )
}

fn refused<'c>(record: &'c Record, response: &'c Envelope) -> Option<Refused<'c>> {
    // A null error beside a result is no error.
    let result = response.result.is_some();
    let error = response
        .error()
        .filter(|error| !(result && error.is_null()))?;
    // Bodies of gateways and frameworks such as {"error": "not found"} are no messages.
    let message = response.members.contains_key("jsonrpc")
        || record
            .status()
            .is_none_or(|status| (200..300).contains(&status));
    message.then(|| Refused {
        record,
        response,
        error,
        code: response.error_code(),
    })
}

/// Whether a server that speaks an earlier revision too may take a request for one of that revision:
/// it names no modern version, in the body or (over HTTP) in the header field, or it names a session, by
/// which such a server may route before it reads the body.
pub fn may_be_legacy(record: &Record) -> bool {
    if sent_header(record, "mcp-session-id").is_some() {
        return true;
    }
    let modern = |version: Option<&str>| version.is_some_and(|version| version >= OURS);
    let in_header = match &record.exchange.http {
        Some(_) => modern(sent_header(record, "mcp-protocol-version")),
        None => true,
    };
    !(in_header && modern(version_of(record)))
}

/// The protocol version in the `_meta` of a request.
pub fn version_of(record: &Record) -> Option<&str> {
    meta_of(record, META_VERSION)?.as_str()
}

/// A `_meta` key of a request.
pub fn meta_of<'r>(record: &'r Record, key: &str) -> Option<&'r Value> {
    record.request()?.params()?.get("_meta")?.get(key)
}

/// A header field of the HTTP request.
pub fn sent_header<'r>(record: &'r Record, name: &str) -> Option<&'r str> {
    let http = record.exchange.http.as_ref()?;
    let mut fields = http.request_headers.iter();
    fields
        .find(|(field, _)| field.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str())
}

/// Whether the standard header fields of a request say what its body says; true on stdio.
pub fn headers_agree(record: &Record) -> bool {
    if record.exchange.http.is_none() {
        return true;
    }
    let Some(request) = record.request() else {
        return false;
    };
    let method = request.method();
    let name = method
        .and_then(mirrored_member)
        .and_then(|member| request.params()?.get(member)?.as_str())
        .map(header_value);
    sent_header(record, "mcp-protocol-version") == version_of(record)
        && sent_header(record, "mcp-method") == method
        && sent_header(record, "mcp-name") == name.as_deref()
}

/// A notification that the server sent.
#[derive(Debug, Clone)]
pub struct Notice<'c> {
    /// The exchange that it came in; none for a line of a process to which nothing was in flight.
    pub record: Option<&'c Record>,
    /// The channel that it came over.
    pub channel: Option<u32>,
    /// When it came.
    pub at_ms: u64,
    /// Whether the response of its exchange was there already.
    pub late: bool,
    message: Cow<'c, Envelope>,
}

impl Notice<'_> {
    /// Its method.
    pub fn method(&self) -> &str {
        self.message.method().unwrap_or_default()
    }

    /// Its parameters.
    pub fn params(&self) -> Option<&Value> {
        self.message.params()
    }

    /// A finding about it.
    pub fn found_in(&self, finding: Finding) -> Finding {
        let finding = finding.about(self.method());
        match self.record {
            Some(record) => finding.seen_in(record),
            None => finding,
        }
    }
}

/// All notifications of modern traffic, exchange by exchange, then those that came to none.
pub fn notices<'c>(cx: &Context<'c>) -> Several<Notice<'c>> {
    several(
        cx.recording
            .modern()
            .flat_map(notices_of)
            .chain(stray_notices(cx)),
    )
}

/// The notifications of one exchange, in order.
pub fn notices_of(record: &Record) -> Several<Notice<'_>> {
    let mut late = false;
    several(record.replies().filter_map(move |(message, parsed)| {
        let envelope = parsed.envelope()?;
        match envelope.kind() {
            Kind::Notification => Some(Notice {
                record: Some(record),
                channel: record.exchange.channel,
                at_ms: message.at_ms,
                late,
                message: Cow::Borrowed(envelope),
            }),
            Kind::Response => {
                late = true;
                None
            }
            Kind::Request | Kind::Neither => None,
        }
    }))
}

/// Notifications that a process sent while nothing was in flight.
fn stray_notices<'c>(cx: &Context<'c>) -> impl Iterator<Item = Notice<'c>> {
    let channels = cx.recording.channels.iter().zip(0_u32..);
    channels
        .filter(|(channel, _)| channel.lane != LEGACY_LANE)
        .flat_map(|(channel, number)| {
            channel.stray.iter().filter_map(move |stray| {
                let Parsed::Object(envelope) = Parsed::read(&stray.text) else {
                    return None;
                };
                (envelope.kind() == Kind::Notification).then(|| Notice {
                    record: None,
                    channel: Some(number),
                    at_ms: stray.at_ms,
                    late: true,
                    message: Cow::Owned(*envelope),
                })
            })
        })
}

/// The lane of the handshake of earlier revisions.
pub const LEGACY_LANE: &str = "legacy";

/// One finding for each message: the same slip on many requests is one slip.
pub fn distinct(findings: impl IntoIterator<Item = Finding>) -> Vec<Finding> {
    let mut seen = std::collections::BTreeSet::new();
    findings
        .into_iter()
        .filter(|finding| seen.insert(finding.message.clone()))
        .collect()
}

/// Names in a sentence, at most five of them.
pub fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut all: Vec<&str> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    let more = all.len().saturating_sub(5);
    let shown = all[..all.len() - more].join(", ");
    match more {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
