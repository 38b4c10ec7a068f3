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
use crate::trial::{Deed, Disturbance, Given, Passing};
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
pub struct Episode<'a> {
    case: &'a Case,
    /// The server's tools.
    tools: &'a [Tool],
    rules: &'a Rules,
    /// What is wrong on purpose.
    disturbance: Option<Box<dyn Disturbance + 'a>>,
    /// The tools that were on offer when the model answered last, where they are not the server's.
    offered: Option<Vec<Tool>>,
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
            disturbance: None,
            offered: None,
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

    /// The same, with something wrong on purpose. Before the first turn only.
    #[must_use]
    pub fn disturbed(mut self, disturbance: Box<dyn Disturbance + 'a>) -> Self {
        self.offered = Some(disturbance.offer(0, self.tools));
        self.disturbance = Some(disturbance);
        self
    }

    /// What was done to the calls so far, on purpose.
    pub fn deeds(&self) -> &[Deed] {
        self.disturbance.as_ref().map_or(&[], |it| it.done())
    }

    /// Whether the limit of turns stopped it.
    pub fn is_stopped(&self) -> bool {
        self.turn_limit
    }

    /// The tools as they are on offer now.
    pub fn offered(&self) -> &[Tool] {
        self.offered.as_deref().unwrap_or(self.tools)
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
        let said = self.rules.instructions.trim();
        let (said, context) = match &self.disturbance {
            None => (said.to_owned(), String::new()),
            Some(it) => (it.instructions(said), it.context()),
        };
        let mut system = SYSTEM.to_owned();
        if !context.is_empty() {
            system.push_str("\n\n");
            system.push_str(&context);
        }
        if !said.trim().is_empty() {
            system.push_str("\n\nThe tools come with these instructions:\n\n");
            system.push_str(&said);
        }
        system
    }

    fn request(&self) -> Request {
        Request {
            system: self.system(),
            turns: self.turns.clone(),
            tools: self.offered().to_vec(),
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
        let known = self.offered().iter().find(|tool| tool.name() == call.name);
        let known = known.cloned();
        let before = u32::try_from(self.trace.calls.len()).unwrap_or(u32::MAX);
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
                let passing = Passing {
                    turn,
                    before,
                    tool: Some(&tool),
                    name: &call.name,
                    arguments: Some(&arguments),
                };
                let instead = self
                    .disturbance
                    .as_mut()
                    .and_then(|it| it.intercept(&passing));
                let server = self.tools.iter().position(|own| own.name() == call.name);
                // What a disturbance says of a tool does not decide whether the server may be called.
                let own = server.and_then(|place| self.tools.get(place));
                let source = source(self.case, own.unwrap_or(&tool), &self.rules.config);
                let from = match (&instead, source) {
                    (Some(_), _) => ResultFrom::Harness,
                    // A tool that only the disturbance offers is on no server.
                    (None, Source::Live) if server.is_none() => ResultFrom::Synthetic,
                    (None, Source::Live) => ResultFrom::Live,
                    (None, Source::Canned) => ResultFrom::Canned,
                    (None, Source::Synthetic) => ResultFrom::Synthetic,
                };
                traced.result_from = Some(from);
                traced.is_error = false;
                if let (ResultFrom::Live, Some(tool)) = (from, server) {
                    self.waiting.push(LiveCall {
                        id: call.id.clone(),
                        tool,
                        arguments,
                    });
                } else {
                    let given = match (instead, from) {
                        (Some(instead), _) => instead,
                        (None, ResultFrom::Canned) => {
                            let result = self.canned(&call.name);
                            self.deliver(&passing, Given::Result(result))
                        }
                        (None, _) => self.deliver(&passing, Given::Result(synthetic(&tool))),
                    };
                    let (content, failed) = told(given);
                    traced.is_error = failed;
                    self.give(place, call, content, failed);
                }
            }
        }
        self.trace.calls.push(traced);
    }

    /// What becomes of an answer on its way to the model.
    fn deliver(&mut self, passing: &Passing<'_>, given: Given) -> Given {
        match &mut self.disturbance {
            None => given,
            Some(it) => it.deliver(passing, given),
        }
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
            let given = match result {
                LiveResult::Result(map) => Given::Result(map),
                LiveResult::Refused(why) => Given::Failed(why),
                LiveResult::Failed(why) => {
                    self.server_fault.get_or_insert(why);
                    Given::Failed("the tool could not be reached".to_owned())
                }
            };
            let last = self.asked.saturating_sub(1);
            let tool = &self.tools[live.tool];
            let of_this = |call: &TracedCall| call.turn == last && call.call.id == live.id;
            let before = self.trace.calls.iter().position(of_this).unwrap_or(0);
            let passing = Passing {
                turn: last,
                before: u32::try_from(before).unwrap_or(u32::MAX),
                tool: Some(tool),
                name: tool.name(),
                arguments: Some(&live.arguments),
            };
            let (content, failed) = told(self.deliver(&passing, given));
            let name = tool.name().to_owned();
            if let Some(slot) = self.results.iter_mut().find(|slot| slot.is_none()) {
                *slot = Some(ToolResult {
                    call: live.id.clone(),
                    name,
                    content,
                    is_error: failed,
                });
            }
            for call in self.trace.calls.iter_mut().filter(|call| of_this(call)) {
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
        if let Some(it) = &self.disturbance {
            self.offered = Some(it.offer(self.asked, self.tools));
        }
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

/// What the model is told of an answer, and whether it is a failure.
fn told(given: Given) -> (String, bool) {
    match given {
        Given::Result(map) => (as_text(&map), is_error(&map)),
        Given::Failed(why) => (why, true),
    }
}

fn is_error(result: &Map<String, Value>) -> bool {
    result.get("isError").and_then(Value::as_bool) == Some(true)
}

#[cfg(test)]
mod tests;
