//! From visits to a report: every duty judges, the core's table gives severities, one value is the verdict.

use crate::context::Context;
use crate::duties;
use crate::duty::{Duty, Trial};
use crate::headline::sentence;
use crate::obstacle::obstacle;
use crate::scene::{Asked, Scene};
use crate::visit::Visit;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use verdict_core::mask::Masks;
use verdict_core::ruling::{Finding, Ruling, Weight, outcome};
use verdict_core::wire::json::cut;
use verdict_model::config::Severity;
use verdict_model::report::{
    CheckResult, Conformance, Counts, Era, Evidence, Generator, Layers, Outcome, Report,
    ServerInfo, Target, Verdict,
};
use verdict_model::rule::Scope;
use verdict_model::transcript::{Exchange, Sender, Transport};
use verdict_model::{Level, REVISION};

/// Evidence items that one duty keeps in the report; the rest is counted.
const MAX_EVIDENCE: usize = 20;
/// Bytes of a request or an answer that the report keeps.
const SHOWN: usize = 1_500;

/// Who is judged, and how.
#[derive(Debug, Clone, Default)]
pub struct Subject {
    /// The command of the client.
    pub command: Vec<String>,
    /// How it was reached.
    pub transport: Transport,
    /// What must stand in no report.
    pub secrets: Vec<String>,
    /// What the configuration makes of duties.
    pub checks: BTreeMap<String, Severity>,
    /// Whether a warning makes the verdict fail.
    pub deny_warnings: bool,
    /// Milliseconds from the start of the first visit to the end of the last.
    pub duration_ms: u64,
    /// Scenarios that were not played, each with its reason.
    pub left_out: Vec<(String, String)>,
}

/// Judges the visits of a client.
pub fn judge(subject: &Subject, visits: &[Visit]) -> Report {
    let cx = Context::read(visits, &subject.left_out);
    let results: Vec<CheckResult> = duties::all()
        .filter(|duty| subject.checks.get(duty.rule.id) != Some(&Severity::Off))
        .map(|duty| result(&cx, subject, duty))
        .collect();
    let verdict = Verdict::of(&results, subject.deny_warnings);
    let requests = cx.scenes.iter().map(|scene| scene.asked.len() as u64).sum();
    let mut report = Report::new(
        Generator {
            name: "mcp-verdict".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            requirements: REVISION.to_owned(),
        },
        verdict,
        sentence(&cx, verdict, &results),
        target(&cx, subject),
        Layers {
            conformance: Some(Conformance {
                counts: Counts::of(&results),
                hints: hints(&cx, &results),
                checks: results,
                duration_ms: subject.duration_ms,
                requests,
            }),
            ..Layers::default()
        },
    );
    let masks = Masks::new(&subject.secrets);
    report.texts(&mut |text| *text = masks.hide(text));
    report
}

fn ruling(cx: &Context, subject: &Subject, duty: &Duty) -> Ruling {
    match (duty.rule.scope, subject.transport) {
        (Scope::Http, Transport::Stdio) => {
            return Ruling::not_applicable(
                "a duty on Streamable HTTP; the client speaks over stdio",
            );
        }
        (Scope::Stdio, Transport::Http) => {
            return Ruling::not_applicable("a duty on stdio; the client speaks HTTP");
        }
        _ => {}
    }
    let blocked = cx
        .scene(crate::context::PLAIN)
        .and_then(|plain| obstacle(plain.visit));
    match duty.trial {
        Trial::Judged(judge) => match blocked {
            Some(why) => Ruling::skip(why),
            None => judge(cx),
        },
        Trial::NotYet(why) => Ruling::skip(format!("not tried by this version: {why}")),
    }
}

fn result(cx: &Context, subject: &Subject, duty: &Duty) -> CheckResult {
    let rule = &duty.rule;
    let (found, message, findings) = match ruling(cx, subject, duty) {
        Ruling::Met(what) => (Outcome::Pass, what, vec![]),
        Ruling::Skip(why) => (Outcome::Skip, why, vec![]),
        Ruling::NotApplicable(why) => (Outcome::NotApplicable, why, vec![]),
        Ruling::Error(why) => (Outcome::Error, why, vec![]),
        Ruling::Found(mut findings) => {
            // Worst first, and otherwise in the order in which they were found.
            findings.sort_by_key(|finding| std::cmp::Reverse(finding.weight));
            let moved = subject.checks.get(rule.id).copied();
            (
                severity(rule.level, moved, &findings),
                headline(&findings),
                findings,
            )
        }
    };
    CheckResult {
        id: rule.id.to_owned(),
        assertion: None,
        level: rule.level,
        outcome: found,
        title: rule.title.to_owned(),
        message,
        omitted: findings.len().saturating_sub(MAX_EVIDENCE) as u64,
        evidence: findings
            .iter()
            .take(MAX_EVIDENCE)
            .map(|finding| evidence(cx, finding))
            .collect(),
        fix: rule.fix.to_owned(),
        spec_url: rule.spec_url(),
        location: None,
        new: false,
        waived: None,
    }
}

