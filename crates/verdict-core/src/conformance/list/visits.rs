//! Lists everything again and again over connections of its own: twice in a row, after other requests,
//! over a second connection, and after a tool was called.
//!
//! One connection (one process) serves all of it, so that a slow server is started once. What is asked
//! next depends on what came back only where something differs and has to be confirmed.

use super::cursors::first_cursor;
use crate::ask::{Ask, Lane, Probe, Stage};
use crate::conformance::resources::reading;
use crate::conformance::result::envelope;
use crate::conformance::tools::listed::claims_harmless;
use crate::context::Context;
use crate::facts::{Declared, Item, List, Walk};
use crate::record::{Answer, Record};
use crate::survey;
use serde_json::{Map, Value, json};

/// Walks over all lists on a connection of its own (A), on a second one (B), on A again, on B again;
/// on a third one (C) where something has to be confirmed. On stdio there is no B.
pub(crate) const VISITS: Probe = Probe {
    name: "list.visits",
    stage: Stage::Main,
    next: visits,
};

const A: Lane = Lane::Own("lists");
const B: Lane = Lane::Own("lists.b");
const C: Lane = Lane::Own("lists.c");
const D: Lane = Lane::Own("lists.d");

/// Pages of a list that is walked more than twice: more would cost the server more than it tells.
const LONG: usize = 50;

/// One walk over one list; `tag` tells walks over the same list apart.
#[derive(Debug, Clone, Copy)]
struct Visit {
    list: List,
    tag: &'static str,
    lane: &'static Lane,
}

fn visits(cx: &Context, _: usize) -> Vec<Ask> {
    let Some(first) = cx.facts.first_list() else {
        return vec![];
    };
    let steps = [
        opening, alone, others, between, second, again, changed, differing, call, after_call,
        reused, ids,
    ];
    steps
        .iter()
        .find_map(|step| step(cx, first))
        .unwrap_or_default()
}

/// What a step still has to ask; none when it is over.
type Pending = Option<Vec<Ask>>;

/// The first message of a connection is a list; where that fails, once more after `server/discover`.
fn opening(cx: &Context, first: List) -> Pending {
    walk(cx, first, "a1", &A).or_else(|| {
        let name = opened(first);
        let failed = matches!(cx.record(&name).map(Record::answer), Some(Answer::Error(_)));
        let list = |step| Ask::request(step, first.method(), json!({}));
        let discover = |step| Ask::request(step, "server/discover", json!({}));
        if !failed {
            return None;
        }
        one(cx, discover("late.discover").over(A))
            .or_else(|| one(cx, list("late.list").over(A)))
            .or_else(|| one(cx, list("cold.list").over(C)))
            .or_else(|| one(cx, discover("cold.discover").over(C)))
            .or_else(|| one(cx, list("warm.list").over(C)))
    })
}

/// The tools a second time, with nothing in between.
fn alone(cx: &Context, _: List) -> Pending {
    repeats(cx, List::Tools)
        .then(|| walk(cx, List::Tools, "a1b", &A))
        .flatten()
}

fn others(cx: &Context, _: List) -> Pending {
    let mut lists = List::ALL.into_iter().filter(|list| is_listed(cx, *list));
    lists.find_map(|list| walk(cx, list, "a1", &A))
}

/// What must not change a list: discovery and a read.
fn between(cx: &Context, _: List) -> Pending {
    let read = || {
        let uri = *reading::chosen(cx)
            .first()
            .filter(|_| !cx.settings.config.no_reads)?;
        one(
            cx,
            Ask::request("read", "resources/read", json!({"uri": uri})).over(A),
        )
    };
    one(
        cx,
        Ask::request("discover.a", "server/discover", json!({})).over(A),
    )
    .or_else(read)
}

fn second(cx: &Context, _: List) -> Pending {
    if !cx.is_http() {
        return None;
    }
    each(cx, "b1", &B).or_else(|| {
        one(
            cx,
            Ask::request("discover.b", "server/discover", json!({})).over(B),
        )
    })
}

fn again(cx: &Context, _: List) -> Pending {
    let b = || {
        if cx.is_http() {
            each(cx, "b2", &B)
        } else {
            None
        }
    };
    each(cx, "a2", &A).or_else(b)
}

