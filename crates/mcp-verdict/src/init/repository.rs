//! What a repository tells of itself: how its dependencies are installed, and how its server may be started.

use serde_json::Value;
use std::path::Path;

/// Bytes of a file that are read.
const MOST: u64 = 1 << 20;
/// Steps that set a language up where the runner's own version would do.
const NODE: &str = "actions/setup-node@v4\n        with: { node-version: lts/* }";
const PYTHON: &str = "actions/setup-python@v5\n        with: { python-version: \"3.x\" }";

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Repository {
    /// A step that sets the language up, as the text behind `uses: `.
    pub(crate) setup: Option<&'static str>,
    /// The command that installs or builds.
    pub(crate) install: Option<String>,
    /// A stdio server's command, as a guess.
    pub(crate) command: Option<Vec<String>>,
    /// The workflow that uses the Action already.
    pub(crate) workflow: Option<String>,
}

impl Repository {
    /// Looks at the current folder.
    pub(crate) fn here() -> Self {
        Self::of(Path::new("."))
    }

    fn of(folder: &Path) -> Self {
        let found = node(folder)
            .or_else(|| python(folder))
            .or_else(|| rust(folder))
            .or_else(|| go(folder))
            .unwrap_or_default();
        Self {
            workflow: workflow(folder),
            ..found
        }
    }
}

fn text(path: &Path) -> Option<String> {
    let size = path
        .metadata()
        .ok()
        .filter(std::fs::Metadata::is_file)?
        .len();
    (size <= MOST)
        .then(|| std::fs::read_to_string(path).ok())
        .flatten()
}

fn node(folder: &Path) -> Option<Repository> {
    let package: Value = serde_json::from_str(&text(&folder.join("package.json"))?).ok()?;
    let has = |name: &str| folder.join(name).is_file();
    let install = if has("pnpm-lock.yaml") {
        "corepack enable && pnpm install --frozen-lockfile"
    } else if has("yarn.lock") {
        "corepack enable && yarn install --immutable"
    } else if has("package-lock.json") {
        "npm ci"
    } else {
        "npm install"
    };
    let script = |name: &str| package.get("scripts")?.get(name)?.as_str();
    let install = match script("build") {
        Some(_) => format!("{install} && npm run build"),
        None => install.to_owned(),
    };
    let bin = match package.get("bin") {
        Some(Value::String(path)) => Some(path.clone()),
        Some(Value::Object(all)) => all
            .values()
            .find_map(|path| path.as_str().map(str::to_owned)),
        _ => None,
    };
    let main = bin.or_else(|| Some(package.get("main")?.as_str()?.to_owned()));
    let main = main.filter(|path| is_within(path));
    Some(Repository {
        setup: Some(NODE),
        install: Some(install),
        command: main.map(|path| vec!["node".to_owned(), path]),
        workflow: None,
    })
}

fn python(folder: &Path) -> Option<Repository> {
    let project = text(&folder.join("pyproject.toml"))?;
    let locked = folder.join("uv.lock").is_file();
    let script = first_key(&project, "[project.scripts]");
    let command = script.map(|name| {
        if locked {
            vec!["uv".to_owned(), "run".to_owned(), name]
        } else {
            vec![name]
        }
    });
    Some(Repository {
        setup: Some(if locked {
            "astral-sh/setup-uv@v6"
        } else {
            PYTHON
        }),
        install: Some(
            if locked {
                "uv sync --locked"
            } else {
                "pip install ."
            }
            .to_owned(),
        ),
        command,
        workflow: None,
    })
}

fn rust(folder: &Path) -> Option<Repository> {
    let manifest = text(&folder.join("Cargo.toml"))?;
    let name = value(&manifest, "[package]", "name");
    Some(Repository {
        setup: None,
        install: Some("cargo build --release --locked".to_owned()),
        command: name.map(|name| vec![format!("./target/release/{name}")]),
        workflow: None,
    })
}

fn go(folder: &Path) -> Option<Repository> {
    text(&folder.join("go.mod"))?;
    Some(Repository {
        setup: Some("actions/setup-go@v5\n        with: { go-version-file: go.mod }"),
        install: Some("go build -o server .".to_owned()),
        command: Some(vec!["./server".to_owned()]),
        workflow: None,
    })
}

