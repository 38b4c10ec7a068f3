//! `Mcp-Name` of the tasks extension: says which task, as the body does.

use super::tasks::TASKS;
use crate::ask::{Ask, META_CAPABILITIES, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::record::Answer;
use crate::refusal::{Refusal, answered};
use crate::ruling::{Finding, Ruling, Weight};
use serde_json::json;

const PROBE: &str = "ext.name/other";

/// Asks for a task that does not exist, with another one in `Mcp-Name`.
pub const NAME: Probe = Probe {
    name: "ext.name",
    stage: Stage::Main,
    next: name,
};

fn name(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || !cx.is_http() || !cx.facts.advertises(TASKS) {
        return vec![];
    }
    let params = json!({ "taskId": cx.absent("task") });
    vec![
        Ask::request("other", "tasks/get", params)
            .meta(META_CAPABILITIES, json!({ "extensions": { TASKS: {} } }))
            .header("Mcp-Name", &cx.absent("other"))
            .faulty(),
    ]
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::must(
    "ext.tasks-name-header",
    "tasks/get whose Mcp-Name is another task than in the body is refused with -32020",
)
.headline(7)
.http()
.spec("http#server-validation")
.why("Gateways send requests for a task to the instance that Mcp-Name leads to; when the body may differ, the wrong one answers.")
.fix("Compare Mcp-Name with params.taskId on tasks/get, tasks/update and tasks/cancel, before the task is looked up.")
.official(&["sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get"])
.probes(&[&NAME])
.judge(other)];

fn other(cx: &Context) -> Ruling {
    if !cx.facts.advertises(TASKS) {
        return Ruling::not_applicable("the server does not advertise the tasks extension");
    }
    let record = match answered(cx, PROBE) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let refusal = Refusal {
        fault: "for tasks/get of a task that does not exist, with another task in Mcp-Name",
        probe: PROBE,
        twin: "",
        code: -32020,
        near: &[-32602],
        also: &[],
        status: None,
    };
    let Some(finding) = refusal.find(record) else {
        return Ruling::met("refused with -32020");
    };
    // The task that does not exist is a second fault: only a result shows that nobody compared.
    let weight = match record.answer() {
        Answer::Result(_) => Weight::Broken,
        _ => Weight::Unproven,
    };
    Finding { weight, ..finding }.into()
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, rules, served};
    use verdict_fixture::Server;

    #[test]
    fn another_task_in_the_header() {
        let step = "ext.name/other";
        let cases = [
            (step, 200, served(), "broken"),
            (step, 400, error(-32602), "unproven"),
            (step, 400, error(-32001), "unproven"),
        ];
        rules(&Server::with_tasks(), "ext.tasks-name-header", &cases);
        let without =
            crate::testing::altered("ext.tasks-name-header", &Server::correct(), false, &[]);
        assert_eq!(crate::testing::word(&without), "n/a");
    }
}
