//! Opens listens and keeps them open beside everything else; most rules on subscriptions look at these.
//!
//! Where the server declares no changes nothing is opened and nothing is waited for.

use crate::ask::{Ask, Lane, Patience, Probe, Stage};
use crate::conformance::resources::reading;
use crate::conformance::stdio::process::declared_changes;
use crate::conformance::stdio::together::is_ack;
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::refusal::answered;
use crate::ruling::Ruling;
use crate::wire::rpc::Envelope;
use serde_json::{Map, Value, json};
use verdict_model::config::Severity;

/// The method that opens a subscription.
pub(crate) const LISTEN: &str = "subscriptions/listen";
/// `_meta` key that ties a message to a listen.
pub(crate) const TAG: &str = "io.modelcontextprotocol/subscriptionId";
/// JSON Pointer to it in a notification.
pub(crate) const TAG_PLACE: &str = "/params/_meta/io.modelcontextprotocol~1subscriptionId";
/// Milliseconds that a listen is held.
pub(crate) const HOLD_MS: u64 = 5_000;
/// Milliseconds that it is held where nobody wants to know whether it stays open.
const BRIEF_HOLD_MS: u64 = 500;
/// Milliseconds after a cancelled listen in which nothing of it may come.
pub(crate) const CANCELLED_MS: u64 = 2_000;
/// Milliseconds for the answer of a process that may also keep silent.
const GLIMPSE_MS: u64 = 1_000;
/// The process on which the listens of this probe are open.
pub(crate) const LANE: &str = "listens";

/// The listens that are held: their steps, which are told apart by the kinds of their ids.
pub(crate) const HELD: [&str; 3] = ["text", "number", "zero"];

/// Opens three listens with ids of different kinds and holds them for five seconds; over HTTP it then hangs
/// up and asks three times whether the server is still there, on stdio it cancels one of them.
pub(crate) const LISTENS: Probe = Probe {
    name: "subscribe",
    stage: Stage::Main,
    next: listens,
};

fn listens(cx: &Context, round: usize) -> Vec<Ask> {
    let filter = declared(cx);
    if filter.is_empty() {
        return vec![];
    }
    let (first, rest) = split(&filter);
    let open = || held(cx).any(|record| acknowledgement(record).is_some());
    let lane = || {
        if cx.is_http() {
            Lane::Shared
        } else {
            Lane::Own(LANE)
        }
    };
    let discover = |step: &str| Ask::request(step, "server/discover", json!({})).over(lane());
    match round {
        // On stdio this starts the process, so that nothing else is spent on that.
        0 => vec![discover("before")],
        1 => {
            let id = json!(format!("sub-{}", cx.settings.nonce));
            vec![listen(cx, "text", if rest.is_empty() { &first } else { &rest }).id(id)]
        }
        2 => {
            let number = listen(cx, "number", &first).id(json!(7));
            if !open() {
                // The second try; on stdio perhaps in a new process, which needs its time to start.
                return vec![discover("again"), number];
            }
            let mut asks = vec![number, listen(cx, "zero", &all(cx)).id(json!(0))];
            if cx.is_http() {
                asks.extend(filters(cx));
            }
            asks
        }
        3 if open() && cx.is_http() => vec![Ask::silence("idle", hold_ms(cx))],
        3 if open() => stdio_tail(cx),
        4 if open() && cx.is_http() => ["after-1", "after-2", "after-3"].map(discover).into(),
        _ => vec![],
    }
}

/// What a process is asked while its listens are open; five seconds in all.
fn stdio_tail(cx: &Context) -> Vec<Ask> {
    let over = |ask: Ask| ask.over(Lane::Own(LANE));
    let mut asks = Vec::new();
    if cx
        .record("subscribe/zero")
        .and_then(acknowledgement)
        .is_some()
    {
        let cancel =
            Ask::notification("cancel", "notifications/cancelled", json!({"requestId": 0}));
        asks.push(over(cancel.patience(Patience::Watch(CANCELLED_MS)).once()));
    }
    asks.extend(filters(cx).map(over));
    asks.push(over(Ask::silence(
        "idle",
        hold_ms(cx)
            .saturating_sub(CANCELLED_MS + 2 * GLIMPSE_MS)
            .max(BRIEF_HOLD_MS),
    )));
    asks
}

/// How long listens are held: the wait is for one check, which the configuration can turn off.
fn hold_ms(cx: &Context) -> u64 {
    let moved = cx.settings.config.checks.get("subscribe.stays-open");
    if moved == Some(&Severity::Off) {
        BRIEF_HOLD_MS
    } else {
        HOLD_MS
    }
}

/// A listen without a filter, and one for nothing.
fn filters(cx: &Context) -> impl Iterator<Item = Ask> {
    let patience = if cx.is_http() {
        Patience::Hold(hold_ms(cx))
    } else {
        Patience::Watch(GLIMPSE_MS)
    };
    let missing = Ask::request("missing", LISTEN, json!({})).faulty();
    let empty = Ask::request("empty", LISTEN, json!({"notifications": {}}));
    [missing, empty]
        .into_iter()
        .map(move |ask| ask.over(Lane::Fresh).patience(patience).once())
}

