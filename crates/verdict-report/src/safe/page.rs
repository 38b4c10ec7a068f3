//! Foreign text in a web page of our own.

use super::xml;

/// `text` as character data or attribute value of an HTML page.
///
/// Line feeds stay; what a reader could not see, and what reorders its neighbours, is an escape. No
/// mark-up of the text survives, in elements and in quoted attributes alike.
pub fn html(text: &str) -> String {
    // HTML knows all references that XML needs, and no others are written.
    xml(text)
}

/// `text` as [`html`], words between backticks as code.
pub fn html_prose(text: &str) -> String {
    let safe = html(text);
    let parts: Vec<_> = safe.split('`').collect();
    if parts.len() % 2 == 0 {
        return safe;
    }
    let mut out = String::with_capacity(safe.len());
    for (index, part) in parts.iter().enumerate() {
        match (index % 2 == 1, part.is_empty()) {
            (true, true) => out.push_str("``"),
            (true, false) => {
                out.push_str("<code>");
                out.push_str(part);
                out.push_str("</code>");
            }
            (false, _) => out.push_str(part),
        }
    }
    out
}

/// `text` as [`html`] for preformatted lines: tabs become spaces.
pub fn html_lines(text: &str) -> String {
    html(&text.replace('\t', "    "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_it_works() {
        assert_eq!(
            html("<script x='\"'>&amp;\u{202e}\u{200b}\u{0}"),
            "&lt;script x=&apos;&quot;&apos;&gt;&amp;amp;\\u{202e}\\u{200b}\\u{0}"
        );
        assert_eq!(html_prose("use `<a>`, ``, `"), "use `&lt;a&gt;`, ``, `");
        assert_eq!(
            html_prose("use `<a>`, now"),
            "use <code>&lt;a&gt;</code>, now"
        );
        assert_eq!(html_lines("a\tb\r\nc"), "a    b\nc");
    }
}
