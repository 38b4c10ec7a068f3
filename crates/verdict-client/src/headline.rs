//! The summary of a report on a client: one sentence that a person can act on.

use crate::context::{Context, PLAIN};
use crate::obstacle::obstacle;
use verdict_model::REVISION;
use verdict_model::report::{CheckResult, Outcome, Verdict};

/// Ids that are told; of more duties the first stands for all.
const NAMED: usize = 3;
/// Scenarios after which a client may hang: the duty that says so, and when it happens.
const HANGS: [(&str, &[&str], &str); 2] = [
    (
        "client.reissue-new-id",
        &["cut-stream", "cut-read"],
        "when a stream is cut",
    ),
    ("client.timeout", &["no-answer"], "when no answer comes"),
];

/// The sentence.
pub(crate) fn sentence(cx: &Context, verdict: Verdict, results: &[CheckResult]) -> String {
    let plain = cx.scene(PLAIN);
    if let Some(why) = plain.and_then(|plain| obstacle(plain.visit)) {
        return sentence_of(&why);
    }
    if cx.scenes.is_empty() {
        return "No scenario was played.".to_owned();
    }
    if cx.requests().next().is_none() {
        return format!(
            "The client speaks by the handshake of earlier revisions alone; move it to an SDK release that supports {REVISION}, and turn that on where it is an option."
        );
    }
    let hangs = hangs(cx, results);
    let also = hangs.as_ref().map_or(String::new(), |it| format!("; {it}"));
    let kept = count(of(results, Outcome::Pass).len(), "duty", "duties");
    let warnings = of(results, Outcome::Warn);
    let broken = of(results, Outcome::Fail);
    match verdict {
        Verdict::Fail if broken.is_empty() => format!(
            "The client has {}{also}; a warning makes the verdict fail here.",
            named(&warnings, "warning", "warnings")
        ),
        Verdict::Fail => format!(
            "The client breaks {}{also}.",
            named(&broken, "duty", "duties")
        ),
        Verdict::Pass => {
            let but = hangs.map_or(String::new(), |it| format!(", but {it}"));
            let with = match warnings.as_slice() {
                [] => String::new(),
                some => format!("; it has {}", named(some, "warning", "warnings")),
            };
            format!("The client keeps {kept} that could be tried{but}{with}.")
        }
        Verdict::None => format!("No duty could be judged to its end{also}."),
    }
}

/// A sentence of what stands within one.
fn sentence_of(why: &str) -> String {
    let mut letters = why.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    let mut out: String = first.into_iter().chain(letters).collect();
    if !out.ends_with(['.', '?', '!']) {
        out.push('.');
    }
    out
}

/// What the client waits for without an end.
fn hangs(cx: &Context, results: &[CheckResult]) -> Option<String> {
    // A client that never ends by itself hangs because of nothing.
    if cx.scene(PLAIN).is_none_or(|plain| plain.visit.is_hung()) {
        return None;
    }
    let bad = |duty: &str| {
        let bad = |one: &&CheckResult| matches!(one.outcome, Outcome::Warn | Outcome::Fail);
        results.iter().filter(bad).any(|one| one.id == duty)
    };
    let seen: Vec<String> = HANGS
        .iter()
        .filter(|(duty, scenarios, _)| {
            let hung = |name: &&str| {
                cx.scene(name)
                    .is_some_and(crate::scene::Scene::is_hung_after_hit)
            };
            bad(duty) && scenarios.iter().any(hung)
        })
        .map(|(duty, _, when)| format!("{when} ({duty})"))
        .collect();
    (!seen.is_empty()).then(|| format!("it hangs {}", seen.join(" and ")))
}

fn of(results: &[CheckResult], outcome: Outcome) -> Vec<&str> {
    let those = results.iter().filter(|one| one.outcome == outcome);
    those.map(|one| one.id.as_str()).collect()
}

/// How many, and which.
fn named(ids: &[&str], one: &str, many: &str) -> String {
    let number = count(ids.len(), one, many);
    match ids {
        [first, .., _] if ids.len() > NAMED => format!("{number}, such as {first}"),
        _ => format!("{number}: {}", ids.join(", ")),
    }
}

fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