/// Where a list changed on A: whether a third connection still shows the first set, and A the second.
fn changed(cx: &Context, _: List) -> Pending {
    List::ALL.into_iter().find_map(|list| {
        let before = before(cx, list);
        let changed = differ(list, &before, &read(cx, list, "a2"));
        changed.then(|| walk(cx, list, "c1", &C).or_else(|| walk(cx, list, "a3", &A)))?
    })
}

/// Where A and B agree with themselves but not with each other: once more.
fn differing(cx: &Context, _: List) -> Pending {
    List::ALL.into_iter().find_map(|list| {
        by_connection(cx, list)
            .then(|| walk(cx, list, "a4", &A).or_else(|| walk(cx, list, "b4", &B)))?
    })
}

/// Calls a tool that may be called, where one is named.
fn call(cx: &Context, _: List) -> Pending {
    let (name, arguments) = callable(cx)?;
    let params = json!({"name": name, "arguments": arguments});
    one(
        cx,
        Ask::request("call", "tools/call", params).over(A).once(),
    )
}

fn after_call(cx: &Context, _: List) -> Pending {
    cx.record("list.visits/call")?;
    each(cx, "a5", &A).or_else(|| {
        List::ALL.into_iter().find_map(|list| {
            let changed = differ(list, &latest(cx, list), &read(cx, list, "a5"));
            changed.then(|| walk(cx, list, "c5", &D).or_else(|| walk(cx, list, "a6", &A)))?
        })
    })
}

/// The first cursor of each list, twice in a row.
fn reused(cx: &Context, _: List) -> Pending {
    let lists = List::ALL.into_iter();
    let uses = lists.flat_map(|list| [1, 2].map(|number| (list, number)));
    let asks = uses.filter_map(|(list, number)| {
        let cursor = first_cursor(cx, list)?;
        let step = reuse(list, number).split_off(VISITS.name.len() + 1);
        one(
            cx,
            Ask::request(step, list.method(), json!({"cursor": cursor})).over(A),
        )
    });
    let asks: Vec<Ask> = asks.flatten().collect();
    (!asks.is_empty()).then_some(asks)
}

/// On stdio, ids of all kinds: last, because a process that loses one is not asked again.
fn ids(cx: &Context, _: List) -> Pending {
    if cx.is_http() {
        return None;
    }
    envelope::asks(cx).find_map(|ask| one(cx, ask.over(A).once()))
}

/// The exchange in which the first cursor of a list was used again.
pub(crate) fn reuse(list: List, number: usize) -> String {
    format!("{}/{}.cursor{number}", VISITS.name, list.member())
}

/// One step of a walk; none when it is over.
fn walk(cx: &Context, list: List, tag: &'static str, lane: &'static Lane) -> Pending {
    let visit = Visit { list, tag, lane };
    let answered = visit.asked(cx);
    // Of an endless list one page is enough.
    let endless = answered > 0 && is_long(cx, list) && !cx.facts.walk(list).complete;
    let asks = survey::walk(cx, list, &visit.prefix(), answered, visit.lane);
    let asks: Vec<Ask> = asks
        .into_iter()
        .filter(|_| !endless)
        .map(|mut ask| {
            ask.step.insert_str(0, &visit.step());
            ask
        })
        .collect();
    (!asks.is_empty()).then_some(asks)
}

impl Visit {
    fn step(&self) -> String {
        format!("{}.{}/", self.list.member(), self.tag)
    }

    fn prefix(&self) -> String {
        format!("{}/{}", VISITS.name, self.step())
    }

    /// Pages that have been asked for.
    fn asked(&self, cx: &Context) -> usize {
        let prefix = self.prefix();
        let page = |number: &usize| cx.record(&format!("{prefix}{number}")).is_some();
        (1..=survey::MAX_PAGES).take_while(page).count()
    }
}

/// A single exchange, unless it has been asked for.
fn one(cx: &Context, ask: Ask) -> Pending {
    let name = format!("{}/{}", VISITS.name, ask.step);
    cx.record(&name).is_none().then(|| vec![ask])
}

/// The same walk over every list that is worth it, one after the other.
fn each(cx: &Context, tag: &'static str, lane: &'static Lane) -> Pending {
    let lists = List::ALL.into_iter().filter(|list| repeats(cx, *list));
    lists.into_iter().find_map(|list| walk(cx, list, tag, lane))
}

