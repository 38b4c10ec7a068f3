//! A server cancels listens only.

use crate::check::Check;
use crate::context::Context;
use crate::record::Record;
use crate::ruling::{Finding, Ruling};
use crate::shape;
use crate::traffic::{Notice, distinct, notices};
use crate::wire::json::shortened;
use crate::wire::rpc::same_id;
use serde_json::Value;

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::must("cancel.server-cancelled-only-listen", "The server cancels no request but a listen")
    .spec("cancel")
    .why("Only clients cancel requests; a client that is told so drops a request which is still being worked on.")
    .fix("Answer requests that cannot be finished with an error, and send notifications/cancelled for listens only.")
    .judge(only_listens)];

const CHECK: &str = "cancel.server-cancelled-only-listen";

fn only_listens(cx: &Context) -> Ruling {
    let cancelled = notices(cx).filter(|notice| notice.method() == "notifications/cancelled");
    let found = cancelled.flat_map(|notice| judged(cx, &notice));
    Ruling::of(distinct(found), "the server cancelled nothing but listens")
}

fn judged(cx: &Context, notice: &Notice) -> Vec<Finding> {
    let violations = shape::notification(notice.method(), notice.params());
    let mut findings: Vec<Finding> = shape::owned_by(&violations, Some(CHECK))
        .map(|violation| {
            let place = violation.pointer.trim_start_matches('/').replace('/', ".");
            let message = format!(
                "{place} of a cancellation is {}; expected {}",
                violation.actual, violation.expected
            );
            notice
                .found_in(Finding::broken(message))
                .at(&violation.pointer)
        })
        .collect();
    let id = notice.params().and_then(|params| params.get("requestId"));
    if let Some(id) = id.filter(|_| findings.is_empty()) {
        findings.extend(misdirected(cx, notice, id));
    }
    findings
}

fn misdirected(cx: &Context, notice: &Notice, id: &Value) -> Option<Finding> {
    let bare = |value: &Value| value.to_string().trim_matches('"').to_owned();
    let listen = |record: &&Record| {
        record.method() == Some("subscriptions/listen")
            && record.exchange.sent_ms <= notice.at_ms
            && (cx.is_http() || record.exchange.channel == notice.channel)
    };
    let ids = || {
        let listens = cx.recording.modern().filter(listen);
        listens.filter_map(|record| record.request()?.id())
    };
    let shown = shortened(id, 80);
    let finding = if ids().any(|known| same_id(known, id)) {
        // The two pages that speak of it disagree (F11).
        cx.is_http().then(|| Finding::unproven(format!(
            "the server cancels listen {shown} with a notification; over HTTP the final result and the end of the stream say so"
        )))?
    } else if ids().any(|known| bare(known) == bare(id)) {
        Finding::unproven(format!(
            "the server cancels {shown}, which is the id of a listen in another JSON type"
        ))
    } else {
        Finding::broken(format!(
            "the server cancels {shown}, which is no listen of ours"
        ))
    };
    Some(notice.found_in(finding).at("/params/requestId"))
}

#[cfg(test)]
mod tests {
    use crate::testing::{config, ruling};
    use verdict_fixture::Server;

    #[test]
    fn only_listens_may_be_cancelled() {
        for stdio in [false, true] {
            assert!(ruling(super::CHECK, &Server::correct(), config(), stdio).is_met());
        }
        let server = Server::with("cancels-a-list").expect("a defect");
        assert!(ruling(super::CHECK, &server, config(), false).is_broken());
    }
}
