//! The duties of MCP clients: scenarios for the fault-injecting proxy, and what a recording of them shows.
//!
//! A **scenario** is a set of rules for the proxy, under which the client's command is run once; what was seen is a
//! [`visit::Visit`]. A **duty** is a rule with a pure judge that reads the visits; [`report::judge`] makes the report. Knows no
//! socket, process or clock: the driver plays the scenarios.

pub mod context;
pub mod duties;
pub mod duty;
mod header;
mod headline;
pub mod obstacle;
pub mod report;
pub mod scenario;
pub mod scene;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_summaries;
pub mod visit;

pub use duty::{Duty, Trial};
pub use obstacle::obstacle;
pub use report::{Subject, judge};
pub use scenario::{Known, Patience, SCENARIOS, Scenario};
pub use visit::{Ending, Visit};
