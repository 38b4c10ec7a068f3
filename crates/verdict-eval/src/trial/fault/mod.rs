//! Faults under the agent loop: what a client tells its model when a tool breaks, and what the model makes of it.
//!
//! [`FaultTrial::disturbance`] breaks the calls of one run; [`judge`] decides from the trace what came of it, and asks
//! nobody. What only a reader can tell comes out as unclear, with a [`question`] for a judge. `docs/resilience.md` tells
//! users the rules.

mod advice;
mod answer;
mod calls;
mod choice;
mod claims;
mod corrupt;
mod disturb;
mod honest;
mod judge;
mod language;
mod lexicon;
mod measure;
mod nature;
mod question;
mod repeated;
mod table;
mod values;

pub use advice::advice;
pub use choice::defaults;
pub use disturb::Faulty;
pub use judge::judge;
pub use measure::{metrics, pass_rate, standing};
pub use question::{question, settled};
pub use table::{Carried, Effect, Way, effect};

use verdict_model::fault::{Planned, When};
use verdict_model::resilience::Trial;

/// A fault that happens to a golden case.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultTrial {
    /// What goes wrong, and at which calls.
    pub planned: Planned,
    /// The tool whose calls are counted and hit; all tools where absent.
    pub tool: Option<String>,
}

impl FaultTrial {
    /// What breaks the calls of one run. `seed` is the run's index: the same run again is broken in the same way.
    pub fn disturbance(&self, seed: u64) -> Faulty {
        Faulty::new(self.clone(), seed)
    }

    /// `CASE/FAULT@WHEN`, and `:TOOL` where only one tool is hit.
    pub fn id(&self, case: &str) -> String {
        match &self.tool {
            None => format!("{case}/{}", self.planned),
            Some(tool) => format!("{case}/{}:{tool}", self.planned),
        }
    }

    /// The trial as a report names it.
    pub fn trial(&self) -> Trial {
        Trial::Fault {
            fault: self.planned.fault,
            when: self.planned.when,
            tool: self.tool.clone(),
        }
    }

    /// What goes wrong, in words: `HTTP 503 at the first call of get_invoice`.
    pub fn words(&self) -> String {
        let whose = match &self.tool {
            None => "of a tool".to_owned(),
            Some(tool) => format!("of {tool}"),
        };
        let which = match self.planned.when {
            When::First => format!("the first call {whose}"),
            When::Nth(nth) => format!("call {nth} {whose}"),
            When::Every => format!("every call {whose}"),
            When::Random(chance) => format!("calls {whose} with a chance of {chance}"),
        };
        format!("{} at {which}", effect(self.planned.fault).title)
    }

    /// Whether calling again can help: the fault passes, and a later call is good.
    pub fn can_be_outlived(&self) -> bool {
        table::can_be_outlived(self.planned)
    }

    /// Hash over the case and the trial, in hexadecimal: another hash is another trial.
    pub fn hash(&self, case_hash: &str) -> String {
        let tool = self.tool.as_deref().unwrap_or_default();
        let text = format!("{case_hash}\n{}\n{tool}", self.planned);
        format!("{:016x}", verdict_core::fnv(text.as_bytes()))
    }
}
