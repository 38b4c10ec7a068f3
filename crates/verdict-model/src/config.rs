//! `mcp-verdict.yaml`: everything a user can say about a run.
//!
//! Every command-line flag has its key here; a flag wins. Names are those of the published contract,
//! so an unknown key is an error rather than a wish that nobody hears.

use crate::report::Outcome;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The whole file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a key of the published contract"
)]
pub struct Config {
    /// The server under test.
    pub server: Server,
    /// Which tools may be called, and how.
    pub tools: Tools,
    /// Known and missing resources.
    pub resources: Resources,
    /// Values for resource templates.
    pub templates: Templates,
    /// Arguments for prompts.
    pub prompts: Prompts,
    /// How to make the server ask back (multi round-trip requests).
    pub mrtr: Mrtr,
    /// Credentials; `${VAR}` is read from the environment.
    pub auth: Auth,
    /// What makes the server's lists change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutate: Option<Mutate>,
    /// What the tools may weigh.
    pub surface: Surface,
    /// Outcome that a check has when its rule is broken, by check id; `off` leaves it out.
    pub checks: BTreeMap<String, Severity>,
    /// Dated permissions to fail; one that covers nothing any more, or whose day is over, fails the run.
    pub waivers: Vec<Waiver>,
    /// What a server that speaks two eras may do differently in each.
    pub eras: Eras,
    /// The revision to judge by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The frozen set of rules that count; checks that are younger are shown as new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requirements: Option<String>,
    /// Leave out whatever reads resources, prompts and completions.
    pub no_reads: bool,
    /// Also send bad bytes, signals and path escapes.
    pub intrusive: bool,
    /// Bare 400 and 404 pages, and header fields that a proxy may drop, are not held against the server.
    pub behind_gateway: bool,
    /// Seconds for the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<f64>,
    /// A warning makes the verdict fail.
    pub deny_warnings: bool,
    /// The golden set.
    #[cfg(feature = "evaluation")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub golden: Option<String>,
    /// Attacks that are planted in the golden cases: the file of the user's own, or more.
    #[cfg(feature = "evaluation")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adversarial: Option<Adversarial>,
    /// Models to run the golden set through.
    #[cfg(feature = "evaluation")]
    pub models: Vec<String>,
    /// The model that judges rubrics.
    #[cfg(feature = "evaluation")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// Runs of each case.
    #[cfg(feature = "evaluation")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<u32>,
    /// The layers to run.
    #[cfg(feature = "evaluation")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<Vec<u8>>,
    /// Model calls at one time.
    #[cfg(feature = "evaluation")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// Where model answers are kept.
    #[cfg(feature = "evaluation")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<String>,
    /// The last green report.
    #[cfg(feature = "evaluation")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// How the gate decides.
    #[cfg(feature = "evaluation")]
    pub gate: Gate,
    /// What a run may cost.
    #[cfg(feature = "evaluation")]
    pub budget: Budget,
    /// Keep a history of reports beside the baseline.
    #[cfg(feature = "evaluation")]
    pub history: bool,
    /// Layer 2: which faults the golden cases are tried with; a few that fit each case where this is absent, none where it
    /// is empty.
    #[cfg(feature = "evaluation")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<Vec<FaultWish>>,
    /// Answers of a model after which a run of a case is stopped.
    #[cfg(feature = "evaluation")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// How the server is treated badly in layer 2.
    #[cfg(feature = "evaluation")]
    pub stress: Stress,
    /// Prices by model id or its beginning, in US dollars for a million tokens; they win over the built-in table.
    #[cfg(feature = "evaluation")]
    pub prices: BTreeMap<String, Price>,
}

/// The server under test: an address, or a command.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Server {
    /// The endpoint of a Streamable HTTP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The command of a stdio server: a list of words, or one string split as POSIX words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Words>,
    /// The command that starts an HTTP server; its process group is ended after the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Words>,
    /// Header fields for every request; `${VAR}` is read from the environment.
    pub headers: BTreeMap<String, String>,
    /// Environment of a server that we start, beside the allow-list; `${VAR}` is read from the environment.
    pub env: BTreeMap<String, String>,
    /// Seconds for one exchange.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// A file of certificates to trust beside the system's, in PEM form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<String>,
    /// It is meant for this machine alone: one that `start` starts is also tried at another address.
    pub local_only: bool,
    /// A command that asks an HTTP server to stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Words>,
}

