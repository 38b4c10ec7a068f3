//! The client over loopback and pipes: the fixture, and servers of a few raw bytes.

use super::{Called, Client};
use crate::config::Plan;
use crate::driver::{Launch, Stop, Trust, environment};
use crate::exit::NotStarted;
use serde_json::{Map, Value, json};
use std::io::{Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use verdict_eval::client::{CallOutcome, as_text};
use verdict_eval::tool::Tool;
use verdict_fixture::{Server, StdioOutput, StdioPeer, Variant};
use verdict_model::Config;
use verdict_model::config::Words;

/// Names the server that [`plays_the_server`] is.
const ROLE: &str = "MCP_VERDICT_TEST_SERVER";

fn plan(config: Config) -> Plan {
    verdict_config::plan(config, &|name| {
        (name == "TOKEN").then(|| "s3cret-token".to_owned())
    })
    .expect("a plan")
}

fn at(url: &str) -> Config {
    let mut config = Config::default();
    config.server.url = Some(url.to_owned());
    config.server.timeout = Some(2.0);
    config
}

fn command(words: &[&str]) -> Config {
    let mut config = Config::default();
    config.server.command = Some(Words::List(words.iter().map(|&word| word.into()).collect()));
    config.server.timeout = Some(2.0);
    config
}

/// This very program as a fixture over stdio.
fn fixture(role: &str) -> Config {
    let program = std::env::current_exe().expect("a path");
    let program = program.to_str().expect("UTF-8");
    let test = "client::tests::plays_the_server";
    let mut config = command(&[program, test, "--exact"]);
    config.server.timeout = Some(10.0);
    config.server.env.insert(ROLE.to_owned(), role.to_owned());
    config
}

async fn connect(config: Config) -> Result<Client, NotStarted> {
    let plan = plan(config);
    let launch = Launch {
        environment: environment(plan.environment.clone()),
        stop: Stop::default(),
    };
    Client::connect(&plan, &launch, &Trust::default()).await
}

/// Runs a test on the runtime that the program has.
fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    tokio::task::LocalSet::new().block_on(&runtime, test);
}

/// Serves a fixture on a port of its own.
async fn serve(server: Server) -> Config {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("bound"));
    tokio::task::spawn_local(crate::demo::serve(listener, server));
    at(&url)
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("{other} is no object"),
    }
}

fn named<'t>(tools: &'t [Tool], name: &str) -> &'t Tool {
    let found = tools.iter().find(|tool| tool.name() == name);
    found.unwrap_or_else(|| panic!("no {name} in {tools:?}"))
}

async fn call(client: &Client, tool: &Tool, arguments: Value, answers: Value) -> Called {
    client
        .call(tool, &object(arguments), &object(answers))
        .await
}

fn says(called: &Called) -> String {
    match &called.outcome {
        CallOutcome::Complete { result, .. } => as_text(result),
        other => format!("{other:?}"),
    }
}

fn failure(called: &Called) -> &str {
    match &called.outcome {
        CallOutcome::Failed { why } => why,
        other => panic!("{other:?}"),
    }
}

/// What every fixture does, whatever its era and its wire.
async fn serves_the_office(config: Config, modern: bool) {
    let client = connect(config).await.expect("a server");
    assert_eq!(client.is_modern(), modern);
    assert!(client.instructions().is_some());
    let tools = client.tools().await.expect("tools");
    assert_eq!(tools.len(), 8);
    let get = named(&tools, "get_invoice");
    // Many at one time, each with its own answer.
    let calls = (0..20).map(|number| {
        let id = format!("INV-100{}", 1 + number % 3);
        let client = &client;
        async move { (call(client, get, json!({ "id": id }), json!({})).await, id) }
    });
    for (called, id) in together(calls).await {
        assert!(says(&called).contains(&id), "{id}: {called:?}");
    }
    // The correct server refuses header fields that do not mirror the arguments.
    let arguments = json!({"reference": "n\u{B0} 7 ", "cents": 42, "to": "USD"});
    let called = call(&client, named(&tools, "convert"), arguments, json!({})).await;
    assert!(
        matches!(
            called.outcome,
            CallOutcome::Complete {
                is_error: false,
                ..
            }
        ),
        "{called:?}"
    );
    // It reports progress.
    let arguments = json!({"month": "2026-06", "pace": 150});
    let called = call(&client, named(&tools, "reconcile"), arguments, json!({})).await;
    assert!(called.notices > 0, "{called:?}");
    if modern {
        let arguments = || json!({"id": "INV-1001", "to": "a@b.example"});
        let email = named(&tools, "email_invoice");
        let called = call(&client, email, arguments(), json!({"send": true})).await;
        assert_eq!(says(&called), "Sent INV-1001 to a@b.example.");
        assert_eq!(called.rounds, 1);
        let called = call(&client, email, arguments(), json!({})).await;
        assert_eq!(says(&called), "INV-1001 was not sent.");
        assert_eq!(called.notes.len(), 1, "{called:?}");
    }
    assert_eq!(client.notes(), Vec::<String>::new());
    client.end().await;
}

