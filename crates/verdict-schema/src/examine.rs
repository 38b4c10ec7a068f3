//! The examination: which rows look at which schema, and the list of what they found.

use crate::bounds::Bounds;
use crate::defect::{Defect, Examination, Kind, Omitted, Role, Unjudged, Weight};
use crate::describe::{cut, push_pointer, quote, value as words};
use crate::dialect::{Declared, Dialect};
use crate::measure::Measure;
use crate::reference::Target;
use crate::walk::Plan;
use crate::{advice, cycle, defaults, header, pattern, shape};
use serde_json::Value;
use std::collections::BTreeMap;

/// Collects defects, within bounds.
pub(crate) struct Findings<'b> {
    bounds: &'b Bounds,
    defects: BTreeMap<Kind, Vec<Defect>>,
    omitted: BTreeMap<Kind, usize>,
    unjudged: BTreeMap<Kind, String>,
}

impl<'b> Findings<'b> {
    pub(crate) fn new(bounds: &'b Bounds) -> Self {
        Self {
            bounds,
            defects: BTreeMap::new(),
            omitted: BTreeMap::new(),
            unjudged: BTreeMap::new(),
        }
    }

    pub(crate) fn bounds(&self) -> &'b Bounds {
        self.bounds
    }

    /// Adds a defect at `suffix` under a position. The message is made only if it is listed.
    pub(crate) fn add(
        &mut self,
        kind: Kind,
        weight: Weight,
        plan: &Plan<'_>,
        at: usize,
        suffix: &[&str],
        message: impl FnOnce() -> String,
    ) {
        let listed = self.defects.entry(kind).or_default();
        if listed.len() >= self.bounds.defects {
            *self.omitted.entry(kind).or_default() += 1;
            return;
        }
        let mut pointer = String::new();
        plan.write_pointer(at, self.bounds.pointer, &mut pointer);
        for token in suffix {
            push_pointer(&mut pointer, token);
        }
        cut(&mut pointer, self.bounds.pointer);
        let mut message = message();
        cut(&mut message, self.bounds.message);
        listed.push(Defect {
            kind,
            pointer,
            message,
            weight,
        });
    }

    /// Adds a defect of the root.
    pub(crate) fn add_root(&mut self, kind: Kind, weight: Weight, suffix: &str, message: String) {
        let mut message = message;
        cut(&mut message, self.bounds.message);
        self.defects.entry(kind).or_default().push(Defect {
            kind,
            pointer: suffix.to_owned(),
            message,
            weight,
        });
    }

    /// Says that a row was not judged, or not for all of the schema; the first reason stays.
    pub(crate) fn leave(&mut self, kind: Kind, reason: impl Into<String>) {
        let mut reason = reason.into();
        cut(&mut reason, self.bounds.message);
        self.unjudged.entry(kind).or_insert(reason);
    }

    fn finish(self) -> Examination {
        Examination {
            defects: self.defects.into_values().flatten().collect(),
            unjudged: self
                .unjudged
                .into_iter()
                .map(|(kind, reason)| Unjudged { kind, reason })
                .collect(),
            omitted: self
                .omitted
                .into_iter()
                .map(|(kind, count)| Omitted { kind, count })
                .collect(),
        }
    }
}

/// Examines one schema.
pub(crate) fn examine(schema: &Value, role: Role, bounds: &Bounds) -> Examination {
    let mut findings = Findings::new(bounds);
    if !schema.is_object() {
        let (kind, expected) = match role {
            Role::Input => (
                Kind::InputRootObject,
                "a schema with `\"type\": \"object\"`",
            ),
            Role::Output => (Kind::OutputIsObject, "a JSON object"),
        };
        let message = format!("expected {expected}, found {}", words(schema));
        findings.add_root(kind, Weight::Broken, "", message);
        let reason = "the schema is not a JSON object";
        leave_all_but(&[kind], role, reason, &mut findings);
        return findings.finish();
    }
    root_type(schema, role, &mut findings);
    let measure = Measure::of(schema);
    if measure.depth > bounds.nesting {
        let message = format!(
            "nests {} JSON levels deep; schemas deeper than {} are not looked into",
            measure.depth, bounds.nesting
        );
        findings.add_root(Kind::Bounds, Weight::Noted, "", message);
        let reason = format!(
            "the schema nests deeper than {} JSON levels",
            bounds.nesting
        );
        let judged = [Kind::InputRootObject, Kind::OutputIsObject, Kind::Bounds];
        leave_all_but(&judged, role, &reason, &mut findings);
        return findings.finish();
    }
    let declared = Declared::of(schema);
    dialect(declared, role, &mut findings);
    let known = declared.dialect();
    let plan = Plan::new(
        schema,
        known.unwrap_or(Dialect::Draft202012),
        bounds.subschemas,
    );
    advice::bounds(&measure, &plan, &mut findings);
    if known.is_some() {
        shape::check(&plan, role, &mut findings);
        references(&plan, &mut findings);
        cycle::check(&plan, &mut findings);
        advice::old_keywords(&plan, &mut findings);
        advice::required(&plan, &mut findings);
        pattern::check(&plan, &mut findings);
        defaults::check(&plan, &mut findings);
    }
    if role == Role::Input {
        header::check(&plan, &mut findings);
    }
    if plan.truncated {
        let reason = format!(
            "only the first {} subschemas were looked at",
            bounds.subschemas
        );
        let whole = [
            Kind::InputRootObject,
            Kind::OutputIsObject,
            Kind::DialectKnown,
            Kind::Bounds,
        ];
        leave_all_but(&whole, role, &reason, &mut findings);
    }
    findings.finish()
}

