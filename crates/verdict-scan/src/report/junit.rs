//! The scan as `JUnit` XML: a case for each file with something in it, and one for all the others.

use super::{Outcome, ScanReport};
use crate::Severity;
use std::fmt::Write as _;
use verdict_report::safe;

pub(super) fn render(report: &ScanReport) -> String {
    let least = if report.deny_warnings {
        Severity::Warning
    } else {
        Severity::Error
    };
    let mut cases = String::new();
    let mut failures = 0;
    for file in &report.files {
        let path = safe::xml(&file.path);
        let _ = write!(
            cases,
            "    <testcase classname=\"mcp-verdict.scan\" name=\"{path}\" time=\"0\""
        );
        let lines = file.matches.iter().fold(String::new(), |mut lines, found| {
            let _ = writeln!(
                lines,
                "{}:{}: {}: {}: {}",
                found.line,
                found.column,
                found.severity.word(),
                found.pattern.id,
                found.pattern.finds
            );
            lines
        });
        let failed = file
            .matches
            .iter()
            .filter(|found| found.severity >= least)
            .count();
        let lines = safe::xml(&lines);
        if failed > 0 {
            failures += 1;
            let _ = writeln!(
                cases,
                ">\n      <failure message=\"{failed} to mend\">{lines}</failure>\n    </testcase>"
            );
        } else {
            let _ = writeln!(
                cases,
                ">\n      <system-out>{lines}</system-out>\n    </testcase>"
            );
        }
    }
    let others = if report.outcome() == Outcome::None {
        "><skipped message=\"there was no file to read\"/></testcase>"
    } else {
        "/>"
    };
    let skipped = usize::from(report.outcome() == Outcome::None);
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\"",
        report.files.len() + 1
    );
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"mcp-verdict\" {counts}>\n  \
         <testsuite name=\"scan\" {counts}>\n{cases}    \
         <testcase classname=\"mcp-verdict.scan\" name=\"all other files\" time=\"0\"{others}\n  \
         </testsuite>\n</testsuites>\n"
    )
}
