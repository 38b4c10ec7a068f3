//! Where findings stand in the checkout: the walk over its files, and what is about no file of it in particular.

use crate::github::{Event, is_sha, variable};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use verdict_config::DEFAULT_FILE;
use verdict_model::Report;
use verdict_model::report::Location;
use verdict_place::{Changes, MAX_FILE, Search, fill, search, server_line, step_line};

/// Files and folders that one walk looks at.
const ENTRIES: usize = 200_000;
/// Bytes of a diff that are read.
const DIFF: usize = 32 << 20;

/// A checkout of a repository.
#[derive(Debug, Clone)]
pub(crate) struct Checkout {
    root: PathBuf,
    /// Where the server runs, from the root.
    folder: String,
}

impl Checkout {
    /// The one that this process runs in; outside of a repository nothing is searched.
    pub(crate) fn here() -> Option<Self> {
        let here = std::env::current_dir().ok()?.canonicalize().ok()?;
        let root = here
            .ancestors()
            .find(|folder| folder.join(".git").exists())
            .map(Path::to_owned)
            // A checkout that was fetched as an archive has no `.git`.
            .or_else(|| {
                Path::new(&variable("GITHUB_WORKSPACE")?)
                    .canonicalize()
                    .ok()
            })?;
        Some(Self {
            folder: relative(&root, &here)?,
            root,
        })
    }

    /// Whether it is worth asking what a pull request changed.
    pub(crate) fn asks_for(report: &Report) -> bool {
        !search(report).is_empty()
    }

    /// Puts places into the report. `config` is the configuration that was used.
    pub(crate) fn place(&self, report: &mut Report, config: Option<&Path>, changes: Changes) {
        let mut search = search(report).with_changes(changes).near(&self.folder);
        if !search.is_empty() {
            self.walk(&mut search);
        }
        fill(report, &search, self.rest(config).as_ref());
    }

    fn walk(&self, search: &mut Search) {
        let pruned = search.clone();
        let root = self.root.clone();
        let mut walk = ignore::WalkBuilder::new(&self.root);
        walk.hidden(false)
            .git_global(false)
            .sort_by_file_path(Path::cmp)
            .filter_entry(move |entry| {
                let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
                !folder || relative(&root, entry.path()).is_none_or(|path| pruned.enters(&path))
            });
        for entry in walk.build().take(ENTRIES).flatten() {
            // A link may lead anywhere.
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                continue;
            }
            let Some(path) = relative(&self.root, entry.path()) else {
                continue;
            };
            let bytes = entry.metadata().map_or(u64::MAX, |file| file.len());
            if search.wants(&path, bytes)
                && let Ok(text) = std::fs::read(entry.path())
            {
                search.look(&path, &String::from_utf8_lossy(&text));
            }
        }
    }

    /// Where a problem belongs that is about nothing in the code: the configuration, else the workflow.
    fn rest(&self, config: Option<&Path>) -> Option<Location> {
        let config = config.map_or_else(
            || self.root.join(&self.folder).join(DEFAULT_FILE),
            Into::into,
        );
        let config = config.canonicalize().ok().and_then(|file| {
            let path = relative(&self.root, &file)?;
            let line = server_line(&read(&file)?);
            Some(Location { path, line })
        });
        config.or_else(|| {
            let path = workflow(&variable("GITHUB_WORKFLOW_REF")?)?;
            let line = step_line(&read(&self.root.join(&path))?)?;
            Some(Location { path, line })
        })
    }

    /// What the pull request changed, where the history is there.
    pub(crate) fn changes(&self, event: &Event) -> Changes {
        let mut changes = Changes::default();
        let sides = (event.base_sha(), event.head_sha(None));
        let (Some(base), Some(head)) = sides else {
            return changes;
        };
        debug_assert!(is_sha(&base) && is_sha(&head));
        let diff = Command::new("git")
            .args([
                "-c",
                "core.fsmonitor=false",
                "-c",
                "core.quotePath=false",
                "diff",
            ])
            .args([
                "--no-color",
                "--no-ext-diff",
                "--no-textconv",
                "--no-prefix",
                "--unified=0",
            ])
            .arg(format!("{base}...{head}"))
            .arg("--")
            .current_dir(&self.root)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        if let Ok(diff) = diff
            && diff.status.success()
        {
            let end = diff.stdout.len().min(DIFF);
            changes.diff(&String::from_utf8_lossy(&diff.stdout[..end]));
        }
        changes
    }
}

/// A path from the repository's root, with `/`.
fn relative(root: &Path, path: &Path) -> Option<String> {
    let parts = path.strip_prefix(root).ok()?.components();
    let parts: Option<Vec<_>> = parts.map(|part| part.as_os_str().to_str()).collect();
    Some(parts?.join("/"))
}

fn read(path: &Path) -> Option<String> {
    let small = std::fs::metadata(path).ok()?.len() <= MAX_FILE;
    let text = small.then(|| std::fs::read(path).ok()).flatten()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// `.github/workflows/a.yml` from `octo/demo/.github/workflows/a.yml@refs/heads/main`.
fn workflow(reference: &str) -> Option<String> {
    let (path, _) = reference.split_once('@')?;
    let name = path.split_once("/.github/workflows/")?.1;
    let plain = !name.contains(['/', '\\']) && name != "..";
    plain.then(|| format!(".github/workflows/{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workflow_of_a_reference() {
        let path = workflow("octo/demo/.github/workflows/a.yml@refs/pull/7/merge");
        assert_eq!(path.as_deref(), Some(".github/workflows/a.yml"));
        for other in [
            "",
            "octo/demo@x",
            "o/d/.github/workflows/../../x@y",
            "o/d/.github/workflows/..",
        ] {
            assert_eq!(workflow(other), None, "{other}");
        }
    }
}
