//! Request metadata in HTTP fields: what must be there, and that it says what the body says.

use crate::message::{Fault, META_VERSION, Request};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

/// Checks the standard fields, and those of the called tool's parameters.
pub(crate) fn check(request: &Request, tools: &[Value]) -> Result<(), Fault> {
    let version = request.meta(META_VERSION).and_then(Value::as_str);
    compare(request, "mcp-protocol-version", version)?;
    compare(request, "mcp-method", Some(request.method()))?;
    let name = name_of(request);
    if name.is_some() || request.head.has("mcp-name") && names_something(request.method()) {
        compare_encoded(request, "mcp-name", name)?;
    }
    if request.method() == "tools/call"
        && let Some(tool) = tools
            .iter()
            .find(|tool| tool["name"].as_str() == name && name.is_some())
    {
        check_parameters(request, tool)?;
    }
    Ok(())
}

/// The member of the params that `Mcp-Name` repeats.
fn name_of(request: &Request) -> Option<&str> {
    match request.method() {
        "tools/call" | "prompts/get" => request.text("name"),
        "resources/read" => request.text("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => request.text("taskId"),
        _ => None,
    }
}

fn names_something(method: &str) -> bool {
    matches!(method, "tools/call" | "prompts/get" | "resources/read")
}

fn compare(request: &Request, field: &str, body: Option<&str>) -> Result<(), Fault> {
    let value = request
        .head
        .text(field)
        .ok_or_else(|| Fault::header(format!("missing header: {field}")))?;
    if body == Some(value.as_str()) {
        Ok(())
    } else {
        Err(mismatch(field))
    }
}

fn compare_encoded(request: &Request, field: &str, body: Option<&str>) -> Result<(), Fault> {
    let value = request
        .head
        .bytes(field)
        .ok_or_else(|| Fault::header(format!("missing header: {field}")))?;
    if decode(&value)?.as_str() == body.unwrap_or_default() && body.is_some() {
        Ok(())
    } else {
        Err(mismatch(field))
    }
}

fn mismatch(field: &str) -> Fault {
    Fault::header(format!("header does not match the body: {field}"))
}

/// The value a field stands for: Base64 between the markers, else the text itself.
fn decode(value: &[u8]) -> Result<String, Fault> {
    let text = std::str::from_utf8(value)
        .ok()
        .filter(|text| text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t')))
        .ok_or_else(|| Fault::header("header value has characters that must be encoded"))?;
    let inside = text
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX));
    let Some(inside) = inside else {
        return Ok(text.to_owned());
    };
    STANDARD
        .decode(inside)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or_else(|| Fault::header("header value is not Base64 of UTF-8 text"))
}

fn check_parameters(request: &Request, tool: &Value) -> Result<(), Fault> {
    let mut mirrored = Vec::new();
    collect(&tool["inputSchema"], &mut Vec::new(), &mut mirrored);
    for (path, name) in mirrored {
        let field = format!("mcp-param-{}", name.to_ascii_lowercase());
        let value = path.iter().try_fold(
            request.param("arguments").unwrap_or(&Value::Null),
            |inside, step| inside.get(step),
        );
        let header = request.head.bytes(&field).map(|bytes| decode(&bytes));
        let header = header.transpose()?;
        // Null and absent values have no header; one that is sent has nothing to be compared with.
        let Some(value) = value.filter(|value| !value.is_null()) else {
            continue;
        };
        let header = header.ok_or_else(|| Fault::header(format!("missing header: {field}")))?;
        if !same(&header, value) {
            return Err(mismatch(&field));
        }
    }
    Ok(())
}

/// All `x-mcp-header` names with the paths of their properties.
fn collect(schema: &Value, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, String)>) {
    let properties = schema["properties"].as_object();
    for (name, property) in properties.into_iter().flatten() {
        path.push(name.clone());
        if let Some(header) = property["x-mcp-header"].as_str() {
            found.push((path.clone(), header.to_owned()));
        }
        collect(property, path, found);
        path.pop();
    }
}

/// Whether a header says what an argument says; integers are compared as numbers.
fn same(header: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => header == text,
        Value::Bool(flag) => header == if *flag { "true" } else { "false" },
        Value::Number(number) => match (header.parse::<i64>(), number.as_i64()) {
            (Ok(sent), Some(meant)) => sent == meant,
            _ => header.parse::<f64>().ok() == number.as_f64(),
        },
        // Not a value that can be mirrored: the tool's own schema refuses it.
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_the_exact_markers_mean_base64() {
        let text = |value: &str| decode(value.as_bytes()).ok();
        assert_eq!(text("=?base64?YQ==?=").as_deref(), Some("a"));
        assert_eq!(text("=?BASE64?YQ==?=").as_deref(), Some("=?BASE64?YQ==?="));
        assert_eq!(text("=?base64?YQ==").as_deref(), Some("=?base64?YQ=="));
        assert_eq!(text("=?base64?YQ?="), None);
        assert_eq!(text("=?base64?Y!Q=?="), None);
        assert_eq!(decode("gr\u{fc}n".as_bytes()).ok(), None);
    }

    #[test]
    fn integers_are_numbers() {
        assert!(same("42.0", &json!(42)));
        assert!(same("9007199254740993", &json!(9_007_199_254_740_993_i64)));
        assert!(!same("9007199254740992", &json!(9_007_199_254_740_993_i64)));
        assert!(!same("x", &json!(42)));
        assert!(same("true", &json!(true)));
    }
}
