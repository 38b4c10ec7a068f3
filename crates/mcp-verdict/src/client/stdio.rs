//! A server behind a command: one process for the whole run. Where it dies it is started once more, and that is said.

use super::process::Process;
use super::{Guest, Log, Patience, lock};
use crate::driver::Launch;
use std::sync::{Arc, Mutex};
use verdict_core::settings::Settings;
use verdict_eval::client::{Answers, Heard, Loss, Outgoing, Session, initialize, initialized};

/// How often a process that died is started again.
const RESTARTS: u32 = 1;

/// A server behind a command.
pub(super) struct Stdio {
    words: Vec<String>,
    launch: Launch,
    longest_line: usize,
    patience: Patience,
    state: tokio::sync::Mutex<State>,
    /// What the handshake settled; a process that is started anew shakes hands again.
    session: Mutex<Option<Session>>,
    log: Arc<Log>,
}

#[derive(Default)]
struct State {
    process: Option<Arc<Process>>,
    restarts: u32,
}

impl Stdio {
    pub(super) fn new(
        words: &[String],
        launch: &Launch,
        settings: &Settings,
        log: Arc<Log>,
    ) -> Self {
        Self {
            words: words.to_vec(),
            launch: launch.clone(),
            longest_line: settings.limits.answer_bytes,
            patience: Patience::of(settings),
            state: tokio::sync::Mutex::default(),
            session: Mutex::default(),
            log,
        }
    }

    /// Sends a request and waits for its answer; giving up cancels it.
    pub(super) async fn ask(&self, message: &Outgoing, guest: &Guest<'_>) -> Result<Heard, Loss> {
        let process = self.process().await?;
        process.ask(message, guest, self.patience).await
    }

    /// The handshake is over.
    pub(super) async fn begin(&self, session: &Session) {
        *lock(&self.session) = Some(session.clone());
        if let Ok(process) = self.process().await {
            process.write(&initialized(session).body);
        }
    }

    /// Writes a line that need not be a message.
    pub(super) async fn write_line(&self, line: &[u8]) {
        if let Ok(process) = self.process().await {
            process.write(line);
        }
    }

    /// How the process ended: the one that runs now, or one that was started anew since.
    pub(super) async fn ended(&self) -> Option<String> {
        let state = self.state.lock().await;
        let of_this = state.process.as_ref().and_then(|process| process.ended());
        of_this.or_else(|| (state.restarts > 0).then(|| "it had to be started again".to_owned()))
    }

    /// Ends the process, so that the next request goes to a new one.
    pub(super) async fn start_over(&self) {
        let mut state = self.state.lock().await;
        if let Some(process) = state.process.take() {
            process.end().await;
        }
    }

    /// Ends the process with its whole group.
    pub(super) async fn end(self) {
        self.start_over().await;
    }

    /// Ends the process; what it wrote last to its standard error.
    pub(super) async fn last_words(self) -> String {
        let process = self.state.lock().await.process.take();
        match process {
            Some(process) => {
                process.end().await;
                process.last_words()
            }
            None => String::new(),
        }
    }

    /// The process, started where there is none, and once more where it has died.
    async fn process(&self) -> Result<Arc<Process>, Loss> {
        let mut state = self.state.lock().await;
        if let Some(process) = state.process.clone() {
            let Some(how) = process.ended() else {
                return Ok(process);
            };
            if state.restarts >= RESTARTS {
                return Err(Loss::NotSent(format!(
                    "the server's process ended ({how}) and was started again once already{}",
                    said(&process)
                )));
            }
            state.restarts += 1;
            self.log.note(format!(
                "the server's process ended ({how}) and was started again{}",
                said(&process)
            ));
        }
        let process =
            Process::start(&self.words, &self.launch, self.longest_line).map_err(Loss::NotSent)?;
        let process = Arc::new(process);
        state.process = Some(Arc::clone(&process));
        let session = lock(&self.session).clone();
        if let Some(session) = session {
            let answers = Answers::default();
            let guest = Guest::new(None, &answers);
            let opening = initialize("initialize");
            if let Err(loss) = process.ask(&opening, &guest, self.patience).await {
                let why = format!("the handshake with the new process {}", loss.why());
                return Err(Loss::NotSent(why));
            }
            process.write(&initialized(&session).body);
        }
        Ok(process)
    }
}

/// The last words of a process, as the end of a sentence.
fn said(process: &Process) -> String {
    match process.last_words() {
        text if text.is_empty() => String::new(),
        text => format!("; its last words: {text}"),
    }
}
