//! Writing a baseline: one line a case, a tool and an acceptance, so that a diff shows what moved.

use super::{Baseline, Suite};
use crate::gate::trials::TrialSuite;
use serde::Serialize;

impl Baseline {
    /// The text of the file; equal baselines give equal bytes.
    ///
    /// # Errors
    /// None that these types can cause; the encoder's own are handed on.
    pub fn to_text(&self) -> serde_json::Result<String> {
        let mut sorted = self.clone();
        sorted.sort();
        let origin = &sorted.origin;
        let mut members = vec![member("schema", &json(&sorted.schema)?)];
        for (name, value) in [
            ("sha", &origin.sha),
            ("at", &origin.at),
            ("branch", &origin.branch),
            ("config", &origin.config),
        ] {
            if let Some(value) = value {
                members.push(member(name, &json(value)?));
            }
        }
        let suites: Vec<String> = sorted.suites.iter().map(suite).collect::<Result<_, _>>()?;
        members.push(member("suites", &list(&suites, "  ")));
        if !sorted.trials.is_empty() {
            let trials = sorted.trials.iter().map(trial_suite);
            let trials: Vec<String> = trials.collect::<Result<_, _>>()?;
            members.push(member("trials", &list(&trials, "  ")));
        }
        members.push(member("accepted", &list(&lines(&sorted.accepted)?, "  ")));
        members.push(member("tools", &list(&lines(&sorted.tools)?, "  ")));
        Ok(format!("{{\n{}\n}}\n", members.join(",\n")))
    }
}

fn member(name: &str, value: &str) -> String {
    format!("  \"{name}\": {value}")
}

fn json(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(value)
}

fn lines(items: &[impl Serialize]) -> serde_json::Result<Vec<String>> {
    items.iter().map(json).collect()
}

/// A list with one item a line, indented by two more than `margin`.
fn list(items: &[String], margin: &str) -> String {
    if items.is_empty() {
        return "[]".to_owned();
    }
    let items: Vec<String> = items
        .iter()
        .map(|item| format!("{margin}  {item}"))
        .collect();
    format!("[\n{}\n{margin}]", items.join(",\n"))
}

/// The trials of a suite, as a suite is written.
fn trial_suite(suite: &TrialSuite) -> serde_json::Result<String> {
    let head = TrialSuite {
        cases: Vec::new(),
        ..suite.clone()
    };
    let head = json(&head)?;
    let head = head.strip_suffix("[]}").unwrap_or(&head);
    let cases = list(&lines(&suite.cases)?, "    ");
    Ok(format!("{head}{cases}}}"))
}

/// A suite: its key on one line, then one line a case.
fn suite(suite: &Suite) -> serde_json::Result<String> {
    let head = Suite {
        cases: Vec::new(),
        ..suite.clone()
    };
    let head = json(&head)?;
    let head = head.strip_suffix("[]}").unwrap_or(&head);
    let cases = list(&lines(&suite.cases)?, "    ");
    Ok(format!("{head}{cases}}}"))
}
