//! Every fault does on the wire exactly what its name says, over HTTP.

use super::{CALL, Proxy, address, call, post, read_all, read_answer};
use crate::support::{Demo, request, server};
use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

fn message(body: &[u8]) -> Value {
    serde_json::from_slice(body).expect("JSON")
}

/// The messages of an event stream.
fn events(body: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(body)
        .replace("\r\n", "\n")
        .replace('\r', "\n");
    text.split("\n\n")
        .filter_map(|event| event.lines().find_map(|line| line.strip_prefix("data: ")))
        .map(|data| serde_json::from_str(data).expect("JSON"))
        .collect()
}

/// The second call on the same connection is as if nothing had been.
fn is_well_again(stream: &mut TcpStream) {
    stream.write_all(&post(CALL, "")).expect("sent");
    let (status, _, body) = read_answer(stream);
    assert_eq!(status, 200);
    assert_eq!(
        message(&body)["result"]["structuredContent"]["id"],
        "INV-1001"
    );
}

#[test]
fn statuses_come_in_place_of_the_server() {
    let demo = Demo::start();
    for (fault, expected, field) in [
        ("http-500", 500, ""),
        ("http-503", 503, "Retry-After: 1\r\n"),
        ("rate-limit", 429, "Retry-After: 1\r\n"),
        (
            "expired-token",
            401,
            "WWW-Authenticate: Bearer error=\"invalid_token\"",
        ),
        (
            "forbidden-scope",
            403,
            "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=",
        ),
    ] {
        let (_proxy, mut stream) = call(&demo, &["--fault", fault]);
        let (status, head, body) = read_answer(&mut stream);
        assert_eq!(status, expected, "{fault}");
        assert!(head.contains(field), "{fault}: {head}");
        assert!(
            serde_json::from_slice::<Value>(&body).is_err(),
            "{fault}: no JSON-RPC"
        );
        is_well_again(&mut stream);
    }
}

#[test]
fn results_are_changed_and_nothing_else_is() {
    let demo = Demo::start();
    let changed = |fault: &str| {
        let (_proxy, mut stream) = call(&demo, &["--fault", fault]);
        let (status, _, body) = read_answer(&mut stream);
        assert_eq!(status, 200, "{fault}");
        is_well_again(&mut stream);
        message(&body)
    };
    let failed = changed("tool-error");
    assert_eq!(
        (&failed["id"], &failed["result"]["isError"]),
        (&json!(7), &json!(true))
    );
    assert_eq!(changed("empty-result")["result"]["content"], json!([]));
    let corrupt = changed("corrupt-result");
    let output = &corrupt["result"]["structuredContent"];
    assert_ne!(output["total"]["cents"], 48137);
    assert!(output["total"]["cents"].is_i64() && output["id"].is_string());
    assert_eq!(
        changed("unknown-result-type")["result"]["resultType"],
        "x-verdict"
    );
    assert_eq!(changed("internal-error")["error"]["code"], -32603);
    assert_eq!(
        changed("strip-result-type")["result"].get("resultType"),
        None
    );
    assert_eq!(changed("task-result")["result"]["resultType"], "task");
}

#[test]
fn json_that_is_broken_comes_in_a_sound_frame() {
    let demo = Demo::start();
    for fault in ["malformed-json", "truncated-json"] {
        let (_proxy, mut stream) = call(&demo, &["--fault", fault]);
        let (status, head, body) = read_answer(&mut stream);
        assert!(status == 200 && head.contains("application/json"));
        let error = serde_json::from_slice::<Value>(&body).expect_err("no JSON");
        assert_eq!(error.is_eof(), fault == "truncated-json", "{error}");
        is_well_again(&mut stream);
    }
    let (_proxy, mut stream) = call(&demo, &["--fault", "wrong-content-type"]);
    let (_, head, body) = read_answer(&mut stream);
    assert!(head.contains("Content-Type: text/html\r\n") && !head.contains("json"));
    assert_eq!(
        message(&body)["result"]["structuredContent"]["id"],
        "INV-1001"
    );
}

