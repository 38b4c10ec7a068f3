//! How the server itself stands up in layer 2: it is treated badly on purpose, and has to stay up, answer others, and keep
//! requests apart.
//!
//! Only where `stress.server` asks for it, and on this machine unless `stress.remote` allows more. Nothing is called but tools
//! that the configuration names as safe.

mod canary;
mod crowd;
mod rough;
mod wire;

use crate::client::Client;
use crate::config::Plan;
use crate::exit::NotStarted;
use crate::ground::Ground;
use crate::interrupt::Interrupt;
use crate::progress::Bar;
use crate::run::add;
use std::time::{Duration, Instant};
use verdict_core::mask::Masks;
use verdict_core::settings::Target;
use verdict_core::wire::endpoint::Endpoint;
use verdict_eval::client::Loss;
use verdict_eval::tool::Tool;
use verdict_eval::verdict::both;
use verdict_model::report::Outcome;
use verdict_model::resilience::ServerTrial;
use verdict_model::{Config, Report, Verdict};

/// Requests at one time, where the configuration names no number.
const PARALLEL: u32 = 64;
/// As many are enough for any server, and the most that sockets and processes of a runner bear.
const MOST_PARALLEL: u32 = 1_000;

/// Something bad that is done to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ordeal {
    ParallelRequests,
    CanariesApart,
    CancellationUnderLoad,
    DisconnectMidCall,
    MalformedBodies,
    OversizeBody,
    SlowClients,
}

impl Ordeal {
    const ALL: [Self; 7] = [
        Self::ParallelRequests,
        Self::CanariesApart,
        // Before cancellations, which end connections as well.
        Self::DisconnectMidCall,
        Self::CancellationUnderLoad,
        Self::MalformedBodies,
        Self::OversizeBody,
        Self::SlowClients,
    ];

    /// Id, title and mend.
    fn words(self) -> [&'static str; 3] {
        match self {
            Self::ParallelRequests => [
                "parallel-requests",
                "Many requests at one time are all answered",
                "Answer requests independently of each other; where there is a limit, refuse with HTTP 429 and Retry-After rather than not at all.",
            ],
            Self::CanariesApart => [
                "requests-apart",
                "Nothing of one request shows in the answer to another",
                "Keep what belongs to a request in that request: no globals, no buffers or caches that requests share without a key.",
            ],
            Self::CancellationUnderLoad => [
                "cancellation-under-load",
                "Requests that are cancelled by the dozen leave the others unharmed",
                "End the work of a cancelled request alone, and let a closed stream be no error of the process.",
            ],
            Self::DisconnectMidCall => [
                "disconnect-mid-call",
                "Connections that end in the middle of a request or an answer do no harm",
                "Treat a closed connection as the end of that request: catch the error of the write, and free what the request held.",
            ],
            Self::MalformedBodies => [
                "malformed-bodies",
                "Bytes that are no message are refused, and nothing else happens",
                "Catch the parser's error and answer 400 with -32700; limit how deep JSON may nest.",
            ],
            Self::OversizeBody => [
                "oversize-body",
                "A body of 16 MiB is answered or refused, and the server stays up",
                "Limit the size of a body and refuse what is larger with 413, before it is parsed; on standard input, drop such a line and go on.",
            ],
            Self::SlowClients => [
                "slow-clients",
                "Clients that send or read slowly keep nobody else waiting",
                "Limit the time for the head and the body of a request, and do not wait for one client while others are there.",
            ],
        }
    }

    /// Whether it can be done through pipes.
    fn is_for_stdio(self) -> bool {
        !matches!(self, Self::DisconnectMidCall | Self::SlowClients)
    }
}

/// What came of an ordeal.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Seen {
    /// The server stood up.
    Stood(String),
    /// It did not.
    Fell(String),
    /// It may not have.
    Doubtful(String),
    /// It ended itself, as it may towards whoever started it; better not.
    Left(String),
    /// It could not be tried.
    NotTried(String),
}

/// What an ordeal works with; each has a connection or a process of its own.
struct Scene<'g> {
    client: Client,
    endpoint: Option<&'g Endpoint>,
    plan: &'g Plan,
    ground: &'g Ground,
    tools: Vec<Tool>,
    parallel: usize,
    patience: Duration,
}

impl Scene<'_> {
    /// Whether the server still answers somebody who did nothing wrong.
    async fn stands(&self) -> Result<(), String> {
        if let Some(how) = self.client.ended().await {
            return Err(format!("the server's process ended ({how})"));
        }
        let mut heard = self.client.list_once().await;
        // A kept-alive connection may have been closed in good order just now.
        if let Err(Loss::CutOff(_)) = heard {
            heard = self.client.list_once().await;
        }
        match heard {
            Ok(_) => Ok(()),
            Err(loss) => Err(format!("an ordinary request {}", loss.why())),
        }
    }
}

/// Does to the server what the configuration asks for. Empty where it asks for nothing; fewer than all where the run was cut off.
pub(crate) async fn server_trials(
    plan: &Plan,
    ground: &Ground,
    interrupt: &mut Interrupt,
    quiet: bool,
) -> Vec<ServerTrial> {
    let config = &plan.settings.config;
    if !config.stress.server {
        return vec![];
    }
    let masks = Masks::new(&plan.settings.secrets);
    let mut bar = Bar::new(quiet);
    let mut trials = Vec::new();
    for ordeal in Ordeal::ALL {
        bar.line(&format!("{} …", ordeal.words()[1]));
        let began = Instant::now();
        let seen = tokio::select! {
            biased;
            () = &mut *interrupt => break,
            seen = tried(ordeal, plan, ground) => seen,
        };
        let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        trials.push(told(ordeal, seen, ms, &masks));
    }
    bar.clear();
    trials
}

