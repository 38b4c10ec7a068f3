//! Expected and actual value, compared by the tool's schema: each difference with its place and its reason.

use super::decimal::same_number;
use super::pairing::all_find_one;
use super::schema::At;
use super::typed::{self, Sameness};
use super::{Means, Pair};
use crate::golden::text::same;
use serde_json::{Map, Value};

/// Up to how many items a list is searched for a mere change of order.
const REORDERED: usize = 64;

/// How free text is compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Manner {
    /// By type, then as folded text, and nobody is asked.
    Loose,
    /// As [`Manner::Loose`]; what is open then is put to a reader.
    Asking(Means),
}

/// One place where two values differ.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mismatch {
    /// JSON Pointer into the arguments.
    pub(super) pointer: String,
    pub(super) expected: Option<Value>,
    pub(super) actual: Option<Value>,
    pub(super) message: String,
}

/// What a comparison found.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Found {
    /// Differences that stand whatever a reader says.
    pub(super) wrong: Vec<Mismatch>,
    /// Differences that a reader has not decided, and the questions.
    pub(super) open: Vec<(Mismatch, Pair)>,
}

impl Found {
    /// Nothing differs.
    pub(super) fn is_right(&self) -> bool {
        self.wrong.is_empty() && self.open.is_empty()
    }

    pub(super) fn add(
        &mut self,
        pointer: &str,
        expected: Option<&Value>,
        actual: Option<&Value>,
        message: impl Into<String>,
    ) {
        self.wrong.push(Mismatch {
            pointer: pointer.to_owned(),
            expected: expected.cloned(),
            actual: actual.cloned(),
            message: message.into(),
        });
    }
}

/// What a comparison is about, and whom it asks.
#[derive(Clone, Copy)]
pub(super) struct Asker<'a> {
    pub(super) tool: &'a str,
    /// What the person asked for.
    pub(super) prompt: &'a str,
    pub(super) settled: &'a dyn Fn(&Pair) -> Option<bool>,
}

/// Compares two values under `pointer`.
pub(super) fn value(
    asker: Asker<'_>,
    at: At<'_>,
    pointer: &str,
    (expected, actual): (&Value, &Value),
    manner: Manner,
    found: &mut Found,
) {
    match (expected, actual) {
        (Value::Number(one), Value::Number(two)) => {
            if !same_number(one, two) {
                found.add(pointer, Some(expected), Some(actual), "another number");
            }
        }
        (Value::String(one), Value::String(two)) => {
            text(asker, at, pointer, (one, two), manner, found);
        }
        (Value::Array(one), Value::Array(two)) => {
            list(asker, at, pointer, (one, two), manner, found);
        }
        (Value::Object(one), Value::Object(two)) => {
            members(asker, at, pointer, (one, two), manner, found);
        }
        _ if expected == actual => {}
        _ => found.add(
            pointer,
            Some(expected),
            Some(actual),
            kinds(expected, actual),
        ),
    }
}

