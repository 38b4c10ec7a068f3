//! What a run by revision 2025-11-25 sends: one session from the handshake to its end, and a second handshake.

use crate::arguments::for_tool;
use crate::ask::{Ask, Id, Lane, Patience, Probe, Stage};
use crate::calling::may_call;
use crate::conformance::transport::origin::EVIL;
use crate::context::Context;
use crate::facts::{Declared, List, OPENING, SURVEY};
use crate::record::{Record, Several, several};
use crate::refusal::answered;
use crate::ruling::{Finding, Ruling};
use crate::survey::{cursor_after, initialize};
use serde_json::{Map, Value, json};
use verdict_model::LEGACY_REVISION;
use verdict_model::transcript::Standing;

/// The handshake.
pub const OPEN: Probe = Probe {
    name: "handshake",
    stage: Stage::Era,
    next: open,
};
/// The walks over the lists that the handshake declares.
pub const LISTS: Probe = Probe {
    name: "handshake.lists",
    stage: Stage::Survey,
    next: lists,
};
/// Requests that any server answers or refuses, whatever it offers.
pub const ASKS: Probe = Probe {
    name: "handshake.asks",
    stage: Stage::Main,
    next: asks,
};
/// What only HTTP has: sessions, header fields, other verbs.
pub const HTTP: Probe = Probe {
    name: "handshake.http",
    stage: Stage::Main,
    next: http,
};
/// Reads what is listed, and calls the tools that may be called, for the sake of the answers' shapes.
pub const READS: Probe = Probe {
    name: "handshake.reads",
    stage: Stage::Main,
    next: reads,
};
/// A handshake in a version that no server knows.
pub const UNKNOWN: Probe = Probe {
    name: "handshake.unknown",
    stage: Stage::Late,
    next: unknown,
};
/// The end of the session.
pub const END: Probe = Probe {
    name: "handshake.end",
    stage: Stage::Late,
    next: end,
};

/// A version that no server knows.
pub(crate) const NO_VERSION: &str = "1999-12-31";
/// Listed resources, prompts and tools that are read or called, of each so many.
const MOST: usize = 3;

fn open(cx: &Context, round: usize) -> Vec<Ask> {
    match round {
        0 => {
            let ask = initialize("initialize", Lane::Shared);
            // On stdio silence is an answer of its own; asking twice would only wait twice.
            vec![if cx.is_http() { ask } else { ask.once() }]
        }
        1 => within(
            cx,
            [notice("initialized", "notifications/initialized", None)],
        ),
        _ => vec![],
    }
}

/// A notification of that revision.
pub(crate) fn notice(step: &str, method: &str, params: Option<Value>) -> Ask {
    Ask {
        id: Id::Absent,
        ..Ask::legacy(step, method, params)
    }
}

/// A message of the session that `opening` began.
pub(crate) fn follow(opening: &Record, ask: Ask) -> Ask {
    let ask = ask.header("MCP-Protocol-Version", version_of(opening));
    match opening.header("mcp-session-id") {
        Some(session) => ask.header("Mcp-Session-Id", session),
        None => ask,
    }
}

/// The version that the handshake settled on.
pub(crate) fn version_of(opening: &Record) -> &str {
    let named = opening
        .result()
        .and_then(|result| result.get("protocolVersion"));
    named.and_then(Value::as_str).unwrap_or(LEGACY_REVISION)
}

/// Messages of the session; none where there is no session.
fn within(cx: &Context, asks: impl IntoIterator<Item = Ask>) -> Vec<Ask> {
    match opening(cx) {
        Some(opening) => asks.into_iter().map(|ask| follow(opening, ask)).collect(),
        None => vec![],
    }
}

/// The handshake that was answered.
pub(crate) fn opening<'c>(cx: &Context<'c>) -> Option<&'c Record> {
    let record = cx.record(OPENING)?;
    record.result().map(|_| record)
}

/// The id of the session; none on stdio and where the server keeps no sessions.
pub(crate) fn session<'c>(cx: &Context<'c>) -> Option<&'c str> {
    opening(cx)?.header("mcp-session-id")
}

fn lists(cx: &Context, round: usize) -> Vec<Ask> {
    let capabilities = opening(cx).and_then(|opening| opening.result()?.get("capabilities"));
    within(cx, pages(cx, capabilities, SURVEY, round + 1))
}

/// Asks for the next page of each list that these capabilities declare; `prefix` begins the names.
pub(crate) fn pages(
    cx: &Context,
    capabilities: Option<&Value>,
    prefix: &str,
    number: usize,
) -> Vec<Ask> {
    let declared =
        |list: &List| capabilities.is_some_and(|all| all.get(list.capability()).is_some());
    let next = |list: List| {
        let params = if number == 1 {
            None
        } else {
            let walk = format!("{prefix}{}/", list.member());
            Some(json!({"cursor": cursor_after(cx, &walk, number - 1)?}))
        };
        let step = format!("{}/{number}", list.member());
        Some(Ask::legacy(step, list.method(), params))
    };
    let lists = List::ALL.into_iter().filter(declared);
    lists.filter_map(next).collect()
}

/// A harmless request that the server serves: the first list that it declares, else a ping.
fn plain(cx: &Context, step: &str) -> Ask {
    let method = cx.facts.first_list().map_or("ping", List::method);
    Ask::legacy(step, method, None)
}

/// The exchange in which the same request was served before.
pub(crate) fn twin(cx: &Context) -> String {
    match cx.facts.first_list() {
        Some(list) => format!("{SURVEY}{}/1", list.member()),
        None => "handshake.asks/ping".to_owned(),
    }
}

