//! The way to the server.

use super::process::Process;
use crate::driver::{Launch, Trust, connect};
use crate::exit::say;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadHalf, WriteHalf};
use verdict_core::wire::endpoint::Endpoint;
use verdict_proxy::Asked;
use verdict_proxy::replay::{self, Replay};

/// How long connecting may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Processes of clients with a session at a time.
const MOST_SESSIONS: usize = 64;

/// Bytes both ways, encrypted or not.
pub(super) trait Wire: AsyncRead + AsyncWrite + Send + Sync + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Wire for T {}

/// One connection to an HTTP server.
pub(super) struct Line {
    pub(super) reader: ReadHalf<Box<dyn Wire>>,
    pub(super) writer: WriteHalf<Box<dyn Wire>>,
}

/// The way to the server.
pub(super) enum Upstream {
    /// Over HTTP: each connection of a client has one of its own.
    Http { endpoint: Endpoint, trust: Trust },
    /// Processes: one for all who speak without a session, one for each session of earlier revisions.
    Stdio(Processes),
    /// A recording.
    Replay(Mutex<Replay>),
}

/// The processes of a stdio server.
pub(super) struct Processes {
    words: Vec<String>,
    launch: Launch,
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    common: Option<Arc<Process>>,
    sessions: BTreeMap<String, Arc<Process>>,
    next: u64,
}

impl Processes {
    pub(super) fn new(words: Vec<String>, launch: Launch) -> Self {
        Self {
            words,
            launch,
            running: Mutex::default(),
        }
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The process that all share; started again where it has ended.
    ///
    /// # Errors
    /// Why it cannot be started.
    pub(super) fn common(&self) -> Result<Arc<Process>, String> {
        let mut running = self.running();
        if let Some(process) = running.common.as_ref().filter(|one| one.ended().is_none()) {
            return Ok(Arc::clone(process));
        }
        let process = Process::start(&self.words, &self.launch)?;
        running.common = Some(Arc::clone(&process));
        Ok(process)
    }

    /// A process for a new session, and the session's id.
    ///
    /// # Errors
    /// Why it cannot be started.
    pub(super) fn begin_session(&self) -> Result<(String, Arc<Process>), String> {
        let mut running = self.running();
        running
            .sessions
            .retain(|_, process| process.ended().is_none());
        if running.sessions.len() >= MOST_SESSIONS {
            return Err(format!("there are {MOST_SESSIONS} sessions already"));
        }
        let process = Process::start(&self.words, &self.launch)?;
        running.next += 1;
        let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let salt = format!("{clock:?} {} {}", std::process::id(), running.next);
        let id = format!(
            "verdict-{}-{:016x}",
            running.next,
            verdict_core::fnv(salt.as_bytes())
        );
        running.sessions.insert(id.clone(), Arc::clone(&process));
        Ok((id, process))
    }

    /// The process of a session.
    pub(super) fn session(&self, id: &str) -> Option<Arc<Process>> {
        self.running().sessions.get(id).cloned()
    }

    /// Takes a session out.
    pub(super) fn end_session(&self, id: &str) -> Option<Arc<Process>> {
        self.running().sessions.remove(id)
    }

    async fn end(&self) {
        let all: Vec<_> = {
            let mut running = self.running();
            let sessions = std::mem::take(&mut running.sessions);
            running
                .common
                .take()
                .into_iter()
                .chain(sessions.into_values())
                .collect()
        };
        // All at once: each may take its time.
        let ending: Vec<_> = all
            .into_iter()
            .map(|process| tokio::spawn(async move { process.end().await }))
            .collect();
        for one in ending {
            let _ = one.await;
        }
    }
}

impl Upstream {
    /// What `Host` says to the server.
    pub(super) fn host(&self) -> Option<&str> {
        match self {
            Self::Http { endpoint, .. } => Some(&endpoint.authority),
            _ => None,
        }
    }

    /// Opens a connection.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) async fn open(&self) -> Result<Line, String> {
        let Self::Http { endpoint, trust } = self else {
            return Err("the server is no HTTP server".to_owned());
        };
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

    /// What a recording answers to a request; where it knows none, an error that says so, and a line on standard error.
    pub(super) fn replayed(&self, asked: &Asked) -> Vec<Value> {
        let answer = match self {
            Self::Replay(replay) => {
                let mut replay = replay.lock().unwrap_or_else(PoisonError::into_inner);
                replay.answer(asked)
            }
            _ => None,
        };
        answer.map_or_else(
            || {
                let unknown = replay::unknown(asked);
                say(unknown["error"]["message"].as_str().unwrap_or_default());
                vec![unknown]
            },
            |answer| answer.to(asked),
        )
    }

    /// Kills the server's processes, where it has any; the next request starts one anew.
    pub(super) async fn kill(&self) {
        if let Self::Stdio(processes) = self {
            processes.end().await;
        }
    }

    /// Ends what was started.
    pub(super) async fn end(&self) {
        self.kill().await;
    }
}
