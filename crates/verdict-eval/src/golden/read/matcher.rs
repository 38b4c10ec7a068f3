//! `arg_match`: how arguments are compared.

use super::case::Given;
use super::fields::{self, kind_of, listed, number_of, place_of, quoted};
use super::{Sink, scalar};
use crate::golden::{Expect, Key, Matcher, under};
use regex::{Regex, RegexBuilder};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use verdict_config::tree::{Content, Entry, short};

/// Matchers that are one word.
const WORDS: &[&str] = &[
    "exact", "semantic", "any", "absent", "set", "subset", "ignore", "date",
];

/// Matchers that are a mapping of one member.
const MAPPINGS: &[&str] = &[
    "regex",
    "contains",
    "number",
    "any_of",
    "one_of",
    "semantic",
    "embedding",
];

/// Bytes that a pattern may compile to.
const PATTERN_BYTES: usize = 1 << 18;

/// Most matchers of one case.
const MAX_MATCHERS: usize = 500;

/// Compiles the pattern of a case, within bounds.
///
/// # Errors
/// What is wrong with it, in one line.
pub fn pattern(text: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(text).size_limit(PATTERN_BYTES).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
        other => {
            // The message shows the pattern first; what is wrong stands in its last line.
            let told = other.to_string();
            let last = told.lines().last().unwrap_or_default();
            short(last.trim().trim_start_matches("error: "), 120)
        }
    })
}

/// Reads `arg_match` beside what the case expects.
pub(super) fn read(given: &Given, expect: &Expect, sink: &mut Sink) -> BTreeMap<String, Matcher> {
    let Some(entry) = given.own.get("arg_match") else {
        return BTreeMap::new();
    };
    let Content::Mapping(members) = &entry.value.content else {
        let message = format!(
            "`arg_match` is a mapping of arguments, and this is {}",
            kind_of(&entry.value)
        );
        sink.note(place_of(entry), message, "write `{ argument: semantic }`");
        return BTreeMap::new();
    };
    if members.len() > MAX_MATCHERS {
        let message = format!("`arg_match` has more than {MAX_MATCHERS} members");
        sink.note(
            entry.place,
            message,
            "leave out those that say no more than the default",
        );
        return BTreeMap::new();
    }
    if matches!(expect, Expect::Nothing) {
        let message = "`arg_match` goes with an expected call";
        sink.note(
            entry.place,
            message,
            "leave it out: no call has no arguments",
        );
    }
    let mut matchers = BTreeMap::new();
    for member in members {
        let Some(matcher) = one(member, sink) else {
            continue;
        };
        if !matches!(expect, Expect::Nothing) {
            suits(member, &matcher, expect, sink);
        }
        matchers.insert(member.key.clone(), matcher);
    }
    matchers
}

fn one(member: &Entry, sink: &mut Sink) -> Option<Matcher> {
    match &member.value.content {
        Content::Scalar { text, .. } => named(member, text, sink),
        Content::Mapping(entries) => {
            if let [entry] = entries.as_slice() {
                with_value(entry, sink)
            } else {
                let message = format!(
                    "a matcher is a word or a mapping of one member, and this has {}",
                    entries.len()
                );
                sink.note(
                    member.value.place,
                    message,
                    format!("keep one of {}", listed(MAPPINGS)),
                );
                None
            }
        }
        Content::List(_) => {
            let message = "a matcher is a word or a mapping, and this is a list";
            sink.note(
                member.value.place,
                message,
                "write `{ any_of: [ … ] }` if one of these is right",
            );
            None
        }
    }
}

fn named(member: &Entry, word: &str, sink: &mut Sink) -> Option<Matcher> {
    Some(match word {
        "exact" => Matcher::Exact,
        "semantic" => Matcher::Semantic,
        "any" => Matcher::Any,
        "absent" => Matcher::Absent,
        "set" => Matcher::Set,
        "subset" => Matcher::Subset,
        "ignore" => Matcher::Ignore,
        "date" => Matcher::Date,
        other => {
            let mend = match sink.nearest(other, WORDS.iter().chain(MAPPINGS).copied()) {
                Some(near) if WORDS.contains(&near) => format!("write `{near}` if that is meant"),
                Some(near) => format!("write `{{ {near}: … }}` if that is meant"),
                None => format!(
                    "there are {}, and {{ {}: … }}",
                    listed(WORDS),
                    MAPPINGS.join(" | ")
                ),
            };
            let message = match other {
                "" => "there is no matcher here".to_owned(),
                other => format!("there is no matcher {}", quoted(other)),
            };
            sink.note(place_of(member), message, mend);
            return None;
        }
    })
}

fn with_value(entry: &Entry, sink: &mut Sink) -> Option<Matcher> {
    match entry.key.as_str() {
        "regex" => expression(entry, sink),
        "contains" => fields::text(entry, sink).map(Matcher::Contains),
        "number" => amount(entry, "a number from 0", |it| it >= 0.0, sink).map(Matcher::Number),
        "embedding" => {
            let fits = |it: f64| it > 0.0 && it <= 1.0;
            amount(entry, "a number above 0 and up to 1", fits, sink).map(Matcher::Embedding)
        }
        "any_of" | "one_of" => synonyms(entry, sink),
        "semantic" => {
            if fields::text_of(&entry.value).as_deref() == Some("judge") {
                return Some(Matcher::Semantic);
            }
            let message = format!(
                "`semantic` takes judge alone, and this is {}",
                kind_of(&entry.value)
            );
            sink.note(
                place_of(entry),
                message,
                "write `semantic: judge`, or `{ embedding: 0.9 }`",
            );
            None
        }
        other => {
            let mend = match sink.nearest(other, MAPPINGS.iter().copied()) {
                Some(near) => format!("write `{near}` if that is meant"),
                None => format!("there are {}", listed(MAPPINGS)),
            };
            sink.note(
                entry.place,
                format!("there is no matcher {}", quoted(other)),
                mend,
            );
            None
        }
    }
}

