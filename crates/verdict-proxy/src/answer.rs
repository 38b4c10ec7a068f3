//! The answer of a request that is hit, as moves on an HTTP connection.

use crate::asked::{Asked, read};
use crate::http::Head;
use crate::script::{Ending, Form, Instead, Script, progress};
use crate::stream::{Blocks, data, event};
use serde_json::Value;

/// Bytes of an answer beyond which it passes unchanged.
const MOST_BYTES: usize = 32 << 20;
/// Milliseconds for bytes to arrive before a reset, which would throw them away.
const BEFORE_RESET: u64 = 60;

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
    /// Send these bytes again and again, with so many milliseconds after each, until the client leaves.
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
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(kind) = kind {
            head.push_str(&format!("Content-Type: {kind}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
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
            // The same notice again would not rise; a client that counts gives up all the sooner.
            let notice = writer.event(&event(&progress(asked, 1).to_string()));
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

/// Writes an event stream.
#[derive(Debug, Clone)]
struct Writer<'s> {
    script: &'s Script,
    old: bool,
    close: &'static str,
    events: u64,
}

impl<'s> Writer<'s> {
    fn new(script: &'s Script, asked: &Asked) -> Self {
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

    fn begin(&self, server: Option<&Head>) -> Vec<u8> {
        let mut head = status_line(server, 200);
        head.push_str(&kept_fields(server, self.script));
        let kind = match (&self.script.content_type, server) {
            (Some(kind), _) => kind.clone(),
            (None, Some(server)) if server.is_stream() => {
                server.field("content-type").unwrap_or_default().to_owned()
            }
            _ => "text/event-stream".to_owned(),
        };
        head.push_str(&format!("Content-Type: {kind}\r\n"));
        head.push_str(self.close);
        if !self.old {
            head.push_str("Transfer-Encoding: chunked\r\n");
        }
        head.push_str("\r\n");
        head.into_bytes()
    }

    fn frame(&self, bytes: &[u8]) -> Vec<u8> {
        if self.old {
            bytes.to_vec()
        } else {
            self.script.style.chunks(bytes)
        }
    }

    fn event(&mut self, block: &[u8]) -> Vec<u8> {
        self.events += 1;
        let dressed = self.script.style.dress(block, self.events);
        self.frame(&dressed)
    }

    /// What comes in place of the response: messages before it, itself, messages after it.
    fn payload(&mut self, response: &str) -> Vec<u8> {
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

    fn prelude(&mut self) -> Vec<u8> {
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

    fn finish(&self) -> Vec<u8> {
        if self.old {
            Vec::new()
        } else {
            b"0\r\n\r\n".to_vec()
        }
    }
}

fn status_line(server: Option<&Head>, otherwise: u16) -> String {
    match server {
        Some(head) => format!("HTTP/1.1 {} {}\r\n", head.status, head.target),
        None => format!("HTTP/1.1 {otherwise} {}\r\n", reason(otherwise)),
    }
}

/// The server's fields but those that say how the body comes, and ours.
fn kept_fields(server: Option<&Head>, script: &Script) -> String {
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
        !framing.iter().any(|other| is(other))
            && !script.fields.iter().any(|(other, _)| is(&other.as_str()))
    };
    let servers = server.map_or(&[][..], |head| &head.fields);
    let kept = servers.iter().filter(|(name, _)| stays(name));
    kept.chain(&script.fields)
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect()
}

/// Makes the answer of a request that is hit out of the server's.
#[derive(Debug)]
pub struct Answering<'s> {
    script: &'s Script,
    asked: &'s Asked,
    writer: Writer<'s>,
    head: Option<Head>,
    body: Vec<u8>,
    blocks: Blocks,
    /// Whether the client has the head of a stream.
    begun: bool,
    /// Whether nothing more is to come.
    over: bool,
    /// Whether the body is too large to be changed, and passes.
    passes: bool,
}

impl<'s> Answering<'s> {
    /// Of one request.
    pub fn new(script: &'s Script, asked: &'s Asked) -> Self {
        Self {
            script,
            asked,
            writer: Writer::new(script, asked),
            head: None,
            body: Vec::new(),
            blocks: Blocks::default(),
            begun: false,
            over: false,
            passes: false,
        }
    }

    /// The server's head has come.
    pub fn head(&mut self, head: Head) -> Vec<Move> {
        let moves = match self.script.ending {
            Ending::Silent => self.stop(vec![Move::Silence]),
            Ending::ResetBefore => self.stop(vec![Move::Reset]),
            _ => {
                let mut moves = late(self.script);
                if self.flows(&head) {
                    self.begun = true;
                    let begun = self.writer.begin(Some(&head));
                    moves.push(self.send(begun));
                }
                moves
            }
        };
        self.head = Some(head);
        moves
    }

    /// Bytes of the server's body have come.
    pub fn body(&mut self, bytes: &[u8]) -> Vec<Move> {
        if self.over {
            return vec![];
        }
        if self.passes {
            let framed = self.writer.frame(bytes);
            return vec![Move::Send(framed)];
        }
        if !self.is_stream() {
            self.body.extend_from_slice(bytes);
            return if self.body.len() > MOST_BYTES {
                self.pass()
            } else {
                vec![]
            };
        }
        let mut whole = Vec::new();
        self.blocks.feed(bytes, &mut |block| whole.push(block));
        whole
            .into_iter()
            .flat_map(|block| self.block(&block))
            .collect()
    }

    /// The server's answer is complete.
    pub fn end(&mut self) -> Vec<Move> {
        if self.over {
            return vec![];
        }
        let mut moves = Vec::new();
        if self.is_stream() {
            let rest = self.blocks.rest();
            if self.begun && !rest.is_empty() {
                let framed = self.writer.frame(&rest);
                moves.push(self.send(framed));
            }
        } else if !self.passes {
            moves.extend(self.document());
        }
        if !self.over {
            moves.extend(self.finish());
        }
        moves
    }

    /// The server's connection broke in the middle of its answer.
    pub fn cut(&mut self) -> Vec<Move> {
        if self.over {
            vec![]
        } else {
            self.stop(vec![Move::Reset])
        }
    }

    fn stop(&mut self, moves: Vec<Move>) -> Vec<Move> {
        self.over = true;
        moves
    }

    fn is_stream(&self) -> bool {
        self.head.as_ref().is_some_and(Head::is_stream)
    }

    /// Whether the server's events are passed on as they come.
    fn flows(&self, head: &Head) -> bool {
        head.is_stream() && !head.is_encoded() && self.script.form != Some(Form::Json)
    }

    fn send(&self, bytes: Vec<u8>) -> Move {
        match self.script.drip_ms {
            Some(ms) => Move::Drip(bytes, ms),
            None => Move::Send(bytes),
        }
    }

    /// One event, or comments, of the server's stream.
    fn block(&mut self, block: &[u8]) -> Vec<Move> {
        if self.over {
            return vec![];
        }
        let message = data(block).and_then(|text| read(text.as_bytes()));
        match message {
            Some(message) if self.asked.is_answered_by(&message) => self.respond(message),
            _ if self.begun => {
                let framed = self.writer.event(block);
                vec![self.send(framed)]
            }
            // As JSON there is room for nothing but the answer.
            _ => vec![],
        }
    }

    /// The body of an answer that is no stream.
    fn document(&mut self) -> Vec<Move> {
        let body = std::mem::take(&mut self.body);
        let message = read(&body).filter(|message| self.asked.is_answered_by(message));
        match message {
            Some(message) => self.respond(message),
            None => {
                let whole = self.whole(&body);
                let moves = vec![self.send(whole), Move::Done(self.asked.keep_alive)];
                self.stop(moves)
            }
        }
    }

    /// The response has come: what the script makes of it.
    fn respond(&mut self, mut message: Value) -> Vec<Move> {
        self.script.edit(&mut message, self.asked);
        let mut text = message.to_string();
        match self.script.ending {
            Ending::Malformed => text = malformed(&text),
            Ending::Truncated => text = truncated(&text),
            _ => {}
        }
        let ok = self.head.as_ref().is_some_and(|head| head.status == 200);
        if !self.begun && !(ok && self.script.needs_stream()) {
            return self.respond_as_document(&text);
        }
        let mut head = Vec::new();
        if !self.begun {
            self.begun = true;
            head = self.writer.begin(self.head.as_ref());
        }
        match self.script.ending {
            Ending::Cut => {
                head.extend(self.writer.prelude());
                // Something of the stream is there before it breaks off.
                let sign = self.writer.event(b": the stream breaks off here\n\n");
                head.extend(sign);
                let moves = vec![self.send(head), Move::Pause(BEFORE_RESET), Move::Close];
                self.stop(moves)
            }
            Ending::ResetMidStream => {
                let payload = self.writer.payload(&text);
                head.extend_from_slice(&payload[..payload.len() / 2]);
                let moves = vec![self.send(head), Move::Pause(BEFORE_RESET), Move::Reset];
                self.stop(moves)
            }
            _ => {
                head.extend(self.writer.payload(&text));
                vec![self.send(head)]
            }
        }
    }

    fn respond_as_document(&mut self, text: &str) -> Vec<Move> {
        let whole = self.whole(text.as_bytes());
        let moves = if self.script.ending == Ending::ResetMidStream {
            let half = whole.len() - text.len().div_ceil(2);
            vec![
                self.send(whole[..half].to_vec()),
                Move::Pause(BEFORE_RESET),
                Move::Reset,
            ]
        } else {
            vec![self.send(whole), Move::Done(self.asked.keep_alive)]
        };
        self.stop(moves)
    }

    /// Head and body of an answer that is no stream.
    fn whole(&self, body: &[u8]) -> Vec<u8> {
        let server = self.head.as_ref();
        let mut head = status_line(server, 200);
        head.push_str(&kept_fields(server, self.script));
        let own = server.and_then(|head| head.field("content-type"));
        let own = own.filter(|_| server.is_some_and(|head| !head.is_stream()));
        let own = if body.is_empty() {
            own
        } else {
            own.or(Some("application/json"))
        };
        if let Some(kind) = self.script.content_type.as_deref().or(own) {
            head.push_str(&format!("Content-Type: {kind}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        head.push_str(connection(self.asked));
        head.push_str("\r\n");
        [head.as_bytes(), body].concat()
    }

    /// Too large to be changed: what is there goes out, and so does the rest as it comes.
    fn pass(&mut self) -> Vec<Move> {
        self.passes = true;
        self.begun = true;
        let mut head = status_line(self.head.as_ref(), 200);
        head.push_str(&kept_fields(self.head.as_ref(), self.script));
        head.push_str(self.writer.close);
        if let Some(kind) = self
            .head
            .as_ref()
            .and_then(|head| head.field("content-type"))
        {
            head.push_str(&format!("Content-Type: {kind}\r\n"));
        }
        if !self.asked.old {
            head.push_str("Transfer-Encoding: chunked\r\n");
        }
        head.push_str("\r\n");
        let body = std::mem::take(&mut self.body);
        vec![Move::Send(
            [head.as_bytes(), &self.writer.frame(&body)].concat(),
        )]
    }

    fn finish(&mut self) -> Vec<Move> {
        if !self.begun {
            // A stream that was to become JSON and held no response.
            let whole = self.whole(b"");
            let moves = vec![self.send(whole), Move::Done(self.asked.keep_alive)];
            return self.stop(moves);
        }
        let end = self.writer.finish();
        let mut moves = Vec::new();
        if !end.is_empty() {
            moves.push(Move::Send(end));
        }
        moves.push(Move::Done(self.asked.keep_alive && !self.asked.old));
        self.stop(moves)
    }
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
