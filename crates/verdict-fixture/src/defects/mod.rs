//! The table of named defects: each one is a deliberate fault, and says which checks should find it.

use crate::hooks::Hooks;

/// Which transport shows a defect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// Streamable HTTP only.
    Http,
    /// stdio only.
    Stdio,
    /// Either.
    Both,
}

/// The kinds of correct server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// All features of the core.
    Full,
    /// [`Variant::Full`] and the tasks extension.
    Tasks,
    /// [`Variant::Full`] and the handshake of 2025-11-25.
    DualEra,
    /// The handshake of 2025-11-25 alone: correct for its time.
    LegacyOnly,
    /// Tools and nothing else.
    ToolsOnly,
    /// Resources and nothing else.
    ResourcesOnly,
}

/// One deliberate fault.
#[derive(Debug, Clone, Copy)]
pub struct Defect {
    /// Its name, for `Server::with`.
    pub name: &'static str,
    /// What the server does wrong.
    pub about: &'static str,
    /// Where it shows.
    pub transport: Transport,
    /// The correct server it is a fault of.
    pub on: Variant,
    /// All checks whose outcome differs from that server's own, with the outcome:
    /// `fail`, `warn`, `info`, `pass`, `skip`, `n/a` or `error`.
    pub expect: &'static [(&'static str, &'static str)],
    pub(crate) hooks: Hooks,
}

/// All defects.
pub const DEFECTS: &[Defect] = &[];
