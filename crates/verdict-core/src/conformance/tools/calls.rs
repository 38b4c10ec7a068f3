//! Calls tools that may be called, once with valid arguments and then with faulty ones.
//!
//! Every check that looks at what a call returns shares these calls, so a tool runs as rarely as it can.

use super::faults;
use crate::arguments::for_tool;
use crate::ask::{Ask, Lane, Probe, Stage};
use crate::calling::{self, NAME_A_TOOL, may_call};
use crate::conformance::list::reach::unwalked;
use crate::context::Context;
use crate::facts::{Declared, Item, List};
use crate::passive::{self, Seen};
use crate::record::{Answer, Record};
use crate::refusal::answered;
use crate::ruling::Ruling;
use crate::wire::json::cut;
use serde_json::{Map, Value, json};

/// Calls the tools that may be called; those that answer well then get faulty arguments.
pub(crate) const CALLS: Probe = Probe {
    name: "tools.calls",
    stage: Stage::Main,
    next: calls,
};

/// Tools that one run calls.
const MOST: usize = 10;
/// Tools that get faulty arguments.
const MOST_FAULTY: usize = 5;
/// Longer names may break limits that HTTP servers have on header fields.
const MAX_NAME: usize = 512;

fn calls(cx: &Context, round: usize) -> Vec<Ask> {
    if cx.facts.declares("tools") != Declared::Yes {
        return vec![];
    }
    match round {
        0 => {
            let absent = json!({"name": cx.absent("tool"), "arguments": "x"});
            let absent = Ask::request("text-absent", "tools/call", absent).faulty();
            let valid = with_arguments(cx).map(|(tool, arguments)| {
                let ask = calling::call(valid(tool.name()), tool.value, &arguments);
                apart(cx, ask).once()
            });
            valid.chain([absent]).collect()
        }
        1 => faulty(cx),
        _ => vec![],
    }
}

/// On stdio, sends a call to a process of its own: what takes its time there would hold up all others.
pub(crate) fn apart(cx: &Context, ask: Ask) -> Ask {
    if cx.is_http() {
        ask
    } else {
        ask.over(Lane::Own("calls"))
    }
}

/// The step of a call with valid arguments.
fn valid(tool: &str) -> String {
    format!("valid/{tool}")
}

/// The calls with faulty arguments; the first tool also gets a text in place of arguments.
fn faulty(cx: &Context) -> Vec<Ask> {
    let mut asks = Vec::new();
    for (tool, arguments) in sound(cx) {
        if asks.is_empty() {
            let params = json!({"name": tool.name(), "arguments": "x"});
            let step = format!("text/{}", tool.name());
            let ask = Ask::request(step, "tools/call", params);
            asks.push(apart(cx, ask).once().faulty());
        }
        let schema = tool.value.get("inputSchema").unwrap_or(&Value::Null);
        for fault in faults::of(cx, schema, &arguments) {
            let step = format!("{}/{}", fault.kind, tool.name());
            let ask = calling::call(step, tool.value, &fault.arguments);
            asks.push(apart(cx, ask).once().faulty());
        }
    }
    asks
}

/// The tools whose valid call went well, so that a refusal of a faulty one says something.
pub(super) fn sound<'c>(
    cx: &Context<'c>,
) -> impl Iterator<Item = (Item<'c>, Map<String, Value>)> + use<'c> {
    let cx = *cx;
    with_arguments(&cx)
        .filter(move |(tool, _)| {
            let record = cx.record(&format!("{}/{}", CALLS.name, valid(tool.name())));
            record.is_some_and(went_well)
        })
        .take(MOST_FAULTY)
}

/// Whether a call was answered with a result that tells of no error.
pub(super) fn went_well(record: &Record) -> bool {
    let result = record.result();
    result.is_some_and(|result| result.get("isError") != Some(&json!(true)))
}

/// The tools that may be called: those that the configuration names first.
pub(crate) fn callable<'c>(cx: &Context<'c>) -> Vec<Item<'c>> {
    let mut tools: Vec<Item> = Vec::new();
    for tool in cx.facts.items(List::Tools) {
        let fits = !tool.name().is_empty() && tool.name().len() <= MAX_NAME;
        let known = || tools.iter().any(|known| known.name() == tool.name());
        if fits && may_call(cx, tool.value) && !known() {
            tools.push(tool);
        }
    }
    let safe = &cx.settings.config.tools.safe;
    tools.sort_by_key(|tool| !safe.iter().any(|name| name == tool.name()));
    tools.truncate(MOST);
    tools
}

fn with_arguments<'c>(
    cx: &Context<'c>,
) -> impl Iterator<Item = (Item<'c>, Map<String, Value>)> + use<'c> {
    let cx = *cx;
    let tools = callable(&cx).into_iter();
    tools.filter_map(move |tool| Some((tool, for_tool(&cx, tool.value).ok()?)))
}

/// The listed tool of a name.
pub(crate) fn listed<'c>(cx: &Context<'c>, name: &str) -> Option<Item<'c>> {
    cx.facts.items(List::Tools).find(|tool| tool.name() == name)
}

/// The complete results of faultless calls of listed tools, whichever probe made them.
pub(crate) fn results<'c>(cx: &Context<'c>) -> Vec<(Item<'c>, Seen<'c>)> {
    passive::results(cx)
        .filter(|seen| seen.method == "tools/call" && seen.is_complete())
        .filter_map(|seen| {
            let name = seen.record.request()?.params()?.get("name")?.as_str()?;
            Some((listed(cx, name)?, seen))
        })
        .collect()
}

/// Those that tell of no error.
pub(crate) fn successes<'c>(cx: &Context<'c>) -> Vec<(Item<'c>, Seen<'c>)> {
    let mut all = results(cx);
    all.retain(|(_, seen)| seen.result.get("isError") != Some(&json!(true)));
    all
}

/// Why there is no result of a call to judge.
pub(crate) fn untried(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Tools) {
        return ruling;
    }
    let tools = callable(cx);
    if tools.is_empty() {
        return Ruling::skip(if cx.settings.config.tools.safe.is_empty() {
            NAME_A_TOOL
        } else {
            "no tool that tools.safe names is listed"
        });
    }
    let mut reason = None;
    for tool in tools {
        let name = cut(tool.name(), 120);
        if let Err(why) = for_tool(cx, tool.value) {
            reason.get_or_insert_with(|| {
                Ruling::skip(format!(
                    "no arguments for {name}: {why} (tools.arguments gives it some)"
                ))
            });
            continue;
        }
        match answered(cx, &format!("{}/{}", CALLS.name, valid(tool.name()))) {
            Err(ruling) => return ruling,
            Ok(record) => reason = Some(Ruling::skip(unsuccessful(&name, record))),
        }
    }
    reason.unwrap_or_else(|| Ruling::skip(NAME_A_TOOL))
}

fn unsuccessful(name: &str, record: &Record) -> String {
    let hint = "(tools.arguments gives it valid arguments)";
    match record.answer() {
        Answer::Error(Some(code)) => format!("{name} is refused with {code} {hint}"),
        Answer::Error(None) => format!("{name} is refused {hint}"),
        Answer::Result(result) => match result.get("resultType").and_then(Value::as_str) {
            None | Some("complete") => format!("{name} tells of an error {hint}"),
            Some(kind) => format!("{name} is answered with a result of type {}", cut(kind, 40)),
        },
        _ => format!("{name} is answered without a JSON-RPC response"),
    }
}
