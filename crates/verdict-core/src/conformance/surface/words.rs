//! Descriptions: there, different from each other, and about every parameter.

use super::texts::{named, several, twins};
use crate::check::Check;
use crate::conformance::list::reach::{about, items, subject, unlisted, unwalked};
use crate::context::Context;
use crate::facts::{Item, List};
use crate::ruling::{Finding, Ruling};
use serde_json::Value;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::advisory(
        "surface.descriptions-alike",
        "No two tools have the same description",
    )
    .spec("tools#tool")
    .why("A model chooses by the descriptions; between two equal ones it guesses.")
    .fix("Say in each description what sets the tool apart from its neighbour.")
    .judge(alike),
    Check::advisory(
        "surface.descriptions-missing",
        "Prompts, resources and templates have descriptions",
    )
    .spec("prompts#prompt")
    .why("Clients and their users choose by the description.")
    .fix("Say in a sentence what the prompt, resource or template is for.")
    .judge(missing),
    Check::advisory(
        "surface.parameters",
        "Every parameter of a tool has a description",
    )
    .spec("tools#tool")
    .why("Models fill in what they understand; a bare name is filled in by guessing.")
    .fix("Say what the parameter means, in which form and unit, with an example.")
    .judge(parameters),
];

/// Words that a description must have before one that is nearly the same is worth a word.
const LONG: usize = 8;
/// Tools among which near twins are looked for.
const MOST: usize = 300;

fn described<'c>(item: &Item<'c>) -> Option<&'c str> {
    let text = item.value.get("description")?.as_str()?.trim();
    (!text.is_empty()).then_some(text)
}

/// Hashes of the words of a text, each once, in order.
fn words(text: &str) -> Vec<u64> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    let mut hashes: Vec<u64> = words
        .map(|word| crate::fnv(word.to_lowercase().as_bytes()))
        .collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// A text without regard to case and spaces, hashed.
fn spoken(text: &str) -> u64 {
    let mut plain = String::new();
    for word in text.split_whitespace() {
        plain.push_str(&word.to_lowercase());
        plain.push(' ');
    }
    crate::fnv(plain.as_bytes())
}

fn alike(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Tools) {
        return ruling;
    }
    let tools = items(cx, List::Tools);
    // The same tool on two pages is told by tools.name-unique.
    let groups = twins(&tools, |tool| {
        Some((spoken(described(tool)?), crate::fnv(tool.name().as_bytes())))
    });
    let mut findings: Vec<Finding> = groups
        .iter()
        .map(|group| {
            let message = format!("the same description: {}", named(group));
            about(cx, group[0], "/description", Finding::broken(message))
        })
        .collect();
    let mut long: Vec<(&Item, Vec<u64>)> = Vec::new();
    for tool in tools.iter().take(MOST) {
        let own = words(described(tool).unwrap_or_default());
        if own.len() >= LONG && !long.iter().any(|(_, other)| *other == own) {
            let twin = long.iter().find(|(_, other)| is_near(&own, other));
            if let Some((other, _)) = twin {
                let message = format!("nearly the same description as {}", named(&[*other]));
                findings.push(about(cx, tool, "/description", Finding::noted(message)));
            }
            long.push((tool, own));
        }
    }
    Ruling::of(findings, "all descriptions differ")
}

/// Whether nine in ten of all words are in both.
fn is_near(one: &[u64], other: &[u64]) -> bool {
    let shared = one.iter().filter(|word| other.binary_search(word).is_ok());
    let shared = shared.count();
    10 * shared >= 9 * (one.len() + other.len() - shared)
}

fn missing(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    let mut seen = 0;
    for list in [List::Prompts, List::Resources, List::Templates] {
        let all = items(cx, list);
        seen += all.len();
        let bare: Vec<&Item> = all
            .iter()
            .filter(|item| described(item).is_none())
            .collect();
        if let Some(first) = bare.first() {
            let finding = Finding::noted(format!("without a description: {}", named(&bare)));
            findings.push(about(cx, first, "", finding).about(list.method()));
        }
    }
    if seen == 0 {
        return unlisted(cx, || {
            Ruling::not_applicable("nothing of the kind is listed")
        });
    }
    Ruling::of(findings, "all have descriptions")
}

fn parameters(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Tools) {
        return ruling;
    }
    let tools = items(cx, List::Tools);
    let (mut bare, mut count, mut first) = (Vec::new(), 0, None);
    for tool in &tools {
        let properties = tool.value.pointer("/inputSchema/properties");
        for (name, schema) in properties.and_then(Value::as_object).into_iter().flatten() {
            count += 1;
            let text = schema.get("description").and_then(Value::as_str);
            // What is described where it is defined is not followed.
            if schema.get("$ref").is_none() && text.is_none_or(|text| text.trim().is_empty()) {
                first.get_or_insert(tool);
                bare.push(format!("{}.{name}", subject(tool)));
            }
        }
    }
    let Some(first) = first else {
        return Ruling::met("all are described");
    };
    let names: Vec<&str> = bare.iter().map(String::as_str).collect();
    let names = several(&names);
    let message = format!(
        "{} of {count} parameters have no description: {names}",
        bare.len()
    );
    about(
        cx,
        first,
        "/inputSchema/properties",
        Finding::noted(message),
    )
    .about("tools/list")
    .into()
}

#[cfg(test)]
mod tests {
    use crate::testing::shows;
    use crate::testing::told::{says, tools as with};
    use serde_json::json;

    #[test]
    fn slips_of_descriptions() {
        shows(&[
            ("descriptions-alike", "surface.descriptions-alike", "warn"),
            ("prompt-undescribed", "surface.descriptions-missing", "info"),
        ]);
    }

    #[test]
    fn near_twins_are_noted() {
        let long = "Finds all invoices of one customer in the books by date status and amount";
        let tools = |other: &str| {
            with(&json!([
                {"name": "a", "description": long, "inputSchema": {"type": "object"}},
                {"name": "b", "description": other, "inputSchema": {"type": "object"}}
            ]))
        };
        let id = "surface.descriptions-alike";
        assert_eq!(says(id, &tools(&format!("{long} too"))), "noted");
        assert_eq!(says(id, &tools(&long.to_uppercase())), "broken");
        assert_eq!(says(id, &tools("Sends an invoice")), "met");
    }

    #[test]
    fn parameters_are_looked_at_one_by_one() {
        let tools = |schema: serde_json::Value| {
            with(
                &json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"x": schema}}}]),
            )
        };
        let id = "surface.parameters";
        assert_eq!(says(id, &tools(json!({"type": "string"}))), "noted");
        assert_eq!(
            says(id, &tools(json!({"description": "the number"}))),
            "met"
        );
        assert_eq!(says(id, &tools(json!({"$ref": "#/$defs/x"}))), "met");
    }
}
