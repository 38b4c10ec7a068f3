//! Faults in the checking of `Mcp-Name`.

use super::headers::spoil;
use super::{Defect, Transport};
use crate::message::Request;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};

const NAME: &str = "mcp-name";

/// What the header should say.
fn right(request: &Request) -> Option<String> {
    let member = match request.method() {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return None,
    };
    request.text(member).map(str::to_owned)
}

/// Writes the right name, for a server that does not care.
fn mend(request: &mut Request) {
    if let Some(name) = right(request) {
        request
            .head
            .set(NAME, &format!("=?base64?{}?=", STANDARD.encode(name)));
    }
}

/// What stands between the markers; none without them.
pub(super) fn inside(value: &str) -> Option<&str> {
    value.strip_prefix("=?base64?")?.strip_suffix("?=")
}

/// Whether a value has the markers, but letters between them that Base64 does not know.
pub(super) fn has_bad_letters(value: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "+/=".contains(letter);
    inside(value).is_some_and(|inside| !inside.chars().all(is_letter))
}

/// Whether a value is right but for its padding.
pub(super) fn lacks_padding(value: &str) -> bool {
    inside(value).is_some_and(|inside| {
        STANDARD.decode(inside).is_err() && STANDARD_NO_PAD.decode(inside).is_ok()
    })
}

fn sent(request: &Request) -> String {
    request.head.text(NAME).unwrap_or_default()
}

fn is_missing(request: &Request, method: &str) -> bool {
    request.is(method) && !request.head.has(NAME)
}

/// Whether a plain name was sent.
fn is_plain(request: &Request, method: &str) -> bool {
    let sent = sent(request);
    request.is(method) && !sent.is_empty() && sent.is_ascii() && !sent.starts_with("=?")
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
        "read-name-optional",
        "does not miss Mcp-Name in resources/read",
        &[("header.name-missing-read", "fail")],
    )
    .request(|request| {
        if is_missing(request, "resources/read") {
            mend(request);
        }
    }),
    http(
        "read-name-ignored",
        "does not compare Mcp-Name with the body in resources/read",
        &[("header.name-mismatch-read", "fail")],
    )
    .request(|request| {
        if is_plain(request, "resources/read") {
            mend(request);
        }
    }),
    http(
        "get-name-optional",
        "does not miss Mcp-Name in prompts/get",
        &[("header.name-missing-get", "fail")],
    )
    .request(|request| {
        if is_missing(request, "prompts/get") {
            mend(request);
        }
    }),
    http(
        "get-name-ignored",
        "does not compare Mcp-Name with the body in prompts/get",
        &[("header.name-mismatch-get", "fail")],
    )
    .request(|request| {
        if is_plain(request, "prompts/get") {
            mend(request);
        }
    }),
    http(
        "call-name-optional",
        "does not miss Mcp-Name in tools/call",
        &[("header.name-missing-call", "fail")],
    )
    .request(|request| {
        if is_missing(request, "tools/call") {
            mend(request);
        }
    }),
    http(
        "call-name-ignored",
        "does not compare Mcp-Name with the body in tools/call",
        &[("header.name-mismatch-call", "fail")],
    )
    .request(|request| {
        if is_plain(request, "tools/call") {
            mend(request);
        }
    }),
    http(
        "name-not-decoded",
        "does not decode an encoded Mcp-Name",
        &[("header.name-base64-accepted", "fail")],
    )
    .request(|request| {
        if inside(&sent(request)).is_some() {
            spoil(request);
        }
    }),
    http(
        "name-encoded-ignored",
        "does not compare an encoded Mcp-Name with the body",
        &[("header.name-base64-mismatch", "fail")],
    )
    .request(|request| {
        if inside(&sent(request)).is_some_and(|inside| STANDARD.decode(inside).is_ok()) {
            mend(request);
        }
    }),
    http(
        "name-base64-lenient",
        "skips letters in an encoded Mcp-Name that Base64 does not know",
        &[("header.name-base64-invalid", "fail")],
    )
    .request(|request| {
        if has_bad_letters(&sent(request)) {
            mend(request);
        }
    }),
    http(
        "name-base64-unpadded",
        "accepts an encoded Mcp-Name without padding",
        &[("header.name-base64-invalid", "warn")],
    )
    .request(|request| {
        if lacks_padding(&sent(request)) {
            mend(request);
        }
    }),
    http(
        "name-marker-any-case",
        "takes the marker of an encoded Mcp-Name in any case",
        &[("header.name-sentinel-case", "warn")],
    )
    .request(|request| {
        let sent = sent(request);
        let marker = sent.get(..9).unwrap_or_default();
        if marker.eq_ignore_ascii_case("=?base64?") && marker != "=?base64?" {
            mend(request);
        }
    }),
    http(
        "name-raw-utf8",
        "accepts an Mcp-Name of raw UTF-8",
        &[("header.name-nonascii-raw", "warn")],
    )
    .request(|request| {
        if !sent(request).is_ascii() {
            mend(request);
        }
    }),
];
