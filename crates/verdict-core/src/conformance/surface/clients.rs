//! What clients and model providers refuse although the specification allows it: dated data with a source each.
//!
//! Limits change and sources disagree, so a finding names the client, what is lost, and as of when; it is never
//! more than a warning. A name or schema that the specification itself refuses is left to the rule on it.

use super::profiles::{KEYWORDS, NAMES, Name, SCHEMAS, Schema, Source, TOOLS};
use super::texts::{named, several};
use crate::check::Check;
use crate::conformance::list::reach::{about, items, unwalked};
use crate::context::Context;
use crate::facts::{Item, List};
use crate::ruling::{Finding, Ruling, Weight};
use serde_json::Value;

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
    let message = format!(
        "{} {what}: {} ({}, {})",
        source.effect,
        named(tools),
        source.seen,
        source.url
    );
    let weight = if broken {
        Weight::Broken
    } else {
        Weight::Noted
    };
    let finding = Finding::new(weight, message);
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

/// What the schemas of a tool have that clients trip over: a bit for each [`Schema`], and one for each keyword.
fn traits(tool: &Value) -> (u32, u32) {
    let (mut has, mut keywords) = (0_u32, 0_u32);
    let input = tool.get("inputSchema");
    let member = |name: &str| input.and_then(|input| input.get(name));
    if ["oneOf", "anyOf", "allOf"]
        .iter()
        .any(|name| member(name).is_some())
    {
        has |= 1 << Schema::RootCombinator as u32;
    }
    let keys = member("properties").and_then(Value::as_object);
    let plain = |key: &str| {
        let fits = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
        (1..=64).contains(&key.len()) && key.chars().all(fits)
    };
    if keys.is_some_and(|keys| !keys.keys().all(|key| plain(key))) {
        has |= 1 << Schema::PropertyKey as u32;
    }
    for name in ["inputSchema", "outputSchema"] {
        // Providers are shown the input alone.
        let shown = name == "inputSchema";
        let mut left = VALUES;
        let Some(schema) = tool.get(name) else {
            continue;
        };
        walk(schema, DEPTH, &mut left, &mut |schema| {
            let properties = schema.get("properties").and_then(Value::as_object);
            if properties.is_some_and(|all| all.values().any(Value::is_boolean)) {
                has |= 1 << Schema::BooleanProperty as u32;
            }
            if !shown {
                return;
            }
            let array = schema.get("type").is_some_and(|kind| kind == "array");
            if array && schema.get("items").or(schema.get("prefixItems")).is_none() {
                has |= 1 << Schema::ArrayWithoutItems as u32;
            }
            for (at, keyword) in KEYWORDS.0.iter().enumerate() {
                keywords |= u32::from(schema.get(*keyword).is_some()) << at;
            }
        });
    }
    (has, keywords)
}

/// Visits a schema and the schemas in it.
fn walk(schema: &Value, depth: usize, left: &mut usize, visit: &mut dyn FnMut(&Value)) {
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
    let traits: Vec<(u32, u32)> = tools.iter().map(|tool| traits(tool.value)).collect();
    let with = |has: u32, keywords: u32| -> Vec<&Item> {
        let all = tools.iter().zip(&traits);
        all.filter(|(_, (one, other))| one & has != 0 || other & keywords != 0)
            .map(|(tool, _)| tool)
            .collect()
    };
    let mut findings = Vec::new();
    for (schema, what, source) in SCHEMAS {
        let refused = with(1 << *schema as u32, 0);
        if !refused.is_empty() {
            findings.push(finding(source, true, cx, &refused, what));
        }
    }
    let reduced = with(0, u32::MAX);
    if !reduced.is_empty() {
        let seen = |at: &usize| traits.iter().any(|(_, one)| one >> at & 1 == 1);
        let all = (0..KEYWORDS.0.len()).filter(seen).map(|at| KEYWORDS.0[at]);
        let what = format!("{} in", several(&all.collect::<Vec<_>>()));
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
