//! Foreign text in Markdown and HTML as GitHub renders them.
//!
//! Escaping is not enough there: mentions, issue numbers, addresses and emoji names are looked for in
//! the rendered text, where escapes are gone. Code is left alone, so a word that could be one of these
//! is shown as code, and all other words keep the look of prose.

use super::{inert_lines, terminal, terminal_lines};
use std::fmt::Write as _;

/// Where inline text stands.
#[derive(Clone, Copy)]
enum Host {
    /// A paragraph or a table cell.
    Markdown,
    /// Inside an HTML block, where Markdown is not read (`<summary>`).
    Html,
}

/// `text` as inert words of a paragraph or a table cell.
pub fn markdown_inline(text: &str) -> String {
    inline(text, Host::Markdown)
}

/// `text` as inert words inside an HTML element such as `<summary>`.
pub fn html_inline(text: &str) -> String {
    inline(text, Host::Html)
}

/// `text` as one piece of code in a paragraph or a table cell.
pub fn markdown_code(text: &str) -> String {
    let visible = terminal(text);
    let mut out = String::with_capacity(visible.len() + 2);
    if !visible.is_empty() {
        push_code(&mut out, &visible, Host::Markdown);
    }
    out
}

/// `text` as a block of code, its fence longer than any run of backticks inside.
///
/// `language` is one of our own words.
pub fn markdown_fence(text: &str, language: &str) -> String {
    let lines: Vec<_> = terminal_lines(text).collect();
    let text = inert_lines(&lines.join("\n"));
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}\n")
}

fn inline(text: &str, host: Host) -> String {
    let visible = terminal(text);
    let mut out = String::with_capacity(visible.len() + 16);
    // Text of our own marks code with backticks. Foreign text may do so too: code is inert.
    let marked: Vec<_> = visible.split('`').collect();
    let balanced = marked.len() % 2 == 1 && marked.iter().skip(1).step_by(2).all(|m| !m.is_empty());
    if balanced {
        for (index, part) in marked.iter().enumerate() {
            if index % 2 == 1 {
                push_code(&mut out, part, host);
            } else {
                push_words(&mut out, part, host);
            }
        }
    } else {
        push_words(&mut out, &visible, host);
    }
    out.truncate(out.trim_end().len());
    out
}

/// Appends words, their references as code; runs of spaces, which could begin a block of code, melt.
fn push_words(out: &mut String, text: &str, host: Host) {
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 && !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        if is_reference(word) {
            // The end of a sentence is no part of what it names.
            let name = word.trim_end_matches(['.', ',', ';']);
            let (name, end) = word.split_at(if name.is_empty() {
                word.len()
            } else {
                name.len()
            });
            push_code(out, name, host);
            push_prose(out, end);
        } else {
            push_prose(out, word);
        }
    }
}

/// Whether GitHub could turn `word` into a mention, a reference, a picture, a formula or a link. Names
/// with underscores only read better as code.
fn is_reference(word: &str) -> bool {
    let bytes = word.as_bytes();
    is_link(word)
        || word.contains(['#', '$', '_'])
        // :emoji:
        || word.split(':').count() > 2
        // GH-1, and prefixes that a repository chose itself.
        || bytes
            .windows(3)
            .any(|w| matches!(w, [a, b'-', d] if a.is_ascii_alphabetic() && d.is_ascii_digit()))
        // The hash of a commit.
        || bytes.split(|byte| !byte.is_ascii_hexdigit()).any(|run| run.len() >= 7)
}

/// Whether a reader of Markdown links `word` by itself; it does so even inside an HTML element.
fn is_link(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    ["@", "://", "www.", "mailto:", "xmpp:"]
        .iter()
        .any(|part| lower.contains(part))
}

fn push_code(out: &mut String, text: &str, host: Host) {
    // A pipe ends a table cell even inside backticks, and a dollar sign next to a backtick begins a
    // formula: these are written as character references, in an HTML element.
    let element = matches!(host, Host::Html) || text.contains(['|', '$']);
    if !element {
        push_backticks(out, text);
    } else if matches!(host, Host::Markdown) && is_link(text) {
        for piece in text.split_inclusive(['|', '$']) {
            let plain = piece.trim_end_matches(['|', '$']);
            if !plain.is_empty() {
                push_backticks(out, plain);
            }
            // Alone in an element, a dollar sign finds no partner.
            match piece.strip_prefix(plain) {
                Some("|") => out.push_str("&#124;"),
                Some("$") => out.push_str("<span>&#36;</span>"),
                _ => {}
            }
        }
    } else {
        out.push_str("<code>");
        text.chars().for_each(|c| push_char(out, c));
        out.push_str("</code>");
    }
}

