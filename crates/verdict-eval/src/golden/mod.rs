//! The golden set: tasks in plain language, and what a model should do with the server's tools at each.

pub mod draft;
#[cfg(feature = "schema")]
pub mod file;
pub mod hash;
pub mod lint;
pub mod nearest;
pub(crate) mod read;
pub mod suggest;
pub mod text;

pub use lint::{Remark, Weight, lint};
pub use read::{MAX_BYTES, Mistake, pattern, read};
pub use suggest::{Suggestion, suggest};
pub use verdict_config::tree::Place;

use crate::chat::Turn;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use verdict_model::behavior::Kind;

/// A golden set, checked: ids are unique and every case means something.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Golden {
    /// The cases, in the order of the file.
    pub cases: Vec<Case>,
    /// Old name of a tool to its new one. The cases have the new names already; hashes are made of the oldest, so a renamed
    /// tool is no new case.
    pub aliases: BTreeMap<String, String>,
    /// Where parts of the cases stand.
    pub places: Places,
}

impl Golden {
    /// Where a part of a case stands; its parts are joined by dots, as in `expect_args.city` or `expect_sequence.0`. What has no
    /// place of its own stands where the part around it does.
    pub fn place(&self, case: &Case, part: &str) -> Place {
        let mut part = part;
        loop {
            if let Some(place) = self.places.0.get(&(case.id.clone(), part.to_owned())) {
                return *place;
            }
            match part.rfind('.') {
                Some(dot) => part = &part[..dot],
                None => return case.place,
            }
        }
    }
}

/// Where parts of cases stand, by the id of the case and the name of the part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places(BTreeMap<(String, String), Place>);

/// One task and what is expected of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Unique in the set.
    pub id: String,
    /// What the person says, in any language.
    pub prompt: String,
    /// What the model should do.
    pub expect: Expect,
    /// How each argument is compared; by argument name, or in a sequence by tool and argument (`send_email.to`), or by tool,
    /// step and argument (`send_email#2.to`).
    pub matchers: BTreeMap<String, Matcher>,
    /// How strictly the case is held.
    pub kind: Kind,
    /// Runs of this case; the run's own number where absent.
    pub runs: Option<u32>,
    /// Words to choose cases by.
    pub tags: Vec<String>,
    /// Earlier turns of the conversation.
    pub history: Vec<Turn>,
    /// Canned results by tool, each the object that `tools/call` would give as its result. A list is given out one
    /// after the other, the last one again and again.
    pub tool_results: BTreeMap<String, Vec<Map<String, Value>>>,
    /// Where results of tools come from.
    pub execute: Execute,
    /// Path of the rubric that a judge reads, from the folder of the configuration.
    pub rubric: Option<String>,
    /// Tools that must not be called.
    pub forbid_tools: Vec<String>,
    /// Calls beside the expected ones are no fault.
    pub allow_extra_calls: bool,
    /// Answers to what the server asks back while a tool runs, by the name of the field.
    pub answers: Map<String, Value>,
    /// Where the case begins in its file.
    pub place: Place,
}

impl Case {
    /// How an argument of a tool's `nth` step (from 1) is compared, where the case says so: by `tool#2.argument` before
    /// `tool.argument`, and by that before the bare name.
    pub fn matcher(&self, tool: &str, nth: usize, argument: &str) -> Option<&Matcher> {
        let keys = [
            format!("{tool}#{nth}.{argument}"),
            format!("{tool}.{argument}"),
        ];
        let narrow = keys.iter().find_map(|key| self.matchers.get(key));
        narrow.or_else(|| self.matchers.get(argument))
    }
}

/// What the model should do.
#[derive(Debug, Clone, PartialEq)]
pub enum Expect {
    /// Call nothing.
    Nothing,
    /// Call one tool, once.
    Tool {
        /// The names that are right; at least one.
        names: Vec<String>,
        /// The arguments that are right; none means that they are not looked at.
        arguments: Option<Map<String, Value>>,
    },
    /// Call several.
    Sequence {
        /// The calls.
        steps: Vec<Step>,
        /// How their order is held.
        order: Order,
    },
    /// Only [`Case::forbid_tools`] counts (a case of kind `never`).
    Anything,
}

