//! Layer 2 towards the server itself: each weakness is seen by the ordeal that is meant for it, and a good server by none.

use crate::support::{Demo, code, run, stderr};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What is wrong with a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weakness {
    None,
    /// Answers with what another request sent.
    Leaks,
    /// Every fifth connection is closed without an answer.
    Drops,
    /// Stops for good when a connection ends early.
    DiesOfDisconnect,
    /// Stops for good at bytes that are no message.
    DiesOfGarbage,
    /// Says 500 for bytes that are no message.
    Blames,
    /// Stops for good at a large body.
    DiesOfSize,
    /// One connection at a time.
    Single,
}

struct Shared {
    weakness: Weakness,
    /// It has stopped: connections are closed at once.
    gone: bool,
    last: String,
    count: u32,
}

fn serve(weakness: Weakness) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("bound"));
    let shared = Arc::new(Mutex::new(Shared {
        weakness,
        gone: false,
        last: String::new(),
        count: 0,
    }));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let shared = Arc::clone(&shared);
            if weakness == Weakness::Single {
                let _ = one(&stream, &shared);
            } else {
                std::thread::spawn(move || one(&stream, &shared));
            }
        }
    });
    url
}

/// One connection, one request.
fn one(stream: &TcpStream, shared: &Mutex<Shared>) -> std::io::Result<()> {
    let weakness = {
        let mut shared = shared.lock().expect("not poisoned");
        shared.count += 1;
        if shared.gone || (shared.weakness == Weakness::Drops && shared.count.is_multiple_of(5)) {
            return Ok(());
        }
        shared.weakness
    };
    let stop = |when: Weakness| {
        if weakness == when {
            shared.lock().expect("not poisoned").gone = true;
        }
    };
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            stop(Weakness::DiesOfDisconnect);
            return Ok(());
        }
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.is_empty() {
            break;
        }
    }
    if length > 1_000_000 {
        stop(Weakness::DiesOfSize);
        return answer(stream, 413, &Value::Null);
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        stop(Weakness::DiesOfDisconnect);
        return Ok(());
    }
    match serde_json::from_slice::<Value>(&body) {
        Ok(request) if request.is_object() => {
            answer(stream, 200, &reply(&request, weakness, shared))
        }
        _ => {
            stop(Weakness::DiesOfGarbage);
            let status = if weakness == Weakness::Blames {
                500
            } else {
                400
            };
            answer(stream, status, &Value::Null)
        }
    }
}

