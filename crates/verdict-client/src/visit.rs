//! A visit: one run of the client's command under one scenario, as the driver saw it. Plain data.

use serde::{Deserialize, Serialize};
use verdict_model::Transcript;

/// One run of the client under one scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Visit {
    /// The scenario's name.
    pub scenario: String,
    /// What the proxy saw; times are milliseconds since the proxy began.
    pub transcript: Transcript,
    /// How the command ended.
    pub ending: Ending,
    /// The last lines of its standard output.
    #[serde(default)]
    pub output: String,
    /// The last lines of its standard error.
    #[serde(default)]
    pub errors: String,
}

/// How the client's command ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "how", content = "detail")]
pub enum Ending {
    /// By itself, with this exit code.
    Exited(i32),
    /// By a signal that we did not send.
    Signal(i32),
    /// It still ran after so many milliseconds, and was ended by us.
    Hung(u64),
    /// It could not be run, or the proxy could not; the driver's words.
    Failed(String),
}

impl Visit {
    /// Whether the command ended by itself with exit code 0.
    pub fn is_well(&self) -> bool {
        self.ending == Ending::Exited(0)
    }

    /// Whether we had to end it.
    pub fn is_hung(&self) -> bool {
        matches!(self.ending, Ending::Hung(_))
    }

    /// How it ended, as it stands in a sentence after "the client".
    pub fn ending_in_words(&self) -> String {
        match &self.ending {
            Ending::Exited(code) => format!("ended with exit code {code}"),
            Ending::Signal(number) => format!("was ended by signal {number}"),
            Ending::Hung(after) => format!("still ran after {} s", after / 1000),
            Ending::Failed(why) => format!("could not be run: {why}"),
        }
    }

    /// The last line it wrote to standard error, for a message; nothing where it wrote none.
    pub fn last_error(&self) -> Option<&str> {
        self.errors
            .lines()
            .rev()
            .map(str::trim)
            .find(|line| !line.is_empty())
    }

    /// How many lines of standard output hold this text.
    pub fn tells(&self, text: &str) -> usize {
        self.output
            .lines()
            .filter(|line| line.contains(text))
            .count()
    }
}
