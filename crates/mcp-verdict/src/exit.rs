//! Exit codes, and what is said on the way out.

use std::io::Write as _;
use std::process::ExitCode;
use verdict_model::Verdict;
use verdict_report::safe;

/// The documented exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Verdict pass.
    Pass = 0,
    /// Verdict fail.
    Fail = 1,
    /// Bad usage, configuration or input file.
    Usage = 2,
    /// No verdict.
    NoVerdict = 3,
    /// A fault of our own.
    Internal = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Pass => Self::Pass,
            Verdict::Fail => Self::Fail,
            Verdict::None => Self::NoVerdict,
        }
    }
}

/// A mistake in usage, configuration or an input file: what, where, and the mend.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl std::fmt::Display for Usage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// The server could not be started: there will be no verdict.
#[derive(Debug)]
pub(crate) struct NotStarted {
    /// A sentence for the report.
    pub(crate) why: String,
    /// What the server wrote last; empty where it wrote nothing.
    pub(crate) last_words: String,
}

impl NotStarted {
    /// A server that said nothing.
    pub(crate) fn new(why: String) -> Self {
        Self {
            why,
            last_words: String::new(),
        }
    }
}

impl std::fmt::Display for NotStarted {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str(&self.why)
    }
}

impl std::error::Error for NotStarted {}

/// What was to be told could not be written: a verdict that nobody can read is none.
#[derive(Debug)]
pub(crate) struct Lost(pub(crate) std::io::Error);

impl std::fmt::Display for Lost {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(formatter, "standard output cannot be written: {}", self.0)
    }
}

impl std::error::Error for Lost {}

/// Says what went wrong and gives the exit code for it.
pub(crate) fn explain(error: &anyhow::Error) -> Exit {
    let exit = if error.is::<NotStarted>() {
        Exit::NoVerdict
    } else if error.is::<Usage>()
        || error
            .chain()
            .any(<dyn std::error::Error>::is::<std::io::Error>)
    {
        Exit::Usage
    } else {
        Exit::Internal
    };
    say(&format!("error: {error:#}"));
    if exit == Exit::Internal && !error.is::<Lost>() {
        say("This is a fault of mcp-verdict itself; please report it with the command you ran.");
    }
    exit
}

/// Writes a line to standard error; text of strangers in it is made safe.
///
/// Where nobody hears it there is nobody to tell that either.
pub(crate) fn say(text: &str) {
    let mut err = std::io::stderr().lock();
    for line in text.lines() {
        let _ = writeln!(err, "{}", safe::terminal(line));
    }
}

/// A panic is a fault of our own: exit code 4, and what to report.
pub(crate) fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        say(&format!(
            "error: mcp-verdict {} panicked: {info}",
            env!("CARGO_PKG_VERSION")
        ));
        say("This is a fault of mcp-verdict itself; please report it with the command you ran.");
        #[expect(
            clippy::exit,
            reason = "the release build aborts on panic; users get a documented code"
        )]
        std::process::exit(Exit::Internal as i32);
    }));
}
