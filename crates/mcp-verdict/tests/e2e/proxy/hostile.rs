//! Clients that mean no good: nothing hangs, nothing grows, others are served.

use super::{CALL, Proxy, post, read_all, read_answer};
use crate::support::{Demo, request, server};
use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

/// What a client gets for these bytes; it has no more to say.
fn answer_to(proxy: &Proxy, bytes: &[u8]) -> String {
    let mut stream = proxy.connect();
    // The other side may close while this is written.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    String::from_utf8_lossy(&read_all(&mut stream).0).into_owned()
}

fn serves_others(proxy: &Proxy) {
    let mut stream = proxy.connect();
    stream.write_all(&post(CALL, "")).expect("sent");
    assert_eq!(read_answer(&mut stream).0, 200);
}

#[test]
fn heads_and_bodies_that_cannot_be() {
    let demo = Demo::start();
    for arguments in [&[][..], &["--fault", "tool-error", "--tool", "another"]] {
        let proxy = Proxy::before(&demo.url, arguments);
        let long = [b"GET / HTTP/1.1\r\nX: ".as_slice(), &vec![b'y'; 10 << 20]].concat();
        let many = format!("GET / HTTP/1.1\r\n{}", "X: 1\r\n".repeat(100_000));
        for (bytes, status) in [
            (long.as_slice(), "431"),
            (many.as_bytes(), "431"),
            (
                b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".as_slice(),
                "400",
            ),
            (
                b"POST /mcp HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
                "400",
            ),
            (
                b"POST /mcp HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
                "400",
            ),
            (
                b"POST /mcp HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
                "400",
            ),
            (
                b"CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "405",
            ),
            (b"GET /mcp HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403"),
        ] {
            let got = answer_to(&proxy, bytes);
            let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]);
            assert!(
                got.starts_with(&format!("HTTP/1.1 {status} ")),
                "{shown}: {got}"
            );
        }
        // Half of something is never answered, and never waited for once the client is gone.
        for half in [
            "POST /mcp HT",
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{",
        ] {
            let got = answer_to(&proxy, half.as_bytes());
            assert!(!got.contains("200 OK"), "{got}");
        }
        // A broken chunk is the server's to refuse, or ends the connection.
        for size in ["zz", "-1", "fffffffffffffffffff", &"1".repeat(40_000)] {
            let text = format!(
                "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n{size}\r\n{{}}\r\n0\r\n\r\n"
            );
            let got = answer_to(&proxy, text.as_bytes());
            assert!(!got.contains("200 OK"), "{size:.20}: {got}");
        }
        serves_others(&proxy);
    }
}

#[test]
fn floods_and_crowds() {
    let demo = Demo::start();
    let proxy = Proxy::before(&demo.url, &[]);
    let before = memory(proxy.child.id());
    // Many that only connect, or begin and stop.
    let mut crowd: Vec<TcpStream> = (0..300).map(|_| proxy.connect()).collect();
    for stream in &mut crowd {
        stream
            .write_all(b"POST /mcp HTTP/1.1\r\nContent-Le")
            .expect("sent");
    }
    serves_others(&proxy);
    // A client that asks and asks and never reads.
    let url = server(|stream| {
        while request(stream).is_some() {
            let body = "x".repeat(1 << 20);
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            if stream.write_all(head.as_bytes()).is_err()
                || stream.write_all(body.as_bytes()).is_err()
            {
                return;
            }
        }
    });
    let other = Proxy::before(&url, &[]);
    let mut greedy = other.connect();
    greedy
        .set_write_timeout(Some(Duration::from_millis(500)))
        .expect("a limit");
    for _ in 0..2_000 {
        if greedy.write_all(&post(CALL, "")).is_err() {
            break;
        }
    }
    for (proxy, before) in [(&proxy, before), (&other, before)] {
        let grown = memory(proxy.child.id()).saturating_sub(before);
        assert!(grown < 32 << 10, "it grew by {grown} KiB");
    }
    drop(crowd);
    serves_others(&proxy);
}

/// Resident memory in KiB; 0 where the system does not say.
fn memory(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.unwrap_or(0)
}

#[test]
fn servers_that_are_no_servers() {
    for bytes in [
        b"220 mail.example ESMTP\r\n".to_vec(),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n".to_vec(),
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}".to_vec(),
        [b"HTTP/1.1 200 OK\r\nX: ".as_slice(), &vec![b'y'; 1 << 20]].concat(),
    ] {
        let sent = bytes.clone();
        let url = server(move |stream| {
            if request(stream).is_some() {
                let _ = stream.write_all(&sent);
            }
        });
        // Idle, every byte passes, sound or not.
        let proxy = Proxy::before(&url, &[]);
        let mut stream = proxy.connect();
        stream.write_all(&post(CALL, "")).expect("sent");
        assert!(read_all(&mut stream).0 == bytes);
        // What cannot be read cannot be changed: the connection ends.
        let proxy = Proxy::before(&url, &["--fault", "tool-error"]);
        let mut stream = proxy.connect();
        stream.write_all(&post(CALL, "")).expect("sent");
        let (got, _) = read_all(&mut stream);
        assert!(got.len() < 200, "{}", String::from_utf8_lossy(&got));
    }
}
