//! The report: one JSON object that every format, the check run and the exit code read.
//!
//! Its keys are a promise (`schema/report-v1.json`). Text that a server sent stands here as it came,
//! with secrets masked; whoever shows it to a person or a runner makes it safe first.

use crate::rule::Level;
use serde::{Deserialize, Serialize};

/// The `schema` member of every report of this version.
pub const REPORT_SCHEMA: &str = "mcp-verdict/report/v1";

/// What a check found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The server does what the rule says.
    Pass,
    /// A MUST is broken.
    Fail,
    /// A SHOULD is broken, or a MUST could not be proven.
    Warn,
    /// Worth knowing, nobody's fault.
    Info,
    /// Could not be tried; the message says why.
    Skip,
    /// The server never declared the feature.
    #[serde(rename = "n/a")]
    NotApplicable,
    /// The network's fault or our own; never the server's conformance.
    Error,
}

impl Outcome {
    /// All outcomes, worst first: the order in which people want to read them.
    pub const WORST_FIRST: [Self; 7] = [
        Self::Fail,
        Self::Error,
        Self::Warn,
        Self::Info,
        Self::Skip,
        Self::NotApplicable,
        Self::Pass,
    ];

    /// The word that stands in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Skip => "skip",
            Self::NotApplicable => "n/a",
            Self::Error => "error",
        }
    }

    /// Position in [`Outcome::WORST_FIRST`].
    pub fn rank(self) -> usize {
        Self::WORST_FIRST
            .iter()
            .position(|other| *other == self)
            .unwrap_or(0)
    }
}

/// The one value that every format, the check run and the exit code read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Nothing failed and something was really checked.
    Pass,
    /// At least one check failed.
    Fail,
    /// No verdict: something went wrong on the way, or nothing could be checked.
    None,
}

impl Verdict {
    /// Any `fail` gives `fail`; else any `error`, or no `pass` outside `auth.*` and `legacy.*`,
    /// gives `none`; else `pass`. With `deny_warnings` a `warn` counts as a `fail`. Checks newer
    /// than the pinned requirement set and waived ones do not count.
    pub fn of(checks: &[CheckResult], deny_warnings: bool) -> Self {
        let counted = || {
            checks
                .iter()
                .filter(|check| !check.new && check.waived.is_none())
        };
        let any = |outcome| counted().any(|check| check.outcome == outcome);
        if any(Outcome::Fail) || (deny_warnings && any(Outcome::Warn)) {
            return Self::Fail;
        }
        let proven = counted().any(|check| {
            let area = check.id.split('.').next().unwrap_or_default();
            check.outcome == Outcome::Pass
                && !["auth", "legacy", "surface", "waivers"].contains(&area)
        });
        if any(Outcome::Error) || !proven {
            Self::None
        } else {
            Self::Pass
        }
    }

    /// The word that stands in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::None => "none",
        }
    }
}

/// A whole run. Layers that were not run are absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// [`REPORT_SCHEMA`].
    pub schema: String,
    /// Name and version of the program that judged.
    pub generator: Generator,
    /// The one value that every format reads.
    pub verdict: Verdict,
    /// One sentence a person can act on.
    pub summary: String,
    /// The server that was judged.
    pub target: Target,
    /// Where the server's code stands, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// What each layer found.
    pub layers: Layers,
    /// Whether something got worse since the baseline; absent where no gate was held.
    #[cfg(feature = "evaluation")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<crate::gate::Gate>,
    /// What layer 1 was run with, for whoever holds the report against a baseline or joins shards; absent without it.
    #[cfg(feature = "evaluation")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<crate::gate::SessionInfo>,
}

impl Report {
    /// A report of this version without a source, a gate and what layer 1 adds.
    pub fn new(
        generator: Generator,
        verdict: Verdict,
        summary: String,
        target: Target,
        layers: Layers,
    ) -> Self {
        Self {
            schema: REPORT_SCHEMA.to_owned(),
            generator,
            verdict,
            summary,
            target,
            source: None,
            layers,
            #[cfg(feature = "evaluation")]
            gate: None,
            #[cfg(feature = "evaluation")]
            session: None,
        }
    }

    /// Shows `change` every text that is not ours alone: all that a server, a user or an environment may have put in.
    ///
    /// Fields are named one by one, so that a new one is not forgotten here.
    pub fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        let Self {
            schema: _,
            generator: _,
            verdict: _,
            summary,
            target,
            source,
            layers,
            #[cfg(feature = "evaluation")]
            gate,
            #[cfg(feature = "evaluation")]
            session,
        } = self;
        let Layers {
            conformance,
            #[cfg(feature = "evaluation")]
            behavior,
            #[cfg(feature = "evaluation")]
            resilience,
            #[cfg(feature = "evaluation")]
            telemetry,
        } = layers;
        change(summary);
        target.texts(change);
        if let Some(source) = source {
            source.sha.iter_mut().for_each(&mut *change);
            source.reference.iter_mut().for_each(&mut *change);
        }
        if let Some(layer) = conformance {
            layer.hints.iter_mut().for_each(&mut *change);
            for check in &mut layer.checks {
                check.texts(change);
            }
        }
        #[cfg(feature = "evaluation")]
        if let Some(layer) = behavior {
            layer.texts(change);
        }
        #[cfg(feature = "evaluation")]
        if let Some(layer) = resilience {
            layer.texts(change);
        }
        #[cfg(feature = "evaluation")]
        if let Some(layer) = telemetry {
            layer.texts(change);
        }
        #[cfg(feature = "evaluation")]
        if let Some(gate) = gate {
            gate.texts(change);
        }
        #[cfg(feature = "evaluation")]
        if let Some(session) = session {
            session.texts(change);
        }
    }
}

