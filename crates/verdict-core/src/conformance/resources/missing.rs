//! A resource that does not exist is refused with -32602: not with the code of earlier revisions, not
//! with empty contents.
//!
//! Two questions: a URI in a scheme of our own, and one beside a listed resource, since a server may
//! refuse a foreign scheme for other reasons than it would a missing neighbour.

use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::conformance::resources::neighbour::{beside, templated};
use crate::context::Context;
use crate::facts::{Declared, List};
use crate::record::{Answer, Record};
use crate::refusal::{answered, draft_note, served};
use crate::ruling::{Finding, Ruling, Weight};
use crate::wire::json::{cut, shortened};
use serde_json::{Value, json};

/// Reads what is not there, without a URI, and at a URI that is none.
pub const MISSING: Probe = Probe {
    name: "resources.missing",
    stage: Stage::Main,
    next: missing,
};

const SCHEME: &str = "resources.missing/scheme";
const BESIDE: &str = "resources.missing/beside";

fn missing(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || cx.facts.declares("resources") != Declared::Yes {
        return vec![];
    }
    let read = |step: &str, params: Value| Ask::request(step, "resources/read", params).faulty();
    let mut asks = vec![
        read("scheme", json!({"uri": cx.absent_uri()})),
        read("no-uri", json!({})),
        read("malformed", json!({"uri": "not a uri"})),
    ];
    asks.extend(beside(cx).map(|uri| read("beside", json!({"uri": uri}))));
    asks
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("resources.missing-code", "A missing resource is refused with -32602")
        .headline(6)
        .spec("resources#error-handling")
        .why("Clients tell by this code that the resource is gone; any other looks like a failure of the server.")
        .fix("Answer resources/read for a URI that does not exist with -32602 (invalid params).")
        .official(&["sep-2164-error-code"])
        .probes(&[&MISSING])
        .judge(code),
    Check::must("resources.missing-not-legacy", "A missing resource is not refused with the retired -32002")
        .headline(6)
        .spec("basic#error-codes")
        .why("Clients of this revision do not know -32002 any more.")
        .fix("Answer resources/read for a URI that does not exist with -32602 instead of -32002.")
        .official(&["sep-2164-error-code"])
        .probes(&[&MISSING])
        .judge(not_legacy),
    Check::must("resources.missing-not-empty", "A missing resource does not read as empty")
        .headline(6)
        .spec("resources#error-handling")
        .why("A model takes empty contents for the truth: that the document exists and says nothing.")
        .fix("Answer resources/read for a URI that does not exist with an error, not with contents: [].")
        .official(&["sep-2164-no-empty-contents"])
        .probes(&[&MISSING])
        .judge(not_empty),
    Check::advisory("resources.missing-data-uri", "The refusal of a missing resource names its URI")
        .headline(6)
        .spec("resources#error-handling")
        .why("A client with several reads in flight can say which one failed.")
        .fix("Send error.data as {\"uri\": the URI that was asked for}.")
        .official(&["sep-2164-data-uri"])
        .probes(&[&MISSING])
        .judge(data_uri),
];

/// What became of reading a resource that is not there.
enum Read<'c> {
    /// Refused, with this code.
    Refused(&'c Record, Option<i64>),
    /// Answered without a JSON-RPC response.
    Page(&'c Record),
    /// Served with empty contents.
    Empty(&'c Record),
    /// Served, or asked back for input: the server may have anything under any URI.
    Served,
}

fn read<'c>(cx: &Context<'c>, name: &str) -> Result<Read<'c>, Ruling> {
    let record = answered(cx, name)?;
    Ok(match record.answer() {
        Answer::Result(result) => match result.get("contents") {
            Some(Value::Array(contents)) if contents.is_empty() && is_complete(result) => {
                Read::Empty(record)
            }
            _ => Read::Served,
        },
        Answer::Error(code) => Read::Refused(record, code),
        _ => Read::Page(record),
    })
}

pub(crate) fn is_complete(result: &Value) -> bool {
    result
        .get("resultType")
        .is_none_or(|kind| kind == "complete")
}

/// Whether a URI that is not there is served, so that any other may be.
pub(crate) fn serves_anything(cx: &Context) -> bool {
    matches!(read(cx, SCHEME), Ok(Read::Served | Read::Empty(_)))
}

