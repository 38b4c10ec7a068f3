//! A trial of a value against a subschema in few steps, for `default` and `examples`.
//!
//! It knows the keywords that such values usually meet and answers with three values: it fits, it
//! does not, or it takes more than this to tell (patterns, `unevaluated*` and the like). It is no
//! validator: see `validate.rs` for that.

use crate::dialect::Dialect;
use crate::equal::{integer, order, same};
use crate::keyword::shape;
use crate::measure::Measure;
use crate::reference::Target;
use crate::walk::{Plan, Position, hides_siblings};
use serde_json::{Map, Value};
use std::cmp::Ordering;

/// How deep subschemas and references are followed.
const DEPTH: usize = 24;
/// Up to how many entries are compared with one another for `uniqueItems`.
const UNIQUE: usize = 50;

pub(crate) struct Trial<'p, 'a> {
    plan: &'p Plan<'a>,
    /// Steps left, for all values together.
    left: usize,
}

/// True, false, or not known.
type Answer = Option<bool>;

/// True if all are; what is not known stays so unless something is false.
fn all(answers: impl Iterator<Item = Answer>) -> Answer {
    let mut result = Some(true);
    for answer in answers {
        match answer {
            Some(true) => {}
            Some(false) => return Some(false),
            None => result = None,
        }
    }
    result
}

fn negate(answer: Answer) -> Answer {
    answer.map(|it| !it)
}

