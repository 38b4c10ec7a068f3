//! Values that models gave and the key refused, offered as synonyms.
//!
//! An offer is no verdict: whoever keeps the key decides whether `outstanding` means `unpaid`.

use super::{Case, Golden, Key, Matcher, Place, hash, text};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use verdict_model::behavior::{Behavior, Difference, Metric};

/// Values that are offered for one argument.
const MAX_VALUES: usize = 10;

/// Longest text that is offered.
const MAX_TEXT: usize = 200;

/// A value that was seen in place of an expected one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The value.
    pub value: String,
    /// In how many runs, of all models.
    pub runs: u64,
    /// It differs from the expected one in its digits: most such values are mistakes, not synonyms.
    pub digits_differ: bool,
}

/// Synonyms for one argument of one case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The id of the case.
    pub case: String,
    /// Where its matchers stand, or the case where it has none.
    pub place: Place,
    /// The key of `arg_match`.
    pub argument: String,
    /// What the case expects.
    pub expected: String,
    /// What was seen, most often first.
    pub seen: Vec<Seen>,
    /// The member of `arg_match` with every value whose digits do not differ, as one line of YAML; absent where none is left.
    pub line: Option<String>,
}

/// Offers the values of a report that were refused, where the case is still the one that was run, the argument is free text, and
/// the case does not ask for something stricter.
pub fn suggest(golden: &Golden, behavior: &Behavior) -> Vec<Suggestion> {
    let by_id: BTreeMap<&str, &Case> = golden
        .cases
        .iter()
        .map(|case| (case.id.as_str(), case))
        .collect();
    let mut seen: BTreeMap<(&str, String), BTreeMap<String, u64>> = BTreeMap::new();
    for result in behavior.models.iter().flat_map(|model| &model.cases) {
        let Some(case) = by_id.get(result.id.as_str()).copied() else {
            continue;
        };
        if hash::case(case, &golden.aliases) != result.hash {
            continue;
        }
        for difference in result.runs.iter().flat_map(|run| &run.differences) {
            if let Some((argument, value)) = offered(case, difference) {
                let values = seen.entry((&case.id, argument)).or_default();
                *values.entry(value).or_default() += 1;
            }
        }
    }
    let of = |case: &Case| {
        let range = (case.id.as_str(), String::new())..;
        let here = seen.range(range).take_while(|((id, _), _)| *id == case.id);
        here.filter_map(|((_, argument), values)| offer(golden, case, argument, values))
            .collect::<Vec<_>>()
    };
    golden.cases.iter().flat_map(of).collect()
}

/// The argument's key and the value of a difference that may be a synonym.
fn offered(case: &Case, difference: &Difference) -> Option<(String, String)> {
    if difference.metric != Metric::Arguments {
        return None;
    }
    let pointer = difference.pointer.as_deref()?.strip_prefix('/')?;
    if pointer.contains('/') {
        return None;
    }
    let argument = pointer.replace("~1", "/").replace("~0", "~");
    let (Value::String(_), Value::String(value)) =
        (difference.expected.as_ref()?, difference.actual.as_ref()?)
    else {
        return None;
    };
    if value.trim().is_empty() || value.chars().count() > MAX_TEXT {
        return None;
    }
    let tool = difference.tool.as_deref();
    let nth = tool.map_or(1, |tool| {
        step(case, tool, &argument, difference.expected.as_ref())
    });
    let scoped = tool.map(|tool| key(case, tool, nth, &argument));
    let matcher = tool.map_or_else(
        || case.matchers.get(&argument),
        |tool| case.matcher(tool, nth, &argument),
    );
    let open = matches!(
        matcher,
        None | Some(Matcher::Semantic | Matcher::AnyOf(_) | Matcher::Embedding(_))
    );
    open.then(|| (scoped.unwrap_or(argument), value.clone()))
}

/// The values that the steps of a tool expect of an argument, with the number of each step, from 1.
fn steps<'c>(case: &'c Case, tool: &str, argument: &str) -> Vec<(usize, &'c Value)> {
    let calls = case.expect.calls().into_iter();
    let own = calls.filter(|call| call.names.iter().any(|name| name == tool));
    let numbered = (1..).zip(own);
    numbered
        .filter_map(|(nth, call)| Some((nth, call.arguments?.get(argument)?)))
        .collect()
}

/// The step of a tool that expects this value, from 1.
fn step(case: &Case, tool: &str, argument: &str, expected: Option<&Value>) -> usize {
    let mut steps = steps(case, tool, argument).into_iter();
    let found = steps.find(|(_, value)| Some(*value) == expected);
    found.map_or(1, |(nth, _)| nth)
}

