//! Requests to GitHub's REST API: one origin, JSON in and out, limits honoured, nothing repeated blindly.
//!
//! octocrab carries them, without its own retries: it would create a check run again after an answer that got
//! lost. Its typed calls lack half of what check runs have, so the routes are written out.

use super::patience::{Answer, Next, decide};
use crate::driver::Trust;
use crate::exit::Usage;
use anyhow::{Context, Result, anyhow, bail};
use http_body_util::{BodyExt, Limited};
use octocrab::Octocrab;
use serde_json::Value;
use std::cell::Cell;
use std::time::{Duration, Instant, SystemTime};
use verdict_place::Changes;

/// How long one request may take; all requests that came to nothing; and all waiting for limits in one run.
const ANSWER: Duration = Duration::from_secs(15);
const LOST: Duration = Duration::from_secs(45);
const WAITING: Duration = Duration::from_secs(150);
/// Bytes of an answer; a page of a hundred annotations stays below.
const MOST: usize = 16 << 20;
/// Pages of changed files that are read.
const PAGES: usize = 10;
/// Characters of a message that are kept.
const MESSAGE: usize = 300;

/// A request that came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Fault {
    /// What happened, in words.
    pub(crate) message: String,
    /// The answer's status, where there was one.
    pub(crate) status: Option<u16>,
}

/// The API of one instance of GitHub, with one token.
pub(crate) struct Client {
    api: Octocrab,
    lost: Cell<Duration>,
    waited: Cell<Duration>,
    log: fn(&str),
}

impl Client {
    /// `base` is `GITHUB_API_URL`, which on GitHub Enterprise Server has a path; `log` hears what is waited for.
    ///
    /// To be called inside a runtime.
    pub(crate) fn new(base: &str, token: &str, log: fn(&str)) -> Result<Self> {
        let shown = token.bytes().all(|byte| byte.is_ascii_graphic());
        if token.is_empty() || !shown {
            bail!(Usage(
                "the token holds characters that no token has; give it as it is in GITHUB_TOKEN"
                    .to_owned()
            ));
        }
        let trust = Trust::default()
            .configuration()
            .map_err(|why| anyhow!(why))?;
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(trust)
            .user_agent("mcp-verdict")
            // The token is for this origin and no other.
            .redirect(reqwest::redirect::Policy::none())
            .timeout(ANSWER)
            .build()
            .context("preparing requests to GitHub's API")?;
        let address = || Usage(format!("`{base}` is no address of GitHub's API"));
        if !base.starts_with("https://") && !base.starts_with("http://") {
            bail!(address());
        }
        let api = Octocrab::builder()
            .base_uri(base.trim_end_matches('/'))
            .map_err(|_| address())?
            .personal_token(token.to_owned())
            .build_with_reqwest(http)
            .context("preparing requests to GitHub's API")?;
        Ok(Self {
            api,
            lost: Cell::default(),
            waited: Cell::default(),
            log,
        })
    }

    /// Sends a request and gives back the JSON of its answer.
    ///
    /// `was_done` is asked before a request is sent again that may have been carried out in spite of its answer;
    /// what it gives back stands for the answer.
    pub(crate) async fn request(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
        was_done: impl AsyncFn() -> Result<Option<Value>, Fault>,
    ) -> Result<Value, Fault> {
        for tried in 1.. {
            let began = Instant::now();
            let answer = self.send(method, path, body).await;
            let status = answer.as_ref().ok().map(|answer| answer.status);
            let fault = |message: String| Fault { message, status };
            match decide(&answer, tried, now()) {
                Next::Go => return Ok(answer.map(|answer| answer.json).unwrap_or_default()),
                Next::Stop(why) => return Err(fault(why)),
                Next::Limited(wait) => self.wait_for_limit(wait).await.map_err(fault)?,
                Next::Unsure(wait) => {
                    self.lost.set(self.lost.get() + began.elapsed());
                    if self.lost.get() > LOST {
                        return Err(fault("GitHub's API does not answer in time".to_owned()));
                    }
                    tokio::time::sleep(wait).await;
                    if let Some(done) = was_done().await? {
                        return Ok(done);
                    }
                }
            }
        }
        Err(Fault {
            message: "GitHub's API never answers".to_owned(),
            status: None,
        })
    }

    /// Reads; nothing has to be asked before it is repeated.
    pub(crate) async fn get(&self, path: &str) -> Result<Value, Fault> {
        self.request("GET", path, None, async || Ok(None)).await
    }

    /// The lines that a pull request changed.
    pub(crate) async fn changes(&self, repository: &str, number: u64) -> Result<Changes, Fault> {
        let mut changes = Changes::default();
        for page in 1..=PAGES {
            let path = format!("/repos/{repository}/pulls/{number}/files?per_page=100&page={page}");
            let files = self.get(&path).await?;
            let Some(files) = files.as_array() else { break };
            for file in files {
                if let (Some(path), Some(hunks)) =
                    (file["filename"].as_str(), file["patch"].as_str())
                {
                    changes.patch(path, hunks);
                }
            }
            if files.len() < 100 {
                break;
            }
        }
        Ok(changes)
    }

    async fn wait_for_limit(&self, wait: Duration) -> Result<(), String> {
        let waited = self.waited.get() + wait;
        let seconds = wait.as_secs();
        if waited > WAITING {
            return Err(format!(
                "GitHub's API wants us to wait {seconds} s, which is too long"
            ));
        }
        (self.log)(&format!(
            "GitHub's API limits our requests; waiting {seconds} s."
        ));
        self.waited.set(waited);
        tokio::time::sleep(wait).await;
        Ok(())
    }

    async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Answer, String> {
        let sent = match method {
            "POST" => self.api._post(path, body).await,
            "PATCH" => self.api._patch(path, body).await,
            _ => self.api._get(path).await,
        };
        let response = sent.map_err(|error| words(&error))?;
        let header = |name: &str| {
            let value = response.headers().get(name)?;
            Some(value.to_str().unwrap_or_default().to_owned())
        };
        let mut answer = Answer {
            status: response.status().as_u16(),
            retry_after: header("retry-after"),
            remaining: header("x-ratelimit-remaining"),
            reset: header("x-ratelimit-reset"),
            ..Answer::default()
        };
        let bytes = Limited::new(response.into_body(), MOST)
            .collect()
            .await
            .map_err(|error| error.to_string())?
            .to_bytes();
        answer.json = serde_json::from_slice(&bytes).unwrap_or_default();
        let text = match answer.json.get("message").and_then(Value::as_str) {
            Some(message) => message.to_owned(),
            None => String::from_utf8_lossy(&bytes).into_owned(),
        };
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        answer.message = text.chars().take(MESSAGE).collect();
        Ok(answer)
    }
}

/// The innermost cause, which names the fault of the network.
fn words(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    let text = cause.to_string();
    text.lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(MESSAGE)
        .collect()
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |time| time.as_secs())
}
