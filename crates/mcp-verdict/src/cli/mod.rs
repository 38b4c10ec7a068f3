//! The command line.

pub(crate) mod check;
mod diff;
mod explain;
pub(crate) mod gate;
pub(crate) mod init;
mod lint;
mod merge;
mod official;
mod proxy;
mod publish;
pub(crate) mod render;
pub(crate) mod run;
mod scan;

use crate::exit::Exit;
use anyhow::Result;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use verdict_report::Format;

/// Conformance checks for any MCP server, against revision 2026-07-28.
#[derive(Debug, Parser)]
#[command(
    name = "mcp-verdict",
    version,
    arg_required_else_help = true,
    after_help = "Examples:\n  mcp-verdict demo\n  mcp-verdict check --url http://127.0.0.1:8000/mcp\n  mcp-verdict check -- node server.js\n  mcp-verdict explain header.method-mismatch\n\nExit codes: 0 pass, 1 fail, 2 bad usage or configuration, 3 no verdict, 4 a fault of mcp-verdict."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check one server against the specification: no model, no key
    #[command(
        after_help = "Examples:\n  mcp-verdict check --url http://127.0.0.1:8000/mcp\n  mcp-verdict check --url https://mcp.example.com/mcp --header 'Authorization: Bearer ${MCP_TOKEN}'\n  mcp-verdict check --start 'npm start' --url http://127.0.0.1:8000/mcp\n  mcp-verdict check -- python server.py --stdio\n  mcp-verdict check --url http://localhost:8000/mcp --format junit --out junit.xml --format json --out report.json"
    )]
    Check(Box<CheckArgs>),
    /// Run the layers: conformance, and a golden set through models
    #[command(
        after_help = "Examples:\n  mcp-verdict run --url http://127.0.0.1:8000/mcp --model lexical\n  mcp-verdict run --model openai:NAME --judge openai:NAME --dry-run\n  mcp-verdict run --layers 1 --model anthropic:NAME --case invoice-by-number --runs 3\n  mcp-verdict run --model openai-compatible:NAME@http://127.0.0.1:8089 --budget-calls 200 -- node server.js\n  mcp-verdict run --model openai:NAME --update-baseline --max-drop 0.02\n  mcp-verdict run --layers 1,2 --model openai:NAME --case invoice-by-number\n  mcp-verdict run --layers 1 --model openai:NAME --shard 2/4 --format json --out shard-2.json\n  mcp-verdict run --layers 1 --model openai:NAME --resume merged.json\n\nThe run is held against .baseline/green.json (--baseline): what looks worse is run again before it fails, and\nthe cause is told. `mcp-verdict baseline` makes the file; --update-baseline puts a green run into it.\n\nLayer 2 breaks tools (`faults` in the configuration) and plants an attacker's texts (`adversarial`) under the golden\ncases: what a model claims falsely or obeys fails the run. --dry-run tells what it costs.\n\nKeys come from OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY and GITHUB_TOKEN; *_BASE_URL is obeyed.\nA tool is called on the live server only where the configuration names it (tools.safe), or the case says\n`execute: live`. Every answer of a model is kept before it is used: the same command goes on after a run\nthat was cut off, and an unchanged run asks nothing.\n\nExit codes: 0 pass, 1 fail, 2 bad usage, configuration or golden set, 3 no verdict, 4 a fault of mcp-verdict."
    )]
    Run(Box<run::RunArgs>),
    /// Hold one report against a baseline; nothing is run
    #[command(
        after_help = "Examples:\n  mcp-verdict gate --report report.json\n  mcp-verdict gate --report report.json --baseline .baseline/green.json --max-drop 0.02\n  mcp-verdict gate --report report.json --gate literal --format markdown\n\nA finished report cannot be confirmed: what `run` would run again is a warning here.\n\nExit codes: 0 pass, warning or too few runs to compare with; 1 something got worse, or a warning with --deny-warnings;\n2 bad usage, report or baseline; 3 too few valid runs."
    )]
    Gate(gate::HoldArgs),
    /// Collect first passes into the baseline
    #[command(
        after_help = "Examples:\n  mcp-verdict baseline --model lexical -- node server.js\n  mcp-verdict baseline --url http://127.0.0.1:8000/mcp --model openai:NAME\n  mcp-verdict baseline --known-failing --model lexical -- node server.js\n\nThree sessions of every case are run with answers of their own, and written to .baseline/green.json, which is\nto be committed. Nothing is written unless all of them are green.\n\nExit codes: 0 written, 2 bad usage or a case that misses its target, 3 no answer from the server or a model."
    )]
    Baseline(Box<gate::BaselineArgs>),
    /// Lower the baseline on purpose, to what a report measured
    #[command(
        after_help = "Examples:\n  mcp-verdict accept --reason 'search was split in two tools' --report report.json\n  mcp-verdict accept --reason 'the old prompt was ambiguous' --case overdue-of-acme\n\nWho, when and why stand in the baseline. A lowered case counts again once green runs have filled its pool.\n\nExit codes: 0 lowered, 2 nothing that could be lowered, or a bad report or baseline."
    )]
    Accept(gate::AcceptArgs),
    /// Join the reports of sharded jobs into the one of a single job
    #[command(
        after_help = "Examples:\n  mcp-verdict merge shard-1.json shard-2.json shard-3.json shard-4.json --out merged.json\n  mcp-verdict merge shards/*.json --out merged.json && mcp-verdict run --layers 1 --resume merged.json\n\nThe order does not matter. Parts that do not belong together, are there twice or are missing are refused by name.\n\nExit codes: 0 pass, 1 a case is red, 2 bad usage or parts that do not belong together, 3 too few valid runs."
    )]
    Merge(merge::MergeArgs),
    /// Audit a golden set before any spending, with the server when one is given
    #[command(
        after_help = "Examples:\n  mcp-verdict lint\n  mcp-verdict lint golden/tasks.yaml --url http://127.0.0.1:8000/mcp\n  mcp-verdict lint -- node server.js\n  mcp-verdict lint --suggest report.json\n\nExit codes: 0 nothing, or warnings only; 2 an error, or a warning with --deny-warnings; 3 no answer from the server."
    )]
    Lint(Box<lint::LintArgs>),
    /// What a check means, why it matters, how to mend it
    #[command(
        after_help = "Examples:\n  mcp-verdict explain\n  mcp-verdict explain result.type-present\n  mcp-verdict explain --format json\n  mcp-verdict explain --official\n  mcp-verdict explain --client\n  mcp-verdict explain client.reissue-new-id"
    )]
    Explain(ExplainArgs),
    /// Show a report in another format
    #[command(after_help = "Examples:\n  mcp-verdict render report.json --format markdown")]
    Render(RenderArgs),
    /// What changed between two reports
    #[command(
        after_help = "Examples:\n  mcp-verdict diff last-night.json tonight.json\n  mcp-verdict diff main.json branch.json --format json\n\nThe exit code is 0, whatever changed: the verdict of a report is that of the run that made it."
    )]
    Diff(diff::DiffArgs),
    /// Post a report as a check run on GitHub
    #[command(
        after_help = "Reads GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_EVENT_PATH and what else a job has; options win.\n\nOn a pull request the check run stands on its head. A re-run updates it. Where none can be written (a pull request from a fork, no `checks: write`) the findings go to the log and the job summary.\n\nExamples:\n  mcp-verdict publish --begin\n  mcp-verdict publish report.json\n  mcp-verdict publish report.json --name 'mcp-verdict / billing' --annotations 50\n  mcp-verdict publish --cancelled\n  mcp-verdict publish report.json --repository octo/demo --sha \"$GITHUB_SHA\"\n\nThe exit code is the report's verdict: 0 pass, 1 fail, 3 none; 0 after --begin."
    )]
    Publish(PublishArgs),
    /// Stand between any client and a server, and break things on the wire
    #[command(after_help = proxy::EXAMPLES)]
    Proxy(Box<proxy::ProxyArgs>),
    /// Find what revision 2026-07-28 breaks in a repository's code and tests
    #[command(
        after_help = "Examples:\n  mcp-verdict scan\n  mcp-verdict scan src tests --deny-warnings\n  mcp-verdict scan --format github\n  mcp-verdict scan --format sarif --out scan.sarif\n  mcp-verdict scan tests --fix          shows safe renames as a diff\n  mcp-verdict scan tests --fix --yes    writes them\n  mcp-verdict scan --list\n\nWhat .gitignore names, vendored and generated code, lock files and prose are not looked at. A comment\n`mcp-verdict: allow` on a line or above it keeps that line out.\n\nExit codes: 0 nothing, or notes and warnings only; 1 an error, or a warning with --deny-warnings;\n2 bad usage; 3 no file to read."
    )]
    Scan(ScanArgs),
    /// Write a configuration, a workflow and a first golden set, drafted from the live server's tools
    #[command(
        after_help = "Examples:\n  mcp-verdict init -- node server.js\n  mcp-verdict init --url http://127.0.0.1:8000/mcp\n  mcp-verdict init --start 'npm start' --url http://127.0.0.1:8000/mcp --yes\n\nWhat would be written is shown first. A file that is there stays as it is. No tool is called.\n\nExit codes: 0 written, or nothing to write; 2 bad usage or configuration; 3 no answer from the server."
    )]
    Init(Box<init::InitArgs>),
    /// Check the built-in server: no server of your own, no key, no network
    #[command(
        after_help = "Examples:\n  mcp-verdict demo\n  mcp-verdict demo --defect header-method-ignored\n  mcp-verdict demo --list\n  mcp-verdict demo --serve --port 8000"
    )]
    Demo(DemoArgs),
}

