//! The proxy, idle: what it adds to an answer, beside the same requests sent directly, and what a thousand streams take.

use super::measure::middle;
use super::{Line, crowd};
use anyhow::{Context, Result, ensure};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Requests of each way, in turns.
const REQUESTS: usize = 3_000;
/// Streams at a time.
const STREAMS: usize = 1_000;
/// Events on each of them.
const EVENTS: usize = 20;
/// A rule that looks at every request and hits none.
const RULE: [&str; 4] = ["--fault", "tool-error@every", "--tool", "no_such_tool"];

/// Latency over HTTP and on stdio, then the streams.
pub fn run(program: &str, lines: &mut Vec<Line>) -> Result<()> {
    let server = crowd::Server::start(8)?;
    let file = std::env::temp_dir().join(format!("mcp-verdict-bench-{}.json", std::process::id()));
    let record = file.to_string_lossy().into_owned();
    for (what, arguments) in [
        ("proxy, idle: median answer, HTTP to HTTP", &[][..]),
        ("the same with a rule that hits nothing", &RULE),
        ("the same, recording", &["--record", &record]),
    ] {
        let proxy = Proxy::before(program, &server.url, arguments)?;
        let (mut direct, mut through) = over_http(&server.url, &proxy.url)?;
        lines.push(added(what, middle(&mut direct), middle(&mut through)));
    }
    let _ = std::fs::remove_file(file);
    let (mut direct, mut through) = on_stdio(program)?;
    let what = "proxy, idle: median echo, stdio to stdio";
    lines.push(added(what, middle(&mut direct), middle(&mut through)));
    streams(program, lines)
}

/// Microseconds: through the proxy, against directly; the difference is what it adds.
fn added(what: &str, direct: f64, through: f64) -> Line {
    let mut line = Line::ratio(what, through, direct, "us");
    line.what = format!("{what} (adds {:.0} us, limit 1,000)", through - direct);
    line
}

struct Proxy {
    child: Child,
    url: String,
}

impl Proxy {
    fn before(program: &str, url: &str, arguments: &[&str]) -> Result<Self> {
        let mut child = Command::new(program)
            .args(["proxy", "--url", url])
            .args(arguments)
            .stderr(Stdio::piped())
            .spawn()?;
        let said = child.stderr.take().context("no standard error")?;
        for line in BufReader::new(said).lines() {
            if let Some(url) = line?.strip_prefix("listening on ") {
                return Ok(Self {
                    child,
                    url: url.to_owned(),
                });
            }
        }
        anyhow::bail!("the proxy does not listen")
    }