impl<'p, 'a> Trial<'p, 'a> {
    pub(crate) fn new(plan: &'p Plan<'a>, steps: usize) -> Self {
        Self { plan, left: steps }
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Whether a value fits the subschema at a position.
    pub(crate) fn fits(&mut self, at: usize, value: &Value) -> Answer {
        self.position(at, value, DEPTH)
    }

    fn position(&mut self, at: usize, value: &Value, depth: usize) -> Answer {
        let position = self.plan.positions[at];
        let members = match position.value {
            Value::Bool(flag) => return Some(*flag),
            Value::Object(members) => members,
            _ => return None,
        };
        if depth == 0 {
            return None;
        }
        if hides_siblings(&position) {
            return self.reference(at, "$ref", value, depth);
        }
        all(members.iter().map(|(keyword, operand)| {
            if self.left == 0 {
                return None;
            }
            self.left = self.left.saturating_sub(cost(keyword, operand, value));
            if self.left == 0 {
                return None;
            }
            self.keyword((at, &position), members, (keyword, operand), value, depth)
        }))
    }

    fn reference(&mut self, at: usize, keyword: &str, value: &Value, depth: usize) -> Answer {
        match self.plan.target(at, keyword) {
            Some(Target::Position(target)) => self.position(*target, value, depth - 1),
            _ => None,
        }
    }

    /// A subschema that is not at hand is not known.
    fn sub(&mut self, schema: &Value, value: &Value, depth: usize) -> Answer {
        match schema {
            Value::Bool(flag) => Some(*flag),
            _ => self
                .plan
                .at(schema)
                .and_then(|at| self.position(at, value, depth - 1)),
        }
    }

    fn keyword(
        &mut self,
        (at, position): (usize, &Position<'_>),
        members: &Map<String, Value>,
        (keyword, operand): (&str, &Value),
        value: &Value,
        depth: usize,
    ) -> Answer {
        let dialect = position.dialect;
        if shape(dialect, keyword).is_none() && keyword != "$ref" {
            return Some(true);
        }
        match keyword {
            "$ref" | "$dynamicRef" | "$recursiveRef" => self.reference(at, keyword, value, depth),
            "allOf" => all(operand
                .as_array()?
                .iter()
                .map(|it| self.sub(it, value, depth))),
            "anyOf" => {
                let none = operand.as_array()?.iter();
                negate(all(none.map(|it| negate(self.sub(it, value, depth)))))
            }
            "oneOf" => self.one_of(operand.as_array()?, value, depth),
            "not" => negate(self.sub(operand, value, depth)),
            "if" => {
                let branch = if self.sub(operand, value, depth)? {
                    "then"
                } else {
                    "else"
                };
                members
                    .get(branch)
                    .map_or(Some(true), |it| self.sub(it, value, depth))
            }
            "properties" => {
                let Value::Object(object) = value else {
                    return Some(true);
                };
                all(operand.as_object()?.iter().map(|(key, schema)| {
                    object
                        .get(key)
                        .map_or(Some(true), |value| self.sub(schema, value, depth))
                }))
            }
            "additionalProperties" => self.additional(members, operand, value, depth),
            "items" | "prefixItems" | "additionalItems" => {
                self.entries(dialect, members, (keyword, operand), value, depth)
            }
            _ => single(dialect, members, (keyword, operand), value),
        }
    }

    fn one_of(&mut self, branches: &[Value], value: &Value, depth: usize) -> Answer {
        let mut matching = 0;
        for branch in branches {
            matching += usize::from(self.sub(branch, value, depth)?);
        }
        Some(matching == 1)
    }

    fn additional(
        &mut self,
        members: &Map<String, Value>,
        schema: &Value,
        value: &Value,
        depth: usize,
    ) -> Answer {
        let Value::Object(object) = value else {
            return Some(true);
        };
        let named = members.get("properties").and_then(Value::as_object);
        let mut rest = object
            .iter()
            .filter(|(key, _)| named.is_none_or(|it| !it.contains_key(*key)))
            .peekable();
        if rest.peek().is_some() && members.contains_key("patternProperties") {
            return None;
        }
        all(rest.map(|(_, value)| self.sub(schema, value, depth)))
    }

    fn entries(
        &mut self,
        dialect: Dialect,
        members: &Map<String, Value>,
        (keyword, operand): (&str, &Value),
        value: &Value,
        depth: usize,
    ) -> Answer {
        let Value::Array(entries) = value else {
            return Some(true);
        };
        if let ("items" | "prefixItems", Value::Array(schemas)) = (keyword, operand) {
            let pairs = schemas.iter().zip(entries);
            return all(pairs.map(|(schema, entry)| self.sub(schema, entry, depth)));
        }
        let tuple = if dialect == Dialect::Draft202012 {
            "prefixItems"
        } else {
            "items"
        };
        let first = match (keyword, members.get(tuple)) {
            ("items", Some(Value::Array(schemas))) if tuple == "prefixItems" => schemas.len(),
            ("additionalItems", Some(Value::Array(schemas))) => schemas.len(),
            ("additionalItems", _) => return Some(true),
            _ => 0,
        };
        all(entries
            .iter()
            .skip(first)
            .map(|entry| self.sub(operand, entry, depth)))
    }
}

/// How many steps a keyword takes by itself, at most.
fn cost(keyword: &str, operand: &Value, value: &Value) -> usize {
    let length = |it: &Value| match it {
        Value::Array(entries) => entries.len(),
        Value::Object(members) => members.len(),
        Value::String(text) => text.len() / 64,
        _ => 0,
    };
    let compared = matches!(keyword, "const" | "enum" | "uniqueItems");
    let size = if compared && (value.is_array() || value.is_object()) {
        let times = if keyword == "enum" {
            length(operand)
        } else {
            length(value).min(UNIQUE)
        };
        Measure::of(value).nodes.saturating_mul(times + 1)
    } else {
        0
    };
    1 + length(operand) + length(value) + size
}

/// Keywords that need no subschema.
fn single(
    dialect: Dialect,
    members: &Map<String, Value>,
    (keyword, operand): (&str, &Value),
    value: &Value,
) -> Answer {
    match (keyword, value) {
        ("type", _) => is_of_type(dialect, operand, value),
        ("const", _) => Some(same(operand, value)),
        ("enum", _) => Some(operand.as_array()?.iter().any(|entry| same(entry, value))),
        (
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum",
            Value::Number(number),
        ) => {
            let Value::Number(limit) = operand else {
                return Some(true);
            };
            let found = order(number, limit)?;
            let exclusive = |it: &str| members.get(it) == Some(&Value::Bool(true));
            Some(match keyword {
                "minimum" if exclusive("exclusiveMinimum") => found == Ordering::Greater,
                "maximum" if exclusive("exclusiveMaximum") => found == Ordering::Less,
                "minimum" => found != Ordering::Less,
                "maximum" => found != Ordering::Greater,
                "exclusiveMinimum" => found == Ordering::Greater,
                _ => found == Ordering::Less,
            })
        }
        ("multipleOf", Value::Number(number)) => {
            let divisor = integer(operand.as_number()?).filter(|it| *it > 0)?;
            Some(integer(number)? % divisor == 0)
        }
        ("minLength" | "maxLength", Value::String(text)) => {
            within(keyword, operand, text.chars().count())
        }
        ("minItems" | "maxItems", Value::Array(entries)) => within(keyword, operand, entries.len()),
        ("minProperties" | "maxProperties", Value::Object(object)) => {
            within(keyword, operand, object.len())
        }
        ("required", Value::Object(object)) => {
            let names = operand.as_array()?;
            Some(
                names
                    .iter()
                    .filter_map(Value::as_str)
                    .all(|name| object.contains_key(name)),
            )
        }
        ("uniqueItems", Value::Array(entries)) => {
            if entries.len() > UNIQUE {
                return None;
            }
            let mut rest = entries.iter();
            let repeated = std::iter::from_fn(|| rest.next().map(|it| (it, rest.clone())))
                .any(|(entry, mut later)| later.any(|it| same(entry, it)));
            Some(!(repeated && operand == &Value::Bool(true)))
        }
        ("pattern", Value::String(_))
        | ("contains" | "unevaluatedItems", Value::Array(_))
        | (
            "patternProperties"
            | "propertyNames"
            | "dependencies"
            | "dependentSchemas"
            | "dependentRequired"
            | "unevaluatedProperties",
            Value::Object(_),
        ) => None,
        _ => Some(true),
    }
}

fn within(keyword: &str, operand: &Value, found: usize) -> Answer {
    // The limits that strangers write reach beyond any count, and may be written as `2.0`.
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of values in memory are far below 2^53"
    )]
    let found = found as f64;
    let limit = operand.as_f64()?;
    Some(if keyword.starts_with("min") {
        found >= limit
    } else {
        found <= limit
    })
}

fn is_of_type(dialect: Dialect, operand: &Value, value: &Value) -> Answer {
    match operand {
        Value::String(name) => Some(is_named(dialect, name, value)),
        Value::Array(names) => Some(
            names
                .iter()
                .filter_map(Value::as_str)
                .any(|name| is_named(dialect, name, value)),
        ),
        _ => None,
    }
}

fn is_named(dialect: Dialect, name: &str, value: &Value) -> bool {
    match (name, value) {
        ("integer", Value::Number(number)) => {
            let whole = number.as_f64().is_some_and(|it| it.fract() == 0.0);
            integer(number).is_some() || (whole && dialect > Dialect::Draft4)
        }
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
