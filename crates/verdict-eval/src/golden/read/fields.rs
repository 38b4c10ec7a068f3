//! Mappings with known keys, and the simple values in them.

use super::Sink;
use super::scalar::{self, Plain};
use crate::golden::Place;
use std::collections::{BTreeMap, BTreeSet};
use verdict_config::tree::{Content, Entry, Node, short};

/// A mapping all of whose keys are known.
pub(crate) struct Fields<'n> {
    /// Where it begins.
    pub(crate) place: Place,
    found: BTreeMap<&'static str, &'n Entry>,
    weight: usize,
}

impl<'n> Fields<'n> {
    /// Takes a mapping; what is no mapping, and keys that are not known, are told.
    pub(crate) fn of(
        node: &'n Node,
        known: &'static [&'static str],
        sink: &mut Sink,
    ) -> Option<Self> {
        let Content::Mapping(entries) = &node.content else {
            let message = format!("a mapping is due here, and this is {}", kind_of(node));
            sink.note(
                node.place,
                message,
                format!("write `key: value`, with keys of {}", listed(known)),
            );
            return None;
        };
        let mut found = BTreeMap::new();
        for entry in entries {
            match known.iter().find(|known| **known == entry.key) {
                Some(known) => {
                    found.insert(*known, entry);
                }
                None => unknown(entry, known, sink),
            }
        }
        Some(Self {
            place: node.place,
            found,
            weight: node.weight(),
        })
    }

    /// The member of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&'n Entry> {
        self.found.get(name).copied()
    }

    /// All members.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static str, &'n Entry)> {
        self.found.iter().map(|(name, entry)| (*name, *entry))
    }

    /// About how many bytes the mapping takes.
    pub(crate) fn weight(&self) -> usize {
        self.weight
    }
}

fn unknown(entry: &Entry, known: &[&str], sink: &mut Sink) {
    let mend = match sink.nearest(&entry.key, known.iter().copied()) {
        Some(near) => format!("write `{near}` if that is meant"),
        None => format!("there are {}", listed(known)),
    };
    let message = format!("there is no key {} here", quoted(&entry.key));
    sink.note(entry.place, message, mend);
}

/// Foreign words for a message: shortened, in backticks.
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", short(text, 60))
}

pub(crate) fn listed(words: &[&str]) -> String {
    words.join(", ")
}

/// What a node is, for a message.
pub(crate) fn kind_of(node: &Node) -> String {
    match &node.content {
        Content::List(_) => "a list".to_owned(),
        Content::Mapping(_) => "a mapping".to_owned(),
        Content::Scalar { text, plain: true } if text.is_empty() => "nothing".to_owned(),
        Content::Scalar { text, .. } => quoted(text),
    }
}

/// Where the value of a member stands; its key where there is no value to see.
pub(crate) fn place_of(entry: &Entry) -> Place {
    match &entry.value.content {
        Content::Scalar { text, plain: true } if text.is_empty() => entry.place,
        _ => entry.value.place,
    }
}

fn told<T>(entry: &Entry, due: &str, mend: &str, sink: &mut Sink) -> Option<T> {
    let message = format!(
        "`{}` is {due}, and this is {}",
        short(&entry.key, 60),
        kind_of(&entry.value)
    );
    sink.note(place_of(entry), message, mend);
    None
}

/// Text that is not blank. Where only text can stand, `1.10` and `NO` are text as written.
pub(crate) fn text(entry: &Entry, sink: &mut Sink) -> Option<String> {
    let Some(text) = text_of(&entry.value) else {
        return told(entry, "text", "write it in quotes", sink);
    };
    if text.trim().is_empty() {
        let message = format!("`{}` is empty", short(&entry.key, 60));
        sink.note(
            place_of(entry),
            message,
            "write what is meant, or leave the key out",
        );
        return None;
    }
    Some(text)
}

/// The text of a scalar that is not null.
pub(crate) fn text_of(node: &Node) -> Option<String> {
    match &node.content {
        Content::Scalar { text, plain: true } => match scalar::plain(text) {
            Plain::Null | Plain::Trap("null") => None,
            _ => Some(text.clone()),
        },
        Content::Scalar { text, .. } => Some(text.clone()),
        _ => None,
    }
}

/// True or false.
pub(crate) fn flag(entry: &Entry, sink: &mut Sink) -> Option<bool> {
    match &entry.value.content {
        Content::Scalar { text, plain: true } if text == "true" => Some(true),
        Content::Scalar { text, plain: true } if text == "false" => Some(false),
        _ => told(
            entry,
            "true or false",
            "write one of them, without quotes",
            sink,
        ),
    }
}

/// A whole number from 1 to `most`.
pub(crate) fn whole(entry: &Entry, most: u32, sink: &mut Sink) -> Option<u32> {
    let number = number_of(&entry.value).and_then(|number| u32::try_from(number.as_u64()?).ok());
    if let Some(number) = number.filter(|number| (1..=most).contains(number)) {
        Some(number)
    } else {
        let due = format!("a whole number from 1 to {most}");
        told(entry, &due, "write it in digits, without quotes", sink)
    }
}

pub(crate) fn number_of(node: &Node) -> Option<serde_json::Number> {
    match &node.content {
        Content::Scalar { text, plain: true } => match scalar::plain(text) {
            Plain::Number(number) => Some(number),
            _ => None,
        },
        _ => None,
    }
}

/// One of a few words.
pub(crate) fn word<T: Copy>(entry: &Entry, words: &[(&str, T)], sink: &mut Sink) -> Option<T> {
    let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
    let written = text_of(&entry.value).unwrap_or_default();
    if let Some((_, meaning)) = words.iter().find(|(name, _)| *name == written) {
        return Some(*meaning);
    }
    let due = format!("one of {}", listed(&names));
    let mend = match sink.nearest(&written, names.iter().copied()) {
        Some(near) => format!("write `{near}` if that is meant"),
        None => "write one of them".to_owned(),
    };
    told(entry, &due, &mend, sink)
}

/// Most names of one list.
const MAX_NAMES: usize = 1000;

/// One text or a list of texts, at least one, each once.
pub(crate) fn names(entry: &Entry, sink: &mut Sink) -> Option<Vec<String>> {
    let one = std::slice::from_ref(&entry.value);
    let items = match &entry.value.content {
        Content::List(items) => items.as_slice(),
        _ => one,
    };
    if items.len() > MAX_NAMES {
        let due = format!("a list of at most {MAX_NAMES} names");
        return told(entry, &due, "shorten it", sink);
    }
    let (mut names, mut seen) = (Vec::new(), BTreeSet::new());
    for item in items {
        match text_of(item).filter(|name| !name.trim().is_empty()) {
            None => {
                let message = format!(
                    "`{}` is a name or a list of names, and this is {}",
                    short(&entry.key, 60),
                    kind_of(item)
                );
                sink.note(
                    item.place,
                    message,
                    "write names, each in quotes if need be",
                );
            }
            Some(name) if seen.insert(name.clone()) => names.push(name),
            Some(name) => {
                sink.note(
                    item.place,
                    format!("{} is there twice", quoted(&name)),
                    "keep one",
                );
            }
        }
    }
    if items.is_empty() {
        return told(
            entry,
            "a name or a list of names",
            "write at least one, or leave the key out",
            sink,
        );
    }
    Some(names)
}
