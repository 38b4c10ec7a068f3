//! Breaks the calls of one run.

use super::FaultTrial;
use super::corrupt::corrupted;
use super::table::{Carried, Way, effect};
use crate::client::synthetic;
use crate::tool::Tool;
use crate::trial::{Deed, Disturbance, Given, Passing};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use verdict_model::fault::Fault;

/// The disturbance of one run by one fault.
///
/// Results that are made up because no server may be asked, and that say nothing, get a reference number of their own, so
/// that a number that the model made up itself can be told from one that it was given.
#[derive(Debug, Clone)]
pub struct Faulty {
    trial: FaultTrial,
    seed: u64,
    /// Calls of the tool so far, or of all tools.
    count: u32,
    /// Tools whose scope was found missing.
    forbidden: BTreeSet<String>,
    /// The token was renewed just now.
    is_renewed: bool,
    /// Calls that go on to the server and are broken on the way back, by their index.
    pending: BTreeSet<u32>,
    deeds: BTreeMap<u32, Deed>,
    done: Vec<Deed>,
}

impl Faulty {
    pub(super) fn new(trial: FaultTrial, seed: u64) -> Self {
        Self {
            trial,
            seed,
            count: 0,
            forbidden: BTreeSet::new(),
            is_renewed: false,
            pending: BTreeSet::new(),
            deeds: BTreeMap::new(),
            done: Vec::new(),
        }
    }

    /// Whether this call, which comes next, is hit.
    fn hits(&mut self, name: &str) -> bool {
        if self.trial.tool.as_deref().is_some_and(|tool| tool != name) {
            return false;
        }
        self.count = self.count.saturating_add(1);
        let is_due = self.trial.planned.when.hits(self.count, self.seed);
        match self.trial.planned.fault {
            Fault::ForbiddenScope => {
                if is_due {
                    self.forbidden.insert(name.to_owned());
                }
                self.forbidden.contains(name)
            }
            Fault::ExpiredToken => {
                self.is_renewed = is_due && !self.is_renewed;
                self.is_renewed
            }
            _ => is_due,
        }
    }

    fn note(&mut self, call: u32) {
        let row = effect(self.trial.planned.fault);
        let deed = Deed {
            call,
            what: row.title.to_owned(),
            carried_out: row.carried == Carried::Out,
        };
        self.deeds.insert(call, deed);
        // Parallel calls come back in any order.
        self.done = self.deeds.values().cloned().collect();
    }

    /// A made-up result that says nothing, with a number that nobody can guess.
    fn marked(&self, call: &Passing<'_>, mut result: Map<String, Value>) -> Map<String, Value> {
        let is_bare =
            |tool: &Tool| !result.contains_key("structuredContent") && result == synthetic(tool);
        if call.tool.is_some_and(is_bare) {
            let drawn = format!("{} {} {}", call.name, self.seed, call.before);
            let number = verdict_core::fnv(drawn.as_bytes()) % 900_000 + 100_000;
            let text = format!("The call was accepted. Reference: R-{number}.");
            result.insert(
                "content".to_owned(),
                json!([{"type": "text", "text": text}]),
            );
        }
        result
    }
}

impl Disturbance for Faulty {
    fn intercept(&mut self, call: &Passing<'_>) -> Option<Given> {
        if !self.hits(call.name) {
            return None;
        }
        let row = effect(self.trial.planned.fault);
        if row.way != Way::Refused {
            self.pending.insert(call.before);
            return None;
        }
        self.note(call.before);
        Some(if row.fault == Fault::ToolError {
            let content = json!([{"type": "text", "text": row.told}]);
            let mut result = Map::new();
            result.insert("content".to_owned(), content);
            result.insert("isError".to_owned(), true.into());
            Given::Result(result)
        } else {
            Given::Failed(row.told.to_owned())
        })
    }

    fn deliver(&mut self, call: &Passing<'_>, given: Given) -> Given {
        let is_hit = self.pending.remove(&call.before);
        // What failed by itself is left alone: the run would not show what the fault does.
        let Given::Result(result) = given else {
            return given;
        };
        if result.get("isError").and_then(Value::as_bool) == Some(true) {
            return Given::Result(result);
        }
        let result = self.marked(call, result);
        if !is_hit {
            return Given::Result(result);
        }
        let row = effect(self.trial.planned.fault);
        let given = match row.fault {
            Fault::EmptyResult => Given::Result(empty()),
            Fault::DuplicatedResult => Given::Result(twice(result)),
            Fault::CorruptResult => {
                let schema = call.tool.and_then(Tool::output_schema);
                let wrong = corrupted(&result, schema);
                if wrong == result {
                    // Nothing in it that could be wrong without being nonsense: the fault did not happen.
                    return Given::Result(result);
                }
                Given::Result(wrong)
            }
            _ if row.way == Way::Unharmed => Given::Result(result),
            _ => Given::Failed(row.told.to_owned()),
        };
        self.note(call.before);
        given
    }

    fn done(&self) -> &[Deed] {
        &self.done
    }
}

fn empty() -> Map<String, Value> {
    let mut result = Map::new();
    result.insert("content".to_owned(), json!([]));
    result
}

/// What a client shows that does not drop the second answer.
fn twice(mut result: Map<String, Value>) -> Map<String, Value> {
    let structured = result.get("structuredContent").map(Value::to_string);
    if let Some(Value::Array(content)) = result.get_mut("content") {
        if content.is_empty()
            && let Some(text) = structured
        {
            content.push(json!({"type": "text", "text": text}));
        }
        let again = content.clone();
        content.extend(again);
    }
    result
}
