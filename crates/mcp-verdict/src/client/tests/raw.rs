//! Servers of a few raw bytes: cut streams, silence, floods, redirects.

use super::{at, both, call, connect, failure, named, plan, run, says};
use crate::client::Client;
use crate::driver::{Launch, Trust};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use verdict_eval::client::CallOutcome;
use verdict_model::Config;

/// A server of raw bytes: `discover` and `tools/list` are answered, calls by `behave`, which gets the number of the
/// call, the request and its id.
fn raw(behave: impl Fn(usize, &str, &str) -> Vec<u8> + Send + Sync + 'static) -> Config {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("bound"));
    let (behave, calls) = (Arc::new(behave), Arc::new(AtomicUsize::new(0)));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let (behave, calls) = (Arc::clone(&behave), Arc::clone(&calls));
            std::thread::spawn(move || {
                while let Some(request) = request(&mut stream) {
                    let body = request.split_once("\r\n\r\n").map_or("", |(_, body)| body);
                    let body: Value = serde_json::from_str(body).unwrap_or_default();
                    let id = body["id"].as_str().unwrap_or_default().to_owned();
                    let answer = match body["method"].as_str() {
                        Some("server/discover") => json(
                            &id,
                            &json!({"supportedVersions": [], "capabilities": {"tools": {}}}),
                        ),
                        Some("tools/list") => json(
                            &id,
                            &json!({"tools": [
                                {"name": "pay"}, {"name": "look", "annotations": {"readOnlyHint": true}}
                            ]}),
                        ),
                        _ => behave(calls.fetch_add(1, Ordering::SeqCst), &request, &id),
                    };
                    let closes = answer.ends_with(b"\0");
                    let answer = answer.strip_suffix(b"\0").unwrap_or(&answer);
                    if stream.write_all(answer).is_err() || closes {
                        return;
                    }
                }
            });
        }
    });
    at(&url)
}

fn request(stream: &mut std::net::TcpStream) -> Option<String> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let length = stream.read(&mut buffer).ok().filter(|length| *length > 0)?;
        bytes.extend_from_slice(&buffer[..length]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let due = head.lines().find_map(|line| {
            let value = line.to_ascii_lowercase();
            value.strip_prefix("content-length:")?.trim().parse().ok()
        });
        if body.len() >= due.unwrap_or(0) {
            return Some(text);
        }
    }
}

fn json(id: &str, result: &Value) -> Vec<u8> {
    let body = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
    reply("200 OK", "application/json", &body)
}

