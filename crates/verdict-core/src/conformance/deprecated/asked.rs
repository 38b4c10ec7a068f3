//! Deprecated things that a server asks its client for.

use crate::check::Check;
use crate::conformance::mrtr::asked::{asked, method, of_method, place, requests};
use crate::conformance::mrtr::forms::fields;
use crate::conformance::mrtr::trigger::TRIGGER;
use crate::context::Context;
use crate::passive::Slips;
use crate::ruling::{Finding, Ruling};
use crate::wire::json::cut;
use serde_json::Value;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should(
        "deprecated.roots-sampling",
        "Servers do without the client's model and roots",
    )
    .opt_in()
    .spec("deprecated")
    .why("Sampling and roots are on their way out; fewer and fewer clients have them.")
    .fix("Call a model yourself, and take folders as arguments of the tool.")
    .probes(&[&TRIGGER])
    .judge(roots_sampling),
    Check::should(
        "deprecated.include-context",
        "Servers do not ask for the context of other servers",
    )
    .opt_in()
    .spec("sampling#capabilities")
    .why("The client must refuse, or hand over what other servers have said.")
    .fix("Leave includeContext out, or send none.")
    .probes(&[&TRIGGER])
    .judge(include_context),
    Check::advisory(
        "deprecated.enum-names",
        "Forms name their choices by oneOf, not by enumNames",
    )
    .opt_in()
    .spec("schema#LegacyTitledEnumSchema")
    .why("Clients of this revision need not show the names.")
    .fix("Write oneOf with const and title for each choice.")
    .probes(&[&TRIGGER])
    .judge(enum_names),
];

fn roots_sampling(cx: &Context) -> Ruling {
    let all = match asked(cx) {
        Ok(all) => all,
        Err(ruling) => return ruling,
    };
    let mut slips = Slips::default();
    for seen in &all {
        for (key, request) in requests(seen) {
            let Some(name @ ("roots/list" | "sampling/createMessage")) = method(request) else {
                continue;
            };
            slips.add(format!("{} {name}", seen.subject()), || {
                let message = format!("the server asks for {name}, which is deprecated");
                seen.found(Finding::noted(message), &place(key, "method"))
            });
        }
    }
    slips.ruling("neither is asked for")
}

fn include_context(cx: &Context) -> Ruling {
    let all = match asked(cx) {
        Ok(all) => all,
        Err(ruling) => return ruling,
    };
    let mut slips = Slips::default();
    let mut count = 0;
    for seen in &all {
        let declared = seen.capability("/sampling/context").is_some();
        for (place, params) in of_method(seen, "sampling/createMessage") {
            count += 1;
            let wanted = params.get("includeContext").and_then(Value::as_str);
            let Some(wanted @ ("thisServer" | "allServers")) = wanted else {
                continue;
            };
            slips.add(format!("{} {wanted} {declared}", seen.subject()), || {
                let finding = if declared {
                    Finding::noted(format!("includeContext is `{wanted}`, which is deprecated"))
                } else {
                    Finding::broken(format!(
                        "includeContext is `{wanted}`, and the request did not declare sampling.context"
                    ))
                };
                seen.found(finding, &format!("{place}/includeContext"))
            });
        }
    }
    if count == 0 {
        return Ruling::not_applicable("no model was asked");
    }
    slips.ruling("no context is asked for")
}

fn enum_names(cx: &Context) -> Ruling {
    let all = match asked(cx) {
        Ok(all) => all,
        Err(ruling) => return ruling,
    };
    let mut slips = Slips::default();
    let mut count = 0;
    for seen in &all {
        for (place, name, field) in fields(seen) {
            count += 1;
            if field.get("enumNames").is_some() {
                slips.add(format!("{} {name}", seen.subject()), || {
                    let message = format!(
                        "the field `{}` has enumNames; expected oneOf with const and title",
                        cut(name, 80)
                    );
                    seen.found(Finding::noted(message), &format!("{place}/enumNames"))
                });
            }
        }
    }
    if count == 0 {
        return Ruling::not_applicable("no form was asked for");
    }
    slips.ruling(format!("{count} fields without enumNames"))
}

#[cfg(test)]
mod tests {
    use crate::testing::shows;

    #[test]
    fn deprecated_questions_are_told() {
        shows(&[
            ("asks-model", "deprecated.roots-sampling", "info"),
            (
                "asks-model-with-context",
                "deprecated.include-context",
                "warn",
            ),
            ("form-enum-names", "deprecated.enum-names", "info"),
        ]);
    }
}
