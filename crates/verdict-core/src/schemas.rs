//! What is wrong with the schemas of the listed tools: examined once, whatever number of checks ask.
//!
//! Linear in the size of the list, and small however much there is to say: of each kind of defect only
//! the first ones are kept, and the rest is counted.

use crate::facts::{Facts, Item, List};
use crate::ruling::{Finding, Weight};
use serde_json::Value;
use verdict_schema::{Examiner, Kind, Role, Weight as Surety};

/// Findings of one kind that are kept.
const KEPT: usize = 200;

/// What is wrong with the schemas of the listed tools.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Schemas {
    /// How many input schemas were looked at.
    pub inputs: usize,
    /// How many output schemas were looked at.
    pub outputs: usize,
    /// Whether some input schema has an `x-mcp-header` member, in whatever place.
    pub mirrors: bool,
    kinds: Vec<(Kind, Found)>,
}

/// What was found of one kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The first findings.
    pub findings: Vec<Finding>,
    /// How many more there are.
    pub more: usize,
    /// The first tool whose schema could not be judged, and why.
    pub unjudged: Option<(String, String)>,
    /// How many schemas could not be judged.
    pub unjudged_count: usize,
}

impl Schemas {
    /// Examines the tools of the first walk.
    pub fn examine(facts: &Facts) -> Self {
        let mut all = Self::default();
        let examiner = Examiner::default();
        for tool in facts.items(List::Tools) {
            // Other values are no schemas at all: tools.list-shape.
            let input = tool.value.get("inputSchema");
            if let Some(schema @ (Value::Object(_) | Value::Bool(_) | Value::Null)) = input {
                all.inputs += 1;
                all.mirrors |= names_header(schema);
                all.take(&examiner, tool, schema, Role::Input);
            }
            if let Some(schema) = tool.value.get("outputSchema") {
                all.outputs += 1;
                all.take(&examiner, tool, schema, Role::Output);
            }
        }
        all
    }

    /// What was found of a kind.
    pub fn of(&self, kind: Kind) -> Option<&Found> {
        self.kinds
            .iter()
            .find(|(known, _)| *known == kind)
            .map(|(_, found)| found)
    }

    fn entry(&mut self, kind: Kind) -> &mut Found {
        let known = self.kinds.iter().position(|(known, _)| *known == kind);
        let at = known.unwrap_or_else(|| {
            self.kinds.push((kind, Found::default()));
            self.kinds.len() - 1
        });
        &mut self.kinds[at].1
    }

    fn take(&mut self, examiner: &Examiner, tool: Item, schema: &Value, role: Role) {
        let examination = examiner.examine(schema, role);
        let member = match role {
            Role::Input => "inputSchema",
            Role::Output => "outputSchema",
        };
        for defect in examination.defects {
            let weight = match defect.weight {
                Surety::Broken => Weight::Broken,
                Surety::Unproven => Weight::Unproven,
                Surety::Noted => Weight::Noted,
            };
            self.entry(defect.kind).add(weight, || {
                let mut finding = Finding::new(
                    weight,
                    format!("{member}{}: {}", defect.pointer, defect.message),
                )
                .about(tool.name())
                .at(format!("{}/{member}{}", tool.pointer(), defect.pointer));
                finding.exchange = Some(tool.page.to_owned());
                finding
            });
        }
        for omitted in examination.omitted {
            self.entry(omitted.kind).more += omitted.count;
        }
        // What is no schema has nothing more to be judged; one finding says so.
        for left in examination
            .unjudged
            .into_iter()
            .filter(|_| schema.is_object())
        {
            let found = self.entry(left.kind);
            found.unjudged_count += 1;
            found
                .unjudged
                .get_or_insert_with(|| (tool.name().to_owned(), left.reason));
        }
    }
}

impl Found {
    /// Keeps a finding while there is room, or when it weighs more than all that are kept.
    fn add(&mut self, weight: Weight, finding: impl FnOnce() -> Finding) {
        if self.findings.len() < KEPT {
            self.findings.push(finding());
            return;
        }
        self.more += 1;
        let heaviest = self.findings.iter().map(|kept| kept.weight).max();
        if heaviest.is_some_and(|heaviest| weight > heaviest) {
            self.findings.pop();
            self.findings.push(finding());
        }
    }
}

/// Whether a member of this name stands anywhere; depth was bounded when the text was read.
fn names_header(value: &Value) -> bool {
    match value {
        Value::Object(members) => {
            members.contains_key("x-mcp-header") || members.values().any(names_header)
        }
        Value::Array(items) => items.iter().any(names_header),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_weighs_most_is_kept() {
        let mut found = Found::default();
        for _ in 0..KEPT + 5 {
            found.add(Weight::Noted, || Finding::noted("a"));
        }
        found.add(Weight::Broken, || Finding::broken("b"));
        assert_eq!(found.findings.len(), KEPT);
        assert_eq!(found.more, 6);
        assert!(
            found
                .findings
                .iter()
                .any(|kept| kept.weight == Weight::Broken)
        );
    }
}
