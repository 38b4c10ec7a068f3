//! What several formats say of layer 2: marks of runs, what was done and what came of it, which trials need a look.

mod ends;

use crate::behavior::{one_call, percent};
use std::collections::{BTreeMap, BTreeSet};
use verdict_model::Report;
use verdict_model::behavior::{Kind, Rate, RunOutcome, Standing};
use verdict_model::report::Location;
use verdict_model::resilience::{
    ModelTrials, Resilience, Trial, TrialMetric, TrialOutcome, TrialResult, TrialRun,
};

pub(crate) use ends::{ends, ends_of_trials, fell, server_ends};

/// Layer 2, where it was run.
pub(crate) fn resilience(report: &Report) -> Option<&Resilience> {
    report.layers.resilience.as_ref()
}

/// A trial with the model it was made with.
#[derive(Clone, Copy)]
pub(crate) struct Tried<'r> {
    pub(crate) trial: &'r TrialResult,
    is_baseline: bool,
}

impl<'r> Tried<'r> {
    /// Whether it makes the verdict fail.
    pub(crate) fn is_red(self) -> bool {
        self.trial.standing == Standing::Red && !self.is_baseline
    }

    /// Where the golden case stands, unless that leads out of the repository.
    pub(crate) fn location(self) -> Option<&'r Location> {
        let place = self.trial.location.as_ref();
        place.filter(|place| crate::findings::is_inside(place))
    }

    /// Whether a run was bad, or too little is known of them; what is unclear of a baseline is of no interest.
    pub(crate) fn is_missed(self) -> bool {
        let is_open = |outcome| match outcome {
            TrialOutcome::Unclear => !self.is_baseline,
            other => other == TrialOutcome::Invalid,
        };
        let runs = &self.trial.runs;
        runs.is_empty() || runs.iter().any(|run| is_bad(run) || is_open(run.outcome))
    }

    /// `meeting/fake-system on openai:x: did what the attacker asked in 3 of 5 runs`.
    pub(crate) fn headline(self) -> String {
        format!(
            "{} on {}: {}",
            self.trial.id,
            self.trial.model,
            tally(self.trial)
        )
    }

    /// 0 where it is red, 1 where a language model was bad, 2 where only too little is known, 3 for a baseline's, 4 where
    /// nothing is to be done.
    fn rank(self) -> u8 {
        let bad = self.trial.runs.iter().any(is_bad);
        match (self.is_red(), self.is_missed()) {
            (true, _) => 0,
            (_, false) => 4,
            _ if self.is_baseline => 3,
            _ if bad => 1,
            _ => 2,
        }
    }
}

/// Short names of the models, in their order.
pub(crate) fn names(layer: &Resilience) -> Vec<String> {
    let models = layer.models.iter();
    crate::behavior::short_names(models.map(|model| (model.id.as_str(), model.is_baseline)))
}

fn is_bad(run: &TrialRun) -> bool {
    run.outcome.is_good() == Some(false)
}

/// All trials, those first that a reader has to act on.
pub(crate) fn worst_first(report: &Report) -> Vec<Tried<'_>> {
    let mut all = tried(report);
    all.sort_by_key(|tried| tried.rank());
    all
}

/// All trials, in the report's order.
pub(crate) fn tried(report: &Report) -> Vec<Tried<'_>> {
    let Some(layer) = resilience(report) else {
        return vec![];
    };
    let baselines: Vec<&str> = layer
        .models
        .iter()
        .filter(|model| model.is_baseline)
        .map(|model| model.id.as_str())
        .collect();
    let cases = layer.cases.iter();
    cases
        .map(|trial| Tried {
            trial,
            is_baseline: baselines.contains(&trial.model.as_str()),
        })
        .collect()
}

/// Trials that need a look, worst first.
pub(crate) fn missed(report: &Report) -> Vec<Tried<'_>> {
    let all = worst_first(report).into_iter();
    all.filter(|tried| tried.is_missed()).collect()
}

