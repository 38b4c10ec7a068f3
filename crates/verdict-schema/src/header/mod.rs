//! `x-mcp-header` annotations: rows `schema.x-mcp-header-*` (page `http`, "Schema extension", and
//! page `tools`, "x-mcp-header").
//!
//! A client mirrors an annotated argument into a header, so the argument must be a plain value
//! that every client finds at the same place. HTTP clients drop a tool that breaks these rules.

mod kinds;
mod secret;

use crate::defect::{Kind, Weight};
use crate::describe::{list, quote, value as words};
use crate::examine::Findings;
use crate::keyword::Member;
use crate::walk::{Place, Plan};
use kinds::Shown;
use serde_json::{Number, Value};
use std::collections::BTreeMap;

const KEYWORD: &str = "x-mcp-header";

/// Integers beyond this are not exact in every language; the protocol excludes them.
const LIMIT: i64 = (1 << 53) - 1;

/// Judges every annotation of an input schema.
pub(crate) fn check(plan: &Plan<'_>, findings: &mut Findings<'_>) {
    let mut reachable = vec![false; plan.positions.len()];
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for (at, position) in plan.positions.iter().enumerate() {
        let chain = match position.place {
            Place::Under {
                parent,
                keyword: "properties",
                ..
            } => parent == 0 || reachable[parent],
            _ => false,
        };
        reachable[at] = chain;
        let Some(value) = position.value.get(KEYWORD) else {
            continue;
        };
        name(plan, at, value, &mut names, findings);
        if chain {
            primitive(plan, at, findings);
            secret(plan, at, value, findings);
        } else {
            findings.add(Kind::HeaderReachable, Weight::Broken, plan, at, &[KEYWORD], || {
                "expected on a property reached from the root through `properties` only; clients do \
                 not find it here"
                    .to_owned()
            });
        }
    }
}

/// The value of an annotation: a token that occurs once.
fn name(
    plan: &Plan<'_>,
    at: usize,
    value: &Value,
    names: &mut BTreeMap<String, usize>,
    findings: &mut Findings<'_>,
) {
    let Some(name) = value.as_str().filter(|name| !name.is_empty()) else {
        findings.add(
            Kind::HeaderString,
            Weight::Broken,
            plan,
            at,
            &[KEYWORD],
            || format!("expected a non-empty string, found {}", words(value)),
        );
        return;
    };
    if let Some(character) = name.chars().find(|&character| !is_token(character)) {
        findings.add(
            Kind::HeaderToken,
            Weight::Broken,
            plan,
            at,
            &[KEYWORD],
            || {
                format!(
                    "expected a header name (letters, digits and !#$%&'*+-.^_`|~), found {} in {}",
                    quote(&character.to_string()),
                    quote(name)
                )
            },
        );
    }
    let first = *names.entry(name.to_lowercase()).or_insert(at);
    if first != at {
        findings.add(
            Kind::HeaderUnique,
            Weight::Broken,
            plan,
            at,
            &[KEYWORD],
            || {
                let mut other = String::new();
                plan.write_pointer(first, 120, &mut other);
                crate::describe::cut(&mut other, 120);
                format!(
                    "expected a name of its own, found {} which {other:?} has too",
                    quote(name)
                )
            },
        );
    }
}

/// RFC 9110 5.6.2.
fn is_token(character: char) -> bool {
    character.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(character)
}

