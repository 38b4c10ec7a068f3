//! Layer 0: one file a check or a small family of checks, in the order of the catalogue.
//!
//! `cargo xtask codegen` writes this file from the folders beside it; a check is added by adding its file.

use crate::ask::Probe;
pub use crate::check::Check;
use crate::survey;
use serde::{Serialize, Serializer};
use verdict_model::{Rule, State};

pub mod discover {
    //! `server/discover` and what it declares.
    pub mod answers;
    pub mod capabilities;
    pub mod declares;
    pub mod first;
    pub mod identity;
}
pub mod version {
    //! Protocol versions that the server does not speak.
    pub mod unsupported;
}
pub mod result {
    //! Results as such: their type, their envelope, their shape.
    pub mod envelope;
    pub mod kind;
    pub mod valid;
}
pub mod list {
    //! The four lists: order, sets, pages, cursors.
    pub mod connections;
    pub mod cursors;
    pub mod order;
    pub mod pages;
    pub mod reach;
    pub mod shaped;
    pub mod visits;
}
pub mod cache {
    //! Cache hints.
    pub mod hints;
    pub mod values;
}
pub mod tools {
    //! Tools as they are listed and called.
    pub mod icons;
    pub mod listed;
    pub mod unknown;
}
pub mod resources {
    //! Resources and templates.
    pub mod listed;
    pub mod reading;
    pub mod template;
}
pub mod prompts {
    //! Prompts.
    pub mod listed;
    pub mod unknown;
}
pub mod completion {
    //! Completion of arguments.
    pub mod answers;
    pub mod asking;
}
pub mod mrtr {
    //! Requests that take several rounds.
    pub mod elsewhere;
}
pub mod legacy {
    //! Earlier revisions and what is left of them.
    pub mod era;
}
pub mod ext {
    //! Extensions.
    pub mod unnegotiated;
}

const FAMILIES: &[&[Check]] = &[
    discover::answers::CHECKS,
    discover::first::CHECKS,
    discover::identity::CHECKS,
    discover::declares::CHECKS,
    discover::capabilities::CHECKS,
    version::unsupported::CHECKS,
    result::kind::CHECKS,
    result::envelope::CHECKS,
    result::valid::CHECKS,
    list::order::CHECKS,
    list::connections::CHECKS,
    list::pages::CHECKS,
    list::cursors::CHECKS,
    cache::hints::CHECKS,
    cache::values::CHECKS,
    tools::listed::CHECKS,
    tools::icons::CHECKS,
    tools::unknown::CHECKS,
    resources::listed::CHECKS,
    prompts::listed::CHECKS,
    prompts::unknown::CHECKS,
    completion::answers::CHECKS,
    mrtr::elsewhere::CHECKS,
    legacy::era::CHECKS,
    ext::unnegotiated::CHECKS,
];

/// All checks, in the order of the catalogue.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// The probes that the checks need, and those that every run begins with.
pub fn plan() -> Vec<&'static Probe> {
    let first = std::iter::once(&survey::ERA).chain(survey::WALKS);
    first
        .chain(checks().flat_map(|check| check.probes.iter().copied()))
        .collect()
}

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
