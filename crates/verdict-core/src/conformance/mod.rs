//! Layer 0: one file a check or a small family of checks, in the areas of the catalogue.
//!
//! Written by `cargo xtask codegen` from the folders beside it: a check is added by adding its file.

use crate::ask::Probe;
pub use crate::check::Check;
pub use crate::pending::{Entry, catalogue};
use crate::survey;

pub mod discover {
    //! `server/discover` and what it declares.
    pub mod answers;
}
pub mod version {
    //! Protocol versions that the server does not speak.
    pub mod unsupported;
}
pub mod tools {
    //! Tools: their definitions and what calling them returns.
    pub mod capability;
}
pub mod schema {
    //! The JSON Schemas of tools.
    pub mod tools;
}
pub mod resources {
    //! Resources and resource templates.
    pub mod missing;
    pub(crate) mod neighbour;
    pub mod no_uri;
}
pub mod progress {
    //! Progress notifications.
    pub mod amount;
    pub(crate) mod called;
    pub mod notices;
}
pub mod cancel {
    //! Cancellation.
    pub mod by_server;
}
pub mod errors {
    //! Error codes and error objects.
    pub mod codes;
    pub mod leak;
    pub mod malformed;
    pub mod meaning;
    pub mod shape;
    pub mod unknown;
}
pub mod legacy {
    //! Earlier revisions and what is left of them.
    pub mod dual;
    pub mod era;
    pub mod initialize;
    pub mod leftovers;
    pub mod removed;
}
pub mod deprecated {
    //! Features on their way out.
    pub mod logging;
}
pub mod ext {
    //! Extensions.
    pub mod fallback;
    pub mod tasks;
}

const FAMILIES: &[&[Check]] = &[
    discover::answers::CHECKS,
    version::unsupported::CHECKS,
    tools::capability::CHECKS,
    schema::tools::CHECKS,
    resources::missing::CHECKS,
    resources::no_uri::CHECKS,
    progress::amount::CHECKS,
    progress::notices::CHECKS,
    cancel::by_server::CHECKS,
    errors::codes::CHECKS,
    errors::leak::CHECKS,
    errors::malformed::CHECKS,
    errors::meaning::CHECKS,
    errors::shape::CHECKS,
    errors::unknown::CHECKS,
    legacy::dual::CHECKS,
    legacy::era::CHECKS,
    legacy::initialize::CHECKS,
    legacy::leftovers::CHECKS,
    legacy::removed::CHECKS,
    deprecated::logging::CHECKS,
    ext::fallback::CHECKS,
    ext::tasks::CHECKS,
];

/// All checks, in the order of the catalogue's areas.
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
