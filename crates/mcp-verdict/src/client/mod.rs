//! The MCP client of the agent loop: it lists the tools of the live server and calls them, many at one time.
//!
//! What is sent and what an answer means is decided by `verdict_eval::client`, without I/O; here are the connections,
//! the process, the ids and the time limits.

mod guest;
mod http;
mod meet;
mod once;
mod process;
mod stdio;
#[cfg(test)]
mod tests;

use crate::config::Plan;
use crate::driver::{Launch, Trust};
use crate::exit::NotStarted;
use guest::{Guest, Log, Patience};
use http::Http;
use meet::{handshake, is_forgotten, meet};
use serde_json::{Map, Value};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use stdio::Stdio;
use verdict_core::mask::Masks;
use verdict_core::settings::Target;
use verdict_eval::client::{
    Answers, CallOutcome, Calling, Heard, Hello, Lifecycle, Loss, Next, Outgoing, Pages, Reply,
    Session, Step, initialized,
};
use verdict_eval::tool::Tool;
use verdict_model::report::ServerInfo;

/// A cursor that the server does not know any more.
const INVALID_PARAMS: i64 = -32602;

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Called {
    /// What it came to; its words hold no secret of ours, its result is as the server sent it.
    pub(crate) outcome: CallOutcome,
    /// How often the server asked back.
    pub(crate) rounds: u32,
    /// Notifications (progress, logging) that came with it.
    pub(crate) notices: u64,
    /// Milliseconds from the first request to the outcome.
    pub(crate) ms: u64,
    /// What a reader of the result has to know, in sentences.
    pub(crate) notes: Vec<String>,
}

/// A client of one server, for a whole run.
pub(crate) struct Client {
    wire: Wire,
    lifecycle: Mutex<Arc<Lifecycle>>,
    /// Held while a session is opened anew.
    renewing: tokio::sync::Mutex<()>,
    hello: Hello,
    answers: Map<String, Value>,
    masks: Masks,
    ids: AtomicU64,
    log: Arc<Log>,
}

enum Wire {
    Http(Http),
    Stdio(Stdio),
}

impl Wire {
    async fn ask(&self, message: &Outgoing, guest: &Guest<'_>) -> Result<Heard, Loss> {
        match self {
            Self::Http(http) => http.ask(message, guest).await,
            Self::Stdio(stdio) => stdio.ask(message, guest).await,
        }
    }

    /// The answer to a message of the handshake.
    async fn open(&self, message: &Outgoing) -> Result<Heard, Loss> {
        self.ask(message, &Guest::new(None, &Answers::default()))
            .await
    }

    /// The handshake is over.
    async fn begin(&self, session: &Session) {
        match self {
            Self::Http(http) => http.tell(&initialized(session)).await,
            Self::Stdio(stdio) => stdio.begin(session).await,
        }
    }
}

impl Client {
    /// Meets the server: `server/discover`, and where that is not understood `initialize`, as the checks do.
    ///
    /// # Errors
    /// [`NotStarted`] where there is nobody to speak to; the last words in it are not masked yet.
    pub(crate) async fn connect(
        plan: &Plan,
        launch: &Launch,
        trust: &Trust,
    ) -> Result<Self, NotStarted> {
        let settings = &plan.settings;
        let masks = Masks::new(&settings.secrets);
        let log = Arc::new(Log::default());
        let wire = match &settings.target {
            Target::Http(endpoint) => {
                Wire::Http(Http::new(endpoint, settings, trust).map_err(NotStarted::new)?)
            }
            Target::Stdio(words) => {
                Wire::Stdio(Stdio::new(words, launch, settings, Arc::clone(&log)))
            }
        };
        let (hello, lifecycle) = match meet(&wire, settings).await {
            Ok(met) => met,
            Err(why) => {
                let last_words = match wire {
                    Wire::Http(_) => String::new(),
                    Wire::Stdio(stdio) => stdio.last_words().await,
                };
                let why = format!("{}.", masks.hide(&capitalized(&why)));
                return Err(NotStarted { why, last_words });
            }
        };
        Ok(Self {
            wire,
            lifecycle: Mutex::new(Arc::new(lifecycle)),
            renewing: tokio::sync::Mutex::default(),
            hello,
            answers: settings.config.mrtr.answers.clone(),
            masks,
            ids: AtomicU64::new(0),
            log,
        })
    }

