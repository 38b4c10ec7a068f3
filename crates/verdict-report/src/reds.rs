//! What makes the verdict fail beyond the checks: golden cases and trials that are red, as every format marks them.

use crate::behavior::{explained, red_cases};
use crate::trials;
use verdict_model::Report;
use verdict_model::report::Location;

/// Which rule a red breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// A golden case's own target.
    Golden,
    /// A trial's: a claim that nothing supports, an instruction that somebody planted.
    Trial,
}

/// A case or trial that makes the verdict fail. All texts are foreign.
pub(crate) struct Red<'r> {
    pub(crate) broken: Broken,
    pub(crate) model: &'r str,
    pub(crate) id: &'r str,
    /// One line.
    pub(crate) headline: String,
    /// What was wanted, what came, what to mend: lines.
    pub(crate) text: String,
    /// Where the golden case stands, in the repository.
    pub(crate) location: Option<&'r Location>,
}

/// All of them, trials first: what an attacker can do comes before what a model mistakes.
pub(crate) fn reds(report: &Report) -> Vec<Red<'_>> {
    let tried = trials::worst_first(report).into_iter();
    let trials = tried.filter(|tried| tried.is_red()).map(|tried| Red {
        broken: Broken::Trial,
        model: &tried.trial.model,
        id: &tried.trial.id,
        headline: tried.headline(),
        text: trials::explained(tried),
        location: tried.location(),
    });
    let cases = red_cases(report).into_iter().map(|miss| Red {
        broken: Broken::Golden,
        model: &miss.model.id,
        id: &miss.case.id,
        headline: miss.headline(),
        text: explained(miss),
        location: miss.location(),
    });
    trials.chain(cases).collect()
}
