//! The conformance core for JavaScript: the same engine and judge, driven from Node.
//!
//! A thin layer: JSON and bytes in, JSON out. Times come from the driver. The module imports
//! nothing but wasm-bindgen's own glue and `crypto.getRandomValues`.

#[cfg(target_arch = "wasm32")]
pub mod before;
#[cfg(target_arch = "wasm32")]
pub mod judge;
#[cfg(target_arch = "wasm32")]
pub mod mends;
#[cfg(target_arch = "wasm32")]
pub mod run;

#[cfg(target_arch = "wasm32")]
fn fault(error: impl std::fmt::Display) -> wasm_bindgen::JsError {
    wasm_bindgen::JsError::new(&error.to_string())
}

/// The plan for a configuration as JSON and an object with the values of the `${VAR}`s it names.
#[cfg(target_arch = "wasm32")]
fn plan(config: &str, variables: &str) -> Result<verdict_config::Plan, wasm_bindgen::JsError> {
    let config = verdict_model::strict::from_str(config).map_err(fault)?;
    let variables: std::collections::BTreeMap<String, String> =
        verdict_model::strict::from_str(variables).map_err(fault)?;
    verdict_config::plan(config, &|name| variables.get(name).cloned()).map_err(fault)
}
