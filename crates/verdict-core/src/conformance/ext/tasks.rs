//! The tasks extension serves those who declare it, knows its tasks, and has dropped what it dropped.
//!
//! The one way to see -32021 without calling a tool.

use crate::ask::{Ask, Lane, META_CAPABILITIES, Patience, Probe, Stage};
use crate::check::Check;
use crate::conformance::subscribe::listening::{acknowledgement, granted, is_set};
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::refusal::{answered, draft_note, name_of, served};
use crate::ruling::{Finding, Ruling};
use serde_json::{Value, json};

/// The identifier of the extension.
pub const TASKS: &str = "io.modelcontextprotocol/tasks";

/// Asks for a task that is not there, without the extension and with it, and for what was removed.
pub const UNKNOWN: Probe = Probe {
    name: "ext.tasks",
    stage: Stage::Main,
    next: unknown,
};

const METHODS: [(&str, &str); 3] = [
    ("get", "tasks/get"),
    ("update", "tasks/update"),
    ("cancel", "tasks/cancel"),
];
const REMOVED: [(&str, &str); 2] = [("result", "tasks/result"), ("list", "tasks/list")];

fn unknown(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || !cx.facts.advertises(TASKS) {
        return vec![];
    }
    let id = cx.absent("task");
    let ask = |step: String, method: &str| {
        let params = match method {
            "tasks/list" => json!({}),
            "tasks/update" => json!({"taskId": id, "inputResponses": {}}),
            _ => json!({"taskId": id}),
        };
        Ask::request(step, method, params).faulty()
    };
    let declared = json!({"extensions": {TASKS: {}}});
    let bare = METHODS
        .iter()
        .map(|(step, method)| ask(format!("bare-{step}"), method));
    let able = METHODS.iter().chain(&REMOVED).map(|(step, method)| {
        ask((*step).to_owned(), method).meta(META_CAPABILITIES, declared.clone())
    });
    bare.chain(able).collect()
}

/// Listens for a task without the extension.
pub const LISTENS: Probe = Probe {
    name: "ext.tasks-listen",
    stage: Stage::Main,
    next: |cx, round| {
        if round > 0 || !cx.facts.advertises(TASKS) {
            return vec![];
        }
        let filter = json!({"notifications": {"taskIds": [cx.absent("task")]}});
        let ask = Ask::request("bare", "subscriptions/listen", filter).faulty();
        vec![
            ask.over(Lane::Fresh)
                .patience(Patience::Glimpse(2_000))
                .once(),
        ]
    },
};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("ext.tasks-gated", "Task methods are refused to clients that do not declare the extension")
        .headline(6)
        .spec("versioning#extension-negotiation")
        .why("A client that never agreed to tasks learns from -32021 what it would have to declare.")
        .fix("Answer tasks/get, tasks/update and tasks/cancel without the extension with -32021, HTTP 400 and data.requiredCapabilities.extensions[\"io.modelcontextprotocol/tasks\"].")
        .official(&["sep-2663-tasks-methods-non-declaring"])
        .probes(&[&UNKNOWN])
        .judge(gated),
    Check::must("ext.tasks-listen-gated", "Task subscriptions need the tasks extension to be declared")
        .spec("SEP-2663 Task Status Notifications")
        .why("A client without the extension gets notifications that it cannot read.")
        .fix("Refuse subscriptions/listen with taskIds with -32021 where the request does not declare the extension.")
        .official(&["tasks-status-notifications"])
        .probes(&[&LISTENS])
        .judge(listen_gated),
    Check::must("ext.tasks-unknown-id", "An unknown task is refused with -32602")
        .spec("versioning#extension-negotiation")
        .why("A client polls on for a task that does not exist, or takes the server for broken.")
        .fix("Answer task methods for an id that you do not know with -32602 (invalid params).")
        .official(&["sep-2663-tasks-get-invalid-task-id-32602"])
        .probes(&[&UNKNOWN])
        .judge(unknown_id),
    Check::must("ext.tasks-removed", "tasks/result and tasks/list are refused as unknown")
        .spec("versioning#extension-negotiation")
        .why("Clients of 2025-11-25 waited in tasks/result; the extension has results in tasks/get, and lists show other people's tasks.")
        .fix("Drop tasks/result and tasks/list: answer them with -32601 (method not found).")
        .official(&["sep-2663-tasks-result-removed-method-not-found", "tasks-removed-tasks-list"])
        .probes(&[&UNKNOWN])
        .judge(removed),
];

