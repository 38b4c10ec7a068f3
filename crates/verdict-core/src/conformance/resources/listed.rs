//! Resources and templates as the lists show them: shape, URIs, templates.

use super::template;
use crate::check::Check;
use crate::conformance::discover::identity::is_absolute;
use crate::conformance::list::reach::{about, items, twice, unwalked};
use crate::conformance::list::shaped::shaped;
use crate::conformance::list::visits::VISITS;
use crate::context::Context;
use crate::facts::List;
use crate::passive::{Slips, results};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::cut;
use serde_json::Value;
use std::fmt::Write as _;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("resources.list-shape", "Every listed resource has a uri, a name and members of the right types")
        .spec("schema#ListResourcesResult")
        .why("Typed clients refuse the whole list for one resource with a member of a wrong type.")
        .fix("Send `uri` and `name` as strings; leave optional members out instead of sending null.")
        .official(&["resources-list"])
        .judge(|cx| shaped(cx, List::Resources, "resources.list-shape")),
    Check::must("resources.templates-shape", "Every listed template has a uriTemplate and a name")
        .spec("schema#ListResourceTemplatesResult")
        .why("Typed clients refuse the whole list for one template that lacks a member.")
        .fix("Send `uriTemplate` and `name` as strings.")
        .official(&["wire-schema-valid"])
        .judge(|cx| shaped(cx, List::Templates, "resources.templates-shape")),
    Check::must("resources.uri-valid", "Every resource has a URI with a scheme")
        .spec("resources#custom-uri-schemes")
        .why("Clients parse URIs to show, compare and route them; what is no URI is dropped or cannot be read.")
        .fix("Percent-encode spaces and other characters, and begin with a scheme, such as file: or one of your own.")
        .official(&["wire-schema-valid"])
        .judge(uris),
    Check::advisory("resources.uri-unique", "Every resource is listed once")
        .spec("resources#resource")
        .why("Clients show the resource twice, or keep one of two descriptions at random.")
        .fix("List each URI once.")
        .probes(&[&VISITS])
        .judge(unique),
    Check::must("resources.template-valid", "Every uriTemplate is a URI template as RFC 6570 has it")
        .spec("schema#ResourceTemplate")
        .why("Clients expand the template with a library of that standard, which refuses other forms.")
        .fix("Write variables as {name}, with letters, digits, `_` and `.` in the name, and close every brace.")
        .judge(templates),
];

fn uris(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Resources) {
        return ruling;
    }
    let mut findings = Vec::new();
    let mut count = 0;
    for item in items(cx, List::Resources) {
        let Some(uri) = item.value.get("uri").and_then(Value::as_str) else {
            continue;
        };
        count += 1;
        if let Some(message) = fault(uri) {
            findings.push(about(cx, &item, "/uri", Finding::broken(message)));
        }
    }
    let mut slips = Slips::default();
    for seen in results(cx).filter(|seen| seen.method == "resources/read") {
        let contents = seen.result.get("contents").and_then(Value::as_array);
        for (index, item) in contents.into_iter().flatten().enumerate() {
            let Some(uri) = item.get("uri").and_then(Value::as_str) else {
                continue;
            };
            count += 1;
            let asked = seen
                .record
                .request()
                .and_then(|request| request.params()?.get("uri"));
            // What the list calls a resource was judged there.
            if asked.and_then(Value::as_str) == Some(uri) {
                continue;
            }
            if let Some(message) = fault(uri) {
                slips.add(uri, || {
                    let message = format!("in the answer to a read, {message}");
                    Finding::broken(message)
                        .about(cut(uri, 200))
                        .seen_in(seen.record)
                        .at(format!("/result/contents/{index}/uri"))
                });
            }
        }
    }
    findings.extend(slips.findings());
    Ruling::of(findings, format!("{count} URIs"))
}

/// What is wrong with a URI, if anything, with the form that it should have.
fn fault(uri: &str) -> Option<String> {
    if is_absolute(uri) {
        return None;
    }
    let shown = cut(uri, 200);
    if uri.is_empty() {
        return Some("the uri is empty; expected a URI with a scheme".to_owned());
    }
    let encoded = encoded(uri);
    Some(if encoded != uri && is_absolute(&encoded) {
        format!(
            "`{shown}` is no URI (RFC 3986); expected `{}`",
            cut(&encoded, 300)
        )
    } else {
        format!("`{shown}` is no URI with a scheme (RFC 3986)")
    })
}

/// A text with every character escaped that no URI may have.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        let legal = byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte);
        if legal {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn unique(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Resources) {
        return ruling;
    }
    let findings = twice(cx, List::Resources).into_iter().map(|(item, count)| {
        let message = format!("the list holds this URI {count} times; expected once");
        about(cx, &item, "/uri", Finding::broken(message))
    });
    Ruling::of(findings.collect(), "every URI is listed once")
}

fn templates(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Templates) {
        return ruling;
    }
    let mut findings = Vec::new();
    let mut count = 0;
    for item in items(cx, List::Templates) {
        let Some(text) = item.value.get("uriTemplate").and_then(Value::as_str) else {
            continue;
        };
        count += 1;
        let finding = match template::parse(text) {
            Err(fault) => Finding::broken(format!(
                "the uriTemplate is no URI template (RFC 6570): {fault}"
            )),
            Ok(template) => match template.reserved {
                Some(operator) => Finding::unproven(format!(
                    "the uriTemplate uses the operator `{operator}`, which RFC 6570 keeps for the future"
                )),
                None => continue,
            },
        };
        findings.push(about(cx, &item, "/uriTemplate", finding));
    }
    Ruling::of(findings, format!("{count} templates"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_and_what_should_stand_in_their_place() {
        for uri in [
            "file:///a%20b",
            "ledger://2026",
            "urn:x:y",
            "data:,x",
            "a:b#c",
            "x-y+z://ä".trim_end_matches('ä'),
        ] {
            assert_eq!(fault(uri), None, "{uri}");
        }
        for (uri, part) in [
            ("ledger://old books", "expected `ledger://old%20books`"),
            ("file:///ä", "expected `file:///%C3%A4`"),
            ("/etc/hosts", "no URI with a scheme"),
            ("", "is empty"),
            ("a://b%2", "no URI with a scheme"),
        ] {
            let message = fault(uri).expect("a fault");
            assert!(message.contains(part), "{uri}: {message}");
        }
    }
}
