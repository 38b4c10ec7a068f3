//! What comes on listens: tagged, asked for, and nothing that belongs to another request. Passive.

use super::listening::{
    LISTEN, LISTENS, TAG_PLACE, acknowledgement, asked, granted, is_set, tag, undeclared, unopened,
};
use crate::check::Check;
use crate::context::Context;
use crate::passive::nothing_seen;
use crate::record::Record;
use crate::ruling::{Finding, Ruling};
use crate::traffic::{LEGACY_LANE, Notice, distinct, notices};
use crate::wire::json::{cut, shortened};
use crate::wire::rpc::{Kind, same_id};
use serde_json::Value;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("subscribe.all-tagged", "Every notification of a listen names it")
        .spec("basic#meta")
        .why("On stdio all listens share one channel; without the id a client cannot tell whom to wake.")
        .fix("Put the id of the listen into io.modelcontextprotocol/subscriptionId in the _meta of every notification for it.")
        .official(&["sep-2575-server-tags-subscription-id"])
        .probes(&[&LISTENS])
        .judge(all_tagged),
    Check::must("subscribe.filter-honoured", "A listen brings only what it asked for")
        .spec("subs#opening-a-stream")
        .why("Clients ask again for each list that is said to have changed; news that nobody wanted cost them and the server.")
        .fix("Compare each notification with the filter of each listen, and with its URIs, before sending it.")
        .official(&["sep-2575-server-honors-notification-filter"])
        .probes(&[&LISTENS])
        .judge(filter_honoured),
    Check::must("subscribe.no-request-scoped", "No progress and no logs come on a listen")
        .spec("logging#per-request-log-level")
        .why("They belong to a request that is at work; on a listen no client looks for them.")
        .fix("Send progress and logs on the stream of the request that asked for them.")
        .probes(&[&LISTENS])
        .judge(no_request_scoped),
    Check::must("subscribe.result-shape", "The result that ends a listen names it in _meta")
        .spec("schema#SubscriptionsListenResult")
        .why("Clients tell by it which of their subscriptions ended in good order.")
        .fix("Put the id of the request into io.modelcontextprotocol/subscriptionId in the _meta of the result.")
        .official(&["wire-schema-valid"])
        .probes(&[&LISTENS])
        .judge(result_shape),
    Check::must("subscribe.id-only-on-listen", "Only what belongs to a listen carries a subscription id")
        .spec("schema#NotificationMetaObject")
        .why("Clients hand what carries the id to the subscription, and the request that waits for it goes without.")
        .fix("Leave io.modelcontextprotocol/subscriptionId out of progress and logs.")
        .judge(id_only_on_listen),
];

/// Whether a notification tells of a change.
fn is_change(method: &str) -> bool {
    kind_of(method).is_some()
}

/// The member of a filter that asks for a notification.
pub(crate) fn kind_of(method: &str) -> Option<&'static str> {
    match method {
        "notifications/tools/list_changed" => Some("toolsListChanged"),
        "notifications/prompts/list_changed" => Some("promptsListChanged"),
        "notifications/resources/list_changed" => Some("resourcesListChanged"),
        "notifications/resources/updated" => Some("resourceSubscriptions"),
        _ => None,
    }
}

fn is_request_scoped(method: &str) -> bool {
    matches!(method, "notifications/progress" | "notifications/message")
}

/// The listens of this run that had been sent over a channel (HTTP: over any) at this time.
fn listens<'c>(cx: &Context<'c>, notice: &Notice<'c>) -> impl Iterator<Item = &'c Record> {
    let (http, channel, at) = (cx.is_http(), notice.channel, notice.at_ms);
    cx.recording.modern().filter(move |record| {
        record.method() == Some(LISTEN)
            && record.exchange.sent_ms <= at
            && (http || record.exchange.channel == channel)
    })
}

fn id_of(record: &Record) -> Option<&Value> {
    record.request()?.id()
}

/// Whether a notification has a listen's id.
fn names(notice: &Notice, record: &Record) -> bool {
    matches!((id_of(record), tag(notice.params())), (Some(id), Some(got)) if same_id(id, got))
}

/// The listen that a notification came for: over HTTP that of its stream, on stdio the one it names.
pub(crate) fn listen_of<'c>(cx: &Context<'c>, notice: &Notice<'c>) -> Option<&'c Record> {
    if cx.is_http() {
        return notice
            .record
            .filter(|record| record.method() == Some(LISTEN));
    }
    listens(cx, notice).find(|record| names(notice, record))
}

