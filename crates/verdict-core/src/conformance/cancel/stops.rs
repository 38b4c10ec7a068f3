//! What is cancelled stops: a listen for certain, a slow call if it can be; stdio only.

use crate::arguments;
use crate::ask::{Ask, Lane, Patience, Probe, Stage};
use crate::calling::call;
use crate::check::Check;
use crate::conformance::progress::called::META_LOG_LEVEL;
use crate::conformance::subscribe::listening::{
    CANCELLED_MS, LISTENS, acknowledgement, tag, undeclared, unopened,
};
use crate::context::Context;
use crate::facts::{Item, List};
use crate::record::Record;
use crate::ruling::{Finding, Ruling};
use crate::traffic::notices;
use crate::wire::json::cut;
use crate::wire::rpc::{Kind, same_id};
use serde_json::{Map, Value, json};

/// Calls a slow tool and cancels it at once.
pub(crate) const SLOW: Probe = Probe {
    name: "cancel.slow",
    stage: Stage::Main,
    next: slow,
};

/// Milliseconds that messages may take to cross.
const CROSSING_MS: u64 = 200;
/// The same for a call, which has to be stopped as well.
const STOPPING_MS: u64 = 500;
/// Milliseconds for which a cancelled call is watched.
const WATCH_MS: u64 = 3_000;

fn slow(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || cx.is_http() {
        return vec![];
    }
    let Ok((tool, arguments)) = slow_tool(cx) else {
        return vec![];
    };
    let name = "cancel.slow/call";
    let note = Ask::notification(
        "cancel",
        "notifications/cancelled",
        json!({"requestId": name}),
    );
    let asks = [
        call("call", tool.value, &arguments)
            .meta(
                "progressToken",
                json!(format!("cancel-{}", cx.settings.nonce)),
            )
            .meta(META_LOG_LEVEL, json!("debug"))
            .patience(Patience::Watch(WATCH_MS)),
        // Watched too, so that an answer to it is not taken for one to the call.
        note.patience(Patience::Watch(WATCH_MS)).faulty(),
    ];
    let over = |ask: Ask| ask.over(Lane::Own("slow")).alongside().once();
    asks.map(over).into()
}

/// The first listed tool that is named as slow, with its arguments; a ruling when there is none.
fn slow_tool<'c>(cx: &Context<'c>) -> Result<(Item<'c>, Map<String, Value>), Ruling> {
    let names = &cx.settings.config.tools.slow;
    if names.is_empty() {
        return Err(Ruling::skip(
            "name a tool that takes its time (tools.slow) to try this",
        ));
    }
    let tool = cx
        .facts
        .items(List::Tools)
        .find(|tool| names.iter().any(|name| name == tool.name()))
        .ok_or_else(|| Ruling::skip("no tool that tools.slow names is listed"))?;
    let arguments = arguments::for_tool(cx, tool.value)
        .map_err(|why| Ruling::skip(format!("no arguments for {}: {why}", cut(tool.name(), 80))))?;
    Ok((tool, arguments))
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("cancel.listen-stops", "A cancelled listen brings nothing more")
        .stdio()
        .spec("stdio#cancellation")
        .why("News for a subscription that the client has ended find nobody, and each one costs both sides.")
        .fix("Forget the subscription when notifications/cancelled names its id; compare ids with their JSON type, and take 0 for an id.")
        .probes(&[&LISTENS])
        .judge(listen_stops),
    Check::must("cancel.slow-stops", "A cancelled call brings nothing more")
        .stdio()
        .opt_in()
        .spec("stdio#cancellation")
        .why("A call that goes on costs the server its work, and the client messages that it has to throw away.")
        .fix("Give each tool call a token for its cancellation, stop when it is set, and send neither progress nor response after that.")
        .probes(&[&SLOW])
        .judge(slow_stops),
];

