//! The test's own client on stdio: it starts its server, falls back, cancels, starts again, and ends it in good order.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(1);

struct Lines {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    noise: Receiver<()>,
}

enum Trouble {
    Silence,
    Gone,
    Error,
}

/// The words of `MCP_SERVER_COMMAND`, each between quotation marks.
fn words(line: &str) -> Vec<String> {
    line.trim_matches('\'')
        .split("' '")
        .map(ToOwned::to_owned)
        .collect()
}

fn start(command: &[String]) -> Lines {
    let mut child = Command::new(&command[0])
        .args(&command[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let (lines, output) = channel();
    let stdout = BufReader::new(child.stdout.take().expect("piped"));
    std::thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            let _ = lines.send(line);
        }
    });
    let (heard, noise) = channel();
    let mut stderr = child.stderr.take().expect("piped");
    std::thread::spawn(move || {
        let mut buffer = [0; 256];
        while let Ok(length @ 1..) = stderr.read(&mut buffer) {
            if String::from_utf8_lossy(&buffer[..length]).contains("noise") {
                let _ = heard.send(());
            }
        }
    });
    Lines {
        input: child.stdin.take(),
        child,
        output,
        noise,
    }
}

impl Lines {
    fn send(&mut self, message: &Value) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(format!("{message}\n").as_bytes());
        }
    }

    fn ask(&mut self, id: u64, method: &str, mut params: Value) -> Result<Value, Trouble> {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            match self.output.recv_timeout(LIMIT) {
                Ok(line) => {
                    let message: Value = serde_json::from_str(&line).unwrap_or_default();
                    if message["id"] == id {
                        let result = message.get("result").cloned();
                        return result.ok_or(Trouble::Error);
                    }
                }
                Err(RecvTimeoutError::Timeout) => return Err(Trouble::Silence),
                Err(RecvTimeoutError::Disconnected) => return Err(Trouble::Gone),
            }
        }
    }

    fn initialize(&mut self) {
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
        self.send(&json!({ "jsonrpc": "2.0", "id": 90, "method": "initialize", "params": params }));
        let _ = self.output.recv_timeout(LIMIT);
    }
}

/// One visit; the exit code.
pub(super) fn visit(command: &str, defect: &str) -> i32 {
    let command = words(command);
    let mut server = start(&command);
    let silent_too = defect != "waits-for-discover";
    match server.ask(1, "server/discover", json!({})) {
        Ok(_) => {}
        Err(Trouble::Silence) if !silent_too => loop {
            std::thread::sleep(Duration::from_secs(60));
        },
        Err(_) if defect == "one-code" && server_code(&command) => {}
        Err(_) => {
            server.initialize();
            return 1;
        }
    }
    let mut failed = server.ask(2, "tools/list", json!({})).is_err();
    let call = || json!({ "name": "search_invoices", "arguments": { "customer": "acme" } });
    match server.ask(3, "tools/call", call()) {
        Ok(_) => {}
        Err(Trouble::Silence) => {
            failed = true;
            if defect != "no-cancel" {
                let params = json!({ "requestId": 3 });
                server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
            }
        }
        Err(Trouble::Gone) if defect != "no-restart" => {
            server = start(&command);
            let _ = server.ask(4, "tools/list", json!({}));
        }
        Err(_) => failed = true,
    }
    failed |= server.ask(5, "resources/list", json!({})).is_err();
    if defect == "noise-is-failure"
        && server
            .noise
            .recv_timeout(Duration::from_millis(200))
            .is_ok()
    {
        failed = true;
    }
    end(server, defect);
    i32::from(failed)
}

/// Whether the rules of the scenario answer with the code that this client does not know.
fn server_code(command: &[String]) -> bool {
    let rules = command.iter().find(|word| word.ends_with("rules.json"));
    let text = rules.and_then(|path| std::fs::read_to_string(path).ok());
    text.is_some_and(|text| text.contains("-32000"))
}

fn end(mut server: Lines, defect: &str) {
    if defect == "signal-first" {
        let _ = Command::new("kill")
            .args(["-TERM", &server.child.id().to_string()])
            .status();
    } else {
        server.input = None;
    }
    let _ = server.child.wait();
}
