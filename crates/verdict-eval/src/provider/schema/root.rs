//! The root of a schema: providers want a plain object there.

use super::Repairs;
use crate::provider::model::Wire;
use serde_json::{Map, Value, json};

/// Mends the root of a schema that has been walked.
pub(super) fn mend(wire: Wire, schema: Value, repairs: &mut Repairs) -> Value {
    let Value::Object(mut root) = schema else {
        return json!({"type": "object", "properties": {}});
    };
    follow_reference(&mut root, repairs);
    if wire != Wire::Gemini {
        for keyword in ["allOf", "anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = root.remove(keyword) {
                merge(&mut root, keyword, &branches);
                repairs.push(
                    "",
                    &format!(
                        "`{keyword}` is left out: the properties of its branches stand side by side, and which of them go together is not told"
                    ),
                );
            }
        }
    }
    if matches!(wire, Wire::ChatCompletions | Wire::Responses) {
        for keyword in ["enum", "const", "not"] {
            if root.remove(keyword).is_some() {
                repairs.push("", &format!("`{keyword}` is left out"));
            }
        }
    }
    if root.get("type") != Some(&json!("object")) {
        if root.contains_key("type") {
            repairs.push("", "`type` is made `object`");
        }
        root.insert("type".to_owned(), json!("object"));
    }
    // An object without `properties` says the same with an empty one, and is refused without it.
    if !root.get("properties").is_some_and(Value::is_object) {
        root.insert("properties".to_owned(), json!({}));
    }
    if root.get("required").is_some_and(|names| !names.is_array()) {
        root.remove("required");
    }
    Value::Object(root)
}

/// Writes a reference at the root out.
fn follow_reference(root: &mut Map<String, Value>, repairs: &mut Repairs) {
    for _ in 0..super::DEPTH {
        let Some(Value::String(reference)) = root.remove("$ref") else {
            return;
        };
        let whole = Value::Object(root.clone());
        let target = reference
            .strip_prefix('#')
            .and_then(|pointer| whole.pointer(pointer));
        let Some(Value::Object(target)) = target else {
            return;
        };
        for (key, value) in target {
            root.entry(key).or_insert_with(|| value.clone());
        }
        repairs.push("", "its reference is written out");
    }
    root.remove("$ref");
}

fn merge(root: &mut Map<String, Value>, keyword: &str, branches: &[Value]) {
    let whole = Value::Object(root.clone());
    let branches: Vec<&Map<String, Value>> = branches
        .iter()
        .filter_map(|branch| {
            let reference = branch.get("$ref").and_then(Value::as_str);
            let target = reference.and_then(|text| whole.pointer(text.strip_prefix('#')?));
            target.unwrap_or(branch).as_object()
        })
        .collect();
    let mut properties = root
        .get("properties")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    for (key, value) in branches
        .iter()
        .filter_map(|branch| branch.get("properties")?.as_object())
        .flatten()
    {
        properties.entry(key).or_insert_with(|| value.clone());
    }
    let required = |branch: &Map<String, Value>| {
        let names = branch.get("required").and_then(Value::as_array);
        names.cloned().unwrap_or_default()
    };
    let mut all = required(root);
    let mut more: Vec<Value> = branches
        .iter()
        .flat_map(|branch| required(branch))
        .collect();
    if keyword != "allOf" {
        // What every branch wants is wanted in any case.
        more.retain(|name| {
            branches
                .iter()
                .all(|branch| required(branch).contains(name))
        });
    }
    for name in more {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    root.insert("properties".to_owned(), Value::Object(properties));
    if !all.is_empty() {
        root.insert("required".to_owned(), Value::Array(all));
    }
}
