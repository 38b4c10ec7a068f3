//! The client's command: started with the proxy's address, watched until it ends or its time is up.

use crate::driver::{Group, Launch, Tail, spawn};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tokio::process::Child;
use verdict_client::Ending;
use verdict_core::mask::Masks;
use verdict_model::Transcript;

/// The word, or part of one, that stands for the command of a server on stdio.
pub(super) const COMMAND: &str = "{command}";
/// Bytes that are kept of each of its outputs.
const KEPT: usize = 256 << 10;

/// How one run of the command ended, and the end of what it wrote; secrets are masked.
pub(super) struct Ran {
    pub(super) ending: Ending,
    pub(super) output: String,
    pub(super) errors: String,
}

/// Where the client finds its server.
pub(super) enum Address {
    /// At this URL.
    Url(String),
    /// It starts a command.
    Command {
        /// Its words.
        words: Vec<String>,
        /// What its processes write down.
        recording: PathBuf,
    },
}

impl Address {
    /// The variable that tells it.
    fn variable(&self) -> (String, String) {
        match self {
            Self::Url(url) => ("MCP_SERVER_URL".to_owned(), url.clone()),
            Self::Command { words, .. } => ("MCP_SERVER_COMMAND".to_owned(), joined(words)),
        }
    }

    /// The client's command with it: as words of their own where a word stands for them.
    fn put_into(&self, words: &[String]) -> Vec<String> {
        let put = |word: &String| match self {
            Self::Url(url) => vec![word.replace("{url}", url)],
            Self::Command { words, .. } if word == COMMAND => words.clone(),
            Self::Command { words, .. } => vec![word.replace(COMMAND, &joined(words))],
        };
        words.iter().flat_map(put).collect()
    }
}

/// Words as one line that is split into them again.
fn joined(words: &[String]) -> String {
    let quoted = words
        .iter()
        .map(|word| format!("'{}'", word.replace('\'', "'\\''")));
    quoted.collect::<Vec<_>>().join(" ")
}

/// Runs the command against a proxy, and ends its whole process group after.
pub(super) async fn run(
    words: &[String],
    address: &Address,
    launch: &Launch,
    limit: Duration,
    masks: &Masks,
) -> Ran {
    let words = address.put_into(words);
    let mut launch = launch.clone();
    let (name, value) = address.variable();
    launch.environment.retain(|(other, _)| *other != name);
    launch.environment.push((name, value));
    let mut child = match spawn(&words, &launch, Stdio::null()) {
        Ok(child) => child,
        Err(why) => {
            return Ran {
                ending: Ending::Failed(why),
                output: String::new(),
                errors: String::new(),
            };
        }
    };
    let group = Group::of(&child);
    let _left = Left(group.clone());
    let (out, err) = (Tail::of(KEPT), Tail::of(KEPT));
    let readers = [
        child
            .stdout
            .take()
            .map(|source| tokio::spawn(out.clone().keep(source))),
        child
            .stderr
            .take()
            .map(|source| tokio::spawn(err.clone().keep(source))),
    ];
    let (ending, exited) = wait(&mut child, limit).await;
    if let (true, Address::Command { recording, .. }) = (exited, address) {
        settle(recording).await;
    }
    group.end(&mut child, exited).await;
    // What it wrote is read to its end; something that left the group may hold the pipes for ever.
    let read = async {
        for reader in readers.into_iter().flatten() {
            let _ = reader.await;
        }
    };
    let _ = tokio::time::timeout(Duration::from_millis(300), read).await;
    Ran {
        ending,
        output: masks.hide(&out.text()),
        errors: masks.hide(&err.text()),
    }
}

/// Waits until a client ends or its time is up; how it ended, and whether it did.
async fn wait(child: &mut Child, limit: Duration) -> (Ending, bool) {
    let began = Instant::now();
    match tokio::time::timeout(limit, child.wait()).await {
        Ok(Ok(status)) => (ending(status), true),
        Ok(Err(error)) => (Ending::Failed(error.to_string()), true),
        Err(_) => {
            let after = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            (Ending::Hung(after), false)
        }
    }
}

/// What is left of a group is killed with this: a run that is cut off leaves nothing behind.
struct Left(Group);

impl Drop for Left {
    fn drop(&mut self) {
        self.0.signal(true);
    }
}

/// Waits a little for proxies that the client leaves behind: they see the end of their input and write down how they ended.
async fn settle(recording: &Path) {
    let over = || {
        let text = std::fs::read_to_string(recording).unwrap_or_default();
        let transcript: Option<Transcript> = serde_json::from_str(&text).ok();
        // Without a channel its process has only just begun.
        transcript.is_none_or(|one| {
            let ended = one.channels.iter().all(|channel| channel.ending.is_some());
            ended && !one.channels.is_empty()
        })
    };
    for _ in 0..20 {
        if over() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn ending(status: ExitStatus) -> Ending {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ending::Signal(signal);
    }
    Ending::Exited(status.code().unwrap_or(-1))
}
