//! What tells whether a case is still the same case: pools of earlier runs are kept by it.
//!
//! A hash covers what the model is given (prompt, history, canned results, answers) and what is expected of it. Left out are the
//! strictness (`kind`), `runs`, `tags`, the rubric, whose own hash the report has, and all that does not change what a run does.

use super::{Case, Execute, Expect, Golden, Matcher, Order, text};
use crate::chat::Turn;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The first 128 bits are kept, in hexadecimal.
const BYTES: usize = 16;

/// The hash of one case.
///
/// `aliases` are those of the set: a name that a tool has now counts as the oldest one, so a rename with an alias changes
/// nothing. Members that are absent are left out, so that a later version of the format can have more of them.
pub fn case(case: &Case, aliases: &BTreeMap<String, String>) -> String {
    digest("case", &stimulus_and_key(case, &Oldest::of(aliases)))
}

/// The hash of a set: of all its cases, their strictness and their rubrics, in whatever order.
pub fn set(golden: &Golden) -> String {
    let oldest = Oldest::of(&golden.aliases);
    let cases: BTreeMap<&str, Value> = golden
        .cases
        .iter()
        .map(|case| (case.id.as_str(), entry(case, &oldest)))
        .collect();
    digest("set", &json!(cases))
}

fn entry(case: &Case, oldest: &Oldest) -> Value {
    json!({
        "case": digest("case", &stimulus_and_key(case, oldest)),
        "kind": case.kind,
        "runs": case.runs,
        "rubric": case.rubric,
    })
}

pub(crate) fn digest(what: &str, value: &Value) -> String {
    let text = format!("mcp-verdict/golden/v1/{what}\n{}", canonical(value));
    let hash = Sha256::digest(text.as_bytes());
    hash.iter()
        .take(BYTES)
        .fold(String::new(), |mut out, byte| {
            // Writing to a string cannot fail.
            let _ = write!(out, "{byte:02x}");
            out
        })
}

