//! A call that becomes a task says so in the extension's own form, and the task is there at once.

use super::tasks::TASKS;
use crate::arguments::for_tool;
use crate::ask::{Ask, META_CAPABILITIES, Probe, Stage};
use crate::calling;
use crate::check::Check;
use crate::conformance::progress::called::named;
use crate::conformance::tools::calls::{apart, callable};
use crate::context::Context;
use crate::facts::Item;
use crate::passive::{Seen, results};
use crate::record::{Answer, Record};
use crate::refusal::{answered, name_of};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::{cut, shortened};
use serde_json::{Value, json};

/// Calls tools with the extension declared, looks for the tasks that they become, and cancels them.
pub(crate) const CALL: Probe = Probe {
    name: "ext.task-call",
    stage: Stage::Main,
    next: call,
};

/// Tools that are called.
const MOST: usize = 3;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("ext.task-shape", "A call that becomes a task says all about it, and the task can be asked for at once")
        .opt_in()
        .spec("versioning#extension-negotiation")
        .why("A client that cannot read the task, or asks for it too early, loses the outcome of the work.")
        .fix("Send taskId, status, createdAt, lastUpdatedAt and ttlMs flat in the result, and store the task before you answer.")
        .official(&["sep-2663-result-type-task-on-create", "tasks-wire-field-renames", "sep-2663-durable-create-strong-consistency"])
        .probes(&[&CALL])
        .judge(shape),
];

/// The tools that are called: slow ones first, since they are the likeliest to become tasks.
fn tools<'c>(cx: &Context<'c>) -> Vec<Item<'c>> {
    let mut tools: Vec<Item> = Vec::new();
    for tool in named(cx).into_iter().chain(callable(cx)) {
        if !tools.iter().any(|known| known.name() == tool.name()) {
            tools.push(tool);
        }
    }
    tools.truncate(MOST);
    tools
}

fn call(cx: &Context, round: usize) -> Vec<Ask> {
    if !cx.facts.advertises(TASKS) {
        return vec![];
    }
    let declaring = |ask: Ask| ask.meta(META_CAPABILITIES, json!({ "extensions": { TASKS: {} } }));
    let of = |number: usize, kind: &str, method: &str| {
        let id = made(cx, number)?.get("taskId")?.as_str()?;
        let ask = Ask::request(format!("{kind}/{number}"), method, json!({ "taskId": id }));
        Some(apart(cx, declaring(ask)).once())
    };
    match round {
        0 => (1..)
            .zip(tools(cx))
            .filter_map(|(number, tool): (usize, _)| {
                let arguments = for_tool(cx, tool.value).ok()?;
                let ask = calling::call(format!("call/{number}"), tool.value, &arguments);
                Some(apart(cx, declaring(ask)).once())
            })
            .collect(),
        1 => (1..=MOST)
            .filter_map(|number| of(number, "get", "tasks/get"))
            .collect(),
        2 => (1..=MOST)
            .filter(|number| unfinished(cx, *number))
            .filter_map(|number| of(number, "cancel", "tasks/cancel"))
            .collect(),
        _ => vec![],
    }
}

/// The task that a call became.
fn made<'c>(cx: &Context<'c>, number: usize) -> Option<&'c Value> {
    let result = cx
        .record(&format!("{}/call/{number}", CALL.name))?
        .result()?;
    (result.get("resultType")? == "task").then_some(result)
}

fn unfinished(cx: &Context, number: usize) -> bool {
    let record = cx.record(&format!("{}/get/{number}", CALL.name));
    let status = record.and_then(|record| record.result()?.get("status")?.as_str());
    matches!(status, Some("working" | "input_required"))
}

fn shape(cx: &Context) -> Ruling {
    if !cx.facts.advertises(TASKS) {
        return Ruling::not_applicable("the server does not offer the tasks extension");
    }
    if tools(cx).is_empty() {
        return Ruling::skip(
            "name a tool that takes its time (tools.slow) or is safe to call (tools.safe) to try this",
        );
    }
    let mut findings = Vec::new();
    let mut count = 0;
    let mut untried = None;
    for number in 1..=tools(cx).len() {
        let name = format!("{}/call/{number}", CALL.name);
        let record = match answered(cx, &name) {
            Ok(record) => record,
            Err(ruling) => {
                untried = Some(ruling);
                continue;
            }
        };
        let mut seen = results(cx).filter(|seen| std::ptr::eq(seen.record, record));
        let Some(seen) = seen.find(|seen| seen.kind() == Some("task")) else {
            continue;
        };
        count += 1;
        findings.extend(misshapen(&seen));
        let get = cx.record(&format!("{}/get/{number}", CALL.name));
        findings.extend(get.and_then(lost).map(|one| one.about(seen.subject())));
    }
    match untried {
        Some(ruling) if count == 0 => ruling,
        _ if count == 0 => Ruling::not_applicable("no call became a task"),
        _ => Ruling::of(findings, format!("{count} calls became tasks")),
    }
}

const STATUSES: [&str; 5] = [
    "working",
    "input_required",
    "completed",
    "failed",
    "cancelled",
];

/// Whether a value may stand in a place.
type Fits = fn(&Value) -> bool;

/// What is wrong with the result that announces a task.
fn misshapen(seen: &Seen) -> Vec<Finding> {
    let result = seen.result;
    let mut findings = Vec::new();
    let is_text = |value: &Value| value.is_string();
    let is_status = |value: &Value| value.as_str().is_some_and(|text| STATUSES.contains(&text));
    let is_span = |value: &Value| value.is_null() || value.as_f64().is_some_and(|ms| ms >= 0.0);
    let members: [(&str, &str, Fits); 5] = [
        ("taskId", "a string", is_text),
        ("status", "the name of a status", is_status),
        ("createdAt", "a date as a string", is_text),
        ("lastUpdatedAt", "a date as a string", is_text),
        ("ttlMs", "milliseconds or null", is_span),
    ];
    for (member, expected, fits) in members {
        let value = result.get(member);
        if value.is_some_and(fits) {
            continue;
        }
        let actual = value.map_or("missing".to_owned(), |value| shortened(value, 80));
        let message = format!("{member} of the task is {actual}; expected {expected}");
        findings.push(seen.found(Finding::broken(message), &format!("/{member}")));
    }
    for (member, now) in [
        ("ttl", "ttlMs"),
        ("pollInterval", "pollIntervalMs"),
        ("task", "flat members"),
    ] {
        if result.get(member).is_some() {
            let message = format!(
                "the result has `{member}` of an earlier revision; the extension has {now} instead"
            );
            findings.push(seen.found(Finding::unproven(message), &format!("/{member}")));
        }
    }
    findings
}

/// A task that was announced and is not there.
fn lost(record: &Record) -> Option<Finding> {
    let Answer::Error(code) = record.answer() else {
        return None;
    };
    let code = code.map_or("an error".to_owned(), |code| {
        format!("{code}{}", name_of(code))
    });
    let id = record
        .request()
        .and_then(|request| request.params()?.get("taskId")?.as_str());
    let message = format!(
        "tasks/get for the task {} that was just announced is refused with {code}; expected the task",
        cut(id.unwrap_or_default(), 80)
    );
    Some(Finding::broken(message).seen_in(record).at("/error"))
}

#[cfg(test)]
mod tests {
    use crate::testing::shows;

    #[test]
    fn odd_tasks_are_found() {
        shows(&[
            ("task-old-names", "ext.task-shape", "fail"),
            ("task-not-found", "ext.task-shape", "fail"),
        ]);
    }
}
