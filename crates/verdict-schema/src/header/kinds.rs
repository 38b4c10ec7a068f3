//! Which kinds of value an annotated property admits, as far as its schema shows it.

use crate::reference::Target;
use crate::walk::Plan;
use serde_json::Value;
use std::collections::BTreeSet;

/// What a schema shows of the kinds it admits.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shown<'a> {
    /// `type` names one.
    Plainly(&'a str),
    /// Several, or one that takes some reading to see.
    Somehow(BTreeSet<&'a str>),
    /// Nothing tells.
    Nothing,
    /// A reference that leads nowhere known; the rows for references own that.
    Unknown,
    /// `type` is not valid; the row for validity owns that.
    Malformed,
}

impl Shown<'_> {
    pub(super) fn includes(&self, kind: &str) -> bool {
        match self {
            Self::Plainly(plain) => *plain == kind,
            Self::Somehow(kinds) => kinds.contains(kind),
            Self::Nothing | Self::Unknown | Self::Malformed => false,
        }
    }
}

/// How many subschemas are read to find out.
const READ: usize = 100;
/// How deep references and compositions are followed.
const DEPTH: usize = 8;

/// The kinds that the subschema at a position admits.
pub(super) fn of<'a>(plan: &Plan<'a>, at: usize) -> Shown<'a> {
    let mut left = READ;
    shown(plan, at, DEPTH, &mut left)
}

fn shown<'a>(plan: &Plan<'a>, at: usize, depth: usize, left: &mut usize) -> Shown<'a> {
    if depth == 0 || *left == 0 {
        return Shown::Nothing;
    }
    *left -= 1;
    let value = plan.positions[at].value;
    match value.get("type") {
        Some(Value::String(kind)) => return known(kind).map_or(Shown::Malformed, Shown::Plainly),
        Some(Value::Array(entries)) => {
            let kinds: Option<BTreeSet<&str>> = entries
                .iter()
                .map(|entry| entry.as_str().and_then(known))
                .collect();
            return match kinds {
                Some(kinds) if kinds.len() == 1 => kinds
                    .first()
                    .map_or(Shown::Malformed, |kind| Shown::Plainly(kind)),
                Some(kinds) if !kinds.is_empty() => Shown::Somehow(kinds),
                _ => Shown::Malformed,
            };
        }
        Some(_) => return Shown::Malformed,
        None => {}
    }
    if let Some(constant) = value.get("const") {
        return Shown::Somehow(BTreeSet::from([kind_of(constant)]));
    }
    if let Some(Value::Array(entries)) = value.get("enum")
        && !entries.is_empty()
    {
        return Shown::Somehow(entries.iter().map(kind_of).collect());
    }
    match plan.target(at, "$ref") {
        Some(Target::Position(target)) => return somehow(shown(plan, *target, depth - 1, left)),
        Some(_) => return Shown::Unknown,
        None => {}
    }
    composed(plan, value, depth, left)
}

/// What `allOf`, `anyOf` and `oneOf` show.
fn composed<'a>(plan: &Plan<'a>, value: &'a Value, depth: usize, left: &mut usize) -> Shown<'a> {
    for branch in branches(value, "allOf") {
        let branch = plan
            .at(branch)
            .map_or(Shown::Nothing, |it| shown(plan, it, depth - 1, left));
        if branch != Shown::Nothing {
            return somehow(branch);
        }
    }
    for keyword in ["anyOf", "oneOf"] {
        let mut union = BTreeSet::new();
        for branch in branches(value, keyword) {
            match plan
                .at(branch)
                .map_or(Shown::Nothing, |it| shown(plan, it, depth - 1, left))
            {
                Shown::Plainly(kind) => {
                    union.insert(kind);
                }
                Shown::Somehow(kinds) => union.extend(kinds),
                other => return other,
            }
        }
        if !union.is_empty() {
            return Shown::Somehow(union);
        }
    }
    Shown::Nothing
}

fn branches<'a>(value: &'a Value, keyword: &str) -> &'a [Value] {
    value
        .get(keyword)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// The same, seen through another keyword.
fn somehow(shown: Shown<'_>) -> Shown<'_> {
    match shown {
        Shown::Plainly(kind) => Shown::Somehow(BTreeSet::from([kind])),
        other => other,
    }
}

fn known(kind: &str) -> Option<&str> {
    [
        "array", "boolean", "integer", "null", "number", "object", "string",
    ]
    .contains(&kind)
    .then_some(kind)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) => {
            let whole = number.as_f64().is_some_and(|it| it.fract() == 0.0);
            if whole { "integer" } else { "number" }
        }
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
