//! Layer 1 as Markdown: rates by model, the matrix, and each miss as a block that opens.

use super::{MESSAGE, NOTE, Sheet, inline};
use crate::behavior::{
    Miss, basis, behavior, collision, differences, doings, effort, flawless, metric, misses,
    percent, standing, strip, tally,
};
use crate::safe::{html_inline, markdown_code, truncate_bytes};
use crate::words;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use verdict_model::Report;
use verdict_model::behavior::{Behavior, CaseResult, Metric};

/// Misses that are told in full.
const MOST: usize = 60;

pub(super) fn render(page: &mut Sheet, report: &Report) {
    let Some(layer) = behavior(report) else {
        return;
    };
    page.push(&rates(layer), NOTE);
    let misses = misses(report);
    page.push(&matrix(layer), NOTE);
    for (index, miss) in misses.iter().enumerate() {
        if index == MOST || !page.push(&told(*miss), NOTE) {
            let more = words::number(misses.len() - index);
            let text = format!(
                "**{more} more missed cases** did not fit here; the JSON report has all.\n"
            );
            page.push(&text, 0);
            break;
        }
    }
    let mut notes = String::new();
    for note in layer.notes.iter().take(20) {
        let _ = writeln!(notes, "- ℹ️ {}", inline(note, 600));
    }
    page.push(&notes, 0);
}

fn cell(text: &str, most: usize) -> String {
    inline(text, most).replace('|', "\\|")
}

fn rates(layer: &Behavior) -> String {
    let mut out = format!(
        "### Behaviour\n\n{} · {} cases · {}\n\n|",
        markdown_code(&truncate_bytes(&layer.golden.path, 200)),
        words::number(layer.golden.cases),
        words::duration(layer.duration_ms)
    );
    let models = layer.models.get(..8).unwrap_or(&layer.models);
    for model in models {
        let mark = if model.is_baseline {
            " (baseline, no language model)"
        } else {
            ""
        };
        let _ = write!(out, " | {}{mark}", cell(&model.id, 120));
    }
    let _ = write!(out, " |\n|---|{}\n", "---|".repeat(models.len()));
    for key in Metric::ALL {
        if models.iter().all(|model| !model.metrics.contains_key(&key)) {
            continue;
        }
        let less = if key == Metric::OverTrigger {
            ", the less the better"
        } else {
            ""
        };
        let _ = write!(out, "| {}{less}", metric(key));
        for model in models {
            match model.metrics.get(&key) {
                Some(rate) => {
                    let _ = write!(
                        out,
                        " | **{}** <sub>{}</sub>",
                        percent(rate.rate),
                        basis(rate)
                    );
                }
                None => out.push_str(" | "),
            }
        }
        out.push_str(" |\n");
    }
    out.push_str("| effort");
    for model in models {
        let _ = write!(out, " | {}", effort(model));
    }
    out.push_str(" |\n");
    for model in models {
        for note in model.notes.iter().take(10) {
            let _ = write!(out, "\n- {}: {}", inline(&model.id, 120), inline(note, 400));
        }
    }
    out.push('\n');
    out
}

fn matrix(layer: &Behavior) -> String {
    let Some(first) = layer.models.first() else {
        return String::new();
    };
    let models = layer.models.get(..8).unwrap_or(&layer.models);
    let by_id: Vec<BTreeMap<&str, &CaseResult>> = models
        .iter()
        .map(|model| {
            model
                .cases
                .iter()
                .map(|case| (case.id.as_str(), case))
                .collect()
        })
        .collect();
    let mut rows = String::new();
    let (mut shown, mut fine) = (0, 0);
    for case in &first.cases {
        let all: Vec<_> = by_id
            .iter()
            .map(|cases| cases.get(case.id.as_str()).copied())
            .collect();
        if all.iter().flatten().all(|case| flawless(case)) {
            fine += 1;
            continue;
        }
        shown += 1;
        if shown > 200 {
            continue;
        }
        let _ = write!(rows, "| {}", cell(&case.id, 120));
        for case in all {
            let _ = write!(
                rows,
                " | {}",
                case.map_or_else(String::new, strip).replace('|', "\\|")
            );
        }
        rows.push_str(" |\n");
    }
    let passed = format!(
        "{} of {} cases passed every run.\n",
        words::number(fine),
        words::number(first.cases.len())
    );
    if rows.is_empty() {
        return passed;
    }
    let mut out = "| case".to_owned();
    for model in models {
        let _ = write!(out, " | {}", cell(&model.id, 120));
    }
    let _ = write!(
        out,
        " |\n|---|{}\n{rows}\n{passed}",
        "---|".repeat(models.len())
    );
    out
}

fn told(miss: Miss<'_>) -> String {
    let case = miss.case;
    let icon = if miss.is_red() { "❌" } else { "🟡" };
    let mut out = format!(
        "<details>\n<summary>{icon} <b>{}</b> on {}: {} ({})</summary>\n",
        html_inline(&truncate_bytes(&case.id, 120)),
        html_inline(&truncate_bytes(&miss.model.id, 120)),
        tally(case),
        standing(case)
    );
    let _ = writeln!(out, "\n**Prompt:** {}", inline(&case.prompt, MESSAGE));
    let _ = writeln!(
        out,
        "\n**Expected:** {}",
        markdown_code(&truncate_bytes(&case.expected, 600))
    );
    for (what, runs) in doings(case).into_iter().take(4) {
        let _ = writeln!(
            out,
            "\n**Got** in {runs} of {} runs: {}",
            case.runs.len(),
            markdown_code(&truncate_bytes(&what, 600))
        );
    }
    for text in differences(case).into_iter().take(6) {
        let _ = writeln!(out, "\n**Differs:** {}", inline(&text, 400));
    }
    for pair in case.collisions.iter().take(3) {
        let _ = writeln!(out, "\n**Collide:** {}", inline(&collision(pair), 500));
    }
    if !case.advice.is_empty() {
        let _ = writeln!(out, "\n**Mend:** {}", inline(&case.advice, 600));
    }
    out.push_str("\n</details>\n");
    out
}
