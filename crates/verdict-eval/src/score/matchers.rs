//! The arguments of one call: each compared by the case's own matcher, else by the tool's schema.

use super::compare::{self, Asker, Found, Manner, invented, push, same_json};
use super::decimal::Decimal;
use super::moment::Moment;
use super::pairing::all_find_one;
use super::schema::At;
use super::{Means, Pair};
use crate::golden::text::fold;
use crate::golden::{Matcher, under};
use regex::RegexBuilder;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// How large one regular expression may become, in bytes.
const REGEX_BYTES: usize = 1 << 20;

/// What one step expects of its call's arguments.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// The expected arguments; none means that only those with a matcher are looked at.
    pub(super) arguments: Option<&'a Map<String, Value>>,
    /// The case's matchers.
    pub(super) matchers: &'a BTreeMap<String, Matcher>,
    /// All tools that the case expects: a key `TOOL.ARGUMENT` belongs to its tool alone.
    pub(super) tools: &'a [&'a str],
    /// Whether this is the case's only step: a key without a tool's name is about it then.
    pub(super) is_alone: bool,
    /// The how-manieth step of its tool this is, from 1: `TOOL#2.ARGUMENT` belongs to the second step alone.
    pub(super) nth: usize,
}

impl<'a> Wanted<'a> {
    /// Whether this step looks at arguments at all.
    pub(super) fn looks(&self, tool: &str) -> bool {
        self.arguments.is_some() || !self.own(tool).is_empty()
    }

    /// The matchers for this step, by argument; the narrowest key wins.
    fn own(&self, tool: &str) -> BTreeMap<&'a str, &'a Matcher> {
        let mut own: BTreeMap<&str, (Reach, &Matcher)> = BTreeMap::new();
        for (key, matcher) in self.matchers {
            let Some((reach, argument)) = self.reach(key, tool) else {
                continue;
            };
            let kept = own.entry(argument).or_insert((reach, matcher));
            if kept.0 < reach {
                *kept = (reach, matcher);
            }
        }
        own.into_iter()
            .map(|(argument, (_, matcher))| (argument, matcher))
            .collect()
    }

    /// How narrow a key is, and its argument; nothing where it belongs to another step.
    fn reach<'k>(&self, key: &'k str, tool: &str) -> Option<(Reach, &'k str)> {
        match under(key, tool) {
            Some((None, argument)) => return Some((Reach::Tool, argument)),
            Some((Some(nth), argument)) => {
                return (nth == self.nth).then_some((Reach::Step, argument));
            }
            None => {}
        }
        let is_of_another = self.tools.iter().any(|other| under(key, other).is_some());
        (!is_of_another).then_some((Reach::All, key))
    }
}

/// How many steps a key is for, the widest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    All,
    Tool,
    Step,
}

/// Compares the arguments of one call.
pub(super) fn arguments(
    asker: Asker<'_>,
    schema: Option<&Value>,
    wanted: Wanted<'_>,
    actual: &Map<String, Value>,
) -> Found {
    let at = At::root(schema.unwrap_or(&Value::Null));
    let own = wanted.own(asker.tool);
    let empty = Map::new();
    let expected = wanted.arguments.unwrap_or(&empty);
    let mut found = Found::default();
    for (name, one) in expected {
        let given = actual.get(name);
        match own.get(name.as_str()) {
            None => {
                let manner = Manner::Asking(Means::Judge);
                compare::member(asker, at, ("", name), (one, given), manner, &mut found);
            }
            Some(matcher) => matched(asker, at, name, (Some(one), given), matcher, &mut found),
        }
    }
    for (name, matcher) in &own {
        let given = actual.get(*name);
        let is_meant = wanted.is_alone || given.is_some() || at.knows(name);
        if is_meant && !expected.contains_key(*name) {
            matched(asker, at, name, (None, given), matcher, &mut found);
        }
    }
    if wanted.arguments.is_some() {
        let named: BTreeSet<&str> = own.keys().copied().collect();
        for (name, two) in actual {
            if !expected.contains_key(name) && !named.contains(name.as_str()) {
                invented(asker, at, ("", name), two, &mut found);
            }
        }
    }
    found
}