fn reply(status: &str, kind: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

fn done(id: &str) -> Vec<u8> {
    json(id, &json!({"content": [{"type": "text", "text": "done"}]}))
}

#[test]
fn a_cut_stream_is_never_a_second_payment() {
    run(async {
        let config = raw(|number, _, id| match number {
            // Neither call is answered at first; a look may be taken again.
            0 | 1 => format!(
                "{STREAM}data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}}\n\n\0"
            )
            .into_bytes(),
            _ => done(id),
        });
        let (pay, look, _) = both(config).await;
        assert!(failure(&pay).contains("was cut off"), "{pay:?}");
        assert!(failure(&pay).contains("not sent again"), "{pay:?}");
        assert_eq!(says(&look), "done");
        assert_eq!(look.notes.len(), 1, "{look:?}");
    });
}

#[test]
fn who_never_answers_is_given_up() {
    run(async {
        let (pay, look, _) = both(raw(|number, _, id| match number {
            0 => vec![],
            // Comments keep a connection open, and are no answer.
            _ => format!("{STREAM}: {id}\n\n").into_bytes(),
        }))
        .await;
        assert!(
            failure(&pay).contains("was not answered within 2 s"),
            "{pay:?}"
        );
        assert!(
            failure(&look).contains("was not answered within 2 s"),
            "{look:?}"
        );
    });
}

#[test]
fn answers_have_a_limit() {
    run(async {
        let config = raw(|_, _, id| json(id, &json!({"content": "x".repeat(10_000)})));
        let mut small = plan(config);
        small.settings.limits.answer_bytes = 5_000;
        let client = Client::connect(&small, &Launch::default(), &Trust::default()).await;
        let client = client.map_err(|error| error.why).expect("a server");
        let tools = client.tools().await.expect("tools");
        let called = call(&client, named(&tools, "pay"), json!({}), json!({})).await;
        assert!(
            failure(&called).contains("limit of 5000 bytes"),
            "{called:?}"
        );
    });
}

#[test]
fn redirects_stay_on_the_origin() {
    run(async {
        let to = |place: &str| {
            format!("HTTP/1.1 307 Go\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n")
                .into_bytes()
        };
        let (pay, look, _) = both(raw(move |number, request, id| match number {
            0 => to("/elsewhere"),
            1 if request.starts_with("POST /elsewhere ") => done(id),
            _ => to("http://localhost.example/mcp"),
        }))
        .await;
        assert_eq!(says(&pay), "done");
        assert!(failure(&look).contains("another origin"), "{look:?}");
    });
}

#[test]
fn secrets_are_sent_and_never_said() {
    run(async {
        let mut config = raw(|_, request, _| {
            let sent = request.contains("s3cret-token");
            let body = json!({"jsonrpc": "2.0", "error": {"code": -32603, "message":
                if sent { "bad s3cret-token" } else { "no token" }}});
            reply("500 Oops", "application/json", &body.to_string())
        });
        config.auth.token = Some("${TOKEN}".to_owned());
        let (pay, ..) = both(config).await;
        assert_eq!(
            pay.outcome,
            CallOutcome::Protocol {
                code: -32603,
                message: "bad ***".to_owned()
            }
        );
    });
}

#[test]
fn servers_with_the_handshake_may_ask_during_a_call() {
    run(async {
        let config = raw(|number, request, id| {
            let form = json!({"jsonrpc": "2.0", "id": 7, "method": "elicitation/create", "params": {
                "message": "?", "requestedSchema": {"properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
            }});
            let answered =
                request.contains(r#""content":{"ok":true}"#) && request.contains(r#""id":7"#);
            match number {
                0 => json(
                    id,
                    &json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}),
                ),
                1 => reply("202 Accepted", "text/plain", ""),
                2 => format!("{STREAM}data: {form}\n\n\0").into_bytes(),
                _ if answered => reply("202 Accepted", "text/plain", ""),
                _ => reply("400 Bad", "text/plain", ""),
            }
        });
        let mut config = config;
        config.revision = Some("2025-11-25".to_owned());
        let client = connect(config).await.expect("a server");
        assert!(!client.is_modern());
        let tools = client.tools().await.expect("tools");
        let called = call(
            &client,
            named(&tools, "pay"),
            json!({}),
            json!({"ok": true}),
        )
        .await;
        // The stream is cut then, which the answer went past.
        assert!(failure(&called).contains("was cut off"), "{called:?}");
        assert_eq!(called.notes, Vec::<String>::new());
    });
}

#[test]
fn header_fields_that_do_not_fit_are_mended() {
    run(async {
        let config = raw(|number, request, id| {
            let refusal =
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32020, "message": "stale"}});
            if number == 1 && request.contains("mcp-name: pay") {
                done(id)
            } else {
                reply("400 Bad Request", "application/json", &refusal.to_string())
            }
        });
        let (pay, look, _) = both(config).await;
        assert_eq!(says(&pay), "done");
        assert_eq!(pay.notes.len(), 1, "{pay:?}");
        // Where that does not help, the refusal stands.
        assert!(
            matches!(look.outcome, CallOutcome::Protocol { code: -32020, .. }),
            "{look:?}"
        );
    });
}

#[test]
fn nobody_to_speak_to_is_said() {
    run(async {
        let refused = connect(at("http://127.0.0.1:9/mcp"))
            .await
            .err()
            .expect("nobody");
        assert!(
            refused.why.contains("is the server running?"),
            "{}",
            refused.why
        );
        let page = raw(|_, _, _| reply("404 Not Found", "text/html", "<html>"));
        let mut elsewhere = page.clone();
        elsewhere.revision = Some("2025-11-25".to_owned());
        let foreign = connect(elsewhere).await.err().expect("a page");
        assert!(
            foreign.why.contains("HTTP 404 and text/html"),
            "{}",
            foreign.why
        );
    });
}