/// A command: a list of words, or one string that is split as POSIX words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Words {
    /// One string, to be split.
    Line(String),
    /// The words themselves.
    List(Vec<String>),
}

/// Which tools may be called, and how. A tool that is not named here is never called.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tools {
    /// May be called with valid and invalid input.
    pub safe: Vec<String>,
    /// Also call tools that claim `readOnlyHint: true` and `openWorldHint: false`.
    pub trust_read_only: bool,
    /// Valid arguments by tool.
    pub arguments: BTreeMap<String, Map<String, Value>>,
    /// Take seconds.
    pub slow: Vec<String>,
    /// Report progress or logs.
    pub chatty: Vec<String>,
    /// Must refuse a client without elicitation, sampling or roots.
    pub needs_capability: Vec<String>,
}

/// Known and missing resources.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Resources {
    /// Readable though not listed.
    pub known: Vec<String>,
    /// Certainly not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// Values for resource templates.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Templates {
    /// Variables by template name.
    pub values: BTreeMap<String, BTreeMap<String, String>>,
}

/// Arguments for prompts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Prompts {
    /// Arguments by prompt name.
    pub arguments: BTreeMap<String, BTreeMap<String, String>>,
}

/// How to make the server ask back.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Mrtr {
    /// The tool, prompt or resource that asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,
    /// Answers by the name of the field that is asked for.
    pub answers: Map<String, Value>,
    /// Whether a forged state would do more than make the request fail.
    pub state_matters: bool,
}

/// One request that makes the server ask back; exactly one of `tool`, `prompt` and `resource`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Trigger {
    /// A tool's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// A prompt's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// A resource's URI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

/// Credentials; `${VAR}` is read from the environment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Auth {
    /// Sent as a bearer token with every request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// A token of another principal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_token: Option<String>,
    /// A token without the scope that some operation needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low_scope_token: Option<String>,
    /// A token that was issued for another server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreign_token: Option<String>,
}

/// What makes the server's lists change; `tool` or `command`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Mutate {
    /// A tool to call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// A command to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Words>,
}

/// What the tools may weigh in a model's context; tokens are estimated, at four bytes of JSON each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Surface {
    /// All tools together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// Each tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tool_tokens: Option<usize>,
}

/// How the server is treated badly in layer 2: many requests at once, connections that end, bytes that are no messages.
#[cfg(feature = "evaluation")]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Stress {
    /// Do it at all.
    pub server: bool,
    /// Also to a server that is not on this machine.
    pub remote: bool,
    /// Requests at one time; 64 where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel: Option<u32>,
}

/// What a broken rule counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// A failure.
    Fail,
    /// A warning.
    Warn,
    /// A remark.
    Info,
    /// Not judged at all.
    Off,
}

impl Severity {
    /// The outcome it stands for; none for [`Severity::Off`].
    pub fn outcome(self) -> Option<Outcome> {
        match self {
            Self::Fail => Some(Outcome::Fail),
            Self::Warn => Some(Outcome::Warn),
            Self::Info => Some(Outcome::Info),
            Self::Off => None,
        }
    }
}

/// A dated permission to fail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Waiver {
    /// The check's id.
    pub check: String,
    /// The tool, prompt, resource or method it covers; `*` for all.
    #[serde(default = "any", skip_serializing_if = "is_any")]
    pub tool: String,
    /// Why.
    pub reason: String,
    /// The last day it holds, as `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// What a server that speaks two eras may do differently in each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Eras {
    /// Wanted differences, as `LIST/NAME`: the list is `tools`, `prompts`, `resources`, `resourceTemplates`
    /// or `capabilities`, the name one of its items, or `*` for all of them.
    pub differences: Vec<String>,
}

/// What a wanted difference between eras may begin with.
const LISTS: [&str; 5] = [
    "tools",
    "prompts",
    "resources",
    "resourceTemplates",
    "capabilities",
];

fn any() -> String {
    "*".to_owned()
}

fn is_any(tool: &str) -> bool {
    tool == "*"
}

fn is_date(text: &str) -> bool {
    let shape = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    shape && ("01"..="12").contains(&&text[5..7]) && ("01"..="31").contains(&&text[8..])
}

/// What a model costs, in US dollars for a million tokens.
#[cfg(feature = "evaluation")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Price {
    /// What the model reads.
    pub input: f64,
    /// Of that, what comes from the provider's cache; the price of `input` where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
    /// Of that, what is written to the provider's cache; the price of `input` where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
    /// What the model writes, reasoning included.
    pub output: f64,
}