fn answer(mut stream: &TcpStream, status: u16, body: &Value) -> std::io::Result<()> {
    let body = body.to_string();
    write!(
        stream,
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn reply(request: &Value, weakness: Weakness, shared: &Mutex<Shared>) -> Value {
    let own = json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private"});
    let with = |name: &str, value: Value| {
        let mut result = own.clone();
        result[name] = value;
        json!({"jsonrpc": "2.0", "id": request["id"], "result": result})
    };
    match request["method"].as_str() {
        Some("server/discover") => {
            let mut reply = with("supportedVersions", json!(["2026-07-28"]));
            reply["result"]["capabilities"] = json!({"tools": {}});
            reply
        }
        Some("tools/list") => with(
            "tools",
            json!([{"name": "echo", "description": "Says back.",
            "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}]),
        ),
        Some("tools/call") => {
            let mut text = request["params"]["arguments"]["text"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            if weakness == Weakness::Leaks {
                shared.lock().expect("not poisoned").last.clone_from(&text);
                std::thread::sleep(Duration::from_millis(30));
                text.clone_from(&shared.lock().expect("not poisoned").last);
            }
            with("content", json!([{"type": "text", "text": text}]))
        }
        _ => {
            json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "no"}})
        }
    }
}

/// The exit code, the verdict, and the outcome of each ordeal.
fn tried(url: &str, config: &str) -> (i32, Value, Vec<(String, String, String)>) {
    let port = url.rsplit(':').next().unwrap_or_default().replace('/', "-");
    let path = std::env::temp_dir().join(format!(
        "mcp-verdict-stress-{}-{port}.yaml",
        std::process::id()
    ));
    std::fs::write(&path, config).expect("it is written");
    let output = run(&[
        "run",
        "--layers",
        "2",
        "--timeout",
        "3",
        "--format",
        "json",
        "--config",
        path.to_str().expect("UTF-8"),
        "--url",
        url,
    ]);
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("no report ({error}): {}", stderr(&output)));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let trials = report["layers"]["resilience"]["server"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let trials = trials.iter().map(|trial| {
        (
            text(&trial["id"]),
            text(&trial["outcome"]),
            text(&trial["message"]),
        )
    });
    (code(&output), report.clone(), trials.collect())
}

const CONFIG: &str = "tools: { safe: [echo] }\nstress: { server: true, parallel: 16 }\n";

#[test]
fn a_good_server_stands_up_to_everything() {
    let (exit, report, trials) = tried(&serve(Weakness::None), CONFIG);
    assert_eq!(exit, 0, "{trials:#?}");
    assert_eq!(report["verdict"], "pass");
    assert_eq!(trials.len(), 7);
    for (id, outcome, message) in trials {
        // With a quick server there may be nothing left to cancel.
        assert!(
            outcome == "pass" || id == "cancellation-under-load",
            "{id}: {outcome} {message}"
        );
    }
}

#[test]
fn each_weakness_is_seen_by_its_ordeal_alone() {
    for (weakness, ordeal, outcome) in [
        (Weakness::Leaks, "requests-apart", "fail"),
        (Weakness::DiesOfDisconnect, "disconnect-mid-call", "fail"),
        (Weakness::DiesOfGarbage, "malformed-bodies", "fail"),
        (Weakness::Blames, "malformed-bodies", "warn"),
        (Weakness::DiesOfSize, "oversize-body", "fail"),
        (Weakness::Single, "slow-clients", "fail"),
    ] {
        let (exit, _, trials) = tried(&serve(weakness), CONFIG);
        assert_eq!(
            exit,
            i32::from(outcome == "fail"),
            "{weakness:?} {trials:#?}"
        );
        for (id, found, message) in &trials {
            if id == ordeal {
                assert_eq!(found, outcome, "{weakness:?} {id}: {message}");
            } else {
                assert!(
                    found == "pass" || found == "skip",
                    "{weakness:?} {id}: {found} {message}"
                );
            }
        }
    }
}

#[test]
fn a_server_that_drops_requests_is_told_with_their_number() {
    let (exit, report, trials) = tried(&serve(Weakness::Drops), CONFIG);
    assert_eq!(exit, 1);
    let found = trials
        .iter()
        .find(|(id, outcome, _)| id == "parallel-requests" && outcome == "fail");
    let (_, _, message) = found.unwrap_or_else(|| panic!("{trials:#?}"));
    assert!(
        message.contains("of 16 requests at one time were not answered"),
        "{message}"
    );
    let summary = report["summary"].as_str().unwrap_or_default();
    assert!(summary.contains("does not stand up to"), "{summary}");
}

#[test]
fn the_built_in_server_stands_up() {
    let demo = Demo::start();
    let (exit, _, trials) = tried(&demo.url, "stress: { server: true, parallel: 16 }\n");
    assert_eq!(exit, 0, "{trials:#?}");
}

#[test]
fn nothing_is_done_to_a_server_elsewhere_that_nobody_allowed() {
    // An address of documentation: nothing may even be sent to it.
    let (exit, _, trials) = tried("http://192.0.2.1:9/mcp", "stress: { server: true }\n");
    assert_eq!(exit, 3);
    for (id, outcome, message) in trials {
        assert_eq!(outcome, "skip", "{id}");
        assert!(message.contains("stress: { remote: true }"), "{message}");
    }
}
