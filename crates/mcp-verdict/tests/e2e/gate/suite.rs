//! A golden set of six tools, a server that has them, and a model that reads their descriptions.

use crate::models::project::KEY;
use crate::models::provider::Provider;
use crate::support::{code, request, server, stderr};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use verdict_fixture::provider::{Asked, Spoken};

/// Tools whose names say nothing, each with a prompt that only its description fits.
pub(super) const TOOLS: [(&str, &str, &str); 6] = [
    (
        "alpha",
        "Gives the weather forecast of a city.",
        "Weather forecast for the city of Oslo?",
    ),
    (
        "bravo",
        "Sends a mail message to a person.",
        "Send a mail message to this person.",
    ),
    (
        "charlie",
        "Finds an invoice by its number.",
        "Find the invoice with number 7.",
    ),
    (
        "delta",
        "Books a meeting room for a day.",
        "Book a meeting room for the day.",
    ),
    (
        "echo",
        "Converts money between currencies.",
        "Convert money between two currencies.",
    ),
    (
        "foxtrot",
        "Plays a song by its title.",
        "Play the song with this title.",
    ),
];

/// A server with these tools; a `spoiled` one says nothing of use. Its endpoint.
pub(super) fn serve(spoiled: Option<&'static str>) -> String {
    server(move |stream| {
        while let Some(request) = request(stream) {
            let body = request.split_once("\r\n\r\n").map_or("", |(_, body)| body);
            let body: Value = serde_json::from_str(body).unwrap_or_default();
            let result = match body["method"].as_str() {
                Some("server/discover") => {
                    json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}})
                }
                Some("tools/list") => json!({"tools": tools(spoiled)}),
                _ => json!({}),
            };
            let answer = json!({"jsonrpc": "2.0", "id": body["id"], "result": result}).to_string();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                answer.len()
            );
            if stream.write_all((head + &answer).as_bytes()).is_err() {
                return;
            }
        }
    })
}

fn tools(spoiled: Option<&str>) -> Vec<Value> {
    let tool = |(name, description, _): &(&str, &str, &str)| {
        let description = if spoiled == Some(*name) {
            "Does a thing."
        } else {
            description
        };
        json!({"name": name, "description": description, "inputSchema": {"type": "object"}})
    };
    TOOLS.iter().map(tool).collect()
}

/// A case for every tool.
pub(super) fn golden() -> Vec<Value> {
    let case = |(name, _, prompt): &(&str, &str, &str)| json!({"id": format!("case-{name}"), "prompt": prompt, "expect_tool": name});
    TOOLS.iter().map(case).collect()
}

pub(super) fn write_golden(folder: &Path, cases: &[Value]) {
    let golden = Value::Array(cases.to_vec()).to_string();
    std::fs::write(folder.join("golden/tasks.yaml"), golden).expect("written");
}

/// A folder with a golden set and a configuration that keeps a history.
pub(super) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("gate-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("golden")).expect("a folder");
    write_golden(&folder, &golden());
    std::fs::write(
        folder.join("mcp-verdict.yaml"),
        "history: true\nlayers: [1]\n",
    )
    .expect("written");
    folder
}

/// The program in a folder, with nothing of a job.
fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-verdict"));
    command.current_dir(folder).args(arguments);
    for name in [
        "ACTIONS",
        "BASE_REF",
        "REF_NAME",
        "SHA",
        "EVENT_NAME",
        "EVENT_PATH",
        "ACTOR",
    ] {
        command.env_remove(format!("GITHUB_{name}"));
    }
    command
}

pub(super) fn verdict(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    program(folder, arguments)
        .envs(variables.iter().copied())
        .output()
        .expect("it runs")
}

/// The report that a run has left.
pub(super) fn report(folder: &Path, output: &Output) -> Value {
    let text = std::fs::read_to_string(folder.join("report.json"))
        .unwrap_or_else(|_| panic!("{}", stderr(output)));
    serde_json::from_str(&text).expect("a report")
}

/// A run's exit code and report.
pub(super) fn run(
    folder: &Path,
    url: &str,
    more: &[&str],
    variables: &[(&str, &str)],
) -> (i32, Value) {
    let mut all = vec![
        "run",
        "--url",
        url,
        "--format",
        "json",
        "--out",
        "report.json",
    ];
    all.extend(more);
    let output = verdict(folder, &all, variables);
    (code(&output), report(folder, &output))
}

