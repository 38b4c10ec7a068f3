//! The least a check can take: its requests and waits again, byte for byte, over as many kept-alive connections.

use crate::run::root;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that a check is measured on.
pub struct Server {
    child: Child,
    /// Its endpoint.
    pub url: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The built-in server, and a TypeScript one where it is installed.
pub fn servers() -> Result<Vec<(&'static str, Server)>> {
    let mut all = vec![("built-in", built_in()?)];
    let ledger = root().join("target/real-servers/npm-ts/ledger.mjs");
    if ledger.is_file() {
        let words = [
            "node".to_owned(),
            ledger.to_string_lossy().into_owned(),
            "--http".to_owned(),
            "--modern-only".to_owned(),
        ];
        all.push(("ts (SDK server)", start(&words)?));
    } else {
        println!("the TypeScript server is not installed (cargo xtask test does it): not measured");
    }
    Ok(all)
}

/// The built-in server.
pub fn built_in() -> Result<Server> {
    start(&[super::program(), "demo".to_owned(), "--serve".to_owned()])
}

fn start(words: &[String]) -> Result<Server> {
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let out = child.stdout.take().context("no output")?;
    for line in BufReader::new(out).lines() {
        if let Some(url) = line?.strip_prefix("listening on ") {
            return Ok(Server {
                child,
                url: url.to_owned(),
            });
        }
    }
    anyhow::bail!("{} never said where it listens", words[0])
}

/// A server that takes one request and closes: what `words` used by then is a start to first request.
pub fn silent_server(words: &[String]) -> Result<(std::thread::JoinHandle<()>, Vec<String>)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut words = words.to_vec();
    words.extend([
        "--url".to_owned(),
        format!("http://{}/mcp", listener.local_addr()?),
    ]);
    let thread = std::thread::spawn(move || {
        // Refused at once: 401 ends the run with its first exchange.
        if let Ok((mut stream, _)) = listener.accept() {
            let mut buffer = [0; 4096];
            let _ = stream.read(&mut buffer);
            let _ = stream.write_all(b"HTTP/1.1 401 X\r\nContent-Length: 0\r\n\r\n");
        }
    });
    Ok((thread, words))
}

/// A request, and how long its stream is held where it is held on purpose.
struct Turn {
    bytes: Vec<u8>,
    hold: Option<Duration>,
}

/// Requests by connection, in order.
pub struct Plan {
    address: String,
    connections: Vec<Vec<Turn>>,
}

impl Plan {
    /// Reads a transcript.
    pub fn read(path: &str, url: &str) -> Result<Self> {
        let address = url
            .strip_prefix("http://")
            .and_then(|rest| rest.split('/').next())
            .context("no address")?
            .to_owned();
        let transcript: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
        let mut by_channel: BTreeMap<u64, Vec<Turn>> = BTreeMap::new();
        for exchange in transcript["exchanges"].as_array().into_iter().flatten() {
            let Some(channel) = exchange["channel"].as_u64() else {
                continue;
            };
            let lasted = exchange["endedMs"].as_u64().unwrap_or(0)
                - exchange["sentMs"].as_u64().unwrap_or(0);
            let hold = exchange["answeredMs"]
                .is_null()
                .then(|| Duration::from_millis(lasted));
            let bytes = request(exchange, &address);
            let turns = by_channel.entry(channel).or_default();
            turns.push(Turn { bytes, hold });
        }
        let mut connections: Vec<_> = by_channel.into_values().collect();
        // Long waits begin first, so that everything else runs beside them.
        connections.sort_by_key(|turns| std::cmp::Reverse(longest(turns)));
        Ok(Self {
            address,
            connections,
        })
    }

    /// Sends everything, at most six connections at a time beside those that are held, as the engine does;
    /// milliseconds.
    pub fn run(&self) -> Result<f64> {
        let began = Instant::now();
        let next = std::sync::atomic::AtomicUsize::new(0);
        let held = self.connections.iter();
        let held = held.take_while(|turns| !longest(turns).is_zero()).count();
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..6 + held)
                .map(|_| {
                    scope.spawn(|| -> Result<()> {
                        loop {
                            let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                            let Some(requests) = self.connections.get(at) else {
                                return Ok(());
                            };
                            connection(&self.address, requests)?;
                        }
                    })
                })
                .collect();
            for worker in workers {
                worker
                    .join()
                    .map_err(|_| anyhow::anyhow!("a replay thread panicked"))??;
            }
            Ok::<_, anyhow::Error>(())
        })?;
        Ok(began.elapsed().as_secs_f64() * 1000.0)
    }
}

fn longest(turns: &[Turn]) -> Duration {
    let holds = turns.iter().filter_map(|turn| turn.hold);
    holds.max().unwrap_or_default()
}

fn request(exchange: &Value, address: &str) -> Vec<u8> {
    let http = &exchange["http"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let body = exchange["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|one| one["from"] == "client")
        .map_or(String::new(), |one| text(&one["text"]));
    let mut head = format!(
        "{} {} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n",
        text(&http["verb"]),
        text(&http["path"]),
        body.len()
    );
    for field in http["requestHeaders"].as_array().into_iter().flatten() {
        let _ = write!(head, "{}: {}\r\n", text(&field[0]), text(&field[1]));
    }
    head.push_str("\r\n");
    (head + &body).into_bytes()
}

fn connection(address: &str, turns: &[Turn]) -> Result<()> {
    let mut open: Option<(TcpStream, BufReader<TcpStream>)> = None;
    for turn in turns {
        if open.is_none() {
            let stream = TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            open = Some((stream.try_clone()?, BufReader::new(stream)));
        }
        let Some((writer, reader)) = &mut open else {
            continue;
        };
        writer.write_all(&turn.bytes)?;
        if let Some(hold) = turn.hold {
            std::thread::sleep(hold);
            open = None;
        } else if !answer(reader)? {
            open = None;
        }
    }
    Ok(())
}

/// Reads one answer; whether the connection can be used again.
fn answer(reader: &mut BufReader<TcpStream>) -> Result<bool> {
    let (mut length, mut chunked, mut keep) = (None, false, true);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(false);
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse::<usize>().ok();
        }
        chunked |= line.starts_with("transfer-encoding:") && line.contains("chunked");
        keep &= !(line.starts_with("connection:") && line.contains("close"));
    }
    let mut sink = Vec::new();
    if chunked {
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let size = usize::from_str_radix(line.trim().split(';').next().unwrap_or_default(), 16)
                .unwrap_or(0);
            sink.resize(size + 2, 0);
            reader.read_exact(&mut sink)?;
            if size == 0 {
                break;
            }
        }
    } else if let Some(length) = length {
        sink.resize(length, 0);
        reader.read_exact(&mut sink)?;
    } else {
        reader.read_to_end(&mut sink)?;
        keep = false;
    }
    Ok(keep)
}
