//! For a person at a terminal.

use super::{Outcome, ScanReport};
use crate::{Match, Severity};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use verdict_report::{Style, Verbosity, number, safe};

pub(super) fn render(report: &ScanReport, style: &Style) -> String {
    let mut page = Page {
        out: String::new(),
        style: *style,
    };
    page.headline(report);
    if style.verbosity == Verbosity::Quiet {
        page.short(report);
        return page.out;
    }
    page.matches(report);
    if style.verbosity == Verbosity::Normal {
        page.notes(report);
    }
    page.left_out(report);
    page.out
}

struct Page {
    out: String,
    style: Style,
}

impl Page {
    fn paint(&mut self, code: &str, text: &str) {
        if self.style.colour {
            let _ = write!(self.out, "\u{1b}[{code}m{text}\u{1b}[0m");
        } else {
            self.out.push_str(text);
        }
    }

    fn headline(&mut self, report: &ScanReport) {
        let (code, word) = match report.outcome() {
            Outcome::Pass => ("1;7;32", "PASS"),
            Outcome::Fail => ("1;7;31", "FAIL"),
            Outcome::None => ("1;7;35", "NO VERDICT"),
        };
        self.paint(code, word);
        self.out.push_str("  ");
        self.paint("1", &report.summary());
        self.out.push('\n');
    }

    /// One line a match, as compilers write them.
    fn short(&mut self, report: &ScanReport) {
        for (path, found) in places(report, Severity::Warning) {
            let _ = writeln!(self.out, "{}", place_line(path, found));
        }
    }

    fn matches(&mut self, report: &ScanReport) {
        let least = match self.style.verbosity {
            Verbosity::Verbose => Severity::Info,
            _ => Severity::Warning,
        };
        // What a pattern means is said once; after that its name is enough.
        let mut told = BTreeSet::new();
        for (path, found) in places(report, least) {
            self.out.push('\n');
            self.place(path, found);
            let excerpt = safe::terminal(&found.excerpt.replace('\t', " "));
            let _ = writeln!(
                self.out,
                "    | {}",
                cut(&excerpt, self.style.width.saturating_sub(6))
            );
            if told.insert(found.pattern.id) || self.style.verbosity == Verbosity::Verbose {
                self.sides(found);
            }
            if let Some(because) = found.because {
                let _ = writeln!(self.out, "    because: {because}");
            }
        }
    }

    fn place(&mut self, path: &str, found: &Match) {
        let place = format!("{}:{}:{}", safe::terminal(path), found.line, found.column);
        self.paint("1", &place);
        self.out.push_str("  ");
        let code = match found.severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
            Severity::Info => "36",
        };
        self.paint(code, found.severity.word());
        let _ = writeln!(self.out, "  {}  {}", found.pattern.id, found.pattern.finds);
    }

    /// Old and new, side by side as a diff shows them.
    fn sides(&mut self, found: &Match) {
        self.out.push_str("    ");
        self.paint("31", &format!("- {}", found.pattern.old));
        self.out.push_str("\n    ");
        self.paint("32", &format!("+ {}", found.pattern.new));
        let _ = writeln!(self.out, "\n    {}", found.pattern.spec_url());
    }

    /// Notes, counted by pattern: code for both eras has many, and wants them.
    fn notes(&mut self, report: &ScanReport) {
        let mut counts: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
        for (_, found) in places(report, Severity::Info) {
            if found.severity == Severity::Info {
                counts
                    .entry(found.pattern.id)
                    .or_insert((0, found.pattern.finds))
                    .0 += 1;
            }
        }
        if counts.is_empty() {
            return;
        }
        self.out.push_str("\nnotes (-v shows each):\n");
        for (id, (count, finds)) in counts {
            let _ = writeln!(self.out, "  {:>5}  {id}  {finds}", number(count));
        }
    }

    fn left_out(&mut self, report: &ScanReport) {
        self.out.push('\n');
        let _ = writeln!(
            self.out,
            "{} lines in {} files.",
            number(report.lines),
            number(report.read)
        );
        let left_out = report.left_out();
        if !left_out.is_empty() {
            let _ = writeln!(self.out, "Not looked at: {left_out}.");
        }
        if report.lossy > 0 {
            let _ = writeln!(
                self.out,
                "Files with bytes that are not UTF-8: {}; those bytes were replaced.",
                number(report.lossy)
            );
        }
        for (path, why) in report.unreadable.iter().take(20) {
            let _ = writeln!(
                self.out,
                "  {}{}{}",
                safe::terminal(path),
                if why.is_empty() { "" } else { ": " },
                safe::terminal(why)
            );
        }
        let mends = places(report, Severity::Info)
            .filter(|(_, found)| found.mend.is_some())
            .count();
        if mends > 0 {
            let _ = writeln!(
                self.out,
                "--fix shows {} safe renames as a diff.",
                number(mends)
            );
        }
    }
}

/// Matches of at least this severity, by path and line.
fn places(report: &ScanReport, least: Severity) -> impl Iterator<Item = (&str, &Match)> {
    report
        .files
        .iter()
        .flat_map(|file| file.matches.iter().map(|found| (file.path.as_str(), found)))
        .filter(move |(_, found)| found.severity >= least)
}

fn place_line(path: &str, found: &Match) -> String {
    format!(
        "{}:{}:{}: {}: {}: {}",
        safe::terminal(path),
        found.line,
        found.column,
        found.severity.word(),
        found.pattern.id,
        found.pattern.finds
    )
}

/// The beginning of a line, at most `width` characters.
fn cut(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let kept: String = line.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}…")
}
