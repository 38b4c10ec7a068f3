//! What differs between the baseline's list of tools and today's, in words for a finding's cause.

use crate::tool::Tool;
use serde_json::Value;
use std::collections::BTreeMap;

/// Characters of a description on each side.
const MOST: usize = 240;

/// A tool that is not what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The tool's name.
    pub tool: String,
    /// What changed, in words.
    pub text: String,
}

/// What differs, tool by tool in the order of their names; a list in another order is one change without a name.
pub fn changes(before: &[Tool], now: &[Tool]) -> Vec<Change> {
    let by_name = |tools: &[Tool]| -> BTreeMap<String, Tool> {
        let named = tools
            .iter()
            .map(|tool| (tool.name().to_owned(), tool.clone()));
        named.collect()
    };
    let (old, new) = (by_name(before), by_name(now));
    let mut found = Vec::new();
    for (name, was) in &old {
        let text = match new.get(name) {
            None => Some("the tool is gone".to_owned()),
            Some(is) => difference(was, is),
        };
        found.extend(text.map(|text| change(name, text)));
    }
    for name in new.keys().filter(|name| !old.contains_key(*name)) {
        found.push(change(name, "the tool is new".to_owned()));
    }
    if found.is_empty() && before != now {
        found.push(change(
            "",
            "the tools are listed in another order".to_owned(),
        ));
    }
    found
}

/// The changes that concern a case, told in one line: those of tools that it names, else all; `None` for no change.
pub fn told<'a>(changes: &[Change], mut concerns: impl FnMut(&str) -> bool + 'a) -> Option<String> {
    let near: Vec<&Change> = changes
        .iter()
        .filter(|change| concerns(&change.tool))
        .collect();
    let chosen = if near.is_empty() {
        changes.iter().collect()
    } else {
        near
    };
    let shown: Vec<String> = chosen
        .iter()
        .take(3)
        .map(|change| match change.tool.as_str() {
            "" => change.text.clone(),
            tool => format!("{tool}: {}", change.text),
        })
        .collect();
    let more = match chosen.len().saturating_sub(shown.len()) {
        0 => String::new(),
        more => format!("; and {more} more tools"),
    };
    (!shown.is_empty()).then(|| format!("{}{more}", shown.join("; ")))
}

fn change(tool: &str, text: String) -> Change {
    Change {
        tool: tool.to_owned(),
        text,
    }
}

fn difference(was: &Tool, is: &Tool) -> Option<String> {
    let mut parts = Vec::new();
    let (old, new) = (was.description(), is.description());
    if old != new {
        parts.push(match (old, new) {
            (None, Some(new)) => format!("the description is new: {}", quoted(new)),
            (Some(old), None) => format!("the description is gone; it was {}", quoted(old)),
            (old, new) => format!(
                "the description was {} and is {}",
                quoted(old.unwrap_or_default()),
                quoted(new.unwrap_or_default())
            ),
        });
    }
    if was.input_schema() != is.input_schema() {
        parts.push(arguments(was.input_schema(), is.input_schema()));
    }
    let rest = |tool: &Tool| {
        let mut rest = tool.0.clone();
        for key in ["description", "inputSchema"] {
            rest.remove(key);
        }
        rest
    };
    let (old, new) = (rest(was), rest(is));
    let mut others: Vec<&String> = old
        .iter()
        .filter(|(key, value)| new.get(*key) != Some(value))
        .map(|(key, _)| key)
        .chain(new.keys().filter(|key| !old.contains_key(*key)))
        .collect();
    others.sort();
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().map(|name| name.as_str()).collect();
        parts.push(format!("changed: {}", names.join(", ")));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn arguments(was: Option<&Value>, is: Option<&Value>) -> String {
    let properties = |schema: Option<&Value>| -> BTreeMap<String, Value> {
        let map = schema.and_then(|schema| schema.get("properties")?.as_object());
        map.into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    };
    let (old, new) = (properties(was), properties(is));
    let mut names: Vec<&str> = old
        .iter()
        .filter(|(name, value)| new.get(*name) != Some(value))
        .map(|(name, _)| name.as_str())
        .chain(
            new.keys()
                .map(String::as_str)
                .filter(|name| !old.contains_key(*name)),
        )
        .collect();
    names.sort_unstable();
    if names.is_empty() {
        "the arguments' schema changed".to_owned()
    } else {
        format!("the schema of {} changed", names.join(", "))
    }
}

/// A description, or its beginning and the number of its characters.
fn quoted(text: &str) -> String {
    let length = text.chars().count();
    if length <= MOST {
        return format!("\u{201c}{text}\u{201d}");
    }
    let start: String = text.chars().take(MOST).collect();
    format!("\u{201c}{start}\u{2026}\u{201d} ({length} characters)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(name: &str, description: &str) -> Tool {
        let value =
            json!({"name": name, "description": description, "inputSchema": {"type": "object"}});
        serde_json::from_value(value).expect("a tool")
    }

    #[test]
    fn what_concerns_the_case_is_told_first() {
        let before = [
            tool("a", "Finds bills."),
            tool("b", "Sends."),
            tool("c", "Old."),
        ];
        let now = [
            tool("a", "Does things."),
            tool("b", "Sends it."),
            tool("d", "New."),
        ];
        let found = changes(&before, &now);
        let names: Vec<&str> = found.iter().map(|change| change.tool.as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "d"]);
        let told = told(&found, |tool| tool == "a").expect("a change");
        assert_eq!(
            told,
            "a: the description was \u{201c}Finds bills.\u{201d} and is \u{201c}Does things.\u{201d}"
        );
    }

    #[test]
    fn equal_lists_differ_in_nothing() {
        let tools = [tool("a", "x"), tool("b", "y")];
        assert!(changes(&tools, &tools).is_empty());
        assert_eq!(told(&[], |_| true), None);
        let turned = [tool("b", "y"), tool("a", "x")];
        assert_eq!(
            changes(&tools, &turned)[0].text,
            "the tools are listed in another order"
        );
    }
}
