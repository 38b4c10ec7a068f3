//! Arguments with one fault each, as far as the published schema of a tool forbids it beyond doubt.
//!
//! Nothing is sent that a lenient server may read as what was meant, such as "5" for 5, and no property is
//! touched that a header field mirrors: its refusal would have another reason.

use crate::context::Context;
use serde_json::{Map, Value, json};
use verdict_schema::{Examiner, Validity};

/// Arguments with a fault.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fault {
    /// What kind of fault, as exchanges name it.
    pub(super) kind: &'static str,
    /// The arguments.
    pub(super) arguments: Map<String, Value>,
}

/// The kinds of fault.
pub(super) const KINDS: [&str; 3] = ["missing", "type", "enum"];

/// What is wrong with a call of a kind, in words that fit after "a call".
pub(super) fn words(kind: &str) -> &'static str {
    match kind {
        "missing" => "without a required argument",
        "type" => "with an object where the schema wants a simple value",
        _ => "with a value that the enum does not list",
    }
}

/// Properties that are looked at for each kind.
const TRIES: usize = 20;

/// One set of arguments for each kind of fault that the schema knows.
pub(super) fn of(cx: &Context, schema: &Value, arguments: &Map<String, Value>) -> Vec<Fault> {
    let examiner = Examiner::default();
    let whole = Value::Object(arguments.clone());
    if examiner.validate(schema, &whole) != Validity::Valid {
        return vec![];
    }
    let forbidden = |arguments: &Map<String, Value>| {
        let whole = Value::Object(arguments.clone());
        matches!(examiner.validate(schema, &whole), Validity::Invalid(_))
    };
    let kinds = KINDS.into_iter().filter_map(|kind| {
        let bent = properties(schema)
            .take(TRIES)
            .filter_map(|(name, property)| bend(cx, kind, (name, property), arguments));
        let arguments = bent.into_iter().find(forbidden)?;
        Some(Fault { kind, arguments })
    });
    kinds.collect()
}

/// The properties that no header field mirrors.
fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .filter(|(_, property)| !mirrors(property))
}

/// Whether a header field mirrors the property or something in it.
fn mirrors(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.contains_key("x-mcp-header") || members.values().any(mirrors)
        }
        Value::Array(items) => items.iter().any(mirrors),
        _ => false,
    }
}

fn bend(
    cx: &Context,
    kind: &str,
    (name, property): (&String, &Value),
    arguments: &Map<String, Value>,
) -> Option<Map<String, Value>> {
    let mut bent = arguments.clone();
    match kind {
        // A default may stand in for what is missing.
        "missing" if property.get("default").is_none() => bent.shift_remove(name).map(|_| bent),
        "missing" => None,
        "type" => {
            bent.insert(name.clone(), json!({"mcp-verdict": true}));
            Some(bent)
        }
        _ => {
            let listed = property.get("enum")?.as_array()?;
            if !listed.iter().all(Value::is_string) {
                return None;
            }
            bent.insert(name.clone(), json!(cx.absent("value")));
            Some(bent)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Facts;
    use crate::record::Recording;
    use crate::testing::{config, settings};
    use verdict_model::transcript::Transport;

    fn faults(schema: &Value, arguments: &Value) -> Vec<(&'static str, Value)> {
        let settings = settings(config(), false);
        let recording = Recording::new(Transport::Http);
        let cx = Context {
            settings: &settings,
            recording: &recording,
            facts: &Facts::default(),
        };
        let arguments = arguments.as_object().expect("an object");
        of(&cx, schema, arguments)
            .into_iter()
            .map(|fault| (fault.kind, Value::Object(fault.arguments)))
            .collect()
    }

    #[test]
    fn each_kind_is_made_where_the_schema_forbids_it() {
        let schema = json!({"type": "object", "required": ["a", "b", "r"], "properties": {
            "r": {"type": "string", "x-mcp-header": "R"},
            "a": {"type": "integer", "default": 1},
            "b": {"enum": ["x", "y"]}
        }});
        let found = faults(&schema, &json!({"a": 1, "b": "x", "r": "z"}));
        let kinds: Vec<&str> = found.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, KINDS);
        assert_eq!(found[0].1, json!({"a": 1, "r": "z"}));
        assert!(found[1].1["a"].is_object());
        assert!(found[2].1["b"].is_string());
    }

    #[test]
    fn what_the_schema_allows_is_no_fault() {
        let open = json!({"type": "object", "properties": {"a": {}}});
        assert_eq!(faults(&open, &json!({"a": 1})), []);
        let unknown = json!({"type": "object", "$ref": "https://x.example/y"});
        assert_eq!(faults(&unknown, &json!({})), []);
    }
}