/// Waits for all of them at one time.
async fn together<F: Future>(all: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut all: Vec<_> = all.map(|one| (Box::pin(one), None)).collect();
    std::future::poll_fn(|context| {
        let mut pending = false;
        for (one, done) in &mut all {
            if done.is_none() {
                match one.as_mut().poll(context) {
                    std::task::Poll::Ready(output) => *done = Some(output),
                    std::task::Poll::Pending => pending = true,
                }
            }
        }
        if pending {
            std::task::Poll::Pending
        } else {
            std::task::Poll::Ready(())
        }
    })
    .await;
    all.into_iter().filter_map(|(_, done)| done).collect()
}

#[test]
fn fixtures_over_http() {
    run(async {
        for (variant, modern) in [
            (Variant::Full, true),
            (Variant::Streaming, true),
            (Variant::DualEra, true),
            (Variant::LegacyOnly, false),
        ] {
            let config = serve(Server::of(variant)).await;
            serves_the_office(config, modern).await;
        }
    });
}

#[test]
fn fixtures_over_stdio() {
    run(async {
        for (role, modern) in [("modern", true), ("dual", true), ("legacy", false)] {
            serves_the_office(fixture(role), modern).await;
        }
    });
}

/// A stdio server when [`fixture`] runs it; nothing else otherwise.
#[test]
fn plays_the_server() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let server = match role.as_str() {
        "modern" => Server::correct(),
        "dual" => Server::dual_era(),
        _ => Server::legacy_only(),
    };
    // The test runner may have begun a line.
    std::io::stdout().write_all(b"\n").expect("written");
    let (sender, bytes) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = std::io::stdin().read(&mut buffer) {
            if sender.send(buffer[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    let (mut peer, began) = (StdioPeer::new(server), std::time::Instant::now());
    loop {
        let outputs = match bytes.recv_timeout(std::time::Duration::from_millis(10)) {
            Ok(bytes) => peer.receive(&bytes),
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                peer.tick(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX))
            }
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return,
        };
        for output in outputs {
            if let StdioOutput::Stdout(bytes) = output {
                let mut stdout = std::io::stdout();
                stdout
                    .write_all(&bytes)
                    .and_then(|()| stdout.flush())
                    .expect("written");
            }
        }
    }
}

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

/// Calls both tools of [`raw`]; what each came to.
async fn both(config: Config) -> (Called, Called, Client) {
    let client = connect(config).await.expect("a server");
    let tools = client.tools().await.expect("tools");
    let pay = call(&client, named(&tools, "pay"), json!({}), json!({})).await;
    let look = call(&client, named(&tools, "look"), json!({}), json!({})).await;
    (pay, look, client)
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
        let dead = connect(command(&["sh", "-c", "echo no database >&2; exit 3"])).await;
        let dead = dead.err().expect("dead");
        assert!(dead.why.contains("exit code 3"), "{}", dead.why);
        assert_eq!(dead.last_words, "no database");
        let none = connect(command(&["no-such-program-anywhere"])).await;
        assert!(none.err().expect("none").why.contains("was not found"));
    });
}

