//! Runs the program, and servers made of a few raw bytes.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;

/// The built-in server, ended with the test.
pub(crate) struct Demo {
    child: Child,
    /// Its endpoint.
    pub(crate) url: String,
}

impl Demo {
    /// Starts it on a free port.
    pub(crate) fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mcp-verdict"))
            .args(["demo", "--serve"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        let output = child.stdout.as_mut().expect("piped");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let url = line.trim().trim_start_matches("listening on ").to_owned();
        Self { child, url }
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the program with these arguments.
pub(crate) fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mcp-verdict"))
        .args(arguments)
        .env_remove("NO_COLOR")
        .output()
        .expect("the program runs")
}

/// Standard output as text.
pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("our output is UTF-8")
}

/// Standard error as text.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The exit code; a signal is none.
pub(crate) fn code(output: &Output) -> i32 {
    output
        .status
        .code()
        .expect("ended by itself, not by a signal")
}

/// The report of `check --format json` with these arguments.
pub(crate) fn report(arguments: &[&str]) -> (i32, Value) {
    let mut all = vec!["check", "--format", "json"];
    all.extend(arguments);
    let output = run(&all);
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("no report ({error}): {}", stderr(&output)));
    (code(&output), report)
}

/// One check of a report.
pub(crate) fn check<'r>(report: &'r Value, id: &str) -> &'r Value {
    report["layers"]["conformance"]["checks"]
        .as_array()
        .and_then(|checks| checks.iter().find(|check| check["id"] == id))
        .unwrap_or_else(|| panic!("no check {id}"))
}

/// A server that answers every connection with `behave`; its endpoint.
pub(crate) fn server(behave: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let behave = Arc::new(behave);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let behave = Arc::clone(&behave);
            std::thread::spawn(move || behave(&mut stream));
        }
    });
    url
}

/// Reads one request (its head and as much of its body as came with it).
pub(crate) fn request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let length = stream.read(&mut buffer).ok().filter(|length| *length > 0)?;
        bytes.extend_from_slice(&buffer[..length]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let due = head
                .lines()
                .find_map(|line| {
                    line.to_ascii_lowercase()
                        .strip_prefix("content-length:")
                        .map(str::trim)
                        .and_then(|value| value.parse().ok())
                })
                .unwrap_or(0);
            if body.len() >= due {
                return Some(text);
            }
        }
    }
}

/// A server that sends the same bytes to every request, and closes.
pub(crate) fn always(bytes: impl Into<Vec<u8>>) -> String {
    let bytes = bytes.into();
    server(move |stream| {
        if request(stream).is_some() {
            let _ = stream.write_all(&bytes);
        }
    })
}
