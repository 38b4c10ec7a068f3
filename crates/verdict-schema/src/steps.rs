//! What evaluating one subschema on one value leads to, by the rules of its dialect.
//!
//! Where an answer depends on the value in a way that only a validator can tell (which branch
//! holds, which pattern matches), every possibility is a step. So the steps of a validation are
//! among these.

use crate::dialect::Dialect;
use crate::measure::Measure;
use crate::pattern::read;
use crate::reference::Target;
use crate::walk::{Plan, hides_siblings};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What a subschema is evaluated on.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Instance<'i> {
    Value(&'i Value),
    /// The name of a property.
    Name(&'i String),
}

impl<'i> Instance<'i> {
    /// Tells the parts of one value apart; the address is only compared.
    pub(crate) fn key(self) -> (usize, bool) {
        match self {
            Self::Value(value) => (std::ptr::from_ref(value).addr(), false),
            Self::Name(name) => (std::ptr::from_ref(name).addr(), true),
        }
    }

    fn text(self) -> Option<&'i str> {
        match self {
            Self::Value(value) => value.as_str(),
            Self::Name(name) => Some(name),
        }
    }

    fn object(self) -> Option<&'i Map<String, Value>> {
        match self {
            Self::Value(value) => value.as_object(),
            Self::Name(_) => None,
        }
    }

    fn array(self) -> Option<&'i [Value]> {
        match self {
            Self::Value(value) => value.as_array().map(Vec::as_slice),
            Self::Name(_) => None,
        }
    }
}

/// A subschema to evaluate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step<'i> {
    pub(crate) at: usize,
    pub(crate) instance: Instance<'i>,
    /// Whether it judges the same value as the subschema that leads to it.
    pub(crate) in_place: bool,
}

/// The patterns of a schema: how many states each needs, or why none is built for it.
#[derive(Debug, Default)]
pub(crate) struct Patterns<'a> {
    states: BTreeMap<&'a str, Result<u64, String>>,
}

impl<'a> Patterns<'a> {
    pub(crate) fn of(plan: &Plan<'a>, most: u64) -> Self {
        let mut patterns = Self::default();
        for position in plan.positions.iter().filter(|it| it.live) {
            if let Some(Value::String(pattern)) = position.value.get("pattern") {
                patterns.take(pattern, most);
            }
            if let Some(Value::Object(members)) = position.value.get("patternProperties") {
                for pattern in members.keys() {
                    patterns.take(pattern, most);
                }
            }
        }
        patterns
    }

    fn take(&mut self, pattern: &'a str, most: u64) {
        self.states
            .entry(pattern)
            .or_insert_with(|| match read(pattern) {
                Err(flaw) => Err(format!("a pattern is no regular expression: {}", flaw.what)),
                Ok(scan) => match scan.unsupported {
                    Some(what) => Err(format!("pattern not supported: it needs {what}")),
                    None if scan.states > most => Err(format!(
                        "pattern not supported: it needs more than {most} states"
                    )),
                    None => Ok(scan.states),
                },
            });
    }

    /// The states of a pattern, or why it is not built. A pattern that is not live has none.
    pub(crate) fn states(&self, pattern: &str) -> Result<u64, &str> {
        match self.states.get(pattern) {
            Some(Ok(states)) => Ok(*states),
            Some(Err(reason)) => Err(reason),
            None => Ok(0),
        }
    }

    /// The states of all patterns in the visited subschemas, each counted once.
    pub(crate) fn total(&self, plan: &Plan<'_>, visited: &[bool]) -> u64 {
        let mut seen = BTreeSet::new();
        for (position, _) in plan
            .positions
            .iter()
            .zip(visited)
            .filter(|(_, visited)| **visited)
        {
            seen.extend(position.value.get("pattern").and_then(Value::as_str));
            let members = position
                .value
                .get("patternProperties")
                .and_then(Value::as_object);
            seen.extend(members.into_iter().flat_map(Map::keys).map(String::as_str));
        }
        let states = seen
            .into_iter()
            .filter_map(|pattern| self.states(pattern).ok());
        states.fold(0, u64::saturating_add)
    }
}

