//! The catalogue as a whole: the rules that this build checks, and those that it does not check yet.

use crate::conformance::checks;
use serde::{Serialize, Serializer};
use verdict_model::{Rule, State};

/// One entry of the catalogue, built or not.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The rule.
    pub rule: Rule,
    /// How this build treats it.
    pub state: State,
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rule.serialize_as(self.state, serializer)
    }
}

/// Every rule of the catalogue.
pub fn catalogue() -> impl Iterator<Item = Entry> {
    checks().map(|check| Entry {
        rule: check.rule,
        state: check.rule.state(),
    })
}