/// What both questions came to; a ruling when none could be asked.
fn reads<'c>(cx: &Context<'c>) -> Result<(Read<'c>, Option<Read<'c>>), Ruling> {
    declared(cx)?;
    served(cx, "survey.resources/1")?;
    let beside = match cx.record(BESIDE) {
        Some(_) => read(cx, BESIDE).ok(),
        None => None,
    };
    Ok((read(cx, SCHEME)?, beside))
}

pub(crate) fn declared(cx: &Context) -> Result<(), Ruling> {
    match cx.facts.declares("resources") {
        Declared::Yes => Ok(()),
        Declared::No => Err(Ruling::not_applicable(
            "the server does not declare resources",
        )),
        Declared::Unknown => Err(Ruling::skip("the server's capabilities could not be read")),
    }
}

/// What to say where a URI that is not there is served.
fn any_uri(cx: &Context) -> String {
    match &cx.settings.config.resources.missing {
        Some(uri) => format!("the server serves {uri}, which resources.missing says is not there"),
        None => "the server serves a URI in a scheme of our own, so nothing is known to be missing (resources.missing names a URI that is)".to_owned(),
    }
}

fn uri_of(record: &Record) -> &str {
    let uri = record
        .request()
        .and_then(|request| request.params()?.get("uri")?.as_str());
    uri.unwrap_or_default()
}

fn code(cx: &Context) -> Ruling {
    let (scheme, beside) = match reads(cx) {
        Ok(reads) => reads,
        Err(ruling) => return ruling,
    };
    if let Some(found) = wrong_code(cx, &scheme) {
        return found.into();
    }
    if let Some(found) = beside.as_ref().and_then(|read| wrong_code(cx, read)) {
        let message = format!(
            "{}; a URI in a scheme of our own is not refused in that way",
            found.message
        );
        return Finding {
            weight: Weight::Unproven,
            message,
            ..found
        }
        .into();
    }
    for read in [Some(&scheme), beside.as_ref()].into_iter().flatten() {
        match read {
            Read::Refused(_, Some(-32602)) => return Ruling::met("refused with -32602"),
            Read::Refused(..) => {
                return Ruling::skip(
                    "refused with the retired -32002 (resources.missing-not-legacy)",
                );
            }
            Read::Empty(_) => {
                return Ruling::skip("served with empty contents (resources.missing-not-empty)");
            }
            Read::Page(_) | Read::Served => {}
        }
    }
    Ruling::skip(any_uri(cx))
}

/// What is wrong with the code of a refusal; the retired one is another rule's.
fn wrong_code(cx: &Context, read: &Read) -> Option<Finding> {
    let due = "a missing resource must be refused with -32602 (invalid params)";
    let (record, message, doubtful) = match read {
        Read::Refused(_, Some(-32602 | -32002)) | Read::Empty(_) | Read::Served => return None,
        Read::Refused(record, code) => {
            let got = match code {
                Some(code) => format!("{code}{}", draft_note(*code)),
                None => "an error without an integer code".to_owned(),
            };
            let nothing = [List::Resources, List::Templates]
                .iter()
                .all(|list| cx.facts.items(*list).next().is_none());
            // Without any resource the method may be missing rather than the resource; a template that
            // takes any URI may fail for its own reasons.
            let doubtful = (*code == Some(-32601) && nothing)
                || *code == Some(-32021)
                || templated(cx, uri_of(record));
            (
                record,
                format!("{due}; it was refused with {got}"),
                doubtful,
            )
        }
        Read::Page(record) => {
            let status = record
                .status()
                .map_or_else(String::new, |status| format!(" HTTP {status}"));
            let message = format!("{due}; the answer{status} holds no JSON-RPC error");
            (record, message, cx.settings.config.behind_gateway)
        }
    };
    let weight = if doubtful {
        Weight::Unproven
    } else {
        Weight::Broken
    };
    let finding = Finding::new(weight, message)
        .seen_in(record)
        .at("/error/code");
    Some(finding.about(cut(uri_of(record), 120)))
}

