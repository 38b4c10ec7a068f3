//! Prompts as `prompts/list` shows them.

use crate::check::Check;
use crate::conformance::list::reach::{about, items, twice, unwalked};
use crate::conformance::list::shaped::shaped;
use crate::conformance::list::visits::VISITS;
use crate::context::Context;
use crate::facts::List;
use crate::ruling::{Finding, Ruling};
use crate::wire::json::cut;
use serde_json::Value;
use std::collections::BTreeSet;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must(
        "prompts.list-shape",
        "Every listed prompt and each of its arguments has a name",
    )
    .spec("schema#ListPromptsResult")
    .why("Typed clients refuse the whole list for one prompt without a name.")
    .fix("Send `name` as a string for prompts and for their arguments.")
    .official(&["prompts-list"])
    .judge(|cx| shaped(cx, List::Prompts, "prompts.list-shape")),
    Check::advisory(
        "prompts.name-unique",
        "Every prompt has a name of its own, and so has each of its arguments",
    )
    .spec("prompts#prompt")
    .why("A prompt is fetched by its name: which of two is meant is a matter of luck.")
    .fix("Rename one of them.")
    .probes(&[&VISITS])
    .judge(unique),
];

fn unique(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Prompts) {
        return ruling;
    }
    let mut findings: Vec<Finding> = twice(cx, List::Prompts)
        .into_iter()
        .map(|(prompt, count)| {
            let message = format!("{count} prompts have this name; expected one");
            about(cx, &prompt, "/name", Finding::broken(message))
        })
        .collect();
    for prompt in items(cx, List::Prompts) {
        let arguments = prompt.value.get("arguments").and_then(Value::as_array);
        let mut names = BTreeSet::new();
        for (index, argument) in arguments.into_iter().flatten().enumerate() {
            let Some(name) = argument.get("name").and_then(Value::as_str) else {
                continue;
            };
            if !names.insert(name) {
                let message = format!("two arguments are called `{}`", cut(name, 80));
                let place = format!("/arguments/{index}/name");
                findings.push(about(cx, &prompt, &place, Finding::broken(message)));
            }
        }
    }
    Ruling::of(findings, "all names are different")
}