/// A workflow that has the Action in one of its steps.
fn workflow(folder: &Path) -> Option<String> {
    let workflows = folder.join(".github").join("workflows");
    let mut names: Vec<_> = std::fs::read_dir(workflows)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| {
            let end = Path::new(name).extension();
            end.is_some_and(|end| end == "yml" || end == "yaml")
        })
        .collect();
    names.sort();
    names.into_iter().find_map(|name| {
        let path = folder.join(".github").join("workflows").join(&name);
        let uses = text(&path)?.lines().any(|line| {
            let line = line.trim_start().trim_start_matches("- ");
            line.starts_with("uses:") && line.contains("/mcp-verdict@")
        });
        uses.then(|| format!(".github/workflows/{name}"))
    })
}

/// Whether a path stays in the repository.
fn is_within(path: &str) -> bool {
    let path = Path::new(path);
    path.is_relative()
        && path
            .components()
            .all(|part| !matches!(part, std::path::Component::ParentDir))
}

/// The name of the first entry of a table.
fn first_key(toml: &str, table: &str) -> Option<String> {
    let inside = toml
        .lines()
        .map(str::trim)
        .skip_while(|line| *line != table)
        .skip(1);
    let mut entries = inside
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once('='));
    let (name, _) = entries.next()?;
    plain(name)
}

/// A text of a table.
fn value(toml: &str, table: &str, key: &str) -> Option<String> {
    let inside = toml
        .lines()
        .map(str::trim)
        .skip_while(|line| *line != table)
        .skip(1);
    let mut entries = inside
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once('='));
    let (_, value) = entries.find(|(name, _)| name.trim() == key)?;
    plain(value)
}

/// A name that may become a word of a command.
fn plain(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(['"', '\'']);
    let good = !text.is_empty()
        && text
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.'));
    good.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str, files: &[(&str, &str)]) -> std::path::PathBuf {
        let folder =
            std::env::temp_dir().join(format!("mcp-verdict-init-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    fn words(found: &Repository) -> String {
        found.command.clone().unwrap_or_default().join(" ")
    }

    #[test]
    fn a_repository_tells_how_its_server_starts() {
        let node = folder(
            "node",
            &[
                (
                    "package.json",
                    r#"{"bin": {"x": "dist/cli.js"}, "scripts": {"build": "tsc"}}"#,
                ),
                ("package-lock.json", "{}"),
            ],
        );
        let found = Repository::of(&node);
        assert_eq!(
            (words(&found).as_str(), found.install.as_deref()),
            ("node dist/cli.js", Some("npm ci && npm run build"))
        );

        let python = folder(
            "python",
            &[
                (
                    "pyproject.toml",
                    "[project]\nname = \"x\"\n\n[project.scripts]\nmy-server = \"x:main\"\n",
                ),
                ("uv.lock", ""),
            ],
        );
        let found = Repository::of(&python);
        assert_eq!(
            (words(&found).as_str(), found.install.as_deref()),
            ("uv run my-server", Some("uv sync --locked"))
        );

        let rust = folder(
            "rust",
            &[
                ("Cargo.toml", "[package]\nname = \"srv\"\n"),
                (
                    ".github/workflows/v.yml",
                    "steps:\n  - uses: a/mcp-verdict@v1\n",
                ),
            ],
        );
        let found = Repository::of(&rust);
        assert_eq!(words(&found), "./target/release/srv");
        assert_eq!(found.workflow.as_deref(), Some(".github/workflows/v.yml"));
        assert_eq!(
            Repository::of(&folder("none", &[("README", "")])),
            Repository::default()
        );
    }

    #[test]
    fn what_a_repository_names_stays_a_word_within_it() {
        let node = folder(
            "hostile",
            &[("package.json", r#"{"main": "../../etc/passwd"}"#)],
        );
        assert_eq!(Repository::of(&node).command, None);
        let rust = folder(
            "shell",
            &[("Cargo.toml", "[package]\nname = \"a; rm -rf b\"\n")],
        );
        assert_eq!(Repository::of(&rust).command, None);
        let broken = folder(
            "broken",
            &[("package.json", "{"), ("pyproject.toml", "\u{0}")],
        );
        assert!(Repository::of(&broken).command.is_none());
    }
}
