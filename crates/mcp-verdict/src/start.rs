//! `--start`: an HTTP server that we start, wait for, and end with its whole process group.

use crate::driver::{Group, Launch, Server, Trust, answers, spawn_server};
use crate::exit::NotStarted;
use crate::interrupt::Interrupt;
use std::time::{Duration, Instant};
use verdict_core::wire::endpoint::Endpoint;

/// How long a server may take until it answers.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that we started.
pub(crate) struct Started {
    server: Server,
}

/// What is waited for, and how long.
pub(crate) struct Wait<'w> {
    pub(crate) endpoint: &'w Endpoint,
    pub(crate) trust: &'w Trust,
    pub(crate) deadline: Duration,
}

impl Started {
    /// Starts a server and waits for an MCP answer at the endpoint: also 401, or 400 with a message.
    ///
    /// # Errors
    /// [`NotStarted`]; the server is ended then, with its whole process group.
    pub(crate) async fn begin(
        words: &[String],
        launch: &Launch,
        wait: &Wait<'_>,
        interrupt: &mut Interrupt,
    ) -> Result<Self, NotStarted> {
        if answers(wait.endpoint, wait.trust, Duration::from_secs(2))
            .await
            .is_ok()
        {
            let url = wait.endpoint.url();
            return Err(NotStarted::new(format!(
                "Something answers at {url} already, before --start was run; stop it, or leave out --start."
            )));
        }
        let mut server = spawn_server(words, launch).map_err(NotStarted::new)?;
        let why = tokio::select! {
            ready = wait.until_it_answers(&mut server) => match ready {
                Ok(()) => return Ok(Self { server }),
                Err(why) => why,
            },
            () = interrupt => {
                "The run was cut off before the server answered: it was interrupted.".to_owned()
            }
        };
        let tail = server.last_words().await;
        let last_words = if tail.is_empty() {
            String::new()
        } else {
            format!("the server's last words:\n{}", indent(&tail))
        };
        Err(NotStarted { why, last_words })
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

impl Wait<'_> {
    /// Asks until there is an answer, the server has ended or the time is up; then why there is none.
    async fn until_it_answers(&self, server: &mut Server) -> Result<(), String> {
        let patience = PATIENCE.min(self.deadline);
        let until = Instant::now() + patience;
        loop {
            let why = match answers(self.endpoint, self.trust, Duration::from_secs(5)).await {
                Ok(()) => return Ok(()),
                Err(why) => why,
            };
            if let Some(how) = server.ended() {
                return Err(format!("The server that --start ran has ended ({how})."));
            }
            if Instant::now() >= until {
                return Err(format!(
                    "The server did not answer at {} within {} s: {why}.",
                    self.endpoint.url(),
                    patience.as_secs()
                ));
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

fn indent(text: &str) -> String {
    text.lines()
        .map(|line| format!("  | {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}
