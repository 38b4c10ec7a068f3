//! The schema of a tool's arguments, changed as far as a wire needs it, and no further.
//!
//! Judged by MCP, the schemas stay what they are: this is what a model is shown. Every change that may mean something
//! is listed in words, because a model that does badly with a mended schema did not see the server's own.
//!
//! What each wire refuses was read in public reports of refused requests (2025 and 2026), see `docs/models.md`:
//! both of `OpenAI`'s want an object at the root without combinators there, and arrays with `items`; Anthropic's wants
//! no combinators at the root, keys of letters, digits, `_.-` up to 64, and 2020-12; Gemini's takes a subset of the
//! keywords, and no reference beside other keywords, so references are written out.

mod keyword;
mod refer;
mod root;
mod walk;

use super::model::Wire;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Deeper than this no provider follows a schema.
const DEPTH: usize = 64;
/// More subschemas than this are not sent: references written out can grow without bound.
const NODES: usize = 20_000;
/// How many changes of one schema are told one by one.
const TOLD: usize = 20;

/// A schema as it is sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Adapted {
    /// An object at the root, always.
    pub schema: Value,
    /// What was changed, in words.
    pub repairs: Vec<String>,
    /// From renamed parameters to the server's own.
    pub keys: BTreeMap<String, String>,
}

/// Makes `schema` fit for `wire`.
pub(crate) fn adapt(wire: Wire, schema: Option<&Value>) -> Adapted {
    let mut repairs = Repairs::default();
    let Some(root @ Value::Object(_)) = schema else {
        repairs.push(
            "",
            match schema {
                None => "there is none, so one without parameters is sent",
                Some(_) => "it is no object, so one without parameters is sent",
            },
        );
        return Adapted {
            schema: json!({"type": "object", "properties": {}}),
            repairs: repairs.told(),
            keys: BTreeMap::new(),
        };
    };
    let renamed = walk::odd_keys(wire, root);
    let whole = walk::Walker::new(wire, root, &renamed, &mut repairs).whole();
    let schema = root::mend(wire, whole, &mut repairs);
    Adapted {
        schema,
        repairs: repairs.told(),
        keys: renamed.into_iter().map(|(own, sent)| (sent, own)).collect(),
    }
}

/// Changes, in the order in which they were made.
#[derive(Default)]
struct Repairs {
    told: Vec<String>,
    more: usize,
}

impl Repairs {
    fn push(&mut self, pointer: &str, what: &str) {
        if self.told.len() == TOLD {
            self.more += 1;
            return;
        }
        let place = if pointer.is_empty() {
            "at the root".to_owned()
        } else {
            format!("at {}", super::fault::safe(pointer, 120))
        };
        let told = format!("{place}, {what}");
        if !self.told.contains(&told) {
            self.told.push(told);
        }
    }

    fn told(mut self) -> Vec<String> {
        if self.more > 0 {
            self.told.push(format!("and {} more changes", self.more));
        }
        self.told
    }
}

#[cfg(test)]
mod tests;
