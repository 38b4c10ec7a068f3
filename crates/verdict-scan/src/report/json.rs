//! The scan as JSON, `mcp-verdict/scan/v1`: everything that was found, for other programs.

use super::{Outcome, ScanReport};
use crate::{Match, Severity};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'r> {
    schema: &'static str,
    verdict: &'static str,
    summary: String,
    counts: Counts,
    files: usize,
    lines: usize,
    skipped: BTreeMap<&'static str, usize>,
    skipped_folders: usize,
    allowed: usize,
    omitted: usize,
    unreadable: Vec<Unreadable<'r>>,
    matches: Vec<Found<'r>>,
}

#[derive(Serialize)]
struct Counts {
    error: usize,
    warning: usize,
    info: usize,
}

#[derive(Serialize)]
struct Unreadable<'r> {
    path: &'r str,
    why: &'r str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Found<'r> {
    pattern: &'static str,
    severity: &'static str,
    path: &'r str,
    line: u32,
    column: u32,
    width: u32,
    excerpt: &'r str,
    finds: &'static str,
    old: &'static str,
    new: &'static str,
    spec_url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replacement: Option<&'static str>,
}

pub(super) fn render(report: &ScanReport) -> String {
    let matches = report
        .files
        .iter()
        .flat_map(|file| file.matches.iter().map(|found| row(&file.path, found)))
        .collect();
    let unreadable = report.unreadable.iter();
    verdict_report::pretty(&Document {
        schema: "mcp-verdict/scan/v1",
        verdict: match report.outcome() {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::None => "none",
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