fn kinds(expected: &Value, actual: &Value) -> String {
    let (expected, actual) = (kind(expected), kind(actual));
    if expected == actual {
        return "another value".to_owned();
    }
    format!("{actual} where {expected} is expected")
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn text(
    asker: Asker<'_>,
    at: At<'_>,
    pointer: &str,
    (expected, actual): (&str, &str),
    manner: Manner,
    found: &mut Found,
) {
    if same(expected, actual) {
        return;
    }
    let mismatch = |message: &str| Mismatch {
        pointer: pointer.to_owned(),
        expected: Some(expected.into()),
        actual: Some(actual.into()),
        message: message.to_owned(),
    };
    if at.is_closed() {
        found
            .wrong
            .push(mismatch("another value of the list that the schema gives"));
        return;
    }
    match (typed::compare(expected, actual, at.format()), manner) {
        (Sameness::Same, _) => {}
        (Sameness::Other(reason), _) => found.wrong.push(mismatch(reason)),
        (Sameness::Open, Manner::Asking(means)) => {
            let pair = Pair {
                tool: asker.tool.to_owned(),
                argument: pointer.to_owned(),
                expected: expected.to_owned(),
                actual: actual.to_owned(),
                context: asker.prompt.to_owned(),
                means,
            };
            match (asker.settled)(&pair) {
                Some(true) => {}
                Some(false) => found.wrong.push(mismatch(means.refusal())),
                None => found.open.push((mismatch(means.missing()), pair)),
            }
        }
        (Sameness::Open, _) => found.wrong.push(mismatch("another text")),
    }
}

fn list(
    asker: Asker<'_>,
    at: At<'_>,
    pointer: &str,
    (expected, actual): (&[Value], &[Value]),
    manner: Manner,
    found: &mut Found,
) {
    if expected.len() != actual.len() {
        let message = format!(
            "a list of {} where one of {} is expected",
            actual.len(),
            expected.len()
        );
        let (expected, actual) = (Value::from(expected), Value::from(actual));
        found.add(pointer, Some(&expected), Some(&actual), message);
        return;
    }
    let mut items = Found::default();
    for (index, (one, two)) in expected.iter().zip(actual).enumerate() {
        let below = format!("{pointer}/{index}");
        value(
            asker,
            at.item(index),
            &below,
            (one, two),
            manner,
            &mut items,
        );
    }
    let is_same = |one: usize, two: usize| {
        let mut trial = Found::default();
        let pair = (&expected[one], &actual[two]);
        value(asker, at.item(one), "", pair, Manner::Loose, &mut trial);
        trial.is_right()
    };
    let is_short = expected.len() <= REORDERED;
    if is_short && !items.is_right() && all_find_one(expected.len(), actual.len(), is_same) {
        let message = "the right items in another order: where order does not count, the case says set in arg_match";
        let (expected, actual) = (Value::from(expected), Value::from(actual));
        found.add(pointer, Some(&expected), Some(&actual), message);
        return;
    }
    found.wrong.append(&mut items.wrong);
    found.open.append(&mut items.open);
}

/// Compares objects member by member.
pub(super) fn members(
    asker: Asker<'_>,
    at: At<'_>,
    pointer: &str,
    (expected, actual): (&Map<String, Value>, &Map<String, Value>),
    manner: Manner,
    found: &mut Found,
) {
    for (name, one) in expected {
        member(
            asker,
            at,
            (pointer, name),
            (one, actual.get(name)),
            manner,
            found,
        );
    }
    for (name, two) in actual {
        if !expected.contains_key(name) {
            invented(asker, at, (pointer, name), two, found);
        }
    }
}

/// Compares one member; what is left out stands at its default.
pub(super) fn member(
    asker: Asker<'_>,
    at: At<'_>,
    (pointer, name): (&str, &str),
    (expected, actual): (&Value, Option<&Value>),
    manner: Manner,
    found: &mut Found,
) {
    let below = push(pointer, name);
    match actual.or_else(|| at.default_of(name)) {
        Some(actual) => value(
            asker,
            at.member(name),
            &below,
            (expected, actual),
            manner,
            found,
        ),
        None if expected.is_null() => {}
        None => found.add(&below, Some(expected), None, "left out"),
    }
}

/// Judges a member that nobody expected: right at its default, or as null where null may stand for "left out". One that
/// the schema requires is not looked at: no valid call leaves it out, so that the case is silent says nothing.
pub(super) fn invented(
    asker: Asker<'_>,
    at: At<'_>,
    (pointer, name): (&str, &str),
    actual: &Value,
    found: &mut Found,
) {
    if at.requires(name) {
        return;
    }
    let is_known = at.knows(name);
    let property = at.member(name);
    let below = push(pointer, name);
    if is_known && actual.is_null() {
        return;
    }
    if let Some(default) = property.default() {
        let mut trial = Found::default();
        value(
            asker,
            property,
            &below,
            (default, actual),
            Manner::Loose,
            &mut trial,
        );
        if trial.is_right() {
            return;
        }
    }
    let message = if is_known {
        "not expected, and not at its default: let the case expect it, or ignore it in arg_match"
    } else {
        "not expected, and the tool's schema does not name it"
    };
    found.add(&below, None, Some(actual), message);
}

/// A pointer one step further (RFC 6901).
pub(super) fn push(pointer: &str, name: &str) -> String {
    if name.contains(['~', '/']) {
        return format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
    }
    format!("{pointer}/{name}")
}

/// Whether two values are equal as JSON: numbers by value, texts in NFC.
pub(super) fn same_json(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::Number(one), Value::Number(two)) => same_number(one, two),
        (Value::String(one), Value::String(two)) => same(one, two),
        (Value::Array(one), Value::Array(two)) => {
            one.len() == two.len() && one.iter().zip(two).all(|(one, two)| same_json(one, two))
        }
        (Value::Object(one), Value::Object(two)) => {
            one.len() == two.len()
                && one
                    .iter()
                    .all(|(name, one)| two.get(name).is_some_and(|two| same_json(one, two)))
        }
        _ => one == two,
    }
}