fn primitive(plan: &Plan<'_>, at: usize, findings: &mut Findings<'_>) {
    const EXPECTED: &str = "expected type string, integer or boolean";
    let shown = kinds::of(plan, at);
    let (weight, message) = match &shown {
        Shown::Plainly("string" | "integer" | "boolean") | Shown::Malformed => {
            (None, String::new())
        }
        Shown::Plainly(kind) => (Some(Weight::Broken), format!("{EXPECTED}, found {kind}")),
        Shown::Nothing => (
            Some(Weight::Broken),
            format!("{EXPECTED}, found nothing that tells the type"),
        ),
        Shown::Unknown => (
            Some(Weight::Unproven),
            format!("{EXPECTED}, found a reference that tells no type"),
        ),
        Shown::Somehow(kinds) => {
            let kinds: Vec<&str> = kinds.iter().copied().collect();
            match kinds[..] {
                ["string" | "integer" | "boolean"] => (
                    Some(Weight::Unproven),
                    format!("{EXPECTED}; {} follows only from other keywords", kinds[0]),
                ),
                [kind @ ("integer" | "boolean"), "null"] | ["null", kind @ "string"] => (
                    Some(Weight::Unproven),
                    format!("{EXPECTED}, found {kind} or null, which clients may refuse"),
                ),
                _ => (
                    Some(Weight::Broken),
                    format!("{EXPECTED}, found {}", list(kinds.iter().copied())),
                ),
            }
        }
    };
    if let Some(weight) = weight {
        findings.add(Kind::HeaderPrimitive, weight, plan, at, &[KEYWORD], || {
            message
        });
    }
    if shown.includes("integer") {
        range(plan, at, findings);
    }
}

/// Bounds and values that explicitly admit integers which are not exact everywhere. Absent bounds
/// are no defect.
fn range(plan: &Plan<'_>, at: usize, findings: &mut Findings<'_>) {
    let value = plan.positions[at].value;
    let number = |keyword: &str| value.get(keyword).and_then(Value::as_number);
    let wide = |keyword: &str| {
        let outside = match keyword {
            "minimum" => number(keyword).is_some_and(|it| compare(it, -LIMIT).is_lt()),
            "maximum" => number(keyword).is_some_and(|it| compare(it, LIMIT).is_gt()),
            "exclusiveMinimum" => number(keyword).is_some_and(|it| compare(it, -LIMIT - 1).is_lt()),
            "exclusiveMaximum" => number(keyword).is_some_and(|it| compare(it, LIMIT + 1).is_gt()),
            "enum" => {
                let entries = value.get(keyword).and_then(Value::as_array);
                entries.is_some_and(|it| it.iter().filter_map(Value::as_number).any(is_outside))
            }
            _ => number(keyword).is_some_and(is_outside),
        };
        outside.then(|| keyword.to_owned())
    };
    let keywords = [
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "enum",
        "const",
        "default",
    ];
    if let Some(keyword) = keywords.into_iter().find_map(wide) {
        findings.add(
            Kind::HeaderIntRange,
            Weight::Unproven,
            plan,
            at,
            &[&keyword],
            || {
                format!(
                    "expected integers within +-{LIMIT}, found a `{keyword}` that admits others"
                )
            },
        );
    }
}

fn is_outside(number: &Number) -> bool {
    compare(number, LIMIT).is_gt() || compare(number, -LIMIT).is_lt()
}

/// Compares a number with an integer that a double holds exactly.
fn compare(number: &Number, limit: i64) -> std::cmp::Ordering {
    if let Some(integer) = number.as_i64() {
        return integer.cmp(&limit);
    }
    if number.is_u64() {
        // Too large for a signed integer.
        return std::cmp::Ordering::Greater;
    }
    #[expect(clippy::cast_precision_loss, reason = "limits are at most 2^53")]
    let limit = limit as f64;
    number
        .as_f64()
        .and_then(|it| it.partial_cmp(&limit))
        .unwrap_or(std::cmp::Ordering::Equal)
}

fn secret(plan: &Plan<'_>, at: usize, value: &Value, findings: &mut Findings<'_>) {
    let position = plan.positions[at];
    let key = match position.place {
        Place::Under {
            member: Member::Key(key),
            ..
        } => key,
        _ => "",
    };
    let text = |keyword: &str| {
        position
            .value
            .get(keyword)
            .and_then(Value::as_str)
            .unwrap_or("")
    };
    let found = secret::in_name(key)
        .or_else(|| secret::in_name(value.as_str().unwrap_or("")))
        .or_else(|| secret::in_text(text("title")))
        .or_else(|| secret::in_text(text("description")));
    if let Some(found) = found {
        findings.add(
            Kind::HeaderSensitive,
            Weight::Broken,
            plan,
            at,
            &[KEYWORD],
            || {
                format!(
                    "{} looks like a secret ({found}); headers end up in logs",
                    quote(key)
                )
            },
        );
    }
}
