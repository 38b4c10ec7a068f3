//! References: what `$ref`, `$dynamicRef` and `$recursiveRef` lead to. Nothing is ever fetched.

use crate::dialect::{Dialect, is_meta_schema};
use crate::keyword::{Shape, shape};
use crate::uri::{array_index, decode, resolve, split, tokens};
use crate::walk::{Place, Plan, Position, embedded_dialect, hides_siblings};
use serde_json::Value;

/// A part of the document with an address of its own (`$id`), or the document itself.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) root: usize,
    /// What relative references count from; nothing when the document names nothing.
    pub(crate) base: Option<String>,
}

/// A reference keyword at a position.
#[derive(Debug)]
pub(crate) struct Reference<'a> {
    pub(crate) from: usize,
    pub(crate) keyword: &'a str,
    pub(crate) text: &'a str,
    pub(crate) target: Target,
}

/// What a reference leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// A subschema.
    Position(usize),
    /// A member of the document that is no subschema, or one beyond the limit of the walk.
    Beyond,
    /// Nothing; says how far the way went.
    Missing(String),
    /// Another document.
    Network(String),
    /// A published meta-schema.
    MetaSchema,
    /// One of several subschemas, depending on how validation got there.
    Ambiguous,
}

impl<'a> Reference<'a> {
    /// The references that start at a position.
    pub(crate) fn all_of(at: usize, position: &Position<'a>) -> impl Iterator<Item = Self> {
        let keywords: &[&'static str] = match position.dialect {
            Dialect::Draft4 | Dialect::Draft6 | Dialect::Draft7 => &["$ref"],
            Dialect::Draft201909 => &["$ref", "$recursiveRef"],
            Dialect::Draft202012 => &["$ref", "$dynamicRef"],
        };
        let value = position.value;
        keywords.iter().filter_map(move |&keyword| {
            let text = value.get(keyword)?.as_str()?;
            Some(Self {
                from: at,
                keyword,
                text,
                target: Target::Beyond,
            })
        })
    }

    pub(crate) fn is_missing(&self) -> bool {
        matches!(self.target, Target::Missing(_))
    }
}

/// What a value on the way of a pointer is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Schema,
    /// An object or array whose members are subschemas.
    Shelf,
    Other,
}

impl<'a> Plan<'a> {
    /// Notes the names that a subschema gives itself, before anything under it is looked at.
    pub(crate) fn identify(&mut self, at: usize, position: &mut Position<'a>) {
        let outer = position.dialect;
        if !hides_siblings(position) {
            let (own, known) = if at == 0 {
                (outer, true)
            } else {
                embedded_dialect(position.value, outer)
            };
            let id = [outer, own]
                .iter()
                .find_map(|it| position.value.get(it.id_keyword())?.as_str());
            if let Some(id) = id
                && self.name(at, position, id)
            {
                position.dialect = own;
                position.judged &= known;
            }
        }
        if position.dialect < Dialect::Draft201909 {
            return;
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(Value::String(name)) = position.value.get(keyword) {
                self.anchors.entry((position.resource, name)).or_insert(at);
                if keyword == "$dynamicAnchor" {
                    self.dynamic_anchors.entry(name).or_default().push(at);
                }
            }
        }
        // An anchor has no empty name, so this key is free for the recursive ones, which count at
        // the root of a resource only.
        if position.value.get("$recursiveAnchor") == Some(&Value::Bool(true))
            && self.resources[position.resource].root == at
        {
            self.dynamic_anchors.entry("").or_default().push(at);
        }
    }

    /// Applies an `$id`; says whether a resource of its own begins here.
    fn name(&mut self, at: usize, position: &mut Position<'a>, id: &'a str) -> bool {
        let (uri, fragment) = split(id);
        let begins = !uri.is_empty();
        if begins {
            let base = resolve(uri, self.resources[position.resource].base.as_deref());
            if at != 0 {
                position.resource = self.resources.len();
                self.resources.push(Resource {
                    root: at,
                    base: None,
                });
            }
            self.by_uri.entry(base.clone()).or_insert(position.resource);
            self.resources[position.resource].base = Some(base);
        }
        // Up to draft 7 this is how an anchor is written.
        if let Some(name) = fragment.filter(|name| !name.is_empty()) {
            self.anchors.entry((position.resource, name)).or_insert(at);
        }
        begins
    }

    /// Finds what a reference leads to and takes that up into the walk.
    pub(crate) fn follow(&mut self, reference: usize) {
        let Reference { from, text, .. } = self.references[reference];
        let target = self.locate(from, text);
        if let Target::Position(target) = target {
            self.revive(target);
        }
        self.references[reference].target = target;
    }

