//! What a case expects, in words: what a report shows beside the calls that were made.

use crate::golden::under;
use crate::golden::{Case, Expect, Matcher, Order};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// How many characters of one value are shown.
const SHOWN: usize = 60;

/// What a case expects, in one line: `get_invoice(id: "INV-1001")`, `no call`, `search, then send(to: "a@b.example")`.
pub fn expected(case: &Case) -> String {
    let text = match &case.expect {
        Expect::Nothing => "no call".to_owned(),
        Expect::Anything => "anything".to_owned(),
        Expect::Tool { names, arguments } => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            step(case, &names, arguments.as_ref(), (1, true))
        }
        Expect::Sequence { steps, order } => {
            let is_alone = steps.len() == 1;
            let shown = steps.iter().enumerate().map(|(index, it)| {
                let nth = steps[..=index]
                    .iter()
                    .filter(|other| other.tool == it.tool)
                    .count();
                step(
                    case,
                    &[it.tool.as_str()],
                    it.arguments.as_ref(),
                    (nth, is_alone),
                )
            });
            let shown: Vec<String> = shown.collect();
            match order {
                Order::Exact => format!("exactly {}", shown.join(", then ")),
                Order::InOrder => shown.join(", then "),
                Order::Any => format!("{}, in any order", shown.join(" and ")),
            }
        }
    };
    if case.forbid_tools.is_empty() {
        return text;
    }
    format!("{text}, and never {}", case.forbid_tools.join(" or "))
}

/// A call in one line: `get_invoice(id: "INV-1001")`.
pub fn shown_call(tool: &str, arguments: &Value) -> String {
    match arguments {
        Value::Object(members) => {
            let shown: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{name}: {}", shown(value)))
                .collect();
            format!("{tool}({})", shown.join(", "))
        }
        other => format!("{tool}({})", shown(other)),
    }
}

fn step(
    case: &Case,
    names: &[&str],
    arguments: Option<&Map<String, Value>>,
    place: (usize, bool),
) -> String {
    let tool = names.join(" or ");
    let (nth, is_alone) = place;
    let own = |key: &str| -> Option<(bool, String)> {
        let narrow = names.iter().find_map(|name| under(key, name));
        match narrow {
            Some((which, argument)) => which
                .is_none_or(|which| which == nth)
                .then(|| (which.is_some(), argument.to_owned())),
            None => Some((false, key.to_owned())),
        }
    };
    let mut matchers: BTreeMap<String, (usize, &Matcher)> = BTreeMap::new();
    for (key, matcher) in &case.matchers {
        if let Some((is_numbered, argument)) = own(key) {
            let is_expected = arguments.is_some_and(|it| it.contains_key(&argument));
            let is_bare = argument == *key;
            let rank = usize::from(!is_bare) + usize::from(is_numbered);
            let is_wider = matchers
                .get(&argument)
                .is_some_and(|(kept, _)| *kept > rank);
            if !is_wider && (is_alone || is_expected || !is_bare) {
                matchers.insert(argument, (rank, matcher));
            }
        }
    }
    let mut parts = Vec::new();
    for (name, value) in arguments.into_iter().flatten() {
        let matcher = matchers.remove(name).map(|(_, matcher)| matcher);
        parts.extend(part(name, Some(value), matcher));
    }
    for (name, (_, matcher)) in matchers {
        parts.extend(part(&name, None, Some(matcher)));
    }
    if parts.is_empty() && arguments.is_none() {
        return tool;
    }
    format!("{tool}({})", parts.join(", "))
}

/// One argument; nothing where it is not looked at.
fn part(name: &str, value: Option<&Value>, matcher: Option<&Matcher>) -> Option<String> {
    let value = value.map(shown);
    let either = |word: &str| value.as_ref().map_or_else(|| word.to_owned(), Clone::clone);
    let text = match matcher {
        None | Some(Matcher::Exact | Matcher::Date) => either("at its default"),
        Some(Matcher::Semantic | Matcher::Embedding(_)) => {
            format!("like {}", either("its default"))
        }
        Some(Matcher::AnyOf(values)) => {
            let all: Vec<String> = value.into_iter().chain(values.iter().map(shown)).collect();
            all.join(" or ")
        }
        Some(Matcher::Regex(pattern)) => format!("matching {}", cut(pattern)),
        Some(Matcher::Contains(part)) => {
            format!("with {} in it", shown(&Value::from(part.as_str())))
        }
        Some(Matcher::Number(most)) => format!("{} ± {most}", either("its default")),
        Some(Matcher::Set) => format!("{} in any order", either("its default")),
        Some(Matcher::Subset) => format!("at least {}", either("its default")),
        Some(Matcher::Any) => "anything".to_owned(),
        Some(Matcher::Absent) => "left out".to_owned(),
        Some(Matcher::Ignore) => return None,
    };
    Some(format!("{name}: {text}"))
}

fn shown(value: &Value) -> String {
    cut(&value.to_string())
}

fn cut(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    let short: String = text.chars().take(SHOWN).collect();
    format!("{short}…")
}