    /// Peak resident memory in MiB.
    fn peak_mib(&self) -> Result<f64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        Ok(kib.context("no VmHWM")? / 1024.0)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn address(url: &str) -> Result<SocketAddr> {
    let rest = url.trim_start_matches("http://");
    let authority = rest.split('/').next().unwrap_or_default();
    authority.parse().context("no address")
}

fn connect(url: &str) -> Result<TcpStream> {
    let stream = TcpStream::connect(address(url)?)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    Ok(stream)
}

/// Microseconds of each answer: directly, and through the proxy.
fn over_http(direct: &str, through: &str) -> Result<(Vec<f64>, Vec<f64>)> {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: tools/list\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let (mut one, mut other) = (connect(direct)?, connect(through)?);
    let (mut times_direct, mut times_through) = (Vec::new(), Vec::new());
    let length = ask(&mut one, &request, None)?;
    ensure!(
        ask(&mut other, &request, None)? == length,
        "the answers differ"
    );
    for _ in 0..REQUESTS {
        for (stream, times) in [
            (&mut one, &mut times_direct),
            (&mut other, &mut times_through),
        ] {
            let began = Instant::now();
            ask(stream, &request, Some(length))?;
            times.push(began.elapsed().as_secs_f64() * 1e6);
        }
    }
    Ok((times_direct, times_through))
}

/// Sends a request and reads its answer; how many bytes it has.
fn ask(stream: &mut TcpStream, request: &str, length: Option<usize>) -> Result<usize> {
    stream.write_all(request.as_bytes())?;
    let (mut read, mut buffer) = (0, vec![0; 64 << 10]);
    let mut first = Vec::new();
    loop {
        let due = match length {
            Some(length) => Some(length),
            None => whole_length(&first),
        };
        if due.is_some_and(|due| read >= due) {
            return Ok(read);
        }
        let got = stream.read(&mut buffer)?;
        ensure!(got > 0, "the connection was closed");
        read += got;
        if length.is_none() {
            first.extend_from_slice(&buffer[..got]);
        }
    }
}

fn whole_length(bytes: &[u8]) -> Option<usize> {
    let text = String::from_utf8_lossy(bytes);
    let head = text.find("\r\n\r\n")?;
    let field = text.split("Content-Length: ").nth(1)?;
    let length: usize = field.lines().next()?.trim().parse().ok()?;
    Some(head + 4 + length)
}

/// Microseconds of each echo of a line: by `cat`, and by `cat` behind the proxy.
fn on_stdio(program: &str) -> Result<(Vec<f64>, Vec<f64>)> {
    let echo = |words: &[&str]| -> Result<Vec<f64>> {
        let mut child = Command::new(words[0])
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut input = child.stdin.take().context("no input")?;
        let mut output = BufReader::new(child.stdout.take().context("no output")?);
        let line = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";
        let mut times = Vec::new();
        for _ in 0..REQUESTS {
            let began = Instant::now();
            input.write_all(line.as_bytes())?;
            let mut back = String::new();
            output.read_line(&mut back)?;
            ensure!(back == line, "the echo differs");
            times.push(began.elapsed().as_secs_f64() * 1e6);
        }
        drop(input);
        child.wait()?;
        Ok(times)
    };
    let direct = echo(&["cat"])?;
    let through = echo(&[program, "proxy", "--", "cat"])?;
    Ok((direct, through))
}

/// A thousand streams at once, each with events in turn: all of them arrive, and what the proxy takes for that.
fn streams(program: &str, lines: &mut Vec<Line>) -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let serving = std::thread::spawn(move || -> Result<Vec<TcpStream>> {
        let mut open = Vec::new();
        for stream in listener.incoming().take(STREAMS) {
            let mut stream = stream?;
            let mut buffer = [0; 4096];
            ensure!(stream.read(&mut buffer)? > 0, "no request");
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")?;
            open.push(stream);
        }
        Ok(open)
    });
    let proxy = Proxy::before(program, &url, &[])?;
    let mut clients = Vec::new();
    for _ in 0..STREAMS {
        let mut stream = connect(&proxy.url).context("`ulimit -n 8192` may be due")?;
        stream
            .write_all(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}")?;
        clients.push(stream);
    }
    let mut servers = serving
        .join()
        .map_err(|_| anyhow::anyhow!("the server panicked"))??;
    for client in &mut clients {
        read_past(client, b"\r\n\r\n")?;
    }
    let event = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":1}}\n\n";
    let chunk = format!("{:x}\r\n{event}\r\n", event.len());
    let began = Instant::now();
    for _ in 0..EVENTS {
        for server in &mut servers {
            server.write_all(chunk.as_bytes())?;
        }
        for client in &mut clients {
            read_past(client, b"\n\n\r\n")?;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of events")]
    let each = began.elapsed().as_secs_f64() * 1e6 / (STREAMS * EVENTS) as f64;
    lines.push(Line::value(
        "1,000 streams through it, 20 events each, time of an event",
        format!("{each:.1} us"),
        "",
    ));
    lines.push(Line::value(
        "its peak memory",
        format!("{:.1} MiB", proxy.peak_mib()?),
        "limit 256 MiB",
    ));
    Ok(())
}

fn read_past(stream: &mut TcpStream, end: &[u8]) -> Result<()> {
    let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
    while !all.ends_with(end) {
        let length = stream.read(&mut buffer)?;
        ensure!(length > 0, "a stream was closed");
        all.extend_from_slice(&buffer[..length]);
    }
    Ok(())
}
