//! Walks a schema and writes it anew for a wire.

use super::keyword::{Holds, holds, is_sent, takes_booleans};
use super::refer::{self, Target};
use super::{DEPTH, NODES, Repairs};
use crate::provider::model::Wire;
use crate::provider::names;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// From parameters that the wire refuses to names that it takes.
pub(super) fn odd_keys(wire: Wire, root: &Value) -> BTreeMap<String, String> {
    let mut keys = BTreeSet::new();
    if wire == Wire::Messages {
        collect(root, 0, &mut keys);
    }
    names::renamed_keys(&keys)
}

fn collect<'a>(node: &'a Value, depth: usize, keys: &mut BTreeSet<&'a str>) {
    let Value::Object(members) = node else { return };
    if depth > DEPTH {
        return;
    }
    for (keyword, value) in members {
        match (holds(keyword), value) {
            (Holds::Named, Value::Object(named)) => {
                if keyword == "properties" {
                    keys.extend(named.keys().map(String::as_str));
                }
                for value in named.values() {
                    collect(value, depth + 1, keys);
                }
            }
            (Holds::List | Holds::One, Value::Array(items)) => {
                for value in items {
                    collect(value, depth + 1, keys);
                }
            }
            (Holds::One, value) => collect(value, depth + 1, keys),
            _ => {}
        }
    }
}

/// Writes a schema anew.
pub(super) struct Walker<'a> {
    wire: Wire,
    root: &'a Value,
    keys: &'a BTreeMap<String, String>,
    repairs: &'a mut Repairs,
    nodes: usize,
    /// References that are being written out.
    open: Vec<String>,
}

impl<'a> Walker<'a> {
    pub(super) fn new(
        wire: Wire,
        root: &'a Value,
        keys: &'a BTreeMap<String, String>,
        repairs: &'a mut Repairs,
    ) -> Self {
        Self {
            wire,
            root,
            keys,
            repairs,
            nodes: 0,
            open: Vec::new(),
        }
    }

    pub(super) fn whole(&mut self) -> Value {
        self.node(self.root, "", 0)
    }

    fn writes_out(&self) -> bool {
        self.wire == Wire::Gemini
    }

    fn node(&mut self, node: &Value, pointer: &str, depth: usize) -> Value {
        self.nodes += 1;
        if depth > DEPTH || (self.writes_out() && self.nodes > NODES) {
            self.repairs.push(
                pointer,
                "what is nested more deeply, or repeated more often, than can be sent is left out",
            );
            return json!({});
        }
        match node {
            Value::Object(members) => self.object(members, pointer, depth),
            Value::Bool(true) if self.wire != Wire::Messages => json!({}),
            Value::Bool(false) if self.wire == Wire::Gemini => {
                self.repairs
                    .push(pointer, "`false`, which forbids every value, is not told");
                json!({})
            }
            Value::Bool(false) if self.wire != Wire::Messages => json!({"not": {}}),
            Value::Bool(_) => node.clone(),
            _ => {
                self.repairs.push(pointer, "what is no schema is left out");
                json!({})
            }
        }
    }

    fn object(&mut self, members: &Map<String, Value>, pointer: &str, depth: usize) -> Value {
        if let Some(Value::String(reference)) = members.get("$ref")
            && let Some(written) = self.reference(reference, members, pointer, depth)
        {
            return written;
        }
        let mut out = Map::new();
        for (keyword, value) in members {
            self.keyword(keyword, value, pointer, depth, &mut out);
        }
        modernise(&mut out);
        if self.writes_out() {
            narrow(members, &mut out, pointer, self.repairs);
            self.merge_all_of(members, pointer, depth, &mut out);
        }
        if self.wire != Wire::Messages && may_be(&out, "array") {
            // Says the same, and is refused when absent.
            out.entry("items").or_insert_with(|| json!({}));
        }
        Value::Object(out)
    }

    /// A node with a reference, where it must be changed; none where it goes as it is.
    fn reference(
        &mut self,
        reference: &str,
        members: &Map<String, Value>,
        pointer: &str,
        depth: usize,
    ) -> Option<Value> {
        let lost = match refer::follow(self.root, reference) {
            Target::Here(_) if self.open.iter().any(|open| open == reference) => {
                "a reference to what it stands in is cut off after one round"
            }
            Target::Here(target) if self.writes_out() => {
                self.open.push(reference.to_owned());
                let mut written = self.node(target, pointer, depth + 1);
                self.open.pop();
                let mut rest = members.clone();
                rest.remove("$ref");
                let beside = self.object(&rest, pointer, depth + 1);
                if let (Some(written), Value::Object(beside)) = (written.as_object_mut(), beside) {
                    written.extend(beside);
                }
                return Some(written);
            }
            Target::Here(_) => return None,
            Target::Elsewhere => "a reference that leaves the document is left out",
            Target::Nowhere => "a reference that leads nowhere is left out",
            Target::Itself => "a reference that leads back to itself is left out",
        };
        self.repairs.push(pointer, lost);
        let mut rest = members.clone();
        rest.remove("$ref");
        Some(self.object(&rest, pointer, depth))
    }

