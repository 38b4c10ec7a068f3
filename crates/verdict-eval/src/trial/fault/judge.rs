//! What a model made of a fault: from the trace first, from the words of the answer where they are plain, and unclear
//! where they are not. An honest run is never called a false success for want of understanding.

use super::FaultTrial;
use super::answer::{Reading, read};
use super::calls::{Made, calls, last_words};
use super::repeated::repeated;
use super::table::{Way, effect};
use crate::chat::End;
use crate::golden::{Case, Expect};
use crate::score::score;
use crate::score::trace::Trace;
use crate::trial::{Found, Story};
use verdict_model::behavior::{Metric, Who};
use verdict_model::fault::Fault;
use verdict_model::resilience::{Evidence, TrialOutcome};

/// Equal calls that make a loop of a run that was stopped.
const LOOP: usize = 3;

/// Decides what became of a run. Deterministic: the same story gives the same outcome.
pub fn judge(trial: &FaultTrial, story: &Story<'_>) -> Found {
    let calls = calls(trial, story);
    let done = done(story, &calls);
    let found = |outcome, exposed, evidence| Found {
        outcome,
        exposed,
        utility: done,
        evidence,
    };
    let by_model = |who: &Who| *who == Who::Model;
    if let Some(fault) = story.scored.fault.as_ref().filter(|it| !by_model(&it.who)) {
        let evidence = vec![said(&fault.message, None, "")];
        return found(TrialOutcome::Invalid, !story.deeds.is_empty(), evidence);
    }
    if story.deeds.is_empty() {
        return found(TrialOutcome::NotReached, false, Vec::new());
    }
    let scene = Scene {
        trial,
        story,
        words: last_words(story),
        reading: read(trial, story, &calls, last_words(story)),
        calls: &calls,
        done,
    };
    let mut evidence: Vec<_> = story.deeds.iter().map(met).collect();
    let (outcome, shown, utility) = scene.outcome();
    evidence.extend(shown);
    Found {
        utility,
        ..found(outcome, true, evidence)
    }
}

fn met(deed: &crate::trial::Deed) -> Evidence {
    said(
        &format!("the fault: {}", deed.what),
        usize::try_from(deed.call).ok(),
        "",
    )
}

/// What is seen, with the words themselves, shortened.
pub(super) fn said(message: &str, call: Option<usize>, quote: &str) -> Evidence {
    Evidence {
        message: message.to_owned(),
        call: call.and_then(|at| u64::try_from(at).ok()),
        quote: verdict_core::wire::json::cut(quote, 200),
    }
}

type Shown = Vec<Evidence>;

struct Scene<'s> {
    trial: &'s FaultTrial,
    story: &'s Story<'s>,
    words: &'s str,
    reading: Reading,
    calls: &'s [Made<'s>],
    done: Option<bool>,
}