/// The worst finding decides; configuration moves what a broken duty counts as.
fn severity(level: Level, moved: Option<Severity>, findings: &[Finding]) -> Outcome {
    let weight = findings
        .iter()
        .map(|finding| finding.weight)
        .max()
        .unwrap_or(Weight::Noted);
    match moved.and_then(Severity::outcome) {
        Some(outcome) if weight > Weight::Noted => outcome,
        _ => outcome(level, weight),
    }
}

fn headline(findings: &[Finding]) -> String {
    match findings {
        [] => String::new(),
        [one] => one.message.clone(),
        [first, ..] => format!("{} cases, such as {}", findings.len(), first.message),
    }
}

fn evidence(cx: &Context, finding: &Finding) -> Evidence {
    let place = finding
        .exchange
        .as_deref()
        .and_then(|name| name.split_once('/'));
    let asked = place.and_then(|(scenario, name)| {
        let scene = cx.scene(scenario)?;
        scene.asked.iter().find(|asked| asked.exchange.name == name)
    });
    Evidence {
        subject: finding.subject.clone(),
        message: finding.message.clone(),
        pointer: finding.pointer.clone(),
        exchange: finding.exchange.clone(),
        request: asked.map(|asked| request(asked.exchange)),
        response: asked.map(response),
        location: None,
    }
}

/// What the client sent: for HTTP the request line, the telling fields and the body.
fn request(exchange: &Exchange) -> String {
    let mut out = String::new();
    if let Some(http) = &exchange.http {
        let _ = writeln!(out, "{} {}", http.verb, http.path);
        for (name, value) in http.request_headers.iter().filter(|(name, _)| tells(name)) {
            let credential = name.eq_ignore_ascii_case("authorization");
            let _ = writeln!(out, "{name}: {}", if credential { "***" } else { value });
        }
    }
    texts(exchange, Sender::Client, &mut out);
    cut(out.trim_end(), SHOWN)
}

/// Whether a field says something about the protocol.
fn tells(name: &str) -> bool {
    const FIELDS: [&str; 5] = [
        "accept",
        "content-type",
        "authorization",
        "last-event-id",
        "origin",
    ];
    let name = name.to_ascii_lowercase();
    name.starts_with("mcp-") || FIELDS.contains(&name.as_str())
}

/// What the client was answered, and what the proxy did to it.
fn response(asked: &Asked) -> String {
    let exchange = asked.exchange;
    let mut out = String::new();
    if let Some(fault) = &exchange.fault {
        let _ = writeln!(out, "(injected: {fault})");
    }
    if let Some(status) = exchange.http.as_ref().and_then(|http| http.status) {
        let _ = writeln!(out, "HTTP {status}");
    }
    texts(exchange, Sender::Server, &mut out);
    cut(out.trim_end(), SHOWN)
}

fn texts(exchange: &Exchange, from: Sender, out: &mut String) {
    for message in exchange.messages.iter().filter(|one| one.from == from) {
        out.push_str(&cut(&message.text.as_str(), SHOWN));
        out.push('\n');
        if out.len() > SHOWN {
            break;
        }
    }
}

fn target(cx: &Context, subject: &Subject) -> Target {
    let modern = cx.requests().next().is_some();
    let legacy = cx
        .scene(crate::context::PLAIN)
        .is_some_and(Scene::has_fallen_back);
    Target {
        transport: match subject.transport {
            Transport::Http => "http".to_owned(),
            Transport::Stdio => "stdio".to_owned(),
        },
        command: Some(subject.command.clone()),
        era: match (modern, legacy) {
            (true, false) => Some(Era::Modern),
            (true, true) => Some(Era::Dual),
            (false, true) => Some(Era::Legacy),
            (false, false) => None,
        },
        protocol_version: modern.then(|| REVISION.to_owned()),
        server_info: cx.requests().find_map(named),
        ..Target::default()
    }
}

/// What a client calls itself.
fn named(asked: &Asked) -> Option<ServerInfo> {
    let info = asked.meta("clientInfo")?;
    let text = |key: &str| {
        info.get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    Some(ServerInfo {
        name: text("name"),
        version: text("version"),
    })
}

/// What would widen the coverage.
fn hints(cx: &Context, results: &[CheckResult]) -> Vec<String> {
    let mut hints = Vec::new();
    let skipped_for = |text: &str| {
        results
            .iter()
            .filter(|one| one.outcome == Outcome::Skip && one.message.contains(text))
            .count()
    };
    let unseen = skipped_for("does not print");
    if unseen > 0 {
        hints.push(format!("Let the client print what its tools return and which tools it has; {unseen} of the skipped duties wait for that."));
    }
    let plain = cx.scene(crate::context::PLAIN);
    if plain.is_some_and(|plain| obstacle(plain.visit).is_some()) {
        return hints;
    }
    if plain.is_some_and(|plain| {
        plain.requests().next().is_some() && plain.of("tools/call").next().is_none()
    }) {
        hints.push("Let the client call a tool: most scenarios are about a call.".to_owned());
    }
    if plain.is_some_and(|plain| !plain.visit.is_well() && !plain.asked.is_empty()) {
        hints.push("With nothing injected the client does not end with exit code 0, so its exit code tells nothing in other scenarios.".to_owned());
    }
    hints
}
