//! An HTTP server that we start: its output is drained and kept as a tail, its group ended after the run.

use super::Launch;
use super::process::{Group, spawn};
use super::socket::connect;
use super::tail::Tail;
use super::tls::Trust;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::process::Child;
use tokio::task::JoinHandle;
use verdict_core::wire::endpoint::Endpoint;

/// A server process.
pub(crate) struct Server {
    child: Child,
    group: Group,
    tail: Tail,
    readers: Vec<JoinHandle<()>>,
}

/// Starts a server.
pub(crate) fn spawn_server(words: &[String], launch: &Launch) -> Result<Server, String> {
    let mut child = spawn(words, launch, Stdio::null())?;
    let group = Group::of(&child);
    let tail = Tail::default();
    let out = child.stdout.take();
    let err = child.stderr.take();
    let readers = [
        out.map(|out| tokio::spawn(tail.clone().keep(out))),
        err.map(|err| tokio::spawn(tail.clone().keep(err))),
    ];
    Ok(Server {
        child,
        group,
        tail,
        readers: readers.into_iter().flatten().collect(),
    })
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
        self.tail.text()
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