#[test]
fn resets_are_resets() {
    let demo = Demo::start();
    let (_proxy, mut stream) = call(&demo, &["--fault", "reset-before"]);
    assert_eq!(
        read_all(&mut stream),
        (vec![], Some(ErrorKind::ConnectionReset))
    );
    let (proxy, mut stream) = call(&demo, &["--fault", "reset-mid-stream"]);
    let (bytes, how) = read_all(&mut stream);
    assert_eq!(how, Some(ErrorKind::ConnectionReset));
    let text = String::from_utf8(bytes).expect("text");
    assert!(
        text.starts_with("HTTP/1.1 200 ")
            && text.contains("INV-1001")
            && !text.contains("ledger.example")
    );
    is_well_again(&mut proxy.connect());
    // Of a stream, what came before the answer has arrived.
    let (_proxy, mut stream) = call(
        &demo,
        &["--fault", "reset-mid-stream", "--fault", "force-stream"],
    );
    let (bytes, how) = read_all(&mut stream);
    assert_eq!(how, Some(ErrorKind::ConnectionReset));
    assert!(String::from_utf8_lossy(&bytes).contains("text/event-stream"));
    // A cut is no reset: the connection is closed in good order, and the last chunk never comes.
    let (_proxy, mut stream) = call(&demo, &["--fault", "cut-stream", "--fault", "event-ids"]);
    let (bytes, how) = read_all(&mut stream);
    let text = String::from_utf8(bytes).expect("text");
    assert!(
        how.is_none() && text.contains("id: verdict-1\n") && !text.ends_with("0\r\n\r\n"),
        "{text}"
    );
    assert!(!text.contains("INV-1001"));
}

