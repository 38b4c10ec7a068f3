//! The walk: every subschema of a schema once, with where it sits and what it belongs to.
//!
//! It uses no recursion and looks at each subschema once, so its work is linear in the schema. It
//! judges nothing.

use crate::describe::push_pointer;
use crate::dialect::{Declared, Dialect};
use crate::keyword::{Member, subschemas};
use crate::reference::{Reference, Resource};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};

/// How a subschema was found.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place<'a> {
    Root,
    /// Under a keyword of another subschema.
    Under {
        parent: usize,
        keyword: &'a str,
        member: Member<'a>,
    },
    /// Only by a reference, in a part of the document that no keyword describes. The pointer
    /// counts from the root of the resource.
    Referred {
        resource: usize,
        fragment: &'a str,
    },
}

/// A subschema.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Position<'a> {
    pub(crate) value: &'a Value,
    pub(crate) place: Place<'a>,
    pub(crate) dialect: Dialect,
    /// The schema resource that it belongs to.
    pub(crate) resource: usize,
    /// How many subschemas lie above it.
    pub(crate) depth: usize,
    /// Whether the meta-schema says anything about it.
    pub(crate) judged: bool,
    /// Whether it takes part in validation, or may when something refers to it. What stands beside
    /// a `$ref` in old dialects does not.
    pub(crate) live: bool,
}

