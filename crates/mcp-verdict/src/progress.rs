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
