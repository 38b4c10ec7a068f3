//! Between a client and a server that both speak over standard streams: the proxy is the server's process to the client.
//!
//! Nothing but the server's bytes, and what a rule makes of them, goes to standard output.

use super::process::end_group;
use super::shared::Shared;
use super::standard::{self, Output};
use super::{Options, Target};
use crate::driver::{Group, Tail, how_ended, spawn};
use crate::exit::{Exit, NotStarted, Usage};
use crate::interrupt::Interrupt;
use anyhow::Result;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot};
use verdict_proxy::action::{Side, Way};
use verdict_proxy::answer::{Move, rise};
use verdict_proxy::line::{Cutter, Desk, Piece, Steps};
use verdict_proxy::line_log::LineLog;
use verdict_proxy::{Asked, Book};

/// Writes that wait for the client to read.
const WAITING: usize = 64;
/// How long a server may take to exit once its input is closed.
const CLOSING: Duration = Duration::from_secs(10);
/// How long the last output of a server that has exited is read.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// How it came to its end.
enum Ended {
    /// A signal.
    Interrupted,
    /// The server has exited, in good order or not.
    Exited(String, bool),
    /// A fault ends the process.
    OnPurpose,
    /// The client has closed its side, and the server goes on.
    ClientLeft,
}

/// What both directions share.
struct Between {
    shared: Arc<Shared>,
    desk: Mutex<Desk>,
    log: Option<Mutex<LineLog>>,
    out: mpsc::Sender<Write>,
    end: mpsc::UnboundedSender<()>,
    errors: Output,
}

