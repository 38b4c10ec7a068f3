//! `mcp-verdict merge`: the reports of sharded jobs, joined. Texts of cases are copied from file to file.

use crate::exit::{Exit, Usage};
use crate::{input, output};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use verdict_eval::merge::{Merged, Outline, Slice, merge};

/// Between two cases, before the first and after the last: as deep as cases stand in a report.
const INDENT: &str = "\n            ";
const OUTDENT: &str = "\n          ";
/// Bytes that are handed to the disk at a time.
const PIECE: usize = 1 << 20;

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
    let outlines = outlines(&args.reports)?;
    let merged = merge(&outlines).map_err(told)?;
    let shown = args.out.display();
    write(args, &merged).with_context(|| format!("writing the joined report to `{shown}`"))?;
    output::print(&format!("{shown}: {} parts joined\n", outlines.len()))?;
    Ok(merged.verdict.into())
}

/// The outlines of all parts, read on as many threads as there are processors; the first report in order that is none decides
/// what is told.
fn outlines(reports: &[PathBuf]) -> Result<Vec<Outline>> {
    let outline = |path: &PathBuf| -> Result<Outline> {
        let text = input::read(path, input::REPORT_BYTES, "a report")?;
        Ok(Outline::read(&path.display().to_string(), &text).map_err(told)?)
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut read = Vec::new();
        while let Some((at, path)) = take(reports, &next) {
            read.push((at, outline(path)));
        }
        read
    };
    let mut all = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(reports.len()))
            .map(|_| scope.spawn(work))
            .collect();
        let mut all = work();
        for other in others {
            all.extend(
                other
                    .join()
                    .map_err(|_| anyhow!("reading a report failed"))?,
            );
        }
        Ok::<_, anyhow::Error>(all)
    })?;
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, outline)| outline).collect()
}

/// The next report that nobody took.
fn take<'r>(reports: &'r [PathBuf], next: &AtomicUsize) -> Option<(usize, &'r PathBuf)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, reports.get(at)?))
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
    let mut file = File::create(new)?;
    // While one piece is written the next is gathered.
    let (send, receive) = sync_channel::<Vec<u8>>(2);
    std::thread::scope(|scope| {
        let writer =
            scope.spawn(move || receive.iter().try_for_each(|piece| file.write_all(&piece)));
        let mut pieces = Pieces {
            send,
            bytes: Vec::new(),
        };
        let gathered = gather(&mut pieces, reports, merged);
        drop(pieces);
        // A disk that is full is why nothing more could be handed over.
        writer.join().map_err(|_| anyhow!("the writer failed"))??;
        gathered
    })
}

/// What is to be written, handed over in pieces.
struct Pieces {
    send: SyncSender<Vec<u8>>,
    bytes: Vec<u8>,
}

impl Pieces {
    fn flush(&mut self) -> Result<()> {
        let piece = std::mem::replace(&mut self.bytes, Vec::with_capacity(PIECE + PIECE / 4));
        Ok(self.send.send(piece)?)
    }
}

fn gather(pieces: &mut Pieces, reports: &[PathBuf], merged: &Merged) -> Result<()> {
    let files: std::io::Result<Vec<File>> = reports.iter().map(File::open).collect();
    let mut files = files?;
    let text = verdict_report::pretty(&merged.report);
    let mut rest = text.as_str();
    for (mark, cases) in merged.marks.iter().zip(&merged.cases) {
        let quoted = format!("\"{mark}\"");
        let (before, after) = rest.split_once(&quoted).context("a mark is gone")?;
        pieces.bytes.extend_from_slice(before.as_bytes());
        copy(pieces, &mut files, cases)?;
        rest = after;
    }
    pieces.bytes.extend_from_slice(rest.as_bytes());
    pieces.flush()
}

fn copy(pieces: &mut Pieces, files: &mut [File], cases: &[(usize, Slice)]) -> Result<()> {
    if cases.is_empty() {
        pieces.bytes.extend_from_slice(b"[]");
        return Ok(());
    }
    for (at, (file, slice)) in cases.iter().enumerate() {
        let bytes = &mut pieces.bytes;
        bytes.push(if at == 0 { b'[' } else { b',' });
        bytes.extend_from_slice(INDENT.as_bytes());
        let from = bytes.len();
        bytes.resize(from + slice.length, 0);
        let file = &mut files[*file];
        file.seek(SeekFrom::Start(slice.from as u64))?;
        file.read_exact(&mut bytes[from..])?;
        if bytes.len() >= PIECE {
            pieces.flush()?;
        }
    }
    pieces.bytes.extend_from_slice(OUTDENT.as_bytes());
    pieces.bytes.push(b']');
    Ok(())
}
