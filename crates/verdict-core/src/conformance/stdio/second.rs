//! A second process beside the first lists the same.
//!
//! Servers fail here that build their lists from what this process, or its start, happened to find.

use super::process::SECOND;
use super::unasked::SILENCE;
use crate::ask::{Ask, Lane, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::facts::{Declared, List, Walk, describe_end};
use crate::record::{Answer, Record};
use crate::ruling::{Finding, Ruling};
use crate::survey::walk;
use crate::wire::json::cut;
use serde_json::Value;
use std::collections::BTreeSet;

/// Walks over the lists of the second process, in the order in which the first was asked.
pub const SECOND_TOOLS: Probe = probe("stdio.second.tools", tools);
/// The same for prompts.
pub const SECOND_PROMPTS: Probe = probe("stdio.second.prompts", prompts);
/// The same for resources.
pub const SECOND_RESOURCES: Probe = probe("stdio.second.resources", resources);
/// The same for templates.
pub const SECOND_TEMPLATES: Probe = probe("stdio.second.resourceTemplates", templates);
const fn probe(name: &'static str, next: crate::ask::Next) -> Probe {
    Probe {
        name,
        stage: Stage::Main,
        next,
    }
}

fn tools(cx: &Context, _: usize) -> Vec<Ask> {
    list(cx, List::Tools)
}

fn prompts(cx: &Context, _: usize) -> Vec<Ask> {
    list(cx, List::Prompts)
}

fn resources(cx: &Context, _: usize) -> Vec<Ask> {
    list(cx, List::Resources)
}

fn templates(cx: &Context, _: usize) -> Vec<Ask> {
    list(cx, List::Templates)
}

/// The three walks: the second process, and where it differs both processes again.
const WALKS: [(&str, Lane); 3] = [
    ("", Lane::Own(SECOND)),
    ("again-", Lane::Own(SECOND)),
    ("first-again-", Lane::Shared),
];

fn prefix(list: List, tag: &str) -> String {
    format!("stdio.second.{}/{tag}", list.member())
}

fn list(cx: &Context, list: List) -> Vec<Ask> {
    if cx.is_http() {
        return vec![];
    }
    for (tag, lane) in &WALKS {
        if !tag.is_empty() && !differs(cx, list) {
            return vec![];
        }
        let prefix = prefix(list, tag);
        let pages = cx.recording.series(&prefix).filter(|record| {
            // `again-1` is no page of the walk without a tag.
            record.exchange.name[prefix.len()..]
                .parse::<usize>()
                .is_ok()
        });
        let mut asks = walk(cx, list, &prefix, pages.count(), lane);
        if !asks.is_empty() {
            for ask in &mut asks {
                ask.step.insert_str(0, tag);
            }
            return asks;
        }
    }
    vec![]
}

/// Whether the second process lists other items than the first.
fn differs(cx: &Context, list: List) -> bool {
    let second = named(cx, list, "");
    second.is_some() && second != names(cx.facts.walk(list), list)
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should("stdio.second-process", "A second process lists the same tools, prompts and resources")
        .stdio()
        .spec("basic#statelessness")
        .why("Clients start a new process whenever they like; a list that depends on the process changes under their users' hands.")
        .fix("Build the lists from configuration and data that all processes share.")
        .probes(&[&SILENCE, &SECOND_TOOLS, &SECOND_PROMPTS, &SECOND_RESOURCES, &SECOND_TEMPLATES])
        .judge(second_process),
];

/// The names in a list, when the walk over it came to its end.
fn names(walk: &Walk, list: List) -> Option<BTreeSet<String>> {
    let mut results = walk.results();
    let whole = walk.complete
        && results.all(|(_, result)| result.get(list.member()).is_some_and(Value::is_array));
    whole.then(|| {
        walk.items(list)
            .map(|item| item.name().to_owned())
            .collect()
    })
}

/// The names in one of the walks of the probes.
fn named(cx: &Context, list: List, tag: &str) -> Option<BTreeSet<String>> {
    names(&Walk::read(cx.recording, &prefix(list, tag)), list)
}

/// What comparing one list came to.
enum Compared {
    Same,
    Differs(String),
    /// It could not be told, and why.
    Open(String),
}

fn compare(cx: &Context, list: List) -> Compared {
    let method = list.method();
    let (Some(here), Some(there)) = (names(cx.facts.walk(list), list), named(cx, list, "")) else {
        let first = cx.record(&format!("{}1", prefix(list, "")));
        return Compared::Open(match first.map(Record::answer) {
            Some(Answer::Nothing(end)) => {
                format!(
                    "the second process did not serve {method}: it {}",
                    describe_end(end)
                )
            }
            _ => format!("{method} did not come to its end in both processes"),
        });
    };
    if here == there {
        return Compared::Same;
    }
    let steady = Some(&there) == named(cx, list, "again-").as_ref()
        && Some(&here) == named(cx, list, "first-again-").as_ref();
    if steady {
        Compared::Differs(difference(&here, &there))
    } else {
        Compared::Open(format!("{method} changes from one walk to the next"))
    }
}

fn second_process(cx: &Context) -> Ruling {
    let (mut findings, mut same, mut open) = (Vec::new(), Vec::new(), None);
    for list in [List::Tools, List::Prompts, List::Resources] {
        if cx.facts.declares(list.capability()) != Declared::Yes {
            continue;
        }
        match compare(cx, list) {
            Compared::Same => same.push(list.member()),
            Compared::Open(why) => open = Some(why),
            Compared::Differs(how) => {
                let message = format!("{} differs between two processes: {how}", list.method());
                let finding = Finding::broken(message).about(list.method());
                let record = cx.record(&format!("{}1", prefix(list, "")));
                findings.push(match record {
                    Some(record) => finding.seen_in(record),
                    None => finding,
                });
            }
        }
    }
    match open {
        Some(why) if findings.is_empty() => Ruling::skip(why),
        None if findings.is_empty() && same.is_empty() => {
            Ruling::not_applicable("the server declares no list")
        }
        _ => Ruling::of(findings, format!("same {}", same.join(", "))),
    }
}

fn difference(here: &BTreeSet<String>, there: &BTreeSet<String>) -> String {
    let only = |one: &BTreeSet<String>, other: &BTreeSet<String>| -> Vec<String> {
        one.difference(other)
            .take(3)
            .map(|name| Value::from(cut(name, 80)).to_string())
            .collect()
    };
    let parts = [
        ("only in the first", only(here, there)),
        ("only in the second", only(there, here)),
    ];
    let told: Vec<String> = parts
        .iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(where_, names)| format!("{where_}: {}", names.join(", ")))
        .collect();
    told.join("; ")
}

