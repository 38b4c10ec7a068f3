//! The client's command: started with the proxy's address, watched until it ends or its time is up.

use crate::driver::{Group, Launch, Tail, spawn};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};
use verdict_client::Ending;
use verdict_core::mask::Masks;

/// The variable that holds the proxy's address.
pub(super) const VARIABLE: &str = "MCP_SERVER_URL";
/// The word, or part of one, that stands for the address in a command.
pub(super) const PLACEHOLDER: &str = "{url}";
/// Bytes that are kept of each of its outputs.
const KEPT: usize = 256 << 10;

/// How one run of the command ended, and the end of what it wrote; secrets are masked.
pub(super) struct Ran {
    pub(super) ending: Ending,
    pub(super) output: String,
    pub(super) errors: String,
}

/// Runs the command against a proxy, and ends its whole process group after.
pub(super) async fn run(
    words: &[String],
    url: &str,
    launch: &Launch,
    limit: Duration,
    masks: &Masks,
) -> Ran {
    let words: Vec<String> = words
        .iter()
        .map(|word| word.replace(PLACEHOLDER, url))
        .collect();
    let mut launch = launch.clone();
    launch.environment.retain(|(name, _)| name != VARIABLE);
    launch
        .environment
        .push((VARIABLE.to_owned(), url.to_owned()));
    let began = Instant::now();
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
    let waited = tokio::time::timeout(limit, child.wait()).await;
    let exited = waited.is_ok();
    let ending = match waited {
        Ok(Ok(status)) => ending(status),
        Ok(Err(error)) => Ending::Failed(error.to_string()),
        Err(_) => Ending::Hung(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)),
    };
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

fn ending(status: ExitStatus) -> Ending {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ending::Signal(signal);
    }
    Ending::Exited(status.code().unwrap_or(-1))
}
