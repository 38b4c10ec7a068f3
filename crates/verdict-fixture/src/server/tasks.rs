//! The tasks extension: a slow call answered by a handle. Only some servers offer it.

use super::Server;
use super::subscriptions::Change;
use crate::message::{Fault, Outcome, Request, TASKS};
use serde_json::{Value, json};

/// Nobody reads clocks here, so every task is of the same time.
const MADE: &str = "2026-07-28T00:00:00Z";

/// One task: done after it was looked at twice.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    status: &'static str,
    looks: u32,
    outcome: Value,
}

impl Task {
    pub(crate) fn new(outcome: Value) -> Self {
        Self {
            status: "working",
            looks: 0,
            outcome,
        }
    }

    /// The flat members of a task.
    pub(crate) fn json(&self, id: &str) -> Value {
        let mut task = json!({
            "taskId": id, "status": self.status, "createdAt": MADE, "lastUpdatedAt": MADE,
            "ttlMs": 60_000, "pollIntervalMs": 50
        });
        if self.status == "completed" {
            let mut result = self.outcome.clone();
            result["resultType"] = json!("complete");
            task["result"] = result;
        }
        task
    }

    fn look(&mut self) {
        self.looks += 1;
        if self.looks >= 2 && self.status == "working" {
            self.status = "completed";
        }
    }

    fn cancel(&mut self) {
        if self.status == "working" {
            self.status = "cancelled";
        }
    }
}

/// The refusal of a client that did not declare the extension.
pub(crate) fn undeclared() -> Fault {
    Fault::capability(&json!({ "extensions": { TASKS: {} } }))
}

/// Answers tasks/get, tasks/update and tasks/cancel.
pub(crate) fn serve(server: &Server, request: &Request) -> Result<Outcome, Fault> {
    if !request.has_tasks() {
        return Err(undeclared());
    }
    let id = request
        .text("taskId")
        .ok_or_else(|| Fault::params("taskId is missing"))?;
    let was = server.task(id, |_| ());
    was.ok_or_else(|| Fault::params(format!("no such task: {id}")))?;
    let result = match request.method() {
        "tasks/get" => server.task(id, Task::look).unwrap_or_default(),
        "tasks/cancel" => {
            let task = server.task(id, Task::cancel).unwrap_or_default();
            server.publish(&Change::Task(id.to_owned(), task));
            json!({})
        }
        _ => json!({}),
    };
    Ok(result.into())
}
