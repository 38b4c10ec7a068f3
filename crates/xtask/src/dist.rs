//! `dist/`: the Action and the WASM core with its command line for Node, as users run them; built, and compared.

use crate::js;
use crate::run::{command, output, root};
use crate::wasm::{self, REMEDY, Toolchain};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What the bundler makes: the Action, the command line, and the library that both use.
const BUNDLED: [&str; 3] = ["index.mjs", "check.mjs", "core.mjs"];
/// What wasm-bindgen makes.
const BUILT: [&str; 4] = ["core.js", "core_bg.wasm", "text.js", "text_bg.wasm"];
/// Bytes that a module may have: it is fetched with every run of the Action.
const MAX_MODULE: u64 = 3 << 20;
/// The same after `gzip -9`.
const MAX_GZIPPED: u64 = 1 << 20;
/// Folders and files whose content decides what `dist/` holds.
const INPUTS: [&str; 10] = [
    "Cargo.lock",
    "Cargo.toml",
    "crates/verdict-model",
    "crates/verdict-schema",
    "crates/verdict-core",
    "crates/verdict-config",
    "crates/verdict-text-wasm",
    "crates/verdict-place",
    "crates/verdict-report",
    "crates/verdict-wasm",
];

#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
struct Manifest {
    /// What built the module.
    toolchain: String,
    /// What built the scripts.
    bundler: String,
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
    js::install()?;
    wasm::build(&toolchain, &dist)?;
    js::bundle(&dist)?;
    let manifest = Manifest {
        toolchain: toolchain.describe(),
        bundler: js::bundler()?,
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
    let mut verdicts = Verdicts::default();
    verdicts.judge(
        "integrity",
        files(&dist)? == manifest.files,
        [
            "files match the manifest",
            "FILES DO NOT MATCH THE MANIFEST",
        ],
    );
    verdicts.judge(
        "fresh",
        inputs()? == manifest.inputs,
        [
            "built from these sources",
            "SOURCES HAVE CHANGED: run `cargo xtask dist`",
        ],
    );
    let mut small = true;
    for name in [BUILT[1], BUILT[3]] {
        let bytes = manifest.files.get(name).map_or(0, |file| file.bytes);
        small &= bytes <= MAX_MODULE && gzipped(&dist.join(name))? <= MAX_GZIPPED;
    }
    verdicts.judge(
        "size",
        small,
        [
            "each module is within 3 MiB, and 1 MiB gzipped",
            "A MODULE IS LARGER THAN 3 MiB, OR 1 MiB GZIPPED",
        ],
    );
    if js::is_installed() {
        verdicts.judge(
            "bundle",
            bundles_alike(&dist)?,
            [
                "identical to a fresh bundle of the scripts",
                "DIFFERS FROM A FRESH BUNDLE OF THE SCRIPTS",
            ],
        );
    } else {
        Verdicts::leave(
            "bundle",
            &format!("run `npm ci --ignore-scripts` in {}", js::FOLDER),
        );
    }
    match Toolchain::find()? {
        None => Verdicts::leave("wasm", REMEDY),
        Some(toolchain) if toolchain.describe() != manifest.toolchain => Verdicts::leave(
            "wasm",
            &format!(
                "built with {}, here is {}",
                manifest.toolchain,
                toolchain.describe()
            ),
        ),
        Some(toolchain) => verdicts.judge(
            "wasm",
            builds_alike(&toolchain, &dist)?,
            ["identical to a fresh build", "DIFFERS FROM A FRESH BUILD"],
        ),
    }
    if verdicts.failed {
        bail!("dist/ is not what its sources make: run `cargo xtask dist` and commit it");
    }
    Ok(())
}

/// The size of a file as `gzip -9` leaves it: Python has the same zlib; the one in Node packs less tightly.
pub fn gzipped(path: &Path) -> Result<u64> {
    let script = "import gzip, sys; print(len(gzip.compress(open(sys.argv[1], 'rb').read(), 9)))";
    let mut python = command("python3");
    Ok(output(python.args(["-c", script]).arg(path))?
        .trim()
        .parse()?)
}

/// What was found out about `dist/`, each printed by itself; what was not tried is never called good.
#[derive(Default)]
struct Verdicts {
    failed: bool,
}

impl Verdicts {
    fn judge(&mut self, name: &str, good: bool, [yes, no]: [&str; 2]) {
        println!("dist {name}: {}", if good { yes } else { no });
        self.failed |= !good;
    }

    fn leave(name: &str, why: &str) {
        println!("dist {name}: not checked: {why}");
    }
}

/// Builds the module again with the toolchain that the manifest names.
fn builds_alike(toolchain: &Toolchain, dist: &Path) -> Result<bool> {
    let out = root().join("target/dist-check");
    wasm::build(toolchain, &out)?;
    Ok(BUILT.iter().all(|name| {
        let fresh = std::fs::read(out.join(name)).ok();
        fresh.is_some() && fresh == std::fs::read(dist.join(name)).ok()
    }))
}

/// Bundles again from the committed core, which needs no Rust.
fn bundles_alike(dist: &Path) -> Result<bool> {
    let out = root().join("target/bundle-check");
    std::fs::create_dir_all(&out)?;
    for name in BUILT {
        std::fs::copy(dist.join(name), out.join(name))?;
    }
    js::bundle(&out)?;
    Ok(BUNDLED.iter().all(|name| {
        let fresh = std::fs::read(out.join(name)).ok();
        fresh.is_some() && fresh == std::fs::read(dist.join(name)).ok()
    }))
}

fn files(dist: &Path) -> Result<BTreeMap<String, File>> {
    let names = BUNDLED.iter().chain(&BUILT);
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

/// Sources only: tests of the crates do not end up in the module, nor what the npm package and the page add to it.
fn collect(path: &Path, out: &mut Vec<PathBuf>) -> Result<()> {
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            let entry = entry?.path();
            let name = entry
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let apart = [
                "tests",
                "test",
                "target",
                "examples",
                "node_modules",
                "npm",
                "page",
            ];
            if !apart.contains(&name.as_str()) {
                collect(&entry, out)?;
            }
        }
    } else {
        out.push(path.to_owned());
    }
    Ok(())
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}
