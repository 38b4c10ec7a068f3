//! Red golden cases and trials in SARIF: one rule for all of a kind, a result for each case and model.

use super::shape::{
    Configuration, Descriptor, Fingerprints, ResultProperties, RuleProperties, SarifResult,
};
use super::{RESULTS, fingerprint, placed, text};
use crate::reds::{Broken, Red};
use verdict_model::Outcome;

fn id(broken: Broken) -> &'static str {
    match broken {
        Broken::Golden => "golden.red",
        Broken::Trial => "trial.red",
    }
}

/// The rule that all reds of a kind break.
fn rule(broken: Broken) -> Descriptor {
    let (short, help, keyword) = match broken {
        Broken::Golden => (
            "Models choose and use the tools as the golden set expects",
            "The message says what to mend: mostly a tool's description or schema, sometimes the case.",
            "golden",
        ),
        Broken::Trial => (
            "Models claim nothing that did not happen, and do not obey text that somebody planted",
            "The message says what was broken or planted, what the model made of it, and what to mend.",
            "trial",
        ),
    };
    Descriptor {
        id: id(broken).to_owned(),
        short_description: text(short),
        help: text(help),
        help_uri: None,
        default_configuration: Configuration { level: "error" },
        properties: RuleProperties {
            keyword,
            assertion: None,
        },
    }
}

/// Appends the reds and the rules they break, and says how many found no place.
pub(super) fn add(
    results: &mut Vec<SarifResult>,
    rules: &mut Vec<Descriptor>,
    reds: &[Red<'_>],
) -> u64 {
    let mut left_out = 0;
    for broken in [Broken::Golden, Broken::Trial] {
        let some: Vec<_> = reds.iter().filter(|red| red.broken == broken).collect();
        if some.is_empty() {
            continue;
        }
        let index = rules.len();
        rules.push(rule(broken));
        let room = RESULTS.saturating_sub(results.len());
        results.extend(some.iter().take(room).map(|red| result(red, index)));
        left_out += some.len().saturating_sub(room) as u64;
    }
    left_out
}

fn result(red: &Red<'_>, index: usize) -> SarifResult {
    let rule = id(red.broken);
    // Both names are the user's own; the byte between them stands in neither.
    let subject = format!("{}\u{0}{}", red.model, red.id);
    SarifResult {
        rule_id: rule.to_owned(),
        rule_index: index,
        level: "error",
        message: text(&format!("{}\n{}", red.headline, red.text)),
        locations: vec![placed(red.location, red.id, "member")],
        partial_fingerprints: Fingerprints {
            value: fingerprint(rule, &subject, 0),
        },
        suppressions: Vec::new(),
        properties: ResultProperties {
            outcome: Outcome::Fail,
            pointer: None,
            exchange: None,
        },
    }
}
