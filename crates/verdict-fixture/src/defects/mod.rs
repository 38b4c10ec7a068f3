//! The table of named defects: each one is a deliberate fault, and says which checks should find it.
//!
//! A defect bends one or two stages of the server (see `hooks.rs`) and leaves all others alone. It should
//! be one slip that a real server could make, as narrow as the checks that are to find it allow.

mod authorization;
mod bend;
mod caching;
mod completions;
mod discovery;
mod elicitation;
mod eras;
mod errors;
mod extensions;
mod handshake;
mod headers;
mod http;
mod legacy;
mod listens;
mod lists;
mod metadata;
mod names;
mod notes;
mod parameters;
mod process;
mod prompts;
mod resources;
mod results;
mod schemas;
mod streams;
mod surface;
mod tools;
mod versions;

use crate::hooks::{Frame, Hooks, Process, Served};
use crate::message::{Answer, Fault, Request};
use crate::server::{Change, Listener, Server};
use serde_json::Value;

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
    /// [`Variant::Full`], with every result in an event stream.
    Streaming,
    /// [`Variant::Full`] and the tasks extension.
    Tasks,
    /// [`Variant::Full`] behind OAuth, over HTTP; see [`crate::protected_config`].
    Protected,
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
    ///
    /// Outcomes are those of a run with [`crate::example_config`] and intrusive probes. Checks that the transport at hand does
    /// not have do not count. An id that ends in `*` covers all ids of that start which are not named:
    /// they may have that outcome, or keep their own.
    pub expect: &'static [(&'static str, &'static str)],
    pub(crate) hooks: Hooks,
}

impl Defect {
    const fn new(
        name: &'static str,
        about: &'static str,
        expect: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self {
            name,
            about,
            transport: Transport::Both,
            on: Variant::Full,
            expect,
            hooks: Hooks::NONE,
        }
    }

    const fn over(self, transport: Transport) -> Self {
        Self { transport, ..self }
    }

    const fn on(self, on: Variant) -> Self {
        Self { on, ..self }
    }

    const fn request(mut self, hook: fn(&mut Request)) -> Self {
        self.hooks.request = hook;
        self
    }

    const fn serve(mut self, hook: fn(&Server, &Request) -> Served) -> Self {
        self.hooks.serve = hook;
        self
    }

    const fn items(mut self, hook: fn(&Request, &mut Vec<Value>)) -> Self {
        self.hooks.items = hook;
        self
    }

    const fn fault(mut self, hook: fn(&Request, &mut Fault)) -> Self {
        self.hooks.fault = hook;
        self
    }

    const fn result(mut self, hook: fn(&Request, &mut Value)) -> Self {
        self.hooks.result = hook;
        self
    }

    const fn answer(mut self, hook: fn(&Request, &mut Answer)) -> Self {
        self.hooks.answer = hook;
        self
    }

    const fn notices(mut self, hook: fn(&Listener, &Change, &mut Vec<Value>)) -> Self {
        self.hooks.notices = hook;
        self
    }

    const fn dies(mut self, hook: fn(&Request) -> bool) -> Self {
        self.hooks.dies = hook;
        self
    }

    const fn closing(mut self, hook: fn(&mut Value)) -> Self {
        self.hooks.closing = hook;
        self
    }

    const fn bytes(mut self, hook: fn(Frame, &Value, &mut Vec<u8>)) -> Self {
        self.hooks.bytes = hook;
        self
    }

    const fn process(mut self, process: Process) -> Self {
        self.hooks.process = process;
        self
    }
}

const GROUPS: &[&[Defect]] = &[
    discovery::DEFECTS,
    versions::DEFECTS,
    metadata::DEFECTS,
    headers::DEFECTS,
    names::DEFECTS,
    parameters::DEFECTS,
    http::DEFECTS,
    streams::DEFECTS,
    notes::DEFECTS,
    process::DEFECTS,
    results::DEFECTS,
    lists::DEFECTS,
    caching::DEFECTS,
    tools::DEFECTS,
    schemas::DEFECTS,
    resources::DEFECTS,
    prompts::DEFECTS,
    completions::DEFECTS,
    elicitation::DEFECTS,
    listens::DEFECTS,
    errors::DEFECTS,
    handshake::DEFECTS,
    legacy::DEFECTS,
    eras::DEFECTS,
    extensions::DEFECTS,
    authorization::DEFECTS,
    surface::DEFECTS,
];

const COUNT: usize = {
    let mut count = 0;
    let mut group = 0;
    while group < GROUPS.len() {
        count += GROUPS[group].len();
        group += 1;
    }
    count
};

/// All defects.
pub const DEFECTS: &[Defect] = &{
    let mut all = [Defect::new("", "", &[]); COUNT];
    let (mut at, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut inner = 0;
        while inner < GROUPS[group].len() {
            all[at] = GROUPS[group][inner];
            at += 1;
            inner += 1;
        }
        group += 1;
    }
    all
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_every_defect_expects_something() {
        let names: BTreeSet<&str> = DEFECTS.iter().map(|defect| defect.name).collect();
        assert_eq!(names.len(), DEFECTS.len());
        for defect in DEFECTS {
            assert!(!defect.expect.is_empty(), "{}", defect.name);
            for (check, outcome) in defect.expect {
                assert!(
                    check.ends_with('*') || check.contains('.'),
                    "{}: {check}",
                    defect.name
                );
                let known = ["pass", "fail", "warn", "info", "skip", "n/a", "error"];
                assert!(known.contains(outcome), "{}: {outcome}", defect.name);
            }
        }
    }
}
