//! One call of a tool, from its request to its outcome: questions are answered, lost requests sent again where that
//! can do no harm.

use super::answers::Answers;
use super::incoming::{Loss, Meaning, Reply, meaning};
use super::outgoing::{Lifecycle, Outgoing};
use crate::tool::Tool;
use serde_json::{Map, Value};

/// Questions that one call answers.
pub const MAX_ROUNDS: u32 = 10;
/// How long the client waits before it asks a server again that only gave a state, in milliseconds, times the round.
const PAUSE_MS: u64 = 200;
/// The header fields do not fit the body (`http#server-validation`).
const HEADER_MISMATCH: i64 = -32020;

/// What a call came to.
#[derive(Debug, Clone, PartialEq)]
pub enum CallOutcome {
    /// The tool answered.
    Complete {
        /// The result of `tools/call`.
        result: Map<String, Value>,
        /// Whether the tool says that it failed.
        is_error: bool,
    },
    /// The server refused the request.
    Protocol {
        /// The JSON-RPC code; 0 where there is none.
        code: i64,
        /// Its words, shortened.
        message: String,
    },
    /// There is no answer that may be used: the server's fault or the network's.
    Failed {
        /// A sentence that begins with the tool's name.
        why: String,
    },
}

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Send [`Calling::request`] with a new id, after this many milliseconds.
    Again(u64),
    /// List the tools, give the new one to [`Calling::renew`], and send [`Calling::request`] with a new id.
    Relist,
    /// The call is over.
    Done(CallOutcome),
}

/// A call under way.
#[derive(Debug, Clone)]
pub struct Calling<'a> {
    tool: Tool,
    arguments: &'a Map<String, Value>,
    answers: &'a Answers,
    /// `inputResponses` and `requestState` of the next request.
    further: Map<String, Value>,
    rounds: u32,
    reissued: bool,
    relisted: bool,
    notes: Vec<String>,
}

impl<'a> Calling<'a> {
    /// A call that was not sent yet.
    pub fn new(tool: &Tool, arguments: &'a Map<String, Value>, answers: &'a Answers) -> Self {
        Self {
            tool: tool.clone(),
            arguments,
            answers,
            further: Map::new(),
            rounds: 0,
            reissued: false,
            relisted: false,
            notes: Vec::new(),
        }
    }

    /// The request to send now.
    pub fn request(&self, lifecycle: &Lifecycle, id: &str) -> Outgoing {
        lifecycle.call(id, &self.tool, self.arguments, &self.further)
    }

    /// Takes the server's answer.
    pub fn take(&mut self, reply: Reply) -> Step {
        match reply {
            Reply::Error { code, message, .. } => {
                if code == HEADER_MISMATCH && !std::mem::replace(&mut self.relisted, true) {
                    return Step::Relist;
                }
                Step::Done(CallOutcome::Protocol { code, message })
            }
            Reply::Result(result) => match meaning(result) {
                Meaning::Complete(result) => {
                    let is_error = result.get("isError") == Some(&Value::Bool(true));
                    Step::Done(CallOutcome::Complete { result, is_error })
                }
                Meaning::Unusable(why) => {
                    self.failed(&format!("gave a result that is none: {why}"))
                }
                Meaning::Asks(question) => self.answer(&question),
            },
        }
    }

    fn answer(&mut self, question: &super::Question) -> Step {
        self.rounds += 1;
        if self.rounds > MAX_ROUNDS {
            return self.failed(&format!("still asks back after {MAX_ROUNDS} rounds"));
        }
        let answered = match self.answers.to(question) {
            Ok(answered) => answered,
            Err(why) => return self.failed(&format!("cannot be answered: {why}")),
        };
        self.notes.extend(answered.notes);
        self.further.clear();
        if !question.requests.is_empty() {
            let responses = Value::Object(answered.responses);
            self.further.insert("inputResponses".to_owned(), responses);
        }
        if let Some(state) = &question.state {
            self.further
                .insert("requestState".to_owned(), state.clone());
        }
        let pause = if question.requests.is_empty() {
            PAUSE_MS * u64::from(self.rounds)
        } else {
            0
        };
        Step::Again(pause)
    }

    /// Takes the loss of the request.
    ///
    /// It is sent once more where nothing went out, or where the tool claims that a second call does no harm: a
    /// second payment would.
    pub fn lost(&mut self, loss: &Loss) -> Step {
        let harmless = self.tool.claims_read_only() || self.tool.claims_idempotent();
        let again = match loss {
            Loss::NotSent(_) => true,
            Loss::CutOff(_) => harmless,
            Loss::TimedOut(_) | Loss::Http { .. } | Loss::Unreadable(_) => false,
        };
        if again && !std::mem::replace(&mut self.reissued, true) {
            self.notes
                .push(format!("the request {} and was sent once more", loss.why()));
            return Step::Again(0);
        }
        let why = match loss {
            Loss::CutOff(_) if !harmless => {
                format!(
                    "{}; it was not sent again, since it may have been done",
                    loss.why()
                )
            }
            _ => loss.why(),
        };
        self.failed(&why)
    }

    /// Goes on with the tool as it is listed now.
    pub fn renew(&mut self, tool: &Tool) {
        self.notes
            .push("the header fields did not fit, so the tools were listed again".to_owned());
        self.tool = tool.clone();
    }

    /// How often the server asked back.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// What a reader of the result has to know, in sentences.
    pub fn into_notes(self) -> Vec<String> {
        self.notes
    }

    fn failed(&self, why: &str) -> Step {
        let name = self.tool.name();
        Step::Done(CallOutcome::Failed {
            why: format!("`{name}` {why}"),
        })
    }
}
