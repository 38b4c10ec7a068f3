//! The bytes of the test's own client: one connection a request, JSON and event streams.

use serde_json::Value;
use std::fmt::Write as _;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// What came back for one POST.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) fields: Vec<(String, String)>,
    /// Messages, in order.
    pub(super) messages: Vec<Value>,
    /// Whether a comment came on an event stream.
    pub(super) comments: bool,
    /// Whether it was an event stream.
    pub(super) stream: bool,
    /// Whether the time was up first.
    pub(super) timed_out: bool,
    /// The last `id` of an event.
    pub(super) event_id: Option<String>,
}

impl Answer {
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(field, _)| field == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Sends one request; gives the connection too, for who wants to leave it open.
pub(super) fn send(
    url: &str,
    verb: &str,
    fields: &[(String, String)],
    body: &str,
    limit: Duration,
) -> (Answer, Option<TcpStream>) {
    let rest = url.strip_prefix("http://").expect("an address");
    let (authority, path) = rest.split_once('/').expect("a path");
    let Ok(mut stream) = TcpStream::connect(authority) else {
        return (Answer::default(), None);
    };
    stream.set_read_timeout(Some(limit)).expect("a limit");
    let mut head = format!(
        "{verb} /{path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\nContent-Length: {}\r\n",
        body.len()
    );
    for (name, value) in fields {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 << 10];
    let mut timed_out = false;
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => bytes.extend_from_slice(&buffer[..length]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                timed_out = true;
                break;
            }
            Err(_) => break,
        }
    }
    let mut answer = read(&bytes);
    answer.timed_out = timed_out;
    (answer, Some(stream))
}

fn read(bytes: &[u8]) -> Answer {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Answer::default();
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    lines.next();
    let fields: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let mut answer = Answer {
        fields,
        ..Answer::default()
    };
    let raw = &bytes[end + 4..];
    let chunked = answer
        .field("transfer-encoding")
        .is_some_and(|value| value.contains("chunked"));
    let body = if chunked {
        unchunked(raw)
    } else {
        raw.to_vec()
    };
    let text = String::from_utf8_lossy(&body)
        .replace("\r\n", "\n")
        .replace('\r', "\n");
    answer.stream = answer
        .field("content-type")
        .is_some_and(|kind| kind.starts_with("text/event-stream"));
    if answer.stream {
        for event in text.split("\n\n") {
            answer.comments |= event.lines().any(|line| line.starts_with(':'));
            let value = |name: &str| {
                event
                    .lines()
                    .find_map(|line| line.strip_prefix(name))
                    .map(str::trim_start)
            };
            if let Some(id) = value("id:") {
                answer.event_id = Some(id.to_owned());
            }
            answer
                .messages
                .extend(value("data:").and_then(|data| serde_json::from_str(data).ok()));
        }
    } else {
        answer.messages.extend(serde_json::from_str::<Value>(&text));
    }
    answer
}

fn unchunked(mut raw: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = raw.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&raw[..end]).unwrap_or_default();
        let size = usize::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16)
            .unwrap_or(0);
        let begin = end + 2;
        let stop = raw.len().min(begin + size);
        whole.extend_from_slice(&raw[begin.min(stop)..stop]);
        if size == 0 || stop + 2 > raw.len() {
            break;
        }
        raw = &raw[stop + 2..];
    }
    whole
}
