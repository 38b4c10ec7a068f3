//! How to mend what a rule finds: the words lie beside the module, in the registry, and are told once.

use crate::fault;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use verdict_model::Report;
use wasm_bindgen::prelude::*;

static MENDS: OnceLock<BTreeMap<String, String>> = OnceLock::new();

/// Takes the mends, an object by check id as JSON; the first time counts.
#[wasm_bindgen(js_name = takeMends)]
pub fn take(mends: &str) -> Result<(), JsError> {
    let mends = verdict_model::strict::from_str(mends).map_err(fault)?;
    MENDS.get_or_init(|| mends);
    Ok(())
}

/// A report as JSON, with its mends.
pub fn told(mut report: Report) -> Result<String, JsError> {
    if let (Some(mends), Some(layer)) = (MENDS.get(), &mut report.layers.conformance) {
        for check in &mut layer.checks {
            if let Some(mend) = mends.get(&check.id) {
                check.fix.clone_from(mend);
            }
        }
    }
    serde_json::to_string(&report).map_err(fault)
}
