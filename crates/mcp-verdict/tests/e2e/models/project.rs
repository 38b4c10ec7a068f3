//! A folder with a golden set, and runs of the program in it.

use super::provider::Provider;
use crate::support::{Demo, stderr};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The key that every provider gets.
pub(crate) const KEY: &str = "sk-fake-0123456789-abcdefghij/+";

/// Formats that every run writes, with the name of the file.
const FORMATS: [(&str, &str); 7] = [
    ("json", "report.json"),
    ("text", "report.txt"),
    ("markdown", "report.md"),
    ("junit", "report.xml"),
    ("github", "report.github"),
    ("sarif", "report.sarif"),
    ("html", "report.html"),
];

/// A folder of its own, the built-in server and a provider.
pub(crate) struct Project {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// The server under test.
    pub(crate) demo: Demo,
    /// The models.
    pub(crate) provider: Provider,
}

/// What a run came to.
pub(crate) struct Ran {
    /// The exit code.
    pub(crate) code: Option<i32>,
    /// Standard error.
    pub(crate) stderr: String,
    /// The report; null where there is none.
    pub(crate) report: Value,
}

impl Project {
    /// A project with this golden set.
    pub(crate) fn new(name: &str, golden: &str, provider: Provider) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("models-{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("golden")).expect("a folder");
        std::fs::write(folder.join("golden/tasks.yaml"), golden).expect("written");
        Self {
            folder,
            demo: Demo::start(),
            provider,
        }
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        std::fs::create_dir_all(path.parent().expect("below the folder")).expect("a folder");
        std::fs::write(path, text).expect("written");
    }

    /// The program in the project's folder, with keys and base URLs, and nothing of a runner.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-verdict"));
        command.current_dir(&self.folder);
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if name.starts_with("GITHUB_")
                || name.ends_with("_API_KEY")
                || name.ends_with("_BASE_URL")
            {
                command.env_remove(name);
            }
        }
        for name in ["OPENAI", "ANTHROPIC", "GEMINI", "OPENAI_COMPATIBLE"] {
            command.env(format!("{name}_API_KEY"), KEY);
            command.env(format!("{name}_BASE_URL"), &self.provider.base);
        }
        command
    }

    /// `run --layers 1 --runs 1` with a report in each format.
    pub(crate) fn prepared(&self, more: &[&str]) -> Command {
        self.of_layers("1", more)
    }

    /// The same with other layers.
    pub(crate) fn of_layers(&self, layers: &str, more: &[&str]) -> Command {
        let mut command = self.command();
        command.args(["run", "--layers", layers, "--url", &self.demo.url]);
        if !more.contains(&"--runs") {
            command.args(["--runs", "1"]);
        }
        for (format, name) in FORMATS {
            let _ = std::fs::remove_file(self.folder.join(name));
            command.args(["--format", format, "--out", name]);
        }
        command.args(more);
        command
    }

    /// Runs it.
    pub(crate) fn run(&self, more: &[&str]) -> Ran {
        let output = self.prepared(more).output().expect("the program runs");
        self.ran(&output)
    }

    /// Reads what a run left.
    pub(crate) fn ran(&self, output: &Output) -> Ran {
        let stderr = stderr(output);
        for trace in ["panicked at", "RUST_BACKTRACE"] {
            assert!(!stderr.contains(trace), "{stderr}");
        }
        let text = std::fs::read(self.folder.join("report.json")).unwrap_or_default();
        Ran {
            code: output.status.code(),
            stderr,
            report: serde_json::from_slice(&text).unwrap_or(Value::Null),
        }
    }

    /// A report in another format.
    pub(crate) fn report(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.join(name)).expect("a report")
    }

    /// Everything in the folder, as text, with the path before each file.
    pub(crate) fn everything(&self) -> Vec<(PathBuf, String)> {
        let mut all = Vec::new();
        let mut folders = vec![self.folder.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let bytes = std::fs::read(&path).unwrap_or_default();
                    all.push((path, String::from_utf8_lossy(&bytes).into_owned()));
                }
            }
        }
        all
    }

    /// The lines of all journals.
    pub(crate) fn kept(&self) -> Vec<String> {
        let journals = self.everything().into_iter().filter(|(path, _)| {
            path.extension()
                .is_some_and(|extension| extension == "jsonl")
        });
        journals
            .flat_map(|(_, text)| text.lines().map(str::to_owned).collect::<Vec<_>>())
            .filter(|line| !line.is_empty())
            .collect()
    }
}

impl Ran {
    /// A trial of the first model of which layer 2 tells.
    #[track_caller]
    pub(crate) fn trial(&self, id: &str) -> &Value {
        let trials = self.report["layers"]["resilience"]["cases"].as_array();
        trials
            .and_then(|trials| trials.iter().find(|trial| trial["id"] == id))
            .unwrap_or_else(|| panic!("no trial {id}: {:#}\n{}", self.report, self.stderr))
    }

    /// A model of the report.
    pub(crate) fn model(&self, at: usize) -> &Value {
        &self.report["layers"]["behavior"]["models"][at]
    }

    /// A case of a model.
    pub(crate) fn case(&self, model: usize, id: &str) -> &Value {
        let cases = self.model(model)["cases"].as_array();
        cases
            .and_then(|cases| cases.iter().find(|case| case["id"] == id))
            .unwrap_or_else(|| panic!("no case {id}: {}\n{}", self.report, self.stderr))
    }

    /// The first run of a case of the first model.
    pub(crate) fn first(&self, id: &str) -> &Value {
        &self.case(0, id)["runs"][0]
    }

    /// The exit code, with all that was said where it is another.
    #[track_caller]
    pub(crate) fn ends(&self, code: i32) -> &Self {
        assert_eq!(
            self.code,
            Some(code),
            "{}\n{}\n{:#}",
            self.stderr,
            self.report["summary"],
            self.report["layers"]
        );
        self
    }
}