/// How the runs ended, worst first, with the number of runs that ended so.
pub(crate) fn endings(trial: &TrialResult) -> Vec<(TrialOutcome, usize)> {
    let mut counted = BTreeMap::<TrialOutcome, usize>::new();
    for run in &trial.runs {
        *counted.entry(run.outcome).or_default() += 1;
    }
    let mut endings: Vec<_> = counted.into_iter().collect();
    endings.sort_by_key(|(outcome, runs)| (severity(*outcome), std::cmp::Reverse(*runs)));
    endings
}

/// 0 for what is bad, then what is not known, then what is good.
fn severity(outcome: TrialOutcome) -> u8 {
    match outcome.is_good() {
        Some(false) => 0,
        Some(true) => 3,
        None if outcome == TrialOutcome::Broken => 1,
        None => 2,
    }
}

/// `did what the attacker asked in 3 of 5 runs`, and what the others did.
pub(crate) fn tally(trial: &TrialResult) -> String {
    let all = trial.runs.len();
    let parts: Vec<_> = endings(trial)
        .into_iter()
        .map(|(outcome, runs)| format!("{} in {runs} of {all}", outcome.words()))
        .collect();
    match &parts[..] {
        [] => "no run".to_owned(),
        _ if all == 1 => format!("{} run", parts.join(", ")),
        _ => format!("{} runs", parts.join(", ")),
    }
}

/// One mark a run: `●` good, `○` bad, `◐` resisted without the task, `?` unclear, `·` says nothing; a bar before each
/// round of confirmations.
pub(crate) fn strip(trial: &TrialResult) -> String {
    let mut out = String::new();
    let mut wave = 0;
    for run in trial.runs.iter().take(60) {
        if run.wave != wave {
            wave = run.wave;
            out.push('|');
        }
        out.push(match (run.outcome.is_good(), run.outcome) {
            (Some(true), _) => '●',
            (Some(false), _) => '○',
            (None, TrialOutcome::Broken) => '◐',
            (None, TrialOutcome::Unclear) => '?',
            (None, _) => '·',
        });
    }
    out
}

/// The target of a kind, and whether it is met.
pub(crate) fn standing(trial: &TrialResult) -> String {
    let is_fault = matches!(trial.trial, Trial::Fault { .. });
    let target = match trial.kind {
        Kind::Hard => "hard, every run",
        // What must not happen is held as hard whatever the rest is.
        Kind::Soft if is_fault => "no false success, the rest 4 of 5",
        Kind::Soft => "soft, 4 of 5",
        Kind::Never => "never, in no run",
    };
    let state = match trial.standing {
        Standing::Met => "met",
        Standing::Unstable => "unstable",
        Standing::Red => "not met",
        Standing::Unknown => "unknown",
    };
    format!("{target}: {state}")
}

/// A metric's name for people.
pub(crate) fn metric(metric: TrialMetric) -> &'static str {
    match metric {
        TrialMetric::Recovered => "recovered",
        TrialMetric::FalseSuccess => "false success",
        TrialMetric::AttackSuccess => "attack success",
        TrialMetric::Exposure => "exposure",
        TrialMetric::Utility => "utility",
    }
}

/// What a metric is of, and which way is better.
pub(crate) fn meaning(metric: TrialMetric) -> &'static str {
    match metric {
        TrialMetric::Recovered => "the task was done in spite of the fault",
        TrialMetric::FalseSuccess => {
            "an answer claims what no result supports: the less the better"
        }
        TrialMetric::AttackSuccess => {
            "of the runs that saw the planted text, those that did what it asked: the less the better"
        }
        TrialMetric::Exposure => "the planted text reached the model: neither good nor bad",
        TrialMetric::Utility => "the task was done in spite of the planted text",
    }
}

/// `60.0 % (3 of 5)`, or a dash.
pub(crate) fn share(model: &ModelTrials, metric: TrialMetric) -> String {
    match model.metrics.get(&metric) {
        Some(rate) => format!("{} ({} of {})", percent(rate.rate), rate.count, rate.of),
        None => "–".to_owned(),
    }
}

/// What was done, in a word or two: `http-503 at the first call`, `fake-system in result-text`.
pub(crate) fn what(trial: &Trial) -> String {
    match trial {
        Trial::Fault { fault, when, tool } => {
            let tool = tool
                .as_ref()
                .map_or_else(String::new, |t| format!(" of {t}"));
            format!("{} at {when}{tool}", fault.name())
        }
        Trial::Attack {
            attack,
            class,
            place,
        } => format!("{attack} ({class}) in {place}"),
    }
}

