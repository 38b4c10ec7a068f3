//! A server's process: its lines are told apart by ids, so that many requests share it.

use super::{Guest, Patience, lock};
use crate::driver::{Group, Launch, Order, Tail, how_ended, spawn};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use verdict_core::engine::OUTPUT_CLOSED;
use verdict_core::wire::lines;
use verdict_eval::client::{Heard, Incoming, Lifecycle, Loss, Outgoing, cancelled, read};

/// How long a process has to exit after its input or its output was closed.
const CLOSING: Duration = Duration::from_secs(1);
/// How long the last lines of a process that has exited are read.
const LAST_LINES: Duration = Duration::from_millis(300);

/// Who waits for what of one process.
#[derive(Debug, Default)]
struct Hub {
    waiting: BTreeMap<String, mpsc::UnboundedSender<Delivery>>,
    /// How the process ended, once it has.
    ended: Option<String>,
}

#[derive(Debug)]
struct Delivery {
    message: Incoming,
    /// Whether no other request waited.
    alone: bool,
}

impl Hub {
    /// Hands a message to whom it concerns. What concerns nobody is dropped: late answers, logs.
    fn take(&mut self, message: Incoming) {
        let alone = self.waiting.len() == 1;
        let to = match &message {
            Incoming::Response {
                id: Some(Value::String(id)),
                ..
            }
            | Incoming::Notice {
                token: Some(Value::String(id)),
                ..
            } => self.waiting.get(id),
            // Nothing says which request these belong to.
            Incoming::Request { .. } => self.waiting.values().next(),
            Incoming::Notice { token: None, .. } if alone => self.waiting.values().next(),
            _ => None,
        };
        if let Some(to) = to {
            // Whoever gave up a moment ago does not want it any more.
            let _ = to.send(Delivery { message, alone });
        }
    }

    fn close(&mut self, how: String) {
        self.ended.get_or_insert(how);
        self.waiting.clear();
    }
}

/// A running process.
pub(super) struct Process {
    orders: mpsc::UnboundedSender<Order>,
    hub: Arc<Mutex<Hub>>,
    tail: Tail,
    /// Ends the process when it is sent, and when it is dropped.
    ending: Mutex<Option<(oneshot::Sender<()>, JoinHandle<()>)>>,
}

impl Process {
    /// Starts it.
    pub(super) fn start(
        words: &[String],
        launch: &Launch,
        longest_line: usize,
    ) -> Result<Self, String> {
        let mut child = spawn(words, launch, Stdio::piped())?;
        let guard = Guard(Some(Group::of(&child)));
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (orders, to_write) = mpsc::unbounded_channel();
        let (hub, tail) = (Arc::new(Mutex::new(Hub::default())), Tail::default());
        if let Some(stdin) = stdin {
            tokio::spawn(write(stdin, to_write));
        }
        if let Some(stderr) = stderr {
            tokio::spawn(tail.clone().keep(stderr));
        }
        let (end, ending) = oneshot::channel();
        let shared = Arc::clone(&hub);
        let task = tokio::spawn(async move {
            let listening = async {
                match stdout {
                    Some(stdout) => listen(&mut child, stdout, &shared, longest_line).await,
                    None => OUTPUT_CLOSED.to_owned(),
                }
            };
            let how = tokio::select! {
                how = listening => how,
                _ = ending => "it was ended".to_owned(),
            };
            lock(&shared).close(how);
            // Its input is closed: it may end by itself before it is made to.
            let exited = tokio::time::timeout(CLOSING, child.wait()).await.is_ok();
            guard.end(&mut child, exited).await;
        });
        Ok(Self {
            orders,
            hub,
            tail,
            ending: Mutex::new(Some((end, task))),
        })
    }

    /// How it ended, once it has.
    pub(super) fn ended(&self) -> Option<String> {
        lock(&self.hub).ended.clone()
    }

    /// What it wrote last to its standard error.
    pub(super) fn last_words(&self) -> String {
        self.tail.text()
    }

    /// Writes one message.
    pub(super) fn write(&self, body: &[u8]) {
        let line = [body, b"\n"].concat();
        // A process that has ended shows in the hub.
        let _ = self.orders.send(Order::Send(line));
    }

    /// Sends a request and waits for its answer; giving up cancels it.
    pub(super) async fn ask(
        &self,
        message: &Outgoing,
        guest: &Guest<'_>,
        patience: Patience,
    ) -> Result<Heard, Loss> {
        let began = Instant::now();
        let mut place = Place::enter(self, message, guest)?;
        self.write(&message.body);
        let (mut due, mut notices) = (patience.due(began), 0);
        loop {
            let delivery = match tokio::time::timeout_at(due, place.inbox.recv()).await {
                Ok(Some(delivery)) => delivery,
                Ok(None) => {
                    let how = self.ended().unwrap_or_default();
                    return Err(Loss::CutOff(format!("the server's process ended ({how})")));
                }
                Err(_) => {
                    let ms = u64::try_from(began.elapsed().as_millis());
                    return Err(Loss::TimedOut(ms.unwrap_or(u64::MAX)));
                }
            };
            match delivery.message {
                Incoming::Response { reply, .. } => {
                    place.answered = true;
                    return Ok(Heard {
                        reply,
                        status: None,
                        session: None,
                        notices,
                    });
                }
                Incoming::Request { id, method, params } => {
                    if let Some(answer) = guest.respond(&id, &method, &params, delivery.alone) {
                        self.write(&answer.body);
                    }
                }
                Incoming::Notice { .. } => notices += 1,
                Incoming::Stray(_) => {}
            }
            due = patience.due(began);
        }
    }

