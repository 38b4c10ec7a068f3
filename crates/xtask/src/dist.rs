//! `dist/`: the WASM core, its glue and the JavaScript driver, as users run them; built, and compared.

use crate::run::root;
use crate::wasm::{self, REMEDY, Toolchain};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The JavaScript that is shipped as it is.
const SCRIPTS: [&str; 4] = ["core.mjs", "channel.mjs", "driver.mjs", "check.mjs"];
/// What wasm-bindgen makes.
const BUILT: [&str; 2] = ["core.js", "core_bg.wasm"];
/// Folders and files whose content decides what `dist/` holds.
const INPUTS: [&str; 7] = [
    "Cargo.lock",
    "Cargo.toml",
    "crates/verdict-model",
    "crates/verdict-schema",
    "crates/verdict-core",
    "crates/verdict-report",
    "crates/verdict-wasm",
];

#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
struct Manifest {
    /// What built the module.
    toolchain: String,
    /// SHA-256 over the sources.
    inputs: String,
    /// SHA-256 and size by file.
    files: BTreeMap<String, File>,
}

#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
struct File {
    sha256: String,
    bytes: u64,
}

/// Builds `dist/`.
pub fn build() -> Result<()> {
    let toolchain = Toolchain::find()?.context(REMEDY)?;
    let dist = root().join("dist");
    wasm::build(&toolchain, &dist)?;
    for script in SCRIPTS {
        std::fs::copy(
            root().join("crates/verdict-wasm/js").join(script),
            dist.join(script),
        )?;
    }
    let manifest = Manifest {
        toolchain: toolchain.describe(),
        inputs: inputs()?,
        files: files(&dist)?,
    };
    let text = serde_json::to_string_pretty(&manifest)? + "\n";
    std::fs::write(dist.join("manifest.json"), text)?;
    for (name, file) in &manifest.files {
        println!("dist/{name}: {} bytes", file.bytes);
    }
    Ok(())
}

/// Compares `dist/` with its manifest, its sources, and a fresh build; each verdict is printed.
pub fn check() -> Result<()> {
    let dist = root().join("dist");
    let text = std::fs::read_to_string(dist.join("manifest.json"))
        .context("dist/manifest.json is missing: run `cargo xtask dist`")?;
    let manifest: Manifest = serde_json::from_str(&text).context("dist/manifest.json")?;
    let mut failed = false;
    let mut verdict = |name: &str, good: bool, said: &str| {
        println!("dist {name}: {said}");
        failed |= !good;
    };
    let whole = files(&dist)? == manifest.files;
    verdict(
        "integrity",
        whole,
        if whole {
            "files match the manifest"
        } else {
            "FILES DO NOT MATCH THE MANIFEST"
        },
    );
    let fresh = inputs()? == manifest.inputs;
    verdict(
        "fresh",
        fresh,
        if fresh {
            "built from these sources"
        } else {
            "SOURCES HAVE CHANGED: run `cargo xtask dist`"
        },
    );
    let scripts = SCRIPTS.iter().all(|script| {
        let source = std::fs::read(root().join("crates/verdict-wasm/js").join(script)).ok();
        source.is_some() && source == std::fs::read(dist.join(script)).ok()
    });
    verdict(
        "scripts",
        scripts,
        if scripts {
            "identical to their sources"
        } else {
            "DIFFER FROM THEIR SOURCES"
        },
    );
    match Toolchain::find()? {
        None => verdict("wasm", true, &format!("not checked: {REMEDY}")),
        Some(toolchain) if toolchain.describe() != manifest.toolchain => verdict(
            "wasm",
            true,
            &format!(
                "not compared: built with {}, here is {}",
                manifest.toolchain,
                toolchain.describe()
            ),
        ),
        Some(toolchain) => {
            let out = root().join("target/dist-check");
            wasm::build(&toolchain, &out)?;
            let same = BUILT.iter().all(|name| {
                std::fs::read(out.join(name)).ok() == std::fs::read(dist.join(name)).ok()
            });
            verdict(
                "wasm",
                same,
                if same {
                    "identical to a fresh build"
                } else {
                    "DIFFERS FROM A FRESH BUILD"
                },
            );
        }
    }
    if failed {
        bail!("dist/ is not what its sources make: run `cargo xtask dist` and commit it");
    }
    Ok(())
}

fn files(dist: &Path) -> Result<BTreeMap<String, File>> {
    let names = SCRIPTS.iter().chain(&BUILT);
    names
        .map(|name| {
            let bytes = std::fs::read(dist.join(name)).with_context(|| format!("dist/{name}"))?;
            let file = File {
                sha256: hex(&Sha256::digest(&bytes)),
                bytes: bytes.len() as u64,
            };
            Ok(((*name).to_owned(), file))
        })
        .collect()
}

fn inputs() -> Result<String> {
    let mut paths = Vec::new();
    for input in INPUTS {
        collect(&root().join(input), &mut paths)?;
    }
    paths.sort();
    let mut digest = Sha256::new();
    for path in paths {
        let name = path
            .strip_prefix(root())?
            .to_string_lossy()
            .replace('\\', "/");
        let bytes = std::fs::read(&path)?;
        digest.update(format!("{name}\n{}\n", bytes.len()));
        digest.update(&bytes);
    }
    Ok(hex(&digest.finalize()))
}

/// Sources only: tests of the crates do not end up in the module.
fn collect(path: &Path, out: &mut Vec<PathBuf>) -> Result<()> {
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            let entry = entry?.path();
            let name = entry
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if name != "tests" && name != "test" && name != "target" && name != "examples" {
                collect(&entry, out)?;
            }
        }
    } else {
        out.push(path.to_owned());
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}
