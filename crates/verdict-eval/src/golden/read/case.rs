//! One case.

use super::fields::{self, Fields, place_of, quoted};
use super::{Sink, expect, matcher, results};
use crate::golden::{Case, Execute, Expect, Place, Places};
use serde_json::Map;
use std::collections::BTreeMap;
use verdict_config::tree::{Content, Entry, Node};
use verdict_model::behavior::Kind;

/// Keys of a case.
pub(super) const FIELDS: &[&str] = &[
    "id",
    "prompt",
    "expect_tool",
    "expect_args",
    "arg_match",
    "expect_sequence",
    "order",
    "kind",
    "runs",
    "tags",
    "history",
    "tool_results",
    "execute",
    "rubric",
    "forbid_tools",
    "allow_extra_calls",
    "answers",
];

/// Keys of `defaults`. A case's own value stands in place of the default; of `tool_results` and `answers`, member by member.
pub(super) const DEFAULTS: &[&str] = &[
    "order",
    "kind",
    "runs",
    "tags",
    "history",
    "tool_results",
    "execute",
    "rubric",
    "allow_extra_calls",
    "answers",
];

/// Most runs of a case.
const MAX_RUNS: u32 = 1000;

/// Longest id, in bytes.
const MAX_ID: usize = 100;

const KINDS: [(&str, Kind); 3] = [
    ("hard", Kind::Hard),
    ("soft", Kind::Soft),
    ("never", Kind::Never),
];

const EXECUTES: [(&str, Execute); 3] = [
    ("auto", Execute::Auto),
    ("live", Execute::Live),
    ("canned", Execute::Canned),
];

/// The ids so far, in lower case, each as it was written and where.
#[derive(Default)]
pub(crate) struct Ids(BTreeMap<String, (String, Place)>);

/// A case and the defaults behind it.
pub(super) struct Given<'g, 'n> {
    pub(super) own: Fields<'n>,
    defaults: Option<&'g Fields<'n>>,
}

impl<'n> Given<'_, 'n> {
    /// The case's own member, or the default.
    pub(super) fn get(&self, name: &str) -> Option<&'n Entry> {
        self.own.get(name).or_else(|| self.default(name))
    }

    fn default(&self, name: &str) -> Option<&'n Entry> {
        self.defaults.and_then(|fields| fields.get(name))
    }

    /// The default, then the case's own.
    fn both(&self, name: &str) -> impl Iterator<Item = &'n Entry> {
        self.default(name).into_iter().chain(self.own.get(name))
    }
}

/// Reads a case. What is wrong is told, and what can be read is read all the same.
pub(super) fn read<'n>(
    node: &'n Node,
    defaults: Option<&Fields<'n>>,
    ids: &mut Ids,
    places: &mut Places,
    sink: &mut Sink,
) -> Option<Case> {
    let given = Given {
        own: Fields::of(node, FIELDS, sink)?,
        defaults,
    };
    let id = id(&given.own, "case", ids, sink);
    let kind = given
        .get("kind")
        .and_then(|it| fields::word(it, &KINDS, sink));
    let forbid = given
        .get("forbid_tools")
        .and_then(|it| fields::names(it, sink));
    let expect = expect::read(&given, kind == Some(Kind::Never), forbid.is_some(), sink);
    let mut case = Case {
        prompt: prompt(&given, sink),
        matchers: matcher::read(&given, &expect, sink),
        kind: kind.unwrap_or_default(),
        runs: given
            .get("runs")
            .and_then(|it| fields::whole(it, MAX_RUNS, sink)),
        tags: names(&given, "tags", sink),
        history: given
            .get("history")
            .map_or_else(Vec::new, |it| results::history(it, sink)),
        tool_results: BTreeMap::new(),
        execute: word(&given, "execute", &EXECUTES, sink),
        rubric: given.get("rubric").and_then(|it| fields::text(it, sink)),
        forbid_tools: forbid.unwrap_or_default(),
        allow_extra_calls: extra(&given, &expect, sink),
        answers: Map::new(),
        place: node.place,
        expect,
        id,
    };
    for entry in given.both("tool_results") {
        case.tool_results.extend(results::canned(entry, sink));
    }
    for entry in given.both("answers") {
        case.answers.extend(results::answers(entry, sink));
    }
    note_places(&given.own, &case.id, places);
    Some(case)
}

fn names(given: &Given, name: &str, sink: &mut Sink) -> Vec<String> {
    let entry = given.get(name);
    entry
        .and_then(|it| fields::names(it, sink))
        .unwrap_or_default()
}

