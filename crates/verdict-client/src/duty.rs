//! A duty: a rule for clients, the scenarios it is read from, and the pure judge that reads them.

use crate::context::Context;
use verdict_core::ruling::Ruling;
use verdict_model::Level;
use verdict_model::rule::{Rule, Safety, Scope, State};

/// Reads what was seen of the client and says what became of the duty.
pub type Judge = fn(&Context) -> Ruling;

/// How far this build is with a duty.
#[derive(Debug, Clone, Copy)]
pub enum Trial {
    /// It is judged.
    Judged(Judge),
    /// It stands in the catalogue and cannot be tried yet, for this reason.
    NotYet(&'static str),
}

/// One duty of a client.
#[derive(Debug, Clone, Copy)]
pub struct Duty {
    /// The rule.
    pub rule: Rule,
    /// The scenarios that are played for it, by name; empty where it is read from all of them.
    pub scenarios: &'static [&'static str],
    /// How it is judged.
    pub trial: Trial,
}

impl Duty {
    /// A duty behind a MUST or MUST NOT.
    pub const fn must(id: &'static str, title: &'static str) -> Self {
        Self::new(Level::Must, id, title)
    }

    /// A duty behind a SHOULD or SHOULD NOT.
    pub const fn should(id: &'static str, title: &'static str) -> Self {
        Self::new(Level::Should, id, title)
    }

    /// Something a client may do.
    pub const fn may(id: &'static str, title: &'static str) -> Self {
        Self::new(Level::May, id, title)
    }

    /// A duty behind which no keyword stands.
    pub const fn advisory(id: &'static str, title: &'static str) -> Self {
        Self::new(Level::Advisory, id, title)
    }

    const fn new(level: Level, id: &'static str, title: &'static str) -> Self {
        Self {
            rule: Rule {
                id,
                level,
                assertion: None,
                title,
                why: "",
                fix: "",
                spec: "basic",
                safety: Safety::Safe,
                scope: Scope::Both,
                official: &[],
            },
            scenarios: &[],
            trial: Trial::NotYet("no judge is built for it"),
        }
    }

    /// `page#anchor` of the specification.
    #[must_use]
    pub const fn spec(mut self, reference: &'static str) -> Self {
        self.rule.spec = reference;
        self
    }

    /// What goes wrong for users when it is broken.
    #[must_use]
    pub const fn why(mut self, why: &'static str) -> Self {
        self.rule.why = why;
        self
    }

    /// How a client's author mends it.
    #[must_use]
    pub const fn fix(mut self, fix: &'static str) -> Self {
        self.rule.fix = fix;
        self
    }

    /// Ids of the official suite's client checks on the same ground.
    #[must_use]
    pub const fn official(mut self, ids: &'static [&'static str]) -> Self {
        self.rule.official = ids;
        self
    }

    /// A duty on Streamable HTTP alone.
    #[must_use]
    pub const fn http(mut self) -> Self {
        self.rule.scope = Scope::Http;
        self
    }

    /// A duty on stdio alone.
    #[must_use]
    pub const fn stdio(mut self) -> Self {
        self.rule.scope = Scope::Stdio;
        self
    }

    /// The scenarios that are played for it.
    #[must_use]
    pub const fn reads(mut self, scenarios: &'static [&'static str]) -> Self {
        self.scenarios = scenarios;
        self
    }

    /// Reads what was seen.
    #[must_use]
    pub const fn judge(mut self, judge: Judge) -> Self {
        self.trial = Trial::Judged(judge);
        self
    }

    /// Cannot be tried yet, for this reason.
    #[must_use]
    pub const fn not_yet(mut self, why: &'static str) -> Self {
        self.trial = Trial::NotYet(why);
        self
    }

    /// How this build treats it.
    pub fn state(&self) -> State {
        match self.trial {
            Trial::Judged(_) => State::Default,
            Trial::NotYet(_) => State::NotYet,
        }
    }
}
