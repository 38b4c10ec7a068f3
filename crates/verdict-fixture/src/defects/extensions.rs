//! Faults of the tasks extension, and of falling back without it.

use super::bend::{bent, remove};
use super::{Defect, Transport, Variant};
use crate::message::{Fault, INVALID_PARAMS, MISSING_CAPABILITY, Request};
use crate::server::said;
use serde_json::json;

fn is_task_method(request: &Request) -> bool {
    matches!(
        request.method(),
        "tasks/get" | "tasks/update" | "tasks/cancel"
    )
}

const fn tasks(
    name: &'static str,
    about: &'static str,
    expect: &'static [(&'static str, &'static str)],
) -> Defect {
    Defect::new(name, about, expect).on(Variant::Tasks)
}

pub(super) const DEFECTS: &[Defect] = &[
    tasks(
        "core-needs-extension",
        "serves a prompt to clients with its extension only",
        &[
            ("ext.fallback", "fail"),
            ("prompts.get-shape", "warn"),
            ("prompts.*", "skip"),
            ("header.*", "skip"),
        ],
    )
    .serve(|_, request| {
        let is_get = request.is("prompts/get") && request.text("name") == Some("monthly_summary");
        (is_get && !request.has_tasks())
            .then(|| Err(Fault::new(-32603, 200, "cannot work without tasks")))
    }),
    tasks(
        "task-unasked",
        "answers with a task though the client knows none",
        &[
            ("ext.task-unnegotiated", "fail"),
            ("result.type-known", "fail"),
        ],
    )
    .serve(|server, request| {
        let is_call = request.text("name") == Some("reconcile");
        let is_quiet = request.meta("progressToken").is_none();
        (request.is("tools/call") && is_call && is_quiet && !request.has_tasks())
            .then(|| Ok(server.start_task(said("All five accounts agree.")).into()))
    }),
    tasks(
        "tasks-draft-code",
        "misses the extension with the code of a draft",
        &[("ext.tasks-gated", "fail"), ("errors.draft-codes", "fail")],
    )
    .fault(|request, fault| {
        if is_task_method(request) && fault.code == MISSING_CAPABILITY {
            fault.code = -32003;
        }
    }),
    tasks(
        "tasks-ungated",
        "looks for a task before it looks at the extension",
        &[("ext.tasks-gated", "warn")],
    )
    .fault(|request, fault| {
        if is_task_method(request) && fault.code == MISSING_CAPABILITY {
            fault.code = INVALID_PARAMS;
        }
    }),
    tasks(
        "tasks-open-to-all",
        "acknowledges to cancel a task without the extension",
        &[("ext.tasks-gated", "fail")],
    )
    .serve(|_, request| {
        (request.is("tasks/cancel") && !request.has_tasks()).then(|| Ok(json!({}).into()))
    }),
    tasks(
        "tasks-unknown-code",
        "calls an unknown task an internal error",
        &[("ext.tasks-unknown-id", "fail")],
    )
    .fault(|request, fault| {
        if request.is("tasks/get") && fault.message.starts_with("no such task") {
            fault.code = -32603;
        }
    }),
    tasks(
        "tasks-list-served",
        "still lists tasks",
        &[("ext.tasks-removed", "fail")],
    )
    .serve(|_, request| {
        request
            .is("tasks/list")
            .then(|| Ok(json!({ "tasks": [] }).into()))
    }),
    tasks(
        "task-name-ignored",
        "does not compare Mcp-Name with the body in tasks/get",
        &[("ext.tasks-name-header", "warn")],
    )
    .over(Transport::Http)
    .request(|request| {
        if request.is("tasks/get")
            && let Some(id) = request.text("taskId").map(str::to_owned)
        {
            request.head.set("mcp-name", &id);
        }
    }),
    tasks(
        "tasks-listen-ungated",
        "reports on tasks to a client without the extension",
        &[("ext.tasks-listen-gated", "fail")],
    )
    .request(|request| {
        let wants_tasks = request
            .param("notifications")
            .is_some_and(|asked| asked.get("taskIds").is_some());
        if wants_tasks && let Some(meta) = request.meta_mut() {
            meta[crate::message::META_CAPABILITIES]["extensions"][crate::message::TASKS] =
                json!({});
        }
    }),
    tasks(
        "task-old-names",
        "names the lifetime of a task as an earlier revision did",
        &[("ext.task-shape", "fail")],
    )
    .serve(|server, request| {
        if !request.is("tools/call") || !request.has_tasks() {
            return None;
        }
        Some(bent(server, request, |result| {
            if result["resultType"] == "task" {
                result["ttl"] = result["ttlMs"].clone();
                remove(result, "ttlMs");
            }
        }))
    }),
    tasks(
        "task-not-found",
        "announces a task that it does not know",
        &[("ext.task-shape", "fail")],
    )
    .result(|_, result| {
        if result["resultType"] == "task" {
            result["taskId"] = json!("task-of-nobody");
        }
    }),
];
