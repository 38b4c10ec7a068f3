//! Judges of error codes: the same number means different things to different people.

use super::{FULL, Ruling, WARNING};
use crate::evidence::Sign;
use crate::lex::Kind;
use crate::pattern::Severity;
use crate::source::Source;

const LEGACY_RANGE: &str =
    "a code of its own in the legacy range; it does not mean what the drafts meant";

/// A retired code: full where the words around it show its meaning, else a code of the legacy range.
fn retired(
    source: &Source,
    index: usize,
    meaning: &[&str],
    other: &[&str],
    now: &'static str,
) -> Option<Ruling> {
    if !source.speaks_alone() || is_bound(source, index) || source.is_denied(index) {
        return None;
    }
    // The nearest words decide: the line itself first, then its neighbours.
    for reach in [0, 1, 3] {
        let other = source.near(index, reach, other);
        if source.near(index, reach, meaning) && !other {
            if is_received(source, index) && !source.in_test(index) {
                return Some(Ruling::because(
                    Severity::Info,
                    "a client may still take it from an older server",
                ));
            }
            return Some(Ruling {
                mend: is_expected(source, index).then_some(now),
                ..Ruling::of(Severity::Error)
            });
        }
        if other {
            break;
        }
    }
    Some(Ruling::because(Severity::Warning, LEGACY_RANGE))
}

/// A number's digits: `32_042` and `32042i64` are the same code.
fn digits(source: &Source, index: usize) -> String {
    let word = source.word(index).replace('_', "");
    word.chars().take_while(char::is_ascii_digit).collect()
}

/// Whether a code is what a test expects, and can be renamed without a look at anything else.
fn is_expected(source: &Source, index: usize) -> bool {
    let line = source.line_text(source.line(index));
    let alone = line.matches("-32").count() == 1 && !source.word(index).contains('_');
    if !alone || !source.in_test(index) || !source.is_asserted(index) {
        return false;
    }
    let Some(before) = index.checked_sub(2) else {
        return false;
    };
    // `assert x == -32001`, `expect(x).toBe(-32001)`, `assert.Equal(t, -32001, x)`
    let compared = source.is_mark(before, b'=') && source.is_mark(before.wrapping_sub(1), b'=');
    let call = source.call_around(index, 0).to_ascii_lowercase();
    let expected = call.contains("equal") || matches!(call.as_str(), "tobe" | "assert_eq");
    // `assert x == ErrorData(code=-32001, …)`, `toMatchObject({ code: -32001 })`
    let member = source.word(before.wrapping_sub(1)) == "code"
        && ["==", "toMatchObject(", "toEqual(", "assert_eq!("]
            .iter()
            .any(|word| line.contains(word));
    compared || expected || member
}

/// -32002 about a resource.
pub(crate) fn resource_not_found(source: &Source, index: usize) -> Option<Ruling> {
    if source.kind(index) == Some(Kind::Name) {
        return named(source, index);
    }
    retired(
        source,
        index,
        &["resource"],
        &["session", "timeout", "tool not"],
        "-32602",
    )
}

/// -32001 about a header.
pub(crate) fn header_mismatch(source: &Source, index: usize) -> Option<Ruling> {
    let meaning = [
        "headermismatch",
        "header_mismatch",
        "header mismatch",
        "mcp-method",
        "mcp-name",
        "mismatch",
    ];
    retired(
        source,
        index,
        &meaning,
        &[
            "timeout",
            "timed out",
            "session",
            "unauthorized",
            "not found",
        ],
        "-32020",
    )
}

/// -32003 about a capability.
pub(crate) fn missing_capability(source: &Source, index: usize) -> Option<Ruling> {
    retired(
        source,
        index,
        &["capabilit"],
        &["timeout", "session", "unauthorized"],
        "-32021",
    )
}

/// -32004 about a version.
pub(crate) fn unsupported_version(source: &Source, index: usize) -> Option<Ruling> {
    retired(
        source,
        index,
        &["version"],
        &["timeout", "session"],
        "-32022",
    )
}

/// A constant with the code's name.
fn named(source: &Source, index: usize) -> Option<Ruling> {
    let used = source.speaks_alone() && !source.is_denied(index) && !source.in_import(index);
    if used && is_received(source, index) && !source.in_test(index) {
        return Some(Ruling::of(Severity::Info));
    }
    if used { FULL } else { None }
}

/// Any other code of the legacy range.
pub(crate) fn legacy_range(source: &Source, index: usize) -> Option<Ruling> {
    let owned = ["32001", "32002", "32003", "32004"];
    let free = !owned.contains(&digits(source, index).as_str()) && !is_bound(source, index);
    if free && source.speaks_alone() {
        WARNING
    } else {
        None
    }
}

/// A code of the specification's own range that it does not define.
pub(crate) fn specification_range(source: &Source, index: usize) -> Option<Ruling> {
    if !source.speaks_alone() || digits(source, index) == "32042" || is_bound(source, index) {
        return None;
    }
    let received = is_received(source, index) && !source.in_test(index);
    (!received && !source.is_denied(index)).then_some(Ruling::of(Severity::Error))
}

/// Whether a code is the end of a range.
fn is_bound(source: &Source, index: usize) -> bool {
    let minus = index.saturating_sub(1);
    let marks = |at: usize| matches!(source.word(at), "<" | ">" | ".");
    let before = minus.saturating_sub(1);
    marks(before)
        || source.is_mark(before, b'=') && marks(before.saturating_sub(1))
        || marks(index + 1)
        || source.near(
            index,
            0,
            &[
                "minimum",
                "maximum",
                "range",
                " between ",
                "_min",
                "_max",
                "reserved",
                "_start",
                "_end",
            ],
        )
}

/// Whether a code is looked for in what someone else sent.
fn is_received(source: &Source, index: usize) -> bool {
    source.near(
        index,
        0,
        &[
            "==",
            "!=",
            "case ",
            " in (",
            " in [",
            "includes(",
            "contains(",
            "catch",
            "=>",
        ],
    )
}

/// Status 200 asserted for an error that has another one.
pub(crate) fn status_of_error(source: &Source, index: usize) -> Option<Ruling> {
    let method_or_header =
        ["32601", "32020", "32021", "32022"].contains(&digits(source, index).as_str());
    if !method_or_header
        || !source.in_test(index)
        || !source.speaks_alone()
        || !source.is_asserted(index)
    {
        return None;
    }
    let line = source.line(index);
    // The nearest status above belongs to the same answer.
    let status = (line.saturating_sub(8)..line).rev().find_map(|line| {
        let text = source.line_text(line).to_ascii_lowercase();
        text.contains("status").then_some(text)
    })?;
    let asserted = ["expect", "assert"]
        .iter()
        .any(|word| status.contains(word));
    let ok = ["(200)", "== 200", ", 200", "statusok", "::ok", "code.ok"]
        .iter()
        .any(|word| status.contains(word));
    if asserted && ok { FULL } else { None }
}

/// `requiredCapabilities` as a list.
pub(crate) fn capability_list(source: &Source, index: usize) -> Option<Ruling> {
    let open = source.value(index);
    let list = source.is_mark(open, b'[') && source.is_text(open + 1);
    if list && source.speaks_alone() {
        FULL
    } else {
        None
    }
}

/// Whether anything here knows of the modern headers.
pub(crate) fn knows_method_header(source: &Source) -> bool {
    source.has(Sign::MethodHeader)
}
