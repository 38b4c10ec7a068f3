//! Faults in the checking of `Mcp-Param-*`, which the tool `convert` has.

use super::headers::{line, spoil};
use super::names::{has_bad_letters, inside, lacks_padding};
use super::{Defect, Transport};
use crate::message::Request;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// The headers of `convert`, and where their arguments are.
const FIELDS: [(&str, &str); 4] = [
    ("mcp-param-reference", "/arguments/reference"),
    ("mcp-param-cents", "/arguments/cents"),
    ("mcp-param-exact", "/arguments/exact"),
    ("mcp-param-rounding", "/arguments/options/rounding"),
];

fn argument<'a>(request: &'a Request, pointer: &str) -> Option<&'a Value> {
    request.member("params")?.pointer(pointer)
}

/// What a header should say, encoded so that any text can be said.
fn right(request: &Request, pointer: &str) -> Option<String> {
    match argument(request, pointer)? {
        Value::String(text) => Some(format!("=?base64?{}?=", STANDARD.encode(text))),
        Value::Null => None,
        other => Some(other.to_string()),
    }
}

/// Writes the right value into each header of which `lenient` does not mind what was sent.
fn mend(request: &mut Request, lenient: fn(Option<&str>) -> bool) {
    if request.text("name") != Some("convert") {
        return;
    }
    for (field, pointer) in FIELDS {
        let sent = request.head.text(field);
        if lenient(sent.as_deref())
            && let Some(value) = right(request, pointer)
        {
            request.head.set(field, &value);
        }
    }
}

fn any(request: &Request, is_odd: fn(&str) -> bool) -> bool {
    let mut sent = FIELDS
        .iter()
        .filter_map(|(field, _)| request.head.text(field));
    sent.any(|value| is_odd(&value))
}

const fn http(
    name: &'static str,
    about: &'static str,
    expect: &'static [(&'static str, &'static str)],
) -> Defect {
    Defect::new(name, about, expect).over(Transport::Http)
}

pub(super) const DEFECTS: &[Defect] = &[
    http(
        "param-header-optional",
        "does not miss the header of a parameter",
        &[("header.param-missing", "fail")],
    )
    .request(|request| mend(request, |sent| sent.is_none())),
    http(
        "param-header-ignored",
        "does not compare the header of a parameter with the body",
        &[("header.param-mismatch", "fail")],
    )
    .request(|request| {
        mend(request, |sent| {
            sent.is_some_and(|sent| !sent.starts_with("=?"))
        });
    }),
    http(
        "param-not-decoded",
        "does not decode the encoded header of a parameter",
        &[("header.param-base64", "fail")],
    )
    .request(|request| {
        if any(request, |sent| inside(sent).is_some()) {
            spoil(request);
        }
    }),
    http(
        "param-base64-lenient",
        "skips letters in the header of a parameter that Base64 does not know",
        &[("header.param-base64-invalid", "fail")],
    )
    .request(|request| mend(request, |sent| sent.is_some_and(has_bad_letters))),
    http(
        "param-base64-unpadded",
        "accepts the header of a parameter in Base64 without padding",
        &[("header.param-base64-invalid", "warn")],
    )
    .request(|request| mend(request, |sent| sent.is_some_and(lacks_padding))),
    http(
        "param-literal-decoded",
        "decodes the header of a parameter that only looks like Base64",
        &[("header.param-literal", "fail")],
    )
    .request(|request| {
        let looks_encoded = |sent: &str| {
            let is_open = sent.starts_with("=?base64?") && inside(sent).is_none();
            is_open || (sent.ends_with('=') && STANDARD.decode(sent).is_ok())
        };
        if any(request, looks_encoded) {
            spoil(request);
        }
    }),
    http(
        "param-null-expected",
        "expects a header for a parameter that is null",
        &[("header.param-null-not-expected", "fail")],
    )
    .request(|request| {
        let is_null = |pointer| argument(request, pointer).is_some_and(Value::is_null);
        if FIELDS.iter().any(|(_, pointer)| is_null(pointer)) {
            spoil(request);
        }
    }),
    http(
        "param-integer-as-text",
        "compares the header of an integer as text",
        &[("header.param-integer-numeric", "warn")],
    )
    .request(|request| {
        let cents = request.head.text("mcp-param-cents");
        if cents.is_some_and(|cents| cents.contains('.')) {
            spoil(request);
        }
    }),
    http(
        "param-names-by-case",
        "does not find the header of a parameter in other letters than the schema's",
        &[("header.param-name-case", "fail")],
    )
    .request(|request| {
        for (field, _) in FIELDS {
            let name = line(request, field).and_then(|line| line.split_once(':'));
            let name = name.and_then(|(name, _)| name.get("mcp-param-".len()..));
            let is_capital = name.is_some_and(|name| name.chars().all(|c| c.is_ascii_uppercase()));
            if is_capital {
                request.head.remove(field);
            }
        }
    }),
];
