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
}
pub mod version {
    //! Protocol versions that the server does not speak.
    pub mod legacy_form;
    pub mod stateless;
    pub mod unsupported;
}
pub mod meta {
    //! `_meta`: what requests must say of themselves, and what servers may put there.
    pub mod keys;
    pub mod optional;
    mod places;
    pub mod required;
    pub mod server_info;
    pub mod trace;
}
pub mod header {
    //! Header fields that mirror the body, so that gateways need not read it.
    pub mod encoding;
    pub mod method;
    pub mod name;
    pub mod param;
    pub mod param_rules;
    mod refused;
    pub mod rejection;
    mod subject;
    pub mod version;
}
pub mod legacy {
    //! Earlier revisions and what is left of them.
    pub mod era;
}
pub mod ext {
    //! Extensions that the server advertises.
    pub mod name_header;
}

const FAMILIES: &[&[Check]] = &[
    discover::answers::CHECKS,
    version::unsupported::CHECKS,
    version::legacy_form::CHECKS,
    version::stateless::CHECKS,
    meta::required::CHECKS,
    meta::optional::CHECKS,
    meta::required::TYPE_CHECKS,
    meta::optional::EXTRA_CHECKS,
    meta::keys::CHECKS,
    meta::trace::CHECKS,
    meta::server_info::CHECKS,
    header::version::CHECKS,
    header::method::CHECKS,
    header::name::CHECKS,
    header::encoding::CHECKS,
    header::method::LENIENT_CHECKS,
    header::rejection::CHECKS,
    header::param_rules::CHECKS,
    legacy::era::CHECKS,
    ext::name_header::CHECKS,
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
