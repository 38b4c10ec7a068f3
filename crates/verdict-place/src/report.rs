//! Between the report and the search: which names its findings are about, and where the places go.

use crate::search::{Name, Search};
use crate::words::Kind;
use verdict_model::report::{CheckResult, Evidence, Location};
use verdict_model::{Outcome, Report};

/// Names that one search looks for; a report with more has the same fault many times.
const MOST: usize = 500;

/// A search for the names that the findings of a report are about.
pub fn search(report: &Report) -> Search {
    let names = checks(report)
        .filter(|check| is_finding(check))
        .flat_map(|check| check.evidence.iter().filter_map(|item| name(check, item)));
    Search::new(names.take(MOST))
}

/// Puts the places into the report; `rest` is for problems that are about no name: the configuration or the workflow.
///
/// A finding about a name without a credible place gets none.
pub fn fill(report: &mut Report, search: &Search, rest: Option<&Location>) {
    let Some(layer) = report.layers.conformance.as_mut() else {
        return;
    };
    for check in layer.checks.iter_mut().filter(|check| is_finding(check)) {
        let names: Vec<_> = check
            .evidence
            .iter()
            .map(|item| name(check, item))
            .collect();
        for (item, name) in check.evidence.iter_mut().zip(&names) {
            item.location = name.as_ref().and_then(|name| search.place(name));
        }
        let first = check.evidence.iter().find_map(|item| item.location.clone());
        let is_named = names.iter().any(Option::is_some);
        check.location = match first {
            Some(place) => Some(place),
            None if is_named || check.outcome == Outcome::Info => None,
            // An earlier search may have known the configuration better.
            None => check.location.take().or_else(|| rest.cloned()),
        };
    }
}

fn checks(report: &Report) -> impl Iterator<Item = &CheckResult> {
    let layer = report.layers.conformance.iter();
    layer.flat_map(|layer| &layer.checks)
}

fn is_finding(check: &CheckResult) -> bool {
    matches!(
        check.outcome,
        Outcome::Fail | Outcome::Warn | Outcome::Error | Outcome::Info
    )
}

/// The name that an item of evidence is about.
fn name(check: &CheckResult, item: &Evidence) -> Option<Name> {
    let kind = kind(check, item)?;
    let subject = item.subject.as_deref()?;
    let name = if is_method(subject) {
        // `tools/list`, and the tool stands in the sentence.
        item.pointer
            .as_deref()
            .filter(|pointer| is_entry(pointer))?;
        item.message.split('`').nth(1)?
    } else {
        subject
    };
    let plain = (1..=200).contains(&name.len()) && !name.chars().any(char::is_control);
    plain.then(|| (kind, name.to_owned()))
}

/// By the place in the response, else by the area of the check.
fn kind(check: &CheckResult, item: &Evidence) -> Option<Kind> {
    let pointer = item.pointer.as_deref().unwrap_or_default();
    for (list, kind) in [
        ("/result/tools", Kind::Tool),
        ("/result/prompts", Kind::Prompt),
        ("/result/resource", Kind::Resource),
    ] {
        if pointer.starts_with(list) {
            return Some(kind);
        }
    }
    match check.id.split('.').next()? {
        "tools" | "schema" | "mrtr" => Some(Kind::Tool),
        "prompts" => Some(Kind::Prompt),
        "resources" | "templates" => Some(Kind::Resource),
        _ => None,
    }
}

/// Whether a pointer leads to one entry of a list, or into it.
fn is_entry(pointer: &str) -> bool {
    let mut parts = pointer.split('/').skip(3);
    parts
        .next()
        .is_some_and(|index| !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a subject is the name of a method, and not that of a tool with a slash in it.
fn is_method(subject: &str) -> bool {
    let area = subject.split('/').next().unwrap_or_default();
    let areas = [
        "tools",
        "prompts",
        "resources",
        "server",
        "completion",
        "subscriptions",
        "notifications",
        "logging",
        "sampling",
        "roots",
        "elicitation",
        "tasks",
    ];
    matches!(subject, "initialize" | "ping") || (subject.contains('/') && areas.contains(&area))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_no_tools() {
        for method in ["tools/list", "notifications/prompts/list_changed", "ping"] {
            assert!(is_method(method), "{method}");
        }
        for tool in ["tools", "year/close", "get_weather", "server_status"] {
            assert!(!is_method(tool), "{tool}");
        }
        assert!(is_entry("/result/tools/2/icons/0/src") && is_entry("/result/tools/0"));
        assert!(!is_entry("/result/tools") && !is_entry("/result"));
    }
}
