//! Tasks, details of sampling, authorization.

use super::{BASE, Languages, Pattern, Severity, Trigger};
use crate::judge::{self, http, tasks};
use Trigger::{Call, Key, Name, Text};

const SPEC: &str = "changelog#major-changes";

pub(super) static TABLE: [Pattern; 10] = [
    Pattern {
        id: "scan.tasks-list",
        finds: "the list of tasks",
        old: "tasks/list",
        new: "removed: the tasks extension has no list",
        spec: SPEC,
        triggers: &[
            Text("tasks/list"),
            Name("ListTasksRequest"),
            Name("ListTasksRequestSchema"),
            Call("listTasks"),
        ],
        judge: judge::method,
        ..BASE
    },
    Pattern {
        id: "scan.tasks-result",
        finds: "the request that waits for a task's result",
        old: "tasks/result",
        new: "poll `tasks/get`: the result stands in it",
        spec: SPEC,
        triggers: &[
            Text("tasks/result"),
            Name("GetTaskPayloadRequest"),
            Name("GetTaskPayloadRequestSchema"),
            Call("getTaskResult"),
            Call("get_task_result"),
        ],
        judge: judge::method,
        ..BASE
    },
    Pattern {
        id: "scan.tasks-core",
        finds: "tasks without their extension",
        old: "tasks/get and tasks/cancel of the core",
        new: "the extension `io.modelcontextprotocol/tasks`, with `Mcp-Name: <taskId>`",
        severity: Severity::Warning,
        spec: SPEC,
        triggers: &[Text("tasks/get"), Text("tasks/cancel")],
        judge: tasks::core_method,
        ..BASE
    },
    Pattern {
        id: "scan.tasks-capability",
        finds: "tasks as the core negotiated them",
        old: "`capabilities.tasks`, `execution.taskSupport`, `task` in a call",
        new: "the extension on both sides; the server decides",
        spec: SPEC,
        triggers: &[
            Key("taskSupport"),
            Key("task_support"),
            Name("tasks"),
            Text("tasks"),
            Name("task"),
            Text("task"),
        ],
        judge: tasks::capability,
        ..BASE
    },
    Pattern {
        id: "scan.task-fields",
        finds: "a task's members by their older names",
        old: "ttl, pollInterval, related-task",
        new: "`ttlMs`, `pollIntervalMs`; the task stands flat in its result",
        spec: SPEC,
        triggers: &[
            Key("ttl"),
            Key("pollInterval"),
            Key("poll_interval"),
            Text("io.modelcontextprotocol/related-task"),
        ],
        judge: tasks::fields,
        ..BASE
    },
    Pattern {
        id: "scan.task-status",
        finds: "the notice of a task's status",
        old: "notifications/tasks/status",
        new: "`notifications/tasks` on a listen with `taskIds`",
        spec: SPEC,
        triggers: &[
            Text("notifications/tasks/status"),
            Name("TaskStatusNotification"),
            Name("TaskStatusNotificationSchema"),
        ],
        judge: judge::method,
        ..BASE
    },
    Pattern {
        id: "scan.include-context",
        finds: "sampling with a server's context",
        old: "includeContext: \"thisServer\" or \"allServers\"",
        new: "leave it out, or \"none\"",
        severity: Severity::Warning,
        spec: "client/sampling#context-inclusion",
        triggers: &[
            Key("includeContext"),
            Key("include_context"),
            Text("includeContext"),
        ],
        judge: tasks::include_context,
        ..BASE
    },
    Pattern {
        id: "scan.deprecated-capability",
        finds: "a deprecated capability",
        old: "sampling, roots, logging",
        new: "they work until 2027-07-28 at least: model APIs, arguments, stderr",
        severity: Severity::Info,
        spec: "deprecated",
        languages: Languages::Code,
        triggers: &[
            Key("sampling"),
            Key("roots"),
            Key("logging"),
            Call("enable_sampling"),
            Call("enable_roots"),
            Call("enable_logging"),
        ],
        judge: tasks::deprecated,
        ..BASE
    },
    Pattern {
        id: "scan.client-registration",
        finds: "dynamic client registration as the only way",
        old: "RFC 7591 alone",
        new: "client id metadata documents; `application_type` where clients do register",
        severity: Severity::Warning,
        spec: "basic/authorization/client-registration#client-id-metadata-documents",
        languages: Languages::Code,
        triggers: &[
            Call("registerClient"),
            Call("register_client"),
            Name("registration_endpoint"),
        ],
        judge: http::registration,
        once: true,
        ..BASE
    },
    Pattern {
        id: "scan.issuer",
        finds: "a code traded for a token without a look at `iss`",
        old: "any answer of an authorization server is taken",
        new: "compare `iss`, and keep credentials by issuer",
        severity: Severity::Warning,
        spec: "basic/authorization#authorization-response-validation",
        languages: Languages::Code,
        triggers: &[Text("authorization_code")],
        judge: http::issuer,
        once: true,
        ..BASE
    },
];
