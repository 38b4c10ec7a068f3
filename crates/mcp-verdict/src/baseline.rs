//! The baseline's file: its tools for layer 0, its pools for the gate, and how it is written.

use crate::exit::Usage;
use crate::input;
use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use verdict_eval::gate::baseline::Baseline as Pools;

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

/// The baseline of the gate, and why there is none where there is none.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Held {
    pub(crate) path: PathBuf,
    pub(crate) pools: Option<Pools>,
    /// Why there are no pools, with the mend.
    pub(crate) note: Option<String>,
    /// A file is there, and cannot be read as a baseline.
    pub(crate) is_broken: bool,
}

/// Reads the baseline that is `named`, or the one that lies where baselines do.
///
/// # Errors
/// A [`Usage`] with what, where and the mend, for a file that was named; the other one is told and not used.
pub(crate) fn pools(named: Option<&Path>, may_be_new: bool) -> Result<Held> {
    let path = named.unwrap_or(Path::new(DEFAULT_FILE)).to_owned();
    let mut held = Held {
        path: path.clone(),
        pools: None,
        note: None,
        is_broken: false,
    };
    if !path.exists() && (named.is_none() || may_be_new) {
        held.note = Some(format!(
            "There is no baseline at {}; `mcp-verdict baseline` with the same server and models makes one.",
            path.display()
        ));
        return Ok(held);
    }
    let pools = input::read(&path, MAX_BYTES, "a baseline").and_then(|text| {
        Pools::parse(&text).map_err(|wrong| Usage(format!("{}: {wrong}", path.display())).into())
    });
    match pools {
        Ok(pools) => held.pools = Some(pools),
        Err(error) if named.is_some() => return Err(error),
        Err(error) => {
            held.is_broken = true;
            held.note = Some(format!("The baseline is not used: {error}."));
        }
    }
    Ok(held)
}

/// Writes a baseline: whoever reads the file at the same time sees the old one or the new one, whole.
pub(crate) fn write(path: &Path, pools: &Pools) -> Result<()> {
    let shown = path.display();
    let text = pools.to_text()?;
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("creating the folder `{}`", folder.display()))?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let new = path.with_file_name(name);
    std::fs::write(&new, text)
        .and_then(|()| std::fs::rename(&new, path))
        .inspect_err(|_| {
            let _ = std::fs::remove_file(&new);
        })
        .with_context(|| format!("writing the baseline to `{shown}`"))
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
