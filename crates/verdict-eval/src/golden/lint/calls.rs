//! Expected calls against the tools: names, arguments, schemas.
//!
//! `expect_args` lists what a right call says; an optional argument that is not listed may only be left out or stand at its
//! default. A required one that is neither listed nor given a matcher is not looked at, which is told: a case that looks at
//! arguments hardly means to let any value pass. Where `expect_args` is left out, nothing is said.

use super::{Audit, Weight, quoted};
use crate::golden::nearest::nearest;
use crate::golden::{Case, Expect, Expected, Matcher};
use crate::tool::Tool;
use serde_json::{Map, Value};
use verdict_config::tree::short;
use verdict_schema::{Validity, Violation};

/// Synonyms of one argument that are held against the schema.
const MAX_SYNONYMS: usize = 20;

/// Unknown arguments of one call that are told.
const MAX_UNKNOWN: usize = 20;

/// What is found in one call, before it is known how bad it is.
struct Found {
    level: Weight,
    part: String,
    message: String,
    mend: String,
}

pub(super) fn audit(case: &Case, audit: &mut Audit) {
    let calls = case.expect.calls();
    for (at, call) in calls.iter().enumerate() {
        let is_same = |other: &&Expected<'_>| other.names == call.names;
        let nth = calls[..=at].iter().filter(is_same).count();
        let several = matches!(case.expect, Expect::Sequence { .. });
        let mut found = Vec::new();
        for (choice, name) in call.names.iter().enumerate() {
            let part = if several {
                format!("expect_sequence.{at}")
            } else {
                format!("expect_tool.{choice}")
            };
            if audit.lacks(name) {
                let message = format!("the server has no tool {}", quoted(name));
                let mend = audit.other_name(name);
                audit.say(Weight::Error, case, &part, message, mend);
            }
            let Some(tool) = audit.tool(name) else {
                continue;
            };
            let part = if several {
                part
            } else {
                "expect_args".to_owned()
            };
            let arguments = Arguments {
                case,
                tool,
                nth,
                part,
            };
            found.push(arguments.examine(call.arguments, audit));
        }
        // Of several right tools, one that takes these arguments is enough for a case that can be passed.
        let fits = |found: &Vec<Found>| found.iter().all(|it| it.level != Weight::Error);
        let one_fits = found.iter().any(fits);
        for it in found.into_iter().flatten() {
            let level = if one_fits { Weight::Warn } else { it.level };
            audit.say(level, case, &it.part, it.message, it.mend);
        }
    }
    idle_tolerances(case, audit);
}

/// A tolerance around no number.
fn idle_tolerances(case: &Case, audit: &mut Audit) {
    for (key, matcher) in &case.matchers {
        if !matches!(matcher, Matcher::Number(_)) {
            continue;
        }
        let argument = case
            .expect
            .tool_of_key(key)
            .map_or(key.as_str(), |it| it.argument);
        let calls = case.expect.calls();
        let expected = |it: &str| {
            calls
                .iter()
                .any(|call| call.arguments.is_some_and(|all| all.contains_key(it)))
        };
        if !expected(argument) && !expected(key) {
            let message = format!(
                "no number is expected for {}, so the tolerance means nothing",
                quoted(key)
            );
            let mend = "add it to the expected arguments, or write `any` or `ignore`".to_owned();
            audit.say(
                Weight::Warn,
                case,
                &format!("arg_match.{key}"),
                message,
                mend,
            );
        }
    }
}

/// The arguments that a case expects of one tool.
struct Arguments<'a> {
    case: &'a Case,
    tool: &'a Tool,
    /// The how-manieth step of the tool this is, from 1.
    nth: usize,
    /// The part of the case that lists them.
    part: String,
}

