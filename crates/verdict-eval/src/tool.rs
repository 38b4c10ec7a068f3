//! A tool as the server listed it, read where evaluation needs it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One item of `tools/list`, exactly as it came. What does not have the right type reads as absent: judging shapes is
/// the conformance layer's part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tool(pub Map<String, Value>);

impl Tool {
    /// Its name; empty where it has none.
    pub fn name(&self) -> &str {
        self.text("name").unwrap_or_default()
    }

    /// What the server says about it.
    pub fn description(&self) -> Option<&str> {
        self.text("description")
    }

    /// The JSON Schema of its arguments.
    pub fn input_schema(&self) -> Option<&Value> {
        self.0.get("inputSchema")
    }

    /// The JSON Schema of its structured results.
    pub fn output_schema(&self) -> Option<&Value> {
        self.0.get("outputSchema")
    }

    /// Whether it declares `readOnlyHint: true`: a claim of the server, not a fact.
    pub fn claims_read_only(&self) -> bool {
        self.hint("readOnlyHint") == Some(true)
    }

    /// Whether it declares `destructiveHint: true`.
    pub fn claims_destructive(&self) -> bool {
        self.hint("destructiveHint") == Some(true)
    }

    /// Whether it declares `idempotentHint: true`: calling it twice does no more than calling it once.
    pub fn claims_idempotent(&self) -> bool {
        self.hint("idempotentHint") == Some(true)
    }

    /// Whether it declares `openWorldHint: false`: it deals with nothing outside the server.
    pub fn claims_closed_world(&self) -> bool {
        self.hint("openWorldHint") == Some(false)
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(Value::as_str)
    }

    fn hint(&self, key: &str) -> Option<bool> {
        self.0.get("annotations")?.get(key)?.as_bool()
    }
}
