//! The regression gate: whether tonight's runs say that something got worse.
//!
//! Counts go in, a decision comes out, or a list of runs that would settle it. Nothing here draws a random number,
//! reads a clock or knows a provider: the same counts give the same decision bit for bit, on every platform and in
//! any order of cases and of confirmation runs. `docs/gate-statistics.md` has the rule in words, its formulas and its figures.
//!
//! - [`rule`]: the numbers of the rule, and the preset for few runs;
//! - [`belief`]: what a pool says of a case's pass probability;
//! - [`evidence`]: how much better "worse" explains the counts than "unchanged";
//! - [`session`]: which runs to buy, and when to stop;
//! - [`absolute`]: the targets that cases have on their own;
//! - [`numbers`]: the rates, intervals and drops that are printed;
//! - [`baseline`]: the pools, and what may move them;
//! - [`rho`]: how alike the runs of one night are;
//! - [`attribution`]: descriptions or model;
//! - [`literal`]: the plain rule, for those who want it;
//! - [`decision`]: what the report holds of all this;
//! - [`finished`]: the gate on a finished report;
//! - [`trials`]: layer 2 against the baseline;
//! - [`changes`]: what differs between two lists of tools.

pub mod absolute;
pub mod attribution;
pub mod baseline;
pub mod belief;
pub mod changes;
pub mod counts;
pub mod decision;
pub mod evidence;
pub mod finished;
pub mod literal;
pub mod numbers;
pub mod rho;
pub mod rule;
pub mod session;
#[cfg(any(test, feature = "simulation"))]
pub mod simulation;
mod student;
pub mod trials;

pub use counts::Counts;
pub use rule::{HardMode, Rule};