    /// What the server tells whoever uses its tools.
    pub(crate) fn instructions(&self) -> Option<&str> {
        self.hello.instructions.as_deref()
    }

    /// What the server calls itself.
    pub(crate) fn server_info(&self) -> Option<ServerInfo> {
        self.hello.server.clone()
    }

    /// Whether it is spoken to by revision 2026-07-28.
    pub(crate) fn is_modern(&self) -> bool {
        self.lifecycle().is_modern()
    }

    /// What happened beside the calls, in sentences without secrets: tools left out, a process started anew.
    pub(crate) fn notes(&self) -> Vec<String> {
        let notes = self.log.notes();
        notes.iter().map(|note| self.masks.hide(note)).collect()
    }

    /// All tools, of all pages, in the server's order.
    ///
    /// # Errors
    /// Why they cannot be listed: a sentence without secrets.
    pub(crate) async fn tools(&self) -> Result<Vec<Tool>, String> {
        if !self.hello.has_tools {
            self.log.note("the server declares no tools".to_owned());
            return Ok(Vec::new());
        }
        let mut restarted = false;
        loop {
            match self.walk().await {
                Ok(tools) => return Ok(tools),
                // The cursors of a list that changed are void (`caching#interaction-with-pagination`), and reading a list
                // again does no harm.
                Err(Unlisted::Void | Unlisted::Lost(Loss::NotSent(_) | Loss::CutOff(_)))
                    if !restarted =>
                {
                    restarted = true;
                }
                Err(unlisted) => return Err(self.masks.hide(&unlisted.why())),
            }
        }
    }

    async fn walk(&self) -> Result<Vec<Tool>, Unlisted> {
        let mirrors = self.is_modern() && matches!(self.wire, Wire::Http(_));
        let (mut pages, mut cursor) = (Pages::new(mirrors), None::<String>);
        let answers = self.answers(&Map::new());
        loop {
            let page = |lifecycle: &Lifecycle, id: &str| lifecycle.list(id, cursor.as_deref());
            let (heard, _) = self.exchange("tools/list", &answers, page).await;
            let result = match heard.map_err(Unlisted::Lost)?.reply {
                Reply::Result(result) => result,
                Reply::Error { code, .. } if code == INVALID_PARAMS && cursor.is_some() => {
                    return Err(Unlisted::Void);
                }
                Reply::Error { code, message, .. } => {
                    let why = format!("`tools/list` was refused with {code} ({message})");
                    return Err(Unlisted::Refused(why));
                }
            };
            match pages.take(result).map_err(Unlisted::Refused)? {
                Next::Page(next) => cursor = Some(next),
                Next::End => {
                    pages.notes.into_iter().for_each(|note| self.log.note(note));
                    return Ok(pages.tools);
                }
            }
        }
    }

