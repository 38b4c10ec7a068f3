//! Just enough JSON Schema to check the arguments of our own tools.

use serde_json::Value;

/// Why `value` does not fit `schema`; nothing when it does.
pub(crate) fn misfit(schema: &Value, value: &Value, path: &str) -> Option<String> {
    if let Some(kind) = schema["type"].as_str()
        && !has_type(value, kind)
    {
        return Some(format!("{path} must be of type {kind}"));
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        return Some(format!("{path} is not one of the allowed values"));
    }
    if let (Some(number), Some(least)) = (value.as_f64(), schema["minimum"].as_f64())
        && number < least
    {
        return Some(format!("{path} is too small"));
    }
    if let (Some(number), Some(most)) = (value.as_f64(), schema["maximum"].as_f64())
        && number > most
    {
        return Some(format!("{path} is too large"));
    }
    let members = value.as_object()?;
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        if !members.contains_key(name) {
            return Some(format!("{path}/{name} is missing"));
        }
    }
    members.iter().find_map(|(name, value)| {
        let inner = format!("{path}/{name}");
        match schema["properties"].get(name) {
            Some(property) => misfit(property, value, &inner),
            None if schema["additionalProperties"] == false => Some(format!("{inner} is unknown")),
            None => None,
        }
    })
}

fn has_type(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => true,
    }
}