#[cfg(test)]
mod tests {
    use super::super::process::sample::{exchange, process, request, ruling};
    use super::*;
    use crate::testing::{self, config};
    use serde_json::json;
    use verdict_fixture::Server;
    use verdict_model::transcript::Exchange;

    const DISCOVER: &str =
        r#"{"jsonrpc":"2.0","id":"era/discover","result":{"capabilities":{"tools":{}}}}"#;

    type Tools = &'static [&'static str];

    fn listed(name: &str, tools: &[&str]) -> Exchange {
        let tools: Vec<Value> = tools.iter().map(|name| json!({"name": name})).collect();
        let got = json!({"jsonrpc": "2.0", "id": name, "result": {"tools": tools}}).to_string();
        exchange(name, (0, 1), &request(name, "tools/list"), &[&got])
    }

    #[test]
    fn a_difference_must_be_steady() {
        let discover = request("era/discover", "server/discover");
        let with = |walks: &[(&str, &[&str])]| {
            let mut all = vec![exchange("era/discover", (0, 1), &discover, &[DISCOVER])];
            all.extend(walks.iter().map(|(name, tools)| listed(name, tools)));
            ruling("stdio.second-process", all, vec![process(vec![])])
        };
        let first: (&str, Tools) = ("survey.tools/1", &["a", "b"]);
        let second = |tools: Tools| ("stdio.second.tools/1", tools);
        let again = |tools: Tools| ("stdio.second.tools/again-1", tools);
        let main = |tools: Tools| ("stdio.second.tools/first-again-1", tools);
        assert!(with(&[first, second(&["b", "a"])]).is_met());
        let steady = [first, second(&["a"]), again(&["a"]), main(&["a", "b"])];
        assert!(with(&steady).is_broken());
        let moving = [first, second(&["a"]), again(&["c"]), main(&["a", "b"])];
        assert!(matches!(with(&moving), Ruling::Skip(_)));
        let changed = [first, second(&["a"]), again(&["a"]), main(&["a"])];
        assert!(matches!(with(&changed), Ruling::Skip(_)));
        assert!(matches!(with(&[first]), Ruling::Skip(_)));
    }

    #[test]
    fn the_fixture_agrees() {
        let id = "stdio.second-process";
        let ruled = |server: &Server| testing::ruling(id, server, config(), true);
        assert!(ruled(&Server::correct()).is_met());
        assert!(ruled(&Server::with("processes-differ").expect("a defect")).is_broken());
        assert!(!ruled(&Server::with("tools-flicker").expect("a defect")).is_broken());
    }
}
