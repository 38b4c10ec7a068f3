//! The schemas of the listed tools: valid in their dialect, complete in themselves, cheap to work with,
//! and with `x-mcp-header` only where it may stand.
//!
//! The crate `verdict-schema` finds what is wrong; here it becomes the ruling of a check.

use crate::check::Check;
use crate::context::Context;
use crate::facts::{Declared, List};
use crate::ruling::{Finding, Ruling, Weight};
use verdict_schema::{Kind, Role};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("schema.input-valid", "Every inputSchema is valid in its dialect")
        .headline(5)
        .spec("basic#schema-validation")
        .why("Clients compile the schema before they offer the tool; one that does not compile takes the tool away, or the whole list.")
        .fix("Mend the keyword at the given place, or name the dialect that the schema is written in with $schema.")
        .judge(judge::<{ Kind::InputValid as usize }>),
    Check::must("schema.output-valid", "Every outputSchema is valid in its dialect")
        .headline(5)
        .spec("basic#schema-validation")
        .why("Clients validate structured content with it; with a broken schema every call of the tool fails.")
        .fix("Mend the keyword at the given place, or name the dialect that the schema is written in with $schema.")
        .judge(judge::<{ Kind::OutputValid as usize }>),
    Check::must("schema.input-root-object", "Every inputSchema has type \"object\" at its root")
        .headline(5)
        .spec("schema#Tool")
        .why("Arguments are always an object; model providers refuse tools whose schema does not say so.")
        .fix("Put \"type\": \"object\" at the root, also for tools without parameters.")
        .official(&["wire-schema-valid", "tools-list"])
        .judge(judge::<{ Kind::InputRootObject as usize }>),
    Check::must("schema.output-is-object", "Every outputSchema is a JSON object")
        .headline(5)
        .spec("schema#Tool")
        .why("Typed clients refuse the whole list for a schema that is true, false or null.")
        .fix("Leave outputSchema out where there is none, and write {} for one that allows everything.")
        .official(&["wire-schema-valid"])
        .judge(judge::<{ Kind::OutputIsObject as usize }>),
    Check::must("schema.ref-local", "Every reference within a schema leads somewhere")
        .headline(5)
        .spec("basic#schema-validation")
        .why("A schema with a dangling reference cannot be compiled, so the tool cannot be called.")
        .fix("Ship the definition inside of the same schema, under $defs, and point to it.")
        .judge(judge::<{ Kind::RefLocal as usize }>),
    Check::should("schema.ref-network", "No schema refers to a document that it does not hold")
        .headline(5)
        .spec("basic#ref-resolution")
        .why("Clients do not fetch schemas from the network; they turn the tool down.")
        .fix("Copy what is referred to into the schema, under $defs.")
        .judge(judge::<{ Kind::RefNetwork as usize }>),
    Check::advisory("schema.ref-cycle", "No references go round in a circle")
        .headline(5)
        .spec("basic#composition-keyword-resource-use")
        .why("A validator that follows such references never ends.")
        .fix("Break the circle: let at least one step go down into a property or an item.")
        .judge(judge::<{ Kind::RefCycle as usize }>),
    Check::should("schema.dialect-known", "Every $schema names a published dialect")
        .headline(5)
        .spec("basic#schema-dialect")
        .why("Clients cannot validate against a dialect that they do not know.")
        .fix("Leave $schema out for JSON Schema 2020-12, or name one of the published drafts.")
        .official(&["json-schema-2020-12-$schema"])
        .judge(judge::<{ Kind::DialectKnown as usize }>),
    Check::advisory("schema.old-keywords", "No schema of 2020-12 uses keywords of older drafts")
        .headline(5)
        .spec("basic#schema-dialect")
        .why("In 2020-12 these keywords mean nothing: what they were to forbid is allowed.")
        .fix("Use $defs, dependentRequired or dependentSchemas, prefixItems and $id instead, or name the older draft with $schema.")
        .judge(judge::<{ Kind::OldKeywords as usize }>),
    Check::advisory("schema.bounds", "No schema is very large or deep")
        .headline(5)
        .spec("basic#composition-keyword-resource-use")
        .why("Large schemas fill the context of the model, and clients put limits on them.")
        .fix("Split the tool, or describe less of what it takes.")
        .judge(judge::<{ Kind::Bounds as usize }>),
    Check::advisory("schema.regex", "Every pattern is a valid regular expression")
        .headline(5)
        .spec("basic#schema-validation")
        .why("Validators compile patterns together with the schema; a pattern that is none fails all of it.")
        .fix("Write patterns as ECMA-262 regular expressions, without delimiters and inline flags.")
        .judge(judge::<{ Kind::Regex as usize }>),
    Check::advisory("schema.required-undefined", "Every required property is described")
        .headline(5)
        .spec("tools#tool")
        .why("A model must fill in a value of which it knows nothing but the name.")
        .fix("Add the property under properties, or drop it from required.")
        .judge(judge::<{ Kind::RequiredUndefined as usize }>),
    Check::advisory("schema.defaults-valid", "Defaults and examples fit their own schema")
        .headline(5)
        .spec("tools#tool")
        .why("Models and forms copy defaults and examples; the call is then refused.")
        .fix("Correct the default or example, or the schema beside it.")
        .judge(judge::<{ Kind::DefaultsValid as usize }>),
    Check::must("schema.x-mcp-header-string", "Every x-mcp-header is a non-empty string")
        .headline(7)
        .spec("http#schema-extension")
        .why("HTTP clients drop a tool whose header annotation breaks the rules.")
        .fix("Name the header after Mcp-Param- as a string, such as \"Region\".")
        .official(&["sep-2243-x-mcp-header-not-empty"])
        .judge(judge::<{ Kind::HeaderString as usize }>),
    Check::must("schema.x-mcp-header-token", "Every x-mcp-header is a token")
        .headline(7)
        .spec("http#schema-extension")
        .why("A header field with spaces, colons or other signs in its name cannot be sent.")
        .fix("Use letters, digits and hyphens only.")
        .official(&["sep-2243-x-mcp-header-charset"])
        .judge(judge::<{ Kind::HeaderToken as usize }>),
    Check::must("schema.x-mcp-header-unique", "No tool uses an x-mcp-header twice")
        .headline(7)
        .spec("http#schema-extension")
        .why("Two parameters cannot share a header field; names differ in more than case.")
        .fix("Give every parameter a header of its own.")
        .official(&["sep-2243-x-mcp-header-unique"])
        .judge(judge::<{ Kind::HeaderUnique as usize }>),
    Check::must("schema.x-mcp-header-primitive", "Every parameter with an x-mcp-header is a string, integer or boolean")
        .headline(7)
        .spec("http#schema-extension")
        .why("Other values have no form in a header field, so clients drop the tool.")
        .fix("Give the property type string, integer or boolean, or drop the annotation.")
        .official(&["sep-2243-x-mcp-header-primitive-only"])
        .judge(judge::<{ Kind::HeaderPrimitive as usize }>),
    Check::must("schema.x-mcp-header-reachable", "Every x-mcp-header stands on a property of the arguments")
        .headline(7)
        .spec("http#schema-extension")
        .why("Clients find annotations through properties alone; anywhere else none or many values would match.")
        .fix("Move the annotation to a property that is reached from the root through properties only.")
        .judge(judge::<{ Kind::HeaderReachable as usize }>),
    Check::must("schema.x-mcp-header-int-range", "Integers with an x-mcp-header are exact in every language")
        .headline(7)
        .spec("http#schema-extension")
        .why("Beyond 2^53 JavaScript clients round the value, and header and body no longer agree.")
        .fix("Keep minimum, maximum and all named values within plus or minus 9007199254740991, or use a string.")
        .judge(judge::<{ Kind::HeaderIntRange as usize }>),
    Check::should("schema.x-mcp-header-sensitive", "No secret is mirrored in a header field")
        .headline(7)
        .spec("tools#x-mcp-header")
        .why("Header fields are logged by proxies and gateways on the way.")
        .fix("Drop the annotation from parameters that hold passwords, tokens or personal numbers.")
        .judge(judge::<{ Kind::HeaderSensitive as usize }>),
];

