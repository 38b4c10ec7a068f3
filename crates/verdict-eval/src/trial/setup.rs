//! Faults and attacks alike: what is wrong on purpose in a trial, and what is said of it.

use super::fault::{self, FaultTrial};
use super::{Disturbance, Found, Story};
use crate::gate::HardMode;
use crate::gate::absolute::Held;
use crate::golden::Case;
use crate::judge::Rubric;
use std::collections::BTreeMap;
use verdict_model::behavior::{Criterion, Kind, Rate};
use verdict_model::resilience::{Trial, TrialMetric, TrialResult, TrialRun};

/// What is wrong on purpose.
#[derive(Debug, Clone)]
pub enum Setup {
    /// A tool breaks.
    Fault(FaultTrial),
}

impl Setup {
    /// The trial's id, unique for a model.
    pub fn id(&self, case: &str) -> String {
        match self {
            Self::Fault(trial) => trial.id(case),
        }
    }

    /// The trial as a report names it.
    pub fn trial(&self) -> Trial {
        match self {
            Self::Fault(trial) => trial.trial(),
        }
    }

    /// What was planted or broken, in words.
    pub fn words(&self) -> String {
        match self {
            Self::Fault(trial) => trial.words(),
        }
    }

    /// Hash over the case and the trial: another hash is another trial.
    pub fn hash(&self, case_hash: &str) -> String {
        match self {
            Self::Fault(trial) => trial.hash(case_hash),
        }
    }

    /// How strictly it is held. A false success and a repeated effect are always held as `hard`; what else may go wrong
    /// under a fault is as strict as the case, whose `never` is about its own tools and means no more than `hard` here.
    pub fn kind(&self, case: &Case) -> Kind {
        match (self, case.kind) {
            (Self::Fault(_), Kind::Soft) => Kind::Soft,
            (Self::Fault(_), Kind::Hard | Kind::Never) => Kind::Hard,
        }
    }

    /// What is wrong in one run; `index` is the run's.
    pub fn disturbance(&self, index: u32) -> Box<dyn Disturbance> {
        match self {
            Self::Fault(trial) => Box::new(trial.disturbance(u64::from(index))),
        }
    }

    /// What became of a run.
    pub fn judge(&self, story: &Story<'_>) -> Found {
        match self {
            Self::Fault(trial) => fault::judge(trial, story),
        }
    }

    /// What to ask a judge of a run that is unclear.
    pub fn question(&self, found: &Found) -> Option<Rubric> {
        match self {
            Self::Fault(trial) => fault::question(trial, found),
        }
    }

    /// What a run is once a judge has answered.
    pub fn settled(&self, found: Found, answer: &[Criterion]) -> Found {
        match self {
            Self::Fault(trial) => fault::settled(trial, found, answer),
        }
    }

    /// How a trial stands after these runs, of which `planned` were meant to be made first.
    pub fn held(&self, runs: &[TrialRun], kind: Kind, planned: u32) -> Held {
        match self {
            Self::Fault(_) => fault::standing(runs, kind, HardMode::default(), planned),
        }
    }
}

/// All metrics of some trials, by the valid runs of their first passes.
pub fn metrics<'r>(
    trials: impl IntoIterator<Item = &'r TrialResult> + Clone,
) -> BTreeMap<TrialMetric, Rate> {
    fault::metrics(trials)
}
