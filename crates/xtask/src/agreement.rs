//! The data of the Berkeley Function-Calling Leaderboard, which our scorer is compared with: fetched, converted, and never
//! part of the repository.

use crate::run::{command, root, status};
use anyhow::{Context, Result};
use std::path::PathBuf;

/// The package with the data and its own checker. Its dependencies are not needed, and are a gigabyte.
const PACKAGE: &str = "bfcl-eval==2026.3.23";

/// Fetches and converts the data where it is not there yet; gives the file that `MCP_VERDICT_BFCL` names.
pub fn converted() -> Result<PathBuf> {
    let folder = root().join("target/bfcl");
    let file = root().join("target/bfcl.jsonl");
    let script = root().join("tests/bfcl/convert.py");
    let is_fresh = |made: &std::fs::Metadata| -> Option<bool> {
        Some(made.modified().ok()? > script.metadata().ok()?.modified().ok()?)
    };
    if file.metadata().ok().as_ref().and_then(is_fresh) == Some(true) {
        return Ok(file);
    }
    // A folder of its own, found by PYTHONPATH: Debian's Python has pip without venv, or venv without pip.
    let pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--upgrade",
        "--target",
    ];
    let mut install = command("python3");
    install.args(pip).arg(&folder).arg(PACKAGE);
    if status(&mut install).is_err() {
        let venv = root().join("target/bfcl-pip");
        status(command("python3").args(["-m", "venv"]).arg(&venv))?;
        let mut install = command(&venv.join("bin/python").display().to_string());
        status(install.args(pip).arg(&folder).arg(PACKAGE))
            .with_context(|| format!("installing {PACKAGE} from the package index"))?;
    }
    let mut convert = command("python3");
    convert.env("PYTHONPATH", &folder).arg(&script);
    status(convert.arg("--out").arg(&file))?;
    Ok(file)
}
