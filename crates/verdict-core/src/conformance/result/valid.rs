//! Every message has the shape that its definition gives, where no other check answers for the place.

use crate::check::Check;
use crate::context::Context;
use crate::passive::{Slips, exchanges, nothing_seen, pattern};
use crate::record::Record;
use crate::ruling::{Finding, Ruling, Weight};
use crate::shape::{self, Violation};
use crate::wire::rpc::{Envelope, Kind};
use serde_json::Value;
use std::sync::Arc;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("result.schema-valid", "Every message has the shape that the revision defines")
        .spec("basic#schema")
        .why("Typed clients refuse a whole message for one member of a wrong type.")
        .fix("Send the member as the type that is expected; leave optional members out instead of sending null.")
        .official(&["wire-schema-valid"])
        .judge(valid),
];

fn valid(cx: &Context) -> Ruling {
    let mut slips = Slips::default();
    let mut known: Vec<(&str, &Arc<Value>)> = Vec::new();
    let mut count = 0;
    for record in exchanges(cx) {
        let asked = record.method().unwrap_or_default();
        for envelope in record.replies().filter_map(|(_, parsed)| parsed.envelope()) {
            // Large equal results are one value, which need not be read twice.
            if let Some(result) = &envelope.result {
                if known
                    .iter()
                    .any(|(method, other)| *method == asked && Arc::ptr_eq(other, result))
                {
                    continue;
                }
                if Arc::strong_count(result) > 1 {
                    known.push((asked, result));
                }
            }
            let Some((method, violations)) = read(asked, envelope) else {
                continue;
            };
            count += 1;
            for violation in shape::owned_by(&violations, None) {
                slips.add(format!("{method} {}", pattern(&violation.pointer)), || {
                    finding(record, method, violation)
                });
            }
        }
    }
    if count == 0 {
        return nothing_seen(cx, "message");
    }
    slips.ruling(format!("{count} messages fit their definitions"))
}

/// The violations of a message, and the method that chose its definition.
fn read<'m>(asked: &'m str, envelope: &'m Envelope) -> Option<(&'m str, Vec<Violation>)> {
    match (envelope.kind(), &envelope.result) {
        (Kind::Response, Some(result)) => Some((asked, shape::result(asked, result))),
        (Kind::Response, None) => {
            // A body without `jsonrpc` is a page of some other layer, not a message.
            envelope.members.get("jsonrpc")?;
            Some((asked, shape::error(envelope.error()?)))
        }
        (Kind::Notification, _) => {
            let method = envelope.method()?;
            Some((method, shape::notification(method, envelope.params())))
        }
        (Kind::Request | Kind::Neither, _) => None,
    }
}

fn finding(record: &Record, method: &str, violation: &Violation) -> Finding {
    let weight = if violation.soft {
        Weight::Unproven
    } else {
        Weight::Broken
    };
    let place = violation.pointer.trim_start_matches("/result/");
    Finding::new(
        weight,
        format!(
            "{place} is {}; expected {}",
            violation.actual, violation.expected
        ),
    )
    .about(method)
    .seen_in(record)
    .at(&violation.pointer)
}

#[cfg(test)]
mod tests {
    use crate::testing::told::{page, says, told};
    use serde_json::json;

    #[test]
    fn places_without_an_owner_are_judged_here() {
        let with = |member: &str, value| {
            let mut page = page("survey.tools/1", None, &["a"], None);
            page.3["result"][member] = value;
            says("result.schema-valid", &told(&json!({"tools": {}}), &[page]))
        };
        assert_eq!(with("extra", json!(5)), "met");
        assert_eq!(with("_meta", json!([])), "broken");
        // Owned by others.
        assert_eq!(with("tools", json!(5)), "met");
        assert_eq!(with("ttlMs", json!("1")), "met");
    }

    #[test]
    fn a_fraction_where_a_number_is_meant_is_not_proven() {
        let listed = json!([{"uri": "a:b", "name": "b", "size": 1.5}]);
        let result = json!({"resultType": "complete", "resources": listed, "ttlMs": 0, "cacheScope": "public"});
        let list = (
            "survey.resources/1",
            "resources/list",
            json!({}),
            json!({"result": result}),
        );
        let recording = told(&json!({"resources": {}}), &[list]);
        let ids = ["result.schema-valid", "resources.list-shape"];
        let said = ids.map(|id| says(id, &recording));
        assert!(
            said.contains(&"unproven") && !said.contains(&"broken"),
            "{said:?}"
        );
    }
}
