//! What layer 1 was run with: enough to hold the finished report against a baseline, and to tell whether shards belong
//! together.

use crate::behavior::within;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What layer 1 was run with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionInfo {
    /// Hash of what the harness tells the model beside the case, in hexadecimal.
    pub harness: String,
    /// Hash of the judge's model and words, where one judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// Planned runs of a case that names no number of its own.
    pub runs: u32,
    /// The commit, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha: Option<String>,
    /// When it began, as RFC 3339 has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The branch that its baseline has to be of; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The branch that a baseline made from it belongs to.
    pub branch: String,
    /// The configuration: its path in the repository.
    pub config: String,
    /// Which part of the cases this is, where the work was divided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The tools as the server listed them.
    pub tools: Vec<Map<String, Value>>,
}

/// One part of the cases.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shard {
    /// Its number, from 1.
    pub part: u32,
    /// Of how many.
    pub of: u32,
    /// How many cases all parts have together.
    pub total: u64,
    /// Where the cases of this part stand among them, from 0: in the order of the report.
    pub places: Vec<u64>,
}

impl SessionInfo {
    /// Shows `change` every text that a server, a user or an environment may have put in.
    pub fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        let Self {
            harness: _,
            judge: _,
            runs: _,
            sha,
            at: _,
            base,
            branch,
            config,
            shard: _,
            tools,
        } = self;
        sha.iter_mut().chain(base).for_each(&mut *change);
        change(branch);
        change(config);
        for tool in tools {
            let mut value = Value::Object(std::mem::take(tool));
            within(&mut value, change);
            if let Value::Object(map) = value {
                *tool = map;
            }
        }
    }
}