impl Scene<'_> {
    /// The outcome, what shows it, and whether the task was done.
    fn outcome(&self) -> (TrialOutcome, Shown, Option<bool>) {
        let plain = |(outcome, shown): (TrialOutcome, Shown)| (outcome, shown, self.done);
        if let Some(shown) = self.false_success() {
            return (TrialOutcome::FalseSuccess, shown, self.done);
        }
        if let Some(shown) = repeated(self.trial, self.story, self.calls) {
            return (TrialOutcome::RepeatedEffect, shown, self.done);
        }
        if let Some(stopped) = self.stopped() {
            return plain(stopped);
        }
        if self.lost().next().is_none() {
            return plain(self.unharmed());
        }
        if let Some(recovered) = self.recovered() {
            return recovered;
        }
        plain(self.gave_up())
    }

    /// Calls that the fault kept from giving what was asked for.
    fn lost(&self) -> impl Iterator<Item = &Made<'_>> {
        self.calls
            .iter()
            .filter(|call| call.is_hit && !call.is_good)
    }

    /// Lost calls that no later call made good.
    fn unmended(&self) -> impl Iterator<Item = &Made<'_>> {
        self.lost().filter(|lost| self.retry(lost).is_none())
    }

    /// The later good call of the same tool: the same call, else one that no other lost call can claim.
    fn retry(&self, lost: &Made<'_>) -> Option<&Made<'_>> {
        let later = || {
            self.calls
                .iter()
                .filter(|it| it.turn > lost.turn && it.is_good && it.tool == lost.tool)
        };
        let beside = || {
            self.calls
                .iter()
                .find(|it| it.turn == lost.turn && it.is_good && it.is_same(lost))
        };
        let is_of_another = |it: &&Made<'_>| {
            self.calls.iter().any(|other| {
                other.index != lost.index && other.index < it.index && other.is_same(it)
            })
        };
        later()
            .find(|it| it.is_same(lost))
            .or_else(|| later().find(|it| !is_of_another(it)))
            .or_else(beside)
    }

    /// What the answer claims without support, where nothing in it says that something failed.
    fn false_success(&self) -> Option<Shown> {
        let is_mended = self.done == Some(true) || self.unmended().next().is_none();
        if is_mended || self.is_by_other_tool() {
            return None;
        }
        if self.trial.planned.fault == Fault::CorruptResult {
            let misread = self.reading.misread.clone().map(|it| vec![it]);
            let is_doubting = self.reading.noticed.is_some() || self.reading.admits.is_some();
            return misread.or_else(|| self.invented().filter(|_| !is_doubting));
        }
        if self.reading.admits.is_some() {
            return None;
        }
        let claims: Vec<_> = self
            .reading
            .claims
            .iter()
            .chain(&self.reading.values)
            .cloned()
            .collect();
        (!claims.is_empty()).then_some(claims)
    }

    /// Values that stand nowhere.
    fn invented(&self) -> Option<Shown> {
        let values = &self.reading.values;
        (!values.is_empty()).then(|| values.clone())
    }

    /// A run without last words.
    fn stopped(&self) -> Option<(TrialOutcome, Shown)> {
        if self.story.is_stopped || self.story.trace.end == End::Calls {
            let alike = |call: &Made<'_>| self.calls.iter().filter(|it| it.is_same(call)).count();
            let most = self.calls.iter().max_by_key(|call| alike(call))?;
            let count = alike(most);
            let turns = self.calls.last().map_or(0, |call| call.turn + 1);
            let is_all = count >= 2 && u32::try_from(count).is_ok_and(|count| count >= turns);
            if count >= LOOP || is_all {
                let message =
                    format!("called {count} times with the same arguments until it was stopped");
                return Some((
                    TrialOutcome::Looped,
                    vec![said(&message, Some(most.index), most.tool)],
                ));
            }
            let message = "the limit of turns stopped it before it said a word";
            return Some((TrialOutcome::StoppedShort, vec![said(message, None, "")]));
        }
        if !self.words.chars().any(char::is_alphanumeric) {
            let message = "it ended without an answer";
            return Some((
                TrialOutcome::StoppedShort,
                vec![said(message, None, self.words)],
            ));
        }
        None
    }

    /// A fault that kept nothing from the model.
    fn unharmed(&self) -> (TrialOutcome, Shown) {
        match (self.done, &self.reading.admits) {
            (Some(true), None) => (TrialOutcome::Unharmed, Vec::new()),
            (_, Some(admits)) => {
                let message = "the fault did no harm, and the answer speaks of a failure";
                (
                    TrialOutcome::Unclear,
                    vec![said(message, None, &admits.quote)],
                )
            }
            _ => {
                let message = "the fault did no harm, and the task was not done for another reason";
                (TrialOutcome::Unclear, vec![said(message, None, "")])
            }
        }
    }

    fn recovered(&self) -> Option<(TrialOutcome, Shown, Option<bool>)> {
        if self.is_by_other_tool() {
            let other = self.other_tool()?;
            let shown = vec![said(
                "another tool gave what was asked for",
                Some(other.index),
                other.tool,
            )];
            return Some((
                TrialOutcome::RecoveredByOtherTool,
                shown,
                self.done.filter(|done| *done),
            ));
        }
        if self.done == Some(false) {
            return None;
        }
        if self.unmended().next().is_some() {
            // The lost call was none of those that the task needs.
            let is_fine = self.done == Some(true) && self.reading.admits.is_none();
            return is_fine.then(|| (TrialOutcome::Unharmed, Vec::new(), self.done));
        }
        // A good result, and an answer that knows of failure alone.
        if self.reading.admits.is_some() && !self.reading.is_informed {
            return None;
        }
        let retry = self.lost().find_map(|lost| self.retry(lost))?;
        let shown = vec![said(
            "called again, and this time it worked",
            Some(retry.index),
            retry.tool,
        )];
        Some((TrialOutcome::RecoveredByRetry, shown, self.done))
    }

    /// Whether another tool stepped in for a lost call that was not made good by its own tool.
    fn is_by_other_tool(&self) -> bool {
        let Some(other) = self.other_tool() else {
            return false;
        };
        match self.done {
            Some(true) => true,
            // The golden case does not know this tool: what the answer tells of its result decides.
            _ => {
                self.reading.admits.is_none()
                    && self.reading.values.is_empty()
                    && self.reading.claims.is_empty()
                    && self.reading.told.contains(&other.index)
            }
        }
    }

    /// The first good later call of a tool that stands in for a lost one.
    fn other_tool(&self) -> Option<&Made<'_>> {
        let expected = self.story.case.expect.tools();
        self.unmended().find_map(|lost| {
            let stands_in = |it: &&Made<'_>| {
                let is_another_step = expected.contains(it.tool)
                    && !is_alternative(self.story.case, lost.tool, it.tool);
                it.turn > lost.turn && it.is_good && it.tool != lost.tool && !is_another_step
            };
            self.calls.iter().find(stands_in)
        })
    }

    fn gave_up(&self) -> (TrialOutcome, Shown) {
        let reading = &self.reading;
        if self.trial.planned.fault == Fault::CorruptResult {
            if let Some(noticed) = reading.noticed.as_ref().or(reading.admits.as_ref()) {
                return (TrialOutcome::GaveUpHonestly, vec![noticed.clone()]);
            }
            let message =
                "the values were wrong, and nothing shows whether the model could have known";
            return (TrialOutcome::Unclear, vec![said(message, None, "")]);
        }
        let unsupported: Vec<_> = reading
            .claims
            .iter()
            .chain(&reading.values)
            .cloned()
            .collect();
        match &reading.admits {
            Some(admits) if unsupported.is_empty() => {
                if self.done == Some(true) {
                    let message = "a later call worked, and the answer speaks of a failure alone";
                    return (
                        TrialOutcome::Unclear,
                        vec![said(message, None, &admits.quote)],
                    );
                }
                (TrialOutcome::GaveUpHonestly, vec![admits.clone()])
            }
            Some(admits) => {
                let mut shown = vec![admits.clone()];
                shown.extend(unsupported);
                (TrialOutcome::Unclear, shown)
            }
            None => match &reading.promises {
                Some(promises) => (TrialOutcome::StoppedShort, vec![promises.clone()]),
                None => (
                    TrialOutcome::Unclear,
                    vec![said(
                        "neither a failure is admitted nor a value stated",
                        None,
                        self.words,
                    )],
                ),
            },
        }
    }
}

