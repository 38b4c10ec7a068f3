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
pub mod transport {
    //! Streamable HTTP: bodies, streams, statuses.
    pub mod accept;
    pub mod bodies;
    pub mod concurrent;
    pub mod direction;
    pub mod endpoint;
    pub mod notification;
    pub mod origin;
    pub mod sessions;
    pub mod status;
    pub mod streams;
    pub(crate) mod traffic;
    pub mod unusual;
}
pub mod stdio {
    //! Standard input and output of a child process.
    pub mod answers;
    pub mod garbage;
    pub mod lines;
    pub mod notices;
    pub(crate) mod process;
    pub mod second;
    pub mod shutdown;
    pub mod unasked;
}
pub mod legacy {
    //! Earlier revisions and what is left of them.
    pub mod era;
}

const FAMILIES: &[&[Check]] = &[
    discover::answers::CHECKS,
    version::unsupported::CHECKS,
    transport::accept::CHECKS,
    transport::bodies::CHECKS,
    transport::concurrent::CHECKS,
    transport::direction::CHECKS,
    transport::endpoint::CHECKS,
    transport::notification::CHECKS,
    transport::origin::CHECKS,
    transport::sessions::CHECKS,
    transport::status::CHECKS,
    transport::streams::CHECKS,
    transport::unusual::CHECKS,
    stdio::answers::CHECKS,
    stdio::garbage::CHECKS,
    stdio::lines::CHECKS,
    stdio::notices::CHECKS,
    stdio::second::CHECKS,
    stdio::shutdown::CHECKS,
    stdio::unasked::CHECKS,
    legacy::era::CHECKS,
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
