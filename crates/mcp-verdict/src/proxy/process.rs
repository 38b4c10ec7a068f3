//! A server's process behind HTTP: its messages are told apart by ids of ours, so that many clients share it.

use crate::driver::{Group, Launch, Tail, how_ended, spawn};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use verdict_core::wire::lines;
use verdict_proxy::Asked;

/// Lines that wait for the process to read them; then clients wait.
const WAITING: usize = 64;
/// Messages that wait for one client; a client that is slower is given up.
const BEHIND: usize = 4_096;
/// Bytes of a line beyond which the process is given up.
const MOST_LINE: usize = 64 << 20;
/// How long a process may read nothing while lines wait for it.
const READING: Duration = Duration::from_secs(10);
/// How long a process has to exit once its input is closed.
const CLOSING: Duration = Duration::from_millis(300);

/// A request that waits.
struct Route {
    id: Value,
    token: Option<Value>,
    sender: mpsc::Sender<Value>,
}

#[derive(Default)]
struct Hub {
    routes: BTreeMap<String, Route>,
    /// A client's stream for what belongs to no request.
    aside: Option<mpsc::Sender<Value>>,
    next: u64,
    ended: Option<String>,
}

/// A running process.
pub(super) struct Process {
    lines: mpsc::Sender<Vec<u8>>,
    hub: Arc<Mutex<Hub>>,
    tail: Tail,
    ending: Mutex<Option<(oneshot::Sender<()>, JoinHandle<()>)>>,
}

impl Process {
    /// Starts it.
    ///
    /// # Errors
    /// Why it cannot be.
    pub(super) fn start(words: &[String], launch: &Launch) -> Result<Arc<Self>, String> {
        let mut child = spawn(words, launch, Stdio::piped())?;
        let group = Group::of(&child);
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (lines, to_write) = mpsc::channel(WAITING);
        let (hub, tail) = (Arc::new(Mutex::new(Hub::default())), Tail::default());
        let writing = stdin.map(|stdin| tokio::spawn(write(stdin, to_write)));
        if let Some(stderr) = stderr {
            tokio::spawn(tail.clone().keep(stderr));
        }
        let (end, mut ending) = oneshot::channel();
        let shared = Arc::clone(&hub);
        let task = tokio::spawn(async move {
            let guard = Guard(group.clone());
            let asked_to = {
                let reading = async {
                    if let Some(stdout) = stdout {
                        listen(stdout, &shared).await;
                    }
                };
                tokio::select! {
                    () = reading => false,
                    _ = &mut ending => true,
                }
            };
            if let Some(writing) = writing {
                writing.abort();
            }
            let exit = tokio::time::timeout(CLOSING, child.wait()).await;
            let how = match &exit {
                _ if asked_to => "it was ended".to_owned(),
                Ok(Ok(status)) => how_ended(*status),
                _ => "it closed its output".to_owned(),
            };
            close(&shared, how);
            end_group(&group, &mut child, exit.is_ok()).await;
            drop(guard);
        });
        Ok(Arc::new(Self {
            lines,
            hub,
            tail,
            ending: Mutex::new(Some((end, task))),
        }))
    }

    /// How it ended, once it has, with its last words.
    pub(super) fn ended(&self) -> Option<String> {
        let how = lock(&self.hub).ended.clone()?;
        let tail = self.tail.text();
        let last = tail.lines().last().unwrap_or_default();
        Some(if last.is_empty() {
            how
        } else {
            format!("{how}: {last}")
        })
    }

    /// Sends a request under an id of ours; its answer comes to the ticket.
    pub(super) async fn ask(self: &Arc<Self>, asked: &Asked, mut message: Value) -> Ticket {
        let (sender, inbox) = mpsc::channel(BEHIND);
        let id = {
            let mut hub = lock(&self.hub);
            hub.next += 1;
            let id = format!("proxy-{}", hub.next);
            if hub.ended.is_none() {
                let route = Route {
                    id: asked.id().cloned().unwrap_or_default(),
                    token: asked.progress_token().cloned(),
                    sender,
                };
                hub.routes.insert(id.clone(), route);
            }
            id
        };
        message["id"] = id.clone().into();
        let meta = message
            .get_mut("params")
            .and_then(|params| params.get_mut("_meta"));
        if let Some(token) = meta.and_then(|meta| meta.get_mut("progressToken")) {
            *token = id.clone().into();
        }
        let ticket = Ticket {
            process: Arc::clone(self),
            id,
            inbox,
            answered: false,
        };
        if !self.tell(&message).await {
            lock(&self.hub).routes.remove(&ticket.id);
        }
        ticket
    }

    /// Sends a message as it is; whether the process took it, or will.
    pub(super) async fn tell(&self, message: &Value) -> bool {
        let line = format!("{message}\n").into_bytes();
        let sent = tokio::time::timeout(READING, self.lines.send(line)).await;
        matches!(sent, Ok(Ok(())))
    }

    /// The id under which the process knows a request that is under way.
    pub(super) fn own_id(&self, id: &Value) -> Option<String> {
        let hub = lock(&self.hub);
        let mut routes = hub.routes.iter();
        routes
            .find(|(_, route)| route.id == *id)
            .map(|(own, _)| own.clone())
    }