pub(super) fn baseline(folder: &Path, url: &str) {
    let output = verdict(folder, &["baseline", "--url", url], &[]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

pub(super) fn green(folder: &Path) -> Value {
    let text = std::fs::read_to_string(folder.join(".baseline/green.json")).expect("a baseline");
    serde_json::from_str(&text).expect("JSON")
}

pub(super) fn notes(report: &Value) -> String {
    report["gate"]["notes"].to_string()
}

/// The model that most tests ask.
pub(super) const MODEL: &str = "openai-chat:stub";

/// Which runs of which tool's case go wrong, by their index.
type Errors = Arc<Mutex<BTreeMap<&'static str, Vec<u64>>>>;

/// A suite with a model.
pub(super) struct Suite {
    pub(super) folder: PathBuf,
    pub(super) url: String,
    pub(super) provider: Provider,
    errors: Errors,
}

impl Suite {
    /// One whose model makes no mistake but those of [`Suite::errs`].
    pub(super) fn new(name: &str) -> Self {
        let errors = Errors::default();
        let made = Arc::clone(&errors);
        let errs = move |tool: &str, seed: u64| {
            let errors = made.lock().expect("no test panicked in it");
            errors.get(tool).is_some_and(|runs| runs.contains(&seed))
        };
        Self {
            folder: folder(name),
            url: serve(None),
            provider: Provider::answering(reader(errs)),
            errors,
        }
    }

    /// From now on these runs go wrong.
    pub(super) fn errs(&self, errors: &[(&'static str, &[u64])]) {
        let errors = errors.iter().map(|(tool, runs)| (*tool, runs.to_vec()));
        *self.errors.lock().expect("no test panicked in it") = errors.collect();
    }

    /// The program with these arguments, the model and its key.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program(&self.folder, arguments);
        for name in ["OPENAI", "ANTHROPIC"] {
            command.env(format!("{name}_API_KEY"), KEY);
            command.env(format!("{name}_BASE_URL"), &self.provider.base);
        }
        command
    }

    /// The program, to its end.
    pub(super) fn verdict(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("it runs")
    }

    /// The arguments of a run of a model.
    pub(super) fn arguments<'a>(&'a self, model: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let mut all = vec!["run", "--url", &self.url, "--model", model];
        all.extend(["--format", "json", "--out", "report.json"]);
        all.extend(more);
        all
    }

    /// A run's exit code and report.
    pub(super) fn run(&self, more: &[&str]) -> (i32, Value) {
        self.run_of(MODEL, more)
    }

    /// The same of another model.
    pub(super) fn run_of(&self, model: &str, more: &[&str]) -> (i32, Value) {
        let output = self.verdict(&self.arguments(model, more));
        (code(&output), report(&self.folder, &output))
    }

    /// Collects a baseline.
    pub(super) fn baseline(&self, more: &[&str]) {
        let mut all = vec!["baseline", "--url", &self.url, "--model", MODEL];
        all.extend(more);
        let output = self.verdict(&all);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }

    /// The pool of a case in the baseline.
    pub(super) fn pool(&self, id: &str) -> Value {
        let green = green(&self.folder);
        let cases = green["suites"][0]["cases"].as_array().cloned();
        let cases = cases.unwrap_or_default();
        let case = cases.iter().find(|case| case["id"] == id);
        case.map_or(Value::Null, |case| case["pool"].clone())
    }

    /// The bytes of the baseline.
    pub(super) fn kept(&self) -> Vec<u8> {
        std::fs::read(self.folder.join(".baseline/green.json")).expect("a baseline")
    }
}

/// A model that takes the tool whose description has most words of the prompt. Where `errs` says so of that tool and the
/// run's index, it takes the next one.
pub(super) fn reader(
    errs: impl Fn(&str, u64) -> bool + Send + 'static,
) -> impl Fn(&Asked) -> Spoken + Send + 'static {
    move |asked| {
        if !asked.results.is_empty() {
            return Spoken::text("Done.");
        }
        let Some(at) = fitting(asked) else {
            return Spoken::text("No tool fits.");
        };
        let seed = asked.body["seed"].as_u64().unwrap_or_default();
        let wrong = usize::from(errs(&asked.tools[at], seed));
        Spoken::call(&asked.tools[(at + wrong) % asked.tools.len()], "{}")
    }
}

fn fitting(asked: &Asked) -> Option<usize> {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        let long = words.filter(|word| word.len() > 3);
        long.map(str::to_lowercase).collect()
    };
    let prompt = words(&asked.prompt);
    let tools = asked.body["tools"].as_array().into_iter().flatten();
    let shared = tools.map(|tool| {
        let about = tool.get("function").unwrap_or(tool);
        let about = words(about["description"].as_str().unwrap_or_default());
        prompt.iter().filter(|word| about.contains(word)).count()
    });
    let best = shared
        .enumerate()
        .max_by_key(|(at, shared)| (*shared, usize::MAX - at));
    best.filter(|(_, shared)| *shared > 0).map(|(at, _)| at)
}