fn judge<const KIND: usize>(cx: &Context) -> Ruling {
    let kind = Kind::ALL[KIND];
    if let Some(ruling) = nothing_to_judge(cx, kind) {
        return ruling;
    }
    let Some(found) = cx.facts.schemas().of(kind) else {
        return Ruling::met("all schemas keep to it");
    };
    let mut findings: Vec<Finding> = found
        .findings
        .iter()
        .map(|one| weighed(cx, kind, one))
        .collect();
    if findings.is_empty() {
        return match &found.unjudged {
            Some((tool, why)) => Ruling::skip(match found.unjudged_count {
                1 => format!("{tool}: {why}"),
                count => format!(
                    "{tool}: {why} ({} more schemas could not be judged)",
                    count - 1
                ),
            }),
            None => Ruling::met("all schemas keep to it"),
        };
    }
    if found.more > 0 {
        findings.push(Finding::noted(format!(
            "{} more of this kind are not listed",
            found.more
        )));
    }
    Ruling::Found(findings)
}

/// What the rule gets when there is no schema that it is about.
fn nothing_to_judge(cx: &Context, kind: Kind) -> Option<Ruling> {
    match cx.facts.declares("tools") {
        Declared::Yes => {}
        Declared::No => return Some(Ruling::not_applicable("the server does not declare tools")),
        Declared::Unknown => {
            return Some(Ruling::skip("the server's capabilities could not be read"));
        }
    }
    let walk = cx.facts.walk(List::Tools);
    let array = walk
        .results()
        .any(|(_, result)| result.get("tools").is_some_and(serde_json::Value::is_array));
    if !array {
        return Some(Ruling::skip(
            "tools/list gave no list of tools (discover.honours-tools, tools.list-shape)",
        ));
    }
    let schemas = cx.facts.schemas();
    let none = match (kind.applies_to(Role::Input), kind.applies_to(Role::Output)) {
        (true, false) => schemas.inputs == 0,
        (false, _) => schemas.outputs == 0,
        (true, true) => schemas.inputs + schemas.outputs == 0,
    };
    if none && kind.applies_to(Role::Input) {
        return Some(Ruling::not_applicable("no tool with a schema is listed"));
    }
    if none {
        return Some(Ruling::not_applicable("no listed tool has an outputSchema"));
    }
    (is_about_headers(kind) && !schemas.mirrors).then(|| {
        Ruling::not_applicable("no listed tool mirrors parameters in header fields (x-mcp-header)")
    })
}

