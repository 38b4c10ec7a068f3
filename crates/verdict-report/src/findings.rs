//! The checks of a report in the order people read them, and what of them is shown where.

use crate::reds::reds;
use verdict_model::report::{CheckResult, Conformance, Evidence, Location};
use verdict_model::{Level, Outcome, Report, Verdict};

/// The checks of a report, or none where the layer was not run.
pub(crate) fn checks(report: &Report) -> &[CheckResult] {
    conformance(report).map_or(&[], |layer| &layer.checks)
}

/// Layer 0, where it was run.
pub(crate) fn conformance(report: &Report) -> Option<&Conformance> {
    report.layers.conformance.as_ref()
}

/// Whether a check counts towards the verdict: not when it is waived or newer than the pinned rules.
pub(crate) fn counts(check: &CheckResult) -> bool {
    !check.new && check.waived.is_none()
}

/// Whether a check found something that its reader may have to act on.
pub(crate) fn is_problem(check: &CheckResult) -> bool {
    matches!(
        check.outcome,
        Outcome::Fail | Outcome::Error | Outcome::Warn
    )
}

/// Checks worst first, problems that do not count behind those that do; otherwise in their order.
pub(crate) fn worst_first(checks: &[CheckResult]) -> Vec<&CheckResult> {
    let mut ordered: Vec<_> = checks.iter().collect();
    ordered.sort_by_key(|check| rank(check));
    ordered
}

fn rank(check: &CheckResult) -> usize {
    // Twice, so that a rank between two outcomes is a whole number too.
    if is_problem(check) && !counts(check) {
        2 * Outcome::Warn.rank() + 1
    } else {
        2 * check.outcome.rank()
    }
}

/// Whether the verdict is not pass, and no check says so by failing or breaking off: warnings were
/// denied, or nothing could be proven. Formats without a place for the verdict must then say it.
pub(crate) fn verdict_stands_alone(report: &Report) -> bool {
    let decisive = |check: &CheckResult| match report.verdict {
        Verdict::Pass => true,
        Verdict::Fail => check.outcome == Outcome::Fail,
        Verdict::None => check.outcome == Outcome::Error,
    };
    report.verdict != Verdict::Pass
        && !checks(report)
            .iter()
            .any(|check| counts(check) && decisive(check))
        && (report.verdict != Verdict::Fail || reds(report).is_empty())
}

/// Why a check does not count, in words.
pub(crate) fn uncounted(check: &CheckResult) -> Option<String> {
    match &check.waived {
        Some(reason) => Some(format!("waived, so it does not count: {reason}")),
        None if check.new => {
            Some("newer than the pinned set of rules, so it does not count".to_owned())
        }
        None => None,
    }
}

/// The part of an id before its first dot.
pub(crate) fn area(check: &CheckResult) -> &str {
    check.id.split('.').next().unwrap_or_default()
}

/// How many evidence items there are beyond the first `shown`.
pub(crate) fn further(check: &CheckResult, shown: usize) -> u64 {
    let hidden = check.evidence.len().saturating_sub(shown);
    u64::try_from(hidden)
        .unwrap_or(u64::MAX)
        .saturating_add(check.omitted)
}

/// The places that a check is about, each with the evidence that belongs there; the check's own where no item has one.
pub(crate) fn places(check: &CheckResult) -> Vec<(&Location, Option<&Evidence>)> {
    let mut places: Vec<(&Location, Option<&Evidence>)> = Vec::new();
    for item in &check.evidence {
        let known = |place| places.iter().any(|(other, _)| *other == place);
        if let Some(place) = item.location.as_ref().filter(|place| is_inside(place))
            && !known(place)
        {
            places.push((place, Some(item)));
        }
    }
    if places.is_empty() {
        let own = location(check).map(|place| (place, check.evidence.first()));
        places.extend(own);
    }
    places
}

/// The location of a check, unless it leads out of the repository.
pub(crate) fn location(check: &CheckResult) -> Option<&Location> {
    check.location.as_ref().filter(|place| is_inside(place))
}

pub(crate) fn is_inside(location: &Location) -> bool {
    let path = &location.path;
    !path.is_empty()
        && !path.starts_with('/')
        && !path.contains(['\\', ':'])
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// The address of the rule, if it is one that a link may lead to.
///
/// A report can come from a file; a link in a summary must not lead where its writer wants.
pub(crate) fn spec_link(check: &CheckResult) -> Option<&str> {
    let url = check.spec_url.as_str();
    let tail = url.strip_prefix("https://modelcontextprotocol.io/")?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/#%".contains(c);
    tail.chars().all(plain).then_some(url)
}

/// The keyword of a level as the specification writes it.
pub(crate) fn keyword(level: Level) -> &'static str {
    match level {
        Level::Must => "MUST",
        Level::Should => "SHOULD",
        Level::May => "MAY",
        Level::Advisory => "advisory",
    }
}

/// Outcomes grouped by their message, largest group first: why checks were not tried.
pub(crate) fn reasons<'a>(
    checks: &[&'a CheckResult],
    outcome: Outcome,
) -> Vec<(&'a str, Vec<&'a CheckResult>)> {
    let mut groups = std::collections::BTreeMap::<&str, Vec<&CheckResult>>::new();
    for &check in checks.iter().filter(|check| check.outcome == outcome) {
        groups.entry(&check.message).or_default().push(check);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
    groups
}
