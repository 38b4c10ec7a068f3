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
            let filled = (done * 24).checked_div(known).unwrap_or(0).min(24);
            let bar = format!("{}{}", "━".repeat(filled), "─".repeat(24 - filled));
            let _ = write!(
                std::io::stderr(),
                "\r  checking {bar} {done}/{known} \u{1b}[K"
            );
        }
    }

    /// Takes the line away.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = write!(std::io::stderr(), "\r\u{1b}[K");
        }
    }
}
