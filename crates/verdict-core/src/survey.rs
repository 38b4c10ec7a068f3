//! The first steps of every run: which era the server speaks, and what it lists.

use crate::ask::{Ask, Lane, Patience, Payload, Probe, Stage};
use crate::context::Context;
use crate::facts::{Declared, EraFinding, List};
use crate::record::Answer;
use crate::wire::endpoint::Endpoint;
use serde_json::{Value, json};
use verdict_model::{LEGACY_REVISION, REVISION};

/// Pages after which a list counts as endless (`list.terminates`).
pub const MAX_PAGES: usize = 200;

/// Era detection as A.11 has it: `server/discover`; where that is not understood a plain `initialize`;
/// where that is not either, over HTTP, a GET for the old `endpoint` event.
pub const ERA: Probe = Probe {
    name: "era",
    stage: Stage::Era,
    next: era,
};

fn era(cx: &Context, round: usize) -> Vec<Ask> {
    match round {
        0 => {
            let ask = Ask::request("discover", "server/discover", json!({}));
            // On stdio silence is an answer of its own (A.11); asking twice would only wait twice.
            vec![if cx.is_http() { ask } else { ask.once() }]
        }
        1 => match cx.record("era/discover").map(crate::record::Record::answer) {
            Some(
                Answer::Result(_)
                | Answer::Error(Some(-32022))
                | Answer::Locked(_)
                | Answer::Busy(_),
            )
            | None => {
                vec![]
            }
            _ => vec![initialize("initialize", Lane::Own("legacy")).once()],
        },
        2 if cx.is_http() && untold(cx) => {
            let get = Ask::bare("get", "GET")
                .header("Accept", "text/event-stream")
                .as_legacy();
            vec![
                get.over(Lane::Fresh)
                    .patience(Patience::Glimpse(2_000))
                    .once(),
            ]
        }
        _ => vec![],
    }
}

/// Whether neither question was understood.
fn untold(cx: &Context) -> bool {
    let facts = crate::facts::Facts::read(cx.recording);
    matches!(facts.era, EraFinding::Foreign(_)) && cx.record("era/initialize").is_some()
}

/// A plain `initialize` of 2025-11-25: no `_meta`, no MCP header fields.
pub fn initialize(step: &str, lane: Lane) -> Ask {
    let params = json!({
        "protocolVersion": LEGACY_REVISION,
        "capabilities": {},
        "clientInfo": {"name": "mcp-verdict", "version": env!("CARGO_PKG_VERSION")},
    });
    Ask::legacy(step, "initialize", Some(params)).over(lane)
}

/// The walks over the four lists; a list whose capability is not declared is not walked.
pub const WALKS: [&Probe; 4] = [
    &Probe {
        name: "survey.tools",
        stage: Stage::Survey,
        next: tools,
    },
    &Probe {
        name: "survey.prompts",
        stage: Stage::Survey,
        next: prompts,
    },
    &Probe {
        name: "survey.resources",
        stage: Stage::Survey,
        next: resources,
    },
    &Probe {
        name: "survey.resourceTemplates",
        stage: Stage::Survey,
        next: templates,
    },
];

fn tools(cx: &Context, round: usize) -> Vec<Ask> {
    walk(cx, List::Tools, "survey.tools/", round, &Lane::Shared)
}

fn prompts(cx: &Context, round: usize) -> Vec<Ask> {
    walk(cx, List::Prompts, "survey.prompts/", round, &Lane::Shared)
}

fn resources(cx: &Context, round: usize) -> Vec<Ask> {
    walk(
        cx,
        List::Resources,
        "survey.resources/",
        round,
        &Lane::Shared,
    )
}

fn templates(cx: &Context, round: usize) -> Vec<Ask> {
    walk(
        cx,
        List::Templates,
        "survey.resourceTemplates/",
        round,
        &Lane::Shared,
    )
}

/// One step of a walk over the pages of a list; `prefix` begins the names of its exchanges.
///
/// The walk ends without a `nextCursor`, when a cursor comes a second time, or after [`MAX_PAGES`]; the first one
/// also when much of the memory of the run is taken, and the later ones where that one ended.
pub fn walk(cx: &Context, list: List, prefix: &str, round: usize, lane: &Lane) -> Vec<Ask> {
    let page = |params: Value| {
        vec![Ask::request((round + 1).to_string(), list.method(), params).over(lane.clone())]
    };
    if round == 0 {
        let declared = cx.facts.declares(list.capability()) == Declared::Yes;
        return if declared { page(json!({})) } else { vec![] };
    }
    let first = cx.facts.walk(list).pages.len();
    let given_up = |first: usize| {
        let next = format!("survey.{}/{}", list.member(), first + 1);
        !cx.facts.walk(list).complete && cx.record(&next).is_none()
    };
    let longest = match first {
        0 if cx.recording.held_bytes() > cx.settings.limits.run_held_bytes / 3 => round,
        first if first > 0 && given_up(first) => first,
        _ => MAX_PAGES,
    };
    match cursor_after(cx, prefix, round) {
        Some(cursor) if round < longest => page(json!({"cursor": cursor})),
        _ => vec![],
    }
}

/// The cursor that page `number` leads on with; none where the walk ends.
pub fn cursor_after<'c>(cx: &Context<'c>, prefix: &str, number: usize) -> Option<&'c str> {
    let cursor_of = |number: usize| {
        let record = cx.record(&format!("{prefix}{number}"))?;
        record.result()?.get("nextCursor")?.as_str()
    };
    let cursor = cursor_of(number)?;
    let again = (1..number).any(|earlier| cursor_of(earlier) == Some(cursor));
    (number < MAX_PAGES && !again).then_some(cursor)
}

/// A conforming `server/discover` on a connection of its own, for drivers that wait until a server is ready.
pub fn knock(endpoint: &Endpoint) -> Vec<u8> {
    let mut ask = Ask::request("ready", "server/discover", json!({}));
    let body = match &mut ask.payload {
        Payload::Message(message) => {
            message.insert("id".to_owned(), json!("ready"));
            Value::Object(std::mem::take(message)).to_string()
        }
        Payload::Raw(_) | Payload::Empty => String::new(),
    };
    format!(
        "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: {REVISION}\r\nMcp-Method: server/discover\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        endpoint.path,
        endpoint.authority,
        body.len()
    )
    .into_bytes()
}

/// Whether the beginning of an answer to [`knock`] shows that the server is ready: any status but 502 to 504,
/// which say that whoever answered is not the server. Nothing as long as too little has come.
///
/// # Errors
/// What it answers instead.
pub fn is_ready(head: &[u8]) -> Option<Result<(), String>> {
    let status = head.get(9..12)?;
    Some(match status {
        b"502" | b"503" | b"504" => Err(format!(
            "it answers HTTP {}",
            String::from_utf8_lossy(status)
        )),
        _ => Ok(()),
    })
}
