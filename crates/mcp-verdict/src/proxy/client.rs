//! The client's side of one connection.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::AsyncReadExt;
use tokio::net::tcp::ReadHalf;
use verdict_proxy::http::{self, Body, Broken, Head};

/// Bytes that are read at once.
pub(super) const READ: usize = 8 << 10;
/// Bytes of a next request that are taken while an answer is under way.
const AHEAD: usize = 64 << 10;

/// Bytes that a client has sent and nobody has used yet.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    pub(super) held: Vec<u8>,
    /// Whether the client said that it sends nothing more.
    pub(super) ended: bool,
}

/// How a client went away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gone {
    /// It closed its side in good order; it may still read.
    Closed,
    /// Its connection broke.
    Broke,
}

impl Inbox {
    /// Reads once.
    pub(super) async fn more(&mut self, reader: &mut ReadHalf<'_>) -> io::Result<usize> {
        self.held.reserve(READ);
        let length = reader.read_buf(&mut self.held).await?;
        self.ended |= length == 0;
        Ok(length)
    }

    /// Waits until the client goes away; what it sends meanwhile is kept, up to a bound.
    pub(super) async fn gone(&mut self, reader: &mut ReadHalf<'_>) -> Gone {
        loop {
            if self.ended || self.held.len() >= AHEAD {
                return std::future::pending().await;
            }
            match self.more(reader).await {
                Ok(0) => return Gone::Closed,
                Ok(_) => {}
                Err(_) => return Gone::Broke,
            }
        }
    }

    /// Takes the first bytes.
    pub(super) fn take(&mut self, length: usize) -> Vec<u8> {
        let rest = self.held.split_off(length.min(self.held.len()));
        let taken = std::mem::replace(&mut self.held, rest);
        // A large body must not leave its room behind for the life of the connection.
        self.held.shrink_to(READ);
        taken
    }
}

/// Bytes of bodies that are held for all clients together; beyond them bodies pass unread.
const MOST_HELD: usize = 128 << 20;

/// Bytes that are held for one request, of all that are.
#[derive(Debug, Default)]
pub(super) struct Held {
    all: Arc<AtomicUsize>,
    own: usize,
}

impl Held {
    pub(super) fn of(all: &Arc<AtomicUsize>) -> Self {
        Self {
            all: Arc::clone(all),
            own: 0,
        }
    }

    /// Takes so many more; whether there is room for them.
    pub(super) fn take(&mut self, bytes: usize) -> bool {
        self.own += bytes;
        self.all.fetch_add(bytes, Ordering::Relaxed) + bytes <= MOST_HELD
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.all.fetch_sub(self.own, Ordering::Relaxed);
    }
}

/// The body of a request under way: where it ends, and its data where that is wanted.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says one independent thing of the request"
)]
pub(super) struct Request {
    pub(super) head: Head,
    /// The bytes of the head, as they came.
    pub(super) raw_head: Vec<u8>,
    pub(super) body: Body,
    /// The data of the body so far.
    pub(super) data: Vec<u8>,
    /// What it takes of the room for all.
    pub(super) room: Held,
    /// Whether all of the data is kept.
    pub(super) whole: bool,
    /// Whether the framing broke: the rest passes blindly.
    pub(super) blind: bool,
    /// Whether the client was told to go on sending: the server must not say so again.
    pub(super) waved_on: bool,
    /// Whether it was written down.
    pub(super) told: bool,
}

impl Request {
    pub(super) fn new(head: Head, raw_head: Vec<u8>) -> Self {
        Self {
            body: Body::new(head.body),
            head,
            raw_head,
            data: Vec::new(),
            room: Held::default(),
            whole: true,
            blind: false,
            waved_on: false,
            told: false,
        }
    }

    /// How many of these bytes belong to the body; their data is kept where `keeps`.
    pub(super) fn feed(&mut self, bytes: &[u8], keeps: bool) -> usize {
        if self.blind {
            return bytes.len();
        }
        let (data, whole) = (&mut self.data, &mut self.whole);
        let used = self.body.feed(bytes, &mut |part| {
            if !keeps {
                return;
            }
            let room = verdict_proxy::asked::MOST_BYTES.saturating_sub(data.len());
            *whole &= part.len() <= room;
            data.extend_from_slice(&part[..part.len().min(room)]);
        });
        used.unwrap_or_else(|_| {
            self.blind = true;
            bytes.len()
        })
    }

    /// Whether nothing more of it is to come.
    pub(super) fn is_done(&self) -> bool {
        self.body.is_done() && !self.blind
    }
}

/// The head of the next request, when it is there.
pub(super) fn next_head(inbox: &mut Inbox) -> Result<Option<Request>, Broken> {
    // Empty lines before a request are passed over, as RFC 9112 (2.2) has it.
    let blank = inbox
        .held
        .iter()
        .take_while(|byte| matches!(byte, b'\r' | b'\n'))
        .count();
    inbox.held.drain(..blank);
    let Some(head) = http::request(&inbox.held)? else {
        return Ok(None);
    };
    let raw = inbox.take(head.bytes);
    Ok(Some(Request::new(head, raw)))
}
