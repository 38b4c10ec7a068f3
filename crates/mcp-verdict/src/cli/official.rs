//! `mcp-verdict explain --official`: which of our checks stands for which check of the official suite.
//!
//! The table lies in `data/`: scenario, check of the suite, our checks, and where the two differ.

use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use verdict_core::conformance::all;
use verdict_model::State;

const TABLE: &str = include_str!("../../data/official-2026-07-28.tsv");

/// One check of the official suite.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    scenario: &'static str,
    official: &'static str,
    checks: Vec<Ours>,
    note: &'static str,
}

/// One check of ours.
#[derive(Debug, Serialize)]
struct Ours {
    id: &'static str,
    state: State,
}

/// The table, with the state of each of our checks in this build.
pub(crate) fn rows() -> Vec<Row> {
    let states: BTreeMap<&str, State> = all().map(|one| (one.rule.id, one.state)).collect();
    TABLE
        .lines()
        .map(|line| {
            let mut cells = line.split('\t');
            let mut cell = || cells.next().unwrap_or_default();
            let (scenario, official, ours, note) = (cell(), cell(), cell(), cell());
            let ours = ours.split(',').filter(|id| !id.is_empty());
            let checks = ours.map(|id| Ours {
                id,
                state: states.get(id).copied().unwrap_or(State::NotYet),
            });
            Row {
                scenario,
                official,
                checks: checks.collect(),
                note,
            }
        })
        .collect()
}

/// The table as people read it.
pub(crate) fn text(rows: &[Row]) -> String {
    let mut out = String::new();
    let mut scenario = "";
    for row in rows {
        if row.scenario != scenario {
            scenario = row.scenario;
            let _ = writeln!(out, "\n{scenario}");
        }
        let _ = writeln!(out, "  {}", row.official);
        let mut ours: Vec<String> = Vec::new();
        for check in &row.checks {
            ours.push(match check.state {
                State::Default => check.id.to_owned(),
                State::OptIn => format!("{} [opt-in]", check.id),
                State::Intrusive => format!("{} [intrusive]", check.id),
                State::Uncheckable => format!("{} [uncheckable]", check.id),
                State::NotYet => format!("{} [not yet]", check.id),
            });
        }
        let ours = if ours.is_empty() {
            "none".to_owned()
        } else {
            ours.join(", ")
        };
        let _ = match row.note {
            "" => writeln!(out, "      {ours}"),
            note => writeln!(out, "      {ours}; {note}"),
        };
    }
    let mapped = rows.iter().filter(|row| !row.checks.is_empty()).count();
    let _ = writeln!(
        out,
        "\n{} checks of the official suite, {mapped} of them with ours.",
        rows.len()
    );
    out.trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_official_check_that_needs_no_fixture_has_one_of_ours() {
        let rows = rows();
        assert_eq!(rows.len(), 154);
        for row in &rows {
            assert!(
                !row.official.is_empty()
                    && TABLE.lines().all(|line| line.matches('\t').count() == 3)
            );
            for check in &row.checks {
                assert_ne!(check.state, State::NotYet, "{}: {}", row.official, check.id);
            }
            let excused = [
                "needs a fixture tool",
                "a fault of its own",
                "a condition of its own",
                "about its own",
                "every call",
            ];
            let excused = excused.iter().any(|begin| row.note.starts_with(begin));
            assert_eq!(row.checks.is_empty(), excused, "{}", row.official);
        }
    }

    #[test]
    fn the_table_knows_every_official_id_that_a_rule_names() {
        let known: BTreeSet<&str> = rows().iter().map(|row| row.official).collect();
        for entry in all() {
            for id in entry.rule.official {
                assert!(known.contains(id), "{}: {id}", entry.rule.id);
            }
        }
    }

    #[test]
    fn what_is_printed() {
        let text = text(&rows());
        assert!(text.starts_with("server-stateless\n  sep-2575-request-meta-invalid-missing-meta\n      meta.missing-all\n"), "{text:.200}");
        assert!(text.contains("      tools.call-shape [opt-in]; needs a fixture there\n"));
    }
}
