//! What all connections of a proxy share: the rules, the recording, the way to the server.

use super::upstream::{Processes, Upstream};
use super::{Options, Target};
use crate::exit::NotStarted;
use anyhow::Result;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::{mpsc, oneshot};
use verdict_core::wire::endpoint::Endpoint;
use verdict_model::Transcript;
use verdict_model::transcript::Transport;
use verdict_proxy::action::{Side, Way};
use verdict_proxy::recorder::Recorder;
use verdict_proxy::replay::Replay;
use verdict_proxy::secrets::Secrets;
use verdict_proxy::{Book, Rule};

/// A wish to take no connections for so many milliseconds; answered once none is taken any more.
pub(crate) type Refusal = (u64, oneshot::Sender<()>);

/// What all connections of a proxy share.
pub(crate) struct Shared {
    book: Mutex<Book>,
    recorder: Option<Mutex<Recorder>>,
    began: Instant,
    base_ms: u64,
    refusals: mpsc::UnboundedSender<Refusal>,
    written: Mutex<u64>,
    held: Arc<AtomicUsize>,
    pub(super) upstream: Upstream,
    pub(super) way: Way,
    pub(super) fields: Vec<(String, String)>,
    /// Whether only this machine is listened to.
    local: bool,
}

impl Shared {
    pub(super) fn new(
        options: Options,
        way: Way,
    ) -> Result<(Arc<Self>, mpsc::UnboundedReceiver<Refusal>)> {
        let transport = match way.client {
            Side::Http => Transport::Http,
            Side::Stdio => Transport::Stdio,
        };
        let mut book = Book::new(options.rules, options.seed);
        let mut recorder = Recorder::new(transport, Secrets::new(&options.secrets));
        if let Some(earlier) = options.earlier {
            book.resume(&earlier);
            recorder.resume(*earlier);
        }
        let base_ms = recorder.base_ms();
        let recorder = options.records.then(|| Mutex::new(recorder));
        let (refusals, wishes) = mpsc::unbounded_channel();
        let upstream = match options.target {
            Target::Http(endpoint) => Upstream::Http {
                endpoint,
                trust: options.trust,
            },
            Target::Stdio(words) => {
                let processes = Processes::new(words, options.launch);
                // A command that cannot be started is told at once, not to the first client.
                processes.common().map_err(NotStarted::new)?;
                Upstream::Stdio(processes)
            }
            Target::Replay(transcript) => Upstream::Replay(Mutex::new(Replay::of(&transcript))),
        };
        let shared = Self {
            book: Mutex::new(book),
            recorder,
            began: Instant::now(),
            base_ms,
            refusals,
            written: Mutex::default(),
            held: Arc::default(),
            upstream,
            way,
            fields: options.fields,
            local: options.listen.ip().is_loopback(),
        };
        Ok((Arc::new(shared), wishes))
    }

    /// Milliseconds since the recording began.
    pub(super) fn now(&self) -> u64 {
        let elapsed = u64::try_from(self.began.elapsed().as_millis());
        self.base_ms.saturating_add(elapsed.unwrap_or(u64::MAX))
    }

    /// The rules.
    pub(super) fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn replace_rules(&self, rules: Vec<Rule>) -> Result<(), String> {
        Book::fits(&rules, self.way)?;
        self.book().replace(rules);
        Ok(())
    }

    /// The rules, what they have done, and how many requests there were, as JSON.
    pub(super) fn state(&self) -> serde_json::Value {
        let requests = self.record(|recorder, _| recorder.requests());
        let book = self.book();
        serde_json::json!({"rules": book.state(), "hits": book.hits(), "recorded": requests})
    }

    /// Bytes of bodies that are held for all clients.
    pub(super) fn held(&self) -> &Arc<AtomicUsize> {
        &self.held
    }

    /// The number of the snapshot that the recording's file holds; locked while one is written.
    pub(super) fn written(&self) -> MutexGuard<'_, u64> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether what passes is written down.
    pub(super) fn records(&self) -> bool {
        self.recorder.is_some()
    }

    /// Writes something down, at this time; nothing where nothing is recorded.
    pub(super) fn record<T>(&self, write: impl FnOnce(&mut Recorder, u64) -> T) -> Option<T> {
        let recorder = self.recorder.as_ref()?;
        let mut recorder = recorder.lock().unwrap_or_else(PoisonError::into_inner);
        Some(write(&mut recorder, self.now()))
    }

    pub(super) fn transcript(&self) -> Transcript {
        let snapshot = self.record(Recorder::snapshot);
        // What was made of a transcript is one again.
        snapshot
            .and_then(|snapshot| snapshot.transcript().ok())
            .unwrap_or_default()
    }

    /// Whether a `Host` field names another machine although only this one is listened to: a page of a browser whose name
    /// was turned to this address.
    pub(super) fn is_foreign(&self, host: Option<&str>) -> bool {
        self.local && host.is_some_and(|host| !is_local(host))
    }

    /// Takes no connections for a time; comes back once none is taken any more.
    pub(super) async fn refuse(&self, ms: u64) {
        let (done, closed) = oneshot::channel();
        if self.refusals.send((ms, done)).is_ok() {
            let _ = closed.await;
        }
    }
}

/// Whether the authority of a `Host` or `Origin` field is this machine.
pub(super) fn is_local(authority: &str) -> bool {
    let url = format!("http://{}/", authority.trim());
    Endpoint::parse(&url).is_ok_and(|endpoint| endpoint.is_loopback())
}
