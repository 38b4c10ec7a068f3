//! Calls of tools: which may be made at all, and the header fields that mirror their arguments.
//!
//! Nothing here is inferred from a tool's name or description (B.2): a tool is called when the
//! configuration names it, or when it claims to be harmless and the user said to believe such claims.

use crate::ask::{Ask, header_value};
use crate::context::Context;
use crate::settings::is_token_byte;
use serde_json::{Map, Value, json};

/// Whether the configuration lets a listed tool be called.
pub fn may_call(cx: &Context, tool: &Value) -> bool {
    let tools = &cx.settings.config.tools;
    let name = tool.get("name").and_then(Value::as_str);
    let claims = |hint: &str| tool.get("annotations").and_then(|all| all.get(hint));
    let harmless = claims("readOnlyHint") == Some(&json!(true))
        && claims("openWorldHint") == Some(&json!(false));
    name.is_some_and(|name| tools.safe.iter().any(|safe| safe == name))
        || tools.trust_read_only && harmless
}

/// What to say where no tool may be called.
pub const NAME_A_TOOL: &str = "name a tool that is safe to call (tools.safe) to try this";

/// A conforming `tools/call`, with the `Mcp-Param` fields that the tool's schema asks for.
pub fn call(step: impl Into<String>, tool: &Value, arguments: &Map<String, Value>) -> Ask {
    let fields: Vec<(String, String)> = mirrored(tool)
        .iter()
        .filter_map(|one| Some((one.field(), header_value(&text(one.value(arguments)?)?))))
        .collect();
    let name = tool.get("name").cloned().unwrap_or_default();
    let params = json!({ "name": name, "arguments": arguments });
    let ask = Ask::request(step, "tools/call", params);
    fields
        .iter()
        .fold(ask, |ask, (field, value)| ask.header(field, value))
}

/// A primitive type that a mirrored parameter may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Primitive {
    /// `string`.
    Text,
    /// `integer`.
    Integer,
    /// `boolean`.
    Boolean,
}

/// A parameter that is mirrored in a header field.
#[derive(Debug, Clone, PartialEq)]
pub struct Mirrored<'t> {
    /// The names of the properties that lead to it.
    pub path: Vec<&'t str>,
    /// The value of `x-mcp-header`.
    pub header: &'t str,
    /// Its type.
    pub primitive: Primitive,
    /// Its schema.
    pub schema: &'t Value,
    /// Whether it may be left out together with whatever holds it.
    pub optional: bool,
}

impl Mirrored<'_> {
    /// The name of the header field.
    pub fn field(&self) -> String {
        format!("Mcp-Param-{}", self.header)
    }

    /// Its value in the arguments of a call.
    pub fn value<'a>(&self, arguments: &'a Map<String, Value>) -> Option<&'a Value> {
        let (first, rest) = self.path.split_first()?;
        let start = arguments.get(*first);
        rest.iter().try_fold(start?, |value, name| value.get(*name))
    }

    /// The arguments with another value for it; none when what holds it is not there.
    pub fn replaced(
        &self,
        arguments: &Map<String, Value>,
        value: Option<Value>,
    ) -> Option<Map<String, Value>> {
        let (last, before) = self.path.split_last()?;
        let mut whole = arguments.clone();
        let mut holder = &mut whole;
        for name in before {
            holder = holder.get_mut(*name)?.as_object_mut()?;
        }
        match value {
            Some(value) => holder.insert((*last).to_owned(), value),
            None => holder.shift_remove(*last),
        };
        Some(whole)
    }
}

/// A value as a header field carries it, before it is encoded; none for null and what has no such form.
pub fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(number) => match crate::wire::rpc::integer(value) {
            Some(integer) => Some(integer.to_string()),
            None => Some(number.to_string()),
        },
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// How deep properties are followed, and how many of them.
const MAX_DEPTH: usize = 16;
const MAX_PROPERTIES: usize = 2_000;

