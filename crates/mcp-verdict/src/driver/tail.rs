//! The last words of a process.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Bytes that are kept of a server's last words.
const BYTES: usize = 4 << 10;

/// The end of what a process wrote; clones are handles of the same one.
#[derive(Debug, Clone)]
pub(crate) struct Tail {
    kept: Arc<Mutex<VecDeque<u8>>>,
    most: usize,
}

impl Default for Tail {
    fn default() -> Self {
        Self::of(BYTES)
    }
}

impl Tail {
    /// One that keeps so many bytes.
    pub(crate) fn of(most: usize) -> Self {
        Self {
            kept: Arc::default(),
            most,
        }
    }

    /// Reads an output to its end.
    pub(crate) async fn keep(self, mut source: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 16 << 10];
        while let Ok(length @ 1..) = source.read(&mut buffer).await {
            self.add(&buffer[..length]);
        }
    }

    /// Adds what was read elsewhere.
    pub(crate) fn add(&self, bytes: &[u8]) {
        let mut tail = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend(bytes);
        let excess = tail.len().saturating_sub(self.most);
        tail.drain(..excess);
    }

    /// What is kept, as text of whole lines.
    pub(crate) fn text(&self) -> String {
        let tail = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = tail.iter().copied().collect();
        // A tail that is cut may begin inside a secret, which nothing would know any more.
        let cut = bytes.len() >= self.most;
        let line = bytes.iter().position(|byte| cut && *byte == b'\n');
        let whole = &bytes[line.map_or(0, |end| end + 1)..];
        String::from_utf8_lossy(whole).trim().to_owned()
    }
}
