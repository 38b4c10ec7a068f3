//! The file that is recorded to: rewritten as a whole from time to time, so that a kill loses little.

use super::shared::Shared;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often it is written at most.
const EVERY: Duration = Duration::from_millis(500);

/// Writes what has passed, in place of what the file held.
///
/// # Errors
/// Where the file cannot be written.
pub(crate) fn write(shared: &Shared, path: &Path) -> Result<()> {
    let Some(text) = shared.record(|recorder, now| recorder.json(now)) else {
        return Ok(());
    };
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.part", std::process::id()));
    let beside = PathBuf::from(beside);
    let shown = path.display();
    std::fs::write(&beside, text?)
        .and_then(|()| std::fs::rename(&beside, path))
        .with_context(|| format!("writing the recording to `{shown}` (--record)"))
}

/// Writes again and again, for ever.
pub(crate) async fn keep(shared: Arc<Shared>, path: PathBuf) {
    let mut pause = EVERY;
    loop {
        tokio::time::sleep(pause).await;
        if shared.record(|recorder, _| recorder.is_new()) != Some(true) {
            continue;
        }
        let began = Instant::now();
        // A disk that is full now may have room at the end, when a failure is told.
        let _ = write(&shared, &path);
        // A large recording takes its time: no more than a tenth of it is spent here.
        pause = EVERY.max(began.elapsed() * 10);
    }
}
