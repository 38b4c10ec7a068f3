//! The client over loopback and pipes: the fixture, and servers of a few raw bytes.

mod raw;
#[cfg(unix)]
mod shell;

use super::{Called, Client};
use crate::config::Plan;
use crate::driver::{Launch, Stop, Trust, environment};
use crate::exit::NotStarted;
use serde_json::{Map, Value, json};
use std::io::{Read as _, Write as _};
use verdict_eval::client::CallOutcome;
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
    called.outcome.as_text()
}

fn failure(called: &Called) -> &str {
    match &called.outcome {
        CallOutcome::Failed { why } => why,
        other => panic!("{other:?}"),
    }
}

/// Calls the tools `pay` and `look`; what each came to.
async fn both(config: Config) -> (Called, Called, Client) {
    let client = connect(config).await.expect("a server");
    let tools = client.tools().await.expect("tools");
    let pay = call(&client, named(&tools, "pay"), json!({}), json!({})).await;
    let look = call(&client, named(&tools, "look"), json!({}), json!({})).await;
    (pay, look, client)
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
