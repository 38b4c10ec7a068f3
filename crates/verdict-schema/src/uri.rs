//! URIs, fragments and JSON pointers, read leniently: what strangers write is not always valid.

use fluent_uri::{Uri, UriRef};
use std::borrow::Cow;

/// Where references start in a document that has no base of its own. No reference that leaves
/// the document can name it.
const NOWHERE: &str = "mcp-verdict:/";

/// Bases longer than this are kept as they are written: relative bases nested in one another
/// could otherwise grow with every level.
const LONGEST: usize = 4_096;

/// Splits a reference at its first `#`.
pub(crate) fn split(reference: &str) -> (&str, Option<&str>) {
    match reference.split_once('#') {
        Some((uri, fragment)) => (uri, Some(fragment)),
        None => (reference, None),
    }
}

/// Resolves `reference` (without a fragment) against `base`; a reference that is no URI stands
/// for itself.
pub(crate) fn resolve(reference: &str, base: Option<&str>) -> String {
    if reference.len() > LONGEST || base.is_some_and(|base| base.len() > LONGEST) {
        return reference.to_owned();
    }
    let resolved = UriRef::parse(reference).ok().and_then(|parsed| {
        if parsed.has_scheme() {
            return None;
        }
        let base = Uri::parse(base.unwrap_or(NOWHERE)).ok()?;
        parsed.resolve_against(&base).ok()
    });
    resolved.map_or_else(|| reference.to_owned(), Uri::into_string)
}

/// Whether `uri` was relative and nothing in the document said to what.
pub(crate) fn is_nowhere(uri: &str) -> bool {
    uri.starts_with(NOWHERE)
}

/// Percent-decodes a fragment. A `%` that begins no escape stays, and so does a fragment whose
/// escapes are no UTF-8.
pub(crate) fn decode(fragment: &str) -> Cow<'_, str> {
    if !fragment.contains('%') {
        return Cow::Borrowed(fragment);
    }
    let bytes = fragment.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escape = (byte == b'%')
            .then(|| Some((hex(*bytes.get(at + 1)?)?, hex(*bytes.get(at + 2)?)?)))
            .flatten();
        if let Some((high, low)) = escape {
            decoded.push(high * 16 + low);
            at += 3;
        } else {
            decoded.push(byte);
            at += 1;
        }
    }
    String::from_utf8(decoded).map_or(Cow::Borrowed(fragment), Cow::Owned)
}

fn hex(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// The unescaped tokens of a JSON pointer (RFC 6901).
pub(crate) fn tokens(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(|token| {
        if token.contains('~') {
            Cow::Owned(token.replace("~1", "/").replace("~0", "~"))
        } else {
            Cow::Borrowed(token)
        }
    })
}

/// The array index that a token names; leading zeros name none.
pub(crate) fn array_index(token: &str) -> Option<usize> {
    let plain = token.bytes().all(|byte| byte.is_ascii_digit());
    if !plain || (token.len() > 1 && token.starts_with('0')) {
        return None;
    }
    token.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{array_index, decode, is_nowhere, resolve, split, tokens};

    #[test]
    fn references_split_at_their_first_hash() {
        assert_eq!(split("a#b#c"), ("a", Some("b#c")));
        assert_eq!(split("a"), ("a", None));
    }

    #[test]
    fn references_resolve_against_their_base() {
        let base = Some("http://a.example/b/c.json");
        assert_eq!(resolve("d.json", base), "http://a.example/b/d.json");
        assert_eq!(resolve("/d", base), "http://a.example/d");
        assert_eq!(resolve("urn:x:y", base), "urn:x:y");
        assert_eq!(resolve("a|b", base), "a|b");
        assert_eq!(resolve("d", Some("urn:uuid:1")), "d");
        assert!(is_nowhere(&resolve("other.json", None)));
        assert!(!is_nowhere(&resolve("http://a.example/", None)));
    }

    #[test]
    fn long_bases_do_not_grow() {
        let long = "a/".repeat(5_000);
        assert_eq!(resolve("b", Some(&long)), "b");
        assert_eq!(resolve(&long, Some("http://a.example/")), long);
    }

    #[test]
    fn fragments_decode_leniently() {
        assert_eq!(decode("/a%20b%2Fc"), "/a b/c");
        assert_eq!(decode("/100%"), "/100%");
        assert_eq!(decode("/%zz%C3%BC"), "/%zzü");
        assert_eq!(decode("/%ff"), "/%ff");
    }

    #[test]
    fn tokens_are_unescaped_once() {
        let found: Vec<_> = tokens("/a~1b/~01//c").collect();
        assert_eq!(found, ["a/b", "~1", "", "c"]);
        assert_eq!(tokens("").count(), 0);
    }

    #[test]
    fn indexes_have_no_leading_zeros() {
        assert_eq!(array_index("0"), Some(0));
        assert_eq!(array_index("10"), Some(10));
        for token in ["01", "-1", "+1", "", "1.0", "99999999999999999999999"] {
            assert_eq!(array_index(token), None, "{token}");
        }
    }
}
