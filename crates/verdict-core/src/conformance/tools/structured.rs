//! Structured content: there where it was promised, as its schema says, and repeated as text.

use super::calls::{CALLS, successes, untried};
use crate::check::Check;
use crate::context::Context;
use crate::passive::Slips;
use crate::ruling::{Finding, Ruling};
use crate::wire::json::{cut, parse};
use serde_json::{Number, Value};
use std::cmp::Ordering;
use verdict_schema::{Examiner, Validity, Violation};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("tools.structured-present", "A tool with an output schema returns structured content")
        .opt_in()
        .spec("tools#output-schema")
        .why("Code that was written against the output schema finds nothing to read, and clients that check it refuse the result.")
        .fix("Send structuredContent in every successful result of a tool that has an outputSchema.")
        .probes(&[&CALLS])
        .judge(present),
    Check::must("tools.structured-valid", "Structured content conforms to the tool's output schema")
        .headline(5)
        .opt_in()
        .spec("tools#output-schema")
        .why("Clients that validate, as they should, refuse the result; others pass wrong data on to code that trusts it.")
        .fix("Mend the value or the outputSchema until they agree; validate in your own tests.")
        .probes(&[&CALLS])
        .judge(valid),
    Check::should("tools.structured-text-copy", "Structured content is repeated as JSON in a block of text")
        .opt_in()
        .spec("tools#structured-content")
        .why("Clients that know no structured content, and models behind them, see the text alone.")
        .fix("Add a block of text with the JSON of structuredContent.")
        .probes(&[&CALLS])
        .judge(copied),
];

const STRUCTURED: &str = "structuredContent";

fn present(cx: &Context) -> Ruling {
    let results = successes(cx);
    if results.is_empty() {
        return untried(cx);
    }
    let mut slips = Slips::default();
    let mut count = 0;
    for (tool, seen) in &results {
        if tool
            .value
            .get("outputSchema")
            .is_none_or(|schema| !schema.is_object())
        {
            continue;
        }
        count += 1;
        if seen.result.get(STRUCTURED).is_none() {
            slips.add(tool.name(), || {
                let finding = Finding::broken(
                    "the tool has an outputSchema, yet its result has no structuredContent",
                );
                seen.found(finding, "")
            });
        }
    }
    if count == 0 {
        return Ruling::not_applicable("no tool that was called has an output schema");
    }
    slips.ruling(format!("{count} results have structured content"))
}

fn valid(cx: &Context) -> Ruling {
    let results = successes(cx);
    if results.is_empty() {
        return untried(cx);
    }
    let examiner = Examiner::default();
    let mut slips = Slips::default();
    let (mut count, mut undecided) = (0, None);
    for (tool, seen) in &results {
        let schema = tool
            .value
            .get("outputSchema")
            .filter(|schema| schema.is_object());
        let (Some(schema), Some(value)) = (schema, seen.result.get(STRUCTURED)) else {
            continue;
        };
        match examiner.validate(schema, value) {
            Validity::Valid => count += 1,
            Validity::Undecided(why) => undecided = Some((tool.name(), why)),
            Validity::Invalid(violations) => {
                for violation in violations.iter().take(SHOWN) {
                    let key = format!("{} {}", tool.name(), violation.schema_pointer);
                    slips.add(key, || {
                        let place = format!("/{STRUCTURED}{}", violation.pointer);
                        seen.found(Finding::broken(told(violation)), &place)
                    });
                }
            }
        }
    }
    let findings = slips.findings();
    match undecided {
        Some((tool, why)) if findings.is_empty() => Ruling::skip(format!(
            "nobody here can tell for {}: {why}",
            cut(tool, 120)
        )),
        None if count == 0 && findings.is_empty() => Ruling::not_applicable(
            "no tool that was called has an output schema and structured content",
        ),
        _ => Ruling::of(
            findings,
            format!("{count} results conform to their schemas"),
        ),
    }
}

/// Violations of one result that are told.
const SHOWN: usize = 10;

fn told(violation: &Violation) -> String {
    let place = match violation.pointer.as_str() {
        "" => STRUCTURED.to_owned(),
        pointer => format!("{STRUCTURED}{pointer}"),
    };
    format!(
        "{place} breaks outputSchema{}: {}",
        violation.schema_pointer, violation.message
    )
}

fn copied(cx: &Context) -> Ruling {
    let results = successes(cx);
    if results.is_empty() {
        return untried(cx);
    }
    let mut slips = Slips::default();
    let mut count = 0;
    for (tool, seen) in &results {
        let Some(value) = seen.result.get(STRUCTURED) else {
            continue;
        };
        count += 1;
        let content = seen.result.get("content").and_then(Value::as_array);
        let mut texts = content
            .into_iter()
            .flatten()
            .filter_map(|block| block.get("text")?.as_str());
        if !texts.any(|text| parse(text).is_ok_and(|json| same(&json.value, value))) {
            slips.add(tool.name(), || {
                let finding = Finding::broken(
                    "no block of text holds the JSON of structuredContent; expected one for clients that read text alone",
                );
                seen.found(finding, "/content")
            });
        }
    }
    if count == 0 {
        return Ruling::not_applicable("no tool that was called returns structured content");
    }
    slips.ruling(format!(
        "{count} results repeat their structured content as text"
    ))
}

/// Whether two values are equal as JSON has it: 1.0 is 1, and members have no order.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || same_number(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(name, value)| other.get(name).is_some_and(|other| same(value, other)))
        }
        _ => one == other,
    }
}

fn same_number(one: &Number, other: &Number) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one.partial_cmp(&other) == Some(Ordering::Equal),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equal_as_json_has_it() {
        let read = |text: &str| parse(text).expect("JSON").value;
        for (one, other) in [
            ("1.0", "1"),
            ("1e2", "100"),
            (r#"{"a":[1.5,null]}"#, r#"{"a":[1.50,null]}"#),
        ] {
            assert!(same(&read(one), &read(other)), "{one} {other}");
        }
        for (one, other) in [("1", "\"1\""), ("[1]", "[1,1]"), ("{}", "{\"a\":1}")] {
            assert!(!same(&read(one), &read(other)), "{one} {other}");
        }
        assert!(same(&json!({"a": 1, "b": 2}), &json!({"b": 2, "a": 1})));
    }

    #[test]
    fn slips_in_structured_content_are_found() {
        crate::testing::shows(&[
            ("structured-missing", "tools.structured-present", "fail"),
            ("structured-invalid", "tools.structured-valid", "fail"),
            (
                "structured-not-copied",
                "tools.structured-text-copy",
                "warn",
            ),
        ]);
    }
}
