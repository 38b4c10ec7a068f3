//! Building the WASM core: with rustup's target where it is there, else with a rustc that has its sources.

#[cfg(feature = "bindgen")]
mod order;

use crate::run::{cargo_program, command, output, root, status};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

const TARGET: &str = "wasm32-unknown-unknown";

/// How the module can be built here.
pub enum Toolchain {
    /// rustup's target is installed.
    Rustup { version: String },
    /// A rustc with the sources of its standard library, which is then built too.
    Sources {
        rustc: PathBuf,
        version: String,
        linker: PathBuf,
    },
}

impl Toolchain {
    /// Finds one; `None` when the module cannot be built here.
    pub fn find() -> Result<Option<Self>> {
        let folder =
            output(command("rustc").args(["--print", "target-libdir", "--target", TARGET]));
        let version = output(command("rustc").arg("-Vv"))?;
        if folder.is_ok_and(|folder| holds_core(Path::new(folder.trim()))) {
            return Ok(Some(Self::Rustup { version }));
        }
        let rustc = std::env::var_os("VERDICT_WASM_RUSTC")
            .map_or_else(|| PathBuf::from("/usr/bin/rustc"), PathBuf::from);
        let Ok(sysroot) = output(command(&rustc.to_string_lossy()).args(["--print", "sysroot"]))
        else {
            return Ok(None);
        };
        if !Path::new(sysroot.trim())
            .join("lib/rustlib/src/rust/library/std/Cargo.toml")
            .is_file()
        {
            return Ok(None);
        }
        let version = output(command(&rustc.to_string_lossy()).arg("-Vv"))?;
        Ok(linker()?.map(|linker| Self::Sources {
            rustc,
            version,
            linker,
        }))
    }

    /// What built the module, for the manifest.
    pub fn describe(&self) -> String {
        let (version, library) = match self {
            Self::Rustup { version } => (version, "rustup"),
            Self::Sources { version, .. } => (version, "build-std"),
        };
        let line = |key: &str| {
            version
                .lines()
                .find_map(|line| line.strip_prefix(key))
                .map_or("", str::trim)
                .to_owned()
        };
        format!(
            "rustc {} ({}), LLVM {}, std from {library}",
            line("release:"),
            line("commit-hash:"),
            line("LLVM version:")
        )
    }
}

/// Says how to get a toolchain.
pub const REMEDY: &str = "the WASM core cannot be built here: run `rustup target add wasm32-unknown-unknown`, or on Debian `apt-get install rustc-web rust-web-src`";

fn holds_core(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|entries| {
        entries
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-"))
    })
}

/// `rust-lld` of rustup's toolchain, or `wasm-ld`.
fn linker() -> Result<Option<PathBuf>> {
    let sysroot = output(command("rustc").args(["--print", "sysroot"]))?;
    let host = output(command("rustc").arg("-Vv"))?
        .lines()
        .find_map(|line| line.strip_prefix("host: ").map(str::to_owned))
        .context("rustc names no host")?;
    let lld = Path::new(sysroot.trim())
        .join("lib/rustlib")
        .join(host)
        .join("bin/rust-lld");
    if lld.is_file() {
        return Ok(Some(lld));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    Ok(std::env::split_paths(&path)
        .map(|folder| folder.join("wasm-ld"))
        .find(|file| file.is_file()))
}

/// The modules: the crate, and the name of its files in `dist/`.
const MODULES: [(&str, &str); 2] = [("verdict-wasm", "core"), ("verdict-text-wasm", "text")];

/// Builds the modules and their glue into `out` (`core.js`, `core_bg.wasm`, and the same for `text`).
pub fn build(toolchain: &Toolchain, out: &Path) -> Result<()> {
    std::fs::create_dir_all(out)?;
    for (name, file) in MODULES {
        let built = compile(toolchain, name)?;
        // Built in a folder of its own: the feature would rebuild xtask while it runs.
        status(
            command(&cargo_program())
                .env("CARGO_TARGET_DIR", root().join("target/bindgen"))
                .args(["run", "--quiet", "--locked", "--package", "xtask"])
                .args(["--features", "bindgen", "--", "bindgen"])
                .arg(built)
                .arg(out)
                .arg(file),
        )?;
    }
    Ok(())
}

/// Compiles one module. By itself: built together, each would get the features that the other asks for, and the
/// core needs none of what people read.
fn compile(toolchain: &Toolchain, name: &str) -> Result<PathBuf> {
    let folder = root().join("target/wasm");
    let mut cargo = command(&cargo_program());
    cargo.args(["build", "--lib", "--target", TARGET, "--profile", "wasm"]);
    cargo.args(["--locked", "--package", name]);
    let mut flags = remaps();
    if let Toolchain::Sources { rustc, linker, .. } = toolchain {
        let sysroot = output(command(&rustc.to_string_lossy()).args(["--print", "sysroot"]))?;
        flags.push(format!(
            "--remap-path-prefix={}/lib/rustlib/src/rust=/rustc",
            sysroot.trim()
        ));
        // With its own standard library built along, a panic need carry no text: a sixth of the size.
        flags.push(
            "-Zunstable-options -Cpanic=immediate-abort -Zlocation-detail=none -Zfmt-debug=none"
                .to_owned(),
        );
        cargo
            .args([
                "-Zbuild-std=std,panic_abort",
                "-Zbuild-std-features=optimize_for_size",
            ])
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTC", rustc)
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    }
    cargo
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS",
            flags.join(" "),
        )
        .env("CARGO_TARGET_DIR", &folder);
    status(&mut cargo)?;
    let module = format!("{}.wasm", name.replace('-', "_"));
    Ok(folder.join(TARGET).join("wasm").join(module))
}

/// Paths of this machine must not be in the module: they are in panic messages otherwise.
fn remaps() -> Vec<String> {
    let home = std::env::var_os("CARGO_HOME").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cargo"),
        PathBuf::from,
    );
    vec![
        format!(
            "--remap-path-prefix={}=/cargo/registry",
            home.join("registry/src").display()
        ),
        format!("--remap-path-prefix={}=/mcp-verdict", root().display()),
    ]
}

/// Writes the glue for a module.
#[cfg(feature = "bindgen")]
pub fn bindgen(input: &Path, out: &Path, name: &str) -> Result<()> {
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen
        .input_path(input)
        .out_name(name)
        .typescript(false)
        .remove_producers_section(true)
        .web(true)?;
    bindgen.generate(out)?;
    let module = out.join(format!("{name}_bg.wasm"));
    let ordered = order::by_origin(&std::fs::read(&module)?)?;
    Ok(std::fs::write(module, ordered)?)
}

/// Writes the glue for a module.
#[cfg(not(feature = "bindgen"))]
pub fn bindgen(_: &Path, _: &Path, _: &str) -> Result<()> {
    bail!("built without the feature `bindgen`")
}

#[cfg(feature = "bindgen")]
const _: fn() -> Result<()> = || bail!("unused");
