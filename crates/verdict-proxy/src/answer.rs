//! The answer of a request that is hit, as moves on an HTTP connection.

mod answering;
mod writer;

pub use answering::Answering;

use crate::asked::Asked;
use crate::made::progress;
use crate::script::{Instead, Script};
use crate::stream::event;
use std::fmt::Write as _;
use writer::Writer;

/// Milliseconds for bytes to arrive before a reset, which would throw them away.
const BEFORE_RESET: u64 = 60;

/// The first step of progress without end: a number whose digits stay as many.
pub(crate) const FIRST_STEP: u64 = 1_000_000;

/// What a driver does next on the client's connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Move {
    /// Send these bytes.
    Send(Vec<u8>),
    /// Send these bytes one by one, with so many milliseconds after each.
    Drip(Vec<u8>, u64),
    /// Wait so many milliseconds; a client that leaves ends the wait.
    Pause(u64),
    /// Say nothing more, until the client leaves.
    Silence,
    /// Send these bytes again and again, with so many milliseconds after each, until the client leaves; [`rise`] makes the
    /// next of them.
    Repeat(Vec<u8>, u64),
    /// Reset the connection; on stdio, end the process.
    Reset,
    /// Close the connection.
    Close,
    /// Reset the connection, and take no other for so many milliseconds.
    Refuse(u64),
    /// Kill the server's process.
    Kill,
    /// The answer is complete; whether the connection is used again.
    Done(bool),
}

/// What is answered in place of the server.
pub fn instead(script: &Script, asked: &Asked) -> Option<Vec<Move>> {
    let page = |status, kind: Option<&str>, extra: &[(String, String)], body: &[u8]| {
        let mut head = format!("HTTP/1.1 {status} {}\r\n", reason(status));
        let fields = extra.iter().chain(&script.fields);
        for (name, value) in fields {
            field(&mut head, name, value);
        }
        if let Some(kind) = kind {
            field(&mut head, "Content-Type", kind);
        }
        field(&mut head, "Content-Length", body.len());
        head.push_str(connection(asked));
        head.push_str("\r\n");
        [head.as_bytes(), body].concat()
    };
    let mut moves = late(script);
    match script.instead.as_ref()? {
        Instead::Page(made) => {
            let extra: Vec<_> = made.headers.clone().into_iter().collect();
            let kind = made.content_type.as_deref();
            moves.push(Move::Send(page(
                made.status,
                kind,
                &extra,
                made.body.as_bytes(),
            )));
            moves.push(Move::Done(asked.keep_alive));
        }
        Instead::Message { status, message } => {
            let kind = script.content_type.as_deref().unwrap_or("application/json");
            let text = message.to_string();
            if *status == 200 && script.needs_stream() {
                let mut writer = Writer::new(script, asked);
                let begun = writer.begin(None);
                let body = writer.payload(&text);
                moves.push(Move::Send([begun, body, writer.finish()].concat()));
                moves.push(Move::Done(asked.keep_alive && !asked.old));
            } else {
                moves.push(Move::Send(page(*status, Some(kind), &[], text.as_bytes())));
                moves.push(Move::Done(asked.keep_alive));
            }
        }
        Instead::Refuse(ms) => moves.push(Move::Refuse(*ms)),
        Instead::Progress(ms) => {
            let mut writer = Writer::new(script, asked);
            moves.push(Move::Send(writer.begin(None)));
            let notice = writer.event(&event(&progress(asked, FIRST_STEP).to_string()));
            moves.push(Move::Repeat(notice, *ms));
        }
        Instead::Kill => moves.extend([Move::Kill, Move::Reset]),
    }
    Some(moves)
}

fn late(script: &Script) -> Vec<Move> {
    let wait = (script.late_ms > 0).then_some(Move::Pause(script.late_ms));
    wait.into_iter().collect()
}

fn connection(asked: &Asked) -> &'static str {
    match (asked.keep_alive, asked.old) {
        (true, true) => "Connection: keep-alive\r\n",
        (true, false) => "",
        (false, _) => "Connection: close\r\n",
    }
}

/// Adds a field to a head.
fn field(head: &mut String, name: &str, value: impl std::fmt::Display) {
    // Writing to a string cannot fail.
    let _ = write!(head, "{name}: {value}\r\n");
}

/// A text that no reader takes for JSON, as long as the answer and one more.
pub(crate) fn malformed(text: &str) -> String {
    let end = text.char_indices().last().map_or(0, |(at, _)| at);
    format!("{},]", &text[..end])
}

/// The first half of a text.
pub(crate) fn truncated(text: &str) -> String {
    let mut half = text.len() / 2;
    while !text.is_char_boundary(half) {
        half -= 1;
    }
    text[..half].to_owned()
}

/// Makes the next of the bytes of a [`Move::Repeat`]: progress rises.
pub fn rise(bytes: &mut [u8]) {
    let key = b"\"progress\":";
    let Some(at) = bytes.windows(key.len()).position(|part| part == key) else {
        return;
    };
    let digits = bytes[at + key.len()..]
        .iter_mut()
        .take_while(|byte| byte.is_ascii_digit());
    for digit in digits.collect::<Vec<_>>().into_iter().rev() {
        if *digit < b'9' {
            *digit += 1;
            return;
        }
        *digit = b'0';
    }
}

/// The reason phrase of a status.
pub fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        413 => "Content Too Large",
        421 => "Misdirected Request",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_rises_in_its_frame() {
        let asked =
            Asked::on_line(br#"{"id":1,"method":"a","params":{"_meta":{"progressToken":1}}}"#);
        let mut bytes = progress(&asked, FIRST_STEP + 9).to_string().into_bytes();
        let before = bytes.len();
        rise(&mut bytes);
        assert_eq!(bytes.len(), before);
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains("\"progress\":1000010,"), "{text}");
    }
}
