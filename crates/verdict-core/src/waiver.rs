//! Waivers: dated permissions to fail, from the configuration.

use crate::ruling::{Finding, Weight};
use crate::settings::Settings;
use verdict_model::Outcome;

/// The reason of the waivers that cover a check's findings; none when one finding is not covered, or a
/// waiver's last day is over.
pub(crate) fn covering(
    settings: &Settings,
    check: &str,
    outcome: Outcome,
    findings: &[Finding],
) -> Option<String> {
    if !matches!(outcome, Outcome::Fail | Outcome::Warn) {
        return None;
    }
    let today = settings.today.as_deref();
    let mut reason = None;
    for finding in findings
        .iter()
        .filter(|finding| finding.weight > Weight::Noted)
    {
        let waiver = settings.config.waivers.iter().find(|waiver| {
            let expired = match (&waiver.until, today) {
                // Dates in this form compare as text.
                (Some(until), Some(today)) => today > until.as_str(),
                _ => false,
            };
            let subject = finding.subject.as_deref();
            waiver.check == check
                && !expired
                && (waiver.tool == "*" || subject == Some(waiver.tool.as_str()))
        })?;
        reason.get_or_insert_with(|| waiver.reason.clone());
    }
    reason
}
