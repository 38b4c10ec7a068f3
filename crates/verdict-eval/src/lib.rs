//! How models behave with a server's tools: the golden set, the agent loop, scoring, and the statistics of the gate.
//!
//! Pure: no clock, socket, file or environment. Bytes and times come from the program; what was asked and
//! answered is data, so that a stored run is scored again to the same result.

pub mod advice;
pub mod agent;
pub mod chat;
pub mod client;
pub mod gate;
pub mod golden;
pub mod judge;
pub mod lexical;
pub mod merge;
pub mod provider;
pub mod score;
pub mod telemetry;
pub mod tool;
pub mod trial;
pub mod verdict;