fn is_about_headers(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::HeaderString
            | Kind::HeaderToken
            | Kind::HeaderUnique
            | Kind::HeaderPrimitive
            | Kind::HeaderReachable
            | Kind::HeaderIntRange
            | Kind::HeaderSensitive
    )
}

/// Over stdio nobody needs the header fields, although a wrong annotation is wrong there too.
fn weighed(cx: &Context, kind: Kind, finding: &Finding) -> Finding {
    let milder = is_about_headers(kind) && !cx.is_http() && finding.weight == Weight::Broken;
    Finding {
        weight: if milder {
            Weight::Unproven
        } else {
            finding.weight
        },
        ..finding.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{config, ruling};
    use verdict_fixture::{DEFECTS, Server, Variant};
    use verdict_model::Level;

    #[test]
    fn each_kind_of_defect_has_its_check() {
        assert_eq!(CHECKS.len(), Kind::ALL.len());
        for (at, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, at);
            assert!(
                CHECKS.iter().any(|check| check.rule.id == kind.check_id()),
                "{kind:?}"
            );
        }
    }

    #[test]
    fn correct_servers_have_sound_schemas() {
        for check in CHECKS {
            for stdio in [false, true] {
                let ruling = ruling(check.rule.id, &Server::correct(), config(), stdio);
                assert!(ruling.is_met(), "{}: {ruling:?}", check.rule.id);
            }
            let none = ruling(
                check.rule.id,
                &Server::of(Variant::ResourcesOnly),
                config(),
                false,
            );
            assert!(
                matches!(none, Ruling::NotApplicable(_)),
                "{}: {none:?}",
                check.rule.id
            );
        }
    }

    #[test]
    fn every_check_finds_its_defect() {
        for check in CHECKS {
            let id = check.rule.id;
            let defect = DEFECTS
                .iter()
                .find(|defect| {
                    defect
                        .expect
                        .iter()
                        .any(|(named, outcome)| *named == id && *outcome != "skip")
                })
                .expect("a defect");
            let found = ruling(id, &Server::with_defect(defect), config(), false);
            let Ruling::Found(findings) = found else {
                unreachable!("{id} finds nothing in {}", defect.name);
            };
            assert!(
                findings[0].subject.is_some() && findings[0].pointer.is_some(),
                "{id}"
            );
        }
    }

    #[test]
    fn header_annotations_weigh_less_over_stdio() {
        for check in CHECKS
            .iter()
            .filter(|check| check.rule.level == Level::Must)
        {
            let Some(defect) = DEFECTS.iter().find(|defect| {
                check.rule.id.starts_with("schema.x-mcp")
                    && defect
                        .expect
                        .iter()
                        .any(|(named, outcome)| *named == check.rule.id && *outcome == "fail")
            }) else {
                continue;
            };
            let found = ruling(check.rule.id, &Server::with_defect(defect), config(), true);
            assert!(
                matches!(found, Ruling::Found(_)) && !found.is_broken(),
                "{}",
                check.rule.id
            );
        }
    }
}
