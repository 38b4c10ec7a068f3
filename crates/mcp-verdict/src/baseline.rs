//! The baseline, as far as layer 0 reads it: the tools that it was made with, under the key `tools`.

use crate::exit::Usage;
use crate::input;
use anyhow::Result;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// Where a baseline is looked for when none is named.
pub(crate) const DEFAULT_FILE: &str = ".baseline/green.json";

/// Larger files are no baseline.
const MAX_BYTES: u64 = 64 << 20;

/// What is read of a baseline; the gate reads the rest.
#[derive(Debug, Deserialize)]
struct Baseline {
    tools: Option<Vec<Value>>,
}

/// The tools of the baseline that is `named`, or of the one that lies where baselines do.
///
/// Nobody asked for the latter, so that it may be missing, or hold no tools: then there is nothing to compare with.
///
/// # Errors
/// A [`Usage`] with what, where and the mend, for a file that was named.
pub(crate) fn tools(named: Option<&Path>) -> Result<Option<Vec<Value>>> {
    match named {
        Some(path) => read(path).map(Some),
        None => Ok(Path::new(DEFAULT_FILE)
            .is_file()
            .then(|| read(Path::new(DEFAULT_FILE)).ok())
            .flatten()),
    }
}

fn read(path: &Path) -> Result<Vec<Value>> {
    let text = input::read(path, MAX_BYTES, "a baseline")?;
    let shown = path.display();
    let baseline: Baseline = serde_json::from_str(&text).map_err(|error| {
        Usage(format!(
            "{shown}:{}:{}: not a baseline ({error}); make it anew from a green run, or name another file (--baseline)",
            error.line(),
            error.column()
        ))
    })?;
    let tools = baseline.tools.ok_or_else(|| {
        Usage(format!(
            "{shown}: the baseline has no `tools`; make it anew from a green run, or name another file (--baseline)"
        ))
    })?;
    Ok(tools)
}
