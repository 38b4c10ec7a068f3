//! The report as GitHub Markdown, for job summaries and check runs.
//!
//! GitHub refuses a summary that is one byte too long, all of it. So the page is made of whole blocks,
//! each bounded and complete in itself, and blocks are left out from the least severe end.

mod behavior;
mod finding;
mod gate;
mod table;
mod telemetry;
mod trials;

use crate::findings::{checks, conformance, counts, is_problem, reasons, worst_first};
use crate::safe::{markdown_code, markdown_fence, markdown_inline, truncate_bytes};
use crate::words;
use finding::finding;
use serde::Deserialize;
use std::fmt::Write as _;
use table::{left_out, table};
use verdict_model::report::CheckResult;
use verdict_model::{Outcome, Report, Verdict};

/// Most bytes of a whole page: a step's summary may hold 1 MiB, and others may write to it too.
pub const SUMMARY_BYTES: usize = 1_000_000;

/// Most bytes of the `summary` and `text` of a check run.
pub const CHECK_RUN_BYTES: usize = 65_535;

/// Evidence items of one finding.
const ITEMS: usize = 3;
/// Bytes of a message, and of a request or response.
const MESSAGE: usize = 1_500;
const EXCERPT: usize = 2_000;
/// What the note about left-out findings may take.
const NOTE: usize = 200;
/// Bytes of a log.
const LOG: usize = 8_000;

/// What stands on a page beside the report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Aside {
    /// What a reader must know of the run, such as what was skipped and why.
    pub notes: Vec<String>,
    /// Where the whole report is shown.
    pub link: Option<String>,
    /// The last words of a server that never answered.
    pub log: Option<String>,
}

/// `report` as GitHub Markdown of at most `max_bytes` bytes.
///
/// Findings that do not fit are left out, least severe first, and the page says how many. Under a few
/// hundred bytes there is room for the verdict alone.
pub fn markdown_limited(report: &Report, max_bytes: usize) -> String {
    page(report, &Aside::default(), max_bytes)
}

/// Like [`markdown_limited`], with what stands beside the report.
pub fn page(report: &Report, aside: &Aside, max_bytes: usize) -> String {
    let mut page = Sheet {
        out: headline(report),
        max: max_bytes,
    };
    if page.out.len() > max_bytes {
        let short = format!("## {}\n", title(report.verdict));
        return if short.len() <= max_bytes {
            short
        } else {
            String::new()
        };
    }
    page.push(&beside(aside), NOTE);
    page.push(&facts(report), NOTE);
    let ordered = worst_first(checks(report));
    table(&mut page, &ordered);
    page.push(&assertions(report), NOTE);
    findings(&mut page, &ordered);
    gate::render(&mut page, report);
    trials::render(&mut page, report);
    behavior::render(&mut page, report);
    telemetry::render(&mut page, report);
    page.push(&coverage(report), 0);
    for (outcome, title) in [
        (Outcome::Skip, "not tried"),
        (Outcome::NotApplicable, "not offered by the server"),
    ] {
        page.push(&not_tried(&ordered, outcome, title), 0);
    }
    page.push(&passed(&ordered), 0);
    page.push(&hints(report), 0);
    page.push(&footer(report), 0);
    page.out
}

/// A page that takes a block whole or not at all.
struct Sheet {
    out: String,
    max: usize,
}

impl Sheet {
    /// Appends `block` behind a blank line if `reserve` bytes stay free after it.
    fn push(&mut self, block: &str, reserve: usize) -> bool {
        let fits = self.out.len() + 1 + block.len() + reserve <= self.max;
        if fits && !block.is_empty() {
            self.out.push('\n');
            self.out.push_str(block);
        }
        fits
    }

    fn used(&self) -> usize {
        self.out.len()
    }
}

fn inline(text: &str, max: usize) -> String {
    markdown_inline(&truncate_bytes(text, max))
}

