//! Pieces of the page. Every foreign text becomes HTML here and nowhere else.

use crate::safe::{self, truncate_bytes};
use std::fmt::Write as _;
use verdict_model::{Outcome, Verdict};

/// At most `most` bytes of foreign text.
pub(super) fn text(foreign: &str, most: usize) -> String {
    safe::html(&truncate_bytes(foreign, most))
}

/// At most `most` bytes of foreign text, its backticks as code.
pub(super) fn prose(foreign: &str, most: usize) -> String {
    safe::html_prose(&truncate_bytes(foreign, most))
}

/// At most `most` bytes of foreign text as one piece of code.
pub(super) fn code(foreign: &str, most: usize) -> String {
    format!("<code>{}</code>", text(foreign, most))
}

/// At most `most` bytes of foreign text, its lines kept; the reader can scroll it with the keyboard.
pub(super) fn lines(foreign: &str, most: usize) -> String {
    let safe = safe::html_lines(&truncate_bytes(foreign, most));
    format!("<pre tabindex=\"0\">{safe}</pre>")
}

/// A word in a coloured frame.
pub(super) fn chip(class: &str, word: &str) -> String {
    format!("<span class=\"chip {class}\">{word}</span>")
}

pub(super) fn outcome_chip(outcome: Outcome) -> String {
    chip(outcome_class(outcome), outcome.word())
}

pub(super) fn outcome_class(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "pass",
        Outcome::Fail => "fail",
        Outcome::Error => "error",
        Outcome::Warn => "warn",
        Outcome::Info => "info",
        Outcome::Skip | Outcome::NotApplicable => "skip",
    }
}

pub(super) fn verdict_class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::None => "error",
    }
}

/// A fold; `head` and `body` are HTML.
pub(super) fn fold(class: &str, is_open: bool, head: &str, body: &str) -> String {
    let open = if is_open { " open" } else { "" };
    format!("<details class=\"{class}\"{open}><summary>{head}</summary>\n{body}</details>\n")
}

/// Rows of a list of terms; empty values are left out.
pub(super) fn terms(rows: &[(&str, String)]) -> String {
    let mut out = "<dl class=\"terms\">".to_owned();
    for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = write!(out, "<dt>{name}</dt><dd>{value}</dd>");
    }
    out.push_str("</dl>\n");
    out
}

/// `1 run`, `3 runs`.
pub(super) fn counted(count: u64, noun: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{} {noun}{end}", crate::words::number(count))
}

/// The head of a table whose columns behind the first hold numbers.
pub(super) fn columns(first: &str, numbers: &[&str]) -> String {
    let mut out = format!("<thead><tr><th scope=\"col\">{first}</th>");
    for name in numbers {
        let _ = write!(out, "<th scope=\"col\" class=\"number\">{name}</th>");
    }
    out.push_str("</tr></thead>\n");
    out
}

/// A row of such a table; `first` is foreign.
pub(super) fn numbers(first: &str, cells: &[String]) -> String {
    let mut out = format!("<tr><th scope=\"row\">{}</th>", text(first, 120));
    for cell in cells {
        let _ = write!(out, "<td class=\"number\">{cell}</td>");
    }
    out.push_str("</tr>\n");
    out
}
