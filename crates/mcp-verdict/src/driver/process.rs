//! Child processes: a group of their own, an allow-listed environment, both outputs always drained.

use super::{Order, Signal};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use verdict_core::engine::OUTPUT_CLOSED;

/// Variables that a child gets without being named: what programs need to start at all.
const ALLOWED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TMPDIR",
    "TMP",
    "TEMP",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "SystemRoot",
    "SYSTEMROOT",
    "SystemDrive",
    "COMSPEC",
    "PATHEXT",
    "WINDIR",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "ProgramFiles",
    "NVM_DIR",
    "VIRTUAL_ENV",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "NO_PROXY",
    "no_proxy",
];
/// Proxy variables; user name and password are taken out of them.
const PROXIES: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
];
/// How long a process has to exit after it closed its output.
const CLOSING: Duration = Duration::from_millis(500);
/// How long a process group has between being asked to end and being killed.
const GRACE: Duration = Duration::from_millis(1_500);

/// How processes are started: the environment and the working directory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Launch {
    /// The child's whole environment.
    pub(crate) environment: Vec<(String, String)>,
    /// How an HTTP server is stopped.
    pub(crate) stop: Stop,
}

/// How an HTTP server is stopped: by a command, or by a signal to the group that we started.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop {
    pub(crate) words: Option<Vec<String>>,
    pub(crate) group: Option<Group>,
}

impl Launch {
    /// Tells the server to stop.
    pub(crate) fn stop(&self) {
        if let Some(words) = &self.stop.words {
            // A command that fails shows as a server that goes on.
            if let Ok(mut child) = spawn(words, self, Stdio::null()) {
                tokio::spawn(async move { child.wait().await });
            }
        } else if let Some(group) = &self.stop.group {
            group.signal(false);
        }
    }
}

/// The environment of a child: the allow-list, then what the configuration names.
pub(crate) fn environment(configured: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter_map(|(name, value)| {
            if ALLOWED.contains(&name.as_str()) || name.starts_with("LC_") {
                Some((name, value))
            } else if PROXIES.contains(&name.as_str()) {
                let value = without_credentials(&value);
                Some((name, value))
            } else {
                None
            }
        })
        .filter(|(name, _)| !configured.iter().any(|(other, _)| other == name))
        .collect();
    all.extend(configured);
    all
}

fn without_credentials(proxy: &str) -> String {
    let (scheme, rest) = match proxy.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), proxy),
    };
    let authority = rest.split('/').next().unwrap_or_default();
    match authority.rfind('@') {
        Some(at) => format!("{scheme}{}", &rest[at + 1..]),
        None => proxy.to_owned(),
    }
}

/// Starts a process and moves its bytes until the engine lets go of it; then its whole group is ended.
pub(crate) async fn carry(
    channel: u32,
    words: Vec<String>,
    launch: Launch,
    mut orders: mpsc::UnboundedReceiver<Order>,
    signals: mpsc::Sender<Signal>,
) {
    let mut child = match spawn(&words, &launch, Stdio::piped()) {
        Ok(child) => child,
        Err(why) => return tell(&signals, Signal::Failed { channel, why }).await,
    };
    let group = Group::of(&child);
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    tell(
        &signals,
        Signal::Opened {
            channel,
            peer: None,
        },
    )
    .await;
    // A child that never reads must not hold up the rest: writing has a task of its own.
    let (lines, mut to_write) = mpsc::unbounded_channel::<Vec<u8>>();
    let mut lines = Some(lines);
    let writing = tokio::spawn(async move {
        let Some(mut stdin) = stdin else { return };
        while let Some(bytes) = to_write.recv().await {
            if stdin.write_all(&bytes).await.is_err() || stdin.flush().await.is_err() {
                return;
            }
        }
    });
    let mut out = tokio::spawn(drain(stdout, signals.clone(), move |bytes| {
        Signal::Received { channel, bytes }
    }));
    let err = tokio::spawn(drain(stderr, signals.clone(), move |bytes| {
        Signal::Diagnostics { channel, bytes }
    }));
    let mut exited = None;
    let (mut silent, mut told) = (false, false);
    loop {
        tokio::select! {
            order = orders.recv() => match order {
                Some(Order::Send(bytes)) => {
                    if let Some(lines) = &lines {
                        let _ = lines.send(bytes);
                    }
                }
                Some(Order::EndInput) => lines = None,
                Some(Order::Terminate) => group.signal(false),
                None => break,
            },
            status = child.wait(), if exited.is_none() => {
                let how = status.map_or_else(|error| error.to_string(), how_ended);
                // What it wrote before it died is read first; a grandchild that holds the pipe is not waited for.
                let _ = tokio::time::timeout(Duration::from_millis(300), async {
                    while !out.is_finished() || !err.is_finished() {
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                })
                .await;
                exited = Some(how.clone());
                tell(&signals, Signal::Ended { channel, how }).await;
            }
            _ = &mut out, if !silent => silent = true,
            () = tokio::time::sleep(CLOSING), if silent && !told && exited.is_none() => {
                told = true;
                // After the end of its input a process may close its output first.
                if lines.is_some() {
                    let how = OUTPUT_CLOSED.to_owned();
                    tell(&signals, Signal::Ended { channel, how }).await;
                }
            }
        }
    }
    drop(lines);
    group.end(&mut child, exited.is_some()).await;
    writing.abort();
    out.abort();
    err.abort();
}

/// Starts a command in a process group of its own.
pub(crate) fn spawn(words: &[String], launch: &Launch, stdin: Stdio) -> Result<Child, String> {
    let Some((program, arguments)) = words.split_first() else {
        return Err("the command is empty".to_owned());
    };
    let mut command = Command::new(resolve(program));
    command
        .args(arguments)
        .env_clear()
        .envs(launch.environment.iter().map(|(name, value)| (name, value)))
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("the command `{program}` was not found"),
        std::io::ErrorKind::PermissionDenied => format!("the command `{program}` may not be run"),
        _ => format!("the command `{program}` could not be started: {error}"),
    })
}