fn expression(entry: &Entry, sink: &mut Sink) -> Option<Matcher> {
    let text = fields::text(entry, sink)?;
    if !sink.may_compile() {
        let message = "the file has too many regular expressions";
        sink.note(
            entry.place,
            message,
            "use `contains` or `any_of` where they do",
        );
        return None;
    }
    match pattern(&text) {
        Ok(_) => Some(Matcher::Regex(text)),
        Err(why) => {
            let message = format!(
                "the regular expression {} cannot be used: {why}",
                quoted(&text)
            );
            sink.note(
                place_of(entry),
                message,
                "mend the pattern; single quotes keep its backslashes",
            );
            None
        }
    }
}

fn amount(entry: &Entry, due: &str, fits: impl Fn(f64) -> bool, sink: &mut Sink) -> Option<f64> {
    let number = number_of(&entry.value).and_then(|number| number.as_f64());
    if let Some(number) = number.filter(|number| fits(*number)) {
        return Some(number);
    }
    let message = format!(
        "`{}` is {due}, and this is {}",
        entry.key,
        kind_of(&entry.value)
    );
    sink.note(
        place_of(entry),
        message,
        "write it in digits, without quotes",
    );
    None
}

fn synonyms(entry: &Entry, sink: &mut Sink) -> Option<Matcher> {
    match scalar::value(&entry.value, sink) {
        Value::Array(values) if !values.is_empty() => Some(Matcher::AnyOf(values)),
        _ => {
            let message = format!(
                "`{}` is a list of values, and this is {}",
                entry.key,
                kind_of(&entry.value)
            );
            sink.note(place_of(entry), message, "write `[first, second]`");
            None
        }
    }
}

/// Whether a matcher has what it needs: some compare with the expected value, and mean nothing without it.
fn suits(member: &Entry, matcher: &Matcher, expect: &Expect, sink: &mut Sink) {
    if is_beyond(member, expect, sink) {
        return;
    }
    let values = expected(&member.key, expect);
    let needs = matches!(
        matcher,
        Matcher::Exact
            | Matcher::Semantic
            | Matcher::Date
            | Matcher::Set
            | Matcher::Subset
            | Matcher::Embedding(_)
    );
    if values.is_empty() {
        if needs {
            let message = format!("no expected call has the argument {}", quoted(&member.key));
            let known = arguments(expect);
            let mend = match sink.nearest(&member.key, known.iter().map(String::as_str)) {
                Some(near) => format!("write `{near}` if that is meant"),
                None => {
                    "add its value to the expected arguments, or write `any` if any value is right"
                        .to_owned()
                }
            };
            sink.note(member.place, message, mend);
        }
        return;
    }
    let due = match matcher {
        Matcher::Absent => Some("no value, since the argument must not be there"),
        Matcher::Number(_) if !values.iter().all(|it| it.is_number() || it.is_string()) => {
            Some("a number")
        }
        Matcher::Date if !values.iter().all(|it| it.is_string()) => Some("a date in quotes"),
        Matcher::Set if !values.iter().all(|it| it.is_array()) => Some("a list"),
        Matcher::Subset if values.iter().any(|it| !it.is_array() && !it.is_object()) => {
            Some("a list or a mapping")
        }
        Matcher::Embedding(_) if !values.iter().all(|it| it.is_string()) => Some("text"),
        _ => None,
    };
    if let Some(due) = due {
        let message = format!(
            "for this matcher the expected value of {} is {due}",
            quoted(&member.key)
        );
        sink.note(
            member.value.place,
            message,
            "mend the value, or choose another matcher",
        );
    }
}

/// Whether a key speaks of a step that the case does not have.
fn is_beyond(member: &Entry, expect: &Expect, sink: &mut Sink) -> bool {
    let Some(Key {
        tool,
        nth: Some(nth),
        ..
    }) = expect.tool_of_key(&member.key)
    else {
        return false;
    };
    let calls = expect.calls();
    let steps = calls
        .iter()
        .filter(|call| call.names.iter().any(|name| name == tool));
    let count = steps.count();
    if (1..=count).contains(&nth) {
        return false;
    }
    let message = format!("the case has no step {nth} of {}", quoted(tool));
    let mend = match count {
        1 => format!("it has one: write `{tool}.…`"),
        count => format!("it has {count}, counted from 1"),
    };
    sink.note(member.place, message, mend);
    true
}

/// The expected values that a key speaks of.
fn expected<'e>(key: &str, expect: &'e Expect) -> Vec<&'e Value> {
    let mut values = Vec::new();
    let calls = expect.calls();
    for (at, call) in calls.iter().enumerate() {
        let Some(arguments) = call.arguments else {
            continue;
        };
        values.extend(arguments.get(key));
        let nth = calls[..=at]
            .iter()
            .filter(|it| it.names == call.names)
            .count();
        let own = |name: &String| {
            let (step, argument) = under(key, name)?;
            step.is_none_or(|step| step == nth).then_some(argument)
        };
        let named = call.names.iter().filter_map(own);
        values.extend(named.filter_map(|argument| arguments.get(argument)));
    }
    values
}

/// All names of expected arguments.
fn arguments(expect: &Expect) -> BTreeSet<String> {
    let calls = expect.calls().into_iter();
    calls
        .filter_map(|call| call.arguments)
        .flat_map(|it| it.keys().cloned())
        .collect()
}
