//! The agent loop of one run, without bytes or clocks: tools in, calls out, results back.
//!
//! [`Episode::next`] says what has to happen: ask the model, call the live server, or stop. What happened goes in by
//! [`Episode::answered`] and [`Episode::called`]. Canned and made-up results never leave this module.

mod source;

use crate::chat::{Answer, Call, End, Request, Sampling, ToolResult, Turn};
use crate::client::{as_text, synthetic};
use crate::golden::Case;
use crate::score::trace::{Trace, TracedCall};
use crate::tool::Tool;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use verdict_model::behavior::{ResultFrom, RunFault, Tokens, Who};

pub use source::{Source, source};

/// What every model is told before the first turn. Part of the key of every cached answer, so it changes with care.
pub const SYSTEM: &str = "You are an assistant that can use tools. Call a tool when what the person asks for needs \
    one, with arguments taken from the conversation; never make an argument up. When no tool is needed, answer in \
    words and call none. When the tools have given what was asked for, answer in words and stop.";

/// Calls of one answer that are carried out; a model that asks for more is refused the rest.
const PARALLEL: usize = 32;

/// What holds for every run of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// What the server says about its own use, from `server/discover`; empty for nothing.
    pub instructions: String,
    /// How the model draws; the seed is set from the run's index.
    pub sampling: Sampling,
    /// Answers of the model after which a run is stopped.
    pub max_turns: u32,
    /// Which tools may be called on the live server.
    pub config: verdict_model::Config,
}

impl Rules {
    /// Hash of what the harness adds to a case, in hexadecimal: its words, how the model draws, how long it may go on, and
    /// which tools are called for real. What the server says is left out: that is what is under test.
    pub fn hash(&self) -> String {
        let Sampling {
            temperature,
            seed: _,
            max_output_tokens,
        } = self.sampling;
        let tools = &self.config.tools;
        let mut safe: Vec<&String> = tools.safe.iter().collect();
        safe.sort();
        let text = format!(
            "{SYSTEM}\n{temperature:?}\n{max_output_tokens}\n{}\n{safe:?}\n{}",
            self.max_turns, tools.trust_read_only
        );
        format!("{:016x}", verdict_core::fnv(text.as_bytes()))
    }
}

/// What has to happen next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// Ask the model.
    Ask(Box<Request>),
    /// Call these tools on the live server, together; none stands for another.
    Call(Vec<LiveCall>),
    /// The run has ended.
    Done,
}

/// A call for the live server.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveCall {
    /// The model's id of the call.
    pub id: String,
    /// Index of the tool in the list.
    pub tool: usize,
    /// The arguments.
    pub arguments: Map<String, Value>,
}

/// What the live server gave for one call.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveResult {
    /// The result object of `tools/call`.
    Result(Map<String, Value>),
    /// The server refused the call: a JSON-RPC error, which a model is told.
    Refused(String),
    /// The server or the way to it failed: nobody's choice of tool is to blame.
    Failed(String),
}

/// One run of one case.
#[derive(Debug)]
pub struct Episode<'a> {
    case: &'a Case,
    tools: &'a [Tool],
    rules: &'a Rules,
    seed: u64,
    turns: Vec<Turn>,
    trace: Trace,
    asked: u32,
    tokens: Option<Tokens>,
    server_fault: Option<String>,
    /// Canned results that were given out, by tool.
    given: BTreeMap<String, usize>,
    /// Results of the calls of the last answer; those of the live server are still to come.
    results: Vec<Option<ToolResult>>,
    waiting: Vec<LiveCall>,
    done: bool,
    turn_limit: bool,
}

impl<'a> Episode<'a> {
    /// A run that has not begun. `index` is the run's index, which becomes the seed.
    pub fn new(case: &'a Case, tools: &'a [Tool], rules: &'a Rules, index: u32) -> Self {
        let mut turns = case.history.clone();
        turns.push(Turn::User {
            text: case.prompt.clone(),
        });
        Self {
            case,
            tools,
            rules,
            seed: u64::from(index),
            turns,
            trace: Trace {
                calls: vec![],
                answer: String::new(),
                end: End::Empty,
            },
            asked: 0,
            tokens: None,
            server_fault: None,
            given: BTreeMap::new(),
            results: vec![],
            waiting: vec![],
            done: false,
            turn_limit: false,
        }
    }

    /// What has to happen next. Asking again without an answer gives the same.
    pub fn next(&self) -> Next {
        if self.done {
            Next::Done
        } else if self.waiting.is_empty() {
            Next::Ask(Box::new(self.request()))
        } else {
            Next::Call(self.waiting.clone())
        }
    }

    /// What the model is told before the first turn.
    pub fn system(&self) -> String {
        match self.rules.instructions.trim() {
            "" => SYSTEM.to_owned(),
            said => format!("{SYSTEM}\n\nThe tools come with these instructions:\n\n{said}"),
        }
    }

    fn request(&self) -> Request {
        Request {
            system: self.system(),
            turns: self.turns.clone(),
            tools: self.tools.to_vec(),
            sampling: Sampling {
                seed: Some(self.seed),
                ..self.rules.sampling
            },
        }
    }

