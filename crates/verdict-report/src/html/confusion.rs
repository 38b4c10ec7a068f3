//! Which tools are taken for one another: expected by called, summed over the language models.

use super::piece::{counted, text};
use crate::words;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use verdict_model::behavior::{Behavior, CaseResult, Metric, Run, RunOutcome};

/// Tools in a direction of the table: those with most confusion.
const TOOLS: usize = 14;
/// Pairs in the list below it.
const PAIRS: usize = 12;

/// Where no tool stands.
const NONE: &str = "";

type Counts<'r> = BTreeMap<(&'r str, &'r str), u64>;

/// Nothing where no tool was taken for another.
pub(super) fn section(layer: &Behavior) -> String {
    // A baseline is confused by words alone; it stands in only where there is nothing else.
    let only_baselines = layer.models.iter().all(|model| model.is_baseline);
    let mut counts = Counts::new();
    let mut unknown = 0_u64;
    let models = layer
        .models
        .iter()
        .filter(|model| !model.is_baseline || only_baselines);
    for case in models.flat_map(|model| &model.cases) {
        count(&mut counts, case, &mut unknown);
    }
    let wrong = |(expected, called): (&str, &str)| expected != called;
    if !counts.keys().any(|pair| wrong(*pair)) {
        return String::new();
    }
    let mut weight: BTreeMap<&str, u64> = BTreeMap::new();
    for ((expected, called), runs) in counts.iter().filter(|(pair, _)| wrong(**pair)) {
        *weight.entry(expected).or_default() += runs;
        *weight.entry(called).or_default() += runs;
    }
    let mut tools: Vec<(&str, u64)> = weight.into_iter().collect();
    tools.sort_by_key(|(name, runs)| (*name == NONE, std::cmp::Reverse(*runs)));
    let shown: Vec<_> = tools.iter().map(|(name, _)| *name).take(TOOLS).collect();
    let mut out = table(&shown, &counts);
    if tools.len() > TOOLS {
        let more = words::number(tools.len() - TOOLS);
        let _ = writeln!(
            out,
            "<p class=\"dim\">{more} more tools in the list and in the JSON report.</p>"
        );
    }
    if unknown > 0 {
        let runs = counted(unknown, "run");
        let _ = writeln!(
            out,
            "<p class=\"dim\">{runs} without a call are not in it: no run shows which tool was expected.</p>"
        );
    }
    out.push_str(&pairs(layer));
    out
}

fn count<'r>(counts: &mut Counts<'r>, case: &'r CaseResult, unknown: &mut u64) {
    for pair in &case.collisions {
        *counts.entry((&pair.expected, &pair.called)).or_default() += pair.runs;
    }
    let first = |run: &'r Run| run.calls.first().map(|call| call.tool.as_str());
    let right = |run: &&Run| run.scores.get(&Metric::Selection) == Some(&true);
    // A run without a call says itself which tool it lacks; else another run of the case may tell.
    let lacks = |run: &'r Run| {
        let all = run.differences.iter();
        let mut of_choice = all.filter(|difference| difference.metric == Metric::Selection);
        of_choice.find_map(|difference| match &difference.tool {
            Some(tool) => Some(tool.as_str()),
            // Of several names that would do, the first stands for them.
            None => difference.expected.as_ref()?.as_str()?.split(" or ").next(),
        })
    };
    let other = || {
        let pair = case.collisions.first().map(|pair| pair.expected.as_str());
        pair.or_else(|| case.runs.iter().find(right).and_then(first))
    };
    for run in case
        .runs
        .iter()
        .filter(|run| run.outcome != RunOutcome::Invalid)
    {
        match (
            run.scores.get(&Metric::OverTrigger),
            run.scores.get(&Metric::Selection),
        ) {
            (Some(true), _) => {
                *counts
                    .entry((NONE, first(run).unwrap_or(NONE)))
                    .or_default() += 1;
            }
            (Some(false), _) => *counts.entry((NONE, NONE)).or_default() += 1,
            (None, Some(true)) => {
                if let Some(tool) = first(run) {
                    *counts.entry((tool, tool)).or_default() += 1;
                }
            }
            (None, Some(false)) if run.calls.is_empty() => match lacks(run).or_else(other) {
                Some(tool) => *counts.entry((tool, NONE)).or_default() += 1,
                None => *unknown += 1,
            },
            (None, _) => {}
        }
    }
}

fn name(tool: &str) -> String {
    match tool {
        NONE => "<i>no call</i>".to_owned(),
        tool => text(tool, 60),
    }
}

/// The more runs, the darker; the right ones in another colour.
fn table(tools: &[&str], counts: &Counts<'_>) -> String {
    let most = counts
        .iter()
        .filter(|((expected, called), _)| expected != called)
        .map(|(_, runs)| *runs)
        .max()
        .unwrap_or(1);
    let mut out = "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Expected by called\"><table class=\"heat\">\n<thead><tr><th scope=\"col\">expected ↓ called →</th>".to_owned();
    for tool in tools {
        let _ = write!(out, "<th scope=\"col\"><span>{}</span></th>", name(tool));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for expected in tools {
        let _ = write!(out, "<tr><th scope=\"row\">{}</th>", name(expected));
        for called in tools {
            let Some(runs) = counts.get(&(*expected, *called)) else {
                out.push_str("<td></td>");
                continue;
            };
            let shown = words::number(*runs);
            if expected == called {
                let _ = write!(out, "<td class=\"right\">{shown}</td>");
            } else {
                let heat = 15 + runs * 65 / most.max(1);
                let _ = write!(
                    out,
                    "<td class=\"wrong\" style=\"--heat:{heat}%\">{shown}</td>"
                );
            }
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// The pairs with the words that they share: what to tell apart in the descriptions.
fn pairs(layer: &Behavior) -> String {
    let mut pairs: Vec<_> = layer
        .models
        .iter()
        .filter(|model| !model.is_baseline)
        .flat_map(|model| &model.cases)
        .flat_map(|case| &case.collisions)
        .collect();
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.runs));
    let mut told = std::collections::BTreeSet::new();
    let mut out = String::new();
    for pair in pairs {
        if !told.insert((&pair.expected, &pair.called)) || told.len() > PAIRS {
            continue;
        }
        let _ = write!(
            out,
            "<li>{}.</li>",
            text(&crate::behavior::collision(pair), 500)
        );
    }
    if out.is_empty() {
        return out;
    }
    format!("<ul class=\"plain\">{out}</ul>\n")
}
