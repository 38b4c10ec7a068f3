//! The duties of clients, one file a family: a duty is added by adding its constant and its judge there.

pub mod authorization;
pub mod construction;
pub mod eras;
pub mod lists;
pub mod parameters;
pub mod questions;
pub mod results;
pub mod rounds;
pub mod schemas;
pub mod streams;

use crate::duty::Duty;
use serde::{Serialize, Serializer};

/// The families, in the order of the catalogue.
const FAMILIES: &[&[Duty]] = &[
    construction::DUTIES,
    parameters::DUTIES,
    eras::DUTIES,
    results::DUTIES,
    schemas::DUTIES,
    streams::DUTIES,
    rounds::DUTIES,
    questions::DUTIES,
    lists::DUTIES,
    authorization::DUTIES,
];

/// All duties, in the order of the catalogue.
pub fn all() -> impl Iterator<Item = &'static Duty> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

impl Serialize for Duty {
    /// As `explain` prints the entries of the catalogue of checks.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rule.serialize_as(self.state(), serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duty::Trial;

    #[test]
    fn the_catalogue_is_whole_and_explained() {
        let ids: Vec<&str> = all().map(|duty| duty.rule.id).collect();
        assert_eq!(ids.len(), 87, "{ids:?}");
        for (place, id) in ids.iter().enumerate() {
            assert!(id.starts_with("client."), "{id}");
            assert!(!ids[..place].contains(id), "{id} twice");
        }
        for duty in all() {
            let rule = &duty.rule;
            assert!(
                !rule.title.is_empty() && !rule.title.ends_with('.'),
                "{}",
                rule.id
            );
            assert!(
                rule.why.ends_with('.') && rule.fix.ends_with('.'),
                "{}",
                rule.id
            );
            if let Trial::NotYet(why) = duty.trial {
                assert!(duty.scenarios.is_empty() && !why.is_empty(), "{}", rule.id);
            }
        }
    }
}
