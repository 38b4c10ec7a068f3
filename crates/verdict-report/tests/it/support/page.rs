//! Reads a page of ours as a browser would, and holds it to the few elements and attributes that we write.

const ELEMENTS: &[&str] = &[
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "a",
    "header",
    "h1",
    "h2",
    "h3",
    "p",
    "dl",
    "dt",
    "dd",
    "nav",
    "main",
    "section",
    "ol",
    "ul",
    "li",
    "span",
    "b",
    "i",
    "em",
    "q",
    "small",
    "code",
    "pre",
    "details",
    "summary",
    "article",
    "div",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "svg",
    "rect",
    "line",
    "path",
    "circle",
    "blockquote",
    "footer",
];

const ATTRIBUTES: &[&str] = &[
    "lang",
    "charset",
    "http-equiv",
    "content",
    "name",
    "class",
    "id",
    "href",
    "rel",
    "aria-label",
    "aria-labelledby",
    "aria-hidden",
    "role",
    "tabindex",
    "style",
    "scope",
    "colspan",
    "open",
    "viewBox",
    "preserveAspectRatio",
    "x",
    "y",
    "width",
    "height",
    "d",
    "cx",
    "cy",
    "r",
    "x1",
    "x2",
    "y1",
    "y2",
];

/// Elements without an end.
const VOID: &[&str] = &["meta", "rect", "line", "path", "circle"];

/// The text of the page, white space as it stands, references undone.
///
/// Fails where the page holds anything that we do not write: other elements or attributes, links that lead away, styles
/// of another's making, ids that are there twice, an element that is not closed.
pub(crate) fn read(page: &str) -> String {
    let page = page.strip_prefix("<!doctype html>\n").expect("a doctype");
    let mut text = String::new();
    let mut open: Vec<&str> = Vec::new();
    let mut ids = std::collections::BTreeSet::new();
    let mut links = Vec::new();
    let mut rest = page;
    while let Some((before, tail)) = rest.split_once('<') {
        assert!(
            !before.contains('>') || open.last() == Some(&"style"),
            "{before:?}"
        );
        if open.last() != Some(&"style") {
            text.push_str(&undone(before));
        }
        let (tag, after) = tail.split_once('>').expect("an end of the tag");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "closed in its order");
            continue;
        }
        let tag = tag.strip_suffix('/').unwrap_or(tag);
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(ELEMENTS.contains(&name), "<{tag}>");
        for (key, value) in pairs(attributes) {
            assert!(ATTRIBUTES.contains(&key), "{key} in <{tag}>");
            match key {
                "id" => assert!(ids.insert(value), "{value} is there twice"),
                "href" => match value.strip_prefix('#') {
                    Some(anchor) => links.push(anchor),
                    None => assert!(
                        value.starts_with("https://modelcontextprotocol.io/"),
                        "{value}"
                    ),
                },
                "style" => assert!(
                    value.starts_with("--")
                        && value[2..]
                            .chars()
                            .all(|c| c.is_ascii_alphanumeric() || ":%".contains(c)),
                    "{value}"
                ),
                _ => {}
            }
        }
        if !VOID.contains(&name) && !tag.ends_with('/') && !is_closed(tail) {
            open.push(name);
        }
        if [
            "p", "li", "dd", "dt", "h1", "h2", "h3", "td", "th", "summary", "span", "small",
        ]
        .contains(&name)
        {
            text.push(' ');
        }
    }
    assert_eq!(open, Vec::<&str>::new(), "all is closed");
    for link in links {
        assert!(ids.contains(link), "#{link} leads nowhere");
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_closed(tail: &str) -> bool {
    tail.split_once('>')
        .is_some_and(|(tag, _)| tag.ends_with('/'))
}

fn pairs(mut rest: &str) -> Vec<(&str, &str)> {
    let mut pairs = Vec::new();
    while !rest.trim().is_empty() {
        rest = rest.trim_start();
        match rest.split_once("=\"") {
            Some((key, tail)) if !key.contains(' ') => {
                let (value, after) = tail.split_once('"').expect("a closed value");
                pairs.push((key, value));
                rest = after;
            }
            _ => {
                let (key, after) = rest.split_once(' ').unwrap_or((rest, ""));
                pairs.push((key, ""));
                rest = after;
            }
        }
    }
    pairs
}

fn undone(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&#58;", ":")
        .replace("&amp;", "&")
}
