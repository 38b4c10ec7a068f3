//! An HTTP server that we start: its output is drained and kept as a tail, its group ended after the run.

use super::Launch;
use super::process::{Group, spawn};
use super::socket::connect;
use super::tls::Trust;
use std::collections::VecDeque;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::process::Child;
use tokio::task::JoinHandle;
use verdict_core::wire::endpoint::Endpoint;

/// Bytes of output that are kept.
const TAIL: usize = 4 << 10;

/// A server process.
pub(crate) struct Server {
    child: Child,
    group: Group,
    tail: Arc<Mutex<VecDeque<u8>>>,
    readers: Vec<JoinHandle<()>>,
}

/// Starts a server.
pub(crate) fn spawn_server(words: &[String], launch: &Launch) -> Result<Server, String> {
    let mut child = spawn(words, launch, Stdio::null())?;
    let group = Group::of(&child);
    let tail = Arc::new(Mutex::new(VecDeque::new()));
    let out = child.stdout.take();
    let err = child.stderr.take();
    let readers = [
        out.map(|out| tokio::spawn(keep(out, Arc::clone(&tail)))),
        err.map(|err| tokio::spawn(keep(err, Arc::clone(&tail)))),
    ];
    Ok(Server {
        child,
        group,
        tail,
        readers: readers.into_iter().flatten().collect(),
    })
}

async fn keep(mut source: impl AsyncRead + Unpin, tail: Arc<Mutex<VecDeque<u8>>>) {
    let mut buffer = vec![0; 16 << 10];
    while let Ok(length @ 1..) = source.read(&mut buffer).await {
        if let Ok(mut tail) = tail.lock() {
            tail.extend(&buffer[..length]);
            let excess = tail.len().saturating_sub(TAIL);
            tail.drain(..excess);
        }
    }
}

impl Server {
    /// How it ended, if it has.
    pub(crate) fn ended(&mut self) -> Option<String> {
        self.child
            .try_wait()
            .ok()
            .flatten()
            .map(|status| status.to_string())
    }

    /// Its process group.
    pub(crate) fn group(&self) -> Group {
        self.group.clone()
    }

    /// Ends it with its whole process group; gives back the last bytes of its output.
    pub(crate) async fn last_words(mut self) -> String {
        self.end().await;
        // What it wrote is read first; something that left the group may hold the pipes for ever.
        let read = async {
            for reader in &mut self.readers {
                let _ = reader.await;
            }
        };
        let _ = tokio::time::timeout(Duration::from_millis(300), read).await;
        let bytes: Vec<u8> = self
            .tail
            .lock()
            .map(|tail| tail.iter().copied().collect())
            .unwrap_or_default();
        // A tail that is cut may begin inside a secret, which nothing would know any more.
        let cut = bytes.len() >= TAIL;
        let line = bytes.iter().position(|byte| cut && *byte == b'\n');
        let whole = &bytes[line.map_or(0, |end| end + 1)..];
        String::from_utf8_lossy(whole).trim().to_owned()
    }

    /// Ends it with its whole process group.
    pub(crate) async fn end(&mut self) {
        let exited = self.ended().is_some();
        self.group.end(&mut self.child, exited).await;
    }
}

/// Whether an MCP server answers: any HTTP answer to a POST but 502 to 504, which say that it is not ready.
///
/// An open socket is not enough: frameworks listen before their handlers are there.
pub(crate) async fn answers(
    endpoint: &Endpoint,
    trust: &Trust,
    timeout: Duration,
) -> Result<(), String> {
    match tokio::time::timeout(timeout, ask(endpoint, trust)).await {
        Ok(answer) => answer,
        Err(_) => Err("it takes connections but does not answer".to_owned()),
    }
}

async fn ask(endpoint: &Endpoint, trust: &Trust) -> Result<(), String> {
    let (stream, _) = connect(endpoint).await?;
    let request = verdict_core::survey::knock(endpoint);
    if endpoint.https {
        status(trust.wrap(stream, &endpoint.host).await?, &request).await
    } else {
        status(stream, &request).await
    }
}

async fn status(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    request: &[u8],
) -> Result<(), String> {
    stream
        .write_all(request)
        .await
        .map_err(|error| error.to_string())?;
    let mut head = Vec::new();
    let mut buffer = [0; 512];
    loop {
        if let Some(answer) = verdict_core::survey::is_ready(&head) {
            return answer;
        }
        let length = stream
            .read(&mut buffer)
            .await
            .map_err(|error| error.to_string())?;
        if length == 0 {
            return Err("it closed the connection without an answer".to_owned());
        }
        head.extend_from_slice(&buffer[..length]);
    }
}
