//! What is remembered of a model: the parameters that it refused once.
//!
//! Better than a table of models, which ages: a parameter is sent until it is refused, and the report says so.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The two names of the limit of an answer on Chat Completions: hosted models want the newer, many gateways know the
/// older alone.
pub(crate) const LIMITS: [&str; 2] = ["max_completion_tokens", "max_tokens"];

/// What one model does not take.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Quirks {
    refused: BTreeSet<String>,
}

impl Quirks {
    /// Whether a parameter is still sent.
    pub fn takes(&self, parameter: &str) -> bool {
        !self.refused.contains(parameter)
    }

    /// Remembers a refusal.
    pub fn refuse(&mut self, parameter: &str) {
        self.refused.insert(parameter.to_owned());
    }

    /// The name under which the limit of an answer is sent, beginning with the one that is more likely known.
    pub(crate) fn limit(&self, first: usize) -> Option<&'static str> {
        let [new, old] = LIMITS;
        let order = if first == 0 { [new, old] } else { [old, new] };
        order.into_iter().find(|name| self.takes(name))
    }

    /// What the report says of it, in sentences.
    pub fn notes(&self) -> Vec<String> {
        let told = |parameter: &String| {
            match parameter.as_str() {
            "temperature" => {
                "temperature not under our control: the model refuses the parameter, so its default holds".to_owned()
            }
            "seed" => "the model refuses a seed: its runs differ by chance alone".to_owned(),
            other => format!("the model refuses `{other}`, so it is not sent"),
        }
        };
        let is_switched =
            |name: &str| LIMITS.contains(&name) && LIMITS.iter().any(|limit| self.takes(limit));
        let mentioned = self.refused.iter().filter(|name| !is_switched(name));
        mentioned.map(told).collect()
    }
}
