//! Finds what revision 2026-07-28 of the Model Context Protocol breaks in source text.
//!
//! [`examine`] takes one file's path and bytes and gives back matches, or why the file was left alone.
//! It works on tokens, not on lines: comments, docstrings and the prose of Markdown are never looked at,
//! strings that hold JSON are looked into, and a word counts only where the file speaks MCP.
//!
//! What is looked for is data ([`PATTERNS`]); what a place means is decided by small judges that see the
//! tokens around it. All work is linear in the length of the text and bounded by [`Limits`].
//! Nothing here reads files, starts anything or knows what a repository is.

mod brackets;
mod context;
mod dispatch;
mod evidence;
mod judge;
mod language;
mod lex;
mod pattern;
mod patterns;
mod place;
pub mod report;
mod role;
mod source;

pub use language::Language;
pub use pattern::{Languages, Pattern, Severity};
pub use patterns::PATTERNS;
pub use place::{Place, is_skipped_folder};

use source::Source;
use std::borrow::Cow;
use std::fmt;

/// How large a file may be before it is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes of a file.
    pub file_bytes: usize,
    /// Most bytes of one line; data in one line (JSON, YAML) may be longer, up to `file_bytes`.
    pub line_bytes: usize,
    /// Most matches of one file; the rest is counted in [`Examined::omitted`].
    pub matches: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 4 << 20,
            line_bytes: 20_000,
            matches: 1_000,
        }
    }
}

/// Why a file was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skip {
    /// Other people's code: `node_modules`, `vendor`, …
    Vendored,
    /// Written by a program, as its name or its first lines say.
    Generated,
    /// A lock file.
    Lock,
    /// Text for people without code in it.
    Prose,
    /// A language that is not looked at.
    Unknown,
    /// More bytes than [`Limits::file_bytes`].
    TooLarge,
    /// Lines longer than [`Limits::line_bytes`], as minifiers write them.
    Minified,
    /// Not text: it holds NUL bytes.
    Binary,
}

impl Skip {
    /// The reason in a few words, fit to follow a count.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Vendored => "vendored",
            Self::Generated => "generated",
            Self::Lock => "lock files",
            Self::Prose => "prose",
            Self::Unknown => "of other languages",
            Self::TooLarge => "too large",
            Self::Minified => "minified",
            Self::Binary => "binary",
        }
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.reason())
    }
}

/// A replacement that keeps the meaning of the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mend {
    /// Where the replaced bytes begin in the text.
    pub start: usize,
    /// Where they end.
    pub end: usize,
    /// What stands there instead.
    pub replacement: &'static str,
}

/// One place that the revision breaks or changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// What was found.
    pub pattern: &'static Pattern,
    /// How bad it is at this place; at most the pattern's own.
    pub severity: Severity,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Length in characters.
    pub width: u32,
    /// The line, without its indentation, cut to 200 characters around the match.
    pub excerpt: String,
    /// Why the severity is lower than the pattern's, where it is.
    pub because: Option<&'static str>,
    /// A safe rename, where there is one.
    pub mend: Option<Mend>,
}

/// What became of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Examined {
    /// Matches in the order of the text.
    pub matches: Vec<Match>,
    /// Why the file was left alone.
    pub skipped: Option<Skip>,
    /// Matches beyond [`Limits::matches`].
    pub omitted: usize,
    /// Matches that a comment of the file allows.
    pub allowed: usize,
    /// Whether bytes that are not UTF-8 were replaced; offsets then do not fit the file.
    pub lossy: bool,
    /// Lines of the text.
    pub lines: usize,
}

/// The matches in `text`, judged by what `path` says about it.
///
/// `path` is relative to the repository; it is only looked at, never opened.
pub fn scan(path: &str, text: &str) -> Vec<Match> {
    examine(path, text.as_bytes(), &Limits::default()).matches
}

/// Looks at one file.
pub fn examine(path: &str, bytes: &[u8], limits: &Limits) -> Examined {
    match place::of(path) {
        Ok(place) => examine_as(place, bytes, limits),
        Err(skip) => Examined {
            skipped: Some(skip),
            ..Examined::default()
        },
    }
}

/// Looks at one file whose place is known, such as one that was named on a command line.
pub fn examine_as(place: Place, bytes: &[u8], limits: &Limits) -> Examined {
    if let Some(skip) = place::refused(place.language, bytes, limits) {
        return Examined {
            skipped: Some(skip),
            ..Examined::default()
        };
    }
    let text = String::from_utf8_lossy(bytes);
    let mut examined = Examined {
        lossy: matches!(text, Cow::Owned(_)),
        lines: place::lines(bytes),
        ..Examined::default()
    };
    let signs = evidence::gather(&text);
    if !signs.may_speak() {
        return examined;
    }
    let source = Source::new(&text, place, signs);
    if source.speaks() {
        dispatch::run(&source, limits, &mut examined);
    }
    if examined.lossy {
        for found in &mut examined.matches {
            found.mend = None;
        }
    }
    examined
}
