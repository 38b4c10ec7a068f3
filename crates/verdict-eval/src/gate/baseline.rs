//! The baseline: for every case the runs that tonight's are held against, and what may move them.
//!
//! `.baseline/green.json`, committed and read by people: one line a case, in a stable order. A pool is anchored: first
//! passes of green sessions fill it, then it is frozen. Only the evidence of many green sessions moves it up, and only
//! a person with a reason moves it down.

mod enter;
mod read;
mod write;

pub(crate) use enter::good;
pub use enter::{
    Acceptance, Entry, FirstPass, NothingToAccept, Refusal, SessionCounts, accepted, entered,
};
pub use read::BaselineError;

use super::counts::Counts;
use super::trials::TrialSuite;
use crate::tool::Tool;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use verdict_model::behavior::Metric;
use verdict_model::gate::BaselineRef;

/// The `schema` member of every baseline of this version.
pub const SCHEMA: &str = "mcp-verdict/baseline/v1";

/// The whole file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Baseline {
    /// [`SCHEMA`].
    pub schema: String,
    /// The newest session in it.
    #[serde(flatten)]
    pub origin: Origin,
    /// The pools, by suite, model and harness.
    pub suites: Vec<Suite>,
    /// The pools of trials, by suite, model and harness.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trials: Vec<TrialSuite>,
    /// Every time that somebody lowered it on purpose, oldest first.
    #[serde(default)]
    pub accepted: Vec<Acceptance>,
    /// The tools of its newest session, as the server listed them.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")
    )]
    pub tools: Vec<Tool>,
}

/// Where a session comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Origin {
    /// The commit, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha: Option<String>,
    /// When, as RFC 3339 has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The configuration: its path in the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
}

/// The pools of one suite with one model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Suite {
    /// What these pools belong to.
    #[serde(flatten)]
    pub key: Key,
    /// Hash of the judge's model and prompt, where one judges: another one resets the judged metric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// The metrics of the last green session, over all its cases: what the plain rule compares with.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub last: BTreeMap<Metric, Counts>,
    /// In the order of id and hash, by which they are looked up. A case that changed stands under its old hash too, so that a revert finds it again.
    pub cases: Vec<Pooled>,
}

/// What pools belong to: with another key they are not comparable.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Key {
    /// The golden set: its path in the repository.
    pub suite: String,
    /// The model as the user named it.
    pub model: String,
    /// Hash of what the harness tells the model beside the case.
    pub harness: String,
}

/// The pools of one case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pooled {
    /// The case's id.
    pub id: String,
    /// Hash over prompt and expectations.
    pub hash: String,
    /// Its runs.
    #[serde(flatten)]
    pub runs: Pool,
    /// The same for each metric; `overTrigger` as its complement, so that every drop is worse.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<Metric, Pool>,
}

/// An anchored pool, and the green sessions since it was frozen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pool {
    /// What tonight is held against.
    pub pool: Counts,
    /// First passes of the last green sessions that are not in it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recent: Vec<Counts>,
}

impl Baseline {
    /// A baseline without a session.
    pub fn empty() -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            origin: Origin::default(),
            suites: Vec::new(),
            trials: Vec::new(),
            accepted: Vec::new(),
            tools: Vec::new(),
        }
    }

    /// The pools of a suite with a model.
    pub fn suite(&self, key: &Key) -> Option<&Suite> {
        self.suites.iter().find(|suite| suite.key == *key)
    }

    /// The same golden set with other models or another harness: shown as information, never compared.
    pub fn others(&self, key: &Key) -> impl Iterator<Item = &Suite> {
        self.suites
            .iter()
            .filter(|suite| suite.key.suite == key.suite && suite.key != *key)
    }

    /// Whether it may be held against a session of `wanted`: same branch, same configuration, both known.
    ///
    /// # Errors
    /// Why it is no baseline for such a session.
    pub fn fits(&self, wanted: &Origin) -> Result<(), Foreign> {
        for (what, ours, theirs) in [
            ("branch", &self.origin.branch, &wanted.branch),
            ("configuration", &self.origin.config, &wanted.config),
        ] {
            match (ours, theirs) {
                (None, _) => return Err(Foreign::Unknown { what }),
                (Some(ours), Some(theirs)) if ours != theirs => {
                    let (ours, theirs) = (ours.clone(), theirs.clone());
                    return Err(Foreign::Other { what, ours, theirs });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What the report says of it.
    pub fn reference(&self) -> BaselineRef {
        BaselineRef {
            sha: self.origin.sha.clone(),
            at: self.origin.at.clone(),
            branch: self.origin.branch.clone(),
        }
    }
}

impl Suite {
    /// The pools of a case as it is now.
    pub fn case(&self, id: &str, hash: &str) -> Option<&Pooled> {
        self.place(id, hash).ok().map(|place| &self.cases[place])
    }

    /// Whether the case is known, and with another prompt or other expectations only.
    pub fn is_changed(&self, id: &str, hash: &str) -> bool {
        let first = self.cases.partition_point(|case| case.id.as_str() < id);
        let known = self.cases.get(first).is_some_and(|case| case.id == id);
        known && self.case(id, hash).is_none()
    }

    /// Where a case stands, or would stand, in the order of the file.
    fn place(&self, id: &str, hash: &str) -> Result<usize, usize> {
        let key = |case: &Pooled| (case.id.as_str(), case.hash.as_str()).cmp(&(id, hash));
        self.cases.binary_search_by(key)
    }
}

/// A baseline that may not be held against a session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Foreign {
    /// It does not say where it comes from.
    #[error(
        "the baseline names no {what}, so it is not used; make it anew with `mcp-verdict baseline`"
    )]
    Unknown {
        /// What it does not name.
        what: &'static str,
    },
    /// It comes from elsewhere.
    #[error(
        "the baseline belongs to {what} {ours:?} and this run to {theirs:?}, so it is not used; \
         point --baseline to that of {theirs:?}, or make one there with `mcp-verdict baseline`"
    )]
    Other {
        /// What differs.
        what: &'static str,
        /// The baseline's.
        ours: String,
        /// The session's.
        theirs: String,
    },
}
