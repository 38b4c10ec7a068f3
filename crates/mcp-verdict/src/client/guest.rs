//! What goes with a request while it waits: how long, who answers, what is noted.

use super::lock;
use serde_json::Value;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use verdict_core::settings::Settings;
use verdict_eval::client::{Answers, Lifecycle, Outgoing};

/// Notes that are kept; more would be the same ones again.
const MAX_NOTES: usize = 100;
/// A request whose server reports progress is waited for this many times as long.
const WITH_PROGRESS: u32 = 6;

/// What is noted beside the calls.
#[derive(Debug, Default)]
pub(super) struct Log(Mutex<Vec<String>>);

impl Log {
    /// Every note so far.
    pub(super) fn notes(&self) -> Vec<String> {
        lock(&self.0).clone()
    }

    pub(super) fn note(&self, note: String) {
        let mut notes = lock(&self.0);
        if notes.len() < MAX_NOTES && !notes.contains(&note) {
            notes.push(note);
        }
    }
}

/// How long one request is waited for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// Until the first message, and from each message to the next.
    pub(super) each: Duration,
    /// In all.
    pub(super) most: Duration,
}

impl Patience {
    pub(super) fn of(settings: &Settings) -> Self {
        let each = Duration::from_millis(settings.timeout_ms);
        Self {
            each,
            most: each * WITH_PROGRESS,
        }
    }

    /// When a request that began then is over, if nothing more comes from now on.
    pub(super) fn due(&self, began: Instant) -> tokio::time::Instant {
        (Instant::now() + self.each).min(began + self.most).into()
    }
}

/// Who answers while a request waits: servers with the handshake may ask in between.
pub(super) struct Guest<'g> {
    /// None before it is known.
    pub(super) lifecycle: Option<&'g Lifecycle>,
    answers: &'g Answers,
    notes: Mutex<Vec<String>>,
}

impl<'g> Guest<'g> {
    pub(super) fn new(lifecycle: Option<&'g Lifecycle>, answers: &'g Answers) -> Self {
        Self {
            lifecycle,
            answers,
            notes: Mutex::default(),
        }
    }

    /// The answer to a request of the server; none where servers may not ask. `alone` says that the question is that
    /// of this call and no other.
    pub(super) fn respond(
        &self,
        id: &Value,
        method: &str,
        params: &Value,
        alone: bool,
    ) -> Option<Outgoing> {
        let Some(Lifecycle::Legacy(session)) = self.lifecycle else {
            let note =
                "the server sent a request, which this revision forbids; it was not answered";
            self.note(note.to_owned());
            return None;
        };
        let of_nobody = self.answers.of_nobody();
        let answers = if alone { self.answers } else { &of_nobody };
        let (answer, note) = verdict_eval::client::respond(method, params, answers);
        if let Some(note) = note {
            self.note(note);
        }
        Some(verdict_eval::client::response(session, id, answer))
    }

    /// What was noted while it waited.
    pub(super) fn into_notes(self) -> Vec<String> {
        self.notes.into_inner().unwrap_or_default()
    }

    fn note(&self, note: String) {
        let mut notes = lock(&self.notes);
        if notes.len() < MAX_NOTES {
            notes.push(note);
        }
    }
}
