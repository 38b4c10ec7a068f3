//! An answer taken apart: its head, its data without the framing, its end.

use crate::http::{self, Body, Broken, Head};

/// A part of an answer.
#[derive(Debug, PartialEq)]
pub enum Part<'b> {
    /// The final head.
    Head(Head),
    /// Bytes of the body.
    Data(&'b [u8]),
    /// The end, where the framing says it.
    End,
}

#[derive(Debug, Clone)]
enum State {
    Head(Vec<u8>),
    Body(Body),
    Blind,
    Done,
}

/// Reads the answer to one request, in any split of its bytes.
#[derive(Debug, Clone)]
pub struct Decoder {
    verb: String,
    state: State,
    keep_alive: bool,
}

impl Decoder {
    /// Of the answer to a request with this verb.
    pub fn new(verb: &str) -> Self {
        Self {
            verb: verb.to_owned(),
            state: State::Head(Vec::new()),
            keep_alive: false,
        }
    }

    /// Whether the answer is complete.
    pub fn is_done(&self) -> bool {
        matches!(self.state, State::Done)
    }

    /// Whether the framing could not be read: then the rest of the connection passes blindly.
    pub fn is_blind(&self) -> bool {
        matches!(self.state, State::Blind)
    }

    /// Whether no byte has come.
    pub fn is_untouched(&self) -> bool {
        matches!(&self.state, State::Head(held) if held.is_empty())
    }

    /// Whether the server leaves the connection open after the answer.
    pub fn keeps_alive(&self) -> bool {
        self.keep_alive
    }

    /// Takes bytes; how many of them belong to this answer.
    pub fn feed(&mut self, bytes: &[u8], each: &mut impl FnMut(Part)) -> usize {
        let mut used = 0;
        while used < bytes.len() {
            let rest = &bytes[used..];
            match &mut self.state {
                State::Head(_) => match self.head(rest, each) {
                    Ok(taken) => used += taken,
                    Err(_) => self.state = State::Blind,
                },
                State::Body(body) => {
                    let taken = body.feed(rest, &mut |data| each(Part::Data(data)));
                    match taken {
                        Ok(taken) => {
                            used += taken;
                            if body.is_done() {
                                self.state = State::Done;
                                each(Part::End);
                            }
                        }
                        Err(_) => self.state = State::Blind,
                    }
                }
                State::Blind => return bytes.len(),
                State::Done => return used,
            }
        }
        used
    }

    /// The connection is at its end; whether that ends the answer in good order.
    pub fn close(&mut self, each: &mut impl FnMut(Part)) -> bool {
        let sound = match &self.state {
            State::Body(body) => body.may_close(),
            State::Done => return true,
            State::Blind | State::Head(_) => false,
        };
        if sound {
            self.state = State::Done;
            each(Part::End);
        }
        sound
    }

    fn head(&mut self, bytes: &[u8], each: &mut impl FnMut(Part)) -> Result<usize, Broken> {
        let State::Head(held) = &mut self.state else {
            return Ok(0);
        };
        let before = held.len();
        held.extend_from_slice(bytes);
        let Some(whole) = http::answer(held, &self.verb)? else {
            return Ok(bytes.len());
        };
        let taken = whole.bytes - before;
        held.clear();
        // Interim answers announce nothing; after 101 it is no HTTP any more.
        if whole.status == 101 {
            return Err(Broken::Head);
        }
        if (100..200).contains(&whole.status) {
            return Ok(taken);
        }
        self.keep_alive = whole.keep_alive;
        let body = Body::new(whole.body);
        let bare = body.is_done();
        self.state = if bare { State::Done } else { State::Body(body) };
        each(Part::Head(whole));
        if bare {
            each(Part::End);
        }
        Ok(taken)
    }
}
