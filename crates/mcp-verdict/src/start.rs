//! `--start`: an HTTP server that we start, wait for, and end with its whole process group.

use crate::driver::{Group, Launch, spawn_server};
use crate::exit::NotStarted;
use anyhow::Result;
use std::time::{Duration, Instant};
use verdict_core::wire::endpoint::Endpoint;

/// How long a server may take until it answers.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that we started.
pub(crate) struct Started {
    server: crate::driver::Server,
}

impl Started {
    /// Starts a server and waits for an MCP answer at the endpoint: also 401, or 400 with a message.
    pub(crate) async fn wait(
        words: &[String],
        launch: &Launch,
        endpoint: &Endpoint,
        trust: &crate::driver::Trust,
        deadline: Duration,
    ) -> Result<Self> {
        if crate::driver::answers(endpoint, trust, Duration::from_secs(2))
            .await
            .is_ok()
        {
            let url = endpoint.url();
            return Err(NotStarted(format!(
                "something answers at {url} already, before --start was run; stop it, or leave out --start"
            ))
            .into());
        }
        let mut server = spawn_server(words, launch).map_err(NotStarted)?;
        let until = Instant::now() + PATIENCE.min(deadline);
        loop {
            let why = match crate::driver::answers(endpoint, trust, Duration::from_secs(5)).await {
                Ok(()) => return Ok(Self { server }),
                Err(why) => why,
            };
            let ended = server.ended();
            if ended.is_some() || Instant::now() >= until {
                let seconds = PATIENCE.min(deadline).as_secs();
                let what = match ended {
                    Some(how) => format!("the server that --start ran has ended ({how})"),
                    None => format!(
                        "the server did not answer at {} within {seconds} s: {why}",
                        endpoint.url()
                    ),
                };
                let tail = server.tail();
                server.end().await;
                let tail = if tail.is_empty() {
                    String::new()
                } else {
                    format!("\nits last words:\n{}", indent(&tail))
                };
                return Err(NotStarted(format!("{what}{tail}")).into());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Its process group.
    pub(crate) fn group(&self) -> Group {
        self.server.group()
    }

    /// Ends the server with its whole process group.
    pub(crate) async fn end(mut self) {
        self.server.end().await;
    }
}

fn indent(text: &str) -> String {
    text.lines()
        .map(|line| format!("  | {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}
