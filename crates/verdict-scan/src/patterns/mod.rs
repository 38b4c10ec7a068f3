//! What is looked for: one table a section of the migration list, 58 rows in all.

mod codes;
mod connection;
mod http;
mod messages;
mod results;
mod tasks;

use crate::judge;
use crate::pattern::{Languages, Pattern, Severity, Trigger};

const COUNT: usize = 58;

/// All patterns, in the order of the migration list.
pub static PATTERNS: [&Pattern; COUNT] = joined();

/// What most patterns have in common.
const BASE: Pattern = Pattern {
    id: "",
    finds: "",
    old: "",
    new: "",
    severity: Severity::Error,
    spec: "changelog",
    languages: Languages::All,
    triggers: &[],
    judge: judge::plain,
    kept_for_old_peers: true,
    once: false,
};

const fn joined() -> [&'static Pattern; COUNT] {
    let tables: [&'static [Pattern]; 6] = [
        &connection::TABLE,
        &messages::TABLE,
        &results::TABLE,
        &codes::TABLE,
        &http::TABLE,
        &tasks::TABLE,
    ];
    let mut all = [&BASE_ROW; COUNT];
    let (mut table, mut place) = (0, 0);
    while table < tables.len() {
        let mut row = 0;
        while row < tables[table].len() {
            all[place] = &tables[table][row];
            place += 1;
            row += 1;
        }
        table += 1;
    }
    assert!(place == COUNT, "the tables hold 58 rows");
    all
}

static BASE_ROW: Pattern = BASE;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_complete_and_unlike() {
        let mut ids: Vec<_> = PATTERNS.iter().map(|pattern| pattern.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 58);
        for pattern in PATTERNS {
            assert!(pattern.id.starts_with("scan."), "{}", pattern.id);
            for text in [pattern.finds, pattern.old, pattern.new, pattern.spec] {
                assert!(!text.is_empty(), "{}", pattern.id);
            }
            assert!(!pattern.triggers.is_empty(), "{}", pattern.id);
        }
    }
}
