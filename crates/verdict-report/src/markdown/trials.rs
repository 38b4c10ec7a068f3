//! Layer 2 as Markdown: rates by model, then each trial that went wrong as a block that opens.

use super::{MESSAGE, NOTE, Sheet, inline};
use crate::behavior::percent;
use crate::safe::{html_inline, markdown_code, truncate_bytes};
use crate::trials::{
    Tried, calls, ends_of_trials, evidence, meaning, metric, missed, resilience, server_ends,
    share, standing, tally, undisturbed, worst,
};
use crate::words;
use std::fmt::Write as _;
use verdict_model::resilience::{Resilience, TrialMetric};
use verdict_model::{Outcome, Report};

/// Trials that are told.
const MOST: usize = 60;

pub(super) fn render(page: &mut Sheet, report: &Report) {
    let Some(layer) = resilience(report) else {
        return;
    };
    let head = if layer.cases.is_empty() {
        "### Resilience\n\n".to_owned()
    } else {
        rates(report, layer)
    };
    page.push(&head, NOTE);
    let missed = missed(report);
    for (index, tried) in missed.iter().enumerate() {
        if index == MOST || !page.push(&told(*tried), NOTE) {
            let more = words::number(missed.len() - index);
            let text =
                format!("**{more} more trials** did not fit here; the JSON report has all.\n");
            page.push(&text, 0);
            break;
        }
    }
    page.push(&server(layer), 0);
    let mut notes = String::new();
    for note in layer.notes.iter().take(20) {
        let _ = writeln!(notes, "- ℹ️ {}", inline(note, 600));
    }
    page.push(&notes, 0);
}

fn cell(text: &str, most: usize) -> String {
    inline(text, most).replace('|', "\\|")
}

fn rates(report: &Report, layer: &Resilience) -> String {
    let mut out = format!(
        "### Resilience\n\n{} · {} · {}\n\n|",
        markdown_code(&truncate_bytes(&layer.golden.path, 200)),
        ends_of_trials(report).unwrap_or_default(),
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
    for key in TrialMetric::ALL {
        if models.iter().all(|model| !model.metrics.contains_key(&key)) {
            continue;
        }
        let _ = write!(out, "| {} <sub>{}</sub>", metric(key), meaning(key));
        for model in models {
            let _ = write!(out, " | {}", share(model, key));
        }
        out.push_str(" |\n");
    }
    let clean: Vec<_> = models
        .iter()
        .map(|model| undisturbed(report, &model.id))
        .collect();
    if clean.iter().any(Option::is_some) {
        out.push_str("| undisturbed <sub>the same cases in layer 1</sub>");
        for rate in clean {
            match rate {
                Some(rate) => {
                    let share = percent(rate.rate);
                    let _ = write!(out, " | {share} ({} of {})", rate.count, rate.of);
                }
                None => out.push_str(" | "),
            }
        }
        out.push_str(" |\n");
    }
    out
}

fn told(tried: Tried<'_>) -> String {
    let trial = tried.trial;
    let icon = if tried.is_red() { "❌" } else { "🟡" };
    let mut out = format!(
        "<details>\n<summary>{icon} <b>{}</b> on {}: {} ({})</summary>\n",
        html_inline(&truncate_bytes(&trial.id, 120)),
        html_inline(&truncate_bytes(&trial.model, 120)),
        tally(trial),
        standing(trial)
    );
    let _ = writeln!(out, "\n**Prompt:** {}", inline(&trial.prompt, MESSAGE));
    let _ = writeln!(
        out,
        "\n**Done to it:** {}",
        inline(&trial.disturbance, MESSAGE)
    );
    if let Some(run) = worst(trial) {
        let _ = writeln!(
            out,
            "\n**Called:** {}",
            markdown_code(&truncate_bytes(&calls(run), 600))
        );
        for text in evidence(run).iter().take(4) {
            let _ = writeln!(out, "\n**Shown by:** {}", inline(text, 600));
        }
        if let Some(fault) = &run.fault {
            let _ = writeln!(out, "\n**Fault:** {}", inline(&fault.message, 400));
        }
        if !run.answer.is_empty() {
            let _ = writeln!(
                out,
                "\n**Said:** {}",
                markdown_code(&truncate_bytes(&run.answer, 600))
            );
        }
    }
    if !trial.advice.is_empty() {
        let _ = writeln!(out, "\n**Mend:** {}", inline(&trial.advice, 600));
    }
    out.push_str("\n</details>\n");
    out
}

/// What the server did when it was treated badly.
fn server(layer: &Resilience) -> String {
    if layer.server.is_empty() {
        return String::new();
    }
    let ends = server_ends(layer).unwrap_or_default();
    let mut out = format!("#### The server itself\n\n{ends}\n\n");
    for one in layer.server.iter().take(60) {
        let icon = super::icon(one.outcome);
        let _ = write!(
            out,
            "- {icon} **{}**: {}: {}",
            inline(&one.id, 80),
            inline(&one.title, 200),
            inline(&one.message, 1_000)
        );
        if matches!(one.outcome, Outcome::Fail | Outcome::Warn) && !one.fix.is_empty() {
            let _ = write!(out, " Mend: {}", inline(&one.fix, 400));
        }
        out.push('\n');
    }
    out
}
