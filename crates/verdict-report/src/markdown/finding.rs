//! One finding as Markdown: a block that opens.

use super::{EXCERPT, ITEMS, MESSAGE, icon, inline};
use crate::findings::{further, keyword, location, spec_link, uncounted};
use crate::safe::{html_inline, markdown_code, markdown_fence, truncate_bytes};
use crate::words;
use std::fmt::Write as _;
use verdict_model::report::{CheckResult, Evidence};

/// A finding in full, closed.
pub(super) fn finding(check: &CheckResult) -> String {
    let mut out = format!(
        "<details>\n<summary>{} <b>{}</b> {} {}</summary>\n",
        icon(check.outcome),
        check.outcome.word(),
        summary_code(&check.id),
        html_inline(&truncate_bytes(&check.title, 400)),
    );
    let _ = writeln!(out, "\n{}", inline(&check.message, MESSAGE));
    for item in check.evidence.iter().take(ITEMS) {
        evidence(&mut out, check, item);
    }
    let more = further(check, ITEMS);
    if more > 0 {
        let _ = writeln!(
            out,
            "\nand {} more (see the JSON report)",
            words::number(more)
        );
    }
    if let Some(reason) = uncounted(check) {
        let _ = writeln!(out, "\n**Note:** {}", inline(&reason, 400));
    }
    if let Some(place) = location(check) {
        let place = format!("{}:{}", place.path, place.line);
        let _ = writeln!(
            out,
            "\n**File:** {}",
            markdown_code(&truncate_bytes(&place, 400))
        );
    }
    if !check.fix.is_empty() {
        let _ = writeln!(out, "\n**Mend:** {}", inline(&check.fix, MESSAGE));
    }
    let _ = writeln!(out, "\n**Rule:** {}", rule(check));
    out.push_str("\n</details>\n");
    out
}

fn summary_code(id: &str) -> String {
    let id = html_inline(&truncate_bytes(id, 120));
    // A hostile id brings its own code elements, which must not be nested.
    if id.contains('<') {
        id
    } else {
        format!("<code>{id}</code>")
    }
}

fn rule(check: &CheckResult) -> String {
    let keyword = keyword(check.level);
    let mut out = match spec_link(check) {
        Some(url) => format!("[{keyword}]({url})"),
        None if check.spec_url.is_empty() => keyword.to_owned(),
        None => {
            format!(
                "{keyword}, {}",
                markdown_code(&truncate_bytes(&check.spec_url, 400))
            )
        }
    };
    if let Some(number) = check.assertion {
        let _ = write!(out, ", headline assertion {number}");
    }
    out
}

fn evidence(out: &mut String, check: &CheckResult, item: &Evidence) {
    let mut parts = Vec::new();
    let says_more = item.message != check.message;
    if let Some(subject) = &item.subject {
        let colon = if says_more { ":" } else { "" };
        parts.push(format!(
            "{}{colon}",
            markdown_code(&truncate_bytes(subject, 160))
        ));
    }
    if says_more {
        parts.push(inline(&item.message, MESSAGE));
    }
    if let Some(pointer) = &item.pointer {
        parts.push(format!(
            "(at {})",
            markdown_code(&truncate_bytes(pointer, 300))
        ));
    }
    if !parts.is_empty() {
        let _ = writeln!(out, "\n{}", parts.join(" "));
    }
    for (name, text) in [("Sent", &item.request), ("Came back", &item.response)] {
        if let Some(text) = text {
            // A bare message is JSON; with a head it is HTTP.
            let language = if text.starts_with(['{', '[']) {
                "json"
            } else {
                "http"
            };
            let block = markdown_fence(&truncate_bytes(text, EXCERPT), language);
            let _ = write!(out, "\n{name}:\n\n{block}");
        }
    }
}