/// The key of `arg_match` for a step: the narrowest that the case has; where it has none and steps of one tool expect
/// different values, the step's own, since a synonym of one is none of the other.
fn key(case: &Case, tool: &str, nth: usize, argument: &str) -> String {
    let numbered = format!("{tool}#{nth}.{argument}");
    let scoped = format!("{tool}.{argument}");
    let steps = steps(case, tool, argument);
    let differ = steps.iter().any(|(_, value)| *value != steps[0].1);
    if differ || case.matchers.contains_key(&numbered) {
        numbered
    } else if case.matchers.contains_key(&scoped) {
        scoped
    } else {
        argument.to_owned()
    }
}

fn offer(
    golden: &Golden,
    case: &Case,
    argument: &str,
    values: &BTreeMap<String, u64>,
) -> Option<Suggestion> {
    let parts = case.expect.tool_of_key(argument);
    let numbered = parts.and_then(|parts| Some((parts, parts.nth?)));
    let (expected, matcher) = if let Some((Key { tool, argument, .. }, nth)) = numbered {
        let steps = steps(case, tool, argument);
        let own = steps.iter().find(|(step, _)| *step == nth)?;
        (own.1.as_str()?, case.matcher(tool, nth, argument))
    } else {
        let key = parts.map_or(argument, |parts| parts.argument);
        let calls = case.expect.calls();
        let mut values = calls
            .iter()
            .filter_map(|call| call.arguments?.get(key)?.as_str());
        (values.next()?, case.matchers.get(argument))
    };
    let known: &[Value] = match matcher {
        Some(Matcher::AnyOf(values)) => values,
        _ => &[],
    };
    let accepted: Vec<&str> = known
        .iter()
        .filter_map(Value::as_str)
        .chain([expected])
        .collect();
    let seen = ranked(values, &accepted, expected);
    let new: Vec<Value> = seen
        .iter()
        .filter(|it| !it.digits_differ)
        .map(|it| json!(it.value))
        .collect();
    // JSON text is YAML too, and says the same to every reader.
    let line = (!new.is_empty()).then(|| {
        let all: Vec<Value> = known.iter().cloned().chain(new).collect();
        format!("{}: {{ any_of: {} }}", json!(argument), Value::Array(all))
    });
    (!seen.is_empty()).then(|| Suggestion {
        case: case.id.clone(),
        place: golden.place(case, "arg_match"),
        argument: argument.to_owned(),
        expected: expected.to_owned(),
        seen,
        line,
    })
}

/// What was seen and is not accepted yet, most often first.
fn ranked(values: &BTreeMap<String, u64>, accepted: &[&str], expected: &str) -> Vec<Seen> {
    let is_new = |value: &str| !accepted.iter().any(|it| text::same_loosely(it, value));
    let mut seen: Vec<Seen> = values
        .iter()
        .filter(|(value, _)| is_new(value))
        .map(|(value, runs)| Seen {
            digits_differ: digits(value) != digits(expected),
            value: value.clone(),
            runs: *runs,
        })
        .collect();
    seen.sort_by(|one, two| {
        let often = two.runs.cmp(&one.runs);
        often.then_with(|| one.value.cmp(&two.value))
    });
    seen.truncate(MAX_VALUES);
    seen
}