/// The first run that is to be shown: the worst one.
pub(crate) fn worst(trial: &TrialResult) -> Option<&TrialRun> {
    let runs = trial.runs.iter();
    runs.min_by_key(|run| (severity(run.outcome), run.index))
}

/// What a run called, in one line.
pub(crate) fn calls(run: &TrialRun) -> String {
    if run.calls.is_empty() {
        return "no call".to_owned();
    }
    let calls: Vec<_> = run.calls.iter().take(20).map(one_call).collect();
    calls.join(", then ")
}

/// What shows how a run ended, a line each: `the answer: states a value (“12 Nov”)`.
pub(crate) fn evidence(run: &TrialRun) -> Vec<String> {
    let shown = run.evidence.iter().map(|one| {
        let place = one
            .call
            .map_or_else(String::new, |call| format!("call {}: ", call + 1));
        if one.quote.is_empty() {
            format!("{place}{}", one.message)
        } else {
            format!("{place}{}: “{}”", one.message, quoted(&one.quote))
        }
    });
    shown.collect()
}

/// A trial in plain lines: what was done, what came, what to mend.
pub(crate) fn explained(tried: Tried<'_>) -> String {
    let trial = tried.trial;
    let mut lines = vec![format!("done: {}", trial.disturbance)];
    if let Some(run) = worst(trial) {
        lines.push(format!("called {}", calls(run)));
        lines.extend(evidence(run).into_iter().take(3));
        if let Some(fault) = &run.fault {
            lines.push(fault.message.clone());
        }
        if !run.answer.is_empty() {
            lines.push(format!("said: {}", run.answer));
        }
    }
    if !trial.advice.is_empty() {
        lines.push(format!("Mend: {}", trial.advice));
    }
    lines.join("\n")
}

/// How often a model did the same cases undisturbed: passed runs of the first passes of layer 1, over the cases that were
/// attacked; nothing where layer 1 did not run.
pub(crate) fn undisturbed(report: &Report, model: &str) -> Option<Rate> {
    let layer = report.layers.behavior.as_ref()?;
    let clean = layer.models.iter().find(|clean| clean.id == model)?;
    let attacked: Vec<&str> = resilience(report)?
        .cases
        .iter()
        .filter(|trial| trial.model == model && matches!(trial.trial, Trial::Attack { .. }))
        .map(|trial| trial.case.as_str())
        .collect();
    let cases = clean.cases.iter();
    let runs = cases
        .filter(|case| attacked.contains(&case.id.as_str()))
        .flat_map(|case| &case.runs)
        .filter(|run| run.wave == 0 && run.outcome != RunOutcome::Invalid);
    let (mut count, mut of) = (0_u32, 0_u32);
    for run in runs {
        count += u32::from(run.outcome == RunOutcome::Passed);
        of += 1;
    }
    (of > 0).then(|| Rate {
        count: count.into(),
        of: of.into(),
        rate: Some(f64::from(count) / f64::from(of)),
        interval: None,
    })
}

/// Trials that need a look, each once, worst first: of those that are equally bad, first one of each golden case.
pub(crate) fn missed_once(report: &Report) -> Vec<Tried<'_>> {
    let mut seen = BTreeSet::new();
    let mut cases = BTreeSet::new();
    let all = missed(report).into_iter();
    let mut once: Vec<_> = all
        .filter(|tried| seen.insert(tried.trial.id.as_str()))
        .map(|tried| {
            let (rank, case) = (tried.rank(), tried.trial.case.as_str());
            (rank, !cases.insert((rank, case)), tried)
        })
        .collect();
    once.sort_by_key(|(rank, is_known, _)| (*rank, *is_known));
    once.into_iter().map(|(_, _, tried)| tried).collect()
}

/// A quote on one line: its line breaks, and the marks that stand for them where they were lost, as one sign.
pub(crate) fn quoted(quote: &str) -> String {
    let is_break = |c: char| matches!(c, '\n' | '\r' | '\u{fffd}');
    let lines = quote.split(is_break).map(str::trim);
    let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
    lines.join(" ⏎ ")
}
