//! Words that several formats share: the verdict's name, counts, durations, who was judged.

use crate::findings::{checks, conformance};
use verdict_model::report::{CheckResult, Counts, Era, Target};
use verdict_model::{Outcome, Report, Verdict};

/// The seven headline assertions, in order. Backticks mark code, as in Markdown.
pub(crate) const ASSERTIONS: [&str; 7] = [
    "`server/discover` answers and lists a version we speak",
    "`tools/list` keeps its order from call to call",
    "Lists, reads and discovery carry `ttlMs` and `cacheScope`",
    "Every result carries a known `resultType`",
    "Tool schemas are valid JSON Schema 2020-12 and every `$ref` resolves",
    "Errors carry the codes that the specification gives them",
    "Requests whose headers and body disagree are refused with -32020",
];

/// The verdict as a headline.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "PASS",
        Verdict::Fail => "FAIL",
        Verdict::None => "NO VERDICT",
    }
}

/// The order in which counts are read: what was proven, what was not, what was not tried.
pub(crate) const COUNT_ORDER: [Outcome; 7] = [
    Outcome::Pass,
    Outcome::Fail,
    Outcome::Error,
    Outcome::Warn,
    Outcome::Info,
    Outcome::Skip,
    Outcome::NotApplicable,
];

/// `41 pass, 2 fail, 6 skip`: passes and failures always, others where there are any.
pub(crate) fn counts(counts: Counts) -> String {
    let parts: Vec<_> = COUNT_ORDER
        .into_iter()
        .map(|outcome| (outcome, counts.get(outcome)))
        .filter(|(outcome, n)| *n > 0 || matches!(outcome, Outcome::Pass | Outcome::Fail))
        .map(|(outcome, n)| format!("{} {}", number(n), outcome.word()))
        .collect();
    parts.join(", ")
}

/// What each layer came to, in one line.
pub(crate) fn ends(report: &Report) -> String {
    let checks = conformance(report).map(|layer| counts(layer.counts));
    let models = crate::behavior::behavior(report).map(|_| ends_of_cases(report));
    let trials = crate::trials::resilience(report).map(|_| crate::trials::ends(report));
    let parts: Vec<_> = checks.into_iter().chain(models).chain(trials).collect();
    if parts.is_empty() {
        "nothing was checked".to_owned()
    } else {
        parts.join("; ")
    }
}

/// `148 of 150 cases passed every run`, over all models.
pub(crate) fn ends_of_cases(report: &Report) -> String {
    let models = crate::behavior::behavior(report).map_or(&[][..], |layer| &layer.models);
    let cases: usize = models.iter().map(|model| model.cases.len()).sum();
    let missed = crate::behavior::misses(report).len();
    format!(
        "{} of {} cases passed every run",
        number(cases - missed.min(cases)),
        number(cases)
    )
}

/// `1 waived, 2 new`, where checks do not count towards the verdict.
pub(crate) fn uncounted(report: &Report) -> Option<String> {
    let waived = checks(report)
        .iter()
        .filter(|check| check.waived.is_some())
        .count();
    let new = checks(report)
        .iter()
        .filter(|check| check.new && check.waived.is_none())
        .count();
    match (waived, new) {
        (0, 0) => None,
        (waived, 0) => Some(format!("{waived} waived")),
        (0, new) => Some(format!("{new} new")),
        (waived, new) => Some(format!("{waived} waived, {new} new")),
    }
}

/// Counts of the whole report, with those that do not count towards the verdict.
pub(crate) fn tally(report: &Report) -> String {
    let Some(layer) = conformance(report) else {
        return "nothing was checked".to_owned();
    };
    match uncounted(report) {
        Some(uncounted) => format!("{} (not counted: {uncounted})", counts(layer.counts)),
        None => counts(layer.counts),
    }
}

/// `96 requests in 1.2 s`.
pub(crate) fn effort(report: &Report) -> Option<String> {
    let layer = conformance(report)?;
    let requests = if layer.requests == 1 {
        "request"
    } else {
        "requests"
    };
    Some(format!(
        "{} {requests} in {}",
        number(layer.requests),
        duration(layer.duration_ms)
    ))
}

/// Milliseconds as a person says them.
pub(crate) fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} min {} s", number(ms / 60_000), ms % 60_000 / 1_000),
    }
}

