//! Arguments for a tool: those of the configuration, else made up from its input schema.
//!
//! Bounded whatever the schema says: depth, steps and sizes have limits, and nothing is allocated because a
//! schema wishes for it. Where a schema says something that cannot be met with certainty, the attempt ends
//! with the reason; a wrong argument would only look like a fault of the server.

use crate::context::Context;
use merging::{MAX_MERGED, fits, merge, small};
use scalars::{limit, number, text, whole};
use serde_json::{Map, Value, json};

mod merging;
mod scalars;

/// Arguments that a tool should accept.
///
/// # Errors
/// Why none could be made, in words that fit after "no arguments: ".
pub fn for_tool(cx: &Context, tool: &Value) -> Result<Map<String, Value>, String> {
    let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
    match cx.settings.config.tools.arguments.get(name) {
        Some(arguments) => Ok(arguments.clone()),
        None => generate(tool.get("inputSchema").unwrap_or(&Value::Null)),
    }
}

/// Arguments that fit an input schema: what it requires and nothing else.
///
/// # Errors
/// Why none could be made.
pub fn generate(schema: &Value) -> Result<Map<String, Value>, String> {
    match value(schema, schema)? {
        Value::Object(members) => Ok(members),
        _ => Err("its input schema is not that of an object".to_owned()),
    }
}

/// A value that fits `schema`, a part of the document `root`.
///
/// # Errors
/// Why none could be made.
pub fn value(root: &Value, schema: &Value) -> Result<Value, String> {
    Maker {
        root,
        steps: MAX_STEPS,
    }
    .make(schema, 0)
}

/// Schemas that are looked at for one set of arguments.
const MAX_STEPS: usize = 500;
/// How deep they may nest.
const MAX_DEPTH: usize = 24;
/// Items of a made-up list.
const MAX_ITEMS: u64 = 20;

struct Maker<'r> {
    root: &'r Value,
    steps: usize,
}

impl Maker<'_> {
    fn make(&mut self, schema: &Value, depth: usize) -> Result<Value, String> {
        if depth > MAX_DEPTH {
            return Err("its input schema nests too deep, or refers to itself".to_owned());
        }
        self.steps = self
            .steps
            .checked_sub(1)
            .ok_or("its input schema is too large to make up arguments for")?;
        let members = match schema {
            Value::Object(members) => members,
            Value::Bool(false) => {
                return Err("a value is required where none is allowed".to_owned());
            }
            _ => return Ok(json!("example")),
        };
        if let Some(given) = given(members) {
            return Ok(given);
        }
        if let Some(simpler) = self.simpler(members)? {
            return match simpler {
                Simpler::One(schema) => self.make(&schema, depth + 1),
                Simpler::Either(schemas) => self.first(&schemas, depth + 1),
            };
        }
        for keyword in ["not", "if", "dependentSchemas", "unevaluatedItems"] {
            if members.contains_key(keyword) {
                return Err(format!(
                    "`{keyword}` in its input schema is beyond guessing"
                ));
            }
        }
        match kind(members) {
            Some("object") => self.object(members, depth),
            Some("array") => self.array(members, depth),
            Some("integer") => whole(members),
            Some("number") => number(members),
            Some("boolean") => Ok(json!(false)),
            Some("null") => Ok(Value::Null),
            Some("string") | None => text(members).map(Value::String),
            Some(other) => Err(format!("its input schema has the type `{other}`")),
        }
    }

    /// The first of several schemas for which there is a value.
    fn first(&mut self, schemas: &[Value], depth: usize) -> Result<Value, String> {
        let mut why = "its input schema offers a choice of nothing".to_owned();
        for schema in schemas {
            match self.make(schema, depth) {
                Ok(value) => return Ok(value),
                Err(reason) => why = reason,
            }
        }
        Err(why)
    }

    /// The same schema with a reference followed, or with its parts put together.
    fn simpler(&self, members: &Map<String, Value>) -> Result<Option<Simpler>, String> {
        let mut rest = small(members)?;
        if let Some(reference) = rest.shift_remove("$ref") {
            let target = self.resolve(&reference)?;
            return merge(&rest, target).map(|whole| Some(Simpler::One(whole)));
        }
        if rest.contains_key("$dynamicRef") {
            return Err("`$dynamicRef` in its input schema is beyond guessing".to_owned());
        }
        if let Some(Value::Array(parts)) = rest.shift_remove("allOf") {
            let whole = parts
                .iter()
                .try_fold(Value::Object(rest), |whole, part| match &whole {
                    Value::Object(members) => merge(members, &self.followed(part)?),
                    _ => Ok(whole),
                })?;
            return Ok(Some(Simpler::One(whole)));
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = rest.shift_remove(keyword) {
                let whole: Result<Vec<Value>, String> = branches
                    .iter()
                    .take(MAX_BRANCHES)
                    .map(|branch| merge(&rest, branch))
                    .collect();
                return whole.map(|whole| Some(Simpler::Either(whole)));
            }
        }
        Ok(None)
    }

    /// A part of `allOf` with its own reference followed, so that two of them can be put together.
    fn followed(&self, part: &Value) -> Result<Value, String> {
        let Value::Object(members) = part else {
            return Ok(part.clone());
        };
        let mut rest = small(members)?;
        match rest.shift_remove("$ref") {
            Some(reference) => merge(&rest, self.resolve(&reference)?),
            None => Ok(Value::Object(rest)),
        }
    }

    fn resolve(&self, reference: &Value) -> Result<&Value, String> {
        let beyond = || {
            let shown = crate::wire::json::shortened(reference, 60);
            format!("the reference {shown} in its input schema cannot be followed")
        };
        let fragment = reference
            .as_str()
            .and_then(|text| text.strip_prefix('#'))
            .ok_or_else(beyond)?;
        // Percent-encoded pointers are rare enough to be given up.
        if fragment.contains('%') {
            return Err(beyond());
        }
        self.root.pointer(fragment).ok_or_else(beyond)
    }

    fn object(&mut self, members: &Map<String, Value>, depth: usize) -> Result<Value, String> {
        let properties = members.get("properties").and_then(Value::as_object);
        let mut names: Vec<&str> = strings(members.get("required"));
        if let Some(Value::Object(needs)) = members.get("dependentRequired") {
            // One round is enough for all but the oddest schemas; more would need a fixed point.
            let more: Vec<&str> = needs
                .iter()
                .filter(|(name, _)| names.contains(&name.as_str()))
                .flat_map(|(_, needed)| strings(Some(needed)))
                .collect();
            names.extend(more);
        }
        let least = limit(members, "minProperties").unwrap_or(0);
        let known = properties
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str());
        for name in known {
            if names.len() as u64 >= least {
                break;
            }
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if (names.len() as u64) < least {
            return Err("it wants more properties than its input schema names".to_owned());
        }
        let mut made = Map::new();
        for name in names {
            if made.contains_key(name) {
                continue;
            }
            let schema = properties
                .and_then(|properties| properties.get(name))
                .or_else(|| members.get("additionalProperties"))
                .unwrap_or(&Value::Bool(true));
            if members.contains_key("patternProperties") && schema.is_boolean() {
                return Err("`patternProperties` in its input schema is beyond guessing".to_owned());
            }
            made.insert(name.to_owned(), self.make(schema, depth + 1)?);
        }
        Ok(Value::Object(made))
    }

    fn array(&mut self, members: &Map<String, Value>, depth: usize) -> Result<Value, String> {
        let least = limit(members, "minItems").unwrap_or(0);
        if least > MAX_ITEMS {
            return Err(format!("it wants a list of at least {least} items"));
        }
        if members.contains_key("contains") {
            return Err("`contains` in its input schema is beyond guessing".to_owned());
        }
        if least > 1 && members.get("uniqueItems") == Some(&json!(true)) {
            return Err("it wants a list of different items".to_owned());
        }
        let front = members.get("prefixItems").and_then(Value::as_array);
        let mut items = Vec::new();
        for at in 0..usize::try_from(least).unwrap_or_default() {
            let schema = front
                .and_then(|front| front.get(at))
                .or_else(|| members.get("items"))
                .unwrap_or(&Value::Bool(true));
            items.push(self.make(schema, depth + 1)?);
        }
        Ok(Value::Array(items))
    }
}