fn digits(text: &str) -> String {
    text::fold(text)
        .chars()
        .filter(char::is_ascii_digit)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::suggest;
    use crate::golden::{Golden, hash, read};
    use serde_json::{Value, json};
    use verdict_model::behavior::Behavior;

    const SET: &str = "\
- id: a
  prompt: p
  expect_tool: find
  expect_args: { status: unpaid, id: ORD-10482, n: 5, title: x, note: y }
  arg_match: { status: { any_of: [open] }, title: exact, note: { regex: z } }
- { id: b, prompt: q, expect_sequence: [{ tool: send, args: { subject: Your bill } }], arg_match: { send.subject: semantic } }
";

    fn golden() -> Golden {
        read(SET, "g.yaml").expect("a set")
    }

    fn difference(tool: &str, pointer: &str, expected: &Value, actual: &Value) -> Value {
        json!({ "metric": "arguments", "tool": tool, "pointer": pointer, "expected": expected, "actual": actual, "message": "differs" })
    }

    fn behavior(id: &str, hash: &str, runs: &[Vec<Value>]) -> Behavior {
        let run = |(index, differences): (usize, &Vec<Value>)| json!({ "index": index, "outcome": "failed", "scores": {}, "calls": [], "turns": 1, "differences": differences });
        let runs: Vec<Value> = runs.iter().enumerate().map(run).collect();
        serde_json::from_value(json!({
            "golden": { "path": "g.yaml", "hash": "", "cases": 2 }, "durationMs": 1,
            "models": [{ "id": "m", "metrics": {}, "calls": 1, "cases": [{
                "id": id, "kind": "soft", "hash": hash, "prompt": "p", "expected": "e", "runs": runs,
                "passRate": null, "interval": null, "standing": "unknown",
            }] }],
        }))
        .expect("a report")
    }

    fn of(at: usize, runs: &[Vec<Value>]) -> Vec<super::Suggestion> {
        let golden = golden();
        let case = &golden.cases[at];
        suggest(
            &golden,
            &behavior(&case.id, &hash::case(case, &golden.aliases), runs),
        )
    }

    #[test]
    fn seen_values_are_offered() {
        let status = |value: &str| difference("find", "/status", &json!("unpaid"), &json!(value));
        let offers = of(
            0,
            &[
                vec![status("outstanding")],
                vec![status("due")],
                vec![status("outstanding"), status("Open")],
            ],
        );
        let [offer] = offers.as_slice() else {
            panic!("{offers:?}");
        };
        assert_eq!(
            (
                offer.argument.as_str(),
                offer.expected.as_str(),
                offer.place.line
            ),
            ("status", "unpaid", 5)
        );
        let seen: Vec<_> = offer
            .seen
            .iter()
            .map(|it| (it.value.as_str(), it.runs, it.digits_differ))
            .collect();
        assert_eq!(seen, [("outstanding", 2, false), ("due", 1, false)]);
        assert_eq!(
            offer.line.as_deref(),
            Some(r#""status": { any_of: ["open","outstanding","due"] }"#)
        );
        let line = offer.line.clone().expect("a line");
        let mended = SET.replace("status: { any_of: [open] }", &line);
        assert!(read(&mended, "g.yaml").is_ok(), "{mended}");
        let subject = difference(
            "send",
            "/subject",
            &json!("Your bill"),
            &json!("Bill: \"yours\" \u{1f9fe}"),
        );
        let offers = of(1, &[vec![subject]]);
        assert_eq!(
            offers[0].line.as_deref(),
            Some(r#""send.subject": { any_of: ["Bill: \"yours\" 🧾"] }"#)
        );
    }

    #[test]
    fn a_synonym_of_one_step_is_offered_for_that_step() {
        let set = "\
- id: a
  prompt: p
  expect_sequence: [{ tool: send, args: { subject: Your bill } }, { tool: send, args: { subject: A reminder } }]
  arg_match: { 'send#2.subject': { any_of: [Reminder] } }
";
        let golden = read(set, "g.yaml").expect("a set");
        let hash = hash::case(&golden.cases[0], &golden.aliases);
        let run = vec![
            difference("send", "/subject", &json!("Your bill"), &json!("The bill")),
            difference("send", "/subject", &json!("A reminder"), &json!("Remember")),
        ];
        let offers = suggest(&golden, &behavior("a", &hash, &[run]));
        let lines: Vec<_> = offers.iter().filter_map(|it| it.line.as_deref()).collect();
        assert_eq!(
            lines,
            [
                r#""send#1.subject": { any_of: ["The bill"] }"#,
                r#""send#2.subject": { any_of: ["Reminder","Remember"] }"#
            ]
        );
    }

    #[test]
    fn near_ids_are_shown_and_not_offered() {
        let id = difference("find", "/id", &json!("ORD-10482"), &json!("ORD-10483"));
        let offers = of(0, &[vec![id]]);
        assert!(
            offers[0].seen[0].digits_differ && offers[0].line.is_none(),
            "{offers:?}"
        );
    }

    #[test]
    fn what_is_not_free_text_is_not_offered() {
        for (pointer, expected, actual) in [
            ("/n", json!(5), json!(6)),
            ("/title", json!("x"), json!("w")),
            ("/note", json!("y"), json!("w")),
            ("/status/x", json!("unpaid"), json!("w")),
            ("/status", json!("unpaid"), json!(["w"])),
            ("/status", json!("unpaid"), json!(" ")),
            ("/status", json!("unpaid"), json!("UNPAID")),
            ("/gone", json!("unpaid"), json!("w")),
        ] {
            assert_eq!(
                of(0, &[vec![difference("find", pointer, &expected, &actual)]]),
                [],
                "{pointer}"
            );
        }
        let status = vec![difference(
            "find",
            "/status",
            &json!("unpaid"),
            &json!("due"),
        )];
        assert_eq!(
            suggest(
                &golden(),
                &behavior("a", "another", std::slice::from_ref(&status))
            ),
            [],
            "another case by now"
        );
        assert_eq!(suggest(&golden(), &behavior("zzz", "", &[status])), []);
    }
}
