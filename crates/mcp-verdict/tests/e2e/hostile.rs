//! What hostile servers send ends within the deadline, with an ordinary exit code and the right words.

use crate::support::{always, code, report, request, run, server, stderr, stdout};
use std::io::Write;

fn answer(head: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{head}\r\n\r\n{body}")
}

/// The run has no verdict (or fails) and says these words.
fn ends_with_words(url: &str, words: &str) {
    let output = run(&["check", "--url", url, "--timeout", "1", "--deadline", "20"]);
    let text = stdout(&output);
    assert!(
        matches!(code(&output), 1 | 3),
        "exit {}: {text}{}",
        code(&output),
        stderr(&output)
    );
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains(words), "no `{words}` in:\n{text}");
}

#[test]
fn lengths_that_are_wrong() {
    ends_with_words(
        &always(answer("Content-Length: 5000", "{}")),
        "inside the body",
    );
    ends_with_words(
        &always(answer("Content-Length: 1", "{}{}")),
        "cannot be read: not valid JSON",
    );
    ends_with_words(
        &always(answer("Content-Length: 2\r\nContent-Length: 3", "{}")),
        "two different values of Content-Length",
    );
    ends_with_words(
        &always(answer(
            "Content-Length: 2\r\nTransfer-Encoding: chunked",
            "{}",
        )),
        "both Content-Length and Transfer-Encoding",
    );
    ends_with_words(
        &always(answer("Transfer-Encoding: chunked", "zz\r\n{}\r\n")),
        "chunk size is not a hexadecimal number",
    );
    ends_with_words(
        &always(answer("Content-Length: 99999999999", "{}")),
        "exceeds the limit of 33554432 bytes",
    );
}

#[test]
fn answers_that_are_not_http() {
    ends_with_words(&always("220 mail.example ESMTP\r\n"), "not HTTP/1.1");
    ends_with_words(
        &always("HTTP/1.1 999 Odd\r\n\r\n"),
        "status is not between 100 and 599",
    );
    ends_with_words(
        &always("HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n"),
        "not HTTP/1.1",
    );
}

#[test]
fn floods() {
    let fields = "X-Y: 1\r\n".repeat(100_000);
    ends_with_words(
        &always(format!("HTTP/1.1 200 OK\r\n{fields}\r\n")),
        "limit of 256 fields",
    );
    let long = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "y".repeat(10 << 20));
    ends_with_words(&always(long), "limit of 131072 bytes");
    let endless = server(|stream| {
        if request(stream).is_none() {
            return;
        }
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
        let chunk = format!("10000\r\n{}\r\n", "x".repeat(65_536));
        while stream.write_all(chunk.as_bytes()).is_ok() {}
    });
    ends_with_words(&endless, "exceeds the limit of 33554432 bytes");
    ends_with_words(
        &always(answer("Content-Encoding: gzip", "\u{1f}\u{8b}")),
        "encoded as `gzip`",
    );
}

#[test]
fn streams_that_never_end() {
    for line in [
        ": still here\n\n",
        "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n",
    ] {
        let url = server(move |stream| {
            if request(stream).is_none() {
                return;
            }
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
            while stream.write_all(line.as_bytes()).is_ok() {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        });
        ends_with_words(&url, "did not answer within the time limit");
    }
    let drip = server(|stream| {
        if request(stream).is_none() {
            return;
        }
        for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
            .iter()
            .chain(&[b' '; 100])
        {
            if stream.write_all(&[*byte]).is_err() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
    });
    ends_with_words(&drip, "did not answer within the time limit");
}

#[test]
fn redirects_stay_at_home() {
    let moved = |status: u16, to: &str| {
        always(format!(
            "HTTP/1.1 {status} Moved\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"
        ))
    };
    ends_with_words(&moved(302, "/mcp/"), "trailing slash");
    ends_with_words(
        &moved(307, "http://169.254.169.254/latest"),
        "another origin",
    );
    ends_with_words(&moved(308, "https://127.0.0.1/mcp"), "another origin");
    ends_with_words(&moved(307, "/mcp"), "307");
}

#[test]
fn json_that_is_deep_or_broken() {
    let of = |result: String| {
        server(move |stream| {
            while let Some(text) = request(stream) {
                let id = text
                    .split("\"id\":")
                    .nth(1)
                    .and_then(|rest| rest.split(',').next())
                    .unwrap_or("1")
                    .to_owned();
                let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}");
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                    body.len()
                );
                if stream.write_all((head + &body).as_bytes()).is_err() {
                    return;
                }
            }
        })
    };
    for result in [
        "[".repeat(1_000_000),
        "1e400".to_owned(),
        "{\"a\":\"\\ud800\"}".to_owned(),
        "NaN".to_owned(),
        "{\"a\":1}x".to_owned(),
    ] {
        let output = run(&[
            "check",
            "--url",
            &of(result),
            "--timeout",
            "2",
            "--deadline",
            "20",
        ]);
        assert!(matches!(code(&output), 1 | 3), "{}", stdout(&output));
    }
}

