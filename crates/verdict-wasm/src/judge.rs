//! Judging without a run: a recorded transcript.

use crate::{fault, mends, plan};
use verdict_core::record::Recording;
use verdict_model::Transcript;
use wasm_bindgen::prelude::*;

/// Judges a recorded transcript; the report as JSON.
#[wasm_bindgen(js_name = judgeTranscript)]
pub fn judge_transcript(config: &str, transcript: &str) -> Result<String, JsError> {
    let settings = plan(config, "{}")?.settings;
    let transcript: Transcript = verdict_model::strict::from_str(transcript).map_err(fault)?;
    let recording = Recording::from_transcript(transcript);
    mends::told(verdict_core::judge(&settings, &recording))
}