#[test]
fn a_connection_is_refused_for_a_time() {
    let demo = Demo::start();
    let file = std::env::temp_dir().join(format!("mcp-verdict-refuse-{}.yaml", std::process::id()));
    std::fs::write(&file, "- { fault: connection-refused, for: 600ms }\n").expect("written");
    let (proxy, mut stream) = call(&demo, &["--rules", &file.to_string_lossy()]);
    assert_eq!(
        read_all(&mut stream),
        (vec![], Some(ErrorKind::ConnectionReset))
    );
    let refused = TcpStream::connect(address(&proxy.url)).expect_err("refused");
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    let began = Instant::now();
    let mut stream = loop {
        match TcpStream::connect(address(&proxy.url)) {
            Ok(stream) => break stream,
            Err(_) => assert!(
                began.elapsed() < Duration::from_secs(10),
                "never taken again"
            ),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    is_well_again(&mut stream);
    let _ = std::fs::remove_file(file);
}

#[test]
fn slow_answers_are_whole_and_a_timeout_is_silence() {
    let demo = Demo::start();
    let file = std::env::temp_dir().join(format!("mcp-verdict-slow-{}.yaml", std::process::id()));
    std::fs::write(
        &file,
        "- { fault: slow-first-byte, for: 400 }\n- { fault: slow-drip, when: 2, for: 1ms }\n",
    )
    .expect("written");
    let (_proxy, mut stream) = call(&demo, &["--rules", &file.to_string_lossy()]);
    let began = Instant::now();
    let mut first = [0; 1];
    stream.read_exact(&mut first).expect("a byte");
    assert!(
        began.elapsed() >= Duration::from_millis(350),
        "{:?}",
        began.elapsed()
    );
    let (_, _, body) = read_answer_after(&mut stream, first[0]);
    assert_eq!(message(&body)["id"], 7);
    stream.write_all(&post(CALL, "")).expect("sent");
    let (mut reads, mut all) = (0, Vec::new());
    while !all.ends_with(b"}}}}") {
        let mut buffer = [0; 4096];
        let length = stream.read(&mut buffer).expect("bytes");
        assert!(length > 0);
        all.extend_from_slice(&buffer[..length]);
        reads += 1;
    }
    // Byte by byte: a busy machine may join some.
    assert!(
        reads > all.len() / 20,
        "{reads} reads of {} bytes",
        all.len()
    );
    let (_proxy, mut stream) = call(&demo, &["--fault", "timeout"]);
    stream
        .set_read_timeout(Some(Duration::from_millis(500)))
        .expect("a limit");
    let (bytes, how) = read_all(&mut stream);
    assert!(bytes.is_empty() && matches!(how, Some(ErrorKind::WouldBlock | ErrorKind::TimedOut)));
    let _ = std::fs::remove_file(file);
}

fn read_answer_after(stream: &mut TcpStream, first: u8) -> (u16, String, Vec<u8>) {
    assert_eq!(first, b'H');
    let mut rest = Vec::new();
    let mut buffer = [0; 4096];
    while !rest.ends_with(b"}}}}") {
        let length = stream.read(&mut buffer).expect("bytes");
        rest.extend_from_slice(&buffer[..length]);
    }
    let at = rest
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .expect("a head");
    (200, String::new(), rest.split_off(at + 4))
}

#[test]
fn messages_stand_beside_the_answer() {
    let demo = Demo::start();
    let streamed = |faults: &[&str]| {
        let arguments: Vec<&str> = faults
            .iter()
            .flat_map(|fault| ["--fault", *fault])
            .collect();
        let (_proxy, mut stream) = call(&demo, &arguments);
        let (status, head, body) = read_answer(&mut stream);
        assert!(
            status == 200 && head.contains("text/event-stream"),
            "{faults:?}: {head}"
        );
        is_well_again(&mut stream);
        (body.clone(), events(&body))
    };
    let (_, twice) = streamed(&["duplicated-result"]);
    assert!(twice.len() == 2 && twice[0] == twice[1]);
    let (_, steps) = streamed(&["out-of-order-notifications"]);
    let told = |at: usize| {
        steps[at]["params"]["data"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(
        (told(0), told(1), told(3)),
        ("step 3".into(), "step 1".into(), "step 2".into())
    );
    assert_eq!(steps[2]["id"], 7);
    let (_, asked) = streamed(&["server-request"]);
    assert_eq!(
        (&asked[0]["method"], asked[0].get("id").is_some()),
        (&json!("ping"), true)
    );
    let (_, noted) = streamed(&["notification"]);
    assert_eq!(noted[0]["method"], "notifications/x-verdict");
    let (_, foreign) = streamed(&["foreign-response"]);
    assert_eq!(
        (&foreign[0]["id"], &foreign[1]["id"]),
        (&json!("verdict-unknown-1"), &json!(7))
    );
    let (noise, one) = streamed(&["stream-noise"]);
    assert!(noise.starts_with(b": a comment\r\n") && one.len() == 1);
    let (cr, one) = streamed(&["stream-cr"]);
    assert!(!cr.contains(&b'\n') && one.len() == 1);
    let (empty, _) = streamed(&["empty-event"]);
    assert!(empty.starts_with(b"data:\n\n"));
}

#[test]
fn a_loop_asks_again_and_the_server_hears_nothing_of_it() {
    let calls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&calls);
    let url = server(move |stream| {
        while let Some(text) = request(stream) {
            count.fetch_add(1, Ordering::SeqCst);
            assert!(!text.contains("requestState"), "{text}");
            let body =
                r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[]}}"#;
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
        }
    });
    for (fault, rounds) in [("input-required-loop", 6), ("input-required", 1)] {
        let before = calls.load(Ordering::SeqCst);
        let proxy = Proxy::before(&url, &["--fault", fault]);
        let mut stream = proxy.connect();
        let mut body = CALL.to_owned();
        for round in 0..6 {
            stream.write_all(&post(&body, "")).expect("sent");
            let answer = message(&read_answer(&mut stream).2);
            let asks = answer["result"]["resultType"] == "input_required";
            assert_eq!(asks, round < rounds, "{fault}, round {round}");
            if !asks {
                break;
            }
            let state = &answer["result"]["requestState"];
            body = CALL.replace(
                "\"arguments\"",
                &format!("\"requestState\":{state},\"inputResponses\":{{}},\"arguments\""),
            );
        }
        let heard = calls.load(Ordering::SeqCst) - before;
        assert_eq!(heard, usize::from(fault == "input-required"), "{fault}");
    }
}

#[test]
fn who_hears_of_a_call() {
    let calls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&calls);
    let url = server(move |stream| {
        while request(stream).is_some() {
            count.fetch_add(1, Ordering::SeqCst);
            let body = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#;
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
        }
    });
    for (fault, hears) in [
        ("http-500", false),
        ("rate-limit", false),
        ("expired-token", false),
        ("internal-error", false),
        ("connection-refused", false),
        ("reset-before", true),
        ("reset-mid-stream", true),
        ("truncated-json", true),
        ("tool-error", true),
        ("timeout", true),
    ] {
        let before = calls.load(Ordering::SeqCst);
        let proxy = Proxy::before(&url, &["--fault", fault]);
        let mut stream = proxy.connect();
        stream
            .set_read_timeout(Some(Duration::from_millis(700)))
            .expect("a limit");
        stream
            .write_all(&post(CALL, "Connection: close\r\n"))
            .expect("sent");
        let _ = read_all(&mut stream);
        assert_eq!(
            calls.load(Ordering::SeqCst) - before,
            usize::from(hears),
            "{fault}"
        );
    }
}

#[test]
fn random_faults_are_those_of_the_seed() {
    let demo = Demo::start();
    let drawn = |seed: &str| {
        let proxy = Proxy::before(
            &demo.url,
            &["--fault", "http-500@random:0.5", "--seed", seed],
        );
        let mut stream = proxy.connect();
        let one = |_| {
            stream.write_all(&post(CALL, "")).expect("sent");
            read_answer(&mut stream).0
        };
        (0..24).map(one).collect::<Vec<_>>()
    };
    assert_eq!(drawn("1"), drawn("1"));
    assert_ne!(drawn("1"), drawn("2"));
}