/// Whether a notification came over the process in which an earlier revision was spoken.
fn is_legacy(cx: &Context, notice: &Notice) -> bool {
    let log = notice
        .channel
        .and_then(|number| cx.recording.channels.get(number as usize));
    log.is_some_and(|log| log.lane == LEGACY_LANE)
}

/// What a rule says when no listen was open; none when one was.
fn no_listen(cx: &Context) -> Option<Ruling> {
    let open = cx
        .recording
        .modern()
        .any(|record| record.method() == Some(LISTEN) && acknowledgement(record).is_some());
    if open {
        return None;
    }
    Some(undeclared(cx).unwrap_or_else(|| unopened(cx)))
}

fn all_tagged(cx: &Context) -> Ruling {
    if let Some(ruling) = no_listen(cx) {
        return ruling;
    }
    let mut seen = 0;
    let mut findings = Vec::new();
    for notice in notices(cx).filter(|notice| !is_legacy(cx, notice)) {
        let method = notice.method();
        // Judged by subscribe.ack-id, subscribe.no-request-scoped and cancel.server-cancelled-only-listen.
        let others = method == "notifications/subscriptions/acknowledged"
            || method == "notifications/cancelled"
            || is_request_scoped(method);
        let expected = if cx.is_http() {
            listen_of(cx, &notice).and_then(id_of)
        } else {
            // Only change notices can be told from what belongs to other requests.
            let open = is_change(method) && listens(cx, &notice).next().is_some();
            listen_of(cx, &notice)
                .or_else(|| listens(cx, &notice).next().filter(|_| open))
                .and_then(id_of)
        };
        let Some(expected) = expected.filter(|_| !others) else {
            continue;
        };
        seen += 1;
        let message = match tag(notice.params()) {
            None => format!(
                "{} comes for a listen without its subscriptionId",
                cut(method, 80)
            ),
            Some(got) if !same_id(expected, got) => format!(
                "{} comes with subscriptionId {}, which is the id of {}",
                cut(method, 80),
                shortened(got, 80),
                if cx.is_http() {
                    "another listen or of none"
                } else {
                    "no listen of ours"
                }
            ),
            Some(_) => continue,
        };
        findings.push(notice.found_in(Finding::broken(message)).at(TAG_PLACE));
    }
    if seen == 0 {
        return Ruling::met("no change was told while we listened");
    }
    Ruling::of(
        distinct(findings),
        format!("{seen} notifications name their listen"),
    )
}

fn filter_honoured(cx: &Context) -> Ruling {
    if let Some(ruling) = no_listen(cx) {
        return ruling;
    }
    let mut seen = 0;
    let mut findings = Vec::new();
    for notice in notices(cx) {
        let (Some(kind), Some(listen)) = (kind_of(notice.method()), listen_of(cx, &notice)) else {
            continue;
        };
        seen += 1;
        let wanted = asked(listen)
            .and_then(|asked| asked.get(kind))
            .filter(|wanted| is_set(wanted));
        if kind != "resourceSubscriptions" {
            if wanted.is_none() {
                let message = format!(
                    "{} comes on a listen that did not ask for {kind}",
                    notice.method()
                );
                findings.push(notice.found_in(Finding::broken(message)));
            }
            continue;
        }
        let uri = notice
            .params()
            .and_then(|params| params.get("uri")?.as_str());
        let also = acknowledgement(listen)
            .and_then(granted)
            .and_then(|granted| granted.get(kind));
        let mut known = wanted
            .into_iter()
            .chain(also)
            .filter_map(Value::as_array)
            .flatten();
        // Without a URI there is nothing to compare; result.schema-valid tells of that.
        let Some(uri) = uri else { continue };
        if !known.any(|known| known.as_str().is_some_and(|known| uri.starts_with(known))) {
            let message = format!(
                "an update of {} comes on a listen that did not ask for it",
                cut(uri, 120)
            );
            findings.push(notice.found_in(Finding::broken(message)).at("/params/uri"));
        }
    }
    let met = match seen {
        0 => "nothing was told that was not asked for; nothing changed".to_owned(),
        _ => format!("{seen} notifications were asked for"),
    };
    Ruling::of(distinct(findings), met)
}

fn no_request_scoped(cx: &Context) -> Ruling {
    if let Some(ruling) = no_listen(cx) {
        return ruling;
    }
    let found = notices(cx)
        .filter(|notice| is_request_scoped(notice.method()))
        .filter_map(|notice| {
            let listen = listen_of(cx, &notice)?;
            let message = format!("{} comes on a listen", notice.method());
            Some(
                Finding::broken(message)
                    .about(notice.method())
                    .seen_in(listen),
            )
        });
    Ruling::of(distinct(found), "listens bring changes alone")
}

