//! BM25 over the words of tools.

use super::words::{stems, words};
use crate::tool::Tool;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const K1: f64 = 1.2;
/// Descriptions that are long are not punished much: a good description is long.
const B: f64 = 0.3;
/// As many unrelated tools are thought beside those on offer, so that a list of one still has rare words.
const UNSEEN: f64 = 3.0;
/// Parts of a schema beyond this depth are not read.
const DEPTH: u32 = 4;

/// Words of a tool with their weights, by where they stand.
pub(super) fn document(tool: &Tool) -> BTreeMap<String, f64> {
    let mut document = BTreeMap::new();
    for (text, weight) in texts(tool) {
        for stem in stems(&text) {
            *document.entry(stem).or_default() += weight;
        }
    }
    document
}

/// The texts of a tool with the weight of their words.
fn texts(tool: &Tool) -> Vec<(String, f64)> {
    let mut texts = vec![(tool.name().to_owned(), 3.0)];
    let title = tool.0.get("title").and_then(Value::as_str);
    texts.extend(title.map(|text| (text.to_owned(), 2.0)));
    texts.extend(tool.description().map(|text| (text.to_owned(), 1.0)));
    if let Some(schema) = tool.input_schema() {
        parameters(schema, 0, &mut texts);
    }
    texts
}

fn names(tool: &Tool) -> BTreeSet<String> {
    let title = tool
        .0
        .get("title")
        .and_then(Value::as_str)
        .unwrap_or_default();
    stems(tool.name()).into_iter().chain(stems(title)).collect()
}

fn parameters(schema: &Value, depth: u32, texts: &mut Vec<(String, f64)>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    for (name, property) in properties {
        texts.push((name.clone(), 1.0));
        let description = property.get("description").and_then(Value::as_str);
        texts.extend(description.map(|text| (text.to_owned(), 0.5)));
        let values = property
            .get("enum")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        texts.extend(
            values
                .filter_map(Value::as_str)
                .take(100)
                .map(|text| (text.to_owned(), 1.0)),
        );
        if depth < DEPTH {
            parameters(property, depth + 1, texts);
            if let Some(items) = property.get("items") {
                parameters(items, depth + 1, texts);
            }
        }
    }
}

/// Tools, ready to be ranked.
pub(super) struct Index {
    documents: Vec<BTreeMap<String, f64>>,
    /// The words of names and titles alone.
    names: Vec<BTreeSet<String>>,
    average: f64,
}

impl Index {
    pub(super) fn new(tools: &[Tool]) -> Self {
        let documents: Vec<_> = tools.iter().map(document).collect();
        let total: f64 = documents.iter().map(length).sum();
        Self {
            average: (total / count(documents.len()).max(1.0)).max(1.0),
            documents,
            names: tools.iter().map(names).collect(),
        }
    }

    /// Whether a tool is called for: by a word of its name or title, or by two other words. One word of a description
    /// is chance.
    pub(super) fn is_meant(&self, tool: usize, query: &BTreeSet<String>) -> bool {
        let known = self.known(tool, query);
        let is_named = self
            .names
            .get(tool)
            .is_some_and(|names| !names.is_disjoint(&known));
        is_named || known.len() > 1
    }

    /// How near each tool is to a set of words, in the order of the tools.
    pub(super) fn scores(&self, query: &BTreeSet<String>) -> Vec<f64> {
        self.documents
            .iter()
            .map(|document| {
                let norm = K1 * (1.0 - B + B * length(document) / self.average);
                let matched = query
                    .iter()
                    .filter_map(|word| Some((word, *document.get(word)?)));
                matched
                    .map(|(word, tf)| self.rarity(word) * tf * (K1 + 1.0) / (tf + norm))
                    .sum()
            })
            .collect()
    }

    /// The least score for a call: words that most tools have do not reach it.
    pub(super) fn threshold(&self) -> f64 {
        0.6 * self.rarity_of(0.0)
    }

    /// The words of a query that a tool knows.
    pub(super) fn known(&self, tool: usize, query: &BTreeSet<String>) -> BTreeSet<String> {
        let document = self.documents.get(tool);
        let known = |word: &&String| document.is_some_and(|document| document.contains_key(*word));
        query.iter().filter(known).cloned().collect()
    }

    fn rarity(&self, word: &str) -> f64 {
        self.rarity_of(count(
            self.documents
                .iter()
                .filter(|document| document.contains_key(word))
                .count(),
        ))
    }

    fn rarity_of(&self, with: f64) -> f64 {
        let all = count(self.documents.len()) + UNSEEN;
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }
}

fn length(document: &BTreeMap<String, f64>) -> f64 {
    document.values().sum()
}

#[expect(clippy::cast_precision_loss, reason = "a number of tools or words")]
fn count(number: usize) -> f64 {
    number as f64
}

/// The words that two tools share, weightiest first, those of the prompt before all others.
pub(super) fn shared(prompt: &str, one: &Tool, two: &Tool) -> Vec<String> {
    let asked: BTreeSet<String> = stems(prompt).into_iter().collect();
    let (first, second) = (document(one), document(two));
    let mut shared: Vec<(bool, f64, &String)> = first
        .iter()
        .filter_map(|(word, weight)| {
            let weight = weight.min(*second.get(word)?);
            Some((asked.contains(word), weight, word))
        })
        .collect();
    shared.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(b.2)));
    let surfaces: BTreeMap<String, String> = texts(one)
        .iter()
        .rev()
        .flat_map(|(text, _)| words(text).into_iter().rev())
        .map(|word| (word.stem, word.surface.to_lowercase()))
        .collect();
    let shown = shared
        .into_iter()
        .map(|(_, _, word)| surfaces.get(word).unwrap_or(word).clone());
    shown.take(12).collect()
}
