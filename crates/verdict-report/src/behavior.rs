//! What several formats say of layer 1: strips of runs, rates, and which cases need a look.

use crate::words;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use verdict_model::Report;
use verdict_model::behavior::{
    Behavior, CallMade, CaseResult, Collision, Kind, Metric, ModelResult, Rate, Run, RunOutcome,
    Standing,
};
use verdict_model::report::Location;

/// Layer 1, where it was run.
pub(crate) fn behavior(report: &Report) -> Option<&Behavior> {
    report.layers.behavior.as_ref()
}

/// Short names of models, in their order: provider and address are left out where the names still differ. A baseline is
/// called one.
pub(crate) fn model_names(models: &[ModelResult]) -> Vec<String> {
    let models = models.iter();
    short_names(models.map(|model| (model.id.as_str(), model.is_baseline)))
}

/// The same of ids, each with whether it is a baseline.
pub(crate) fn short_names<'r>(models: impl Iterator<Item = (&'r str, bool)>) -> Vec<String> {
    let models: Vec<_> = models.collect();
    let short = |(id, _): &(&'r str, bool)| {
        let id = id.split('@').next().unwrap_or_default();
        id.split_once(':').map_or(id, |(_, name)| name)
    };
    let names: Vec<_> = models.iter().map(short).collect();
    let is_unique = |name: &&str| names.iter().filter(|other| *other == name).count() == 1;
    let shown = models.iter().zip(&names).map(|((id, is_baseline), name)| {
        let name = if is_unique(name) && !name.is_empty() {
            name
        } else {
            id
        };
        let end = if *is_baseline { " (baseline)" } else { "" };
        format!("{}{end}", crate::safe::truncate_bytes(name, 60))
    });
    shown.collect()
}

/// A case that some model did not always pass.
#[derive(Clone, Copy)]
pub(crate) struct Miss<'r> {
    pub(crate) model: &'r ModelResult,
    pub(crate) case: &'r CaseResult,
}

impl<'r> Miss<'r> {
    /// Whether it makes the verdict fail.
    pub(crate) fn is_red(self) -> bool {
        self.case.standing == Standing::Red && !self.model.is_baseline
    }

    /// Where the case stands, unless that leads out of the repository.
    pub(crate) fn location(self) -> Option<&'r Location> {
        let place = self.case.location.as_ref();
        place.filter(|place| crate::findings::is_inside(place))
    }

    /// `weather-basic on openai:x: 3 of 5 runs passed`.
    pub(crate) fn headline(self) -> String {
        format!(
            "{} on {}: {}",
            self.case.id,
            self.model.id,
            tally(self.case)
        )
    }
}

/// All misses: red ones first, then those of real models, then the baseline's.
pub(crate) fn misses(report: &Report) -> Vec<Miss<'_>> {
    let models = behavior(report).map_or(&[][..], |layer| &layer.models);
    let mut misses: Vec<_> = models
        .iter()
        .flat_map(|model| model.cases.iter().map(move |case| Miss { model, case }))
        .filter(|miss| !flawless(miss.case))
        .collect();
    misses.sort_by_key(|miss| {
        let invalid = miss.case.standing == Standing::Unknown;
        (!miss.is_red(), miss.model.is_baseline, invalid)
    });
    misses
}

/// The misses that make the verdict fail.
pub(crate) fn red_cases(report: &Report) -> Vec<Miss<'_>> {
    let all = misses(report).into_iter();
    all.filter(|miss| miss.is_red()).collect()
}

/// Whether every run passed.
pub(crate) fn flawless(case: &CaseResult) -> bool {
    let passed = |run: &Run| run.outcome == RunOutcome::Passed;
    !case.runs.is_empty() && case.runs.iter().all(passed)
}

/// One mark a run: `●` passed, `○` failed, `·` no run; a bar before each round of confirmations.
pub(crate) fn strip(case: &CaseResult) -> String {
    let mut out = String::new();
    let mut wave = 0;
    for run in case.runs.iter().take(60) {
        if run.wave != wave {
            wave = run.wave;
            out.push('|');
        }
        out.push(match run.outcome {
            RunOutcome::Passed => '●',
            RunOutcome::Failed => '○',
            RunOutcome::Invalid => '·',
        });
    }
    out
}

/// `3 of 5 runs passed`, and how many were no runs.
pub(crate) fn tally(case: &CaseResult) -> String {
    let count = |outcome| {
        case.runs
            .iter()
            .filter(|run| run.outcome == outcome)
            .count()
    };
    let (passed, failed) = (count(RunOutcome::Passed), count(RunOutcome::Failed));
    let mut out = match passed + failed {
        0 => "no valid run".to_owned(),
        1 => format!("{passed} of 1 run passed"),
        valid => format!("{passed} of {valid} runs passed"),
    };
    match count(RunOutcome::Invalid) {
        0 => {}
        invalid if passed + failed > 0 => {
            let _ = write!(out, ", {invalid} invalid");
        }
        invalid => {
            let _ = write!(out, " ({invalid} invalid)");
        }
    }
    out
}

/// The target of a kind, and whether it is met.
pub(crate) fn standing(case: &CaseResult) -> String {
    let target = match case.kind {
        Kind::Hard => "hard, every run",
        Kind::Soft => "soft, 4 of 5",
        Kind::Never => "never, in no run",
    };
    let state = match case.standing {
        Standing::Met => "met",
        Standing::Unstable => "unstable",
        Standing::Red => "not met",
        Standing::Unknown => "unknown",
    };
    format!("{target}: {state}")
}

