//! A first golden set, drafted by rules from what a server lists: something to correct rather than an empty page.
//!
//! Nobody but a person knows what users say, so every prompt is marked as one to be rewritten.

use crate::chat::{Request, Sampling, Turn};
use crate::lexical;
use crate::tool::Tool;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Tools that get a case; a set that is larger than this is nobody's to correct.
const TOOLS: usize = 60;
/// Pairs of tools that get a case.
const PAIRS: usize = 5;
/// Words that two tools have to share to be told.
const SHARED: usize = 2;
/// Cases in which nothing should be called.
const NEGATIVES: usize = 4;
/// Letters of an id.
const LONGEST_ID: usize = 60;

/// What people say without wanting a tool; those that no tool seems to be for are taken.
const IDLE: [(&str, &str); 8] = [
    ("negative-thanks", "Thanks, that's all I needed."),
    ("negative-poem", "Write two lines about rain on a tin roof."),
    ("negative-meaning", "What does the word 'serendipity' mean?"),
    (
        "negative-opinion",
        "Do you think mornings are better for hard work?",
    ),
    (
        "negative-grammar",
        "Is it 'fewer' or 'less' with things that can be counted?",
    ),
    ("negative-greeting", "Good morning! How are you today?"),
    (
        "negative-history",
        "Who painted the ceiling of the Sistine Chapel?",
    ),
    (
        "negative-story",
        "Tell me a short bedtime story about a hedgehog.",
    ),
];

/// A golden set as YAML, with remarks for whoever goes on with it. `arguments` are valid arguments by tool, where they are known.
pub fn draft(
    tools: &[Tool],
    arguments: &std::collections::BTreeMap<String, Map<String, Value>>,
) -> String {
    let mut out = HEAD.to_owned();
    let mut ids = BTreeSet::new();
    let named: Vec<&Tool> = tools
        .iter()
        .filter(|tool| !tool.name().is_empty())
        .collect();
    out.push_str("\n# One case for each tool. TODO: say each prompt as your users would, without the tool's name.\n");
    for tool in named.iter().take(TOOLS) {
        let known = arguments.get(tool.name()).cloned().or_else(|| sample(tool));
        case_of(
            &mut out,
            &id(tool.name(), &mut ids),
            tool,
            known.as_ref(),
            "",
        );
    }
    if named.len() > TOOLS {
        let _ = writeln!(
            out,
            "\n# TODO: {} more tools have no case yet.",
            named.len() - TOOLS
        );
    }
    let pairs = pairs(&named);
    if !pairs.is_empty() {
        out.push_str("\n# Tools that are easily taken for one another. TODO: ask for what only the expected one does.\n");
    }
    for (one, two, shared) in pairs {
        let name = format!("{}-not-{}", one.name(), two.name());
        let _ = write!(
            out,
            "\n# {} and {} share: {}",
            line(one.name()),
            line(two.name()),
            line(&shared.join(", "))
        );
        case_of(&mut out, &id(&name, &mut ids), one, None, "confusable");
    }
    out.push_str("\n# Nothing should be called here. TODO: add what your users say that sounds like a task and is none.\n");
    let (doubtful, idle): (Vec<_>, Vec<_>) = IDLE
        .iter()
        .partition(|(_, prompt)| is_called(prompt, tools));
    for (name, prompt) in idle.into_iter().chain(doubtful).take(NEGATIVES) {
        let _ = write!(
            out,
            "\n- id: \"{}\"\n  prompt: {}\n  expect_tool: null\n  tags: [negative]\n",
            id(name, &mut ids),
            quoted(prompt)
        );
    }
    out
}

const HEAD: &str = "# A golden set, drafted from the server's own tools: tasks in plain language, and what a model should do at each.
# Only you know what your users say: every TODO is a place where this draft guesses. Then: mcp-verdict lint
# yaml-language-server: $schema=https://raw.githubusercontent.com/OWNER/mcp-verdict/v1/schema/golden-v1.json
";

fn case_of(out: &mut String, id: &str, tool: &Tool, known: Option<&Map<String, Value>>, tag: &str) {
    let _ = write!(
        out,
        "\n- id: \"{id}\"\n  prompt: {} # TODO\n  expect_tool: {}\n",
        quoted(&asked(tool, known, tag)),
        quoted(tool.name())
    );
    if let Some(known) = known.filter(|known| !known.is_empty()) {
        let _ = writeln!(
            out,
            "  expect_args: {}",
            flow(&Value::Object(known.clone()))
        );
    }
    if tool.claims_destructive() {
        out.push_str("  execute: canned # it says that it destroys something, so it is never called for real\n");
    }
    if !tag.is_empty() {
        let _ = writeln!(out, "  tags: [{tag}]");
    }
}

