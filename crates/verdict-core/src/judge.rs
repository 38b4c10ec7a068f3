//! From a recording to a report: every check judges, one table gives severities, one value is the verdict.

use crate::conformance::{Check, checks_of};
use crate::context::Context;
use crate::evidence;
use crate::facts::{EraFinding, Facts, List, describe_busy};
use crate::mask::Masks;
use crate::record::Recording;
use crate::requirements;
use crate::ruling::{Finding, Ruling, Weight, outcome};
use crate::settings::{Settings, Target as Where};
use crate::waiver::{self, Waivers};
use verdict_model::config::Severity;
use verdict_model::report::{
    CheckResult, Conformance, Counts, Generator, Layers, Outcome, Report, ServerInfo, Target,
    Verdict,
};
use verdict_model::transcript::Transport;
use verdict_model::{Level, REVISION, Safety, Scope};

/// Evidence items that one check keeps in the report; the rest is counted.
const MAX_EVIDENCE: usize = 50;

/// Judges a recording.
pub fn judge(settings: &Settings, recording: &Recording) -> Report {
    let facts = Facts::read(recording);
    let context = Context {
        settings,
        recording,
        facts: &facts,
    };
    let mut waivers = Waivers::new(settings);
    let mut results: Vec<CheckResult> = checks_of(settings)
        .filter_map(|check| result_of(&context, check, &mut waivers))
        .collect();
    if let Some(findings) = waivers.findings() {
        let ruling = Ruling::of(findings, "all are in force");
        results.push(written(&context, &waiver::CURRENT, ruling, &mut waivers));
    }
    let verdict = Verdict::of(&results, settings.config.deny_warnings);
    let requests = recording.records.len() as u64;
    let report = Report::new(
        generator(Some(settings)),
        verdict,
        crate::summary::sentence(&context, verdict, &results),
        target(&context),
        Layers {
            conformance: Some(Conformance {
                counts: Counts::of(&results),
                hints: crate::summary::hints(&context, &results),
                checks: results,
                duration_ms: recording.duration_ms,
                requests,
            }),
            ..Layers::default()
        },
    );
    masked(report, Some(settings))
}

/// The report without secrets: the one place that takes them out, so no sentence can be forgotten.
fn masked(mut report: Report, settings: Option<&Settings>) -> Report {
    let masks = Masks::new(settings.map_or(&[], |settings| &settings.secrets));
    report.texts(&mut |text| *text = masks.hide(text));
    report
}

/// The report of a run that never began: no layer, no verdict, and `why` as its summary.
///
/// Settings are there where the configuration could be read.
pub fn unjudged(settings: Option<&Settings>, why: &str) -> Report {
    let mut target = Target::default();
    match settings.map(|settings| &settings.target) {
        Some(Where::Http(endpoint)) => {
            "http".clone_into(&mut target.transport);
            target.url = Some(endpoint.url());
        }
        Some(Where::Stdio(words)) => {
            "stdio".clone_into(&mut target.transport);
            target.command = Some(words.clone());
        }
        None => {}
    }
    let report = Report::new(
        generator(settings),
        Verdict::None,
        why.to_owned(),
        target,
        Layers::default(),
    );
    masked(report, settings)
}

fn generator(settings: Option<&Settings>) -> Generator {
    let pinned = settings.and_then(|settings| settings.config.requirements.clone());
    Generator {
        name: "mcp-verdict".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        requirements: pinned
            .unwrap_or_else(|| settings.map_or(REVISION, Settings::revision).to_owned()),
    }
}

/// The result of one check; none when the configuration turns it off.
fn result_of(cx: &Context, check: &Check, waivers: &mut Waivers) -> Option<CheckResult> {
    if cx.settings.config.checks.get(check.rule.id) == Some(&Severity::Off) {
        return None;
    }
    let ruling = prerequisite(cx, check).unwrap_or_else(|| (check.judge)(cx));
    Some(written(cx, check, ruling, waivers))
}

/// A ruling as the report has it.
fn written(cx: &Context, check: &Check, ruling: Ruling, waivers: &mut Waivers) -> CheckResult {
    let rule = &check.rule;
    let config = &cx.settings.config;
    let moved = config.checks.get(rule.id).copied();
    let (found, message, findings) = match ruling {
        Ruling::Met(what) => (Outcome::Pass, what, vec![]),
        Ruling::Skip(why) => (Outcome::Skip, why, vec![]),
        Ruling::NotApplicable(why) => (Outcome::NotApplicable, why, vec![]),
        Ruling::Error(why) => (Outcome::Error, why, vec![]),
        Ruling::Found(mut findings) => {
            // Worst first, and otherwise in the order in which they were found.
            findings.sort_by_key(|finding| std::cmp::Reverse(finding.weight));
            (
                severity(rule.level, moved, &findings),
                headline(&findings),
                findings,
            )
        }
    };
    let waived = waivers.covering(rule.id, found, &findings);
    let omitted = findings.len().saturating_sub(MAX_EVIDENCE) as u64;
    CheckResult {
        id: rule.id.to_owned(),
        assertion: rule.assertion,
        level: rule.level,
        outcome: found,
        title: rule.title.to_owned(),
        message,
        evidence: findings
            .iter()
            .take(MAX_EVIDENCE)
            .map(|finding| evidence::of(cx, finding))
            .collect(),
        omitted,
        fix: rule.fix.to_owned(),
        spec_url: rule.spec_url(),
        location: None,
        new: requirements::is_new(config.requirements.as_deref(), rule.id),
        waived,
    }
}