fn listen_stops(cx: &Context) -> Ruling {
    if let Some(ruling) = undeclared(cx) {
        return ruling;
    }
    let (Some(listen), Some(cancel)) = (cx.record("subscribe/zero"), cx.record("subscribe/cancel"))
    else {
        return unopened(cx);
    };
    if acknowledgement(listen).is_none() || listen.exchange.channel != cancel.exchange.channel {
        return unopened(cx);
    }
    let sent = cancel.exchange.sent_ms;
    let id = json!(0);
    let mut findings: Vec<Finding> = Vec::new();
    for notice in notices(cx).filter(|notice| notice.channel == listen.exchange.channel) {
        let tagged = tag(notice.params()).is_some_and(|tag| same_id(&id, tag));
        let named = notice.params().and_then(|params| params.get("requestId"));
        let ends = notice.method() == "notifications/cancelled"
            && named.is_some_and(|named| same_id(&id, named));
        if notice.at_ms <= sent + CROSSING_MS || !(tagged || ends) {
            continue;
        }
        let message = format!(
            "{} came for a listen {} ms after it was cancelled",
            cut(notice.method(), 80),
            notice.at_ms - sent
        );
        // The two pages that speak of it disagree (F11).
        let finding = if ends {
            Finding::unproven(message)
        } else {
            Finding::broken(message)
        };
        findings.push(finding.about(notice.method()).seen_in(listen));
    }
    let late = results(listen).find(|at| *at > sent + CANCELLED_MS);
    if let Some(at) = late {
        let message = format!(
            "a result came for a listen {} ms after it was cancelled: the server went on with it",
            at - sent
        );
        findings.push(Finding::broken(message).seen_in(listen));
    }
    findings.truncate(1);
    Ruling::of(
        findings,
        "nothing more came for a listen that was cancelled",
    )
}

/// When responses came.
fn results(record: &Record) -> impl Iterator<Item = u64> {
    record.replies().filter_map(|(message, parsed)| {
        let response = parsed.envelope()?.kind() == Kind::Response;
        response.then_some(message.at_ms)
    })
}

fn slow_stops(cx: &Context) -> Ruling {
    if let Err(ruling) = slow_tool(cx) {
        return ruling;
    }
    let (Some(called), Some(cancel)) = (
        cx.record("cancel.slow/call"),
        cx.record("cancel.slow/cancel"),
    ) else {
        return Ruling::skip(match &cx.recording.cut_off {
            Some(why) => format!("not reached: {why}"),
            None => "the tool was not called".to_owned(),
        });
    };
    if called.exchange.end != verdict_model::transcript::End::Silent {
        return Ruling::skip("the process did not stay (transport.survives)");
    }
    let sent = cancel.exchange.sent_ms;
    let messages = called
        .replies()
        .filter_map(|(message, parsed)| Some((message.at_ms, parsed.envelope()?)));
    let late = messages
        .into_iter()
        .find(|(at, _)| *at > sent + STOPPING_MS);
    let Some((at, envelope)) = late else {
        return Ruling::met("the call was stopped, or over at once");
    };
    let what = envelope.method().unwrap_or("the response");
    Finding::unproven(format!(
        "{} of a call came {} ms after it was cancelled",
        cut(what, 80),
        at - sent
    ))
    .seen_in(called)
    .into()
}

#[cfg(test)]
mod tests {
    use crate::matrix::full_config;
    use crate::testing::{config, ruling, word};
    use verdict_fixture::{Server, Variant};

    #[test]
    fn what_is_cancelled_stops() {
        let full = || full_config(Variant::Full);
        let server = Server::with("cancel-ignored").expect("a defect");
        for (id, due) in [
            ("cancel.listen-stops", "broken"),
            ("cancel.slow-stops", "unproven"),
        ] {
            let sound = ruling(id, &Server::correct(), full(), true);
            assert!(sound.is_met(), "{id}: {sound:?}");
            let found = ruling(id, &server, full(), true);
            assert_eq!(word(&found), due, "{id}: {found:?}");
        }
        let plain = ruling("cancel.slow-stops", &server, config(), true);
        assert_eq!(word(&plain), "skip");
    }
}
