//! `default` and `examples` against their own subschema: row `schema.defaults-valid`.
//!
//! They are annotations, so a misfit is only worth a note. That is why no validator is built for
//! them: a trial in few steps decides nearly all, and says so where it does not.

use crate::defect::{Kind, Weight};
use crate::describe::value as words;
use crate::examine::Findings;
use crate::trial::Trial;
use crate::walk::{Plan, hides_siblings};
use serde_json::Value;

pub(crate) fn check(plan: &Plan<'_>, findings: &mut Findings<'_>) {
    let mut trial = Trial::new(plan, findings.bounds().default_steps);
    for (at, position) in plan.positions.iter().enumerate() {
        if !(position.live && position.judged) || hides_siblings(position) {
            continue;
        }
        if let Some(value) = position.value.get("default") {
            judge(&mut trial, plan, at, &["default"], value, findings);
        }
        if let Some(Value::Array(examples)) = position.value.get("examples") {
            for (index, value) in examples.iter().enumerate() {
                let index = index.to_string();
                judge(&mut trial, plan, at, &["examples", &index], value, findings);
            }
        }
    }
}

fn judge(
    trial: &mut Trial<'_, '_>,
    plan: &Plan<'_>,
    at: usize,
    suffix: &[&str],
    value: &Value,
    findings: &mut Findings<'_>,
) {
    match trial.fits(at, value) {
        Some(true) => {}
        Some(false) => {
            findings.add(Kind::DefaultsValid, Weight::Noted, plan, at, suffix, || {
                format!("{} does not fit the schema beside it", words(value))
            });
        }
        None if trial.is_spent() => {
            let steps = findings.bounds().default_steps;
            findings.leave(
                Kind::DefaultsValid,
                format!("only the first {steps} steps were spent"),
            );
        }
        None => findings.leave(
            Kind::DefaultsValid,
            "a default or an example needs a keyword that is not tried",
        ),
    }
}