/// Branches of a choice that are tried.
const MAX_BRANCHES: usize = 16;

/// What a schema with references or parts comes to.
enum Simpler {
    One(Value),
    Either(Vec<Value>),
}

/// A value that the schema itself names, where it has the right type.
fn given(members: &Map<String, Value>) -> Option<Value> {
    if let Some(only) = members.get("const") {
        return Some(only.clone());
    }
    let listed = |keyword: &str| members.get(keyword).and_then(Value::as_array);
    let choices = listed("enum").into_iter().flatten();
    let examples = listed("examples").into_iter().flatten();
    let known = choices.chain(members.get("default")).chain(examples);
    let mut left = MAX_MERGED;
    known
        .take(MAX_BRANCHES)
        .find(|value| is_of_type(value, members) && fits(value, &mut left))
        .cloned()
}

fn is_of_type(value: &Value, members: &Map<String, Value>) -> bool {
    let is = |name: &str| match name {
        "string" => value.is_string(),
        "integer" => crate::wire::rpc::integer(value).is_some(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    };
    match members.get("type") {
        // A default of null mostly means that there is none.
        None => !value.is_null(),
        Some(Value::Array(names)) => {
            !value.is_null() && names.iter().filter_map(Value::as_str).any(is)
        }
        Some(name) => name.as_str().is_some_and(is),
    }
}

/// The type to make, from `type` or from what else the schema says.
fn kind(members: &Map<String, Value>) -> Option<&str> {
    match members.get("type") {
        Some(Value::String(name)) => return Some(name),
        Some(Value::Array(names)) => {
            let names = || names.iter().filter_map(Value::as_str);
            return names().find(|name| *name != "null").or(names().next());
        }
        _ => {}
    }
    let signs: [(&str, &[&str]); 4] = [
        (
            "object",
            &[
                "properties",
                "required",
                "minProperties",
                "additionalProperties",
            ],
        ),
        ("array", &["items", "prefixItems", "minItems"]),
        (
            "number",
            &[
                "minimum",
                "maximum",
                "exclusiveMinimum",
                "exclusiveMaximum",
                "multipleOf",
            ],
        ),
        ("string", &["minLength", "maxLength", "format", "pattern"]),
    ];
    signs
        .into_iter()
        .find(|(_, keywords)| keywords.iter().any(|word| members.contains_key(*word)))
        .map(|(name, _)| name)
}

fn strings(value: Option<&Value>) -> Vec<&str> {
    let items = value.and_then(Value::as_array);
    items
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .take(MAX_STEPS)
        .collect()
}

#[cfg(test)]
mod tests;
