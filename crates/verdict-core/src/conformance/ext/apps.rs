//! Tools that show themselves in a page of the apps extension point at one that is there.

use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::conformance::list::reach::{about, items, unwalked};
use crate::context::Context;
use crate::facts::{Declared, Item, List};
use crate::record::{Answer, Record};
use crate::refusal::{answered, name_of};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::{cut, shortened};
use serde_json::{Value, json};

/// Reads up to three of the pages that tools point at.
pub(crate) const PAGES: Probe = Probe {
    name: "ext.pages",
    stage: Stage::Main,
    next: pages,
};

/// Pages that are read.
const MOST: usize = 3;
/// Longer URIs may break limits that HTTP servers have on header fields.
const MAX_URI: usize = 512;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::advisory("ext.ui-resource", "The page of a tool is a ui: resource that reads as HTML for an app")
        .reads_or_not()
        .spec("versioning#extension-negotiation")
        .why("The host shows an empty frame, or nothing at all, where the tool's page should be.")
        .fix("Point _meta.ui.resourceUri at a ui:// resource of yours with the type text/html;profile=mcp-app.")
        .probes(&[&PAGES])
        .judge(page),
];

/// The page that a tool points at, with its place in the tool.
fn pointer<'c>(tool: &Item<'c>) -> Option<&'c Value> {
    tool.value.pointer("/_meta/ui/resourceUri")
}

fn is_ui(uri: &str) -> bool {
    uri.get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("ui://"))
}

/// The pages that are read.
fn chosen<'c>(cx: &Context<'c>) -> Vec<&'c str> {
    let reads = !cx.settings.config.no_reads && cx.facts.declares("resources") == Declared::Yes;
    let mut uris: Vec<&str> = Vec::new();
    for tool in cx.facts.items(List::Tools).filter(|_| reads) {
        let uri = pointer(&tool).and_then(Value::as_str);
        if let Some(uri) = uri.filter(|uri| is_ui(uri) && uri.len() <= MAX_URI)
            && uris.len() < MOST
            && !uris.contains(&uri)
        {
            uris.push(uri);
        }
    }
    uris
}

fn pages(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 {
        return vec![];
    }
    let steps = (1..).map(|number: usize| number.to_string());
    steps
        .zip(chosen(cx))
        .map(|(step, uri)| Ask::request(step, "resources/read", json!({ "uri": uri })))
        .collect()
}

fn page(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Tools) {
        return ruling;
    }
    let tools: Vec<Item> = items(cx, List::Tools)
        .into_iter()
        .filter(|tool| pointer(tool).is_some())
        .collect();
    if tools.is_empty() {
        return Ruling::not_applicable("no tool has a page");
    }
    let mut findings = Vec::new();
    for tool in &tools {
        let uri = pointer(tool).unwrap_or(&Value::Null);
        if !uri.as_str().is_some_and(is_ui) {
            let message = format!(
                "_meta.ui.resourceUri is {}; expected a ui:// URI",
                shortened(uri, 120)
            );
            let finding = Finding::broken(message);
            findings.push(about(cx, tool, "/_meta/ui/resourceUri", finding));
        }
    }
    let chosen = chosen(cx);
    let mut read = 0;
    for (uri, number) in chosen.iter().zip(1..) {
        if let Ok(record) = answered(cx, &format!("{}/{number}", PAGES.name)) {
            read += 1;
            findings.extend(odd_page(uri, record));
        }
    }
    if read == 0 && findings.is_empty() {
        return Ruling::skip(if cx.settings.config.no_reads {
            "reading is turned off (--no-reads)"
        } else {
            "no page could be read"
        });
    }
    Ruling::of(
        findings,
        format!("{} tools have pages, {read} were read", tools.len()),
    )
}

/// What is wrong with the answer to the read of a page.
fn odd_page(uri: &str, record: &Record) -> Option<Finding> {
    let finding = match record.answer() {
        Answer::Result(result) => {
            let contents = result.get("contents").and_then(Value::as_array)?;
            let mut types = contents
                .iter()
                .filter_map(|item| item.get("mimeType")?.as_str());
            if types.clone().any(is_app) {
                return None;
            }
            let got = types
                .next()
                .map_or("no type".to_owned(), |kind| format!("`{}`", cut(kind, 80)));
            Finding::broken(format!(
                "the page reads with {got}; expected `text/html;profile=mcp-app`"
            ))
            .at("/result/contents")
        }
        Answer::Error(code) => {
            let code = code.map_or("an error".to_owned(), |code| {
                format!("{code}{}", name_of(code))
            });
            Finding::broken(format!("the page cannot be read: {code}")).at("/error")
        }
        _ => return None,
    };
    Some(finding.about(cut(uri, 200)).seen_in(record))
}

fn is_app(kind: &str) -> bool {
    let plain: String = kind
        .chars()
        .filter(|letter| !letter.is_whitespace() && *letter != '"')
        .flat_map(char::to_lowercase)
        .collect();
    plain == "text/html;profile=mcp-app"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_pages() {
        assert!(is_app("text/html; profile=\"mcp-app\""));
        assert!(!is_app("text/html"));
        assert!(is_ui("ui://x/y") && !is_ui("https://x"));
    }

    #[test]
    fn a_page_from_elsewhere_is_found() {
        crate::testing::shows(&[("ui-resource-https", "ext.ui-resource", "warn")]);
    }
}