/// A metric's name for people.
pub(crate) fn metric(metric: Metric) -> &'static str {
    match metric {
        Metric::Selection => "selection",
        Metric::OverTrigger => "over-trigger",
        Metric::Arguments => "arguments",
        Metric::Order => "order",
        Metric::Completion => "completion",
        Metric::Schema => "schema",
    }
}

/// `92.0 %`.
pub(crate) fn percent(share: Option<f64>) -> String {
    match share {
        Some(share) => format!("{:.1} %", share * 100.0),
        None => "none".to_owned(),
    }
}

/// `138 of 150, 86.4–95.5 %`.
pub(crate) fn basis(rate: &Rate) -> String {
    match rate.interval {
        Some([low, high]) => format!(
            "{} of {}, {:.1}–{:.1} %",
            rate.count,
            rate.of,
            low * 100.0,
            high * 100.0
        ),
        None => format!("{} of {}", rate.count, rate.of),
    }
}

/// Which words two tools share, in a sentence.
pub(crate) fn collision(pair: &Collision) -> String {
    let words = match &pair.shared[..] {
        [] => "share no word".to_owned(),
        shared => format!("share the words {}", shared.join(", ")),
    };
    format!(
        "{} was expected and {} was called; they {words}",
        pair.expected, pair.called
    )
}

/// What was called, in one line: `search_invoices(customer: "acme"), then email_invoice(id: "INV-7")`.
pub(crate) fn calls(run: &Run) -> String {
    if let Some(fault) = run.fault.as_ref().filter(|_| run.calls.is_empty()) {
        return fault.message.clone();
    }
    if run.calls.is_empty() {
        return "no call".to_owned();
    }
    let mut out = String::new();
    let mut turn = 0;
    for (index, call) in run.calls.iter().enumerate() {
        if index > 0 {
            out.push_str(if call.turn == turn {
                " and "
            } else {
                ", then "
            });
        }
        turn = call.turn;
        out.push_str(&one_call(call));
    }
    if let Some(fault) = &run.fault {
        out.extend(["; ", &fault.message]);
    }
    out
}

/// One call as in [`calls`].
pub(crate) fn one_call(call: &CallMade) -> String {
    let arguments = match &call.arguments {
        serde_json::Value::Object(map) => map
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect::<Vec<_>>()
            .join(", "),
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    format!("{}({arguments})", call.tool)
}

/// What the failed runs did, most frequent first, with the number of runs that did so.
pub(crate) fn doings(case: &CaseResult) -> Vec<(String, usize)> {
    let failed = case
        .runs
        .iter()
        .filter(|run| run.outcome != RunOutcome::Passed);
    let mut counted = BTreeMap::<String, usize>::new();
    for run in failed {
        *counted.entry(calls(run)).or_default() += 1;
    }
    let mut doings: Vec<_> = counted.into_iter().collect();
    doings.sort_by_key(|(_, runs)| std::cmp::Reverse(*runs));
    doings
}

/// What differed in the failed runs, each once: the tool and place, and the reason.
pub(crate) fn differences(case: &CaseResult) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for difference in case.runs.iter().flat_map(|run| &run.differences) {
        let missing = difference.expected.as_ref().and_then(|name| name.as_str());
        let missing = missing.filter(|_| difference.metric == Metric::Selection);
        let tool = difference.tool.as_deref().or(missing);
        let place = match (tool, &difference.pointer) {
            (Some(tool), Some(pointer)) if !pointer.is_empty() => format!("{tool} {pointer}: "),
            (Some(tool), _) => format!("{tool}: "),
            (None, Some(pointer)) if !pointer.is_empty() => format!("{pointer}: "),
            (None, _) => String::new(),
        };
        let text = format!("{place}{}", difference.message);
        if !told.contains(&text) {
            told.push(text);
        }
    }
    told
}

/// `163 calls, 150 of them reused, 81,204 tokens in and 3,110 out, 0.42 USD`.
pub(crate) fn effort(model: &ModelResult) -> String {
    let mut parts = vec![match model.calls {
        1 => "1 call".to_owned(),
        calls => format!("{} calls", words::number(calls)),
    }];
    if model.reused > 0 {
        parts.push(format!("{} of them reused", words::number(model.reused)));
    }
    if let Some(tokens) = model.tokens {
        parts.push(format!(
            "{} tokens in and {} out",
            words::number(tokens.input),
            words::number(tokens.output)
        ));
    }
    parts.push(match model.usd {
        Some(usd) => format!("{usd:.4} USD"),
        None => "price unknown".to_owned(),
    });
    parts.join(", ")
}

/// A miss in plain lines: what was expected, what came, what to mend.
pub(crate) fn explained(miss: Miss<'_>) -> String {
    let case = miss.case;
    let mut lines = vec![format!("expected {}", case.expected)];
    for (what, runs) in doings(case).into_iter().take(3) {
        lines.push(format!("got {what} in {runs} of {} runs", case.runs.len()));
    }
    lines.extend(differences(case).into_iter().take(3));
    if !case.advice.is_empty() {
        lines.push(format!("Mend: {}", case.advice));
    }
    lines.join("\n")
}
