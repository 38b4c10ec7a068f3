//! Standard input, output and error, each with a thread of its own: they know no other way to wait, and a thread that waits
//! for input must not hold up the end of the program.

use std::io::{Read, Write};
use tokio::sync::{mpsc, oneshot};

/// Pieces that wait to be taken.
const WAITING: usize = 8;

/// Standard input, piece by piece as it comes, until its end.
pub(super) fn input() -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel(WAITING);
    std::thread::spawn(move || {
        let (mut input, mut buffer) = (std::io::stdin().lock(), vec![0; 64 << 10]);
        while let Ok(length @ 1..) = input.read(&mut buffer) {
            if sender.blocking_send(buffer[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// A stream that is written to.
#[derive(Clone)]
pub(super) struct Output(mpsc::Sender<(Vec<u8>, oneshot::Sender<bool>)>);

impl Output {
    /// Standard output.
    pub(super) fn stdout() -> Self {
        Self::of(|bytes| {
            let mut out = std::io::stdout().lock();
            out.write_all(bytes).and_then(|()| out.flush())
        })
    }

    /// Standard error.
    pub(super) fn stderr() -> Self {
        Self::of(|bytes| std::io::stderr().lock().write_all(bytes))
    }

    fn of(write: impl Fn(&[u8]) -> std::io::Result<()> + Send + 'static) -> Self {
        let (sender, mut receiver) = mpsc::channel::<(Vec<u8>, oneshot::Sender<bool>)>(WAITING);
        std::thread::spawn(move || {
            while let Some((bytes, done)) = receiver.blocking_recv() {
                let _ = done.send(write(&bytes).is_ok());
            }
        });
        Self(sender)
    }

    /// Writes bytes; whether somebody still reads.
    pub(super) async fn write(&self, bytes: Vec<u8>) -> bool {
        let (done, written) = oneshot::channel();
        self.0.send((bytes, done)).await.is_ok() && written.await == Ok(true)
    }
}
