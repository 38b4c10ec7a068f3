//! The control endpoint: what the rules have done so far, and other rules. For this machine only.

use super::shared::{Shared, is_local};
use crate::exit::Usage;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use verdict_proxy::answer::reason;
use verdict_proxy::http::{self, Body, Head};
use verdict_proxy::rules_file;

/// Bytes of a list of rules.
const MOST_BODY: usize = 4 << 20;
/// How long a request may take to come.
const PATIENCE: Duration = Duration::from_secs(10);
/// Connections at a time.
const MOST: usize = 32;

/// Listens, on an address of this machine.
///
/// # Errors
/// Where the address is another, or cannot be listened on.
pub(crate) async fn bind(address: SocketAddr) -> Result<TcpListener> {
    if !address.ip().is_loopback() {
        let why = format!(
            "--control {address} would let other machines change the rules; give 127.0.0.1:{}",
            address.port()
        );
        return Err(Usage(why).into());
    }
    TcpListener::bind(address)
        .await
        .with_context(|| format!("listening on {address} (--control)"))
}

/// Answers for ever.
pub(crate) async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            taken = listener.accept(), if connections.len() < MOST => {
                if let Ok((stream, _)) = taken {
                    let one = tokio::time::timeout(PATIENCE, answer(stream, Arc::clone(&shared)));
                    connections.spawn(one);
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// One request; the connection is closed after it.
async fn answer(mut stream: TcpStream, shared: Arc<Shared>) {
    let (status, body) = match read(&mut stream).await {
        Ok((head, body)) => reply(&head, &body, &shared),
        Err(refusal) => refusal,
    };
    let (reason, text) = (reason(status), format!("{body:#}\n"));
    let head = format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        text.len()
    );
    let _ = stream.write_all((head + &text).as_bytes()).await;
    let _ = stream.shutdown().await;
    // What is still on its way would reset the connection under the answer.
    let mut rest = [0; 4096];
    let drained = async { while let Ok(1..) = stream.read(&mut rest).await {} };
    let _ = tokio::time::timeout(Duration::from_millis(200), drained).await;
}

async fn read(stream: &mut TcpStream) -> Result<(Head, Vec<u8>), (u16, Value)> {
    let refuse = |status, why: &str| (status, json!({ "error": why }));
    let mut bytes = Vec::new();
    let head = loop {
        match http::request(&bytes) {
            Ok(Some(head)) => break head,
            Ok(None) => {}
            Err(why) => return Err(refuse(400, &why.to_string())),
        }
        if !matches!(stream.read_buf(&mut bytes).await, Ok(1..)) {
            return Err(refuse(400, "the request is not complete"));
        }
    };
    let (mut body, mut data) = (Body::new(head.body), Vec::new());
    bytes.drain(..head.bytes);
    loop {
        body.feed(&bytes, &mut |part| data.extend_from_slice(part))
            .map_err(|why| refuse(400, &why.to_string()))?;
        if data.len() > MOST_BODY {
            return Err(refuse(413, "the body is larger than 4 MiB"));
        }
        if body.is_done() {
            return Ok((head, data));
        }
        bytes.clear();
        if !matches!(stream.read_buf(&mut bytes).await, Ok(1..)) {
            return Err(refuse(400, "the request is not complete"));
        }
    }
}

fn reply(head: &Head, body: &[u8], shared: &Shared) -> (u16, Value) {
    // A page of a browser whose name was turned to this address says its own name here.
    let foreign_host = head.field("host").is_none_or(|host| !is_local(host));
    let foreign_origin = head.field("origin").is_some_and(|origin| {
        let authority = origin.split_once("://").map_or(origin, |(_, rest)| rest);
        !is_local(authority)
    });
    if foreign_host || foreign_origin {
        return (
            403,
            json!({"error": "Host or Origin names another machine"}),
        );
    }
    let replaced = |rules| match shared.replace_rules(rules) {
        Ok(()) => (200, shared.state()),
        Err(why) => (400, json!({ "error": why })),
    };
    let path = head.target.split('?').next().unwrap_or_default();
    match (head.verb.as_str(), path) {
        ("GET", "/") => (200, shared.state()),
        ("PUT", "/rules") => {
            let list = serde_json::from_slice::<Value>(body).map_err(|error| error.to_string());
            match list.and_then(|list| rules_file::from_json(&list)) {
                Ok(rules) => replaced(rules),
                Err(why) => (400, json!({ "error": why })),
            }
        }
        ("DELETE", "/rules") => replaced(Vec::new()),
        (_, "/" | "/rules") => (405, json!({"error": "GET /, PUT /rules or DELETE /rules"})),
        _ => (404, json!({"error": "there are / and /rules"})),
    }
}