/// Something for standard output.
enum Write {
    Bytes(Vec<u8>),
    /// Byte by byte, with so many milliseconds after each.
    Drip(Vec<u8>, u64),
    /// Says when all before it is written.
    Flushed(oneshot::Sender<()>),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a server's command between standard input and output, until one side ends.
///
/// # Errors
/// Where the command cannot be started, or a rule cannot be done on stdio.
pub(crate) async fn serve(
    shared: &Arc<Shared>,
    words: &[String],
    launch: &crate::driver::Launch,
    interrupt: &mut Interrupt,
) -> Result<Exit> {
    let channel = shared.record(|recorder, now| recorder.open("server", None, now));
    let mut child = match spawn(words, launch, Stdio::piped()) {
        Ok(child) => child,
        Err(why) => {
            // A recording tells too that there was no server.
            shared.record(|recorder, now| {
                if let Some(channel) = channel {
                    recorder.close(channel, &why, now);
                }
            });
            return Err(NotStarted::new(why).into());
        }
    };
    let group = Group::of(&child);
    let (out, writes) = mpsc::channel(WAITING);
    let (end, mut ends) = mpsc::unbounded_channel();
    let errors = Output::stderr();
    let between = Arc::new(Between {
        shared: Arc::clone(shared),
        desk: Mutex::default(),
        log: channel.map(|channel| Mutex::new(LineLog::new(channel))),
        out,
        end,
        errors: errors.clone(),
    });
    let writing = tokio::spawn(write(writes, Arc::clone(&between)));
    let stderr = child.stderr.take();
    let tail = Tail::default();
    let errors = tokio::spawn(pass_errors(stderr, tail.clone(), errors));
    let upward = tokio::spawn(upward(child.stdin.take(), Arc::clone(&between)));
    let mut downward = tokio::spawn(downward(child.stdout.take(), Arc::clone(&between)));
    tokio::pin!(upward);
    let mut left = false;
    let mut due = tokio::time::Instant::now();
    let ended = loop {
        tokio::select! {
            () = &mut *interrupt => break Ended::Interrupted,
            Some(()) = ends.recv() => break Ended::OnPurpose,
            status = child.wait() => {
                // What it wrote before is passed on; a grandchild may hold the pipe for ever.
                let _ = tokio::time::timeout(LAST_WORDS, &mut downward).await;
                let good = status.as_ref().is_ok_and(std::process::ExitStatus::success);
                let how = status.map_or_else(|error| error.to_string(), how_ended);
                break Ended::Exited(how, good);
            }
            _ = &mut upward, if !left => {
                left = true;
                due = tokio::time::Instant::now() + CLOSING;
            }
            () = tokio::time::sleep_until(due), if left => break Ended::ClientLeft,
        }
    };
    let exited = matches!(ended, Ended::Exited(..));
    end_group(&group, &mut child, exited).await;
    between.flush().await;
    let _ = tokio::time::timeout(LAST_WORDS, errors).await;
    writing.abort();
    downward.abort();
    let (how, exit) = match ended {
        Ended::Interrupted => ("it was ended by a signal".to_owned(), Exit::Pass),
        Ended::ClientLeft => ("the client closed its side".to_owned(), Exit::Pass),
        Ended::Exited(how, true) => (how, Exit::Pass),
        Ended::Exited(how, false) => (how, Exit::NoVerdict),
        Ended::OnPurpose => ("it was ended on purpose".to_owned(), Exit::NoVerdict),
    };
    shared.record(|recorder, now| {
        if let (Some(log), Some(channel)) = (&between.log, channel) {
            recorder.stderr(channel, tail.text());
            lock(log).end(&how, recorder, now);
        }
    });
    Ok(exit)
}

/// What a proxy on stdio works with.
///
/// # Errors
/// A rule that cannot be done on stdio.
pub(crate) fn shared(options: &Options) -> Result<Arc<Shared>> {
    let way = Way {
        client: Side::Stdio,
        server: Side::Stdio,
    };
    Book::fits(&options.rules, way).map_err(Usage)?;
    let mut options = options.clone();
    if let Target::Stdio(_) = options.target {
        // The process is this module's own: the shared part needs no way to a server.
        options.target = Target::Replay(Box::default());
    }
    Ok(Shared::new(options, way)?.0)
}

/// Answers from a recording on standard streams, until the client closes its side.
pub(crate) async fn replay(shared: &Arc<Shared>, interrupt: &mut Interrupt) -> Exit {
    let channel = shared.record(|recorder, now| recorder.open("recording", None, now));
    let (out, writes) = mpsc::channel(WAITING);
    let (end, mut ends) = mpsc::unbounded_channel();
    let between = Arc::new(Between {
        shared: Arc::clone(shared),
        desk: Mutex::default(),
        log: channel.map(|channel| Mutex::new(LineLog::new(channel))),
        out,
        end,
        errors: Output::stderr(),
    });
    let writing = tokio::spawn(write(writes, Arc::clone(&between)));
    let (how, exit) = tokio::select! {
        () = interrupt => ("it was ended by a signal", Exit::Pass),
        _ = ends.recv() => ("it was ended on purpose", Exit::NoVerdict),
        () = between.answer() => ("the client closed its side", Exit::Pass),
    };
    between.flush().await;
    writing.abort();
    shared.record(|recorder, now| {
        if let Some(log) = &between.log {
            lock(log).end(how, recorder, now);
        }
    });
    exit
}

/// Standard input, to the server.
async fn upward(server: Option<ChildStdin>, between: Arc<Between>) {
    let Some(mut server) = server else { return };
    let (mut input, mut cutter) = (standard::input(), Cutter::default());
    while let Some(bytes) = input.recv().await {
        let bytes = &bytes[..];
        let wanted = !between.shared.book().is_idle() || !lock(&between.desk).is_idle();
        between.log(|log, recorder, now| log.client(bytes, recorder, now));
        for piece in cutter.feed(bytes, wanted) {
            let to_server = match piece {
                Piece::Pass(bytes) => bytes,
                Piece::Line(line) => between.of_client(line).await,
            };
            if server.write_all(&to_server).await.is_err() || server.flush().await.is_err() {
                // It reads nothing more and may still write; the client's bytes have nowhere to go.
                return std::future::pending().await;
            }
        }
    }
    let _ = server.write_all(&cutter.rest()).await;
}

/// The server's output, to standard output.
async fn downward(server: Option<ChildStdout>, between: Arc<Between>) {
    let Some(mut server) = server else { return };
    let mut cutter = Cutter::default();
    let mut buffer = vec![0; 64 << 10];
    while let Ok(length @ 1..) = server.read(&mut buffer).await {
        let wanted = !between.shared.book().is_idle() || !lock(&between.desk).is_idle();
        for piece in cutter.feed(&buffer[..length], wanted) {
            let moves = match piece {
                Piece::Pass(bytes) => vec![Move::Send(bytes)],
                Piece::Line(line) => lock(&between.desk).of_server(line),
            };
            between.perform(moves).await;
        }
    }
    between.perform(vec![Move::Send(cutter.rest())]).await;
}

impl Between {
    /// Waits until all is written, or nobody reads.
    async fn flush(&self) {
        let (flushed, done) = oneshot::channel();
        let asking = async {
            if self.out.send(Write::Flushed(flushed)).await.is_ok() {
                let _ = done.await;
            }
        };
        let _ = tokio::time::timeout(LAST_WORDS, asking).await;
    }

