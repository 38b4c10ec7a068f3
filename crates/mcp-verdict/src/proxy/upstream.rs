//! The way to the server.

use crate::driver::{Trust, connect};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadHalf, WriteHalf};
use verdict_core::wire::endpoint::Endpoint;

/// How long connecting may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes both ways, encrypted or not.
pub(super) trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

/// One connection to an HTTP server.
pub(super) struct Line {
    pub(super) reader: ReadHalf<Box<dyn Wire>>,
    pub(super) writer: WriteHalf<Box<dyn Wire>>,
}

/// The way to the server.
pub(super) enum Upstream {
    /// Over HTTP: each connection of a client has one of its own.
    Http { endpoint: Endpoint, trust: Trust },
}

impl Upstream {
    pub(super) fn http(endpoint: Endpoint, trust: Trust) -> Self {
        Self::Http { endpoint, trust }
    }

    /// What `Host` says to the server.
    pub(super) fn host(&self) -> Option<&str> {
        match self {
            Self::Http { endpoint, .. } => Some(&endpoint.authority),
        }
    }

    /// Opens a connection.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) async fn open(&self) -> Result<Line, String> {
        let Self::Http { endpoint, trust } = self;
        let opening = async {
            let (stream, _) = connect(endpoint).await?;
            let wire: Box<dyn Wire> = if endpoint.https {
                Box::new(trust.wrap(stream, &endpoint.host).await?)
            } else {
                Box::new(stream)
            };
            Ok(wire)
        };
        let opened: Result<_, String> = tokio::time::timeout(PATIENCE, opening)
            .await
            .unwrap_or_else(|_| Err(format!("connecting to {} timed out", endpoint.authority)));
        let (reader, writer) = tokio::io::split(opened?);
        Ok(Line { reader, writer })
    }

    /// Kills the server's process, where it is one.
    pub(super) async fn kill(&self) {
        std::future::ready(()).await;
    }

    /// Ends what was started.
    pub(super) async fn end(&self) {
        std::future::ready(()).await;
    }
}