/// A request in words, made of the description's first sentence.
fn asked(tool: &Tool, known: Option<&Map<String, Value>>, tag: &str) -> String {
    let description = tool.description().unwrap_or_default();
    let words = match sentence(description) {
        text if text.is_empty() => tool.name().replace(['_', '-', '.'], " "),
        text => text,
    };
    let mut said = match tag {
        "" => format!("Please help me with this: {}", imperative(&words)),
        _ => format!("This, and nothing else: {}", imperative(&words)),
    };
    let values: Vec<String> = known
        .into_iter()
        .flatten()
        .map(|(name, value)| match value {
            Value::String(text) => format!("{name} {text}"),
            other => format!("{name} {other}"),
        })
        .collect();
    if !values.is_empty() {
        let _ = write!(said, " ({})", values.join(", "));
    }
    said
}

/// The first sentence of a description.
fn sentence(text: &str) -> String {
    let text = line(text.trim());
    let end = text.find(". ").map_or(text.len(), |end| end + 1);
    text[..end].trim().chars().take(200).collect()
}

/// `Gets the weather.` as `get the weather`: the first word without the ending of the third person, where it has one.
fn imperative(sentence: &str) -> String {
    let trimmed = sentence.trim().trim_end_matches(['.', '!', ':']);
    let (first, rest) = trimmed.split_once(' ').unwrap_or((trimmed, ""));
    let lower = first.to_lowercase();
    let is_acronym = first.chars().filter(|letter| letter.is_uppercase()).count() > 1;
    if is_acronym || !first.is_ascii() {
        return trimmed.to_owned();
    }
    let bare = if let Some(stem) = lower.strip_suffix("ies") {
        format!("{stem}y")
    } else if ["sses", "shes", "ches", "xes", "zes"]
        .iter()
        .any(|end| lower.ends_with(end))
    {
        lower[..lower.len() - 2].to_owned()
    } else if lower.ends_with('s') && !lower.ends_with("ss") && !lower.ends_with("us") {
        lower[..lower.len() - 1].to_owned()
    } else {
        lower
    };
    format!("{bare} {rest}").trim_end().to_owned()
}

/// Arguments that the schema itself gives an example, a default or a list of values for; only where all required ones have one.
fn sample(tool: &Tool) -> Option<Map<String, Value>> {
    let schema = tool.input_schema()?;
    let required = schema.get("required")?.as_array()?;
    let properties = schema.get("properties")?.as_object()?;
    let values = required.iter().map(|name| {
        let name = name.as_str()?;
        let property = properties.get(name)?;
        let first = |key: &str| property.get(key)?.as_array()?.first().cloned();
        let given = first("examples").or_else(|| property.get("default").cloned());
        let value = given.or_else(|| first("enum"))?;
        let is_plain = value.is_string() || value.is_number() || value.is_boolean();
        is_plain.then(|| (name.to_owned(), value))
    });
    values.collect()
}

/// The pairs of tools that share most of the words by which they are told.
fn pairs<'t>(tools: &[&'t Tool]) -> Vec<(&'t Tool, &'t Tool, Vec<String>)> {
    let tools = &tools[..tools.len().min(TOOLS)];
    let mut pairs = Vec::new();
    for (place, one) in tools.iter().enumerate() {
        for two in &tools[place + 1..] {
            let both = format!(
                "{} {}",
                one.description().unwrap_or_default(),
                two.description().unwrap_or_default()
            );
            let shared = lexical::shared_words(&both, one, two);
            if shared.len() >= SHARED {
                pairs.push((*one, *two, shared));
            }
        }
    }
    pairs.sort_by_key(|(_, _, shared)| std::cmp::Reverse(shared.len()));
    // Each tool is asked for once: its words are all that a prompt is made of.
    let mut asked = BTreeSet::new();
    let mut kept = Vec::new();
    for (one, two, shared) in pairs {
        if asked.insert(one.name()) {
            kept.push((one, two, shared));
        } else if asked.insert(two.name()) {
            kept.push((two, one, shared));
        }
    }
    kept.truncate(PAIRS);
    kept
}

/// Whether a tool seems to be for it.
fn is_called(prompt: &str, tools: &[Tool]) -> bool {
    let request = Request {
        system: String::new(),
        turns: vec![Turn::User {
            text: prompt.to_owned(),
        }],
        tools: tools.to_vec(),
        sampling: Sampling {
            temperature: None,
            seed: None,
            max_output_tokens: 1,
        },
    };
    !lexical::answer(&request).said.calls.is_empty()
}

/// An id that no case has yet: the letters, digits, dots, lines and dashes of a name.
fn id(name: &str, taken: &mut BTreeSet<String>) -> String {
    let kept: String = name
        .to_lowercase()
        .chars()
        .map(|letter| match letter {
            'a'..='z' | '0'..='9' | '-' => letter,
            _ => '-',
        })
        .take(LONGEST_ID)
        .collect();
    let base = match kept.trim_matches('-') {
        "" => "case",
        base => base,
    };
    let mut id = base.to_owned();
    let mut number = 2;
    while !taken.insert(id.clone()) {
        id = format!("{base}-{number}");
        number += 1;
    }
    id
}