fn push_backticks(out: &mut String, text: &str) {
    let fence = "`".repeat(longest_run(text) + 1);
    // A space at both ends is taken away again; it keeps backticks apart, and text that begins and
    // ends with spaces keeps them.
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) {
        " "
    } else {
        ""
    };
    let _ = write!(out, "{fence}{pad}{text}{pad}{fence}");
}

fn push_prose(out: &mut String, word: &str) {
    let mut chars = word.chars();
    // At the start of a block, dashes and `1.` begin lists, and equals signs make headings.
    if out.is_empty() {
        match chars.clone().next() {
            Some(c @ ('-' | '+' | '=' | ':')) => push_reference(out, c),
            Some(c) if c.is_ascii_digit() && word.contains(['.', ')']) => push_reference(out, c),
            Some(c) => push_char(out, c),
            None => {}
        }
        chars.next();
    }
    chars.for_each(|c| push_char(out, c));
}

/// Appends `c`, as a character reference if Markdown or HTML would read it.
fn push_char(out: &mut String, c: char) {
    match c {
        '&' | '<' | '>' | '"' | '\\' | '`' | '*' | '_' | '~' | '[' | ']' | '!' | '^' | '@'
        | '#' | '|' | '$' => push_reference(out, c),
        c => out.push(c),
    }
}

fn push_reference(out: &mut String, c: char) {
    let _ = write!(out, "&#{};", u32::from(c));
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_stays_prose() {
        assert_eq!(
            markdown_inline("The server answered 200 to 2 of 2: tools/list, expected -32020."),
            "The server answered 200 to 2 of 2: tools/list, expected -32020."
        );
    }

    #[test]
    fn nothing_in_it_works() {
        for (hostile, inert) in [
            (
                "<img src=x> <!-- <details>",
                "&#60;img src=x&#62; &#60;&#33;-- &#60;details&#62;",
            ),
            (
                "![a](b) **c** ~~e~~",
                "&#33;&#91;a&#93;(b) &#42;&#42;c&#42;&#42; &#126;&#126;e&#126;&#126;",
            ),
            ("ask @team about fixes #1", "ask `@team` about fixes `#1`"),
            (
                "see GH-12 deadbeef1 :tada:",
                "see `GH-12` `deadbeef1` `:tada:`",
            ),
            (
                "https://evil.example a@b.c WWW.x.y",
                "`https://evil.example` `a@b.c` `WWW.x.y`",
            ),
            ("a|b#1|c d|e", "<code>a&#124;b&#35;1&#124;c</code> d&#124;e"),
            (
                "$x$ cost@$5|",
                "<code>&#36;x&#36;</code> `cost@`<span>&#36;</span>`5`&#124;",
            ),
            ("`@x` ``", "`` `@x` `` &#96;&#96;"),
            (
                "use `$ref` or `a b`, _x_",
                "use <code>&#36;ref</code> or `a b`, `_x_`",
            ),
            ("1. list", "&#49;. list"),
            ("- list", "&#45; list"),
            ("=== x", "&#61;== x"),
            ("# head", "`#` head"),
            ("a\n\nb\u{202e}", "a&#92;n&#92;nb&#92;u{202e}"),
            ("    code  x ", "code x"),
        ] {
            assert_eq!(markdown_inline(hostile), inert);
        }
        assert_eq!(
            html_inline("<b> @x *y* `z`"),
            "&#60;b&#62; <code>&#64;x</code> &#42;y&#42; <code>z</code>"
        );
    }

    #[test]
    fn code_is_one_piece() {
        assert_eq!(markdown_code("get weather"), "`get weather`");
        assert_eq!(markdown_code("a|`|b"), "<code>a&#124;&#96;&#124;b</code>");
        assert_eq!(markdown_code("` "), "`` `  ``");
        assert_eq!(markdown_code(""), "");
    }

    #[test]
    fn fences_outgrow_their_text() {
        assert_eq!(markdown_fence("x\r\ny", "http"), "```http\nx\ny\n```\n");
        assert_eq!(markdown_fence("````\nx", ""), "`````\n````\nx\n`````\n");
    }
}
