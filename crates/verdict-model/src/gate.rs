//! The gate in the report: whether something got worse since the baseline, and why.

mod session;

pub use session::{SessionInfo, Shard};

use crate::behavior::Metric;
use crate::resilience::TrialMetric;
use serde::{Deserialize, Serialize};

/// What the gate decided, and on what grounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Gate {
    /// The worst decision of all models.
    pub decision: Decision,
    /// Which rule decided.
    pub mode: Mode,
    /// The baseline it was held against; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineRef>,
    /// One entry per model and metric, of layer 1 and of layer 2.
    pub per_metric: Vec<MetricChange>,
    /// Cases that got worse, worst first.
    pub regressions: Vec<Regression>,
    /// One entry per model: the grounds of its decision.
    pub models: Vec<ModelGate>,
    /// Runs before this one, oldest first, where a history is kept (`history: true`): the newest of each model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trend: Vec<Night>,
    /// What a reader has to know, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Gate {
    /// Shows `change` every text that a server, a model, a user or an environment may have put in.
    ///
    /// Fields are named one by one, so that a new one is not forgotten here.
    pub fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        let Self {
            decision: _,
            mode: _,
            baseline,
            per_metric,
            regressions,
            models,
            trend,
            notes,
        } = self;
        for night in trend {
            change(&mut night.model);
            let foreign = night.at.iter_mut().chain(&mut night.sha);
            foreign.for_each(&mut *change);
        }
        if let Some(baseline) = baseline {
            let BaselineRef { sha, at, branch } = baseline;
            [sha, at, branch]
                .into_iter()
                .flatten()
                .for_each(&mut *change);
        }
        for metric in per_metric {
            change(&mut metric.model);
        }
        for regression in regressions {
            change(&mut regression.case);
            change(&mut regression.model);
            regression.cause_detail.iter_mut().for_each(&mut *change);
        }
        for model in models {
            change(&mut model.model);
            change(&mut model.reason);
            model.known_failing.iter_mut().for_each(&mut *change);
            model.cannot_hold.iter_mut().for_each(&mut *change);
            for suspect in &mut model.suspects {
                change(&mut suspect.case);
            }
        }
        notes.iter_mut().for_each(change);
    }
}

/// One model in one earlier run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Night {
    /// When it was, as the history says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Its commit, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha: Option<String>,
    /// The model.
    pub model: String,
    /// Mean pass rate of the first pass.
    pub score: Option<f64>,
    /// What the gate said.
    pub decision: Decision,
}

/// What the gate says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Nothing got worse.
    Pass,
    /// Something got worse, or a case's own target is red.
    Fail,
    /// Undecided, or a case is unstable.
    Warn,
    /// Too little of a baseline: only the cases' own targets acted.
    Learning,
    /// Too few valid runs to decide anything.
    Incomplete,
}

impl Decision {
    /// All of them, worst first.
    pub const WORST_FIRST: [Self; 5] = [
        Self::Fail,
        Self::Incomplete,
        Self::Warn,
        Self::Learning,
        Self::Pass,
    ];

    /// The word that stands in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Warn => "warn",
            Self::Learning => "learning",
            Self::Incomplete => "incomplete",
        }
    }

    /// The worst of some decisions; `None` of none.
    pub fn worst(decisions: impl IntoIterator<Item = Self>) -> Option<Self> {
        let rank = |decision: &Self| {
            let place = Self::WORST_FIRST.iter().position(|other| other == decision);
            place.unwrap_or(0)
        };
        decisions.into_iter().min_by_key(rank)
    }
}

/// Which rule decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Evidence against noise, with confirmation runs.
    #[default]
    Evidence,
    /// The plain rule: 5 of 5, 4 of 5, and no drop above the limit.
    Literal,
}

/// The baseline that the gate was held against.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BaselineRef {
    /// The commit of its newest session, where known.
    #[serde(default)]
    pub sha: Option<String>,
    /// When that session was, as the baseline says it.
    #[serde(default)]
    pub at: Option<String>,
    /// The branch it belongs to, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

/// A metric of layer 1 or of layer 2, under its own key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Measured {
    /// Of layer 1.
    Case(Metric),
    /// Of layer 2.
    Trial(TrialMetric),
}

impl Measured {
    /// The key in reports.
    pub fn key(self) -> &'static str {
        match self {
            Self::Case(metric) => metric.key(),
            Self::Trial(metric) => metric.key(),
        }
    }

    /// The less the better: the gate holds the complement, so that every drop is worse.
    pub fn is_complement(self) -> bool {
        matches!(
            self,
            Self::Case(Metric::OverTrigger)
                | Self::Trial(TrialMetric::FalseSuccess | TrialMetric::AttackSuccess)
        )
    }
}

