//! Reads the configuration file for JavaScript.
//!
//! A module of its own: a reader of YAML is a fifth of the core's size, and most runs have no file to read.

#[cfg(target_arch = "wasm32")]
pub mod surface {
    //! What JavaScript sees.
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
        serde_json::to_string(&config).map_err(|fault| JsError::new(&fault.to_string()))
    }
}
