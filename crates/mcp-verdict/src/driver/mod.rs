//! Drivers: they move the bytes between the engine and the world, and know nothing of rules.

mod process;
mod server;
mod socket;
mod tail;
mod tls;

pub(crate) use process::{Group, Launch, Stop, environment, how_ended, spawn};
pub(crate) use server::{Server, answers, spawn_server};
pub(crate) use socket::connect;
pub(crate) use tail::Tail;
pub(crate) use tls::Trust;

use anyhow::Result;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use verdict_core::engine::{Command, Elsewhere, Engine, Event, Progress};
use verdict_core::settings::{Settings, Target};

/// What a channel's task tells the loop; owns its bytes.
#[derive(Debug)]
pub(crate) enum Signal {
    Opened { channel: u32, peer: Option<String> },
    Failed { channel: u32, why: String },
    Received { channel: u32, bytes: Vec<u8> },
    Diagnostics { channel: u32, bytes: Vec<u8> },
    Ended { channel: u32, how: String },
}

impl Signal {
    fn event(&self) -> Event<'_> {
        match self {
            Self::Opened { channel, peer } => Event::Opened {
                channel: *channel,
                peer: peer.clone(),
            },
            Self::Failed { channel, why } => Event::Failed {
                channel: *channel,
                why: why.clone(),
            },
            Self::Received { channel, bytes } => Event::Received {
                channel: *channel,
                bytes,
            },
            Self::Diagnostics { channel, bytes } => Event::Diagnostics {
                channel: *channel,
                bytes,
            },
            Self::Ended { channel, how } => Event::Ended {
                channel: *channel,
                how: how.clone(),
            },
        }
    }
}

/// What the loop tells a channel's task.
#[derive(Debug)]
pub(crate) enum Order {
    Send(Vec<u8>),
    EndInput,
    Terminate,
}

/// A channel that is open or opening; dropping it closes it.
struct Handle {
    orders: mpsc::UnboundedSender<Order>,
    task: tokio::task::JoinHandle<()>,
    /// A process is ended in order (terminate, grace, kill) by its own task; a socket is just dropped.
    is_process: bool,
}

/// Signals that may wait for the engine: a server that floods is held back, not buffered.
const WAITING: usize = 64;

/// Tells a channel's task something; one that has ended has already said why.
fn tell(handles: &BTreeMap<u32, Handle>, channel: u32, order: Order) {
    if let Some(handle) = handles.get(&channel) {
        let _ = handle.orders.send(order);
    }
}

/// Runs an engine to its end.
///
/// `progress` hears how far the run has come. `interrupt` ends it early when it resolves.
pub(crate) async fn run(
    engine: &mut Engine,
    settings: &Settings,
    launch: &Launch,
    trust: &Trust,
    mut progress: impl FnMut(Progress),
    interrupt: impl Future<Output = ()>,
) -> Result<()> {
    let began = Instant::now();
    let now = || u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let (signals, mut inbox) = mpsc::channel::<Signal>(WAITING);
    let mut handles: BTreeMap<u32, Handle> = BTreeMap::new();
    let mut ending = Vec::new();
    tokio::pin!(interrupt);
    loop {
        while let Some(command) = engine.command() {
            match command {
                Command::Open { channel, elsewhere } => {
                    let (orders, inbox) = mpsc::unbounded_channel();
                    let signals = signals.clone();
                    let is_process = matches!(settings.target, Target::Stdio(_));
                    let task = match &settings.target {
                        Target::Http(endpoint) => tokio::spawn(socket::carry(
                            channel,
                            elsewhere.unwrap_or_else(|| Elsewhere {
                                endpoint: endpoint.clone(),
                                public_only: false,
                            }),
                            trust.clone(),
                            Duration::from_millis(settings.timeout_ms),
                            inbox,
                            signals,
                        )),
                        Target::Stdio(words) => {
                            let launch = launch.clone();
                            tokio::spawn(process::carry(
                                channel,
                                words.clone(),
                                launch,
                                inbox,
                                signals,
                            ))
                        }
                    };
                    handles.insert(
                        channel,
                        Handle {
                            orders,
                            task,
                            is_process,
                        },
                    );
                }
                Command::Send { channel, bytes } => tell(&handles, channel, Order::Send(bytes)),
                Command::EndInput { channel } => tell(&handles, channel, Order::EndInput),
                Command::Terminate { .. } if matches!(settings.target, Target::Http(_)) => {
                    launch.stop();
                }
                Command::Terminate { channel } => tell(&handles, channel, Order::Terminate),
                Command::Close { channel } => {
                    if let Some(handle) = handles.remove(&channel) {
                        drop(handle.orders);
                        if handle.is_process {
                            ending.push(handle.task);
                        } else {
                            handle.task.abort();
                        }
                    }
                }
            }
        }
        progress(engine.progress());
        if engine.finished() {
            break;
        }
        let wakeup = engine.wakeup().unwrap_or_else(|| now() + 1_000);
        tokio::select! {
            signal = inbox.recv() => {
                if let Some(signal) = signal {
                    engine.handle(now(), signal.event());
                }
            }
            () = tokio::time::sleep_until((began + Duration::from_millis(wakeup)).into()) => {
                engine.handle(now(), Event::Tick);
            }
            () = &mut interrupt => {
                engine.cut_off(now(), "it was interrupted");
            }
        }
    }
    // Processes are gone, with their groups, before the report is written.
    drop(inbox);
    for task in ending {
        let _ = tokio::time::timeout(Duration::from_secs(5), task).await;
    }
    Ok(())
}
