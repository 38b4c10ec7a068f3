//! What clients and model providers refuse although the specification allows it: dated data with a source each.
//!
//! Limits change and sources disagree, so a finding names the client, what is lost, and as of when; it is never
//! more than a warning. A name or schema that the specification itself refuses is left to the rule on it.

use super::profiles::{KEYWORDS, NAMES, Name, SCHEMAS, Schema, Source, TOOLS};
use super::texts::several;
use crate::check::Check;
use crate::conformance::list::reach::{about, items, subject, unwalked};
use crate::context::Context;
use crate::facts::{Item, List};
use crate::ruling::{Finding, Ruling};
use serde_json::Value;
use std::collections::BTreeSet;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::advisory("surface.client-names", "Clients and model providers take the names of all tools")
        .spec("tools#tool-names")
        .why("One name outside a provider's alphabet can make every request with this server's tools fail.")
        .fix("Keep to A-Z, a-z, 0-9, `_` and `-`, begin with a letter, and stay within 64 characters.")
        .judge(names),
    Check::advisory("surface.client-schemas", "Clients and model providers take the schemas of all tools")
        .spec("tools#tool")
        .why("One schema that a provider does not take can make every request with this server's tools fail.")
        .fix("Keep combinators out of the root, give arrays `items`, write `{}` for `true`, and use plain property names.")
        .judge(schemas),
    Check::advisory("surface.client-count", "Clients and model providers take as many tools as there are")
        .spec("tools#tool")
        .why("Clients leave tools out, or a request fails, above a number of tools.")
        .fix("Offer fewer tools, or let users choose sets of them.")
        .judge(count),
];

/// Depth and number of subschemas that are looked at.
const DEPTH: usize = 24;
const VALUES: usize = 5_000;

fn finding(source: &Source, broken: bool, cx: &Context, tools: &[&Item], what: &str) -> Finding {
    let names: Vec<String> = tools.iter().map(|tool| subject(tool)).collect();
    let message = format!(
        "{} {what}: {} ({}, {})",
        source.effect,
        several(names.iter().map(String::as_str)),
        source.seen,
        source.url
    );
    let finding = if broken {
        Finding::broken(message)
    } else {
        Finding::noted(message)
    };
    about(cx, tools[0], "", finding).about(source.client)
}

/// Whether a name is one that the specification itself does not want.
fn is_ruled_out(name: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    name.is_empty() || name.chars().count() > 128 || !name.chars().all(plain)
}

fn refuses(profile: &Name, name: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || profile.marks.contains(letter);
    let first = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    name.len() > profile.most
        || !name.chars().all(plain)
        || profile.begins && !name.starts_with(first)
}

fn names(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Tools) {
        return ruling;
    }
    let tools = items(cx, List::Tools);
    let found = NAMES.iter().filter_map(|profile| {
        let refused: Vec<&Item> = tools
            .iter()
            .filter(|tool| !is_ruled_out(tool.name()) && refuses(profile, tool.name()))
            .collect();
        let what = "for a name";
        (!refused.is_empty()).then(|| finding(&profile.source, true, cx, &refused, what))
    });
    Ruling::of(found.collect(), "all names are taken")
}

/// What the schemas of a tool have that clients trip over.
fn traits(tool: &Value) -> (BTreeSet<Schema>, BTreeSet<&str>) {
    let (mut has, mut keywords) = (BTreeSet::new(), BTreeSet::new());
    let input = tool.get("inputSchema").and_then(Value::as_object);
    for (name, _) in input.into_iter().flatten() {
        if matches!(name.as_str(), "oneOf" | "anyOf" | "allOf") {
            has.insert(Schema::RootCombinator);
        }
    }
    let keys = input.and_then(|input| input.get("properties")?.as_object());
    let plain = |key: &str| {
        let fits = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
        (1..=64).contains(&key.len()) && key.chars().all(fits)
    };
    if keys.into_iter().flatten().any(|(key, _)| !plain(key)) {
        has.insert(Schema::PropertyKey);
    }
    for member in ["inputSchema", "outputSchema"] {
        let mut left = VALUES;
        if let Some(schema) = tool.get(member) {
            // Providers are shown the input alone.
            let shown = member == "inputSchema";
            walk(schema, DEPTH, &mut left, &mut |schema| {
                let members = schema.as_object();
                let properties = members.and_then(|all| all.get("properties")?.as_object());
                if properties.is_some_and(|all| all.values().any(Value::is_boolean)) {
                    has.insert(Schema::BooleanProperty);
                }
                let array = schema.get("type").is_some_and(|kind| kind == "array");
                let items = schema.get("items").or(schema.get("prefixItems"));
                if shown && array && items.is_none() {
                    has.insert(Schema::ArrayWithoutItems);
                }
                let names = members.into_iter().flatten().map(|(name, _)| name.as_str());
                keywords.extend(names.filter(|name| shown && KEYWORDS.0.contains(name)));
            });
        }
    }
    (has, keywords)
}