/// The parameters that a tool mirrors, in the order of its schema.
///
/// Only what the rules allow: a token, on a string, integer or boolean, reached through `properties` alone.
pub fn mirrored(tool: &Value) -> Vec<Mirrored<'_>> {
    let mut found = Vec::new();
    let mut left = MAX_PROPERTIES;
    if let Some(schema) = tool.get("inputSchema") {
        collect(schema, &mut Vec::new(), false, &mut left, &mut found);
    }
    found
}

fn collect<'t>(
    schema: &'t Value,
    path: &mut Vec<&'t str>,
    optional: bool,
    left: &mut usize,
    found: &mut Vec<Mirrored<'t>>,
) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    if path.len() >= MAX_DEPTH {
        return;
    }
    let required = schema.get("required").and_then(Value::as_array);
    for (name, property) in properties {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let needed = required.is_some_and(|names| names.iter().any(|one| one == name));
        path.push(name);
        let header = property.get("x-mcp-header").and_then(Value::as_str);
        let token = |header: &&str| !header.is_empty() && header.bytes().all(is_token_byte);
        if let (Some(header), Some(primitive)) = (header.filter(token), primitive(property)) {
            found.push(Mirrored {
                path: path.clone(),
                header,
                primitive,
                schema: property,
                optional: optional || !needed,
            });
        }
        collect(property, path, optional || !needed, left, found);
        path.pop();
    }
}

/// The one primitive type of a schema, beside null.
fn primitive(schema: &Value) -> Option<Primitive> {
    let of = |name: &Value| match name.as_str()? {
        "string" => Some(Primitive::Text),
        "integer" => Some(Primitive::Integer),
        "boolean" => Some(Primitive::Boolean),
        _ => None,
    };
    match schema.get("type")? {
        Value::Array(names) => {
            let mut names = names.iter().filter(|name| *name != "null");
            let only = names.next()?;
            names.next().is_none().then(|| of(only)).flatten()
        }
        name => of(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool() -> Value {
        json!({"name": "t", "inputSchema": {"type": "object", "required": ["region"], "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "count": {"type": ["integer", "null"], "x-mcp-header": "Count"},
            "price": {"type": "number", "x-mcp-header": "Price"},
            "bad": {"type": "string", "x-mcp-header": "a b"},
            "where": {"type": "object", "required": ["zone"], "properties": {
                "zone": {"type": "boolean", "x-mcp-header": "Zone"}
            }},
            "list": {"type": "array", "items": {"type": "string", "x-mcp-header": "Item"}}
        }}})
    }

    #[test]
    fn only_lawful_annotations_count() {
        let tool = tool();
        let found: Vec<(String, bool)> = mirrored(&tool)
            .iter()
            .map(|one| (one.field(), one.optional))
            .collect();
        assert_eq!(
            found,
            [
                ("Mcp-Param-Region".to_owned(), false),
                ("Mcp-Param-Count".to_owned(), true),
                ("Mcp-Param-Zone".to_owned(), true)
            ]
        );
    }

    #[test]
    fn a_call_mirrors_the_arguments_that_are_there() {
        let arguments = json!({"region": "é", "count": null, "where": {"zone": true}});
        let ask = call("x", &tool(), arguments.as_object().expect("an object"));
        let params: Vec<(&str, String)> = ask
            .headers
            .iter()
            .filter(|(name, _)| name.starts_with("Mcp-Param"))
            .map(|(name, value)| (name.as_str(), String::from_utf8_lossy(value).into_owned()))
            .collect();
        assert_eq!(
            params,
            [
                ("Mcp-Param-Region", "=?base64?w6k=?=".to_owned()),
                ("Mcp-Param-Zone", "true".to_owned())
            ]
        );
    }

    #[test]
    fn a_value_is_replaced_where_it_is() {
        let tool = tool();
        let zone = mirrored(&tool).pop().expect("zone");
        let arguments = json!({"where": {"zone": true}});
        let arguments = arguments.as_object().expect("an object");
        let gone = zone.replaced(arguments, None).expect("a holder");
        assert_eq!(Value::Object(gone), json!({"where": {}}));
        assert_eq!(zone.replaced(&Map::new(), None), None);
    }
}
