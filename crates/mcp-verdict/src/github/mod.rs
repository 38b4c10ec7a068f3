//! GitHub from the native program: what the event says, and check runs.
//!
//! The bodies of the requests come from `verdict_report::check_run`, the same that the Action sends. Nothing
//! here decides anything about a verdict.

mod check_run;
mod client;
mod event;
mod patience;

pub(crate) use check_run::{CheckRun, Identity};
pub(crate) use client::{Client, Fault};
pub(crate) use event::{Event, is_dependabot, is_sha};

/// A variable of the environment; an empty one is none.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