fn leave_all_but(judged: &[Kind], role: Role, reason: &str, findings: &mut Findings<'_>) {
    for kind in Kind::ALL {
        if kind.applies_to(role) && !judged.contains(&kind) {
            findings.leave(kind, reason);
        }
    }
}

/// `schema.input-root-object`: the type has to say `object`, in so many words.
fn root_type(schema: &Value, role: Role, findings: &mut Findings<'_>) {
    if role == Role::Output {
        return;
    }
    let found = schema.get("type");
    if found.and_then(Value::as_str) != Some("object") {
        let (pointer, found) =
            found.map_or(("", "no `type`".to_owned()), |it| ("/type", words(it)));
        let message = format!("expected `\"type\": \"object\"` at the root, found {found}");
        findings.add_root(Kind::InputRootObject, Weight::Broken, pointer, message);
    }
}

/// `schema.dialect-known`, and what a dialect that nobody knows leaves open.
fn dialect(declared: Declared<'_>, role: Role, findings: &mut Findings<'_>) {
    let reason = match declared {
        Declared::Absent | Declared::Known(Dialect::Draft202012) => return,
        Declared::Known(dialect) => {
            let message = format!(
                "declares {}; 2020-12 is the default, and clients may know no other",
                dialect.name()
            );
            findings.add_root(Kind::DialectKnown, Weight::Noted, "/$schema", message);
            return;
        }
        Declared::Unknown(uri) => {
            let message = format!(
                "expected a published dialect such as {}, found {}",
                Dialect::Draft202012.uri(),
                quote(uri)
            );
            findings.add_root(Kind::DialectKnown, Weight::Unproven, "/$schema", message);
            "the dialect is not known here"
        }
        Declared::NotText => {
            findings.leave(Kind::DialectKnown, "`$schema` is not a string");
            "`$schema` is not a string, so the dialect is not known"
        }
    };
    for kind in [
        Kind::InputValid,
        Kind::OutputValid,
        Kind::RefLocal,
        Kind::RefNetwork,
        Kind::RefCycle,
        Kind::OldKeywords,
        Kind::Regex,
        Kind::RequiredUndefined,
        Kind::DefaultsValid,
    ] {
        if kind.applies_to(role) {
            findings.leave(kind, reason);
        }
    }
}

/// `schema.ref-local` and `schema.ref-network` (page `basic`, "Reference resolution").
fn references(plan: &Plan<'_>, findings: &mut Findings<'_>) {
    for reference in &plan.references {
        let suffix = [reference.keyword];
        let text = reference.text;
        match &reference.target {
            Target::Missing(why) => {
                findings.add(
                    Kind::RefLocal,
                    Weight::Broken,
                    plan,
                    reference.from,
                    &suffix,
                    || format!("{} leads nowhere: {why}", quote(text)),
                );
            }
            Target::Network(uri) => {
                findings.add(
                    Kind::RefNetwork,
                    Weight::Broken,
                    plan,
                    reference.from,
                    &suffix,
                    || network(text, uri),
                );
            }
            Target::Position(_) | Target::Beyond | Target::MetaSchema | Target::Ambiguous => {}
        }
    }
}

fn network(text: &str, uri: &str) -> String {
    let text = quote(text);
    if crate::uri::is_nowhere(uri) {
        format!(
            "{text} is relative to nothing: no `$id` says where the document is; clients do not fetch it"
        )
    } else {
        format!("{text} leaves the document; clients do not fetch it and should reject the schema")
    }
}