fn not_legacy(cx: &Context) -> Ruling {
    let (scheme, beside) = match reads(cx) {
        Ok(reads) => reads,
        Err(ruling) => return ruling,
    };
    let mut tried = false;
    for read in [Some(scheme), beside].into_iter().flatten() {
        match read {
            Read::Refused(record, Some(-32002)) => {
                return Finding::broken(
                    "a missing resource is refused with -32002, the code of earlier revisions; it is -32602 now",
                )
                .seen_in(record)
                .at("/error/code")
                .about(cut(uri_of(record), 120))
                .into();
            }
            Read::Refused(..) | Read::Page(_) | Read::Empty(_) => tried = true,
            Read::Served => {}
        }
    }
    if tried {
        Ruling::met("not refused with -32002")
    } else {
        Ruling::skip(any_uri(cx))
    }
}

fn not_empty(cx: &Context) -> Ruling {
    let (scheme, beside) = match reads(cx) {
        Ok(reads) => reads,
        Err(ruling) => return ruling,
    };
    let empty = |record: &Record, finding: Finding| {
        Ruling::from(
            finding
                .seen_in(record)
                .at("/result/contents")
                .about(cut(uri_of(record), 120)),
        )
    };
    match (scheme, beside) {
        (Read::Empty(record), _) => empty(
            record,
            Finding::broken("a missing resource reads as contents: []; expected an error (-32602)"),
        ),
        // The listed neighbour shows that the scheme is served, not that this item is missing.
        (_, Some(Read::Empty(record))) => empty(
            record,
            Finding::unproven(
                "a URI beside a listed one, with a random last segment, reads as contents: []; expected an error (-32602)",
            ),
        ),
        (Read::Served, None | Some(Read::Served)) => Ruling::skip(any_uri(cx)),
        _ => Ruling::met("a missing resource is not served"),
    }
}

fn data_uri(cx: &Context) -> Ruling {
    let (scheme, beside) = match reads(cx) {
        Ok(reads) => reads,
        Err(ruling) => return ruling,
    };
    let refused = [Some(scheme), beside]
        .into_iter()
        .flatten()
        .find_map(|read| match read {
            Read::Refused(record, _) => Some(record),
            _ => None,
        });
    let Some(record) = refused else {
        return Ruling::skip("no missing resource was refused with a JSON-RPC error");
    };
    let named = record
        .response()
        .and_then(|response| response.error()?.pointer("/data/uri"));
    match named {
        Some(Value::String(uri)) if uri == uri_of(record) => {
            Ruling::met("data.uri is the URI that was asked for")
        }
        other => Finding::noted(format!(
            "error.data.uri is {}; the specification's example names the URI that was asked for",
            other.map_or("missing".to_owned(), |uri| shortened(uri, 120))
        ))
        .seen_in(record)
        .at("/error/data")
        .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{config, ruling};
    use verdict_fixture::{Server, Variant};

    #[test]
    fn missing_resources_are_refused() {
        for check in CHECKS {
            for variant in [Variant::Full, Variant::ResourcesOnly, Variant::DualEra] {
                for stdio in [false, true] {
                    let ruling = ruling(check.rule.id, &Server::of(variant), config(), stdio);
                    assert!(ruling.is_met(), "{}: {ruling:?}", check.rule.id);
                }
            }
            let none = ruling(
                check.rule.id,
                &Server::of(Variant::ToolsOnly),
                config(),
                false,
            );
            assert!(matches!(none, Ruling::NotApplicable(_)));
        }
    }

    #[test]
    fn each_slip_has_one_owner() {
        for (id, defect, broken) in [
            ("resources.missing-code", "missing-internal-error", true),
            ("resources.missing-not-legacy", "missing-retired-code", true),
            ("resources.missing-not-empty", "missing-reads-empty", true),
            ("resources.missing-data-uri", "missing-without-uri", false),
        ] {
            let server = Server::with(defect).expect("a defect");
            let found = ruling(id, &server, config(), true);
            assert!(matches!(found, Ruling::Found(_)), "{id}: {found:?}");
            assert_eq!(found.is_broken(), broken, "{id}: {found:?}");
        }
        for defect in ["missing-retired-code", "missing-reads-empty"] {
            let server = Server::with(defect).expect("a defect");
            let other = ruling("resources.missing-code", &server, config(), true);
            assert!(matches!(other, Ruling::Skip(_)), "{other:?}");
        }
    }
}