/// The server under test and how to speak to it.
#[derive(Debug, Clone, Default, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the published contract"
)]
pub(crate) struct TargetArgs {
    /// The endpoint of a Streamable HTTP server
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Start an HTTP server first, and end its whole process group after
    #[arg(long, value_name = "COMMAND")]
    pub(crate) start: Option<String>,
    /// A header for every request; ${VAR} is read from the environment (repeatable)
    #[arg(long, value_name = "NAME: VALUE")]
    pub(crate) header: Vec<String>,
    /// Time limit for one exchange, in seconds [default: 10]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) timeout: Option<f64>,
    /// Time limit for the whole run, in seconds [default: 300]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) deadline: Option<f64>,
    /// Configuration file [default: mcp-verdict.yaml where there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The revision to judge by
    #[arg(long, value_name = "REVISION")]
    pub(crate) revision: Option<String>,
    /// The frozen set of rules that count
    #[arg(long, value_name = "REVISION")]
    pub(crate) requirements: Option<String>,
    /// Do not read resources, prompts and completions
    #[arg(long)]
    pub(crate) no_reads: bool,
    /// Also send bad bytes, signals and path escapes
    #[arg(long)]
    pub(crate) intrusive: bool,
    /// Bare error pages and header fields that a gateway may change are not held against the server
    #[arg(long)]
    pub(crate) behind_gateway: bool,
    /// The baseline whose tools the server's are compared with [default: .baseline/green.json where there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Trust the certificates of this PEM file too
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_file: Option<PathBuf>,
    /// A warning makes the verdict fail
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    /// A stdio server's command, after `--`
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// What is written, and how it looks.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct OutputArgs {
    /// Report format; --out after it names a file for it (repeatable)
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub(crate) format: Vec<Format>,
    /// File for the --format before it
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Vec<PathBuf>,
    /// Colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Colour,
    /// Say only what failed
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say everything
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    Always,
    Never,
}

