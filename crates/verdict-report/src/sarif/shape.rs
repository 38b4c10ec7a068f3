//! The members of SARIF 2.1.0 that we write, by the names of the standard.

use serde::Serialize;
use verdict_model::{Outcome, Verdict};

#[derive(Serialize)]
pub(super) struct Log {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    pub(super) runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run {
    pub(super) tool: Tool,
    pub(super) automation_details: Automation,
    pub(super) invocations: [Invocation; 1],
    pub(super) column_kind: &'static str,
    pub(super) results: Vec<SarifResult>,
    pub(super) properties: RunProperties,
}

#[derive(Serialize)]
pub(super) struct Tool {
    pub(super) driver: Driver,
}

#[derive(Serialize)]
pub(super) struct Driver {
    pub(super) name: &'static str,
    pub(super) version: String,
    pub(super) rules: Vec<Descriptor>,
}

#[derive(Serialize)]
pub(super) struct Automation {
    pub(super) id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub(super) execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub(super) struct Notification {
    pub(super) level: &'static str,
    pub(super) message: Message,
}

#[derive(Serialize)]
pub(super) struct Message {
    pub(super) text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunProperties {
    pub(super) verdict: Verdict,
    pub(super) summary: Message,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) omitted_results: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Descriptor {
    pub(super) id: String,
    pub(super) short_description: Message,
    pub(super) help: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help_uri: Option<String>,
    pub(super) default_configuration: Configuration,
    pub(super) properties: RuleProperties,
}

#[derive(Serialize)]
pub(super) struct Configuration {
    pub(super) level: &'static str,
}

#[derive(Serialize)]
pub(super) struct RuleProperties {
    pub(super) keyword: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) assertion: Option<u8>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult {
    pub(super) rule_id: String,
    pub(super) rule_index: usize,
    pub(super) level: &'static str,
    pub(super) message: Message,
    pub(super) locations: Vec<Place>,
    pub(super) partial_fingerprints: Fingerprints,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) suppressions: Vec<Suppression>,
    pub(super) properties: ResultProperties,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Place {
    pub(super) physical_location: Physical,
    pub(super) logical_locations: [Logical; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Physical {
    pub(super) artifact_location: Artifact,
    pub(super) region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Artifact {
    pub(super) uri: String,
    pub(super) uri_base_id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: u64,
}

#[derive(Serialize)]
pub(super) struct Logical {
    pub(super) name: String,
    pub(super) kind: &'static str,
}

#[derive(Serialize)]
pub(super) struct Fingerprints {
    #[serde(rename = "mcpVerdict/v1")]
    pub(super) value: String,
}

#[derive(Serialize)]
pub(super) struct Suppression {
    pub(super) kind: &'static str,
    pub(super) justification: String,
}

#[derive(Serialize)]
pub(super) struct ResultProperties {
    pub(super) outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pointer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exchange: Option<String>,
}