/// The subschemas of a schema and the references between them.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    pub(crate) positions: Vec<Position<'a>>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) references: Vec<Reference<'a>>,
    /// Whether the limit on subschemas cut the walk short.
    pub(crate) truncated: bool,
    pub(crate) anchors: BTreeMap<(usize, &'a str), usize>,
    pub(crate) dynamic_anchors: BTreeMap<&'a str, Vec<usize>>,
    pub(crate) by_uri: BTreeMap<String, usize>,
    /// Which references start at which position: keyed by position and keyword.
    pub(crate) reference_at: BTreeMap<(usize, &'a str), usize>,
    by_address: BTreeMap<usize, usize>,
    indexed: usize,
    limit: usize,
    pending: VecDeque<usize>,
    /// Whether a reference led into a part of the document that no keyword describes.
    strayed: bool,
}

impl<'a> Plan<'a> {
    /// Walks `root` in `dialect`, looking at no more than `limit` subschemas.
    pub(crate) fn new(root: &'a Value, dialect: Dialect, limit: usize) -> Self {
        let mut plan = Self {
            positions: Vec::new(),
            resources: Vec::new(),
            references: Vec::new(),
            truncated: false,
            anchors: BTreeMap::new(),
            dynamic_anchors: BTreeMap::new(),
            by_uri: BTreeMap::new(),
            reference_at: BTreeMap::new(),
            by_address: BTreeMap::new(),
            indexed: 0,
            limit,
            pending: VecDeque::new(),
            strayed: false,
        };
        plan.resources.push(Resource {
            root: 0,
            base: None,
        });
        plan.add(Position {
            value: root,
            place: Place::Root,
            dialect,
            resource: 0,
            depth: 0,
            judged: true,
            live: true,
        });
        let mut next = 0;
        let mut retried = false;
        loop {
            while next < plan.positions.len() {
                plan.expand(next);
                next += 1;
            }
            if let Some(reference) = plan.pending.pop_front() {
                plan.follow(reference);
            } else if plan.strayed && !retried {
                // Names may have come to light after the references to them.
                retried = true;
                let missing = plan.references.iter().enumerate();
                plan.pending
                    .extend(missing.filter(|(_, it)| it.is_missing()).map(|(at, _)| at));
            } else {
                break;
            }
        }
        plan.settle();
        plan.index();
        plan
    }

    /// The subschema that `value` is, if the walk met it.
    pub(crate) fn at(&self, value: &Value) -> Option<usize> {
        self.by_address.get(&address(value)).copied()
    }

    /// The same while the walk still goes on.
    pub(crate) fn find(&mut self, value: &Value) -> Option<usize> {
        self.index();
        self.at(value)
    }

    fn index(&mut self) {
        for (position, found) in self.positions.iter().enumerate().skip(self.indexed) {
            self.by_address.insert(address(found.value), position);
        }
        self.indexed = self.positions.len();
    }

    /// Takes up a subschema that the walk has not met before.
    pub(crate) fn add(&mut self, mut position: Position<'a>) -> Option<usize> {
        if self.positions.len() >= self.limit {
            self.truncated = true;
            return None;
        }
        let at = self.positions.len();
        if matches!(position.place, Place::Referred { .. }) {
            self.strayed = true;
        }
        if position.value.is_object() {
            self.identify(at, &mut position);
        }
        self.positions.push(position);
        Some(at)
    }

    /// Enters subschemas and references directly under a position.
    fn expand(&mut self, at: usize) {
        let from = self.positions[at];
        if from.live {
            self.collect(at);
        }
        let hidden = hides_siblings(&from);
        subschemas(from.dialect, from.value, &mut |keyword, member, value| {
            // Only references reach a subschema by two ways.
            if self.strayed && self.find(value).is_some() {
                return;
            }
            self.add(Position {
                value,
                place: Place::Under {
                    parent: at,
                    keyword,
                    member,
                },
                dialect: from.dialect,
                resource: from.resource,
                depth: from.depth + 1,
                judged: from.judged,
                live: from.live && (!hidden || is_shelf(keyword)),
            });
        });
    }

    /// Queues the references that start at a position.
    fn collect(&mut self, at: usize) {
        let from = self.positions[at];
        for reference in Reference::all_of(at, &from) {
            // A position that comes alive before it is expanded is met twice.
            if self.reference_at.contains_key(&(at, reference.keyword)) {
                continue;
            }
            let index = self.references.len();
            self.reference_at.insert((at, reference.keyword), index);
            self.references.push(reference);
            self.pending.push_back(index);
        }
    }

    /// Makes a position take part after all, with everything under it.
    pub(crate) fn revive(&mut self, at: usize) {
        let mut stack = vec![at];
        while let Some(at) = stack.pop() {
            if self.positions[at].live {
                continue;
            }
            self.positions[at].live = true;
            self.collect(at);
            let from = self.positions[at];
            let hidden = hides_siblings(&from);
            subschemas(from.dialect, from.value, &mut |keyword, _, value| {
                if !hidden || is_shelf(keyword) {
                    stack.extend(self.at(value));
                }
            });
        }
    }

    /// The JSON pointer of a position.
    pub(crate) fn pointer(&self, at: usize) -> String {
        let mut pointer = String::new();
        self.write_pointer(at, usize::MAX, &mut pointer);
        pointer
    }

    /// The JSON pointer of a position, or only its beginning once it has more than `limit`
    /// characters.
    pub(crate) fn write_pointer(&self, at: usize, limit: usize, out: &mut String) {
        let mut chain = Vec::new();
        let mut current = at;
        // The way up ends: a parent is always older than its child, and a resource's root is no
        // younger than what is referred to in it.
        loop {
            chain.push(current);
            current = match self.positions[current].place {
                Place::Root => break,
                Place::Under { parent, .. } => parent,
                Place::Referred { resource, .. } => self.resources[resource].root,
            };
        }
        for &step in chain.iter().rev() {
            // No character has more than four bytes.
            if out.len() / 4 > limit {
                return;
            }
            match self.positions[step].place {
                Place::Root => {}
                Place::Under {
                    keyword, member, ..
                } => {
                    push_pointer(out, keyword);
                    match member {
                        Member::Whole => {}
                        Member::Key(key) => push_pointer(out, key),
                        Member::Index(index) => push_pointer(out, &index.to_string()),
                    }
                }
                Place::Referred { fragment, .. } => {
                    for token in crate::uri::tokens(&crate::uri::decode(fragment)) {
                        push_pointer(out, &token);
                    }
                }
            }
        }
    }
}

/// `definitions` keep their use beside a `$ref`: they are a shelf that references reach into.
fn is_shelf(keyword: &str) -> bool {
    matches!(keyword, "definitions" | "$defs")
}

/// Whether a `$ref` makes the other keywords here meaningless.
pub(crate) fn hides_siblings(position: &Position<'_>) -> bool {
    position.dialect.ref_hides_siblings()
        && position.value.get("$ref").is_some_and(Value::is_string)
}

/// Values of one document are told apart by where they lie; the address is only compared.
fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

/// The dialect of an embedded resource, and whether its meta-schema is known.
pub(crate) fn embedded_dialect(value: &Value, outer: Dialect) -> (Dialect, bool) {
    match Declared::of(value) {
        Declared::Known(dialect) => (dialect, true),
        Declared::Unknown(_) => (outer, false),
        Declared::Absent | Declared::NotText => (outer, true),
    }
}

#[cfg(test)]
mod tests {
    use super::Plan;
    use crate::dialect::Dialect;
    use serde_json::{Map, Value, json};

    fn plan(schema: &Value) -> Plan<'_> {
        Plan::new(schema, Dialect::Draft202012, 1_000)
    }

    #[test]
    fn every_subschema_is_looked_at_once() {
        // 2^30 ways lead through this; it has 92 subschemas and 61 references.
        let mut shelf = Map::new();
        for level in 0..30 {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            shelf.insert(format!("d{level}"), json!({"allOf": [next, next]}));
        }
        shelf.insert("d30".to_owned(), json!({}));
        let schema = json!({"$ref": "#/$defs/d0", "$defs": shelf});
        let plan = plan(&schema);
        assert_eq!((plan.positions.len(), plan.references.len()), (92, 61));
        assert!(!plan.truncated);
    }

    #[test]
    fn the_limit_cuts_the_walk() {
        let schema = json!({"allOf": vec![json!({}); 2_000]});
        let plan = plan(&schema);
        assert_eq!(plan.positions.len(), 1_000);
        assert!(plan.truncated);
    }

    #[test]
    fn pointers_lead_back() {
        let schema = json!({
            "$ref": "#/x~1y/0", "properties": {"a/b": {"items": {"allOf": [true, {"not": {}}]}}},
            "x/y": [{"items": {}}]
        });
        let plan = plan(&schema);
        let mut pointers = Vec::new();
        for (at, position) in plan.positions.iter().enumerate() {
            let pointer = plan.pointer(at);
            let found = schema.pointer(&pointer).map(std::ptr::from_ref);
            assert_eq!(found, Some(std::ptr::from_ref(position.value)), "{pointer}");
            pointers.push(pointer);
        }
        assert_eq!(pointers.last().map(String::as_str), Some("/x~1y/0/items"));
        let mut short = String::new();
        plan.write_pointer(plan.positions.len() - 1, 1, &mut short);
        assert!(short.len() > 1 && pointers.iter().any(|pointer| pointer.starts_with(&short)));
    }
}
