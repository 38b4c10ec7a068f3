//! One sentence a person can act on, and what would widen the coverage.

use crate::catalogue;
use crate::conformance::auth::door::has_token;
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
        EraFinding::Locked(status) if verdict != Verdict::Fail => {
            return format!(
                "The server answers HTTP {status} and {}.",
                if has_token(cx) {
                    "refuses the credentials that it was given"
                } else {
                    "wants credentials. Give --header 'Authorization: Bearer ${TOKEN}'"
                }
            );
        }
        EraFinding::Busy(status) => {
            return format!("The server limits its requests (HTTP {status}). Try again later.");
        }
        EraFinding::Unreachable(why) if verdict != Verdict::Fail => return closed(format!("The server {why}")),
        EraFinding::Foreign(why) if handshake => {
            return closed(format!("The server does not speak {revision}: {why}"));
        }
        EraFinding::Foreign(why) => {
            return closed(format!("No MCP server of a known revision answers here: {why}"));
        }
        EraFinding::Unasked => return "The run was over before it began.".to_owned(),
        EraFinding::Modern
        | EraFinding::Dual
        | EraFinding::WithoutDiscover
        | EraFinding::Locked(_)
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
            if let (1, Some(one)) = (counts.fail, worst)
                && !catalogue::is_stated(&one.id)
            {
                return format!("{}{warned}.", one.message);
            }
            match counts.fail {
                0 => format!(
                    "{} and --deny-warnings; first: {first}.",
                    warned.trim_start_matches(", ")
                ),
                1 => format!("1 rule of {revision} is broken{warned}: {first}."),
                fail => format!("{fail} rules of {revision} are broken{warned}; first: {first}."),
            }
        }
        Verdict::None => match &cx.recording.cut_off {
            Some(why) => closed(format!("The run was cut off because {why}")),
            None => format!(
                "{} {} could not be decided because of the network or ourselves.",
                counts.error,
                if counts.error == 1 { "rule" } else { "rules" }
            ),
        },
        Verdict::Pass => {
            let holds =
                |one: &&CheckResult| one.outcome == Outcome::Pass && catalogue::is_stated(&one.id);
            format!(
                "{} rules of {revision} hold{warned}; none is broken.",
                results.iter().filter(holds).count()
            )
        }
    }
}

/// A sentence with its end: foreign words may have brought one.
fn closed(mut sentence: String) -> String {
    if !sentence.ends_with(['.', '?', '!']) {
        sentence.push('.');
    }
    sentence
}

/// Keys of the configuration that checks wait for, with what is to be named there.
const KEYS: [(&str, &str); 10] = [
    ("tools.safe", "a tool that is safe to call"),
    ("mrtr.trigger", "a tool, prompt or resource that asks back"),
    ("tools.slow", "a tool that takes seconds"),
    ("tools.chatty", "a tool that logs"),
    (
        "tools.needs-capability",
        "a tool that asks its user something",
    ),
    ("mutate.tool", "a tool that makes the lists change"),
    ("resources.known", "a resource that can be read"),
    ("auth.other-token", "a token of somebody else"),
    ("auth.low-scope-token", "a token that lacks a scope"),
    ("auth.foreign-token", "a token for another server"),
];
/// How many of them one report names.
const MOST_HINTS: usize = 4;

/// What would widen the coverage of this run.
pub(crate) fn hints(cx: &Context, results: &[CheckResult]) -> Vec<String> {
    let mut hints = Vec::new();
    if !cx.facts.is_modern() {
        return hints;
    }
    let tools = cx.facts.items(List::Tools).next().is_some();
    let mut waiting: Vec<(usize, &str, &str)> = KEYS
        .iter()
        .filter(|(key, _)| match key.split('.').next() {
            Some("tools" | "mutate") => tools,
            Some("auth") => has_token(cx),
            _ => true,
        })
        .map(|(key, what)| {
            let wants = |result: &&CheckResult| {
                result.outcome == Outcome::Skip
                    && result.message.split(['(', ')']).any(|part| part == *key)
            };
            (results.iter().filter(wants).count(), *key, *what)
        })
        .filter(|(count, ..)| *count > 0)
        .collect();
    while hints.len() < MOST_HINTS {
        // A safe tool is the easiest to name; of others the one that tells most.
        let most = |at: &usize| (waiting[*at].1 == KEYS[0].0, waiting[*at].0, usize::MAX - at);
        let Some(at) = (0..waiting.len()).max_by_key(most) else {
            break;
        };
        let (count, key, what) = waiting.remove(at);
        let checks = if count == 1 { "check" } else { "checks" };
        hints.push(format!(
            "name {what} ({key} in mcp-verdict.yaml) to try {count} more {checks}"
        ));
    }
    if cx.settings.config.no_reads {
        hints.push(
            "leave out --no-reads to check what reading resources and prompts returns".to_owned(),
        );
    }
    hints
}
