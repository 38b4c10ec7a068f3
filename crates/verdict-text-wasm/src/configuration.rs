//! The configuration file.

use crate::fault;
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

/// Where the value of a key stands in a configuration, as `file:line:column`; the key's parts are joined by dots.
#[wasm_bindgen(js_name = placeOf)]
pub fn place_of(yaml: &str, file: &str, key: &str) -> Option<String> {
    verdict_config::place(yaml, file, key)
}
