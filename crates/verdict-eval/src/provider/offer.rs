//! The tools of a request, made fit for one wire.

use super::model::Wire;
use super::names::Names;
use super::schema;
use crate::tool::Tool;
use serde_json::Value;
use std::collections::BTreeSet;

/// A tool as a provider sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Offered {
    /// The wire's name of it.
    pub name: String,
    /// The server's words, unchanged.
    pub description: Option<String>,
    /// Its schema, as far as the wire takes it.
    pub schema: Value,
}

/// A list of tools on one wire. Making it is linear in the size of the schemas, so a run makes it once a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// In the server's order; of tools with the same name, the first.
    pub tools: Vec<Offered>,
    /// How names travel.
    pub names: Names,
    /// What was changed for the provider, in sentences, for the report.
    pub notes: Vec<String>,
}

impl Offer {
    /// Makes `tools` fit for `wire`.
    pub fn new(wire: Wire, tools: &[Tool]) -> Self {
        let mut names = Names::of_tools(wire, tools);
        let mut offered = Vec::new();
        let mut repairs = Vec::new();
        let mut seen = BTreeSet::new();
        for tool in tools {
            let shown = super::fault::safe(tool.name(), 80);
            if !seen.insert(tool.name()) {
                repairs.push(format!(
                    "the second tool called `{shown}` is not offered: providers refuse equal names"
                ));
                continue;
            }
            let adapted = schema::adapt(wire, tool.input_schema());
            repairs.extend(
                adapted
                    .repairs
                    .iter()
                    .map(|repair| format!("schema of `{shown}`: {repair}")),
            );
            names.set_keys(tool.name(), adapted.keys);
            offered.push(Offered {
                name: names.sent(tool.name()),
                description: tool.description().map(str::to_owned),
                schema: adapted.schema,
            });
        }
        let mut notes = names.notes();
        notes.append(&mut repairs);
        Self {
            tools: offered,
            names,
            notes,
        }
    }
}
