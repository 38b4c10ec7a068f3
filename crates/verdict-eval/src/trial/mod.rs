//! Trials: a golden case with one thing wrong on purpose, and what the model made of it.
//!
//! A [`Disturbance`] stands between the model and its tools for one run; the judges of
//! [`fault`] and [`attack`] read what happened and decide without asking anybody, as far as that can be done.

mod advice;
pub mod attack;
pub mod fault;
pub mod setup;

use crate::chat::{End, Turn};
use crate::golden::Case;
use crate::score::Scored;
use crate::score::trace::Trace;
use crate::tool::Tool;
use serde_json::{Map, Value};
use verdict_model::resilience::{Evidence, TrialOutcome};

/// A call on its way to a tool.
#[derive(Debug, Clone, Copy)]
pub struct Passing<'p> {
    /// The model's turn, from 0.
    pub turn: u32,
    /// How many calls of tools the run has made before this one, of whatever tool.
    pub before: u32,
    /// The tool, as it was offered; nothing where the model made the name up.
    pub tool: Option<&'p Tool>,
    /// The name, as the model wrote it.
    pub name: &'p str,
    /// The arguments; nothing where they are no JSON object.
    pub arguments: Option<&'p Map<String, Value>>,
}

/// What a call gave.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// The result object of `tools/call`; its `isError` says whether the tool failed.
    Result(Map<String, Value>),
    /// No result: the words in which a client tells its model that the call failed.
    Failed(String),
}

/// What is wrong on purpose in one run. Everything it does is decided by what it was made with: the same run again is
/// disturbed in the same way.
pub trait Disturbance {
    /// The tools as the model is offered them at a turn (from 0).
    fn offer(&self, turn: u32, tools: &[Tool]) -> Vec<Tool> {
        let _ = turn;
        tools.to_vec()
    }

    /// What the server says about its own use, as the model is told.
    fn instructions(&self, said: &str) -> String {
        said.to_owned()
    }

    /// What stands in the system text beside it: secrets that must not leave, for example. Empty for nothing.
    fn context(&self) -> String {
        String::new()
    }

    /// A call that the server never sees, with what the model is told instead; nothing lets it pass.
    fn intercept(&mut self, call: &Passing<'_>) -> Option<Given> {
        let _ = call;
        None
    }

    /// What becomes of an answer on its way back to the model.
    fn deliver(&mut self, call: &Passing<'_>, given: Given) -> Given {
        let _ = call;
        given
    }

    /// What was done to the calls so far, in their order: the index of the call among all of the run, and what happened
    /// to it in words. Judges and transcripts read it.
    fn done(&self) -> &[Deed];
}

/// Something that was done to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    /// Index of the call among all calls of the run.
    pub call: u32,
    /// What was done, in words.
    pub what: String,
    /// The server, or whatever stands for it, carried the call out all the same.
    pub carried_out: bool,
}

/// Everything that is known of a run when it is judged.
#[derive(Debug, Clone, Copy)]
pub struct Story<'s> {
    /// The golden case.
    pub case: &'s Case,
    /// The tools of the server, undisturbed.
    pub tools: &'s [Tool],
    /// The system text.
    pub system: &'s str,
    /// The whole conversation, results included as the model saw them.
    pub turns: &'s [Turn],
    /// The calls and the last words.
    pub trace: &'s Trace,
    /// Why the last answer ended.
    pub end: &'s End,
    /// The limit of turns stopped it.
    pub is_stopped: bool,
    /// What was done to the calls.
    pub deeds: &'s [Deed],
    /// How the run scores as a run of the undisturbed case.
    pub scored: &'s Scored,
}

/// What a judge found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// How the run ended.
    pub outcome: TrialOutcome,
    /// The model met the fault, or saw the attacker's text.
    pub exposed: bool,
    /// The task was done; nothing where that cannot be told.
    pub utility: Option<bool>,
    /// What shows it.
    pub evidence: Vec<Evidence>,
}