    fn locate(&mut self, from: usize, text: &'a str) -> Target {
        let (uri, fragment) = split(text);
        let mut resource = self.positions[from].resource;
        if !uri.is_empty() {
            let resolved = resolve(uri, self.resources[resource].base.as_deref());
            match self.by_uri.get(&resolved) {
                Some(&found) => resource = found,
                None if is_meta_schema(&resolved) => return Target::MetaSchema,
                None => return Target::Network(resolved),
            }
        }
        let fragment = fragment.unwrap_or_default();
        let decoded = decode(fragment);
        if decoded.is_empty() {
            Target::Position(self.resources[resource].root)
        } else if decoded.starts_with('/') {
            self.point(resource, fragment, &decoded)
        } else {
            self.anchors.get(&(resource, &*decoded)).map_or_else(
                || Target::Missing("no subschema of this resource has that anchor".to_owned()),
                |&found| Target::Position(found),
            )
        }
    }

    /// Follows a JSON pointer from the root of a resource; every member counts.
    fn point(&mut self, resource: usize, fragment: &'a str, pointer: &str) -> Target {
        let root = self.positions[self.resources[resource].root];
        let mut value = root.value;
        let mut dialect = root.dialect;
        let mut meaning = Meaning::Schema;
        for (step, token) in tokens(pointer).enumerate() {
            let next = match value {
                Value::Object(members) => members.get(&*token),
                Value::Array(entries) => array_index(&token).and_then(|index| entries.get(index)),
                _ => None,
            };
            let Some(next) = next else {
                return Target::Missing(lost(value, step, &token));
            };
            meaning = match meaning {
                Meaning::Schema => meaning_of(dialect, &token, next),
                Meaning::Shelf if next.is_array() => Meaning::Other,
                Meaning::Shelf => Meaning::Schema,
                Meaning::Other => Meaning::Other,
            };
            value = next;
            if meaning == Meaning::Schema
                && let Some(known) = self.find(value)
            {
                dialect = self.positions[known].dialect;
            }
        }
        if meaning == Meaning::Shelf || !(value.is_object() || value.is_boolean()) {
            return Target::Beyond;
        }
        let found = self.find(value).or_else(|| {
            self.add(Position {
                value,
                place: Place::Referred { resource, fragment },
                dialect: root.dialect,
                resource,
                depth: root.depth + 1,
                judged: false,
                live: false,
            })
        });
        found.map_or(Target::Beyond, Target::Position)
    }

    /// Settles dynamic references, once every anchor is known.
    pub(crate) fn settle(&mut self) {
        for at in 0..self.references.len() {
            let reference = &self.references[at];
            let Target::Position(initial) = reference.target else {
                continue;
            };
            let name = match reference.keyword {
                "$dynamicRef" => decode(split(reference.text).1.unwrap_or_default()),
                "$recursiveRef" => "".into(),
                _ => continue,
            };
            let Some(candidates) = self.dynamic_anchors.get(&*name) else {
                continue;
            };
            if candidates.contains(&initial) {
                self.references[at].target = self.outermost(candidates);
            }
        }
    }

    /// Which of several dynamic anchors of one name counts: that of the document, which is always
    /// the outermost, else the only one there is.
    fn outermost(&self, candidates: &[usize]) -> Target {
        let of_document = |at: &&usize| self.positions[**at].resource == 0;
        match (candidates.iter().find(of_document), candidates) {
            (Some(&at), _) | (None, &[at]) => Target::Position(at),
            _ => Target::Ambiguous,
        }
    }

    /// What the reference under `keyword` at a position leads to.
    pub(crate) fn target(&self, at: usize, keyword: &str) -> Option<&Target> {
        self.reference_at
            .get(&(at, keyword))
            .map(|&index| &self.references[index].target)
    }
}

fn meaning_of(dialect: Dialect, keyword: &str, value: &Value) -> Meaning {
    match shape(dialect, keyword) {
        Some(Shape::Schema | Shape::SchemaOrFlag) => Meaning::Schema,
        Some(Shape::SchemaOrSchemas) if !value.is_array() => Meaning::Schema,
        Some(
            Shape::Schemas | Shape::SchemaMap | Shape::SchemaOrSchemas | Shape::Dependencies { .. },
        ) => Meaning::Shelf,
        _ => Meaning::Other,
    }
}

/// Says where a pointer ended.
fn lost(value: &Value, step: usize, token: &str) -> String {
    let token = crate::describe::quote(token);
    let place = match value {
        Value::Object(_) => format!("the object there has no member {token}"),
        Value::Array(entries) => {
            format!(
                "the array there has {} entries and none is {token}",
                entries.len()
            )
        }
        _ => format!("there is nothing under {}", crate::describe::value(value)),
    };
    if step == 0 {
        place
    } else {
        format!("{place}, after {step} of its steps")
    }
}
