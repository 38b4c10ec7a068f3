//! The scan as JSON, `mcp-verdict/scan/v1`: everything that was found, for other programs.

use super::{Outcome, ScanReport};
use crate::{Match, Severity};
use serde::Serialize;
use std::collections::BTreeMap;

/// What `mcp-verdict scan --format json` writes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Scan"))]
#[serde(rename_all = "camelCase")]
struct Document<'r> {
    /// What this document is.
    schema: Schema,
    /// What the exit code follows.
    verdict: Verdict,
    /// The result in one sentence.
    summary: String,
    /// Matches by severity.
    counts: Counts,
    /// Files that were read.
    files: usize,
    /// Lines of those.
    lines: usize,
    /// Files that were left alone, by reason.
    skipped: BTreeMap<&'static str, usize>,
    /// Folders that were passed over as a whole.
    skipped_folders: usize,
    /// Matches that a comment allows.
    allowed: usize,
    /// Matches beyond the limit of a file.
    omitted: usize,
    /// Files that could not be read.
    unreadable: Vec<Unreadable<'r>>,
    /// What was found, by path and place.
    matches: Vec<Found<'r>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum Schema {
    #[serde(rename = "mcp-verdict/scan/v1")]
    V1,
}

/// What a scan came to.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Verdict {
    /// Nothing, or notes and warnings only.
    Pass,
    /// An error, or a warning where warnings are denied.
    Fail,
    /// There was no file to read.
    None,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Counts {
    error: usize,
    warning: usize,
    info: usize,
}

/// A file that could not be read.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Unreadable<'r> {
    /// The path, with `/` between its parts.
    path: &'r str,
    /// What the system said.
    why: &'r str,
}

/// One place.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Match"))]
#[serde(rename_all = "camelCase")]
struct Found<'r> {
    /// What was found: an id that `scan --list` shows.
    pattern: &'static str,
    /// How bad it is at this place.
    #[cfg_attr(feature = "schema", schemars(with = "Bad"))]
    severity: &'static str,
    /// The path, with `/` between its parts.
    path: &'r str,
    /// Line, from 1.
    line: u32,
    /// Column in characters, from 1.
    column: u32,
    /// Length in characters.
    width: u32,
    /// The line, shortened.
    excerpt: &'r str,
    /// What was found, in words.
    finds: &'static str,
    /// How it was until 2025-11-25.
    old: &'static str,
    /// How it is since 2026-07-28.
    new: &'static str,
    /// The section of the specification that decides.
    spec_url: String,
    /// Why the severity is lower than the pattern's.
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'static str>,
    /// What `--fix` writes in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    replacement: Option<&'static str>,
}

/// The words of [`Severity`].
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Severity")]
#[expect(dead_code, reason = "only its schema is asked for")]
enum Bad {
    Error,
    Warning,
    Info,
}

/// The JSON Schema of the document, as `schema/scan-v1.json` has it.
#[cfg(feature = "schema")]
pub(super) fn schema() -> schemars::Schema {
    schemars::generate::SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<Document<'static>>()
}

pub(super) fn render(report: &ScanReport) -> String {
    let matches = report
        .files
        .iter()
        .flat_map(|file| file.matches.iter().map(|found| row(&file.path, found)))
        .collect();
    let unreadable = report.unreadable.iter();
    verdict_report::pretty(&Document {
        schema: Schema::V1,
        verdict: match report.outcome() {
            Outcome::Pass => Verdict::Pass,
            Outcome::Fail => Verdict::Fail,
            Outcome::None => Verdict::None,
        },
        summary: report.summary(),
        counts: Counts {
            error: report.count(Severity::Error),
            warning: report.count(Severity::Warning),
            info: report.count(Severity::Info),
        },
        files: report.read,
        lines: report.lines,
        skipped: report
            .skipped
            .iter()
            .map(|(skip, count)| (skip.reason(), *count))
            .collect(),
        skipped_folders: report.folders,
        allowed: report.allowed,
        omitted: report.omitted,
        unreadable: unreadable
            .map(|(path, why)| Unreadable { path, why })
            .collect(),
        matches,
    })
}

fn row<'r>(path: &'r str, found: &'r Match) -> Found<'r> {
    Found {
        pattern: found.pattern.id,
        severity: found.severity.word(),
        path,
        line: found.line,
        column: found.column,
        width: found.width,
        excerpt: &found.excerpt,
        finds: found.pattern.finds,
        old: found.pattern.old,
        new: found.pattern.new,
        spec_url: found.pattern.spec_url(),
        because: found.because,
        replacement: found.mend.map(|mend| mend.replacement),
    }
}
