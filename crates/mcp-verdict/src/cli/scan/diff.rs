//! Safe renames, and the diff that shows them.

use std::fmt::Write as _;
use verdict_report::safe;
use verdict_scan::Mend;

/// Lines around a change.
const CONTEXT: usize = 3;

/// `text` with all mends made; nothing if one does not fit, since the file is then another one.
pub(super) fn mended(text: &str, mends: &[Mend]) -> Option<String> {
    let mut mends: Vec<_> = mends.to_vec();
    mends.sort_by_key(|mend| mend.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for mend in mends {
        let old = text.get(mend.start..mend.end)?;
        // All renames are of negative codes.
        if !old.starts_with("-32") || mend.start < at {
            return None;
        }
        out.push_str(text.get(at..mend.start)?);
        out.push_str(mend.replacement);
        at = mend.end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

/// A unified diff between two texts with the same number of lines; empty if they are equal.
pub(super) fn unified(path: &str, before: &str, after: &str) -> String {
    let old: Vec<_> = before.lines().collect();
    let new: Vec<_> = after.lines().collect();
    let changed: Vec<usize> = (0..old.len())
        .filter(|line| old.get(*line) != new.get(*line))
        .collect();
    if changed.is_empty() {
        return String::new();
    }
    let path = safe::terminal(path);
    let mut out = format!("--- a/{path}\n+++ b/{path}\n");
    for hunk in hunks(&changed) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
            continue;
        };
        let from = first.saturating_sub(CONTEXT);
        let to = (last + CONTEXT + 1).min(old.len());
        let _ = writeln!(out, "@@ -{0},{1} +{0},{1} @@", from + 1, to - from);
        for line in from..to {
            let (was, is) = (old.get(line), new.get(line));
            let shown = |line: Option<&&str>| {
                safe::terminal(&line.copied().unwrap_or_default().replace('\t', "    "))
            };
            if was == is {
                let _ = writeln!(out, " {}", shown(was));
            } else {
                let _ = writeln!(out, "-{}\n+{}", shown(was), shown(is));
            }
        }
    }
    out
}

/// Changed lines in groups whose contexts touch.
fn hunks(changed: &[usize]) -> Vec<Vec<usize>> {
    let mut hunks: Vec<Vec<usize>> = Vec::new();
    for line in changed {
        match hunks.last_mut() {
            Some(hunk) if hunk.last().is_some_and(|last| line - last <= 2 * CONTEXT) => {
                hunk.push(*line);
            }
            _ => hunks.push(vec![*line]),
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEND: Mend = Mend {
        start: 2,
        end: 8,
        replacement: "-32020",
    };

    #[test]
    fn renames_are_made_and_shown() {
        let before = "(\n-32001\n)\n";
        let after = mended(before, &[MEND]).unwrap();
        assert_eq!(after, "(\n-32020\n)\n");
        assert_eq!(
            unified("a.ts", before, &after),
            "--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,3 @@\n (\n--32001\n+-32020\n )\n"
        );
    }

    #[test]
    fn another_text_is_left_alone() {
        assert_eq!(mended("other text", &[MEND]), None);
        assert_eq!(mended("(\n-32001", &[MEND, MEND]), None);
        assert_eq!(unified("a", "x\n", "x\n"), "");
    }
}