fn title(verdict: Verdict) -> String {
    let icon = match verdict {
        Verdict::Pass => "✅",
        Verdict::Fail => "❌",
        Verdict::None => "🚫",
    };
    format!("{icon} {}", words::verdict(verdict))
}

fn icon(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "✅",
        Outcome::Fail => "❌",
        Outcome::Error => "🚫",
        Outcome::Warn => "🟡",
        Outcome::Info => "🔵",
        Outcome::Skip | Outcome::NotApplicable => "⚪",
    }
}

/// Icon and word that stay on one line in a narrow cell.
fn badge(outcome: Outcome) -> String {
    format!("{}\u{a0}{}", icon(outcome), outcome.word())
}

fn headline(report: &Report) -> String {
    let server = match &report.target.server_info {
        Some(_) => format!(": {}", inline(&words::server(&report.target), 200)),
        None => String::new(),
    };
    format!(
        "## {}{server}\n\n{}\n",
        title(report.verdict),
        inline(&report.summary, MESSAGE)
    )
}

fn facts(report: &Report) -> String {
    let mut out = String::new();
    if let Some(layer) = conformance(report) {
        let outcomes = words::COUNT_ORDER;
        let names: Vec<_> = outcomes.iter().map(|o| badge(*o)).collect();
        let numbers: Vec<_> = outcomes
            .iter()
            .map(|o| words::number(layer.counts.get(*o)))
            .collect();
        let _ = writeln!(out, "| {} |", names.join(" | "));
        let _ = writeln!(out, "|{}", "--:|".repeat(outcomes.len()));
        let _ = writeln!(out, "| {} |\n", numbers.join(" | "));
    }
    let mut parts = vec![
        markdown_code(&truncate_bytes(&words::endpoint(&report.target), 500)),
        inline(&words::era(&report.target), 100),
    ];
    parts.extend(words::effort(report));
    parts.extend(words::source(report).map(|source| inline(&source, 200)));
    parts.extend(words::uncounted(report).map(|text| format!("{text} (not counted)")));
    let _ = writeln!(out, "{}", parts.join(" · "));
    out
}

fn assertions(report: &Report) -> String {
    let checks = checks(report);
    if checks.iter().all(|check| check.assertion.is_none()) {
        return String::new();
    }
    let mut out = "### Headlines\n\n| | headline assertion | state | checks |\n|--:|---|---|---|\n"
        .to_owned();
    for (number, title) in (1_u8..).zip(words::ASSERTIONS) {
        let members: Vec<_> = checks
            .iter()
            .filter(|check| check.assertion == Some(number))
            .collect();
        let state = words::assertion_state(members.iter().copied().filter(|check| counts(check)));
        let state = state.map_or_else(|| "not checked".to_owned(), badge);
        let _ = writeln!(
            out,
            "| {number} | {title} | {state} | {} |",
            tally(&members)
        );
    }
    out
}

/// `2 fail, 9 pass, 1 not counted`, worst first.
fn tally(members: &[&CheckResult]) -> String {
    let mut parts = Vec::new();
    for outcome in Outcome::WORST_FIRST {
        let some = |check: &&&CheckResult| check.outcome == outcome && counts(check);
        match members.iter().filter(some).count() {
            0 => {}
            n => parts.push(format!("{n} {}", outcome.word())),
        }
    }
    match members.iter().filter(|check| !counts(check)).count() {
        0 => {}
        n => parts.push(format!("{n} not counted")),
    }
    parts.join(", ")
}

fn findings(page: &mut Sheet, ordered: &[&CheckResult]) {
    let shown: Vec<_> = ordered
        .iter()
        .filter(|check| is_problem(check) || check.outcome == Outcome::Info)
        .collect();
    if shown.is_empty() {
        return;
    }
    page.push("### Details\n", NOTE);
    for (index, check) in shown.iter().enumerate() {
        if !page.push(&finding(check), NOTE) {
            page.push(&left_out(&shown[index..], "details"), 0);
            return;
        }
    }
}