    /// Takes the model's answer in.
    pub fn answered(&mut self, answer: Answer) {
        self.asked += 1;
        if let Some(used) = answer.usage {
            self.tokens = Some(self.tokens.unwrap_or_default().plus(used));
        }
        let turn = self.asked - 1;
        self.trace.end = answer.end.clone();
        if !answer.said.text.is_empty() {
            self.trace.answer.clone_from(&answer.said.text);
        }
        let calls = answer.said.calls.clone();
        self.turns.push(Turn::Assistant(answer.said));
        if answer.end != End::Calls || calls.is_empty() {
            // Half a call of an answer that was cut off is nobody's wish; it is shown and not carried out.
            for call in calls {
                self.trace.calls.push(TracedCall {
                    call,
                    turn,
                    result_from: None,
                    is_error: false,
                });
            }
            self.done = true;
            return;
        }
        self.results = vec![None; calls.len()];
        for (place, call) in calls.iter().enumerate() {
            self.begin(place, call, turn);
        }
        self.settle();
    }

    /// Takes a call in: what needs no server is answered at once.
    fn begin(&mut self, place: usize, call: &Call, turn: u32) {
        let known = self.tools.iter().position(|tool| tool.name() == call.name);
        let outcome = match (known, call.object()) {
            _ if place >= PARALLEL => Err("too many calls at once; make fewer".to_owned()),
            (None, _) => Err(format!("there is no tool `{}`", call.name)),
            (_, Err(bad)) => Err(bad.to_string()),
            (Some(tool), Ok(arguments)) => Ok((tool, arguments)),
        };
        let mut traced = TracedCall {
            call: call.clone(),
            turn,
            result_from: Some(ResultFrom::Harness),
            is_error: true,
        };
        match outcome {
            Err(why) => self.give(place, call, why, true),
            Ok((tool, arguments)) => {
                let listed = &self.tools[tool];
                match source(self.case, listed, &self.rules.config) {
                    Source::Live => {
                        traced.result_from = Some(ResultFrom::Live);
                        traced.is_error = false;
                        self.waiting.push(LiveCall {
                            id: call.id.clone(),
                            tool,
                            arguments,
                        });
                    }
                    Source::Canned => {
                        let result = self.canned(&call.name);
                        traced.result_from = Some(ResultFrom::Canned);
                        traced.is_error = is_error(&result);
                        self.give(place, call, as_text(&result), traced.is_error);
                    }
                    Source::Synthetic => {
                        traced.result_from = Some(ResultFrom::Synthetic);
                        traced.is_error = false;
                        self.give(place, call, as_text(&synthetic(listed)), false);
                    }
                }
            }
        }
        self.trace.calls.push(traced);
    }

    /// The next canned result of a tool; the last one again and again.
    fn canned(&mut self, tool: &str) -> Map<String, Value> {
        let all = self
            .case
            .tool_results
            .get(tool)
            .map_or(&[][..], Vec::as_slice);
        let given = self.given.entry(tool.to_owned()).or_default();
        let result = all.get(*given).or(all.last()).cloned().unwrap_or_default();
        *given += 1;
        result
    }

    fn give(&mut self, place: usize, call: &Call, content: String, is_error: bool) {
        if let Some(slot) = self.results.get_mut(place) {
            *slot = Some(ToolResult {
                call: call.id.clone(),
                name: call.name.clone(),
                content,
                is_error,
            });
        }
    }

    /// Takes the live server's results in, one for each call that [`Next::Call`] named, in its order.
    pub fn called(&mut self, results: Vec<LiveResult>) {
        let waiting = std::mem::take(&mut self.waiting);
        for (live, result) in waiting.into_iter().zip(results) {
            let (content, failed) = match result {
                LiveResult::Result(map) => (as_text(&map), is_error(&map)),
                LiveResult::Refused(why) => (why, true),
                LiveResult::Failed(why) => {
                    self.server_fault.get_or_insert(why);
                    ("the tool could not be reached".to_owned(), true)
                }
            };
            let name = self.tools[live.tool].name().to_owned();
            if let Some(slot) = self.results.iter_mut().find(|slot| slot.is_none()) {
                *slot = Some(ToolResult {
                    call: live.id.clone(),
                    name,
                    content,
                    is_error: failed,
                });
            }
            let last = self.asked.saturating_sub(1);
            let traced = self.trace.calls.iter_mut();
            for call in traced.filter(|call| call.turn == last && call.call.id == live.id) {
                call.is_error = failed;
            }
        }
        self.settle();
    }

    /// Goes on when all results are there.
    fn settle(&mut self) {
        if !self.waiting.is_empty() {
            return;
        }
        let results: Vec<_> = std::mem::take(&mut self.results)
            .into_iter()
            .flatten()
            .collect();
        if results.is_empty() {
            return;
        }
        self.turns.push(Turn::Tool { results });
        if self.asked >= self.rules.max_turns {
            self.done = true;
            self.turn_limit = true;
        }
    }

    /// What was called and said.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The whole conversation.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// Answers of the model.
    pub fn asked(&self) -> u32 {
        self.asked
    }

    /// Tokens of all answers; absent where the provider never told.
    pub fn tokens(&self) -> Option<Tokens> {
        self.tokens
    }

    /// A fault that the trace does not show: the server failed, or the model never stopped.
    pub fn fault(&self) -> Option<RunFault> {
        if let Some(why) = &self.server_fault {
            return Some(RunFault {
                who: Who::Server,
                what: "no-answer".to_owned(),
                message: format!("the server failed at a tool's call: {why}"),
            });
        }
        self.turn_limit.then(|| RunFault {
            who: Who::Model,
            what: "turn-limit".to_owned(),
            message: format!("the model went on calling tools for {} turns", self.asked),
        })
    }
}

fn is_error(result: &Map<String, Value>) -> bool {
    result.get("isError").and_then(Value::as_bool) == Some(true)
}

#[cfg(test)]
mod tests;
