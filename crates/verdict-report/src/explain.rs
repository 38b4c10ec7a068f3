//! What a check means, for people who met its id in a report.

use crate::findings::keyword;
use crate::layout::{Page, Tone, columns};
use crate::{Style, safe};
use std::fmt::Write as _;
use verdict_model::{LEGACY_REVISION, Level, REVISION, Rule, Safety, Scope, State};

/// A rule in full: what it demands, why, how to mend a server that breaks it, and when it is checked.
pub fn explain(rule: &Rule, style: &Style) -> String {
    explain_as(rule, rule.state(), style)
}

/// [`explain`] for a rule that this build treats otherwise than its safety says: one that no black box
/// can check, or that is not built yet.
pub fn explain_as(rule: &Rule, state: State, style: &Style) -> String {
    let mut page = Page::new(style);
    let mut notes = format!("  {}", keyword(rule.level));
    if let Some(assertion) = rule.assertion {
        let _ = write!(notes, ", headline assertion {assertion}");
    }
    page.line(&[(Tone::Bold, rule.id), (Tone::Dim, &notes)]);
    page.paragraph(2, rule.title);
    page.gap();
    page.item(2, &[(Tone::Dim, "Why:  ")], (Tone::Plain, rule.why));
    page.item(2, &[(Tone::Good, "Mend: ")], (Tone::Plain, rule.fix));
    page.gap();
    let url = rule.spec_url();
    // A reference outside the specification has no page: its name says more than the front page.
    let place = if url.ends_with(REVISION) || url.ends_with(LEGACY_REVISION) {
        rule.spec
    } else {
        &url
    };
    page.item(2, &[(Tone::Dim, "Rule: ")], (Tone::Plain, place));
    page.item(
        2,
        &[(Tone::Dim, "Runs: ")],
        (Tone::Plain, &runs(rule, state)),
    );
    if !rule.official.is_empty() {
        let text = format!("official suite: {}", rule.official.join(", "));
        page.item(2, &[(Tone::Dim, "Also: ")], (Tone::Plain, &text));
    }
    page.gap();
    page.item(2, &[], (Tone::Dim, &breaking(rule)));
    safe::inert_lines(&page.finish())
}

/// All rules, grouped by area, a line each.
pub fn explain_all(rules: &[(&Rule, State)], style: &Style) -> String {
    let mut page = Page::new(style);
    let mut areas: Vec<&str> = Vec::new();
    for (rule, _) in rules {
        if !areas.contains(&area(rule)) {
            areas.push(area(rule));
        }
    }
    for name in areas {
        let members: Vec<_> = rules
            .iter()
            .filter(|(rule, _)| area(rule) == name)
            .collect();
        let widest = members
            .iter()
            .map(|(rule, _)| columns(rule.id))
            .max()
            .unwrap_or(0);
        page.gap();
        page.line(&[
            (Tone::Bold, name),
            (Tone::Dim, &format!(" ({})", members.len())),
        ]);
        for (rule, state) in members {
            let label = format!("  {:<widest$}  {:<8}  ", rule.id, keyword(rule.level));
            page.short(
                (Tone::Plain, &label),
                &format!("{}{}", mark(*state), rule.title),
            );
        }
    }
    page.gap();
    let count = rules.len();
    let whom = rules.first().map_or("server", |(rule, _)| whom(rule));
    let text = format!(
        "{count} rules. `mcp-verdict explain CHECK` says why one matters and how to mend a {whom}."
    );
    page.item(0, &[], (Tone::Dim, &text));
    safe::inert_lines(&page.finish())
}

fn area(rule: &Rule) -> &'static str {
    rule.id.split('.').next().unwrap_or_default()
}

/// What a reader of the list must know before the title.
fn mark(state: State) -> &'static str {
    match state {
        State::Default => "",
        State::OptIn => "[opt-in] ",
        State::Intrusive => "[intrusive] ",
        State::Uncheckable => "[uncheckable] ",
        State::NotYet => "[not yet] ",
    }
}

fn runs(rule: &Rule, state: State) -> String {
    let when = match (state, rule.safety) {
        (State::Default, Safety::Read) => {
            "in every run unless --no-reads is given; it reads what the server lists"
        }
        (State::NotYet, _) if rule.is_of_clients() => {
            "not yet: the duty is in the catalogue, but cannot be tried"
        }
        (_, _) if rule.is_of_clients() => "with mcp-verdict proxy --exec COMMAND",
        (State::Default, _) if rule.is_of_handshake() => {
            "with --revision 2025-11-25 only; tools run where the configuration names them as safe"
        }
        (State::Default, _) => "in every run; no code behind a tool, prompt or resource runs",
        (State::OptIn, _) => {
            "when the configuration names what it needs, such as a tool that may be called"
        }
        (State::Intrusive, _) => "with --intrusive only; it sends what no client would send",
        (State::Uncheckable, _) => "never: it cannot be seen from outside the server",
        (State::NotYet, _) => "not yet: the check is in the catalogue, but not built",
    };
    match rule.scope {
        Scope::Http => format!("{when} (HTTP)"),
        Scope::Stdio => format!("{when} (stdio)"),
        Scope::Both => when.to_owned(),
    }
}

/// Who is held to a rule.
fn whom(rule: &Rule) -> &'static str {
    if rule.is_of_clients() {
        "client"
    } else {
        "server"
    }
}

fn breaking(rule: &Rule) -> String {
    let whom = whom(rule);
    match rule.level {
        Level::Must => format!("A {whom} that breaks it fails."),
        Level::Should => format!("A {whom} that breaks it gets a warning."),
        Level::May => format!("It is recorded and never held against a {whom}."),
        Level::Advisory => {
            "No keyword of the specification stands behind it; worth knowing.".to_owned()
        }
    }
}