    /// Calls a tool; what the server asks back is answered by the case's `answers`, else by the configuration.
    pub(crate) async fn call(
        &self,
        tool: &Tool,
        arguments: &Map<String, Value>,
        answers: &Map<String, Value>,
    ) -> Called {
        let began = Instant::now();
        let answers = self.answers(answers);
        let mut calling = Calling::new(tool, arguments, &answers);
        let (mut notices, mut notes) = (0, Vec::new());
        let outcome = loop {
            let request = |lifecycle: &Lifecycle, id: &str| calling.request(lifecycle, id);
            let (heard, said) = self.exchange("tools/call", &answers, request).await;
            notes.extend(said);
            let step = match heard {
                Ok(heard) => {
                    notices += heard.notices;
                    let refusal = heard.reply.clone();
                    match calling.take(heard.reply) {
                        Step::Relist => match self.listed_anew(tool.name()).await {
                            Some(now) => {
                                calling.renew(&now);
                                Step::Again(0)
                            }
                            None => calling.take(refusal),
                        },
                        step => step,
                    }
                }
                Err(loss) => calling.lost(&loss),
            };
            match step {
                Step::Again(0) | Step::Relist => {}
                Step::Again(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
                Step::Done(outcome) => break outcome,
            }
        };
        let rounds = calling.rounds();
        notes.extend(calling.into_notes());
        Called {
            outcome: self.masked(outcome),
            rounds,
            notices,
            ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            notes: notes.iter().map(|note| self.masks.hide(note)).collect(),
        }
    }

    async fn listed_anew(&self, name: &str) -> Option<Tool> {
        let tools = self.tools().await.ok()?;
        tools.into_iter().find(|tool| tool.name() == name)
    }

    /// The result stays what the server sent: whoever writes it down masks it.
    fn masked(&self, outcome: CallOutcome) -> CallOutcome {
        match outcome {
            CallOutcome::Complete { .. } => outcome,
            CallOutcome::Protocol { code, message } => CallOutcome::Protocol {
                code,
                message: self.masks.hide(&message),
            },
            CallOutcome::Failed { why } => CallOutcome::Failed {
                why: self.masks.hide(&why),
            },
        }
    }

    /// One request and its answer, under a new id; in a new session where the server has forgotten the old one. With
    /// what was noted on the way.
    async fn exchange(
        &self,
        method: &str,
        answers: &Answers,
        request: impl Fn(&Lifecycle, &str) -> Outgoing,
    ) -> (Result<Heard, Loss>, Vec<String>) {
        let (mut notes, mut renewed) = (Vec::new(), false);
        loop {
            let lifecycle = self.lifecycle();
            let guest = Guest::new(Some(&lifecycle), answers);
            let id = self.ids.fetch_add(1, Ordering::Relaxed) + 1;
            let message = request(&lifecycle, &format!("{method}/{id}"));
            let heard = self.wire.ask(&message, &guest).await;
            notes.append(&mut guest.into_notes());
            let forgotten = is_forgotten(&lifecycle, &heard);
            if forgotten && !renewed && self.renew(&lifecycle).await {
                renewed = true;
            } else {
                return (heard, notes);
            }
        }
    }

    /// Opens a session in place of one that the server has forgotten; whether there is one now.
    async fn renew(&self, forgotten: &Lifecycle) -> bool {
        let _alone = self.renewing.lock().await;
        if *self.lifecycle() != *forgotten {
            return true;
        }
        match handshake(&self.wire, None).await {
            Ok((_, lifecycle)) => {
                *lock(&self.lifecycle) = Arc::new(lifecycle);
                let note = "the server forgot its session, so another one was opened";
                self.log.note(note.to_owned());
                true
            }
            Err(_) => false,
        }
    }

    /// Ends the session, or the process with its whole group.
    pub(crate) async fn end(self) {
        let lifecycle = self.lifecycle();
        match self.wire {
            Wire::Http(http) => http.end(&lifecycle).await,
            Wire::Stdio(stdio) => stdio.end().await,
        }
    }

    fn lifecycle(&self) -> Arc<Lifecycle> {
        Arc::clone(&lock(&self.lifecycle))
    }

    fn answers(&self, case: &Map<String, Value>) -> Answers {
        Answers {
            case: case.clone(),
            config: self.answers.clone(),
        }
    }
}

/// Why there is no list of tools.
enum Unlisted {
    Lost(Loss),
    Refused(String),
    /// A cursor is not known any more.
    Void,
}

impl Unlisted {
    fn why(&self) -> String {
        match self {
            Self::Lost(loss) => format!("`tools/list` {}", loss.why()),
            Self::Refused(why) => why.clone(),
            Self::Void => "`tools/list` refuses its own cursors (-32602)".to_owned(),
        }
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
