//! Two texts as arguments: compared as what the expected one is.
//!
//! Measures of likeness cannot tell `ORD-10482` from `ORD-10483` or `2026-10-05` from `2026-05-10`, so what looks like
//! an identifier, a date, an address or a number is compared as one, and nobody is asked about it.

use super::decimal::Decimal;
use super::moment::Moment;
use crate::golden::text::{same, same_loosely};

/// How two texts stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sameness {
    /// The same value.
    Same,
    /// Another value, for this reason: nobody need be asked.
    Other(&'static str),
    /// Words that differ: whether they mean the same only a reader can tell.
    Open,
}

/// Compares two texts; `format` is the schema's, where it has one.
pub(super) fn compare(expected: &str, actual: &str, format: Option<&str>) -> Sameness {
    if same(expected, actual) {
        return Sameness::Same;
    }
    let kind = format
        .and_then(|format| Kind::of_format(format, expected))
        .unwrap_or_else(|| Kind::of_text(expected));
    kind.compare(expected, actual)
}

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Moment,
    Number,
    Mail,
    Address,
    Uuid,
    /// A clock with letters: `5 pm`.
    Clock,
    /// A path, or one word with digits in it.
    Identifier,
    Words,
}

impl Kind {
    /// By the schema's `format`; nothing where the expected value itself does not have it.
    fn of_format(format: &str, text: &str) -> Option<Self> {
        match format {
            "date" | "date-time" => Moment::read(text).map(|_| Self::Moment),
            "email" | "idn-email" => is_mail(text).then_some(Self::Mail),
            "uri" | "iri" | "url" => is_address(text).then_some(Self::Address),
            "uuid" => is_uuid(text).then_some(Self::Uuid),
            "time" | "duration" | "hostname" | "ipv4" | "ipv6" | "regex" | "json-pointer"
            | "uri-reference" | "iri-reference" | "uri-template" => Some(Self::Identifier),
            _ => None,
        }
    }

    fn of_text(text: &str) -> Self {
        if Moment::read(text).is_some() {
            Self::Moment
        } else if Decimal::read(text).is_some() {
            Self::Number
        } else if is_uuid(text) {
            Self::Uuid
        } else if is_mail(text) {
            Self::Mail
        } else if is_address(text) {
            Self::Address
        } else if is_clock(text) {
            Self::Clock
        } else if is_identifier(text) {
            Self::Identifier
        } else {
            Self::Words
        }
    }

    fn compare(self, expected: &str, actual: &str) -> Sameness {
        let (same, reason) = match self {
            Self::Words if same_loosely(expected, actual) => return Sameness::Same,
            Self::Words => return Sameness::Open,
            Self::Moment => (same_moment(expected, actual), "another date or moment"),
            Self::Number => (same_value(expected, actual), "another number"),
            Self::Mail => (
                expected.eq_ignore_ascii_case(actual),
                "another e-mail address: all but letter case counts",
            ),
            Self::Address => (
                same_address(expected, actual),
                "another address: all but the letter case of scheme and host counts",
            ),
            Self::Uuid => (expected.eq_ignore_ascii_case(actual), "another UUID"),
            Self::Clock => (
                same_clock(expected, actual),
                "another time as it is written",
            ),
            Self::Identifier if same_loosely(expected, actual) => (
                false,
                "written differently, and an identifier counts letter for letter",
            ),
            Self::Identifier => (false, "another identifier: each character counts"),
        };
        if same {
            Sameness::Same
        } else {
            Sameness::Other(reason)
        }
    }
}

fn same_moment(expected: &str, actual: &str) -> bool {
    match (Moment::read(expected), Moment::read(actual)) {
        (Some(expected), Some(actual)) => expected.is(actual, false),
        _ => false,
    }
}

fn same_value(expected: &str, actual: &str) -> bool {
    Decimal::read(expected).is_some_and(|it| Decimal::read(actual) == Some(it))
}

fn is_mail(text: &str) -> bool {
    let Some((name, host)) = text.rsplit_once('@') else {
        return false;
    };
    !name.is_empty()
        && !name.contains('@')
        && host.contains('.')
        && !host.starts_with('.')
        && !host.ends_with('.')
        && !text.contains(|letter: char| letter.is_whitespace() || letter == '/')
}

fn is_address(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else {
        return false;
    };
    let mut letters = scheme.chars();
    letters.next().is_some_and(|it| it.is_ascii_alphabetic())
        && letters.all(|it| it.is_ascii_alphanumeric() || "+-.".contains(it))
        && !rest.is_empty()
        && !rest.contains(char::is_whitespace)
}

