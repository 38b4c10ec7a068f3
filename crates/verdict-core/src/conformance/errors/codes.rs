//! The codes of errors come from where the specification lets them come from.
//!
//! A server that still uses the codes of an earlier revision or of a draft fails here.

use crate::ask::META_CAPABILITIES;
use crate::check::Check;
use crate::context::Context;
use crate::facts::OURS;
use crate::record::Record;
use crate::refusal::{draft_note, name_of};
use crate::ruling::{Finding, Ruling, Weight};
use crate::traffic::{Refused, errors, headers_agree, listed, meta_of, version_of};
use serde_json::Value;
use std::collections::BTreeMap;
use verdict_model::transcript::Standing;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("errors.reserved-undefined", "No code is used that the specification keeps for itself")
        .headline(6)
        .spec("basic#error-codes")
        .why("A later revision may give the code a meaning, and clients would then act on it.")
        .fix("Take codes of your own from outside -32768 to -32000.")
        .judge(reserved_undefined),
    Check::must("errors.retired-codes", "No retired code is used")
        .headline(6)
        .spec("basic#error-codes")
        .why("Clients of this revision no longer know -32002 and -32042.")
        .fix("Answer a missing resource with -32602, and ask for a URL with an input_required result instead of -32042.")
        .official(&["sep-2164-error-code"])
        .judge(retired_codes),
    Check::must("errors.draft-codes", "The three codes of MCP have their final numbers")
        .headline(6)
        .spec("basic#error-codes")
        .why("Clients look for -32020, -32021 and -32022; the numbers of the drafts tell them nothing.")
        .fix("Renumber: HeaderMismatch -32001 to -32020, MissingRequiredClientCapability -32003 to -32021, UnsupportedProtocolVersion -32004 to -32022. A newer release of the SDK does so.")
        .official(&["sep-2243-server-reject-error-code"])
        .judge(draft_codes),
    Check::should("errors.legacy-range", "No code comes from the range of earlier servers")
        .headline(6)
        .spec("basic#error-codes")
        .why("Codes from -32000 to -32019 have been used for anything, so that no client can rely on them.")
        .fix("Use the codes of JSON-RPC and MCP where they fit, and codes outside -32768 to -32000 for everything else.")
        .judge(legacy_range),
    Check::should("errors.custom-range", "Codes of the server's own lie outside the range of JSON-RPC")
        .spec("basic#error-codes")
        .why("JSON-RPC keeps -32768 to -32000 for itself; a code from there may come to mean something else.")
        .fix("Move codes of your own outside -32768 to -32000.")
        .judge(custom_range),
];

/// What the specification has defined of its range so far, and what it has retired (a rule of its own).
const DEFINED: [i64; 4] = [-32020, -32021, -32022, -32042];
/// What JSON-RPC has defined.
const STANDARD: [i64; 5] = [-32700, -32600, -32601, -32602, -32603];
/// Codes of the drafts, and what became of them.
const DRAFT: [(i64, i64); 3] = [(-32001, -32020), (-32003, -32021), (-32004, -32022)];

/// One finding for each code, naming the methods that it answered.
fn by_code(
    cx: &Context,
    weight: Weight,
    wanted: impl Fn(&Refused, i64) -> bool,
    message: impl Fn(i64) -> String,
) -> Ruling {
    let mut codes: BTreeMap<i64, Vec<&Record>> = BTreeMap::new();
    let mut seen = 0;
    for refused in errors(cx) {
        let Some(code) = refused.code else { continue };
        seen += 1;
        if wanted(&refused, code) {
            codes.entry(code).or_default().push(refused.record);
        }
    }
    if seen == 0 {
        return Ruling::skip("the server never answered with an error code");
    }
    let findings = codes.into_iter().rev().map(|(code, records)| {
        let methods = listed(records.iter().filter_map(|record| record.method()));
        let after = if methods.is_empty() {
            String::new()
        } else {
            format!(" (after {methods})")
        };
        Finding::new(weight, format!("{}{after}", message(code)))
            .seen_in(records[0])
            .at("/error/code")
    });
    Ruling::of(findings.collect(), format!("none of {seen} error codes"))
}

fn reserved_undefined(cx: &Context) -> Ruling {
    by_code(
        cx,
        Weight::Broken,
        |_, code| (-32099..=-32020).contains(&code) && !DEFINED.contains(&code),
        |code| {
            format!(
                "an error has code {code}, which the specification keeps for itself and has not defined"
            )
        },
    )
}

fn retired_codes(cx: &Context) -> Ruling {
    by_code(
        cx,
        Weight::Broken,
        |_, code| matches!(code, -32002 | -32042),
        |code| {
            let instead = if code == -32002 {
                "a missing resource is -32602 now"
            } else {
                "a URL is asked for with an input_required result now"
            };
            format!("an error has the retired code {code}: {instead}")
        },
    )
}

fn draft_codes(cx: &Context) -> Ruling {
    let mut codes: BTreeMap<(i64, i64), Vec<&Record>> = BTreeMap::new();
    let mut seen = 0;
    for refused in errors(cx) {
        let Some(due) = due_code(cx, refused.record) else {
            continue;
        };
        seen += 1;
        if let Some(code) = refused.code.filter(|code| is_draft(*code)) {
            codes.entry((due, code)).or_default().push(refused.record);
        }
    }
    if seen == 0 {
        return Ruling::skip(
            "no fault that -32020, -32021 or -32022 refuses was answered with an error",
        );
    }
    let findings = codes.into_iter().rev().map(|((due, code), records)| {
        let methods = listed(records.iter().filter_map(|record| record.method()));
        Finding::broken(format!(
            "a fault that must be refused with {due}{} is refused with {code}{} (after {methods})",
            name_of(due),
            draft_note(code)
        ))
        .seen_in(records[0])
        .at("/error/code")
    });
    Ruling::of(
        findings.collect(),
        format!("none of {seen} such refusals has a code of the drafts"),
    )
}

