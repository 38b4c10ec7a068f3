//! Every case by every model: a strip of marks, one a run, that opens to what happened in the runs.

use super::piece::{fold, text};
use super::runs;
use crate::behavior::model_names;
use crate::behavior::{Miss, behavior, flawless, tally};
use crate::words;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use verdict_model::Report;
use verdict_model::behavior::{Behavior, CaseResult, RunOutcome};

/// Rows that stand together; further ones are folded.
const PAGE: usize = 100;
/// Rows of the page; a report from a file may hold any number.
const ROWS: usize = 10_000;
/// Bytes of opened cases for each cell of the matrix, and the limits of their sum.
const CELL: usize = 2_300;
const LEAST: usize = 200_000;
const MOST: usize = 1_500_000;

/// A case with what each model did, in the order of the models.
pub(super) struct Row<'r> {
    index: usize,
    pub(super) id: &'r str,
    pub(super) cells: Vec<Option<Miss<'r>>>,
}

impl<'r> Row<'r> {
    /// What it says of the case itself: the same for all models.
    pub(super) fn case(&self) -> Option<&'r CaseResult> {
        self.cells.iter().flatten().map(|cell| cell.case).next()
    }

    /// 0 red, 1 missed by a model, 2 missed by a baseline alone, 3 passed by all.
    fn rank(&self) -> u8 {
        let rank = |cell: &Miss<'_>| match (cell.is_red(), flawless(cell.case)) {
            (true, _) => 0,
            (_, true) => 3,
            _ if cell.model.is_baseline => 2,
            _ => 1,
        };
        self.cells.iter().flatten().map(rank).min().unwrap_or(3)
    }
}

/// The cases of all models, in the order of the set.
fn rows(layer: &Behavior) -> Vec<Row<'_>> {
    let mut order: BTreeMap<&str, usize> = BTreeMap::new();
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (place, model) in layer.models.iter().enumerate() {
        for case in &model.cases {
            let index = *order.entry(case.id.as_str()).or_insert_with(|| {
                rows.push(Row {
                    index: rows.len(),
                    id: &case.id,
                    cells: vec![None; layer.models.len()],
                });
                rows.len() - 1
            });
            let cell = rows.get_mut(index).and_then(|row| row.cells.get_mut(place));
            if let Some(cell) = cell {
                *cell = Some(Miss { model, case });
            }
        }
    }
    rows
}

/// The anchor of a case on the page.
pub(super) fn anchor(report: &Report, id: &str) -> String {
    let rows = behavior(report).map(rows).unwrap_or_default();
    let index = rows.iter().position(|row| row.id == id);
    // A case that is not in this run has no place of its own.
    index.map_or_else(|| "cases".to_owned(), |index| format!("case-{index}"))
}

pub(super) fn section(report: &Report, layer: &Behavior) -> String {
    let names: Vec<_> = model_names(&layer.models)
        .iter()
        .map(|name| text(name, 100))
        .collect();
    let mut rows = rows(layer);
    let cells = rows.len() * names.len();
    rows.sort_by_key(Row::rank);
    let (missed, passed): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.rank() < 3);
    let mut room = (cells * CELL).clamp(LEAST, MOST);
    let ends = words::ends_of_cases(report);
    let mut out = format!(
        "<p>{ends}. A mark is a run: <span class=\"strip\"><i class=\"p\"></i></span> passed, <span class=\"strip\"><i class=\"f\"></i></span> failed, <span class=\"strip\"><i class=\"v\"></i></span> not a run (provider, server or budget). A gap comes before confirmations. Open a case to see its runs.</p>\n<div class=\"matrix\" style=\"--models:{}\">\n<p class=\"row head\" aria-hidden=\"true\"><span></span><span>Case</span>",
        names.len()
    );
    for name in &names {
        let _ = write!(out, "<span>{name}</span>");
    }
    out.push_str("</p>\n");
    let mut pages = Pages {
        names: &names,
        room: &mut room,
        left: ROWS,
    };
    out.push_str(&pages.all(&missed, "missed cases", true));
    out.push_str(&pages.all(&passed, "cases that every model passed in every run", false));
    let left = rows.len().saturating_sub(ROWS);
    if left > 0 {
        let left = words::number(left);
        let _ = writeln!(
            out,
            "<p class=\"dim\">{left} more cases; the JSON report has all.</p>"
        );
    }
    out.push_str("</div>\n");
    out
}

struct Pages<'p> {
    names: &'p [String],
    /// Bytes that opened cases may still take.
    room: &'p mut usize,
    /// Rows that may still be written.
    left: usize,
}

impl Pages<'_> {
    /// Rows in folds of a hundred; the first stands open where it is what the reader came for.
    fn all(&mut self, rows: &[&Row<'_>], what: &str, is_open: bool) -> String {
        let rows = rows.get(..rows.len().min(self.left)).unwrap_or_default();
        self.left -= rows.len();
        let mut out = String::new();
        for (number, page) in rows.chunks(PAGE).enumerate() {
            let mut body = String::new();
            for row in page {
                self.row(&mut body, row);
            }
            if is_open && number == 0 {
                out.push_str(&body);
                continue;
            }
            let head = if rows.len() <= PAGE {
                format!("{} {what}", words::number(rows.len()))
            } else {
                let from = number * PAGE;
                format!(
                    "{}–{} of {} {what}",
                    words::number(from + 1),
                    words::number(from + page.len()),
                    words::number(rows.len())
                )
            };
            out.push_str(&fold("page", false, &head, &body));
        }
        out
    }

    fn row(&mut self, out: &mut String, row: &Row<'_>) {
        let _ = write!(
            out,
            "<details class=\"case\" id=\"case-{}\"><summary class=\"row\"><b>{}</b>",
            row.index,
            text(row.id, 120)
        );
        for (name, cell) in self.names.iter().zip(&row.cells) {
            let Some(cell) = cell else {
                out.push_str("<span class=\"cell\"></span>");
                continue;
            };
            let red = if cell.is_red() { " <em>red</em>" } else { "" };
            let _ = write!(
                out,
                "<span class=\"cell\"><span class=\"who\">{name}</span>{}<span class=\"heard\">{}</span>{red}</span>",
                strip(cell.case),
                tally(cell.case)
            );
        }
        out.push_str("</summary>\n");
        let body = runs::opened(row, self.names);
        if let Some(left) = self.room.checked_sub(body.len()) {
            *self.room = left;
            out.push_str(&body);
        } else {
            out.push_str(
                "<p class=\"opened dim\">This page is full; the runs of this case are in the JSON report.</p>",
            );
        }
        out.push_str("</details>\n");
    }
}

/// Marks of runs, equal neighbours as one element.
fn strip(case: &CaseResult) -> String {
    let mut groups: Vec<(&str, u32, usize)> = Vec::new();
    for run in case.runs.iter().take(60) {
        let class = match run.outcome {
            RunOutcome::Passed => "p",
            RunOutcome::Failed => "f",
            RunOutcome::Invalid => "v",
        };
        match groups.last_mut() {
            Some((last, wave, count)) if *last == class && *wave == run.wave => *count += 1,
            _ => groups.push((class, run.wave, 1)),
        }
    }
    let mut out = "<span class=\"strip\">".to_owned();
    let mut wave = 0;
    for (class, its_wave, count) in groups {
        if its_wave != wave {
            wave = its_wave;
            out.push_str("<i class=\"w\"></i>");
        }
        let _ = match count {
            1 => write!(out, "<i class=\"{class}\"></i>"),
            _ => write!(out, "<i class=\"{class}\" style=\"--n:{count}\"></i>"),
        };
    }
    out.push_str("</span>");
    out
}
