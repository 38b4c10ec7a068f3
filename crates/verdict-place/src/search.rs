//! The search: names in, files one after the other, the best place of each name out.

use crate::changes::Changes;
use crate::definition::{Candidate, Rank, candidates};
use crate::language::{Language, is_aside, is_foreign};
use crate::words::Kind;
use std::collections::BTreeMap;
use verdict_model::report::Location;

/// Bytes of a file that is read; longer ones were not written by hand.
pub const MAX_FILE: u64 = 512 << 10;
/// Bytes of all files that are read in one search.
pub const MAX_BYTES: u64 = 64 << 20;
/// Files that are looked at in one search.
pub const MAX_FILES: usize = 20_000;

/// A name and what it names.
pub(crate) type Name = (Kind, String);

/// A search for the places that define some names.
#[derive(Debug, Clone, Default)]
pub struct Search {
    names: BTreeMap<Name, Vec<Found>>,
    changes: Changes,
    near: String,
    bytes: u64,
    files: usize,
}

/// A candidate in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    path: String,
    candidate: Candidate,
}

/// What decides between places; less is better.
type Order = (bool, bool, bool, Rank, bool);

impl Search {
    /// A search for these names.
    pub(crate) fn new(names: impl IntoIterator<Item = Name>) -> Self {
        Self {
            names: names.into_iter().map(|name| (name, Vec::new())).collect(),
            ..Self::default()
        }
    }

    /// Prefers what these lines define.
    #[must_use]
    pub fn with_changes(mut self, changes: Changes) -> Self {
        self.changes = changes;
        self
    }

    /// Prefers files in this folder, where the server runs (`a/b`, empty for the root).
    #[must_use]
    pub fn near(mut self, folder: &str) -> Self {
        folder.trim_end_matches('/').clone_into(&mut self.near);
        self
    }

    /// Whether there is anything to look for.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether a file of this path (from the repository's root, with `/`) and size is worth being read.
    pub fn wants(&self, path: &str, bytes: u64) -> bool {
        bytes <= MAX_FILE
            && self.bytes + bytes <= MAX_BYTES
            && self.files < MAX_FILES
            && !is_foreign(path)
            && Language::of(path).is_some()
    }

    /// Whether a folder may hold sources of the repository's own.
    pub fn enters(&self, folder: &str) -> bool {
        !is_foreign(&format!("{folder}/x"))
    }

    /// Looks at a file.
    pub fn look(&mut self, path: &str, text: &str) {
        let Some(language) = Language::of(path).filter(|_| self.wants(path, text.len() as u64))
        else {
            return;
        };
        self.bytes += text.len() as u64;
        self.files += 1;
        // C# names tools after methods: `get_weather` is `GetWeather`.
        let bare = |text: &str| text.replace('_', "").to_lowercase();
        let bare_text = (language == Language::CSharp).then(|| bare(text));
        let spelled = |name: &str| match &bare_text {
            Some(text) => text.contains(&bare(name)),
            None => text.contains(name),
        };
        let wanted: Vec<_> = self
            .names
            .keys()
            .filter(|(_, name)| spelled(name))
            .map(|(kind, name)| (name.clone(), *kind))
            .collect();
        if wanted.is_empty() {
            return;
        }
        let pairs = wanted.iter().map(|(name, kind)| (name.as_str(), *kind));
        for (name, kind, candidate) in candidates(text, language, pairs) {
            let found = self.names.get_mut(&(kind, name.to_owned()));
            if let Some(found) = found.filter(|found| found.len() < 1_000) {
                found.push(Found {
                    path: path.to_owned(),
                    candidate,
                });
            }
        }
    }

    /// The place that defines a name, if one is credible.
    pub(crate) fn place(&self, name: &Name) -> Option<Location> {
        let found = self.names.get(name)?;
        let credible = |one: &&Found| {
            one.candidate.rank <= Rank::Titled
                || (!is_aside(&one.path) && is_distinctive(&name.1) && !is_data(&one.path))
        };
        let mut found: Vec<&Found> = found.iter().filter(credible).collect();
        found.sort_by_key(|one| {
            (
                self.order(one),
                one.candidate.span,
                &one.path,
                one.candidate.line,
            )
        });
        let best = *found.first()?;
        let rival = found
            .iter()
            .find(|one| one.path != best.path && self.order(one) == self.order(best));
        // Two files that say the same leave it open which one is meant; names in many files are just words.
        let rank = best.candidate.rank;
        let elsewhere = rank > Rank::Titled
            && found.iter().any(|one| {
                one.path != best.path && (rank == Rank::Literal || !is_aside(&one.path))
            });
        let changed = self.changes.touch(&best.path, best.candidate.line);
        (rival.is_none() && (!elsewhere || changed)).then(|| Location {
            path: best.path.clone(),
            line: best.candidate.line,
        })
    }

    fn order(&self, found: &Found) -> Order {
        let Found { path, candidate } = found;
        let near = self.near.is_empty()
            || path
                .strip_prefix(&self.near)
                .is_some_and(|rest| rest.starts_with('/'));
        (
            // An example inside the folder of the server is the server.
            is_aside(path) && (self.near.is_empty() || !near),
            candidate.rank > Rank::Titled,
            !self.changes.touch(path, candidate.line),
            candidate.rank,
            !near,
        )
    }
}

fn is_data(path: &str) -> bool {
    Language::of(path) == Some(Language::Json)
}

/// Whether a name is more than a word that stands anywhere: `get_weather`, and not `search`.
fn is_distinctive(name: &str) -> bool {
    let chars = name.chars();
    name.len() >= 6
        && (name.contains(['_', '-', '/', '.', ':'])
            || chars.clone().skip(1).any(char::is_uppercase))
}