fn format(text: &str) -> Result<Format, String> {
    text.parse()
        .map_err(|error: verdict_report::UnknownFormat| error.to_string())
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Keep everything that was sent and came back, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) transcript: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The check's id; all checks without it
    pub(crate) check: Option<String>,
    /// Which checks stand for those of the official conformance suite
    #[arg(long, conflicts_with = "check")]
    pub(crate) official: bool,
    /// The duties of clients, which `proxy --exec` judges, in place of the checks of servers
    #[arg(long, conflicts_with_all = ["check", "official"])]
    pub(crate) client: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// A report in JSON
    pub(crate) report: PathBuf,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PublishArgs {
    /// A report in JSON
    #[arg(required_unless_present_any = ["begin", "cancelled"], conflicts_with = "begin")]
    pub(crate) report: Option<PathBuf>,
    /// Before the checks: post that they are running
    #[arg(long, conflicts_with_all = ["cancelled", "neutral"])]
    pub(crate) begin: bool,
    /// The job was cancelled; without a report too
    #[arg(long)]
    pub(crate) cancelled: bool,
    /// A verdict that is not pass leaves the check neutral, and the exit code 0
    #[arg(long)]
    pub(crate) neutral: bool,
    /// Name of the check; give each server and configuration a name of its own
    #[arg(long, value_name = "NAME", default_value = "mcp-verdict", value_parser = check_name)]
    pub(crate) name: String,
    /// The repository [default: `GITHUB_REPOSITORY`]
    #[arg(long, value_name = "OWNER/NAME")]
    pub(crate) repository: Option<String>,
    /// The commit [default: the one that the event is about]
    #[arg(long, value_name = "SHA", value_parser = commit)]
    pub(crate) sha: Option<String>,
    /// The address of GitHub's API [default: `GITHUB_API_URL`, or that of github.com]
    #[arg(long, value_name = "URL")]
    pub(crate) api_url: Option<String>,
    /// auto (on the check run, or in the log where none can be written), log, off, or the most of a check run
    #[arg(long, value_name = "WHERE", default_value = "auto")]
    pub(crate) annotations: String,
}

