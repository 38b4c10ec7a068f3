//! The report as one page for a browser: a file that loads nothing, runs nothing and asks nobody.
//!
//! The page has no script; what is long is folded with `<details>`. Foreign text enters through
//! [`piece`] alone, ids of elements are made of our own numbers, and links lead to the specification
//! or stay within the page. Colours follow the reader's settings; nothing is told by colour alone.

mod conformance;
mod confusion;
mod effort;
mod gate;
mod headline;
mod matrix;
mod piece;
mod plot;
mod rates;
mod runs;
mod trials;

use crate::behavior::behavior;
use crate::findings::conformance as layer_zero;
use crate::words;
use piece::text;
use std::fmt::Write as _;
use verdict_model::Report;

/// Nothing may be loaded, sent or run; styles stand in the page itself.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// A part of the page: its anchor, its name in the list of parts, its body.
type Section = (&'static str, &'static str, String);

pub(crate) fn render(report: &Report) -> String {
    let mut sections: Vec<Section> = Vec::new();
    if layer_zero(report).is_some() {
        let body = conformance::section(report);
        sections.push(("conformance", "Conformance", body));
    }
    if let Some(gate) = &report.gate {
        sections.push(("gate", "Gate", gate::section(report, gate)));
    }
    if let Some(layer) = behavior(report) {
        sections.push(("models", "Models", rates::section(layer)));
        sections.push(("cases", "Cases", matrix::section(report, layer)));
        let confused = confusion::section(layer);
        if !confused.is_empty() {
            sections.push(("confusion", "Confusion", confused));
        }
        sections.push(("effort", "Time and cost", effort::section(report, layer)));
    }
    if let Some(layer) = crate::trials::resilience(report) {
        let body = trials::section(report, layer);
        let name = if layer.cases.is_empty() {
            "The server under stress"
        } else {
            "Faults and attacks"
        };
        sections.push(("trials", name, body));
    }
    let title = format!(
        "{}: {}",
        words::verdict(report.verdict),
        words::server(&report.target)
    );
    let mut out = begin(&title);
    out.push_str("<a class=\"jump\" href=\"#main\">To the report</a>\n");
    out.push_str(&headline::header(report));
    if !sections.is_empty() {
        out.push_str("<nav aria-label=\"Parts of the report\">");
        out.push_str("<a href=\"#first\">What to do first</a>");
        for (anchor, name, _) in &sections {
            let _ = write!(out, "<a href=\"#{anchor}\">{name}</a>");
        }
        out.push_str("</nav>\n");
    }
    out.push_str("<main id=\"main\">\n");
    out.push_str(&headline::first(report));
    for (anchor, name, body) in &sections {
        let _ = write!(
            out,
            "<section id=\"{anchor}\" aria-labelledby=\"{anchor}-h\">\n<h2 id=\"{anchor}-h\">{name}</h2>\n{body}</section>\n"
        );
    }
    let made = text(&words::generator(report), 200);
    let _ = write!(out, "</main>\n<footer><p>{made}</p></footer>\n{END}");
    out
}

/// A page that holds plain text alone; `title` and all of `body` may be foreign.
pub fn text_page(title: &str, body: &str) -> String {
    format!(
        "{}<main><h1>{}</h1>\n<pre class=\"whole\">{}</pre></main>\n{END}",
        begin(title),
        text(title, 300),
        crate::safe::html_lines(body.trim_end())
    )
}

const END: &str = "</body>\n</html>\n";

fn begin(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
        text(title, 200),
        include_str!("html/style.css")
    )
}
