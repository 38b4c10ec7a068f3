//! URIs beside listed ones: of a scheme that the server serves, and yet not there.

use crate::context::Context;
use crate::facts::List;

/// A URI beside a listed one that no listed template can mean; none where the user named a missing URI.
pub(crate) fn beside(cx: &Context) -> Option<String> {
    if cx.settings.config.resources.missing.is_some() {
        return None;
    }
    let name = cx.absent("resource");
    let uris = cx
        .facts
        .items(List::Resources)
        .filter_map(|item| neighbour(item.name(), &name));
    uris.take(100).find(|uri| !templated(cx, uri))
}

/// `uri` with another last segment of its path.
fn neighbour(uri: &str, name: &str) -> Option<String> {
    let (scheme, rest) = uri.split_once(':')?;
    let valid = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    if !valid || scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    let rest = &rest[..rest.find(['?', '#']).unwrap_or(rest.len())];
    let (authority, path) = match rest.strip_prefix("//") {
        Some(after) => {
            let end = after.find('/')?;
            (&rest[..end + 2], &after[end..])
        }
        None => ("", rest),
    };
    let (folder, last) = path.rsplit_once('/')?;
    (!last.is_empty()).then(|| format!("{scheme}:{authority}{folder}/{name}"))
}

/// Whether a listed template may mean a URI: anything may follow what it says before its first variable.
pub(crate) fn templated(cx: &Context, uri: &str) -> bool {
    cx.facts.items(List::Templates).any(|item| {
        let literal = item.name().split('{').next().unwrap_or_default();
        uri.starts_with(literal)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_keep_all_but_the_last_segment() {
        let beside = |uri: &str| neighbour(uri, "x");
        assert_eq!(
            beside("ledger://books/2026").as_deref(),
            Some("ledger://books/x")
        );
        assert_eq!(
            beside("file:///a/b.txt?v=1#f").as_deref(),
            Some("file:///a/x")
        );
        assert_eq!(beside("a:b/c").as_deref(), Some("a:b/x"));
        for none in [
            "ledger://2026",
            "https://a/b",
            "HTTP://a/b",
            "urn:isbn:1",
            "x",
            "/a/b",
            "a://b/",
            "1:/a",
        ] {
            assert_eq!(beside(none), None, "{none}");
        }
    }
}
