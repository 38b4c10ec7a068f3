//! One sentence a person can act on, and what would widen the coverage.

use crate::context::Context;
use crate::facts::{EraFinding, List};
use verdict_model::report::{CheckResult, Counts, Outcome, Verdict};
use verdict_model::{LEGACY_REVISION, REVISION};

/// The report's summary.
pub(crate) fn sentence(cx: &Context, verdict: Verdict, results: &[CheckResult]) -> String {
    let revision = cx.settings.revision();
    let handshake = cx.settings.by_handshake();
    match &cx.facts.era {
        EraFinding::Legacy(_) if handshake => {}
        EraFinding::Legacy(version) => {
            let version = version.as_deref().unwrap_or("an earlier revision");
            return format!(
                "The server speaks {version}, not {REVISION}: it answers `initialize` but not `server/discover`. Move it to an SDK release that supports {REVISION}; to judge it by its own rules, run with --revision {LEGACY_REVISION}."
            );
        }
        EraFinding::HttpSse => {
            return format!(
                "The server speaks the HTTP+SSE transport of 2024-11-05, not {REVISION}. Move it to Streamable HTTP."
            );
        }
        EraFinding::Refused(versions) => {
            let named = if versions.is_empty() {
                "none".to_owned()
            } else {
                versions.join(", ")
            };
            return format!("The server does not support {revision}; it names {named}.");
        }
        EraFinding::Locked(status) => {
            return format!(
                "No verdict: the server answers HTTP {status} and wants credentials. Give --header 'Authorization: Bearer ${{TOKEN}}'."
            );
        }
        EraFinding::Busy => {
            return "No verdict: the server limits its requests (HTTP 429). Try again later."
                .to_owned();
        }
        EraFinding::Unreachable(why) if verdict != Verdict::Fail => return format!("No verdict: the server {why}."),
        EraFinding::Foreign(why) if handshake => {
            return format!("The server does not speak {revision}: {why}.");
        }
        EraFinding::Foreign(why) => {
            return format!("No MCP server of a known revision answers here: {why}.");
        }
        EraFinding::Unasked => return "No verdict: the run was over before it began.".to_owned(),
        EraFinding::Modern
        | EraFinding::Dual
        | EraFinding::WithoutDiscover
        // What the server wrote shows why it was not understood.
        | EraFinding::Unreachable(_) => {}
    }
    let counts = Counts::of(results);
    let warned = match counts.warn {
        0 => String::new(),
        1 => ", 1 warning".to_owned(),
        warn => format!(", {warn} warnings"),
    };
    match verdict {
        Verdict::Fail => {
            let worst = results
                .iter()
                .find(|result| result.outcome == Outcome::Fail && result.waived.is_none())
                .or_else(|| {
                    results
                        .iter()
                        .find(|result| result.outcome == Outcome::Warn)
                });
            let first = worst.map_or("", |result| result.title.as_str());
            match counts.fail {
                0 => format!(
                    "{} warnings and --deny-warnings; first: {first}.",
                    counts.warn
                ),
                1 => format!("1 rule of {revision} is broken{warned}: {first}."),
                fail => format!("{fail} rules of {revision} are broken{warned}; first: {first}."),
            }
        }
        Verdict::None => match &cx.recording.cut_off {
            Some(why) => format!("No verdict: the run was cut off because {why}."),
            None => format!(
                "No verdict: {} {} could not be decided because of the network or ourselves.",
                counts.error,
                if counts.error == 1 { "rule" } else { "rules" }
            ),
        },
        Verdict::Pass => {
            format!(
                "{} rules of {revision} hold{warned}; none is broken.",
                counts.pass
            )
        }
    }
}

/// What would widen the coverage of this run.
pub(crate) fn hints(cx: &Context, results: &[CheckResult]) -> Vec<String> {
    let mut hints = Vec::new();
    if !cx.facts.is_modern() {
        return hints;
    }
    let waiting = results
        .iter()
        .filter(|result| result.outcome == Outcome::Skip && result.message.contains("tools.safe"))
        .count();
    if waiting > 0 && cx.facts.items(List::Tools).next().is_some() {
        hints.push(format!(
            "name a tool that is safe to call (tools.safe in mcp-verdict.yaml) to try {waiting} more checks"
        ));
    }
    if cx.settings.config.no_reads {
        hints.push(
            "leave out --no-reads to check what reading resources and prompts returns".to_owned(),
        );
    }
    hints
}