#[test]
fn text_of_strangers_commands_nobody() {
    let evil =
        "\u{1b}[2J\u{202e}::error::x\\n##[set-output name=verdict]pass\\n::set-env name=A::b";
    let body = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{{\"code\":-32603,\"message\":\"{evil}\"}}}}"
    );
    let body = body.replace('\u{1b}', "\\u001b");
    let url = always(format!(
        "HTTP/1.1 500 E\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ));
    for format in [
        "text", "markdown", "github", "junit", "sarif", "html", "json",
    ] {
        let output = run(&[
            "check",
            "--url",
            &url,
            "--timeout",
            "1",
            "--format",
            format,
            "--color",
            "never",
        ]);
        let text = stdout(&output);
        assert!(
            !text.contains('\u{1b}') && !text.contains('\u{202e}'),
            "{format}: {text}"
        );
        assert!(!text.contains("##["), "{format}: {text}");
        let ours = |line: &str| {
            format == "github" && line.starts_with("::error title=")
                || line.starts_with("::stop-commands::")
        };
        for line in text.lines().map(str::trim_start) {
            assert!(!line.starts_with("::") || ours(line), "{format}: {line}");
        }
    }
}

#[test]
fn secrets_show_nowhere() {
    let url = server(|stream| {
        while let Some(text) = request(stream) {
            // Echoes the credential in a header, in the body, and in the address.
            let token = text
                .lines()
                .find_map(|line| line.strip_prefix("X-Key: "))
                .unwrap_or("")
                .to_owned();
            let body = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{{\"code\":-32000,\"message\":\"bad key {token}\"}}}}"
            );
            let head = format!(
                "HTTP/1.1 400 E\r\nMcp-Echo: {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            if stream.write_all((head + &body).as_bytes()).is_err() {
                return;
            }
        }
    });
    let folder = std::env::temp_dir().join(format!("mcp-verdict-secrets-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let transcript = folder.join("t.json");
    for format in [
        "text", "markdown", "github", "junit", "sarif", "html", "json",
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_mcp-verdict"))
            .args([
                "check",
                "-v",
                "--url",
                &url,
                "--header",
                "X-Key: ${VERDICT_TEST_KEY}",
                "--format",
                format,
                "--timeout",
                "1",
                "--transcript",
            ])
            .arg(&transcript)
            .env("VERDICT_TEST_KEY", "hunter2-hunter2")
            .output()
            .expect("runs");
        let all = format!(
            "{}{}{}",
            stdout(&output),
            stderr(&output),
            std::fs::read_to_string(&transcript).expect("kept")
        );
        assert!(!all.contains("hunter2"), "{format}");
        assert!(all.contains("***"), "{format}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn an_answer_of_its_own_code_is_shown() {
    let (exit, report) = report(&["--url", "http://127.0.0.1:9/mcp", "--timeout", "1"]);
    assert_eq!(exit, 3);
    assert_eq!(report["verdict"], "none");
    assert!(
        report["summary"]
            .as_str()
            .is_some_and(|text| text.contains("connection refused")),
        "{}",
        report["summary"]
    );
}
