//! What a scan of many files came to, and how it is written down.
//!
//! Paths and excerpts are foreign text; each format passes them through `verdict_report::safe`.

mod github;
mod json;
mod junit;
mod markdown;
mod sarif;
mod text;

use crate::{Examined, Match, Severity, Skip};
use std::collections::BTreeMap;
use verdict_report::{Format, Style, number};

/// One file with something in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMatches {
    /// The path as it is shown, with `/` between its parts.
    pub path: String,
    /// What was found, in the order of the text.
    pub matches: Vec<Match>,
}

/// The result of one scan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScanReport {
    /// Files with matches, in the order of their paths.
    pub files: Vec<FileMatches>,
    /// Files that were read.
    pub read: usize,
    /// Lines of those.
    pub lines: usize,
    /// Files that were left alone, by reason.
    pub skipped: BTreeMap<Skip, usize>,
    /// Folders that were passed over as a whole.
    pub folders: usize,
    /// Files that could not be read, and why.
    pub unreadable: Vec<(String, String)>,
    /// Matches that comments allow.
    pub allowed: usize,
    /// Matches of single files beyond the limit.
    pub omitted: usize,
    /// Files with bytes that are not UTF-8.
    pub lossy: usize,
    /// Whether a warning counts as an error.
    pub deny_warnings: bool,
}

/// What a scan comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing, or nothing that counts.
    Pass,
    /// Something that counts.
    Fail,
    /// There was no file to read.
    None,
}

impl ScanReport {
    /// Adds what became of one file.
    pub fn add(&mut self, path: String, examined: Examined) {
        if let Some(skip) = examined.skipped {
            *self.skipped.entry(skip).or_default() += 1;
            return;
        }
        self.read += 1;
        self.lines += examined.lines;
        self.allowed += examined.allowed;
        self.omitted += examined.omitted;
        self.lossy += usize::from(examined.lossy);
        if !examined.matches.is_empty() {
            self.files.push(FileMatches {
                path,
                matches: examined.matches,
            });
        }
    }

    /// Brings files and complaints into the order of their paths, whatever order they were read in.
    pub fn finish(&mut self) {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.unreadable.sort();
    }

    /// How many matches have this severity.
    pub fn count(&self, severity: Severity) -> usize {
        let all = self.files.iter().flat_map(|file| &file.matches);
        all.filter(|found| found.severity == severity).count()
    }

    /// What the exit code follows.
    pub fn outcome(&self) -> Outcome {
        let denied = self.deny_warnings && self.count(Severity::Warning) > 0;
        if self.count(Severity::Error) > 0 || denied {
            Outcome::Fail
        } else if self.read == 0 {
            Outcome::None
        } else {
            Outcome::Pass
        }
    }

    /// The result in one sentence.
    pub fn summary(&self) -> String {
        if self.read == 0 {
            return "there was no file to read".to_owned();
        }
        let read = format!("{} read", counted(self.read, "file"));
        let found: usize = self.files.iter().map(|file| file.matches.len()).sum();
        if found == 0 {
            return format!("nothing that 2026-07-28 changes; {read}");
        }
        format!(
            "{}, {}, {} in {}; {read}",
            counted(self.count(Severity::Error), "error"),
            counted(self.count(Severity::Warning), "warning"),
            counted(self.count(Severity::Info), "note"),
            counted(self.files.len(), "file"),
        )
    }

    /// What was not looked at, and why: `2 vendored folders, 14 of other languages`; empty if all was.
    pub fn left_out(&self) -> String {
        let mut parts = Vec::new();
        if self.folders > 0 {
            parts.push(counted(self.folders, "vendored folder"));
        }
        for (skip, count) in &self.skipped {
            parts.push(match skip {
                Skip::Lock => counted(*count, "lock file"),
                skip => format!("{} {}", number(*count), skip.reason()),
            });
        }
        if !self.unreadable.is_empty() {
            parts.push(format!("{} unreadable", number(self.unreadable.len())));
        }
        if self.allowed > 0 {
            parts.push(format!(
                "{} allowed by a comment",
                counted(self.allowed, "match")
            ));
        }
        if self.omitted > 0 {
            parts.push(format!(
                "{} beyond the limit of a file",
                counted(self.omitted, "match")
            ));
        }
        parts.join(", ")
    }
}

/// `1 file`, `2 files`, `3 matches`.
fn counted(count: usize, noun: &str) -> String {
    let plural = match (count, noun) {
        (1, _) => "",
        (_, "match") => "es",
        _ => "s",
    };
    format!("{} {noun}{plural}", number(count))
}

/// Writes a scan down in `format`; the result ends with a line feed.
pub fn render(report: &ScanReport, format: Format, style: &Style) -> String {
    match format {
        Format::Text => text::render(report, style),
        Format::Json => json::render(report),
        Format::Markdown => markdown::render(report),
        Format::Junit => junit::render(report),
        Format::Sarif => sarif::render(report),
        Format::Html => verdict_report::text_page(
            "Scan",
            &text::render(
                report,
                &Style {
                    colour: false,
                    ..*style
                },
            ),
        ),
        Format::Github => github::render(report, style),
    }
}

/// The JSON Schema of what [`Format::Json`] gives.
#[cfg(feature = "schema")]
pub fn schema() -> schemars::Schema {
    json::schema()
}

/// All matches with their files, worst first, otherwise by path and line.
fn worst_first(report: &ScanReport) -> Vec<(&str, &Match)> {
    let mut all: Vec<_> = report
        .files
        .iter()
        .flat_map(|file| file.matches.iter().map(|found| (file.path.as_str(), found)))
        .collect();
    all.sort_by_key(|(_, found)| std::cmp::Reverse(found.severity));
    all
}

/// What was found and how it is mended, one line each.
fn message(found: &Match) -> String {
    let pattern = found.pattern;
    let because = found
        .because
        .map_or_else(String::new, |because| format!(" ({because})"));
    format!(
        "{}{because}\nUntil 2025-11-25: {}\nSince 2026-07-28: {}\n{}",
        pattern.finds,
        pattern.old,
        pattern.new,
        pattern.spec_url()
    )
}
