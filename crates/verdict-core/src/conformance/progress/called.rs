//! Calls of tools that take their time or report on it, as far as the configuration names some.

use crate::ask::{Ask, Lane, Probe, Stage};
use crate::conformance::tools::capability::call;
use crate::context::Context;
use crate::facts::{Item, List};
use serde_json::{Value, json};

/// `_meta` key of the log level.
pub(crate) const META_LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// Calls a tool three times: plainly, with a token and logs of errors, with another token and all logs.
///
/// On stdio silence follows, so that what comes too late is seen to.
pub(crate) const CALLS: Probe = Probe {
    name: "progress",
    stage: Stage::Main,
    next: calls,
};

/// Milliseconds in which something may come too late.
const AFTERWARDS_MS: u64 = 500;

fn calls(cx: &Context, round: usize) -> Vec<Ask> {
    let lane = if cx.is_http() {
        Lane::Shared
    } else {
        Lane::Own("slow")
    };
    let tools = named(cx);
    if round > 0 || tools.is_empty() {
        return vec![];
    }
    let mut asks = Vec::new();
    for (number, tool) in tools.into_iter().enumerate() {
        let ask = |kind: &str| call(cx, tool, format!("{kind}-{number}")).over(lane.clone());
        asks.push(ask("plain"));
        let text = format!("{}-{number}", cx.settings.nonce);
        // The lowest level comes last: on stdio it counts for a while after its answer.
        asks.push(token(ask("number"), json!(7_000 + number), "error"));
        asks.push(token(ask("text"), json!(text), "debug"));
    }
    if !cx.is_http() {
        asks.push(Ask::silence("afterwards", AFTERWARDS_MS).over(lane));
    }
    asks
}

fn token(ask: Ask, token: Value, level: &str) -> Ask {
    ask.meta("progressToken", token)
        .meta(META_LOG_LEVEL, json!(level))
}

/// The first listed tool that is slow, and the first that is chatty.
pub(crate) fn named<'c>(cx: &Context<'c>) -> Vec<Item<'c>> {
    let tools = &cx.settings.config.tools;
    let mut found: Vec<Item> = Vec::new();
    for names in [&tools.slow, &tools.chatty] {
        let tool = cx
            .facts
            .items(List::Tools)
            .find(|tool| names.iter().any(|name| name == tool.name()));
        if let Some(tool) =
            tool.filter(|tool| !found.iter().any(|known| known.name() == tool.name()))
        {
            found.push(tool);
        }
    }
    found
}