/// On Windows a program such as `npx` is a `.cmd` file: it is looked up by PATHEXT, never through a shell.
#[cfg(windows)]
fn resolve(program: &str) -> std::path::PathBuf {
    let named = std::path::PathBuf::from(program);
    if named.extension().is_some() || named.components().count() > 1 {
        return named;
    }
    let extensions = std::env::var("PATHEXT").unwrap_or_else(|_| ".EXE;.CMD;.BAT".to_owned());
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .flat_map(|folder| {
            extensions
                .split(';')
                .map(move |extension| folder.join(format!("{program}{extension}")))
                .collect::<Vec<_>>()
        })
        .find(|candidate| candidate.is_file())
        .unwrap_or(named)
}

#[cfg(not(windows))]
fn resolve(program: &str) -> &str {
    program
}

async fn drain<R: AsyncRead + Unpin>(
    source: Option<R>,
    signals: mpsc::Sender<Signal>,
    signal: impl Fn(Vec<u8>) -> Signal,
) {
    let Some(mut source) = source else { return };
    let mut buffer = vec![0; 64 << 10];
    while let Ok(length) = source.read(&mut buffer).await {
        if length == 0 {
            return;
        }
        tell(&signals, signal(buffer[..length].to_vec())).await;
    }
}

/// How a process ended, in words.
pub(crate) fn how_ended(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("signal {signal}");
    }
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => "ended".to_owned(),
    }
}

/// A process group, to be ended as a whole.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    #[cfg(unix)]
    id: Option<rustix::process::Pid>,
}

impl Group {
    /// The group that a child leads.
    pub(crate) fn of(child: &Child) -> Self {
        #[cfg(unix)]
        {
            let id = child.id().and_then(|id| i32::try_from(id).ok());
            Self {
                id: id.and_then(rustix::process::Pid::from_raw),
            }
        }
        #[cfg(not(unix))]
        {
            let _ = child;
            Self {}
        }
    }

    /// Ends the group: asks, waits a little, kills. The leader may have exited while others live on.
    pub(crate) async fn end(&self, child: &mut Child, leader_exited: bool) {
        self.signal(false);
        if !leader_exited {
            let _ = tokio::time::timeout(GRACE, child.wait()).await;
        }
        self.signal(true);
        let _ = child.start_kill();
        let _ = tokio::time::timeout(Duration::from_secs(1), child.wait()).await;
    }

    #[cfg(unix)]
    pub(crate) fn signal(&self, kill: bool) {
        use rustix::process::{Signal, kill_process_group};
        if let Some(id) = self.id {
            // No such group means that all of it is gone.
            let _ = kill_process_group(id, if kill { Signal::KILL } else { Signal::TERM });
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn signal(&self, _kill: bool) {}
}

async fn tell(signals: &mpsc::Sender<Signal>, signal: Signal) {
    // The loop has ended when nobody listens any more.
    let _ = signals.send(signal).await;
}

#[cfg(test)]
mod tests {
    use super::without_credentials;

    #[test]
    fn credentials_leave_proxy_variables() {
        assert_eq!(
            without_credentials("http://me:pw@proxy:3128/"),
            "http://proxy:3128/"
        );
        assert_eq!(without_credentials("proxy:3128"), "proxy:3128");
        assert_eq!(without_credentials("me:p@w@proxy:1"), "proxy:1");
    }
}
