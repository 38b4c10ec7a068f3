//! Where no rule hits, the proxy cannot be told from the server.

use super::{CALL, Proxy, connect, post, read_all, read_answer};
use crate::support::{Demo, request, server};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Requests of many kinds, each for a connection of its own that the server closes.
fn requests() -> Vec<Vec<u8>> {
    let plain = |method: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":"a","method":"{method}","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
        )
    };
    let close = "Connection: close\r\n";
    let chunked = format!(
        "POST /mcp HTTP/1.1\r\nhost:127.0.0.1\r\nX-Odd:   spaces  \r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5;x=y\r\n{}\r\n0\r\n\r\n",
        "{\"a\":"
    );
    vec![
        post(CALL, close),
        post(
            &CALL.replace("\"_meta\":{", "\"_meta\":{\"progressToken\":9,"),
            close,
        ),
        post(&plain("server/discover"), close),
        post(&plain("tools/list"), close),
        post(&plain("no/such"), close),
        post("not json", close),
        b"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".to_vec(),
        b"DELETE /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".to_vec(),
        b"HEAD /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".to_vec(),
        b"POST /mcp HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}".to_vec(),
        chunked.into_bytes(),
        post(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#,
            close,
        ),
    ]
}

#[test]
fn answers_are_the_same_to_the_byte() {
    let demo = Demo::start();
    let bare = Proxy::before(&demo.url, &[]);
    // Rules that are there and hit nothing of this.
    let ruled = Proxy::before(
        &demo.url,
        &["--fault", "http-500@every", "--tool", "another"],
    );
    let file = std::env::temp_dir().join(format!("mcp-verdict-idle-{}.json", std::process::id()));
    let recorded = Proxy::before(&demo.url, &["--record", &file.to_string_lossy()]);
    for bytes in requests() {
        let ask = |url: &str| {
            let mut stream = connect(url);
            stream.write_all(&bytes).expect("sent");
            read_all(&mut stream)
        };
        let direct = ask(&demo.url);
        assert!(!direct.0.is_empty());
        for proxy in [&bare, &ruled, &recorded] {
            let through = ask(&proxy.url);
            let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            assert_eq!(shown(&through.0), shown(&direct.0), "{}", shown(&bytes));
            assert_eq!(through.1, direct.1);
        }
    }
    drop(recorded);
    let _ = std::fs::remove_file(file);
}

#[test]
fn the_server_gets_every_byte_but_the_host() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&seen);
    let url = server(move |stream| {
        let Some(text) = request(stream) else { return };
        into.lock()
            .expect("unpoisoned")
            .extend_from_slice(text.as_bytes());
        let _ = stream.write_all(b"HTTP/1.1 204 Fine\r\n\r\n");
    });
    let proxy = Proxy::before(&url, &[]);
    let head = "POST /other?x=1 HTTP/1.1\r\nhOsT:  127.0.0.1:1\r\naccept:a\r\nX-Twice: 1\r\nX-Twice:\t2 \r\nExpect: \r\nContent-Length: 3\r\n\r\n{\"\r";
    let mut stream = proxy.connect();
    stream.write_all(head.as_bytes()).expect("sent");
    assert_eq!(read_all(&mut stream).0, b"HTTP/1.1 204 Fine\r\n\r\n");
    let authority = url.trim_start_matches("http://").trim_end_matches("/mcp");
    let expected = head.replace("hOsT:  127.0.0.1:1", &format!("hOsT: {authority}"));
    let seen = seen.lock().expect("unpoisoned");
    assert_eq!(String::from_utf8_lossy(&seen), expected);
}