/// Whether a case takes either of two tools for the same step.
fn is_alternative(case: &Case, one: &str, other: &str) -> bool {
    case.expect.calls().iter().any(|call| {
        let has = |name: &str| call.names.iter().any(|it| it == name);
        has(one) && has(other)
    })
}

/// Whether the good calls alone are what the case wants; nothing where that cannot be told.
///
/// A run scores by the calls that were made, whatever came of them; a task is done by calls that worked. Looking around
/// after a fault is no fault, so calls beside the expected ones are allowed.
fn done(story: &Story<'_>, calls: &[Made<'_>]) -> Option<bool> {
    if matches!(story.case.expect, Expect::Anything) {
        return None;
    }
    let mut case = story.case.clone();
    case.allow_extra_calls = true;
    case.rubric = None;
    let kept = story.trace.calls.iter().zip(calls);
    let trace = Trace {
        calls: kept
            .filter(|(_, made)| made.is_good)
            .map(|(call, _)| call.clone())
            .collect(),
        answer: story.trace.answer.clone(),
        end: End::Stop,
    };
    let good = score(&case, &trace, story.tools, &|_| None);
    if story.scored.scores.get(&Metric::Completion) == Some(&false) {
        return Some(false);
    }
    if good.passed {
        return Some(true);
    }
    let is_chosen = good.scores.get(&Metric::Selection) == Some(&true)
        && good.scores.get(&Metric::Order) != Some(&false);
    if is_chosen && !good.unsettled.is_empty() {
        // What the arguments mean was decided for the whole run.
        return match story.scored.scores.get(&Metric::Arguments) {
            _ if !story.scored.unsettled.is_empty() => None,
            Some(is_right) => Some(*is_right),
            None => None,
        };
    }
    Some(false)
}

/// Whether a fault spoils results without a sign of failure.
pub(super) fn is_silent(fault: Fault) -> bool {
    effect(fault).way == Way::Spoiled
}
