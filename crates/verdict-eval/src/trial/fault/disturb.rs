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

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str) -> Tool {
        let mut map = Map::new();
        map.insert("name".to_owned(), name.into());
        Tool(map)
    }

    fn faulty(text: &str, tool: Option<&str>) -> Faulty {
        let planned = text.parse().expect(text);
        Faulty::new(
            FaultTrial {
                planned,
                tool: tool.map(str::to_owned),
            },
            0,
        )
    }

    /// One call from beginning to end, with what the server gives.
    fn call(faulty: &mut Faulty, name: &str, before: u32, given: Map<String, Value>) -> Given {
        let tool = tool(name);
        let passing = Passing {
            turn: before,
            before,
            tool: Some(&tool),
            name,
            arguments: None,
        };
        let instead = faulty.intercept(&passing);
        instead.unwrap_or_else(|| faulty.deliver(&passing, Given::Result(given)))
    }

    fn text(text: &str) -> Map<String, Value> {
        let mut result = Map::new();
        result.insert(
            "content".to_owned(),
            json!([{"type": "text", "text": text}]),
        );
        result
    }

    /// Which of five calls are hit.
    fn hit(text_of_fault: &str) -> Vec<u32> {
        let mut faulty = faulty(text_of_fault, None);
        for before in 0..5 {
            call(&mut faulty, "look", before, text("7"));
        }
        faulty.done().iter().map(|deed| deed.call).collect()
    }

    #[test]
    fn calls_are_hit_as_planned() {
        assert_eq!(hit("timeout@first"), [0]);
        assert_eq!(hit("timeout@3"), [2]);
        assert_eq!(hit("slow-drip@every"), [0, 1, 2, 3, 4]);
        assert_eq!(hit("expired-token@every"), [0, 2, 4], "a token is renewed");
        assert_eq!(
            hit("forbidden-scope@2"),
            [1, 2, 3, 4],
            "a scope stays missing"
        );
        let mut one = faulty("http-503@first", Some("pay"));
        call(&mut one, "look", 0, text("7"));
        call(&mut one, "pay", 1, text("7"));
        assert_eq!(one.done()[0].call, 1, "calls of the tool are counted");
        assert!(!one.done()[0].carried_out);
    }

    #[test]
    fn results_are_spoiled_or_lost_or_left_alone() {
        let given = |fault: &str, result: Map<String, Value>| {
            let mut faulty = faulty(fault, None);
            let given = call(&mut faulty, "look", 0, result);
            (given, faulty.done().len())
        };
        let result = |text_of_it: &str| Given::Result(text(text_of_it));
        assert_eq!(given("slow-drip", text("7")), (result("7"), 1));
        assert_eq!(given("corrupt-result", text("7")), (result("8"), 1));
        assert_eq!(
            given("corrupt-result", text("yes")),
            (result("yes"), 0),
            "nothing to change"
        );
        assert_eq!(
            given("empty-result", text("7")),
            (Given::Result(empty()), 1)
        );
        assert!(matches!(
            given("truncated-json", text("7")),
            (Given::Failed(_), 1)
        ));
        let (twice, _) = given("duplicated-result", text("7"));
        let Given::Result(twice) = twice else {
            panic!("a result")
        };
        assert_eq!(twice["content"].as_array().map(Vec::len), Some(2));
        let mut failed = text("no");
        failed.insert("isError".to_owned(), true.into());
        assert_eq!(
            given("empty-result", failed.clone()),
            (Given::Result(failed), 0),
            "it failed by itself"
        );
    }

    #[test]
    fn a_made_up_result_has_a_number_of_its_own() {
        let made = synthetic(&tool("pay"));
        let mut quiet = faulty("timeout@9", None);
        let one = call(&mut quiet, "pay", 0, made.clone());
        let two = call(&mut quiet, "pay", 1, made.clone());
        assert_ne!(one, two);
        assert_ne!(one, Given::Result(made.clone()));
        let again = call(&mut faulty("timeout@9", None), "pay", 0, made);
        assert_eq!(one, again, "the same run is told the same");
    }
}
