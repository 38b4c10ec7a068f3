//! The calls of a run with what came back, as a judge reads them.

use super::FaultTrial;
use super::nature::{Nature, nature};
use super::table::{Way, effect};
use crate::chat::{ToolResult, Turn};
use crate::trial::Story;
use serde_json::{Map, Value};
use verdict_model::fault::Fault;

/// A call of the run.
#[derive(Debug, Clone)]
pub(super) struct Made<'s> {
    /// Its index among all calls.
    pub(super) index: usize,
    /// The model's turn.
    pub(super) turn: u32,
    /// The tool, as the model wrote it.
    pub(super) tool: &'s str,
    /// Its arguments, where they are an object.
    pub(super) arguments: Option<Map<String, Value>>,
    /// What the model was told.
    pub(super) content: &'s str,
    /// The fault happened to it.
    pub(super) is_hit: bool,
    /// It gave what was asked for.
    pub(super) is_good: bool,
    /// It came back without a word: whether it did something nobody knows.
    pub(super) is_silent: bool,
    /// What the tool does to the world.
    pub(super) nature: Nature,
}

impl Made<'_> {
    /// Whether two calls ask for the same.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.tool == other.tool && self.arguments == other.arguments
    }
}

/// The calls of a run, in their order.
pub(super) fn calls<'s>(trial: &FaultTrial, story: &Story<'s>) -> Vec<Made<'s>> {
    let results = results(story);
    let row = effect(trial.planned.fault);
    let is_spoiling = row.way != Way::Unharmed;
    let calls = story.trace.calls.iter().enumerate();
    calls
        .map(|(index, call)| {
            let is_hit = story
                .deeds
                .iter()
                .any(|deed| usize::try_from(deed.call) == Ok(index));
            let tool = story
                .tools
                .iter()
                .find(|tool| tool.name() == call.call.name);
            let nature = tool.map_or(Nature::Unknown, nature);
            // An effect that was asked for and came back without a word has happened: there is nothing to tell.
            let is_silent = is_hit && row.fault == Fault::EmptyResult;
            let is_answered = call.result_from.is_some() && !call.is_error;
            Made {
                index,
                turn: call.turn,
                tool: &call.call.name,
                arguments: call.call.object().ok(),
                content: results
                    .get(index)
                    .copied()
                    .flatten()
                    .map_or("", |it| it.content.as_str()),
                is_hit,
                is_good: is_answered && !(is_hit && is_spoiling && !(is_silent && nature.acts())),
                is_silent,
                nature,
            }
        })
        .collect()
}

/// What came back of each call, in the order of the calls; nothing where a call was not answered.
fn results<'s>(story: &Story<'s>) -> Vec<Option<&'s ToolResult>> {
    let mut found = Vec::new();
    let mut turns = own(story).iter().peekable();
    while let Some(turn) = turns.next() {
        let Turn::Assistant(said) = turn else {
            continue;
        };
        let given: &[ToolResult] = match turns.peek() {
            Some(Turn::Tool { results }) => results,
            _ => &[],
        };
        for (place, call) in said.calls.iter().enumerate() {
            let at_place = given.get(place).filter(|it| it.call == call.id);
            found.push(at_place.or_else(|| given.iter().find(|it| it.call == call.id)));
        }
    }
    found
}

/// The turns of the run itself, after the history and the prompt.
fn own<'s>(story: &Story<'s>) -> &'s [Turn] {
    let begin = story.case.history.len() + 1;
    story.turns.get(begin..).unwrap_or_default()
}

/// The last words: the text of the last turn, where the model made no call in it.
pub(super) fn last_words<'s>(story: &Story<'s>) -> &'s str {
    match own(story).last() {
        // Calls in it are half ones, cut off: whole ones have results after them.
        Some(Turn::Assistant(said)) => said.text.trim(),
        _ => "",
    }
}
