//! The proxy, between raw clients and servers made of a few bytes.

mod faults;
mod hostile;
mod idle;
mod lines;
mod outside;

use crate::support::Demo;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A call of the built-in server's tool, as its body.
const CALL: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"name":"get_invoice","arguments":{"id":"INV-1001"}}}"#;

/// A running proxy.
struct Proxy {
    child: Child,
    /// Its endpoint.
    url: String,
    /// Where its rules are.
    control: Option<String>,
}

impl Proxy {
    /// Starts one and waits until it listens.
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mcp-verdict"))
            .arg("proxy")
            .args(arguments)
            .stderr(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut said = BufReader::new(child.stderr.take().expect("piped"));
        let mut told = |what: &str| {
            let mut line = String::new();
            let length = said.read_line(&mut line).expect("a line");
            assert!(length > 0, "it ended before it listened");
            let url = line.trim().strip_prefix(what);
            url.unwrap_or_else(|| panic!("not `{what}`: {line}"))
                .to_owned()
        };
        let url = told("listening on ");
        let wished = arguments.contains(&"--control");
        let control = wished.then(|| told("control at http://"));
        // What it says later must not block it.
        std::thread::spawn(move || said.read_to_end(&mut Vec::new()));
        Self {
            child,
            url,
            control,
        }
    }

    /// In front of this endpoint.
    fn before(url: &str, arguments: &[&str]) -> Self {
        Self::start(&[&["--url", url], arguments].concat())
    }

    fn connect(&self) -> TcpStream {
        connect(&self.url)
    }

    /// Asks it to end; the exit code, and how long it took.
    fn stop(mut self) -> (Option<i32>, Duration) {
        let began = Instant::now();
        let id = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .arg(id)
                .status()
                .expect("kill runs")
                .success()
        );
        let status = self.child.wait().expect("it ends");
        (status.code(), began.elapsed())
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn address(url: &str) -> SocketAddr {
    let rest = url.trim_start_matches("http://");
    rest.split('/')
        .next()
        .unwrap_or_default()
        .parse()
        .expect("an address")
}

fn connect(url: &str) -> TcpStream {
    let stream = TcpStream::connect(address(url)).expect("a connection");
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .expect("a limit");
    stream.set_nodelay(true).expect("no delay");
    stream
}

/// A POST with the fields of this revision.
fn post(body: &str, extra: &str) -> Vec<u8> {
    let name = if body.contains("get_invoice") {
        "Mcp-Name: get_invoice\r\n"
    } else {
        ""
    };
    let method = body
        .split("\"method\":\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let method = method.unwrap_or("tools/call");
    format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: {method}\r\n{name}{extra}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Everything until the other side ends, and how it does.
fn read_all(stream: &mut TcpStream) -> (Vec<u8>, Option<ErrorKind>) {
    let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return (all, None),
            Ok(length) => all.extend_from_slice(&buffer[..length]),
            Err(error) => return (all, Some(error.kind())),
        }
    }
}

/// One answer with its length or its chunks: status, head, and the body without its framing.
fn read_answer(stream: &mut TcpStream) -> (u16, String, Vec<u8>) {
    let mut all = Vec::new();
    let head_end = loop {
        if let Some(at) = all.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        more(stream, &mut all);
    };
    let head = String::from_utf8_lossy(&all[..head_end]).into_owned();
    let mut body = all.split_off(head_end);
    let status = head[9..12].parse().expect("a status");
    let field = |name: &str| {
        head.lines().find_map(|line| {
            line.to_ascii_lowercase()
                .strip_prefix(name)
                .map(|value| value.trim().to_owned())
        })
    };
    if let Some(length) = field("content-length:") {
        let length: usize = length.parse().expect("a number");
        while body.len() < length {
            more(stream, &mut body);
        }
        return (status, head, body);
    }
    while !body.ends_with(b"0\r\n\r\n") {
        more(stream, &mut body);
    }
    (status, head, without_chunks(&body))
}

fn more(stream: &mut TcpStream, to: &mut Vec<u8>) {
    let mut buffer = [0; 4096];
    let length = stream.read(&mut buffer).expect("bytes");
    assert!(length > 0, "it ended after {}", String::from_utf8_lossy(to));
    to.extend_from_slice(&buffer[..length]);
}

fn without_chunks(mut bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        let end = bytes
            .windows(2)
            .position(|two| two == b"\r\n")
            .expect("a size");
        let size = std::str::from_utf8(&bytes[..end]).expect("text");
        let size = usize::from_str_radix(size, 16).expect("hexadecimal");
        if size == 0 {
            return out;
        }
        out.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[end + 4 + size..];
    }
}

/// A call through a proxy with this fault before the built-in server.
fn call(demo: &Demo, arguments: &[&str]) -> (Proxy, TcpStream) {
    let proxy = Proxy::before(&demo.url, arguments);
    let mut stream = proxy.connect();
    stream.write_all(&post(CALL, "")).expect("sent");
    (proxy, stream)
}