fn word<T: Copy + Default>(given: &Given, name: &str, words: &[(&str, T)], sink: &mut Sink) -> T {
    let entry = given.get(name);
    entry
        .and_then(|it| fields::word(it, words, sink))
        .unwrap_or_default()
}

fn extra(given: &Given, expect: &Expect, sink: &mut Sink) -> bool {
    let Some(entry) = given.get("allow_extra_calls") else {
        return false;
    };
    let extra = fields::flag(entry, sink).unwrap_or_default();
    let own = given.own.get("allow_extra_calls").is_some();
    if extra && own && *expect == Expect::Nothing {
        let message = "no call is expected, and extra calls are allowed";
        sink.note(
            entry.place,
            message,
            "forbid the calls that matter with `kind: never` and `forbid_tools`",
        );
    }
    extra
}

fn prompt(given: &Given, sink: &mut Sink) -> String {
    if let Some(entry) = given.own.get("prompt") {
        fields::text(entry, sink).unwrap_or_default()
    } else {
        let mend = "write what a person would say";
        sink.note(given.own.place, "this case has no `prompt`", mend);
        String::new()
    }
}

/// The id of a case, or of whatever else has one of its own in a file.
pub(crate) fn id(own: &Fields, what: &str, ids: &mut Ids, sink: &mut Sink) -> String {
    let Some(entry) = own.get("id") else {
        let mend = "give it a name that stays, such as `invoice-by-number`";
        sink.note(own.place, format!("this {what} has no `id`"), mend);
        return String::new();
    };
    let Some(id) = fields::text(entry, sink) else {
        return String::new();
    };
    let place = place_of(entry);
    if let Some((message, mend)) = bad_id(&id) {
        sink.note(place, message, mend);
    } else if let Some((first, at)) = ids.0.get(&id.to_ascii_lowercase()) {
        if *first == id {
            let message = format!("the id `{id}` is there twice, first in line {}", at.line);
            sink.note(place, message, "rename one");
        } else {
            let message = format!(
                "the id `{id}` differs from `{first}` in line {} in case alone",
                at.line
            );
            sink.note(
                place,
                message,
                "rename one: to some file systems they are one name",
            );
        }
    } else {
        ids.0.insert(id.to_ascii_lowercase(), (id.clone(), place));
    }
    id
}

/// Ids become names of files, on whatever system.
fn bad_id(id: &str) -> Option<(String, &'static str)> {
    let allowed =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    if let Some(bad) = id.chars().find(|letter| !allowed(*letter)) {
        let message = format!("the id {} has a {bad:?} in it", quoted(id));
        return Some((
            message,
            "use letters a to z, digits, `.`, `_` and `-`: ids become names of files",
        ));
    }
    if id.len() > MAX_ID {
        let message = format!("the id {} is longer than {MAX_ID} letters", quoted(id));
        return Some((message, "shorten it: ids become names of files"));
    }
    if !id.starts_with(|letter: char| letter.is_ascii_alphanumeric()) || id.ends_with('.') {
        let message = format!(
            "the id {} does not begin with a letter or digit, or ends with a dot",
            quoted(id)
        );
        return Some((message, "rename it: ids become names of files"));
    }
    is_device(id).then(|| {
        let message = format!("the id {} is the name of a device on Windows", quoted(id));
        (message, "rename it: ids become names of files")
    })
}

fn is_device(id: &str) -> bool {
    let small = id.to_ascii_lowercase();
    let stem = small.split('.').next().unwrap_or_default();
    let numbered = |port: &str| {
        let rest = stem.strip_prefix(port).unwrap_or_default();
        rest.len() == 1 && rest.bytes().all(|it| it.is_ascii_digit())
    };
    matches!(stem, "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

/// Keeps where the members stand, and the parts of those that lint speaks of one by one.
fn note_places(own: &Fields, id: &str, places: &mut Places) {
    let mut keep = |part: String, place: Place| {
        places.0.insert((id.to_owned(), part), place);
    };
    for (name, entry) in own.all() {
        keep(name.to_owned(), place_of(entry));
        match &entry.value.content {
            Content::Mapping(members) => {
                for member in members {
                    keep(format!("{name}.{}", member.key), member.place);
                }
            }
            Content::List(items)
                if matches!(name, "expect_sequence" | "expect_tool" | "forbid_tools") =>
            {
                for (at, item) in items.iter().enumerate() {
                    keep(format!("{name}.{at}"), item.place);
                }
            }
            _ => {}
        }
    }
}
