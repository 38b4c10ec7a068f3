//! `mcp-verdict merge`: the reports of sharded jobs, joined. Texts of cases are copied from file to file.

use crate::exit::{Exit, Usage};
use crate::{input, output};
use anyhow::{Context, Result};
use clap::Args;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use verdict_eval::merge::{Merged, Outline, Slice, merge};

/// Between two cases, before the first and after the last: as deep as cases stand in a report.
const INDENT: &str = "\n            ";
const OUTDENT: &str = "\n          ";

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The reports of all parts, in any order
    #[arg(required = true, value_name = "REPORT")]
    pub(crate) reports: Vec<PathBuf>,
    /// File for the joined report
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

pub(crate) fn run(args: &MergeArgs) -> Result<Exit> {
    let outlines = args.reports.iter().map(|path| {
        let text = input::read(path, input::REPORT_BYTES, "a report")?;
        Ok(Outline::read(&path.display().to_string(), &text).map_err(told)?)
    });
    let outlines: Vec<Outline> = outlines.collect::<Result<_>>()?;
    let merged = merge(&outlines).map_err(told)?;
    let shown = args.out.display();
    write(args, &merged).with_context(|| format!("writing the joined report to `{shown}`"))?;
    output::print(&format!("{shown}: {} parts joined\n", outlines.len()))?;
    Ok(merged.verdict.into())
}

fn told(error: impl std::fmt::Display) -> Usage {
    Usage(error.to_string())
}

/// Writes the report beside its place and moves it there, so that a report that is one of the parts can be its place too.
fn write(args: &MergeArgs, merged: &Merged) -> Result<()> {
    if let Some(folder) = args
        .out
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder)?;
    }
    let mut name = args.out.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let new = args.out.with_file_name(name);
    let written =
        fill(&new, &args.reports, merged).and_then(|()| Ok(std::fs::rename(&new, &args.out)?));
    if written.is_err() {
        let _ = std::fs::remove_file(&new);
    }
    written
}

fn fill(new: &Path, reports: &[PathBuf], merged: &Merged) -> Result<()> {
    let mut out = BufWriter::new(File::create(new)?);
    let files: std::io::Result<Vec<File>> = reports.iter().map(File::open).collect();
    let mut files = files?;
    let text = verdict_report::pretty(&merged.report);
    let mut rest = text.as_str();
    for (mark, cases) in merged.marks.iter().zip(&merged.cases) {
        let quoted = format!("\"{mark}\"");
        let (before, after) = rest.split_once(&quoted).context("a mark is gone")?;
        out.write_all(before.as_bytes())?;
        copy(&mut out, &mut files, cases)?;
        rest = after;
    }
    out.write_all(rest.as_bytes())?;
    out.flush()?;
    Ok(())
}

fn copy(out: &mut impl Write, files: &mut [File], cases: &[(usize, Slice)]) -> Result<()> {
    if cases.is_empty() {
        out.write_all(b"[]")?;
        return Ok(());
    }
    let mut bytes = Vec::new();
    for (at, (file, slice)) in cases.iter().enumerate() {
        out.write_all(if at == 0 { b"[" } else { b"," })?;
        out.write_all(INDENT.as_bytes())?;
        bytes.resize(slice.length, 0);
        let file = &mut files[*file];
        file.seek(SeekFrom::Start(slice.from as u64))?;
        file.read_exact(&mut bytes)?;
        out.write_all(&bytes)?;
    }
    out.write_all(OUTDENT.as_bytes())?;
    out.write_all(b"]")?;
    Ok(())
}
