//! Leftovers of earlier revisions and drafts: capabilities, members and notifications that are gone.

use crate::check::Check;
use crate::context::Context;
use crate::record::Record;
use crate::ruling::{Finding, Ruling};
use crate::traffic::{Notice, distinct, notices};
use serde_json::Value;

/// The extension that took the place of the `tasks` capability.
const TASKS: &str = "io.modelcontextprotocol/tasks";

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("legacy.no-tasks-capability", "No tasks capability is declared beside the tasks extension")
        .spec("changelog#major-changes")
        .why("Clients of 2025-11-25 read the old capability as an offer of methods that are gone.")
        .fix("Drop capabilities.tasks and declare capabilities.extensions[\"io.modelcontextprotocol/tasks\"] instead.")
        .official(&["tasks-extension-advertised"])
        .judge(tasks_capability),
    Check::advisory("legacy.body-server-info", "serverInfo stands in _meta, not in the body of the discover result")
        .spec("discover#discoverresult")
        .why("Drafts had serverInfo in the body; clients of the final revision look into _meta only.")
        .fix("Move serverInfo to _meta[\"io.modelcontextprotocol/serverInfo\"].")
        .official(&["sep-2575-server-identifies-in-result-meta"])
        .judge(body_server_info),
    Check::must("legacy.removed-notifications", "The server sends no notification that was removed")
        .spec("changelog#major-changes")
        .why("Clients of this revision do not know these notifications: what they were to say is lost.")
        .fix("Stop sending elicitation/complete, roots/list_changed, tasks/status and initialized notifications to clients of this revision.")
        .judge(removed_notifications),
    Check::must("legacy.unlisted-change-notices", "The server sends no change notice that no listen asked for")
        .spec("subs#opening-a-stream")
        .why("Clients that did not subscribe have no use for change notices, and may take them for a protocol error.")
        .fix("Send list_changed and resources/updated notifications only on subscriptions/listen streams whose filter names them.")
        .judge(unlisted_change_notices),
];

fn discover<'c>(cx: &Context<'c>) -> Result<(&'c Record, &'c Value), Ruling> {
    let record = cx.record("era/discover");
    record
        .and_then(|record| Some((record, record.result()?)))
        .ok_or_else(|| Ruling::skip("no discover result"))
}

fn tasks_capability(cx: &Context) -> Ruling {
    let (record, result) = match discover(cx) {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    if result.pointer("/capabilities/tasks").is_none() {
        return Ruling::met("no tasks capability is declared");
    }
    let finding = if cx.facts.advertises(TASKS) {
        Finding::broken(
            "the tasks capability of 2025-11-25 is still declared beside the tasks extension",
        )
    } else {
        Finding::unproven(
            "the tasks capability of 2025-11-25 is declared, which has no meaning in this revision",
        )
    };
    finding
        .seen_in(record)
        .at("/result/capabilities/tasks")
        .into()
}

fn body_server_info(cx: &Context) -> Ruling {
    let (record, result) = match discover(cx) {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    if result.get("serverInfo").is_none() {
        return Ruling::met("the body holds no serverInfo");
    }
    Finding::noted("serverInfo stands in the body of the discover result, as drafts had it; clients look for it in _meta")
        .seen_in(record)
        .at("/result/serverInfo")
        .into()
}

const REMOVED: [&str; 4] = [
    "notifications/elicitation/complete",
    "notifications/roots/list_changed",
    "notifications/tasks/status",
    "notifications/initialized",
];

fn removed_notifications(cx: &Context) -> Ruling {
    let found = notices(cx)
        .filter(|notice| REMOVED.contains(&notice.method()))
        .map(|notice| {
            let message = format!(
                "the server sent {}, which this revision does not have",
                notice.method()
            );
            notice.found_in(Finding::broken(message))
        });
    Ruling::of(distinct(found), "no removed notification was sent")
}

/// The member of a listen's filter that asks for a change notice.
fn filter_of(method: &str) -> Option<&'static str> {
    match method {
        "notifications/tools/list_changed" => Some("toolsListChanged"),
        "notifications/prompts/list_changed" => Some("promptsListChanged"),
        "notifications/resources/list_changed" => Some("resourcesListChanged"),
        "notifications/resources/updated" => Some("resourceSubscriptions"),
        _ => None,
    }
}

fn unlisted_change_notices(cx: &Context) -> Ruling {
    let found = notices(cx).filter_map(|notice| {
        let filter = filter_of(notice.method())?;
        if asked_before(cx, &notice, filter) {
            return None;
        }
        let message = format!(
            "the server sent {} although no listen had asked for it",
            notice.method()
        );
        Some(notice.found_in(Finding::broken(message)))
    });
    Ruling::of(distinct(found), "every change notice had been asked for")
}

/// Whether some listen had asked for such notices: over HTTP that of the stream, on stdio one to the same
/// process.
///
/// Notices on the wrong stream, or after the end of the listen, are other rules' concern.
fn asked_before(cx: &Context, notice: &Notice, filter: &str) -> bool {
    if cx.is_http() {
        // What a listen did not ask for is told by subscribe.filter-honoured.
        return notice
            .record
            .is_some_and(|record| record.method() == Some("subscriptions/listen"));
    }
    cx.recording.modern().any(|record| {
        let listen = record.method() == Some("subscriptions/listen")
            && record.exchange.sent_ms <= notice.at_ms
            && record.exchange.channel == notice.channel;
        let wanted = record
            .request()
            .and_then(|request| request.params()?.get("notifications")?.get(filter));
        listen
            && match wanted {
                Some(Value::Array(uris)) => !uris.is_empty(),
                Some(wanted) => *wanted != Value::Bool(false),
                None => false,
            }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{config, ruling};
    use verdict_fixture::{Server, Variant};

    #[test]
    fn leftovers_are_found() {
        for (id, defect) in [
            (
                "legacy.no-tasks-capability",
                "tasks-capability-beside-extension",
            ),
            ("legacy.removed-notifications", "elicitation-complete"),
        ] {
            let server = Server::with(defect).expect("a defect");
            assert!(ruling(id, &server, config(), false).is_broken(), "{id}");
            assert!(
                ruling(id, &Server::correct(), config(), false).is_met(),
                "{id}"
            );
        }
        for (id, defect) in [
            ("legacy.no-tasks-capability", "tasks-capability"),
            ("legacy.body-server-info", "server-info-in-body"),
        ] {
            let server = Server::with(defect).expect("a defect");
            let ruling = ruling(id, &server, config(), true);
            assert!(
                matches!(ruling, Ruling::Found(_)) && !ruling.is_broken(),
                "{id}"
            );
        }
    }

    #[test]
    fn only_listens_call_for_change_notices() {
        let id = "legacy.unlisted-change-notices";
        for variant in [Variant::Full, Variant::DualEra] {
            assert!(ruling(id, &Server::of(variant), config(), true).is_met());
        }
        let server = Server::with("change-without-listen").expect("a defect");
        assert!(ruling(id, &server, config(), false).is_broken());
    }
}