fn offered(cx: &Context) -> Result<(), Ruling> {
    if !cx.facts.advertises(TASKS) {
        return Err(Ruling::not_applicable(
            "the server does not offer the tasks extension",
        ));
    }
    served(cx, "era/discover").map(|_| ())
}

/// Judges several exchanges; one that could not be judged counts only where none is broken.
fn each<'a>(
    cx: &Context,
    steps: impl IntoIterator<Item = (String, &'a str)>,
    met: &str,
    judge: impl Fn(&Record, &str) -> Option<Finding>,
) -> Ruling {
    if let Err(ruling) = offered(cx) {
        return ruling;
    }
    let mut findings = Vec::new();
    let mut untried = None;
    for (name, method) in steps {
        match answered(cx, &name) {
            Ok(record) => {
                findings.extend(judge(record, method).map(|finding| finding.seen_in(record)));
            }
            Err(ruling) => untried = Some(ruling),
        }
    }
    match untried {
        Some(ruling) if findings.is_empty() => ruling,
        _ => Ruling::of(findings, met),
    }
}

/// What was answered instead, in words that fit after "it was".
fn instead(record: &Record) -> String {
    match record.answer() {
        Answer::Error(Some(code)) => format!("refused with {code}{}", draft_note(code)),
        Answer::Error(None) => "refused with an error without an integer code".to_owned(),
        Answer::Result(_) => "served".to_owned(),
        _ => match record.status() {
            Some(status) => format!("answered with HTTP {status} and no JSON-RPC error"),
            None => "answered without a JSON-RPC error".to_owned(),
        },
    }
}

fn gated(cx: &Context) -> Ruling {
    let steps = METHODS
        .iter()
        .map(|(step, method)| (format!("ext.tasks/bare-{step}"), *method));
    each(cx, steps, "refused with -32021", |record, method| {
        let due = format!(
            "{method} without the tasks extension must be refused with -32021{}",
            name_of(-32021)
        );
        match record.answer() {
            Answer::Error(Some(-32021)) => unnamed(record, method),
            // The unknown id is a second fault, and no order is stated.
            Answer::Error(Some(-32602)) => Some(Finding::unproven(format!(
                "{due}; it was refused with -32602, which may be for the unknown id"
            ))),
            _ => Some(Finding::broken(format!(
                "{due}; it was {}",
                instead(record)
            ))),
        }
    })
}

/// Whether -32021 names something else than the extension; its shape is another rule's.
fn unnamed(record: &Record, method: &str) -> Option<Finding> {
    let required = record
        .response()?
        .error()?
        .pointer("/data/requiredCapabilities")?
        .as_object()
        .filter(|members| !members.is_empty())?;
    let named = required
        .get("extensions")
        .and_then(|all| all.get(TASKS))
        .is_some();
    (!named).then(|| {
        Finding::broken(format!(
            "{method} is refused with -32021, but data.requiredCapabilities.extensions does not name {TASKS}"
        ))
        .at("/error/data/requiredCapabilities")
    })
}

