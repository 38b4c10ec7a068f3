//! Advisory rows that read single subschemas: `schema.bounds`, `schema.old-keywords`,
//! `schema.required-undefined`. None of them says that a schema is wrong.

use crate::defect::{Kind, Weight};
use crate::describe::list;
use crate::dialect::Dialect;
use crate::examine::Findings;
use crate::measure::Measure;
use crate::walk::{Place, Plan, Position, hides_siblings};
use serde_json::{Map, Value};

// Thresholds of ours, far above ordinary tools (page `basic`, "Composition keyword resource use").
const BYTES: usize = 64 * 1024;
const DEPTH: usize = 32;
const SUBSCHEMAS: usize = 1_000;

/// `schema.bounds`: schemas that clients may refuse for their size.
pub(crate) fn bounds(measure: &Measure, plan: &Plan<'_>, findings: &mut Findings<'_>) {
    let deepest = plan
        .positions
        .iter()
        .map(|it| it.depth)
        .max()
        .unwrap_or_default();
    let count = plan.positions.len();
    let more = if plan.truncated { "at least " } else { "" };
    for (what, found, limit) in [
        ("bytes", measure.bytes, BYTES),
        ("levels of subschemas", deepest, DEPTH),
        ("subschemas", count, SUBSCHEMAS),
    ] {
        if found > limit {
            let more = if what == "bytes" { "" } else { more };
            let message = format!("has {more}{found} {what}; clients may stop short of {limit}");
            findings.add_root(Kind::Bounds, Weight::Noted, "", message);
        }
    }
}

/// Keywords that 2020-12 gave up, with what to write instead.
const OLD: [(&str, &str); 5] = [
    ("definitions", "`$defs`"),
    ("dependencies", "`dependentSchemas` or `dependentRequired`"),
    ("additionalItems", "`items` beside `prefixItems`"),
    ("id", "`$id`"),
    ("nullable", "`null` among the types"),
];

/// `schema.old-keywords`: one defect for each keyword, at its first place.
pub(crate) fn old_keywords(plan: &Plan<'_>, findings: &mut Findings<'_>) {
    let mut found: [(usize, usize); OLD.len() + 1] = [(0, 0); OLD.len() + 1];
    let mut see = |which: usize, at: usize| {
        let (first, count) = &mut found[which];
        if *count == 0 {
            *first = at;
        }
        *count += 1;
    };
    for (at, position) in plan.positions.iter().enumerate() {
        let Value::Object(members) = position.value else {
            continue;
        };
        if position.dialect != Dialect::Draft202012 || !position.judged {
            continue;
        }
        for (keyword, value) in members {
            match OLD.iter().position(|(old, _)| old == keyword) {
                // Unknown keywords are legal, and these two are ordinary words.
                Some(3) if !value.is_string() => {}
                Some(4) if !value.is_boolean() => {}
                Some(which) => see(which, at),
                None if keyword == "items" && value.is_array() => see(OLD.len(), at),
                None => {}
            }
        }
    }
    for (which, (at, count)) in found
        .into_iter()
        .enumerate()
        .filter(|(_, (_, count))| *count > 0)
    {
        let (keyword, instead) = OLD
            .get(which)
            .copied()
            .unwrap_or(("items", "`prefixItems`"));
        let form = if which == OLD.len() {
            "`items` as an array"
        } else {
            keyword
        };
        let form = if form == keyword {
            format!("`{keyword}`")
        } else {
            form.to_owned()
        };
        findings.add(
            Kind::OldKeywords,
            Weight::Noted,
            plan,
            at,
            &[keyword],
            || {
                let places = if count == 1 {
                    String::new()
                } else {
                    format!(" ({count} places)")
                };
                format!("{form}{places} has no meaning in 2020-12; use {instead}")
            },
        );
    }
}

/// `schema.required-undefined`: names in `required` that nothing beside it describes.
pub(crate) fn required(plan: &Plan<'_>, findings: &mut Findings<'_>) {
    for (at, position) in plan.positions.iter().enumerate() {
        let Value::Object(members) = position.value else {
            continue;
        };
        let Some(Value::Array(required)) = members.get("required") else {
            continue;
        };
        if !position.live || is_composed(position) || describes_elsewhere(members) {
            continue;
        }
        let properties = members.get("properties").and_then(Value::as_object);
        let mut undefined = required
            .iter()
            .filter_map(Value::as_str)
            .filter(|name| properties.is_none_or(|it| !it.contains_key(*name)))
            .peekable();
        if undefined.peek().is_some() {
            findings.add(
                Kind::RequiredUndefined,
                Weight::Noted,
                plan,
                at,
                &["required"],
                || {
                    format!(
                        "no entry in `properties` beside it describes {}",
                        list(undefined)
                    )
                },
            );
        }
    }
}

/// A branch of a composition often requires what the schema around it describes.
fn is_composed(position: &Position<'_>) -> bool {
    hides_siblings(position)
        || match position.place {
            Place::Under { keyword, .. } => crate::keyword::is_in_place(position.dialect, keyword),
            Place::Root | Place::Referred { .. } => false,
        }
}

/// Other keywords of the same subschema may describe the property.
fn describes_elsewhere(members: &Map<String, Value>) -> bool {
    const ELSEWHERE: [&str; 10] = [
        "patternProperties",
        "allOf",
        "anyOf",
        "oneOf",
        "if",
        "dependentSchemas",
        "dependencies",
        "$ref",
        "$dynamicRef",
        "$recursiveRef",
    ];
    ELSEWHERE
        .iter()
        .any(|keyword| members.contains_key(*keyword))
        || members
            .get("additionalProperties")
            .is_some_and(Value::is_object)
}
