//! Changes are told: a tool that the configuration names changes something while we listen.
//!
//! Last of all, because what it changes would confuse everything that compares lists.

use super::listening::{
    LANE, acknowledgement, asked, declared, granted, is_set, listen, split, subscribes, watched,
};
use super::notices::{kind_of, listen_of};
use crate::arguments;
use crate::ask::{Ask, Lane, Probe, Stage};
use crate::calling::call;
use crate::check::Check;
use crate::context::Context;
use crate::facts::{Item, List, Walk};
use crate::record::Record;
use crate::ruling::{Finding, Ruling};
use crate::survey::{self, MAX_PAGES};
use crate::traffic::{Notice, notices};
use crate::wire::json::cut;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use verdict_model::transcript::End;

/// Lists and reads, listens, calls the tool, lists and reads again, and waits for what is due.
pub(crate) const CHANGES: Probe = Probe {
    name: "subscribe.changes",
    stage: Stage::Late,
    next: changes,
};

/// The notices are waited for in steps of this many milliseconds, five seconds in all.
const STEP_MS: u64 = 500;
const STEPS: usize = 10;
/// Some servers begin to listen to themselves a moment after they acknowledged.
const SETTLE_MS: u64 = 300;
const LISTS: [List; 3] = [List::Tools, List::Prompts, List::Resources];

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should("subscribe.tools-changed", "A change of the tools is told")
        .opt_in()
        .spec("tools#list-changed-notification")
        .why("Models go on calling tools that are gone, and do not see new ones.")
        .fix("Send notifications/tools/list_changed to every listen that asked for toolsListChanged whenever the set changes.")
        .official(&["sep-2575-server-sends-tools-list-changed-on-subscription"])
        .probes(&[&CHANGES])
        .judge(|cx| list_changed(cx, List::Tools)),
    Check::should("subscribe.prompts-changed", "A change of the prompts is told")
        .opt_in()
        .spec("prompts#list-changed-notification")
        .why("Users go on being offered prompts that are gone, and do not see new ones.")
        .fix("Send notifications/prompts/list_changed to every listen that asked for promptsListChanged whenever the set changes.")
        .official(&["sep-2575-server-sends-prompts-list-changed-on-subscription"])
        .probes(&[&CHANGES])
        .judge(|cx| list_changed(cx, List::Prompts)),
    Check::should("subscribe.resources-changed", "A change of the list of resources is told")
        .opt_in()
        .spec("resources#list-changed-notification")
        .why("Clients go on offering resources that are gone, and do not see new ones.")
        .fix("Send notifications/resources/list_changed to every listen that asked for resourcesListChanged whenever the set changes.")
        .probes(&[&CHANGES])
        .judge(|cx| list_changed(cx, List::Resources)),
    Check::must("subscribe.resource-updated", "A change of a resource is told")
        .opt_in()
        .spec("resources#subscriptions")
        .why("Clients go on working with old content of a resource that they watch.")
        .fix("Send notifications/resources/updated with its URI to every listen that names it whenever its content changes.")
        .probes(&[&CHANGES])
        .judge(resource_updated),
];

/// The tool that changes something; a ruling when there is none.
fn mutation<'c>(cx: &Context<'c>) -> Result<(Item<'c>, Map<String, Value>), Ruling> {
    let mutate = cx.settings.config.mutate.as_ref();
    let Some(mutate) = mutate else {
        return Err(Ruling::skip(
            "name a tool that changes something (mutate.tool) to try this",
        ));
    };
    let Some(name) = &mutate.tool else {
        return Err(Ruling::skip(
            "mutate.command is not run; name a tool that changes something (mutate.tool) to try this",
        ));
    };
    let tool = cx
        .facts
        .items(List::Tools)
        .find(|tool| tool.name() == name)
        .ok_or_else(|| Ruling::skip(format!("{} (mutate.tool) is not listed", cut(name, 80))))?;
    if !mutate.arguments.is_empty() {
        return Ok((tool, mutate.arguments.clone()));
    }
    let arguments = arguments::for_tool(cx, tool.value)
        .map_err(|why| Ruling::skip(format!("no arguments for {}: {why}", cut(name, 80))))?;
    Ok((tool, arguments))
}

fn lane(cx: &Context) -> Lane {
    if cx.is_http() {
        Lane::Shared
    } else {
        Lane::Own(LANE)
    }
}

fn changes(cx: &Context, _: usize) -> Vec<Ask> {
    let filter = declared(cx);
    let Ok((tool, arguments)) = mutation(cx) else {
        return vec![];
    };
    if filter.is_empty() {
        return vec![];
    }
    look(cx, "before")
        .or_else(|| open(cx, &filter))
        .or_else(|| one(cx, Ask::silence("settle", SETTLE_MS).over(lane(cx))))
        .or_else(|| {
            one(
                cx,
                call("call", tool.value, &arguments).over(lane(cx)).once(),
            )
        })
        .or_else(|| look(cx, "after"))
        .or_else(|| wait(cx))
        .unwrap_or_default()
}

