//! The rules file: a YAML list of rules, and the same list as JSON. Every mistake is told at its place.

use crate::action::Action;
use crate::rule::{Rule, moment};
use serde_json::{Map, Number, Value};
use verdict_config::tree::{Content, Node, Place, document, short};

/// Bytes of a rules file beyond which it is none.
pub const MOST_BYTES: u64 = 4 << 20;
/// Rules of one list.
const MOST_RULES: usize = 1_000;
/// Longest time that a rule may name, in milliseconds.
const MOST_MS: u64 = 24 * 60 * 60 * 1_000;
const KEYS: [&str; 6] = ["fault", "when", "method", "tool", "for", "with"];

/// Reads a rules file; `file` is its name in messages.
///
/// # Errors
/// Every mistake, each behind `file:line:column` and with its mend, one a line.
pub fn parse(text: &str, file: &str) -> Result<Vec<Rule>, String> {
    let at = |place: Place, what: &str| format!("{file}:{}:{}: {what}", place.line, place.column);
    let read = document(text);
    let mut faults: Vec<String> = read
        .faults
        .iter()
        .map(|fault| at(fault.place, &format!("{}; {}", fault.message, fault.mend)))
        .collect();
    let mut rules = Vec::new();
    match read.root.as_deref() {
        None => {}
        Some(Node {
            content: Content::List(items),
            place,
            ..
        }) => {
            if items.len() > MOST_RULES {
                faults.push(at(
                    *place,
                    &format!("there are more than {MOST_RULES} rules; keep fewer"),
                ));
            }
            for item in items.iter().take(MOST_RULES) {
                match rule(item) {
                    Ok(rule) => rules.push(rule),
                    Err((place, what)) => faults.push(at(place, &what)),
                }
            }
        }
        Some(node) => faults.push(at(
            node.place,
            "a list of rules is due here; write `- { fault: http-503, when: first }`",
        )),
    }
    if faults.is_empty() {
        Ok(rules)
    } else {
        Err(faults.join("\n"))
    }
}

fn rule(node: &Node) -> Result<Rule, (Place, String)> {
    let Content::Mapping(entries) = &node.content else {
        let what = "a rule is a mapping; write `{ fault: http-503, when: first }`";
        return Err((node.place, what.to_owned()));
    };
    let mut members = Map::new();
    for entry in entries {
        if !KEYS.contains(&entry.key.as_str()) {
            return Err((entry.place, no_key(&entry.key)));
        }
        members.insert(entry.key.clone(), value(&entry.value));
    }
    of_members(&members).map_err(|(key, what)| {
        let entry = entries.iter().find(|entry| entry.key == key);
        (entry.map_or(node.place, |entry| entry.value.place), what)
    })
}

/// Rules of a JSON list.
///
/// # Errors
/// The first mistake, with the number of its rule and the mend.
pub fn from_json(list: &Value) -> Result<Vec<Rule>, String> {
    let Value::Array(items) = list else {
        return Err("a list of rules is due; send [{\"fault\": \"http-503\"}]".to_owned());
    };
    if items.len() > MOST_RULES {
        return Err(format!(
            "there are more than {MOST_RULES} rules; send fewer"
        ));
    }
    let one = |(at, item): (usize, &Value)| {
        let told = |what: String| format!("rule {}: {what}", at + 1);
        let Value::Object(members) = item else {
            return Err(told("a rule is an object".to_owned()));
        };
        if let Some(key) = members.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(told(no_key(key)));
        }
        of_members(members).map_err(|(key, what)| told(format!("`{key}`: {what}")))
    };
    items.iter().enumerate().map(one).collect()
}

fn no_key(key: &str) -> String {
    let shown = short(key, 60);
    format!(
        "there is no key `{shown}` in a rule; there are {}",
        KEYS.join(", ")
    )
}

/// A rule of its members; a mistake comes with the key that it is about.
fn of_members(members: &Map<String, Value>) -> Result<Rule, (&'static str, String)> {
    let text = |key: &'static str| match members.get(key) {
        None => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
        Some(_) => Err((key, format!("`{key}` is a text; put quotes around it"))),
    };
    let name = text("fault")?.ok_or(("fault", "`fault` says what happens; give one".to_owned()))?;
    let action = Action::named(&name, members.get("with")).map_err(|why| {
        let key = if why.contains("`with") {
            "with"
        } else {
            "fault"
        };
        (key, why)
    })?;
    let mut rule = Rule::new(action);
    match members.get("when") {
        None => {}
        Some(Value::String(when)) => rule.when = moment(when).map_err(|why| ("when", why))?,
        Some(Value::Number(nth)) => {
            rule.when = moment(&nth.to_string()).map_err(|why| ("when", why))?;
        }
        Some(_) => return Err(("when", "write first, 2, every or random:0.3".to_owned())),
    }
    if let Some(method) = text("method")? {
        rule.method = method;
    }
    rule.tool = text("tool")?;
    rule.for_ms = members.get("for").map(milliseconds).transpose()?;
    Ok(rule)
}