/// Compares one argument by a matcher.
fn matched(
    asker: Asker<'_>,
    at: At<'_>,
    name: &str,
    (expected, given): (Option<&Value>, Option<&Value>),
    matcher: &Matcher,
    found: &mut Found,
) {
    let pointer = push("", name);
    if let Matcher::Ignore | Matcher::Any | Matcher::Absent = matcher {
        return presence(&pointer, given, matcher, found);
    }
    let property = at.member(name);
    let actual = given.or_else(|| at.default_of(name));
    if let Matcher::AnyOf(values) = matcher {
        return any_of(asker, property, &pointer, (expected, actual, values), found);
    }
    let Some(actual) = actual else {
        let is_null = expected.is_some_and(Value::is_null);
        if !is_null
            && (expected.is_some() || matches!(matcher, Matcher::Regex(_) | Matcher::Contains(_)))
        {
            found.add(&pointer, expected, None, "left out");
        }
        return;
    };
    match (matcher, expected) {
        (Matcher::Regex(pattern), _) => regex(&pointer, pattern, actual, found),
        (Matcher::Contains(part), _) => contains(&pointer, part, actual, found),
        (_, None) => invented(asker, at, ("", name), actual, found),
        (_, Some(expected)) => {
            valued(
                asker,
                property,
                &pointer,
                (expected, actual),
                matcher,
                found,
            );
        }
    }
}

/// Looks only at whether the argument is there.
fn presence(pointer: &str, given: Option<&Value>, matcher: &Matcher, found: &mut Found) {
    let message = match (matcher, given) {
        (Matcher::Any, None) => "left out, and the case wants it to be there",
        (Matcher::Absent, Some(_)) => "the case wants it to be left out",
        _ => return,
    };
    found.add(pointer, None, given, message);
}

/// Compares by a matcher that needs an expected value.
fn valued(
    asker: Asker<'_>,
    at: At<'_>,
    pointer: &str,
    (expected, actual): (&Value, &Value),
    matcher: &Matcher,
    found: &mut Found,
) {
    let loosely = |one: &Value, two: &Value| {
        let mut trial = Found::default();
        compare::value(asker, at.item(0), "", (one, two), Manner::Loose, &mut trial);
        trial.is_right()
    };
    let message = match matcher {
        Matcher::Exact if same_json(expected, actual) => return,
        Matcher::Exact => "not equal as JSON, and the case compares it exactly".to_owned(),
        Matcher::Number(most) if is_near(expected, actual, *most) => return,
        Matcher::Number(most) => format!("no number at most {most} away from the expected one"),
        Matcher::Date if is_same_date(expected, actual) => return,
        Matcher::Date => "not the same date or moment".to_owned(),
        Matcher::Set => match (expected, actual) {
            (Value::Array(one), Value::Array(two))
                if one.len() == two.len()
                    && all_find_one(one.len(), two.len(), |i, j| loosely(&one[i], &two[j])) =>
            {
                return;
            }
            _ => "not the same items, in whatever order".to_owned(),
        },
        Matcher::Subset if is_part(asker, at, expected, actual) => return,
        Matcher::Subset => "not all of the expected parts are there".to_owned(),
        Matcher::Embedding(least) => {
            let manner = Manner::Asking(Means::Embedding(*least));
            return compare::value(asker, at, pointer, (expected, actual), manner, found);
        }
        _ => {
            let manner = Manner::Asking(Means::Judge);
            return compare::value(asker, at, pointer, (expected, actual), manner, found);
        }
    };
    found.add(pointer, Some(expected), Some(actual), message);
}

