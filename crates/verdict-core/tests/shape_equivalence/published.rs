//! The published schema of a revision, and the trial of one kind of message against it.

use super::drawing::{Dice, Source, break_every_place};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A kind of message: the member under test, the method, and the published definition to draw.
pub(crate) type Kind = (&'static str, &'static str, &'static str);

/// How often each fresh message is broken by chance.
const BROKEN: usize = 100;

/// Reads the schema where `MCP_SCHEMA_…` says, else beside the repository; says so where there is none.
pub(crate) fn read(revision: &str) -> Option<Value> {
    let beside = format!("../../../shared/spec/schema-{revision}.json");
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join(beside);
    let variable = format!("MCP_SCHEMA_{}", revision.replace('-', "_"));
    let place = std::env::var_os(variable).map_or_else(beside, PathBuf::from);
    let Ok(text) = std::fs::read_to_string(&place) else {
        // The handle itself, because what `eprintln` writes is swallowed when a test passes.
        let note = format!("shapes of {revision}: NOT CHECKED, there is no published schema at");
        writeln!(std::io::stderr(), "{note} {}", place.display()).expect("write a note");
        return None;
    };
    Some(serde_json::from_str(&text).expect("the published schema is JSON"))
}

/// Whether a definition accepts a message.
pub(crate) fn accepts(validator: &Validator, kind: &Kind, message: &Value) -> bool {
    if kind.0 == "result" {
        return validator.is_valid(&message["result"]);
    }
    let mut whole = json!({"jsonrpc": "2.0", "method": kind.1});
    if let Some(value) = message.get(kind.0) {
        whole[kind.0] = value.clone();
    }
    validator.is_valid(&whole)
}

/// Draws `drawn` messages of a kind and breaks each in many ways; `compare` sees every one and says whether it
/// is valid. Holds that there were more than `least`, and enough of both sorts.
pub(crate) fn try_out(
    source: &Source,
    kind: &Kind,
    mut dice: Dice,
    (drawn, least): (usize, usize),
    mut compare: impl FnMut(&Value) -> bool,
) {
    let (mut valid, mut all) = (0, 0);
    let mut counted = |message: &Value| {
        let accepted = compare(message);
        valid += usize::from(accepted);
        all += 1;
        accepted
    };
    for round in 0..drawn {
        let message = source.draw(kind, &mut dice, round % 2 == 0);
        assert!(
            counted(&message),
            "the drawn message is not valid: {message}"
        );
        if round % 2 == 0 {
            break_every_place(&message, &mut counted);
        }
        for _ in 0..BROKEN {
            let mut broken = message.clone();
            for _ in 0..=dice.below(2) {
                source.break_somewhere(&mut broken, &mut dice);
            }
            counted(&broken);
        }
    }
    assert!(all > least, "{kind:?}: only {all} messages");
    assert!(
        valid * 20 > all && valid * 20 < all * 19,
        "{kind:?}: {valid} valid of {all}"
    );
}
