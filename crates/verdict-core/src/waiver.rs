//! Waivers: dated permissions to fail, from the configuration. One that covers nothing any more, or whose last
//! day is over, is a failure of its own: a list of exceptions that nobody keeps hides the next fault.

use crate::check::Check;
use crate::ruling::{Finding, Weight};
use crate::settings::Settings;
use verdict_model::Outcome;
use verdict_model::config::Waiver;

/// The rule on the waivers themselves; it stands outside the catalogue.
pub(crate) const CURRENT: Check = Check::must(
    "waivers.current",
    "Every waiver is in force and covers something",
)
.spec("the configuration")
.why("A waiver that outlives its fault hides the next one of its kind.")
.fix("Take the waiver out of the configuration, or give it a later day.")
.any_era();

/// What the waivers of a run came to, check by check.
#[derive(Debug)]
pub(crate) struct Waivers<'s> {
    settings: &'s Settings,
    /// Per waiver: whether it covered something, or its check could not be tried.
    kept: Vec<bool>,
}

impl<'s> Waivers<'s> {
    pub(crate) fn new(settings: &'s Settings) -> Self {
        Self {
            settings,
            // What the run's revision does not judge cannot be missed.
            kept: settings
                .config
                .waivers
                .iter()
                .map(|one| one.check.starts_with("handshake.") != settings.by_handshake())
                .collect(),
        }
    }

    fn is_expired(&self, waiver: &Waiver) -> bool {
        match (&waiver.until, &self.settings.today) {
            // Dates in this form compare as text.
            (Some(until), Some(today)) => today > until,
            _ => false,
        }
    }

    /// The reason of the waivers that cover a check's findings; none when one finding is not covered.
    pub(crate) fn covering(
        &mut self,
        check: &str,
        outcome: Outcome,
        findings: &[Finding],
    ) -> Option<String> {
        let tried = !matches!(
            outcome,
            Outcome::Skip | Outcome::NotApplicable | Outcome::Error
        );
        let problem = matches!(outcome, Outcome::Fail | Outcome::Warn);
        let heavy = |finding: &&Finding| problem && finding.weight > Weight::Noted;
        let (mut covered, mut reason) = (vec![false; findings.len()], None);
        for (at, waiver) in self.settings.config.waivers.iter().enumerate() {
            if waiver.check != check {
                continue;
            }
            self.kept[at] |= !tried;
            for (number, finding) in findings.iter().enumerate() {
                let subject = finding.subject.as_deref();
                let fits = waiver.tool == "*" || subject == Some(waiver.tool.as_str());
                if !(fits && heavy(&finding)) {
                    continue;
                }
                self.kept[at] = true;
                if !self.is_expired(waiver) {
                    covered[number] = true;
                    reason.get_or_insert_with(|| waiver.reason.clone());
                }
            }
        }
        let mut all = findings.iter().zip(covered);
        reason.filter(|_| all.all(|(finding, covered)| covered || !heavy(&finding)))
    }

    /// What is wrong with the waivers; nothing where there are none.
    pub(crate) fn findings(&self) -> Option<Vec<Finding>> {
        let waivers = &self.settings.config.waivers;
        let found = waivers.iter().zip(&self.kept).enumerate();
        let found = found.filter_map(|(at, (waiver, kept))| {
            let until = waiver.until.as_deref().unwrap_or_default();
            let why = if self.is_expired(waiver) {
                ["ended on ", until].concat()
            } else if *kept {
                return None;
            } else {
                "covers nothing any more".to_owned()
            };
            let message = format!(
                "waivers[{at}] of the configuration ({}, tool `{}`) {why}",
                waiver.check, waiver.tool
            );
            Some(Finding::broken(message))
        });
        (!waivers.is_empty()).then(|| found.collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{config, outcomes, record, settings};
    use serde_json::json;
    use verdict_fixture::Server;
    use verdict_model::config::Waiver;
    use verdict_model::{Outcome, Report};

    fn waiver(check: &str, tool: &str, until: &str) -> Waiver {
        serde_json::from_value(
            json!({"check": check, "tool": tool, "reason": "known", "until": until}),
        )
        .expect("a waiver")
    }

    fn judged(defect: &str, waivers: &[Waiver]) -> Report {
        let mut config = config();
        config.waivers = waivers.to_vec();
        let mut settings = settings(config, false);
        settings.today = Some("2026-12-01".to_owned());
        let server = Server::with(defect).expect("a defect");
        crate::judge(&settings, &record(&server, &settings))
    }

    fn told(report: &Report) -> Vec<&str> {
        let checks = report.layers.conformance.iter().flat_map(|one| &one.checks);
        let own = checks.filter(|check| check.id == "waivers.current");
        own.flat_map(|check| &check.evidence)
            .map(|item| item.message.as_str())
            .collect()
    }

    #[test]
    fn a_waiver_covers_its_finding_until_its_day_is_over() {
        let id = "errors.method-not-found";
        let report = judged("unknown-method-code", &[waiver(id, "*", "2026-12-01")]);
        let check = report.layers.conformance.iter().flat_map(|one| &one.checks);
        let waived: Vec<_> = check.filter(|check| check.waived.is_some()).collect();
        assert_eq!(waived.len(), 1);
        assert_eq!(
            (waived[0].id.as_str(), waived[0].outcome),
            (id, Outcome::Fail)
        );
        assert_eq!(outcomes(&report)["waivers.current"], Outcome::Pass);
        assert_eq!(json!(report.verdict), "pass");
        let late = judged("unknown-method-code", &[waiver(id, "*", "2026-11-30")]);
        assert_eq!(json!(late.verdict), "fail");
        assert!(told(&late)[0].contains("waivers[0]"), "{:?}", told(&late));
        assert!(told(&late)[0].contains("ended on 2026-11-30"));
    }

    #[test]
    fn a_waiver_that_covers_nothing_fails_the_run() {
        let report = judged(
            "get-200",
            &[
                waiver("transport.get-405", "GET", "2027-01-01"),
                waiver("transport.get-405", "DELETE", "2027-01-01"),
                waiver("errors.method-not-found", "*", "2027-01-01"),
                // Could not be tried, so nothing is known about it.
                waiver("tools.call-shape", "*", "2027-01-01"),
                waiver("stdio.eof-exits", "*", "2027-01-01"),
            ],
        );
        assert_eq!(json!(report.verdict), "fail");
        let told = told(&report);
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].contains("waivers[1]") && told[0].contains("DELETE"));
        assert!(told[1].contains("waivers[2]") && told[1].contains("errors.method-not-found"));
    }
}