fn is_draft(code: i64) -> bool {
    DRAFT.iter().any(|(draft, _)| *draft == code)
}

/// The code of the three that refuses the fault of a request, read from the request itself.
fn due_code(cx: &Context, record: &Record) -> Option<i64> {
    if record.exchange.standing != Standing::Faulty {
        return needs_capability(cx, record).then_some(-32021);
    }
    let request = record.request()?;
    request.id()?;
    if record.exchange.name.starts_with("header.") {
        return Some(-32020);
    }
    let version = version_of(record)?;
    if !headers_agree(record) {
        return Some(-32020);
    }
    if version != OURS && !cx.facts.supported_versions().any(|known| known == version) {
        return Some(-32022);
    }
    needs_capability(cx, record).then_some(-32021)
}

/// Whether a request needs an extension that it does not declare.
fn needs_capability(cx: &Context, record: &Record) -> bool {
    const TASKS: &str = "io.modelcontextprotocol/tasks";
    let task = matches!(
        record.method(),
        Some("tasks/get" | "tasks/update" | "tasks/cancel")
    );
    let name = record.exchange.name.as_str();
    let opted_in = name.starts_with("tools.capability/bare")
        || [
            "mrtr/none",
            "mrtr/form",
            "mrtr/url",
            "mrtr/sampling",
            "mrtr/roots",
        ]
        .contains(&name);
    let declared = meta_of(record, META_CAPABILITIES)
        .and_then(|capabilities| capabilities.get("extensions")?.get(TASKS))
        .is_some_and(Value::is_object);
    opted_in || (task && cx.facts.advertises(TASKS) && !declared)
}

fn legacy_range(cx: &Context) -> Ruling {
    by_code(
        cx,
        Weight::Broken,
        |refused, code| {
            let told = code == -32002 || (is_draft(code) && due_code(cx, refused.record).is_some());
            (-32019..=-32000).contains(&code) && !told
        },
        |code| {
            format!(
                "an error has code {code}, from the range that earlier servers used for anything (-32000 to -32019)"
            )
        },
    )
}

fn custom_range(cx: &Context) -> Ruling {
    by_code(
        cx,
        Weight::Broken,
        |_, code| (-32768..=-32100).contains(&code) && !STANDARD.contains(&code),
        |code| format!("an error has code {code}, from the range that JSON-RPC keeps for itself"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{config, replied, ruling, ruling_on};
    use serde_json::json;
    use verdict_fixture::{Server, Variant};

    #[test]
    fn correct_servers_use_the_codes_of_the_revision() {
        for check in CHECKS {
            for variant in [Variant::Full, Variant::Tasks, Variant::DualEra] {
                for stdio in [false, true] {
                    let ruling = ruling(check.rule.id, &Server::of(variant), config(), stdio);
                    assert!(ruling.is_met(), "{} {variant:?}: {ruling:?}", check.rule.id);
                }
            }
        }
    }

    #[test]
    fn the_codes_of_drafts_are_told_apart_from_other_uses() {
        let server = Server::with("tasks-draft-code").expect("a defect");
        assert!(ruling("errors.draft-codes", &server, config(), false).is_broken());
        // Told once, as a code of the drafts.
        assert!(ruling("errors.legacy-range", &server, config(), false).is_met());
    }

    #[test]
    fn the_old_code_for_missing_resources_is_retired() {
        let server = Server::with("missing-retired-code").expect("a defect");
        assert!(ruling("errors.retired-codes", &server, config(), true).is_broken());
        assert!(ruling("errors.legacy-range", &server, config(), true).is_met());
    }

    #[test]
    fn every_range_has_its_rule() {
        for (code, id) in [
            (-32023, "errors.reserved-undefined"),
            (-32099, "errors.reserved-undefined"),
            (-32002, "errors.retired-codes"),
            (-32042, "errors.retired-codes"),
            (-32000, "errors.legacy-range"),
            (-32019, "errors.legacy-range"),
            (-32001, "errors.legacy-range"),
            (-32100, "errors.custom-range"),
            (-32768, "errors.custom-range"),
        ] {
            let error = json!({"jsonrpc": "2.0", "id": "given/1", "error": {"code": code, "message": "no"}});
            let recording = replied(&[("tools/list", 200, error)]);
            for check in CHECKS {
                let found = ruling_on(check.rule.id, &recording);
                let due = check.rule.id == id;
                assert_eq!(
                    found.is_broken(),
                    due,
                    "{code} {}: {found:?}",
                    check.rule.id
                );
            }
        }
        for code in [-32769, -31999, 0, 1, 404, -32603, -32020] {
            let error = json!({"jsonrpc": "2.0", "id": "given/1", "error": {"code": code, "message": "no"}});
            let recording = replied(&[("tools/list", 200, error)]);
            for check in CHECKS {
                assert!(!ruling_on(check.rule.id, &recording).is_broken(), "{code}");
            }
        }
    }
}
