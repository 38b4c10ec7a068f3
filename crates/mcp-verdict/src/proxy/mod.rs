//! The proxy between a client and a server: the bytes of it. What happens to them is decided in `verdict_proxy`.
//!
//! Where no rule hits, bytes are relayed as they come, in both directions at once, while their framing is read on the
//! side. Where one hits, the request is held until it is complete, and the answer is made anew.

mod client;
pub(crate) mod control;
mod front;
mod perform;
mod process;
mod relay;
mod shared;
mod standard;
pub(crate) mod stdio;
pub(crate) mod store;
#[cfg(test)]
mod tests;
mod upstream;

use crate::driver::{Launch, Trust};
use anyhow::{Context, Result};
pub(crate) use shared::Shared;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use verdict_core::wire::endpoint::Endpoint;
use verdict_model::Transcript;
use verdict_proxy::action::{Side, Way};
use verdict_proxy::{Book, Rule};

/// The server behind a proxy.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// A Streamable HTTP server.
    Http(Endpoint),
    /// The command of a stdio server.
    Stdio(Vec<String>),
    /// A recording that answers in a server's place.
    Replay(Box<Transcript>),
}

impl Target {
    fn side(&self) -> Side {
        match self {
            Self::Http(_) => Side::Http,
            // A recording is no server over HTTP: its messages are carried anew.
            Self::Stdio(_) | Self::Replay(_) => Side::Stdio,
        }
    }
}

/// How a proxy that clients reach over HTTP is set up.
#[derive(Clone)]
pub(crate) struct Options {
    /// Where it listens; port 0 takes any that is free.
    pub(crate) listen: SocketAddr,
    /// The server behind it.
    pub(crate) target: Target,
    /// Whom to trust where the server speaks TLS.
    pub(crate) trust: Trust,
    /// How processes are started.
    pub(crate) launch: Launch,
    /// Fields that every request is given on its way to an HTTP server, in place of those of the same name.
    pub(crate) fields: Vec<(String, String)>,
    /// The rules at the start.
    pub(crate) rules: Vec<Rule>,
    /// Decides on what is random.
    pub(crate) seed: u64,
    /// Whether a transcript is kept. Without it a proxy that runs for days takes no more memory.
    pub(crate) records: bool,
    /// A recording to go on with: the rules count what is in it, and what comes is added to it.
    pub(crate) earlier: Option<Box<Transcript>>,
    /// What may not stand in the transcript, beside the credentials that are seen on the way.
    pub(crate) secrets: Vec<String>,
}

impl Options {
    /// A proxy on a free port of the loopback address that records and has no rules.
    pub(crate) fn new(target: Target) -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            target,
            trust: Trust::default(),
            launch: Launch::default(),
            fields: Vec::new(),
            rules: Vec::new(),
            seed: 0,
            records: true,
            earlier: None,
            secrets: Vec::new(),
        }
    }
}

/// A running proxy that clients reach over HTTP.
///
/// ```ignore
/// let mut options = Options::new(Target::Http(endpoint));
/// options.rules = vec![Rule::parse("reset-mid-stream@first")?.of_tool("get_weather")];
/// let proxy = Proxy::start(options).await?;
/// run_the_client_against(&proxy.url()).await;
/// proxy.replace_rules(vec![Rule::every(Twist::StripResultType)])?;
/// run_the_client_against(&proxy.url()).await;
/// let transcript = proxy.end().await;
/// ```
///
/// The transcript has one exchange for each HTTP request of a client (`proxy/1`, `proxy/2`, … in the order in which their
/// heads came), with the fields and the body as the client sent them, the answer as the client got it, what was injected
/// (`fault`: the names of the actions, joined by `, `), and the times. `sent_ms` is when the head was complete;
/// `answered_ms` when the answer was; `ended_ms` when nothing more could come.
///
/// How it ended: `complete`; `closed` where the client closed the connection before the answer was complete; `silent` for
/// notifications; `lost` where the connection broke or was cut on purpose; `unreachable` where no server was;
/// `malformed` where the request was no HTTP; `unfinished` where the proxy ended first. `channel` is the client's connection, so
/// requests of one connection share it. Credentials are masked: `Authorization: Bearer ***`.
///
/// Dropping a proxy ends it without waiting; its server's process is killed then.
pub(crate) struct Proxy {
    shared: Arc<Shared>,
    address: SocketAddr,
    path: String,
    serving: JoinHandle<()>,
}

impl Proxy {
    /// Starts listening, and the server's process where it is one.
    ///
    /// # Errors
    /// Where the address cannot be listened on, the process cannot be started, or a rule cannot be done on this way.
    #[expect(
        clippy::unused_async,
        reason = "it needs a runtime, and may come to wait for the server"
    )]
    pub(crate) async fn start(options: Options) -> Result<Self> {
        let way = Way {
            client: Side::Http,
            server: options.target.side(),
        };
        Book::fits(&options.rules, way).map_err(crate::exit::Usage)?;
        let path = match &options.target {
            Target::Http(endpoint) => endpoint.path.clone(),
            Target::Stdio(_) | Target::Replay(_) => "/mcp".to_owned(),
        };
        let listen = options.listen;
        let front = front::Front::bind(listen)
            .with_context(|| format!("listening on {listen} (--listen)"))?;
        let address = front.address();
        let (shared, refusals) = Shared::new(options, way)?;
        let serving = tokio::spawn(front.serve(Arc::clone(&shared), refusals));
        Ok(Self {
            shared,
            address,
            path,
            serving,
        })
    }

    /// Where clients reach it: the server's path on the proxy's address.
    pub(crate) fn url(&self) -> String {
        format!("http://{}{}", self.address, self.path)
    }

    /// The shared inside, for the control endpoint and the file that is recorded to.
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Ends it; no connection and no process is left.
    pub(crate) async fn stop(&mut self) {
        self.serving.abort();
        let _ = (&mut self.serving).await;
        let _ = tokio::time::timeout(Duration::from_secs(2), self.shared.upstream.end()).await;
    }
}

/// For those who run a client under a proxy and look at what it did.
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "clients are judged on top of this")
)]
impl Proxy {
    /// Other rules from the next request on; they count from the start.
    ///
    /// # Errors
    /// A rule that cannot be done on this way, with the mend; the old rules stay then.
    pub(crate) fn replace_rules(&self, rules: Vec<Rule>) -> Result<(), String> {
        self.shared.replace_rules(rules)
    }

    /// The rules with how many requests each has seen (`asked`) and hit (`hit`), as JSON.
    pub(crate) fn rules(&self) -> serde_json::Value {
        self.shared.book().state()
    }

    /// What has passed so far, secrets masked; empty where nothing is recorded.
    pub(crate) fn transcript(&self) -> Transcript {
        self.shared.transcript()
    }

    /// Ends it: no connection and no process is left. What has passed, secrets masked.
    pub(crate) async fn end(mut self) -> Transcript {
        self.stop().await;
        self.shared.transcript()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