#[test]
fn events_arrive_one_by_one() {
    let (go, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let url = server(move |stream| {
        if request(stream).is_none() {
            return;
        }
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
        for number in 0..5 {
            let event = format!("data: {number}\n\n");
            let _ = write!(stream, "{:x}\r\n{event}\r\n", event.len());
            // The next one is written only after this one has arrived.
            let arrived = wait
                .lock()
                .expect("unpoisoned")
                .recv_timeout(Duration::from_secs(10));
            if arrived.is_err() {
                return;
            }
        }
        let _ = stream.write_all(b"0\r\n\r\n");
    });
    for arguments in [&[][..], &["--fault", "stream-noise@every"]] {
        let proxy = Proxy::before(&url, arguments);
        let mut stream = proxy.connect();
        stream.write_all(&post(CALL, "")).expect("sent");
        let mut all = String::new();
        for number in 0..5 {
            while !all.contains(&number.to_string()) || !all.ends_with("\r\n") {
                let mut buffer = [0; 1024];
                let length = stream.read(&mut buffer).expect("an event");
                assert!(length > 0, "{all}");
                let text = String::from_utf8_lossy(&buffer[..length]).into_owned();
                // Of a noisy stream only the digits of the data matter here.
                all.push_str(&text);
            }
            go.send(()).expect("the server waits");
            all.clear();
            all.push_str("\r\n");
        }
    }
}

#[test]
fn a_connection_is_used_again_and_closed_with_the_servers() {
    let demo = Demo::start();
    let proxy = Proxy::before(&demo.url, &["--fault", "tool-error@2"]);
    let mut stream = proxy.connect();
    for round in 1..=4 {
        stream.write_all(&post(CALL, "")).expect("sent");
        let (status, _, body) = read_answer(&mut stream);
        let failed = String::from_utf8_lossy(&body).contains("\"isError\":true");
        assert_eq!((status, failed), (200, round == 2), "round {round}");
    }
    // Two at once: they are answered in their order.
    let both = [post(CALL, ""), post("not json", "")].concat();
    stream.write_all(&both).expect("sent");
    assert_eq!(
        (read_answer(&mut stream).0, read_answer(&mut stream).0),
        (200, 400)
    );
    let closing = server(|stream| {
        if request(stream).is_some() {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    let proxy = Proxy::before(&closing, &[]);
    let mut stream = proxy.connect();
    stream.write_all(&post(CALL, "")).expect("sent");
    assert!(
        read_all(&mut stream).0.ends_with(b"{}"),
        "closed by the server, so closed here"
    );
}

#[test]
fn a_client_that_waits_for_leave_gets_it() {
    let url = server(|stream| {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0; 1];
            if !matches!(stream.read(&mut byte), Ok(1)) {
                return;
            }
            head.extend_from_slice(&byte);
        }
        // Where the proxy has said it already, the server is not asked.
        if String::from_utf8_lossy(&head).contains("Expect:") {
            let _ = stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n");
        }
        let mut body = [0; 4];
        let _ = stream.read_exact(&mut body);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n");
        let _ = stream.write_all(&body);
    });
    for arguments in [&[][..], &["--fault", "timeout", "--tool", "another"]] {
        let proxy = Proxy::before(&url, arguments);
        let mut stream = proxy.connect();
        stream
            .write_all(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
            .expect("sent");
        let mut leave = [0; 25];
        stream.read_exact(&mut leave).expect("leave");
        assert_eq!(&leave, b"HTTP/1.1 100 Continue\r\n\r\n");
        stream.write_all(b"\"ok\"").expect("sent");
        let text = String::from_utf8(read_all(&mut stream).0).expect("text");
        assert!(text.ends_with("\"ok\""), "{text}");
    }
}

#[test]
fn large_bodies_pass_both_ways() {
    const SIZE: usize = 24 << 20;
    let url = server(|stream| {
        let mut all = Vec::new();
        let mut buffer = vec![0; 64 << 10];
        while all.len() < SIZE {
            match stream.read(&mut buffer) {
                Ok(length @ 1..) => all.extend_from_slice(&buffer[..length]),
                _ => return,
            }
        }
        let start = all
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .unwrap_or(0)
            + 4;
        while all.len() < start + SIZE {
            match stream.read(&mut buffer) {
                Ok(length @ 1..) => all.extend_from_slice(&buffer[..length]),
                _ => return,
            }
        }
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {SIZE}\r\n\r\n");
        let _ = stream.write_all(&all[start..]);
    });
    let body: Vec<u8> = (0..SIZE)
        .map(|at| b'a' + u8::try_from(at % 26).unwrap_or(0))
        .collect();
    for arguments in [&[][..], &["--fault", "tool-error@every"]] {
        let proxy = Proxy::before(&url, arguments);
        let mut stream = proxy.connect();
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {SIZE}\r\n\r\n"
        )
        .expect("sent");
        stream.write_all(&body).expect("sent");
        let (_, _, got) = read_answer(&mut stream);
        assert!(got == body, "{} bytes came back", got.len());
    }
}

#[test]
fn broken_connections_are_broken_for_the_other_side() {
    // The server closes in the middle of what it announced.
    let early = server(|stream| {
        if request(stream).is_some() {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf");
        }
    });
    let proxy = Proxy::before(&early, &[]);
    let mut stream = proxy.connect();
    stream.write_all(&post(CALL, "")).expect("sent");
    let (bytes, how) = read_all(&mut stream);
    assert!(bytes.ends_with(b"half") && how.is_none());
    // The client leaves: the server's connection ends too.
    let (told, heard) = mpsc::channel();
    let told = Mutex::new(told);
    let url = server(move |stream| {
        if request(stream).is_some() {
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hi\n\n");
            let ended = read_end(stream);
            let _ = told.lock().expect("unpoisoned").send(ended);
        }
    });
    for arguments in [&[][..], &["--fault", "tool-error"]] {
        let proxy = Proxy::before(&url, arguments);
        let mut stream = proxy.connect();
        stream.write_all(&post(CALL, "")).expect("sent");
        let mut first = [0; 1];
        stream.read_exact(&mut first).expect("the answer begins");
        drop(stream);
        let ended = heard.recv_timeout(Duration::from_secs(5));
        assert_eq!(ended, Ok(true), "{arguments:?}");
    }
    // Nobody is there.
    let proxy = Proxy::before("http://127.0.0.1:9/mcp", &[]);
    let mut stream = proxy.connect();
    stream.write_all(&post(CALL, "")).expect("sent");
    let text = String::from_utf8(read_all(&mut stream).0).expect("text");
    assert!(
        text.starts_with("HTTP/1.1 502 ") && text.contains("refused"),
        "{text}"
    );
}

/// Whether the client's side has ended, one way or the other.
fn read_end(stream: &mut TcpStream) -> bool {
    let mut byte = [0; 1];
    match stream.read(&mut byte) {
        Ok(length) => length == 0,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

#[test]
fn a_client_that_has_said_all_may_still_listen() {
    let demo = Demo::start();
    let url = server(move |stream| {
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate");
    });
    let proxy = Proxy::before(&url, &[]);
    let mut stream = proxy.connect();
    stream.write_all(&post(CALL, "")).expect("sent");
    stream.shutdown(Shutdown::Write).expect("shut");
    assert!(read_all(&mut stream).0.ends_with(b"late"));
    drop(demo);
}