fn check_name(text: &str) -> Result<String, &'static str> {
    let good = (1..=100).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    if good {
        Ok(text.to_owned())
    } else {
        Err("a name has 1 to 100 characters that show")
    }
}

fn commit(text: &str) -> Result<String, &'static str> {
    if crate::github::is_sha(text) {
        Ok(text.to_owned())
    } else {
        Err("write the full name of the commit, 40 hexadecimal digits")
    }
}

#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct ScanArgs {
    /// Files and folders to look at [default: the current folder]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// A warning counts as an error
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    /// Show the safe renames (codes in assertions of tests) as a diff
    #[arg(long)]
    pub(crate) fix: bool,
    /// Write what --fix shows
    #[arg(long, requires = "fix")]
    pub(crate) yes: bool,
    /// Largest file that is read, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 4 << 20)]
    pub(crate) max_file_size: usize,
    /// Most matches that are kept of one file
    #[arg(long, value_name = "COUNT", default_value_t = 1_000)]
    pub(crate) max_matches: usize,
    /// List the patterns
    #[arg(long, conflicts_with_all = ["fix", "paths"])]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Give the built-in server one named defect
    #[arg(long, value_name = "NAME")]
    pub(crate) defect: Option<String>,
    /// List the defects
    #[arg(long, conflicts_with_all = ["defect", "serve"])]
    pub(crate) list: bool,
    /// Only serve, until interrupted; the URL is printed
    #[arg(long)]
    pub(crate) serve: bool,
    /// Serve standard input and output in place of a port
    #[arg(long, requires = "serve", conflicts_with = "port")]
    pub(crate) stdio: bool,
    /// The port of the built-in server [default: any that is free]
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub(crate) port: u16,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Runs the program.
pub(crate) fn run() -> Result<Exit> {
    let matches = Cli::command().get_matches();
    let cli = Cli::from_arg_matches(&matches)?;
    let inner = matches.subcommand().map_or(&matches, |(_, inner)| inner);
    dispatch(cli.command, inner)
}

fn dispatch(command: Command, matches: &ArgMatches) -> Result<Exit> {
    match command {
        Command::Check(args) => runtime()?.block_on(check::run(&args, matches)),
        Command::Run(args) => runtime()?.block_on(crate::run::run(&args, matches)),
        Command::Gate(args) => gate::hold(&args, matches),
        Command::Baseline(args) => runtime()?.block_on(crate::run::baseline(&args)),
        Command::Accept(args) => gate::accept(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Lint(args) => runtime()?.block_on(lint::run(&args)),
        Command::Explain(args) => explain::run(&args, matches),
        Command::Render(args) => render::run(&args, matches),
        Command::Diff(args) => diff::run(&args, matches),
        Command::Publish(args) => runtime()?.block_on(publish::run(&args)),
        Command::Proxy(args) => {
            let runtime = runtime()?;
            let exit = runtime.block_on(proxy::run(&args, matches));
            // A thread may still read standard input, which nothing can end.
            runtime.shutdown_background();
            exit
        }
        Command::Scan(args) => scan::run(&args, matches),
        Command::Init(args) => runtime()?.block_on(crate::init::run(&args)),
        Command::Demo(args) => runtime()?.block_on(crate::demo::run(&args, matches)),
    }
}

/// One thread is enough: the work is waiting.
fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?)
}

pub(crate) use check::examine;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
