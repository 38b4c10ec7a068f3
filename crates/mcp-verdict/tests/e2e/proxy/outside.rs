//! What stands around the traffic: control endpoint, rules file, recording, replay, processes behind HTTP, signals.

use super::{CALL, Proxy, address, call, post, read_all, read_answer};
use crate::support::{Demo, code, run, stderr};
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};
use verdict_model::Transcript;
use verdict_model::transcript::{End, Sender};

/// A stdio server that answers calls with its own process id.
const SERVER: &str = r#"while IFS= read -r line; do
  case $line in
    *'"id":'*) id=${line#*'"id":'}; id=${id%%,*}
      printf '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"working"}}\n'
      printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[{"type":"text","text":"pid %s"}]}}\n' "$id" $$;;
    *) printf '%s\n' "$line" >/dev/null;;
  esac
done"#;

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("mcp-verdict-proxy-{}-{name}", std::process::id()))
}

fn asked(control: &str, text: &str, body: &str) -> (u16, Value) {
    let mut stream = TcpStream::connect(address(control)).expect("a connection");
    let request = format!("{text}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(request.as_bytes()).expect("sent");
    let (status, _, body) = read_answer(&mut stream);
    (status, serde_json::from_slice(&body).expect("JSON"))
}

#[test]
fn rules_change_while_it_runs() {
    let demo = Demo::start();
    let (proxy, mut stream) = call(&demo, &["--control", "127.0.0.1:0", "--fault", "http-500"]);
    let control = proxy.control.clone().expect("said");
    assert_eq!(read_answer(&mut stream).0, 500);
    let (status, state) = asked(&control, "GET / HTTP/1.1\r\nHost: localhost", "");
    assert_eq!(
        (status, &state["rules"][0]["hit"], &state["hits"]),
        (200, &json!(1), &json!(1))
    );
    let put = "PUT /rules HTTP/1.1\r\nHost: 127.0.0.1";
    let rules = r#"[{"fault": "error", "when": "every", "with": {"code": -32001}}]"#;
    assert_eq!(asked(&control, put, rules).0, 200);
    stream.write_all(&post(CALL, "")).expect("sent");
    let answer: Value = serde_json::from_slice(&read_answer(&mut stream).2).expect("JSON");
    assert_eq!(answer["error"]["code"], -32001);
    // What is wrong leaves the rules as they are.
    for wrong in [
        "[{\"fault\": \"no\"}]",
        "{",
        "[{\"fault\": \"stderr-noise\"}]",
    ] {
        let (status, why) = asked(&control, put, wrong);
        assert!(status == 400 && why["error"].is_string(), "{why}");
    }
    // Other machines, and pages that come from them.
    for text in [
        "DELETE /rules HTTP/1.1\r\nHost: evil.example",
        "DELETE /rules HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example",
        "DELETE /rules HTTP/1.1\r\nHost: localhost\r\nOrigin: null",
        "DELETE /rules HTTP/1.1\r\nX: y",
    ] {
        assert_eq!(asked(&control, text, "").0, 403, "{text}");
    }
    let (_, state) = asked(&control, "GET / HTTP/1.1\r\nHost: localhost", "");
    assert_eq!(state["rules"][0]["fault"], "error");
    assert_eq!(
        asked(&control, "DELETE /rules HTTP/1.1\r\nHost: [::1]:1", "").0,
        200
    );
    stream.write_all(&post(CALL, "")).expect("sent");
    let answer: Value = serde_json::from_slice(&read_answer(&mut stream).2).expect("JSON");
    assert!(answer["result"].is_object());
    let output = run(&["proxy", "--url", &demo.url, "--control", "0.0.0.0:0"]);
    assert_eq!(code(&output), 2);
}

#[test]
fn mistakes_in_rules_are_told_at_their_place() {
    let file = temporary("rules.yaml");
    std::fs::write(
        &file,
        "- { fault: http-503 }\n- fault: http-504\n- { fault: timeout, wen: 1 }\n",
    )
    .expect("written");
    let path = file.to_string_lossy();
    let output = run(&["proxy", "--url", "http://127.0.0.1:9/mcp", "--rules", &path]);
    let said = stderr(&output);
    assert_eq!(code(&output), 2);
    assert!(
        said.contains(&format!("{path}:2:10: ")) && said.contains(&format!("{path}:3:21: ")),
        "{said}"
    );
    let output = run(&[
        "proxy",
        "--url",
        "http://127.0.0.1:9/mcp",
        "--fault",
        "http-503@0",
    ]);
    assert!(
        code(&output) == 2 && stderr(&output).contains("@first"),
        "{}",
        stderr(&output)
    );
    let _ = std::fs::remove_file(file);
}

#[test]
fn a_recording_is_whole_masked_and_answers_again() {
    let demo = Demo::start();
    let file = temporary("record.json");
    let path = file.to_string_lossy().into_owned();
    let proxy = Proxy::before(&demo.url, &["--record", &path, "--fault", "cut-stream@2"]);
    for _ in 0..2 {
        let mut stream = proxy.connect();
        let secret = "Authorization: Bearer hunter2-hunter2\r\nConnection: close\r\n";
        stream.write_all(&post(CALL, secret)).expect("sent");
        read_all(&mut stream);
    }
    // A kill loses little: it is written while the proxy runs.
    let due = Instant::now() + Duration::from_secs(10);
    let text = loop {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        if text.contains("cut-stream") {
            break text;
        }
        assert!(Instant::now() < due, "{text}");
        std::thread::sleep(Duration::from_millis(50));
    };
    drop(proxy);
    assert!(
        !text.contains("hunter2") && text.contains("Bearer ***"),
        "{text}"
    );
    let read: Transcript = serde_json::from_str(&text).expect("a transcript");
    let [first, second] = &read.exchanges[..] else {
        panic!("{text}")
    };
    assert_eq!(
        (first.end.clone(), first.fault.as_deref()),
        (End::Complete, None)
    );
    let senders: Vec<Sender> = first.messages.iter().map(|message| message.from).collect();
    assert_eq!(senders, [Sender::Client, Sender::Server]);
    assert_eq!(first.messages[0].text.as_str(), CALL);
    assert!(matches!(second.end, End::Lost(_)));
    assert_eq!(second.fault.as_deref(), Some("cut-stream"));
    // The same call with another id is answered as it was, and another call is not.
    let replay = Proxy::start(&["--replay", &path, "--listen", "127.0.0.1:0"]);
    let mut stream = replay.connect();
    stream
        .write_all(&post(&CALL.replace("\"id\":7", "\"id\":\"again\""), ""))
        .expect("sent");
    let answer: Value = serde_json::from_slice(&read_answer(&mut stream).2).expect("JSON");
    assert_eq!(answer["id"], "again");
    assert_eq!(answer["result"]["structuredContent"]["id"], "INV-1001");
    stream
        .write_all(&post(&CALL.replace("INV-1001", "INV-1002"), ""))
        .expect("sent");
    let answer: Value = serde_json::from_slice(&read_answer(&mut stream).2).expect("JSON");
    let why = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(
        why.contains("no answer to this tools/call of get_invoice"),
        "{why}"
    );
    let _ = std::fs::remove_file(file);
}

#[test]
fn a_process_stands_behind_http() {
    let proxy = Proxy::start(&[
        "--listen",
        "127.0.0.1:0",
        "--fault",
        "kill-server@3",
        "--",
        "sh",
        "-c",
        SERVER,
    ]);
    let text = |stream: &mut TcpStream, id: &str| {
        stream
            .write_all(&post(
                &CALL.replace("\"id\":7", &format!("\"id\":{id}")),
                "",
            ))
            .expect("sent");
        let (status, head, body) = read_answer(stream);
        assert!(
            status == 200 && head.contains("text/event-stream"),
            "{head}"
        );
        let body = String::from_utf8(body).expect("text");
        let events: Vec<&str> = body.split("\n\n").collect();
        assert!(events[0].contains("working"), "{body}");
        let answer: Value =
            serde_json::from_str(events[1].trim_start_matches("data: ")).expect("JSON");
        assert_eq!(answer["id"].to_string(), id, "two clients may use one id");
        answer["result"]["content"][0]["text"].to_string()
    };
    let (mut one, mut other) = (proxy.connect(), proxy.connect());
    let first = text(&mut one, "7");
    assert_eq!(text(&mut other, "7"), first, "one process for both");
    one.write_all(&post(CALL, "")).expect("sent");
    assert!(read_all(&mut one).1.is_some(), "reset");
    assert_ne!(
        text(&mut other, "\"x\""),
        first,
        "a new process after the kill"
    );
    let mut stream = proxy.connect();
    stream
        .write_all(b"GET /.well-known/oauth-protected-resource HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .expect("sent");
    assert_eq!(read_answer(&mut stream).0, 404);
    stream
        .write_all(&post(
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}",
            "",
        ))
        .expect("sent");
    assert_eq!(read_answer(&mut stream).0, 202);
    // A handshake of before begins a session with a process of its own.
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
    stream.write_all(&post(hello, "")).expect("sent");
    let (_, head, _) = read_answer(&mut stream);
    let session = head
        .lines()
        .find_map(|line| line.strip_prefix("Mcp-Session-Id: "))
        .expect("a session");
    let own = text(&mut stream, "2");
    let mut with = proxy.connect();
    let field = format!("Mcp-Session-Id: {session}\r\n");
    with.write_all(&post(CALL, &field)).expect("sent");
    let theirs = String::from_utf8(read_answer(&mut with).2).expect("text");
    assert!(!theirs.contains(own.trim_matches('"')), "{theirs}");
}

#[test]
fn a_signal_ends_it_soon_and_nothing_is_left() {
    let mark = format!("33{:06}", std::process::id());
    let script = format!("trap '' TERM; sleep {mark} & sleep {mark}");
    let sleeping = || {
        let found = Command::new("pgrep")
            .args(["-f", &format!("^sleep {mark}")])
            .output();
        found.expect("pgrep runs").stdout.len()
    };
    let started = |proxy: Proxy| {
        let due = Instant::now() + Duration::from_secs(10);
        while sleeping() == 0 {
            assert!(Instant::now() < due, "never started");
        }
        let (code, took) = proxy.stop();
        assert_eq!((code, sleeping()), (Some(0), 0));
        assert!(took < Duration::from_secs(2), "{took:?}");
    };
    started(Proxy::start(&[
        "--listen",
        "127.0.0.1:0",
        "--",
        "sh",
        "-c",
        &script,
    ]));
    let demo = Demo::start();
    let (proxy, mut stream) = call(&demo, &["--fault", "timeout"]);
    let (code, took) = proxy.stop();
    assert!(code == Some(0) && took < Duration::from_secs(2), "{took:?}");
    let _ = read_all(&mut stream);
}

#[test]
fn a_signal_between_standard_streams_too() {
    let mark = format!("34{:06}", std::process::id());
    let script = format!("trap '' TERM; sleep {mark} & sleep {mark}");
    let mut child = Command::new(env!("CARGO_BIN_EXE_mcp-verdict"))
        .args(["proxy", "--", "sh", "-c", &script])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    let sleeping = || {
        let found = Command::new("pgrep")
            .args(["-f", &format!("^sleep {mark}")])
            .output();
        found.expect("pgrep runs").stdout.len()
    };
    while sleeping() == 0 {
        assert!(
            child.try_wait().expect("a state").is_none(),
            "ended by itself"
        );
    }
    let began = Instant::now();
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .arg(id)
            .status()
            .expect("kill runs")
            .success()
    );
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert!(
        began.elapsed() < Duration::from_secs(2),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(sleeping(), 0, "left behind");
}