/// The oldest name of each tool that was renamed.
struct Oldest<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Oldest<'a> {
    fn of(aliases: &'a BTreeMap<String, String>) -> Self {
        Self(
            aliases
                .iter()
                .map(|(old, new)| (new.as_str(), old.as_str()))
                .collect(),
        )
    }

    fn name(&self, name: &'a str) -> &'a str {
        let mut name = name;
        // A ring of names, which no reader lets through, ends too.
        for _ in 0..self.0.len() {
            match self.0.get(name) {
                Some(older) => name = older,
                None => break,
            }
        }
        name
    }

    fn names(&self, names: &'a [String]) -> Vec<&'a str> {
        let mut names: Vec<_> = names.iter().map(|name| self.name(name)).collect();
        names.sort_unstable();
        names
    }
}

fn stimulus_and_key(case: &Case, oldest: &Oldest) -> Value {
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| out.insert(key.to_owned(), value);
    put("prompt", json!(case.prompt));
    put("expect", expectation(&case.expect, oldest));
    if !case.matchers.is_empty() {
        put("match", matchers(case, oldest));
    }
    if !case.history.is_empty() {
        put("history", case.history.iter().map(turn).collect());
    }
    if !case.tool_results.is_empty() {
        let results: BTreeMap<_, _> = case
            .tool_results
            .iter()
            .map(|(tool, results)| (oldest.name(tool), results))
            .collect();
        put("results", json!(results));
    }
    match case.execute {
        Execute::Auto => None,
        Execute::Live => put("execute", json!("live")),
        Execute::Canned => put("execute", json!("canned")),
    };
    if !case.forbid_tools.is_empty() {
        put("forbid", json!(oldest.names(&case.forbid_tools)));
    }
    if case.allow_extra_calls {
        put("extra", json!(true));
    }
    if !case.answers.is_empty() {
        put("answers", Value::Object(case.answers.clone()));
    }
    Value::Object(out)
}

fn turn(turn: &Turn) -> Value {
    match turn {
        Turn::User { text } => json!({ "user": text }),
        Turn::Assistant(said) => json!({ "assistant": said.text, "calls": said.calls }),
        Turn::Tool { results } => json!({ "tool": results }),
    }
}

fn expectation(expect: &Expect, oldest: &Oldest) -> Value {
    match expect {
        Expect::Nothing => json!({ "nothing": true }),
        Expect::Anything => json!({ "anything": true }),
        Expect::Tool { names, arguments } => {
            json!({ "tools": oldest.names(names), "arguments": arguments })
        }
        Expect::Sequence { steps, order } => {
            let order = match order {
                Order::Exact => "exact",
                Order::InOrder => "in_order",
                Order::Any => "any",
            };
            let steps: Vec<_> = steps
                .iter()
                .map(|step| json!({ "tool": oldest.name(&step.tool), "arguments": step.arguments }))
                .collect();
            json!({ "steps": steps, "order": order })
        }
    }
}

fn matchers(case: &Case, oldest: &Oldest) -> Value {
    let written = |(key, matcher): (&String, &Matcher)| (renamed(key, case, oldest), of(matcher));
    Value::Object(case.matchers.iter().map(written).collect())
}

/// A key `tool.argument` under the tool's oldest name.
fn renamed(key: &str, case: &Case, oldest: &Oldest) -> String {
    match case.expect.tool_of_key(key) {
        Some(parts) => parts.written(oldest.name(parts.tool)),
        None => key.to_owned(),
    }
}

fn of(matcher: &Matcher) -> Value {
    match matcher {
        Matcher::Exact => json!("exact"),
        Matcher::Semantic => json!("semantic"),
        Matcher::AnyOf(values) => json!({ "any_of": values }),
        Matcher::Regex(pattern) => json!({ "regex": pattern }),
        Matcher::Contains(text) => json!({ "contains": text }),
        Matcher::Number(within) => json!({ "number": within }),
        Matcher::Date => json!("date"),
        Matcher::Set => json!("set"),
        Matcher::Subset => json!("subset"),
        Matcher::Any => json!("any"),
        Matcher::Absent => json!("absent"),
        Matcher::Ignore => json!("ignore"),
        Matcher::Embedding(least) => json!({ "embedding": least }),
    }
}

/// One text for equal values: keys in order, numbers by value, text in NFC.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let sorted: BTreeMap<String, Value> = members
                .iter()
                .map(|(key, value)| (text::nfc(key).into_owned(), canonical(value)))
                .collect();
            Value::Object(sorted.into_iter().collect())
        }
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::String(text) => Value::String(text::nfc(text).into_owned()),
        Value::Number(number) => whole(number).unwrap_or_else(|| value.clone()),
        other => other.clone(),
    }
}