fn result_shape(cx: &Context) -> Ruling {
    let (mut seen, mut findings) = (0, Vec::new());
    for record in cx
        .recording
        .conforming()
        .filter(|record| record.method() == Some(LISTEN))
    {
        let messages = record.replies().filter_map(|(_, parsed)| parsed.envelope());
        for envelope in messages.filter(|envelope| envelope.kind() == Kind::Response) {
            let (Some(result), Some(id)) = (&envelope.result, envelope.id()) else {
                continue;
            };
            seen += 1;
            let got = result
                .get("_meta")
                .and_then(|meta| meta.get(super::listening::TAG));
            let message = match got {
                Some(got) if same_id(id, got) => continue,
                Some(_) => "the result of a listen has another subscriptionId than its own id",
                None => "the result of a listen has no subscriptionId in _meta",
            };
            findings.push(Finding::broken(message).seen_in(record).at("/result/_meta"));
        }
    }
    if seen == 0 {
        return undeclared(cx).unwrap_or_else(|| nothing_seen(cx, "result of a listen"));
    }
    Ruling::of(
        distinct(findings),
        format!("{seen} results name their listen"),
    )
}

fn id_only_on_listen(cx: &Context) -> Ruling {
    let found = notices(cx)
        .filter(|notice| is_request_scoped(notice.method()))
        .filter_map(|notice| {
            let got = tag(notice.params())?;
            let elsewhere = notice
                .record
                .is_some_and(|record| record.method() != Some(LISTEN));
            let open = listens(cx, &notice).any(|record| {
                names(&notice, record) && (!cx.is_http() || is_open(record, &notice))
            });
            let message = format!(
                "{} carries the subscriptionId {}",
                notice.method(),
                shortened(got, 80)
            );
            let finding = if elsewhere && open {
                Finding::broken(format!(
                    "{message}, the id of an open listen, on the stream of a request"
                ))
            } else {
                Finding::unproven(message)
            };
            Some(notice.found_in(finding).at(TAG_PLACE))
        });
    let found: Vec<Finding> = found.collect();
    // The same slip with many ids is one slip.
    let worst = found.into_iter().max_by_key(|finding| finding.weight);
    Ruling::of(
        worst.into_iter().collect(),
        "progress and logs carry no subscription id",
    )
}

/// Whether a listen was open when a notification came.
fn is_open(record: &Record, notice: &Notice) -> bool {
    let ended = record.exchange.ended_ms;
    ended == 0 || notice.at_ms <= ended
}

#[cfg(test)]
mod tests {
    use crate::matrix::full_config;
    use crate::testing::{ruling, word};
    use verdict_fixture::{Server, Variant};

    #[test]
    fn what_comes_on_listens_is_looked_at() {
        let cases = [
            ("subscribe.all-tagged", "notice-untagged", "broken"),
            ("subscribe.filter-honoured", "filter-ignored", "broken"),
            (
                "subscribe.no-request-scoped",
                "progress-on-listen",
                "broken",
            ),
            (
                "subscribe.id-only-on-listen",
                "progress-with-subscription",
                "unproven",
            ),
        ];
        for stdio in [false, true] {
            let ruled = |id: &str, server: &Server| {
                word(&ruling(id, server, full_config(Variant::Full), stdio))
            };
            for (id, defect, due) in cases {
                assert_eq!(ruled(id, &Server::correct()), "met", "{id}, stdio: {stdio}");
                let server = Server::with(defect).expect("a defect");
                assert_eq!(ruled(id, &server), due, "{id}, {defect}, stdio: {stdio}");
            }
        }
        let logs = [("log-on-listen", false), ("log-on-listen-line", true)];
        for (defect, stdio) in logs {
            let server = Server::with(defect).expect("a defect");
            let config = full_config(Variant::Full);
            assert!(ruling("subscribe.no-request-scoped", &server, config, stdio).is_broken());
        }
        let ruled = |server: &Server| {
            let config = full_config(Variant::Full);
            word(&ruling("subscribe.result-shape", server, config, true))
        };
        assert_eq!(ruled(&Server::correct()), "met");
        assert_eq!(
            ruled(&Server::with("closing-untagged").expect("a defect")),
            "broken"
        );
    }
}