/// Whether two addresses are equal after what RFC 3986, section 6.2.2.1 and 6.2.3, calls case and scheme normalisation.
fn same_address(expected: &str, actual: &str) -> bool {
    is_address(actual) && address(expected) == address(actual)
}

/// Scheme, user, host with port, and the rest.
fn address(text: &str) -> Option<(String, &str, String, &str)> {
    let (scheme, rest) = text.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let host = host.to_lowercase();
    let port = match scheme.as_str() {
        "http" | "ws" => ":80",
        "https" | "wss" => ":443",
        _ => ":",
    };
    let host = host.strip_suffix(port).unwrap_or(&host).to_owned();
    Some((scheme, user, host, if path == "/" { "" } else { path }))
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn is_clock(text: &str) -> bool {
    clock(text).is_some()
}

/// The digits of a clock and whether it is `p`m.
fn clock(text: &str) -> Option<(String, char)> {
    let folded = text.trim().to_ascii_lowercase();
    let (digits, half) = folded
        .strip_suffix("am")
        .map(|digits| (digits, 'a'))
        .or_else(|| folded.strip_suffix("pm").map(|digits| (digits, 'p')))?;
    let digits = digits.trim_end();
    let has_digit = digits.contains(|letter: char| letter.is_ascii_digit());
    (has_digit && digits.len() <= 5 && digits.chars().all(|it| it.is_ascii_digit() || it == ':'))
        .then(|| (digits.to_owned(), half))
}

fn same_clock(expected: &str, actual: &str) -> bool {
    clock(expected) == clock(actual)
}

/// One word that holds a digit, or a path.
fn is_identifier(text: &str) -> bool {
    !text.is_empty()
        && !text.contains(char::is_whitespace)
        && (text.contains(|letter: char| letter.is_ascii_digit() || "_=<>{}[]$@#".contains(letter))
            || is_path(text))
}

/// Files and folders; `km/h` is none.
fn is_path(text: &str) -> bool {
    let strokes = text.matches(['/', '\\']).count();
    strokes > 0 && (strokes > 1 || text.contains('.') || text.starts_with(['/', '\\', '~']))
}

#[cfg(test)]
mod tests {
    use super::{Sameness, compare};

    fn check(want: fn(Sameness) -> bool, rows: &[(&str, &str, Option<&str>)]) {
        for (expected, actual, format) in rows {
            let found = compare(expected, actual, *format);
            assert!(want(found), "{expected} and {actual}: {found:?}");
        }
    }

    #[test]
    fn harmless_spellings_are_the_same() {
        check(
            |it| it == Sameness::Same,
            &[
                ("Seattle, WA", "seattle,  wa", None),
                (
                    "2026-10-05T10:30:00+02:00",
                    "2026-10-05T08:30:00Z",
                    Some("date-time"),
                ),
                ("a@b.example", "A@B.example", Some("email")),
                (
                    "HTTPS://Example.com:443/",
                    "https://example.com",
                    Some("uri"),
                ),
                ("1.50", "1.5", None),
                ("caf\u{e9}-1", "cafe\u{301}-1", None),
                ("5 pm", "5PM", None),
                ("km/h", "KM/h", None),
                ("kg/m³", "KG/m³", None),
                (
                    "123E4567-E89B-12D3-A456-426614174000",
                    "123e4567-e89b-12d3-a456-426614174000",
                    None,
                ),
            ],
        );
    }

    #[test]
    fn what_has_a_type_is_never_asked_about() {
        check(
            |it| matches!(it, Sameness::Other(_)),
            &[
                ("ORD-10482", "ORD-10483", None),
                ("INV-1001", "inv-1001", None),
                ("2026-10-05", "2026-05-10", None),
                ("2026-10-05", "20261005", None),
                ("john.doe@example.com", "johndoe@example.com", None),
                ("john.doe@example.com", "john.doe@examplecom", None),
                ("https://example.com/a", "https://example.com/A", None),
                ("https://example.com", "https://example.org", None),
                ("1.5", "15", None),
                ("-5", "5", None),
                ("0123", "123", None),
                ("src/Main.rs", "src/main.rs", None),
                ("v1.2.3", "v1.2.4", None),
                ("5 pm", "5 am", None),
            ],
        );
    }

    #[test]
    fn words_are_open() {
        check(
            |it| it == Sameness::Open,
            &[
                ("last month", "2026-10", None),
                ("urgent", "high priority", None),
                ("order ORD-1 is late", "order ORD-2 is late", None),
            ],
        );
    }
}