impl Expect {
    /// The expected calls, in the order of the case.
    pub fn calls(&self) -> Vec<Expected<'_>> {
        match self {
            Self::Nothing | Self::Anything => Vec::new(),
            Self::Tool { names, arguments } => vec![Expected {
                names,
                arguments: arguments.as_ref(),
            }],
            Self::Sequence { steps, .. } => steps
                .iter()
                .map(|step| Expected {
                    names: std::slice::from_ref(&step.tool),
                    arguments: step.arguments.as_ref(),
                })
                .collect(),
        }
    }

    /// All names of tools that are expected, those of several steps once each.
    pub fn tools(&self) -> BTreeSet<&str> {
        let calls = self.calls().into_iter();
        calls
            .flat_map(|call| call.names)
            .map(String::as_str)
            .collect()
    }

    /// The parts of a matcher's key that names a tool and its argument.
    pub(crate) fn tool_of_key<'k>(&'k self, key: &'k str) -> Option<Key<'k>> {
        self.tools().into_iter().find_map(|tool| {
            let (nth, argument) = under(key, tool)?;
            Some(Key {
                tool,
                nth,
                argument,
            })
        })
    }
}

/// A matcher's key that names a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key<'k> {
    pub(crate) tool: &'k str,
    /// The how-manieth step of the tool it is about, from 1; without one, all of them.
    pub(crate) nth: Option<usize>,
    pub(crate) argument: &'k str,
}

impl Key<'_> {
    /// The key as a case writes it, with this name of the tool.
    pub(crate) fn written(&self, tool: &str) -> String {
        match self.nth {
            Some(nth) => format!("{tool}#{nth}.{}", self.argument),
            None => format!("{tool}.{}", self.argument),
        }
    }
}

/// Reads `TOOL.ARGUMENT` and `TOOL#2.ARGUMENT`: which step, and the argument.
pub(crate) fn under<'k>(key: &'k str, tool: &str) -> Option<(Option<usize>, &'k str)> {
    let rest = key.strip_prefix(tool)?;
    let (nth, argument) = match rest.strip_prefix('#') {
        Some(numbered) => {
            let (nth, argument) = numbered.split_once('.')?;
            (Some(nth.parse().ok()?), argument)
        }
        None => (None, rest.strip_prefix('.')?),
    };
    (!argument.is_empty()).then_some((nth, argument))
}

/// One expected call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected<'e> {
    /// The names that are right.
    pub names: &'e [String],
    /// The arguments that are right; none means that they are not looked at.
    pub arguments: Option<&'e Map<String, Value>>,
}

/// One call of a sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The tool.
    pub tool: String,
    /// The arguments that are right; none means that they are not looked at.
    pub arguments: Option<Map<String, Value>>,
}

/// How the order of a sequence is held: in order where a case does not say, and in any order where every step calls one tool, since
/// such calls do not wait for one another, and models make them in parallel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename_all = "snake_case"))]
pub enum Order {
    /// These calls and no others, in this order.
    Exact,
    /// In this order, others may stand between where the case allows extra calls.
    #[default]
    InOrder,
    /// In any order.
    Any,
}

/// Where results of tools come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename_all = "snake_case"))]
pub enum Execute {
    /// Canned where the case has one; else live where the configuration lets the tool be called; else made up from its
    /// output schema.
    #[default]
    Auto,
    /// From the server: the case itself allows its expected tools to be called.
    Live,
    /// Never from the server.
    Canned,
}

/// How one argument is compared.
#[derive(Debug, Clone, PartialEq)]
pub enum Matcher {
    /// Equal as JSON values; numbers by value.
    Exact,
    /// Equal in meaning: typed, then as normalised text, then by the listed synonyms, then by the judge where there is one.
    Semantic,
    /// The expected value, where there is one, or one of these.
    AnyOf(Vec<Value>),
    /// Text that this regular expression finds.
    Regex(String),
    /// Text that holds this text, compared after normalisation.
    Contains(String),
    /// A number no further from the expected one than this; it means nothing where none is expected.
    Number(f64),
    /// A date, or a date and time, that names the same moment.
    Date,
    /// A list with the same items, in any order.
    Set,
    /// A list or object all of whose expected parts are there.
    Subset,
    /// Present, whatever it is.
    Any,
    /// Not there.
    Absent,
    /// Not looked at.
    Ignore,
    /// Cosine of embeddings at least this; measured, it cannot tell near ids apart, so it is never a default.
    Embedding(f64),
}
