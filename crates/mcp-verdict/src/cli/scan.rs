//! `mcp-verdict scan`: what revision 2026-07-28 breaks in a repository.

mod diff;
mod walk;

use super::ScanArgs;
use crate::exit::{Exit, Usage};
use crate::output;
use anyhow::{Context, Result};
use clap::ArgMatches;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use verdict_report::Format;
use verdict_scan::report::{Outcome, ScanReport, render};
use verdict_scan::{Limits, PATTERNS};

pub(crate) fn run(args: &ScanArgs, matches: &ArgMatches) -> Result<Exit> {
    if args.list {
        output::print(&list())?;
        return Ok(Exit::Pass);
    }
    let sinks = output::sinks(matches)?;
    let roots = roots(&args.paths)?;
    let limits = Limits {
        file_bytes: args.max_file_size,
        matches: args.max_matches,
        ..Limits::default()
    };
    let mut report = walk::scan(&roots, &limits);
    report.deny_warnings = args.deny_warnings;
    if args.fix {
        let diff = fix(&report, args.yes)?;
        // Standard output stays what another program can read.
        let shown_there = sinks.iter().all(|sink| {
            sink.path.is_some() || matches!(sink.format, Format::Text | Format::Github)
        });
        if shown_there {
            output::print(&diff)?;
        } else {
            diff.lines().for_each(crate::exit::say);
        }
        if args.yes {
            report = walk::scan(&roots, &limits);
            report.deny_warnings = args.deny_warnings;
        }
    }
    output::write_as(&sinks, &args.output, |format, style| {
        render(&report, format, style)
    })?;
    Ok(match report.outcome() {
        Outcome::Pass => Exit::Pass,
        Outcome::Fail => Exit::Fail,
        Outcome::None => Exit::NoVerdict,
    })
}

/// The paths to look at, those left out that lie below others.
fn roots(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    if paths.is_empty() {
        return Ok(vec![PathBuf::from(".")]);
    }
    let mut known: Vec<(PathBuf, PathBuf)> = Vec::new();
    for path in paths {
        let real = path.canonicalize().map_err(|error| {
            let shown = path.display();
            Usage(format!(
                "cannot scan `{shown}`: {error}; give a file or a folder that exists"
            ))
        })?;
        if !real.is_file() && !real.is_dir() {
            let shown = path.display();
            let message =
                format!("cannot scan `{shown}`: it is neither a regular file nor a folder");
            return Err(Usage(message).into());
        }
        known.push((path.clone(), real));
    }
    let below = |place: usize, real: &Path| {
        known.iter().enumerate().any(|(other, (_, upper))| {
            real.starts_with(upper) && (real != upper || other < place) && other != place
        })
    };
    Ok(known
        .iter()
        .enumerate()
        .filter(|(place, (_, real))| !below(*place, real))
        .map(|(_, (path, _))| path.clone())
        .collect())
}

/// Makes the safe renames; gives back the diff, and writes the files if `write`.
fn fix(report: &ScanReport, write: bool) -> Result<String> {
    let mut out = String::new();
    let mut files = 0;
    for file in &report.files {
        let mends: Vec<_> = file.matches.iter().filter_map(|found| found.mend).collect();
        if mends.is_empty() {
            continue;
        }
        let path = Path::new(&file.path);
        let before = std::fs::read_to_string(path)
            .with_context(|| format!("reading `{}` again", file.path))?;
        let Some(after) = diff::mended(&before, &mends) else {
            crate::exit::say(&format!(
                "{}: changed while it was read; left alone",
                file.path
            ));
            continue;
        };
        out.push_str(&diff::unified(&file.path, &before, &after));
        files += 1;
        if write {
            replace(path, &after)?;
        }
    }
    let noun = if files == 1 { "file" } else { "files" };
    let _ = match (files, write) {
        (0, _) => writeln!(out, "nothing to rename safely"),
        (files, true) => writeln!(out, "{files} {noun} written"),
        (files, false) => writeln!(out, "{files} {noun} would change; --fix --yes writes them"),
    };
    Ok(out)
}

/// Writes a file in place of the old one; never through a link.
fn replace(path: &Path, text: &str) -> Result<()> {
    let shown = path.display();
    let kind = std::fs::symlink_metadata(path).with_context(|| format!("looking at `{shown}`"))?;
    if !kind.is_file() {
        return Err(Usage(format!(
            "`{shown}` is not a regular file; scan the file it points to"
        ))
        .into());
    }
    std::fs::write(path, text).with_context(|| format!("writing `{shown}`"))
}

/// All patterns, for people.
fn list() -> String {
    let mut out = String::new();
    for pattern in PATTERNS {
        let _ = writeln!(
            out,
            "{}  {}\n  {} ({})\n  - {}\n  + {}\n  {}\n",
            pattern.id,
            pattern.severity.word(),
            pattern.finds,
            pattern.languages.names(),
            pattern.old,
            pattern.new,
            pattern.spec_url(),
        );
    }
    out
}