/// A single exchange, unless it was made.
fn one(cx: &Context, ask: Ask) -> Option<Vec<Ask>> {
    let name = format!("{}/{}", CHANGES.name, ask.step);
    cx.record(&name).is_none().then(|| vec![ask])
}

/// Lists and reads what may change.
fn look(cx: &Context, when: &str) -> Option<Vec<Ask>> {
    let declared = declared(cx);
    let lists = LISTS
        .into_iter()
        .filter(|list| declared.contains_key(member(*list)));
    let list = |list: List| {
        let step = format!("{}.{when}/", list.member());
        let prefix = format!("{}/{step}", CHANGES.name);
        let page = |number: &usize| cx.record(&format!("{prefix}{number}")).is_some();
        let round = (1..=MAX_PAGES).take_while(page).count();
        let mut asks = survey::walk(cx, list, &prefix, round, &lane(cx));
        for ask in &mut asks {
            ask.step.insert_str(0, &step);
        }
        (!asks.is_empty()).then_some(asks)
    };
    let content = || {
        let uri = read(cx)?;
        let ask = Ask::request(
            format!("read.{when}"),
            "resources/read",
            json!({"uri": uri}),
        );
        one(cx, ask.over(lane(cx)))
    };
    lists.into_iter().find_map(list).or_else(content)
}

/// The resource that is listened to, where it may be read.
fn read<'c>(cx: &Context<'c>) -> Option<&'c str> {
    let may = subscribes(cx) && !cx.settings.config.no_reads;
    watched(cx).filter(|_| may)
}

/// Two listens with nothing in common.
fn open(cx: &Context, filter: &Map<String, Value>) -> Option<Vec<Ask>> {
    let (first, rest) = split(filter);
    let mut asks = vec![listen(cx, "one", &first)];
    if !rest.is_empty() {
        asks.push(listen(cx, "two", &rest));
    }
    cx.record("subscribe.changes/one").is_none().then_some(asks)
}

/// Waits while something changed that was not told yet.
fn wait(cx: &Context) -> Option<Vec<Ask>> {
    let untold = LISTS
        .into_iter()
        .filter(|list| has_changed(cx, *list) == Some(true))
        .map(member)
        .chain((is_rewritten(cx) == Some(true)).then_some("resourceSubscriptions"))
        .any(|kind| matches!(hearer(cx, kind), Ok(record) if !is_told(cx, kind, record)));
    let number = (1..=STEPS)
        .find(|number| {
            cx.record(&format!("subscribe.changes/wait-{number}"))
                .is_none()
        })
        .filter(|_| untold)?;
    let ask = Ask::silence(format!("wait-{number}"), STEP_MS);
    Some(vec![ask.over(lane(cx))])
}

/// The member of a filter that asks for changes of a list.
fn member(list: List) -> &'static str {
    match list {
        List::Tools => "toolsListChanged",
        List::Prompts => "promptsListChanged",
        List::Resources | List::Templates => "resourcesListChanged",
    }
}

fn items(cx: &Context, list: List, when: &str) -> Option<BTreeSet<String>> {
    let prefix = format!("{}/{}.{when}/", CHANGES.name, list.member());
    let walk = Walk::read(cx.recording, &prefix);
    let texts = || {
        let items = walk.items(list);
        items.map(|item| {
            let mut text = String::new();
            crate::evidence::canonical(item.value, &mut text);
            text
        })
    };
    walk.complete.then(|| texts().collect())
}

/// Whether a list is another one after the call; none when that is not known.
fn has_changed(cx: &Context, list: List) -> Option<bool> {
    Some(items(cx, list, "before")? != items(cx, list, "after")?)
}

/// Whether the resource holds something else after the call; none when that is not known.
fn is_rewritten(cx: &Context) -> Option<bool> {
    let contents = |when: &str| {
        let record = cx.record(&format!("subscribe.changes/read.{when}"))?;
        record.result()?.get("contents")
    };
    Some(contents("before")? != contents("after")?)
}

