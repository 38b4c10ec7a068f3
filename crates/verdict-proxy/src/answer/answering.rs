//! The answer of a request that is hit, made anew out of the server's.

use super::writer::{Writer, kept_fields, status_line};
use super::{BEFORE_RESET, Move, connection, field, late, malformed, truncated};
use crate::asked::{Asked, read};
use crate::http::Head;
use crate::made::{acknowledgement, subscription_result};
use crate::script::{Ending, Form, Script};
use crate::stream::{Blocks, data, event};
use serde_json::Value;

/// Bytes of an answer beyond which it passes unchanged.
const MOST_BYTES: usize = 32 << 20;

/// Makes the answer of a request that is hit out of the server's.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says one independent thing of the answer"
)]
pub struct Answering<'s> {
    script: &'s Script,
    asked: &'s Asked,
    writer: Writer<'s>,
    head: Option<Head>,
    body: Vec<u8>,
    blocks: Blocks,
    /// Whether the client has the head of a stream.
    begun: bool,
    /// Whether a subscription was acknowledged.
    listening: bool,
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
            listening: false,
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
            message if self.begun => {
                let first = message.filter(|_| self.asked.listens() && !self.listening);
                let changed = first
                    .as_ref()
                    .and_then(|message| acknowledgement(self.script, message));
                let framed = match changed {
                    Some(message) => self.writer.event(&event(&message.to_string())),
                    None => self.writer.event(block),
                };
                let mut moves = vec![self.send(framed)];
                // A subscription has no answer to stand beside: its first message is what things come after.
                if first.is_some() {
                    self.listening = true;
                    moves.extend(self.after_acknowledged());
                }
                moves
            }
            // As JSON there is room for nothing but the answer.
            _ => vec![],
        }
    }

    /// What comes on a subscription's stream once it is acknowledged.
    fn after_acknowledged(&mut self) -> Vec<Move> {
        let mut moves = Vec::new();
        if self.script.beside_ms > 0 {
            moves.push(Move::Pause(self.script.beside_ms));
        }
        let prelude = self.writer.prelude();
        if !prelude.is_empty() {
            moves.push(self.send(prelude));
        }
        let end = match self.script.ending {
            Ending::Cut => Move::Close,
            Ending::ResetMidStream => Move::Reset,
            Ending::Graceful => {
                let result = subscription_result(self.asked).to_string();
                let framed = self.writer.event(&event(&result));
                moves.push(self.send(framed));
                moves.extend(self.finish());
                return moves;
            }
            _ => return moves,
        };
        moves.extend([Move::Pause(BEFORE_RESET), end]);
        self.stop(moves)
    }

    /// The body of an answer that is no stream.
    fn document(&mut self) -> Vec<Move> {
        let body = std::mem::take(&mut self.body);
        let message = read(&body).filter(|message| self.asked.is_answered_by(message));
        if let Some(message) = message {
            return self.respond(message);
        }
        let whole = self.whole(&body);
        let moves = vec![self.send(whole), Move::Done(self.asked.keep_alive)];
        self.stop(moves)
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
        let streams = self.begun || (ok && self.script.needs_stream());
        if !streams {
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
            field(&mut head, "Content-Type", kind);
        }
        field(&mut head, "Content-Length", body.len());
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
            field(&mut head, "Content-Type", kind);
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
