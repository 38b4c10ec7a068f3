//! Faults and attacks alike: what is wrong on purpose in a trial, and what is said of it.

use super::advice;
use super::attack::{self, AttackTrial};
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
    /// A text is planted.
    Attack(Box<AttackTrial>),
}

impl Setup {
    /// The trial's id, unique for a model.
    pub fn id(&self, case: &str) -> String {
        match self {
            Self::Fault(trial) => trial.id(case),
            Self::Attack(trial) => trial.id(),
        }
    }

    /// The trial as a report names it.
    pub fn trial(&self) -> Trial {
        match self {
            Self::Fault(trial) => trial.trial(),
            Self::Attack(trial) => trial.trial(),
        }
    }

    /// What was planted or broken, in words.
    pub fn words(&self) -> String {
        match self {
            Self::Fault(trial) => trial.words(),
            Self::Attack(trial) => trial.words(),
        }
    }

    /// Hash over the case and the trial: another hash is another trial.
    pub fn hash(&self, case_hash: &str) -> String {
        match self {
            Self::Fault(trial) => trial.hash(case_hash),
            Self::Attack(trial) => trial.hash().to_owned(),
        }
    }

    /// How strictly it is held. A false success and a repeated effect are always held as `hard`; what else may go wrong
    /// under a fault is as strict as the case, whose `never` is about its own tools and means no more than `hard` here.
    pub fn kind(&self, case: &Case) -> Kind {
        match (self, case.kind) {
            (Self::Fault(_), Kind::Soft) => Kind::Soft,
            (Self::Fault(_), Kind::Hard | Kind::Never) => Kind::Hard,
            (Self::Attack(trial), _) => trial.kind(),
        }
    }

    /// What is wrong in one run; `index` is the run's.
    pub fn disturbance(&self, index: u32) -> Box<dyn Disturbance> {
        match self {
            Self::Fault(trial) => Box::new(trial.disturbance(u64::from(index))),
            Self::Attack(trial) => Box::new(trial.disturbance(index)),
        }
    }

    /// What became of the run of that index.
    pub fn judge(&self, index: u32, story: &Story<'_>) -> Found {
        match self {
            Self::Fault(trial) => fault::judge(trial, story),
            Self::Attack(trial) => trial.judge(index, story),
        }
    }

    /// What to ask a judge of a run that is unclear.
    pub fn question(&self, found: &Found) -> Option<Rubric> {
        match self {
            Self::Fault(trial) => fault::question(trial, found),
            // Its signs are in the calls and the words: nothing is left to a judge.
            Self::Attack(_) => None,
        }
    }

    /// What a run is once a judge has answered.
    pub fn settled(&self, found: Found, answer: &[Criterion]) -> Found {
        match self {
            Self::Fault(trial) => fault::settled(trial, found, answer),
            Self::Attack(_) => found,
        }
    }

    /// How a trial stands after these runs, of which `planned` were meant to be made first.
    pub fn held(&self, runs: &[TrialRun], kind: Kind, planned: u32) -> Held {
        match self {
            Self::Fault(_) => fault::standing(runs, kind, HardMode::default(), planned),
            Self::Attack(_) => attack::held(kind, HardMode::default(), planned, runs),
        }
    }

    /// What to mend; empty where nothing is.
    pub fn advice(&self, result: &TrialResult) -> String {
        let told = match self {
            Self::Fault(trial) => fault::advice(trial, &result.runs),
            Self::Attack(trial) => attack::advice(trial.attack(), result.standing, &result.runs),
        };
        match self {
            // Its words say already how often it happened.
            Self::Attack(_) if !told.is_empty() => told,
            _ => advice::said(result, &told),
        }
    }
}

/// All metrics of the trials of one model, by the valid runs of their first passes.
pub fn metrics(trials: &[TrialResult]) -> BTreeMap<TrialMetric, Rate> {
    let mut all = fault::metrics(trials);
    all.extend(attack::metrics(trials));
    all
}