/// How much of the rules was really tried.
fn coverage(report: &Report) -> String {
    let Some(layer) = conformance(report) else {
        return String::new();
    };
    let (skipped, absent) = (
        layer.counts.get(Outcome::Skip),
        layer.counts.get(Outcome::NotApplicable),
    );
    let all = layer.checks.len() as u64;
    format!(
        "### Coverage\n\n{} of {} checks were tried. Not tried: {}. Not offered by the server: {}.\n",
        words::number(all.saturating_sub(skipped).saturating_sub(absent)),
        words::number(all),
        words::number(skipped),
        words::number(absent),
    )
}

/// Notes, the way to the whole report, and the last words of a server.
fn beside(aside: &Aside) -> String {
    let mut out = String::new();
    for note in aside.notes.iter().take(20) {
        let _ = writeln!(out, "- ℹ️ {}", inline(note, 600));
    }
    if let Some(url) = aside.link.as_deref().filter(|url| is_plain_link(url)) {
        let _ = writeln!(out, "- [The job summary]({url}) has the whole report.");
    }
    if let Some(log) = aside.log.as_deref().filter(|log| !log.trim().is_empty()) {
        let gap = if out.is_empty() { "" } else { "\n" };
        // What went wrong stands at the end.
        let start = log.len().saturating_sub(LOG);
        let start = (start..=log.len())
            .find(|at| log.is_char_boundary(*at))
            .unwrap_or(0);
        let _ = write!(
            out,
            "{gap}The last words of the server:\n\n{}",
            markdown_fence(log.get(start..).unwrap_or_default(), "text")
        );
    }
    out
}

/// Whether an address can stand in a link: the web, and nothing that Markdown reads.
fn is_plain_link(url: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/:#?=&%+".contains(c);
    (url.starts_with("https://") || url.starts_with("http://")) && url.chars().all(plain)
}

fn not_tried(ordered: &[&CheckResult], outcome: Outcome, title: &str) -> String {
    let groups = reasons(ordered, outcome);
    let total: usize = groups.iter().map(|(_, members)| members.len()).sum();
    if total == 0 {
        return String::new();
    }
    let mut out = format!(
        "<details>\n<summary>{} {} {title}</summary>\n\n",
        icon(outcome),
        words::number(total)
    );
    for (reason, members) in groups.iter().take(20) {
        let ids = ids(members.iter().copied(), members.len());
        let _ = writeln!(
            out,
            "- {}: {ids}",
            inline(reason.trim_end_matches('.'), 300)
        );
    }
    if groups.len() > 20 {
        let _ = writeln!(out, "- {} more reasons", words::number(groups.len() - 20));
    }
    out.push_str("\n</details>\n");
    out
}

fn passed(ordered: &[&CheckResult]) -> String {
    let passed = || {
        ordered
            .iter()
            .copied()
            .filter(|check| check.outcome == Outcome::Pass)
    };
    match passed().count() {
        0 => String::new(),
        total => format!(
            "<details>\n<summary>{} {} passed</summary>\n\n{}\n\n</details>\n",
            icon(Outcome::Pass),
            words::number(total),
            ids(passed(), total)
        ),
    }
}

fn ids<'a>(members: impl Iterator<Item = &'a CheckResult>, total: usize) -> String {
    const MOST: usize = 250;
    let shown: Vec<_> = members
        .take(MOST)
        .map(|check| markdown_code(&truncate_bytes(&check.id, 120)))
        .collect();
    let more = match total.saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {} more", words::number(more)),
    };
    format!("{}{more}", shown.join(", "))
}

fn hints(report: &Report) -> String {
    let hints = conformance(report).map_or(&[][..], |layer| &layer.hints);
    let mut out = String::new();
    for hint in hints.iter().take(20) {
        let _ = writeln!(out, "- 💡 {}", inline(hint, 400));
    }
    out
}

fn footer(report: &Report) -> String {
    format!("<sub>{}</sub>\n", inline(&words::generator(report), 200))
}
