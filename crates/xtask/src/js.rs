//! The JavaScript side: its tools, the bundle, and its tests.

use crate::run::{command, output, root, status};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Where the sources, the tests and `package.json` are.
pub const FOLDER: &str = "crates/verdict-wasm/js";

/// Installs what `package-lock.json` names, unless it is there already.
pub fn install() -> Result<()> {
    let folder = root().join(FOLDER);
    let lock = std::fs::read(folder.join("package-lock.json"))?;
    let mark = folder.join("node_modules/.installed-lock.json");
    if std::fs::read(&mark).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    println!("installing the development tools of {FOLDER} (npm ci)");
    status(command(npm()).current_dir(&folder).args([
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
    ]))?;
    std::fs::write(&mark, lock).with_context(|| format!("writing {}", mark.display()))
}

fn npm() -> &'static str {
    if cfg!(windows) { "npm.cmd" } else { "npm" }
}

/// Whether the bundler is there.
pub fn is_installed() -> bool {
    root().join(FOLDER).join("node_modules/esbuild").is_dir()
}

/// Bundles the sources into `out`, where the WASM core and its glue are already.
pub fn bundle(out: &Path) -> Result<()> {
    status(
        command("node")
            .arg(root().join(FOLDER).join("bundle.mjs"))
            .arg(out),
    )
}

/// The version of the bundler that the lockfile names.
pub fn bundler() -> Result<String> {
    let text = std::fs::read_to_string(root().join(FOLDER).join("package-lock.json"))?;
    let lock: serde_json::Value = serde_json::from_str(&text)?;
    let version = lock["packages"]["node_modules/esbuild"]["version"].as_str();
    Ok(format!(
        "esbuild {}",
        version.context("package-lock.json names no esbuild")?
    ))
}

/// Runs the tests on the committed `dist/`, one file after the other: they start servers and measure time.
pub fn test() -> Result<()> {
    let tracked = output(command("git").args(["ls-files", &format!("{FOLDER}/test/*.test.mjs")]))?;
    let tests: Vec<PathBuf> = tracked.lines().map(PathBuf::from).collect();
    if tests.is_empty() {
        bail!("no JavaScript tests are tracked");
    }
    let program = format!("mcp-verdict{}", std::env::consts::EXE_SUFFIX);
    status(
        command("node")
            .args(["--test", "--test-concurrency=1"])
            .args(&tests)
            .env("MCP_VERDICT", root().join("target/debug").join(program)),
    )
}