/// Finds the steps under one evaluation.
pub(crate) struct Stepper<'p, 'a> {
    plan: &'p Plan<'a>,
    patterns: &'p Patterns<'a>,
    /// What each subschema costs whatever it is evaluated on.
    weights: Vec<Option<u64>>,
    /// How many steps may come out of one evaluation.
    most: u64,
}

impl<'p, 'a> Stepper<'p, 'a> {
    pub(crate) fn new(plan: &'p Plan<'a>, patterns: &'p Patterns<'a>, most: u64) -> Self {
        Self {
            plan,
            patterns,
            weights: vec![None; plan.positions.len()],
            most,
        }
    }

    /// Appends the steps under an evaluation and returns the cost of the evaluation itself, or
    /// says why it cannot be made.
    pub(crate) fn steps<'i>(
        &mut self,
        at: usize,
        instance: Instance<'i>,
        out: &mut Vec<Step<'i>>,
    ) -> Result<u64, String> {
        let position = self.plan.positions[at];
        let Value::Object(members) = position.value else {
            return Ok(1);
        };
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(target) = self.plan.target(at, keyword) {
                out.push(Step {
                    at: followed(target)?,
                    instance,
                    in_place: true,
                });
            }
        }
        if hides_siblings(&position) {
            return Ok(2);
        }
        self.in_place(position.dialect, members, instance, out);
        if let Some(object) = instance.object() {
            self.properties(members, object, out)?;
        }
        if let Some(entries) = instance.array() {
            self.entries(position.dialect, members, entries, out);
        }
        Ok(self
            .weight(at, members)
            .saturating_add(self.variable(members, instance)?))
    }

    fn push<'i>(
        &self,
        schema: &Value,
        instance: Instance<'i>,
        in_place: bool,
        out: &mut Vec<Step<'i>>,
    ) {
        out.extend(self.plan.at(schema).map(|at| Step {
            at,
            instance,
            in_place,
        }));
    }

    fn in_place<'i>(
        &self,
        dialect: Dialect,
        members: &Map<String, Value>,
        instance: Instance<'i>,
        out: &mut Vec<Step<'i>>,
    ) {
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for schema in members
                .get(keyword)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                self.push(schema, instance, true, out);
            }
        }
        let conditions: &[&str] = if members.contains_key("if") {
            &["not", "if", "then", "else"]
        } else {
            &["not"]
        };
        for schema in conditions
            .iter()
            .filter_map(|keyword| members.get(*keyword))
        {
            self.push(schema, instance, true, out);
        }
        let Some(object) = instance.object() else {
            return;
        };
        let dependent = if dialect >= Dialect::Draft201909 {
            "dependentSchemas"
        } else {
            "dependencies"
        };
        for (key, schema) in members
            .get(dependent)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            if object.contains_key(key) {
                self.push(schema, instance, true, out);
            }
        }
    }

    fn properties<'i>(
        &self,
        members: &Map<String, Value>,
        object: &'i Map<String, Value>,
        out: &mut Vec<Step<'i>>,
    ) -> Result<(), String> {
        let named = members.get("properties").and_then(Value::as_object);
        let patterns = members.get("patternProperties").and_then(Value::as_object);
        // The one product among the steps; the rest is linear in the schema or the value.
        let product = patterns.map_or(0, Map::len).saturating_mul(object.len());
        if product as u64 > self.most {
            return Err(format!(
                "validation may need more than {} evaluations",
                self.most
            ));
        }
        let rest: Vec<&Value> = ["additionalProperties", "unevaluatedProperties"]
            .iter()
            .filter_map(|keyword| members.get(*keyword))
            .collect();
        for (key, value) in object {
            if let Some(schema) = members.get("propertyNames") {
                self.push(schema, Instance::Name(key), false, out);
            }
            let value = Instance::Value(value);
            match named.and_then(|named| named.get(key)) {
                Some(schema) => self.push(schema, value, false, out),
                None => rest
                    .iter()
                    .for_each(|schema| self.push(schema, value, false, out)),
            }
            for schema in patterns.into_iter().flat_map(Map::values) {
                self.push(schema, value, false, out);
            }
        }
        Ok(())
    }

    fn entries<'i>(
        &self,
        dialect: Dialect,
        members: &Map<String, Value>,
        entries: &'i [Value],
        out: &mut Vec<Step<'i>>,
    ) {
        let (tuple, rest) = if dialect == Dialect::Draft202012 {
            ("prefixItems", "items")
        } else {
            match members.get("items") {
                Some(Value::Array(_)) => ("items", "additionalItems"),
                _ => ("", "items"),
            }
        };
        let first = members
            .get(tuple)
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        for (schema, entry) in first.iter().zip(entries) {
            self.push(schema, Instance::Value(entry), false, out);
        }
        for (keyword, from) in [
            (rest, first.len()),
            ("contains", 0),
            ("unevaluatedItems", first.len()),
        ] {
            let Some(schema) = members.get(keyword) else {
                continue;
            };
            for entry in entries.iter().skip(from) {
                self.push(schema, Instance::Value(entry), false, out);
            }
        }
    }

    /// What a subschema costs whatever it is evaluated on: its keywords, and the lists in them.
    fn weight(&mut self, at: usize, members: &Map<String, Value>) -> u64 {
        if let Some(weight) = self.weights[at] {
            return weight;
        }
        let lists = [
            "properties",
            "patternProperties",
            "dependentRequired",
            "dependencies",
        ];
        let mut weight = 1 + members.len();
        for keyword in lists {
            weight += members
                .get(keyword)
                .and_then(Value::as_object)
                .map_or(0, Map::len);
        }
        weight += members
            .get("required")
            .and_then(Value::as_array)
            .map_or(0, Vec::len);
        for keyword in ["enum", "const"] {
            weight += members
                .get(keyword)
                .map_or(0, |value| Measure::of(value).nodes);
        }
        let weight = weight as u64;
        self.weights[at] = Some(weight);
        weight
    }

    /// What it costs by the size of the value.
    fn variable(
        &self,
        members: &Map<String, Value>,
        instance: Instance<'_>,
    ) -> Result<u64, String> {
        let mut cost = 0_u64;
        if let Some(text) = instance.text() {
            let options = members
                .get("enum")
                .and_then(Value::as_array)
                .map_or(1, Vec::len) as u64;
            cost = (text.len() as u64 / 64).saturating_mul(options);
            if let Some(Value::String(pattern)) = members.get("pattern") {
                cost = cost.saturating_add(matching(self.patterns.states(pattern)?, text.len()));
            }
        }
        if let Some(object) = instance.object() {
            cost = cost.saturating_add(object.len() as u64);
            let patterns = members.get("patternProperties").and_then(Value::as_object);
            if let Some(patterns) = patterns.filter(|_| !object.is_empty()) {
                let length = object.keys().map(String::len).sum();
                for pattern in patterns.keys() {
                    cost = cost.saturating_add(matching(self.patterns.states(pattern)?, length));
                }
            }
        }
        if let (Instance::Value(value @ Value::Array(_)), Some(Value::Bool(true))) =
            (instance, members.get("uniqueItems"))
        {
            let measure = Measure::of(value);
            cost = cost.saturating_add((8 * measure.nodes + measure.bytes / 32) as u64);
        }
        Ok(cost)
    }
}

/// The cost of matching: each state may be looked at for each byte, at a small part of the cost of
/// a subschema.
fn matching(states: u64, length: usize) -> u64 {
    1 + states.saturating_mul(length as u64 + 1) / 16
}

fn followed(target: &Target) -> Result<usize, String> {
    let why = match target {
        Target::Position(at) => return Ok(*at),
        Target::Beyond => "a reference leads to something that is no schema",
        Target::Missing(_) => "a reference leads nowhere",
        Target::Network(_) => "a reference leaves the document",
        Target::MetaSchema => "a reference leads to a meta-schema",
        Target::Ambiguous => "a dynamic reference has several targets",
    };
    Err(why.to_owned())
}