/// One metric of one model, then and now. `overTrigger`, `falseSuccess` and `attackSuccess` stand as their complements, so
/// that every drop is worse.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MetricChange {
    /// The model.
    pub model: String,
    /// The metric.
    pub metric: Measured,
    /// The rate of the baseline, over common cases; absent where it has none.
    pub was: Option<f64>,
    /// The rate of this run's first pass, over the same cases.
    pub now: Option<f64>,
    /// `now` less `was`; negative is worse.
    pub delta: Option<f64>,
    /// 95 % interval of `now`, "this suite again".
    pub interval: Option<[f64; 2]>,
    /// How many times better "worse" explains the metric's counts than "unchanged"; absent with the plain rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<f64>,
    /// What this metric alone would say.
    pub decision: Decision,
}

/// A case that got worse.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Regression {
    /// The case's id.
    pub case: String,
    /// The model.
    pub model: String,
    /// The pass rate of its pool; absent without a pool.
    pub was: Option<f64>,
    /// The pass rate of all its runs of this session.
    pub now: Option<f64>,
    /// Why.
    pub cause: Cause,
    /// The cause is likely, and not certain.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub probable: bool,
    /// The change behind it, where it is known: a description then and now, or a reason in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause_detail: Option<String>,
    /// How many times better a change explains its counts; absent where its own target alone is red.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Its own target is red.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub red: bool,
}

/// Why something got worse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Cause {
    /// The tools' names, descriptions or schemas.
    #[serde(rename = "description change")]
    DescriptionChange,
    /// The model, with nothing of yours touched.
    #[serde(rename = "model drift")]
    ModelDrift,
    /// Descriptions and model.
    #[serde(rename = "both")]
    Both,
    /// The results of the server's tools.
    #[serde(rename = "server behaviour")]
    ServerBehaviour,
    /// The case's prompt or expectations.
    #[serde(rename = "golden case changed")]
    GoldenCaseChanged,
    /// The model that judges.
    #[serde(rename = "judge drift")]
    JudgeDrift,
    /// Chance.
    #[serde(rename = "noise")]
    Noise,
    /// It could not be told, or was not looked into.
    #[default]
    #[serde(rename = "undetermined")]
    Undetermined,
}

impl Cause {
    /// The words that stand in reports.
    pub fn words(self) -> &'static str {
        match self {
            Self::DescriptionChange => "description change",
            Self::ModelDrift => "model drift",
            Self::Both => "both",
            Self::ServerBehaviour => "server behaviour",
            Self::GoldenCaseChanged => "golden case changed",
            Self::JudgeDrift => "judge drift",
            Self::Noise => "noise",
            Self::Undetermined => "undetermined",
        }
    }
}

/// The grounds of one model's decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ModelGate {
    /// The model.
    pub model: String,
    /// Its decision.
    pub decision: Decision,
    /// Why, in one sentence.
    pub reason: String,
    /// The `n` of "n : 1"; absent while learning and with the plain rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<f64>,
    /// The evidence that fails a run.
    pub fail_at: f64,
    /// The evidence below which a run passes.
    pub pass_below: f64,
    /// Rounds of confirmation.
    pub rounds: u32,
    /// Runs of the first pass.
    pub first_pass: u32,
    /// Confirmation runs.
    pub confirmation: u32,
    /// Planned runs that were not needed.
    pub saved: u32,
    /// Mean pass rate of the first pass.
    pub score: Option<f64>,
    /// Its 95 % interval, "this suite again".
    pub interval: Option<[f64; 2]>,
    /// The 95 % interval for other cases of the same kind, "prompts like these". Never gates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts_like_these: Option<[f64; 2]>,
    /// Mean loss against the pools, over common cases; negative for a gain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drop: Option<f64>,
    /// What a drop stays within in 95 of 100 sessions with nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// The chance that the true drop is above the limit, from the first pass alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance_of_drop: Option<f64>,
    /// The smallest true drop that the first pass alone shows as more than noise in 8 of 10 sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest_visible: Option<f64>,
    /// Cases of this run.
    pub cases: u64,
    /// Of these, with enough of a pool to count in the evidence.
    pub common: u64,
    /// The assumed correlation of the runs of one case.
    pub rho: f64,
    /// How many independent runs the planned ones are worth.
    pub independent_runs: f64,
    /// The three cases that a change explains best.
    pub suspects: Vec<Suspect>,
    /// Cases whose pool never saw them pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known_failing: Vec<String>,
    /// Cases whose pool says that they cannot hold their target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cannot_hold: Vec<String>,
}

/// A case, and how many times better a change explains its counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Suspect {
    /// The case's id.
    pub case: String,
    /// The `n` of "n : 1".
    pub ratio: f64,
}
