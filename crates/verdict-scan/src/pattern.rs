//! What a pattern is: words for people, and the words it is triggered by.

use crate::judge::Judge;
use crate::language::Language;

/// How bad a match is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Discouraged, changed, or dependent on what cannot be seen here.
    Warning,
    /// Will not work against a peer that speaks only 2026-07-28.
    Error,
}

impl Severity {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The languages that a pattern is looked for in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Languages {
    /// Everywhere.
    All,
    /// Programming languages only.
    Code,
    /// Programming languages and shell scripts, which can call.
    Calling,
}

impl Languages {
    /// Whether `language` is one of them.
    pub fn contains(self, language: Language) -> bool {
        match self {
            Self::All => true,
            Self::Code => language.is_code(),
            Self::Calling => language.is_code() || language == Language::Shell,
        }
    }

    /// Their names, for people.
    pub fn names(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Code => "programming languages",
            Self::Calling => "programming languages, shell",
        }
    }
}

/// What makes a pattern look at a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// An identifier, outside imports.
    Name(&'static str),
    /// An identifier with an argument list behind it.
    Call(&'static str),
    /// A string that is this text and nothing else.
    Text(&'static str),
    /// A string that begins with this text.
    Begins(&'static str),
    /// A key or a named argument, whether quoted or not.
    Key(&'static str),
    /// A header field's name in lower case: a string that is it, or begins with it and a colon.
    Header(&'static str),
    /// A negative integer between these two, given without their minus: `(32000, 32019)`.
    Code(u32, u32),
}

/// One thing that the revision breaks or changes.
#[derive(Debug)]
pub struct Pattern {
    /// Its name, `scan.rule-name`.
    pub id: &'static str,
    /// What is found, a noun phrase.
    pub finds: &'static str,
    /// How it was until 2025-11-25.
    pub old: &'static str,
    /// How it is since 2026-07-28.
    pub new: &'static str,
    /// The worst it can be.
    pub severity: Severity,
    /// Page and anchor of the specification, below the revision's address.
    pub(crate) spec: &'static str,
    /// Where it is looked for.
    pub languages: Languages,
    pub(crate) triggers: &'static [Trigger],
    pub(crate) judge: Judge,
    /// Whether code for both eras keeps the old form on purpose.
    pub(crate) kept_for_old_peers: bool,
    /// Whether one match a file says it all.
    pub(crate) once: bool,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Pattern {}

impl Pattern {
    /// The section of the specification that decides.
    pub fn spec_url(&self) -> String {
        format!(
            "https://modelcontextprotocol.io/specification/2026-07-28/{}",
            self.spec
        )
    }
}
