//! What people write and read, for JavaScript: the configuration file, reports in every format, and where in a
//! repository findings belong.
//!
//! A module of its own beside the conformance core: a check needs none of it until there is a file to read or
//! a report to show, and the core stays small.

#[cfg(target_arch = "wasm32")]
pub mod configuration;
#[cfg(target_arch = "wasm32")]
pub mod explain;
#[cfg(target_arch = "wasm32")]
pub mod places;
#[cfg(target_arch = "wasm32")]
pub mod publication;

#[cfg(target_arch = "wasm32")]
fn fault(error: impl std::fmt::Display) -> wasm_bindgen::JsError {
    wasm_bindgen::JsError::new(&error.to_string())
}
