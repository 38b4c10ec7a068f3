//! Reports for people and machines: pure functions from a [`Report`] to a string.
//!
//! A report holds text that a server sent, exactly as it came. Every format here passes that text
//! through [`safe`], the one place that knows what a terminal, a Markdown page, an XML parser or an
//! Actions runner would do with it. A report may also have been read from a file that a stranger
//! wrote, so no member of it is trusted: not the ids, not the links, not the titles.
//!
//! No format judges: the verdict shown is always `report.verdict`. Nothing here reads or writes
//! files, asks for the time or looks at the environment.

mod annotation;
mod behavior;
mod change;
pub mod check_run;
mod explain;
mod findings;
mod gate;
mod github;
mod html;
mod json;
mod junit;
mod layout;
pub mod markdown;
mod reds;
pub mod safe;
mod sarif;
mod telemetry;
mod text;
mod trials;
mod words;

use std::fmt;
use std::str::FromStr;
use verdict_model::Report;

pub use change::{
    CaseChange, Cases, Change, CheckChange, Checks, MetricChange, Pair, Passes, change, change_text,
};
pub use explain::{explain, explain_all, explain_as};
pub use github::annotations;
pub use html::text_page;
pub use json::pretty;
pub use markdown::{Aside, markdown_limited, page};
pub use sarif::{hash, path_uri};
pub use words::number;

/// A way to write a report down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// For a person at a terminal.
    Text,
    /// The report itself, `schema/report-v1.json`.
    Json,
    /// For a job summary or a comment on GitHub.
    Markdown,
    /// For test dashboards.
    Junit,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// One page for a browser, that loads nothing else.
    Html,
    /// Workflow commands for an Actions log, then the text.
    Github,
}

impl Format {
    /// All formats, in the order in which help pages name them.
    pub const ALL: [Self; 7] = [
        Self::Text,
        Self::Json,
        Self::Markdown,
        Self::Junit,
        Self::Sarif,
        Self::Html,
        Self::Github,
    ];

    /// The word that stands on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Markdown => "markdown",
            Self::Junit => "junit",
            Self::Sarif => "sarif",
            Self::Html => "html",
            Self::Github => "github",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.word())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(word: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.word() == word)
            .ok_or_else(|| UnknownFormat(word.to_owned()))
    }
}

/// A word that names no format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFormat(String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<_> = Format::ALL.into_iter().map(Format::word).collect();
        let word = safe::terminal(&self.0);
        write!(
            out,
            "unknown format '{word}': use one of {}",
            known.join(", ")
        )
    }
}

impl std::error::Error for UnknownFormat {}

/// How much a person wants to read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verbosity {
    /// The verdict and what decided it, one line each.
    Quiet,
    /// Findings in full, everything else as counts.
    #[default]
    Normal,
    /// Every check, and longer excerpts.
    Verbose,
}

/// How the formats for people look; the formats for machines ignore it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether to paint with ANSI colours.
    pub colour: bool,
    /// Columns to wrap at; anything under 40 is taken as 40, so that a word still fits.
    pub width: usize,
    /// How much to say.
    pub verbosity: Verbosity,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            colour: false,
            width: 100,
            verbosity: Verbosity::Normal,
        }
    }
}

/// Writes `report` down in `format`; the result ends with a line feed.
pub fn render(report: &Report, format: Format, style: &Style) -> String {
    match format {
        Format::Text => text::render(report, style),
        Format::Json => json::render(report),
        Format::Markdown => markdown_limited(report, markdown::SUMMARY_BYTES),
        Format::Junit => junit::render(report),
        Format::Sarif => sarif::render(report),
        Format::Html => html::render(report),
        Format::Github => github::render(report, style),
    }
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn formats_are_their_words() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert_eq!(
            "yaml\u{1b}[2J".parse::<Format>().unwrap_err().to_string(),
            "unknown format 'yaml\\u{1b}[2J': use one of text, json, markdown, junit, sarif, html, github"
        );
    }
}