impl Arguments<'_> {
    fn examine(&self, arguments: Option<&Map<String, Value>>, audit: &Audit) -> Vec<Found> {
        let mut found = Vec::new();
        let Some(schema) = self.tool.input_schema() else {
            return found;
        };
        if let Some(arguments) = arguments {
            let simple = is_simple(schema);
            if simple {
                self.unknown(schema, arguments, &mut found);
            }
            let missing = self.missing(schema, arguments, &mut found);
            self.values(schema, arguments, (simple, missing), audit, &mut found);
        }
        self.synonyms(schema, arguments, audit, &mut found);
        found
    }

    fn matcher(&self, argument: &str) -> Option<&Matcher> {
        self.case.matcher(self.tool.name(), self.nth, argument)
    }

    /// Whether the expected value is not what is compared, if there is one.
    fn is_relaxed(&self, argument: &str) -> bool {
        matches!(
            self.matcher(argument),
            Some(
                Matcher::Any
                    | Matcher::Ignore
                    | Matcher::Absent
                    | Matcher::Regex(_)
                    | Matcher::Contains(_)
            )
        )
    }

    fn say(
        &self,
        level: Weight,
        argument: &str,
        message: String,
        mend: impl Into<String>,
    ) -> Found {
        Found {
            level,
            part: format!("{}.{argument}", self.part),
            message,
            mend: mend.into(),
        }
    }

    /// Arguments that the tool does not name: an error where its schema is closed. Where the schema says outright what
    /// else there may be, they are meant.
    fn unknown(&self, schema: &Value, arguments: &Map<String, Value>, found: &mut Vec<Found>) {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return;
        };
        let rest = schema
            .get("additionalProperties")
            .or_else(|| schema.get("unevaluatedProperties"));
        let level = match rest {
            Some(Value::Bool(false)) => Weight::Error,
            None => Weight::Warn,
            Some(_) => return,
        };
        let unknown = arguments.keys().filter(|it| !properties.contains_key(*it));
        for argument in unknown.take(MAX_UNKNOWN) {
            let message = format!(
                "{} has no argument {}",
                quoted(self.tool.name()),
                quoted(argument)
            );
            let mend = match nearest(
                argument,
                properties
                    .keys()
                    .map(String::as_str)
                    .take(super::MAX_COMPARED),
            ) {
                Some(near) => format!("write {} if that is meant", quoted(near)),
                None => format!(
                    "it has {}",
                    super::listed(properties.keys().map(String::as_str))
                ),
            };
            found.push(self.say(level, argument, message, mend));
        }
    }

    /// Required arguments that the key leaves out; whether there are any.
    fn missing(
        &self,
        schema: &Value,
        arguments: &Map<String, Value>,
        found: &mut Vec<Found>,
    ) -> bool {
        let mut missing = false;
        let required = schema.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            let matcher = self.matcher(name);
            let (level, message, mend) = if matcher == Some(&Matcher::Absent) {
                let message = format!(
                    "{} requires {}, and the case wants it absent",
                    quoted(self.tool.name()),
                    quoted(name)
                );
                (Weight::Error, message, "take one of them back".to_owned())
            } else if arguments.contains_key(name) {
                continue;
            } else {
                missing = true;
                let usual = schema.pointer(&pointer_to(name));
                if stands_alone(matcher) || usual.is_some() {
                    continue;
                }
                let message = format!(
                    "{} requires {}, and the case does not say what is right for it: any value is",
                    quoted(self.tool.name()),
                    quoted(name)
                );
                let mend = format!(
                    "add it to the expected arguments, or say so with `arg_match: {{ {}: any }}`",
                    short(name, 60)
                );
                (Weight::Warn, message, mend)
            };
            found.push(self.say(level, name, message, mend));
        }
        missing
    }

    /// Values that the schema refuses.
    fn values(
        &self,
        schema: &Value,
        arguments: &Map<String, Value>,
        (simple, missing): (bool, bool),
        audit: &Audit,
        found: &mut Vec<Found>,
    ) {
        let instance = Value::Object(arguments.clone());
        let violations = match audit.examiner.validate(schema, &instance) {
            Validity::Valid => return,
            Validity::Undecided(why) => {
                let message = format!(
                    "whether {} takes these arguments is not known: {why}",
                    quoted(self.tool.name())
                );
                found.push(self.say(
                    Weight::Warn,
                    "",
                    message,
                    "mend the tool's inputSchema, or look yourself",
                ));
                return;
            }
            Validity::Invalid(violations) => violations,
        };
        let complete = !missing && !arguments.keys().any(|it| self.is_relaxed(it));
        for violation in violations {
            let argument = first_part(&violation.pointer);
            let counts = match &argument {
                Some(argument) => !self.is_relaxed(argument),
                None => complete && !(simple && is_told_already(&violation)),
            };
            if counts {
                let message = format!(
                    "{} refuses the expected arguments: {}",
                    quoted(self.tool.name()),
                    violation.message
                );
                let mend = "mend the value; a right call would be refused by the server";
                found.push(self.say(Weight::Error, &argument.unwrap_or_default(), message, mend));
            }
        }
    }

    /// Synonyms that the schema refuses.
    fn synonyms(
        &self,
        schema: &Value,
        arguments: Option<&Map<String, Value>>,
        audit: &Audit,
        found: &mut Vec<Found>,
    ) {
        let properties = schema.get("properties").and_then(Value::as_object);
        for name in properties.into_iter().flat_map(Map::keys) {
            let Some(Matcher::AnyOf(values)) = self.matcher(name) else {
                continue;
            };
            for value in values.iter().take(MAX_SYNONYMS) {
                let mut instance = arguments.cloned().unwrap_or_default();
                instance.insert(name.clone(), value.clone());
                let Validity::Invalid(violations) =
                    audit.examiner.validate(schema, &Value::Object(instance))
                else {
                    continue;
                };
                if let Some(violation) = violations
                    .iter()
                    .find(|it| first_part(&it.pointer).as_ref() == Some(name))
                {
                    let message = format!(
                        "{} refuses a synonym of {}: {}",
                        quoted(self.tool.name()),
                        quoted(name),
                        violation.message
                    );
                    let mut it = self.say(
                        Weight::Warn,
                        "",
                        message,
                        "take it out: no valid call has it",
                    );
                    it.part = format!("arg_match.{name}");
                    found.push(it);
                }
            }
        }
    }
}

/// Whether a matcher is content without an expected value.
fn stands_alone(matcher: Option<&Matcher>) -> bool {
    matches!(
        matcher,
        Some(
            Matcher::Any
                | Matcher::Ignore
                | Matcher::Regex(_)
                | Matcher::Contains(_)
                | Matcher::AnyOf(_)
        )
    )
}

/// Whether the schema's `properties` are all the arguments that it names.
fn is_simple(schema: &Value) -> bool {
    let more = [
        "$ref",
        "$dynamicRef",
        "allOf",
        "anyOf",
        "oneOf",
        "if",
        "dependentSchemas",
        "patternProperties",
    ];
    more.iter().all(|keyword| schema.get(keyword).is_none())
}

fn is_told_already(violation: &Violation) -> bool {
    matches!(
        violation.schema_pointer.as_str(),
        "/required" | "/additionalProperties" | "/unevaluatedProperties"
    )
}

/// Where a schema says what an argument usually is.
fn pointer_to(argument: &str) -> String {
    let part = argument.replace('~', "~0").replace('/', "~1");
    format!("/properties/{part}/default")
}

/// The first part of a JSON pointer.
fn first_part(pointer: &str) -> Option<String> {
    let part = pointer.strip_prefix('/')?.split('/').next()?;
    Some(part.replace("~1", "/").replace("~0", "~"))
}
