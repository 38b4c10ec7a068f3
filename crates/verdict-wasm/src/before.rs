//! What is known before a run: the configuration, and how to reach and start the server.

use crate::{fault, mends, plan};
use serde_json::{Value, json};
use verdict_core::mask::Masks;
use verdict_core::settings::Target;
use wasm_bindgen::prelude::*;

/// What a driver needs beside the engine, as JSON: what to start and with which environment, how long to
/// wait, every form of every secret, and what the user should know.
#[wasm_bindgen(js_name = planRun)]
pub fn plan_run(config: &str, variables: &str) -> Result<String, JsError> {
    let plan = plan(config, variables)?;
    let settings = &plan.settings;
    let environment: serde_json::Map<String, Value> = plan
        .environment
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    Ok(json!({
        "start": plan.start,
        "environment": environment,
        "deadlineMs": settings.deadline_ms,
        "masks": Masks::new(&settings.secrets).literals(),
        "notes": settings.notes,
        "url": settings.endpoint().map(verdict_core::wire::endpoint::Endpoint::url),
        "endpoint": settings.endpoint().map(|endpoint| json!({
            "https": endpoint.https, "host": endpoint.host, "port": endpoint.port,
        })),
        "command": match &settings.target {
            Target::Stdio(words) => Some(words),
            Target::Http(_) => None,
        },
    })
    .to_string())
}

/// The bytes that ask an HTTP server whether it is ready.
#[wasm_bindgen]
pub fn knock(config: &str, variables: &str) -> Result<Vec<u8>, JsError> {
    let plan = plan(config, variables)?;
    Ok(plan
        .settings
        .endpoint()
        .map(verdict_core::survey::knock)
        .unwrap_or_default())
}

/// What the beginning of the answer to a knock says: nothing while too little has come, an empty text for a
/// server that is ready, else what is the matter.
#[wasm_bindgen(js_name = isReady)]
pub fn is_ready(head: &[u8]) -> Option<String> {
    Some(
        verdict_core::survey::is_ready(head)?
            .err()
            .unwrap_or_default(),
    )
}

/// Every form of the secrets, an array as JSON, that must not show.
#[wasm_bindgen]
pub fn masks(secrets: &str) -> Result<String, JsError> {
    let secrets: Vec<String> = verdict_model::strict::from_str(secrets).map_err(fault)?;
    serde_json::to_string(&Masks::new(&secrets).literals()).map_err(fault)
}

/// The report of a run that never began, as JSON; without a configuration where none could be read.
#[wasm_bindgen]
pub fn unjudged(
    config: Option<String>,
    variables: &str,
    why: &str,
    source: Option<String>,
) -> Result<String, JsError> {
    let plan = config.and_then(|config| plan(&config, variables).ok());
    let mut report = verdict_core::unjudged(plan.as_ref().map(|plan| &plan.settings), why);
    report.source = source
        .map(|text| verdict_model::strict::from_str(&text))
        .transpose()
        .map_err(fault)?;
    mends::told(report)
}