/// Name and version of the program that judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Generator {
    /// `mcp-verdict`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The frozen set of rules that count, named by its revision.
    pub requirements: String,
}

/// The server that was judged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// `http` or `stdio`.
    pub transport: String,
    /// The endpoint, without user name and password; HTTP only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The command; stdio only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// The address that answered, where the name stood for several; HTTP only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// What the server calls itself; the client, in a report about a client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_info: Option<ServerInfo>,
    /// Which lifecycles the server speaks; absent when it could not be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub era: Option<Era>,
    /// The revision that was used for the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// 64-bit FNV-1a over the listed tools in their canonical form, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_hash: Option<String>,
}

impl Target {
    fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        let Self {
            transport: _,
            url,
            command,
            address,
            server_info,
            era: _,
            protocol_version: _,
            tools_hash: _,
        } = self;
        let info = server_info
            .iter_mut()
            .flat_map(|info| [&mut info.name, &mut info.version]);
        let words = command.iter_mut().flatten();
        let all = url.iter_mut().chain(address).chain(words).chain(info);
        all.for_each(change);
    }
}

/// What the server calls itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServerInfo {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Which lifecycles a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Era {
    /// 2026-07-28 and later: stateless, no handshake.
    Modern,
    /// 2025-11-25 and before: `initialize` first.
    Legacy,
    /// Both.
    Dual,
}

/// Where the server's code stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// The commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha: Option<String>,
    /// The branch or tag.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "ref")]
    pub reference: Option<String>,
    /// The pull request's number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<u64>,
}

/// What each layer found; absent layers were not run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Layers {
    /// Layer 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conformance: Option<Conformance>,
    /// Layer 1.
    #[cfg(feature = "evaluation")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behavior: Option<crate::behavior::Behavior>,
    /// Layer 2.
    #[cfg(feature = "evaluation")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resilience: Option<crate::resilience::Resilience>,
    /// Layer 3.
    #[cfg(feature = "evaluation")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telemetry: Option<crate::telemetry::Telemetry>,
}

/// Layer 0: what the specification demands and what the server did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Conformance {
    /// One entry per check id, in the order of the catalogue.
    pub checks: Vec<CheckResult>,
    /// How many checks ended how.
    pub counts: Counts,
    /// Milliseconds from the first byte sent to the last judged.
    pub duration_ms: u64,
    /// How many requests and notifications were sent.
    pub requests: u64,
    /// What would widen the coverage of this run, in sentences a person can act on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
}

/// How many checks ended how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(missing_docs, reason = "each field is the outcome of its name")]
pub struct Counts {
    pub pass: u64,
    pub fail: u64,
    pub warn: u64,
    pub info: u64,
    pub skip: u64,
    #[serde(rename = "n/a")]
    pub not_applicable: u64,
    pub error: u64,
}

impl Counts {
    /// Counts the outcomes of `checks`.
    pub fn of(checks: &[CheckResult]) -> Self {
        let mut counts = Self::default();
        for check in checks {
            *counts.slot(check.outcome) += 1;
        }
        counts
    }

    /// How many checks ended with `outcome`.
    pub fn get(mut self, outcome: Outcome) -> u64 {
        *self.slot(outcome)
    }

    fn slot(&mut self, outcome: Outcome) -> &mut u64 {
        match outcome {
            Outcome::Pass => &mut self.pass,
            Outcome::Fail => &mut self.fail,
            Outcome::Warn => &mut self.warn,
            Outcome::Info => &mut self.info,
            Outcome::Skip => &mut self.skip,
            Outcome::NotApplicable => &mut self.not_applicable,
            Outcome::Error => &mut self.error,
        }
    }
}

/// What one check found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CheckResult {
    /// `area.rule-name`.
    pub id: String,
    /// Which of the seven headline assertions it belongs to, if any.
    pub assertion: Option<u8>,
    /// How strongly the specification words it.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub level: Level,
    /// What was found.
    pub outcome: Outcome,
    /// The rule in one line.
    pub title: String,
    /// What happened, or why nothing could be tried.
    pub message: String,
    /// One item per tool or message.
    pub evidence: Vec<Evidence>,
    /// How many further items were left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted: u64,
    /// How to mend it.
    pub fix: String,
    /// The page of the specification that states the rule.
    pub spec_url: String,
    /// Where in the repository the cause stands, where known.
    pub location: Option<Location>,
    /// Newer than the pinned requirement set: shown, not counted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub new: bool,
    /// The reason of the waiver that covers it: shown, not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waived: Option<String>,
}

impl CheckResult {
    fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        let Self {
            id: _,
            assertion: _,
            level: _,
            outcome: _,
            title: _,
            message,
            evidence,
            omitted: _,
            fix: _,
            spec_url: _,
            location: _,
            new: _,
            waived,
        } = self;
        change(message);
        waived.iter_mut().for_each(&mut *change);
        for Evidence {
            subject,
            message,
            pointer,
            exchange,
            request,
            response,
            location: _,
        } in evidence
        {
            change(message);
            let rest = [subject, pointer, exchange, request, response];
            rest.into_iter().flatten().for_each(&mut *change);
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What a finding rests on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// The tool, prompt, resource, method or header it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What is wrong, with expected and actual.
    pub message: String,
    /// JSON Pointer to the place in the response, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The exchange it happened in, as the transcript names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<String>,
    /// What was sent, shortened, secrets masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// What came back, shortened, secrets masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    /// Where in the repository its subject is defined, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// A place in a file of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Location {
    /// Path from the repository's root, with `/`.
    pub path: String,
    /// Line, from 1.
    pub line: u64,
}
