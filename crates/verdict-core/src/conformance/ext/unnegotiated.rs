//! A task is announced only to a request that declared the tasks extension.

use crate::check::Check;
use crate::conformance::result::kind::TASKS;
use crate::context::Context;
use crate::passive::{Slips, nothing_seen, results};
use crate::ruling::{Finding, Ruling};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("ext.task-unnegotiated", "No task is announced to a request that did not declare the tasks extension")
        .headline(4)
        .spec("versioning#extension-negotiation")
        .why("A client without the extension must treat the result as invalid; the work is done and its outcome lost.")
        .fix("Look for io.modelcontextprotocol/tasks in the capabilities of the request at hand, and finish the call in place without it.")
        .official(&["sep-2663-server-rejects-undeclared-client"])
        .judge(unnegotiated),
];

fn unnegotiated(cx: &Context) -> Ruling {
    let mut slips = Slips::default();
    let mut count = 0;
    for seen in results(cx) {
        count += 1;
        if seen.kind() != Some("task") {
            continue;
        }
        let declared = seen
            .capability("/extensions")
            .is_some_and(|extensions| extensions.get(TASKS).is_some());
        let why = if !declared {
            "although the request did not declare io.modelcontextprotocol/tasks"
        } else if seen.method != "tools/call" {
            "although only tools/call may become a task"
        } else {
            continue;
        };
        slips.add(format!("{} {declared}", seen.method), || {
            Finding::broken(format!("{} is answered with a task, {why}", seen.method))
                .seen_in(seen.record)
                .at("/result/resultType")
        });
    }
    if count == 0 {
        return nothing_seen(cx, "result");
    }
    slips.ruling("no task was announced to a request that did not ask for tasks")
}
