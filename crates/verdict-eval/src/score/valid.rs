//! Whether a tool's own schema accepts the arguments of its calls.

use super::Scored;
use super::trace::{Trace, TracedCall};
use crate::tool::Tool;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;
use verdict_model::behavior::{Difference, Metric};
use verdict_schema::{Examiner, Validity};

/// How many answers are remembered, and of how long texts: five runs of a case mostly repeat themselves.
const REMEMBERED: usize = 10_000;
const TEXT: usize = 4_096;

/// What schemas said of arguments so far, by tool and text.
#[derive(Debug, Default)]
pub(super) struct Validities {
    examiner: Examiner,
    seen: RefCell<BTreeMap<String, BTreeMap<String, Validity>>>,
}

impl Validities {
    /// Scores the calls of tools on offer, each try of them; a schema that decides nothing leaves its call out.
    pub(super) fn check(&self, trace: &Trace, tools: &BTreeMap<&str, &Tool>, scored: &mut Scored) {
        let mut valid = None;
        for call in &trace.calls {
            let Some(tool) = tools.get(call.call.name.as_str()) else {
                continue;
            };
            let Some(is_valid) = self.of(call, tool, scored) else {
                continue;
            };
            valid = Some(valid.unwrap_or(true) && is_valid);
        }
        if let Some(valid) = valid {
            scored.scores.insert(Metric::Schema, valid);
        }
    }

    fn of(&self, call: &TracedCall, tool: &Tool, scored: &mut Scored) -> Option<bool> {
        let name = &call.call.name;
        let arguments = match call.call.object() {
            Ok(arguments) => Value::Object(arguments),
            Err(error) => {
                let difference = scored.differ(Metric::Schema, Some(name), &error.to_string());
                difference.actual = Some(call.call.arguments.as_str().into());
                return Some(false);
            }
        };
        let schema = tool.input_schema()?;
        let validity = self.validity(name, &call.call.arguments, schema, &arguments);
        match validity {
            Validity::Valid => Some(true),
            Validity::Undecided(_) => None,
            Validity::Invalid(violations) => {
                scored
                    .differences
                    .extend(violations.into_iter().map(|violation| Difference {
                        metric: Metric::Schema,
                        tool: Some(name.clone()),
                        pointer: Some(violation.pointer.clone()),
                        expected: None,
                        actual: arguments.pointer(&violation.pointer).cloned(),
                        message: violation.message,
                    }));
                Some(false)
            }
        }
    }

    fn validity(&self, tool: &str, text: &str, schema: &Value, arguments: &Value) -> Validity {
        if text.len() > TEXT {
            return self.examiner.validate(schema, arguments);
        }
        let mut seen = self.seen.borrow_mut();
        let known = seen.entry(tool.to_owned()).or_default();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known
            .entry(text.to_owned())
            .or_insert_with(|| self.examiner.validate(schema, arguments))
            .clone()
    }
}
