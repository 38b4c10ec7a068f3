//! Validation of a value (rows `tools.structured-valid`, `tools.invalid-args-rejected`; page
//! `basic`, "JSON Schema usage").
//!
//! The judgement itself is the `jsonschema` library's. Everything here serves to hand it only work
//! that ends soon.

use crate::bounds::Bounds;
use crate::closed::{Closed, close};
use crate::cycle;
use crate::describe::cut;
use crate::dialect::{Declared, Dialect};
use crate::estimate::{Cost, Estimate, buildable, estimate};
use crate::measure::Measure;
use crate::shape;
use crate::steps::Patterns;
use crate::walk::Plan;
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::Value;

/// Whether a value conforms to a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Validity {
    /// It does.
    Valid,
    /// It does not, and why: a bounded list, never empty.
    Invalid(Vec<Violation>),
    /// Nobody here can tell, and why: the schema is invalid or its dialect unknown, a reference
    /// that matters leads nowhere or to another document, a pattern that matters is not supported,
    /// or a bound forbids the work. This is neither of the above.
    Undecided(String),
}

/// One way in which a value breaks a schema.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// JSON pointer into the value, cut with `…` beyond [`Bounds::pointer`].
    pub pointer: String,
    /// JSON pointer to the keyword in the schema, cut likewise.
    pub schema_pointer: String,
    /// What is wrong, in one bounded line.
    pub message: String,
}

/// Up to how many bytes one pattern may compile to, and how many its transitions may take. A
/// pattern within [`Bounds::pattern_states`] stays below.
const PATTERN_BYTES: usize = 16 << 20;
const TRANSITION_BYTES: usize = 1 << 20;

/// How many violations are gathered before they are put in order.
const GATHERED: usize = 1_000;

pub(crate) fn validate(schema: &Value, instance: &Value, bounds: &Bounds) -> Validity {
    match decide(schema, instance, bounds) {
        Ok(validity) => validity,
        Err(mut reason) => {
            cut(&mut reason, bounds.message);
            Validity::Undecided(reason)
        }
    }
}

fn decide(schema: &Value, instance: &Value, bounds: &Bounds) -> Result<Validity, String> {
    let dialect = readable(schema, instance, bounds)?;
    let plan = Plan::new(schema, dialect, bounds.subschemas);
    let patterns = Patterns::of(&plan, bounds.pattern_states);
    let Estimate { cost, visited } = affordable(&plan, &patterns, instance, bounds)?;
    let closed = close(&plan, &patterns, &visited);
    let validator = build(&closed.schema, dialect)?;
    if validator.is_valid(instance) {
        return Ok(Validity::Valid);
    }
    Ok(Validity::Invalid(violations(
        &validator,
        instance,
        cost,
        (&plan, &closed),
        bounds,
    )))
}

/// The dialect of a schema that can be looked into at all.
fn readable(schema: &Value, instance: &Value, bounds: &Bounds) -> Result<Dialect, String> {
    if !(schema.is_object() || schema.is_boolean()) {
        return Err("the schema is neither an object nor a boolean".to_owned());
    }
    for (what, value) in [("schema", schema), ("value", instance)] {
        if Measure::of(value).depth > bounds.nesting {
            return Err(format!(
                "the {what} nests deeper than {} JSON levels",
                bounds.nesting
            ));
        }
    }
    Declared::of(schema)
        .dialect()
        .ok_or_else(|| "the dialect is not known here".to_owned())
}

/// What a validation takes that may be made, or what forbids it.
fn affordable(
    plan: &Plan<'_>,
    patterns: &Patterns<'_>,
    instance: &Value,
    bounds: &Bounds,
) -> Result<Estimate, String> {
    if plan.truncated {
        return Err(format!(
            "the schema has more than {} subschemas",
            bounds.subschemas
        ));
    }
    if let Some(fault) = shape::first_fault(plan) {
        return Err(format!("the schema is not valid in its dialect: {fault}"));
    }
    let dialect = plan.positions[0].dialect;
    if plan.positions.iter().any(|it| it.dialect != dialect) {
        return Err("the schema mixes dialects".to_owned());
    }
    if cycle::exists(plan) {
        return Err("references form a loop without end".to_owned());
    }
    let estimate = estimate(plan, patterns, instance, bounds)?;
    buildable(plan, patterns, &estimate.visited, bounds)?;
    Ok(estimate)
}

fn build(schema: &Value, dialect: Dialect) -> Result<Validator, String> {
    jsonschema::options()
        .with_draft(dialect.draft())
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(
            PatternOptions::regex()
                .size_limit(PATTERN_BYTES)
                .dfa_size_limit(TRANSITION_BYTES),
        )
        .build(schema)
        .map_err(|error| format!("the validator refuses the schema: {}", error.masked()))
}

fn violations(
    validator: &Validator,
    instance: &Value,
    cost: Cost,
    (plan, closed): (&Plan<'_>, &Closed),
    bounds: &Bounds,
) -> Vec<Violation> {
    if cost.explaining > bounds.evaluations {
        let message = "does not conform; saying why would take too long".to_owned();
        return vec![Violation {
            pointer: String::new(),
            schema_pointer: String::new(),
            message,
        }];
    }
    let describe = |error: ValidationError<'_>| {
        let mut violation = Violation {
            pointer: error.instance_path().as_str().to_owned(),
            schema_pointer: closed.original(plan, error.schema_path().as_str()),
            message: error.to_string(),
        };
        cut(&mut violation.pointer, bounds.pointer);
        cut(&mut violation.schema_pointer, bounds.pointer);
        cut(&mut violation.message, bounds.message);
        violation
    };
    let mut violations: Vec<_> = if cost.explaining > bounds.explanations {
        validator
            .validate(instance)
            .err()
            .into_iter()
            .map(describe)
            .collect()
    } else {
        validator
            .iter_errors(instance)
            .take(GATHERED)
            .map(describe)
            .collect()
    };
    violations.sort();
    violations.dedup();
    violations.truncate(bounds.violations.max(1));
    violations
}
