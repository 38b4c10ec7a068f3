//! Development tasks: `cargo xtask demo | test | dist | codegen | bench`.

mod agreement;
mod bench;
mod clients;
mod codegen;
mod dist;
mod js;
mod links;
mod model;
mod needs;
mod official;
mod real;
mod release;
mod run;
mod test;
mod wasm;
mod workflows;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// Development tasks of mcp-verdict.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Check the built-in server and show the full verdict
    Demo,
    /// Install what the tests need, and run all of them
    Test(test::Options),
    /// Run the official conformance suite and ours on the same servers, and compare
    Official {
        /// Write down what differs, instead of comparing
        #[arg(long)]
        bless: bool,
    },
    /// Run a part of the golden set through a real model, on three wires (a part of `test --real-model`)
    RealModel {
        /// Where it is served, as in `http://127.0.0.1:8089`
        url: String,
    },
    /// Build dist/: the Action, the WASM core and its command line for Node
    Dist {
        /// Only compare: integrity, fresh, bundle, wasm
        #[arg(long)]
        check: bool,
    },
    /// Make the npm package and the page in target/npm, from the committed dist/
    Npm,
    /// Write what is generated from the sources: the list of checks, the JSON Schemas, the docs table
    Codegen {
        /// Only compare
        #[arg(long)]
        check: bool,
    },
    /// Measure: ratios side by side in one run
    Bench(bench::Options),
    /// Write down the hashes of a release's programs, for the Action to verify downloads by
    Lock {
        /// Holds `mcp-verdict-VERSION-TARGET` (`.exe` on Windows) and the same with `.gz`, for each target
        folder: PathBuf,
        /// Only compare
        #[arg(long)]
        check: bool,
    },
    /// Examine the workflows and action.yml
    Workflows,
    /// The second step of `codegen`
    #[command(hide = true)]
    Generate {
        #[arg(long)]
        check: bool,
    },
    /// The second step of `bench gate`
    #[command(hide = true)]
    Simulate { repetitions: u32 },
    /// Run wasm-bindgen on a module (used by `dist`)
    #[command(hide = true)]
    Bindgen {
        input: PathBuf,
        out: PathBuf,
        name: String,
    },
}

fn main() -> Result<()> {
    match Cli::parse().task {
        Task::Demo => run::cargo(&["run", "--quiet", "--package", "mcp-verdict", "--", "demo"]),
        Task::Test(options) => test::run(&options),
        Task::Official { bless } => {
            run::cargo(&["build", "--quiet", "--package", "mcp-verdict", "--locked"])?;
            official::run(bless)
        }
        Task::RealModel { url } => model::run(&url),
        Task::Dist { check: false } => dist::build(),
        Task::Dist { check: true } => dist::check(),
        Task::Npm => js::package(),
        Task::Codegen { check } => codegen::run(check),
        Task::Bench(options) => bench::run(&options),
        Task::Lock { folder, check } => release::lock(&folder, check),
        Task::Workflows => workflows::check(),
        Task::Generate { check } => codegen::generate(check),
        Task::Simulate { repetitions } => bench::gate::simulate(repetitions),
        Task::Bindgen { input, out, name } => wasm::bindgen(&input, &out, &name),
    }
}
