//! Scenarios: what the proxy does to the answers while the client's command runs, one fault at a time.
//!
//! Rules are in the form of the proxy's rules file, so that a user can play a scenario by hand. Where a scenario builds on
//! what the client does, it is made from the visit in which nothing is injected ([`Known`]).

mod known;
mod make;
mod table;

pub use known::Known;
pub use table::SCENARIOS;

use serde_json::Value;
use verdict_model::transcript::Transport;

/// Text that is planted in results, and looked for in what the client shows.
pub const CANARY: &str = "verdict-canary-7f3a91";
/// Path, at the proxy's own address, that nobody has a reason to ask for.
pub const CANARY_PATH: &str = "/verdict-canary";
/// Tool that is put beside the server's own.
pub const EXTRA_TOOL: &str = "verdict_extra";
/// Session id that is injected.
pub const SESSION: &str = "verdict-session";

/// How long a client may take in a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// As long as in any other.
    Usual,
    /// Longer than clients wait for an answer, so that a limit of theirs can show.
    Long,
}

/// One scenario.
#[derive(Debug, Clone, Copy)]
pub struct Scenario {
    /// The name that users write.
    pub name: &'static str,
    /// What it tries, in one sentence.
    pub tries: &'static str,
    /// What the client has to send for it, as it stands after "the client never sent".
    pub needs: &'static str,
    /// How long the client may take.
    pub patience: Patience,
    /// The rules, or why there are none for this client.
    pub rules: fn(&Known) -> Result<Vec<Value>, String>,
}

/// Names of the tools with broken annotations that are put beside the server's own, and what is broken.
pub(crate) fn broken_tools() -> impl Iterator<Item = (&'static str, &'static str)> {
    make::BROKEN_TOOLS.iter().copied()
}

/// Scenarios of faults that only HTTP has.
const OF_HTTP: &[&str] = &[
    "cut-stream",
    "cut-read",
    "cut-with-ids",
    "session-header",
    "odd-names",
    "discover-refused",
    "discover-unknown",
    "discover-foreign",
    "json-answers",
    "event-answers",
    "event-noise",
    "event-cr",
    "event-empty",
    "schema-reference",
    "url-question",
    "header-params",
    "header-broken-tools",
    "header-refused",
];

/// Scenarios of faults that only stdio has.
const OF_STDIO: &[&str] = &[
    "era-32601",
    "era-32602",
    "era-32000",
    "era-silence",
    "server-killed",
    "stderr-noise",
];

impl Scenario {
    /// Whether it can be played with a client that is reached so.
    pub fn fits(&self, transport: Transport) -> bool {
        let others = match transport {
            Transport::Http => OF_STDIO,
            Transport::Stdio => OF_HTTP,
        };
        !others.contains(&self.name)
    }
}

/// The scenario of a name.
pub fn find(name: &str) -> Option<&'static Scenario> {
    SCENARIOS.iter().find(|one| one.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duties;

    #[test]
    fn names_are_unique_and_every_duty_reads_scenarios_that_there_are() {
        for (place, one) in SCENARIOS.iter().enumerate() {
            assert!(
                SCENARIOS[..place]
                    .iter()
                    .all(|other| other.name != one.name),
                "{}",
                one.name
            );
            assert!(one.tries.ends_with('.'), "{}", one.name);
        }
        for duty in duties::all() {
            for name in duty.scenarios {
                assert!(find(name).is_some(), "{} reads `{name}`", duty.rule.id);
            }
        }
    }

    #[test]
    fn every_scenario_is_read_by_a_duty() {
        for one in SCENARIOS
            .iter()
            .filter(|one| !["plain", "canary"].contains(&one.name))
        {
            let read = duties::all().any(|duty| duty.scenarios.contains(&one.name));
            assert!(read, "{}", one.name);
        }
    }
}