    /// Answers standard input from the recording, to its end.
    async fn answer(self: &Arc<Self>) {
        let (mut input, mut cutter) = (standard::input(), Cutter::default());
        while let Some(bytes) = input.recv().await {
            self.log(|log, recorder, now| log.client(&bytes, recorder, now));
            for piece in cutter.feed(&bytes, true) {
                let Piece::Line(line) = piece else { continue };
                let asked = Asked::on_line(&self.of_client(line).await);
                if !asked.is_request() {
                    continue;
                }
                for message in self.shared.upstream.replayed(&asked) {
                    let line = format!("{message}\n").into_bytes();
                    let moves = lock(&self.desk).of_server(line);
                    self.perform(moves).await;
                }
            }
        }
    }

    /// Reads a line of the client; what the server gets of it.
    async fn of_client(self: &Arc<Self>, line: Vec<u8>) -> Vec<u8> {
        let Steps {
            to_server,
            to_client,
            stderr,
            fault,
        } = {
            let mut book = self.shared.book();
            lock(&self.desk).of_client(line, &mut book)
        };
        if let Some((id, said)) = fault {
            self.log(|log, recorder, _| log.fault(&id, &said, recorder));
        }
        if !stderr.is_empty() {
            self.errors.write(stderr).await;
        }
        self.perform(to_client).await;
        to_server
    }

    fn log(&self, write: impl FnOnce(&mut LineLog, &mut verdict_proxy::recorder::Recorder, u64)) {
        if let Some(log) = &self.log {
            self.shared
                .record(|recorder, now| write(&mut lock(log), recorder, now));
        }
    }

    /// Carries out moves. What waits does so beside everything else: other answers share the pipe.
    async fn perform(self: &Arc<Self>, moves: Vec<Move>) {
        let waits = |one: &Move| matches!(one, Move::Pause(_) | Move::Repeat(..));
        if moves.iter().any(waits) {
            let between = Arc::clone(self);
            tokio::spawn(async move { between.perform_now(moves).await });
        } else {
            self.perform_now(moves).await;
        }
    }

    async fn perform_now(&self, moves: Vec<Move>) {
        for one in moves {
            match one {
                Move::Send(bytes) if bytes.is_empty() => {}
                Move::Send(bytes) => {
                    let _ = self.out.send(Write::Bytes(bytes)).await;
                }
                Move::Drip(bytes, ms) => {
                    let _ = self.out.send(Write::Drip(bytes, ms)).await;
                }
                Move::Pause(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
                Move::Repeat(mut bytes, ms) => loop {
                    if self.out.send(Write::Bytes(bytes.clone())).await.is_err() {
                        return;
                    }
                    rise(&mut bytes);
                    tokio::time::sleep(Duration::from_millis(ms)).await;
                },
                Move::Silence | Move::Done(_) => {}
                Move::Reset | Move::Close | Move::Refuse(_) | Move::Kill => {
                    let _ = self.end.send(());
                    return;
                }
            }
        }
    }
}

/// The one writer of standard output.
async fn write(mut writes: mpsc::Receiver<Write>, between: Arc<Between>) {
    let output = Output::stdout();
    while let Some(one) = writes.recv().await {
        let (bytes, wait) = match one {
            Write::Bytes(bytes) => (bytes, None),
            Write::Drip(bytes, ms) => (bytes, Some(Duration::from_millis(ms))),
            Write::Flushed(done) => {
                let _ = done.send(());
                continue;
            }
        };
        let pieces = bytes.chunks(if wait.is_some() {
            1
        } else {
            bytes.len().max(1)
        });
        for piece in pieces {
            if !output.write(piece.to_vec()).await {
                // Nobody reads any more.
                let _ = between.end.send(());
                return;
            }
            between.log(|log, recorder, now| log.server(piece, recorder, now));
            if let Some(wait) = wait {
                tokio::time::sleep(wait).await;
            }
        }
    }
}

/// The server's standard error is the client's to see, byte for byte.
async fn pass_errors(source: Option<ChildStderr>, tail: Tail, errors: Output) {
    let Some(mut source) = source else { return };
    let mut buffer = vec![0; 16 << 10];
    while let Ok(length @ 1..) = source.read(&mut buffer).await {
        tail.add(&buffer[..length]);
        errors.write(buffer[..length].to_vec()).await;
    }
}
