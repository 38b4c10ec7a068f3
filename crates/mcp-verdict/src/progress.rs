//! A progress line on standard error, on a terminal only.

use std::io::{IsTerminal, Write};
use verdict_core::engine::Progress;

/// The progress line.
pub(crate) struct Bar {
    shown: bool,
    enabled: bool,
    last: Progress,
}

impl Bar {
    /// A line that shows on a terminal, unless told to be quiet.
    pub(crate) fn new(quiet: bool) -> Self {
        let enabled = !quiet && std::io::stderr().is_terminal();
        Self {
            shown: false,
            enabled,
            last: Progress::default(),
        }
    }

    /// Shows how far the run has come.
    pub(crate) fn show(&mut self, progress: Progress) {
        if self.enabled && progress != self.last {
            self.last = progress;
            self.shown = true;
            let Progress { done, known } = progress;
            let bar = bar(done, known);
            let _ = write!(
                std::io::stderr(),
                "\r  checking {bar} {done}/{known} \u{1b}[K"
            );
        }
    }

    /// Shows a line of another kind of progress.
    pub(crate) fn line(&mut self, text: &str) {
        if self.enabled {
            self.shown = true;
            let _ = write!(std::io::stderr(), "\r  {text} \u{1b}[K");
        }
    }

    /// Takes the line away.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = write!(std::io::stderr(), "\r\u{1b}[K");
        }
    }
}

/// A bar of `done` out of `known`, 24 columns wide.
pub(crate) fn bar(done: usize, known: usize) -> String {
    let filled = (done * 24).checked_div(known).unwrap_or(0).min(24);
    format!("{}{}", "━".repeat(filled), "─".repeat(24 - filled))
}

/// How far the runs of models have come.
pub(crate) struct Tally {
    bar: Bar,
    began: std::time::Instant,
    done: usize,
    known: usize,
}

impl Tally {
    /// A line for the runs of one model; on a terminal only.
    pub(crate) fn new(quiet: bool) -> Self {
        Self {
            bar: Bar::new(quiet),
            began: std::time::Instant::now(),
            done: 0,
            known: 0,
        }
    }

    /// Says that more runs are to be made.
    pub(crate) fn expect(&mut self, runs: usize) {
        self.known += runs;
    }

    /// Says that a run was made; `spent` is what the model's calls came to, in words.
    pub(crate) fn done(&mut self, spent: &str) {
        self.done += 1;
        let (done, known) = (self.done, self.known);
        let each = self.began.elapsed() / u32::try_from(done).unwrap_or(u32::MAX);
        let left = each * u32::try_from(known.saturating_sub(done)).unwrap_or(u32::MAX);
        let bar = bar(done, known);
        self.bar.line(&format!(
            "asking {bar} {done}/{known}  {spent}  {} s left",
            left.as_secs()
        ));
    }

    /// Takes the line away.
    pub(crate) fn clear(&mut self) {
        self.bar.clear();
    }
}