/// The expected value or one of the listed; null among them means that the argument may be left out.
fn any_of(
    asker: Asker<'_>,
    at: At<'_>,
    pointer: &str,
    (expected, actual, values): (Option<&Value>, Option<&Value>, &[Value]),
    found: &mut Found,
) {
    let mut accepted = expected.into_iter().chain(values);
    let is_right = match actual {
        None => accepted.any(Value::is_null),
        Some(actual) => accepted.any(|one| {
            let mut trial = Found::default();
            compare::value(asker, at, "", (one, actual), Manner::Loose, &mut trial);
            trial.is_right()
        }),
    };
    if !is_right {
        let accepted: Value = expected.into_iter().chain(values).cloned().collect();
        let message = match actual {
            None => "left out, and none of the accepted values is null",
            Some(_) => "none of the accepted values",
        };
        found.add(pointer, Some(&accepted), actual, message);
    }
}

fn regex(pointer: &str, pattern: &str, actual: &Value, found: &mut Found) {
    let message = match (
        RegexBuilder::new(pattern).size_limit(REGEX_BYTES).build(),
        actual,
    ) {
        (Ok(regex), Value::String(text)) if regex.is_match(text) => return,
        (Ok(_), Value::String(_)) => "the regular expression does not find itself in it",
        (Ok(_), _) => "no text, and the case has a regular expression for it",
        (Err(_), _) => "the case's regular expression is not valid: mend it in the golden set",
    };
    found.add(pointer, Some(&pattern.into()), Some(actual), message);
}

fn contains(pointer: &str, part: &str, actual: &Value, found: &mut Found) {
    if actual
        .as_str()
        .is_some_and(|text| fold(text).contains(&fold(part)))
    {
        return;
    }
    let message = "does not hold the expected text";
    found.add(pointer, Some(&part.into()), Some(actual), message);
}

fn is_near(expected: &Value, actual: &Value, most: f64) -> bool {
    let decimal = |value: &Value| value.as_number().and_then(Decimal::of_number);
    let most = serde_json::Number::from_f64(most);
    match (
        decimal(expected),
        decimal(actual),
        most.and_then(|most| Decimal::of_number(&most)),
    ) {
        (Some(expected), Some(actual), Some(most)) => expected.is_near(&actual, &most),
        _ => false,
    }
}

fn is_same_date(expected: &Value, actual: &Value) -> bool {
    let moment = |value: &Value| value.as_str().and_then(Moment::read_freely);
    match (moment(expected), moment(actual)) {
        (Some(expected), Some(actual)) => expected.is(actual, true),
        _ => false,
    }
}

/// Whether all expected parts are in the actual value, at any depth.
fn is_part(asker: Asker<'_>, at: At<'_>, expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Object(one), Value::Object(two)) => one.iter().all(|(name, one)| {
            two.get(name)
                .is_some_and(|two| is_part(asker, at.member(name), one, two))
        }),
        (Value::Array(one), Value::Array(two)) => all_find_one(one.len(), two.len(), |i, j| {
            is_part(asker, at.item(j), &one[i], &two[j])
        }),
        _ => {
            let mut trial = Found::default();
            compare::value(asker, at, "", (expected, actual), Manner::Loose, &mut trial);
            trial.is_right()
        }
    }
}

impl Means {
    /// Said of a pair that was decided against.
    pub(super) fn refusal(self) -> &'static str {
        match self {
            Self::Judge => "another text, and the judge says that it means something else",
            Self::Embedding(_) => {
                "another text, and its embedding is further away than the case allows"
            }
        }
    }

    /// Said of a pair that nobody decided.
    pub(super) fn missing(self) -> &'static str {
        match self {
            Self::Judge => {
                "another text, and no judge was there to say whether it means the same: if it does, add it to the \
                 case under arg_match as any_of"
            }
            Self::Embedding(_) => {
                "another text, and no embedding was there to compare it: if it means the same, add it to the case \
                 under arg_match as any_of"
            }
        }
    }
}

impl Pair {
    /// What a cache knows the pair by: everything that the answer may depend on, as JSON text.
    pub fn key(&self) -> String {
        let means = match self.means {
            Means::Judge => Value::Null,
            Means::Embedding(least) => Value::from(least),
        };
        serde_json::json!([
            self.tool,
            self.argument,
            self.expected,
            self.actual,
            self.context,
            means
        ])
        .to_string()
    }
}