/// Visits a schema and the schemas in it.
fn walk<'v>(schema: &'v Value, depth: usize, left: &mut usize, visit: &mut impl FnMut(&'v Value)) {
    if depth == 0 || *left == 0 {
        return;
    }
    *left -= 1;
    visit(schema);
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        match (keyword.as_str(), value) {
            ("properties" | "$defs" | "definitions" | "patternProperties", Value::Object(all)) => {
                for schema in all.values() {
                    walk(schema, depth - 1, left, visit);
                }
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems" | "items", Value::Array(all)) => {
                for schema in all {
                    walk(schema, depth - 1, left, visit);
                }
            }
            (
                "items" | "additionalProperties" | "not" | "if" | "then" | "else",
                Value::Object(_),
            ) => {
                walk(value, depth - 1, left, visit);
            }
            _ => {}
        }
    }
}

fn schemas(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Tools) {
        return ruling;
    }
    let tools = items(cx, List::Tools);
    let traits: Vec<_> = tools.iter().map(|tool| traits(tool.value)).collect();
    let with = |has: &dyn Fn(usize) -> bool| -> Vec<&Item> {
        let tools = tools.iter().enumerate();
        tools
            .filter(|(at, _)| has(*at))
            .map(|(_, tool)| tool)
            .collect()
    };
    let mut findings = Vec::new();
    for (schema, what, source) in SCHEMAS {
        let refused = with(&|at| traits[at].0.contains(schema));
        if !refused.is_empty() {
            findings.push(finding(source, true, cx, &refused, what));
        }
    }
    let reduced = with(&|at| !traits[at].1.is_empty());
    if !reduced.is_empty() {
        let all: BTreeSet<&str> = traits
            .iter()
            .flat_map(|(_, one)| one.iter().copied())
            .collect();
        let what = format!("{} in", several(all));
        findings.push(finding(&KEYWORDS.1, false, cx, &reduced, &what));
    }
    Ruling::of(findings, "all schemas are taken")
}

fn count(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Tools) {
        return ruling;
    }
    let tools = items(cx, List::Tools);
    let (most, source) = TOOLS;
    if tools.len() <= most {
        return Ruling::met(format!("{} tools", tools.len()));
    }
    let message = format!(
        "{} {most} tools; there are {} ({}, {})",
        source.effect,
        tools.len(),
        source.seen,
        source.url
    );
    about(cx, &tools[0], "", Finding::noted(message))
        .about(source.client)
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruling::Weight;
    use crate::testing::shows;
    use crate::testing::told;
    use serde_json::json;

    fn found(id: &str, tools: &Value) -> Vec<(Weight, String)> {
        match crate::testing::ruling_on(id, &told::tools(tools)) {
            Ruling::Found(found) => found
                .into_iter()
                .map(|one| (one.weight, one.subject.unwrap_or_default()))
                .collect(),
            _ => vec![],
        }
    }

    #[test]
    fn slips_that_clients_refuse() {
        shows(&[
            ("name-dotted", "surface.client-names", "warn"),
            ("schema-root-any", "surface.client-schemas", "warn"),
            ("tools-many", "surface.client-count", "info"),
        ]);
    }

    #[test]
    fn each_provider_has_its_own_names() {
        let clients = |name: &str| -> Vec<String> {
            let tools = json!([{"name": name, "inputSchema": {"type": "object"}}]);
            let found = found("surface.client-names", &tools);
            found.into_iter().map(|(_, client)| client).collect()
        };
        assert_eq!(clients("fetch-json"), [""; 0]);
        assert_eq!(
            clients("calendar.respond"),
            ["OpenAI", "Anthropic", "Claude Desktop"]
        );
        assert_eq!(
            clients(&"a".repeat(65)),
            ["OpenAI", "Claude Desktop", "Gemini"]
        );
        assert_eq!(clients("2fa"), ["Gemini"]);
        // The specification refuses these itself.
        assert_eq!(clients("a/b"), [""; 0]);
    }

    #[test]
    fn schemas_are_told_by_client() {
        let weights = |schema: Value| -> Vec<(Weight, String)> {
            found(
                "surface.client-schemas",
                &json!([{"name": "a", "inputSchema": schema}]),
            )
        };
        let clients = |schema: Value| -> Vec<String> {
            weights(schema)
                .into_iter()
                .map(|(_, client)| client)
                .collect()
        };
        assert_eq!(
            clients(json!({"type": "object", "properties": {"a": {"anyOf": [{}]}}})),
            [""; 0]
        );
        assert_eq!(
            clients(json!({"type": "object", "anyOf": [{}]})),
            ["Anthropic"]
        );
        assert_eq!(
            clients(json!({"properties": {"a": {"type": "array"}}})),
            ["OpenAI"]
        );
        assert_eq!(clients(json!({"properties": {"$top": {}}})), ["Anthropic"]);
        assert_eq!(clients(json!({"properties": {"a": true}})), ["OpenCode"]);
        let reduced =
            weights(json!({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {}}}));
        assert_eq!(reduced, [(Weight::Noted, "Gemini".to_owned())]);
    }
}