    /// Closes its input, waits a little, ends its whole group.
    pub(super) async fn end(&self) {
        let _ = self.orders.send(Order::EndInput);
        let ending = lock(&self.ending).take();
        if let Some((end, task)) = ending {
            let _ = end.send(());
            let _ = task.await;
        }
    }
}

/// A request's place among those that wait; leaving it unanswered cancels the request.
struct Place<'p> {
    process: &'p Process,
    id: String,
    lifecycle: Option<Lifecycle>,
    inbox: mpsc::UnboundedReceiver<Delivery>,
    answered: bool,
}

impl<'p> Place<'p> {
    fn enter(process: &'p Process, message: &Outgoing, guest: &Guest<'_>) -> Result<Self, Loss> {
        let (sender, inbox) = mpsc::unbounded_channel();
        let mut hub = lock(&process.hub);
        if let Some(how) = &hub.ended {
            return Err(Loss::NotSent(format!("the server's process ended ({how})")));
        }
        hub.waiting.insert(message.id.clone(), sender);
        Ok(Self {
            process,
            id: message.id.clone(),
            lifecycle: guest.lifecycle.cloned(),
            inbox,
            answered: false,
        })
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut hub = lock(&self.process.hub);
        hub.waiting.remove(&self.id);
        let alive = hub.ended.is_none();
        drop(hub);
        // The handshake cannot be cancelled.
        if let (false, true, Some(lifecycle)) = (self.answered, alive, &self.lifecycle) {
            let notice = cancelled(lifecycle, &self.id, "nobody waits for it any more");
            self.process.write(&notice.body);
        }
    }
}

/// Kills a group when nothing looks after it any more.
struct Guard(Option<Group>);

impl Guard {
    async fn end(mut self, child: &mut Child, exited: bool) {
        if let Some(group) = &self.0 {
            group.end(child, exited).await;
        }
        let _ = self.0.take();
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(group) = &self.0 {
            group.signal(true);
        }
    }
}

async fn write(mut stdin: ChildStdin, mut orders: mpsc::UnboundedReceiver<Order>) {
    while let Some(Order::Send(bytes)) = orders.recv().await {
        if stdin.write_all(&bytes).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

/// Reads lines until there are none any more; how the process ended.
async fn listen(
    child: &mut Child,
    mut stdout: ChildStdout,
    hub: &Mutex<Hub>,
    longest: usize,
) -> String {
    let mut reader = lines::Reader::default();
    let mut buffer = vec![0; 64 << 10];
    let mut take = |bytes: &[u8]| {
        reader.feed(bytes, &mut |line| lock(hub).take(read(&line.text)));
        reader.pending() <= longest
    };
    loop {
        tokio::select! {
            read = stdout.read(&mut buffer) => {
                if let Ok(length @ 1..) = read {
                    if take(&buffer[..length]) {
                        continue;
                    }
                    return format!("it wrote a line longer than the limit of {longest} bytes");
                }
                let exit = tokio::time::timeout(CLOSING, child.wait()).await;
                return match exit {
                    Ok(Ok(status)) => how_ended(status),
                    _ => OUTPUT_CLOSED.to_owned(),
                };
            }
            status = child.wait() => {
                // What it wrote before it died is read first; a grandchild may hold the pipe for ever.
                let rest = async {
                    while let Ok(length @ 1..) = stdout.read(&mut buffer).await {
                        take(&buffer[..length]);
                    }
                };
                let _ = tokio::time::timeout(LAST_LINES, rest).await;
                return status.map_or_else(|error| error.to_string(), how_ended);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_reach_whom_they_concern() {
        let mut hub = Hub::default();
        let mut enter = |id: &str| {
            let (sender, inbox) = mpsc::unbounded_channel();
            hub.waiting.insert(id.to_owned(), sender);
            inbox
        };
        let (mut first, mut second) = (enter("a"), enter("b"));
        for text in [
            r#"{"id":"b","result":{}}"#,
            r#"{"method":"notifications/progress","params":{"progressToken":"b","progress":1}}"#,
            // Late, of nobody, and of everybody.
            r#"{"id":"c","result":{}}"#,
            r#"{"id":1,"result":{}}"#,
            r#"{"method":"notifications/message","params":{}}"#,
            "noise",
        ] {
            hub.take(read(text));
        }
        assert!(first.try_recv().is_err());
        let response = second.try_recv().expect("delivered").message;
        assert!(matches!(response, Incoming::Response { .. }));
        let notice = second.try_recv().expect("delivered").message;
        assert!(matches!(notice, Incoming::Notice { .. }));
        assert!(second.try_recv().is_err());
        // A question is nobody's in particular where two wait.
        let question = r#"{"id":7,"method":"elicitation/create","params":{}}"#;
        hub.take(read(question));
        assert!(!first.try_recv().expect("delivered").alone);
        hub.waiting.remove("a");
        hub.take(read(question));
        assert!(second.try_recv().expect("delivered").alone);
        hub.close("exit code 1".to_owned());
        hub.close("it was ended".to_owned());
        assert_eq!(hub.ended.as_deref(), Some("exit code 1"));
        assert!(second.try_recv().is_err() && hub.waiting.is_empty());
    }
}