/// A percentile of milliseconds: tenths where a whole number would be coarse, a dash where it is unknown.
pub(crate) fn milliseconds(ms: Option<f64>) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast from a float keeps within the target's range"
    )]
    match ms {
        None => "–".to_owned(),
        Some(ms) if ms < 100.0 => format!("{ms:.1} ms"),
        Some(ms) => duration(ms.round() as u64),
    }
}

/// A number with its thousands set apart.
pub fn number<N: ToString + Copy>(number: N) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The endpoint or the command, as one would type it. Foreign text.
pub(crate) fn endpoint(target: &Target) -> String {
    if let Some(url) = &target.url {
        return match &target.address {
            Some(address) => format!("{url} (at {address})"),
            None => url.clone(),
        };
    }
    let words = target.command.as_deref().unwrap_or_default();
    let quoted: Vec<_> = words.iter().map(|word| quote(word)).collect();
    if quoted.is_empty() {
        "not named".to_owned()
    } else {
        quoted.join(" ")
    }
}

fn quote(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Name and version of the server. Foreign text.
pub(crate) fn server(target: &Target) -> String {
    match &target.server_info {
        Some(info) => format!("{} {}", info.name, info.version)
            .trim_end()
            .to_owned(),
        None => "does not name itself".to_owned(),
    }
}

/// Whether a report is about a client, as `proxy --exec` makes it, or a server.
pub(crate) fn role(report: &Report) -> &'static str {
    let client = conformance(report).is_some_and(|layer| {
        layer
            .checks
            .iter()
            .any(|check| check.id.starts_with("client."))
    });
    if client { "client" } else { "server" }
}

/// `modern era, protocol 2026-07-28`.
pub(crate) fn era(target: &Target) -> String {
    let era = match target.era {
        Some(Era::Modern) => "modern era",
        Some(Era::Legacy) => "legacy era",
        Some(Era::Dual) => "both eras",
        None => "era unknown",
    };
    match &target.protocol_version {
        Some(version) => format!("{era}, protocol {version}"),
        None => era.to_owned(),
    }
}

/// `1a2b3c4 on refs/heads/main, pull request 7`. Foreign text.
pub(crate) fn source(report: &Report) -> Option<String> {
    let source = report.source.as_ref()?;
    let sha = source
        .sha
        .as_deref()
        .map(|sha| sha.chars().take(12).collect::<String>());
    let place = match (sha, &source.reference) {
        (Some(sha), Some(reference)) => Some(format!("{sha} on {reference}")),
        (Some(sha), None) => Some(sha),
        (None, reference) => reference.clone(),
    };
    match (place, source.pull_request) {
        (Some(place), Some(pull)) => Some(format!("{place}, pull request {pull}")),
        (Some(place), None) => Some(place),
        (None, pull) => pull.map(|pull| format!("pull request {pull}")),
    }
}

/// `mcp-verdict 0.1.0, rules of 2026-07-28`.
pub(crate) fn generator(report: &Report) -> String {
    let made = &report.generator;
    format!(
        "{} {}, rules of {}",
        made.name, made.version, made.requirements
    )
}

/// The outcome of a headline assertion from its checks: the worst problem; where there is none, pass
/// if anything was proven; else why it was not. Checks that do not count decide nothing.
pub(crate) fn assertion_state<'a>(
    checks: impl Iterator<Item = &'a CheckResult>,
) -> Option<Outcome> {
    let order = [
        Outcome::Fail,
        Outcome::Error,
        Outcome::Warn,
        Outcome::Pass,
        Outcome::Info,
        Outcome::Skip,
        Outcome::NotApplicable,
    ];
    let place = |outcome| order.iter().position(|other| *other == outcome);
    checks
        .map(|check| check.outcome)
        .min_by_key(|outcome| place(*outcome))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_read_well() {
        assert_eq!(number(7), "7");
        assert_eq!(number(1_204_096), "1,204,096");
        assert_eq!(duration(840), "840 ms");
        assert_eq!(duration(1_290), "1.2 s");
        assert_eq!(duration(754_000), "12 min 34 s");
    }

    #[test]
    fn commands_can_be_pasted() {
        let command = ["node", "my server.js", "", "it's"]
            .map(str::to_owned)
            .to_vec();
        let target = Target {
            command: Some(command),
            ..Target::default()
        };
        assert_eq!(endpoint(&target), r"node 'my server.js' '' 'it'\''s'");
    }
}
