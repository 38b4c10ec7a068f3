//! The walk over files and folders, on all cores, in the manner of ripgrep.

use ignore::{DirEntry, WalkBuilder, WalkState};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use verdict_scan::report::ScanReport;
use verdict_scan::{Examined, Limits, Place, Skip, examine, examine_as, is_skipped_folder};

/// Looks at everything below `roots`.
pub(super) fn scan(roots: &[PathBuf], limits: &Limits) -> ScanReport {
    let report = Mutex::new(ScanReport::default());
    let folders = Arc::new(AtomicUsize::new(0));
    let walker = builder(roots, &folders);
    walker.run(|| {
        let (report, roots) = (&report, roots);
        Box::new(move |entry| {
            match entry {
                Ok(entry) => visit(&entry, roots, limits, report),
                // The walker's own words name the path.
                Err(error) => locked(report)
                    .unreadable
                    .push((error.to_string(), String::new())),
            }
            WalkState::Continue
        })
    });
    let mut report = report.into_inner().unwrap_or_else(PoisonError::into_inner);
    report.folders = folders.load(Ordering::Relaxed);
    report.finish();
    report
}

/// A walker that reads ignore files, follows no links and stays out of other people's code.
fn builder(roots: &[PathBuf], folders: &Arc<AtomicUsize>) -> ignore::WalkParallel {
    let mut roots = roots.iter();
    let first = roots.next().map_or(Path::new("."), PathBuf::as_path);
    let mut builder = WalkBuilder::new(first);
    for root in roots {
        builder.add(root);
    }
    // Workflows stand in a hidden folder, and a tree without `.git` has ignore files too.
    builder.hidden(false).require_git(false).follow_links(false);
    let folders = Arc::clone(folders);
    builder.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let name = entry.file_name().to_str().unwrap_or_default();
        let passed_over = entry.depth() > 0 && is_folder && is_skipped_folder(name);
        if passed_over && name != ".git" {
            folders.fetch_add(1, Ordering::Relaxed);
        }
        !passed_over
    });
    builder.build_parallel()
}

fn visit(entry: &DirEntry, roots: &[PathBuf], limits: &Limits, report: &Mutex<ScanReport>) {
    let path = entry.path();
    let named = entry.depth() == 0;
    let is_file = if named {
        path.is_file()
    } else {
        entry.file_type().is_some_and(|kind| kind.is_file())
    };
    if !is_file {
        return;
    }
    let shown = shown(path);
    let examined = read(path, named, roots, limits);
    let mut report = locked(report);
    match examined {
        Ok(examined) => report.add(shown, examined),
        Err(error) => report.unreadable.push((shown, error.to_string())),
    }
}

fn locked(report: &Mutex<ScanReport>) -> std::sync::MutexGuard<'_, ScanReport> {
    report.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is in a file. One that was named itself is looked at wherever it lies.
fn read(path: &Path, named: bool, roots: &[PathBuf], limits: &Limits) -> std::io::Result<Examined> {
    let below = below(path, roots);
    let below = below.to_string_lossy();
    let place = if named {
        Place::of_named_file(&path.to_string_lossy())
    } else {
        // Names decide first, so that most files of other languages are never opened.
        let examined = examine(&below, b"", limits);
        if examined.skipped.is_some() {
            return Ok(examined);
        }
        Place::of_named_file(&below)
    };
    let Some(place) = place else {
        return Ok(skipped(Skip::Unknown));
    };
    let file = std::fs::File::open(path)?;
    let size = file.metadata()?.len();
    let most = limits.file_bytes as u64;
    if size > most {
        return Ok(skipped(Skip::TooLarge));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    file.take(most + 1).read_to_end(&mut bytes)?;
    Ok(examine_as(place, &bytes, limits))
}

fn skipped(skip: Skip) -> Examined {
    Examined {
        skipped: Some(skip),
        ..Examined::default()
    }
}

/// The part of a path below the root it was found through.
fn below<'p>(path: &'p Path, roots: &[PathBuf]) -> &'p Path {
    roots
        .iter()
        .find_map(|root| path.strip_prefix(root).ok())
        .unwrap_or(path)
}

/// A path as people and annotations need it: below the current folder where it lies there.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(&here).unwrap_or(path);
    let path = path.strip_prefix(".").unwrap_or(path);
    path.to_string_lossy()
        .replace(std::path::MAIN_SEPARATOR, "/")
}