/// Puts what was found into a report; nothing where nothing was asked for. A run that was cut off has no verdict, unless it is a
/// failure already.
pub(crate) fn put(report: &mut Report, trials: Vec<ServerTrial>, config: &Config) {
    if config.stress.server && trials.len() < Ordeal::ALL.len() {
        report.verdict = both(report.verdict, Verdict::None);
        add(
            &mut report.summary,
            "the run was cut off before the server was through its rough treatment.",
        );
    }
    if trials.is_empty() {
        return;
    }
    let deny_warnings = config.deny_warnings;
    let count = |outcome| {
        trials
            .iter()
            .filter(|trial| trial.outcome == outcome)
            .count()
    };
    let [passed, failed, warned] = [Outcome::Pass, Outcome::Fail, Outcome::Warn].map(count);
    let own = match (failed, warned, passed) {
        (0, 0, 0) => Verdict::None,
        (0, 1.., _) if deny_warnings => Verdict::Fail,
        (0, ..) => Verdict::Pass,
        _ => Verdict::Fail,
    };
    report.verdict = both(report.verdict, own);
    let first = trials.iter().find(|trial| trial.outcome == Outcome::Fail);
    let said = match first {
        Some(first) => format!(
            "the server does not stand up to {failed} of {} kinds of rough treatment; start with {}.",
            trials.len(),
            first.id
        ),
        None => format!("the server stood up to {passed} kinds of rough treatment."),
    };
    add(&mut report.summary, &said);
    let layer = report.layers.resilience.get_or_insert_default();
    layer.server = trials;
}

fn told(ordeal: Ordeal, seen: Seen, ms: u64, masks: &Masks) -> ServerTrial {
    let [id, title, mend] = ordeal.words();
    let (outcome, message) = match seen {
        Seen::Stood(message) => (Outcome::Pass, message),
        Seen::Fell(message) => (Outcome::Fail, message),
        Seen::Doubtful(message) | Seen::Left(message) => (Outcome::Warn, message),
        Seen::NotTried(message) => (Outcome::Skip, message),
    };
    let fix = match outcome {
        Outcome::Fail | Outcome::Warn => mend.to_owned(),
        _ => String::new(),
    };
    ServerTrial {
        id: id.to_owned(),
        title: title.to_owned(),
        outcome,
        message: masks.hide(&message),
        fix,
        ms,
    }
}

async fn tried(ordeal: Ordeal, plan: &Plan, ground: &Ground) -> Seen {
    let config = &plan.settings.config;
    let endpoint = match &plan.settings.target {
        Target::Http(endpoint) if !endpoint.is_loopback() && !config.stress.remote => {
            return Seen::NotTried(
                "the server is not on this machine; `stress: { remote: true }` allows it"
                    .to_owned(),
            );
        }
        Target::Http(endpoint) => Some(endpoint),
        Target::Stdio(_) if !ordeal.is_for_stdio() => {
            return Seen::NotTried("a process has one client and one pipe".to_owned());
        }
        Target::Stdio(_) => None,
    };
    let client = match Client::connect(plan, &ground.launch, &ground.trust).await {
        Ok(client) => client,
        Err(NotStarted { why, .. }) => return Seen::NotTried(why),
    };
    let tools = client.tools().await.unwrap_or_default();
    let standing = Scene {
        endpoint,
        plan,
        ground,
        tools,
        parallel: parallel(config),
        patience: Duration::from_millis(plan.settings.timeout_ms),
        client,
    };
    if let Err(why) = standing.stands().await {
        standing.client.end().await;
        return Seen::NotTried(format!("before anything was done {why}"));
    }
    let seen = match ordeal {
        Ordeal::ParallelRequests => crowd::parallel(&standing).await,
        Ordeal::CanariesApart => canary::apart(&standing).await,
        Ordeal::CancellationUnderLoad => crowd::cancelled(&standing).await,
        Ordeal::DisconnectMidCall => rough::disconnected(&standing).await,
        Ordeal::MalformedBodies => rough::malformed(&standing).await,
        Ordeal::OversizeBody => rough::oversize(&standing).await,
        Ordeal::SlowClients => rough::slow(&standing).await,
    };
    let after = standing.stands().await;
    standing.client.end().await;
    match (seen, after) {
        (Seen::Stood(message) | Seen::Doubtful(message) | Seen::NotTried(message), Err(why)) => {
            Seen::Fell(format!("{message}; then {why}"))
        }
        (seen, _) => seen,
    }
}

fn parallel(config: &Config) -> usize {
    let wished = config.stress.parallel.unwrap_or(PARALLEL);
    wished.clamp(2, MOST_PARALLEL) as usize
}

/// Whether a server that did not answer said that there is too much to do: its right, and no fault.
fn is_limit(loss: &Loss) -> bool {
    matches!(
        loss,
        Loss::Http {
            status: 429 | 503,
            ..
        }
    )
}
