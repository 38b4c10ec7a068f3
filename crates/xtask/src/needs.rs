//! What the tests need beside the Rust toolchain: installed where we may, named where we may not.

use crate::run::{command, output, status};
use crate::wasm::Toolchain;
use anyhow::{Result, bail};

/// Makes sure that Node, Python, a browser and a way to build the WASM core are there.
pub fn ensure() -> Result<()> {
    let mut packages = Vec::new();
    let has = |program: &str| output(command(program).arg("--version")).is_ok();
    if !has("node") {
        packages.push("nodejs");
    }
    if !has("npm") {
        packages.push("npm");
    }
    if !has("python3") {
        packages.extend(["python3", "python3-venv"]);
    }
    // For the page: Debian's browser, or one that is there under another name.
    let browsers = ["chromium", "chromium-browser", "google-chrome"];
    let named = std::env::var_os("MCP_VERDICT_CHROMIUM").is_some();
    if !named && !browsers.into_iter().any(has) {
        packages.push("chromium");
    }
    if Toolchain::find()?.is_none() {
        packages.extend(["rustc-web", "rust-web-src"]);
    }
    if packages.is_empty() {
        return Ok(());
    }
    let list = packages.join(" ");
    if !may_install() {
        bail!(
            "missing: {list}. Install them (on Debian: `apt-get install {list}`; the WASM target also comes with `rustup target add wasm32-unknown-unknown`) and run this again"
        );
    }
    println!("installing with apt-get: {list}");
    let mut update = command("apt-get");
    status(update.args(["update", "-qq"]))?;
    let mut install = command("apt-get");
    install.env("DEBIAN_FRONTEND", "noninteractive");
    status(
        install
            .args(["install", "-qq", "-y", "--no-install-recommends"])
            .args(&packages),
    )?;
    let version = output(command("node").arg("--version"))?;
    let major = version
        .trim()
        .trim_start_matches('v')
        .split('.')
        .next()
        .and_then(|text| text.parse::<u32>().ok());
    if major.is_none_or(|major| major < 20) {
        bail!("Node {} is too old: 20 or newer is needed", version.trim());
    }
    Ok(())
}

/// As root on Debian the package manager may be used.
fn may_install() -> bool {
    let root = output(command("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    root && output(command("apt-get").arg("--version")).is_ok()
}
