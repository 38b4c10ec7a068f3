//! The catalogue as a whole: every rule, with how this build treats it. A test holds that none is missing.

use crate::conformance::checks;
use crate::waiver;
use serde::{Serialize, Serializer};
use verdict_model::{Rule, State};

/// One entry of the catalogue.
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

/// How many rules the catalogue has.
pub const RULES: usize = 357;

/// Beginnings of ids outside the catalogue: what the specification does not state, or another revision.
const OUTSIDE: [&str; 4] = [
    "surface.",
    "waivers.",
    "handshake.",
    "legacy.era-differences",
];

/// Every rule of the catalogue.
pub fn catalogue() -> impl Iterator<Item = Entry> {
    all().filter(|entry| is_inside(entry.rule.id))
}

/// Whether there is a check of this id.
pub(crate) fn is_known(id: &str) -> bool {
    waiver::CURRENT.rule.id == id || checks().any(|check| check.rule.id == id)
}

/// The check whose id is written most alike, if any is.
pub(crate) fn nearest(id: &str) -> Option<&'static str> {
    let known = checks()
        .chain([&waiver::CURRENT])
        .map(|check| check.rule.id);
    let (edits, near) = known.map(|other| (edits(id, other), other)).min()?;
    (edits <= id.len() / 3).then_some(near)
}

/// How many bytes are to be changed, added or taken away (Levenshtein).
fn edits(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, left) in one.bytes().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], line + 1);
        for (at, right) in other.bytes().enumerate() {
            let changed = corner + usize::from(left != right);
            corner = row[at + 1];
            row[at + 1] = changed.min(corner + 1).min(row[at] + 1);
        }
    }
    row[other.len()]
}

/// Whether a check is one of the catalogue's.
pub(crate) fn is_inside(id: &str) -> bool {
    !OUTSIDE.iter().any(|area| id.starts_with(area))
}

/// Whether a check is about a rule of the specification, of whichever revision.
pub(crate) fn is_stated(id: &str) -> bool {
    is_inside(id) || id.starts_with("handshake.")
}

/// Every rule of the catalogue, then the checks outside it.
pub fn all() -> impl Iterator<Item = Entry> {
    checks().chain([&waiver::CURRENT]).map(|check| Entry {
        rule: check.rule,
        state: check.rule.state(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_nearest_id() {
        assert_eq!(nearest("waivers.curent"), Some("waivers.current"));
        assert_eq!(
            nearest("list.tool-order-stable"),
            Some("list.tools-order-stable")
        );
        assert_eq!(nearest("nothing of the kind"), None);
        assert_eq!((edits("kitten", "sitting"), edits("", "abc")), (3, 3));
    }

    #[test]
    fn no_rule_is_missing_or_there_twice() {
        let ids: Vec<&str> = catalogue().map(|entry| entry.rule.id).collect();
        let distinct: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!((ids.len(), distinct.len()), (RULES, RULES));
    }
}
