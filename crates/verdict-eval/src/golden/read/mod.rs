//! The reader of golden sets: every mistake at its place, with the mend.
//!
//! A value is read only where it can mean one thing: what one reader of YAML takes for text and another for a number, a
//! boolean or nothing (`NO`, `1.10`, `0123`, `~`) is refused with the hint to quote it. Dates and times are text, since JSON has
//! nothing else for them.

mod aliases;
pub(crate) mod case;
mod expect;
pub(crate) mod fields;
mod matcher;
#[cfg(test)]
mod refused;
mod results;
pub(crate) mod scalar;
#[cfg(test)]
mod tests;

pub use matcher::pattern;

use super::nearest::nearest;
use super::{Golden, Place, Places};
use fields::Fields;
use std::collections::BTreeSet;
use std::fmt;
use verdict_config::tree::{self, Content, Node};

/// Keys of the long form.
const LONG_FORM: &[&str] = &["defaults", "cases", "aliases"];

/// Mistakes that are told of one file.
const MAX_TOLD: usize = 100;

/// Bytes that the defaults may take, all cases together.
const MAX_REPEATED: usize = 16 << 20;

/// Larger files are no golden set.
pub const MAX_BYTES: usize = 4 << 20;

/// Words that one word is compared with.
const MAX_COMPARED: usize = 200;

/// Regular expressions of one file.
const MAX_PATTERNS: usize = 1000;

/// What is wrong in a golden set. Words of the file in it are shortened and on one line, and still somebody else's: they are shown
/// like all foreign text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The file, as the caller named it.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// The column in characters, from 1.
    pub column: u64,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub mend: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            column,
            message,
            mend,
        } = self;
        write!(out, "{file}:{line}:{column}: {message}; {mend}")
    }
}

impl std::error::Error for Mistake {}

/// Reads a golden set: a list of cases, or a mapping with `cases` and, where wanted, `defaults` and `aliases`.
///
/// # Errors
/// All mistakes in the order of the file, up to a hundred.
pub fn read(text: &str, file: &str) -> Result<Golden, Vec<Mistake>> {
    let mut sink = Sink::default();
    if text.len() > MAX_BYTES {
        let start = Place { line: 1, column: 1 };
        let message = format!("the file is larger than {} MiB", MAX_BYTES >> 20);
        sink.note(
            start,
            message,
            "split the set, or shorten its canned results",
        );
        return Err(sink.told(file));
    }
    let document = tree::document(text);
    for fault in document.faults {
        sink.note(fault.place, fault.message, fault.mend);
    }
    let golden = if let Some(root) = document.root {
        set(&root, &mut sink)
    } else {
        if sink.mistakes.is_empty() {
            let start = Place { line: 1, column: 1 };
            sink.note(start, "there is no case here", NO_CASE);
        }
        Golden::default()
    };
    if sink.mistakes.is_empty() {
        Ok(golden)
    } else {
        Err(sink.told(file))
    }
}

const NO_CASE: &str = "write a list of cases, each with `id`, `prompt` and `expect_tool`";

/// What is wrong so far, in the order of the file, each once.
#[derive(Default)]
pub(crate) struct Sink {
    mistakes: BTreeSet<(Place, String, String)>,
    more: usize,
    patterns: usize,
}

impl Sink {
    /// No more mistakes are told, so there is no need to look for them.
    pub(crate) fn is_full(&self) -> bool {
        self.mistakes.len() >= 2 * MAX_TOLD
    }

    /// The word that may have been meant, while somebody will read it.
    pub(crate) fn nearest<'w>(
        &self,
        word: &str,
        words: impl IntoIterator<Item = &'w str>,
    ) -> Option<&'w str> {
        if self.is_full() {
            return None;
        }
        nearest(word, words.into_iter().take(MAX_COMPARED))
    }

    /// Whether one more pattern may be compiled: that takes far longer than reading it.
    fn may_compile(&mut self) -> bool {
        self.patterns += 1;
        self.patterns <= MAX_PATTERNS
    }

    pub(crate) fn note(
        &mut self,
        place: Place,
        message: impl Into<String>,
        mend: impl Into<String>,
    ) {
        // Places come nearly in order, so what is beyond the bound is what stands last.
        if self.is_full() {
            self.more += 1;
        } else {
            self.mistakes.insert((place, message.into(), mend.into()));
        }
    }

    pub(crate) fn told(self, file: &str) -> Vec<Mistake> {
        let more = self.more + self.mistakes.len().saturating_sub(MAX_TOLD);
        let mistake = |(place, message, mend): (Place, String, String)| Mistake {
            file: file.to_owned(),
            line: place.line,
            column: place.column,
            message,
            mend,
        };
        let mut told: Vec<_> = self
            .mistakes
            .into_iter()
            .take(MAX_TOLD)
            .map(mistake)
            .collect();
        if let (Some(last), true) = (told.last_mut(), more > 0) {
            last.mend += " (there are more mistakes below)";
        }
        told
    }
}

fn set(root: &Node, sink: &mut Sink) -> Golden {
    match &root.content {
        Content::List(_) => cases(root, None, sink),
        Content::Mapping(entries) if entries.iter().any(|entry| entry.key == "prompt") => {
            sink.note(
                root.place,
                "a single case stands here",
                "put `- ` before it: a set is a list of cases",
            );
            Golden::default()
        }
        Content::Mapping(_) => long_form(root, sink),
        Content::Scalar { .. } => {
            sink.note(root.place, "there is no case here", NO_CASE);
            Golden::default()
        }
    }
}

fn long_form(root: &Node, sink: &mut Sink) -> Golden {
    let Some(fields) = Fields::of(root, LONG_FORM, sink) else {
        return Golden::default();
    };
    let defaults = fields
        .get("defaults")
        .and_then(|entry| Fields::of(&entry.value, case::DEFAULTS, sink));
    let mut golden = if let Some(entry) = fields.get("cases") {
        cases(&entry.value, defaults.as_ref(), sink)
    } else {
        sink.note(root.place, "`cases` is missing", NO_CASE);
        Golden::default()
    };
    if let Some(entry) = fields.get("aliases") {
        golden.aliases = aliases::read(&entry.value, sink);
        aliases::apply(&mut golden);
    }
    golden
}

fn cases(list: &Node, defaults: Option<&Fields>, sink: &mut Sink) -> Golden {
    let Content::List(items) = &list.content else {
        let message = format!(
            "a list of cases is due here, and this is {}",
            fields::kind_of(list)
        );
        sink.note(list.place, message, NO_CASE);
        return Golden::default();
    };
    if items.is_empty() {
        sink.note(list.place, "there is no case here", NO_CASE);
    }
    if let Some(defaults) = defaults
        && defaults.weight().saturating_mul(items.len()) > MAX_REPEATED
    {
        let message = "the defaults are too large for so many cases";
        sink.note(
            defaults.place,
            message,
            "give large values to the cases that need them",
        );
        return Golden::default();
    }
    let (mut ids, mut places) = (case::Ids::default(), Places::default());
    let mut cases = Vec::with_capacity(items.len());
    for item in items {
        if sink.is_full() {
            break;
        }
        cases.extend(case::read(item, defaults, &mut ids, &mut places, sink));
    }
    Golden {
        cases,
        places,
        ..Golden::default()
    }
}
