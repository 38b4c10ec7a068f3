//! Small judges: whether a token that set off a trigger is what the pattern is about, and how bad.
//!
//! A judge sees tokens and lines around its own, never the whole text, so that a pass stays linear.

pub(crate) mod codes;
pub(crate) mod connection;
pub(crate) mod http;
pub(crate) mod messages;
pub(crate) mod results;
pub(crate) mod tasks;

pub(crate) use crate::dispatch::Ruling;
use crate::pattern::Severity;
use crate::role::Role;
use crate::source::Source;

/// Decides about the token at an index; nothing where the pattern does not apply.
pub(crate) type Judge = fn(&Source, usize) -> Option<Ruling>;

impl Ruling {
    pub(crate) const fn of(severity: Severity) -> Self {
        Self {
            severity,
            because: None,
            mend: None,
        }
    }

    pub(crate) const fn because(severity: Severity, because: &'static str) -> Self {
        Self {
            severity,
            because: Some(because),
            mend: None,
        }
    }
}

/// As bad as the pattern says.
pub(crate) const FULL: Option<Ruling> = Some(Ruling::of(Severity::Error));

/// At most a warning.
pub(crate) const WARNING: Option<Ruling> = Some(Ruling::of(Severity::Warning));

/// Whatever was found counts, in a file that speaks MCP and nothing like it.
pub(crate) fn plain(source: &Source, index: usize) -> Option<Ruling> {
    if source.is_denied(index) {
        return None;
    }
    if source.is_text(index) && source.role(index) == Role::Prose {
        return None;
    }
    source.speaks_alone().then_some(Ruling::of(Severity::Error))
}

/// A string that is a method of MCP, wherever it does not stand for people to read.
pub(crate) fn method(source: &Source, index: usize) -> Option<Ruling> {
    if !source.is_text(index) {
        return plain(source, index);
    }
    let prose = source.role(index) == Role::Prose || source.is_denied(index);
    if prose || !source.speaks_alone() || is_refusal_test(source, index) {
        return None;
    }
    FULL
}

/// A string that is an everyday word, and a method only where it is used as one.
pub(crate) fn everyday_method(source: &Source, index: usize) -> Option<Ruling> {
    if !source.is_text(index) {
        return plain(source, index);
    }
    let used = matches!(
        source.role(index),
        Role::Method | Role::Handler | Role::Sent
    );
    if !used || !source.speaks_alone() || is_refusal_test(source, index) {
        return None;
    }
    FULL
}

/// Whether a test here expects that the method is refused.
pub(crate) fn is_refusal_test(source: &Source, index: usize) -> bool {
    source.in_test(index)
        && source.near(
            index,
            6,
            &[
                "-32601",
                "method_not_found",
                "methodnotfound",
                "method not found",
            ],
        )
}