/// A whole number that is written with a fraction, without it.
fn whole(number: &serde_json::Number) -> Option<Value> {
    /// Beyond it, a float is no exact whole number.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let value = number.as_f64().filter(|_| number.is_f64())?;
    if value.fract() != 0.0 || value.abs() > EXACT {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
    let whole = value as i64;
    Some(json!(whole))
}

#[cfg(test)]
mod tests {
    use crate::golden::{Golden, read};

    const BASE: &str = "- { id: a, prompt: café, expect_tool: [x, y], expect_args: { n: 1, m: { b: 1, a: 2 } }, arg_match: { n: exact, x.m: any } }";

    fn golden(text: &str) -> Golden {
        read(text, "g.yaml").unwrap_or_else(|it| panic!("{text} {it:?}"))
    }

    fn hashes(text: &str) -> (String, String) {
        let golden = golden(text);
        (
            super::case(&golden.cases[0], &golden.aliases),
            super::set(&golden),
        )
    }

    #[test]
    fn what_says_the_same_has_the_same_hash() {
        let base = hashes(BASE);
        assert_eq!((base.0.len(), base.1.len()), (32, 32));
        let form = "# words\naliases: { }\ncases:\n  - arg_match:\n      x.m: any\n      n: exact\n    expect_args: { m: { a: 2, b: 1 }, n: 1.0 }\n    expect_tool: [\"y\", 'x']\n    prompt: \"cafe\u{301}\"\n    id: a\n";
        assert_eq!(hashes(form), base);
        let renamed = |name: &str, from: &str| {
            let case = BASE
                .replace("[x,", &format!("[{name},"))
                .replace("x.m", &format!("{name}.m"));
            hashes(&format!("aliases: {{ {from} }}\ncases:\n{case}\n"))
        };
        assert_eq!(renamed("z", "x: z"), base);
        assert_eq!(renamed("z", "x: w, w: z"), base);
        assert_eq!(renamed("x", "x: z"), base);
        assert_ne!(renamed("z", "q: r"), base);
        for (more, text) in [
            ("tags", "tags: t"),
            ("runs", "runs: 7"),
            ("kind", "kind: hard"),
            ("rubric", "rubric: r.md"),
        ] {
            assert_eq!(
                hashes(&BASE.replace("id: a", &format!("id: a, {text}"))).0,
                base.0,
                "{more}"
            );
        }
        let two = |one: &str, two: &str| super::set(&golden(&format!("{one}\n{two}\n")));
        let other = "- { id: b, prompt: p, expect_tool: null }";
        assert_eq!(two(BASE, other), two(other, BASE));
    }

    #[test]
    fn every_change_of_the_question_or_the_key_is_another_case() {
        let mut seen = std::collections::BTreeSet::from([hashes(BASE).0]);
        for (from, to) in [
            ("café", "cafe"),
            ("café", "Café"),
            ("[x, y]", "x"),
            ("n: 1,", "n: 2,"),
            ("n: 1,", "n: '1',"),
            ("n: 1,", "n: 1, o: null,"),
            ("n: exact", "n: any"),
            ("n: exact", "n: { number: 1 }"),
            ("n: exact, ", ""),
            ("x.m: any", "y.m: any"),
            ("id: a", "id: a, forbid_tools: z"),
            ("id: a", "id: a, allow_extra_calls: true"),
            ("id: a", "id: a, execute: live"),
            ("id: a", "id: a, execute: canned"),
            ("id: a", "id: a, answers: { a: 1 }"),
            ("id: a", "id: a, tool_results: { x: r }"),
            ("id: a", "id: a, tool_results: { x: [r, r] }"),
            ("id: a", "id: a, history: [{ user: u }, { assistant: v }]"),
        ] {
            let changed = BASE.replace(from, to);
            assert_ne!(changed, BASE);
            assert!(seen.insert(hashes(&changed).0), "{to}");
        }
        let case = |more: &str| format!("- {{ id: a, prompt: café, {more} }}");
        for more in [
            "expect_tool: null",
            "kind: never, forbid_tools: x",
            "expect_sequence: [x, y]",
            "expect_sequence: [y, x]",
            "expect_sequence: [x, y], order: any",
            "expect_sequence: [x, y], order: exact",
            "expect_sequence: [x, { tool: y, args: {} }]",
        ] {
            assert!(seen.insert(hashes(&case(more)).0), "{more}");
        }
        let sets: Vec<_> = ["", ", kind: hard", ", runs: 7", ", rubric: r.md"]
            .iter()
            .map(|it| hashes(&BASE.replace("id: a", &format!("id: a{it}"))).1)
            .collect();
        assert!(
            (1..sets.len()).all(|at| !sets[..at].contains(&sets[at])),
            "a weaker key is another set"
        );
    }

    /// Stored hashes must not change with the program: this one is what version 1 of the format gives.
    #[test]
    fn the_hash_is_a_promise() {
        assert_eq!(hashes(BASE).0, "8d48cd8a438271b2e665b1182ad38fd1");
    }
}