/// A listen that is held; over HTTP on a connection of its own.
pub(crate) fn listen(cx: &Context, step: &str, filter: &Map<String, Value>) -> Ask {
    let (lane, patience) = if cx.is_http() {
        (Lane::Fresh, Patience::Hold(hold_ms(cx)))
    } else {
        (Lane::Own(LANE), Patience::Hold(u64::MAX))
    };
    Ask::request(step, LISTEN, json!({"notifications": filter}))
        .over(lane)
        .patience(patience)
        .once()
        .alongside()
}

/// A filter of all that the server declares, with the first resource that is listed.
pub(crate) fn declared(cx: &Context) -> Map<String, Value> {
    let mut filter = declared_changes(cx);
    if subscribes(cx)
        && let Some(uri) = watched(cx)
    {
        filter.insert("resourceSubscriptions".to_owned(), json!([uri]));
    }
    filter
}

/// The resource whose updates are asked for: one that the configuration names, else one that is listed.
pub(crate) fn watched<'c>(cx: &Context<'c>) -> Option<&'c str> {
    let known = cx.settings.config.resources.known.first();
    known
        .map(String::as_str)
        .or_else(|| reading::chosen(cx).first().copied())
}

/// Whether updates of single resources are declared.
pub(crate) fn subscribes(cx: &Context) -> bool {
    let flag = cx
        .facts
        .capabilities()
        .and_then(|all| all.get("resources")?.get("subscribe")?.as_bool());
    flag == Some(true)
}

/// The first kind of a filter, and the others.
pub(crate) fn split(filter: &Map<String, Value>) -> (Map<String, Value>, Map<String, Value>) {
    let pair = |(key, value): (&String, &Value)| (key.clone(), value.clone());
    let first = filter.iter().take(1).map(pair).collect();
    let rest = filter.iter().skip(1).map(pair).collect();
    (first, rest)
}

/// All four kinds, as far as a URI is known.
fn all(cx: &Context) -> Map<String, Value> {
    let mut filter = Map::new();
    for member in [
        "toolsListChanged",
        "promptsListChanged",
        "resourcesListChanged",
    ] {
        filter.insert(member.to_owned(), json!(true));
    }
    if let Some(uri) = watched(cx) {
        filter.insert("resourceSubscriptions".to_owned(), json!([uri]));
    }
    filter
}

/// Why nothing was opened at all.
pub(crate) fn undeclared(cx: &Context) -> Option<Ruling> {
    declared(cx)
        .is_empty()
        .then(|| Ruling::not_applicable("the server declares no change notifications"))
}

/// The listens of the probe that were sent.
pub(crate) fn held<'c>(cx: &Context<'c>) -> impl Iterator<Item = &'c Record> + use<'c> {
    let cx = *cx;
    HELD.into_iter()
        .filter_map(move |step| cx.record(&format!("subscribe/{step}")))
}

/// The acknowledgement that a listen got.
pub(crate) fn acknowledgement(record: &Record) -> Option<&Envelope> {
    let mut messages = record.replies().filter_map(|(_, parsed)| parsed.envelope());
    messages.find(|envelope| is_ack(envelope))
}

/// The listens that were acknowledged; a ruling when there are none.
pub(crate) fn acknowledged<'c>(
    cx: &Context<'c>,
) -> Result<Vec<(&'c Record, &'c Envelope)>, Ruling> {
    if let Some(ruling) = undeclared(cx) {
        return Err(ruling);
    }
    let found: Vec<_> = held(cx)
        .filter_map(|record| Some((record, acknowledgement(record)?)))
        .collect();
    if found.is_empty() {
        Err(unopened(cx))
    } else {
        Ok(found)
    }
}

/// Why no listen is open.
pub(crate) fn unopened(cx: &Context) -> Ruling {
    match answered(cx, "subscribe/text") {
        Ok(record) => Ruling::skip(match record.answer() {
            Answer::Error(_) => "listens are refused (subscribe.available)",
            _ => "no listen is acknowledged (subscribe.ack-first, subscribe.sse)",
        }),
        Err(Ruling::Error(why)) => Ruling::skip(format!("no listen could be opened: {why}")),
        Err(ruling) => ruling,
    }
}

/// The subscription that a notification names.
pub(crate) fn tag(params: Option<&Value>) -> Option<&Value> {
    params?.get("_meta")?.get(TAG)
}

/// The filter that a listen asked for.
pub(crate) fn asked(record: &Record) -> Option<&Map<String, Value>> {
    record
        .request()?
        .params()?
        .get("notifications")?
        .as_object()
}

/// The filter that an acknowledgement grants.
pub(crate) fn granted(envelope: &Envelope) -> Option<&Map<String, Value>> {
    envelope.params()?.get("notifications")?.as_object()
}

/// Whether a member of a filter asks for something.
pub(crate) fn is_set(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Array(items) => !items.is_empty(),
        _ => true,
    }
}
