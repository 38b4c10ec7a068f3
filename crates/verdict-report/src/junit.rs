//! The report as `JUnit` XML: a suite for each area, a case for each check.
//!
//! Dashboards know passed, failed, errored and skipped. A warning is a passed case with a note; what
//! does not count towards the verdict is skipped with its reason, so that it never turns a job red.

use crate::behavior::{Miss, behavior, explained, flawless};
use crate::findings::{area, checks, counts, verdict_stands_alone};
use crate::trials::{self, Tried};
use crate::{safe, text, words};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use verdict_model::behavior::Standing;
use verdict_model::report::CheckResult;
use verdict_model::resilience::TrialOutcome;
use verdict_model::{Outcome, Report, Verdict};

/// Bytes of an attribute; the whole text stands in the element.
const ATTRIBUTE: usize = 500;

#[derive(Default)]
struct Suite {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    cases: String,
}

pub(crate) fn render(report: &Report) -> String {
    let mut suites: Vec<(&str, Suite)> = Vec::new();
    let mut places = BTreeMap::new();
    for check in checks(report) {
        let name = area(check);
        let place = *places.entry(name).or_insert_with(|| {
            suites.push((name, Suite::default()));
            suites.len() - 1
        });
        if let Some((_, suite)) = suites.get_mut(place) {
            suite.add(check);
        }
    }
    let names: Vec<_> = behavior(report)
        .map_or(&[][..], |layer| &layer.models)
        .iter()
        .map(|model| format!("behavior {}", model.id))
        .collect();
    for (name, model) in names
        .iter()
        .zip(behavior(report).map_or(&[][..], |l| &l.models))
    {
        let mut suite = Suite::default();
        for case in &model.cases {
            suite.add_case(Miss { model, case });
        }
        suites.push((name, suite));
    }
    let tried = trials::tried(report);
    let names: Vec<_> = trials::resilience(report)
        .map_or(&[][..], |layer| &layer.models)
        .iter()
        .map(|model| (format!("resilience {}", model.id), &model.id))
        .collect();
    for (name, model) in &names {
        let mut suite = Suite::default();
        for tried in tried.iter().filter(|tried| tried.trial.model == **model) {
            suite.add_trial(*tried);
        }
        suites.push((name, suite));
    }
    if verdict_stands_alone(report) {
        suites.push(("verdict", verdict(report)));
    }
    document(&suites)
}

