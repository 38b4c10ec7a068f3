//! Old names of tools.

use super::Sink;
use super::fields::{self, kind_of, quoted};
use crate::golden::{Case, Expect, Golden};
use std::collections::BTreeMap;
use verdict_config::tree::{Content, Node};

/// Reads `aliases`: the old name of a tool to its new one.
pub(super) fn read(node: &Node, sink: &mut Sink) -> BTreeMap<String, String> {
    let Content::Mapping(entries) = &node.content else {
        let message = format!(
            "`aliases` is a mapping of names, and this is {}",
            kind_of(node)
        );
        sink.note(node.place, message, "write `{ old_name: new_name }`");
        return BTreeMap::new();
    };
    let (mut aliases, mut news) = (BTreeMap::new(), BTreeMap::new());
    for entry in entries {
        let Some(new) = fields::text(entry, sink) else {
            continue;
        };
        if let Some(first) = news.insert(new.clone(), &entry.key) {
            let message = format!(
                "{} and {} both became {}",
                quoted(first),
                quoted(&entry.key),
                quoted(&new)
            );
            let mend = "leave one out: tools that were merged are a changed expectation";
            sink.note(entry.place, message, mend);
        }
        aliases.insert(entry.key.clone(), new);
    }
    // New names are unique by now, so a ring is the only way to come back to a name.
    for entry in entries {
        if newest(&entry.key, &aliases).is_none() {
            let message = format!("{} leads back to itself", quoted(&entry.key));
            sink.note(
                entry.place,
                message,
                "write old names on the left and new ones on the right",
            );
            break;
        }
    }
    aliases
}

/// The name that a tool has now; none where names lead in a ring.
fn newest<'a>(name: &'a str, aliases: &'a BTreeMap<String, String>) -> Option<&'a str> {
    let mut name = name;
    for _ in 0..=aliases.len() {
        match aliases.get(name) {
            Some(newer) => name = newer,
            None => return Some(name),
        }
    }
    None
}

/// Gives every tool in the cases the name that it has now.
pub(super) fn apply(golden: &mut Golden) {
    let Golden { cases, aliases, .. } = golden;
    // Each chain is followed once, so that many cases of many names stay linear.
    let current: BTreeMap<&str, &str> = aliases
        .keys()
        .filter_map(|old| Some((old.as_str(), newest(old, aliases)?)))
        .collect();
    for case in cases {
        rename(case, &|name| {
            current
                .get(name)
                .map_or_else(|| name.to_owned(), |new| (*new).to_owned())
        });
    }
}

fn rename(case: &mut Case, current: &dyn Fn(&str) -> String) {
    let matchers = std::mem::take(&mut case.matchers);
    case.matchers = matchers
        .into_iter()
        .map(|(key, matcher)| match case.expect.tool_of_key(&key) {
            Some(parts) => (parts.written(&current(parts.tool)), matcher),
            None => (key, matcher),
        })
        .collect();
    let each = |names: &mut Vec<String>| {
        for name in &mut *names {
            *name = current(name);
        }
        names.dedup();
    };
    match &mut case.expect {
        Expect::Nothing | Expect::Anything => {}
        Expect::Tool { names, .. } => each(names),
        Expect::Sequence { steps, .. } => {
            for step in steps {
                step.tool = current(&step.tool);
            }
        }
    }
    each(&mut case.forbid_tools);
    let results = std::mem::take(&mut case.tool_results);
    case.tool_results = results
        .into_iter()
        .map(|(tool, results)| (current(&tool), results))
        .collect();
}
