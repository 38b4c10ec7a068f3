//! A fixture in memory, asked as the program asks a server.

use crate::client::{
    Answers, CallOutcome, Calling, Heard, Incoming, Lifecycle, Loss, Outgoing, Step, read,
};
use crate::tool::Tool;
use serde_json::{Value, json};
use verdict_core::wire::Limits;
use verdict_core::wire::http::{Piece, Reader};
use verdict_core::wire::{lines, sse};
use verdict_fixture::{HttpPeer, Output, Server, StdioOutput, StdioPeer};

/// Either end of a fixture.
pub(super) enum Peer {
    Stdio(Box<StdioPeer>),
    Http(Box<HttpPeer>),
}

impl Peer {
    pub(super) fn stdio(server: Server) -> Self {
        Self::Stdio(Box::new(StdioPeer::new(server)))
    }

    pub(super) fn http(server: Server) -> Self {
        Self::Http(Box::new(HttpPeer::new(server)))
    }

    /// Sends a message; the response to it, if there is one.
    pub(super) fn send(&mut self, message: &Outgoing) -> Option<Heard> {
        self.ask(message).ok()
    }

    pub(super) fn ask(&mut self, message: &Outgoing) -> Result<Heard, Loss> {
        let (texts, status, session) = match self {
            Self::Stdio(peer) => (over_stdio(peer, message), None, None),
            Self::Http(peer) => over_http(peer, message),
        };
        let mut notices = 0;
        for text in texts {
            match read(&text) {
                Incoming::Response { id, reply } => {
                    assert_eq!(id, Some(json!(message.id)), "{text}");
                    return Ok(Heard {
                        reply,
                        status,
                        session,
                        notices,
                    });
                }
                Incoming::Notice { .. } => notices += 1,
                Incoming::Stray(_) => {}
                Incoming::Request { .. } => panic!("{text}"),
            }
        }
        Err(match status {
            Some(status) => Loss::Http {
                status,
                why: String::new(),
            },
            None => Loss::TimedOut(1_000),
        })
    }

    /// Plays a whole call; the outcome, the rounds and the notes.
    pub(super) fn call(
        &mut self,
        lifecycle: &Lifecycle,
        tool: &Tool,
        arguments: &Value,
        answers: &Answers,
    ) -> (CallOutcome, u32, Vec<String>) {
        let arguments = arguments.as_object().expect("an object");
        let mut calling = Calling::new(tool, arguments, answers);
        let mut ids = 1..;
        loop {
            let id = format!("call/{}", ids.next().expect("endless"));
            let heard = self
                .send(&calling.request(lifecycle, &id))
                .expect("an answer");
            match calling.take(heard.reply) {
                Step::Again(_) => {}
                Step::Done(outcome) => return (outcome, calling.rounds(), calling.into_notes()),
                Step::Relist => panic!("the header fields did not fit"),
            }
        }
    }
}

fn over_stdio(peer: &mut StdioPeer, message: &Outgoing) -> Vec<String> {
    let line = [message.body.as_slice(), b"\n"].concat();
    let mut outputs = peer.receive(&line);
    outputs.extend(peer.tick(600_000));
    let (mut reader, mut texts) = (lines::Reader::default(), Vec::new());
    for output in outputs {
        if let StdioOutput::Stdout(bytes) = output {
            reader.feed(&bytes, &mut |line| texts.push(line.text));
        }
    }
    texts
}

fn over_http(
    peer: &mut HttpPeer,
    message: &Outgoing,
) -> (Vec<String>, Option<u16>, Option<String>) {
    let mut request = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n".to_vec();
    for (name, value) in &message.fields {
        request.extend([name.as_bytes(), b": ", value.as_slice(), b"\r\n"].concat());
    }
    request.extend(format!("Content-Length: {}\r\n\r\n", message.body.len()).into_bytes());
    request.extend(&message.body);
    let mut outputs = peer.receive(&request);
    outputs.extend(peer.tick(600_000));
    let (mut reader, mut body, mut head) = (Reader::new(Limits::default()), Vec::new(), None);
    for output in outputs {
        if let Output::Send(bytes) = output {
            let read = reader.feed(&bytes, &mut |piece| match piece {
                Piece::Head(found) => head = Some(found),
                Piece::Body(bytes) => body.extend(bytes),
                Piece::End => {}
            });
            read.expect("HTTP");
        }
    }
    let head = head.expect("a head");
    let field = |name| head.values(name).next().map(str::to_owned);
    let mut texts = Vec::new();
    if field("content-type").is_some_and(|kind| kind.starts_with("text/event-stream")) {
        sse::Reader::default().feed(&body, &mut |event| texts.push(event.data));
    } else if !body.is_empty() {
        texts.push(String::from_utf8(body).expect("text"));
    }
    (texts, Some(head.status), field("mcp-session-id"))
}