/// Whether a list was answered.
fn is_listed(cx: &Context, list: List) -> bool {
    let declared = cx.facts.declares(list.capability()) == Declared::Yes;
    declared && !cx.facts.walk(list).pages.is_empty()
}

/// Whether a list is worth more than a second walk: it is neither endless nor very long.
fn repeats(cx: &Context, list: List) -> bool {
    is_listed(cx, list) && !is_long(cx, list)
}

fn is_long(cx: &Context, list: List) -> bool {
    cx.facts.walk(list).pages.len() > LONG
}

/// The name of the exchange that opens connection A.
pub(crate) fn opened(first: List) -> String {
    format!("{}/{}.a1/1", VISITS.name, first.member())
}

/// One walk of this probe; without pages when it was not made.
pub(crate) fn read(cx: &Context, list: List, tag: &str) -> Walk {
    let prefix = format!("{}/{}.{tag}/", VISITS.name, list.member());
    Walk::read(cx.recording, &prefix)
}

/// The walks of this probe over a list that have pages, in the order in which they were made.
pub(crate) fn walks(cx: &Context, list: List) -> Vec<Walk> {
    let tags = [
        "a1", "a1b", "b1", "a2", "b2", "c1", "a3", "a4", "b4", "a5", "c5", "a6",
    ];
    let walks = tags.into_iter().map(|tag| read(cx, list, tag));
    walks.filter(|walk| !walk.pages.is_empty()).collect()
}

/// What a list was on connection A before anything else was asked there.
pub(crate) fn before(cx: &Context, list: List) -> Walk {
    let walk = read(cx, list, "a1");
    if walk.complete {
        walk
    } else {
        // A server that wants server/discover first refuses the first walk only.
        read(cx, list, "a1b")
    }
}

/// What a list was on connection A when last seen before the call.
pub(crate) fn latest(cx: &Context, list: List) -> Walk {
    let tags = ["a4", "a3", "a2"];
    let mut walks = tags.into_iter().map(|tag| read(cx, list, tag));
    walks.find(|walk| walk.complete).unwrap_or_default()
}

/// The names of a walk's items, in order.
pub(crate) fn names(list: List, walk: &Walk) -> Vec<&str> {
    walk.items(list).map(name_of).collect()
}

/// The name of an item for as long as its walk lives.
fn name_of(item: Item<'_>) -> &str {
    let name = item.value.get(item.list.key());
    name.and_then(Value::as_str).unwrap_or_default()
}

/// The same names, sorted and each once: the set that the walk showed.
pub(crate) fn set(list: List, walk: &Walk) -> Vec<&str> {
    let mut names = names(list, walk);
    names.sort_unstable();
    names.dedup();
    names
}

/// Whether two complete walks show different sets.
pub(crate) fn differ(list: List, one: &Walk, other: &Walk) -> bool {
    one.complete && other.complete && set(list, one) != set(list, other)
}

/// Whether two complete walks show the same set.
pub(crate) fn agree(list: List, one: &Walk, other: &Walk) -> bool {
    one.complete && other.complete && set(list, one) == set(list, other)
}

/// Whether A and B each agree with themselves but not with each other.
pub(crate) fn by_connection(cx: &Context, list: List) -> bool {
    let [a1, a2, b1, b2] = ["a1", "a2", "b1", "b2"].map(|tag| read(cx, list, tag));
    agree(list, &a1, &a2) && agree(list, &b1, &b2) && differ(list, &a2, &b2)
}

/// A tool that may be called, with its arguments: configured ones, or none where none are required.
///
/// Tools whose parameters belong into header fields are left out.
pub(crate) fn callable<'c>(cx: &Context<'c>) -> Option<(&'c str, Map<String, Value>)> {
    let tools = &cx.settings.config.tools;
    let trusted = |item: &Item| tools.trust_read_only && claims_harmless(item.value);
    cx.facts.items(List::Tools).find_map(|item| {
        let name = name_of(item);
        if !tools.safe.iter().any(|safe| safe == name) && !trusted(&item) {
            return None;
        }
        let schema = item.value.get("inputSchema")?;
        if schema.to_string().contains("\"x-mcp-header\"") {
            return None;
        }
        let required = schema.get("required").and_then(Value::as_array);
        match tools.arguments.get(name) {
            Some(arguments) => Some((name, arguments.clone())),
            None if required.is_none_or(Vec::is_empty) => Some((name, Map::new())),
            None => None,
        }
    })
}