/// The worst finding decides; configuration moves what a broken rule counts as.
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

/// One finding is its own headline; several are counted, with the worst as an example.
fn headline(findings: &[Finding]) -> String {
    let Some(first) = findings.first() else {
        return String::new();
    };
    if findings.len() == 1 {
        return first.message.clone();
    }
    let subject = match &first.subject {
        Some(subject) => format!("{}: ", crate::wire::json::cut(subject, 120)),
        None => String::new(),
    };
    format!(
        "{} cases, such as {subject}{}",
        findings.len(),
        first.message
    )
}

/// One root cause, one finding: what a rule gets when something it stands on is missing.
fn prerequisite(cx: &Context, check: &Check) -> Option<Ruling> {
    let rule = &check.rule;
    match (rule.scope, cx.recording.transport) {
        (Scope::Http, Transport::Stdio) => {
            return Some(Ruling::not_applicable(
                "a rule of Streamable HTTP; the server was reached over stdio",
            ));
        }
        (Scope::Stdio, Transport::Http) => {
            return Some(Ruling::not_applicable(
                "a rule of stdio; the server was reached over HTTP",
            ));
        }
        _ => {}
    }
    if check.any_era {
        return None;
    }
    if check.locked && cx.facts.is_locked() {
        return None;
    }
    let revision = cx.settings.revision();
    let reason = match &cx.facts.era {
        EraFinding::Legacy(_) if !cx.settings.by_handshake() => {
            format!("the server speaks an earlier revision only, not {revision}")
        }
        EraFinding::Modern | EraFinding::Dual | EraFinding::Legacy(_) => {
            let reads = rule.safety == Safety::Read && !check.reads_or_not;
            if reads && cx.settings.config.no_reads {
                return Some(Ruling::skip("reading is turned off (--no-reads)"));
            }
            if rule.safety == Safety::Intrusive && !cx.settings.config.intrusive {
                return Some(Ruling::skip("needs --intrusive"));
            }
            return None;
        }
        EraFinding::Unasked => "the run was over before the server was asked".to_owned(),
        EraFinding::HttpSse => {
            "the server speaks the HTTP+SSE transport of 2024-11-05 only".to_owned()
        }
        EraFinding::Refused(_) => format!("the server does not support revision {revision}"),
        EraFinding::WithoutDiscover => {
            "without server/discover the server's capabilities are not known".to_owned()
        }
        EraFinding::Locked(status) => format!(
            "HTTP {status}: the server wants credentials (give --header 'Authorization: Bearer ${{TOKEN}}', or auth.token)"
        ),
        EraFinding::Busy(status) => describe_busy(*status),
        EraFinding::Foreign(_) => "no MCP server answers there".to_owned(),
        EraFinding::Unreachable(_) => "the server could not be reached".to_owned(),
    };
    Some(Ruling::Skip(reason))
}

fn target(cx: &Context) -> Target {
    let (transport, url, command) = match &cx.settings.target {
        Where::Http(endpoint) => ("http", Some(endpoint.url()), None),
        Where::Stdio(words) => ("stdio", None, Some(words.clone())),
    };
    let named = cx
        .endpoint()
        .is_some_and(|endpoint| endpoint.host.parse::<std::net::IpAddr>().is_err());
    let address = cx
        .recording
        .channels
        .iter()
        .find_map(|channel| channel.peer.clone());
    Target {
        transport: transport.to_owned(),
        url,
        command,
        address: address.filter(|_| named),
        server_info: cx.facts.server_info().map(|(name, version)| ServerInfo {
            name: name.to_owned(),
            version: version.to_owned(),
        }),
        era: cx.facts.era(),
        protocol_version: match &cx.facts.era {
            EraFinding::Legacy(version) if cx.settings.by_handshake() => version.clone(),
            _ => cx.facts.is_modern().then(|| REVISION.to_owned()),
        },
        tools_hash: tools_hash(cx),
    }
}

/// Hashes the listed tools as compact JSON with sorted member names, so that spelling does not matter.
fn tools_hash(cx: &Context) -> Option<String> {
    let mut listed = cx.facts.items(List::Tools).peekable();
    listed.peek()?;
    let mut hash = String::new();
    for item in listed {
        evidence::canonical(item.value, &mut hash);
        // Keeps the text short: hash by hash instead of one text of all tools.
        hash = format!("{:016x}", crate::fnv(hash.as_bytes()));
    }
    Some(hash)
}
