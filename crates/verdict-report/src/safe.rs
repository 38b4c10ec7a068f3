//! Foreign text made safe: the one place that does it.
//!
//! Foreign is all that stands in a report: names, messages, requests and responses come from a server,
//! and the report itself may come from a file. Each function is for one place the text goes to, and
//! each first makes visible what a reader could not see. Escapes are written `\n` or `\u{202e}`;
//! backslashes that were there before stay single, because excerpts are mostly JSON and the exact
//! bytes are in the JSON report.

mod hidden;
mod markup;
mod page;

use std::borrow::Cow;
use std::fmt::Write as _;

pub(crate) use hidden::is_hidden;
pub use markup::{html_inline, markdown_code, markdown_fence, markdown_inline};
pub use page::{html, html_lines, html_prose};

/// `text` as one line without anything a terminal obeys or a reader cannot see.
///
/// Control characters (C1 too), bidirectional controls, zero-width and tag characters, line and
/// paragraph separators and byte order marks become escapes; so do line ends, and the bracket of a
/// `##[command]` that a workflow's runner would obey.
pub fn terminal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    hidden::push_visible(&mut out, text);
    out
}

/// The lines of `text`, each made safe like [`terminal`] does; tabs become spaces.
///
/// LF and CRLF end a line, nothing else does. Each line must get a prefix of ours.
pub fn terminal_lines(text: &str) -> impl Iterator<Item = String> {
    text.lines()
        .map(|line| terminal(&line.replace('\t', "    ")))
}

/// A line for a log behind a mark of ours, so that no runner takes it for a command of its own.
pub fn marked_line(line: &str) -> String {
    format!("| {line}").trim_end().to_owned() + "\n"
}

/// `text` with every line made harmless for the runner of a workflow, whose log it may end up in.
///
/// A runner obeys `::name::` at the start of a line (behind any white space) and the older `##[name]`
/// anywhere in it. Its comparisons follow the culture's rules, which skip invisible characters: what
/// breaks a command apart must therefore be visible, and the text must have been made visible before.
pub fn inert_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        let start = behind_blanks_and_colours(line);
        let rest = line.get(start..).unwrap_or_default();
        if let Some(tail) = rest.strip_prefix("::") {
            out.push_str(line.get(..start).unwrap_or_default());
            out.push_str("\\u{3a}:");
            out.push_str(&tail.replace("##[", "##\\u{5b}"));
        } else {
            out.push_str(&line.replace("##[", "##\\u{5b}"));
        }
    }
    out
}

/// Where the first character stands that is neither white space nor one of our colour codes.
fn behind_blanks_and_colours(line: &str) -> usize {
    let mut rest = line;
    loop {
        let trimmed = rest.trim_start();
        let code = trimmed
            .strip_prefix("\u{1b}[")
            .and_then(|tail| tail.split_once('m'));
        match code {
            Some((digits, tail)) if digits.bytes().all(|b| b.is_ascii_digit() || b == b';') => {
                rest = tail;
            }
            _ => return line.len() - trimmed.len(),
        }
    }
}

/// `text` as the data of a workflow command; line feeds stay, encoded, everything else as in
/// [`terminal`] and [`inert_lines`].
pub fn workflow_data(text: &str) -> String {
    let lines: Vec<_> = terminal_lines(text).collect();
    inert_lines(&lines.join("\n"))
        .replace('%', "%25")
        .replace('\n', "%0A")
}

/// `text` as the value of a property of a workflow command.
pub fn workflow_property(text: &str) -> String {
    inert_lines(&terminal(text))
        .replace('%', "%25")
        .replace(':', "%3A")
        .replace(',', "%2C")
}

/// `text` as character data or attribute value of XML 1.0.
///
/// Line feeds stay; what XML cannot hold is visible as an escape. Colons that could begin a workflow
/// command are character references, which a parser undoes.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        for c in terminal(line.strip_suffix('\r').unwrap_or(line)).chars() {
            match c {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '"' => out.push_str("&quot;"),
                '\'' => out.push_str("&apos;"),
                ':' if out.ends_with(':') => out.push_str("&#58;"),
                c => out.push(c),
            }
        }
    }
    out
}

