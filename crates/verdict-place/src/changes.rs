//! The lines that a pull request changed, from what `git diff` or GitHub's API says.

use std::collections::BTreeMap;

/// Lines behind a name that still belong to what it names.
const BODY: u64 = 30;

/// Changed lines by file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// First and last line of each change, in the new file.
    files: BTreeMap<String, Vec<(u64, u64)>>,
}

impl Changes {
    /// Adds the hunks of one file, as the API gives them (`patch`).
    pub fn patch(&mut self, path: &str, hunks: &str) {
        let lines = self.files.entry(path.to_owned()).or_default();
        let mut now = 0;
        for line in hunks.lines() {
            if let Some(begin) = hunk(line) {
                now = begin;
                continue;
            }
            match line.bytes().next() {
                Some(b'+') => {
                    match lines.last_mut() {
                        Some((_, end)) if *end + 1 == now => *end = now,
                        _ => lines.push((now, now)),
                    }
                    now += 1;
                }
                Some(b'-' | b'\\') => {}
                _ => now += 1,
            }
        }
    }

    /// Adds the output of `git diff --no-color --no-prefix --unified=0`.
    pub fn diff(&mut self, diff: &str) {
        let mut path: Option<String> = None;
        let mut hunks = String::new();
        let mut header = true;
        for line in diff.lines().chain(["diff --git "]) {
            if line.starts_with("diff --git ") {
                if let Some(path) = path.take() {
                    self.patch(&path, &hunks);
                }
                hunks.clear();
                header = true;
            } else if let Some(name) = line.strip_prefix("+++ ").filter(|_| header) {
                let name = name.split('\t').next().unwrap_or_default();
                path = (name != "/dev/null").then(|| name.to_owned());
            } else {
                header &= !line.starts_with("@@");
                if !header {
                    hunks.push_str(line);
                    hunks.push('\n');
                }
            }
        }
    }

    /// Whether what begins on this line was changed.
    pub(crate) fn touch(&self, path: &str, line: u64) -> bool {
        self.files.get(path).is_some_and(|changes| {
            changes
                .iter()
                .any(|(from, to)| *from <= line + BODY && *to >= line)
        })
    }
}

/// The first line in the new file of `@@ -1,2 +3,4 @@`.
fn hunk(line: &str) -> Option<u64> {
    let rest = line.strip_prefix("@@ -")?;
    let (_, new) = rest.split_once(" +")?;
    let digits = new.split([',', ' ']).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_of_the_api_and_of_git() {
        let mut api = Changes::default();
        api.patch("a.ts", "@@ -10,4 +10,5 @@ x\n same\n-old\n+new\n+more\n same\n@@ -90 +91,2 @@\n+++x\n\\ No newline at end of file");
        assert_eq!(api.files.get("a.ts"), Some(&vec![(11, 12), (91, 91)]));
        let mut git = Changes::default();
        git.diff("diff --git a.ts a.ts\nindex 1..2 100644\n--- a.ts\n+++ a.ts\n@@ -11 +11,2 @@ x\n-old\n+new\n+more\n@@ -91,0 +91 @@\n+++ x\ndiff --git b b\n--- b\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
        assert_eq!(git.files.len(), 1);
        assert_eq!(git.files.get("a.ts"), Some(&vec![(11, 12), (91, 91)]));
        for (line, wanted) in [
            (12, true),
            (13, false),
            (60, false),
            (61, true),
            (91, true),
            (92, false),
        ] {
            assert_eq!(git.touch("a.ts", line), wanted, "{line}");
        }
        assert!(!git.touch("b", 1));
    }

    #[test]
    fn noise_is_no_change() {
        let mut changes = Changes::default();
        changes.diff("@@ -x +y @@\n+a\n\u{0}\n@@ -1 +99999999999999999999999 @@\n+a");
        changes.patch("x", "+a\n+b");
        assert_eq!(changes.files.get("x"), Some(&vec![(0, 1)]));
    }
}