/// The listen that should hear of a kind of change; a ruling when there is none.
fn hearer<'c>(cx: &Context<'c>, kind: &str) -> Result<&'c Record, Ruling> {
    let called = cx.record("subscribe.changes/call");
    let Some(called) = called else {
        return Err(Ruling::skip(match &cx.recording.cut_off {
            Some(why) => format!("not reached: {why}"),
            None => "the tool was not called".to_owned(),
        }));
    };
    let listens = ["one", "two"].map(|step| cx.record(&format!("subscribe.changes/{step}")));
    let listen = listens
        .into_iter()
        .flatten()
        .find(|record| asked(record).is_some_and(|asked| asked.contains_key(kind)));
    let Some(listen) = listen else {
        return Err(Ruling::skip("no listen for it was opened"));
    };
    let Some(ack) = acknowledgement(listen) else {
        return Err(Ruling::skip(
            "the listen for it was not acknowledged (subscribe.available)",
        ));
    };
    let grants = granted(ack)
        .and_then(|all| all.get(kind))
        .is_some_and(is_set);
    if !grants {
        return Err(Ruling::skip(
            "the acknowledgement of the listen leaves it out",
        ));
    }
    let exchange = &listen.exchange;
    // One that ended with its process, or with the run, ended later.
    let ended = exchange.ended_ms > 0 && exchange.ended_ms < called.exchange.sent_ms;
    let by_server = cx.is_http() && matches!(exchange.end, End::Complete | End::Lost(_));
    if ended || (by_server && !is_told(cx, kind, listen)) {
        return Err(Ruling::skip(
            "the listen was over before anything was told (subscribe.stays-open)",
        ));
    }
    Ok(listen)
}

/// Whether a change was told on the listen that asked for it, with the right tag or not.
fn is_told(cx: &Context, kind: &str, listen: &Record) -> bool {
    let called = cx.record("subscribe.changes/call");
    let since = called.map_or(0, |record| record.exchange.sent_ms);
    let here = |notice: &Notice| {
        let own = listen_of(cx, notice).or(notice.record);
        let tagged = own.is_some_and(|own| own.exchange.name == listen.exchange.name);
        // Who does not tag at all is found by subscribe.all-tagged.
        let untagged = !cx.is_http()
            && notice.channel == listen.exchange.channel
            && listen_of(cx, notice).is_none();
        tagged || untagged
    };
    notices(cx).any(|notice| {
        notice.at_ms >= since && kind_of(notice.method()) == Some(kind) && here(&notice)
    })
}

fn list_changed(cx: &Context, list: List) -> Ruling {
    let kind = member(list);
    if !declared(cx).contains_key(kind) {
        let what = format!(
            "the server does not declare {}.listChanged",
            list.capability()
        );
        return Ruling::not_applicable(what);
    }
    let listen = match mutation(cx).and_then(|_| hearer(cx, kind)) {
        Ok(listen) => listen,
        Err(ruling) => return ruling,
    };
    if is_told(cx, kind, listen) {
        return Ruling::met("the change was told");
    }
    match has_changed(cx, list) {
        None => Ruling::skip(format!("{} did not come to its end twice", list.method())),
        Some(false) => Ruling::skip(format!("{} did not change", list.method())),
        Some(true) => Finding::broken(format!(
            "{} changed, but no notification came within {} s",
            list.method(),
            STEPS as u64 * STEP_MS / 1000
        ))
        .about(list.method())
        .seen_in(listen)
        .into(),
    }
}

fn resource_updated(cx: &Context) -> Ruling {
    let kind = "resourceSubscriptions";
    if !subscribes(cx) {
        return Ruling::not_applicable("the server does not declare resources.subscribe");
    }
    if !declared(cx).contains_key(kind) {
        return Ruling::skip("no resource is listed; name one (resources.known) to try this");
    }
    let listen = match mutation(cx).and_then(|_| hearer(cx, kind)) {
        Ok(listen) => listen,
        Err(ruling) => return ruling,
    };
    if is_told(cx, kind, listen) {
        return Ruling::met("the change was told");
    }
    match is_rewritten(cx) {
        None => Ruling::skip("the resource was not read before and after the change"),
        Some(false) => Ruling::skip("the resource that is listened to did not change"),
        Some(true) => Finding::unproven(format!(
            "a resource reads otherwise after the change, but no notification came within {} s",
            STEPS as u64 * STEP_MS / 1000
        ))
        .seen_in(listen)
        .into(),
    }
}

#[cfg(test)]
mod tests {
    use crate::matrix::full_config;
    use crate::testing::{config, ruling, word};
    use verdict_fixture::{Server, Variant};

    #[test]
    fn changes_have_to_be_told() {
        let cases = [
            ("subscribe.tools-changed", "tools-change-untold", "broken"),
            (
                "subscribe.prompts-changed",
                "prompts-change-untold",
                "broken",
            ),
            (
                "subscribe.resources-changed",
                "resources-change-untold",
                "broken",
            ),
            (
                "subscribe.resource-updated",
                "resource-update-untold",
                "unproven",
            ),
        ];
        for stdio in [false, true] {
            for (id, defect, due) in cases {
                let full = || full_config(Variant::Full);
                let sound = ruling(id, &Server::correct(), full(), stdio);
                assert!(sound.is_met(), "{id}, stdio: {stdio}: {sound:?}");
                let server = Server::with(defect).expect("a defect");
                let found = ruling(id, &server, full(), stdio);
                assert_eq!(word(&found), due, "{id}, stdio: {stdio}: {found:?}");
                let plain = ruling(id, &Server::correct(), config(), stdio);
                assert_eq!(word(&plain), "skip");
            }
        }
    }
}
