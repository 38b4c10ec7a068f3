//! The Action's own share of a step: from its start to its first request, and from the last answer to its end.

use super::replay::{Server, built_in};
use crate::run::root;
use anyhow::{Context, Result};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Milliseconds of one run.
pub struct Share {
    /// From the start of the process to its first byte on the wire.
    pub before_ms: f64,
    /// From the last byte of the server to the end of the process.
    pub after_ms: f64,
}

/// What a relay saw: the first and the last byte.
#[derive(Default)]
struct Seen {
    first: Option<Instant>,
    last: Option<Instant>,
}

/// Runs the Action once on the built-in server, behind a relay that keeps time.
pub fn run() -> Result<Share> {
    let server = built_in()?;
    let seen = Arc::new(Mutex::new(Seen::default()));
    let url = relay(&server, &seen)?;
    let temp = root().join("target/bench-action");
    std::fs::create_dir_all(&temp)?;
    let began = Instant::now();
    Command::new("node")
        .arg(root().join("dist/index.mjs"))
        .env("INPUT_URL", url)
        .env("GITHUB_WORKSPACE", &temp)
        .env("RUNNER_TEMP", &temp)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    let ended = Instant::now();
    let seen = seen.lock().map_err(|_| anyhow::anyhow!("a relay broke"))?;
    let first = seen.first.context("the Action sent nothing")?;
    let last = seen.last.context("the server answered nothing")?;
    Ok(Share {
        before_ms: (first - began).as_secs_f64() * 1e3,
        after_ms: (ended - last).as_secs_f64() * 1e3,
    })
}

fn relay(server: &Server, seen: &Arc<Mutex<Seen>>) -> Result<String> {
    let rest = server.url.strip_prefix("http://").context("no address")?;
    let (address, path) = rest.split_once('/').context("no path")?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/{path}", listener.local_addr()?);
    let (address, seen) = (address.to_owned(), Arc::clone(seen));
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(behind) = TcpStream::connect(&address) else {
                return;
            };
            for (from, to, is_answer) in [(&client, &behind, false), (&behind, &client, true)] {
                if let (Ok(from), Ok(to)) = (from.try_clone(), to.try_clone()) {
                    let seen = Arc::clone(&seen);
                    std::thread::spawn(move || carry(from, to, is_answer, &seen));
                }
            }
        }
    });
    Ok(url)
}

fn carry(mut from: TcpStream, mut to: TcpStream, is_answer: bool, seen: &Mutex<Seen>) {
    let mut buffer = [0; 16 << 10];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if let Ok(mut seen) = seen.lock() {
            let now = Instant::now();
            seen.first.get_or_insert(now);
            if is_answer {
                seen.last = Some(now);
            }
        }
        if to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Write);
}