/// Attacks that are planted in the golden cases.
#[cfg(feature = "evaluation")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "the path of a file, or a mapping of `file`, `pack: few|all|none` and `through`"
)]
pub enum Adversarial {
    /// The file of the user's own attacks.
    File(String),
    /// The file, and how much of the built-in pack.
    Attacks(Attacks),
}

#[cfg(feature = "evaluation")]
impl Adversarial {
    /// The same in its long form.
    pub fn attacks(&self) -> Attacks {
        match self {
            Self::File(file) => Attacks {
                file: Some(file.clone()),
                ..Attacks::default()
            },
            Self::Attacks(attacks) => attacks.clone(),
        }
    }
}

/// The user's own attacks, and how much of the built-in pack.
#[cfg(feature = "evaluation")]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Attacks {
    /// The file of the user's own attacks; all of them that fit are planted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// How much of the built-in pack is planted.
    pub pack: Pack,
    /// A tool that gives back what it is given: what the server lets through, marks or strips is told from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<Through>,
}

/// How much of the built-in pack is planted.
#[cfg(feature = "evaluation")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Pack {
    /// Up to three attacks a case, going round the pack.
    #[default]
    Few,
    /// Every attack in every case that it fits.
    All,
    /// None.
    None,
}

/// A tool that gives back what it is given.
#[cfg(feature = "evaluation")]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Through {
    /// The tool; it has to be in `tools.safe`.
    pub tool: String,
    /// Its argument that takes the text.
    pub argument: String,
}

/// How the gate decides.
#[cfg(feature = "evaluation")]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Gate {
    /// Statistics, or the plain rule.
    pub mode: GateMode,
    /// The drop of a metric that is let pass, between 0 and 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_drop: Option<f64>,
    /// How `hard` cases are held.
    pub hard: HardGate,
}

/// How `hard` cases are held.
#[cfg(feature = "evaluation")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum HardGate {
    /// A missed target is confirmed by further runs before it is red.
    #[default]
    Confirmed,
    /// Any failure in the first pass is red.
    Strict,
}

/// Statistics, or the plain rule.
#[cfg(feature = "evaluation")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum GateMode {
    /// Evidence of a regression, with confirmations.
    #[default]
    Evidence,
    /// Hard cases 5 of 5, soft ones at least 4 of 5, no metric drops by more than `max-drop`.
    Literal,
}

/// A fault that golden cases are tried with: `http-503@first`, or more in words.
#[cfg(feature = "evaluation")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum FaultWish {
    /// `FAULT` or `FAULT@WHEN`, for every case that expects a tool.
    Short(String),
    /// With what is left open by that.
    Long(FaultRule),
}

/// A fault, the calls it happens to, and the cases it is tried in.
#[cfg(feature = "evaluation")]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FaultRule {
    /// Its name.
    pub fault: String,
    /// `first` (the default), a number from 1, `every`, or `random:` with a chance from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<Moment>,
    /// The tool whose calls are counted and hit; all tools where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Ids of golden cases; every case that expects a tool where empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<String>,
}

/// To which calls a fault happens.
#[cfg(feature = "evaluation")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Moment {
    /// The call of this number, from 1.
    Number(u32),
    /// `first`, `every`, `random:0.3`.
    Words(String),
}

#[cfg(feature = "evaluation")]
impl FaultWish {
    /// What is wished for.
    ///
    /// # Errors
    /// What names no fault, or says no calls.
    pub fn planned(&self) -> Result<crate::fault::Planned, crate::fault::BadFault> {
        match self {
            Self::Short(text) => text.parse(),
            Self::Long(rule) => match &rule.when {
                None => rule.fault.parse(),
                Some(Moment::Number(number)) => format!("{}@{number}", rule.fault).parse(),
                Some(Moment::Words(words)) => format!("{}@{words}", rule.fault).parse(),
            },
        }
    }
}

/// What a run may cost.
#[cfg(feature = "evaluation")]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Budget {
    /// US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// Model calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
}

/// A value that the configuration may not have: which key, and what it may be instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// The key, with dots.
    pub key: &'static str,
    /// What it may be instead.
    pub message: String,
}

