//! The configuration file.

use crate::fault;
use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;

/// Reads a configuration in YAML; gives it back as JSON. Errors begin with `file:line:column`.
#[wasm_bindgen(js_name = parseConfig)]
pub fn parse_config(yaml: &str, file: &str) -> Result<String, JsError> {
    if yaml.len() as u64 > verdict_config::MAX_BYTES {
        let limit = verdict_config::MAX_BYTES;
        return Err(JsError::new(&format!(
            "{file}: {} bytes exceed the limit of {limit} for a configuration",
            yaml.len()
        )));
    }
    let config = verdict_config::parse(yaml, file).map_err(|fault| JsError::new(&fault))?;
    serde_json::to_string(&config).map_err(fault)
}

/// What keeps the configuration of a file from being used, behind its place; nothing where it can be used.
///
/// `variables` is an object with the values of the `${VAR}`s, as JSON. What flags add is not known here.
#[wasm_bindgen(js_name = planFault)]
pub fn plan_fault(yaml: &str, file: &str, variables: &str) -> Result<Option<String>, JsError> {
    let config = verdict_config::parse(yaml, file).map_err(|fault| JsError::new(&fault))?;
    let variables: BTreeMap<String, String> =
        verdict_model::strict::from_str(variables).map_err(fault)?;
    let Err(found) = verdict_config::plan(config, &|name| variables.get(name).cloned()) else {
        return Ok(None);
    };
    Ok(Some(
        match verdict_config::place(yaml, file, &found.key()) {
            Some(place) => format!("{place}: {found}"),
            None => found.to_string(),
        },
    ))
}