fn listen_gated(cx: &Context) -> Ruling {
    if let Err(ruling) = offered(cx) {
        return ruling;
    }
    let due = "a listen with taskIds without the tasks extension must be refused with -32021";
    let record = match cx.record("ext.tasks-listen/bare") {
        Some(record) if acknowledgement(record).is_some() => record,
        _ => match answered(cx, "ext.tasks-listen/bare") {
            Ok(record) => record,
            Err(ruling) => return ruling,
        },
    };
    let tasks = acknowledgement(record).map(|envelope| {
        granted(envelope)
            .and_then(|filter| filter.get("taskIds"))
            .is_some_and(is_set)
    });
    let finding = match (tasks, record.answer()) {
        (Some(true), _) => Finding::broken(format!("{due}; it was acknowledged with them")),
        (Some(false), _) => Finding::unproven(format!("{due}; it was acknowledged without them")),
        (None, Answer::Error(Some(-32021))) => return Ruling::met("refused with -32021"),
        (None, _) => Finding::unproven(format!("{due}; it was {}", instead(record))),
    };
    finding.seen_in(record).into()
}

fn unknown_id(cx: &Context) -> Ruling {
    let steps = METHODS
        .iter()
        .map(|(step, method)| (format!("ext.tasks/{step}"), *method));
    each(cx, steps, "refused with -32602", |record, method| {
        if matches!(record.answer(), Answer::Error(Some(-32602))) {
            return None;
        }
        let message = format!(
            "{method} for a task that does not exist is {}; expected -32602 (invalid params)",
            instead(record)
        );
        // Acknowledging may come before looking.
        Some(if method == "tasks/get" {
            Finding::broken(message)
        } else {
            Finding::unproven(message)
        })
    })
}

fn removed(cx: &Context) -> Ruling {
    let steps = REMOVED
        .iter()
        .map(|(step, method)| (format!("ext.tasks/{step}"), *method));
    each(cx, steps, "refused with -32601", |record, method| {
        let message = format!(
            "{method} is {}; the extension does not have it: expected -32601 (method not found)",
            instead(record)
        );
        match record.answer() {
            Answer::Error(Some(-32601)) => None,
            Answer::Result(_) => Some(Finding::broken(message)),
            _ if method == "tasks/list" => Some(Finding::unproven(message)),
            _ => Some(Finding::broken(message)),
        }
    })
}

/// The settings under which a client declares all extensions that the server advertises.
pub fn all_extensions(cx: &Context) -> Option<Value> {
    let advertised = cx.facts.capabilities()?.get("extensions")?.as_object()?;
    if advertised.is_empty() {
        return None;
    }
    let settings: serde_json::Map<String, Value> = advertised
        .keys()
        .map(|name| (name.clone(), json!({})))
        .collect();
    Some(json!({"extensions": settings}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{config, ruling};
    use verdict_fixture::{Server, Variant};

    #[test]
    fn a_correct_extension_passes() {
        for check in CHECKS {
            for stdio in [false, true] {
                let with = ruling(check.rule.id, &Server::of(Variant::Tasks), config(), stdio);
                assert!(with.is_met(), "{}: {with:?}", check.rule.id);
                let without = ruling(check.rule.id, &Server::correct(), config(), stdio);
                assert!(matches!(without, Ruling::NotApplicable(_)));
            }
        }
    }

    #[test]
    fn slips_are_weighed() {
        for (id, defect, broken) in [
            ("ext.tasks-gated", "tasks-draft-code", true),
            ("ext.tasks-gated", "tasks-ungated", false),
            ("ext.tasks-listen-gated", "tasks-listen-ungated", true),
            ("ext.tasks-gated", "tasks-open-to-all", true),
            ("ext.tasks-unknown-id", "tasks-unknown-code", true),
            ("ext.tasks-removed", "tasks-list-served", true),
        ] {
            let server = Server::with(defect).expect("a defect");
            let found = ruling(id, &server, config(), false);
            assert!(matches!(found, Ruling::Found(_)), "{defect}: {found:?}");
            assert_eq!(found.is_broken(), broken, "{defect}: {found:?}");
        }
    }
}
