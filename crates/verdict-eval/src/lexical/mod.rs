//! The built-in model: ranks tools by the words of their descriptions.
//!
//! Deterministic and free, so that every push can tell when two descriptions have become hard to tell apart. It is a
//! baseline, labelled as one wherever it shows: it knows no meaning, only words (BM25 over name, title, description,
//! and the names, descriptions and listed values of parameters).
//!
//! It abstains where no tool is near enough, fills only arguments that it can copy from the prompt, and after results
//! calls another tool only where the words that the called ones leave over are strong enough for one. Its turns say how
//! near the best two were.

mod copy;
mod fill;
mod rank;
mod words;

use crate::chat::{Answer, Call, End, Request, Said, Turn};
use crate::tool::Tool;
use rank::Index;
use serde_json::Value;
use std::collections::BTreeSet;
use verdict_model::behavior::Tokens;

/// Name and version of the ranking: answers of one version are the same on every machine.
pub const FINGERPRINT: &str = "lexical/1";

/// Scores are rounded to this, so that a tie is one: it goes to the tool that the server lists first.
const TIE: f64 = 1e-9;

/// The answer to a request; the way in which a model is to draw does not matter.
pub fn answer(request: &Request) -> Answer {
    let prompt = prompt(request);
    let index = Index::new(&request.tools);
    let called: Vec<usize> = called(request)
        .filter_map(|name| request.tools.iter().position(|tool| tool.name() == name))
        .collect();
    let mut query: BTreeSet<String> = words::stems(prompt).into_iter().collect();
    for tool in &called {
        for word in index.known(*tool, &query) {
            query.remove(&word);
        }
    }
    let scores = index
        .scores(&query)
        .into_iter()
        .map(|score| (score / TIE).round() * TIE);
    let mut ranked: Vec<(usize, f64)> = scores.enumerate().collect();
    ranked.retain(|(tool, _)| !called.contains(tool));
    // Stable, so that ties keep the order of the list.
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    let best = ranked
        .iter()
        .find(|(tool, score)| *score >= index.threshold() && index.is_meant(*tool, &query))
        .copied();
    let text = told(&request.tools, best, &ranked);
    let calls: Vec<Call> = best
        .and_then(|(tool, _)| request.tools.get(tool))
        .map(|tool| Call {
            id: format!("call_{}", called.len() + 1),
            name: tool.name().to_owned(),
            arguments: Value::Object(fill::arguments(prompt, tool.input_schema())).to_string(),
        })
        .into_iter()
        .collect();
    Answer {
        end: if calls.is_empty() {
            End::Stop
        } else {
            End::Calls
        },
        said: Said {
            text,
            calls,
            native: None,
        },
        usage: Some(Tokens::default()),
        model: Some("lexical".to_owned()),
        fingerprint: Some(FINGERPRINT.to_owned()),
        request_id: None,
    }
}

/// The words that two tools share, weightiest first, those of the prompt before all others: what to change where a
/// model takes one tool for the other. At most a dozen.
pub fn shared_words(prompt: &str, one: &Tool, two: &Tool) -> Vec<String> {
    rank::shared(prompt, one, two)
}

/// The last thing that a person said.
fn prompt(request: &Request) -> &str {
    let said = request.turns.iter().rev().find_map(|turn| match turn {
        Turn::User { text } => Some(text.as_str()),
        _ => None,
    });
    said.unwrap_or_default()
}

/// The tools that were called since.
fn called(request: &Request) -> impl Iterator<Item = &str> {
    let last = request
        .turns
        .iter()
        .rposition(|turn| matches!(turn, Turn::User { .. }));
    let since = request.turns.iter().skip(last.unwrap_or_default());
    since
        .filter_map(|turn| match turn {
            Turn::Assistant(said) => Some(&said.calls),
            _ => None,
        })
        .flatten()
        .map(|call| call.name.as_str())
}

/// How near the chosen tool is, and the nearest other one.
fn told(tools: &[Tool], best: Option<(usize, f64)>, ranked: &[(usize, f64)]) -> String {
    let name = |index: usize| tools.get(index).map(Tool::name).unwrap_or_default();
    let chosen = best.map(|(tool, _)| tool);
    let other = ranked
        .iter()
        .find(|(tool, score)| Some(*tool) != chosen && *score > 0.0);
    match (best, other) {
        (None, None) => "No tool is near enough: none has a word of the prompt.".to_owned(),
        (None, Some((near, score))) => {
            format!(
                "No tool is near enough: the nearest is `{}` with {score:.2}.",
                name(*near)
            )
        }
        (Some((tool, score)), None) => {
            format!("`{}` has {score:.2}, no other has anything.", name(tool))
        }
        (Some((tool, score)), Some((near, less))) if (score - less).abs() < TIE => {
            let (tool, near) = (name(tool), name(*near));
            format!("A tie at {score:.2}: `{tool}` and `{near}`; the first of the list is taken.")
        }
        (Some((tool, score)), Some((near, less))) => {
            let (tool, near, margin) = (name(tool), name(*near), score - less);
            format!("`{tool}` has {score:.2}, `{near}` {less:.2}: a margin of {margin:.2}.")
        }
    }
}

#[cfg(test)]
mod tests;