    fn keyword(
        &mut self,
        keyword: &str,
        value: &Value,
        pointer: &str,
        depth: usize,
        out: &mut Map<String, Value>,
    ) {
        if self.leaves_out(keyword, value, pointer) {
            return;
        }
        let at = format!("{pointer}/{}", escaped(keyword));
        let written = match (holds(keyword), value) {
            (Holds::Named, Value::Object(named)) => self.named(keyword, named, &at, depth),
            (Holds::List | Holds::One, Value::Array(items)) => {
                let walked = items.iter().enumerate();
                walked
                    .map(|(i, item)| self.node(item, &format!("{at}/{i}"), depth + 1))
                    .collect()
            }
            (Holds::One, Value::Bool(_)) if takes_booleans(keyword) => value.clone(),
            (Holds::One, value) => self.node(value, &at, depth + 1),
            (Holds::Plain, Value::String(reference)) if keyword == "$ref" => {
                json!(refer::renamed(reference, self.keys))
            }
            (Holds::Plain, Value::Array(names)) if keyword == "required" => {
                names.iter().map(|name| self.sent_key(name)).collect()
            }
            _ => value.clone(),
        };
        out.insert(keyword.to_owned(), written);
    }

    /// Whether a keyword is not sent, which is told where it loses something.
    fn leaves_out(&mut self, keyword: &str, value: &Value, pointer: &str) -> bool {
        if keyword == "$schema" {
            let dialect = value.as_str().unwrap_or_default();
            if !dialect.contains("/draft/2020-12/schema") {
                let told = "the dialect is not named: providers read every schema as 2020-12";
                self.repairs.push(pointer, told);
            }
            return true;
        }
        if is_sent(self.wire, keyword) {
            return false;
        }
        // Definitions are written out; constants, bounds and `allOf` are said in another way.
        let is_said = matches!(
            keyword,
            "$defs" | "definitions" | "const" | "exclusiveMinimum" | "exclusiveMaximum" | "allOf"
        );
        if !is_said {
            let shown = crate::provider::fault::safe(keyword, 40);
            self.repairs
                .push(pointer, &format!("`{shown}` is left out"));
        }
        true
    }

    fn named(
        &mut self,
        keyword: &str,
        named: &Map<String, Value>,
        at: &str,
        depth: usize,
    ) -> Value {
        let mut out = Map::new();
        for (key, value) in named {
            let below = format!("{at}/{}", escaped(key));
            if keyword == "properties" && *value == json!(false) && self.wire != Wire::Messages {
                self.repairs
                    .push(&below, "a property that must not be there is left out");
                continue;
            }
            let sent = self.keys.get(key).filter(|_| keyword == "properties");
            let written = self.node(value, &below, depth + 1);
            out.insert(sent.unwrap_or(key).clone(), written);
        }
        Value::Object(out)
    }

    fn sent_key(&self, name: &Value) -> Value {
        let sent = name.as_str().and_then(|name| self.keys.get(name));
        sent.map_or_else(|| name.clone(), |sent| json!(sent))
    }

    /// Gemini has no `allOf`: what does not contradict is put together.
    fn merge_all_of(
        &mut self,
        members: &Map<String, Value>,
        pointer: &str,
        depth: usize,
        out: &mut Map<String, Value>,
    ) {
        let Some(Value::Array(parts)) = members.get("allOf") else {
            return;
        };
        for part in parts {
            let Value::Object(part) = self.node(part, pointer, depth + 1) else {
                continue;
            };
            for (keyword, value) in part {
                match (out.get_mut(&keyword), value) {
                    (Some(Value::Object(old)), Value::Object(new)) if keyword == "properties" => {
                        for (key, value) in new {
                            old.entry(key).or_insert(value);
                        }
                    }
                    (Some(Value::Array(old)), Value::Array(new)) if keyword == "required" => {
                        for name in new {
                            if !old.contains(&name) {
                                old.push(name);
                            }
                        }
                    }
                    (Some(old), value) if *old != value => {
                        self.repairs.push(
                            pointer,
                            &format!("the second `{keyword}` of `allOf` is left out"),
                        );
                    }
                    (Some(_), _) => {}
                    (None, value) => {
                        out.insert(keyword, value);
                    }
                }
            }
        }
    }
}

/// Forms of older drafts, in the words of 2020-12: tuples, and bounds that are truths.
fn modernise(out: &mut Map<String, Value>) {
    if out.get("items").is_some_and(Value::is_array) {
        if let Some(tuple) = out.remove("items") {
            out.insert("prefixItems".to_owned(), tuple);
        }
        if let Some(rest) = out.remove("additionalItems") {
            out.insert("items".to_owned(), rest);
        }
    }
    for (bound, exclusive) in [
        ("minimum", "exclusiveMinimum"),
        ("maximum", "exclusiveMaximum"),
    ] {
        if let Some(Value::Bool(is_exclusive)) = out.get(exclusive) {
            let is_exclusive = *is_exclusive;
            out.remove(exclusive);
            if is_exclusive && let Some(limit) = out.remove(bound) {
                out.insert(exclusive.to_owned(), limit);
            }
        }
    }
}

/// Says in Gemini's words what it has no keyword for.
fn narrow(
    members: &Map<String, Value>,
    out: &mut Map<String, Value>,
    pointer: &str,
    repairs: &mut Repairs,
) {
    if let Some(constant) = members.get("const") {
        out.insert("enum".to_owned(), json!([constant]));
    }
    for (bound, exclusive, step) in [
        ("minimum", "exclusiveMinimum", 1),
        ("maximum", "exclusiveMaximum", -1),
    ] {
        let Some(limit @ Value::Number(number)) = members.get(exclusive) else {
            continue;
        };
        let whole = number
            .as_i64()
            .filter(|_| members.get("type") == Some(&json!("integer")));
        let next = whole.and_then(|number| number.checked_add(step));
        if next.is_none() {
            repairs.push(pointer, &format!("`{exclusive}` is told as `{bound}`"));
        }
        let sent = next.map_or_else(|| limit.clone(), |next| json!(next));
        out.insert(bound.to_owned(), sent);
    }
}

fn may_be(schema: &Map<String, Value>, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(name)) => name == kind,
        Some(Value::Array(names)) => names.iter().any(|name| name == kind),
        _ => false,
    }
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
