//! The file that is recorded to: rewritten as a whole from time to time, so that a kill loses little.

use super::shared::Shared;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use verdict_proxy::recorder::{Recorder, Snapshot};

/// How often it is written at most.
const EVERY: Duration = Duration::from_millis(500);

/// Writes what has passed, in place of what the file held.
///
/// # Errors
/// Where the file cannot be written.
pub(crate) fn write(shared: &Shared, path: &Path) -> Result<()> {
    match shared.record(Recorder::snapshot) {
        Some(snapshot) => put(shared, &snapshot, path),
        None => Ok(()),
    }
}

fn put(shared: &Shared, snapshot: &Snapshot, path: &Path) -> Result<()> {
    // The last word is written while an earlier one may still be under way on its own thread.
    let mut written = shared.written();
    if snapshot.number < *written {
        return Ok(());
    }
    *written = snapshot.number;
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.part", std::process::id()));
    let beside = PathBuf::from(beside);
    let shown = path.display();
    std::fs::write(&beside, snapshot.json()?)
        .and_then(|()| std::fs::rename(&beside, path))
        .with_context(|| format!("writing the recording to `{shown}` (--record)"))
}

/// Writes again and again, for ever.
pub(crate) async fn keep(shared: Arc<Shared>, path: PathBuf) {
    let mut pause = EVERY;
    loop {
        tokio::time::sleep(pause).await;
        let new = |recorder: &mut Recorder, now| recorder.is_new().then(|| recorder.snapshot(now));
        let Some(snapshot) = shared.record(new).flatten() else {
            continue;
        };
        let (began, to, with) = (Instant::now(), path.clone(), Arc::clone(&shared));
        // A disk that is full now may have room at the end, when a failure is told. Traffic does not wait for it.
        let _ = tokio::task::spawn_blocking(move || put(&with, &snapshot, &to)).await;
        // A large recording takes its time: no more than a tenth of it is spent here.
        pause = EVERY.max(began.elapsed() * 10);
    }
}
