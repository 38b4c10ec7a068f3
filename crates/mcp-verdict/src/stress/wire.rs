//! One HTTP/1.1 request over a connection of its own, sent in whatever way is wanted.

use super::Scene;
use crate::driver::connect;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use verdict_core::wire::endpoint::Endpoint;

/// Bytes of an answer that are looked at.
const HEAD: usize = 4 * 1024;

trait Both: AsyncRead + AsyncWrite + Unpin {}
impl<T: AsyncRead + AsyncWrite + Unpin> Both for T {}

/// A connection to the server.
pub(super) struct Line(Box<dyn Both>);

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Back {
    /// The status of an answer.
    Status(u16),
    /// The connection was closed, or reset, without one.
    Closed,
    /// Nothing within the time.
    Silence,
    /// Bytes that are no HTTP.
    Garbage,
}

impl Line {
    /// # Errors
    /// Why there is no connection.
    pub(super) async fn open(scene: &Scene<'_>, endpoint: &Endpoint) -> Result<Self, String> {
        let opened = tokio::time::timeout(scene.patience, connect(endpoint)).await;
        let (stream, _) = opened.map_err(|_| "connecting timed out".to_owned())??;
        if !endpoint.https {
            return Ok(Self(Box::new(stream)));
        }
        let wrapped = scene.ground.trust.wrap(stream, &endpoint.host);
        let wrapped = tokio::time::timeout(scene.patience, wrapped).await;
        let stream = wrapped.map_err(|_| "the TLS handshake timed out".to_owned())??;
        Ok(Self(Box::new(stream)))
    }

    /// Writes; a server that has closed the connection shows when its answer is read.
    pub(super) async fn write(&mut self, bytes: &[u8], within: Duration) {
        let write = async {
            let _ = self.0.write_all(bytes).await;
            let _ = self.0.flush().await;
        };
        let _ = tokio::time::timeout(within, write).await;
    }

    /// The beginning of an answer.
    pub(super) async fn back(&mut self, within: Duration) -> Back {
        let mut bytes = Vec::new();
        let read = async {
            let mut piece = [0; HEAD];
            while bytes.len() < HEAD && !bytes.contains(&b'\n') {
                match self.0.read(&mut piece).await {
                    Ok(count) if count > 0 => bytes.extend_from_slice(&piece[..count]),
                    Ok(_) | Err(_) => return Some(Back::Closed),
                }
            }
            None
        };
        match tokio::time::timeout(within, read).await {
            Err(_) => Back::Silence,
            Ok(Some(Back::Closed)) if bytes.is_empty() => Back::Closed,
            Ok(_) => status(&bytes).map_or(Back::Garbage, Back::Status),
        }
    }
}

/// The status of an answer's first line.
fn status(bytes: &[u8]) -> Option<u16> {
    let line = bytes.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_whitespace();
    let is_http = words.next()?.starts_with("HTTP/1.");
    let status = words.next()?.parse().ok()?;
    is_http.then_some(status)
}

/// An ordinary request of the server's list of tools with another body; `length` is what it says of its length.
pub(super) fn request(
    scene: &Scene<'_>,
    endpoint: &Endpoint,
    body: &[u8],
    length: usize,
) -> Vec<u8> {
    let message = scene.client.list_message();
    let mut head = format!(
        "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {length}\r\nConnection: close\r\n",
        endpoint.path, endpoint.authority
    )
    .into_bytes();
    let own = [
        "host",
        "content-type",
        "accept",
        "content-length",
        "connection",
    ];
    let given = scene.plan.settings.headers.iter();
    let given = given.map(|(name, value)| (name, value.as_bytes()));
    let fields = message
        .fields
        .iter()
        .map(|(name, value)| (name, value.as_slice()));
    for (name, value) in fields.chain(given) {
        if own.contains(&name.to_ascii_lowercase().as_str()) {
            continue;
        }
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value);
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head.extend_from_slice(body);
    head
}

#[cfg(test)]
mod tests {
    use super::status;

    #[test]
    fn a_status_is_read_and_garbage_is_none() {
        assert_eq!(status(b"HTTP/1.1 413 Content Too Large\r\n"), Some(413));
        assert_eq!(status(b"SSH-2.0-x\r\n"), None);
        assert_eq!(status(b"\xff\xfe"), None);
        assert_eq!(status(b"HTTP/1.1 abc\r\n"), None);
    }
}
