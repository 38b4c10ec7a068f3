//! The audit of an answer key, before anything is spent on it.
//!
//! An error is a case that no model can pass, or that says the opposite of another; a warning is a case that measures less than it
//! seems to. With the server's tools the key is held against them; without, only against itself.

mod calls;
mod contrary;
mod prompts;
mod surroundings;
#[cfg(test)]
mod tests;

use super::nearest::nearest;
use super::{Case, Expect, Golden, Place};
use crate::tool::Tool;
use std::collections::{BTreeMap, BTreeSet};
use verdict_config::tree::short;
use verdict_schema::Examiner;

/// Fewer cases say little about a server.
const FEW_CASES: usize = 20;

/// Fewer cases without a call say little about calls that nobody wanted.
const FEW_NEGATIVES: usize = 4;

/// Remarks after which nothing more is said.
const MAX_REMARKS: usize = 300;

/// Names that one message lists, and names that a wrong one is compared with.
const MAX_LISTED: usize = 10;
const MAX_COMPARED: usize = 500;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// The case cannot be run, or cannot be passed.
    Error,
    /// It can, and says less than it seems to.
    Warn,
}

/// One remark on a golden set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// How bad it is.
    pub level: Weight,
    /// The id of the case; absent where it is about the set.
    pub case: Option<String>,
    /// Where in the file of the set.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub mend: String,
}

/// Audits a golden set; `tools` are those that the server lists, where it was asked.
///
/// Remarks come in the order of the file, those on the whole set first. What cannot be decided within the bounds of the schema
/// validator is a warning, never an error.
pub fn lint(golden: &Golden, tools: Option<&[Tool]>) -> Vec<Remark> {
    let mut audit = Audit {
        golden,
        tools: tools.map(by_name),
        examiner: Examiner::default(),
        remarks: Vec::new(),
    };
    size(&mut audit);
    for case in &golden.cases {
        if audit.remarks.len() >= MAX_REMARKS {
            break;
        }
        calls::audit(case, &mut audit);
        surroundings::audit(case, &mut audit);
    }
    contrary::audit(&mut audit);
    prompts::audit(&mut audit);
    coverage(&mut audit);
    let mut remarks = audit.remarks;
    remarks.sort_by_key(|remark| (remark.place, remark.level));
    remarks.truncate(MAX_REMARKS);
    remarks
}

/// The first of each name, which is the one that a call reaches.
fn by_name(tools: &[Tool]) -> BTreeMap<&str, &Tool> {
    let named = tools.iter().filter(|tool| !tool.name().is_empty());
    named.rev().map(|tool| (tool.name(), tool)).collect()
}

/// The set, the tools, and what was said so far.
struct Audit<'a> {
    golden: &'a Golden,
    /// By name; absent where the server was not asked.
    tools: Option<BTreeMap<&'a str, &'a Tool>>,
    examiner: Examiner,
    remarks: Vec<Remark>,
}

impl<'a> Audit<'a> {
    /// Says something about a part of a case.
    fn say(&mut self, level: Weight, case: &Case, part: &str, message: String, mend: String) {
        self.remarks.push(Remark {
            level,
            case: Some(case.id.clone()),
            place: self.golden.place(case, part),
            message,
            mend,
        });
    }

    /// Says something about the whole set.
    fn say_of_set(&mut self, message: String, mend: &str) {
        self.remarks.push(Remark {
            level: Weight::Warn,
            case: None,
            place: Place { line: 1, column: 1 },
            message,
            mend: mend.to_owned(),
        });
    }

    fn tool(&self, name: &str) -> Option<&'a Tool> {
        self.tools.as_ref()?.get(name).copied()
    }

    /// Whether the server was asked, and has no such tool.
    fn lacks(&self, name: &str) -> bool {
        self.tools
            .as_ref()
            .is_some_and(|tools| !tools.contains_key(name))
    }

    /// What to write in place of a name that no tool has.
    fn other_name(&self, name: &str) -> String {
        let names = || self.tools.iter().flat_map(BTreeMap::keys).copied();
        match nearest(name, names().take(MAX_COMPARED)) {
            Some(near) => format!(
                "write {} if that is meant; if the tool was renamed, add `aliases` with its old name and its new one",
                quoted(near)
            ),
            None => format!("the server has {}", listed(names())),
        }
    }
}

/// Foreign words for a message: shortened, in backticks.
fn quoted(text: &str) -> String {
    format!("`{}`", short(text, 60))
}

fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut names: Vec<String> = names.take(MAX_LISTED + 1).map(quoted).collect();
    if names.is_empty() {
        return "no tool".to_owned();
    }
    if names.len() > MAX_LISTED {
        names.truncate(MAX_LISTED);
        names.push("…".to_owned());
    }
    names.join(", ")
}

fn size(audit: &mut Audit) {
    let cases = audit.golden.cases.len();
    if cases < FEW_CASES {
        let message = format!("the set has {cases} cases, fewer than {FEW_CASES}");
        audit.say_of_set(
            message,
            "add cases: a few cannot tell a worse model from an unlucky one",
        );
    }
    let negative = |case: &&Case| case.expect == Expect::Nothing;
    let negatives = audit.golden.cases.iter().filter(negative).count();
    if negatives < FEW_NEGATIVES {
        let message =
            format!("the set has {negatives} cases that want no call, fewer than {FEW_NEGATIVES}");
        audit.say_of_set(message, "add cases with `expect_tool: null`: without them nobody sees a model that always calls");
    }
}

fn coverage(audit: &mut Audit) {
    let Some(tools) = &audit.tools else { return };
    let cases = audit.golden.cases.iter();
    let expected: BTreeSet<&str> = cases.flat_map(|case| case.expect.tools()).collect();
    let missed: Vec<&str> = tools
        .keys()
        .copied()
        .filter(|it| !expected.contains(it))
        .collect();
    if !missed.is_empty() {
        let message = format!("no case expects {}", listed(missed.into_iter()));
        audit.say_of_set(
            message,
            "add a case for each: what is not asked for is not measured",
        );
    }
}