/// `1500`, `500ms`, `2s`.
fn milliseconds(value: &Value) -> Result<u64, (&'static str, String)> {
    let read = match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => match (text.strip_suffix("ms"), text.strip_suffix('s')) {
            (Some(ms), _) => ms.trim().parse().ok(),
            (None, Some(seconds)) => {
                let seconds = seconds.trim().parse::<u64>().ok();
                seconds.and_then(|seconds| seconds.checked_mul(1_000))
            }
            _ => text.parse().ok(),
        },
        _ => None,
    };
    let mend = "write milliseconds (1500), 500ms or 2s, at most a day";
    read.filter(|ms| *ms <= MOST_MS)
        .ok_or_else(|| ("for", mend.to_owned()))
}

/// A node as JSON, by YAML's core schema.
fn value(node: &Node) -> Value {
    match &node.content {
        Content::List(items) => items.iter().map(|item| value(item)).collect(),
        Content::Mapping(entries) => {
            let pair =
                |entry: &verdict_config::tree::Entry| (entry.key.clone(), value(&entry.value));
            Value::Object(entries.iter().map(pair).collect())
        }
        Content::Scalar { text, plain: false } => text.clone().into(),
        Content::Scalar { text, plain: true } => match text.as_str() {
            "" | "~" | "null" => Value::Null,
            "true" => true.into(),
            "false" => false.into(),
            _ => match text.parse::<Number>() {
                Ok(number) => Value::Number(number),
                Err(_) => text.clone().into(),
            },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verdict_model::fault::When;

    #[test]
    fn yaml_and_json_say_the_same() {
        let text = "- { fault: http-503, when: 2, tool: get_weather, for: 2s }\n- fault: error\n  when: every\n  method: '*'\n  with: { code: -32001, data: { a: [1, \"2\", null] } }\n- fault: connection-refused\n  for: 500ms\n";
        let rules = parse(text, "f.yaml").unwrap();
        assert_eq!(
            (rules[0].when, rules[0].for_ms),
            (When::Nth(2), Some(2_000))
        );
        assert_eq!(rules[1].method, "*");
        assert_eq!(rules[1].action.with().unwrap()["data"]["a"][1], "2");
        assert_eq!(rules[2].for_ms, Some(500));
        let json: Value = rules.iter().map(Rule::to_json).collect();
        assert_eq!(from_json(&json).unwrap(), rules);
        assert_eq!(parse("", "f.yaml"), Ok(vec![]));
    }

    #[test]
    fn mistakes_are_told_at_their_place() {
        for (text, place, words) in [
            (
                "- { fault: http-501 }",
                "f.yaml:1:12: ",
                "there is no fault `http-501`",
            ),
            (
                "- fault: timeout\n  wen: every\n",
                "f.yaml:2:3: ",
                "no key `wen`",
            ),
            (
                "- fault: timeout\n  when: never\n",
                "f.yaml:2:9: ",
                "@first, @2",
            ),
            ("- when: every\n", "f.yaml:1:3: ", "give one"),
            ("fault: timeout\n", "f.yaml:1:1: ", "a list of rules"),
            ("- timeout\n", "f.yaml:1:3: ", "a mapping"),
            (
                "- fault: slow-drip\n  for: 1h\n",
                "f.yaml:2:8: ",
                "500ms or 2s",
            ),
            (
                "- fault: error\n  with: { cod: 1 }\n",
                "f.yaml:2:9: ",
                "`cod`",
            ),
            ("- [", "f.yaml:1:", "no YAML"),
        ] {
            let said = parse(text, "f.yaml").unwrap_err();
            assert!(
                said.starts_with(place) && said.contains(words),
                "{text}: {said}"
            );
        }
        let both = parse("- { fault: a }\n- { fault: b }\n", "f").unwrap_err();
        assert_eq!(both.lines().count(), 2);
        let said = from_json(&serde_json::json!([{"fault": "timeout"}, {"x": 1}])).unwrap_err();
        assert!(said.starts_with("rule 2: "), "{said}");
    }
}
