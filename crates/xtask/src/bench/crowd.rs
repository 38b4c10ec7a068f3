//! A modern server with as many tools as one likes: the least that layer 0 can be run on.

use anyhow::Result;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

/// A server on a port of its own; it lives as long as the process.
pub struct Server {
    /// Its endpoint.
    pub url: String,
}

impl Server {
    /// Starts a server with `count` tools, each of about 600 bytes, on pages of 1,000.
    pub fn start(count: u32) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}/mcp", listener.local_addr()?);
        let pages: Arc<Vec<String>> = Arc::new(pages(count));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let pages = Arc::clone(&pages);
                std::thread::spawn(move || serve(stream, &pages));
            }
        });
        Ok(Self { url })
    }
}

fn pages(count: u32) -> Vec<String> {
    let all: Vec<u32> = (0..count).collect();
    let mut pages: Vec<String> = Vec::new();
    let chunks: Vec<&[u32]> = all.chunks(1_000).collect();
    for (at, chunk) in chunks.iter().enumerate() {
        let tools: Vec<Value> = chunk.iter().map(|number| tool(*number)).collect();
        let mut page = json!({"resultType": "complete", "ttlMs": 60_000, "cacheScope": "public", "tools": tools, "_meta": info()});
        if at + 1 < chunks.len() {
            page["nextCursor"] = json!((at + 1).to_string());
        }
        pages.push(page.to_string());
    }
    pages
}

fn info() -> Value {
    json!({"io.modelcontextprotocol/serverInfo": {"name": "crowd", "version": "1"}})
}

fn tool(number: u32) -> Value {
    json!({
        "name": format!("look_up_{number:05}"),
        "title": format!("Look up number {number}"),
        "description": "Looks up one entry of the register by its number and gives back its state, its owner and the day of its last change.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "number": {"type": "string", "description": "The number", "pattern": "^[A-Z]{3}-[0-9]+$"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
                "kind": {"enum": ["open", "closed", "any"], "default": "any"}
            },
            "required": ["number"],
            "additionalProperties": false
        },
        "annotations": {"readOnlyHint": true, "openWorldHint": false}
    })
}

fn serve(stream: TcpStream, pages: &[String]) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut writer = stream;
    loop {
        let (mut length, mut post) = (0, false);
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            post |= line.starts_with("POST ");
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':') {
                let value = value.trim_matches([' ', '\t']).to_owned();
                if name.eq_ignore_ascii_case("content-length") {
                    length = value.parse().ok()?;
                }
                headers.push((name.to_ascii_lowercase(), value));
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let header = |name: &str| {
            headers
                .iter()
                .find(|(field, _)| field == name)
                .map(|(_, value)| value.as_str())
        };
        let (status, body) = if post {
            answer(&body, header, pages)
        } else {
            (405, String::new())
        };
        let mut head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n", body.len());
        if !body.is_empty() {
            head.push_str("Content-Type: application/json\r\n");
        }
        write!(head, "\r\n").ok()?;
        writer.write_all(head.as_bytes()).ok()?;
        writer.write_all(body.as_bytes()).ok()?;
    }
}

fn answer<'h>(
    body: &[u8],
    header: impl Fn(&str) -> Option<&'h str>,
    pages: &[String],
) -> (u16, String) {
    let Ok(message) = serde_json::from_slice::<Value>(body) else {
        return (
            400,
            json!({"jsonrpc": "2.0", "error": {"code": -32700, "message": "parse error"}})
                .to_string(),
        );
    };
    let id = message["id"].to_string();
    let fail = |status: u16, code: i64, data: Value| {
        let error = json!({"code": code, "message": "refused", "data": data});
        (
            status,
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#),
        )
    };
    if header("origin").is_some_and(|origin| !origin.contains("127.0.0.1")) {
        return (403, String::new());
    }
    if message.get("id").is_none() {
        return (202, String::new());
    }
    let meta = &message["params"]["_meta"];
    let version = &meta["io.modelcontextprotocol/protocolVersion"];
    let method = message["method"].as_str().unwrap_or_default();
    if message["method"] == "initialize" {
        return fail(
            400,
            -32022,
            json!({"supported": ["2026-07-28"], "requested": message["params"]["protocolVersion"]}),
        );
    }
    if !version.is_string() || !meta["io.modelcontextprotocol/clientCapabilities"].is_object() {
        return fail(400, -32602, Value::Null);
    }
    if header("mcp-protocol-version") != version.as_str() || header("mcp-method") != Some(method) {
        return fail(400, -32020, Value::Null);
    }
    if version != "2026-07-28" {
        return fail(
            400,
            -32022,
            json!({"supported": ["2026-07-28"], "requested": version}),
        );
    }
    let ok = |result: &str| {
        (
            200,
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
        )
    };
    match method {
        "server/discover" => ok(&json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "_meta": info()}).to_string()),
        "tools/list" => match &message["params"]["cursor"] {
            Value::Null => ok(&pages[0]),
            Value::String(cursor) => match cursor.parse::<usize>().ok().and_then(|at| pages.get(at)) {
                Some(page) => ok(page),
                None => fail(200, -32602, Value::Null),
            },
            _ => fail(200, -32602, Value::Null),
        },
        "tools/call" if message["params"]["name"].as_str() != header("mcp-name") => fail(400, -32020, Value::Null),
        "tools/call" => fail(200, -32602, Value::Null),
        _ => fail(404, -32601, Value::Null),
    }
}
