//! Carries out the moves of an answer on a client's connection.

use super::shared::Shared;
use std::io;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::tcp::WriteHalf;
use verdict_proxy::answer::{Move, rise};
use verdict_proxy::recorder::Place;
use verdict_proxy::watch::Watch;

/// How an answer came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    /// It is complete; whether the connection is used again.
    Done(bool),
    /// The connection is to be reset.
    Reset,
    /// The connection is to be closed.
    Close,
}

/// What goes to a client is written down on its way.
pub(super) struct Stage<'c, 's> {
    pub(super) writer: &'c mut WriteHalf<'s>,
    pub(super) watch: Watch,
    pub(super) shared: &'c Shared,
    pub(super) place: Option<Place>,
}

impl Stage<'_, '_> {
    /// Carries out moves in order; where nothing comes after one of them, how it ended.
    ///
    /// # Errors
    /// Where the client's connection broke.
    pub(super) async fn perform(&mut self, moves: Vec<Move>) -> io::Result<Option<Over>> {
        for one in moves {
            match one {
                Move::Send(bytes) => self.send(&bytes).await?,
                Move::Drip(bytes, ms) => {
                    for byte in bytes {
                        self.send(&[byte]).await?;
                        tokio::time::sleep(Duration::from_millis(ms)).await;
                    }
                }
                Move::Pause(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
                Move::Silence => std::future::pending().await,
                Move::Repeat(mut bytes, ms) => loop {
                    self.send(&bytes).await?;
                    rise(&mut bytes);
                    tokio::time::sleep(Duration::from_millis(ms)).await;
                },
                Move::Reset => return Ok(Some(Over::Reset)),
                Move::Close => return Ok(Some(Over::Close)),
                Move::Refuse(ms) => {
                    self.shared.refuse(ms).await;
                    return Ok(Some(Over::Reset));
                }
                Move::Kill => self.shared.upstream.kill().await,
                Move::Done(keep) => return Ok(Some(Over::Done(keep))),
            }
        }
        Ok(None)
    }

    /// Sends bytes, and writes down what they say.
    pub(super) async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        note(self.shared, self.place, &mut self.watch, bytes);
        self.writer.write_all(bytes).await
    }
}

/// Reads on the side what goes to a client.
pub(super) fn note(shared: &Shared, place: Option<Place>, watch: &mut Watch, bytes: &[u8]) {
    let mut seen = Vec::new();
    watch.feed(bytes, &mut |one| seen.push(one));
    if let (Some(place), false) = (place, seen.is_empty()) {
        let comments = watch.comments();
        shared.record(|recorder, now| {
            for one in seen {
                recorder.seen(place, one, now);
            }
            recorder.comments(place, comments);
        });
    }
}
