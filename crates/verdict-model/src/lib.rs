//! The words of mcp-verdict: rules, outcomes, transcripts, reports and configuration.
//!
//! Plain data that every other crate speaks. Nothing here judges, waits, reads a file or knows how a
//! report looks on a screen; nothing here depends on another crate of this workspace.

#[cfg(feature = "evaluation")]
pub mod behavior;
pub mod config;
#[cfg(feature = "evaluation")]
pub mod fault;
#[cfg(feature = "evaluation")]
pub mod gate;
pub mod report;
#[cfg(feature = "evaluation")]
pub mod resilience;
pub mod rule;
pub mod strict;
#[cfg(feature = "evaluation")]
pub mod telemetry;
pub mod text;
pub mod transcript;

pub use config::Config;
pub use report::{Outcome, Report, Verdict};
pub use rule::{Level, Rule, Safety, Scope, State};
pub use transcript::Transcript;

/// The revision of the Model Context Protocol that this build judges by default.
pub const REVISION: &str = "2026-07-28";

/// The newest revision that still began with an `initialize` handshake.
pub const LEGACY_REVISION: &str = "2025-11-25";
