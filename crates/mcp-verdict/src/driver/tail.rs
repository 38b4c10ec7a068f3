//! The last words of a process.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Bytes that are kept.
const BYTES: usize = 4 << 10;

/// The end of what a process wrote; clones are handles of the same one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    /// Reads an output to its end.
    pub(crate) async fn keep(self, mut source: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 16 << 10];
        while let Ok(length @ 1..) = source.read(&mut buffer).await {
            self.add(&buffer[..length]);
        }
    }

    /// Adds what was read elsewhere.
    pub(crate) fn add(&self, bytes: &[u8]) {
        let mut tail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend(bytes);
        let excess = tail.len().saturating_sub(BYTES);
        tail.drain(..excess);
    }

    /// What is kept, as text of whole lines.
    pub(crate) fn text(&self) -> String {
        let tail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = tail.iter().copied().collect();
        // A tail that is cut may begin inside a secret, which nothing would know any more.
        let cut = bytes.len() >= BYTES;
        let line = bytes.iter().position(|byte| cut && *byte == b'\n');
        let whole = &bytes[line.map_or(0, |end| end + 1)..];
        String::from_utf8_lossy(whole).trim().to_owned()
    }
}