impl Config {
    #[cfg(feature = "evaluation")]
    fn validate_evaluation(&self) -> Result<(), Invalid> {
        let share = self.gate.max_drop;
        if share.is_some_and(|value| !(0.0..=1.0).contains(&value)) {
            return Err(Invalid {
                key: "gate.max-drop",
                message: "must be between 0 and 1".to_owned(),
            });
        }
        if self
            .budget
            .usd
            .is_some_and(|usd| !(usd.is_finite() && usd >= 0.0))
        {
            return Err(Invalid {
                key: "budget.usd",
                message: "must be 0 or more".to_owned(),
            });
        }
        let wishes = self.faults.iter().flatten();
        if let Some(bad) = wishes.map(FaultWish::planned).find_map(Result::err) {
            return Err(Invalid {
                key: "faults",
                message: bad.to_string(),
            });
        }
        if self.runs.is_some_and(|runs| !(1..=1_000).contains(&runs)) {
            return Err(Invalid {
                key: "runs",
                message: "must be between 1 and 1000".to_owned(),
            });
        }
        if self
            .max_turns
            .is_some_and(|turns| !(1..=100).contains(&turns))
        {
            return Err(Invalid {
                key: "max-turns",
                message: "must be between 1 and 100".to_owned(),
            });
        }
        if self
            .concurrency
            .is_some_and(|calls| !(1..=256).contains(&calls))
        {
            return Err(Invalid {
                key: "concurrency",
                message: "must be between 1 and 256".to_owned(),
            });
        }
        let through = self
            .adversarial
            .as_ref()
            .and_then(|it| it.attacks().through);
        if let Some(through) = through
            && !self.tools.safe.contains(&through.tool)
        {
            return Err(Invalid {
                key: "adversarial.through.tool",
                message: format!(
                    "names `{}`, which is called with texts of attacks: name it in `tools.safe` too",
                    through.tool
                ),
            });
        }
        let sound = |price: &f64| price.is_finite() && *price >= 0.0;
        let odd = |price: &Price| {
            !(sound(&price.input)
                && sound(&price.output)
                && price.cached.iter().chain(&price.cache_write).all(sound))
        };
        if self.prices.values().any(odd) {
            return Err(Invalid {
                key: "prices",
                message: "must be 0 or more".to_owned(),
            });
        }
        Ok(())
    }

    /// Checks ranges and combinations that the types do not hold.
    ///
    /// # Errors
    /// The first value that may not stand, with its key and what it may be instead.
    pub fn validate(&self) -> Result<(), Invalid> {
        let seconds = |key, value: Option<f64>, most: f64| match value {
            Some(value) if !(value > 0.0 && value <= most) => Err(Invalid {
                key,
                message: format!("{value} is no number of seconds above 0 and up to {most}"),
            }),
            _ => Ok(()),
        };
        seconds("server.timeout", self.server.timeout, 3_600.0)?;
        seconds("deadline", self.deadline, 86_400.0)?;
        #[cfg(feature = "evaluation")]
        self.validate_evaluation()?;
        if self.server.url.is_some() && self.server.command.is_some() {
            return Err(Invalid {
                key: "server",
                message: "names both a url and a command; keep one".to_owned(),
            });
        }
        for (at, waiver) in self.waivers.iter().enumerate() {
            let date = waiver.until.as_deref().is_some_and(is_date);
            if !date || waiver.reason.trim().is_empty() {
                return Err(Invalid {
                    key: "waivers",
                    message: format!(
                        "[{at}] ({}) needs a reason, and until: its last day as YYYY-MM-DD",
                        waiver.check
                    ),
                });
            }
        }
        let misplaced = self.eras.differences.iter().find(|wanted| {
            let list = wanted.split_once('/').map(|(list, _)| list);
            !list.is_some_and(|list| LISTS.contains(&list))
        });
        if let Some(wanted) = misplaced {
            return Err(Invalid {
                key: "eras.differences",
                message: format!(
                    "holds `{wanted}`; write LIST/NAME, where LIST is one of {}",
                    LISTS.join(", ")
                ),
            });
        }
        let legacy = crate::LEGACY_REVISION;
        match self.revision.as_deref() {
            Some(name) if name != crate::REVISION && name != legacy => Err(Invalid {
                key: "revision",
                message: format!(
                    "`{name}` is not known here; this build judges by {}, and servers with a handshake by {legacy}",
                    crate::REVISION
                ),
            }),
            _ => Ok(()),
        }
    }
}