fn document(suites: &[(&str, Suite)]) -> String {
    let sum = |number: fn(&Suite) -> usize| suites.iter().map(|(_, s)| number(s)).sum::<usize>();
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let _ = writeln!(
        out,
        "<testsuites name=\"mcp-verdict\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
        sum(|s| s.tests),
        sum(|s| s.failures),
        sum(|s| s.errors),
        sum(|s| s.skipped),
    );
    for (name, suite) in suites {
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
            attribute(name),
            suite.tests,
            suite.failures,
            suite.errors,
            suite.skipped,
        );
        out.push_str(&suite.cases);
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

impl Suite {
    /// A golden case: red is a failure, no valid run an error, anything else that was missed a note.
    fn add_case(&mut self, miss: Miss<'_>) {
        let (class, name) = (attribute(&miss.model.id), attribute(&miss.case.id));
        self.tests += 1;
        let _ = write!(
            self.cases,
            "    <testcase classname=\"mcp-verdict.behavior.{class}\" name=\"{name}\" time=\"0\""
        );
        if flawless(miss.case) {
            self.cases.push_str("/>\n");
            return;
        }
        let message = attribute(&miss.headline());
        let lines: Vec<_> = explained(miss).lines().map(safe::terminal).collect();
        let body = safe::xml(&lines.join("\n"));
        let element = if miss.is_red() {
            self.failures += 1;
            format!("<failure type=\"golden\" message=\"{message}\">{body}</failure>")
        } else if miss.case.standing == Standing::Unknown {
            self.errors += 1;
            format!("<error type=\"invalid\" message=\"{message}\">{body}</error>")
        } else {
            format!("<system-out>{message}\n{body}</system-out>")
        };
        let _ = write!(self.cases, ">\n      {element}\n    </testcase>\n");
    }

    /// A trial: red is a failure, runs that are none an error, one that says nothing is skipped, anything else that was bad
    /// a note.
    fn add_trial(&mut self, tried: Tried<'_>) {
        let trial = tried.trial;
        let (class, name) = (attribute(&trial.model), attribute(&trial.id));
        self.tests += 1;
        let _ = write!(
            self.cases,
            "    <testcase classname=\"mcp-verdict.resilience.{class}\" name=\"{name}\" time=\"0\""
        );
        let is_any = |outcome| trial.runs.iter().any(|run| run.outcome == outcome);
        let says = |run: &verdict_model::resilience::TrialRun| {
            run.outcome.is_good().is_some() || run.outcome == TrialOutcome::Broken
        };
        let message = attribute(&tried.headline());
        let lines: Vec<_> = trials::explained(tried)
            .lines()
            .map(safe::terminal)
            .collect();
        let body = safe::xml(&lines.join("\n"));
        let element = if tried.is_red() {
            self.failures += 1;
            format!("<failure type=\"trial\" message=\"{message}\">{body}</failure>")
        } else if trial.standing == Standing::Unknown && is_any(TrialOutcome::Invalid) {
            self.errors += 1;
            format!("<error type=\"invalid\" message=\"{message}\">{body}</error>")
        } else if !trial.runs.iter().any(says) {
            self.skipped += 1;
            format!("<skipped message=\"{message}\"/>")
        } else if tried.is_missed() {
            format!("<system-out>{message}\n{body}</system-out>")
        } else {
            self.cases.push_str("/>\n");
            return;
        };
        let _ = write!(self.cases, ">\n      {element}\n    </testcase>\n");
    }

    fn add(&mut self, check: &CheckResult) {
        let (class, name) = (attribute(area(check)), attribute(&check.id));
        let message = attribute(&check.message);
        self.tests += 1;
        let _ = write!(
            self.cases,
            "    <testcase classname=\"mcp-verdict.{class}\" name=\"{name}\" time=\"0\""
        );
        if let (false, Some(why)) = (counts(check), crate::findings::uncounted(check)) {
            self.skipped += 1;
            let outcome = check.outcome.word();
            let why = attribute(&format!("{outcome}, {why}"));
            let _ = write!(
                self.cases,
                ">\n      <skipped message=\"{why}\"/>\n    </testcase>\n"
            );
            return;
        }
        let _ = match check.outcome {
            Outcome::Pass => self.cases.write_str("/>\n"),
            Outcome::Fail => {
                self.failures += 1;
                let kind = crate::findings::keyword(check.level);
                let body = body(check);
                write!(
                    self.cases,
                    ">\n      <failure type=\"{kind}\" message=\"{message}\">{body}</failure>\n    </testcase>\n"
                )
            }
            Outcome::Error => {
                self.errors += 1;
                let body = body(check);
                write!(
                    self.cases,
                    ">\n      <error type=\"error\" message=\"{message}\">{body}</error>\n    </testcase>\n"
                )
            }
            Outcome::Skip | Outcome::NotApplicable => {
                self.skipped += 1;
                let outcome = check.outcome.word();
                write!(
                    self.cases,
                    ">\n      <skipped message=\"{outcome}: {message}\"/>\n    </testcase>\n"
                )
            }
            Outcome::Warn | Outcome::Info => {
                let (outcome, body) = (check.outcome.word(), body(check));
                write!(
                    self.cases,
                    ">\n      <system-out>{outcome}: {body}</system-out>\n    </testcase>\n"
                )
            }
        };
    }
}

/// A case for the verdict itself, where no check fails and yet the run did not pass: a report without
/// it would be green.
fn verdict(report: &Report) -> Suite {
    let element = if report.verdict == Verdict::Fail {
        "failure"
    } else {
        "error"
    };
    let word = words::verdict(report.verdict);
    let summary = attribute(&report.summary);
    Suite {
        tests: 1,
        failures: usize::from(report.verdict == Verdict::Fail),
        errors: usize::from(report.verdict == Verdict::None),
        skipped: 0,
        cases: format!(
            "    <testcase classname=\"mcp-verdict.verdict\" name=\"verdict\" time=\"0\">\n      \
             <{element} type=\"{word}\" message=\"{summary}\"/>\n    </testcase>\n"
        ),
    }
}

fn attribute(text: &str) -> String {
    safe::xml(&safe::terminal(&safe::truncate_bytes(text, ATTRIBUTE)))
}

fn body(check: &CheckResult) -> String {
    safe::xml(text::body(check).trim_end())
}
