//! The four lists, cut into pages. A cursor says where its page starts and proves that we made it.

use super::{Server, seal};
use crate::message::{Fault, Outcome, Request};
use serde_json::{Value, json};

/// Items on one page.
const PAGE: usize = 4;

/// The member of the result that holds the items of a list.
pub(crate) fn member(method: &str) -> Option<&'static str> {
    match method {
        "tools/list" => Some("tools"),
        "resources/list" => Some("resources"),
        "resources/templates/list" => Some("resourceTemplates"),
        "prompts/list" => Some("prompts"),
        _ => None,
    }
}

/// Answers one of the list methods.
pub(crate) fn list(server: &Server, request: &Request, kind: &str) -> Result<Outcome, Fault> {
    let mut items = server.items(kind);
    (server.hooks().items)(request, &mut items);
    let start = match request.param("cursor") {
        None => 0,
        Some(Value::String(cursor)) => start_of(cursor, kind)
            .filter(|start| *start < items.len())
            .ok_or_else(|| Fault::params("unknown cursor"))?,
        Some(_) => return Err(Fault::params("a cursor is a string")),
    };
    let end = items.len().min(start + PAGE);
    let mut result = json!({ kind: items[start..end], "ttlMs": 300_000, "cacheScope": "public" });
    if end < items.len() {
        result["nextCursor"] = json!(cursor(end, kind));
    }
    Ok(result.into())
}

fn cursor(start: usize, kind: &str) -> String {
    seal::seal(&format!("{kind} {start}"))
}

fn start_of(cursor: &str, kind: &str) -> Option<usize> {
    let opened = seal::open(cursor)?;
    let (made_for, start) = opened.split_once(' ')?;
    start.parse().ok().filter(|_| made_for == kind)
}