/// A stdio server that answers what is not a call, and does `behave` at each call.
#[cfg(unix)]
fn shell(behave: &str) -> Config {
    let answer = |result: &str| {
        format!(r#"printf '{{"jsonrpc":"2.0","id":"%s","result":{result}}}\n' "$id""#)
    };
    let script = format!(
        r#"while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":"\([^"]*\)".*/\1/')
  case $line in
    *'"server/discover"'*) {};;
    *'"tools/list"'*) {};;
    *notifications/*) echo "$line" >&2;;
    *) {behave};;
  esac
done"#,
        answer(r#"{"supportedVersions":[],"capabilities":{"tools":{}}}"#),
        answer(r#"{"tools":[{"name":"pay"},{"name":"look","annotations":{"readOnlyHint":true}}]}"#),
    );
    command(&["sh", "-c", &script])
}

#[cfg(unix)]
#[test]
fn a_process_that_dies_is_started_once_more() {
    run(async {
        let (pay, look, client) = both(shell("echo out of paper >&2; exit 7")).await;
        assert!(failure(&pay).contains("ended (exit code 7)"), "{pay:?}");
        assert!(failure(&pay).contains("not sent again"), "{pay:?}");
        // The look dies with the second process; there is no third one.
        assert!(failure(&look).contains("once already"), "{look:?}");
        let notes = client.notes();
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].contains("out of paper"), "{notes:?}");
        client.end().await;
    });
}

#[cfg(unix)]
#[test]
fn a_process_that_is_silent_is_told_that_nobody_waits() {
    run(async {
        let mut config = shell("sleep 0");
        config.server.timeout = Some(0.5);
        let (pay, look, client) = both(config).await;
        assert!(
            failure(&pay).contains("was not answered within 0.5 s"),
            "{pay:?}"
        );
        assert!(
            failure(&look).contains("was not answered within 0.5 s"),
            "{look:?}"
        );
        let super::Wire::Stdio(stdio) = client.wire else {
            panic!("a process")
        };
        let written = stdio.last_words().await;
        assert_eq!(
            written.matches("notifications/cancelled").count(),
            2,
            "{written}"
        );
    });
}

#[cfg(unix)]
#[test]
fn whoever_reports_progress_is_waited_for() {
    run(async {
        let notice = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"%s","progress":1}}"#;
        let answer = r#"{"jsonrpc":"2.0","id":"%s","result":{"content":[]}}"#;
        let mut config = shell(&format!(
            r#"for step in 1 2 3; do sleep 0.4; printf '{notice}\n' "$id"; done; printf '{answer}\n' "$id""#
        ));
        config.server.timeout = Some(0.8);
        let (pay, look, client) = both(config).await;
        for called in [pay, look] {
            assert_eq!(says(&called), "[no content]");
            assert_eq!(called.notices, 3);
            assert!(called.ms > 800, "{called:?}");
        }
        client.end().await;
    });
}

#[cfg(unix)]
#[test]
fn a_line_without_end_ends_the_process() {
    run(async {
        let mut small = plan(shell("yes x | tr -d '\\n'"));
        small.settings.limits.answer_bytes = 50_000;
        let launch = Launch {
            environment: environment(vec![]),
            stop: Stop::default(),
        };
        let client = Client::connect(&small, &launch, &Trust::default()).await;
        let client = client.map_err(|error| error.why).expect("a server");
        let tools = client.tools().await.expect("tools");
        let called = call(&client, named(&tools, "pay"), json!({}), json!({})).await;
        assert!(
            failure(&called).contains("limit of 50000 bytes"),
            "{called:?}"
        );
        client.end().await;
    });
}

#[cfg(unix)]
#[test]
fn nothing_of_the_group_is_left() {
    run(async {
        let mark = format!("33{:06}", std::process::id());
        let found = || {
            let found = std::process::Command::new("pgrep")
                .args(["-f", &format!("^sleep {mark}")])
                .output();
            found.expect("pgrep runs").stdout.len()
        };
        let config = || shell(&format!("sleep {mark} & sleep {mark}"));
        let mut impatient = config();
        impatient.server.timeout = Some(0.3);
        let (.., client) = both(impatient).await;
        assert_ne!(found(), 0);
        client.end().await;
        assert_eq!(found(), 0, "left behind");
    });
}

#[test]
fn a_session_that_was_forgotten_is_opened_anew() {
    run(async {
        let server = Server::legacy_only();
        let config = serve(server).await;
        let client = connect(config).await.expect("a server");
        let tools = client.tools().await.expect("tools");
        // The server forgets the session when somebody ends it.
        let super::Wire::Http(http) = &client.wire else {
            panic!("HTTP")
        };
        http.end(&client.lifecycle()).await;
        let get = named(&tools, "get_invoice");
        let called = call(&client, get, json!({"id": "INV-1001"}), json!({})).await;
        assert!(says(&called).contains("INV-1001"), "{called:?}");
        assert_eq!(client.notes().len(), 1, "{:?}", client.notes());
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
