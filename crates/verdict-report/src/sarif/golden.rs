//! Red golden cases in SARIF: one rule for all of them, a result for each case and model.

use super::shape::{
    Configuration, Descriptor, Fingerprints, ResultProperties, RuleProperties, SarifResult,
};
use super::{RESULTS, fingerprint, placed, text};
use crate::behavior::{Miss, explained};
use verdict_model::Outcome;

const RULE: &str = "golden.red";

/// The rule that all red cases break.
pub(super) fn rule() -> Descriptor {
    Descriptor {
        id: RULE.to_owned(),
        short_description: text("Models choose and use the tools as the golden set expects"),
        help: text(
            "The message says what to mend: mostly a tool's description or schema, sometimes the case.",
        ),
        help_uri: None,
        default_configuration: Configuration { level: "error" },
        properties: RuleProperties {
            keyword: "golden",
            assertion: None,
        },
    }
}

/// Appends the cases, whose rule has this index, and says how many found no place.
pub(super) fn add_results(results: &mut Vec<SarifResult>, red: &[Miss<'_>], index: usize) -> u64 {
    let room = RESULTS.saturating_sub(results.len());
    results.extend(red.iter().take(room).map(|miss| result(*miss, index)));
    red.len().saturating_sub(room) as u64
}

fn result(miss: Miss<'_>, index: usize) -> SarifResult {
    // Both names are the user's own; the byte between them stands in neither.
    let subject = format!("{}\u{0}{}", miss.model.id, miss.case.id);
    SarifResult {
        rule_id: RULE.to_owned(),
        rule_index: index,
        level: "error",
        message: text(&format!("{}\n{}", miss.headline(), explained(miss))),
        locations: vec![placed(miss.location(), &miss.case.id, "member")],
        partial_fingerprints: Fingerprints {
            value: fingerprint(RULE, &subject, 0),
        },
        suppressions: Vec::new(),
        properties: ResultProperties {
            outcome: Outcome::Fail,
            pointer: None,
            exchange: None,
        },
    }
}
