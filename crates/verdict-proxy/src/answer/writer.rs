//! An event stream, and the heads of answers.

use super::{connection, field, reason};
use crate::asked::Asked;
use crate::http::Head;
use crate::script::Script;
use crate::stream::event;

/// Writes an event stream.
#[derive(Debug, Clone)]
pub(super) struct Writer<'s> {
    pub(super) script: &'s Script,
    old: bool,
    pub(super) close: &'static str,
    events: u64,
}

impl<'s> Writer<'s> {
    pub(super) fn new(script: &'s Script, asked: &Asked) -> Self {
        let close = if asked.old {
            "Connection: close\r\n"
        } else {
            connection(asked)
        };
        Self {
            script,
            old: asked.old,
            close,
            events: 0,
        }
    }

    pub(super) fn begin(&self, server: Option<&Head>) -> Vec<u8> {
        let mut head = status_line(server, 200);
        head.push_str(&kept_fields(server, self.script));
        let kind = match (&self.script.content_type, server) {
            (Some(kind), _) => kind.clone(),
            (None, Some(server)) if server.is_stream() => {
                server.field("content-type").unwrap_or_default().to_owned()
            }
            _ => "text/event-stream".to_owned(),
        };
        field(&mut head, "Content-Type", &kind);
        head.push_str(self.close);
        if !self.old {
            head.push_str("Transfer-Encoding: chunked\r\n");
        }
        head.push_str("\r\n");
        head.into_bytes()
    }

    pub(super) fn frame(&self, bytes: &[u8]) -> Vec<u8> {
        if self.old {
            bytes.to_vec()
        } else {
            self.script.style.chunks(bytes)
        }
    }

    pub(super) fn event(&mut self, block: &[u8]) -> Vec<u8> {
        self.events += 1;
        let dressed = self.script.style.dress(block, self.events);
        self.frame(&dressed)
    }

    /// What comes in place of the response: messages before it, itself, messages after it.
    pub(super) fn payload(&mut self, response: &str) -> Vec<u8> {
        let script = self.script;
        let mut out = self.prelude();
        for _ in 0..=usize::from(script.twice) {
            out.extend(self.event(&event(response)));
        }
        for message in &script.after {
            out.extend(self.event(&event(&message.to_string())));
        }
        out
    }

    pub(super) fn prelude(&mut self) -> Vec<u8> {
        let script = self.script;
        let mut out = Vec::new();
        if script.empty_event {
            out.extend(self.event(b"data:\n\n"));
        }
        for message in &script.before {
            out.extend(self.event(&event(&message.to_string())));
        }
        out
    }

    pub(super) fn finish(&self) -> Vec<u8> {
        if self.old {
            Vec::new()
        } else {
            b"0\r\n\r\n".to_vec()
        }
    }
}

pub(super) fn status_line(server: Option<&Head>, otherwise: u16) -> String {
    match server {
        Some(head) => format!("HTTP/1.1 {} {}\r\n", head.status, head.target),
        None => format!("HTTP/1.1 {otherwise} {}\r\n", reason(otherwise)),
    }
}

/// The server's fields but those that say how the body comes, and ours.
pub(super) fn kept_fields(server: Option<&Head>, script: &Script) -> String {
    let framing = [
        "content-length",
        "transfer-encoding",
        "connection",
        "keep-alive",
        "content-type",
        "trailer",
    ];
    let stays = |name: &str| {
        let is = |other: &&str| name.eq_ignore_ascii_case(other);
        !framing.iter().any(is) && !script.fields.iter().any(|(other, _)| is(&other.as_str()))
    };
    let servers = server.map_or(&[][..], |head| &head.fields);
    let kept = servers.iter().filter(|(name, _)| stays(name));
    let mut out = String::new();
    for (name, value) in kept.chain(&script.fields) {
        field(&mut out, name, value);
    }
    out
}