fn asks(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 {
        return vec![];
    }
    let declares = |list: List| cx.facts.declares(list.capability()) == Declared::Yes;
    let mut asks = vec![
        Ask::legacy("ping", "ping", None),
        Ask::legacy("method", &cx.absent("method"), None),
    ];
    if let Some(list) = cx.facts.first_list() {
        let params = json!({"cursor": cx.absent("cursor")});
        asks.push(Ask::legacy("cursor", list.method(), Some(params)));
    }
    for list in [List::Tools, List::Prompts, List::Resources] {
        if !declares(list) {
            let step = format!("undeclared-{}", list.member());
            asks.push(Ask::legacy(step, list.method(), None));
        }
    }
    if declares(List::Resources) {
        let params = json!({"uri": cx.absent_uri()});
        asks.push(Ask::legacy("resource", "resources/read", Some(params)));
    }
    if declares(List::Prompts) {
        let params = json!({"name": cx.absent("prompt")});
        asks.push(Ask::legacy("prompt", "prompts/get", Some(params)));
    }
    let params = json!({"requestId": cx.absent("request")});
    let cancelled = notice("cancelled", "notifications/cancelled", Some(params));
    asks.push(if cx.is_http() {
        cancelled
    } else {
        cancelled.patience(Patience::Watch(300))
    });
    within(cx, asks)
}

fn http(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || !cx.is_http() {
        return vec![];
    }
    let get = Ask::bare("get", "GET")
        .header("Accept", "text/event-stream")
        .as_legacy()
        .over(Lane::Fresh)
        .patience(Patience::Glimpse(1_000))
        .once();
    let accept = "text/event-stream;q=0.9, application/json;q=0.8";
    let mut asks = within(
        cx,
        [
            get,
            plain(cx, "accept").header("Accept", accept),
            plain(cx, "foreign").header("Origin", EVIL).faulty(),
        ],
    );
    let version = within(cx, [plain(cx, "version").faulty()]).into_iter();
    asks.extend(version.map(|ask| ask.header("MCP-Protocol-Version", "no-version")));
    if session(cx).is_some() {
        let without = within(cx, [plain(cx, "without").faulty()]).into_iter();
        asks.extend(without.map(|ask| ask.without_header("mcp-session-id")));
    }
    asks
}

fn reads(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 {
        return vec![];
    }
    let numbered = |what: &str, method: &str, all: Vec<Value>| -> Vec<Ask> {
        let asks = all.into_iter().take(MOST).zip(1..);
        asks.map(|(params, at)| Ask::legacy(format!("{what}-{at}"), method, Some(params)).once())
            .collect()
    };
    let mut asks = Vec::new();
    if !cx.settings.config.no_reads {
        let uris = cx.facts.items(List::Resources);
        let uris = uris.map(|item| json!({"uri": item.name()})).collect();
        asks.extend(numbered("resource", "resources/read", uris));
        let names = cx.facts.items(List::Prompts).filter(|item| {
            let arguments = item.value.get("arguments").and_then(Value::as_array);
            !arguments.is_some_and(|all| all.iter().any(|one| one["required"] == true))
        });
        let names = names.map(|item| json!({"name": item.name()})).collect();
        asks.extend(numbered("prompt", "prompts/get", names));
    }
    let tools = cx.facts.items(List::Tools);
    let calls = tools
        .filter(|item| may_call(cx, item.value))
        .filter_map(|item| {
            let arguments: Map<String, Value> = for_tool(cx, item.value).ok()?;
            Some(json!({"name": item.name(), "arguments": arguments}))
        });
    asks.extend(numbered("call", "tools/call", calls.collect()));
    within(cx, asks)
}

fn unknown(cx: &Context, round: usize) -> Vec<Ask> {
    let lane = Lane::Own("unknown");
    match (round, cx.record("handshake.unknown/initialize")) {
        (0, _) => {
            vec![
                initialize("initialize", lane)
                    .param("protocolVersion", json!(NO_VERSION))
                    .once(),
            ]
        }
        (1, Some(record)) if record.header("mcp-session-id").is_some() => {
            vec![follow(record, goodbye()).over(lane)]
        }
        _ => vec![],
    }
}

/// Ends a session.
pub(crate) fn goodbye() -> Ask {
    Ask::bare("delete", "DELETE").as_legacy().once()
}

fn end(cx: &Context, round: usize) -> Vec<Ask> {
    if session(cx).is_none() {
        return vec![];
    }
    let ended = cx.record("handshake.end/delete").and_then(Record::status);
    match round {
        0 => within(cx, [goodbye()]),
        1 if ended.is_some_and(|status| status < 300) => {
            within(cx, [plain(cx, "after").faulty().once()])
        }
        _ => vec![],
    }
}

/// An exchange of the session that came to an answer; a ruling for what else it may have come to.
pub(crate) fn had<'c>(cx: &Context<'c>, name: &str) -> Result<&'c Record, Ruling> {
    let record = answered(cx, name)?;
    let opened = opening(cx).and_then(|opening| opening.exchange.channel);
    if !cx.is_http() && record.exchange.channel != opened {
        return Err(Ruling::skip(
            "the process ended, and the session with it, before this was asked",
        ));
    }
    Ok(record)
}

/// Judges one exchange of the session.
pub(crate) fn each(
    cx: &Context,
    name: &str,
    met: &str,
    judge: fn(&Context, &Record) -> Option<Finding>,
) -> Ruling {
    match had(cx, name) {
        Ok(record) => match judge(cx, record) {
            Some(finding) => finding.seen_in(record).into(),
            None => Ruling::met(met),
        },
        Err(ruling) => ruling,
    }
}

/// The faultless exchanges of that revision.
pub(crate) fn exchanges<'c>(cx: &Context<'c>) -> Several<&'c Record> {
    let records = cx.recording.records.iter();
    several(records.filter(|record| record.exchange.standing == Standing::Legacy))
}