    /// What belongs to no request comes here from now on.
    pub(super) fn aside(&self) -> mpsc::Receiver<Value> {
        let (sender, inbox) = mpsc::channel(BEHIND);
        lock(&self.hub).aside = Some(sender);
        inbox
    }

    /// Ends it with its whole group.
    pub(super) async fn end(&self) {
        let ending = self
            .ending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some((end, task)) = ending {
            let _ = end.send(());
            let _ = task.await;
        }
    }
}

/// A request that waits for its answer; dropped before that, it is cancelled.
pub(super) struct Ticket {
    process: Arc<Process>,
    id: String,
    inbox: mpsc::Receiver<Value>,
    answered: bool,
}

impl Ticket {
    /// The next message; none once the process has ended, or nobody kept up.
    pub(super) async fn next(&mut self) -> Option<Value> {
        let message = self.inbox.recv().await?;
        self.answered |= message.get("method").is_none();
        Some(message)
    }

    /// Why nothing more comes.
    pub(super) fn why(&self) -> String {
        let ended = self
            .process
            .ended()
            .map(|how| format!("its process has ended ({how})"));
        ended.unwrap_or_else(|| "its process reads nothing, or said more than was read".to_owned())
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let open = lock(&self.process.hub).routes.remove(&self.id).is_some();
        if open && !self.answered {
            let notice = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": {"requestId": self.id, "reason": "the client closed its stream"}});
            // Where the process reads nothing, it has no use for the notice either.
            let _ = self
                .process
                .lines
                .try_send(format!("{notice}\n").into_bytes());
        }
    }
}

impl Hub {
    /// Hands a message to whom it concerns, with the id and the token that one knows.
    fn take(&mut self, mut message: Value) {
        let Some(own) = self.concerns(&message) else {
            let request = message.get("method").is_some() && message.get("id").is_some();
            // A question of the server goes to the one who waits, where no stream is there for it.
            let only = (self.routes.len() == 1 || request)
                .then(|| self.routes.values().next().map(|route| &route.sender))
                .flatten();
            if let Some(to) = self.aside.as_ref().or(only) {
                let _ = to.try_send(message);
            }
            return;
        };
        let Some(route) = self.routes.get(&own) else {
            return;
        };
        let answers = message.get("method").is_none();
        if answers {
            message["id"] = route.id.clone();
        }
        for holder in ["params", "result"] {
            let Some(holder) = message.get_mut(holder) else {
                continue;
            };
            if let (Some(token), Some(theirs)) = (holder.get_mut("progressToken"), &route.token) {
                *token = theirs.clone();
            }
            let key = "io.modelcontextprotocol/subscriptionId";
            if let Some(id) = holder.get_mut("_meta").and_then(|meta| meta.get_mut(key)) {
                *id = route.id.clone();
            }
        }
        if route.sender.try_send(message).is_err() || answers {
            self.routes.remove(&own);
        }
    }

    fn concerns(&self, message: &Value) -> Option<String> {
        let params = message.get("params");
        let key = "io.modelcontextprotocol/subscriptionId";
        let named = if message.get("method").is_none() {
            message.get("id")
        } else {
            let token = params.and_then(|params| params.get("progressToken"));
            token.or_else(|| params?.get("_meta")?.get(key))
        };
        let own = named?.as_str()?;
        self.routes.contains_key(own).then(|| own.to_owned())
    }
}

fn lock(hub: &Mutex<Hub>) -> MutexGuard<'_, Hub> {
    hub.lock().unwrap_or_else(PoisonError::into_inner)
}

fn close(hub: &Mutex<Hub>, how: String) {
    let mut hub = lock(hub);
    hub.ended.get_or_insert(how);
    hub.routes.clear();
    hub.aside = None;
}

/// Kills a group when nothing looks after it any more.
struct Guard(Group);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.signal(true);
    }
}

/// Ends a group soon: whoever stopped the proxy waits for it.
pub(super) async fn end_group(group: &Group, child: &mut Child, exited: bool) {
    group.signal(false);
    if !exited {
        let _ = tokio::time::timeout(Duration::from_millis(800), child.wait()).await;
    }
    group.signal(true);
    let _ = child.start_kill();
    let _ = tokio::time::timeout(Duration::from_millis(300), child.wait()).await;
}

async fn write(mut stdin: ChildStdin, mut lines: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if stdin.write_all(&line).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

async fn listen(mut stdout: ChildStdout, hub: &Mutex<Hub>) {
    let mut reader = lines::Reader::default();
    let mut buffer = vec![0; 64 << 10];
    while let Ok(length @ 1..) = stdout.read(&mut buffer).await {
        reader.feed(&buffer[..length], &mut |line| {
            // Noise between messages is passed over, as a client would.
            if let Some(message) = Asked::on_line(line.text.as_bytes()).message {
                lock(hub).take(message);
            }
        });
        if reader.pending() > MOST_LINE {
            return;
        }
    }
}
