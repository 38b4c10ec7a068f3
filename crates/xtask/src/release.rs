//! `cargo xtask lock`: the hashes of a release's programs, written into the Action's sources.
//!
//! The Action verifies a downloaded program by hashes that are part of `dist/`, so they must be in the commit that is
//! tagged: programs are built first, then the hashes and `dist/` are committed, then the tag is set.

use crate::dist::hex;
use crate::run::root;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

/// Where the Action reads them.
const FILE: &str = "crates/verdict-wasm/js/action/releases.json";
/// What releases are built for; `targetOf` in the Action's `arrival.mjs` has the same names.
const TARGETS: [&str; 6] = [
    "aarch64-apple-darwin",
    "aarch64-pc-windows-msvc",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-linux-musl",
];

#[derive(Debug, Serialize)]
struct Releases {
    version: &'static str,
    targets: BTreeMap<&'static str, Asset>,
}

#[derive(Debug, Serialize)]
struct Asset {
    /// The asset's name.
    file: String,
    /// SHA-256 of the asset.
    packed: String,
    /// SHA-256 of the program in it.
    sha256: String,
}

/// Writes the hashes of the programs in `folder`, or compares them with what is written.
pub fn lock(folder: &Path, check: bool) -> Result<()> {
    let targets = TARGETS
        .into_iter()
        .map(|target| Ok((target, asset(folder, target)?)))
        .collect::<Result<_>>()?;
    let version = env!("CARGO_PKG_VERSION");
    let text = serde_json::to_string_pretty(&Releases { version, targets })? + "\n";
    let path = root().join(FILE);
    if !check {
        std::fs::write(&path, text)?;
        println!("{FILE}: written; build dist/ again and commit both");
    } else if std::fs::read_to_string(&path)? != text {
        bail!(
            "{FILE} does not have the hashes of these programs: run `cargo xtask lock` and commit it"
        );
    } else {
        println!("{FILE}: up to date");
    }
    Ok(())
}

fn asset(folder: &Path, target: &str) -> Result<Asset> {
    let version = env!("CARGO_PKG_VERSION");
    let ending = if target.contains("windows") {
        ".exe"
    } else {
        ""
    };
    let name = format!("mcp-verdict-{version}-{target}{ending}");
    let hash = |name: &str| -> Result<String> {
        let bytes = std::fs::read(folder.join(name))
            .with_context(|| format!("the program for {target}: `{name}`"))?;
        Ok(hex(&Sha256::digest(&bytes)))
    };
    let file = format!("{name}.gz");
    Ok(Asset {
        packed: hash(&file)?,
        sha256: hash(&name)?,
        file,
    })
}