/// `text` for a message of SARIF, in which `{0}` is a placeholder and `[a](b)` a link.
pub fn sarif(text: &str) -> String {
    let lines: Vec<_> = terminal_lines(text).collect();
    let mut out = String::with_capacity(text.len());
    for c in lines.join("\n").chars() {
        match c {
            '(' if out.ends_with(']') => out.push_str("\\u{28}"),
            c if c.is_ascii_digit() && out.ends_with('{') => {
                out.pop();
                out.push_str("\\u{7b}");
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// At most `max` bytes of `text`, cut between two characters, the end saying how much is missing.
///
/// The end (`… 1,204 more bytes`) counts towards `max`; where not even that fits, it is left out.
pub fn truncate_bytes(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let room = max.saturating_sub(missing(text.len()).len());
    let kept = boundary(text, room);
    let end = missing(text.len() - kept.len());
    if kept.len() + end.len() > max {
        return Cow::Borrowed(boundary(text, max));
    }
    Cow::Owned(format!("{kept}{end}"))
}

fn missing(bytes: usize) -> String {
    format!("… {} more bytes", crate::words::number(bytes))
}

/// The longest beginning of `text` of at most `max` bytes.
fn boundary(text: &str, max: usize) -> &str {
    let mut end = max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// Writes `c` as an escape.
pub(crate) fn push_escape(out: &mut String, c: char) {
    let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_get_no_orders() {
        for (hostile, shown) in [
            ("plain, naïve, 日本語", "plain, naïve, 日本語"),
            ("\u{1b}[2J\u{9b}31m", "\\u{1b}[2J\\u{9b}31m"),
            ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
            ("abc\u{8}\u{8}x\rPASS", "abc\\u{8}\\u{8}x\\rPASS"),
            ("a\nb\tc\0", "a\\nb\\tc\\u{0}"),
            ("\u{202e}ssap\u{2066}", "\\u{202e}ssap\\u{2066}"),
            (
                "ze\u{200b}ro\u{feff}\u{ad}",
                "ze\\u{200b}ro\\u{feff}\\u{ad}",
            ),
            ("🏴\u{e0067}\u{e007f}", "🏴\\u{e0067}\\u{e007f}"),
            ("a\u{85}b\u{2028}c\u{2029}", "a\\u{85}b\\u{2028}c\\u{2029}"),
            ("\u{fffe}\u{10ffff}", "\\u{fffe}\\u{10ffff}"),
            ("###[error]", "###\\u{5b}error]"),
        ] {
            assert_eq!(terminal(hostile), shown);
        }
    }

    #[test]
    fn emoji_keep_their_look_and_marks_do_not_pile_up() {
        assert_eq!(terminal("⚠\u{fe0f} careful"), "⚠\u{fe0f} careful");
        assert_eq!(terminal("#\u{fe0f}x\u{fe0f}"), "#\\u{fe0f}x\\u{fe0f}");
        assert_eq!(terminal("⚠\u{fe0f}\u{fe0f}"), "⚠\u{fe0f}\\u{fe0f}");
        assert_eq!(terminal("e\u{301}"), "e\u{301}");
        assert_eq!(
            terminal(&format!("e{}", "\u{301}".repeat(5)))
                .matches("\\u{301}")
                .count(),
            2
        );
    }

    #[test]
    fn runners_get_no_orders() {
        for (hostile, shown) in [
            ("::error::x", "\\u{3a}:error::x"),
            (
                "a\n \u{a0}\u{3000}::error::x\n",
                "a\n \u{a0}\u{3000}\\u{3a}:error::x\n",
            ),
            ("\u{1b}[1;31m  ::error::x", "\u{1b}[1;31m  \\u{3a}:error::x"),
            ("a ::b::", "a ::b::"),
            (
                "x ##[set-output name=v]pass",
                "x ##\\u{5b}set-output name=v]pass",
            ),
            ("####[error]", "####\\u{5b}error]"),
        ] {
            assert_eq!(inert_lines(hostile), shown);
        }
    }

    #[test]
    fn workflow_values_are_encoded() {
        assert_eq!(
            workflow_data("50%: a, b\r\n::stop-commands::t\rx"),
            "50%25: a, b%0A\\u{3a}:stop-commands::t\\rx"
        );
        assert_eq!(workflow_data("%0A::error::"), "%250A::error::");
        assert_eq!(workflow_property("a:b,c\n%"), "a%3Ab%2Cc\\n%25");
    }

    #[test]
    fn xml_holds_it() {
        assert_eq!(
            xml("<a href=\"x\">&'\u{0}\u{b}]]>\r\n::error ##[x"),
            "&lt;a href=&quot;x&quot;&gt;&amp;&apos;\\u{0}\\u{b}]]&gt;\n:&#58;error ##\\u{5b}x"
        );
    }

    #[test]
    fn sarif_messages_are_plain() {
        assert_eq!(sarif("{0} {a} [x](y)\nz"), "\\u{7b}0} {a} [x]\\u{28}y)\nz");
    }

    #[test]
    fn cuts_fall_between_characters() {
        assert_eq!(truncate_bytes("short", 5), "short");
        let text = "ä".repeat(2_000);
        assert_eq!(
            truncate_bytes(&text, 30),
            format!("{}… 3,990 more bytes", "ä".repeat(5))
        );
        for max in 0..60 {
            let cut = truncate_bytes(&text, max);
            assert!(cut.len() <= max, "{max}: {cut}");
        }
        assert_eq!(truncate_bytes(&text, 5), "ää");
    }
}
