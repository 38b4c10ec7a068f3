//! The closed form of a schema: what the validator gets to see.
//!
//! It is a copy in which every reference is a plain pointer to a shelf of its own, and which keeps
//! only keywords that assert something. Addresses, anchors, dynamic scopes, formats and unknown
//! keywords are gone, so nothing in it can make the validator fetch, and its behaviour does not
//! depend on how a stranger names things. What the estimate has shown to be never evaluated on the
//! value at hand is left out, so a build is no more work than a validation.

use crate::describe::push_pointer;
use crate::dialect::Dialect;
use crate::keyword::{Shape, shape};
use crate::reference::Target;
use crate::steps::Patterns;
use crate::walk::{Plan, hides_siblings};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A closed schema.
pub(crate) struct Closed {
    pub(crate) schema: Value,
    /// Where the entries of the shelf come from.
    shelf: BTreeMap<String, usize>,
}

/// Copies a plan that `estimate` accepted. Recursion is bounded by the nesting of the schema.
pub(crate) fn close(plan: &Plan<'_>, patterns: &Patterns<'_>, visited: &[bool]) -> Closed {
    let mut targets = vec![false; plan.positions.len()];
    for reference in &plan.references {
        if let Target::Position(at) = reference.target
            && visited[reference.from]
        {
            targets[at] = true;
        }
    }
    let mut closer = Closer {
        plan,
        patterns,
        visited,
        targets,
        wanted: Vec::new(),
    };
    let mut schema = closer.copy(0);
    let mut shelf = Map::new();
    let mut names = BTreeMap::new();
    while let Some(at) = closer.wanted.pop() {
        let name = at.to_string();
        if names.insert(name.clone(), at).is_none() {
            let copy = closer.copy(at);
            shelf.insert(name, copy);
        }
    }
    if let Value::Object(members) = &mut schema
        && !shelf.is_empty()
    {
        members.insert(shelf_keyword(plan).to_owned(), Value::Object(shelf));
    }
    Closed {
        schema,
        shelf: names,
    }
}

impl Closed {
    /// The pointer into the original schema behind one into the closed one.
    pub(crate) fn original(&self, plan: &Plan<'_>, pointer: &str) -> String {
        let mut tokens = pointer.splitn(4, '/');
        let (_, keyword, entry) = (tokens.next(), tokens.next(), tokens.next());
        let Some(&at) = entry
            .filter(|_| keyword == Some(shelf_keyword(plan)))
            .and_then(|entry| self.shelf.get(entry))
        else {
            return pointer.to_owned();
        };
        let mut original = plan.pointer(at);
        if let Some(rest) = tokens.next() {
            original.push('/');
            original.push_str(rest);
        }
        original
    }
}

fn shelf_keyword(plan: &Plan<'_>) -> &'static str {
    let dialect = plan.positions.first().map(|root| root.dialect);
    if dialect >= Some(Dialect::Draft201909) {
        "$defs"
    } else {
        "definitions"
    }
}

struct Closer<'p, 'a> {
    plan: &'p Plan<'a>,
    patterns: &'p Patterns<'a>,
    visited: &'p [bool],
    /// Which positions a reference leads to.
    targets: Vec<bool>,
    /// Targets to put on the shelf.
    wanted: Vec<usize>,
}

impl Closer<'_, '_> {
    fn copy(&mut self, at: usize) -> Value {
        let position = self.plan.positions[at];
        let Value::Object(members) = position.value else {
            return position.value.clone();
        };
        let mut copy = Map::new();
        let mut references = Vec::new();
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(Target::Position(target)) = self.plan.target(at, keyword) {
                references.push(self.reference(*target));
            }
        }
        if !hides_siblings(&position) {
            for (keyword, value) in members {
                if let Some(value) = self.keyword(position.dialect, keyword, value) {
                    copy.insert(keyword.clone(), value);
                }
            }
        }
        let mut references = references.into_iter();
        if let Some(Value::Object(first)) = references.next() {
            copy.extend(first);
        }
        if let Some(second) = references.next() {
            let all = copy.entry("allOf").or_insert_with(|| json!([]));
            if let Value::Array(branches) = all {
                branches.push(second);
            }
        }
        Value::Object(copy)
    }

    fn reference(&mut self, target: usize) -> Value {
        if target == 0 {
            return json!({"$ref": "#"});
        }
        self.wanted.push(target);
        let mut pointer = "#".to_owned();
        push_pointer(&mut pointer, shelf_keyword(self.plan));
        push_pointer(&mut pointer, &target.to_string());
        json!({ "$ref": pointer })
    }

    fn keyword(&mut self, dialect: Dialect, keyword: &str, value: &Value) -> Option<Value> {
        let shape = shape(dialect, keyword)?;
        match keyword {
            "contentSchema" | "$defs" | "definitions" => return None,
            "dependencies" if dialect >= Dialect::Draft201909 => return None,
            "pattern" => {
                let supported = value
                    .as_str()
                    .is_some_and(|it| self.patterns.states(it).is_ok());
                return supported.then(|| value.clone());
            }
            "patternProperties" => {
                let members = value.as_object()?.iter();
                let supported = members.filter(|(key, _)| self.patterns.states(key).is_ok());
                let supported: Vec<_> = supported.collect();
                return Some(self.members(supported.into_iter()));
            }
            _ => {}
        }
        match shape {
            Shape::Schema | Shape::SchemaOrFlag => Some(self.sub(value)),
            Shape::Schemas => Some(self.entries(value.as_array()?)),
            Shape::SchemaOrSchemas => {
                let tuple = value.as_array().map(|entries| self.entries(entries));
                Some(tuple.unwrap_or_else(|| self.sub(value)))
            }
            Shape::SchemaMap | Shape::Dependencies { .. } => {
                Some(self.members(value.as_object()?.iter()))
            }
            _ => asserts(keyword).then(|| value.clone()),
        }
    }

    fn sub(&mut self, value: &Value) -> Value {
        match self.plan.at(value) {
            Some(at) if !self.visited[at] => json!({}),
            Some(at) if self.targets[at] => self.reference(at),
            Some(at) => self.copy(at),
            None => value.clone(),
        }
    }

    fn entries(&mut self, entries: &[Value]) -> Value {
        entries.iter().map(|entry| self.sub(entry)).collect()
    }

    fn members<'m>(&mut self, members: impl Iterator<Item = (&'m String, &'m Value)>) -> Value {
        members
            .map(|(key, value)| (key.clone(), self.sub(value)))
            .collect()
    }
}

/// Whether a keyword without subschemas decides validity.
fn asserts(keyword: &str) -> bool {
    matches!(
        keyword,
        "type"
            | "enum"
            | "const"
            | "multipleOf"
            | "minimum"
            | "maximum"
            | "exclusiveMinimum"
            | "exclusiveMaximum"
            | "minLength"
            | "maxLength"
            | "minItems"
            | "maxItems"
            | "uniqueItems"
            | "minContains"
            | "maxContains"
            | "minProperties"
            | "maxProperties"
            | "required"
            | "dependentRequired"
    )
}
