//! The texts that a server shows to models and people: names, titles, descriptions, instructions.

use crate::conformance::list::reach::{about, items, subject, unlisted};
use crate::context::Context;
use crate::facts::{Item, List};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::cut;
use serde_json::Value;
use std::collections::BTreeSet;

/// How deep and how far texts are looked for in one item.
const DEPTH: usize = 24;
const VALUES: usize = 5_000;

/// One text, and where it is.
pub(super) struct Text<'c> {
    /// The item of a list; none for what `server/discover` says.
    pub(super) item: Option<Item<'c>>,
    /// JSON Pointer within the item.
    pub(super) place: String,
    /// What it says.
    pub(super) words: &'c str,
}

impl Text<'_> {
    /// Lets a finding name the item and the place.
    pub(super) fn found(&self, cx: &Context, finding: Finding) -> Finding {
        match (&self.item, cx.record("era/discover")) {
            (Some(item), _) => about(cx, item, &self.place, finding),
            (None, Some(record)) => finding.at("/result/instructions").seen_in(record),
            (None, None) => finding,
        }
    }
}

/// All texts of the server.
pub(super) fn texts<'c>(cx: &Context<'c>) -> Vec<Text<'c>> {
    let mut all = Vec::new();
    let told = cx.facts.discover.as_ref();
    let told = told.and_then(|result| result.get("instructions")?.as_str());
    all.extend(told.map(|text| Text {
        item: None,
        place: String::new(),
        words: text,
    }));
    for list in List::ALL {
        for item in items(cx, list) {
            walk(item.value, &mut |place, words| {
                let (item, place) = (Some(item), place.to_owned());
                all.push(Text { item, place, words });
            });
        }
    }
    all
}

/// Visits the texts of one item, each with its JSON Pointer in the item.
pub(super) fn walk<'v>(item: &'v Value, visit: &mut dyn FnMut(&str, &'v str)) {
    let mut left = VALUES;
    descend(item, "", DEPTH, &mut left, visit);
}

fn descend<'v>(
    value: &'v Value,
    place: &str,
    depth: usize,
    left: &mut usize,
    visit: &mut dyn FnMut(&str, &'v str),
) {
    if depth == 0 || *left == 0 {
        return;
    }
    *left -= 1;
    let step = |name: &str| format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"));
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(text)
                        if matches!(name.as_str(), "name" | "title" | "description") =>
                    {
                        visit(&step(name), text);
                    }
                    Value::Object(_) | Value::Array(_) if name != "_meta" => {
                        descend(value, &step(name), depth - 1, left, visit);
                    }
                    _ => {}
                }
            }
        }
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                descend(value, &format!("{place}/{at}"), depth - 1, left, visit);
            }
        }
        _ => {}
    }
}

/// Judges all texts; one finding a text.
pub(super) fn each(cx: &Context, met: &str, judge: impl Fn(&str) -> Option<String>) -> Ruling {
    let texts = texts(cx);
    if texts.is_empty() {
        return unlisted(cx, || Ruling::not_applicable("nothing is listed"));
    }
    let found = texts.iter().filter_map(|text| {
        let message = judge(text.words)?;
        Some(text.found(cx, Finding::broken(message)))
    });
    Ruling::of(found.collect(), met)
}

/// Groups of items with equal keys, each by the first of every face that is in it; none of one face alone.
///
/// Keys and faces are hashes.
pub(super) fn twins<'i, 'c>(
    tools: &'i [Item<'c>],
    key: impl Fn(&Item<'c>) -> Option<(u64, u64)>,
) -> Vec<Vec<&'i Item<'c>>> {
    let keys = (0..)
        .zip(tools)
        .filter_map(|(at, tool)| key(tool).map(|(key, face)| (key, at, face)));
    let mut keys: Vec<(u64, usize, u64)> = keys.collect();
    keys.sort_unstable();
    let mut groups = Vec::new();
    for same in keys.chunk_by(|one, other| one.0 == other.0) {
        let mut faces = BTreeSet::new();
        let group = same.iter().filter(|(_, _, face)| faces.insert(*face));
        let group: Vec<usize> = group.map(|(_, at, _)| *at).collect();
        if group.len() > 1 {
            groups.push(group);
        }
    }
    groups.sort_unstable();
    let whole = |group: Vec<usize>| group.into_iter().map(|at| &tools[at]).collect();
    groups.into_iter().map(whole).collect()
}

/// The names of some tools, as [`several`] has them.
pub(super) fn named(tools: &[&Item]) -> String {
    let names: Vec<String> = tools.iter().map(|tool| subject(tool)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    several(&names)
}

/// The first few of some names, and how many more there are.
pub(super) fn several(names: &[&str]) -> String {
    let shown: Vec<String> = names
        .iter()
        .take(5)
        .map(|name| ["`", &cut(name, 80), "`"].concat())
        .collect();
    let more = names.len() - shown.len();
    let shown = shown.join(", ");
    if more == 0 {
        shown
    } else {
        format!("{shown} and {more} more")
    }
}