/// Foreign text as a YAML scalar: JSON's quoted form is one.
fn quoted(text: &str) -> String {
    Value::String(line(text)).to_string()
}

/// A value in YAML's flow form; JSON is one.
fn flow(value: &Value) -> String {
    value.to_string()
}

/// Foreign text on one line, without what would be read as an end of it or does not show.
fn line(text: &str) -> String {
    text.chars()
        .map(|letter| {
            let breaks =
                letter.is_control() || matches!(
                    letter,
                    '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
                );
            if breaks { ' ' } else { letter }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{Weight, lint, read};
    use serde_json::json;
    use std::collections::BTreeMap;

    fn tools(list: Value) -> Vec<Tool> {
        serde_json::from_value(list).unwrap()
    }

    #[test]
    fn a_draft_is_a_golden_set_without_errors() {
        let tools = tools(json!([
            {"name": "get_weather", "description": "Gets the weather of a city. Use it for today.",
             "inputSchema": {"type": "object", "required": ["city"], "properties": {"city": {"type": "string", "examples": ["Seattle"]}}}},
            {"name": "get_forecast", "description": "Gets the weather of a city for some days.",
             "inputSchema": {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}}},
            {"name": "delete_city", "description": "Deletes a city.", "annotations": {"destructiveHint": true},
             "inputSchema": {"type": "object"}}
        ]));
        let text = draft(&tools, &BTreeMap::new());
        let golden = read(&text, "tasks.yaml").unwrap();
        let ids: Vec<_> = golden.cases.iter().map(|case| case.id.as_str()).collect();
        assert_eq!(ids[..3], ["get-weather", "get-forecast", "delete-city"]);
        assert!(ids.contains(&"get-weather-not-get-forecast"), "{ids:?}");
        assert_eq!(
            ids.iter().filter(|id| id.starts_with("negative-")).count(),
            4
        );
        assert_eq!(
            golden.cases[0].prompt,
            "Please help me with this: get the weather of a city (city Seattle)"
        );
        assert!(
            text.contains("expect_args: {\"city\":\"Seattle\"}"),
            "{text}"
        );
        let errors: Vec<_> = lint(&golden, Some(&tools))
            .into_iter()
            .filter(|remark| remark.level == Weight::Error)
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
    }

    #[test]
    fn names_and_texts_of_strangers_stay_within_their_places() {
        let tools = tools(json!([
            {"name": "a: b\n- id: evil", "description": "x\"\n- id: y\n  prompt: z # \u{2028}\u{feff}", "inputSchema": {"type": "object"}},
            {"name": "a: b\n- id: evil", "description": "#", "inputSchema": {"type": "object"}},
            {"name": "Ünïcödé", "inputSchema": {"type": "object", "required": ["q"],
             "properties": {"q": {"type": "string", "default": "}, evil: true # \n"}}}}
        ]));
        let text = draft(&tools, &BTreeMap::new());
        let golden =
            read(&text, "tasks.yaml").unwrap_or_else(|mistakes| panic!("{mistakes:?}\n{text}"));
        assert!(
            golden
                .cases
                .iter()
                .all(|case| case.id != "evil" && case.id != "y"),
            "{text}"
        );
    }

    #[test]
    fn a_name_that_yaml_takes_for_something_else_stays_a_name() {
        let tools = tools(json!([
            {"name": "null", "inputSchema": {"type": "object"}},
            {"name": "1.10", "description": "\u{202e}Reverses.", "inputSchema": {"type": "object"}},
            {"name": "true", "inputSchema": {"type": "object"}}
        ]));
        let text = draft(&tools, &BTreeMap::new());
        let golden =
            read(&text, "tasks.yaml").unwrap_or_else(|mistakes| panic!("{mistakes:?}\n{text}"));
        assert_eq!(golden.cases[0].id, "null");
        assert!(!text.contains('\u{202e}'));
    }

    #[test]
    fn a_negative_that_a_tool_is_for_is_passed_over() {
        let tools = tools(
            json!([{"name": "tell_story", "description": "Tells a short bedtime story about a hedgehog.",
            "inputSchema": {"type": "object"}}]),
        );
        assert!(!draft(&tools, &BTreeMap::new()).contains("negative-story"));
        assert!(draft(&[], &BTreeMap::new()).contains("negative-thanks"));
    }

    #[test]
    fn descriptions_become_requests() {
        for (said, wanted) in [
            ("Gets the weather.", "get the weather"),
            ("Searches invoices.", "search invoices"),
            ("Copies a file", "copy a file"),
            ("Get one invoice.", "get one invoice"),
            ("SQL over the database.", "SQL over the database"),
            ("Process a payment", "process a payment"),
        ] {
            assert_eq!(imperative(said), wanted);
        }
    }
}
