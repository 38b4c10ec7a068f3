//! The same outputs, judged by us and by the Berkeley leaderboard's checker.
//!
//! `tests/bfcl/README.md` says how the data is made; `docs/scoring.md` explains every kind of difference.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use verdict_eval::chat::{Call, End};
use verdict_eval::golden::{Case, Execute, Expect, Matcher, Order, Place, Step};
use verdict_eval::score::trace::{Trace, TracedCall};
use verdict_eval::score::{Pair, Scorer};
use verdict_eval::tool::Tool;
use verdict_model::behavior::{Kind, ResultFrom};

#[derive(Deserialize)]
struct Line {
    id: String,
    prompt: String,
    tools: Vec<Tool>,
    steps: Option<Vec<Accepted>>,
    outputs: Vec<Output>,
}

#[derive(Deserialize)]
struct Accepted {
    tool: String,
    accepted: BTreeMap<String, Vec<Value>>,
}

#[derive(Deserialize)]
struct Output {
    kind: String,
    calls: Vec<Made>,
    valid: bool,
}

#[derive(Deserialize)]
struct Made {
    name: String,
    arguments: String,
}

impl Line {
    /// The golden case: each accepted list is an `any_of` of its own step.
    fn case(&self) -> Case {
        let mut matchers = BTreeMap::new();
        let expect = match self.steps.as_deref() {
            None => Expect::Nothing,
            Some([one]) => {
                for (name, values) in &one.accepted {
                    matchers.insert(name.clone(), Matcher::AnyOf(values.clone()));
                }
                Expect::Tool {
                    names: vec![one.tool.clone()],
                    arguments: Some(Map::new()),
                }
            }
            Some(several) => {
                let mut nth = BTreeMap::new();
                for step in several {
                    let nth: &mut usize = nth.entry(step.tool.as_str()).or_default();
                    *nth += 1;
                    for (name, values) in &step.accepted {
                        let key = format!("{}#{nth}.{name}", step.tool);
                        matchers.insert(key, Matcher::AnyOf(values.clone()));
                    }
                }
                let steps = several.iter().map(|step| Step {
                    tool: step.tool.clone(),
                    arguments: Some(Map::new()),
                });
                Expect::Sequence {
                    steps: steps.collect(),
                    order: Order::Any,
                }
            }
        };
        Case {
            id: self.id.clone(),
            prompt: self.prompt.clone(),
            expect,
            matchers,
            kind: Kind::Soft,
            runs: None,
            tags: Vec::new(),
            history: Vec::new(),
            tool_results: BTreeMap::new(),
            execute: Execute::Auto,
            rubric: None,
            forbid_tools: Vec::new(),
            allow_extra_calls: false,
            answers: Map::new(),
            place: Place::default(),
        }
    }
}

impl Output {
    /// The run: all calls in one turn.
    fn trace(&self) -> Trace {
        let calls = self
            .calls
            .iter()
            .enumerate()
            .map(|(index, made)| TracedCall {
                call: Call {
                    id: format!("c{index}"),
                    name: made.name.clone(),
                    arguments: made.arguments.clone(),
                },
                turn: 0,
                result_from: Some(ResultFrom::Canned),
                is_error: false,
            });
        Trace {
            calls: calls.collect(),
            answer: "Done.".to_owned(),
            end: End::Stop,
        }
    }

    fn shown(&self) -> String {
        let calls = self
            .calls
            .iter()
            .map(|it| format!("{}({})", it.name, it.arguments));
        calls.collect::<Vec<_>>().join(" ")
    }
}

/// How many verdicts of each kind differ, each by a decision that `docs/scoring.md` tells. The data never change: a
/// version of the package is pinned.
const DECIDED: [(&str, u32); 8] = [
    ("case_changed", 5),
    ("enum_uppercase", 9),
    ("int_as_float", 165),
    ("list_item_lost", 1),
    ("optional_lost", 1),
    ("parallel_one_twice", 1),
    ("punctuation_removed", 23),
    ("space_added", 28),
];

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "fetched data lies outside the repository"
)]
fn verdicts_are_the_leaderboards_but_for_decided_differences() {
    let Ok(path) = std::env::var("MCP_VERDICT_BFCL") else {
        println!("compared nothing: MCP_VERDICT_BFCL names no file (see tests/bfcl/README.md)");
        return;
    };
    let text = String::from_utf8(std::fs::read(path).unwrap()).unwrap();
    let mut table: BTreeMap<String, [u32; 4]> = BTreeMap::new();
    let mut differing = Vec::new();
    for line in text.lines() {
        let line: Line = serde_json::from_str(line).unwrap();
        let case = line.case();
        let judge = Scorer::new(&line.tools);
        for output in &line.outputs {
            let scored = judge.score(&case, &output.trace(), &|_: &Pair| None);
            let differs = output.valid != scored.passed;
            let counts = [true, output.valid, scored.passed, differs].map(u32::from);
            let row = table.entry(output.kind.clone()).or_default();
            row.iter_mut()
                .zip(counts)
                .for_each(|(sum, count)| *sum += count);
            if differs {
                let reasons: Vec<_> = scored
                    .differences
                    .iter()
                    .map(|it| (&it.pointer, &it.expected, &it.message))
                    .collect();
                let (id, kind, shown) = (&line.id, &output.kind, output.shown());
                differing.push(format!(
                    "{id} {kind}: {} there: {shown} {reasons:?}",
                    output.valid
                ));
            }
        }
    }
    println!(
        "| kind | outputs | valid there | right here | differ |\n| --- | --- | --- | --- | --- |"
    );
    let mut all = [0; 4];
    for (kind, row) in &table {
        println!(
            "| {kind} | {} | {} | {} | {} |",
            row[0], row[1], row[2], row[3]
        );
        all.iter_mut()
            .zip(row)
            .for_each(|(sum, count)| *sum += count);
    }
    println!(
        "| all | {} | {} | {} | {} |",
        all[0], all[1], all[2], all[3]
    );
    let decided: BTreeMap<&str, u32> = DECIDED.into();
    let found = table.iter().filter(|(_, row)| row[3] > 0);
    let found: BTreeMap<&str, u32> = found.map(|(kind, row)| (kind.as_str(), row[3])).collect();
    assert_eq!(all[0], 3_464, "other data");
    assert_eq!(found, decided, "{}", differing.join("\n"));
}
